//! Does a released column of sets say of every record what its original says, and what was removed?
//!
//! In a class, every item is shown as the one label of the class that stands for it: the item itself or a group above it. An
//! item that no label of the class stands for is removed there, from all records of the class. So what a record of the original
//! looks like in a class follows from the labels that the class shows, and the released record must be exactly that.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::Check;
use super::cover::Coverage;
use super::flow;
use super::notion::Facts;
use super::truth::{ClassIndex, Contested};
use privet_core::{Error, Result, counted};
use privet_data::terms_of;
use privet_policy::ItemColumn;
use privet_policy::method::Cuts;
use privet_taxonomy::{ItemTree, Node};

/// What a cell holds: nodes of the tree and sensitive items, both ascending.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Content {
    nodes: Vec<Node>,
    secrets: Vec<String>,
}

/// The cells of a column of sets, as both tables have them.
pub(super) struct ItemTable {
    /// The column's place among the unchanged ones.
    column: usize,
    tree: Arc<ItemTree>,
    /// By the number of a text, what it says; `None` where one of its labels is unknown.
    contents: Vec<Option<Content>>,
    /// The text of each content.
    texts: HashMap<Content, u32>,
    /// Per class, the nodes that its records show.
    shown: Vec<HashSet<Node>>,
}

/// What matching the records found.
pub(super) struct MatchedItems {
    /// How many copies of each distinct released record stand for no original record.
    pub unfounded: Vec<u64>,
    /// How many occurrences of items were removed at least.
    removed: u64,
}

impl ItemTable {
    /// Reads the column of sets; `None` where the policy has none, or the release lacks it.
    pub fn of(facts: &Facts<'_>) -> Result<Option<ItemTable>> {
        let Some(column) = facts.layout.sets else { return Ok(None) };
        let place = facts.layout.plain.get(column);
        let items = place.and_then(|place| facts.policy.columns.get(place.original)?.items.as_ref());
        let Some(items) = items else { return Ok(None) };
        let (texts, quasi) = (&facts.tables.plain[column], facts.layout.quasi.len());
        let original = &facts.tables.original.records;
        let mut own: Vec<u32> = original.ids().map(|id| original.get(id)[quasi + column]).collect();
        own.sort_unstable();
        own.dedup();
        let tree = items.tree_over(own.iter().map(|text| texts.text(*text)))?;
        let contents: Vec<Option<Content>> = texts.texts().map(|text| content(items, &tree, text)).collect();
        for text in own {
            let is_whole = |content: &Content| content.nodes.iter().all(|node| tree.is_leaf(*node));
            if !contents[text as usize].as_ref().is_some_and(is_whole) {
                let wrong = format!("'{}' holds an item that is not in the hierarchy", texts.text(text));
                return Err(Error::input(wrong)
                    .in_file(facts.policy.source.origin())
                    .at_line(texts.line(text))
                    .help("add a line for it to the hierarchy of the column"));
            }
        }
        let known = (0u32..).zip(&contents).filter_map(|(text, content)| Some((content.clone()?, text)));
        let texts = known.collect();
        let release = &facts.tables.release.records;
        let shown = facts.classes.cells.ids().map(|class| {
            let records = facts.classes.members(class).iter();
            let cells = records.filter_map(|id| contents[release.get(*id)[quasi + column] as usize].as_ref());
            cells.flat_map(|content| content.nodes.iter().copied()).collect()
        });
        let shown = shown.collect();
        Ok(Some(ItemTable { column, tree, contents, texts, shown }))
    }

    /// What a cell of the original looks like in a class, and how many of its items are removed there. `None` where no cell of
    /// either table looks like that.
    fn image(&self, text: u32, class: u32) -> Option<(u32, u64)> {
        let content = self.contents[text as usize].as_ref()?;
        let shown = &self.shown[class as usize];
        let label = |leaf: &Node| {
            std::iter::once(*leaf).chain(self.tree.ancestors(*leaf)).find(|node| shown.contains(node))
        };
        let labels: Vec<Option<Node>> = content.nodes.iter().map(label).collect();
        let removed = labels.iter().filter(|label| label.is_none()).count() as u64;
        let mut nodes: Vec<Node> = labels.into_iter().flatten().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let looks = Content { nodes, secrets: content.secrets.clone() };
        Some((*self.texts.get(&looks)?, removed))
    }

    /// Gives every released record an original of its own, as far as there are any.
    pub fn matched(&self, facts: &Facts<'_>, coverage: &[Coverage]) -> Result<MatchedItems> {
        let (tables, classes, quasi) = (facts.tables, facts.classes, coverage.len());
        let (original, release) = (&tables.original.records, &tables.release.records);
        let index = ClassIndex::of(&classes.cells, coverage);
        let mut unfounded: Vec<u64> = release.ids().map(|id| release.count(id)).collect();
        let mut contested = Contested::default();
        let mut removed = 0;
        for id in original.ids() {
            (facts.watch)()?;
            let tuple = original.get(id);
            let place = quasi + self.column;
            let mut fitting: Vec<(u32, u64)> = Vec::new();
            for class in index.covering(&tuple[..quasi]) {
                let Some((text, without)) = self.image(tuple[place], class) else { continue };
                let wanted = [classes.cells.get(class), &tuple[quasi..place], &[text]].concat();
                fitting.extend(release.find(&wanted).map(|released| (released, without)));
            }
            let least = fitting.iter().map(|(_, without)| *without).min().unwrap_or(0);
            match fitting[..] {
                [] => {}
                [(only, without)] => {
                    let open = &mut unfounded[only as usize];
                    let taken = original.count(id).min(*open);
                    *open -= taken;
                    removed += taken * without;
                }
                _ => {
                    removed += least * original.count(id);
                    contested.add(
                        fitting.into_iter().map(|(released, _)| released).collect(),
                        original.count(id),
                    )?;
                }
            }
        }
        if unfounded.iter().any(|open| *open > 0) {
            flow::fill(&contested.supplies, &mut unfounded);
        }
        Ok(MatchedItems { unfounded, removed })
    }

    /// Whether labels say one thing each, and no more is removed than the policy allows.
    pub fn check(&self, facts: &Facts<'_>, matched: &MatchedItems) -> Check {
        let mut check = Check::new("items", true, String::new());
        let quasi = facts.layout.quasi.len();
        let texts = &facts.tables.plain[self.column];
        let release = &facts.tables.release.records;
        let unknown =
            release.ids().find(|id| self.contents[release.get(*id)[quasi + self.column] as usize].is_none());
        if let Some(id) = unknown {
            check.holds = false;
            let text = texts.text(release.get(id)[quasi + self.column]);
            check.detail =
                format!("'{text}' in line {} holds a label that nothing explains", release.line(id));
            return check;
        }
        let how = facts.policy.method.item_cuts();
        let everywhere: HashSet<Node>;
        let levels: Vec<&HashSet<Node>> = match how.map(|how| how.cuts) {
            Some(Cuts::Global) => {
                everywhere = self.shown.iter().flatten().copied().collect();
                vec![&everywhere]
            }
            Some(Cuts::Local) | None => self.shown.iter().collect(),
        };
        let nested = levels.iter().find_map(|shown| {
            let mut below: Vec<(Node, Node)> = Vec::new();
            for node in shown.iter() {
                let above = self.tree.ancestors(*node).find(|above| shown.contains(above));
                below.extend(above.map(|above| (*node, above)));
            }
            below.into_iter().min()
        });
        if let Some((node, above)) = nested {
            check.holds = false;
            check.detail = format!(
                "'{}' is shown where '{}', which stands for it, is shown too",
                self.tree.label(node),
                self.tree.label(above)
            );
            return check;
        }
        let original = &facts.tables.original.records;
        let items = |id: u32| {
            let content = self.contents[original.get(id)[quasi + self.column] as usize].as_ref();
            content.map_or(0, |content| content.nodes.len() as u64)
        };
        let all: u64 = original.ids().map(|id| original.count(id) * items(id)).sum();
        let most = how.map_or(0, |how| how.limit.floor_of(all));
        check.holds = matched.removed <= most;
        check.detail = format!(
            "{} of {} removed (at most {most} allowed)",
            matched.removed,
            counted(all, "item occurrence", "item occurrences")
        );
        check
    }
}

/// What a cell says; `None` where one of its labels is neither a node nor a sensitive item.
fn content(items: &ItemColumn, tree: &ItemTree, text: &str) -> Option<Content> {
    let (mut nodes, mut secrets) = (Vec::new(), Vec::new());
    for term in terms_of(text, items.separator) {
        match items.is_sensitive(term) {
            true => secrets.push(term.to_string()),
            false => nodes.push(tree.find(term)?),
        }
    }
    nodes.sort_unstable();
    Some(Content { nodes, secrets })
}
