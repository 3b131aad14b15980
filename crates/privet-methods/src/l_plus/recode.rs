//! From a cut to a release: the classes, and what the scheme does to those that violate a threshold.

use std::collections::BTreeMap;

use super::extra::ExtraGeneralisation;
use super::problem::LPlusTask;
use super::rules::{CostRules, Metric, Scheme};
use super::table::RecordReader;
use super::tally::ClassTally;
use crate::cut_recoding::CutRecoding;
use crate::recoding::Recoding;
use privet_engine::cut::{Cut, Forest};
use privet_engine::microdata::Microdata;

/// The recoding of every record under a cut, with what the policy has generalised more at random.
pub fn recode(
    rules: &CostRules,
    forest: &Forest,
    microdata: &Microdata,
    asked: &LPlusTask,
    cut: &Cut,
    mut extra: Option<&mut ExtraGeneralisation<'_>>,
) -> Recoding {
    let records = microdata.summary.len();
    let mut shown = CutRecoding::new(forest, microdata, cut);
    let mut recoding = Recoding::new(std::mem::take(&mut shown.columns), records);
    let (members, begins) = shown.classes(microdata);
    let mut class = RecodedClass {
        rules,
        reader: RecordReader::new(rules, microdata, asked.thresholds.column),
        asked,
        tally: rules.tally(),
    };
    // By their cells, the classes that others may look like.
    let mut looking: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for range in begins.windows(2) {
        let members = &members[range[0] as usize..range[1] as usize];
        class.count(members);
        if class.is_suppressed() {
            continue;
        }
        let mut cells: Vec<u32> = shown.cells(microdata, members[0] as usize).collect();
        if let Some(extra) = &mut extra {
            cells = extra.step(&mut recoding.columns, cells, class.tally.size, rules);
        }
        let id = match extra {
            None => recoding.add_class(cells),
            Some(_) => {
                *looking.entry(cells).or_insert_with_key(|cells| recoding.add_class(cells.iter().copied()))
            }
        };
        class.publish(&mut recoding, id, members);
    }
    recoding
}

/// The current class.
struct RecodedClass<'a> {
    rules: &'a CostRules,
    reader: RecordReader<'a>,
    asked: &'a LPlusTask,
    tally: ClassTally,
}

impl RecodedClass<'_> {
    fn count(&mut self, members: &[u32]) {
        self.tally.clear();
        for member in members {
            let entry = self.reader.entry(*member as usize);
            self.tally.add(&entry);
        }
    }

    /// Whether the whole class is suppressed.
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

    /// Publishes as many records of each value as may stay. Which ones is open; for CM, those outside the label that
    /// keeps most are suppressed first.
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
