//! A first policy for a query log: who searched for what, and when.

use super::text::{comment, quoted};
use super::{Draft, DraftOptions, USUAL_K, profile};
use privet_core::{Error, Result, counted, thousands};
use privet_data::Source;
use privet_taxonomy::Taxonomy;

/// Names of the three columns of a log, as search engines and others have called them.
const USERS: &[&str] = &[
    "anonid",
    "user",
    "userid",
    "user_id",
    "uid",
    "session",
    "session_id",
    "cookie",
    "visitor",
    "visitor_id",
];
const QUERIES: &[&str] = &[
    "query",
    "querytext",
    "query_text",
    "search",
    "search_term",
    "searchterm",
    "search_query",
    "keywords",
    "q",
];
const TIMES: &[&str] =
    &["querytime", "time", "timestamp", "query_time", "datetime", "date", "created_at", "when", "ts"];
/// The names of the user, the query and the time that need not be given in a policy.
pub const USUAL_LOG: [&str; 3] = ["AnonID", "Query", "QueryTime"];
/// Words of a query from which on a word of the list below is a term.
const LEAST_LETTERS: usize = 3;
/// Most words of the drafted dictionary.
const MOST_WORDS: usize = 20_000;

/// The columns of the user, the query and the time, where a table looks like a query log.
pub fn log_columns(source: &Source) -> Option<[String; 3]> {
    let find = |names: &[&str]| {
        let column =
            source.columns().iter().find(|column| names.contains(&column.name.to_lowercase().as_str()));
        column.map(|column| column.name.clone())
    };
    Some([find(USERS)?, find(QUERIES)?, find(TIMES)?])
}

/// Drafts a policy for a query log. Words stand for each other only within a hierarchy: the draft begins with one in which each
/// word that several people typed is its own, which releases little; the policy says how to do better.
pub fn draft_queries(source: &Source, columns: &[String; 3], options: &DraftOptions) -> Result<Draft> {
    if let Some(preset) = options.preset.filter(|preset| preset.safe_harbor) {
        return Err(Error::input(format!(
            "the preset {} is about tables of people, not about queries",
            preset.name
        ))
        .in_file(source.origin())
        .help("draft without it, and take out what the rule names by hand"));
    }
    let profile = profile::profile(source, &mut |_| Ok(()))?;
    let at = |name: &String| profile.columns.iter().find(|column| column.name == *name);
    let (Some(users), Some(queries)) = (at(&columns[0]), at(&columns[1])) else {
        return Err(Error::input("the columns of the log were not found").in_file(source.origin()));
    };
    let people = users.distinct();
    if people < 2 {
        return Err(Error::input("the log has the queries of one user only")
            .in_file(source.origin())
            .help("a policy can be drafted for two users on"));
    }
    let words = words(queries.first_values());
    let k = options.preset.and_then(|preset| preset.k).map_or(USUAL_K.min(people / 2).max(2), |(k, _)| k);
    let path = options.named(source.origin());
    let mut text = String::new();
    if let Some(preset) = options.preset {
        preset.head(&mut text);
    }
    let size = format!(
        "A first policy for {path}: a query log of {} by {}.",
        counted(profile.rows, "row", "rows"),
        counted(people, "user", "users")
    );
    comment(&mut text, &size);
    comment(
        &mut text,
        "Rows are not published, but bags of words that several people have in common. Read it, correct it, then run:",
    );
    comment(&mut text, "    privet anonymize policy.toml -o release");
    text.push_str(&format!("\n[data]\npath = {}\nkind = \"query-log\"\n", quoted(&path)));
    if let Some(delimiter) = options.delimiter {
        text.push_str(&format!("delimiter = {}\n", quoted(&delimiter.to_string())));
    }
    text.push_str(&super::text::header(&options.header));
    if columns.iter().zip(USUAL_LOG).any(|(column, usual)| column != usual) {
        let [user, query, time] = columns.each_ref().map(|name| quoted(name));
        text.push_str(&format!("\n[data.columns]\nuser = {user}\nquery = {query}\ntime = {time}\n"));
    }
    text.push_str(
        "\n[vocabulary]\nsession_gap = \"1h\"          # a pause of more than an hour begins a new bag\n",
    );
    text.push_str("dictionary = \"taxonomy\"     # only words of the tree below pass\n\n[semantics]\n");
    comment(
        &mut text,
        &format!(
            "{} words of the log, grouped by their first letters: a stand-in. Put words of a kind together, or use a word \
             network: distance = \"wordnet-tree\" with dictionary = \"wordnet\" where WordNet is installed.",
            thousands(words.len() as u64)
        ),
    );
    text.push_str("distance = \"taxonomy\"\nhierarchy = \"hierarchies/words.csv\"\nepsilon = 2                 # words further apart never stand for each other\n\n");
    comment(
        &mut text,
        &format!("Every published bag is the same as at least {} others, of other people.", k - 1),
    );
    text.push_str(&format!("[privacy.vocabulary-k-anonymity]\nk = {k}\n\n[method]\nname = \"ssg\"\n"));
    if options.preset.is_some() || options.public {
        super::preset::report(&mut text, options.preset);
    }
    let hierarchies = vec![("hierarchies/words.csv".to_string(), tree(&words)?)];
    Ok(Draft { policy_text: text, hierarchies, columns: Vec::new(), rows: profile.rows, k })
}

/// The words of the queries, without numbers and short ones.
fn words(queries: &[String]) -> Vec<String> {
    let mut words: Vec<String> = (queries.iter())
        .flat_map(|query| query.split(|c: char| !c.is_alphabetic()))
        .filter(|word| word.chars().count() >= LEAST_LETTERS)
        .map(str::to_lowercase)
        .collect();
    words.sort_unstable();
    words.dedup();
    words.truncate(MOST_WORDS);
    words
}

fn tree(words: &[String]) -> Result<Taxonomy> {
    let path = |word: &String| {
        let start = |letters: usize| word.chars().take(letters).collect::<String>();
        vec![word.clone(), format!("{}…", start(2)), format!("{}…", start(1)), "*".to_string()]
    };
    let paths: Vec<Vec<String>> = words.iter().map(path).collect();
    if paths.is_empty() {
        return Err(Error::input("the queries of the log hold no words")
            .help("name the right column with [data.columns] query = \"…\" in a policy of your own"));
    }
    Taxonomy::from_paths(&paths)
}
