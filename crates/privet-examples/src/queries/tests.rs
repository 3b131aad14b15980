use hashbrown::{HashMap, HashSet};
use sha2::{Digest, Sha256};

use super::*;
use privet_taxonomy::ItemTree;

/// A query with the rows of its clicks put together.
struct Query {
    user: String,
    text: String,
    time: DateTime,
    rows: usize,
    clicked: bool,
}

fn log(queries: u64) -> String {
    let mut text = Vec::new();
    write(queries, SEED, &mut text).expect("memory does not fail");
    String::from_utf8(text).expect("text")
}

/// The queries of the log that ships, in its order.
fn queries() -> Vec<Query> {
    let mut queries: Vec<Query> = Vec::new();
    for line in log(QUERIES).lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [user, text, time, rank, page] = cells[..] else { panic!("five cells: {line}") };
        assert_eq!(rank.is_empty(), page.is_empty(), "{line}");
        let time: DateTime = time.replace(' ', "T").parse().expect("a time");
        match queries.last_mut() {
            Some(last) if (&*last.user, &*last.text, last.time) == (user, text, time) => last.rows += 1,
            _ => queries.push(Query {
                user: user.into(),
                text: text.into(),
                time,
                rows: 1,
                clicked: !rank.is_empty(),
            }),
        }
    }
    queries
}

fn network() -> ItemTree {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("words.csv");
    write_words(std::fs::File::create(&path).expect("a file")).expect("written");
    ItemTree::read(&path).expect("a hierarchy")
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '-').filter(|token| !token.is_empty())
}

fn users_of(queries: &[Query], token: &str) -> usize {
    let users = queries.iter().filter(|query| tokens(&query.text).any(|one| one == token));
    users.map(|query| &query.user).collect::<HashSet<_>>().len()
}

#[test]
fn the_log_that_ships_never_changes() {
    let hex = |text: &str| Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex(&log(1000)), "f35d215ff1b45ffb950cece906c4aaaa07114d52af122a2f172135001ad914a1");
    assert!(log(QUERIES).starts_with(&log(1000)), "a shorter log is the beginning of a longer one");
}

#[test]
fn queries_and_people_are_as_many_as_the_example_says() {
    let queries = queries();
    let mut per_user: HashMap<&str, usize> = HashMap::new();
    queries.iter().for_each(|query| *per_user.entry(&query.user).or_default() += 1);
    assert_eq!((queries.len() as u64, per_user.len()), (QUERIES, 1541));
    let most = per_user.values().max().copied().unwrap_or_default();
    assert!(most > 100 && most < 400, "{most}");
    let unclicked = queries.iter().filter(|query| !query.clicked).count();
    let several = queries.iter().filter(|query| query.rows > 1).count();
    assert!((6000..9000).contains(&unclicked) && (2000..4500).contains(&several), "{unclicked}, {several}");
}

#[test]
fn searches_come_in_sittings() {
    let queries = queries();
    let (mut within, mut between) = (0, 0);
    for pair in queries.windows(2).filter(|pair| pair[0].user == pair[1].user) {
        let gap = pair[1].time.duration_since(pair[0].time).as_secs();
        assert!(gap > 0, "in the order of time");
        assert!(!(3600..7200).contains(&gap), "an hour tells sittings apart: {gap}");
        *if gap < 3600 { &mut within } else { &mut between } += 1;
    }
    assert!(within > 9000 && between > 5000, "{within}, {between}");
}

#[test]
fn the_network_is_a_tree_of_everyday_words() {
    let tree = network();
    assert_eq!(tree.roots().map(|root| tree.label(root)).collect::<Vec<_>>(), ["anything"]);
    assert_eq!(tree.total_leaves(), 912);
    let leaves: Vec<u32> = tree.nodes().filter(|node| tree.is_leaf(*node)).collect();
    let depths: Vec<u32> = leaves.iter().map(|leaf| tree.depth(*leaf)).collect();
    assert_eq!((depths.iter().min(), depths.iter().max()), (Some(&3), Some(&6)), "four to seven levels");
    let one_word = |label: &str| label.chars().all(|letter| letter.is_ascii_lowercase());
    for leaf in leaves {
        assert!(one_word(tree.label(leaf)), "{}", tree.label(leaf));
    }
    for node in tree.nodes().filter(|node| !tree.is_leaf(*node)) {
        assert!(tree.children(node).len() > 1, "{} has an only child", tree.label(node));
    }
}

#[test]
fn a_popular_topic_is_one_and_has_few_enough_words() {
    let topics = topics();
    for (name, _) in POPULAR {
        assert!(topics.iter().any(|topic| topic.name() == name), "{name}");
    }
    assert!(topics.len() < 256, "positions are drawn as bytes");
    assert!(topics.iter().all(|topic| topic.words.len() <= 10), "ten ranks");
}

#[test]
fn most_queries_have_a_word_of_the_network() {
    let tree = network();
    let queries = queries();
    let known = |query: &&Query| tokens(&query.text).any(|token| tree.find(token).is_some());
    let share = queries.iter().filter(known).count() as f64 / queries.len() as f64;
    assert!((0.75..0.95).contains(&share), "{share}");
}

#[test]
fn names_are_used_by_fewer_than_five_and_one_of_them_is_in_the_network() {
    let tree = network();
    let queries = queries();
    let users = NAMES.map(|name| name.split(' ').map(|part| users_of(&queries, part)).collect::<Vec<_>>());
    assert_eq!(users, [[4, 4], [1, 1], [2, 2], [1, 1]]);
    let known: Vec<&str> =
        NAMES.iter().flat_map(|name| name.split(' ')).filter(|part| tree.find(part).is_some()).collect();
    assert_eq!(known, ["quibblethorpe"]);
}

#[test]
fn four_people_have_a_sitting_about_the_rare_name_alone() {
    let tree = network();
    let queries = queries();
    let same_sitting = |one: &Query, other: &Query| {
        one.user == other.user && other.time.duration_since(one.time).as_secs() < 3600
    };
    let known = |query: &Query| tokens(&query.text).filter(|token| tree.find(token).is_some()).count();
    let alone = queries.chunk_by(same_sitting).filter(|sitting| {
        let clicked = || sitting.iter().filter(|query| query.clicked);
        clicked().map(known).sum::<usize>() == 1 && users_of(sitting, words::RARE_NAME.0) == 1
    });
    assert_eq!(alone.map(|sitting| &sitting[0].user).collect::<HashSet<_>>().len(), 4);
}

#[test]
fn there_is_what_a_release_must_not_repeat_and_nothing_that_is_real() {
    let queries = queries();
    let mails: Vec<&Query> = queries.iter().filter(|query| query.text.contains('@')).collect();
    assert!(mails.len() > 20 && mails.iter().all(|query| query.text.ends_with(".example")));
    let numbers = queries.iter().filter(|query| query.text.contains("555-01")).count();
    assert!(numbers > 20, "{numbers}");
    let pages = queries.iter().filter(|query| query.text.starts_with("www.")).count();
    assert!(pages > 500 && queries.iter().all(|query| !query.text.contains(".com")), "{pages}");
}
