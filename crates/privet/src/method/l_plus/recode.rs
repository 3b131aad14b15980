//! From a cut to a release: the classes, and what the scheme does to those that violate a threshold.

use super::problem::Asked;
use super::rules::{Metric, Rules, Scheme};
use super::table::Reader;
use super::tally::Tally;
use crate::engine::cut::{Cut, Forest};
use crate::engine::microdata::Microdata;
use crate::engine::numbering::{Numbering, bucket};
use crate::loss::{Cell, Extent};
use crate::method::recoding::{RecodedColumn, Recoding, ReleasedCell};

/// What becomes of every record under a cut.
pub fn recode(rules: &Rules, forest: &Forest, microdata: &Microdata, asked: &Asked, cut: &Cut) -> Recoding {
    let records = microdata.summary.len();
    // Per column and code, the place of the released value in the cut.
    let places: Vec<Vec<u32>> = (microdata.quasi.iter().zip(&forest.trees).zip(&cut.0))
        .map(|((quasi, tree), nodes)| {
            let cover = tree.cover(nodes);
            let place = |leaf: &u32| {
                let node = cover[tree.leaf(*leaf) as usize];
                nodes.partition_point(|other| *other < node) as u32
            };
            quasi.leaf_of_code.iter().map(place).collect()
        })
        .collect();
    let mut recoding = Recoding::new(columns(forest, microdata, cut, &places), records);
    let released = |record: usize| {
        let codes = microdata.quasi_codes(record);
        codes.iter().zip(&places).map(|(code, places)| places[*code as usize])
    };
    let mut numbering = Numbering::new(records);
    for (column, places) in places.iter().enumerate() {
        let place = |record: usize| places[microdata.quasi_codes(record)[column] as usize];
        numbering.column(cut.0[column].len(), (0..records).map(place));
    }
    let (number, count) = numbering.finish();
    let (members, begins) = bucket(0..records as u32, |record| number[record as usize], count);
    let mut class = ClassOf {
        rules,
        reader: Reader::new(rules, microdata, asked.thresholds.column),
        asked,
        tally: rules.tally(),
    };
    for range in begins.windows(2) {
        let members = &members[range[0] as usize..range[1] as usize];
        class.count(members);
        if class.is_suppressed() {
            continue;
        }
        let id = recoding.add_class(released(members[0] as usize));
        class.publish(&mut recoding, id, members);
    }
    recoding
}

fn columns(forest: &Forest, microdata: &Microdata, cut: &Cut, places: &[Vec<u32>]) -> Vec<RecodedColumn> {
    let column = |at: usize| {
        let quasi = &microdata.quasi[at];
        let taxonomy = &quasi.taxonomy;
        let mut records = vec![0; cut.0[at].len()];
        for (place, count) in places[at].iter().zip(&quasi.counts) {
            records[*place as usize] += count;
        }
        let cell = |(node, records): (&u32, u64)| {
            let node = forest.trees[at].taxonomy_node(*node);
            let extent = Extent::Leaves(taxonomy.leaves_below(node).len() as u64, taxonomy.leaves() as u64);
            let level = Some((taxonomy.height(node) as u64, taxonomy.height(taxonomy.root()) as u64));
            let measure = Cell { extent, level, records };
            ReleasedCell { label: taxonomy.label(node).to_string(), node: Some(node), measure }
        };
        RecodedColumn { cells: cut.0[at].iter().zip(records).map(cell).collect() }
    };
    (0..microdata.quasi.len()).map(column).collect()
}

/// The class at hand.
struct ClassOf<'a> {
    rules: &'a Rules,
    reader: Reader<'a>,
    asked: &'a Asked,
    tally: Tally,
}

impl ClassOf<'_> {
    fn count(&mut self, members: &[u32]) {
        self.tally.clear();
        for member in members {
            let entry = self.reader.entry(*member as usize);
            self.tally.add(&entry);
        }
    }

    /// Whether nothing of the class is published.
    fn is_suppressed(&self) -> bool {
        self.rules.violates(&self.tally)
            && match self.rules.scheme {
                Scheme::None | Scheme::AllRec => true,
                Scheme::VioRec => self.rules.keep(&self.tally).iter().all(|(_, count)| *count == 0),
                // Suppressed cells do not make a class larger.
                Scheme::AllSa | Scheme::VioSa => self.tally.size < self.rules.k,
            }
    }

    fn publish(&self, recoding: &mut Recoding, class: u32, members: &[u32]) {
        if self.rules.scheme == Scheme::VioRec && self.rules.violates(&self.tally) {
            return self.publish_kept(recoding, class, members);
        }
        for member in members {
            let count = self.reader.entry(*member as usize).count;
            recoding.assign(*member as usize, class, count, count);
        }
        if !self.rules.violates(&self.tally) {
            return;
        }
        let slot = |value: u32| self.asked.thresholds.slots.start + value;
        match self.rules.scheme {
            Scheme::VioSa => {
                self.rules.violating(&self.tally).for_each(|(value, _)| recoding.star(class, slot(value)));
            }
            _ => self.tally.values.iter().for_each(|(value, _)| recoding.star(class, slot(value))),
        }
    }

    /// Publishes as many records of each value as may stay. Which ones is free; for CM, those outside the label that
    /// keeps most go first.
    fn publish_kept(&self, recoding: &mut Recoding, class: u32, members: &[u32]) {
        let keep = self.rules.keep(&self.tally);
        let favoured = self.rules.labelled(&self.tally, &keep).map(|(label, _)| label);
        let favoured = favoured.filter(|_| self.rules.metric == Metric::Cm);
        for (value, most) in keep {
            let of_value: Vec<_> = members
                .iter()
                .map(|member| (*member, self.reader.entry(*member as usize)))
                .filter(|(_, e)| e.value == value)
                .collect();
            let (first, second): (Vec<_>, Vec<_>) = of_value
                .into_iter()
                .partition(|(_, entry)| favoured.is_none_or(|label| entry.label == label));
            let mut left = most;
            for group in [first, second] {
                let pool: Vec<(u32, u64)> =
                    group.iter().map(|(member, entry)| (*member, entry.count)).collect();
                let count = left.min(pool.iter().map(|(_, count)| count).sum());
                left -= count;
                if count > 0 {
                    recoding.assign_some(class, pool, count);
                }
            }
        }
    }
}
