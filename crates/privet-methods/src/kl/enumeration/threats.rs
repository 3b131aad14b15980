//! Phase 1 of the thesis: the *inverse itemset enumeration tree* (section 4.3.2), searched depth first for threats.
//!
//! A node of the tree represents an itemset: the path from the root, one known node of the item tree per step, each
//! present or absent. A child adds a node that comes *earlier* in preorder, and children are visited in preorder, so
//! without absences a general itemset is visited before its specialisations (Theorem 4.1). The tree omits itemsets that
//! no transaction supports and itemsets with redundant members: a present ancestor of a present node, or an absent
//! ancestor of an absent node. "Some A, but not its descendant d" is not redundant, and is on the tree.

use std::ops::Range;

use super::counting::Counters;
use super::family::Family;
use super::rows::FullRows;
use super::shadow::Shadow;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::conflict::between;
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::{ItemTree, Node};

/// The prunings of section 4.3.3, in addition to the baseline: stay within the adversary's power and, if only sensitive
/// items are guarded, where one occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prunings {
    /// I: specialisations of a known threat are pruned.
    pub global: bool,
    /// II: a threat is not grown, and siblings below it are dropped.
    pub local: bool,
    /// III: an itemset with the same support as its parent on the tree is pruned.
    pub generic: bool,
    /// IV: if specialising one node makes all members of a threat visible, because they are children of it or of its
    /// ancestors, nothing below that node is examined again.
    pub locked: bool,
}

impl Prunings {
    /// Only the baseline.
    pub const NONE: Prunings = Prunings { global: false, local: false, generic: false, locked: false };
    /// All of them.
    pub const ALL: Prunings = Prunings { global: true, local: true, generic: true, locked: true };
}

/// The known threats, shared by all requirements.
#[derive(Debug)]
pub struct KnownThreats {
    /// The threats without their signs and without ancestors of other members, one after the other, each in descending
    /// order.
    members: Vec<Node>,
    ends: Vec<usize>,
    /// The same threats, for pruning I.
    pub(super) family: Family,
    /// Nodes below a permanently locked one, or below what is published.
    pub dead: Vec<bool>,
    /// The permanently locked nodes.
    pub locked: Vec<Node>,
    /// Whether even the roots cannot be published.
    pub impossible: bool,
    /// The number of examined nodes of the enumeration tree.
    pub nodes: u64,
    /// The number of materialised threats, including those that pruning IV removes again.
    pub materialised: u64,
}

impl KnownThreats {
    /// No threats yet; nothing below the dead nodes is published.
    pub fn new(dead: Vec<bool>) -> KnownThreats {
        let (members, ends, locked) = (Vec::new(), Vec::new(), Vec::new());
        KnownThreats {
            members,
            ends,
            family: Family::new(),
            dead,
            locked,
            impossible: false,
            nodes: 0,
            materialised: 0,
        }
    }

    /// The materialised threats: those without dead nodes. Members are in descending order.
    pub fn threats(&self) -> impl Iterator<Item = &[Node]> {
        let start = |at: usize| if at == 0 { 0 } else { self.ends[at - 1] };
        let all = (0..self.ends.len()).map(move |at| &self.members[start(at)..self.ends[at]]);
        all.filter(|threat| threat.iter().all(|node| !self.dead[*node as usize]))
    }

    fn materialise(&mut self, threat: &[Node]) {
        self.members.extend_from_slice(threat);
        self.ends.push(self.members.len());
    }
}

/// An itemset on the path to the current one.
#[derive(Debug)]
pub(super) struct PathFrame {
    /// The member that it adds to the previous itemset; the first frame adds none and comes after all nodes.
    pub node: Node,
    pub is_present: bool,
    pub support: u64,
    /// How many more present nodes, and leaves of absent ones, the adversary may know.
    pub present_left: u64,
    pub absent_left: u64,
    /// Its rows and its counts of sensitive items, in the arenas.
    pub rows: Range<usize>,
    pub marks: Range<usize>,
    /// The lengths of the arenas before it.
    pub rows_before: usize,
    pub marks_before: usize,
    /// Its children, in the arena, and how many of them were visited; each is visited twice, as present and as absent.
    pub children: Range<usize>,
    pub visited: usize,
    /// Children before this node are dropped.
    pub skip: Node,
}

/// An itemset and one more node.
#[derive(Debug, Clone)]
pub(super) struct ChildItemset {
    pub node: Node,
    pub support: u64,
    /// Its rows, in the arena, if they may be needed.
    pub rows: Range<usize>,
    /// Its counts of sensitive items, in the arena.
    pub marks: Range<usize>,
}

/// The number of nodes between looks at the clock, which also happen whenever rows are counted.
const NODES_PER_LOOK: u64 = 1 << 12;
/// Rows drop dead nodes once one node in this many is dead.
const STALE_SHARE: usize = 16;

/// The inverse itemset enumeration tree of one requirement.
#[derive(Debug)]
pub struct InverseTree<'a> {
    pub(super) tree: &'a ItemTree,
    pub(super) rows: &'a mut FullRows,
    pub(super) privacy: &'a KlPrivacy,
    pub(super) prunings: Prunings,
    pub(super) known: &'a mut KnownThreats,
    pub(super) frames: Vec<PathFrame>,
    pub(super) shadows: Vec<Shadow>,
    pub(super) row_arena: Vec<u32>,
    pub(super) child_arena: Vec<ChildItemset>,
    pub(super) mark_arena: Vec<(u32, u64)>,
    /// Per node, the number of members below it, and how many of them are present.
    pub(super) above: Vec<u32>,
    pub(super) above_present: Vec<u32>,
    pub(super) counters: Counters,
    /// The number of dead nodes that the rows may still hold.
    stale: usize,
}

impl<'a> InverseTree<'a> {
    /// The tree of a requirement, over rows that count its sensitive items.
    pub fn new(
        tree: &'a ItemTree,
        rows: &'a mut FullRows,
        privacy: &'a KlPrivacy,
        prunings: Prunings,
        known: &'a mut KnownThreats,
    ) -> InverseTree<'a> {
        InverseTree {
            tree,
            rows,
            privacy,
            prunings,
            known,
            frames: Vec::new(),
            shadows: Vec::new(),
            row_arena: Vec::new(),
            child_arena: Vec::new(),
            mark_arena: Vec::new(),
            above: vec![0; tree.len()],
            above_present: vec![0; tree.len()],
            counters: Counters::new(tree.len(), privacy.theta.len()),
            stale: 0,
        }
    }

    /// Searches the tree. Returns whether it finished before time ran out.
    pub fn search(mut self, clock: &Clock) -> Result<bool> {
        self.row_arena.extend(0..self.rows.len() as u32);
        let support = self.row_arena.iter().map(|row| self.rows.weight(*row)).sum();
        self.mark_arena = self.rows.all_marks();
        // The empty itemset counts too: without it, pruning III would lose the threats of a root that all rows hold.
        if self.privacy.is_threat(support, self.mark_arena.iter().copied()) {
            self.known.impossible = true;
            self.known.materialised += 1;
            self.known.materialise(&[]);
        }
        if self.known.impossible || self.is_hopeless(self.mark_arena.is_empty()) {
            return Ok(true);
        }
        self.grow(PathFrame {
            node: self.tree.len() as Node,
            is_present: false,
            support,
            present_left: self.privacy.m,
            absent_left: self.privacy.n,
            rows: 0..self.row_arena.len(),
            marks: 0..self.mark_arena.len(),
            rows_before: 0,
            marks_before: 0,
            children: 0..0,
            visited: 0,
            skip: 0,
        });
        while !self.frames.is_empty() {
            let depth = self.frames.len();
            self.step();
            if self.frames.len() > depth || self.known.nodes.is_multiple_of(NODES_PER_LOOK) {
                clock.check()?;
                if clock.is_over() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The second half of the baseline: whether no threat can follow, because only sensitive items are guarded and none
    /// occurs.
    fn is_hopeless(&self, is_unmarked: bool) -> bool {
        self.privacy.k <= 1 && is_unmarked
    }

    /// Moves on to the next node of the tree, if the current itemset has another child.
    fn step(&mut self) {
        if self.frames.len() == 1 && self.stale * STALE_SHARE > self.tree.len() {
            self.rows.retain(|node| !self.known.dead[node as usize]);
            self.stale = 0;
        }
        let Some(frame) = self.frames.last_mut() else { return };
        let at = frame.children.start + frame.visited / 2;
        if at >= frame.children.end {
            self.leave();
            return;
        }
        let is_present = frame.visited % 2 == 0;
        frame.visited += 1;
        let mut child = self.child_arena[at].clone();
        let node = child.node as usize;
        if child.node < frame.skip || self.known.dead[node] {
            return;
        }
        let says_something = if is_present {
            frame.present_left > 0 && self.above_present[node] == 0
        } else {
            child.support = frame.support - child.support;
            frame.absent_left >= u64::from(self.tree.leaves(child.node)) && self.above[node] == 0
        };
        if !says_something || child.support == 0 {
            return;
        }
        self.known.nodes += 1;
        let marks_before = self.mark_arena.len();
        if !is_present {
            let all = frame.marks.clone();
            child.marks = push_difference(&mut self.mark_arena, all, child.marks);
        }
        let depth = self.frames.len();
        self.examine(child, is_present, marks_before);
        if self.frames.len() == depth {
            self.mark_arena.truncate(marks_before);
        }
    }

    /// Prunes, materialises or grows a node of the tree.
    fn examine(&mut self, child: ChildItemset, is_present: bool, marks_before: usize) {
        let depth = self.frames.len() - 1;
        let frame = &mut self.frames[depth];
        if self.prunings.global && self.shadows[depth].covers(child.node) {
            frame.skip = self.tree.end(child.node);
            return;
        }
        if self.prunings.generic && child.support == frame.support {
            return;
        }
        let leaves = u64::from(self.tree.leaves(child.node));
        let (present_left, absent_left) = match is_present {
            true => (frame.present_left - 1, frame.absent_left),
            false => (frame.present_left, frame.absent_left - leaves),
        };
        if self.privacy.is_threat(child.support, self.mark_arena[child.marks.clone()].iter().copied()) {
            if self.prunings.local {
                frame.skip = self.tree.end(child.node);
            }
            self.materialise(child.node);
            let is_gone = self.frames.len() <= depth || self.known.dead[child.node as usize];
            if self.prunings.local || is_gone {
                return;
            }
        }
        if self.is_hopeless(child.marks.is_empty()) || (present_left == 0 && absent_left == 0) {
            return;
        }
        let rows_before = self.row_arena.len();
        let rows = if is_present { child.rows } else { self.push_rows_without(depth, child.node) };
        self.grow(PathFrame {
            node: child.node,
            is_present,
            support: child.support,
            present_left,
            absent_left,
            rows,
            marks: child.marks,
            rows_before,
            marks_before,
            children: 0..0,
            visited: 0,
            skip: 0,
        });
    }

    /// Descends to an itemset's children.
    fn grow(&mut self, mut frame: PathFrame) {
        if self.prunings.global {
            self.cast_shadow(&frame);
        }
        if (frame.node as usize) < self.tree.len() {
            for above in self.tree.ancestors(frame.node) {
                self.above[above as usize] += 1;
                self.above_present[above as usize] += u32::from(frame.is_present);
            }
        }
        frame.children = self.count_children(&frame);
        self.frames.push(frame);
    }

    /// Returns from an itemset to its parent.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if (frame.node as usize) < self.tree.len() {
            for above in self.tree.ancestors(frame.node) {
                self.above[above as usize] -= 1;
                self.above_present[above as usize] -= u32::from(frame.is_present);
            }
        }
        self.row_arena.truncate(frame.rows_before);
        self.mark_arena.truncate(frame.marks_before);
        self.child_arena.truncate(frame.children.start);
    }

    /// Records a threat: the current itemset and one more node.
    fn materialise(&mut self, node: Node) {
        let path = self.frames.iter().skip(1).map(|frame| frame.node).chain([node]);
        let threat: Vec<Node> = path.filter(|member| self.above[*member as usize] == 0).collect();
        self.known.materialised += 1;
        if self.prunings.locked {
            match between(self.tree, threat.iter().copied())[..] {
                [] => {
                    self.known.impossible = true;
                    self.known.materialise(&threat);
                    self.frames.clear();
                    return;
                }
                [node] => return self.lock(node),
                _ => {}
            }
        }
        self.known.materialise(&threat);
        if self.prunings.global {
            self.spread_shadows(&threat);
        }
    }

    /// Locks a node permanently, and leaves all itemsets with nodes below it.
    fn lock(&mut self, node: Node) {
        let below = node as usize + 1..self.tree.end(node) as usize;
        self.stale += self.known.dead[below.clone()].iter().filter(|dead| !**dead).count();
        self.known.dead[below.clone()].fill(true);
        self.known.locked.retain(|other| !below.contains(&(*other as usize)));
        self.known.locked.push(node);
        let is_dead = |frame: &PathFrame| below.contains(&(frame.node as usize));
        if let Some(first) = self.frames.iter().position(is_dead) {
            while self.frames.len() > first {
                self.leave();
            }
        }
    }
}

/// Adds the counts of sensitive items in `all` minus those in `some`. Both lists are ascending.
fn push_difference(arena: &mut Vec<(u32, u64)>, all: Range<usize>, some: Range<usize>) -> Range<usize> {
    let (start, mut next) = (arena.len(), some.start);
    for at in all {
        let (mark, mut count) = arena[at];
        if next < some.end && arena[next].0 == mark {
            count -= arena[next].1;
            next += 1;
        }
        if count > 0 {
            arena.push((mark, count));
        }
    }
    start..arena.len()
}
