//! How many people a class has, where one person may have several records.
//!
//! The release does not say whose a record is. An original record may stand behind every released record that agrees with
//! it, so the audit takes all ways to place the originals into account: a class has at least as many people as those with
//! the most fitting records need to fill it, and at most as many as have a fitting record. Where every original fits one class
//! and every class is filled by all that fit it, as after generalising whole columns, both are the same number.

use hashbrown::HashSet;

use super::Check;
use super::classes::{Classes, Histogram};
use super::cover::Coverage;
use super::notion::Facts;
use super::suppressed::Suppressed;
use super::table::{Tables, Tuples};
use super::truth::{self, Fitting};
use privet_core::{Result, counted};
use privet_data::RepeatedIdentifier;
use privet_policy::{CheckedPolicy, Role};

/// A number that is known to lie between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub least: u64,
    pub most: u64,
}

/// Who may stand behind which released record.
pub(super) struct People {
    /// How many there are.
    pub total: u64,
    /// Per distinct original record, who has it and how often.
    owners: Vec<Vec<(u32, u64)>>,
    /// Per distinct released record, the distinct original records that it may stand for.
    fitting: Vec<Vec<u32>>,
}

/// What a requirement that counts people has to judge: the class at its worst and at its best.
pub(super) struct Extremes {
    /// As few people as there can be, and as many of them with each value.
    pub worst: Histogram,
    /// As many people as there can be, and as few of them with each value.
    pub best: Histogram,
}

impl People {
    /// Finds out who may stand behind which record; `None` where the policy does not say whose records are.
    pub fn of(
        tables: &Tables,
        classes: &Classes,
        coverage: &[Coverage],
        suppressed: &Suppressed,
    ) -> Result<Option<People>> {
        let Some(named) = &tables.owners else { return Ok(None) };
        let mut owners: Vec<Vec<(u32, u64)>> = tables.original.records.ids().map(|_| Vec::new()).collect();
        let mut pairs = named.pairs.clone();
        pairs.sort_unstable();
        for same in pairs.chunk_by(|a, b| a == b) {
            if let Some((record, person)) = same.first() {
                owners[*record as usize].push((*person, same.len() as u64));
            }
        }
        let mut fitting: Vec<Vec<u32>> = tables.release.records.ids().map(|_| Vec::new()).collect();
        let mut pairs = 0;
        truth::each_fitting(tables, classes, coverage, suppressed, &mut |Fitting { original, released }| {
            pairs += released.len();
            truth::few_enough(pairs)?;
            released.iter().for_each(|id| fitting[*id as usize].push(original));
            Ok(())
        })?;
        Ok(Some(People { total: named.total, owners, fitting }))
    }

    /// How many people stand behind all these released records together.
    fn range(&self, members: &[u32], released: &Tuples) -> Range {
        let rows: u64 = members.iter().map(|id| released.count(*id)).sum();
        let mut originals: Vec<u32> =
            members.iter().flat_map(|id| self.fitting[*id as usize].iter().copied()).collect();
        originals.sort_unstable();
        originals.dedup();
        let mut owned: Vec<(u32, u64)> =
            originals.iter().flat_map(|original| self.owners[*original as usize].iter().copied()).collect();
        owned.sort_unstable();
        // How many fitting records each person has, the most first.
        let mut records: Vec<u64> = owned
            .chunk_by(|a, b| a.0 == b.0)
            .map(|own| own.iter().map(|(_, count)| count).sum::<u64>())
            .collect();
        records.sort_unstable_by(|a, b| b.cmp(a));
        let most = rows.min(records.len() as u64);
        let mut open = rows;
        let needed = records.iter().take_while(|count| {
            let needs = open > 0;
            open = open.saturating_sub(**count);
            needs
        });
        Range { least: (needed.count() as u64).min(most), most }
    }

    /// How many people a class has.
    pub fn in_class(&self, facts: &Facts<'_>, class: u32) -> Range {
        self.range(facts.classes.members(class), &facts.tables.release.records)
    }

    /// A class as a requirement about an unchanged column sees it, or about sizes alone; `in_size` says whether suppressed
    /// cells count in the size.
    pub fn extremes(&self, facts: &Facts<'_>, class: u32, column: Option<usize>, in_size: bool) -> Extremes {
        let released = &facts.tables.release.records;
        let members = facts.classes.members(class);
        let Some(column) = column else {
            let size = self.range(members, released);
            let with = |size| Histogram { size, counts: Vec::new() };
            return Extremes { worst: with(size.least), best: with(size.most) };
        };
        let value = |id: &u32| released.get(*id)[facts.layout.quasi.len() + column];
        let is_shown = |id: &u32| !facts.suppressed.is_star(column, value(id));
        let mut shown: Vec<u32> = members.iter().copied().filter(is_shown).collect();
        let size = self.range(if in_size { members } else { &shown }, released);
        shown.sort_unstable_by_key(value);
        let (mut most, mut least) = (Vec::new(), Vec::new());
        for same in shown.chunk_by(|a, b| value(a) == value(b)) {
            let Some(value) = same.first().map(value) else { continue };
            let people = self.range(same, released);
            most.push((value, people.most));
            least.push((value, people.least));
        }
        Extremes {
            worst: Histogram { size: size.least, counts: most },
            best: Histogram { size: size.most, counts: least },
        }
    }

    /// How many people of the original have each value of an unchanged column, by number.
    pub fn distribution(&self, facts: &Facts<'_>, column: usize) -> Vec<u64> {
        let original = &facts.tables.original.records;
        let mut having: HashSet<(u32, u32)> = HashSet::new();
        let mut counts = vec![0; facts.tables.plain[column].len()];
        for id in original.ids() {
            let value = original.get(id)[facts.layout.quasi.len() + column];
            for (person, _) in &self.owners[id as usize] {
                if having.insert((value, *person)) {
                    counts[value as usize] += 1;
                }
            }
        }
        counts
    }
}

/// Says how many people there are, and whether their number in every class follows from the release. Where the policy does not
/// say whose records are and an identifier recurs, it is unclear what the number of records of a class means.
pub(super) fn check(facts: &Facts<'_>) -> Option<Check> {
    let Some(people) = facts.people else {
        return recurring(facts.policy, &facts.tables.recurring);
    };
    let records = counted(facts.tables.original.rows, "record", "records");
    let whose = facts.policy.person.and_then(|column| facts.policy.columns.get(column)?.role);
    let (one, many) = match whose {
        Some(Role::Household) => ("household", "households"),
        _ => ("person", "people"),
    };
    let total = counted(people.total, one, many);
    let open = facts.classes.cells.ids().filter(|class| {
        let range = people.in_class(facts, *class);
        range.least < range.most
    });
    let detail = match open.count() {
        0 => format!("{records} of {total}, counted once in a class"),
        open => format!(
            "{records} of {total}; in {open} of {} it is not known how many there are",
            counted(facts.classes.len() as u64, "class", "classes")
        ),
    };
    Some(Check::new("people", true, detail))
}

/// That an identifier recurs.
fn recurring(policy: &CheckedPolicy, found: &[RepeatedIdentifier]) -> Option<Check> {
    let named = |found: &RepeatedIdentifier| {
        let name = policy.columns.get(found.column).map_or("", |column| column.name.as_str());
        let values =
            found.values.map(|values| counted(values, "value", "values") + " in ").unwrap_or_default();
        format!("the identifier '{name}' recurs ({values}{} records)", found.rows)
    };
    let found: Vec<String> = found.iter().map(named).collect();
    (!found.is_empty()).then(|| {
        let detail = format!(
            "{}: records were counted, and how many people they are is not known; set 'person' in [data]",
            found.join("; ")
        );
        Check::undetermined("people", detail)
    })
}

/// Who has which original record.
pub(super) struct RecordOwners {
    /// How many people there are.
    pub total: u64,
    /// One per row: the distinct record and the person, by number.
    pub pairs: Vec<(u32, u32)>,
}
