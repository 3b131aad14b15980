//! The report about vocabularies.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use super::super::Edition;
use super::super::gate::Key;
use super::super::lens::{capital, percent, thousands};
use super::super::vocabularies::{Centre, VocabularyReport, promise, protections};
use super::verdict::{self, KeyFigure, Verdict};
use super::{Figure, Frame, Own, RecordPart, RecordsView, UtilityRow, figures};
use privet_core::noun;

/// What makes records alike.
const ALIKE: &str = "A class is all vocabularies with exactly the same terms, as often.";

/// The whole page.
#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    frame: Frame,
    extraction: Vec<(String, String)>,
    /// Words that the dictionary does not have.
    unknown: Vec<String>,
    classes: Vec<(&'static str, String)>,
    /// What is said about terms that hardly anybody used.
    rare: Option<RareView>,
    samples: Vec<SampleView>,
    frequent: Vec<FrequentRow>,
    utility: Vec<UtilityRow>,
    sizes: Option<Figure>,
}

/// Terms below the floor.
#[derive(Serialize)]
struct RareView {
    text: String,
    examples: Vec<String>,
}

/// A class before and after.
#[derive(Serialize)]
struct SampleView {
    members: Vec<String>,
    more: Option<String>,
    published: String,
}

/// A frequent term.
#[derive(Serialize)]
struct FrequentRow {
    term: String,
    before: Option<String>,
    after: String,
}

/// Puts the model into words, as far as the edition may speak.
pub(in super::super) fn view(model: &VocabularyReport, edition: Edition) -> Value {
    let sizes = figures::distribution(&model.sizes, edition).map(|sizes| Figure {
        note: "Share of vocabularies by how many occurrences of terms they hold.".to_string(),
        ..sizes
    });
    let key = edition.key();
    let extraction = key.map(|key| model.extraction.see(key)).into_iter().flatten();
    let extraction: Vec<(String, String)> =
        extraction.map(|(name, count)| (name.clone(), thousands(*count))).collect();
    let samples = key.map(|key| samples(model, key)).unwrap_or_default();
    let mut sections = Vec::new();
    sections.extend((!extraction.is_empty()).then_some(("extraction", "From log to vocabularies")));
    sections.push(("classes", "Vocabularies alike"));
    sections.push(("utility", "What is left"));
    let own = Own {
        about: if model.common.kind == "query-log" { "on a query log" } else { "on vocabularies" },
        noun: "vocabularies",
        noun_title: "Vocabularies",
        kind: "vocabularies",
        k: Some(model.requirement.k).filter(|k| *k > 1),
        alike: ALIKE,
        verdict: first_page(model, edition),
        requirements: vec![(
            model.requirement.description.clone(),
            format!("{}.", capital(&promise(&model.requirement))),
        )],
        records: records(model, edition),
        reading: reading(model),
        sections,
        glossary: glossary(),
    };
    Value::from(Serde(View {
        extraction,
        unknown: key.map(|key| unknown(model, key)).unwrap_or_default(),
        classes: classes(model, edition),
        rare: key.and_then(|key| rare(model, key)),
        samples,
        frequent: frequent(model, edition),
        utility: utility(model, edition),
        sizes,
        frame: Frame::new(&model.common, own, edition),
    }))
}

fn first_page(model: &VocabularyReport, edition: Edition) -> Verdict {
    let records = model.common.records;
    let empty = records.released == 0 || model.utility.terms_after == 0;
    let promise = if empty {
        "No term is published: nothing can be learnt from the release.".to_string()
    } else {
        verdict::promise([promise(&model.requirement)].into_iter())
    };
    let mut figures = vec![KeyFigure {
        value: edition.count(records.released),
        name: "vocabularies released".to_string(),
        note: match edition.key() {
            Some(key) => format!("of {} made from the data", thousands(*records.read.see(key))),
            None => "bags of terms".to_string(),
        },
    }];
    if !empty {
        figures.push(KeyFigure {
            value: edition.count(model.utility.terms_after),
            name: "distinct terms in the release".to_string(),
            note: match edition.key() {
                Some(key) => format!("in the original: {}", thousands(*model.utility.terms_before.see(key))),
                None => "more general words included".to_string(),
            },
        });
        figures.extend(kept(model, edition).map(|value| KeyFigure {
            value,
            name: "of all occurrences are published".to_string(),
            note: "the others are left out".to_string(),
        }));
        figures.extend(verdict::lost(&model.common, edition));
        figures.extend(verdict::exactly(&model.common, "occurrences of terms", edition));
    }
    Verdict::new(model.common.audit.passed, empty, promise, figures, protections(&model.requirement))
}

/// The share of occurrences that are published.
fn kept(model: &VocabularyReport, edition: Edition) -> Option<String> {
    Some(model.utility.kept.told(edition, model.common.records.released)?.text)
}

fn records(model: &VocabularyReport, edition: Edition) -> RecordsView {
    let records = model.common.records;
    let part = |name, swatch, count| RecordPart { name, swatch, count: edition.count(count) };
    let mut parts = vec![part("Vocabularies released", Some("after"), records.released)];
    let Some(key) = edition.key() else {
        let told = records.suppressed.beside(records.released).told(edition, records.released);
        parts.extend(told.map(|told| RecordPart { name: "Withheld", swatch: None, count: told.text }));
        return RecordsView { parts, flow: None };
    };
    let [suppressed, starred, read, without] =
        [records.suppressed, records.starred, records.read, model.without_terms].map(|count| *count.see(key));
    parts.extend((suppressed > 0).then(|| part("Withheld", Some("withheld"), suppressed)));
    parts.push(part("Occurrences left out", None, starred));
    parts.push(part("Made from the data", None, read));
    parts.extend((without > 0).then(|| part("Left out for want of a term", None, without)));
    RecordsView { parts, flow: None }
}

fn reading(model: &VocabularyReport) -> Vec<(&'static str, String)> {
    let whose = match (model.common.kind.as_str(), model.requirement.whole_users) {
        ("query-log", false) => "one session",
        ("query-log", true) => "all that one person typed",
        _ => "one vocabulary of the data",
    };
    let terms = match model.centre {
        Centre::Vote => {
            "The most typical of similar terms that the people behind a vocabulary used: each of them used it or one near \
             it. What is not printed may still have been used."
        }
        Centre::Hyper => {
            "Similar terms, one of each person behind the vocabulary, in alphabetical order and not in theirs; which is \
             whose is not told."
        }
        Centre::Generalise => {
            "A word that covers what each of the people behind a vocabulary used: a term, or a more general one."
        }
    };
    vec![
        (
            "Rows",
            format!(
                "One row per term of a vocabulary, with how often it was used; rows of the same number are one \
                 vocabulary, made from {whose}. Numbers are fresh and shuffled. A row without a term is a vocabulary \
                 without any."
            ),
        ),
        ("Terms", terms.to_string()),
    ]
}

fn classes(model: &VocabularyReport, edition: Edition) -> Vec<(&'static str, String)> {
    let classes = &model.classes;
    let mut rows = vec![
        ("Distinct vocabularies", edition.count(classes.count)),
        ("Smallest number alike", edition.count(classes.smallest)),
        ("Median", edition.count(classes.median)),
        ("Largest", edition.count(classes.largest)),
        ("Published without any term", edition.count(classes.empty)),
    ];
    if let (Some(users), Some(key)) = (classes.fewest_users, edition.key()) {
        rows.push(("Fewest people behind those alike", thousands(*users.see(key))));
    }
    rows
}

/// Words that the dictionary does not have, those that were typed more than once with their number.
fn unknown(model: &VocabularyReport, key: Key) -> Vec<String> {
    let word = |(word, count): &(String, u64)| match count {
        1 => word.clone(),
        count => format!("{word} ({})", thousands(*count)),
    };
    model.unknown.see(key).iter().map(word).collect()
}

fn rare(model: &VocabularyReport, key: Key) -> Option<RareView> {
    let (floor, rare) = (model.requirement.min_term_users, model.rare.see(key));
    if floor <= 1 || rare.terms == 0 {
        return None;
    }
    let text = format!(
        "{} {}, {} {}, were used by fewer than {floor} people. Of these terms the release prints {}.",
        thousands(rare.terms),
        noun(rare.terms, "term", "terms"),
        thousands(rare.occurrences),
        noun(rare.occurrences, "occurrence", "occurrences"),
        if rare.printed == 0 { "none".to_string() } else { thousands(rare.printed) }
    );
    Some(RareView { text, examples: rare.examples.clone() })
}

fn samples(model: &VocabularyReport, key: Key) -> Vec<SampleView> {
    let line = |terms: &[String]| match terms {
        [] => "(no term)".to_string(),
        terms => terms.join(", "),
    };
    let sample = |sample: &super::super::vocabularies::Sample| SampleView {
        members: sample.members.iter().map(|terms| line(terms)).collect(),
        more: (sample.more > 0).then(|| format!("and {} more", thousands(sample.more))),
        published: line(&sample.published),
    };
    model.samples.see(key).iter().map(sample).collect()
}

fn frequent(model: &VocabularyReport, edition: Edition) -> Vec<FrequentRow> {
    let shown = model.frequent.iter().filter(|term| edition.is_steward() || term.after > 0);
    let row = |term: &super::super::vocabularies::TermCount| FrequentRow {
        term: term.term.clone(),
        before: edition.key().map(|key| thousands(*term.before.see(key))),
        after: edition.count(term.after),
    };
    shown.map(row).collect()
}

fn utility(model: &VocabularyReport, edition: Edition) -> Vec<UtilityRow> {
    let (utility, key) = (&model.utility, edition.key());
    let row =
        |name: String, note, before: Option<String>, after: String| UtilityRow { name, note, before, after };
    let mut rows = vec![
        row(
            "Distinct terms".to_string(),
            "more general words count as terms",
            key.map(|key| thousands(*utility.terms_before.see(key))),
            edition.count(utility.terms_after),
        ),
        row(
            "Terms per vocabulary".to_string(),
            "mean, repeated terms counted again",
            key.map(|key| format!("{:.2}", utility.size_before.see(key))),
            format!("{:.2}", utility.size_after),
        ),
    ];
    rows.extend(kept(model, edition).map(|share| {
        let note = "as somebody’s term or a more general word";
        row("Occurrences published".to_string(), note, key.map(|_| percent(1.0)), share)
    }));
    let Some(key) = key else { return rows };
    let steps =
        |distance: Option<f64>| distance.map_or("–".to_string(), |distance| format!("{distance:.2}"));
    let patterns = *utility.patterns.see(key);
    if patterns > 0 {
        rows.push(row(
            format!("Recall of the {} most frequent patterns", thousands(patterns)),
            "closed sets of terms; the share of their terms found again",
            None,
            percent(*utility.recall.see(key)),
        ));
        rows.push(row(
            "Distance of these patterns".to_string(),
            "steps in the word network per term",
            None,
            steps(*utility.distance.see(key)),
        ));
        rows.push(row(
            "The same, missing terms at the longest way".to_string(),
            "",
            None,
            steps(*utility.strict_distance.see(key)),
        ));
    }
    rows
}

fn glossary() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            "Vocabulary",
            "The bag of terms that one person used, or used in one session; a term may be in it several times.",
        ),
        ("Term", "A word of a query that the dictionary knows, in its base form."),
        ("Session", "Queries of one person with no longer pause between two than the policy says."),
        ("Vocabulary k-anonymity", "Every published vocabulary is identical to at least k − 1 others."),
        (
            "Semantic distance",
            "How many steps lie between two words in the word network; 0 for the same word.",
        ),
        (
            "Typical vocabulary",
            "What is published for similar vocabularies: of each group of similar terms the most central.",
        ),
        (
            "bLM",
            "Mean loss per occurrence: 1 for one that is left out, (n − 1) / (all terms − 1) for one that stands for n \
             different terms.",
        ),
        ("Closed pattern", "A set of terms used together, such that every larger set is rarer."),
        (
            "Information loss",
            "How much less the release says than the original, from 0 % (the same) to 100 % (nothing left).",
        ),
    ]
}
