//! The cheapest way to break every known threat: close inner nodes of the tree, suppress items, remove transactions.
//!
//! Every known threat is a clause: one of some parents is closed (not specialised), or one of some items is suppressed,
//! or a transaction is removed. Closing a node closes all below it, and what is below a closed node cannot be
//! suppressed on its own. What the clauses ask for is a weighted hitting set with these ties and with a limit on what is
//! suppressed; branch and bound finds the best. The bound is a packing of clauses; the limit enters it with a
//! Lagrangean multiplier, which raises the price of what the limit is short of.

use hashbrown::HashSet;

use privet_core::Result;
use privet_core::clock::Clock;
use privet_taxonomy::ItemTree;

/// A decision: a node of the tree (an inner one is closed, a leaf is suppressed) or, after these, a basket (removed).
pub(super) type Variable = u32;

/// A decision that is taken, or that is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Literal {
    pub variable: Variable,
    pub is_taken: bool,
}

impl Literal {
    pub(super) fn taken(variable: Variable) -> Literal {
        Literal { variable, is_taken: true }
    }
}

/// The known clauses, and what decisions cost.
pub(super) struct Cover<'a> {
    pub tree: &'a ItemTree,
    /// Per variable, what it adds to the cost: of an inner node, what closing it adds to what its children cost.
    pub price: Vec<u128>,
    /// Per variable, how much it uses of its limit.
    pub amount: Vec<u64>,
    /// What one unit of each limit costs at least: of the items', of the transactions'.
    pub unit: [u128; 2],
    /// How much may be used of each.
    pub limits: [u64; 2],
    clauses: Vec<Vec<Literal>>,
    seen: HashSet<Vec<Literal>, foldhash::fast::RandomState>,
}

/// What branch and bound found.
pub(super) struct Answer {
    /// Per variable, whether it is taken, in the cheapest answer that costs less than asked for.
    pub best: Option<Vec<bool>>,
    /// No answer costs less.
    pub bound: u128,
    /// Whether every answer was considered.
    pub is_complete: bool,
    /// The number of places looked at.
    pub examined: u64,
}

/// The multipliers that are tried, in units of a price.
const MULTIPLIERS: [u128; 6] = [1, 4, 16, 64, 256, 1024];

impl<'a> Cover<'a> {
    pub(super) fn new(
        tree: &'a ItemTree,
        price: Vec<u128>,
        amount: Vec<u64>,
        unit: [u128; 2],
        limits: [u64; 2],
    ) -> Cover<'a> {
        Cover { tree, price, amount, unit, limits, clauses: Vec::new(), seen: HashSet::default() }
    }

    /// Adds a clause; false if it is known.
    pub(super) fn add(&mut self, mut clause: Vec<Literal>) -> bool {
        clause.sort_unstable();
        clause.dedup();
        let is_new = self.seen.insert(clause.clone());
        if is_new {
            self.clauses.push(clause);
        }
        is_new
    }

    /// The number of clauses.
    pub(super) fn len(&self) -> usize {
        self.clauses.len()
    }

    /// The limit that a variable uses.
    fn kind(&self, variable: Variable) -> usize {
        usize::from(variable as usize >= self.tree.len())
    }

    /// The cheapest answer that costs less than `upper`. `work` is the number of literals that may be looked at.
    pub(super) fn solve(&self, upper: u128, work: &mut u64, clock: &Clock) -> Result<Answer> {
        let mut dive = Dive::new(self);
        let mut answer = Answer { best: None, bound: 0, is_complete: true, examined: 0 };
        // Clauses of one literal decide at once.
        let alone: Vec<Literal> =
            self.clauses.iter().filter(|clause| clause.len() == 1).map(|clause| clause[0]).collect();
        let is_possible =
            !self.clauses.iter().any(Vec::is_empty) && alone.into_iter().all(|literal| dive.take(literal));
        if !is_possible {
            answer.bound = upper;
            return Ok(answer);
        }
        let (root, multiplier) = dive.root_bound();
        let size: u64 = self.clauses.iter().map(|clause| clause.len() as u64).sum::<u64>() + 1;
        let mut best_cost = upper;
        let mut stack: Vec<(usize, Option<Literal>)> = Vec::new();
        let mut alive = true;
        loop {
            answer.examined += 1;
            if answer.examined.is_multiple_of(64) {
                clock.check()?;
            }
            if *work < size || (answer.examined.is_multiple_of(64) && clock.is_over()) {
                answer.is_complete = false;
                break;
            }
            *work -= size;
            if alive && dive.bound(0) < best_cost && (multiplier == 0 || dive.bound(multiplier) < best_cost) {
                match dive.next_literal() {
                    Some(literal) => {
                        stack.push((dive.trail.len(), Some(literal)));
                        alive = dive.take(literal);
                        continue;
                    }
                    None if dive.loss < best_cost => {
                        best_cost = dive.loss;
                        answer.best = Some(dive.value.iter().map(|value| *value == Some(true)).collect());
                    }
                    None => {}
                }
            }
            let next = loop {
                match stack.pop() {
                    None => break None,
                    Some((length, literal)) => {
                        dive.undo(length);
                        if let Some(literal) = literal {
                            break Some((length, literal));
                        }
                    }
                }
            };
            let Some((length, literal)) = next else { break };
            stack.push((length, None));
            alive = dive.take(Literal { is_taken: !literal.is_taken, ..literal });
        }
        answer.bound = if answer.is_complete { best_cost } else { root.min(best_cost) };
        Ok(answer)
    }
}

/// The state of a depth-first search.
struct Dive<'c, 'a> {
    cover: &'c Cover<'a>,
    value: Vec<Option<bool>>,
    trail: Vec<Variable>,
    loss: u128,
    /// What is left of each limit; negative after a step that fails.
    left: [i128; 2],
    /// Per variable, its clauses.
    clauses_of: Vec<Vec<(u32, bool)>>,
    /// Per clause, the number of its literals that hold, and of those that are open.
    holding: Vec<u32>,
    open: Vec<u32>,
    /// What closing a node costs with all below it.
    full: Vec<u128>,
    /// Memory for the bound.
    residual: Vec<u128>,
    is_active: Vec<bool>,
}

impl<'c, 'a> Dive<'c, 'a> {
    fn new(cover: &'c Cover<'a>) -> Dive<'c, 'a> {
        let variables = cover.price.len();
        let mut clauses_of = vec![Vec::new(); variables];
        for (at, clause) in (0..).zip(&cover.clauses) {
            for literal in clause {
                clauses_of[literal.variable as usize].push((at, literal.is_taken));
            }
        }
        let mut full = cover.price.clone();
        for node in cover.tree.nodes().rev().filter(|node| !cover.tree.is_leaf(*node)) {
            if let Some(parent) = cover.tree.parent(node) {
                full[parent as usize] += full[node as usize];
            }
        }
        Dive {
            value: vec![None; variables],
            trail: Vec::new(),
            loss: 0,
            left: cover.limits.map(i128::from),
            clauses_of,
            holding: vec![0; cover.clauses.len()],
            open: cover.clauses.iter().map(|clause| clause.len() as u32).collect(),
            full,
            residual: vec![0; variables],
            is_active: vec![false; variables],
            cover,
        }
    }

    /// Takes a decision and all that follows from it; false if that contradicts a clause, another decision or a limit.
    fn take(&mut self, literal: Literal) -> bool {
        let mut waiting = vec![literal];
        while let Some(Literal { variable, is_taken }) = waiting.pop() {
            match self.value[variable as usize] {
                Some(value) if value == is_taken => continue,
                Some(_) => return false,
                None => {}
            }
            if !self.set(variable, is_taken, &mut waiting) {
                return false;
            }
            let tree = self.cover.tree;
            if variable as usize >= tree.len() {
                continue;
            }
            if is_taken && !tree.is_leaf(variable) {
                let decided = |child| Literal { variable: child, is_taken: !tree.is_leaf(child) };
                waiting.extend(tree.children(variable).map(decided));
            } else if is_taken || !tree.is_leaf(variable) {
                // Above what is suppressed or specialised, everything is specialised.
                let above = tree.parent(variable);
                waiting.extend(above.map(|parent| Literal { variable: parent, is_taken: false }));
            }
        }
        true
    }

    fn set(&mut self, variable: Variable, is_taken: bool, waiting: &mut Vec<Literal>) -> bool {
        let at = variable as usize;
        self.value[at] = Some(is_taken);
        self.trail.push(variable);
        let mut is_possible = true;
        if is_taken {
            let kind = self.cover.kind(variable);
            self.loss += self.cover.price[at];
            self.left[kind] -= i128::from(self.cover.amount[at]);
            is_possible = self.left[kind] >= 0;
        }
        for (clause, sign) in &self.clauses_of[at] {
            let clause = *clause as usize;
            self.open[clause] -= 1;
            self.holding[clause] += u32::from(*sign == is_taken);
            if self.holding[clause] == 0 {
                is_possible &= self.open[clause] > 0;
                if self.open[clause] == 1 {
                    let literals = self.cover.clauses[clause].iter();
                    waiting.extend(
                        literals.filter(|literal| self.value[literal.variable as usize].is_none()).copied(),
                    );
                }
            }
        }
        is_possible
    }

    fn undo(&mut self, length: usize) {
        for variable in self.trail.drain(length..) {
            let at = variable as usize;
            let is_taken = self.value[at].take() == Some(true);
            if is_taken {
                self.loss -= self.cover.price[at];
                self.left[self.cover.kind(variable)] += i128::from(self.cover.amount[at]);
            }
            for (clause, sign) in &self.clauses_of[at] {
                self.open[*clause as usize] += 1;
                self.holding[*clause as usize] -= u32::from(*sign == is_taken);
            }
        }
    }

    /// The best bound that a multiplier gives before any decision, and that multiplier.
    fn root_bound(&mut self) -> (u128, u128) {
        let mut best = (self.bound(0), 0);
        for multiplier in MULTIPLIERS {
            let bound = self.bound(multiplier);
            if bound > best.0 {
                best = (bound, multiplier);
            }
        }
        best
    }

    /// What every answer costs at least that agrees with the decisions so far.
    ///
    /// Clauses that nothing settles yet each need one of their open literals, so each may charge the least that is left
    /// of one; no part of a price is charged twice.
    fn bound(&mut self, multiplier: u128) -> u128 {
        let Dive { cover, value, residual, is_active, holding, .. } = self;
        is_active.fill(false);
        let unsettled = || cover.clauses.iter().zip(holding.iter()).filter(|(_, holding)| **holding == 0);
        for (clause, _) in unsettled() {
            for literal in clause.iter().filter(|literal| literal.is_taken) {
                is_active[literal.variable as usize] = true;
            }
        }
        for (variable, residual) in residual.iter_mut().enumerate() {
            let kind = cover.kind(variable as Variable);
            *residual =
                cover.price[variable] + multiplier * cover.unit[kind] * u128::from(cover.amount[variable]);
        }
        // With a node, all inner nodes below it are closed: what nobody else charges may be charged for it.
        let tree = cover.tree;
        for node in tree.nodes().rev().filter(|node| !tree.is_leaf(*node)) {
            let at = node as usize;
            if let (Some(parent), None, false) = (tree.parent(node), value[at], is_active[at])
                && value[parent as usize].is_none()
            {
                residual[parent as usize] += residual[at];
                residual[at] = 0;
            }
        }
        let mut bound = self.loss;
        for (clause, _) in unsettled() {
            let open = || clause.iter().filter(|literal| value[literal.variable as usize].is_none());
            let charge = |literal: &Literal| match literal.is_taken {
                true => residual[literal.variable as usize],
                false => 0,
            };
            let Some(delta) = open().map(charge).min().filter(|delta| *delta > 0) else { continue };
            bound += delta;
            let variables: Vec<usize> = open().map(|literal| literal.variable as usize).collect();
            variables.into_iter().for_each(|variable| residual[variable] -= delta);
        }
        let left = |kind: usize| cover.unit[kind] * self.left[kind].max(0) as u128;
        bound.saturating_sub(multiplier * (left(0) + left(1)))
    }

    /// The cheapest open literal of an unsettled clause that has fewest of them.
    fn next_literal(&self) -> Option<Literal> {
        let cover = self.cover;
        let clauses = cover.clauses.iter().zip(self.holding.iter().zip(&self.open));
        let tightest =
            clauses.filter(|(_, (holding, _))| **holding == 0).min_by_key(|(_, (_, open))| **open)?.0;
        let open = tightest.iter().filter(|literal| self.value[literal.variable as usize].is_none());
        open.copied().min_by_key(|literal| match literal.is_taken {
            true => (self.full[literal.variable as usize], literal.variable),
            false => (0, literal.variable),
        })
    }
}
