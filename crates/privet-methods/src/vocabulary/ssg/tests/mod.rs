//! SSG against the quadratic algorithm, known answers and its guarantees.

mod properties;
mod reference;
mod vectors;

use num_rational::Ratio;

use super::*;
use crate::vocabulary::Print;
use privet_data::Bags;
use privet_engine::privacy::vocabulary::VocabularyAnonymity;
use privet_policy::VocabularyMethod;
use privet_policy::method::{Centre, Matching, Residual};
use privet_taxonomy::ItemTree;
use privet_taxonomy::words::{Distances, Semantics};

/// A task with everything it borrows.
#[derive(Debug)]
pub struct SsgCase {
    pub bags: Bags,
    pub distances: Distances,
    pub epsilon: u32,
    pub omega: Option<Exact>,
    pub demand: VocabularyAnonymity,
    pub own: Ssg,
    pub method: VocabularyMethod,
}

impl SsgCase {
    /// Bags over a tree, with users if there are any.
    pub fn new(
        tree: ItemTree,
        bags: &[Vec<String>],
        users: Option<&[String]>,
        epsilon: u32,
        k: u32,
    ) -> SsgCase {
        let user = |at: usize| users.map(|users| users[at].as_str());
        let listed: Vec<(Option<&str>, &[String])> =
            bags.iter().enumerate().map(|(at, bag)| (user(at), bag.as_slice())).collect();
        let bags = Bags::of(&listed).expect("bags");
        let distances = Semantics::Tree(tree.into()).between(bags.terms());
        let demand = VocabularyAnonymity { k, distinct_users: users.is_some(), min_term_users: 1 };
        // The thesis' method, which suppresses what is left over.
        let own = Ssg { residual: Residual::No, ..Ssg::default() };
        let method = VocabularyMethod::Ssg(own.clone());
        SsgCase { bags, distances, epsilon, omega: None, demand, own, method }
    }

    pub fn with(mut self, change: impl FnOnce(&mut Ssg)) -> SsgCase {
        change(&mut self.own);
        self.method = VocabularyMethod::Ssg(self.own.clone());
        self
    }

    pub fn task(&self) -> BagTask<'_> {
        BagTask {
            bags: &self.bags,
            distances: &self.distances,
            epsilon: self.epsilon,
            omega: self.omega,
            demand: self.demand,
            method: &self.method,
        }
    }

    pub fn run(&self) -> BagSolution {
        run(&self.task(), &self.own, &Clock::unlimited()).expect("a solution")
    }

    pub fn run_with(&self, effort: SearchEffort) -> BagSolution {
        run_with(&self.task(), &self.own, effort, &Clock::unlimited()).expect("a solution")
    }

    /// bLM: suppressed occurrences count in full, published ones by the number of other terms they could be.
    pub fn blm(&self, clusters: &[Cluster]) -> Ratio<u64> {
        let others = (self.bags.terms().len() as u64).saturating_sub(1).max(1);
        let (mut lost, mut kept) = (Ratio::new(0, 1), 0);
        for cluster in clusters {
            let members = cluster.members.len() as u64;
            for shown in &cluster.shown {
                lost += Ratio::new(members * (u64::from(shown.distinct) - 1), others);
                kept += members;
            }
        }
        (lost + (self.bags.occurrences() - kept)) / self.bags.occurrences().max(1)
    }
}

/// A tree from parents.
pub fn tree_of(parents: &[(String, String)]) -> ItemTree {
    let above =
        |node: &str| parents.iter().find(|(child, _)| child == node).map(|(_, parent)| parent.clone());
    let leaves = parents.iter().filter(|(node, _)| !parents.iter().any(|(_, parent)| parent == node));
    let path = |leaf: &String| std::iter::successors(Some(leaf.clone()), |node| above(node)).collect();
    ItemTree::from_paths(&leaves.map(|(leaf, _)| path(leaf)).collect::<Vec<Vec<String>>>()).expect("a tree")
}

/// The goods of the running example.
pub fn goods() -> ItemTree {
    let pairs = "Edibles Goods Clothing Goods Alcohol Edibles Milk Edibles Outwear Clothing Footwear Clothing Wine Alcohol \
                 Vino Alcohol Raw-milk Milk Homo-milk Milk Jackets Outwear Pants Outwear Boots Footwear Shoes Footwear";
    let words: Vec<String> = pairs.split_whitespace().map(String::from).collect();
    tree_of(&words.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect::<Vec<_>>())
}

/// The published words.
pub fn words(case: &SsgCase, cluster: &Cluster) -> Vec<String> {
    let tree = case.distances.tree().expect("a tree");
    let print = |print: &Print| match print {
        Print::Term(term) => case.bags.terms()[*term as usize].clone(),
        Print::General(node) => tree.label(*node).to_string(),
        Print::Bag(terms) => {
            terms.iter().map(|term| case.bags.terms()[*term as usize].as_str()).collect::<Vec<_>>().join("+")
        }
    };
    cluster.shown.iter().map(|shown| print(&shown.print)).collect()
}

fn strings(words: &str) -> Vec<String> {
    words.split_whitespace().map(String::from).collect()
}
