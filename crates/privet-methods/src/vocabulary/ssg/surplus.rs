//! Rows of people who have far more than can be clustered.
//!
//! A cluster of phase 1 has one row of each of k people, so a person has at most as many rows in clusters as there are
//! clusters, and M clusters need Σ min(rows of a person, M) ≥ k · M rows. The largest such M bounds what phase 1 can
//! do. If one person wrote most of a log, all but a few of the rows must be left over, whatever the search does;
//! searching a partner for each of them would take most of the time and find nothing. So they go directly to phase 2.

use super::rows::{BagRow, BagRows};

/// A person takes part with this many times the rows that can be placed at most, so that there is a choice.
const CHOICE: usize = 2;

/// The rows that take no part in phase 1, ascending. A person's rows that do are spread evenly over all sizes.
pub(super) fn surplus(rows: &BagRows, k: usize) -> Vec<BagRow> {
    if !rows.has_users() {
        return Vec::new();
    }
    // Rows without terms are no problem: they come first, and all at once.
    let with_terms = || (0..rows.len() as BagRow).filter(|row| rows.size(*row) > 0);
    let mut counts = vec![0; rows.people()];
    for row in with_terms() {
        counts[rows.user(row) as usize] += 1;
    }
    let most = most_clusters(&counts, k).saturating_mul(CHOICE);
    if most == 0 {
        return Vec::new();
    }
    let mut seen = vec![0; counts.len()];
    let mut takes_part = |row: &BagRow| {
        let user = rows.user(*row) as usize;
        let (at, all) = (seen[user], counts[user]);
        seen[user] += 1;
        all <= most || at * most / all != (at + 1) * most / all
    };
    with_terms().filter(|row| !takes_part(row)).collect()
}

/// The largest number of groups of k different people, if people have these numbers of rows.
fn most_clusters(counts: &[usize], k: usize) -> usize {
    let total: usize = counts.iter().sum();
    let feasible = |clusters: usize| {
        let usable: usize = counts.iter().map(|count| *count.min(&clusters)).sum();
        usable >= clusters.saturating_mul(k)
    };
    // If some number of groups is possible, so is every smaller one.
    let (mut low, mut high) = (0, total / k.max(1));
    while low < high {
        let middle = high - (high - low) / 2;
        if feasible(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::cases;

    /// Repeatedly takes a row of each of the k people who have most: that makes as many groups as possible.
    fn counted(counts: &[usize], k: usize) -> usize {
        let mut left = counts.to_vec();
        for groups in 0.. {
            left.sort_unstable_by(|one, other| other.cmp(one));
            if left.len() < k || left[k - 1] == 0 {
                return groups;
            }
            left[..k].iter_mut().for_each(|count| *count -= 1);
        }
        unreachable!("rows run out")
    }

    #[test]
    fn no_more_groups_can_be_made() {
        for counts in
            [vec![], vec![5], vec![100, 1, 1, 1], vec![3, 3, 3], vec![50, 40, 2, 2, 1], vec![7, 0, 7, 5]]
        {
            for k in 1..5 {
                assert_eq!(most_clusters(&counts, k), counted(&counts, k), "{counts:?} {k}");
            }
        }
    }

    #[test]
    fn only_who_has_far_too_many_rows_has_some_to_spare() {
        let rows_of = |counts: &[usize]| {
            let users: Vec<String> = (counts.iter().enumerate())
                .flat_map(|(user, count)| std::iter::repeat_n(user.to_string(), *count))
                .collect();
            let bags = cases::bags(&vec![vec!["Wine".to_string()]; users.len()], Some(&users));
            BagRows::new(&bags, true)
        };
        // Ten rows of others make five groups of three, with ten rows of the first person to choose from.
        let rows = rows_of(&[100, 4, 3, 3]);
        let spare = surplus(&rows, 3);
        assert_eq!(spare.len(), 90);
        assert!(spare.iter().all(|row| rows.user(*row) == rows.user(0)));
        assert!(spare.iter().any(|row| *row < 10) && spare.iter().any(|row| *row >= 90), "{spare:?}");
        assert!(surplus(&rows_of(&[12, 6, 5, 5]), 3).is_empty());
        // Too few people for any group.
        assert!(surplus(&rows_of(&[100, 4]), 3).is_empty());
    }
}
