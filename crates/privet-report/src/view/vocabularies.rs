//! The report about vocabularies.

use super::super::Edition;
use super::super::block::{Block, Cell, Chart, Grid, Section};
use super::super::gate::{Datum, Key};
use super::super::vocabularies::{Centre, ClassSample, TermCount, VocabularyReport, promise, protections};
use super::verdict::{self, KeyFigure, Verdict};
use super::{Measure, Own, figures, records, utility};
use privet_core::noun;

/// What makes records alike.
const ALIKE: &str = "A class is all vocabularies with exactly the same terms, as often.";

/// What vocabularies add to what all reports have.
pub(super) fn own(model: &VocabularyReport, edition: Edition) -> Own {
    let mut sections = Vec::new();
    sections.extend(edition.key().and_then(|key| extraction(model, key)));
    sections.push(classes(model, edition));
    sections.push(left(model, edition));
    Own {
        about: if model.from_log { "on a query log" } else { "on vocabularies" },
        noun: "vocabularies",
        title: "Released vocabularies",
        k: Some(model.requirement.k).filter(|k| *k > 1),
        alike: ALIKE,
        verdict: first_page(model, edition),
        requirements: vec![(
            Datum::setting(&model.requirement.description),
            Datum::setting(promise(&model.requirement)).sentence(),
        )],
        records: became(model, edition),
        reading: reading(model),
        sections,
        glossary: glossary(),
    }
}

fn first_page(model: &VocabularyReport, edition: Edition) -> Verdict {
    let common = &model.common;
    let empty = common.records.released == 0 || model.utility.terms_after == 0;
    let promise = match empty {
        true => "No term is published: nothing can be learnt from the release.".into(),
        false => verdict::promise([promise(&model.requirement)]),
    };
    let read = "of {} made from the data";
    let note = "bags of terms".into();
    let mut figures = vec![verdict::released(common, "vocabularies released", read, note, edition)];
    if !empty {
        figures.push(KeyFigure::new(
            edition.count(model.utility.terms_after),
            "distinct terms in the release",
            edition.key().map_or_else(
                || "more general words included".into(),
                |key| Datum::say("in the original: {}", [key.count(*model.utility.terms_before.see(key))]),
            ),
        ));
        figures.extend(kept(model, edition).map(|share| {
            KeyFigure::new(share, "of all occurrences are published", "the others are left out")
        }));
        figures.extend(verdict::lost(common, edition));
        figures.extend(verdict::exactly(common, "occurrences of terms", edition));
    }
    Verdict::new(common.audit.passed, empty, promise, figures, protections(&model.requirement))
}

/// The share of occurrences that are published.
fn kept(model: &VocabularyReport, edition: Edition) -> Option<Datum> {
    Some(model.utility.kept.shown(edition, model.common.records.released)?.text)
}

fn became(model: &VocabularyReport, edition: Edition) -> Vec<Block> {
    let records = model.common.records;
    let mut parts = vec![("Vocabularies released".into(), edition.count(records.released), "after")];
    match edition.key() {
        None => parts.extend(records::share(records, "Withheld", records.suppressed, edition)),
        Some(key) => {
            let [suppressed, starred, read, without] =
                [records.suppressed, records.starred, records.read, model.without_terms]
                    .map(|count| *count.see(key));
            parts.extend((suppressed > 0).then(|| ("Withheld".into(), key.count(suppressed), "withheld")));
            parts.push(("Occurrences left out".into(), key.count(starred), ""));
            parts.push(("Made from the data".into(), key.count(read), ""));
            parts.extend(
                (without > 0).then(|| ("Left out for want of a term".into(), key.count(without), "")),
            );
        }
    }
    records::counts(parts, &model.common, edition)
}

fn reading(model: &VocabularyReport) -> Vec<(Datum, Datum)> {
    let whose = match (model.from_log, model.requirement.whole_users) {
        (true, false) => "one session",
        (true, true) => "all that one person typed",
        (false, _) => "one vocabulary of the data",
    };
    let terms = match model.centre {
        Centre::Vote => {
            "The most typical of similar terms that the people behind a vocabulary used: each of them used it or one near \
             it. What is not printed may still have been used."
        }
        Centre::Hyper => {
            "Similar terms, one of each person behind the vocabulary, in alphabetical order and not in theirs; which is \
             whose is not said."
        }
        Centre::Generalise => {
            "A word that covers what each of the people behind a vocabulary used: a term, or a more general one."
        }
    };
    let rows = "One row per term of a vocabulary, with how often it was used; rows of the same number are one vocabulary, made from \
                {}. Numbers are fresh and shuffled. A row without a term is a vocabulary without any.";
    vec![("Rows".into(), Datum::say(rows, [whose.into()])), ("Terms".into(), terms.into())]
}

/// How the log became vocabularies; nothing where vocabularies were given.
fn extraction(model: &VocabularyReport, key: Key) -> Option<Section> {
    let counts = model.extraction.see(key).iter().map(|(name, count)| (key.text(name), key.count(*count)));
    let counts: Vec<(Datum, Datum)> = counts.collect();
    if counts.is_empty() {
        return None;
    }
    let mut blocks = vec![Block::counts(counts)];
    let word = |(word, count): &(String, u64)| match count {
        1 => key.text(word),
        count => Datum::say("{} ({})", [key.text(word), key.count(*count)]),
    };
    let unknown = Datum::join(model.unknown.see(key).iter().map(word), ", ");
    if !unknown.is_empty() {
        blocks.push(Block::Heading("Words that the dictionary does not have".into()));
        blocks.push(Block::words(
            "Misspellings, brands and names: they are dropped, and never printed. The most frequent:",
        ));
        blocks.push(Block::aside(Datum::say("{}.", [unknown])));
    }
    Some(Section::new("extraction", "From log to vocabularies", "From log to vocabularies", blocks))
}

/// Vocabularies that look alike.
fn classes(model: &VocabularyReport, edition: Edition) -> Section {
    let classes = &model.classes;
    let mut counts = vec![
        ("Distinct vocabularies".into(), edition.count(classes.count)),
        ("Smallest number alike".into(), edition.count(classes.smallest)),
        ("Median".into(), edition.count(classes.median)),
        ("Largest".into(), edition.count(classes.largest)),
        ("Published without any term".into(), edition.count(classes.empty)),
    ];
    if let (Some(users), Some(key)) = (classes.fewest_users, edition.key()) {
        counts.push(("Fewest people behind those alike".into(), key.count(*users.see(key))));
    }
    let mut blocks = vec![Block::counts(counts)];
    if let Some(key) = edition.key() {
        blocks.extend(rare(model, key));
        blocks.extend(samples(model, key));
    }
    Section::new("classes", "Vocabularies alike", "Vocabularies that look alike", blocks)
}

/// Terms below the floor, where there is one.
fn rare(model: &VocabularyReport, key: Key) -> Vec<Block> {
    let (floor, rare) = (model.requirement.min_term_users, model.rare.see(key));
    if floor <= 1 || rare.terms == 0 {
        return Vec::new();
    }
    let printed = if rare.printed == 0 { "none".into() } else { key.count(rare.printed) };
    let text = Datum::say(
        "{} {}, {} {}, were used by fewer than {} people. Of these terms the release prints {}.",
        [
            key.count(rare.terms),
            key.text(noun(rare.terms, "term", "terms")),
            key.count(rare.occurrences),
            key.text(noun(rare.occurrences, "occurrence", "occurrences")),
            Datum::setting(floor),
            printed,
        ],
    );
    let mut blocks = vec![Block::Heading("Terms that hardly anybody used".into()), Block::prose(text)];
    let examples = Datum::join(rare.examples.iter().map(|term| key.text(term)), ", ");
    if !examples.is_empty() {
        blocks.push(Block::aside(Datum::say("Not printed: {}.", [examples])));
    }
    blocks
}

/// Some classes before and after.
fn samples(model: &VocabularyReport, key: Key) -> Vec<Block> {
    let line = |terms: &[String]| match terms {
        [] => "(no term)".into(),
        terms => key.text(terms.join(", ")),
    };
    let row = |sample: &ClassSample| {
        let mut members = sample.members.iter().map(|terms| line(terms));
        let mut before = Cell::from(members.next().unwrap_or_default());
        before.small.extend(members);
        if sample.more > 0 {
            before.small.push(Datum::say("and {} more", [key.count(sample.more)]));
        }
        vec![before, Cell::from(line(&sample.published)).set("strong")]
    };
    let rows: Vec<Vec<Cell>> = model.samples.see(key).iter().map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let heads = ["What people used", "What is published for each of them"];
    vec![
        Block::Heading("Some of them, before and after".into()),
        Block::Grid(Grid::cards("Some of them, before and after", &heads, rows)),
    ]
}

/// What is left to analyse.
fn left(model: &VocabularyReport, edition: Edition) -> Section {
    let mut blocks = vec![Block::Grid(utility(measures(model, edition), edition))];
    let sizes = figures::distribution(&model.sizes, edition).map(|sizes| Chart {
        note: "Share of vocabularies by how many occurrences of terms they hold.".into(),
        ..sizes
    });
    blocks.extend(Block::charts(sizes.into_iter().collect()));
    blocks.extend(frequent(model, edition));
    Section::new("utility", "What is left", "What is left to analyse", blocks)
}

fn frequent(model: &VocabularyReport, edition: Edition) -> Vec<Block> {
    let row = |term: &TermCount| {
        let mut row = vec![Cell::from(edition.value(&term.term, term.after)?)];
        row.extend(edition.key().map(|key| Cell::from(key.count(*term.before.see(key)))));
        row.push(edition.count(term.after).into());
        Some(row)
    };
    let rows: Vec<Vec<Cell>> = model.frequent.iter().filter_map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let heads: &[&str] = match edition {
        Edition::Steward => &["Term", "Original#", "Release#"],
        Edition::Public => &["Term", "Release#"],
    };
    vec![
        Block::Heading("The most frequent terms".into()),
        Block::Grid(Grid::cards("The most frequent terms", heads, rows)),
    ]
}

fn measures(model: &VocabularyReport, edition: Edition) -> Vec<Measure> {
    let (utility, key) = (&model.utility, edition.key());
    let mut rows = vec![
        (
            "Distinct terms".into(),
            "more general words count as terms",
            key.map(|key| key.count(*utility.terms_before.see(key))),
            edition.count(utility.terms_after),
        ),
        (
            "Terms per vocabulary".into(),
            "mean, repeated terms counted again",
            key.map(|key| key.text(format!("{:.2}", utility.size_before.see(key)))),
            Datum::measured(utility.size_after, |mean| format!("{mean:.2}")),
        ),
    ];
    rows.extend(kept(model, edition).map(|share| {
        let note = "as somebody’s term or a more general word";
        ("Occurrences published".into(), note, key.map(|key| key.percent(1.0)), share)
    }));
    let Some(key) = key else { return rows };
    let steps = |distance: Option<f64>| {
        distance.map_or_else(|| "–".into(), |distance| key.text(format!("{distance:.2}")))
    };
    let patterns = *utility.patterns.see(key);
    if patterns > 0 {
        rows.extend([
            (
                Datum::say("Recall of the {} most frequent patterns", [key.count(patterns)]),
                "closed sets of terms; the share of their terms found again",
                None,
                key.percent(*utility.recall.see(key)),
            ),
            (
                "Distance of these patterns".into(),
                "steps in the word network per term",
                None,
                steps(*utility.distance.see(key)),
            ),
            (
                "The same, missing terms at the longest way".into(),
                "",
                None,
                steps(*utility.strict_distance.see(key)),
            ),
        ]);
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
