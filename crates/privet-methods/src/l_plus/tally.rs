//! The records of a class, counted.

/// Counts of a few numbers out of many, with a list of those that occur.
#[derive(Debug, Clone, Default)]
pub struct SparseCounter {
    pub counts: Vec<u64>,
    pub touched: Vec<u32>,
}

impl SparseCounter {
    fn new(width: usize) -> SparseCounter {
        SparseCounter { counts: vec![0; width], touched: Vec::new() }
    }

    fn add(&mut self, at: u32, count: u64) {
        let slot = &mut self.counts[at as usize];
        if *slot == 0 {
            self.touched.push(at);
        }
        *slot += count;
    }

    fn clear(&mut self) {
        for at in self.touched.drain(..) {
            self.counts[at as usize] = 0;
        }
    }

    fn absorb(&mut self, other: &SparseCounter) {
        other.iter().for_each(|(at, count)| self.add(at, count));
    }

    /// The numbers that occur, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.touched.iter().map(|at| (*at, self.counts[*at as usize]))
    }

    pub fn most(&self) -> u64 {
        self.iter().map(|(_, count)| count).max().unwrap_or(0)
    }
}

/// The records of a class, counted.
#[derive(Debug, Clone)]
pub struct ClassTally {
    /// The number of records.
    pub size: u64,
    /// Per sensitive value.
    pub values: SparseCounter,
    /// Per class label, for CM.
    pub labels: SparseCounter,
    /// Per sensitive value and label, for CM if both matter together.
    pub joint: SparseCounter,
    joins: bool,
    pub width: u32,
}

/// Records with the same quasi-identifiers, sensitive value and label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TallyEntry {
    pub value: u32,
    pub label: u32,
    pub count: u64,
}

impl ClassTally {
    pub fn new(values: usize, labels: usize, joint: bool) -> ClassTally {
        ClassTally {
            size: 0,
            values: SparseCounter::new(values),
            labels: SparseCounter::new(labels),
            joint: SparseCounter::new(if joint { values * labels } else { 0 }),
            joins: joint,
            width: labels as u32,
        }
    }

    /// Adds only what thresholds depend on.
    pub fn add_value(&mut self, entry: &TallyEntry) {
        self.size += entry.count;
        self.values.add(entry.value, entry.count);
    }

    /// Adds the labels of an entry whose value was added already.
    pub fn add_label(&mut self, entry: &TallyEntry) {
        if self.width > 0 {
            self.labels.add(entry.label, entry.count);
        }
        if self.joins {
            self.joint.add(entry.value * self.width + entry.label, entry.count);
        }
    }

    pub fn add(&mut self, entry: &TallyEntry) {
        self.add_value(entry);
        self.add_label(entry);
    }

    /// Adds the counts of another tally.
    pub fn absorb(&mut self, other: &ClassTally) {
        self.size += other.size;
        self.values.absorb(&other.values);
        self.labels.absorb(&other.labels);
        self.joint.absorb(&other.joint);
    }

    pub fn clear(&mut self) {
        self.size = 0;
        self.values.clear();
        self.labels.clear();
        self.joint.clear();
    }

    /// Appends the distinct (value, label) pairs of a full tally with their counts; label 0 if labels do not matter.
    pub fn list(&self, entries: &mut Vec<TallyEntry>) {
        let start = entries.len();
        if self.joins {
            let pair = |(at, count)| TallyEntry { value: at / self.width, label: at % self.width, count };
            entries.extend(self.joint.iter().map(pair));
        } else {
            entries.extend(self.values.iter().map(|(value, count)| TallyEntry { value, label: 0, count }));
        }
        entries[start..].sort_unstable_by_key(|entry| (entry.value, entry.label));
    }

    /// Adds counts per sensitive value, if nothing else is counted.
    pub fn add_counts(&mut self, counts: impl Iterator<Item = u64>) {
        for (value, count) in (0..).zip(counts).filter(|(_, count)| *count > 0) {
            self.size += count;
            self.values.add(value, count);
        }
    }

    /// The number of records with a label.
    pub fn with_label(&self, label: u32) -> u64 {
        self.labels.counts[label as usize]
    }

    /// The number of records with the majority label.
    pub fn majority(&self) -> u64 {
        self.labels.most()
    }
}
