//! People, where one of them may have several transactions.
//!
//! Knowledge fits a person if it fits one of their transactions; a sensitive item is theirs among those who fit if one of the
//! transactions that fit has it. People do not add up over transactions, so nothing is added up here: a person who is asked about
//! is counted, transaction by transaction.
//!
//! Whose a released transaction is follows from the release where it is the original with every item replaced by the one
//! published node at or above it, or left out everywhere: all originals that become the same transaction are behind it. A
//! release that is anything else fails the check of its truth, and nothing can be said about its people.
//!
//! What is passed over, and why that is right:
//!
//! 1. *Cells.* Transactions that hold the same nodes fit the same knowledge. A person who fits anything has a whole cell for
//!    company, so where each of some cells has k people, any of them together have k.
//! 2. *Single people.* Where in each of some cells a sensitive item is in no more than its share of those people who have no
//!    transaction elsewhere, it is in no more than its share of all who are in any of them: those with an item are at most
//!    the sum over the cells, and the single ones add up.
//! 3. *Vouching.* If k people have a transaction that holds all that another holds, and the same of what can be known to be
//!    absent, whatever fits it fits them too.
//! 4. For "fewer than k" published nodes suffice as presences, and for absences they always do: see the search for
//!    transactions.
//! 5. *Bound for absences.* With each transaction at most one person goes.

mod threats;

pub use self::threats::exposed;
pub(super) use self::threats::first_threat;

use super::TransactionFacts;
use super::demand::Demand;
use super::part::Part;
use super::released::{Knowledge, Sum};
use super::truth::Recoding;
use privet_taxonomy::{ItemTree, Node};

/// Who has which released transactions.
pub struct Crowd<'a> {
    /// The hierarchy of items.
    pub tree: &'a ItemTree,
    sensitive: usize,
    /// Person by person.
    rows: Vec<PersonRow>,
    /// Per node, whether some transaction shows it.
    published: Vec<bool>,
}

/// A transaction that somebody has, once.
struct PersonRow {
    person: u32,
    /// What it shows, ascending.
    shown: Vec<Node>,
    /// That and all above it, ascending.
    held: Vec<Node>,
    marks: Vec<u32>,
}

impl<'a> Crowd<'a> {
    /// Takes people's transactions: who, the nodes that it shows, its sensitive items.
    pub fn new(
        tree: &'a ItemTree,
        sensitive: usize,
        owned: impl IntoIterator<Item = (u32, Vec<Node>, Vec<u32>)>,
    ) -> Crowd<'a> {
        let mut all: Vec<(u32, Vec<Node>, Vec<u32>)> = owned.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        let mut published = vec![false; tree.len()];
        let row = |(person, shown, marks): (u32, Vec<Node>, Vec<u32>)| {
            let mut held: Vec<Node> =
                shown.iter().flat_map(|node| std::iter::once(*node).chain(tree.ancestors(*node))).collect();
            held.sort_unstable();
            held.dedup();
            PersonRow { person, shown, held, marks }
        };
        let rows: Vec<PersonRow> = all.into_iter().map(row).collect();
        rows.iter().flat_map(|row| &row.shown).for_each(|node| published[*node as usize] = true);
        Crowd { tree, sensitive, rows, published }
    }

    /// Who is behind the released transactions; `None` where that does not follow from the release.
    pub(super) fn of(facts: &'a TransactionFacts<'_>) -> Option<Crowd<'a>> {
        let owners = facts.original.owners.as_ref()?;
        if facts.recoding == Recoding::Local || facts.suppression.is_ambiguous() {
            return None;
        }
        let part = Part::of(facts).ok()?;
        let owned = owners.pairs.iter().filter_map(|(set, person)| {
            let set = &facts.original.sets[*set as usize];
            let nodes = part.form(facts, set).filter(|_| !part.is_removed(facts, set))?;
            Some((*person, nodes, set.marks.clone()))
        });
        Some(Crowd::new(facts.tree, facts.sensitive.len(), owned))
    }

    fn all(&self) -> Vec<u32> {
        (0..self.rows.len() as u32).collect()
    }

    fn holds(&self, row: u32, node: Node) -> bool {
        self.rows[row as usize].held.binary_search(&node).is_ok()
    }

    /// How many people have one of these transactions, which ascend, and how many of them one with each sensitive item.
    fn count(&self, rows: &[u32]) -> Sum {
        let mut sum = Sum { weight: 0, marks: vec![0; self.sensitive] };
        let mut had = vec![false; self.sensitive];
        for own in
            rows.chunk_by(|one, other| self.rows[*one as usize].person == self.rows[*other as usize].person)
        {
            sum.weight += 1;
            had.fill(false);
            own.iter()
                .flat_map(|row| &self.rows[*row as usize].marks)
                .for_each(|mark| had[*mark as usize] = true);
            sum.marks.iter_mut().zip(&had).for_each(|(count, had)| *count += u64::from(*had));
        }
        sum
    }

    /// The transactions that fit some knowledge.
    fn fitting(&self, known: &Knowledge) -> Vec<u32> {
        let fits = |row: &u32| {
            known.present.iter().all(|node| self.holds(*row, *node))
                && !known.absent.iter().any(|node| self.holds(*row, *node))
        };
        self.all().into_iter().filter(fits).collect()
    }

    /// What fits some knowledge: people, and transactions of theirs.
    pub(super) fn fit(&self, known: &Knowledge) -> (Sum, u64) {
        let fitting = self.fitting(known);
        (self.count(&fitting), fitting.len() as u64)
    }

    /// A threat in words: what is known, and what follows from it.
    pub(super) fn explain(&self, demand: &Demand, known: &Knowledge, sensitive: &[String]) -> String {
        let (sum, _) = self.fit(known);
        let fit = if sum.weight == 1 { "1 person fits".into() } else { format!("{} people fit", sum.weight) };
        let known = known.in_words(self.tree);
        match demand.revealed(&sum.marks, sum.weight).filter(|_| sum.weight >= demand.k) {
            Some(mark) => {
                let (name, count) = (&sensitive[mark as usize], sum.marks[mark as usize]);
                let most = demand.theta[mark as usize];
                format!("{known}: {fit}, {count} of them with '{name}'; at most the share {most} may be")
            }
            None => format!("{known}: {fit}, k = {}", demand.k),
        }
    }
}
