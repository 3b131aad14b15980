//! A first policy for transactions: sets of items, one per line or one row per item.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::text::{comment, percent, quoted};
use super::{Draft, DraftOptions, USUAL_K, preset, profile};
use privet_core::{Error, Result, noun, place, thousands};
use privet_data::{Form, Source, TransactionSource};
use privet_taxonomy::{ROOT_LABEL, Taxonomy};

/// Words in the name of a column that says which transaction a row belongs to.
const TRANSACTION_WORDS: [&str; 11] = [
    "basket",
    "transaction",
    "order",
    "invoice",
    "receipt",
    "visit",
    "session",
    "cart",
    "ticket",
    "bill",
    "tid",
];
/// Where the draft puts the hierarchy of the items.
const HIERARCHY: &str = "hierarchies/items.csv";
/// How many neighbours in the order of names a generated group joins.
const FAN_OUT: usize = 5;
/// No hierarchy is generated for more items than this.
const MOST_ITEMS: usize = 200_000;

/// Whether a table looks like transactions in the long form: the columns of the transaction and of the item if so.
///
/// There are two columns, and the first repeats itself. Its name has to say that it is about transactions, unless the user
/// has said that they are.
pub fn long_form(source: &Source, is_told: bool) -> Result<Option<(String, String)>> {
    let [id, item] = source.columns() else { return Ok(None) };
    let name = id.name.to_lowercase();
    if !is_told && !TRANSACTION_WORDS.iter().any(|word| name.contains(word)) {
        return Ok(None);
    }
    let profile = profile::profile(source, &mut |_| Ok(()))?;
    let repeats = profile.columns.first().is_some_and(|id| id.distinct() < profile.rows);
    Ok(repeats.then(|| (id.name.clone(), item.name.clone())))
}

/// Whether lines differ in length as sets of items do, and not as those of a table with a few broken ones: at least one in
/// five is not of the most common length. A first line of several cells that no other is shorter than names the columns of a
/// table, some of whose cells hold the delimiter.
pub fn differ_in_length(source: &TransactionSource) -> Result<bool> {
    let mut lengths: HashMap<usize, u64, RandomState> = HashMap::default();
    let mut lines = 0;
    let mut first = None;
    source.read(&mut |transaction, _| {
        place::unless_stopped()?;
        lines += 1;
        first = first.or(Some(transaction.items.len()));
        *lengths.entry(transaction.items.len()).or_default() += 1;
        Ok(())
    })?;
    let least = lengths.keys().min().copied();
    if first == least && first.is_some_and(|first| first > 1) {
        return Ok(false);
    }
    let usual = lengths.values().max().copied().unwrap_or(0);
    Ok(5 * (lines - usual) >= lines && lines > 0)
}

/// What one pass finds out about transactions.
#[derive(Default)]
struct BasketColumns {
    transactions: u64,
    empty: u64,
    occurrences: u64,
    longest: usize,
    /// Per item, how many transactions hold it.
    items: HashMap<String, Tally, RandomState>,
}

#[derive(Default)]
struct Tally {
    holders: u64,
    /// The last transaction that held it.
    last: u64,
}

impl BasketColumns {
    fn read(source: &TransactionSource) -> Result<BasketColumns> {
        let mut found = BasketColumns::default();
        source.read(&mut |transaction, _| {
            place::unless_stopped()?;
            found.transactions += 1;
            let mut length = 0;
            for item in transaction.items {
                let tally = found.items.entry_ref(*item).or_default();
                if tally.last != found.transactions {
                    (tally.last, tally.holders) = (found.transactions, tally.holders + 1);
                    length += 1;
                }
            }
            found.empty += u64::from(length == 0);
            found.occurrences += length as u64;
            found.longest = found.longest.max(length);
            Ok(())
        })?;
        Ok(found)
    }
}

/// Looks at transactions and drafts a policy for them.
pub fn draft_transactions(source: &TransactionSource, options: &DraftOptions) -> Result<Draft> {
    let found = BasketColumns::read(source)?;
    let filled = found.transactions - found.empty;
    if filled < 2 {
        return Err(Error::input(format!("only {filled} of the transactions hold an item"))
            .in_file(source.origin())
            .help("a policy can be drafted from two transactions on"));
    }
    // Whole baskets must not be taken for items: a label of the hierarchy would publish them.
    let with_blanks = found.items.keys().filter(|item| item.trim().contains(' ')).count();
    if found.longest <= 1 && 2 * with_blanks > found.items.len() && options.delimiter.is_none() {
        return Err(Error::input("every line holds one item, and most of them have blanks inside")
            .in_file(source.origin())
            .help("if blanks separate the items, run with --delimiter ' '; if each line is one item, with --delimiter ','"));
    }
    if let Some(preset) = options.preset.filter(|preset| preset.safe_harbor) {
        return Err(Error::input(format!(
            "the preset {} is about tables of people, not about transactions",
            preset.name
        ))
        .in_file(source.origin())
        .help("draft without it, and take out what the rule names by hand"));
    }
    let k = match options.preset.and_then(|preset| preset.k) {
        Some((k, _)) => k,
        None => USUAL_K.min(filled / 2).max(2),
    };
    let hierarchy = hierarchy(&found)?;
    let mut policy_text = String::new();
    if let Some(preset) = options.preset {
        preset.head(&mut policy_text);
    }
    policy_text += &text(source, options, &found, k, hierarchy.is_some());
    if options.preset.is_some() || options.public {
        preset::report(&mut policy_text, options.preset);
    }
    let hierarchies = hierarchy.map(|tree| (HIERARCHY.to_string(), tree)).into_iter().collect();
    Ok(Draft { policy_text, hierarchies, columns: Vec::new(), rows: found.transactions, k })
}

/// Groups of neighbours in the order of names, groups of groups, up to one root: a stand-in for a hierarchy by meaning.
/// `None` for too many items, or where an item is called like a group.
fn hierarchy(found: &BasketColumns) -> Result<Option<Taxonomy>> {
    if found.items.len() > MOST_ITEMS || found.items.contains_key(ROOT_LABEL) {
        return Ok(None);
    }
    let mut items: Vec<&str> = found.items.keys().map(String::as_str).collect();
    items.sort_unstable_by_key(|item| (item.parse::<u64>().unwrap_or(u64::MAX), *item));
    let mut paths: Vec<Vec<String>> = items.iter().map(|item| vec![(*item).to_string()]).collect();
    let (mut span, mut groups) = (FAN_OUT, items.len().div_ceil(FAN_OUT));
    while groups > 1 {
        for (members, paths) in items.chunks(span).zip(paths.chunks_mut(span)) {
            let label = match members {
                // A group of one group would be the same again.
                [.., last] if members.len() > span / FAN_OUT => format!("{} … {last}", members[0]),
                _ => continue,
            };
            if found.items.contains_key(&label) {
                return Ok(None);
            }
            paths.iter_mut().for_each(|path| path.push(label.clone()));
        }
        (span, groups) = (span * FAN_OUT, groups.div_ceil(FAN_OUT));
    }
    paths.iter_mut().for_each(|path| path.push(ROOT_LABEL.to_string()));
    Taxonomy::from_paths(&paths).map(Some)
}

fn text(
    source: &TransactionSource,
    options: &DraftOptions,
    found: &BasketColumns,
    k: u64,
    has_hierarchy: bool,
) -> String {
    let mut text = String::new();
    let path = options.named(source.origin());
    let mean = found.occurrences as f64 / found.transactions as f64;
    comment(
        &mut text,
        &format!(
            "A first policy for {path}: {} {} ({} without items) of {} {}, {mean:.1} in the mean, {} at most.",
            thousands(found.transactions),
            noun(found.transactions, "transaction", "transactions"),
            thousands(found.empty),
            thousands(found.items.len() as u64),
            noun(found.items.len() as u64, "item", "different items"),
            thousands(found.longest as u64)
        ),
    );
    let words = "Only you know which items are sensitive and what others may know about these people. Read it, correct it, \
                 then run:";
    comment(&mut text, words);
    comment(&mut text, "    privet anonymize policy.toml -o release");
    text.push_str(&format!("\n[data]\npath = {}\nkind = \"transactions\"\n", quoted(&path)));
    match source.form() {
        Form::Lines { separator, .. } => {
            text.push_str(&format!("separator = {}\n", quoted(&separator.to_string())));
        }
        Form::Long { table, id, item, .. } => {
            let name = |at: usize| table.columns().get(at).map_or("", |column| column.name.as_str());
            let (id, item) = (quoted(name(*id)), quoted(name(*item)));
            text.push_str(&format!("form = \"long\"\nid = {id}\nitem = {item}\n"));
            if let Some(delimiter) = options.delimiter {
                text.push_str(&format!("delimiter = {}\n", quoted(&delimiter.to_string())));
            }
            text.push_str(&super::text::header(&options.header));
        }
        Form::Lists { .. } => {}
    }
    text.push_str("\n[items]\n");
    if has_hierarchy {
        let words = "Groups of neighbours in the order of names, a stand-in: put items of a kind together, and releases will say \
                     more. One line per item: item;group;…;root.";
        comment(&mut text, words);
        text.push_str(&format!("hierarchy = \"{HIERARCHY}\"\n"));
    } else {
        let words = "Without a hierarchy an item is published as itself or as \"*\". One line per item: item;group;…;root.";
        comment(&mut text, words);
        text.push_str("# hierarchy = \"items.csv\"\n");
    }
    let words = "Sensitive items are published as they are, guarded by l below. They have no line in the hierarchy. A list, or \
                 a file with one per line:";
    comment(&mut text, words);
    text.push_str("# sensitive = [\"…\"]\n\n");
    let rare = found.items.values().filter(|tally| tally.holders < k).count() as u64;
    let share = percent(rare, found.items.len() as u64);
    let words = format!(
        "Anyone who knows up to m items of somebody's finds at least {k} transactions that fit, or none. {share} of the items are \
         in fewer than {k} transactions."
    );
    comment(&mut text, &words);
    text.push_str(&format!(
        "[privacy.kl-privacy]\nk = {k}\nm = 2                       # items known to be in a transaction\n\
         n = 0                       # items known not to be in it\n\
         # l = 5                     # a sensitive item is inferred with a confidence of at most 1/l\n\n\
         [method]\nname = \"og\"                 # the cut of the hierarchy that loses least\n\
         time_limit = \"5m\"           # then the best found so far, and how far it may be from that\n"
    ));
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use privet_data::{Header, ReadOptions, TransactionOptions};
    use privet_policy::{AnyPolicy, Policy};

    fn drafted(name: &str, content: &str, open: impl Fn(&std::path::Path) -> TransactionSource) -> Draft {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        fs::write(&path, content).expect("written");
        let draft = draft_transactions(&open(&path), &DraftOptions::default()).expect("a draft");
        draft.write(folder.path()).expect("written");
        let policy = Policy::parse(&folder.path().join("policy.toml"), draft.policy_text.clone());
        let checked = policy.expect("TOML").check_any(None).expect("a policy that runs");
        assert!(matches!(checked, AnyPolicy::Transactions(_)), "{}", draft.policy_text);
        draft
    }

    #[test]
    fn lines_get_a_policy_that_runs() {
        let rows: String = (0..40).map(|row| format!("{} {}\n", row % 13, (row * 7) % 13)).collect();
        let open = |path: &std::path::Path| {
            TransactionSource::open(path, &TransactionOptions::default()).expect("a source")
        };
        let draft = drafted("clicks.dat", &format!("{rows}\n"), open);
        assert_eq!((draft.rows, draft.k), (41, 5));
        assert!(draft.policy_text.contains("separator = \" \""), "{}", draft.policy_text);
        let tree = &draft.hierarchies[0].1;
        assert_eq!((tree.leaves(), tree.levels()), (13, 3));
        assert!(tree.find("0 … 4").is_some() && tree.find("10 … 12").is_some());
    }

    #[test]
    fn the_long_form_is_known_by_its_columns() {
        let content = "basket,product\n1,milk\n1,beer\n2,milk\n3,milk\n3,\n4,\n5,beer\n";
        let folder = tempfile::tempdir().expect("a folder");
        let table = |name: &str, content: &str| {
            let path = folder.path().join(name);
            fs::write(&path, content).expect("written");
            Source::open(&path, &ReadOptions::default()).expect("a table")
        };
        let found = long_form(&table("sales.csv", content), false).expect("a look");
        assert_eq!(found, Some(("basket".to_string(), "product".to_string())));
        let people = table("people.csv", "person,disease\n1,flu\n1,gout\n");
        assert_eq!(long_form(&people, false).expect("a look"), None);
        assert!(long_form(&people, true).expect("a look").is_some());
        assert_eq!(long_form(&table("once.csv", "basket,product\n1,a\n2,b\n"), false).expect("a look"), None);
        let draft = drafted("sales.csv", content, |path| {
            let (id, item) = ("basket".to_string(), "product".to_string());
            let options = TransactionOptions::Long { id, item, delimiter: None, header: Header::default() };
            TransactionSource::open(path, &options).expect("a source")
        });
        assert!(draft.policy_text.contains("form = \"long\""), "{}", draft.policy_text);
    }
}
