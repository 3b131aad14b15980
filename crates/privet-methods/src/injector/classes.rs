//! Records that are interchangeable when groups are formed: they have the same value and may have the same values.

use std::collections::{BTreeMap, HashMap};

use privet_engine::negative_rules::Observations;
use privet_engine::privacy::matching::{Kind, ValueSet};

/// A class of interchangeable records.
#[derive(Debug, Clone)]
pub struct Class {
    /// What they have.
    pub value: u32,
    /// What they may have.
    pub allowed: ValueSet,
    /// What is out of the question for them.
    pub barred: ValueSet,
    /// How many there are.
    pub count: u64,
}

impl Class {
    /// Whether a record of this class and one of the other cannot be exchanged: they have the same value, or one of them
    /// cannot have what the other has.
    #[inline]
    pub fn clashes(&self, other: &Class) -> bool {
        self.value == other.value || self.barred.contains(other.value) || other.barred.contains(self.value)
    }
}

/// All classes of a table, by value and then by what is barred.
#[derive(Debug, Clone)]
pub struct Classes {
    /// The number of values that there are.
    pub values: usize,
    /// The classes.
    pub list: Vec<Class>,
}

impl Classes {
    /// Sorts distinct records into classes; returns the class of each. What is excluded for a record that has it all the
    /// same is not barred.
    pub fn of(observations: &Observations, excluded: &[ValueSet]) -> (Classes, Vec<u32>) {
        let values = observations.values.len();
        // Few sets occur among many records: they are told apart by their bits first, and sorted once.
        let mut kinds: HashMap<(u32, &ValueSet), u32> = HashMap::new();
        let kind_of: Vec<u32> = (excluded.iter().enumerate())
            .map(|(record, excluded)| {
                let next = kinds.len() as u32;
                *kinds.entry((observations.value(record), excluded)).or_insert(next)
            })
            .collect();
        // Ties are broken by the value and the list of what is barred.
        let key = |(value, excluded): &(u32, &ValueSet)| {
            (*value, excluded.iter().filter(|other| other != value).collect::<Vec<_>>())
        };
        let mut numbers: BTreeMap<(u32, Vec<u32>), u32> = kinds.keys().map(|kind| (key(kind), 0)).collect();
        let mut list = Vec::with_capacity(numbers.len());
        for ((value, barred), number) in &mut numbers {
            *number = list.len() as u32;
            let barred = ValueSet::of(values, barred.iter().copied());
            let allowed = Kind { value: *value, excluded: barred.clone() }.allowed(values);
            list.push(Class { value: *value, allowed, barred, count: 0 });
        }
        let mut class_of_kind = vec![0; kinds.len()];
        for (kind, at) in &kinds {
            class_of_kind[*at as usize] = numbers[&key(kind)];
        }
        let class_of: Vec<u32> = kind_of.iter().map(|kind| class_of_kind[*kind as usize]).collect();
        for (record, class) in class_of.iter().enumerate() {
            list[*class as usize].count += observations.weight(record);
        }
        (Classes { values, list }, class_of)
    }

    /// What the records of each class have and may have, for the feasibility check; classes without records left out.
    pub fn kinds(&self) -> (Vec<usize>, Vec<(u32, ValueSet)>) {
        let some = self.list.iter().enumerate().filter(|(_, class)| class.count > 0);
        some.map(|(at, class)| (at, (class.value, class.allowed.clone()))).unzip()
    }

    /// The same classes with other numbers of records.
    pub fn with_counts(&self, counts: &[u64]) -> Classes {
        let class = |(class, count): (&Class, &u64)| Class { count: *count, ..class.clone() };
        Classes { values: self.values, list: self.list.iter().zip(counts).map(class).collect() }
    }

    /// The number of records.
    pub fn total(&self) -> u64 {
        self.list.iter().map(|class| class.count).sum()
    }
}
