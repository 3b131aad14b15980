//! The lightest of the largest matchings between two short lists, by shortest augmenting paths (the Hungarian method).

/// How many pairs the largest matching has and what the lightest such matching weighs. `weights` has a row per thing on
/// the left, of which there are no more than things on the right; `None` where two cannot be paired.
pub(super) fn largest_lightest(weights: &[Vec<Option<u32>>]) -> (u64, u64) {
    let rows = weights.len();
    let columns = weights.first().map_or(0, Vec::len);
    let most = weights.iter().flatten().flatten().max().copied().unwrap_or(0);
    // Where there is no edge, one stands in that costs more than all real ones together.
    let stand_in = (i64::from(most) + 1) * (rows as i64 + 1);
    let cost = |row: usize, column: usize| weights[row - 1][column - 1].map_or(stand_in, i64::from);
    // Rows and columns count from 1; column 0 is where a path begins.
    let (mut of_row, mut of_column) = (vec![0i64; rows + 1], vec![0i64; columns + 1]);
    let mut row_of = vec![0usize; columns + 1];
    for row in 1..=rows {
        row_of[0] = row;
        let mut slack = vec![i64::MAX; columns + 1];
        let mut previous = vec![0usize; columns + 1];
        let mut done = vec![false; columns + 1];
        let mut at = 0;
        while row_of[at] != 0 {
            done[at] = true;
            let (mut least, mut next) = (i64::MAX, 0);
            for column in (1..=columns).filter(|column| !done[*column]) {
                let reduced = cost(row_of[at], column) - of_row[row_of[at]] - of_column[column];
                if reduced < slack[column] {
                    (slack[column], previous[column]) = (reduced, at);
                }
                if slack[column] < least {
                    (least, next) = (slack[column], column);
                }
            }
            for column in 0..=columns {
                if done[column] {
                    of_row[row_of[column]] += least;
                    of_column[column] -= least;
                } else if slack[column] < i64::MAX {
                    slack[column] -= least;
                }
            }
            at = next;
        }
        while at != 0 {
            row_of[at] = row_of[previous[at]];
            at = previous[at];
        }
    }
    let pairs = (1..=columns).filter(|column| row_of[*column] > 0);
    let paired = pairs.filter_map(|column| weights[row_of[column] - 1][column - 1]);
    paired.fold((0, 0), |(pairs, sum), weight| (pairs + 1, sum + u64::from(weight)))
}
