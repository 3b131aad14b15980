//! The background join (Fang, Ashrafi and Ng, *Privacy beyond Single Sensitive Attribute*, section 3.1): who knows one sensitive attribute of a person reads another.
//!
//! The adversary knows a person's quasi-identifiers, and therefore the class in every table, and one sensitive attribute A.
//! In the table that has A he keeps the rows of the class with the person's value of A. Where nearly all of these have the
//! same value of another attribute B of that table, he knows B. Tables without A tell him of B what they tell everybody.
//! What he could have known without A, because nearly all rows of the class have it, is not counted. What follows from A for
//! everybody, because nearly all who have that value of A have the same of B, is no surprise; the rest is counted apart.

use rayon::prelude::*;

use super::super::{Figure, Finding};
use super::{NEARLY, Published, reaches};
use crate::method::codip::Projected;

/// How sure he has to be, in the order of the figures. More than half in either case, so that only the most frequent value
/// of a set of rows can reach it.
pub(super) const SHARES: [(u64, u64); 2] = [(1, 1), NEARLY];

/// How often it succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Success {
    /// Triples of a person, what is known and what follows.
    pub pairs: u64,
    /// People of whom something follows.
    pub people: u64,
    /// People of whom something follows that does not follow from the same value for everybody.
    pub surprised: u64,
}

/// The distinct records of which something follows.
#[derive(Clone)]
struct Followed {
    pairs: u64,
    hit: Vec<bool>,
    /// Those of which something follows that does not follow for everybody.
    surprised: Vec<bool>,
}

impl Followed {
    fn none(records: usize) -> Followed {
        Followed { pairs: 0, hit: vec![false; records], surprised: vec![false; records] }
    }

    fn with(mut self, other: Followed) -> Followed {
        self.pairs += other.pairs;
        self.hit.iter_mut().zip(other.hit).for_each(|(own, other)| *own |= other);
        self.surprised.iter_mut().zip(other.surprised).for_each(|(own, other)| *own |= other);
        self
    }
}

/// Tries it with every pair of attributes of every table, once for each share.
pub(super) fn succeeds(published: Published<'_>) -> [Success; SHARES.len()] {
    let records = published.microdata.summary.len();
    let none = || SHARES.map(|_| Followed::none(records));
    let both = |[a, b]: [Followed; 2], [c, d]: [Followed; 2]| [a.with(c), b.with(d)];
    let mut found = none();
    for table in published.tables {
        let table = Indexed::of(published, table);
        let own =
            (0..table.codes.len()).into_par_iter().map(|known| table.followed(known)).reduce(none, both);
        found = both(found, own);
    }
    found.map(|Followed { pairs, hit, surprised }| {
        let people = |of: &[bool]| {
            (0..records).filter(|record| of[*record]).map(|record| published.count(record)).sum()
        };
        Success { pairs, people: people(&hit), surprised: people(&surprised) }
    })
}

/// A table as codes.
struct Indexed<'a> {
    published: Published<'a>,
    /// The class of every distinct record.
    classes: Vec<u32>,
    /// The code of every distinct record, attribute by attribute.
    codes: Vec<Vec<u32>>,
    /// Whether each value of each attribute needs protection.
    sensitive: Vec<&'a [bool]>,
}

/// The most frequent value of some records, how many have it, and of how many.
#[derive(Clone, Copy)]
struct Mode {
    value: u32,
    most: u64,
    all: u64,
}

impl<'a> Indexed<'a> {
    fn of(published: Published<'a>, table: &Projected) -> Indexed<'a> {
        let sensitive = |attribute: &usize| published.attributes[*attribute].sensitive.as_slice();
        Indexed {
            published,
            classes: published.classes(table),
            codes: table.attributes.iter().map(|attribute| published.codes(*attribute)).collect(),
            sensitive: table.attributes.iter().map(sensitive).collect(),
        }
    }

    /// What follows from one attribute about all others.
    fn followed(&self, known: usize) -> [Followed; SHARES.len()] {
        let mut found = SHARES.map(|_| Followed::none(self.classes.len()));
        // By class, and in it by what is known: rows that he cannot tell apart stand together.
        let by_known = sorted((0..self.classes.len() as u32).collect(), &self.codes[known]);
        let order = sorted(by_known.clone(), &self.classes);
        for read in (0..self.codes.len()).filter(|read| *read != known) {
            self.follow(known, read, &by_known, &order, &mut found);
        }
        found
    }

    fn follow(
        &self,
        known: usize,
        read: usize,
        by_known: &[u32],
        order: &[u32],
        found: &mut [Followed; SHARES.len()],
    ) {
        let class = |record: &u32| self.classes[*record as usize];
        let value = |record: &u32| self.codes[known][*record as usize];
        let sensitive = self.sensitive[read];
        let (mut apart, mut together) = (vec![0; sensitive.len()], vec![0; sensitive.len()]);
        // The same for everybody: what most of those have who have a value.
        let mut everywhere: Vec<Option<Mode>> = vec![None; self.sensitive[known].len()];
        for run in by_known.chunk_by(|a, b| value(a) == value(b)) {
            everywhere[value(&run[0]) as usize] = Some(self.count(run, read, &mut apart));
            self.forget(run, read, &mut apart);
        }
        for class in order.chunk_by(|a, b| class(a) == class(b)) {
            let size = self.count(class, read, &mut together).all;
            for run in class.chunk_by(|a, b| value(a) == value(b)) {
                let mode = self.count(run, read, &mut apart);
                self.forget(run, read, &mut apart);
                if !sensitive[mode.value as usize] {
                    continue;
                }
                let alone = together[mode.value as usize];
                let expected = everywhere[value(&run[0]) as usize].filter(|all| all.value == mode.value);
                for (found, share) in found.iter_mut().zip(SHARES) {
                    if !reaches(mode.most, mode.all, share) || reaches(alone, size, share) {
                        continue;
                    }
                    found.pairs += mode.all;
                    let surprises = !expected.is_some_and(|all| reaches(all.most, all.all, share));
                    for record in run {
                        found.hit[*record as usize] = true;
                        found.surprised[*record as usize] |= surprises;
                    }
                }
            }
            self.forget(class, read, &mut together);
        }
    }

    /// Counts the values that some records have of an attribute.
    fn count(&self, records: &[u32], attribute: usize, counts: &mut [u64]) -> Mode {
        let mut mode = Mode { value: 0, most: 0, all: 0 };
        for record in records {
            let value = self.codes[attribute][*record as usize];
            let count = self.published.count(*record as usize);
            let own = &mut counts[value as usize];
            *own += count;
            mode.all += count;
            if *own > mode.most {
                (mode.value, mode.most) = (value, *own);
            }
        }
        mode
    }

    /// Makes the counts zero again that some records have made.
    fn forget(&self, records: &[u32], attribute: usize, counts: &mut [u64]) {
        records.iter().for_each(|record| counts[self.codes[attribute][*record as usize] as usize] = 0);
    }
}

/// Records in the order of their keys, those with the same key in the order in which they were.
fn sorted(mut records: Vec<u32>, keys: &[u32]) -> Vec<u32> {
    records.sort_by_key(|record| keys[*record as usize]);
    records
}

/// Runs the attack before and after.
pub(super) fn run(before: Published<'_>, after: Published<'_>) -> Finding {
    let attributes = after.attributes.len() as u64;
    let mut figures = Vec::new();
    let surely = ["with certainty", "with a confidence of at least nine in ten"];
    let found = succeeds(before).into_iter().zip(succeeds(after));
    for ((one, several), surely) in found.zip(surely) {
        let instead = "from one table with all sensitive attributes".to_string();
        figures.push(Figure {
            what: format!("people of whom a second attribute follows from a first {surely}"),
            targets: after.records(),
            hits: several.people,
            baseline: one.people,
            instead: instead.clone(),
        });
        figures.push(Figure {
            what: format!("of these, where it does not follow from the same value for everybody {surely}"),
            targets: after.records(),
            hits: several.surprised,
            baseline: one.surprised,
            instead: instead.clone(),
        });
        figures.push(Figure {
            what: format!("attributes of people that follow from another one {surely}"),
            targets: after.records() * attributes * attributes.saturating_sub(1),
            hits: several.pairs,
            baseline: one.pairs,
            instead,
        });
    }
    let (people, one) = (figures[0].hits, figures[0].baseline);
    let warning = if people > 0 {
        format!(
            "who finds a person's class and knows one sensitive attribute can read another of {people} of {} people (of \
             {one} if all attributes were in one table)",
            after.records()
        )
    } else {
        String::new()
    };
    Finding {
        name: "background join".to_string(),
        knows: "a person's quasi-identifiers and one sensitive attribute".to_string(),
        does: "looks up the rows of the person's class that have it, and reads the other attributes of that table".to_string(),
        assumes: "values that the class gives away without it are not counted, nor insensitive ones".to_string(),
        figures,
        warning,
    }
}
