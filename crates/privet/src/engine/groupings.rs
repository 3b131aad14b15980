//! The groupings of one table: every vector of levels is rolled up once, from the smallest finer one at hand.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::microdata::Microdata;
use super::rollup::{Grouping, Ladders, refines};

/// Groupings are kept for rolling up as long as they fit in this many bytes.
const ROOM: usize = 32 << 20;

/// The groupings of a table at any levels.
#[derive(Debug)]
pub struct Groupings<'a> {
    microdata: &'a Microdata,
    ladders: Ladders,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    groupings: Vec<Arc<Grouping>>,
    /// How many bytes further groupings may take.
    room: usize,
}

impl<'a> Groupings<'a> {
    /// Counts the classes at the lowest levels, the only pass over the records.
    pub fn new(microdata: &'a Microdata) -> Groupings<'a> {
        let ladders = Ladders::of(microdata);
        let base = Arc::new(Grouping::base(microdata, &ladders));
        Groupings { microdata, ladders, kept: Mutex::new(Kept { groupings: vec![base], room: ROOM }) }
    }

    /// The levels of every quasi-identifier.
    pub fn ladders(&self) -> &Ladders {
        &self.ladders
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The classes at some levels, rolled up from the smallest finer grouping at hand.
    pub fn at(&self, levels: &[u8]) -> Arc<Grouping> {
        let from = {
            let kept = self.lock();
            let finer = kept.groupings.iter().filter(|grouping| refines(&grouping.levels, levels));
            finer.min_by_key(|grouping| grouping.len()).cloned()
        };
        let Some(from) = from else { return Arc::new(Grouping::base(self.microdata, &self.ladders)) };
        if *from.levels == *levels {
            return from;
        }
        let grouping = Arc::new(from.roll_up(levels, &self.ladders));
        let mut kept = self.lock();
        let worth_keeping = grouping.len() * 2 <= from.len() || from.len() <= 64;
        if worth_keeping && grouping.bytes() <= kept.room {
            kept.room -= grouping.bytes();
            kept.groupings.push(grouping.clone());
        }
        grouping
    }
}
