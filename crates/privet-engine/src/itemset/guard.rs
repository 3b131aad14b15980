//! Which nodes need not be combined with those already chosen, because a known conflict covers the combination.
//!
//! Choosing a node needs its ancestors to be specialised. When all members of a conflict but one are needed, whatever is
//! below the last one is *blocked*. A conflict's members are unrelated, so the ancestors of one node, which lie on a line,
//! hold at most one of them: looking for the single missing member is enough.

use super::field::Field;
use privet_taxonomy::Node;

/// Conflicts as the miner sees them, with what the chosen nodes need.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    /// The members of each conflict.
    conflicts: Vec<Vec<u32>>,
    /// Per node, the conflicts it is a member of.
    of: Vec<Vec<u32>>,
    /// Per node, how many chosen nodes it is a proper ancestor of.
    needed: Vec<u32>,
    /// Per conflict, how many of its members are needed.
    satisfied: Vec<u32>,
    /// Per node, for how many conflicts it is the last member that is not needed.
    blocked: Vec<u32>,
}

impl Guard {
    pub(super) fn new<'a>(field: &Field, conflicts: impl Iterator<Item = &'a [Node]>) -> Guard {
        let nodes = field.nodes.len();
        let mut guard = Guard {
            conflicts: Vec::new(),
            of: vec![Vec::new(); nodes],
            needed: vec![0; nodes],
            satisfied: Vec::new(),
            blocked: vec![0; nodes],
        };
        for members in conflicts {
            // A member that nothing below occurs of is never needed.
            let numbers = members.iter().map(|node| field.nodes.binary_search(node).ok().map(|at| at as u32));
            if let Some(members) = numbers.collect() {
                guard.add(members);
            }
        }
        guard
    }

    pub(super) fn len(&self) -> usize {
        self.conflicts.len()
    }

    /// Takes a conflict in, whatever is needed at the moment.
    pub(super) fn add(&mut self, members: Vec<u32>) {
        let id = self.conflicts.len() as u32;
        for member in &members {
            self.of[*member as usize].push(id);
        }
        let satisfied = members.iter().filter(|member| self.needed[**member as usize] > 0).count() as u32;
        self.satisfied.push(satisfied);
        self.conflicts.push(members);
        if let Some(last) = self.last_missing(id) {
            self.blocked[last as usize] += 1;
        }
    }

    /// Forgets all conflicts but the first ones; nothing may be chosen.
    pub(super) fn truncate(&mut self, length: usize) {
        for id in (length..self.conflicts.len()).rev() {
            if let Some(last) = self.last_missing(id as u32) {
                self.blocked[last as usize] -= 1;
            }
            for member in &self.conflicts[id] {
                self.of[*member as usize].pop();
            }
        }
        self.conflicts.truncate(length);
        self.satisfied.truncate(length);
    }

    /// Takes in the conflicts that another guard has beyond those that both know.
    pub(super) fn extend_from(&mut self, other: &Guard) {
        for members in &other.conflicts[self.conflicts.len()..] {
            self.add(members.clone());
        }
    }

    fn last_missing(&self, id: u32) -> Option<u32> {
        let members = &self.conflicts[id as usize];
        if self.satisfied[id as usize] as usize + 1 != members.len() {
            return None;
        }
        members.iter().copied().find(|member| self.needed[*member as usize] == 0)
    }

    /// Chooses a node: its ancestors are needed.
    pub(super) fn choose(&mut self, field: &Field, node: u32) {
        for above in field.ancestors(node) {
            if self.needed[above as usize] > 0 {
                self.needed[above as usize] += 1;
            } else {
                self.turn(above, 1, |satisfied| *satisfied += 1);
            }
        }
    }

    /// Takes the last choice back.
    pub(super) fn release(&mut self, field: &Field, node: u32) {
        for above in field.ancestors(node) {
            if self.needed[above as usize] > 1 {
                self.needed[above as usize] -= 1;
            } else {
                self.turn(above, 0, |satisfied| *satisfied -= 1);
            }
        }
    }

    /// Makes a node needed or not, and blocks and frees the last members that its conflicts miss.
    fn turn(&mut self, node: u32, needed: u32, count: impl Fn(&mut u32)) {
        let conflicts = std::mem::take(&mut self.of[node as usize]);
        for id in &conflicts {
            if let Some(last) = self.last_missing(*id) {
                self.blocked[last as usize] -= 1;
            }
        }
        self.needed[node as usize] = needed;
        for id in &conflicts {
            count(&mut self.satisfied[*id as usize]);
            if let Some(last) = self.last_missing(*id) {
                self.blocked[last as usize] += 1;
            }
        }
        self.of[node as usize] = conflicts;
    }

    /// Whether one of the conflicts from the given one on has all its members needed: it covers what is chosen.
    pub(super) fn covers_choice(&self, from: usize) -> bool {
        (from..self.conflicts.len()).any(|id| self.satisfied[id] as usize == self.conflicts[id].len())
    }

    /// Whether the node's children are blocked.
    pub(super) fn blocks_below(&self, node: u32) -> bool {
        self.blocked[node as usize] > 0
    }

    /// Whether the node itself is blocked.
    pub(super) fn is_blocked(&self, field: &Field, node: u32) -> bool {
        field.ancestors(node).any(|above| self.blocks_below(above))
    }
}
