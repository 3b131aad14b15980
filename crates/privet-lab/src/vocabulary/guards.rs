//! What the guards beyond the thesis cost, and what happens without them.

use super::super::page::{Cell, Section, Table};
use super::data::Ground;
use super::{Bench, EPSILON, GAP, K, Method};
use crate::Part;
use privet::Result;
use privet::method::vocabulary::loss::BagLoss;
use privet::method::vocabulary::{BagSolution, Print};
use privet::privacy::vocabulary::VocabularyAnonymity;

pub(super) const PART: Part = Part {
    name: "guards",
    title: "Users and rare terms",
    summary: "the cost of distinct_users and min_term_users, and what a release shows without them",
};

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let ground = bench.ground(GAP)?;
    let mut table = Table::new(
        "guards",
        format!("SSG, session gap {}, k = {K}, ε = {EPSILON}", GAP.name),
        [
            "guards",
            "bLM",
            "distinct terms",
            "occurrences kept",
            "clusters of fewer than k users",
            "printed terms of fewer than k users",
        ],
    );
    for (name, distinct_users, min_term_users) in
        [("none (thesis)", false, 1), ("distinct users", true, 1), ("distinct users and terms", true, K)]
    {
        bench.clock.progress().stage(name, None);
        let demand = VocabularyAnonymity { k: K, distinct_users, min_term_users };
        let solution = bench.solve(&ground, Method::Ssg, EPSILON, demand)?;
        let loss = BagLoss::of(&ground.bags, &solution, &ground.distances);
        table.row([
            Cell::text(name),
            Cell::Share(loss.blm.value()),
            Cell::Share(loss.distinct_terms.value()),
            Cell::Share(loss.average_size.value()),
            Cell::Count(few_users(&ground, &solution)),
            Cell::Count(rare_terms(&ground, &solution)),
        ]);
    }
    let section = Section::new("Guards beyond the thesis").say(
        "Sessions are not people: k identical vocabularies may all be of one user, and a voted term may be used by one person \
         alone. The product guards against both where users are known; the other parts run without guards, as the thesis \
         does.",
    );
    Ok(vec![section.table(table)])
}

/// Clusters behind which there are fewer than k users.
fn few_users(ground: &Ground, solution: &BagSolution) -> u64 {
    let few = solution.clusters.iter().filter(|cluster| {
        let mut users: Vec<Option<u32>> =
            cluster.members.iter().map(|bag| ground.bags.user(*bag as usize)).collect();
        users.sort_unstable();
        users.dedup();
        users.len() < K as usize
    });
    few.count() as u64
}

/// Distinct printed terms that fewer than k users typed.
fn rare_terms(ground: &Ground, solution: &BagSolution) -> u64 {
    let people = ground.bags.term_users();
    let prints = solution.clusters.iter().flat_map(|cluster| &cluster.shown).map(|shown| &shown.print);
    let mut rare: Vec<u32> = prints
        .filter_map(|print| match print {
            Print::Term(term) => Some(*term),
            Print::General(_) | Print::Bag(_) => None,
        })
        .filter(|term| people[*term as usize] < K)
        .collect();
    rare.sort_unstable();
    rare.dedup();
    rare.len() as u64
}
