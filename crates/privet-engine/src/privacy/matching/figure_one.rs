//! Figure 1 of the paper, repaired: valid values by a bipartite matching per pair of records.
//!
//! The reference for the one-pass check, and what benchmarks hold against it; it needs nothing else of the library. For
//! records i and j, value s_j is valid for i iff i may have it and the others can be matched with the other values.

/// A record: its value, and whether each value is one it may have.
pub struct Record {
    pub value: usize,
    pub allowed: Vec<bool>,
}

/// Per record, its valid values in rising order.
pub fn valid_values(group: &[Record]) -> Vec<Vec<usize>> {
    let valid = |one: usize| {
        let mut valid: Vec<usize> = (0..group.len())
            .filter(|other| group[one].allowed[group[*other].value] && others_match(group, one, *other))
            .map(|other| group[other].value)
            .collect();
        valid.sort_unstable();
        valid.dedup();
        valid
    };
    (0..group.len()).map(valid).collect()
}

/// Whether all records but `record` can be matched with all values but the one of `giver`.
fn others_match(group: &[Record], record: usize, giver: usize) -> bool {
    let mut holder: Vec<Option<usize>> = vec![None; group.len()];
    (0..group.len()).filter(|other| *other != record).all(|other| {
        let mut seen = vec![false; group.len()];
        seen[giver] = true;
        augment(group, other, &mut seen, &mut holder)
    })
}

fn augment(group: &[Record], record: usize, seen: &mut [bool], holder: &mut [Option<usize>]) -> bool {
    for slot in 0..group.len() {
        if seen[slot] || !group[record].allowed[group[slot].value] {
            continue;
        }
        seen[slot] = true;
        if holder[slot].is_none_or(|other| augment(group, other, seen, holder)) {
            holder[slot] = Some(record);
            return true;
        }
    }
    false
}
