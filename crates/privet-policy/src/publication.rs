//! What a policy says around a release: who answers for it and to whom it goes (`[report]`), and where it is written down
//! (`[ledger]`). Both are for every kind of data; neither changes what is released.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::check::PolicyColumn;
use super::file::{Policy, Section};
use privet_core::Result;
use privet_core::suggestion;
use privet_core::visible;

/// The keys of the outermost table that every kind of policy has for this.
pub(super) const TABLES: [&str; 3] = ["report", "ledger", "release"];

/// `[report]`: what the reports say about a release in addition to what follows from it.
///
/// A title, who owns it and how to reach them, a licence, a sign-off and the day of the next review may stand in both reports; the others
/// describe the setting in which the release is thought to be safe (ISO/IEC 27559, clause 6) and are the steward's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportKeys {
    /// What the release is called.
    pub title: Option<String>,
    /// The person responsible for it.
    pub owner: Option<String>,
    /// How to reach them.
    pub contact: Option<String>,
    /// To whom it goes.
    pub recipient: Option<String>,
    /// What it is for.
    pub purpose: Option<String>,
    /// Who may want to attack it, with what means, and what keeps them from it.
    pub scenario: Option<String>,
    /// What permits to publish it.
    pub legal_basis: Option<String>,
    /// What recipients may do with it.
    pub licence: Option<String>,
    /// When it is to be looked at again.
    pub review: Option<String>,
    /// Who approved the release, and when.
    pub sign_off: Option<String>,
    /// The rule whose thresholds the policy was drafted from.
    pub preset: Option<String>,
}

impl ReportKeys {
    /// Said wherever a preset is named.
    pub const NO_CERTIFICATE: &str = "No tool can certify compliance: a preset fills in what a rule says in numbers; whether it is met \
                                      is for the people who answer for the release to decide, with a lawyer and, where the rule \
                                      asks for one, an expert.";

    pub(super) const NAMES: [&str; 11] = [
        "title",
        "owner",
        "contact",
        "recipient",
        "purpose",
        "scenario",
        "legal_basis",
        "licence",
        "review",
        "sign_off",
        "preset",
    ];

    /// Whether the policy says nothing of the kind.
    pub fn is_empty(&self) -> bool {
        *self == ReportKeys::default()
    }
}

/// `[ledger]`: where the releases of a source are written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerPolicy {
    /// The ledger file.
    pub path: PathBuf,
    /// To whom this release goes.
    pub recipient: Option<String>,
    /// The column that identifies people, by its name.
    pub person: Option<String>,
    /// What happens when this release and earlier ones together reveal more than each alone.
    pub on_composition: OnComposition,
}

impl LedgerPolicy {
    pub(super) const NAMES: [&str; 4] = ["path", "recipient", "person", "on_composition"];
}

/// What happens when a release and earlier ones together reveal more about people than each alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnComposition {
    /// It is published, and said loudly.
    #[default]
    Warn,
    /// It is not published.
    Refuse,
}

impl OnComposition {
    const NAMES: [&str; 2] = ["warn", "refuse"];
}

impl Policy {
    /// What `[report]` says; nothing where there is none. After the policy was checked this cannot fail.
    pub fn report_keys(&self) -> Result<ReportKeys> {
        let Some(section) = self.publication("report", &ReportKeys::NAMES)? else {
            return Ok(ReportKeys::default());
        };
        let text = |key: &str| {
            let entry = section.entry(key).map(|entry| Ok(visible::lines(entry.text()?.trim()).into_owned()));
            Ok(entry.transpose()?.filter(|text| !text.is_empty()))
        };
        Ok(ReportKeys {
            title: text("title")?,
            owner: text("owner")?,
            contact: text("contact")?,
            recipient: text("recipient")?,
            purpose: text("purpose")?,
            scenario: text("scenario")?,
            legal_basis: text("legal_basis")?,
            licence: text("licence")?,
            review: text("review")?,
            sign_off: text("sign_off")?,
            preset: text("preset")?,
        })
    }

    /// What `[ledger]` says, if the policy has one. After the policy was checked this cannot fail.
    pub fn ledger(&self) -> Result<Option<LedgerPolicy>> {
        let Some(section) = self.publication("ledger", &LedgerPolicy::NAMES)? else { return Ok(None) };
        let help = "name the file in which releases are written down: path = \"ledger.jsonl\"";
        let entry = section.required("path", help)?;
        let path = entry.text()?;
        if path.is_empty() {
            return Err(entry.error("'ledger.path' is empty").help(help));
        }
        let text = |key: &str| section.entry(key).map(|entry| entry.text().map(str::to_string)).transpose();
        let on_composition = match section.entry("on_composition") {
            Some(entry) => match entry.one_of(&OnComposition::NAMES)? {
                "refuse" => OnComposition::Refuse,
                _ => OnComposition::Warn,
            },
            None => OnComposition::Warn,
        };
        Ok(Some(LedgerPolicy {
            path: self.resolve(path),
            recipient: text("recipient")?,
            person: text("person")?,
            on_composition,
        }))
    }

    fn publication(&self, name: &str, keys: &[&str]) -> Result<Option<Section<'_>>> {
        let Some(entry) = self.root().entry(name) else { return Ok(None) };
        let section = entry.section()?;
        section.only(keys)?;
        Ok(Some(section))
    }

    /// Checks both tables; `columns` are those of a table, and `None` for data that has none.
    pub(super) fn check_publication(&self, columns: Option<&[PolicyColumn]>) -> Result<()> {
        self.release_table()?;
        self.report_keys()?;
        let Some(LedgerPolicy { person: Some(person), .. }) = self.ledger()? else { return Ok(()) };
        let section = self.publication("ledger", &LedgerPolicy::NAMES)?;
        let wrong = |message: String| match section.as_ref().and_then(|section| section.entry("person")) {
            Some(entry) => entry.error(message),
            None => self.error(None, message),
        };
        let Some(columns) = columns else {
            return Err(wrong("'ledger.person' only has a meaning for kind = \"table\"".to_string())
                .help("remove it: everything that the data holds about people distinguishes them"));
        };
        if columns.iter().any(|column| column.name == person) {
            return Ok(());
        }
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        Err(wrong(format!("'ledger.person' names '{person}', which is not a column of the data"))
            .help(suggestion(&person, &names, "the data's columns")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(text: &str) -> Policy {
        Policy::parse("folder/policy.toml".as_ref(), text.to_string()).expect("TOML")
    }

    #[test]
    fn a_policy_may_say_nothing_of_reports_and_ledgers() {
        let policy = policy("seed = 1\n");
        assert!(policy.report_keys().expect("keys").is_empty());
        assert_eq!(policy.ledger().expect("keys"), None);
        policy.check_publication(None).expect("fine");
    }

    #[test]
    fn what_the_tables_say_is_read() {
        let policy = policy(
            "[report]\nowner = \"Registry\"\nreview = \" 2027-01-01 \"\ntitle = \"\"\n\
             [ledger]\npath = \"ledger.jsonl\"\nrecipient = \"University\"\non_composition = \"refuse\"\n",
        );
        let keys = policy.report_keys().expect("keys");
        assert_eq!((keys.owner.as_deref(), keys.review.as_deref()), (Some("Registry"), Some("2027-01-01")));
        assert_eq!(keys.title, None);
        let ledger = policy.ledger().expect("keys").expect("a ledger");
        assert_eq!(ledger.path, PathBuf::from("folder/ledger.jsonl"));
        assert_eq!(ledger.on_composition, OnComposition::Refuse);
        assert_eq!((ledger.recipient.as_deref(), ledger.person), (Some("University"), None));
    }

    #[test]
    fn what_cannot_be_meant_is_told_with_its_line() {
        for (text, line, word) in [
            ("[report]\nowners = \"x\"\n", 2, "unknown key 'owners'"),
            ("[report]\nowner = 3\n", 2, "text in quotes"),
            ("[ledger]\nrecipient = \"x\"\n", 1, "lacks 'path'"),
            ("[ledger]\npath = \"\"\n", 2, "empty"),
            ("[ledger]\npath = \"x\"\non_composition = \"ask\"\n", 3, "cannot be \"ask\""),
            ("[ledger]\npath = \"x\"\nperson = \"id\"\n", 3, "kind = \"table\""),
        ] {
            let error = policy(text).check_publication(None).expect_err(text);
            assert_eq!(error.line(), Some(line), "{text}");
            assert!(error.message().contains(word), "{text}: {error}");
        }
        let error = policy("[ledger]\npath = \"x\"\nperson = \"id\"\n").check_publication(Some(&[]));
        assert!(error.expect_err("no column").message().contains("not a column"));
    }
}
