//! First answers for a group that fails: quick, valid, and mostly far below what a dive into the tree finds.
//!
//! * [`fewest_labels_first`]: while the group fails, the record that links to the fewest labels loses the term whose removal lets
//!   the most labels join.
//! * [`best_subsets`]: for each record and each number of terms that it may lose, the terms are known that leave the most labels.
//!   A record that links to K labels adds about 1/K to the squared posterior and to the likeliest label alike. So the records
//!   take the steps that lower 1/K most per cost, until the group passes.
//!
//! Both end with [`put_back`]: terms that turn out not to be needed stay.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::state::State;
use crate::privacy::quasi_sensitive::Links;

/// In large groups it is looked about this often whether enough is gone.
const LOOKS: usize = 64;

/// A record with more terms has too many subsets to look at.
const MOST_TERMS: usize = 12;

/// In larger groups a term more or less does not matter, and looking takes long.
const MOST_PUT_BACK: usize = 256;

/// Removes terms until the group passes: each time from the record that links to the fewest labels (then: that has the most terms,
/// then: that comes first) the term whose removal lets the most labels join (then: that the fewest labels have, then: that
/// comes first). Returns whether the state passes; `late` ends it early.
pub(super) fn fewest_labels_first(state: &mut State<'_>, late: &dyn Fn() -> bool) -> bool {
    let entry = |state: &State<'_>, record: u32| {
        Reverse((labels_shown(state.labels_of(record)), Reverse(state.left(record)), record))
    };
    let mut open: BinaryHeap<_> = (0..state.members() as u32).map(|record| entry(state, record)).collect();
    let between = steps_between_looks(state);
    let mut steps = 0usize;
    while let Some(Reverse((_, _, record))) = open.pop() {
        let there = state.occurrences_of(record).filter(|occurrence| !state.is_gone(*occurrence));
        let best = there.max_by_key(|occurrence| {
            (state.joining(*occurrence), Reverse(state.labels_having(*occurrence)), Reverse(*occurrence))
        });
        let Some(occurrence) = best else { continue };
        state.remove(occurrence);
        open.push(entry(state, record));
        steps += 1;
        if steps.is_multiple_of(between) && passes(state) {
            return true;
        }
        if late() {
            return false;
        }
    }
    passes(state)
}

/// Lets each record lose the terms that leave it the most labels, in steps that lower 1/K most per cost first. Returns whether the
/// state passes; it does not where a record has too many terms.
pub(super) fn best_subsets(state: &mut State<'_>, late: &dyn Fn() -> bool) -> bool {
    let problem = state.problem;
    if problem.members.iter().any(|member| member.terms.len() > MOST_TERMS) {
        return false;
    }
    let mut menus = Vec::with_capacity(problem.members.len());
    let mut order: Vec<(f64, u32, usize)> = Vec::new();
    for (record, member) in (0u32..).zip(&problem.members) {
        if late() {
            return false;
        }
        let menu = menu(problem.links, &member.terms);
        let price = |lost: usize| {
            let prices = problem.prices;
            prices.value(prices.all(member.weight) - prices.all(member.weight - lost as u32))
        };
        let shows = |lost: usize| 1.0 / f64::from(labels_shown(menu[lost].labels));
        let slope = |from: usize, to: usize| (shows(from) - shows(to)) / (price(to) - price(from));
        let mut from = 0;
        while let Some(to) = (from + 1..menu.len()).max_by(|a, b| slope(from, *a).total_cmp(&slope(from, *b)))
        {
            if slope(from, to) <= 0.0 {
                break;
            }
            order.push((slope(from, to), record, to));
            from = to;
        }
        menus.push(menu);
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let between = steps_between_looks(state);
    let passed = (1usize..).zip(&order).any(|(step, (_, record, lost))| {
        state.lose(*record, menus[*record as usize][*lost].lost);
        step.is_multiple_of(between) && passes(state)
    });
    if !passed && !passes(state) {
        return false;
    }
    // The last steps may have gone further than needed: what was taken last, and costs most, goes back first.
    for (_, record, _) in order.iter().rev().take(MOST_PUT_BACK) {
        let menu = &menus[*record as usize];
        for less in (0..state.lost(*record)).rev() {
            state.lose(*record, menu[less].lost);
            if late() || !passes(state) {
                state.lose(*record, menu[less + 1].lost);
                break;
            }
        }
    }
    true
}

/// Puts back terms that the group passes with, the costliest first. The state must pass, and does afterwards.
pub(super) fn put_back(state: &mut State<'_>, late: &dyn Fn() -> bool) {
    if state.members() > MOST_PUT_BACK {
        return;
    }
    let mut gone = state.removed();
    gone.sort_by_key(|occurrence| (state.left_of(*occurrence), *occurrence));
    for occurrence in gone {
        if late() {
            return;
        }
        state.restore(occurrence);
        if !passes(state) {
            state.remove(occurrence);
        }
    }
}

/// How many labels a record shows at most: one that links to nothing reveals nothing by itself.
fn labels_shown(labels: u32) -> u32 {
    if labels == 0 { u32::MAX } else { labels }
}

/// After how many steps it is looked whether the group passes.
fn steps_between_looks(state: &State<'_>) -> usize {
    state.members().div_ceil(LOOKS)
}

fn passes(state: &mut State<'_>) -> bool {
    state.rank();
    state.standing().holds
}

/// What a record may lose.
#[derive(Debug, Clone, Copy, Default)]
struct Choice {
    /// The terms, by place: a bit each.
    lost: u32,
    /// How many labels have all others.
    labels: u32,
}

/// By the number of terms lost, the choice that leaves the most labels; the first one of several.
fn menu(links: &Links, terms: &[u32]) -> Vec<Choice> {
    let words = links.words();
    let mut menu = vec![Choice::default(); terms.len() + 1];
    let mut levels = vec![0; (terms.len() + 1) * words];
    levels[..words].copy_from_slice(links.all());
    Subsets { links, terms, menu: &mut menu }.visit(0, 0, &mut levels);
    menu
}

struct Subsets<'a> {
    links: &'a Links,
    terms: &'a [u32],
    menu: &'a mut [Choice],
}

impl Subsets<'_> {
    /// Visits every choice of the terms from a place on. `levels` starts with the labels that have what is kept so far.
    fn visit(&mut self, place: usize, lost: u32, levels: &mut [u64]) {
        let Some(term) = self.terms.get(place) else {
            let labels = levels[..self.links.words()].iter().map(|word| word.count_ones()).sum();
            let known = &mut self.menu[lost.count_ones() as usize];
            // Choices are visited with rising places; the first counts.
            if labels > known.labels || known.lost == 0 {
                *known = Choice { lost, labels };
            }
            return;
        };
        self.visit(place + 1, lost | 1 << place, levels);
        let (labels, deeper) = levels.split_at_mut(self.links.words());
        let kept = labels.iter().zip(self.links.having(*term));
        deeper.iter_mut().zip(kept).for_each(|(to, (word, having))| *to = word & having);
        self.visit(place + 1, lost, deeper);
    }
}
