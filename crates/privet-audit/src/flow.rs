//! Filling wants from supplies: the largest flow through a bipartite network (Dinic's algorithm).

/// No arc.
const NONE: u32 = u32::MAX;

/// How much a supply gives to a taker: the supply, the taker and the amount.
pub type Gift = (u32, u32, u64);

/// Takes as much as possible from each wanted amount, where a supply `(amount, takers)` may be divided among its takers.
/// Returns who gives how much to whom, by rising supply.
///
/// What is left in `wanted` cannot be filled by any division of the supplies.
///
/// ```
/// use privet_audit::flow::fill;
/// let mut wanted = [1, 1];
/// let gifts = fill(&[(1, vec![0, 1]), (1, vec![0])], &mut wanted);
/// assert_eq!((gifts, wanted), (vec![(0, 1, 1), (1, 0, 1)], [0, 0]));
/// ```
pub fn fill(supplies: &[(u64, Vec<u32>)], wanted: &mut [u64]) -> Vec<Gift> {
    let mut network = Network::new(supplies.len() + wanted.len() + 2);
    let supply = |at: usize| at + 2;
    let taker = |at: u32| supplies.len() + 2 + at as usize;
    let mut arcs = Vec::new();
    for (at, (amount, takers)) in supplies.iter().enumerate() {
        network.connect(Network::SOURCE, supply(at), *amount);
        for to in takers {
            arcs.push((at as u32, *to, network.connect(supply(at), taker(*to), *amount)));
        }
    }
    let exits: Vec<u32> = (0u32..)
        .zip(wanted.iter())
        .map(|(at, amount)| network.connect(taker(at), Network::SINK, *amount))
        .collect();
    network.saturate();
    for (amount, exit) in wanted.iter_mut().zip(exits) {
        *amount = network.room[exit as usize];
    }
    // What flows along an arc is what its reverse has room for.
    let given = arcs.into_iter().map(|(from, to, arc)| (from, to, network.room[arc as usize ^ 1]));
    given.filter(|(_, _, amount)| *amount > 0).collect()
}

/// A directed network. Arc `a` and its reverse `a ^ 1` stand side by side.
struct Network {
    first: Vec<u32>,
    next: Vec<u32>,
    to: Vec<u32>,
    room: Vec<u64>,
}

impl Network {
    const SOURCE: usize = 0;
    const SINK: usize = 1;

    fn new(nodes: usize) -> Network {
        Network { first: vec![NONE; nodes], next: Vec::new(), to: Vec::new(), room: Vec::new() }
    }

    fn connect(&mut self, from: usize, to: usize, room: u64) -> u32 {
        let arc = self.to.len() as u32;
        for (from, to, room) in [(from, to, room), (to, from, 0)] {
            self.to.push(to as u32);
            self.room.push(room);
            self.next.push(self.first[from]);
            self.first[from] = self.to.len() as u32 - 1;
        }
        arc
    }

    fn saturate(&mut self) {
        while let Some(levels) = self.levels() {
            let mut current = self.first.clone();
            while let Some(path) = self.path(&levels, &mut current) {
                let amount = path.iter().map(|arc| self.room[*arc as usize]).min().unwrap_or(0);
                for arc in path {
                    self.room[arc as usize] -= amount;
                    self.room[arc as usize ^ 1] += amount;
                }
            }
        }
    }

    /// The distance of every node from the source; `None` when the sink cannot be reached any more.
    fn levels(&self) -> Option<Vec<u32>> {
        let mut levels = vec![NONE; self.first.len()];
        levels[Self::SOURCE] = 0;
        let mut queue = vec![Self::SOURCE];
        let mut head = 0;
        while head < queue.len() {
            let node = queue[head];
            head += 1;
            let mut arc = self.first[node];
            while arc != NONE {
                let to = self.to[arc as usize] as usize;
                if self.room[arc as usize] > 0 && levels[to] == NONE {
                    levels[to] = levels[node] + 1;
                    queue.push(to);
                }
                arc = self.next[arc as usize];
            }
        }
        (levels[Self::SINK] != NONE).then_some(levels)
    }

    /// A path with room from source to sink along rising levels. `current` skips the arcs that led nowhere before.
    fn path(&self, levels: &[u32], current: &mut [u32]) -> Option<Vec<u32>> {
        let mut path: Vec<u32> = Vec::new();
        let mut node = Self::SOURCE;
        while node != Self::SINK {
            let arc = current[node];
            if arc == NONE {
                let back = path.pop()?;
                node = self.to[back as usize ^ 1] as usize;
                current[node] = self.next[back as usize];
                continue;
            }
            let to = self.to[arc as usize] as usize;
            if self.room[arc as usize] > 0 && levels[to] == levels[node] + 1 {
                path.push(arc);
                node = to;
            } else {
                current[node] = self.next[arc as usize];
            }
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_supply_that_others_do_not_need_goes_where_it_must() {
        let mut wanted = [1, 1, 2];
        fill(&[(1, vec![0, 1]), (1, vec![0]), (2, vec![1, 2])], &mut wanted);
        assert_eq!(wanted, [0, 0, 0]);
    }

    #[test]
    fn what_nobody_supplies_stays_wanted() {
        let mut wanted = [3, 5];
        fill(&[(2, vec![0]), (9, vec![0])], &mut wanted);
        assert_eq!(wanted, [0, 5]);
        fill(&[], &mut wanted);
        assert_eq!(wanted, [0, 5]);
    }

    /// Hall's theorem by enumeration: the shortage is the largest excess of any set of takers over its suppliers.
    fn shortage(supplies: &[(u64, Vec<u32>)], wanted: &[u64]) -> u64 {
        let sets = 0u32..1 << wanted.len();
        let excess = sets.map(|set| {
            let want: u64 = (0..wanted.len()).filter(|at| set >> at & 1 == 1).map(|at| wanted[at]).sum();
            let reach = supplies.iter().filter(|(_, takers)| takers.iter().any(|to| set >> to & 1 == 1));
            want.saturating_sub(reach.map(|(amount, _)| amount).sum())
        });
        excess.max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn the_shortage_is_the_least_possible(
            supplies in proptest::collection::vec((0u64..5, proptest::collection::vec(0u32..5, 0..4)), 0..8),
            wanted in proptest::collection::vec(0u64..6, 5),
        ) {
            let mut left = wanted.clone();
            fill(&supplies, &mut left);
            prop_assert_eq!(left.iter().sum::<u64>(), shortage(&supplies, &wanted));
        }
    }
}
