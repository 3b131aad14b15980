//! Columns of role `set`: cells that hold several items, of which an attacker may know a few next to the quasi-identifiers.
//! Their items are published as nodes of a hierarchy.

use std::path::PathBuf;
use std::sync::Arc;

use super::check::{PolicyColumn, Role, character};
use super::file::{Policy, Section};
use super::transactions::{public_items, sensitive_items};
use crate::method::Method;
use crate::requirement::{KlOfSets, Requirement};
use privet_core::{Error, Exact, Result};
use privet_data::terms_of;
use privet_taxonomy::ItemTree;

/// How a column of role `set` holds its items and how they generalise.
#[derive(Debug, Clone)]
pub struct ItemColumn {
    /// What stands between the items of a cell.
    pub separator: char,
    /// How items generalise; `None` where the policy names no hierarchy: then every item is a child of `*`.
    pub tree: Option<Arc<ItemTree>>,
    /// The hierarchy file, where the tree is not in the policy itself.
    pub hierarchy_path: Option<PathBuf>,
    /// The sensitive items, in alphabetical order. They are published as they are.
    pub sensitive: Vec<String>,
    /// Those of them that the hierarchy lists: they are taken out of it.
    pub taken_out: Vec<String>,
}

impl ItemColumn {
    /// The keys that only such a column has.
    pub(super) const KEYS: [&'static str; 1] = ["sensitive"];

    /// The tree of the items that are not sensitive: the policy's, or `*` above all that `cells` hold.
    pub fn tree_over<'a>(&self, cells: impl Iterator<Item = &'a str>) -> Result<Arc<ItemTree>> {
        if let Some(tree) = &self.tree {
            return Ok(tree.clone());
        }
        let items = cells.flat_map(|cell| terms_of(cell, self.separator));
        let items: std::collections::BTreeSet<&str> = items.filter(|item| !self.is_sensitive(item)).collect();
        ItemTree::flat(items).map(Arc::new)
    }

    /// Whether nobody may learn that a person has an item.
    pub fn is_sensitive(&self, item: &str) -> bool {
        self.sensitive.binary_search_by(|own| own.as_str().cmp(item)).is_ok()
    }
}

/// What every role but `set` lacks.
fn refuse_keys(section: &Section<'_>) -> Result<()> {
    match ItemColumn::KEYS.iter().find_map(|key| section.entry(key)) {
        None => Ok(()),
        Some(entry) => Err(entry
            .error(format!("'{}' has no meaning for this role", entry.name()))
            .help("remove it, or set role = \"set\"")),
    }
}

impl Policy {
    /// What a column's section says about items, if its role is `set`.
    pub(super) fn item_column(
        &self,
        section: &Section<'_>,
        role: Option<Role>,
    ) -> Result<Option<ItemColumn>> {
        if role != Some(Role::Set) {
            return refuse_keys(section).map(|()| None);
        }
        section.required("separator", "say what stands between the items of a cell: separator = \"|\"")?;
        let Some(separator) = character(section, "separator")? else { return Ok(None) };
        let (mut tree, mut hierarchy_path) = (None, None);
        if let Some(entry) = section.entry("hierarchy") {
            let (read, path) = entry.tree(ItemTree::read, ItemTree::from_paths)?;
            let splits = |node: &u32| {
                let label = read.label(*node);
                label.contains(separator) || label.trim() != label
            };
            if let Some(node) = read.nodes().find(splits) {
                let wrong = format!(
                    "'{}' cannot be an item of a cell that '{separator}' separates",
                    read.label(node)
                );
                let help =
                    "choose another separator in [columns], or rename it in the hierarchy and in the data";
                let error = match &path {
                    Some(path) => Error::input(wrong).in_file(path),
                    None => entry.error(wrong),
                };
                return Err(error.help(help));
            }
            tree = Some(Arc::new(read));
            hierarchy_path = path;
        }
        let (mut sensitive, mut taken_out) = (Vec::new(), Vec::new());
        if let Some(entry) = section.entry("sensitive") {
            sensitive = sensitive_items(self, &entry, tree.as_deref())?;
            if let Some(whole) = tree.take() {
                let (without, out) = public_items(&entry, whole, &sensitive)?;
                (tree, taken_out) = (Some(without), out);
            }
        }
        Ok(Some(ItemColumn { separator, tree, hierarchy_path, sensitive, taken_out }))
    }

    /// How much the items of a column of sets weigh against its quasi-identifiers: `[loss] items`, a half unless it says
    /// otherwise.
    pub(super) fn item_weight(&self, root: &Section<'_>, columns: &[PolicyColumn]) -> Result<Exact> {
        let half = Exact::new(1, 2).unwrap_or(Exact::ONE);
        let Some(entry) = root.entry("loss") else { return Ok(half) };
        let section = entry.section()?;
        section.only(&LOSS_KEYS)?;
        if columns.iter().all(|column| column.items.is_none()) {
            return Err(section
                .error("[loss] weighs the items of a column of role 'set', and there is none")
                .help("remove [loss]"));
        }
        let Some(entry) = section.entry("items") else { return Ok(half) };
        let text = entry.scalar()?;
        let wrong = || {
            let message = format!("'{}' is '{text}'; it must be a number from 0 to 1", entry.name());
            entry
                .error(message)
                .help("as in items = 0.5, or items = \"1/3\"; the quasi-identifiers have the rest")
        };
        Exact::parse(text).filter(|weight| *weight <= Exact::ONE).ok_or_else(wrong)
    }
}

/// The keys of `[loss]`.
pub(super) const LOSS_KEYS: [&str; 1] = ["items"];

/// Refuses sets that no requirement limits, and what cannot be kept next to them.
pub(super) fn fit(
    root: &Section<'_>,
    columns: &[PolicyColumn],
    method: &Method,
    requirements: &[Requirement],
) -> Result<()> {
    let Some(column) = columns.iter().find(|column| column.items.is_some()) else {
        return match (method.item_cuts(), root.entry("method").and_then(|entry| entry.section().ok())) {
            (Some(_), Some(section)) => match ["cuts", "item_suppression_limit"]
                .iter()
                .find_map(|key| section.entry(key))
            {
                Some(entry) => Err(entry
                    .error(format!("'{}' is about a column of role 'set', and there is none", entry.name()))
                    .help("remove it")),
                None => Ok(()),
            },
            _ => Ok(()),
        };
    };
    let section = root.entry("columns").and_then(|entry| entry.section().ok());
    let section = section.and_then(|all| all.entry(&column.name)).and_then(|entry| entry.section().ok());
    let refused = |message: String, help: &str| {
        let error = match &section {
            Some(section) => section.error(message),
            None => Error::input(message),
        };
        Err(error.help(help))
    };
    let name = &column.name;
    if method.item_cuts().is_none() {
        return refused(
            format!("column '{name}' has role 'set', which method \"{}\" does not treat", method.name()),
            "set name = \"mondrian\" or \"full-domain\" in [method]",
        );
    }
    let about = |asked: &&Requirement| matches!(asked, Requirement::KlOfSets(KlOfSets { column: own, .. }) if *own == column.index);
    match requirements.iter().filter(about).count() {
        1 => {}
        0 => {
            return refused(
                format!("column '{name}' has role 'set', and no requirement says what of it may be known"),
                &format!("ask for it: [privacy.kl-privacy] column = \"{name}\", with k and m"),
            );
        }
        _ => {
            return refused(
                format!("[privacy.kl-privacy] is asked for '{name}' more than once"),
                "keep one, with the largest k and m",
            );
        }
    }
    if columns.iter().any(|column| column.role == Some(Role::QuasiSensitive)) {
        return refused(
            format!("column '{name}' has role 'set', and another column is quasi-sensitive"),
            "publish one of the two in a release of its own",
        );
    }
    if let Some(entry) = root.entry("ledger") {
        return Err(entry
            .error("[ledger] does not understand releases with a column of role 'set'")
            .help("remove [ledger], or give the column another role"));
    }
    Ok(())
}
