//! From paths `leaf, …, root` to a tree: every path is checked against all before it.

use hashbrown::HashMap;

use super::Taxonomy;
use privet_core::{Error, Result};

/// What one path is called in messages.
#[derive(Debug, Clone, Copy)]
pub(super) enum Origin {
    /// A line of a hierarchy file.
    Line,
    /// An element of a list.
    Path,
}

const UNSET: u32 = u32::MAX;

/// What is known of one label so far.
struct Seen {
    label: String,
    parent: u32,
    /// The last column it was seen in, as long as all lines agree.
    top: u32,
    leaf: bool,
    /// The line that first named it, for messages.
    first_line: u64,
    /// The last line that named it: twice on one line is a cycle.
    last_line: u64,
}

/// Collects paths into a tree.
pub(super) struct Grower {
    origin: Origin,
    /// Whether a leaf may have one path only.
    once: bool,
    ids: HashMap<String, u32>,
    seen: Vec<Seen>,
    root: u32,
    width: usize,
    /// Whether all lines so far have one width and put every label into the same columns.
    aligned: bool,
    /// The labels of the current path, with their last column.
    path: Vec<(u32, u32)>,
}

impl Grower {
    pub(super) fn new(origin: Origin) -> Self {
        Grower {
            origin,
            once: false,
            ids: HashMap::new(),
            seen: Vec::new(),
            root: UNSET,
            width: 0,
            aligned: true,
            path: Vec::new(),
        }
    }

    /// The same, but a second path of a leaf is an error even where it says what the first says.
    pub(super) fn once(self) -> Self {
        Grower { once: true, ..self }
    }

    /// Whether no path was added yet.
    pub(super) fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Adds one path. Numbers of paths (lines of a file) start at 1 and grow.
    pub(super) fn add<'a>(&mut self, line: u64, labels: impl Iterator<Item = &'a str>) -> Result<()> {
        let width = self.intern(line, labels)?;
        let (Some(&(leaf, _)), Some(&(root, _))) = (self.path.first(), self.path.last()) else {
            return Err(self.error(
                line,
                "a path without labels".into(),
                "name a leaf and the nodes above it",
            ));
        };
        self.check_root(line, root)?;
        self.check_roles(line, leaf)?;
        self.check_star(line)?;
        for step in self.path.windows(2) {
            let (child, parent) = (step[0].0, step[1].0);
            let known = self.seen[child as usize].parent;
            if known != UNSET && known != parent {
                return Err(self.two_parents(line, child, known, parent));
            }
            self.seen[child as usize].parent = parent;
        }
        let seen = &self.seen[leaf as usize];
        if self.once && seen.first_line != line {
            let message =
                format!("'{}' is listed twice, first on {}", seen.label, self.place(seen.first_line));
            return Err(self.error(line, message, "keep one of the two"));
        }
        self.aligned &= self.width == 0 || self.width == width;
        self.width = width;
        for &(id, top) in &self.path {
            let seen = &mut self.seen[id as usize];
            self.aligned &= seen.top == UNSET || seen.top == top;
            seen.top = top;
        }
        Ok(())
    }

    /// Puts the labels into `self.path`, one entry for a label repeated in a row, and returns the number of columns.
    fn intern<'a>(&mut self, line: u64, labels: impl Iterator<Item = &'a str>) -> Result<usize> {
        self.path.clear();
        let mut width = 0;
        for label in labels {
            let column = width as u32;
            width += 1;
            if label.trim().is_empty() {
                let message = format!("the label in column {width} is empty");
                return Err(self.error(line, message, "name the value, or remove the delimiter next to it"));
            }
            let id = match self.ids.get(label) {
                Some(&id) => id,
                None => {
                    let id = self.seen.len() as u32;
                    if id == UNSET {
                        return Err(self.error(
                            line,
                            "more than 4 billion labels".into(),
                            "use a smaller tree",
                        ));
                    }
                    self.ids.insert(label.to_string(), id);
                    let label = label.to_string();
                    let seen = Seen {
                        label,
                        parent: UNSET,
                        top: UNSET,
                        leaf: false,
                        first_line: line,
                        last_line: 0,
                    };
                    self.seen.push(seen);
                    id
                }
            };
            match self.path.last_mut() {
                Some((last, top)) if *last == id => *top = column,
                _ => {
                    if self.seen[id as usize].last_line == line {
                        let message = format!("a cycle: '{label}' is above itself");
                        let help = "a label may be repeated only in neighbouring columns; rename one of the two nodes";
                        return Err(self.error(line, message, help));
                    }
                    self.seen[id as usize].last_line = line;
                    self.path.push((id, column));
                }
            }
        }
        Ok(width)
    }

    fn check_root(&mut self, line: u64, root: u32) -> Result<()> {
        if self.root == UNSET {
            self.root = root;
        }
        if self.root == root {
            return Ok(());
        }
        let known = &self.seen[self.root as usize];
        let message = format!(
            "two roots: '{}' here and '{}' on {}",
            self.label(root),
            known.label,
            self.place(known.first_line)
        );
        let help = match (self.origin, known.first_line) {
            (Origin::Line, 1) => "every line ends with the same root; a hierarchy file has no header line",
            _ => "every line ends with the same root",
        };
        Err(self.error(line, message, help))
    }

    /// A label is a leaf or an inner node, never both.
    fn check_roles(&mut self, line: u64, leaf: u32) -> Result<()> {
        for &(id, _) in &self.path {
            let seen = &self.seen[id as usize];
            if seen.first_line != line && seen.leaf != (id == leaf) {
                let (here, there) =
                    if id == leaf { ("a leaf", "an inner node") } else { ("an inner node", "a leaf") };
                let (label, place) = (&seen.label, self.place(seen.first_line));
                let message = format!("'{label}' is {here} on this {} but {there} on {place}", self.word());
                let help = "a label denotes one node: rename the group, such as 'South (region)'";
                return Err(self.error(line, message, help));
            }
        }
        self.seen[leaf as usize].leaf = true;
        Ok(())
    }

    /// A group of a hierarchy file that is published as `*` could not be distinguished from everything. Trees that are put below one
    /// more node keep their own roots, whatever these are called.
    fn check_star(&self, line: u64) -> Result<()> {
        let inner = self.path.get(1..self.path.len() - 1).unwrap_or_default();
        let is_file = matches!(self.origin, Origin::Line) && !self.once;
        if !is_file || inner.iter().all(|(id, _)| self.label(*id) != "*") {
            return Ok(());
        }
        let message =
            "'*' names a group below the root, but releases use it for what is hidden altogether".to_string();
        Err(self.error(line, message, "give the group another name, or make '*' the root"))
    }

    fn two_parents(&self, line: u64, child: u32, known: u32, parent: u32) -> Error {
        let seen = &self.seen[child as usize];
        let message = format!(
            "'{}' has two parents: '{}' here and '{}' on {}",
            seen.label,
            self.label(parent),
            self.label(known),
            self.place(seen.first_line)
        );
        self.error(
            line,
            message,
            "a label denotes one node: choose one parent, or give one of the two another name",
        )
    }

    /// The finished tree.
    pub(super) fn finish(self) -> Result<Taxonomy> {
        if self.seen.is_empty() {
            return Err(
                Error::input("the hierarchy is empty").help("write one line 'value;group;…;*' per value")
            );
        }
        let labels: Vec<&str> = self.seen.iter().map(|seen| seen.label.as_str()).collect();
        let tops: Vec<u32> = self.seen.iter().map(|seen| seen.top).collect();
        let mut parents: Vec<u32> = self.seen.iter().map(|seen| seen.parent).collect();
        parents[self.root as usize] = self.root;
        let columns_are_cuts = self.aligned && siblings_agree(&parents, &tops, self.root);
        Taxonomy::assemble(&labels, &parents, self.root, columns_are_cuts.then_some(&tops))
    }

    fn label(&self, id: u32) -> &str {
        &self.seen[id as usize].label
    }

    fn word(&self) -> &'static str {
        match self.origin {
            Origin::Line => "line",
            Origin::Path => "path",
        }
    }

    fn place(&self, line: u64) -> String {
        format!("{} {line}", self.word())
    }

    fn error(&self, line: u64, message: String, help: &str) -> Error {
        match self.origin {
            Origin::Line => Error::input(message).at_line(line).help(help),
            Origin::Path => Error::input(format!("path {line}: {message}")).help(help),
        }
    }
}

/// Whether every column is a cut: a parent takes over from all its children in the same column.
///
/// Each label already keeps one last column; if siblings share theirs, then a node used in a column for one leaf is used
/// there for all leaves below it.
fn siblings_agree(parents: &[u32], tops: &[u32], root: u32) -> bool {
    let mut child_top = vec![UNSET; parents.len()];
    for (id, (&parent, &top)) in (0u32..).zip(parents.iter().zip(tops)) {
        if id == root {
            continue;
        }
        let known = &mut child_top[parent as usize];
        if *known != UNSET && *known != top {
            return false;
        }
        *known = top;
    }
    true
}
