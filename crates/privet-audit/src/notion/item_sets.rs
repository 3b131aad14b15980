//! KL(m, 0)-privacy of a column of sets, read literally: in every class, every set X of at most m shown labels that occurs is
//! held by at least k records of the class, and of these at most the share θ(s) holds a sensitive item s. X may be empty.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::{Facts, Notion};
use crate::classes::Histogram;
use privet_core::{Error, Exact, Result, counted};
use privet_data::terms_of;
use privet_policy::requirement::KlOfSets;

struct ItemSets {
    column: usize,
    k: u64,
    m: usize,
    /// The labels that a cell shows, by the number of its text, sensitive items apart.
    known: Vec<Vec<String>>,
    /// The sensitive items that it shows.
    secrets: Vec<Vec<String>>,
    /// The largest share of each sensitive item.
    limits: BTreeMap<String, Exact>,
}

pub(super) fn auditor(asked: &KlOfSets, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    let column = facts.column("kl-privacy", asked.column)?;
    let items = facts.policy.columns.get(asked.column).and_then(|column| column.items.as_ref());
    let items =
        items.ok_or_else(|| Error::input("[privacy.kl-privacy] is about a column that holds no sets"))?;
    let (mut known, mut secrets) = (Vec::new(), Vec::new());
    for text in facts.tables.plain[column].texts() {
        let (own, open): (Vec<&str>, Vec<&str>) =
            terms_of(text, items.separator).into_iter().partition(|term| items.is_sensitive(term));
        known.push(open.into_iter().map(str::to_string).collect());
        secrets.push(own.into_iter().map(str::to_string).collect());
    }
    let limits = items.sensitive.iter().cloned().zip(asked.limits(&items.sensitive)).collect();
    Ok(Box::new(ItemSets { column, k: asked.k, m: asked.m as usize, known, secrets, limits }))
}

/// A set of labels with the records of a class that hold it.
struct Holders<'a> {
    known: Vec<&'a str>,
    records: u64,
    /// How many of them hold each sensitive item.
    secrets: BTreeMap<&'a str, u64>,
}

impl ItemSets {
    /// Every set of at most m labels that occurs in a class.
    fn occurring(&self, class: &Histogram) -> Vec<Holders<'_>> {
        let mut found: BTreeMap<Vec<&str>, (u64, BTreeMap<&str, u64>)> = BTreeMap::new();
        for (text, count) in &class.counts {
            let (labels, secrets) = (&self.known[*text as usize], &self.secrets[*text as usize]);
            let mut sets: Vec<Vec<&str>> = vec![Vec::new()];
            for label in labels {
                let smaller = sets.iter().filter(|set| set.len() < self.m);
                let larger = smaller.map(|set| set.iter().copied().chain([label.as_str()]).collect());
                let larger: Vec<Vec<&str>> = larger.collect();
                sets.extend(larger);
            }
            for set in sets {
                let (records, with) = found.entry(set).or_default();
                *records += count;
                secrets.iter().for_each(|secret| *with.entry(secret).or_default() += count);
            }
        }
        let holders = |(known, (records, secrets))| Holders { known, records, secrets };
        found.into_iter().map(holders).collect()
    }

    /// A sensitive item that too many of the holders hold, with its number.
    fn too_sure<'h>(&self, holders: &Holders<'h>) -> Option<(&'h str, u64)> {
        holders.secrets.iter().map(|(secret, count)| (*secret, *count)).find(|(secret, count)| {
            let limit = self.limits.get(*secret).copied().unwrap_or(Exact::ZERO);
            BigUint::from(*count) * limit.denominator() > BigUint::from(holders.records) * limit.numerator()
        })
    }

    fn is_met(&self, holders: &Holders<'_>) -> bool {
        holders.records >= self.k && self.too_sure(holders).is_none()
    }
}

impl Notion for ItemSets {
    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        self.occurring(class).iter().all(|holders| self.is_met(holders))
    }

    fn strain(&self, class: &Histogram) -> f64 {
        let least = self.occurring(class).into_iter().map(|holders| holders.records).min();
        -(least.unwrap_or(class.size) as f64)
    }

    fn explain(&self, class: &Histogram) -> String {
        let all = self.occurring(class);
        let worst = all.iter().min_by_key(|holders| (self.is_met(holders), holders.records));
        let Some(worst) = worst else { return format!("size {}", class.size) };
        let known = match worst.known.as_slice() {
            [] => "no item known".to_string(),
            known => format!("'{}'", known.join("' and '")),
        };
        match self.too_sure(worst) {
            Some((secret, count)) if worst.records >= self.k => {
                format!("size {}, {known}: {count} of {} hold '{secret}'", class.size, worst.records)
            }
            _ => {
                let sign = if worst.records < self.k { "<" } else { "≥" };
                let records = counted(worst.records, "record fits", "records fit");
                format!("size {}, {known}: {records} {sign} k = {}", class.size, self.k)
            }
        }
    }
}
