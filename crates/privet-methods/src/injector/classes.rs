//! Records that are interchangeable when groups are formed: they have the same value and the same possible values.

use std::collections::{BTreeMap, HashMap};

use privet_core::ValueSet;
use privet_engine::negative_rules::Observations;
use privet_engine::privacy::matching::Kind;

/// A class of interchangeable records.
#[derive(Debug, Clone)]
pub struct RecordClass {
    /// The value they have.
    pub value: u32,
    /// The values they may have.
    pub allowed: ValueSet,
    /// The values ruled out for them.
    pub barred: ValueSet,
    /// The number of records.
    pub count: u64,
}

impl RecordClass {
    /// Whether a record of this class cannot be exchanged with one of the other: they share their value, or one of them
    /// cannot have the other's value.
    #[inline]
    pub fn clashes(&self, other: &RecordClass) -> bool {
        self.value == other.value || self.barred.contains(other.value) || other.barred.contains(self.value)
    }
}

/// All classes of a table, sorted by value and then by barred values.
#[derive(Debug, Clone)]
pub struct RecordClasses {
    /// The number of values.
    pub values: usize,
    /// The classes.
    pub list: Vec<RecordClass>,
}

impl RecordClasses {
    /// Sorts distinct records into classes; returns the class of each. A value that is excluded for a record but occurs
    /// in it is not barred.
    pub fn of(observations: &Observations, excluded: &[ValueSet]) -> (RecordClasses, Vec<u32>) {
        let values = observations.values.len();
        // Many records share few sets, so compare them by their bits first and sort each only once.
        let mut kinds: HashMap<(u32, &ValueSet), u32> = HashMap::new();
        let kind_of: Vec<u32> = (excluded.iter().enumerate())
            .map(|(record, excluded)| {
                let next = kinds.len() as u32;
                *kinds.entry((observations.value(record), excluded)).or_insert(next)
            })
            .collect();
        // Break ties by the value and the list of barred values.
        let key = |(value, excluded): &(u32, &ValueSet)| {
            (*value, excluded.iter().filter(|other| other != value).collect::<Vec<_>>())
        };
        let mut numbers: BTreeMap<(u32, Vec<u32>), u32> = kinds.keys().map(|kind| (key(kind), 0)).collect();
        let mut list = Vec::with_capacity(numbers.len());
        for ((value, barred), number) in &mut numbers {
            *number = list.len() as u32;
            let barred = ValueSet::of(values, barred.iter().copied());
            let allowed = Kind { value: *value, excluded: barred.clone() }.allowed(values);
            list.push(RecordClass { value: *value, allowed, barred, count: 0 });
        }
        let mut class_of_kind = vec![0; kinds.len()];
        for (kind, at) in &kinds {
            class_of_kind[*at as usize] = numbers[&key(kind)];
        }
        let class_of: Vec<u32> = kind_of.iter().map(|kind| class_of_kind[*kind as usize]).collect();
        for (record, class) in class_of.iter().enumerate() {
            list[*class as usize].count += observations.weight(record);
        }
        (RecordClasses { values, list }, class_of)
    }

    /// The value and the possible values of each class, for the feasibility check; without empty classes.
    pub fn kinds(&self) -> (Vec<usize>, Vec<(u32, ValueSet)>) {
        let some = self.list.iter().enumerate().filter(|(_, class)| class.count > 0);
        some.map(|(at, class)| (at, (class.value, class.allowed.clone()))).unzip()
    }

    /// The same classes with different numbers of records.
    pub fn with_counts(&self, counts: &[u64]) -> RecordClasses {
        let class = |(class, count): (&RecordClass, &u64)| RecordClass { count: *count, ..class.clone() };
        RecordClasses { values: self.values, list: self.list.iter().zip(counts).map(class).collect() }
    }

    /// The number of records.
    pub fn total(&self) -> u64 {
        self.list.iter().map(|class| class.count).sum()
    }
}
