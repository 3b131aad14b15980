//! Whatever the rows, every part is large enough and all of its rows hold what it shows.

use proptest::prelude::*;

use super::*;
use crate::partition::partition;
use crate::testing::any_tree;
use privet_core::clock::Clock;
use privet_core::testing::cases;

struct Rows(Vec<Vec<Node>>);

impl Itemsets for Rows {
    fn items(&self, row: u32) -> &[Node] {
        &self.0[row as usize]
    }
}

/// Rows over a tiny forest, each with its user.
fn any_rows() -> impl Strategy<Value = (ItemTree, Vec<Vec<Node>>, Vec<u32>)> {
    (any_tree(), prop::collection::vec((1u32..128, 0u32..6), 1..14)).prop_map(|(tree, rows)| {
        let leaves: Vec<Node> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
        let items = |held: u32| {
            let chosen = leaves.iter().enumerate().filter(|(at, _)| held >> at & 1 == 1);
            chosen.map(|(_, leaf)| *leaf).collect()
        };
        let users = rows.iter().map(|(_, user)| *user).collect();
        let rows = rows.iter().map(|(held, _)| items(*held)).collect();
        (tree, rows, users)
    })
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn parts_are_large_enough_and_divide_the_rows(
        (tree, rows, users) in any_rows(), k in 1u64..5, guarded: bool, whole: bool,
    ) {
        let number = rows.len() as u32;
        let rows = Rows(rows);
        let crowd = Crowd { k, users: guarded.then_some(&users) };
        let steering = if whole { Steering::Whole } else { Steering::Step };
        let local = Local::new(&tree, &rows, ItemMeasure::Ncp, steering, crowd);
        let people = |rows: &[(u32, u64)]| {
            let mut people: Vec<u32> =
                rows.iter().map(|(row, _)| if guarded { users[*row as usize] } else { *row }).collect();
            people.sort_unstable();
            people.dedup();
            people.len() as u64
        };
        let mut seen = Vec::new();
        for start in local.wholes((0..number).map(|row| (row, 1)).collect()) {
            seen.extend(start.rows.iter().filter(|_| people(&start.rows) < k).map(|(row, _)| *row));
            if people(&start.rows) < k {
                continue;
            }
            for part in partition(&local, start, &Clock::unlimited()).expect("parts") {
                prop_assert!(people(&part.rows) >= k);
                for (row, times) in &part.rows {
                    prop_assert_eq!(*times, 1);
                    seen.push(*row);
                    for item in rows.items(*row) {
                        prop_assert_eq!(part.nodes().filter(|node| tree.contains(*node, *item)).count(), 1);
                    }
                    let holds = |node: Node| rows.items(*row).iter().any(|item| tree.contains(node, *item));
                    prop_assert!(part.nodes().all(holds));
                }
            }
        }
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(0..number));
    }
}

#[test]
fn what_is_left_over_takes_new_users_and_leaves_enough_behind() {
    let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    let tree = ItemTree::from_paths(&[path("a;R"), path("b;R")]).expect("a tree");
    let (a, b) = (vec![1], vec![2]);
    // One row with b; three users have a, the first of them twice.
    let rows = Rows(vec![b, a.clone(), a.clone(), a.clone(), a]);
    let users = [7, 7, 8, 8, 9];
    let crowd = Crowd { k: 2, users: Some(&users) };
    let local = Local::new(&tree, &rows, ItemMeasure::Ncp, Steering::Step, crowd);
    let whole = local.wholes((0..5).map(|row| (row, 1)).collect()).remove(0);
    let parts = partition(&local, whole, &Clock::unlimited()).expect("parts");
    let rows: Vec<Vec<u32>> =
        parts.iter().map(|part| part.rows.iter().map(|(row, _)| *row).collect()).collect();
    // Row 1 is of the user who is there already; user 8 keeps a row among those with a.
    assert_eq!(rows, [vec![1, 3, 4], vec![0, 2]]);
}
