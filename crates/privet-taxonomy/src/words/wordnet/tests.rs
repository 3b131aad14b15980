//! WordNets of a few words, and the real one where it is installed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::read::{Files, parse};
use super::*;
use crate::words::{Distances, Semantics};

/// The files of a WordNet whose senses have the given words and hypernyms (with their pointers). Offsets are ten times the
/// place in the list, and the senses of a word come in the order of the list.
fn files(senses: &[(&str, &[(&str, usize)])]) -> Files {
    let mut data = String::from("  1 This is the licence.  \n");
    let mut index: std::collections::BTreeMap<String, Vec<usize>> = std::collections::BTreeMap::new();
    for (place, (words, above)) in senses.iter().enumerate() {
        let words: Vec<&str> = words.split(' ').collect();
        data.push_str(&format!("{:08} 03 n {:02x}", place * 10, words.len()));
        for word in words {
            data.push_str(&format!(" {word} 0"));
            index.entry(word.to_lowercase()).or_default().push(place * 10);
        }
        data.push_str(&format!(" {:03}", above.len() + 1));
        for (symbol, target) in *above {
            data.push_str(&format!(" {symbol} {:08} n 0000", target * 10));
        }
        data.push_str(" + 00692347 v 0101 | a gloss; with @ 00000000 n 0000\n");
    }
    let mut lines = String::from("  1 This is the licence.  \n");
    for (lemma, offsets) in index {
        let list: Vec<String> = offsets.iter().map(|offset| format!("{offset:08}")).collect();
        lines.push_str(&format!("{lemma} n {0} 1 @ {0} 0 {1}  \n", offsets.len(), list.join(" ")));
    }
    Files { data: data.into(), index: lines.into(), exceptions: Vec::new(), counts: Vec::new() }
}

fn net(files: &Files) -> Result<WordNet> {
    parse(Path::new("dict"), files)
}

/// A WordNet of these senses.
pub fn net_of(senses: &[(&str, &[(&str, usize)])]) -> WordNet {
    net(&files(senses)).expect("a net")
}

/// entity → thing → {dog ⊂ animal, pet}, wine.
const SMALL: &[(&str, &[(&str, usize)])] = &[
    ("entity", &[]),
    ("Animal beast", &[("@", 0)]),
    ("pet", &[("@", 0)]),
    ("canine", &[("@", 1)]),
    ("dog domestic_dog", &[("@", 3), ("@", 2)]),
    ("wolf", &[("@", 3)]),
    ("wine vino", &[("@", 0)]),
    ("rex", &[("@i", 4)]),
    ("bark dog", &[("@", 0)]),
];

fn distances(net: &WordNet, network: bool, attach: Attach, terms: &[&str]) -> Distances {
    let net = Arc::new(net.clone());
    let semantics =
        if network { Semantics::WordNetNetwork(net, attach) } else { Semantics::WordNetTree(net, attach) };
    semantics.between(&terms.iter().map(|term| term.to_string()).collect::<Vec<_>>())
}

#[test]
fn terms_hang_on_hypernyms_or_on_their_senses() {
    let net = net(&files(SMALL)).expect("a net");
    let terms = ["dog", "wolf", "pet", "entity", "wine", "vino", "rex", "cat", "Domestic dog"];
    for (network, attach, expected) in [
        (false, Attach::Hypernym, [Some(2), Some(4), Some(4), Some(4), Some(3), None, Some(2)]),
        (false, Attach::Synset, [Some(4), Some(6), Some(5), Some(6), Some(3), None, Some(2)]),
        (true, Attach::Hypernym, [Some(2), Some(3), Some(3), Some(3), Some(3), None, Some(2)]),
        (true, Attach::Synset, [Some(4), Some(3), Some(4), Some(5), Some(3), None, Some(2)]),
    ] {
        let distances = distances(&net, network, attach, &terms);
        let found: Vec<Option<u32>> = [1, 2, 3, 4, 6, 7, 8].map(|other| distances.of(0, other)).to_vec();
        assert_eq!(found, expected, "{network} {attach:?}");
        assert_eq!(distances.of(4, 5), Some(2));
        assert_eq!(
            (distances.of(7, 7), distances.knows(7), distances.tree().is_none()),
            (Some(0), false, network)
        );
    }
    let tree = distances(&net, false, Attach::Hypernym, &["dog", "entity", "rex"]);
    let labels =
        tree.tree().map(|tree| tree.nodes().map(|node| tree.label(node).to_string()).collect::<Vec<_>>());
    let expected = ["entity.n.01", "animal.n.01", "canine.n.01", "dog", "dog.n.01", "rex", "entity"];
    assert_eq!(labels.expect("a tree"), expected);
    assert!(distances(&net, false, Attach::Hypernym, &["cat"]).tree().is_none());
}

#[test]
fn labels_differ_from_terms() {
    let odd = files(&[
        ("entity", &[]),
        ("entity.n.01", &[("@", 0)]),
        ("bark", &[("@", 0)]),
        ("Bark", &[("@", 2)]),
        ("x", &[("@", 3)]),
    ]);
    let net = net(&odd).expect("a net");
    let distances = distances(&net, false, Attach::Hypernym, &["entity.n.01", "x"]);
    let tree = distances.tree().expect("a tree");
    let labels: Vec<&str> = tree.nodes().map(|node| tree.label(node)).collect();
    assert_eq!(labels, ["entity.n.01.n", "entity.n.01", "bark.n.01", "bark.n.02", "x"]);
    assert_eq!(distances.of(0, 1), Some(4));
}

#[test]
fn base_forms_follow_exceptions_and_counts() {
    let mut files = files(&[
        ("man", &[]),
        ("men", &[]),
        ("child", &[]),
        ("news", &[]),
        ("new", &[]),
        ("glass", &[]),
        ("hot_dog", &[]),
    ]);
    files.exceptions = b"children child\nmen man\n".to_vec();
    files.counts =
        b"man%1:18:00:: 1 200\nmen%1:14:00:: 1 21\nnews%1:10:00:: 1 9\nnew%3:00:00:: 1 99\n".to_vec();
    let net = net(&files).expect("a net");
    for (word, base) in [
        ("men", Some("man")),
        ("children", Some("child")),
        ("news", Some("news")),
        ("glasses", Some("glass")),
        ("hot dogs", Some("hot_dog")),
        ("was", None),
    ] {
        assert_eq!(net.base(word).as_deref(), base, "{word}");
    }
}

#[test]
fn faults_name_their_file_and_line() {
    let small = || files(SMALL);
    let broken = |damage: &dyn Fn(&mut Files), file: &str, line: Option<u64>, message: &str| {
        let mut files = small();
        damage(&mut files);
        let error = net(&files).expect_err(message);
        assert_eq!(
            (error.file(), error.line()),
            (Some(Path::new("dict").join(file).as_path()), line),
            "{error}"
        );
        assert!(error.message().contains(message) && error.remedy().is_some(), "{error}");
    };
    let append = |bytes: &mut Vec<u8>, line: &str| bytes.extend_from_slice(line.as_bytes());
    broken(&|files| files.data.clear(), "data.noun", None, "no senses");
    broken(
        &|files| append(&mut files.data, "x 03 n 01 a 0 000 | g"),
        "data.noun",
        Some(11),
        "'x', not a number",
    );
    broken(
        &|files| append(&mut files.data, "00000777 03 n 02 a 0 000 | g"),
        "data.noun",
        Some(11),
        "ends before",
    );
    broken(&|files| append(&mut files.data, "00000010 03 n 01 a 0 000 | g"), "data.noun", Some(11), "line 3");
    broken(
        &|files| append(&mut files.data, "00000777 03 n 01 a 0 001 @ 00000778 n 0000 |"),
        "data.noun",
        Some(11),
        "00000778",
    );
    let circle = "00000777 03 n 01 a 0 001 @ 00000778 n 0000 |\n00000778 03 n 01 b 0 001 @ 00000777 n 0000 |";
    broken(&|files| append(&mut files.data, circle), "data.noun", Some(11), "lead back");
    broken(&|files| append(&mut files.index, "zoo n 1 1 @ 1 0 00000777"), "index.noun", Some(14), "00000777");
    broken(&|files| append(&mut files.index, "wine n 1 1 @ 1 0 00000010"), "index.noun", Some(14), "twice");
    broken(&|files| append(&mut files.index, "zoo n 1 1 @"), "index.noun", Some(14), "ends before");
    broken(&|files| append(&mut files.counts, "a b c"), "cntlist.rev", Some(1), "not the key");
    broken(&|files| append(&mut files.counts, "a%1:1 1 -4"), "cntlist.rev", Some(1), "'-4'");
    broken(&|files| append(&mut files.exceptions, "mice"), "noun.exc", Some(1), "ends before");
    let mut latin = small();
    latin.data.extend_from_slice(b"00000777 03 n 01 caf\xe9 0 001 @ 00000000 n 0000 | g\xe9\r\n");
    latin.index.extend_from_slice(b"caf\xe9 n 1 1 @ 1 0 00000777\r\n");
    assert_eq!(net(&latin).expect("a net").base("café").as_deref(), Some("café"));
}

#[test]
fn a_folder_without_wordnet_says_how_to_get_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = WordNet::open(folder.path()).expect_err("none");
    assert!(error.remedy().is_some_and(|help| help.contains("apt-get install wordnet-base")), "{error}");
    for (name, bytes) in WordNet::FILES.iter().zip({
        let files = files(SMALL);
        [files.data, files.index, files.exceptions, files.counts]
    }) {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    assert_eq!(WordNet::open(folder.path()).expect("a net").senses(), SMALL.len());
}

/// The installed WordNet, unless there is none.
pub fn installed() -> Option<WordNet> {
    let folder =
        std::env::var_os("PRIVET_WORDNET").map_or_else(|| PathBuf::from(WordNet::FOLDER), PathBuf::from);
    if !folder.join("data.noun").is_file() {
        privet_core::testing::skipped(&format!("no WordNet in {} (set PRIVET_WORDNET)", folder.display()));
        return None;
    }
    Some(WordNet::open(&folder).expect("WordNet"))
}

#[test]
fn the_real_one_has_the_counts_and_distances_that_are_known() {
    let Some(net) = installed() else { return };
    assert_eq!((net.senses(), net.lemmas(), net.single_words()), (82_115, 117_798, 57_506));
    let pairs = |attach| {
        let distances = distances(&net, false, attach, &["cat", "dog", "vino", "wine", "wolf"]);
        [distances.of(2, 3), distances.of(1, 4), distances.of(0, 1)].map(|distance| distance.expect("near"))
    };
    assert_eq!((pairs(Attach::Hypernym), pairs(Attach::Synset)), ([2, 2, 4], [2, 4, 6]));
    for (word, base) in [
        ("men", "man"),
        ("days", "day"),
        ("shoes", "shoe"),
        ("glasses", "glass"),
        ("pants", "pants"),
        ("news", "news"),
        ("movies", "movie"),
    ] {
        assert_eq!(net.base(word).as_deref(), Some(base));
    }
    let words: Vec<String> = net.words().filter(|word| !word.contains('_')).map(String::from).collect();
    let all = Semantics::WordNetTree(Arc::new(net.clone()), Attach::Hypernym).between(&words);
    let tree = all.tree().expect("a tree");
    assert_eq!((tree.total_leaves(), tree.roots().count(), tree.label(0)), (57_506, 1, "entity.n.01"));
}
