//! Sensitive columns whose cells hold several values. Each value v is judged by the records of a class whose cell holds v: n_v
//! of n, and N_v of all N records of the original.
//!
//! - distinct l-diversity: at least l values have n_v > 0;
//! - l-diversity by frequency: n_v/n ≤ 1/l for every v;
//! - l+-diversity: n_v/n ≤ θ(v) for every v;
//! - t-closeness per value: |n_v/n − N_v/N| ≤ t for every v.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use super::{Facts, Notion, OriginalColumn, l_plus};
use crate::classes::Histogram;
use privet_core::{Error, Exact, Result, counted};
use privet_data::terms_of;
use privet_policy::Requirement;
use privet_policy::requirement::{Distance, Diversity};

struct SetNotion {
    column: usize,
    /// The values, by number.
    values: Vec<String>,
    /// How many records of the original hold each.
    totals: Vec<u64>,
    /// How many records the original has.
    records: u64,
    /// The values that each cell holds, by the number of the cell.
    held: Vec<Vec<u32>>,
    demand: Demand,
}

/// What is asked of the values of a class.
enum Demand {
    /// At least this many values.
    Distinct(Exact),
    /// At most this share of the records, for each value.
    Shares(Vec<Exact>),
    /// At most this far from the share in the original.
    Close(Exact),
}

/// The notion for a requirement about a column whose cells hold several values; `None` where it is about another column, or
/// about none.
pub(super) fn auditor(asked: &Requirement, facts: &Facts<'_>) -> Result<Option<Box<dyn Notion>>> {
    let Some(place) = asked.column() else { return Ok(None) };
    let separator = facts.policy.columns.get(place).and_then(|column| column.separator);
    let Some(separator) = separator else { return Ok(None) };
    // Tables of single values come here with a column per value.
    let Some(column) = facts.layout.plain.iter().position(|plain| plain.original == place) else {
        return Ok(None);
    };
    let cells: Vec<Vec<&str>> =
        facts.tables.plain[column].texts().map(|cell| terms_of(cell, separator)).collect();
    let counts = facts.distribution(column);
    let names: BTreeSet<&str> = cells.iter().flatten().copied().collect();
    let numbers: BTreeMap<&str, u32> = names.iter().copied().zip(0..).collect();
    let held: Vec<Vec<u32>> =
        cells.iter().map(|cell| cell.iter().map(|value| numbers[value]).collect()).collect();
    let mut totals = vec![0; names.len()];
    for (cell, count) in held.iter().zip(&counts) {
        cell.iter().for_each(|value| totals[*value as usize] += count);
    }
    let demand = match asked {
        Requirement::LDiversity(asked) => match asked.diversity {
            Diversity::Distinct(l) => Demand::Distinct(l),
            Diversity::Frequency(l) => {
                let share = Exact::new(l.denominator(), l.numerator());
                let share = share.ok_or_else(|| Error::internal("l is 0"))?;
                Demand::Shares(vec![share; names.len()])
            }
            Diversity::Entropy(_) | Diversity::Recursive { .. } => {
                return Err(undefined(facts.column_name(place)));
            }
        },
        Requirement::LPlusDiversity(asked) => {
            let values = names.iter().copied().collect();
            let original = OriginalColumn::new(facts.policy, place, values, totals.clone())?;
            Demand::Shares(l_plus::thresholds(asked, &original)?)
        }
        Requirement::TCloseness(asked) if asked.distance == Distance::PerValue => Demand::Close(asked.t),
        _ => return Err(undefined(facts.column_name(place))),
    };
    let values = names.into_iter().map(str::to_string).collect();
    let records = counts.iter().sum();
    Ok(Some(Box::new(SetNotion { column, values, totals, records, held, demand })))
}

fn undefined(name: &str) -> Error {
    Error::input(format!("the cells of '{name}' hold several values, for which the requirement is not defined"))
        .help("use l-diversity (frequency or distinct), l-plus-diversity, or t-closeness with distance = \"per-value\"")
}

impl SetNotion {
    /// n_v for every value.
    fn counts(&self, class: &Histogram) -> Vec<u64> {
        let mut counts = vec![0; self.values.len()];
        for (cell, count) in &class.counts {
            self.held[*cell as usize].iter().for_each(|value| counts[*value as usize] += count);
        }
        counts
    }

    /// Whether a value with this count is within its bound, and how much of the bound it uses.
    fn judge(&self, value: usize, count: u64, size: u64) -> (bool, f64) {
        let at_most = |over: BigUint, under: BigUint, bound: Exact| {
            over * bound.denominator() <= under * bound.numerator()
        };
        let share = count as f64 / size.max(1) as f64;
        match &self.demand {
            Demand::Distinct(_) => (true, 0.0),
            Demand::Shares(limits) => {
                (at_most(count.into(), size.into(), limits[value]), share / limits[value].to_f64())
            }
            Demand::Close(t) => {
                let own = BigUint::from(count) * self.records;
                let whole = BigUint::from(self.totals[value]) * size;
                let apart = if own > whole { own - whole } else { whole - own };
                let far = share - self.totals[value] as f64 / self.records.max(1) as f64;
                (at_most(apart, BigUint::from(self.records) * size, *t), far.abs())
            }
        }
    }

    /// The value that is worst off, one that breaks its bound before all others, with its count.
    fn worst(&self, class: &Histogram) -> Option<(usize, u64, bool, f64)> {
        let counts = self.counts(class);
        let judged = counts.iter().enumerate().map(|(value, count)| {
            let (holds, strain) = self.judge(value, *count, class.size);
            (value, *count, holds, strain)
        });
        judged.max_by(|a, b| b.2.cmp(&a.2).then(a.3.total_cmp(&b.3)))
    }
}

impl Notion for SetNotion {
    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        let counts = self.counts(class);
        match &self.demand {
            Demand::Distinct(l) => {
                let distinct = counts.iter().filter(|count| **count > 0).count() as u64;
                BigUint::from(l.numerator()) <= BigUint::from(distinct) * l.denominator()
            }
            Demand::Shares(_) | Demand::Close(_) => {
                counts.iter().enumerate().all(|(value, count)| self.judge(value, *count, class.size).0)
            }
        }
    }

    fn strain(&self, class: &Histogram) -> f64 {
        match &self.demand {
            Demand::Distinct(_) => -(self.counts(class).iter().filter(|count| **count > 0).count() as f64),
            Demand::Shares(_) | Demand::Close(_) => self.worst(class).map_or(0.0, |(.., strain)| strain),
        }
    }

    fn explain(&self, class: &Histogram) -> String {
        let size = class.size;
        if let Demand::Distinct(l) = &self.demand {
            let distinct = self.counts(class).iter().filter(|count| **count > 0).count();
            let sign = if self.holds(class) { "≥" } else { "<" };
            let values = counted(distinct as u64, "distinct value", "distinct values");
            return format!("size {size}, {values} {sign} l = {l}");
        }
        let Some((value, count, holds, strain)) = self.worst(class) else {
            return format!("size {size}, no cell holds a value");
        };
        let (name, sign) = (&self.values[value], if holds { "≤" } else { ">" });
        match &self.demand {
            Demand::Close(t) => {
                let (total, records) = (self.totals[value], self.records);
                format!(
                    "size {size}, '{name}' is held by {count}/{size}, in the original by {total}/{records}: {strain:.4} {sign} \
                     t = {t}"
                )
            }
            Demand::Shares(limits) => {
                format!("size {size}, '{name}' is held by {count}/{size} {sign} {}", limits[value])
            }
            Demand::Distinct(_) => String::new(),
        }
    }
}
