//! The first page: the promise in one sentence, whether it holds, and what it does not protect against.

use serde::Serialize;

use super::super::Edition;
use super::super::common::{Common, Whose};
use super::super::gate::{Datum, STEP};
use super::super::notion::{Attack, Cover, Protection};
use super::super::numbers::percent;

/// What the share of a table that is published exactly is about.
pub(super) const CELLS: &str = "quasi-identifier cells";

/// The first page.
#[derive(Serialize)]
pub(super) struct Verdict {
    passed: bool,
    /// Whether there is a release to speak of.
    empty: bool,
    /// Whether the promise holds, but there is something to weigh before publishing.
    amber: bool,
    headline: &'static str,
    promise: Datum,
    /// What the headline rests on.
    basis: Datum,
    key_figures: Vec<KeyFigure>,
    /// What nothing here protects against.
    uncovered: Vec<ProtectionLine>,
    /// What is bounded, in full or in part, or made harder.
    covered: Vec<ProtectionLine>,
}

/// A figure to be seen at first glance.
#[derive(Serialize)]
pub(super) struct KeyFigure {
    pub value: Datum,
    pub name: Datum,
    pub note: Datum,
}

/// An attack and how far the release protects against it.
#[derive(Serialize)]
struct ProtectionLine {
    attack: &'static str,
    cover: &'static str,
    class: &'static str,
    meaning: Datum,
}

impl KeyFigure {
    pub(super) fn new(value: impl Into<Datum>, name: impl Into<Datum>, note: impl Into<Datum>) -> KeyFigure {
        KeyFigure { value: value.into(), name: name.into(), note: note.into() }
    }
}

impl Verdict {
    /// Sorts the protections into those that hold and those that do not.
    pub(super) fn new(
        passed: bool,
        empty: bool,
        promise: Datum,
        key_figures: Vec<KeyFigure>,
        protections: Vec<Protection>,
    ) -> Verdict {
        let (mut uncovered, mut covered) = (Vec::new(), Vec::new());
        for protection in protections {
            let (cover, class, list) = match protection.cover {
                Cover::Uncovered => ("not covered", "open", &mut uncovered),
                Cover::Mitigated => ("made harder", "hard", &mut covered),
                Cover::Partly => ("partly bounded", "part", &mut covered),
                Cover::Bounded => ("bounded by proof", "proof", &mut covered),
            };
            let meaning = Datum::setting(protection.meaning);
            list.push(ProtectionLine { attack: protection.attack.name(), cover, class, meaning });
        }
        let headline = match (empty, passed) {
            (_, false) => "The release does not keep its promise",
            (true, true) => "The release is empty",
            (false, true) => "The release keeps its promise",
        };
        let basis = Datum::default();
        Verdict { passed, empty, amber: false, headline, promise, basis, key_figures, uncovered, covered }
    }

    /// What holds may still have to be weighed: an attack outside the promise succeeded, a setting is a bold one, or a column
    /// that is published as it is looks like an identifier. That is the steward's to know: it depends on the original.
    pub(super) fn weighed(mut self, common: &Common, noun: &'static str, edition: Edition) -> Verdict {
        let warned = edition.key().is_some_and(|key| {
            let leaks = common.scan.as_ref().is_some_and(|scan| scan.see(key).leaks().next().is_some());
            leaks || !common.warnings.see(key).is_empty()
        });
        let is_hollow = lost_nearly_everything(common, edition);
        self.amber = self.passed && !self.empty && (warned || is_hollow);
        if self.amber {
            self.headline = match is_hollow {
                true => "The release keeps its promise, but nearly everything is lost",
                false => "The release keeps its promise, and there is something to weigh",
            };
        }
        let audited = "An independent audit re-derived every requirement from the released file and found that all of them hold.";
        self.basis = match (self.passed, self.empty) {
            (true, true) => {
                Datum::say("There is nothing to use either: ask for less, or provide more {}.", [noun.into()])
            }
            (true, false) if is_hollow => Datum::say(
                "{} But what it promises leaves next to nothing to analyse: ask for less, or allow some suppression.",
                [audited.into()],
            ),
            (true, false) if self.amber => {
                Datum::say("{} Read the warnings below before it is published.", [audited.into()])
            }
            (true, false) => audited.into(),
            (false, _) => "The independent audit found a violation. Do not publish this release; the section on the audit says \
                           what is wrong."
                .into(),
        };
        let mut explain = |attack: Attack, meaning: &'static str| {
            for line in self.uncovered.iter_mut().filter(|line| line.attack == attack.name()) {
                line.meaning = meaning.into();
            }
        };
        if common.ledger.is_some() {
            explain(
                Attack::Composition,
                "Before a release is published, the steward’s ledger sets it against the earlier ones that it knows. What others \
                 publish about the same people can still be intersected with this one.",
            );
        }
        let recurs = |key| matches!(common.whose, Whose::Unknown { recurring } if *recurring.see(key));
        if edition.key().is_some_and(recurs) {
            explain(
                Attack::SeveralRecords,
                "An identifier recurs in the data, and records were counted, not people: anyone who has several records may make \
                 up a class alone.",
            );
        }
        self
    }
}

/// From this share of the worst loss on, a release has lost nearly everything: the last of the steps that the public reads.
const NEARLY_EVERYTHING: f64 = 1.0 - STEP;

/// Whether a release lost nearly everything by the first measure that is a share of all information.
fn lost_nearly_everything(common: &Common, edition: Edition) -> bool {
    let measured = common.losses.iter().filter(|loss| !loss.is_error()).find_map(|loss| loss.normalised);
    measured.is_some_and(|lost| match edition.key() {
        Some(key) => *lost.see(key) > NEARLY_EVERYTHING,
        None => lost.stepped(common.records.released).is_some_and(|step| step > NEARLY_EVERYTHING),
    })
}

/// What all requirements promise together, in one sentence.
pub(super) fn promise(clauses: impl IntoIterator<Item = String>) -> Datum {
    let clauses: Vec<Datum> = clauses.into_iter().map(Datum::setting).collect();
    match clauses.split_last() {
        None => "The policy asks for nothing, so the release promises nothing.".into(),
        Some((only, [])) => Datum::say("In this release {}.", [only.clone()]),
        Some((last, others)) => {
            Datum::say("In this release {}, and {}.", [Datum::join(others.to_vec(), "; "), last.clone()])
        }
    }
}

/// How many were released: for the steward with how many were read, for the public with `note`.
pub(super) fn released(
    common: &Common,
    name: &'static str,
    read: &'static str,
    note: Datum,
    edition: Edition,
) -> KeyFigure {
    let records = common.records;
    let note = edition.key().map_or(note, |key| Datum::say(read, [key.count(*records.read.see(key))]));
    KeyFigure::new(edition.count(records.released), name, note)
}

/// What was lost, by the first measure that has a scale. An error is none of information, so it is shown as what it is.
pub(super) fn lost(common: &Common, edition: Edition) -> Option<KeyFigure> {
    let (loss, normalised) = common.losses.iter().find_map(|loss| Some((loss, loss.normalised?)))?;
    let error = match loss.is_error() {
        true => Some(edition.key()?.percent(*loss.value.see(edition.key()?))),
        false => None,
    };
    let share = normalised.shown(edition, common.records.released)?.text;
    Some(match error {
        Some(error) => KeyFigure::new(
            error,
            "mean error of counts",
            Datum::say("{} of that with all records in one group", [share]),
        ),
        None => KeyFigure::new(
            share,
            "of information lost",
            Datum::say("by the measure {}, what is suppressed included", [Datum::setting(&loss.name)]),
        ),
    })
}

/// How many records are missing: a count for the steward, a share in steps for the public.
pub(super) fn suppressed(common: &Common, edition: Edition) -> Option<KeyFigure> {
    let records = &common.records;
    let (value, name) = match edition.key() {
        Some(key) => (key.count(*records.suppressed.see(key)), "records suppressed"),
        None if records.hides_suppressed => return None,
        None => {
            let share = records.suppressed.next_to(records.released).shown(edition, records.released)?;
            (share.text, "of records suppressed")
        }
    };
    Some(KeyFigure::new(value, name, "to keep the promise"))
}

/// What is published as it is in the original, next to what was lost: a cost may be small where nothing is itself any more.
pub(super) fn exactly(common: &Common, of: &'static str, edition: Edition) -> Option<KeyFigure> {
    let share = common.exactly.shown(edition, common.records.released)?.text;
    Some(KeyFigure::new(
        share,
        Datum::say("of {} published exactly", [of.into()]),
        "as they are in the original",
    ))
}

/// How many records were read, as far as the first page of a table says it.
pub(super) fn of_read(common: &Common, edition: Edition) -> Option<Datum> {
    let (key, records) = (edition.key()?, common.records);
    let read = *records.read.see(key);
    let people = match common.whose {
        Whose::Counted { read, released } => {
            Datum::say(", of {} of {} people", [released, read].map(|people| key.count(*people.see(key))))
        }
        _ => Datum::default(),
    };
    let share = key.text(percent(records.released as f64 / read.max(1) as f64));
    Some(Datum::say("{} of {} read{}", [share, key.count(read), people]))
}
