//! δ-presence (Nergiz, Atzori and Clifton 2007): min ≤ n/N ≤ max for every class of the population, where n of the N people are
//! in the data. People who stand behind no released class have the share 0.

use super::Facts;
use super::release_wide::{Judged, each_class};
use crate::Check;
use crate::cover::{EVERYTHING, value_tree};
use crate::population::Register;
use privet_core::{Exact, Result, counted};
use privet_policy::requirement;
use privet_policy::requirement::OnSuppression;
use privet_taxonomy::Taxonomy;

pub(super) fn check(asked: &requirement::DeltaPresence, name: String, facts: &Facts<'_>) -> Result<Check> {
    let register = Register::count(facts)?;
    let (min, max) = (asked.min, asked.max);
    let times = |count: u64, by: u64| u128::from(count) * u128::from(by);
    let mut check = each_class(name, facts, |class, n| {
        let people = register.behind[class as usize];
        let high = times(n, max.denominator()) <= times(people, max.numerator());
        let low = times(n, min.denominator()) >= times(people, min.numerator());
        let share = n as f64 / people.max(1) as f64;
        let explained = match (low, high) {
            (true, true) => format!("{min} ≤ {n}/{people} ≤ {max}"),
            (false, _) => format!("{n}/{people} < min = {min}"),
            (_, false) => format!("{n}/{people} > max = {max}"),
        };
        let strain = (share - max.to_f64()).max(min.to_f64() - share);
        Ok(Judged { holds: low && high, strain, explained })
    })?;
    let missing = facts.tables.original.rows.saturating_sub(facts.tables.release.rows);
    if missing > 0 && asked.on_suppression == OnSuppression::Refuse {
        check.holds = false;
        check.concerned += missing;
        check.detail = format!(
            "{} left out, which tells that their people are in the data",
            counted(missing, "record is", "records are")
        );
        return Ok(check);
    }
    if min == Exact::ZERO {
        return Ok(check);
    }
    let levels = if missing > 0 { Levels::shown(facts)? } else { None };
    let hidden = levels.map(|levels| levels.hidden(facts)).transpose()?;
    let mut alone = 0u64;
    for (values, people) in &register.outside {
        // Classes that were left out are not bounded.
        let was_there = match &hidden {
            Some((levels, classes)) => classes.contains(&levels.class(values.iter().map(String::as_str))?),
            None => false,
        };
        if !was_there {
            alone += people;
        }
    }
    if alone > 0 {
        check.holds = false;
        check.classes_failing += 1;
        check.detail = format!(
            "{} of the population {} no released class, a share of 0 < min = {min}",
            counted(alone, "person", "people"),
            if alone == 1 { "is in" } else { "are in" }
        );
    }
    Ok(check)
}

/// The level at which each column is published, where each has one.
struct Levels(Vec<(Option<Taxonomy>, usize)>);

impl Levels {
    fn shown(facts: &Facts<'_>) -> Result<Option<Levels>> {
        let mut levels = Vec::new();
        for (at, place) in facts.layout.quasi.iter().enumerate() {
            let Some(column) = facts.policy.columns.get(place.original) else { return Ok(None) };
            let tree = value_tree(facts.policy, column)?;
            let cells: Vec<&str> = {
                let own = &facts.tables.release.quasi[at];
                own.texts().collect()
            };
            let level = match &tree {
                None => Some(usize::from(cells.iter().all(|cell| *cell == EVERYTHING) && !cells.is_empty())),
                Some(tree) => (0..tree.levels()).find(|level| {
                    cells.iter().all(|cell| {
                        (0..tree.leaves()).any(|leaf| tree.label(tree.at_level(leaf, *level)) == *cell)
                    })
                }),
            };
            let Some(level) = level else { return Ok(None) };
            levels.push((tree, level));
        }
        Ok(Some(Levels(levels)))
    }

    /// The class of some values.
    fn class<'v>(&self, values: impl Iterator<Item = &'v str>) -> Result<Vec<String>> {
        let cells = values.zip(&self.0).map(|(value, (tree, level))| {
            let Some(tree) = tree else {
                return Ok(if *level > 0 { EVERYTHING.to_string() } else { value.to_string() });
            };
            let leaf = tree.leaf_of(value)?.and_then(|node| tree.leaves_below(node).next());
            Ok(leaf.map_or_else(
                || value.to_string(),
                |leaf| tree.label(tree.at_level(leaf, *level)).to_string(),
            ))
        });
        cells.collect()
    }

    /// The classes of the original that have records. Those that are not released were left out.
    fn hidden(self, facts: &Facts<'_>) -> Result<(Levels, std::collections::HashSet<Vec<String>>)> {
        let (original, width) = (&facts.tables.original, facts.layout.quasi.len());
        let mut classes = std::collections::HashSet::new();
        for id in original.records.ids() {
            let own = original.records.get(id)[..width].iter().zip(&original.quasi);
            classes.insert(self.class(own.map(|(code, texts)| texts.text(*code)))?);
        }
        Ok((self, classes))
    }
}
