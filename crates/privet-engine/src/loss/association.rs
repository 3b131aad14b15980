//! Association loss (Fang, Ashrafi and Ng, *Privacy beyond Single Sensitive Attribute*, section 4.1): how much of what columns tell about each other can no longer be
//! studied when they are published in different tables.
//!
//! Γα = Σ of the mutual information of pairs that are split apart / Σ over all pairs; 0 if the latter is 0. It is 0 for one
//! table and 1 for a table per column.

/// Γα of a plan over `columns` columns; `information(a, b)` is the mutual information of two of them, in any order.
///
/// ```
/// use privet_engine::loss::association::association_loss;
/// let information = |a: usize, b: usize| if a + b == 1 { 0.3 } else { 0.1 };
/// assert_eq!(association_loss(&[vec![0, 1, 2]], 3, information), 0.0);
/// assert!((association_loss(&[vec![0, 1], vec![2]], 3, information) - 0.4).abs() < 1e-15);
/// assert_eq!(association_loss(&[vec![0], vec![1], vec![2]], 3, information), 1.0);
/// ```
pub fn association_loss(
    plan: &[Vec<usize>],
    columns: usize,
    information: impl Fn(usize, usize) -> f64,
) -> f64 {
    let mut table = vec![0; columns];
    for (number, subset) in plan.iter().enumerate() {
        subset.iter().for_each(|column| table[*column] = number);
    }
    let (mut split, mut all) = (0.0, 0.0);
    for a in 0..columns {
        for b in a + 1..columns {
            let shared = information(a, b);
            all += shared;
            if table[a] != table[b] {
                split += shared;
            }
        }
    }
    if all == 0.0 { 0.0 } else { split / all }
}
