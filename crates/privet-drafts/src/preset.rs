//! Presets: what a rule asks for, as thresholds and sections of a report.
//!
//! A rule asks for more than a tool can see: who receives the data, under what contract, and what they may know already. A preset
//! fills in the numbers and names the rest as things to be said in `[report]`.

use super::text::comment;
use privet_core::suggestion;
use privet_core::{Error, Result};
use privet_policy::ReportKeys;

/// What a rule asks for.
#[derive(Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// The rule.
    pub title: &'static str,
    /// What it asks for, in one line.
    pub summary: &'static str,
    /// What the preset does about it, and what is left to people.
    pub help: &'static str,
    /// The k that the rule's threshold comes to, with the reason; `None` where it names none.
    pub k: Option<(u64, &'static str)>,
    /// Whether the identifiers of the Safe Harbor rule are looked for and removed.
    pub(super) safe_harbor: bool,
    /// More requirements that the rule knows, each as a remark and lines that are drafted as comments.
    pub(super) offers: &'static [(&'static str, &'static str)],
    /// What the policy's `[report]` begins with, as key and remark.
    pub(super) sections: &'static [(&'static str, &'static str)],
}

/// k-map, for data that are a part of a larger group.
const OF_THE_POPULATION: (&str, &str) = (
    "If these are some of a larger group and nobody knows which, the threshold may be asked of that group (k-map): name its \
     table.",
    "[population]\npath = \"everybody.csv\"\n[privacy.k-map]\nk = 11",
);

/// All presets.
pub static PRESETS: [Preset; 4] = [
    Preset {
        name: "hipaa-safe-harbor",
        title: "HIPAA Safe Harbor, 45 CFR 164.514(b)(2)",
        summary: "eighteen kinds of identifiers are removed; ZIP codes keep three digits, dates their year, ages over 89 are one",
        help: "The draft counts cells that look like one of the eighteen kinds, by names of columns and by patterns, and leaves such \
               columns out. ZIP codes are published with three digits at most, and as 000 where the area has 20,000 people or \
               fewer (by the census of 2000, as the guidance of 2012 lists them, or by that of 2010); dates are published as years \
               at finest, ages of 90 and more as one group, and so are the years of birth that tell such an age: all up to \
               ninety years before the draft. The rule names no k; the draft asks for 11 all the same, for what \
               Safe Harbor leaves can still single people out. Free text, and identifiers that look like nothing in \
               particular, are not found by patterns: look at every column. The rule also asks that you have no actual \
               knowledge that what is left could identify somebody.",
        k: None,
        safe_harbor: true,
        offers: &[],
        sections: &[
            ("legal_basis", "45 CFR 164.514(b)(2), and who looked at each of the eighteen kinds"),
            ("review", "when it is looked at again"),
        ],
    },
    Preset {
        name: "ema",
        title: "EMA policy 0070 and Health Canada PRCI",
        summary: "the greatest risk is at most 0.09, understood as 1/11: k = 11",
        help: "0.09 is meant as 1/11: read literally it would ask for k = 12, for 1/11 is 0.0909…. The harmonised report wants: the \
               method, direct and indirect identifiers with the rule for each variable, the risk before, the threshold, the risk \
               after, and what the data is still good for. Privet's steward's report has these; the scenario, the recipients \
               and the context are yours to write under [report].",
        k: Some((11, "the threshold of 0.09 is meant as 1/11")),
        safe_harbor: false,
        offers: &[
            (
                "For known recipients under a contract the average risk may be what is limited, as long as nobody stands \
                 alone. Then, in place of the k-anonymity above:",
                "[privacy.average-risk]\nmax = \"1/11\"\nhighest = \"1/2\"\nat_risk = 0",
            ),
            OF_THE_POPULATION,
        ],
        sections: &[
            (
                "scenario",
                "who may want to re-identify, with what means; public release means anybody with anything",
            ),
            ("purpose", "what the data is to be used for"),
            ("legal_basis", "EMA policy 0070 or PRCI, with the submission's number"),
            ("review", "when it is looked at again"),
        ],
    },
    Preset {
        name: "cms",
        title: "CMS cell-size suppression",
        summary: "no cell of 1 to 10 people, nor one that can be worked out from others: k = 11",
        help: "No table may show a cell of 1 to 10 beneficiaries, and none may follow by subtraction or from percentages; 0 may be shown. \
               k = 11 keeps classes of the release to that, and Privet's public report and manifest print no count from 1 to 10. \
               Tables that others make from the release are theirs to check, and so are sums that you have published before.",
        k: Some((11, "no cell of 1 to 10 people may be shown")),
        safe_harbor: false,
        offers: &[OF_THE_POPULATION],
        sections: &[
            ("legal_basis", "the data use agreement, by its number"),
            ("recipient", "who receives it"),
            ("review", "when it is looked at again"),
        ],
    },
    Preset {
        name: "gdpr",
        title: "GDPR, recital 26, with opinion 05/2014 of the Article 29 Working Party",
        summary: "nobody can be singled out, linked or inferred by means reasonably likely to be used; looked at again in time",
        help: "The opinion asks for three things and names no numbers: that nobody can be singled out, that records of a person cannot be \
               linked, and that nothing can be inferred about somebody. The draft asks for k-anonymity against the first, and for \
               different sensitive values among those who look alike against the third; `privet attack` measures all three. \
               k-anonymity alone does not stop inference, and no notion here stops linking of several releases: keep a ledger.",
        k: Some((5, "the opinion names no number; take more for a release to everybody")),
        safe_harbor: false,
        offers: &[],
        sections: &[
            ("owner", "the controller"),
            ("contact", "the data protection officer"),
            ("scenario", "what means are reasonably likely to be used, by whom"),
            ("purpose", "what the data is to be used for"),
            ("legal_basis", "on what ground the data was held, and why it may be published"),
            ("recipient", "who receives it: the world, or somebody under a contract"),
            ("review", "when it is looked at again: anonymity is not settled once and for all"),
        ],
    },
];

impl Preset {
    /// The preset of a name.
    pub fn find(name: &str) -> Result<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
            let names = PRESETS.each_ref().map(|preset| preset.name);
            Error::input(format!("there is no preset '{name}'")).help(suggestion(name, &names, "presets"))
        })
    }

    /// The preset as `privet explain` tells it.
    pub fn explain(&self) -> String {
        let mut text = format!("{}: {}\n{}\n\n{}\n", self.name, self.title, self.summary, self.help);
        text += "\n[report] is drafted with:\n";
        for (key, remark) in self.sections {
            text += &format!("  {key:<12} {remark}\n");
        }
        format!("{text}\n{}\n", ReportKeys::NO_CERTIFICATE)
    }

    /// What the draft says at its head.
    pub(super) fn head(&self, text: &mut String) {
        comment(text, &format!("Preset {}: {}: {}.", self.name, self.title, self.summary));
        comment(text, ReportKeys::NO_CERTIFICATE);
        text.push_str("#\n");
    }
}

/// The draft's `[report]`: the keys that a preset asks to be filled in, or those that every public release should have.
pub(super) fn report(text: &mut String, preset: Option<&Preset>) {
    const USUAL: &[(&str, &str)] = &[
        ("owner", "who answers for the release"),
        ("contact", "how to reach them"),
        ("licence", "what may be done with it"),
        ("review", "when it is looked at again"),
    ];
    text.push('\n');
    comment(text, "What the reports say next to the figures; empty keys are left out.");
    text.push_str("[report]\n");
    let sections = preset.map_or(USUAL, |preset| preset.sections);
    if let Some(preset) = preset {
        text.push_str(&format!("preset = \"{}\"\n", preset.name));
    }
    for (key, remark) in sections {
        text.push_str(&format!("{:<20} # {remark}\n", format!("{key} = \"\"")));
    }
    text.push('\n');
    comment(
        text,
        "A ledger remembers who was released when, so that a second release is tested together with this one. To keep one, \
         name a file that stays with you:",
    );
    text.push_str("# [ledger]\n# path = \"ledger.jsonl\"\n# on_composition = \"refuse\"\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_explains_itself_and_certifies_nothing() {
        for preset in &PRESETS {
            let text = preset.explain();
            assert!(text.contains(preset.title) && text.contains("No tool can certify"), "{text}");
            assert!(Preset::find(preset.name).is_ok());
        }
        let error = Preset::find("hipa").expect_err("no such preset");
        assert!(error.remedy().is_some_and(|help| help.contains("hipaa-safe-harbor")), "{error}");
    }

    #[test]
    fn the_thresholds_are_those_of_the_rules() {
        let k = |name: &str| Preset::find(name).expect("a preset").k.map(|(k, _)| k);
        assert_eq!((k("ema"), k("cms"), k("hipaa-safe-harbor")), (Some(11), Some(11), None));
    }
}
