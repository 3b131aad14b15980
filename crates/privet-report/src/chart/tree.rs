//! A taxonomy as an indented tree, with the nodes that the release uses picked out.
//!
//! Big trees are folded until they fit: first what lies below the cut, then long rows of siblings. The public edition
//! draws only labels that released records carry, and what lies above them.

use minijinja::Value;

use super::super::gate::{Datum, Key};
use super::super::model::{TaxonomyDrawing, TaxonomyNode};
use super::WIDTH;
use super::svg::{Anchor, Svg, width_of};
use privet_core::thousands;

const ROW: f64 = 19.0;
const INDENT: f64 = 16.0;
/// More rows than this are folded.
const MOST_ROWS: usize = 26;
/// More rows than this are folded where nodes are marked: what lies below the cut then says what the cut is for.
const MOST_MARKED: usize = 72;
/// Chains deeper than this are drawn no further to the right.
const MOST_INDENT: usize = 10;
/// A node below the cut shows no more children than this: they are only there to say what was given up.
const MOST_BELOW: usize = 5;

/// Whether the numbers of records are drawn.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum TreeCounts {
    /// With records below each node, and everything below the cut.
    Shown(Key),
    /// Without any count, and nothing that the release hides.
    Hidden,
}

impl TreeCounts {
    fn are_shown(self) -> bool {
        self.key().is_some()
    }

    fn key(self) -> Option<Key> {
        match self {
            TreeCounts::Shown(key) => Some(key),
            TreeCounts::Hidden => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Above,
    On,
    Below,
}

struct Row {
    depth: usize,
    text: String,
    aside: String,
    place: Place,
    records: Option<u64>,
    /// Whether the row stands for nodes that were folded away.
    folded: bool,
}

/// The tree with children instead of parents, limited to the nodes that may be drawn.
struct Shape<'a> {
    nodes: &'a [TaxonomyNode],
    children: Vec<Vec<usize>>,
    place: Vec<Place>,
    counts: TreeCounts,
}

impl<'a> Shape<'a> {
    fn new(nodes: &'a [TaxonomyNode], counts: TreeCounts) -> Shape<'a> {
        let used = |node: &TaxonomyNode| node.in_cut && (counts.are_shown() || node.released > 0);
        let mut place =
            nodes.iter().map(|node| if used(node) { Place::On } else { Place::Below }).collect::<Vec<_>>();
        // Children come after their parents, so one pass from the back tells who has a used node below.
        for index in (0..nodes.len()).rev() {
            if place[index] != Place::Below
                && let Some(parent) = nodes[index].parent.filter(|parent| *parent < index)
                && place[parent] == Place::Below
            {
                place[parent] = Place::Above;
            }
        }
        let mut children = vec![Vec::new(); nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let drawn = counts.are_shown() || place[index] != Place::Below;
            if let Some(parent) = node.parent.filter(|parent| *parent < index && drawn) {
                children[parent].push(index);
            }
        }
        Shape { nodes, children, place, counts }
    }

    fn leaves_below(&self, top: usize) -> usize {
        let mut open = vec![top];
        let mut leaves = 0;
        while let Some(index) = open.pop() {
            leaves += usize::from(self.children[index].is_empty());
            open.extend(&self.children[index]);
        }
        leaves
    }

    /// The rows to draw when no node shows more than `fan` children, and nodes below the cut only if `below`.
    fn rows(&self, fan: usize, below: bool) -> Vec<Row> {
        enum Open {
            Node(usize, usize),
            More(usize, usize, Place),
        }
        let mut rows = Vec::new();
        // A forest has several nodes without a parent.
        let tops = |at: &usize| {
            let top = *at == 0 || self.nodes[*at].parent.is_none();
            top && (self.counts.are_shown() || self.place[*at] != Place::Below)
        };
        let mut open: Vec<Open> =
            (0..self.nodes.len()).filter(tops).rev().map(|top| Open::Node(top, 0)).collect();
        while let Some(next) = open.pop() {
            if rows.len() > 4 * MOST_ROWS {
                break;
            }
            let (index, depth) = match next {
                Open::Node(index, depth) => (index, depth),
                Open::More(count, depth, place) => {
                    let text = match self.counts {
                        TreeCounts::Shown(_) => format!("… {} more", thousands(count as u64)),
                        TreeCounts::Hidden => "… and more".to_string(),
                    };
                    rows.push(Row { depth, text, aside: String::new(), place, records: None, folded: true });
                    continue;
                }
            };
            let node = &self.nodes[index];
            let children = &self.children[index];
            // Where nodes on the cut have others on the cut below them (local recoding), these must still be reached.
            let descend = below || children.iter().any(|child| self.place[*child] != Place::Below);
            let mut asides = Vec::new();
            // What is guarded is between the publisher and the steward.
            asides.extend(node.mark.clone().filter(|_| self.counts.are_shown()));
            if !children.is_empty() && !descend {
                let leaves = self.leaves_below(index);
                let values = if leaves == 1 { "value" } else { "values" };
                asides.push(format!("{} {values} below", thousands(leaves as u64)));
            }
            let aside = asides.join(", ");
            let (text, records) = (node.label.clone(), self.counts.key().map(|key| *node.records.see(key)));
            rows.push(Row { depth, text, aside, place: self.place[index], records, folded: false });
            if descend {
                let on_or_above = children.iter().any(|child| self.place[*child] != Place::Below);
                let fan = if on_or_above { fan } else { fan.min(MOST_BELOW) };
                let shown = if children.len() <= fan + 1 { children.len() } else { fan };
                if let Some(&first) = children.get(shown) {
                    open.push(Open::More(children.len() - shown, depth + 1, self.place[first]));
                }
                open.extend(children[..shown].iter().rev().map(|child| Open::Node(*child, depth + 1)));
            }
        }
        rows
    }

    /// The fullest set of rows that fits.
    fn fitting_rows(&self) -> Vec<Row> {
        let marked = self.counts.are_shown() && self.nodes.iter().any(|node| node.mark.is_some());
        let most = if marked { MOST_MARKED } else { MOST_ROWS };
        let ways = [
            (24, true),
            (24, false),
            (12, false),
            (8, false),
            (5, false),
            (3, false),
            (2, false),
            (1, false),
        ];
        let mut rows = Vec::new();
        for (fan, below) in ways {
            rows = self.rows(fan, below);
            if rows.len() <= most {
                return rows;
            }
        }
        rows.truncate(most);
        let text = "… and more".to_string();
        rows.push(Row {
            depth: 1,
            text,
            aside: String::new(),
            place: Place::Above,
            records: None,
            folded: true,
        });
        rows
    }
}

/// Draws the taxonomy of a column.
pub(in super::super) fn tree(drawing: &TaxonomyDrawing, counts: TreeCounts, title: &Datum) -> Value {
    let rows = Shape::new(&drawing.nodes, counts).fitting_rows();
    let with_counts = counts.are_shown();
    let used = drawing.nodes.iter().filter(|node| node.in_cut);
    let most = counts.key().and_then(|key| used.map(|node| *node.records.see(key)).max());
    let most = most.unwrap_or(1).max(1) as f64;
    let right = if with_counts { WIDTH - 128.0 } else { WIDTH };
    let mut svg = Svg::new(WIDTH, ROW * rows.len() as f64 + 6.0);

    let x = |depth: usize| 8.0 + INDENT * depth.min(MOST_INDENT) as f64;
    let y = |index: usize| ROW * index as f64 + 13.0;
    // A stem runs from a node down to the last of its children; branches lead from the stem to each child.
    for (index, row) in rows.iter().enumerate() {
        let below = &rows[index + 1..];
        let own = below.iter().take_while(|other| other.depth > row.depth).collect::<Vec<_>>();
        if let Some(last) = own.iter().rposition(|other| other.depth == row.depth + 1) {
            svg.line((x(row.depth), y(index) + 5.0), (x(row.depth), y(index + 1 + last)), "stem");
        }
        if index > 0 && row.depth <= MOST_INDENT {
            svg.line((x(row.depth) - INDENT, y(index)), (x(row.depth) - 5.0, y(index)), "stem");
        }
    }
    for (index, row) in rows.iter().enumerate() {
        let (x, y) = (x(row.depth), y(index));
        let (dot, label) = match row.place {
            Place::On => ("node-on", "label-on"),
            Place::Above => ("node-above", "label-above"),
            Place::Below => ("node-below", "label-below"),
        };
        let label_at = if row.folded { x - 2.0 } else { x + 10.0 };
        if !row.folded {
            svg.circle(x, y, if row.place == Place::On { 4.5 } else { 3.0 }, dot);
        }
        let room = (right - label_at - 4.0).max(24.0);
        svg.label(label_at, y + 4.0, room, if row.folded { "label-below" } else { label }, &row.text);
        // Bold labels run wider than the estimate.
        let after = label_at + width_of(&row.text) * 1.08 + 9.0;
        if !row.aside.is_empty() && after + width_of(&row.aside) < right {
            svg.text(after, y + 4.0, Anchor::Start, "small", &row.aside);
        }
        if let Some(records) = row.records.filter(|_| with_counts) {
            if row.place == Place::On && records > 0 {
                svg.rect(right, y - 4.0, (70.0 * records as f64 / most).max(1.0), 8.0, "after");
            }
            let class = if row.place == Place::Below { "small" } else { "count" };
            svg.text(WIDTH, y + 4.0, Anchor::End, class, &thousands(records));
        }
    }
    svg.finish(title.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edition;

    fn shown() -> TreeCounts {
        Edition::Steward.key().map_or(TreeCounts::Hidden, TreeCounts::Shown)
    }

    fn node(label: &str, parent: Option<usize>, released: u64, in_cut: bool) -> TaxonomyNode {
        TaxonomyNode {
            label: label.into(),
            parent,
            records: 40.into(),
            released,
            in_cut,
            level: 0,
            mark: None,
        }
    }

    /// A root with ten groups of ten leaves; the cut goes through the groups.
    fn hundred() -> TaxonomyDrawing {
        let mut nodes = vec![node("any", None, 0, false)];
        for group in 0..10 {
            nodes.push(node(&format!("group{group}"), Some(0), 40, true));
            let parent = nodes.len() - 1;
            nodes.extend((0..10).map(|leaf| node(&format!("leaf{group}{leaf}"), Some(parent), 0, false)));
        }
        TaxonomyDrawing { nodes }
    }

    #[test]
    fn a_big_tree_is_folded_below_the_cut() {
        let picture = tree(&hundred(), shown(), &"t".into()).to_string();
        assert!(picture.contains("group9") && picture.contains("10 values below"), "{picture}");
        assert!(!picture.contains("leaf00"));
    }

    #[test]
    fn the_public_sees_nothing_below_the_cut_and_no_label_without_records() {
        let mut drawing = hundred();
        drawing.nodes[1].released = 0;
        let picture = tree(&drawing, TreeCounts::Hidden, &"t".into()).to_string();
        assert!(picture.contains("group1") && !picture.contains("group0"), "{picture}");
        assert!(
            !picture.contains("leaf") && !picture.contains("below<") && !picture.contains("40"),
            "{picture}"
        );
    }

    #[test]
    fn a_long_row_of_siblings_is_folded() {
        let mut nodes = vec![node("any", None, 0, false)];
        nodes.extend((0..47).map(|leaf| node(&format!("leaf{leaf}"), Some(0), 1, true)));
        let picture = tree(&TaxonomyDrawing { nodes }, shown(), &"t".into()).to_string();
        assert!(picture.contains("leaf9") && picture.contains("… 23 more"), "{picture}");
    }

    #[test]
    fn trees_side_by_side_are_drawn_below_each_other() {
        let nodes = vec![
            node("north", None, 0, false),
            node("n1", Some(0), 3, true),
            node("south", None, 0, false),
            node("s1", Some(2), 0, true),
        ];
        let forest = TaxonomyDrawing { nodes };
        let all = tree(&forest, shown(), &"t".into()).to_string();
        assert!(["north", "n1", "south", "s1"].iter().all(|label| all.contains(label)), "{all}");
        let public = tree(&forest, TreeCounts::Hidden, &"t".into()).to_string();
        assert!(public.contains("n1") && !public.contains("south"), "nothing of that tree is released");
    }

    #[test]
    fn odd_trees_are_drawn_too() {
        let lonely = TaxonomyDrawing { nodes: vec![node("any", None, 3, true)] };
        assert!(tree(&lonely, shown(), &"t".into()).to_string().contains("any"));
        let empty = TaxonomyDrawing { nodes: vec![] };
        assert!(tree(&empty, shown(), &"t".into()).to_string().starts_with("<svg"));
        let deep = (0..500_usize).map(|depth| node("n", depth.checked_sub(1), 1, depth == 499)).collect();
        assert!(
            tree(&TaxonomyDrawing { nodes: deep }, shown(), &"t".into()).to_string().contains("and more")
        );
        let astray =
            TaxonomyDrawing { nodes: vec![node("a", Some(9), 1, true), node("b", Some(1), 1, true)] };
        assert!(tree(&astray, TreeCounts::Hidden, &"t".into()).to_string().starts_with("<svg"));
    }
}
