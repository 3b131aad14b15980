//! Rows of people who have far more than can be put into clusters.
//!
//! A cluster of phase 1 has one row of each of k people, so a person has no more rows in clusters than there are clusters, and
//! M clusters need Σ min(rows of a person, M) ≥ k · M rows. The largest such M bounds what phase 1 can do. Where one person
//! made most of a log, all but a few of the rows are bound to be left over, whatever is searched for; to search a partner for
//! each of them would take most of the time and find nothing. So they go to phase 2 at once.

use super::rows::{Row, Rows};

/// So many times as many rows of a person take part as can be placed at most, so that there is a choice.
const CHOICE: usize = 2;

/// The rows that take no part in phase 1, ascending. Those of a person that do are spread evenly over all sizes.
pub(super) fn surplus(rows: &Rows, k: usize) -> Vec<Row> {
    if !rows.has_users() {
        return Vec::new();
    }
    // Rows without terms are no trouble: they come first, and all at once.
    let with_terms = || (0..rows.len() as Row).filter(|row| rows.size(*row) > 0);
    let mut counts = vec![0; rows.people()];
    for row in with_terms() {
        counts[rows.user(row) as usize] += 1;
    }
    let most = most_clusters(&counts, k).saturating_mul(CHOICE);
    if most == 0 {
        return Vec::new();
    }
    let mut seen = vec![0; counts.len()];
    let mut takes_part = |row: &Row| {
        let user = rows.user(*row) as usize;
        let (at, all) = (seen[user], counts[user]);
        seen[user] += 1;
        all <= most || at * most / all != (at + 1) * most / all
    };
    with_terms().filter(|row| !takes_part(row)).collect()
}

/// How many groups of k different people there can be at most, where people have so many rows.
fn most_clusters(counts: &[usize], k: usize) -> usize {
    let total: usize = counts.iter().sum();
    let feasible = |clusters: usize| {
        let usable: usize = counts.iter().map(|count| *count.min(&clusters)).sum();
        usable >= clusters.saturating_mul(k)
    };
    // What fits for some number of groups fits for every smaller one.
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

    /// Takes a row of each of the k people who have most, again and again: that makes as many groups as there can be.
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
            Rows::new(&bags, true)
        };
        // Ten rows of others are five groups of three with ten rows of the first to choose from.
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
