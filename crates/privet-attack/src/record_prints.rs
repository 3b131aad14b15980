//! Fingerprints of a person's records: how many of them, as their quasi-identifiers, single the person out?
//!
//! Pseudonyms show which released records are one person's. The attacker knows the quasi-identifiers of one to three records of
//! somebody, and looks up which pseudonyms have a matching record for each. A hit is a single pseudonym, and it is the person's.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::finding::NO_GUESS;
use super::fingerprint::Tries;
use super::view::{Matcher, TableView};
use super::{Figure, Finding, Scene};
use privet_core::random::{below, keyed, shuffle};
use privet_core::{Error, Result, described};
use privet_policy::Role;

/// The most records that the attacker knows.
const MOST_KNOWN: usize = 3;

/// The column of pseudonyms that both tables have, by its place in the view; else why there is no attack.
fn pseudonyms(scene: &Scene<'_>) -> std::result::Result<usize, String> {
    let reason =
        "no column of the release is a pseudonym, so that nothing shows which records are one person's";
    let person = scene.table_policy().and_then(|policy| policy.person);
    let tables = scene.quasi_tables()?;
    let is_person = |column: &super::view::ViewColumn| {
        column.policy.role == Some(Role::Pseudonym)
            && person.is_none_or(|person| column.policy.index == person)
    };
    let [table] = tables else { return Err(reason.to_string()) };
    table.columns.iter().position(is_person).ok_or_else(|| reason.to_string())
}

pub(super) fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    pseudonyms(scene).map(|_| ())
}

pub(super) fn run(scene: &Scene<'_>, name: &str) -> Result<Finding> {
    let column = pseudonyms(scene).map_err(Error::input)?;
    let table = scene.view()?;
    let all = Matcher::new(
        &table.columns,
        &table.quasi.columns,
        &table.released,
        &table.original,
        scene.everybody(),
    )?;
    let matched = all.map(scene.clock, |_, classes| classes.to_vec())?;
    let holders = holders(table, column, &all);
    let people = targets_of(table, column, &all);
    let mut random = keyed(scene.seed, "privet: whose records are known");
    let mut drawn: Vec<(u32, Vec<usize>)> = people.into_iter().collect();
    shuffle(&mut drawn, &mut random);
    drawn.truncate(usize::try_from(Tries::of(scene).targets).unwrap_or(usize::MAX));
    // Which records the attacker knows is chance.
    for (_, own) in &mut drawn {
        for at in 0..own.len().min(MOST_KNOWN) {
            let other = at + below(&mut random, (own.len() - at) as u64) as usize;
            own.swap(at, other);
        }
    }
    // Who has a record of the same quasi-identifiers in the original.
    let mut alike: Vec<Vec<u32>> = vec![Vec::new(); all.targets.len()];
    for row in 0..table.original.len {
        if let Some(target) = all.target_of(row) {
            alike[target].push(table.original.codes[column].at(row));
        }
    }
    alike.iter_mut().for_each(|people| {
        people.sort_unstable();
        people.dedup();
    });
    let of_release = |target: usize| {
        let mut cells: Vec<u32> =
            matched[target].iter().flat_map(|class| holders[*class as usize].iter().copied()).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    };
    let values = &table.columns[column].values;
    let clock = scene.clock;
    let score = |known: usize| -> Result<Figure> {
        let able: Vec<&(u32, Vec<usize>)> = drawn.iter().filter(|(_, own)| own.len() >= known).collect();
        let count = |fitting: &(dyn Fn(usize) -> Vec<u32> + Sync),
                     is_own: &(dyn Fn(u32, u32) -> bool + Sync)| {
            let one = |(person, own): &&(u32, Vec<usize>)| -> Result<u64> {
                clock.check()?;
                let fit = common(own.iter().take(known).map(|target| fitting(*target)));
                Ok(u64::from(fit.len() == 1 && is_own(fit[0], *person)))
            };
            able.par_iter().map(one).try_reduce(|| 0, |one, other| Ok(one + other))
        };
        let cells = &table.columns[column].cells;
        Ok(Figure {
            what: match known {
                1 => "people singled out by one of their records".to_string(),
                known => format!("people singled out by {known} of their records together"),
            },
            targets: able.len() as u64,
            hits: count(&of_release, &|cell, person| cells.text(cell) == values.text(person))?,
            baseline: count(&|target| alike[target].clone(), &|found, person| found == person)?,
            instead: "looking them up in the original".to_string(),
            control: None,
            controlled: NO_GUESS.to_string(),
        })
    };
    let figures = (1..=MOST_KNOWN).map(score).collect::<Result<Vec<_>>>()?;
    let figures: Vec<Figure> = figures
        .into_iter()
        .enumerate()
        .filter(|(at, figure)| *at == 0 || figure.targets > 0)
        .map(|(_, figure)| figure)
        .collect();
    let worst = figures.iter().max_by(|one, other| one.share().total_cmp(&other.share())).cloned();
    let said = worst.filter(|figure| figure.hits > 0);
    let sentence =
        |figure: &Figure| format!("{} of {}", figure.hits, described(figure.targets, &figure.what));
    Ok(Finding {
        knows: "the quasi-identifiers of up to three of a person's records".to_string(),
        does: "looks up which pseudonyms have a matching record for each, and takes the pseudonym if there is exactly one".to_string(),
        assumes: format!("{} people drawn at random, or all if there are fewer; records that look alike count as one", Tries::of(scene).targets),
        worst: said.as_ref().map(sentence).unwrap_or_default(),
        warning: said.as_ref().map(sentence).unwrap_or_default(),
        figures,
        ..Finding::new(name, "Fingerprints of a person's records")
    })
}

/// Per class of released rows, whose pseudonyms they have.
fn holders(table: &TableView, column: usize, all: &Matcher) -> Vec<Vec<u32>> {
    let mut holders: Vec<Vec<u32>> = vec![Vec::new(); all.classes.len()];
    for (row, class) in all.classes.of_row.iter().enumerate() {
        if let Some(own) = holders.get_mut(*class as usize) {
            own.push(table.released.codes[column].at(row));
        }
    }
    holders.iter_mut().for_each(|own| {
        own.sort_unstable();
        own.dedup();
    });
    holders
}

/// Per person, the different records that they have.
fn targets_of(table: &TableView, column: usize, all: &Matcher) -> BTreeMap<u32, Vec<usize>> {
    let mut people: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for row in 0..table.original.len {
        if let Some(target) = all.target_of(row) {
            people.entry(table.original.codes[column].at(row)).or_default().push(target);
        }
    }
    people.values_mut().for_each(|own| {
        own.sort_unstable();
        own.dedup();
    });
    people
}

/// What all of these sorted lists have.
fn common(mut lists: impl Iterator<Item = Vec<u32>>) -> Vec<u32> {
    let Some(mut left) = lists.next() else { return Vec::new() };
    for list in lists {
        left.retain(|code| list.binary_search(code).is_ok());
    }
    left
}
