//! Matchings between things of which there are several alike: a transportation problem instead of a matching.
//!
//! Both sides are lists of counts, and the edges are given as a list, so that sides with thousands of things take no more
//! than their edges.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Aim, Match, Weight};

/// An edge between kinds of things: the kind on the left, the kind on the right and the weight.
pub type Edge = (u32, u32, Weight);

/// How many things of a kind on the left go with things of a kind on the right.
pub type Flow = (u32, u32, u32);

/// The best matching for an aim, as flows between kinds in ascending order.
///
/// Successive cheapest paths with potentials: as many rounds as paths, each as long as the list of edges.
pub fn exact(left: &[u32], right: &[u32], edges: &[Edge], aim: Aim) -> (Match, Vec<Flow>) {
    let mut edges: Vec<Edge> = edges.iter().filter(|edge| aim.admits(edge.2)).copied().collect();
    edges.sort_unstable();
    let mut network = Network::new(left, right, &edges);
    while network.push_along_cheapest_path(aim) {}
    let flows = edges.iter().zip(&network.flow).filter(|(_, flow)| **flow > 0);
    let flows: Vec<Flow> = flows.map(|((one, other, _), flow)| (*one, *other, *flow)).collect();
    let weight =
        edges.iter().zip(&network.flow).map(|((_, _, weight), flow)| weight * Weight::from(*flow)).sum();
    (Match { matched: flows.iter().map(|flow| flow.2 as usize).sum(), weight }, flows)
}

/// The lightest edges first, of equally light ones the first by kind on the left and then on the right: what taking single
/// things in this order does where things that are alike stand together.
pub fn greedy(left: &[u32], right: &[u32], edges: &[Edge], aim: Aim) -> (Match, Vec<Flow>) {
    let mut order: Vec<&Edge> = edges.iter().filter(|edge| aim.admits(edge.2)).collect();
    order.sort_unstable_by_key(|(one, other, weight)| (*weight, *one, *other));
    let (mut left, mut right) = (left.to_vec(), right.to_vec());
    let mut found = Match::default();
    let mut flows = Vec::new();
    for (one, other, weight) in order {
        let (from, to) = (&mut left[*one as usize], &mut right[*other as usize]);
        let flow = (*from).min(*to);
        if flow > 0 {
            *from -= flow;
            *to -= flow;
            found.matched += flow as usize;
            found.weight += weight * Weight::from(flow);
            flows.push((*one, *other, flow));
        }
    }
    flows.sort_unstable();
    (found, flows)
}

/// A flow from left to right that can be changed along cheapest paths. Nodes are the kinds on the left and behind them
/// those on the right.
struct Network<'a> {
    edges: &'a [Edge],
    flow: Vec<u32>,
    /// Where the edges of a kind on the left begin.
    begins: Vec<usize>,
    /// The edges of each kind on the right.
    into: Vec<Vec<u32>>,
    left: Vec<u32>,
    right: Vec<u32>,
    potential: Vec<i64>,
    distance: Vec<i64>,
    /// The edge by which a node is reached.
    reached_by: Vec<u32>,
}

const FAR: i64 = i64::MAX;
const FROM_SOURCE: u32 = u32::MAX;

impl<'a> Network<'a> {
    fn new(left: &[u32], right: &[u32], edges: &'a [Edge]) -> Network<'a> {
        let begins =
            (0..=left.len()).map(|kind| edges.partition_point(|edge| (edge.0 as usize) < kind)).collect();
        let mut into = vec![Vec::new(); right.len()];
        for (at, (_, other, _)) in (0u32..).zip(edges) {
            into[*other as usize].push(at);
        }
        let nodes = left.len() + right.len();
        Network {
            edges,
            flow: vec![0; edges.len()],
            begins,
            into,
            left: left.to_vec(),
            right: right.to_vec(),
            potential: vec![0; nodes],
            distance: vec![FAR; nodes],
            reached_by: vec![FROM_SOURCE; nodes],
        }
    }

    /// Sends as much as possible along one cheapest path; `false` when there is none that is worth it.
    fn push_along_cheapest_path(&mut self, aim: Aim) -> bool {
        self.explore();
        let lefts = self.left.len();
        // The potentials of the sources rise together, so real lengths are compared.
        let ends =
            (0..self.right.len()).filter(|kind| self.right[*kind] > 0 && self.distance[lefts + kind] != FAR);
        let length = |kind: usize| self.distance[lefts + kind] + self.potential[lefts + kind];
        let Some((length, end)) = ends.map(|kind| (length(kind), kind)).min() else { return false };
        if let Aim::Worth(worth) = aim
            && length > worth as i64
        {
            return false;
        }
        let farthest = self.distance.iter().filter(|distance| **distance != FAR).max().copied().unwrap_or(0);
        for (potential, distance) in self.potential.iter_mut().zip(&self.distance) {
            *potential += (*distance).min(farthest);
        }
        let (mut amount, mut node) = (self.right[end], lefts + end);
        while self.reached_by[node] != FROM_SOURCE {
            let edge = self.reached_by[node] as usize;
            (amount, node) = if node >= lefts {
                (amount, self.edges[edge].0 as usize)
            } else {
                (amount.min(self.flow[edge]), lefts + self.edges[edge].1 as usize)
            };
        }
        amount = amount.min(self.left[node]);
        self.left[node] -= amount;
        self.right[end] -= amount;
        node = lefts + end;
        while self.reached_by[node] != FROM_SOURCE {
            let edge = self.reached_by[node] as usize;
            if node >= lefts {
                self.flow[edge] += amount;
                node = self.edges[edge].0 as usize;
            } else {
                self.flow[edge] -= amount;
                node = lefts + self.edges[edge].1 as usize;
            }
        }
        true
    }

    /// Cheapest ways from everything on the left that is left over to all nodes, in reduced lengths.
    fn explore(&mut self) {
        let lefts = self.left.len();
        self.distance.fill(FAR);
        self.reached_by.fill(FROM_SOURCE);
        let mut open = BinaryHeap::new();
        for (kind, rest) in self.left.iter().enumerate() {
            if *rest > 0 {
                // Reduced by the potential of the one source behind them all, which stays 0.
                self.distance[kind] = -self.potential[kind];
                open.push(Reverse((self.distance[kind], kind)));
            }
        }
        while let Some(Reverse((distance, node))) = open.pop() {
            if distance > self.distance[node] {
                continue;
            }
            let mut relax = |to: usize, length: i64, edge: u32| {
                let reach = distance + length + self.potential[node] - self.potential[to];
                if reach < self.distance[to] {
                    self.distance[to] = reach;
                    self.reached_by[to] = edge;
                    open.push(Reverse((reach, to)));
                }
            };
            if node < lefts {
                for edge in self.begins[node]..self.begins[node + 1] {
                    let (_, other, weight) = self.edges[edge];
                    relax(lefts + other as usize, weight as i64, edge as u32);
                }
            } else {
                for edge in &self.into[node - lefts] {
                    if self.flow[*edge as usize] > 0 {
                        let (one, _, weight) = self.edges[*edge as usize];
                        relax(one as usize, -(weight as i64), *edge);
                    }
                }
            }
        }
    }
}
