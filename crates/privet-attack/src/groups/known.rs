//! The people whom an attacker knows: everybody's quasi-identifiers, next to the sensitive value that is true of them.

use std::sync::Arc;

use privet_taxonomy::Taxonomy;

/// A quasi-identifier and the tree of its values.
#[derive(Debug, Clone)]
pub struct KnownAttribute {
    /// Its name.
    pub name: String,
    /// How its values generalise.
    pub taxonomy: Arc<Taxonomy>,
}

/// People by their quasi-identifiers, each with the sensitive value that is true. People who are alike may be one record.
#[derive(Debug, Clone)]
pub struct KnownPeople {
    /// The quasi-identifiers.
    pub attributes: Vec<KnownAttribute>,
    /// The sensitive values, by number.
    pub values: Vec<String>,
    /// Per quasi-identifier, the leaf of every record.
    leaves: Vec<Vec<u32>>,
    value_of: Vec<u32>,
    counts: Vec<u64>,
}

impl KnownPeople {
    /// Nobody yet.
    pub fn new(attributes: Vec<KnownAttribute>, values: Vec<String>) -> KnownPeople {
        KnownPeople {
            leaves: vec![Vec::new(); attributes.len()],
            value_of: Vec::new(),
            counts: vec![0; values.len()],
            attributes,
            values,
        }
    }

    /// Adds a record: a leaf per quasi-identifier, and a value.
    pub fn push(&mut self, leaves: &[u32], value: u32) {
        self.leaves.iter_mut().zip(leaves).for_each(|(column, leaf)| column.push(*leaf));
        self.value_of.push(value);
        self.counts[value as usize] += 1;
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.value_of.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.value_of.is_empty()
    }

    /// The value of a record.
    pub fn value(&self, record: usize) -> u32 {
        self.value_of[record]
    }

    /// The leaf of a record in a quasi-identifier.
    pub fn leaf(&self, attribute: usize, record: usize) -> u32 {
        self.leaves[attribute][record]
    }

    /// How many records have each value, by number.
    pub fn value_counts(&self) -> &[u64] {
        &self.counts
    }
}
