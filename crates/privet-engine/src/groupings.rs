//! The groupings of one table: every vector of levels is rolled up once, from the smallest finer one at hand.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::microdata::Microdata;
use super::rollup::{Grouping, Ladders, refines};

/// Groupings are kept for rolling up as long as they fit in this many bytes.
const MOST_BYTES: usize = 64 << 20;

/// The groupings of a table at any levels.
#[derive(Debug)]
pub struct Groupings {
    ladders: Ladders,
    base: Arc<Grouping>,
    /// Per distinct record, its class at the lowest levels.
    class_of_record: Arc<[u32]>,
    kept: Mutex<KeptGroupings>,
}

#[derive(Debug)]
struct KeptGroupings {
    groupings: Vec<Arc<Grouping>>,
    /// How many bytes further groupings may take.
    spare: usize,
}

impl Groupings {
    /// Counts the classes at the lowest levels, the only pass over the records.
    pub fn new(microdata: &Microdata) -> Groupings {
        let ladders = Ladders::of(microdata);
        let (base, class_of_record) = Grouping::base(microdata, &ladders);
        let base = Arc::new(base);
        let kept = Mutex::new(KeptGroupings { groupings: vec![base.clone()], spare: MOST_BYTES });
        Groupings { ladders, base, class_of_record: class_of_record.into(), kept }
    }

    /// Per distinct record, its class at the lowest levels; and how many classes there are.
    pub fn class_of_record(&self) -> (&Arc<[u32]>, usize) {
        (&self.class_of_record, self.base.len())
    }

    /// The levels of every quasi-identifier.
    pub fn ladders(&self) -> &Ladders {
        &self.ladders
    }

    fn lock(&self) -> MutexGuard<'_, KeptGroupings> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The classes at some levels, rolled up from the smallest finer grouping at hand.
    pub fn at(&self, levels: &[u8]) -> Arc<Grouping> {
        let from = {
            let kept = self.lock();
            let finer = kept.groupings.iter().filter(|grouping| refines(&grouping.levels, levels));
            finer.min_by_key(|grouping| grouping.len()).unwrap_or(&self.base).clone()
        };
        if *from.levels == *levels {
            return from;
        }
        let grouping = Arc::new(Grouping::roll_up(&from, levels, &self.ladders));
        let mut kept = self.lock();
        let worth_keeping = grouping.len() * 4 <= from.len() * 3 || from.len() <= 64;
        if worth_keeping && grouping.bytes() <= kept.spare {
            kept.spare -= grouping.bytes();
            kept.groupings.push(grouping.clone());
        }
        grouping
    }
}
