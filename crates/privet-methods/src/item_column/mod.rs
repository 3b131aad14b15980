//! A column of sets next to quasi-identifiers: how its items are published in each class.
//!
//! The classes are a method's; here every class gets a *cut* of the tree of items, or all classes get the same, so that what
//! an attacker knows of a set, next to the quasi-identifiers, fits k records of the class: see
//! [`privet_engine::privacy::item_sets`]. [`cut`] finds it from the top: see there.

mod cut;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::released_sets::{ItemLosses, ReleasedSets};
use super::{ShownCost, Solution};
use cut::{ItemCut, Member};
use privet_core::{Error, Exact, Result};
use privet_data::set_cell;
use privet_engine::loss::Info;
use privet_engine::microdata::Microdata;
use privet_engine::privacy::ItemCells;
use privet_engine::privacy::item_sets::ItemDemand;
use privet_policy::method::{Cuts, ItemCuts};
use privet_policy::{CheckedPolicy, Requirement};
use privet_taxonomy::Node;

/// What the items lose.
static ITEM_LOSS: Info = Info {
    name: "items",
    formula: "mean over item occurrences of (leaves(node) − 1)/(leaves − 1); 1 for an occurrence that is removed",
    range: "0 to 1",
    smaller_is_better: true,
};

/// What items and quasi-identifiers lose together.
static JOINT_LOSS: Info = Info {
    name: "rows and items",
    formula: "w · items + (1 − w) · LM, with w from [loss] items",
    range: "0 to 1",
    smaller_is_better: true,
};

/// The items of a table's column of sets, with what must hold in every class and how items may be generalised.
#[derive(Debug)]
pub(crate) struct ItemColumnTask<'a> {
    microdata: &'a Microdata,
    /// The column's place among the tracked ones.
    position: usize,
    items: &'a ItemCells,
    demand: ItemDemand,
    how: ItemCuts,
    /// How much the items weigh against the quasi-identifiers.
    weight: f64,
    /// The occurrences of items that are not sensitive, in the whole table.
    occurrences: u64,
}

impl<'a> ItemColumnTask<'a> {
    /// The task of a policy; `None` where it has no column of sets.
    pub fn of(policy: &CheckedPolicy, microdata: &'a Microdata) -> Result<Option<ItemColumnTask<'a>>> {
        let Some((position, items)) = microdata.items() else { return Ok(None) };
        let index = microdata.table.tracked[position].index;
        let asked = policy.requirements.iter().find_map(|asked| match asked {
            Requirement::KlOfSets(asked) if asked.column == index => Some(asked),
            _ => None,
        });
        let (Some(asked), Some(how)) = (asked, policy.method.item_cuts()) else {
            return Err(Error::internal("a column of sets without a requirement or a method for it"));
        };
        let totals = &microdata.table.tracked[position].totals;
        let occurrences =
            totals.iter().zip(0..).map(|(count, cell)| count * items.leaves(cell).len() as u64).sum();
        Ok(Some(ItemColumnTask {
            microdata,
            position,
            items,
            demand: ItemDemand::of(asked, &items.sensitive),
            how,
            weight: policy.item_weight.to_f64(),
            occurrences,
        }))
    }

    fn member(&self, record: u32, block: u32, count: u64) -> Member {
        Member { block, cell: self.microdata.tracked_code(record as usize, self.position), count }
    }

    /// What a part of the table loses, as a share of what the whole table could: the items with a cut of the part's own, and
    /// the quasi-identifiers, whose loss is given as such a share. `None` where its items cannot be published at all.
    pub fn price(&self, part: &[(u32, u64)], rows: f64) -> Option<f64> {
        let members = part.iter().map(|(record, count)| self.member(*record, 0, *count)).collect();
        let cut = self.cut(members)?;
        let items = cut.loss(&self.items.tree) / (self.occurrences.max(1) as f64);
        Some(self.weight * items + (1.0 - self.weight) * rows)
    }

    fn cut(&self, members: Vec<Member>) -> Option<ItemCut> {
        cut::find(self.items, &self.demand, self.how.limit, members)
    }

    /// Adds to a solution what its classes show of the sets.
    pub fn complete(&self, mut solution: Solution) -> Result<Solution> {
        let recoding = &solution.recoding;
        let mut classes: Vec<Vec<(u32, u64)>> = vec![Vec::new(); recoding.len()];
        for record in 0..self.microdata.summary.len() {
            for (class, count) in recoding.destinations(record, self.microdata.summary.count(record)) {
                classes[class as usize].push((record as u32, count));
            }
        }
        let members = |(block, class): (usize, &Vec<(u32, u64)>)| -> Vec<Member> {
            class.iter().map(|(record, count)| self.member(*record, block as u32, *count)).collect()
        };
        let cuts: Vec<Option<ItemCut>> = match self.how.cuts {
            Cuts::Local => classes.par_iter().enumerate().map(|class| self.cut(members(class))).collect(),
            Cuts::Global => vec![self.cut(classes.iter().enumerate().flat_map(members).collect())],
        };
        let cuts: Vec<ItemCut> = cuts.into_iter().collect::<Option<_>>().ok_or_else(|| {
            let name = &self.microdata.table.tracked[self.position].name;
            Error::infeasible(format!("no release can meet the policy: the items of '{name}' cannot be published in some class"))
                .help("lower k or m, raise item_suppression_limit, or put all items of the hierarchy below one root")
        })?;
        let mut sets = ReleasedSets::new(self.items.separator);
        let mut removed: BTreeMap<String, u64> = BTreeMap::new();
        for (class, (members, cut)) in classes.iter().zip(cuts.iter().cycle()).enumerate() {
            for (record, count) in members {
                let cell = self.microdata.tracked_code(*record as usize, self.position);
                let text = self.shown(cut, cell);
                if text != self.microdata.table.tracked[self.position].values[cell as usize] {
                    sets.change_many(*record, class as u32, &text, *count);
                }
                for leaf in self.items.leaves(cell).iter().filter(|leaf| cut.shown(**leaf).is_none()) {
                    *removed.entry(self.items.tree.label(*leaf).to_string()).or_default() += count;
                }
            }
        }
        sets.removed = removed.into_iter().collect();
        sets.removed.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let lost: f64 = cuts.iter().map(|cut| cut.loss(&self.items.tree)).sum();
        let published: u64 = cuts.iter().map(|cut| cut.occurrences).sum();
        let items = if published == 0 { 0.0 } else { lost / published as f64 };
        sets.losses = Some(ItemLosses { items, weight: self.weight, occurrences: published });
        solution.sets = Some(sets);
        Ok(solution)
    }

    /// What a cut shows of a cell.
    fn shown(&self, cut: &ItemCut, cell: u32) -> String {
        let nodes = self.items.leaves(cell).iter().filter_map(|leaf| cut.shown(*leaf));
        let secrets = self.items.secrets(cell).iter().map(|own| self.items.sensitive[*own as usize].as_str());
        let mut labels: Vec<&str> = nodes.map(|node| self.items.tree.label(node)).chain(secrets).collect();
        labels.sort_unstable();
        labels.dedup();
        set_cell(labels, self.items.separator)
    }
}

impl ItemLosses {
    /// What the items lose, and what they lose together with the quasi-identifiers, whose LM is given.
    pub fn costs(&self, rows: f64) -> [ShownCost; 2] {
        let shown = |info: &'static Info, value| ShownCost {
            name: info.name,
            value,
            exact: None,
            normalised: value,
            info,
        };
        let joint = self.weight * self.items + (1.0 - self.weight) * rows;
        [shown(&ITEM_LOSS, self.items), shown(&JOINT_LOSS, joint)]
    }
}

/// What an occurrence loses that is shown as a node, as a share of what it loses when it is removed.
fn price(tree: &privet_taxonomy::ItemTree, node: Node) -> f64 {
    f64::from(tree.leaves(node) - 1) / f64::from(tree.total_leaves().max(2) - 1)
}

/// How many occurrences a share allows to remove.
fn allowance(limit: Exact, occurrences: u64) -> u64 {
    limit.floor_of(occurrences)
}
