//! Rows laid out for mining: visible nodes numbered in preorder, the nodes of every row, and for every node the rows that
//! hold it.

use std::sync::Arc;

use hashbrown::HashMap;
use rayon::prelude::*;

use super::lookup::Lookup;
use super::rows::{Heads, NOBODY, Rows};
use crate::privacy::kl::KlPrivacy;
use privet_taxonomy::{ItemTree, Node, append_with_ancestors};

/// Stands for the parent of a root.
pub(super) const NONE: u32 = u32::MAX;

/// A list of lists in one piece.
#[derive(Debug, Default)]
pub(super) struct Lists<T> {
    items: Vec<T>,
    starts: Vec<usize>,
}

impl<T> Lists<T> {
    pub(super) fn new() -> Lists<T> {
        Lists { items: Vec::new(), starts: vec![0] }
    }

    fn close(&mut self) {
        self.starts.push(self.items.len());
    }

    pub(super) fn get(&self, at: u32) -> &[T] {
        &self.items[self.starts[at as usize]..self.starts[at as usize + 1]]
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

/// What is mined for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The threats of every cut at or above the one that the rows show.
    AllCuts,
    /// The threats of that cut alone. Where no sensitive items are guarded, its own nodes tell as much as those above them:
    /// a set with a general node that few transactions hold has one with a special node that fewer do, and some.
    OneCut,
}

/// How rows are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// What is mined for.
    pub scope: Scope,
    /// How many leaves of absence the adversary may know.
    pub absent: u64,
    /// How many leaves of absence a threat may need once it is made more general.
    pub reach: u64,
    /// Whether to look for rows that are safe because others hold all that they hold. It takes a while, and pays where
    /// many items may be known.
    pub certify: bool,
    /// Whether only those rows are given that hold a node which is not in a cut mined before.
    pub is_partial: bool,
}

/// The rows of a cut with all that is visible in it. Nodes and rows have numbers of their own here: nodes that occur, in
/// preorder; unsafe rows first, then the others by growing weight. The rows of an owner follow each other.
#[derive(Debug)]
pub(super) struct Field {
    /// Per node, the node of the tree.
    pub nodes: Vec<Node>,
    pub parent: Vec<u32>,
    /// One past the last descendant.
    pub end: Vec<u32>,
    /// How many items of the tree are below it, whether they occur or not.
    pub leaves: Vec<u32>,
    pub reach: u64,
    /// Whether rows have the nodes of the cut only, not those above them.
    pub is_flat: bool,
    /// Per row, its nodes, ascending.
    pub rows: Lists<u32>,
    pub weights: Vec<u64>,
    pub marks: Lists<(u32, u64)>,
    /// Per row, whose it is; empty where nobody has several rows.
    owners: Vec<u32>,
    /// Per node, the rows that hold it, ascending.
    pub holders: Lists<u32>,
    /// The first of the safe rows: those before may be in a threat, those from here on cannot make one by themselves.
    pub unsafe_rows: u32,
    pub total: u64,
    pub mark_totals: Vec<u64>,
    /// The largest number of unrelated nodes in an unsafe row: nobody can know more of it to be present.
    pub longest: u64,
    /// The mean number of nodes in a row.
    pub mean_length: u64,
    /// Of nodes that many rows hold, those rows as bits.
    bitmaps: Vec<Option<Vec<u64>>>,
    /// Where more general itemsets are counted.
    pub lookup: Arc<Lookup>,
    /// Whether only those rows are here that hold something new.
    pub is_partial: bool,
}

/// How many rows are asked to vouch for one.
const MOST_LOOKS: usize = 512;
/// A node has a bitmap if at least one row in this many holds it.
const FREQUENT: usize = 32;

impl Field {
    /// Lays out `rows`.
    pub(super) fn new(
        tree: &ItemTree,
        rows: &Rows,
        lookup: Arc<Lookup>,
        privacy: &KlPrivacy,
        layout: Layout,
    ) -> Field {
        let (nodes, number) = occurring(tree, rows);
        let parent = nodes.iter().map(|node| tree.parent(*node).map_or(NONE, |above| number[above as usize]));
        let parent: Vec<u32> = parent.collect();
        let end = nodes.iter().map(|node| nodes.partition_point(|other| *other < tree.end(*node)) as u32);
        let end: Vec<u32> = end.collect();
        let leaves: Vec<u32> = nodes.iter().map(|node| tree.leaves(*node)).collect();
        let is_flat = layout.scope == Scope::OneCut && !privacy.guards_marks();
        let cells = if is_flat { renumber(rows, &number) } else { expand(rows, &number, &parent) };
        let weights: Vec<u64> = rows.iter().map(|(_, weight)| weight).collect();
        let mut safe: Vec<bool> = if layout.certify && !privacy.guards_marks() {
            let (k, absent) = (privacy.k, layout.absent);
            Certificate::new(&cells, rows, &weights, &leaves, k, absent).safe_rows()
        } else if rows.has_owners() {
            safe_crowds(rows, privacy)
        } else if privacy.guards_marks() {
            safe_cells(rows, privacy)
        } else {
            weights.iter().map(|weight| *weight >= privacy.k).collect()
        };
        keep_owners_together(rows, &mut safe);
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        // All rows of an owner weigh the same.
        order.sort_by_key(|row| (safe[*row as usize], weights[*row as usize]));
        let mut field = Field {
            unsafe_rows: safe.iter().filter(|safe| !**safe).count() as u32,
            nodes,
            parent,
            end,
            leaves,
            reach: layout.reach,
            is_flat,
            rows: Lists::new(),
            weights: order.iter().map(|row| weights[*row as usize]).collect(),
            marks: Lists::new(),
            owners: Vec::new(),
            holders: Lists::new(),
            total: weights.iter().sum(),
            mark_totals: vec![0; privacy.theta.len()],
            mean_length: (cells.items.len() / rows.len().max(1)) as u64,
            bitmaps: Vec::new(),
            lookup,
            is_partial: layout.is_partial,
            longest: 0,
        };
        for row in &order {
            field.rows.items.extend_from_slice(cells.get(*row));
            field.rows.close();
            field.marks.items.extend_from_slice(rows.marks(*row));
            field.marks.close();
            for (mark, count) in rows.marks(*row) {
                field.mark_totals[*mark as usize] += count;
            }
        }
        if rows.has_owners() {
            field.owners = order.iter().map(|row| rows.owner(*row)).collect();
            field.count_totals_once();
        }
        field.holders = holders(&field.rows, field.nodes.len(), 0..rows.len() as u32);
        field.longest = field.find_longest();
        if !privacy.guards_marks() {
            field.bitmaps = bitmaps(&field.holders, rows.len());
        }
        field
    }

    /// The rows that hold a node, as bits, if there are many of them.
    pub(super) fn bitmap(&self, node: u32) -> Option<&[u64]> {
        self.bitmaps[node as usize].as_deref()
    }

    /// Whose a row is.
    pub(super) fn owner(&self, row: u32) -> u32 {
        self.owners.get(row as usize).copied().unwrap_or(NOBODY)
    }

    /// Where an owner has several of these rows, which ascend: those rows.
    pub(super) fn runs<'r>(&self, rows: &'r [u32]) -> impl Iterator<Item = &'r [u32]> + use<'r, '_> {
        let rows = if self.owners.is_empty() { &[] } else { rows };
        let is_same = |one: &u32, other: &u32| {
            let owner = self.owner(*one);
            owner != NOBODY && owner == self.owner(*other)
        };
        rows.chunk_by(is_same).filter(|run| run.len() > 1)
    }

    /// By how much the weights of these rows exceed the number of people who have any of them.
    pub(super) fn surplus(&self, rows: &[u32]) -> u64 {
        self.runs(rows).map(|run| self.weights[run[0] as usize] * (run.len() as u64 - 1)).sum()
    }

    fn count_totals_once(&mut self) {
        let all: Vec<u32> = (0..self.weights.len() as u32).collect();
        self.total -= self.surplus(&all);
        let mut spare = Vec::new();
        for run in self.runs(&all) {
            let mut marks: Vec<u32> =
                run.iter().flat_map(|row| self.marks.get(*row)).map(|(mark, _)| *mark).collect();
            marks.sort_unstable();
            let weight = self.weights[run[0] as usize];
            spare.extend(marks.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| (pair[0], weight)));
        }
        spare.iter().for_each(|(mark, weight)| self.mark_totals[*mark as usize] -= weight);
    }

    fn find_longest(&self) -> u64 {
        let lowest = |row: u32| {
            let nodes = self.rows.get(row);
            let is_lowest =
                |at: usize| nodes.get(at + 1).is_none_or(|next| *next >= self.end[nodes[at] as usize]);
            (0..nodes.len()).filter(|at| is_lowest(*at)).count() as u64
        };
        (0..self.unsafe_rows).map(lowest).max().unwrap_or(0)
    }

    /// The fewest leaves of a node that occurs.
    pub(super) fn fewest_leaves(&self) -> u64 {
        self.leaves.iter().min().map_or(u64::MAX, |leaves| u64::from(*leaves))
    }

    /// The proper ancestors of a node, nearest first.
    pub(super) fn ancestors(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let above = |node: u32| Some(self.parent[node as usize]).filter(|parent| *parent != NONE);
        std::iter::successors(above(node), move |node| above(*node))
    }
}

/// The nodes that some row holds, ascending, and the number of each.
fn occurring(tree: &ItemTree, rows: &Rows) -> (Vec<Node>, Vec<u32>) {
    let mut occurs = vec![false; tree.len()];
    for row in rows.numbers() {
        for node in rows.nodes(row) {
            occurs[*node as usize] = true;
        }
    }
    for node in tree.nodes().rev().filter(|node| *node > 0) {
        if let (true, Some(parent)) = (occurs[node as usize], tree.parent(node)) {
            occurs[parent as usize] = true;
        }
    }
    let nodes: Vec<Node> = tree.nodes().filter(|node| occurs[*node as usize]).collect();
    let mut number = vec![NONE; tree.len()];
    for (at, node) in nodes.iter().enumerate() {
        number[*node as usize] = at as u32;
    }
    (nodes, number)
}

/// Every row in the numbers of the field.
fn renumber(rows: &Rows, number: &[u32]) -> Lists<u32> {
    let mut cells = Lists::new();
    for row in rows.numbers() {
        cells.items.extend(rows.nodes(row).iter().map(|node| number[*node as usize]));
        cells.close();
    }
    cells
}

/// Every row with the ancestors of its nodes, ascending.
fn expand(rows: &Rows, number: &[u32], parent: &[u32]) -> Lists<u32> {
    let mut cells = Lists::new();
    for row in rows.numbers() {
        cells.add_with_ancestors(rows.nodes(row).iter().map(|node| number[*node as usize]), parent);
    }
    cells
}

impl Lists<u32> {
    /// Adds a row of ascending nodes with their ancestors, ascending.
    pub(super) fn add_with_ancestors(&mut self, nodes: impl Iterator<Item = u32>, parent: &[u32]) {
        let above = |node: u32| Some(parent[node as usize]).filter(|parent| *parent != NONE);
        append_with_ancestors(&mut self.items, nodes, above);
        self.close();
    }
}

/// Per node, the rows that hold it, in the given order.
pub(super) fn holders(rows: &Lists<u32>, nodes: usize, order: impl Iterator<Item = u32>) -> Lists<u32> {
    let mut starts = vec![0usize; nodes + 1];
    for node in &rows.items {
        starts[*node as usize + 1] += 1;
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut next = starts.clone();
    let mut items = vec![0; rows.items.len()];
    for row in order {
        for node in rows.get(row) {
            items[next[*node as usize]] = row;
            next[*node as usize] += 1;
        }
    }
    Lists { items, starts }
}

/// Whether a row is in a bitmap.
pub(super) fn is_set(bitmap: &[u64], row: u32) -> bool {
    (bitmap[row as usize / 64] >> (row % 64)) & 1 == 1
}

/// Of nodes that many rows hold, those rows as bits.
pub(super) fn bitmaps(holders: &Lists<u32>, rows: usize) -> Vec<Option<Vec<u64>>> {
    let frequent = |node: u32| holders.get(node).len() * FREQUENT >= rows;
    let bits = |node: u32| {
        let mut bits = vec![0; rows.div_ceil(64)];
        for row in holders.get(node) {
            bits[*row as usize / 64] |= 1 << (row % 64);
        }
        bits
    };
    (0..holders.len() as u32).map(|node| frequent(node).then(|| bits(node))).collect()
}

/// Rows of enough transactions in which no sensitive item is too frequent. The transactions that any knowledge fits are a
/// union of such cells, and both conditions hold in a union of disjoint sets that meet them: where all cells are safe,
/// no knowledge is a threat.
fn safe_cells(rows: &Rows, privacy: &KlPrivacy) -> Vec<bool> {
    rows.numbers().map(|row| !privacy.is_threat(rows.weight(row), rows.marks(row).iter().copied())).collect()
}

/// The same where some people have several rows. Then people do not add up over cells: a sensitive item that is in few
/// people of either of two cells may be in most of the people of both. So it is compared with those people only who have
/// no other row: they add up, and there are at least as many people.
fn safe_crowds(rows: &Rows, privacy: &KlPrivacy) -> Vec<bool> {
    #[derive(Default)]
    struct Cell {
        people: u64,
        single: u64,
        marks: HashMap<u32, u64, foldhash::fast::RandomState>,
    }
    let mut cells: HashMap<&[Node], Cell, foldhash::fast::RandomState> = HashMap::default();
    for row in rows.numbers() {
        let cell = cells.entry(rows.nodes(row)).or_default();
        cell.people += rows.weight(row);
        cell.single += if rows.owner(row) == NOBODY { rows.weight(row) } else { 0 };
        for (mark, count) in rows.marks(row) {
            *cell.marks.entry(*mark).or_default() += count;
        }
    }
    let is_safe = |cell: &Cell| {
        let exceeds = |(mark, count): (&u32, &u64)| {
            privacy.guards(*mark) && privacy.exceeds(*mark, *count, cell.single)
        };
        cell.people >= privacy.k && !cell.marks.iter().any(exceeds)
    };
    rows.numbers().map(|row| cells.get(rows.nodes(row)).is_some_and(is_safe)).collect()
}

/// An owner of whose rows one is unsafe has no safe ones, so that they can stand together.
fn keep_owners_together(rows: &Rows, safe: &mut [bool]) {
    if !rows.has_owners() {
        return;
    }
    let all: Vec<u32> = rows.numbers().collect();
    for own in all.chunk_by(|one, other| rows.owner(*one) == rows.owner(*other)) {
        if rows.owner(own[0]) != NOBODY && own.iter().any(|row| !safe[*row as usize]) {
            own.iter().for_each(|row| safe[*row as usize] = false);
        }
    }
}

/// Where sensitive items are not guarded, a row is safe for every number of known items if at least k transactions hold all
/// that it holds and agree with it on all nodes that absences can be about: whatever an adversary knows about it, those
/// fit as well.
///
/// Not all rows that could vouch are looked at: a row that is taken for unsafe by mistake only costs time.
struct Certificate<'a> {
    rows: &'a Lists<u32>,
    /// The same rows, which know their owners.
    owned: &'a Rows,
    /// Per node, the rows that hold it, heavy ones first: they vouch soonest.
    holders: Lists<u32>,
    weights: &'a [u64],
    leaves: &'a [u32],
    k: u64,
    absent: u64,
}

impl<'a> Certificate<'a> {
    fn new(
        rows: &'a Lists<u32>,
        owned: &'a Rows,
        weights: &'a [u64],
        leaves: &'a [u32],
        k: u64,
        absent: u64,
    ) -> Certificate<'a> {
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_by_key(|row| std::cmp::Reverse(weights[*row as usize]));
        let holders = holders(rows, leaves.len(), order.into_iter());
        Certificate { rows, owned, holders, weights, leaves, k, absent }
    }

    fn safe_rows(&self) -> Vec<bool> {
        let signatures: Vec<u64> = (0..self.rows.len() as u32)
            .map(|row| self.rows.get(row).iter().fold(0, |bits, node| bits | (1 << (node % 64))))
            .collect();
        let total = self.heads(0..self.rows.len() as u32);
        (0..self.rows.len() as u32).into_par_iter().map(|row| self.is_safe(row, &signatures, total)).collect()
    }

    fn is_safe(&self, row: u32, signatures: &[u64], total: u64) -> bool {
        let own = self.rows.get(row);
        let owner = self.owned.owner(row);
        let mut found = Heads::default();
        found.add(self.weights[row as usize], owner);
        if found.sum >= self.k {
            return true;
        }
        let fits = |other: u32| {
            let theirs = self.rows.get(other);
            signatures[row as usize] & !signatures[other as usize] == 0
                && theirs.len() >= own.len()
                && is_subset(own, theirs)
                && (self.absent == 0 || self.small(own).eq(self.small(theirs)))
        };
        let Some(rarest) = own.iter().min_by_key(|node| self.holders.get(**node).len()) else {
            // A row without nodes: with absences, it is like those that have no node they could be about.
            if self.absent == 0 {
                return total >= self.k;
            }
            let without = (0..self.rows.len() as u32)
                .filter(|other| self.small(self.rows.get(*other)).next().is_none());
            return self.heads(without) >= self.k;
        };
        for other in self.holders.get(*rarest).iter().take(MOST_LOOKS) {
            let is_own = *other == row || owner != NOBODY && self.owned.owner(*other) == owner;
            if !is_own && fits(*other) {
                found.add(self.weights[*other as usize], self.owned.owner(*other));
                if found.sum >= self.k {
                    return true;
                }
            }
        }
        false
    }

    /// How many people have some of these rows, which ascend.
    fn heads(&self, rows: impl Iterator<Item = u32>) -> u64 {
        let mut heads = Heads::default();
        rows.for_each(|row| heads.add(self.weights[row as usize], self.owned.owner(row)));
        heads.sum
    }

    /// The nodes of a row that absences can be about.
    fn small<'b>(&'b self, row: &'b [u32]) -> impl Iterator<Item = &'b u32> + 'b {
        row.iter().filter(|node| u64::from(self.leaves[**node as usize]) <= self.absent)
    }
}

fn is_subset(small: &[u32], large: &[u32]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|node| rest.find(|other| *other >= node) == Some(node))
}
