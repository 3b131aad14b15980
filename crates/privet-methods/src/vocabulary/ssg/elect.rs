//! The published words of a cluster: a typical term for each bag of its hyper-vocabulary, the bag itself, or the common
//! ancestor of its terms.

use std::cmp::Reverse;
use std::sync::OnceLock;

use super::grow::GrownCluster;
use super::hyper::Tariff;
use super::settings::{Centre, SsgSettings};
use crate::vocabulary::{BagTask, Print, PublishedOccurrence};
use privet_data::{Bags, Term};
use privet_engine::matching::Weight;
use privet_taxonomy::Node;

pub(super) struct Election<'a> {
    task: &'a BagTask<'a>,
    settings: &'a SsgSettings,
    tariff: Tariff<'a>,
    frequencies: Vec<u32>,
    /// The number of people who used each term; empty if that does not matter.
    term_users: Vec<u32>,
    people: OnceLock<TermUsers>,
}

/// Who used which terms, for terms that too few people used.
struct TermUsers {
    /// The positions of terms in the tree, ascending, with their terms.
    places: Vec<(Node, Term)>,
    /// Terms with their users, ascending.
    users: Vec<(Term, u32)>,
}

impl<'a> Election<'a> {
    pub(super) fn new(task: &'a BagTask<'a>, settings: &'a SsgSettings, tariff: Tariff<'a>) -> Election<'a> {
        let floor = task.demand.min_term_users > 1;
        Election {
            task,
            settings,
            tariff,
            frequencies: task.bags.frequencies(),
            term_users: if floor { task.bags.term_users() } else { Vec::new() },
            people: OnceLock::new(),
        }
    }

    /// The published occurrences of every member of a cluster.
    pub(super) fn shown(&self, cluster: &GrownCluster) -> Vec<PublishedOccurrence> {
        let mut terms = Vec::new();
        let shown = cluster.hyper.bags().filter_map(|bag| {
            terms.clear();
            terms.extend_from_slice(bag);
            terms.sort_unstable();
            let print = match self.settings.centre {
                Centre::Vote => self.vote(&terms),
                Centre::Hyper => self.whole(&terms),
                Centre::Generalise => self.common(&terms),
            };
            let distinct = terms.chunk_by(|one, other| one == other).count() as u32;
            Some(PublishedOccurrence { print: print?, distinct })
        });
        let mut shown: Vec<PublishedOccurrence> = shown.collect();
        // There are as many of these as clusters, and they stay in memory.
        shown.shrink_to_fit();
        shown.sort_unstable_by(|one, other| (&one.print, one.distinct).cmp(&(&other.print, other.distinct)));
        shown
    }

    /// The term nearest to all others; among equally near ones the most frequent, then the first bytewise (convention
    /// C8). Terms that too few members voted for or too few people used are skipped; if all are, their common ancestor
    /// is published.
    fn vote(&self, terms: &[Term]) -> Option<Print> {
        let runs = || terms.chunk_by(|one, other| one == other);
        let stands = |run: &&[Term]| run.len() as u64 >= self.settings.min_vote && self.is_common(run[0]);
        let far = |term: Term| -> Weight {
            let distance = |run: &[Term]| {
                let distance = self.tariff.between(term, run[0]).map_or(Weight::from(u32::MAX), Weight::from);
                distance * run.len() as Weight
            };
            runs().map(distance).sum()
        };
        if terms.first() == terms.last() {
            return terms.first().filter(|_| stands(&terms)).map(|term| Print::Term(*term));
        }
        let rank = |term: Term| (far(term), Reverse(self.frequencies[term as usize]), term);
        let elected = runs().filter(stands).map(|run| rank(run[0])).min();
        elected.map(|(.., term)| Print::Term(term)).or_else(|| self.common(terms))
    }

    /// The bag itself, without terms that too few people used.
    fn whole(&self, terms: &[Term]) -> Option<Print> {
        let bag: Vec<Term> = terms.iter().copied().filter(|term| self.is_common(*term)).collect();
        (!bag.is_empty()).then_some(Print::Bag(bag))
    }

    /// The common ancestor of terms, in ascending order, if enough people used something below it.
    pub(super) fn common(&self, terms: &[Term]) -> Option<Print> {
        let first = *terms.first()?;
        if terms.last() == Some(&first) {
            return self.is_common(first).then_some(Print::Term(first));
        }
        let tree = self.task.distances.tree()?;
        let mut node = self.task.distances.place(first)?;
        for term in &terms[1..] {
            node = tree.lowest_common(node, self.task.distances.place(*term)?)?;
        }
        self.is_used_below(node).then_some(Print::General(node))
    }

    /// Whether enough people used a term to publish it.
    fn is_common(&self, term: Term) -> bool {
        self.term_users.get(term as usize).is_none_or(|users| *users >= self.task.demand.min_term_users)
    }

    /// Whether enough people used terms below a node.
    fn is_used_below(&self, node: Node) -> bool {
        let Some(tree) = self.task.distances.tree().filter(|_| !self.term_users.is_empty()) else {
            return true;
        };
        let people = self.people.get_or_init(|| TermUsers::of(self.task));
        let from = people.places.partition_point(|(place, _)| *place < node);
        let to = people.places.partition_point(|(place, _)| *place < tree.end(node));
        let below = &people.places[from..to];
        // A reader cannot distinguish a general word from a term of the same name, so such a term must be common
        // itself.
        if below.first().is_some_and(|(place, term)| *place == node && !self.is_common(*term)) {
            return false;
        }
        if below.iter().any(|(_, term)| self.is_common(*term)) {
            return true;
        }
        let least = self.task.demand.min_term_users as usize;
        let mut users: Vec<u32> = Vec::new();
        for (_, term) in below {
            let from = people.users.partition_point(|(other, _)| other < term);
            users.extend(
                people.users[from..].iter().take_while(|(other, _)| other == term).map(|(_, user)| *user),
            );
            users.sort_unstable();
            users.dedup();
            if users.len() >= least {
                return true;
            }
        }
        false
    }
}

impl TermUsers {
    fn of(task: &BagTask<'_>) -> TermUsers {
        let bags: &Bags = task.bags;
        let place = |term: Term| Some((task.distances.place(term)?, term));
        let mut places: Vec<(Node, Term)> = (0..bags.terms().len() as Term).filter_map(place).collect();
        places.sort_unstable();
        let mut users: Vec<(Term, u32)> = Vec::new();
        for (number, bag) in (0u32..).zip(bags.iter()) {
            let user = bags.user(number as usize).unwrap_or(number);
            users.extend(bag.iter().map(|term| (*term, user)));
        }
        users.sort_unstable();
        users.dedup();
        TermUsers { places, users }
    }
}
