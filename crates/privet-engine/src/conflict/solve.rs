//! The best cut that respects all conflicts: maximise the gain of specialised nodes, no child without its parent, no
//! conflict with all its members.
//!
//! A node outside of every conflict is specialised whenever its parent is, so its gain is its nearest ancestor's that is in
//! a conflict; nodes without such an ancestor are always specialised. What is left falls apart into components that share
//! neither a conflict nor a line of descent, each small enough for branch and bound.

use super::{Conflicts, cut_of};
use privet_core::clock::Clock;
use privet_core::{Exact, Result};
use privet_taxonomy::{ItemTree, Node};

/// What each node costs when it is in the cut.
#[derive(Debug, Clone)]
pub struct Prices {
    /// Per node, its cost.
    cost: Vec<u128>,
    /// Per inner node, what specialising it gains: its cost less that of its children, and among cuts of equal cost one
    /// more published node for every child but the first.
    gain: Vec<u128>,
}

/// Of the gain, the part that only breaks ties; no tree has enough nodes to outweigh a unit of cost.
const TIE_BITS: u32 = 33;

impl Prices {
    /// From the cost of each node; a node must not cost less than its children together.
    pub fn new(tree: &ItemTree, cost: Vec<u128>) -> Prices {
        let gain = tree.nodes().map(|node| {
            if tree.is_leaf(node) {
                return 0;
            }
            let below: u128 = tree.children(node).map(|child| cost[child as usize]).sum();
            let more = tree.children(node).len() as u128 - 1;
            (cost[node as usize].saturating_sub(below) << TIE_BITS) + more
        });
        let gain = gain.collect();
        Prices { cost, gain }
    }

    /// What a cut costs.
    pub fn of_cut(&self, cut: &[Node]) -> u128 {
        cut.iter().map(|node| self.cost[*node as usize]).sum()
    }
}

/// The best cut for the known conflicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solved {
    /// The cut, ascending.
    pub cut: Vec<Node>,
    /// Its cost.
    pub cost: u128,
    /// What no cut that respects the conflicts can beat; the cost itself unless the time ran out or an approximation was
    /// allowed.
    pub bound: u128,
    /// How many choices were looked at.
    pub examined: u64,
}

/// Finds the cheapest cut that respects all conflicts, or one within 1 + `alpha` of it. When the clock's limit is over,
/// the best found so far.
pub fn solve<W>(
    tree: &ItemTree,
    prices: &Prices,
    conflicts: &Conflicts<W>,
    alpha: Exact,
    clock: &Clock,
) -> Result<Solved> {
    let mut specialised = vec![true; tree.len()];
    let mut examined = 0;
    let mut spared: u128 = 0;
    let variables = Variables::new(tree, prices, conflicts);
    for component in variables.components() {
        let mut search = ConflictSearch::new(component, alpha, clock);
        search.run()?;
        examined += search.examined;
        spared += search.best_loss - search.proven;
        for (variable, is_in) in search.component.nodes.iter().zip(&search.best) {
            specialised[*variable as usize] = *is_in;
        }
    }
    let cut = cut_of(tree, |node| specialised[node as usize] && !conflicts.is_locked(node));
    let cost = prices.of_cut(&cut);
    // A gain is a cost and a tie-break; what might be spared of both is rounded up to a cost.
    let bound = cost.saturating_sub((spared + ((1 << TIE_BITS) - 1)) >> TIE_BITS);
    Ok(Solved { cut, cost, bound, examined })
}

/// The nodes that take part in a conflict which is not settled by a lock, with all that hangs on them.
struct Variables {
    /// Per variable, its node; ascending.
    nodes: Vec<Node>,
    /// Per variable, its own gain and that of the nodes outside of conflicts that go with it.
    gain: Vec<u128>,
    /// Per variable, the nearest variable above it.
    parent: Vec<Option<u32>>,
    conflicts: Vec<Vec<u32>>,
}

impl Variables {
    fn new<W>(tree: &ItemTree, prices: &Prices, conflicts: &Conflicts<W>) -> Variables {
        const NONE: u32 = u32::MAX;
        // Nodes at or below a lock are never specialised.
        let mut dead = vec![false; tree.len()];
        for node in tree.nodes() {
            let above = tree.parent(node).is_some_and(|parent| dead[parent as usize]);
            dead[node as usize] = above || conflicts.is_locked(node);
        }
        let live: Vec<&[Node]> = (conflicts.iter().map(|conflict| &conflict.members[..]))
            .filter(|members| members.iter().all(|node| !dead[*node as usize]))
            .collect();
        let mut nodes: Vec<Node> = live.iter().flat_map(|members| members.iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut of_node = vec![NONE; tree.len()];
        for (variable, node) in nodes.iter().enumerate() {
            of_node[*node as usize] = variable as u32;
        }
        let mut gain = vec![0; nodes.len()];
        let mut parent = vec![None; nodes.len()];
        // Per node, the nearest variable at or above it.
        let mut nearest = vec![NONE; tree.len()];
        for node in tree.nodes() {
            let above = tree.parent(node).map_or(NONE, |parent| nearest[parent as usize]);
            let own = of_node[node as usize];
            nearest[node as usize] = if own == NONE { above } else { own };
            if own != NONE && above != NONE {
                parent[own as usize] = Some(above);
            }
            if !dead[node as usize] && nearest[node as usize] != NONE {
                gain[nearest[node as usize] as usize] += prices.gain[node as usize];
            }
        }
        let conflicts = (live.iter())
            .map(|members| members.iter().map(|node| of_node[*node as usize]).collect())
            .collect();
        Variables { nodes, gain, parent, conflicts }
    }

    /// The parts that can be solved on their own.
    fn components(&self) -> Vec<Component> {
        let mut leader: Vec<u32> = (0..self.nodes.len() as u32).collect();
        fn find(leader: &mut [u32], mut at: u32) -> u32 {
            while leader[at as usize] != at {
                leader[at as usize] = leader[leader[at as usize] as usize];
                at = leader[at as usize];
            }
            at
        }
        let mut join = |one: u32, other: u32| {
            let (one, other) = (find(&mut leader, one), find(&mut leader, other));
            leader[one.max(other) as usize] = one.min(other);
        };
        for conflict in &self.conflicts {
            conflict.windows(2).for_each(|pair| join(pair[0], pair[1]));
        }
        for (variable, parent) in self.parent.iter().enumerate() {
            if let Some(parent) = parent {
                join(variable as u32, *parent);
            }
        }
        let mut place = vec![(0u32, 0u32); self.nodes.len()];
        let mut components: Vec<Component> = Vec::new();
        let mut of_leader = vec![u32::MAX; self.nodes.len()];
        for variable in 0..self.nodes.len() {
            let leader = find(&mut leader, variable as u32) as usize;
            if of_leader[leader] == u32::MAX {
                of_leader[leader] = components.len() as u32;
                components.push(Component::default());
            }
            let component = &mut components[of_leader[leader] as usize];
            place[variable] = (of_leader[leader], component.nodes.len() as u32);
            component.nodes.push(self.nodes[variable]);
            component.gain.push(self.gain[variable]);
            // A variable's parent has a smaller number, so its place is known.
            component.parent.push(self.parent[variable].map(|parent| place[parent as usize].1));
        }
        for conflict in &self.conflicts {
            let component = &mut components[place[conflict[0] as usize].0 as usize];
            component.conflicts.push(conflict.iter().map(|variable| place[*variable as usize].1).collect());
        }
        components.iter_mut().for_each(Component::index);
        components
    }
}

/// Variables that hang together; parents before children.
#[derive(Default)]
struct Component {
    nodes: Vec<Node>,
    gain: Vec<u128>,
    parent: Vec<Option<u32>>,
    conflicts: Vec<Vec<u32>>,
    children: Vec<Vec<u32>>,
    conflicts_of: Vec<Vec<u32>>,
}

impl Component {
    fn index(&mut self) {
        self.children = vec![Vec::new(); self.nodes.len()];
        self.conflicts_of = vec![Vec::new(); self.nodes.len()];
        for (variable, parent) in self.parent.iter().enumerate() {
            if let Some(parent) = parent {
                self.children[*parent as usize].push(variable as u32);
            }
        }
        for (at, conflict) in self.conflicts.iter().enumerate() {
            for variable in conflict {
                self.conflicts_of[*variable as usize].push(at as u32);
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    In,
    Out,
}

/// Depth-first branch and bound over one component.
struct ConflictSearch<'a> {
    component: Component,
    status: Vec<Status>,
    /// Per conflict, how many members are in, and how many are out.
    tally: Vec<(u32, u32)>,
    /// What the variables that are out would have gained.
    loss: u128,
    /// In the order in which they were settled.
    trail: Vec<u32>,
    best: Vec<bool>,
    best_loss: u128,
    /// What no choice can lose less than.
    proven: u128,
    alpha: Exact,
    examined: u64,
    clock: &'a Clock,
    /// Room for the bound: what is left of each variable's gain.
    residual: Vec<u128>,
}

impl<'a> ConflictSearch<'a> {
    fn new(component: Component, alpha: Exact, clock: &'a Clock) -> ConflictSearch<'a> {
        let variables = component.nodes.len();
        ConflictSearch {
            status: vec![Status::Open; variables],
            tally: vec![(0, 0); component.conflicts.len()],
            loss: 0,
            trail: Vec::new(),
            best: vec![false; variables],
            best_loss: u128::MAX,
            proven: 0,
            alpha,
            examined: 0,
            clock,
            residual: vec![0; variables],
            component,
        }
    }

    fn run(&mut self) -> Result<()> {
        // Everything out is a solution: the parents' conflicts are settled by it.
        self.best_loss = self.component.gain.iter().sum();
        let root_bound = self.bound();
        let mut stack: Vec<(usize, Option<u32>)> = Vec::new();
        // A dive settles variables one after the other; an entry of the stack is a place to come back to and the
        // variable that goes out then.
        let mut alive = true;
        loop {
            self.examined += 1;
            if self.examined.is_multiple_of(256) {
                self.clock.check()?;
                if self.clock.is_over() {
                    self.proven = root_bound.min(self.best_loss);
                    return Ok(());
                }
            }
            if alive && !self.is_hopeless() {
                match self.next_variable() {
                    Some(variable) => {
                        stack.push((self.trail.len(), Some(variable)));
                        alive = self.settle(variable, Status::In);
                        continue;
                    }
                    None => self.keep(),
                }
            }
            alive = loop {
                let Some((length, variable)) = stack.pop() else {
                    self.proven = self.least_possible(root_bound);
                    return Ok(());
                };
                self.undo(length);
                if let Some(variable) = variable {
                    stack.push((length, None));
                    break self.settle(variable, Status::Out);
                }
            };
        }
    }

    /// What a finished search has proven: with an approximation, as much less than the best as it allows.
    fn least_possible(&self, root_bound: u128) -> u128 {
        let (num, den) = (u128::from(self.alpha.numerator()), u128::from(self.alpha.denominator()));
        (self.best_loss * den).div_ceil(den + num).max(root_bound.min(self.best_loss))
    }

    fn is_hopeless(&mut self) -> bool {
        let bound = self.bound();
        let (num, den) = (u128::from(self.alpha.numerator()), u128::from(self.alpha.denominator()));
        bound * (den + num) >= self.best_loss * den
    }

    /// What is lost at least: the gains that are out, and in each unsettled conflict the smallest gain of a member that may
    /// still go out. A gain is charged by parts, so that no part is counted twice (a dual packing).
    fn bound(&mut self) -> u128 {
        let ConflictSearch { component, status, tally, residual, .. } = self;
        for (variable, residual) in residual.iter_mut().enumerate() {
            *residual = component.gain[variable];
        }
        // With a variable its descendants go out: what they still hold may be charged for it as well.
        for variable in (0..residual.len()).rev() {
            if let (Some(parent), Status::Open) = (component.parent[variable], status[variable])
                && status[parent as usize] == Status::Open
                && component.conflicts_of[variable].iter().all(|at| tally[*at as usize].1 > 0)
            {
                residual[parent as usize] += residual[variable];
                residual[variable] = 0;
            }
        }
        let mut bound = self.loss;
        for (members, (_, out)) in component.conflicts.iter().zip(tally.iter()) {
            if *out > 0 {
                continue;
            }
            let open = || members.iter().filter(|variable| status[**variable as usize] == Status::Open);
            let Some(delta) = open().map(|variable| residual[*variable as usize]).min() else { continue };
            bound += delta;
            open().for_each(|variable| residual[*variable as usize] -= delta);
        }
        bound
    }

    /// The open variable of largest gain whose parent is in and which a conflict still stops.
    fn next_variable(&self) -> Option<u32> {
        let component = &self.component;
        let available = |variable: &u32| {
            let at = *variable as usize;
            self.status[at] == Status::Open
                && component.parent[at].is_none_or(|parent| self.status[parent as usize] == Status::In)
        };
        (0..component.nodes.len() as u32)
            .filter(|variable| available(variable) && self.is_contested(*variable))
            .max_by_key(|variable| (component.gain[*variable as usize], std::cmp::Reverse(*variable)))
    }

    /// Whether a conflict still stops the variable or one below it; there may be more of these below each other than any
    /// stack holds.
    fn is_contested(&self, variable: u32) -> bool {
        let component = &self.component;
        let (mut next, mut waiting) = (Some(variable), Vec::new());
        while let Some(variable) = next {
            let mut conflicts = component.conflicts_of[variable as usize].iter();
            if conflicts.any(|at| self.tally[*at as usize].1 == 0) {
                return true;
            }
            waiting.extend(&component.children[variable as usize]);
            next = waiting.pop();
        }
        false
    }

    /// Settles a variable and what follows from it; false where that breaks a conflict.
    fn settle(&mut self, variable: u32, status: Status) -> bool {
        let mut todo = vec![(variable, status)];
        while let Some((variable, status)) = todo.pop() {
            let at = variable as usize;
            match self.status[at] {
                Status::Open => {}
                known if known == status => continue,
                _ => return false,
            }
            self.status[at] = status;
            self.trail.push(variable);
            match status {
                Status::In => {
                    for conflict in &self.component.conflicts_of[at] {
                        let tally = &mut self.tally[*conflict as usize];
                        tally.0 += 1;
                        let members = &self.component.conflicts[*conflict as usize];
                        if tally.1 == 0 && tally.0 as usize + 1 >= members.len() {
                            let last =
                                members.iter().find(|member| self.status[**member as usize] == Status::Open);
                            let Some(last) = last else { return self.finish_tally(variable, *conflict) };
                            todo.push((*last, Status::Out));
                        }
                    }
                }
                _ => {
                    self.loss += self.component.gain[at];
                    for conflict in &self.component.conflicts_of[at] {
                        self.tally[*conflict as usize].1 += 1;
                    }
                    todo.extend(self.component.children[at].iter().map(|child| (*child, Status::Out)));
                }
            }
        }
        true
    }

    /// Completes the tally of a variable whose settling stopped at a broken conflict, so that undoing it fits.
    fn finish_tally(&mut self, variable: u32, broken: u32) -> bool {
        let conflicts = &self.component.conflicts_of[variable as usize];
        for conflict in conflicts.iter().skip_while(|conflict| **conflict != broken).skip(1) {
            self.tally[*conflict as usize].0 += 1;
        }
        false
    }

    fn undo(&mut self, length: usize) {
        for variable in self.trail.drain(length..) {
            let at = variable as usize;
            let was_in = self.status[at] == Status::In;
            self.status[at] = Status::Open;
            if !was_in {
                self.loss -= self.component.gain[at];
            }
            for conflict in &self.component.conflicts_of[at] {
                let tally = &mut self.tally[*conflict as usize];
                *(if was_in { &mut tally.0 } else { &mut tally.1 }) -= 1;
            }
        }
    }

    /// No conflict stops an open variable any more: all of them go in.
    fn keep(&mut self) {
        if self.loss < self.best_loss {
            self.best_loss = self.loss;
            for (best, status) in self.best.iter_mut().zip(&self.status) {
                *best = *status != Status::Out;
            }
        }
    }
}
