//! The number of records that clash with a class, from a few sums over values instead of a pass over all classes.
//!
//! A record of class c clashes with the records that have its value, those whose value is barred for c, and those of
//! any other value for which c's value is barred. Let A\[x\] be the number of records that have x, and B\[v\]\[x\] the
//! number of these for which v is barred. Then that is A\[s\] + Σ_x B\[s\]\[x\] + Σ_{x barred for c} (A\[x\] −
//! B\[s\]\[x\]).

use std::collections::HashMap;

use super::classes::RecordClasses;

const NONE: u32 = u32::MAX;

/// The sums, over any collection of records.
#[derive(Debug, Clone)]
pub(super) struct ClashSums {
    /// A\[x\].
    having: Vec<u64>,
    /// Σ_x B\[v\]\[x\].
    barring: Vec<u64>,
    /// B\[v\]\[x\], for the pairs that occur.
    pairs: Vec<u64>,
    /// Per class, the values barred for it: the value, the pair of the value with the class's own, and the mirrored
    /// pair.
    bars: Vec<Vec<BarredValue>>,
    value_of: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct BarredValue {
    value: u32,
    /// The pair (barred value, own value), in which records of the class count.
    counted_in: u32,
    /// The pair (own value, barred value), if some class bars the first and has the second.
    mirrored: u32,
}

impl ClashSums {
    /// The sums over all records.
    pub fn new(classes: &RecordClasses) -> ClashSums {
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        for class in &classes.list {
            for barred in class.barred.iter() {
                let next = numbers.len() as u32;
                numbers.entry((barred, class.value)).or_insert(next);
            }
        }
        let pair = |barred: u32, value: u32| numbers.get(&(barred, value)).copied().unwrap_or(NONE);
        let bars = (classes.list.iter())
            .map(|class| {
                let bar = |value: u32| BarredValue {
                    value,
                    counted_in: pair(value, class.value),
                    mirrored: pair(class.value, value),
                };
                class.barred.iter().map(bar).collect()
            })
            .collect();
        let mut sums = ClashSums {
            having: vec![0; classes.values],
            barring: vec![0; classes.values],
            pairs: vec![0; numbers.len()],
            bars,
            value_of: classes.list.iter().map(|class| class.value).collect(),
        };
        for (at, class) in classes.list.iter().enumerate() {
            sums.add(at, class.count);
        }
        sums
    }

    /// Adds records of a class to the sums.
    pub fn add(&mut self, class: usize, count: u64) {
        self.having[self.value_of[class] as usize] += count;
        for bar in &self.bars[class] {
            self.barring[bar.value as usize] += count;
            self.pairs[bar.counted_in as usize] += count;
        }
    }

    /// Removes records of a class from the sums.
    pub fn take(&mut self, class: usize, count: u64) {
        self.having[self.value_of[class] as usize] -= count;
        for bar in &self.bars[class] {
            self.barring[bar.value as usize] -= count;
            self.pairs[bar.counted_in as usize] -= count;
        }
    }

    /// The number of records that clash with a class: NIT of a group of one.
    pub fn clashing(&self, class: usize) -> u64 {
        let own = self.value_of[class] as usize;
        let mut clashing = self.having[own] + self.barring[own];
        for bar in &self.bars[class] {
            clashing += self.having[bar.value as usize];
            if bar.mirrored != NONE {
                clashing -= self.pairs[bar.mirrored as usize];
            }
        }
        clashing
    }
}
