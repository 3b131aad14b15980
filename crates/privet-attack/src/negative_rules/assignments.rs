//! The ways to give the values of a group to its people, where some values are impossible for some of them.
//!
//! People for whom the same values are possible are of one kind. From one assignment all others follow: a value is possible for
//! a person in some assignment iff both are in one strongly connected component of the graph in which kinds point to the values
//! they may have, and values to the kinds that have them.

use privet_audit::flow;
use privet_core::ValueSet;

/// People for whom the same values are possible.
pub(super) struct AlikePeople {
    /// The values.
    pub allowed: ValueSet,
    /// How many people there are.
    pub count: u64,
}

/// Pairs of a kind and of a value, by its place in `counts`, that some assignment has; `None` if there is no assignment.
pub(super) fn some_assignment(kinds: &[AlikePeople], counts: &[(u32, u64)]) -> Option<Vec<(usize, usize)>> {
    let supply = |kind: &AlikePeople| {
        let allowed = (0u32..).zip(counts).filter(|(_, (value, _))| kind.allowed.contains(*value));
        (kind.count, allowed.map(|(place, _)| place).collect())
    };
    let supplies: Vec<(u64, Vec<u32>)> = kinds.iter().map(supply).collect();
    let mut wanted: Vec<u64> = counts.iter().map(|(_, count)| *count).collect();
    let gifts = flow::fill(&supplies, &mut wanted);
    let people: u64 = kinds.iter().map(|kind| kind.count).sum();
    let given: u64 = gifts.iter().map(|(_, _, amount)| amount).sum();
    (given == people)
        .then(|| gifts.iter().map(|(kind, place, _)| (*kind as usize, *place as usize)).collect())
}

/// Per kind, the values that some assignment gives to its people; `held` is what one assignment gives them.
pub(super) fn valid_values(
    kinds: &[AlikePeople],
    counts: &[(u32, u64)],
    held: &[(usize, usize)],
    values: usize,
) -> Vec<ValueSet> {
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); kinds.len() + counts.len()];
    let node_of = |place: usize| kinds.len() + place;
    for (at, kind) in kinds.iter().enumerate() {
        let allowed = counts.iter().enumerate().filter(|(_, (value, _))| kind.allowed.contains(*value));
        edges[at] = allowed.map(|(place, _)| node_of(place)).collect();
    }
    held.iter().for_each(|(kind, place)| edges[node_of(*place)].push(*kind));
    let component = components(&edges);
    let valid = |(at, kind): (usize, &AlikePeople)| {
        let same = counts.iter().enumerate().filter(|(place, (value, _))| {
            kind.allowed.contains(*value) && component[node_of(*place)] == component[at]
        });
        ValueSet::of(values, same.map(|(_, (value, _))| *value))
    };
    kinds.iter().enumerate().map(valid).collect()
}

/// The strongly connected component of every node, by Tarjan's algorithm. Groups may have more values than a stack has frames,
/// so the way down is a list.
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let nodes = edges.len();
    let (mut found, mut lowest, mut component) = (vec![NEW; nodes], vec![NEW; nodes], vec![NEW; nodes]);
    let (mut open, mut way, mut turn) = (Vec::new(), Vec::new(), 0);
    for start in 0..nodes {
        if found[start] != NEW {
            continue;
        }
        way.push((start, 0));
        while let Some((node, next)) = way.last_mut() {
            let node = *node;
            if *next == 0 {
                (found[node], lowest[node]) = (turn, turn);
                turn += 1;
                open.push(node);
            }
            if let Some(to) = edges[node].get(*next).copied() {
                *next += 1;
                if found[to] == NEW {
                    way.push((to, 0));
                } else if component[to] == NEW {
                    lowest[node] = lowest[node].min(found[to]);
                }
                continue;
            }
            way.pop();
            if let Some((above, _)) = way.last() {
                lowest[*above] = lowest[*above].min(lowest[node]);
            }
            if lowest[node] == found[node] {
                while let Some(member) = open.pop() {
                    component[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    component
}

/// The most people whose assignments a number of 64 bits can count: 20! < 2⁶⁴.
pub(super) const MOST_COUNTED: u64 = 20;

/// More states than this are not worked out.
const MOST_STATES: usize = 1 << 20;

/// Per kind and value, by its place in `counts`, the share of the assignments that give the value to a person of the kind.
/// `None` where there is no assignment, or there are too many people or states.
///
/// People get their values one after the other. The state is how many of each value are used up, and says whose turn it is. A
/// sweep forwards counts the ways to reach each state, and one backwards the ways to finish from it.
pub(super) fn shares(kinds: &[AlikePeople], counts: &[(u32, u64)]) -> Option<Vec<Vec<f64>>> {
    let people: Vec<usize> = (kinds.iter().enumerate())
        .flat_map(|(at, kind)| std::iter::repeat_n(at, kind.count as usize))
        .collect();
    if people.len() as u64 > MOST_COUNTED {
        return None;
    }
    let (mut states, mut strides) = (1usize, Vec::with_capacity(counts.len()));
    for (_, count) in counts {
        strides.push(states);
        states = states.checked_mul(*count as usize + 1).filter(|states| *states <= MOST_STATES)?;
    }
    let used = |state: usize, place: usize| (state / strides[place]) as u64 % (counts[place].1 + 1);
    // Who is next in a state, and the places of the values that they may get.
    let steps = |state: usize| {
        let turn: u64 = (0..counts.len()).map(|place| used(state, place)).sum();
        let kind = people.get(turn as usize).copied();
        let free = (0..counts.len()).filter(move |place| used(state, *place) < counts[*place].1);
        let allowed =
            move |kind: usize| free.filter(move |place| kinds[kind].allowed.contains(counts[*place].0));
        kind.map(|kind| (kind, allowed(kind)))
    };
    let mut reached = vec![0u64; states];
    reached[0] = 1;
    for state in 0..states {
        let Some((_, places)) = steps(state).filter(|_| reached[state] > 0) else { continue };
        places.for_each(|place| reached[state + strides[place]] += reached[state]);
    }
    let mut finishing = vec![0u64; states];
    finishing[states - 1] = 1;
    for state in (0..states - 1).rev() {
        let Some((_, places)) = steps(state) else { continue };
        finishing[state] = places.map(|place| finishing[state + strides[place]]).sum();
    }
    let all = finishing[0];
    let mut given = vec![vec![0u64; counts.len()]; kinds.len()];
    for state in 0..states {
        let Some((kind, places)) = steps(state).filter(|_| reached[state] > 0) else { continue };
        places.for_each(|place| given[kind][place] += reached[state] * finishing[state + strides[place]]);
    }
    let share = |(given, kind): (&Vec<u64>, &AlikePeople)| {
        given.iter().map(|ways| *ways as f64 / (all as f64 * kind.count as f64)).collect()
    };
    (all > 0).then(|| given.iter().zip(kinds).map(share).collect())
}
