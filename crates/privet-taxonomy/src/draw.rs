//! A taxonomy as text: one node per line, with the number and share of the records below it.

use super::{NodeId, Taxonomy};
use privet_core::visible;

/// How much of a tree to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawOptions {
    /// More children than this are drawn as "… 37 more".
    pub most_children: usize,
    /// Nodes deeper than this are only counted.
    pub most_depth: usize,
}

impl Default for DrawOptions {
    fn default() -> Self {
        DrawOptions { most_children: 12, most_depth: 12 }
    }
}

/// One line of the drawing.
enum Item {
    Node(NodeId),
    /// Something left out, with what to say of it and the leaves it covers.
    Rest(String, std::ops::Range<usize>),
}

/// Draws the tree; with the number of records of each leaf (by position), every line ends with a count and a share.
///
/// ```
/// use privet_taxonomy::{DrawOptions, Taxonomy, draw};
/// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
/// let tree = Taxonomy::from_paths(&[path("Oslo;Norway;*"), path("Bergen;Norway;*"), path("Rome;*")])?;
/// assert_eq!(draw(&tree, Some(&[5, 1, 10]), DrawOptions::default()), "\
/// *             16  100.0 %
/// ├─ Norway      6   37.5 %
/// │  ├─ Oslo     5   31.2 %
/// │  └─ Bergen   1    6.2 %
/// └─ Rome       10   62.5 %
/// ");
/// # Ok::<(), privet_core::Error>(())
/// ```
pub fn draw(taxonomy: &Taxonomy, counts: Option<&[u64]>, options: DrawOptions) -> String {
    let mut lines: Vec<(String, std::ops::Range<usize>)> = Vec::new();
    // The item, its depth, and whether it is the last of its siblings.
    let mut waiting = vec![(Item::Node(taxonomy.root()), 0, true)];
    let mut prefix: Vec<&str> = Vec::new();
    while let Some((item, depth, last)) = waiting.pop() {
        prefix.truncate(depth.max(1) - 1);
        let branch = match (depth, last) {
            (0, _) => "",
            (_, true) => "└─ ",
            (_, false) => "├─ ",
        };
        let lead = prefix.concat() + branch;
        if depth > 0 {
            prefix.push(if last { "   " } else { "│  " });
        }
        match item {
            Item::Rest(text, leaves) => lines.push((lead + &text, leaves)),
            Item::Node(node) => {
                lines.push((lead + &visible::line(taxonomy.label(node)), taxonomy.leaves_below(node)));
                let items = below(taxonomy, node, depth, options);
                let count = items.len();
                let items = items.into_iter().enumerate().rev();
                waiting.extend(items.map(|(position, item)| (item, depth + 1, position + 1 == count)));
            }
        }
    }
    match counts {
        Some(counts) => with_counts(&lines, counts),
        None => lines.into_iter().map(|(text, _)| text + "\n").collect(),
    }
}

/// What is drawn below a node.
fn below(taxonomy: &Taxonomy, node: NodeId, depth: usize, options: DrawOptions) -> Vec<Item> {
    let children = taxonomy.children(node);
    if children.is_empty() {
        return Vec::new();
    }
    let leaves = taxonomy.leaves_below(node);
    if depth >= options.most_depth {
        let what = if leaves.len() == 1 { "leaf" } else { "leaves" };
        return vec![Item::Rest(format!("… {} {what} below", leaves.len()), leaves)];
    }
    // A line "… 1 more" would take the place of the one it stands for.
    let shown =
        if children.len() <= options.most_children + 1 { children.len() } else { options.most_children };
    let (shown, hidden) = children.split_at(shown);
    let mut items: Vec<Item> = shown.iter().map(|child| Item::Node(*child)).collect();
    if let Some(first) = hidden.first() {
        let rest = taxonomy.leaves_below(*first).start..leaves.end;
        items.push(Item::Rest(format!("… {} more", hidden.len()), rest));
    }
    items
}

fn with_counts(lines: &[(String, std::ops::Range<usize>)], counts: &[u64]) -> String {
    let mut sums = vec![0u64];
    for count in counts {
        sums.push(sums.last().copied().unwrap_or_default().saturating_add(*count));
    }
    // Leaves without a count count nothing.
    let up_to = |leaf: usize| sums[leaf.min(sums.len() - 1)];
    let total = up_to(usize::MAX);
    let label_width = lines.iter().map(|(text, _)| text.chars().count()).max().unwrap_or_default();
    let count_width = total.to_string().len();
    let mut drawing = String::new();
    for (text, leaves) in lines {
        let count = up_to(leaves.end) - up_to(leaves.start);
        let share = if total == 0 { 0.0 } else { 100.0 * count as f64 / total as f64 };
        drawing.push_str(&format!("{text:label_width$}  {count:>count_width$}  {share:5.1} %\n"));
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_and_deep_trees_are_abbreviated() {
        let values: Vec<String> = (0..40).map(|value| value.to_string()).collect();
        let tree = Taxonomy::flat(values.iter().map(String::as_str)).expect("a tree");
        let options = DrawOptions { most_children: 3, most_depth: 9 };
        assert_eq!(draw(&tree, None, options), "*\n├─ 0\n├─ 1\n├─ 2\n└─ … 37 more\n");
        assert!(draw(&tree, Some(&[1; 40]), options).ends_with("└─ … 37 more  37   92.5 %\n"));

        let chain: Vec<String> = (0..10_000).map(|depth| depth.to_string()).collect();
        let tree = Taxonomy::from_paths(&[chain]).expect("a tree");
        let options = DrawOptions { most_children: 3, most_depth: 1 };
        assert_eq!(draw(&tree, None, options), "9999\n└─ 9998\n   └─ … 1 leaf below\n");
    }

    #[test]
    fn control_characters_are_shown_and_missing_counts_are_zero() {
        let tree = Taxonomy::flat(["a\u{1b}[2J\nb", "é"]).expect("a tree");
        let drawing = draw(&tree, Some(&[]), DrawOptions::default());
        assert!(drawing.contains("a\\u{1b}[2J\\nb  0    0.0 %"), "{drawing}");
    }
}
