//! The classes of a generalised table, specialised step by step.

use super::Model;
use super::watch::{Group, Watch};
use privet_taxonomy::NodeId;

/// The distinct records of a table, with all values as leaves.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// The leaves' nodes, one per attribute, record by record.
    pub leaves: Vec<u32>,
    /// How often each record occurs.
    pub counts: Vec<u64>,
}

/// The records of a table that look alike under a cut of each attribute.
#[derive(Debug, Clone)]
pub struct Classes {
    /// The shown values, one per attribute, class by class.
    values: Vec<u32>,
    /// The number of records of each class.
    counts: Vec<u64>,
    /// The distinct records, class by class.
    members: Vec<u32>,
    /// Where each class begins in `members`, and the end of the last.
    starts: Vec<u32>,
    /// No class may become smaller than this.
    least: u64,
}

/// A part of a class under a child of the value that is specialised.
#[derive(Debug, Clone, Copy)]
struct Piece {
    class: u32,
    child: u32,
    count: u64,
}

impl Classes {
    /// All records look alike: every attribute shows its root. Classes of fewer than `least` records are kept from arising: 1
    /// allows all, more is k-anonymity over all attributes. Specialising only ever makes classes smaller, so this is as
    /// monotone as breaches are.
    pub fn coarsest(model: &Model, records: &Records, least: u64) -> Classes {
        let members: Vec<u32> = (0..records.counts.len() as u32).collect();
        Classes {
            values: vec![0; model.attributes.len()],
            counts: vec![records.counts.iter().sum()],
            starts: vec![0, members.len() as u32],
            members,
            least,
        }
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        (self.values.len() + self.members.len() + self.starts.len()) * 4 + self.counts.len() * 8
    }

    /// The shown values, one per attribute, class by class.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Specialises a value of an attribute unless that makes a breach or too small a class; returns whether it did. The table is taken to be
    /// free of breaches.
    pub fn open(&mut self, model: &Model, records: &Records, attribute: usize, node: u32) -> bool {
        let pieces = self.pieces(model, records, attribute, node);
        let holds = self.stays_safe(model, attribute, &pieces);
        if holds {
            self.split(model, records, attribute, node);
        }
        holds
    }

    /// Whether a value can be specialised without a breach or too small a class. The table is taken to be free of both.
    pub fn can_open(&self, model: &Model, records: &Records, attribute: usize, node: u32) -> bool {
        self.stays_safe(model, attribute, &self.pieces(model, records, attribute, node))
    }

    /// Whether the table has a breach, from scratch.
    pub fn is_breached(&self, model: &Model) -> bool {
        model.endangered().iter().any(|target| {
            let target = *target;
            let groups: Vec<Group> = self.groups(model, target).collect();
            Watch::new(model, &self.values, target).is_breached(&groups, &model.others(&[target]))
        })
    }

    /// All classes, as attacks on an attribute see them.
    pub fn groups<'a>(&'a self, model: &'a Model, target: usize) -> impl Iterator<Item = Group> + 'a {
        let width = model.attributes.len();
        (0..).zip(&self.counts).map(move |(row, count)| Group {
            row,
            target: self.values[row as usize * width + target],
            count: *count,
        })
    }

    /// The members of a class.
    fn members_of(&self, class: usize) -> &[u32] {
        &self.members[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// The parts into which classes fall when a value is specialised.
    fn pieces(&self, model: &Model, records: &Records, attribute: usize, node: u32) -> Vec<Piece> {
        let width = model.attributes.len();
        let children = model.attributes[attribute].taxonomy.children(NodeId(node));
        let mut counts = vec![0u64; children.len()];
        let mut touched: Vec<usize> = Vec::new();
        let mut pieces = Vec::new();
        for class in (0..self.len()).filter(|class| self.values[class * width + attribute] == node) {
            for member in self.members_of(class) {
                let place = child_of(children, records.leaves[*member as usize * width + attribute]);
                if counts[place] == 0 {
                    touched.push(place);
                }
                counts[place] += records.counts[*member as usize];
            }
            for place in touched.drain(..) {
                let count = std::mem::take(&mut counts[place]);
                pieces.push(Piece { class: class as u32, child: children[place].0, count });
            }
        }
        pieces
    }

    /// Whether no piece is too small, and nothing that is new when a value falls into them is a breach: X that hold a child of it, and attacks on a
    /// child of it.
    fn stays_safe(&self, model: &Model, attribute: usize, pieces: &[Piece]) -> bool {
        if pieces.iter().any(|piece| piece.count < self.least) {
            return false;
        }
        let width = model.attributes.len();
        let opened = &model.attributes[attribute];
        let mut by_child: Vec<Piece> = pieces.to_vec();
        by_child.sort_unstable_by_key(|piece| (piece.child, piece.class));
        let mut endangered = false;
        for part in by_child.chunk_by(|one, other| one.child == other.child) {
            let Some(child) = part.first().map(|piece| piece.child) else { continue };
            if !opened.is_observable(child) {
                endangered |= opened.bar(child).is_breach(1, 1);
                continue;
            }
            for target in model.endangered().iter().copied().filter(|target| *target != attribute) {
                let value = |piece: &Piece| self.values[piece.class as usize * width + target];
                let groups: Vec<Group> = part
                    .iter()
                    .map(|piece| Group { row: piece.class, target: value(piece), count: piece.count })
                    .collect();
                let others = model.others(&[target, attribute]);
                if Watch::new(model, &self.values, target).is_breached(&groups, &others) {
                    return false;
                }
            }
        }
        if !endangered {
            return true;
        }
        let Some(parent) = by_child.first().and_then(|piece| opened.taxonomy.parent(NodeId(piece.child)))
        else {
            return true;
        };
        // Other values of the attribute were attacked before: they count as the root, which is not in danger.
        let untouched = self.groups(model, attribute).filter(|group| group.target != parent.0);
        let untouched = untouched.map(|group| Group { target: 0, ..group });
        let parted = pieces.iter().map(|piece| {
            let target = if opened.is_observable(piece.child) { 0 } else { piece.child };
            Group { row: piece.class, target, count: piece.count }
        });
        let groups: Vec<Group> = untouched.chain(parted).collect();
        !Watch::new(model, &self.values, attribute).is_breached(&groups, &model.others(&[attribute]))
    }

    /// Specialises a value, whatever that makes.
    pub fn split(&mut self, model: &Model, records: &Records, attribute: usize, node: u32) {
        let width = model.attributes.len();
        let children = model.attributes[attribute].taxonomy.children(NodeId(node));
        let mut finer = Classes {
            values: Vec::with_capacity(self.values.len()),
            counts: Vec::with_capacity(self.counts.len()),
            members: Vec::with_capacity(self.members.len()),
            starts: vec![0],
            least: self.least,
        };
        for class in 0..self.len() {
            let values = &self.values[class * width..(class + 1) * width];
            let members = self.members_of(class);
            if values[attribute] != node {
                finer.push(values, members, self.counts[class]);
                continue;
            }
            let place =
                |member: &u32| child_of(children, records.leaves[*member as usize * width + attribute]);
            let mut sorted = members.to_vec();
            sorted.sort_by_key(place);
            for part in sorted.chunk_by(|one, other| place(one) == place(other)) {
                let Some(child) = part.first().map(|member| children[place(member)]) else { continue };
                let mut values = values.to_vec();
                values[attribute] = child.0;
                let count = part.iter().map(|member| records.counts[*member as usize]).sum();
                finer.push(&values, part, count);
            }
        }
        *self = finer;
    }

    fn push(&mut self, values: &[u32], members: &[u32], count: u64) {
        self.values.extend_from_slice(values);
        self.members.extend_from_slice(members);
        self.starts.push(self.members.len() as u32);
        self.counts.push(count);
    }
}

/// Which of a node's children, which are numbered depth first, a leaf below it is at or below.
fn child_of(children: &[NodeId], leaf: u32) -> usize {
    children.partition_point(|child| child.0 <= leaf) - 1
}
