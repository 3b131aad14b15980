//! The simplest removals that help: for groups that there is no time to search.

use super::Problem;
use super::search::Removals;
use super::state::State;

/// How often it is looked whether enough is gone.
const LOOKS: usize = 16;

/// Removes all terms of as many records as it takes, those first that reveal most; `None` where a group of empty sets does not
/// meet the goal either. Takes about as long as looking at the group does.
pub fn stripped(problem: &Problem<'_>) -> Option<Removals> {
    let mut state = State::new(problem);
    let mut order: Vec<u32> = (0..problem.members.len() as u32).collect();
    // Records that link to nothing reveal nothing by themselves.
    let labels =
        |record: &u32| Some(state.labels_of(*record)).filter(|labels| *labels > 0).unwrap_or(u32::MAX);
    order.sort_by_cached_key(|record| (labels(record), *record));
    let mut removed = Vec::new();
    for records in order.chunks(order.len().div_ceil(LOOKS).max(1)) {
        for record in records {
            for (place, occurrence) in (0u32..).zip(state.occurrences_of(*record)) {
                state.remove(occurrence);
                removed.push((*record, place));
            }
        }
        state.rank();
        if state.standing().holds {
            removed.sort_unstable();
            return Some(Removals { cost: state.cost(), removed });
        }
    }
    None
}
