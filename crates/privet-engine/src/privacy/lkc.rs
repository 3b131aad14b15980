//! LKC-privacy (Mohammed, Fung, Hung and Lee, *Anonymizing Healthcare Data: A Case Study on the Blood Transfusion Service*,
//! KDD 2009): whatever at most L quasi-identifiers of a person an attacker knows, at least K records match, and no sensitive
//! value makes up more than the share C of them.
//!
//! The records that match are a *group*: those with equal released cells in some of the columns. A group is judged as a class
//! is, by k-anonymity with K and by frequency diversity with 1/C, and both are closed under union. Two things follow:
//! - A group that agrees on fewer columns is a union of groups that agree on more, so groups of exactly L columns decide.
//! - Where every column is published at one level, higher levels merge the groups of each set of columns. So a vector of levels
//!   that fails rules out all below it, and a search may prune by that.

use std::ops::Range;

use super::{ClassTest, EquivalenceClass, TrackedColumn, TrackedTable, k_anonymity, l_diversity};
use crate::rollup::Levels;
use privet_core::{Error, Exact, Result};
use privet_policy::requirement;
use privet_policy::requirement::{Diversity, KAnonymity, LDiversity};

/// The notion with its parameters, on one column.
#[derive(Debug)]
pub struct LkcPrivacy {
    asked: requirement::LkcPrivacy,
    /// Its name, for messages; empty where only sizes count.
    column: String,
    slots: Range<u32>,
    size: Box<dyn ClassTest>,
    share: Box<dyn ClassTest>,
}

impl LkcPrivacy {
    /// What is asked of a table's column.
    pub fn of(asked: &requirement::LkcPrivacy, table: &TrackedTable) -> Result<LkcPrivacy> {
        let Some(place) = asked.column else {
            // Any share is allowed, which groups of any size have.
            let [size, share] = [asked.k, 1].map(|k| k_anonymity::build(&KAnonymity { k, unit: None }));
            return Ok(LkcPrivacy { asked: *asked, column: String::new(), slots: 0..0, size, share });
        };
        let TrackedColumn { name, slots, .. } = table.column(place)?;
        let l = Exact::new(asked.confidence.denominator(), asked.confidence.numerator())
            .ok_or_else(|| Error::internal("a largest share of 0"))?;
        let diversity = LDiversity { column: place, diversity: Diversity::Frequency(l) };
        Ok(LkcPrivacy {
            asked: *asked,
            column: name.clone(),
            slots: slots.clone(),
            size: k_anonymity::build(&KAnonymity { k: asked.k, unit: None }),
            share: l_diversity::build(&diversity, table)?,
        })
    }

    /// The slots of its column.
    pub fn slots(&self) -> Range<u32> {
        self.slots.clone()
    }

    /// What a group must meet: its size first, which needs no counts.
    pub fn tests(&self) -> [&dyn ClassTest; 2] {
        [self.size.as_ref(), self.share.as_ref()]
    }

    /// The combinations of columns that decide: L of them each, or all where there are fewer.
    pub fn combinations(&self, columns: &[usize]) -> Vec<Vec<usize>> {
        subsets(columns, self.asked.group_width(columns.len()))
    }

    /// Vectors of levels at which the classes are the groups that decide for `levels`: all but L columns are at the top. Columns
    /// that are there anyway are left out of the choice, for they split no group.
    pub fn projections(&self, levels: &[u8], tops: &[u8]) -> Vec<Levels> {
        let open: Vec<usize> = (0..levels.len()).filter(|column| levels[*column] < tops[*column]).collect();
        self.combinations(&open)
            .into_iter()
            .map(|known| {
                let mut projection: Levels = tops.into();
                known.into_iter().for_each(|column| projection[column] = levels[column]);
                projection
            })
            .collect()
    }

    /// Why the whole table, the largest group there is, fails; `None` where it does not.
    pub fn why_impossible(&self, whole: &EquivalenceClass<'_>) -> Option<String> {
        let (k, c, records) = (self.asked.k, self.asked.confidence, whole.size);
        if !self.size.holds(whole) {
            return Some(format!("K is {k}, but there are only {records} records"));
        }
        let (column, most) = (&self.column, whole.counts.most(&self.slots));
        (!self.share.holds(whole)).then(|| {
            format!("C is {c}, but one value of '{column}' makes up {most} of all {records} records")
        })
    }

    /// What the publisher should know about it, as a sentence.
    pub fn warning(&self, quasi: usize) -> Option<String> {
        let known = self.asked.known;
        (known > quasi as u64).then(|| {
            format!(
                "[privacy.lkc-privacy] L = {known} is more than the {quasi} quasi-identifiers: attackers are assumed to know all \
                 of them; lower L if they know fewer"
            )
        })
    }
}

/// All subsets of some size, in lexicographic order.
fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for chosen in 0..size {
        let left = size - chosen;
        let longer = |subset: &Vec<usize>| {
            let first = subset.last().map_or(0, |last| of.partition_point(|element| element <= last));
            let next = &of[first..(of.len() + 1).saturating_sub(left).max(first)];
            next.iter().map(|element| [subset.as_slice(), &[*element]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_all_there_once() {
        assert_eq!(subsets(&[1, 3, 4], 2), [vec![1, 3], vec![1, 4], vec![3, 4]]);
        assert_eq!(subsets(&[1, 3, 4], 3), [vec![1, 3, 4]]);
        assert_eq!(subsets(&[], 0), [Vec::<usize>::new()]);
        assert_eq!(subsets(&(0..10).collect::<Vec<_>>(), 4).len(), 210);
    }
}
