//! The search for minimal moles: sets of nodes that are threats although none of their subsets is.

use hashbrown::{HashMap, HashSet};

use super::ItemTask;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::itemset::rows::{Heads, NOBODY, Rows};
use privet_engine::itemset::spread::{Held, Spread, Spreader};
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::Node;

/// How many moles are collected before items are suppressed; the search then starts again with the remaining items.
const MOST_MOLES: usize = 1 << 22;
/// Limit in items; a mole over groups counts every item in its transactions.
const MOST_CELLS: usize = 1 << 25;
/// Subsets of larger sets are not looked up: there are too many. A mole that is not minimal does no harm.
const MOST_FOR_SUBSETS: usize = 12;

/// Moles, as the published nodes that can repair them or as the sets themselves.
#[derive(Debug, Default)]
pub(in crate::kl) struct Moles {
    cells: Vec<Node>,
    ends: Vec<usize>,
}

impl Moles {
    pub(in crate::kl) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(in crate::kl) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The nodes of which one must be suppressed, each once; or the nodes of the mole itself.
    pub(in crate::kl) fn nodes(&self, mole: usize) -> &[Node] {
        let start = if mole == 0 { 0 } else { self.ends[mole - 1] };
        &self.cells[start..self.ends[mole]]
    }

    /// All of them.
    pub(in crate::kl) fn iter(&self) -> impl Iterator<Item = &[Node]> {
        (0..self.len()).map(|mole| self.nodes(mole))
    }

    pub(in crate::kl) fn push(&mut self, items: impl IntoIterator<Item = Node>) {
        self.cells.extend(items);
        self.ends.push(self.cells.len());
    }
}

/// The result of a search.
pub(in crate::kl) struct MinedMoles {
    pub(in crate::kl) moles: Moles,
    /// The number of sets counted.
    pub(in crate::kl) examined: u64,
}

/// What to collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kl) enum Collect {
    /// Of each mole the published nodes that can repair it; moles of one node first, others only where there are none.
    Repairs,
    /// The same, but the moles themselves.
    SmallestSets,
    /// The moles themselves, of all sizes.
    Sets,
}

type SeenSets<T> = HashSet<T, foldhash::fast::RandomState>;

/// A search for moles.
pub(in crate::kl) struct MoleSearch<'a> {
    task: &'a ItemTask<'a>,
    /// One row per distinct basket, plus further ones for people who have several.
    rows: Rows,
    /// Per row, its basket.
    of: Vec<u32>,
    /// Per node, whether it is published itself: others in the rows are groups above.
    published: Vec<bool>,
    collect: Collect,
    /// Per row, whether the rows that look like it are no threat on their own; then they are none within any larger
    /// set.
    safe: Vec<bool>,
    clock: &'a Clock,
    spreader: Spreader,
    /// Moles of one node.
    single: Vec<bool>,
    /// Moles of two nodes.
    pairs: SeenSets<(Node, Node)>,
    /// Larger moles, in descending order of nodes.
    larger: SeenSets<Vec<Node>>,
    mark_counts: Vec<Heads>,
    mined: MinedMoles,
}

/// The requirements on sets of one size.
struct SizeRequirements<'a> {
    size: usize,
    least: u64,
    guards: Vec<&'a KlPrivacy>,
    /// All of them, where what is known does not only depend on the number of nodes.
    measured: Vec<&'a KlPrivacy>,
    /// Whether larger sets will be examined, which must not contain moles of this size.
    more: bool,
}

impl SizeRequirements<'_> {
    /// Whether anybody can know these nodes and perhaps more.
    fn reach(&self, set: &[Node]) -> bool {
        self.measured.is_empty() || self.measured.iter().any(|requirement| requirement.reaches(set))
    }

    /// How many transactions must fit the knowledge of some nodes.
    fn least(&self, set: &[Node]) -> u64 {
        if self.measured.is_empty() {
            return self.least;
        }
        let reaching = self.measured.iter().filter(|requirement| requirement.reaches(set));
        reaching.map(|requirement| requirement.k).max().unwrap_or(0)
    }
}

impl<'a> MoleSearch<'a> {
    /// `rows` come with the numbers of their baskets; `published` says which of their nodes are not groups above others.
    pub(in crate::kl) fn new(
        task: &'a ItemTask<'a>,
        (rows, of): (Rows, Vec<u32>),
        published: Vec<bool>,
        collect: Collect,
        clock: &'a Clock,
    ) -> MoleSearch<'a> {
        let nodes = task.baskets.tree.len();
        MoleSearch {
            safe: safe(task, &rows, &of),
            task,
            rows,
            of,
            published,
            collect,
            clock,
            spreader: Spreader::new(nodes),
            single: vec![false; nodes],
            pairs: SeenSets::default(),
            larger: SeenSets::default(),
            mark_counts: vec![Heads::default(); task.baskets.sensitive.len()],
            mined: MinedMoles { moles: Moles::default(), examined: 0 },
        }
    }

    /// The minimal moles.
    pub(in crate::kl) fn run(mut self) -> Result<MinedMoles> {
        let longest = self.rows.iter().map(|(nodes, _)| nodes.len()).max().unwrap_or(0);
        let requirements = self.task.requirements;
        for size in 1..=longest {
            let asked: Vec<&KlPrivacy> =
                requirements.iter().filter(|requirement| requirement.m >= size as u64).collect();
            let Some(least) = asked.iter().map(|requirement| requirement.k).max() else { break };
            let is_measured = asked.iter().any(|requirement| requirement.power.is_some());
            let measured = if is_measured { asked.clone() } else { Vec::new() };
            let guards = asked.into_iter().filter(|requirement| requirement.guards_marks()).collect();
            let all = Held::all(&self.rows);
            let more = requirements.iter().any(|requirement| requirement.m > size as u64);
            self.grow(&SizeRequirements { size, least, guards, measured, more }, &mut Vec::new(), &all)?;
            let is_enough = size == 1 && self.collect != Collect::Sets && !self.mined.moles.is_empty();
            if is_enough || self.is_full() {
                break;
            }
        }
        Ok(self.mined)
    }

    fn is_full(&self) -> bool {
        let moles = &self.mined.moles;
        moles.len() >= MOST_MOLES || moles.cells.len() >= MOST_CELLS
    }

    /// Examines the sets of the given size that extend a set which is not a mole.
    fn grow(&mut self, asked: &SizeRequirements<'_>, set: &mut Vec<Node>, held: &[Held]) -> Result<()> {
        if self.is_full() || held.iter().all(|held| self.safe[held.row as usize]) {
            return Ok(());
        }
        self.clock.check()?;
        let MoleSearch { task, rows, spreader, single, pairs, larger, .. } = &mut *self;
        let tree = &task.baskets.tree;
        let may = |node: Node| !single[node as usize];
        let minimal = |node: Node| {
            !set.iter().any(|other| pairs.contains(&(*other, node)) || tree.contains(node, *other))
                && !covered(larger, set, node)
        };
        let last = set.len() + 1 == asked.size;
        if last && asked.guards.is_empty() {
            let mut rare = Vec::new();
            let mut examined = 0;
            spreader.weigh(rows, held, may, |node, support| {
                examined += 1;
                if support < asked.least && minimal(node) {
                    rare.push((node, support));
                }
            });
            self.mined.examined += examined;
            for (node, support) in rare {
                set.push(node);
                if support < asked.least(set) {
                    let holding = self.repaired_by(set, node, held);
                    self.record(asked, set, &holding, &[]);
                }
                set.pop();
            }
            return Ok(());
        }
        let mut spread = Spread::default();
        // If all transactions of the set hold the node, it adds nothing.
        let wanted = |node: Node, _: u64, with: usize| with < held.len() && minimal(node);
        spreader.spread(rows, held, may, wanted, &mut spread);
        self.mined.examined += spread.branches().len() as u64;
        for branch in spread.branches() {
            if self.is_full() {
                break;
            }
            self.clock.check()?;
            let rows = spread.rows(branch);
            set.push(branch.node);
            if !asked.reach(set) {
                set.pop();
                continue;
            }
            if !last {
                self.grow(asked, set, rows)?;
            } else {
                let sure = self.sure(asked, set, rows, branch.support);
                if branch.support < asked.least(set) || !sure.is_empty() {
                    self.record(asked, set, rows, &sure);
                }
            }
            set.pop();
        }
        Ok(())
    }

    /// The sensitive items whose confidence among some rows is too high.
    fn sure(&mut self, asked: &SizeRequirements<'_>, set: &[Node], rows: &[Held], support: u64) -> Vec<u32> {
        let mut touched = Vec::new();
        for Held { row, .. } in rows {
            for mark in self.task.baskets.marks(self.of[*row as usize] as usize) {
                let count = &mut self.mark_counts[*mark as usize];
                if count.sum == 0 {
                    touched.push(*mark);
                }
                count.add(self.rows.weight(*row), self.rows.owner(*row));
            }
        }
        touched.retain(|mark| {
            let count = std::mem::take(&mut self.mark_counts[*mark as usize]);
            let mut guards = asked.guards.iter().filter(|requirement| requirement.reaches(set));
            guards.any(|requirement| requirement.exceeds(*mark, count.sum, support))
        });
        touched
    }

    /// The rows of a set and one more node that say how to repair its groups; none where the set has no groups.
    fn repaired_by(&self, set: &[Node], node: Node, held: &[Held]) -> Vec<Held> {
        let is_repaired = matches!(self.collect, Collect::Repairs);
        if !is_repaired || set.iter().all(|node| self.published[*node as usize]) {
            return Vec::new();
        }
        held.iter().filter(|held| self.rows.nodes(held.row).contains(&node)).copied().collect()
    }

    /// Records a mole, or the published nodes that can repair it: its own and, for its groups, those that occur in the
    /// transactions that make it a mole.
    fn record(&mut self, asked: &SizeRequirements<'_>, set: &[Node], rows: &[Held], sure: &[u32]) {
        let tree = &self.task.baskets.tree;
        let published = &self.published;
        let (items, groups): (Vec<Node>, Vec<Node>) = match self.collect {
            Collect::Repairs => set.iter().partition(|node| published[**node as usize]),
            Collect::SmallestSets | Collect::Sets => (set.to_vec(), Vec::new()),
        };
        let mut repairing = items;
        if !groups.is_empty() {
            for Held { row, .. } in rows {
                let marks = self.task.baskets.marks(self.of[*row as usize] as usize);
                if sure.is_empty() || marks.iter().any(|mark| sure.contains(mark)) {
                    let below = |node: &&Node| {
                        published[**node as usize] && groups.iter().any(|group| tree.contains(*group, **node))
                    };
                    repairing.extend(self.rows.nodes(*row).iter().filter(below));
                }
            }
            repairing.sort_unstable();
            repairing.dedup();
        }
        self.mined.moles.push(repairing);
        match set {
            _ if !asked.more => {}
            [node] => self.single[*node as usize] = true,
            [one, other] => {
                self.pairs.insert((*one, *other));
            }
            _ => {
                self.larger.insert(set.to_vec());
            }
        }
    }
}

/// Whether a set with one more node contains a mole of at least three nodes that includes that node.
fn covered(larger: &SeenSets<Vec<Node>>, set: &[Node], node: Node) -> bool {
    if larger.is_empty() || set.len() > MOST_FOR_SUBSETS {
        return false;
    }
    let mut part = Vec::with_capacity(set.len() + 1);
    (1u32..1 << set.len()).filter(|chosen| chosen.count_ones() >= 2).any(|chosen| {
        part.clear();
        part.extend(set.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, node)| *node));
        part.push(node);
        larger.contains(&part)
    })
}

/// Per row, whether the transactions that show the same nodes meet every requirement on their own. If somebody has
/// several rows, sensitive items are compared only with the people who have one row: those add up over rows, others do
/// not.
fn safe(task: &ItemTask<'_>, rows: &Rows, of: &[u32]) -> Vec<bool> {
    let mut index: HashMap<&[Node], usize, foldhash::fast::RandomState> = HashMap::default();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for row in 0..rows.len() as u32 {
        let at = *index.entry(rows.nodes(row)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(row);
    }
    let mut safe = vec![false; rows.len()];
    let mut counts: Vec<u64> = vec![0; task.baskets.sensitive.len()];
    for group in groups {
        let mut support = Heads::default();
        let mut single = 0;
        for row in &group {
            support.add(rows.weight(*row), rows.owner(*row));
            single += if rows.owner(*row) == NOBODY { rows.weight(*row) } else { 0 };
        }
        let mut marks: Vec<u32> = Vec::new();
        for row in &group {
            for mark in task.baskets.marks(of[*row as usize] as usize) {
                counts[*mark as usize] += rows.weight(*row);
                marks.push(*mark);
            }
        }
        let threat = |requirement: &KlPrivacy| {
            let exceeds = |mark: &u32| {
                requirement.guards(*mark) && requirement.exceeds(*mark, counts[*mark as usize], single)
            };
            support.sum < requirement.k || marks.iter().any(exceeds)
        };
        if !task.requirements.iter().any(threat) {
            group.iter().for_each(|row| safe[*row as usize] = true);
        }
        marks.iter().for_each(|mark| counts[*mark as usize] = 0);
    }
    safe
}
