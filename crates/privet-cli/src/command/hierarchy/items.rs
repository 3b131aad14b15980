//! Whether a hierarchy fits the items of transactions.

use std::collections::BTreeMap;

use privet::data::{TransactionOptions, TransactionSource, read_list};
use privet::taxonomy::ItemTree;
use privet::{Error, Result, counted};
use serde_json::json;

use crate::arguments::Check;
use crate::output::Output;

/// An item that has no leaf: how often it occurs, and on which line first.
struct Stranger {
    count: u64,
    line: u64,
    is_group: bool,
}

/// Compares a hierarchy, one tree or several, with the items of a file of one transaction per line.
pub(super) fn verify(arguments: &Check, output: &Output) -> Result<u8> {
    let tree = ItemTree::read(&arguments.hierarchy)?;
    let options = TransactionOptions::Lines { separator: arguments.delimiter };
    let source = TransactionSource::open(&arguments.data, &options)?;
    let sensitive = match &arguments.sensitive {
        Some(path) => read_list(path, "the sensitive items")?,
        None => Vec::new(),
    };
    let is_group = |item: &str| tree.find(item).is_some_and(|node| !tree.is_leaf(node));
    if let (Some(path), Some((line, item))) =
        (&arguments.sensitive, sensitive.iter().find(|(_, item)| is_group(item)))
    {
        return Err(Error::input(format!(
            "the sensitive item '{item}' is a group in the hierarchy of items"
        ))
        .in_file(path)
        .at_line(*line)
        .help("list the sensitive items of the group instead, or rename the group"));
    }
    let sensitive: Vec<&str> = sensitive.iter().map(|(_, item)| item.as_str()).collect();
    let mut occurs = vec![false; tree.len()];
    let mut strangers: BTreeMap<String, Stranger> = BTreeMap::new();
    let mut transactions = 0u64;
    source.read(&mut |transaction, _| {
        transactions += 1;
        for item in transaction.items.iter().filter(|item| !sensitive.contains(item)) {
            let node = tree.find(item);
            match node.filter(|node| tree.is_leaf(*node)) {
                Some(leaf) => occurs[leaf as usize] = true,
                None => {
                    let new = Stranger { count: 0, line: transaction.line, is_group: node.is_some() };
                    strangers.entry((*item).to_string()).or_insert(new).count += 1;
                }
            }
        }
        Ok(())
    })?;
    let leaves = || tree.nodes().filter(|node| tree.is_leaf(*node));
    let unused = leaves().filter(|leaf| !occurs[*leaf as usize]).count();
    let levels = leaves().map(|leaf| tree.depth(leaf) + 1).max().unwrap_or(0);
    let (roots, cuts) = (tree.roots().count(), tree.cuts());
    let mut text = format!(
        "{}, {}, {}, {cuts} {}; {}; {} not occur in them\n",
        counted(u64::from(tree.total_leaves()), "leaf", "leaves"),
        counted(levels as u64, "level", "levels"),
        counted(roots as u64, "root", "roots"),
        if cuts.to_string() == "1" { "cut" } else { "cuts" },
        counted(transactions, "transaction", "transactions"),
        counted(unused as u64, "leaf does", "leaves do")
    );
    for (item, Stranger { count, line, is_group }) in &strangers {
        let reason = if *is_group { "a group, not a leaf" } else { "not in the hierarchy" };
        let times = counted(*count, "time", "times");
        text += &format!("no leaf: '{item}' ({times}, first in line {line}): {reason}\n");
    }
    text += if strangers.is_empty() { "every item has a leaf\n" } else { "" };
    output.result(&text, || {
        let misfits: Vec<_> = strangers
            .iter()
            .map(|(item, one)| json!({ "value": item, "count": one.count, "line": one.line }))
            .collect();
        json!({ "leaves": tree.total_leaves(), "levels": levels, "cuts": cuts.to_string(), "misfits": misfits })
    });
    if strangers.is_empty() {
        return Ok(0);
    }
    Err(Error::input(format!("{} no leaf", counted(strangers.len() as u64, "item has", "items have")))
        .in_file(&arguments.hierarchy)
        .help("add a line for each, or name the sensitive ones with --sensitive FILE"))
}
