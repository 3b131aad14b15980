//! A policy for transactions, as understood.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::check::{DataKind, character, check_method, check_requirements, data_section, header};
use super::door::Purpose;
use super::file::{Entry, Policy, Section};
use super::original::OriginalData;
use super::person;
use crate::method::{ItemMethod, TRANSACTIONS};
use crate::requirement::ItemRequirement;
use privet_core::{Error, Result};
use privet_data::{TransactionOptions, TransactionSource, read_list};
use privet_taxonomy::{ItemTree, ROOT_LABEL};

/// A policy for transactions as understood: only this kind can run.
#[derive(Debug, Clone)]
pub struct TransactionPolicy {
    /// The policy as written.
    pub written: Policy,
    /// The secret that every random choice derives from, if the policy has one.
    pub seed: Option<u64>,
    /// The data.
    pub source: TransactionSource,
    /// How items generalise; `None` where the policy names no hierarchy: then every item is a child of `*`.
    pub tree: Option<Arc<ItemTree>>,
    /// The hierarchy file, where the tree is not in the policy itself.
    pub hierarchy_path: Option<PathBuf>,
    /// The sensitive items, in alphabetical order.
    pub sensitive: Vec<String>,
    /// Those of them that the hierarchy lists: they are taken out of it.
    pub taken_out: Vec<String>,
    /// What the release must guarantee.
    pub requirements: Vec<ItemRequirement>,
    /// How the release is made.
    pub method: ItemMethod,
}

/// The keys of `[items]`.
pub(super) const ITEM_KEYS: [&str; 2] = ["hierarchy", "sensitive"];

impl Policy {
    /// Checks a policy about transactions against the data file, the hierarchy and the sensitive items.
    ///
    /// `original` stands in for the policy's own `data.path`, for data that are elsewhere or are not files.
    pub fn check_transactions(&self, original: impl Into<OriginalData>) -> Result<TransactionPolicy> {
        self.check_transactions_for(original.into(), Purpose::Run)
    }

    /// The same, for a purpose.
    pub(super) fn check_transactions_for(
        &self,
        original: OriginalData,
        purpose: Purpose,
    ) -> Result<TransactionPolicy> {
        let root = self.root();
        self.of_kind(DataKind::Transactions)?;
        root.only_at_root(&["seed", "data", "items", "privacy", "method"])?;
        self.check_publication(None)?;
        let seed = root.entry("seed").map(|entry| entry.count(0)).transpose()?;
        let data = data_section(&root)?;
        data.only(DataKind::Transactions.data_keys())?;
        let options = form(&data)?;
        let mut source = self.transactions(&data, original, &options)?;
        let items = root.entry("items").map(|entry| entry.section()).transpose()?;
        let (mut tree, mut hierarchy_path, mut sensitive, mut taken_out) =
            (None, None, Vec::new(), Vec::new());
        if let Some(items) = items {
            items.only(&ITEM_KEYS)?;
            if let Some(entry) = items.entry("hierarchy") {
                let (found, path) = entry.tree(ItemTree::read, ItemTree::from_paths)?;
                (tree, hierarchy_path) = (Some(Arc::new(found)), path);
            }
            if let Some(entry) = items.entry("sensitive") {
                sensitive = sensitive_items(self, &entry, tree.as_deref())?;
                if let Some(whole) = tree.take() {
                    let (without, out) = public_items(&entry, whole, &sensitive)?;
                    (tree, taken_out) = (Some(without), out);
                }
            }
        }
        let requirements = check_requirements(&root, &TRANSACTIONS, &[])?;
        let method = check_method(&root, &TRANSACTIONS, &[], None)?;
        self.admit(&TRANSACTIONS, (&requirements, &method), purpose)?;
        if let Some(entry) = person::for_transactions(&data, &method)? {
            source = source.with_person(entry.text()?).map_err(|error| {
                let placed = entry.error(error.message());
                match error.remedy() {
                    Some(remedy) => placed.help(remedy),
                    None => placed,
                }
            })?;
        }
        let understood = requirements.iter().enumerate().map(|(place, clause)| {
            let read = ItemRequirement::of(clause).and_then(|own| own.check(&sensitive).map(|()| own));
            read.map_err(|error| self.at_requirement(place, error))
        });
        let requirements = understood.collect::<Result<Vec<_>>>()?;
        let measured = |asked: &ItemRequirement| matches!(asked, ItemRequirement::KlPrivacy(own) if own.measured().is_some());
        if let Some(place) = requirements.iter().position(measured).filter(|_| source.names_people()) {
            let wrong =
                "'power' says what an item of a transaction costs; it is not counted for people with several";
            let error = Error::input(wrong).help("remove 'power', or 'person' in [data]");
            return Err(self.at_requirement(place, error));
        }
        let method = ItemMethod::of(&method).map_err(|error| self.at_method("name", error))?;
        if purpose == Purpose::Run {
            method.check(&requirements).map_err(|(key, error)| self.at_method(key, error))?;
        }
        Ok(TransactionPolicy {
            written: self.clone(),
            seed,
            source,
            tree,
            hierarchy_path,
            sensitive,
            taken_out,
            requirements,
            method,
        })
    }
}

/// The hierarchy without the sensitive items that it lists, and these: sensitive items are published as they are, so no group
/// may stand for one.
pub(super) fn public_items(
    entry: &Entry<'_>,
    tree: Arc<ItemTree>,
    sensitive: &[String],
) -> Result<(Arc<ItemTree>, Vec<String>)> {
    let listed = || sensitive.iter().filter_map(|item| Some((item, tree.find(item)?)));
    let nodes: Vec<_> = listed().map(|(_, node)| node).collect();
    if nodes.is_empty() {
        return Ok((tree, Vec::new()));
    }
    if nodes.len() as u32 == tree.total_leaves() {
        let wrong = "all items of the hierarchy are sensitive: nothing is left of the hierarchy";
        return Err(entry.error(wrong).help("remove 'hierarchy', or list fewer sensitive items"));
    }
    let taken_out = listed().map(|(item, _)| item.clone()).collect();
    Ok((Arc::new(tree.without(&nodes)?), taken_out))
}

/// How `[data]` says that the file holds its transactions.
fn form(data: &Section<'_>) -> Result<TransactionOptions> {
    let only_for = |keys: &[&str], form: &str| {
        let found = keys.iter().find_map(|key| data.entry(key));
        found.map_or(Ok(()), |entry| {
            Err(entry
                .error(format!("'{}' only has a meaning with form = \"{form}\"", entry.name()))
                .help(format!("remove it, or set form = \"{form}\"")))
        })
    };
    let long = match data.entry("form") {
        Some(entry) => entry.one_of(&["lines", "long"])? == "long",
        None => false,
    };
    if !long {
        only_for(&["id", "item", "delimiter", "header"], "long")?;
        return Ok(TransactionOptions::Lines { separator: character(data, "separator")? });
    }
    only_for(&["separator"], "lines")?;
    let which = "name the column that says which transaction a row belongs to: id = \"basket\"";
    let id = data.required("id", which)?.text()?;
    let entry = data.required("item", "name the column that holds the item: item = \"product\"")?;
    let item = entry.text()?;
    if id == item {
        let wrong = format!("'id' and 'item' both name the column '{item}'");
        let help = "a row has the number of its transaction in one column and the item in another";
        return Err(entry.error(wrong).help(help));
    }
    Ok(TransactionOptions::Long {
        id: id.to_string(),
        item: item.to_string(),
        delimiter: character(data, "delimiter")?,
        header: header(data)?,
    })
}

/// The sensitive items in alphabetical order: a list, or a file with one per line.
pub(super) fn sensitive_items(
    policy: &Policy,
    entry: &Entry<'_>,
    tree: Option<&ItemTree>,
) -> Result<Vec<String>> {
    let (file, listed) = if entry.is_list() {
        (None, entry.texts()?.into_iter().map(|text| (0, text)).collect())
    } else {
        let path = policy.resolve(entry.text().map_err(|error| {
            error.help("a list of items, as in [\"HIV test\"], or the name of a file with one item per line")
        })?);
        let listed = read_list(&path, "the sensitive items")?;
        (Some(path), listed)
    };
    let at = |line: u64, message: String| -> Error {
        match &file {
            Some(path) => Error::input(message).in_file(path).at_line(line),
            None => entry.error(message),
        }
    };
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for (line, item) in listed {
        if item.trim().is_empty() {
            return Err(at(line, "a sensitive item without a name".to_string()).help("remove it"));
        }
        let node = tree.and_then(|tree| Some((tree, tree.find(&item)?)));
        if node.is_some_and(|(tree, node)| !tree.is_leaf(node)) {
            return Err(at(
                line,
                format!("the sensitive item '{item}' is a group in the hierarchy of items"),
            )
            .help("list the sensitive items of the group instead, or rename the group"));
        }
        if tree.is_none() && item == ROOT_LABEL {
            return Err(at(
                line,
                format!("'{item}' cannot be a sensitive item: releases use it for any item"),
            )
            .help("rename the item, or give the items a hierarchy"));
        }
        if let Some(before) = seen.insert(item.clone(), line) {
            let place = if file.is_some() { format!(", first on line {before}") } else { String::new() };
            return Err(at(line, format!("the sensitive item '{item}' is listed twice{place}"))
                .help("remove one of the two"));
        }
    }
    Ok(seen.into_keys().collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::AnyPolicy;
    use privet_core::ErrorKind;

    const PRIVACY: &str = "[privacy.kl-privacy]\nk = 2\nm = 1\n";

    fn folder() -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [
            ("data.csv", "a,b\nS\n"),
            ("long.csv", "basket,item\n1,a\n"),
            ("items.csv", "a;G;R\nb;G;R\nc;R\n"),
            ("sensitive.txt", "T\n\n\"S\"\n"),
            ("twice.txt", "T\nS\nT\n"),
            ("public.txt", "T\n\nG\n"),
        ] {
            fs::write(folder.path().join(name), text).expect("written");
        }
        folder
    }

    fn check(folder: &TempDir, text: &str) -> Result<TransactionPolicy> {
        let policy = Policy::parse(&folder.path().join("policy.toml"), text.to_string())?;
        policy.check_transactions(None)
    }

    #[test]
    fn a_policy_says_where_items_lie_and_which_are_sensitive() {
        let folder = folder();
        let data = "[data]\npath = \"data.csv\"\nkind = \"transactions\"\n";
        let items = "[items]\nhierarchy = \"items.csv\"\nsensitive = \"sensitive.txt\"\n";
        let policy = check(&folder, &format!("seed = 3\n{data}{items}{PRIVACY}")).expect("a policy");
        assert_eq!(
            (policy.seed, policy.sensitive.as_slice()),
            (Some(3), &["S".to_string(), "T".to_string()][..])
        );
        assert_eq!(policy.tree.expect("a tree").total_leaves(), 3);
        assert_eq!((policy.source.separator(), policy.method.name()), (',', "og"));
        let bare = check(&folder, &format!("{data}{PRIVACY}")).expect("a policy");
        assert!(bare.tree.is_none() && bare.sensitive.is_empty());
        let inside = "[items]\nhierarchy = \"items.csv\"\nsensitive = [\"a\", \"T\"]\n";
        let policy = check(&folder, &format!("{data}{inside}{PRIVACY}")).expect("a policy");
        let tree = policy.tree.expect("a tree");
        assert_eq!((policy.taken_out, tree.total_leaves(), tree.find("a")), (vec!["a".to_string()], 2, None));
        let long = "[data]\npath = \"long.csv\"\nkind = \"transactions\"\nform = \"long\"\nid = \"basket\"\nitem = \"item\"\n";
        let listed = format!("{long}[items]\nsensitive = [\"z\", \"y\"]\n{PRIVACY}");
        assert_eq!(check(&folder, &listed).expect("a policy").sensitive, ["y", "z"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let folder = folder();
        for (data, items, file, line, word) in [
            ("missing = [\"?\"]", "", "policy.toml", 4, "'missing' has no meaning"),
            ("", "[columns.a]\nrole = \"other\"", "policy.toml", 5, "'columns' has no meaning"),
            ("separator = \", \"", "", "policy.toml", 4, "single character"),
            ("form = \"wide\"", "", "policy.toml", 4, "cannot be \"wide\""),
            ("form = \"long\"", "", "policy.toml", 1, "lacks 'id'"),
            ("id = \"basket\"", "", "policy.toml", 4, "form = \"long\""),
            (
                "form = \"long\"\nid = \"item\"\nitem = \"item\"",
                "",
                "policy.toml",
                6,
                "'id' and 'item' both name the column 'item'",
            ),
            (
                "form = \"long\"\nid = \"x\"\nitem = \"y\"\nseparator = \",\"",
                "",
                "policy.toml",
                7,
                "form = \"lines\"",
            ),
            ("", "[items]\nhierarchy = \"none.csv\"", "none.csv", 0, "cannot read the hierarchy"),
            ("", "[items]\nsensitive = \"none.txt\"", "none.txt", 0, "cannot read the sensitive items"),
            ("", "[items]\nsensitive = 3", "policy.toml", 6, "must be text"),
            (
                "",
                "[items]\nsensitive = \"twice.txt\"",
                "twice.txt",
                3,
                "'T' is listed twice, first on line 1",
            ),
            ("", "[items]\nsensitive = [\"T\", \"T\"]", "policy.toml", 6, "'T' is listed twice"),
            ("", "[items]\nsensitive = [\"*\"]", "policy.toml", 6, "'*' cannot be a sensitive item"),
            ("", "[items]\nsensitive = [\" \"]", "policy.toml", 6, "without a name"),
            (
                "",
                "[items]\nhierarchy = \"items.csv\"\nsensitive = \"public.txt\"",
                "public.txt",
                3,
                "'G' is a group in the hierarchy",
            ),
            (
                "",
                "[items]\nhierarchy = \"items.csv\"\nsensitive = [\"a\", \"b\", \"c\"]",
                "policy.toml",
                7,
                "nothing is left of the hierarchy",
            ),
            ("", "[items]\ncolumns = 3", "policy.toml", 6, "unknown key 'columns'"),
        ] {
            let text =
                format!("[data]\npath = \"data.csv\"\nkind = \"transactions\"\n{data}\n{items}\n{PRIVACY}");
            let error = check(&folder, &text).expect_err(word);
            assert_eq!(error.kind(), ErrorKind::Input);
            assert_eq!(error.file().and_then(|file| file.file_name()), Some(file.as_ref()), "{error}");
            assert_eq!(error.line().unwrap_or(0), line, "{error}");
            assert!(error.message().contains(word) && error.remedy().is_some(), "{error}");
        }
    }

    #[test]
    fn each_kind_refuses_the_keys_of_the_other() {
        let folder = folder();
        let at = folder.path().join("policy.toml");
        let table = |data: &str, more: &str| {
            let text = format!(
                "[data]\npath = \"long.csv\"\n{data}\n{more}\n[columns.item]\nrole = \"other\"\n[privacy.k-anonymity]\nk = 2\n"
            );
            Policy::parse(&at, text).expect("a policy").check_any(None)
        };
        assert!(matches!(table("", ""), Ok(AnyPolicy::Table(_))));
        for (data, more, line, word) in [
            ("separator = \",\"", "", 3, "'separator' has no meaning for kind = \"table\""),
            ("", "[items]\nsensitive = []", 4, "'items' has no meaning for kind = \"table\""),
        ] {
            let error = table(data, more).expect_err(word);
            assert_eq!(error.line(), Some(line), "{error}");
            assert!(error.message().contains(word) && error.remedy().is_some(), "{error}");
        }
        let checked = |kind: &str, more: &str| {
            let text = format!("[data]\npath = \"long.csv\"\nkind = \"{kind}\"\n{more}");
            Policy::parse(&at, text).expect("a policy").check_any(None)
        };
        for (kind, more, line, word, help) in [
            (
                "transactions",
                "[privacy.k-anonymity]\nk = 2",
                4,
                "requirement 'k-anonymity' is for kind = \"table\"",
                "are: kl-privacy",
            ),
            (
                "table",
                PRIVACY,
                4,
                "requirement 'kl-privacy' is for kind = \"transactions\"",
                "set kind = \"transactions\" in [data]",
            ),
            (
                "transactions",
                "[method]\nname = \"mondrian\"",
                5,
                "method 'mondrian' is for kind = \"table\"",
                "are: og",
            ),
            ("table", "[method]\nname = \"og\"", 5, "method 'og' is for kind = \"transactions\"", "mondrian"),
        ] {
            let error = checked(kind, more).expect_err(word);
            assert_eq!(error.line(), Some(line), "{error}");
            assert!(error.message().contains(word), "{error}");
            assert!(error.remedy().is_some_and(|remedy| remedy.contains(help)), "{error}");
        }
        let text = format!("[data]\npath = \"data.csv\"\nkind = \"transactions\"\n{PRIVACY}");
        let policy = Policy::parse(&at, text).expect("a policy");
        assert!(policy.check(None).is_err());
        assert!(matches!(policy.check_any(None), Ok(AnyPolicy::Transactions(_))));
    }
}
