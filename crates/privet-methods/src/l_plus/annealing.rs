//! Simulated annealing over cuts, with the cost of l+-Optimize: the baseline of section 3.6.2 of the thesis. It finds
//! good cuts and proves nothing.
//!
//! A move changes the classes of the records below one node and no others, so only those are counted again.

use std::time::Duration;

use rand_chacha::ChaCha20Rng;

use super::bound::LPlusProblem;
use super::problem;
use crate::Solution;
use privet_core::clock::Clock;
use privet_core::{Result, RunKey, random};
use privet_engine::cut::{
    Amount, Cut, CutOutcome, CutProblem, FORBIDDEN, Forest, Incumbents, Limits, Tree, note, plus,
};
use privet_engine::microdata::Microdata;
use privet_engine::numbering::bucket;
use privet_policy::CheckedPolicy;
use privet_policy::method::SimulatedAnnealing;

/// The default time for the search.
const DEFAULT_LIMIT: Duration = Duration::from_secs(10);
/// The first temperature is the median change of this many moves.
const SOUNDINGS: usize = 200;
/// The last temperature, as a fraction of the first.
const COOLEST: f64 = 1e-4;
/// How often the walk restarts from the best cut so far.
const RESTARTS: f64 = 10.0;

pub fn run(
    policy: &CheckedPolicy,
    own: &SimulatedAnnealing,
    microdata: &Microdata,
    clock: &Clock,
) -> Result<Solution> {
    let asked = problem::asked(policy, own.into(), microdata)?;
    let steps = own.steps;
    let limit = own.time_limit.or(steps.is_none().then_some(DEFAULT_LIMIT));
    let clock = clock.with_limit(limit);
    let problem = problem::problem(microdata, &asked)?;
    super::check_possible(policy, microdata, &problem)?;
    let schedule = Schedule { steps, limit: limit.unwrap_or(DEFAULT_LIMIT) };
    let found = anneal(&problem, microdata.key(policy.seed.unwrap_or(0)), &schedule, &clock)?;
    let mut solution = super::solution(policy, &problem, microdata, &asked, &found, None, &clock)?;
    solution.search.optimal = false;
    solution.search.bound = None;
    solution.search.trace.iter_mut().for_each(|moment| moment.bound = None);
    Ok(solution)
}

/// How long the walk continues.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// The number of moves; `None` for as many as time allows.
    pub steps: Option<u64>,
    /// The time, if no number of moves is given.
    pub limit: Duration,
}

impl Schedule {
    /// The fraction of the walk that is done, from 0 to 1.
    fn progress(&self, moves: u64, clock: &Clock) -> f64 {
        match self.steps {
            Some(steps) => moves as f64 / steps as f64,
            None => clock.elapsed().as_secs_f64() / self.limit.as_secs_f64(),
        }
    }
}

/// A cut, as the set of opened inner nodes.
#[derive(Debug, Clone)]
struct AnnealingState {
    opened: Vec<Vec<bool>>,
    cost: Amount,
}

impl AnnealingState {
    fn cut(&self, forest: &Forest) -> Cut {
        let column = |(tree, opened): (&Tree, &Vec<bool>)| tree.cut(|node| opened[node as usize]);
        Cut(forest.trees.iter().zip(&self.opened).map(column).collect())
    }

    /// The inner nodes in the cut or above it, which can be opened or closed.
    fn eligible(&self, forest: &Forest) -> Vec<(usize, u32)> {
        let mut eligible = Vec::new();
        for (column, (tree, opened)) in forest.trees.iter().zip(&self.opened).enumerate() {
            let reached = |node: &u32| *node == 0 || opened[tree.parent(*node) as usize];
            let inner = (0..tree.len() as u32).filter(|node| !tree.is_leaf(*node));
            eligible.extend(inner.filter(reached).map(|node| (column, node)));
        }
        eligible
    }
}

/// The walk.
struct AnnealingWalk<'a> {
    problem: &'a LPlusProblem,
    /// Per column, the rows sorted by node, and the start of each node's rows.
    order: Vec<(Vec<u32>, Vec<u32>)>,
    random: ChaCha20Rng,
    incumbents: Incumbents,
    best: AnnealingState,
    found: CutOutcome,
}

impl AnnealingWalk<'_> {
    /// Opens or closes one node at random, closing everything below it as well. `None` if there is no choice.
    fn neighbour(&mut self, state: &AnnealingState) -> Option<AnnealingState> {
        let forest = &self.problem.forest;
        let eligible = state.eligible(forest);
        let choices = eligible.len() as u64;
        let (column, node) = match choices {
            0 => return None,
            _ => eligible[random::below(&mut self.random, choices) as usize],
        };
        let mut next = state.clone();
        let opened = &mut next.opened[column];
        let end = forest.trees[column].end(node);
        if opened[node as usize] {
            opened[node as usize..end as usize].fill(false);
        } else {
            opened[node as usize] = true;
        }
        let (rows, begins) = &self.order[column];
        let below = &rows[begins[node as usize] as usize..begins[end as usize] as usize];
        let cut = next.cut(forest);
        let cost = |cut: &Cut| self.problem.fine.cost_among(&self.problem.rules, forest, cut, below);
        next.cost = plus(state.cost - cost(&state.cut(forest)), cost(&cut));
        self.found.examined += 1;
        self.incumbents.offer(next.cost, &cut);
        if next.cost < self.best.cost {
            self.best = next.clone();
        }
        Some(next)
    }

    /// The median change of moves that start from the coarsest cut; every allowed move is taken.
    fn sound(&mut self, start: &AnnealingState, clock: &Clock) -> Result<f64> {
        let mut changes: Vec<Amount> = Vec::new();
        let mut state = start.clone();
        for _ in 0..SOUNDINGS {
            clock.check()?;
            note(&mut self.found, &self.incumbents, clock, |cost| self.problem.shown(cost));
            let Some(next) = self.neighbour(&state).filter(|_| !clock.is_over()) else { break };
            if next.cost < FORBIDDEN {
                changes.push((next.cost - state.cost).abs());
                state = next;
            }
        }
        changes.sort_unstable();
        Ok(changes.get(changes.len() / 2).map_or(0.0, |change| *change as f64))
    }

    fn accepts(&mut self, worse: Amount, temperature: f64) -> bool {
        const DIGITS: u64 = 1 << 53;
        let chance = random::below(&mut self.random, DIGITS) as f64 / DIGITS as f64;
        worse <= 0 || chance < (-(worse as f64) / temperature).exp()
    }
}

/// Walks until the schedule or the clock ends it.
pub fn anneal(
    problem: &LPlusProblem,
    key: impl Into<RunKey>,
    schedule: &Schedule,
    clock: &Clock,
) -> Result<CutOutcome> {
    let forest = &problem.forest;
    let coarsest = forest.coarsest();
    let opened = forest.trees.iter().map(|tree| vec![false; tree.len()]).collect();
    let start = AnnealingState { opened, cost: problem.fine.cost_of(&problem.rules, forest, &coarsest) };
    let order = (problem.fine.nodes.iter().zip(&forest.trees))
        .map(|(nodes, tree)| bucket(0..nodes.len() as u32, |row| nodes[row as usize], tree.len()))
        .collect();
    let mut walk = AnnealingWalk {
        problem,
        order,
        random: random::keyed(key, "privet: simulated annealing"),
        incumbents: Incumbents::new(&Limits::default()),
        best: start.clone(),
        found: CutOutcome {
            best: Vec::new(),
            bound: 0,
            complete: false,
            examined: 1,
            intervals: 0,
            trace: Vec::new(),
        },
    };
    walk.incumbents.offer(start.cost, &coarsest);
    note(&mut walk.found, &walk.incumbents, clock, |cost| problem.shown(cost));
    let first = walk.sound(&start, clock)?;
    let (mut state, mut restarts, mut moves) = (start, 0.0, 0u64);
    loop {
        clock.check()?;
        note(&mut walk.found, &walk.incumbents, clock, |cost| problem.shown(cost));
        let progress = schedule.progress(moves, clock);
        if progress >= 1.0 || clock.is_over() {
            break;
        }
        let restart = (progress * RESTARTS).floor();
        if restart > restarts {
            (restarts, state) = (restart, walk.best.clone());
        }
        let Some(next) = walk.neighbour(&state) else { break };
        let temperature = first * COOLEST.powf(progress);
        if next.cost < FORBIDDEN && walk.accepts(next.cost - state.cost, temperature) {
            state = next;
        }
        moves += 1;
    }
    walk.found.best = walk.incumbents.best;
    Ok(walk.found)
}
