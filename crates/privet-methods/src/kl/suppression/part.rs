//! The part of the data that a choice leaves, and the threats in it.

use super::ItemTask;
use crate::kl::mm::choice::suppress;
use crate::kl::moles::{Collect, MinedMoles, MoleSearch, Moles};
use crate::kl::recoding::ItemRecoding;
use privet_core::clock::Clock;
use privet_core::{Exact, Result};
use privet_engine::itemset::rows::{Heads, Rows};
use privet_engine::loss::items::ItemMeasure;
use privet_policy::method::ItemLimits;
use privet_taxonomy::{ItemTree, Node};

/// A cut, what of it is suppressed, and which transactions are removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::kl) struct Choice {
    /// Ascending.
    pub cut: Vec<Node>,
    /// Nodes of the cut, ascending.
    pub suppressed: Vec<Node>,
    /// Distinct baskets, ascending.
    pub removed: Vec<u32>,
}

impl Choice {
    pub(in crate::kl) fn of_cut(cut: Vec<Node>) -> Choice {
        Choice { cut, suppressed: Vec::new(), removed: Vec::new() }
    }

    /// The node that each item is published as.
    pub(in crate::kl) fn shown(&self, tree: &ItemTree) -> Vec<Option<Node>> {
        let mut shown = vec![None; tree.len()];
        for node in self.cut.iter().filter(|node| self.suppressed.binary_search(node).is_err()) {
            shown[*node as usize..tree.end(*node) as usize].fill(Some(*node));
        }
        shown
    }

    pub(super) fn recoding(&self, tree: &ItemTree) -> ItemRecoding {
        ItemRecoding::Global { shown: self.shown(tree), removed: self.removed.clone() }
    }
}

/// The problem, prepared once.
pub(super) struct SuppressionProblem<'a> {
    pub task: &'a ItemTask<'a>,
    pub tree: &'a ItemTree,
    pub measure: ItemMeasure,
    /// Per node, the occurrences of items below it.
    pub occurrences: Vec<u64>,
    /// How many occurrences, and how many transactions, may be removed.
    pub limits: [u64; 2],
    /// Whether the policy allows transactions to be removed, however few that are here.
    pub removes: bool,
    /// Whether groups above the cut may be threats of their own: because of the confidence in a sensitive item, or because
    /// it takes less to know a group.
    with_groups: bool,
    /// The number of sets counted.
    pub examined: std::cell::Cell<u64>,
}

impl<'a> SuppressionProblem<'a> {
    pub(super) fn new(task: &'a ItemTask<'a>, limits: ItemLimits) -> SuppressionProblem<'a> {
        let tree: &ItemTree = &task.baskets.tree;
        let occurrences = task.baskets.occurrences();
        let all = tree.roots().map(|root| occurrences[root as usize]).sum();
        let guarded = task.requirements.iter().any(|requirement| requirement.guards_marks());
        SuppressionProblem {
            task,
            tree,
            measure: task.measure(),
            limits: [limits.items.floor_of(all), limits.transactions.floor_of(task.baskets.total())],
            removes: limits.transactions > Exact::ZERO,
            with_groups: (guarded || task.is_measured()) && tree.nodes().any(|node| !tree.is_leaf(node)),
            occurrences,
            examined: std::cell::Cell::new(0),
        }
    }

    /// Whether a finer cut never needs less to be removed.
    pub(super) fn is_monotone(&self) -> bool {
        let guarded = self.task.requirements.iter().any(|requirement| requirement.guards_marks());
        self.limits[0] == 0 && !guarded && !self.task.is_measured()
    }

    /// How many occurrences a choice removes by its items.
    pub(super) fn lost(&self, choice: &Choice) -> u64 {
        choice.suppressed.iter().map(|node| self.occurrences[*node as usize]).sum()
    }

    /// The transactions as a choice publishes them, with the groups above where these matter, and their baskets.
    pub(super) fn rows(&self, choice: &Choice) -> (Rows, Vec<u32>) {
        let baskets = self.task.baskets;
        let shown = choice.shown(self.tree);
        let is_left = |basket: &u32| choice.removed.binary_search(basket).is_err();
        let nodes = |basket: u32| {
            let items = baskets.items(basket as usize).iter().filter_map(|item| shown[*item as usize]);
            let mut nodes: Vec<Node> = items.collect();
            nodes.dedup();
            if self.with_groups { self.tree.with_ancestors(&nodes) } else { nodes }
        };
        let (mut rows, mut of) = (Rows::default(), Vec::new());
        for basket in (0..baskets.len() as u32).filter(is_left) {
            let count = baskets.single(basket as usize);
            if count > 0 {
                rows.push(nodes(basket), count);
                of.push(basket);
            }
        }
        for (owner, crew) in (0..).zip(baskets.crews()) {
            let left: Vec<u32> = crew.baskets.iter().copied().filter(is_left).collect();
            rows.push_owned(owner, left.iter().map(|basket| nodes(*basket)), crew.people);
            of.extend(left);
        }
        (rows, of)
    }

    /// The minimal threats of at least one item in what a choice publishes.
    pub(super) fn moles(&self, choice: &Choice, collect: Collect, clock: &Clock) -> Result<Moles> {
        self.moles_in(choice, self.rows(choice), collect, clock)
    }

    fn moles_in(
        &self,
        choice: &Choice,
        rows: (Rows, Vec<u32>),
        collect: Collect,
        clock: &Clock,
    ) -> Result<Moles> {
        let mut published = vec![false; self.tree.len()];
        choice.cut.iter().for_each(|node| published[*node as usize] = true);
        let search = MoleSearch::new(self.task, rows, published, collect, clock);
        let MinedMoles { moles, examined } = search.run()?;
        self.examined.set(self.examined.get() + examined);
        Ok(moles)
    }

    /// Whether what is left meets the requirements for an adversary who knows nothing: the empty itemset.
    fn is_whole_safe(&self, choice: &Choice) -> bool {
        let (rows, of) = self.rows(choice);
        let mut all = Heads::default();
        let mut marked = vec![Heads::default(); self.task.baskets.sensitive.len()];
        for row in rows.numbers() {
            all.add(rows.weight(row), rows.owner(row));
            for mark in self.task.baskets.marks(of[row as usize] as usize) {
                marked[*mark as usize].add(rows.weight(row), rows.owner(row));
            }
        }
        let counts = || (0..).zip(marked.iter().map(|marked| marked.sum));
        !self.task.requirements.iter().any(|requirement| requirement.is_threat(all.sum, counts()))
    }

    /// Whether a choice leaves no threat.
    pub(super) fn is_valid(&self, choice: &Choice, clock: &Clock) -> Result<bool> {
        Ok(self.is_whole_safe(choice) && self.moles(choice, Collect::SmallestSets, clock)?.is_empty())
    }

    /// Suppresses nodes of a cut until no threat is left, each time the one in most threats per occurrence.
    pub(super) fn suppress(&self, cut: &[Node], clock: &Clock) -> Result<Choice> {
        let mut choice = Choice::of_cut(cut.to_vec());
        let mut gone = vec![false; self.tree.len()];
        loop {
            let moles = self.moles(&choice, Collect::Repairs, clock)?;
            if moles.is_empty() {
                return Ok(choice);
            }
            suppress(&moles, &self.occurrences, &mut gone, clock)?;
            choice.suppressed = cut.iter().copied().filter(|node| gone[*node as usize]).collect();
        }
    }

    /// Removes every transaction that holds a threat, and again until none does: the part of the data that the
    /// specification calls canonical. It stops early once more than `most` are removed.
    pub(super) fn remove(&self, choice: &mut Choice, most: u64, clock: &Clock) -> Result<()> {
        let baskets = self.task.baskets;
        loop {
            if !self.is_whole_safe(choice) {
                choice.removed = (0..baskets.len() as u32).collect();
                return Ok(());
            }
            let (rows, of) = self.rows(choice);
            let moles = self.moles_in(choice, (rows.clone(), of.clone()), Collect::Sets, clock)?;
            if moles.is_empty() {
                return Ok(());
            }
            let holding = Postings::of(self.tree, &rows);
            for mole in moles.iter() {
                clock.check()?;
                choice.removed.extend(holding.rows(mole).map(|row| of[row as usize]));
            }
            choice.removed.sort_unstable();
            choice.removed.dedup();
            let removed: u64 = choice.removed.iter().map(|basket| baskets.count(*basket as usize)).sum();
            if removed > most {
                return Ok(());
            }
        }
    }
}

/// Per node, the rows that hold it.
pub(super) struct Postings(Vec<Vec<u32>>);

impl Postings {
    /// Of rows that name every node that they hold.
    pub(super) fn of(tree: &ItemTree, rows: &Rows) -> Postings {
        let mut postings = vec![Vec::new(); tree.len()];
        for row in rows.numbers() {
            rows.nodes(row).iter().for_each(|node| postings[*node as usize].push(row));
        }
        Postings(postings)
    }

    /// The same with the groups above.
    pub(super) fn with_groups(tree: &ItemTree, rows: &Rows) -> Postings {
        let mut postings = vec![Vec::new(); tree.len()];
        for row in rows.numbers() {
            for node in tree.with_ancestors(rows.nodes(row)) {
                postings[node as usize].push(row);
            }
        }
        Postings(postings)
    }

    /// The rows that hold all of some nodes, ascending.
    pub(super) fn rows<'p>(&'p self, nodes: &'p [Node]) -> impl Iterator<Item = u32> + 'p {
        let shortest = nodes.iter().min_by_key(|node| self.0[**node as usize].len());
        let candidates = shortest.map_or(&[][..], |node| &self.0[*node as usize]);
        let holds = |row: &u32| nodes.iter().all(|node| self.0[*node as usize].binary_search(row).is_ok());
        candidates.iter().copied().filter(holds)
    }
}
