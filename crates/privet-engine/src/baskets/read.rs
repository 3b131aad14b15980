//! From a policy's data to baskets: the first stream over the transactions, and what the second one finds them by.

use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::{Baskets, normalise};
use privet_core::nearest;
use privet_core::{Error, Result};
use privet_data::interner::Interner;
use privet_data::{PeopleBuilder, Transaction, TransactionSource};
use privet_policy::TransactionPolicy;
use privet_taxonomy::{ItemTree, Node, ROOT_LABEL};

/// A hierarchy of more items than this is not searched for one that an unknown item may have meant.
const MOST_CANDIDATES: usize = 20_000;

impl Baskets {
    /// Reads a policy's data, and sorts it: the order of transactions must not matter. `tick` hears how many bytes of the
    /// file are done and may stop the reading.
    pub fn read(policy: &TransactionPolicy, tick: &mut dyn FnMut(u64) -> Result<()>) -> Result<Baskets> {
        let mut people = policy.source.names_people().then(PeopleBuilder::default);
        let mut baskets = match &policy.tree {
            Some(tree) => read_below(policy, tree, &mut people, tick)?,
            None => read_flat(policy, &mut people, tick)?,
        };
        baskets.sort_with(people);
        Ok(baskets)
    }
}

/// Finds the items of a transaction: in the tree, or among the sensitive ones.
#[derive(Debug)]
pub struct Lexicon<'a> {
    tree: &'a ItemTree,
    marks: HashMap<&'a str, u32, RandomState>,
}

impl<'a> Lexicon<'a> {
    /// The items of these baskets.
    pub fn new(baskets: &'a Baskets) -> Lexicon<'a> {
        Lexicon::of(&baskets.tree, &baskets.sensitive)
    }

    fn of(tree: &'a ItemTree, sensitive: &'a [String]) -> Lexicon<'a> {
        let marks = sensitive.iter().map(String::as_str).zip(0..).collect();
        Lexicon { tree, marks }
    }

    /// Sorts what a transaction holds into nodes and marks, both ascending and without duplicates; the item that is
    /// neither, if there is one, is returned.
    pub fn sort<'t>(
        &self,
        transaction: &Transaction<'t>,
        items: &mut Vec<Node>,
        marks: &mut Vec<u32>,
    ) -> Option<&'t str> {
        items.clear();
        marks.clear();
        for text in transaction.items {
            match self.tree.find(text).filter(|node| self.tree.is_leaf(*node)) {
                Some(node) => items.push(node),
                None => match self.marks.get(*text) {
                    Some(mark) => marks.push(*mark),
                    None => return Some(text),
                },
            }
        }
        normalise(items);
        normalise(marks);
        None
    }
}

fn read_below(
    policy: &TransactionPolicy,
    tree: &Arc<ItemTree>,
    people: &mut Option<PeopleBuilder>,
    tick: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Baskets> {
    let mut baskets = Baskets::new(tree.clone(), policy.sensitive.clone());
    let lexicon = Lexicon::of(tree, &policy.sensitive);
    let (mut items, mut marks) = (Vec::new(), Vec::new());
    let mut each = |transaction: &Transaction<'_>, _| {
        if let Some(unknown) = lexicon.sort(transaction, &mut items, &mut marks) {
            return Err(no_leaf(policy, tree, transaction, unknown));
        }
        let basket = baskets.add(&mut items, &mut marks, transaction.times);
        note(people, transaction, basket);
        Ok(())
    };
    policy.source.read_counted(&mut each, tick)?;
    Ok(baskets)
}

/// Notes whose a transaction is.
fn note(people: &mut Option<PeopleBuilder>, transaction: &Transaction<'_>, basket: u32) {
    if let (Some(people), Some(person)) = (people, transaction.person) {
        people.add(person, basket);
    }
}

/// Without a hierarchy the tree is only known once all items are: they are numbered as they come, and renumbered then.
fn read_flat(
    policy: &TransactionPolicy,
    people: &mut Option<PeopleBuilder>,
    tick: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Baskets> {
    let nothing = ItemTree::flat([])?;
    let lexicon = Lexicon::of(&nothing, &policy.sensitive);
    let mut seen = Interner::default();
    let mut found = Baskets::new(Arc::new(nothing.clone()), policy.sensitive.clone());
    let (mut items, mut marks) = (Vec::new(), Vec::new());
    let mut each = |transaction: &Transaction<'_>, _| {
        items.clear();
        marks.clear();
        for text in transaction.items {
            match lexicon.marks.get(*text) {
                Some(mark) => marks.push(*mark),
                None if *text == ROOT_LABEL => return Err(root_in_data(&policy.source, transaction)),
                None => items.push(seen.intern(text)),
            }
        }
        // Baskets keep their numbers when their items get new ones.
        let basket = found.add(&mut items, &mut marks, transaction.times);
        note(people, transaction, basket);
        Ok(())
    };
    policy.source.read_counted(&mut each, tick)?;

    let mut order: Vec<u32> = (0..seen.len() as u32).collect();
    order.sort_unstable_by_key(|item| seen.text(*item as usize));
    let tree = ItemTree::flat(order.iter().map(|item| seen.text(*item as usize)))?;
    // The root is node 0, and its children follow in order.
    let mut node_of: Vec<Node> = vec![0; order.len()];
    for (node, item) in (1..).zip(&order) {
        node_of[*item as usize] = node;
    }
    let mut baskets = Baskets::new(Arc::new(tree), policy.sensitive.clone());
    for basket in 0..found.len() {
        let mut items = found.items(basket).iter().map(|item| node_of[*item as usize]).collect();
        baskets.add(&mut items, &mut found.marks(basket).to_vec(), found.count(basket));
    }
    Ok(baskets)
}

fn at(source: &TransactionSource, transaction: &Transaction<'_>, item: &str, message: String) -> Error {
    Error::input(message).in_file(source.origin()).at_line(source.line_of(transaction, item))
}

fn root_in_data(source: &TransactionSource, transaction: &Transaction<'_>) -> Error {
    let message = format!("the item '{ROOT_LABEL}' stands for any item in releases without a hierarchy");
    at(source, transaction, ROOT_LABEL, message)
        .help("rename the item, or give the items a hierarchy: hierarchy = \"items.csv\" in [items]")
}

/// The error for an item that is not a leaf of the hierarchy.
fn no_leaf(policy: &TransactionPolicy, tree: &ItemTree, transaction: &Transaction<'_>, item: &str) -> Error {
    let hierarchy = policy.hierarchy_path.as_deref().unwrap_or(policy.written.path()).display();
    if tree.find(item).is_some() {
        let message = format!("the item '{item}' is an inner node of the hierarchy ({hierarchy})");
        return at(&policy.source, transaction, item, message)
            .help("data hold leaves: rename the item, or the group, such as 'other ITEM'");
    }
    let message = format!("the item '{item}' is neither a leaf of the hierarchy ({hierarchy}) nor sensitive");
    let help = match meant(policy, tree, item) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None if item.contains([',', ';', '\t', '|', ' ']) && policy.source.separator() != ' ' => {
            format!(
                "add a line for it to the hierarchy, or list it under 'sensitive' in [items]; items are separated by '{}' \
                 here: does [data] need another separator?",
                policy.source.separator().escape_default()
            )
        }
        None => "add a line for it to the hierarchy, or list it under 'sensitive' in [items]".to_string(),
    };
    at(&policy.source, transaction, item, message).help(help)
}

/// What an unknown item may have been meant to be.
fn meant<'a>(policy: &'a TransactionPolicy, tree: &'a ItemTree, item: &str) -> Option<&'a str> {
    let trimmed = item.trim();
    let known = |text: &str| tree.find(text).filter(|node| tree.is_leaf(*node)).map(|node| tree.label(node));
    if trimmed != item
        && let Some(label) = known(trimmed)
    {
        return Some(label);
    }
    if tree.len() > MOST_CANDIDATES {
        return None;
    }
    let leaves = tree.nodes().filter(|node| tree.is_leaf(*node)).map(|node| tree.label(node));
    nearest(item, leaves.chain(policy.sensitive.iter().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use privet_policy::Policy;

    fn read(data: &str, items: &str) -> Result<Baskets> {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("data.csv"), data).expect("written");
        fs::write(folder.path().join("items.csv"), "beer;Drinks;*\nwine;Drinks;*\nmilk;*\n")
            .expect("written");
        let text = format!(
            "[data]\npath = \"data.csv\"\nkind = \"transactions\"\n[items]\n{items}\n[privacy.km-anonymity]\nk = 2\nm = 1\n"
        );
        let policy = Policy::parse(&folder.path().join("policy.toml"), text)?;
        Baskets::read(&policy.check_transactions(None)?, &mut |_| Ok(()))
    }

    fn shown(baskets: &Baskets) -> Vec<(Vec<&str>, Vec<&str>, u64)> {
        let one = |basket| {
            let items = baskets.items(basket).iter().map(|item| baskets.tree.label(*item)).collect();
            let marks = baskets.marks(basket).iter().map(|mark| baskets.sensitive[*mark as usize].as_str());
            (items, marks.collect(), baskets.count(basket))
        };
        (0..baskets.len()).map(one).collect()
    }

    #[test]
    fn items_are_sorted_into_the_tree_and_the_sensitive_ones() {
        let data = "milk,T,beer,milk\n\nbeer,milk,T\nS,T\n";
        let items = "hierarchy = \"items.csv\"\nsensitive = [\"T\", \"S\"]";
        // In the order of what they hold, whatever order they came in.
        let expected =
            vec![(vec![], vec![], 1), (vec![], vec!["S", "T"], 1), (vec!["beer", "milk"], vec!["T"], 2)];
        let baskets = read(data, items).expect("baskets");
        assert_eq!(shown(&baskets), expected);
        let flat = read(data, "sensitive = [\"T\", \"S\"]").expect("baskets");
        assert_eq!(shown(&flat), expected);
        assert_eq!((flat.tree.total_leaves(), flat.tree.label(0)), (2, "*"));
    }

    #[test]
    fn data_without_items_are_data() {
        for data in ["", "\n\n", "S\n"] {
            for items in ["sensitive = [\"S\"]", "sensitive = [\"S\"]\nhierarchy = \"items.csv\""] {
                let baskets = read(data, items).expect("baskets");
                assert_eq!(baskets.total(), data.lines().count() as u64);
                assert!((0..baskets.len()).all(|basket| baskets.items(basket).is_empty()));
            }
        }
    }

    #[test]
    fn an_unknown_item_is_named_with_its_place() {
        let hierarchy = "hierarchy = \"items.csv\"";
        for (data, items, line, word, help) in [
            ("milk\n\nmilk,rum\n", hierarchy, 3, "'rum' is neither a leaf", "add a line"),
            ("milk\nbear\n", hierarchy, 2, "'bear' is neither", "did you mean 'beer'"),
            ("milk, beer\n", hierarchy, 1, "' beer' is neither", "did you mean 'beer'"),
            ("milk,beer,wine\nmilk;wine;milk\n", hierarchy, 2, "'milk;wine;milk'", "another separator"),
            ("Drinks\n", hierarchy, 1, "'Drinks' is an inner node", "rename"),
            ("a\n*\n", "", 2, "'*' stands for any item", "rename"),
        ] {
            let error = read(data, items).expect_err(word);
            assert_eq!(error.line(), Some(line), "{error}");
            assert!(error.file().is_some_and(|file| file.ends_with("data.csv")), "{error}");
            assert!(error.message().contains(word), "{error}");
            assert!(error.remedy().is_some_and(|remedy| remedy.contains(help)), "{error}");
        }
    }

    #[test]
    fn many_distinct_items_are_found_again() {
        let data: String = (0..100_000).map(|item| format!("item {item}\n")).collect();
        let baskets = read(&data, "").expect("baskets");
        assert_eq!((baskets.len(), baskets.tree.total_leaves()), (100_000, 100_000));
        let last = baskets.items(99_999);
        assert_eq!(baskets.tree.label(last[0]), "item 99999");
    }
}
