//! Why a group of items is published and not what is below it: a threat that its children would have.
//!
//! A release that publishes each item as a node of a cut has no threat. If one inner node of the cut is replaced by its
//! children, every threat of the new cut has one of the children in it: nothing else is new. Of the minimal ones, with at
//! most three items, the one that fewest transactions fit is shown, then that of fewest items, then the first by names;
//! and its other members are made as general as they can be.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hashbrown::HashSet;

use super::ItemTask;
use super::recoding::ItemRecoding;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::conflict::Conflicts;
use privet_engine::itemset::rows::{Heads, Rows, shown_by};
use privet_engine::itemset::{Layout, Lookup, Miner, Power, Scope, Threat};
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::{ItemTree, Node};

/// A threat that publishing what is below a group would bring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupThreat {
    /// The published group.
    pub group: Node,
    /// What an adversary knows to be present: a child of the group first.
    pub present: Vec<Node>,
    /// What they know to be absent.
    pub absent: Vec<Node>,
    /// How many transactions, or people, fit.
    pub support: u64,
    /// The requirement that it violates, by position.
    pub requirement: usize,
    /// The sensitive item that too many of them have, and how many do; `None` if there are too few of them.
    pub sensitive: Option<(u32, u64)>,
}

/// Larger sets are not looked for: they are many, and harder to read than smaller ones.
const MOST_ITEMS: u64 = 3;
/// The number of sets of one group that may wait to be extended.
const MOST_SETS: usize = 1 << 17;
/// The number of cells that are read for all groups where absences matter; those that come later are left without a reason.
const MOST_CELLS: u64 = 1 << 27;

/// A threat for every published group that has one, in the order of the tree; none where transactions are recoded in their own
/// ways.
pub fn reasons(task: &ItemTask<'_>, recoding: &ItemRecoding, clock: &Clock) -> Result<Vec<GroupThreat>> {
    let ItemRecoding::Global { shown, .. } = recoding else { return Ok(Vec::new()) };
    let tree: &ItemTree = &task.baskets.tree;
    // Per published group, the baskets that hold it.
    let mut groups: BTreeMap<Node, Vec<u32>> = BTreeMap::new();
    for basket in (0..task.baskets.len()).filter(|basket| !recoding.is_removed(*basket)) {
        let nodes = task.baskets.items(basket).iter().filter_map(|item| shown[*item as usize]);
        for node in nodes.filter(|node| !tree.is_leaf(*node)) {
            let holding = groups.entry(node).or_default();
            if holding.last() != Some(&(basket as u32)) {
                holding.push(basket as u32);
            }
        }
    }
    let (mut reasons, mut cells) = (Vec::new(), MOST_CELLS);
    for (group, holding) in groups {
        clock.check()?;
        let finer = FinerRows::of(task, shown, group, &holding);
        let found = finer.threats(task);
        let first = found.into_iter().min_by_key(|threat| key(tree, threat));
        let reason = match first {
            Some(threat) => Some(finer.generalised(task, threat)),
            None => with_absences(task, shown, group, &mut cells, clock)?,
        };
        reasons.extend(reason);
    }
    Ok(reasons)
}

/// The order in which threats are preferred.
fn key<'t>(tree: &'t ItemTree, threat: &GroupThreat) -> (u64, usize, Vec<&'t str>) {
    let mut names: Vec<&str> = threat.present.iter().map(|node| tree.label(*node)).collect();
    names.sort_unstable();
    (threat.support, threat.present.len(), names)
}

/// The transactions that hold a group, as they would be published with its children.
struct FinerRows {
    group: Node,
    rows: Rows,
    of: Vec<u32>,
}

impl FinerRows {
    /// `holding` are the baskets that hold the group, ascending.
    fn of(task: &ItemTask<'_>, shown: &[Option<Node>], group: Node, holding: &[u32]) -> FinerRows {
        let (baskets, tree) = (task.baskets, &task.baskets.tree);
        let guarded = task.requirements.iter().any(|asked| asked.guards_marks() || asked.power.is_some());
        let children: Vec<Node> = tree.children(group).collect();
        let finer = |item: Node| match shown[item as usize] {
            Some(node) if node == group => {
                Some(children[children.partition_point(|child| *child <= item) - 1])
            }
            other => other,
        };
        let nodes = |basket: u32| {
            let mut nodes: Vec<Node> =
                baskets.items(basket as usize).iter().filter_map(|item| finer(*item)).collect();
            nodes.dedup();
            if guarded { tree.with_ancestors(&nodes) } else { nodes }
        };
        let is_wanted = |basket: &u32| holding.binary_search(basket).is_ok();
        let (mut rows, mut of) = (Rows::default(), Vec::new());
        for basket in holding.iter().copied() {
            let count = baskets.single(basket as usize);
            if count > 0 {
                rows.push(nodes(basket), count);
                of.push(basket);
            }
        }
        for (owner, crew) in (0..).zip(baskets.crews()) {
            let wanted: Vec<u32> = crew.baskets.iter().copied().filter(is_wanted).collect();
            rows.push_owned(owner, wanted.iter().map(|basket| nodes(*basket)), crew.people);
            of.extend(wanted);
        }
        FinerRows { group, rows, of }
    }

    fn support(&self, rows: &[u32]) -> u64 {
        let mut heads = Heads::default();
        rows.iter().for_each(|row| heads.add(self.rows.weight(*row), self.rows.owner(*row)));
        heads.sum
    }

    /// Whether knowing a set that these rows fit is a threat, with the first requirement that it violates.
    fn judge(&self, task: &ItemTask<'_>, set: &[Node], rows: &[u32]) -> Option<GroupThreat> {
        let support = self.support(rows);
        let mut marked: BTreeMap<u32, Heads> = BTreeMap::new();
        if task.requirements.iter().any(KlPrivacy::guards_marks) {
            for row in rows {
                for mark in task.baskets.marks(self.of[*row as usize] as usize) {
                    marked.entry(*mark).or_default().add(self.rows.weight(*row), self.rows.owner(*row));
                }
            }
        }
        let asked = || {
            let asked = task.requirements.iter().enumerate();
            asked.filter(|(_, asked)| asked.reaches(set))
        };
        let threat = |requirement, sensitive| GroupThreat {
            group: self.group,
            present: set.to_vec(),
            absent: Vec::new(),
            support,
            requirement,
            sensitive,
        };
        if let Some((requirement, _)) = asked().find(|(_, asked)| support < asked.k) {
            return Some(threat(requirement, None));
        }
        asked().find_map(|(requirement, asked)| {
            let counts = marked.iter().map(|(mark, count)| (*mark, count.sum));
            let (mark, count) = { counts }.find(|(mark, count)| asked.exceeds(*mark, *count, support))?;
            Some(threat(requirement, Some((mark, count))))
        })
    }

    /// The minimal threats with a child of the group, as far as they are looked for.
    fn threats(&self, task: &ItemTask<'_>) -> Vec<GroupThreat> {
        let tree: &ItemTree = &task.baskets.tree;
        let most = task.requirements.iter().map(|asked| asked.m).max().unwrap_or(0).min(MOST_ITEMS);
        let mut search = ThreatSearch { task, finer: self, most, found: Vec::new(), known: HashSet::new() };
        let mut holding: BTreeMap<Node, Vec<u32>> = BTreeMap::new();
        for row in self.rows.numbers() {
            for node in self.rows.nodes(row).iter().filter(|node| tree.parent(**node) == Some(self.group)) {
                holding.entry(*node).or_default().push(row);
            }
        }
        // Smaller sets come first, so that what contains a threat is known when it is reached.
        let mut open = VecDeque::new();
        if most > 0 {
            let children = holding.into_iter().map(|(child, rows)| (vec![child], rows));
            open.extend(children.filter_map(|(set, rows)| search.test(set, rows)));
        }
        while let Some((set, rows)) = open.pop_front() {
            let mut holding: BTreeMap<Node, Vec<u32>> = BTreeMap::new();
            let last = set[1..].last().copied();
            let is_new = |node: Node| {
                last.is_none_or(|last| node > last)
                    && !set.iter().any(|own| tree.contains(*own, node) || tree.contains(node, *own))
            };
            for row in &rows {
                for node in self.rows.nodes(*row).iter().filter(|node| is_new(**node)) {
                    holding.entry(*node).or_default().push(*row);
                }
            }
            for (node, held) in holding.into_iter().filter(|(_, held)| held.len() < rows.len()) {
                let mut larger = set.clone();
                larger.push(node);
                open.extend(search.test(larger, held).filter(|_| open.len() < MOST_SETS));
            }
        }
        search.found
    }

    /// With all members but the child of the group lifted as far as it remains a threat.
    fn generalised(&self, task: &ItemTask<'_>, mut threat: GroupThreat) -> GroupThreat {
        let tree: &ItemTree = &task.baskets.tree;
        if threat.sensitive.is_some() {
            return threat;
        }
        let asked = &task.requirements[threat.requirement];
        loop {
            let lifted = (1..threat.present.len()).find_map(|at| {
                let mut lifted = threat.present.clone();
                lifted[at] = tree.parent(lifted[at])?;
                let fits = |row: &u32| lifted.iter().all(|node| self.rows.holds(*row, tree, *node));
                let support = self.support(&self.rows.numbers().filter(fits).collect::<Vec<_>>());
                (support < asked.k && asked.reaches(&lifted)).then_some((lifted, support))
            });
            match lifted {
                Some((present, support)) => (threat.present, threat.support) = (present, support),
                None => return threat,
            }
        }
    }
}

/// Sets that rows hold, and the rows.
type HeldSet = (Vec<Node>, Vec<u32>);

/// What is known about sets with a child of the group.
struct ThreatSearch<'s> {
    task: &'s ItemTask<'s>,
    finer: &'s FinerRows,
    /// Larger sets are not looked at.
    most: u64,
    found: Vec<GroupThreat>,
    /// The threats, each ascending.
    known: HashSet<Vec<Node>>,
}

impl ThreatSearch<'_> {
    /// Records a set that is a threat while no part of it is; returns one that could grow into a threat.
    fn test(&mut self, set: Vec<Node>, rows: Vec<u32>) -> Option<HeldSet> {
        let mut sorted = set.clone();
        sorted.sort_unstable();
        let part = |chosen: u32| {
            let members = sorted.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
            members.map(|(_, node)| *node).collect::<Vec<Node>>()
        };
        if (1u32..1 << sorted.len()).any(|chosen| self.known.contains(&part(chosen))) {
            return None;
        }
        match self.finer.judge(self.task, &set, &rows) {
            Some(threat) => {
                self.known.insert(sorted);
                self.found.push(threat);
                None
            }
            None => Some((set, rows)).filter(|(set, _)| (set.len() as u64) < self.most),
        }
    }
}

/// A threat that needs absences, where these may be known.
fn with_absences(
    task: &ItemTask<'_>,
    shown: &[Option<Node>],
    group: Node,
    cells: &mut u64,
    clock: &Clock,
) -> Result<Option<GroupThreat>> {
    let tree: &ItemTree = &task.baskets.tree;
    let mut cut: Vec<Node> = shown.iter().flatten().copied().filter(|node| *node != group).collect();
    cut.extend(tree.children(group));
    cut.sort_unstable();
    cut.dedup();
    for (requirement, privacy) in task.requirements.iter().enumerate().filter(|(_, privacy)| privacy.n > 0) {
        if *cells == 0 {
            return Ok(None);
        }
        let rows = Arc::new(Rows::of(task.baskets, &shown_by(tree, &cut)));
        let read = rows.iter().map(|(nodes, _)| nodes.len() as u64).sum();
        let mut conflicts = Conflicts::<Threat>::new(tree);
        let (absent, reach) = (privacy.n, privacy.n);
        let layout = Layout { scope: Scope::OneCut, absent, reach, certify: true, is_partial: false };
        let miner = Miner::new(tree, &rows, Lookup::new(rows.clone()), privacy, layout);
        let power = Power { present: privacy.m, absent: privacy.n };
        let (_, effort) = miner.mine(power, *cells, None, &mut conflicts, clock)?;
        *cells = cells.saturating_sub(effort.cells).saturating_sub(read);
        let found = conflicts.iter().map(|conflict| GroupThreat {
            group,
            present: conflict.witness.present.clone(),
            absent: conflict.witness.absent.clone(),
            support: conflict.witness.support,
            requirement,
            sensitive: None,
        });
        let few = found.filter(|threat| threat.support < privacy.k);
        if let Some(threat) = few.min_by_key(|threat| (key(tree, threat), threat.absent.clone())) {
            return Ok(Some(threat));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kl::tests::{any_counted_instance, oracle};
    use privet_engine::baskets::Baskets;
    use privet_policy::ItemMethod;

    proptest! {
        #![proptest_config(privet_core::testing::cases(200))]

        /// What is shown is a threat of the cut that is one level finer there; for small powers there is one if and only if
        /// that cut is not valid.
        #[test]
        fn reasons_are_threats((baskets, privacy) in any_counted_instance()) {
            let tree = &baskets.tree;
            let privacy = KlPrivacy { n: 0, m: privacy.m.min(3), ..privacy };
            let method = ItemMethod::Og(Default::default());
            let task = ItemTask { baskets: &baskets, requirements: std::slice::from_ref(&privacy), method: &method };
            let occurrences = baskets.occurrences();
            for cut in oracle::all_cuts(tree).into_iter().filter(|cut| oracle::is_valid(&baskets, &privacy, cut)) {
                let recoding = ItemRecoding::of_cut(tree, &cut);
                let reasons = reasons(&task, &recoding, &Clock::unlimited()).expect("reasons");
                for group in cut.iter().copied().filter(|node| !tree.is_leaf(*node)) {
                    let mut finer: Vec<Node> = cut.iter().copied().filter(|node| *node != group).collect();
                    finer.extend(tree.children(group));
                    finer.sort_unstable();
                    let reason = reasons.iter().find(|reason| reason.group == group);
                    let is_needed = occurrences[group as usize] > 0 && !oracle::is_valid(&baskets, &privacy, &finer);
                    prop_assert_eq!(reason.is_some(), is_needed, "{:?} below {}", reason, group);
                    if let Some(reason) = reason {
                        let visible = oracle::visible(tree, &finer);
                        prop_assert!(reason.present.iter().all(|node| visible[*node as usize]));
                        let fits = |basket: &usize| reason.present.iter().all(|node| {
                            baskets.items(*basket).iter().any(|item| tree.contains(*node, *item))
                        });
                        let fitting: Vec<usize> = (0..baskets.len()).filter(fits).collect();
                        let support = oracle::heads(&baskets, &fitting);
                        prop_assert_eq!(support, reason.support);
                        let counts = (0..baskets.sensitive.len() as u32).map(|mark| {
                            let marked = fitting.iter().copied().filter(|basket| baskets.marks(*basket).contains(&mark));
                            (mark, oracle::heads(&baskets, &marked.collect::<Vec<_>>()))
                        });
                        prop_assert!(privacy.is_threat(support, counts));
                    }
                }
            }
        }
    }

    #[test]
    fn the_threat_of_fewest_transactions_is_shown() {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let paths = ["a;A;R", "b;A;R", "c;B;R", "d;B;R"].map(path);
        let tree = ItemTree::from_paths(&paths).expect("a tree");
        let item = |label: &str| tree.find(label).expect("an item");
        let mut baskets = Baskets::new(tree.clone().into(), Vec::new());
        for label in ["a", "b", "c"] {
            baskets.add(&mut vec![item(label)], &mut vec![], 9);
        }
        baskets.add(&mut vec![item("a"), item("d")], &mut vec![], 1);
        let requirements = [KlPrivacy { k: 2, m: 2, n: 0, theta: Vec::new(), power: None }];
        let method = ItemMethod::Og(Default::default());
        let task = ItemTask { baskets: &baskets, requirements: &requirements, method: &method };
        let root = ItemRecoding::of_cut(&tree, &[item("R")]);
        let found = reasons(&task, &root, &Clock::unlimited()).expect("reasons");
        let threat = GroupThreat {
            group: item("R"),
            present: vec![item("A"), item("B")],
            absent: Vec::new(),
            support: 1,
            requirement: 0,
            sensitive: None,
        };
        assert_eq!(found, [threat]);
    }
}
