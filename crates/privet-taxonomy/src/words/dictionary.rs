//! Which words count as terms, and what form of them.

use std::path::Path;
use std::sync::Arc;

use hashbrown::HashMap;
use unicode_normalization::UnicodeNormalization;

use super::morphology::without_endings;
use super::wordnet::WordNet;
use crate::ItemTree;
use privet_core::{Error, Result};
use privet_data::{Lexicon, read_list};

/// A dictionary: only words that it has are terms.
#[derive(Debug, Clone)]
pub enum Dictionary {
    /// The nouns of WordNet, in their base form.
    WordNet(Arc<WordNet>),
    /// The words of a list or the items of a tree; a plural stands for its base form where only that is there.
    List(Arc<WordList>),
}

impl Dictionary {
    /// The leaves of a tree, whatever their case; the terms are written as the tree writes them.
    pub fn leaves(tree: &ItemTree) -> Dictionary {
        let mut words = WordList::default();
        for leaf in tree.nodes().filter(|node| tree.is_leaf(*node)) {
            // Where two leaves differ in case only, the first is meant.
            words.bases.entry(folded(tree.label(leaf))).or_insert_with(|| tree.label(leaf).to_string());
        }
        Dictionary::List(Arc::new(words))
    }
}

impl Lexicon for Dictionary {
    fn term(&self, words: &str) -> Option<String> {
        match self {
            Dictionary::WordNet(net) => net.base(words).map(|base| base.replace('_', " ")),
            Dictionary::List(list) => list.term(words).map(String::from),
        }
    }
}

/// A list of words, each with the term it stands for.
#[derive(Debug, Clone, Default)]
pub struct WordList {
    bases: HashMap<String, String>,
}

impl WordList {
    /// Reads a file: one word per line, which stands for itself, or `word<TAB>base`.
    pub fn read(path: &Path) -> Result<WordList> {
        let lines = read_list(path, "the dictionary")?;
        let pairs = lines.iter().map(|(line, text)| {
            let (word, base) = text.split_once('\t').unwrap_or((text, text));
            (*line, word.trim(), base.trim())
        });
        WordList::build(pairs).map_err(|error| error.in_file(path))
    }

    /// A list from words with their base forms.
    pub fn of<'a>(words: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<WordList> {
        WordList::build((1..).zip(words).map(|(number, (word, base))| (number, word, base)))
    }

    fn build<'a>(words: impl Iterator<Item = (u64, &'a str, &'a str)>) -> Result<WordList> {
        let mut list = WordList::default();
        let mut named = Vec::new();
        for (line, word, base) in words {
            let at = |message: String| Error::input(message).at_line(line);
            if word.is_empty() || base.is_empty() || base.contains('\t') {
                return Err(at("this is not a word, nor a word with its base form".to_string())
                    .help("write one word per line, or word<TAB>base"));
            }
            let known = list.bases.entry(folded(word)).or_insert_with(|| base.to_string());
            if known != base {
                return Err(at(format!("'{word}' stands for '{base}' here, but for '{known}' above"))
                    .help("keep one of the two lines"));
            }
            named.push(base);
        }
        // What others stand for stands for itself, unless the list says otherwise.
        for base in named {
            list.bases.entry(folded(base)).or_insert_with(|| base.to_string());
        }
        Ok(list)
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    fn term(&self, word: &str) -> Option<&str> {
        let listed = |word: &str| self.bases.get(word).map(String::as_str);
        listed(word).or_else(|| without_endings(word).find_map(|base| listed(&base)))
    }
}

/// A word as it is looked up: in lower case, its parts between single blanks.
fn folded(word: &str) -> String {
    let word: String = word.nfc().collect::<String>().to_lowercase().nfc().collect();
    word.split(|c: char| c.is_whitespace() || c == '_')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_knows_words_their_base_forms_and_plurals() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("words.txt");
        std::fs::write(&path, "wine\nchildren\tchild\nDogs\tdog\nnews\n").expect("written");
        let list = Dictionary::List(Arc::new(WordList::read(&path).expect("a list")));
        for (word, term) in [
            ("wines", Some("wine")),
            ("children", Some("child")),
            ("child", Some("child")),
            ("dogs", Some("dog")),
            ("news", Some("news")),
            ("new", None),
            ("beer", None),
        ] {
            assert_eq!(list.term(word).as_deref(), term, "{word}");
        }
        for (text, line) in [("a\tb\nA\tc\n", 2), ("a\n\tb\n", 2), ("a\tb\tc\n", 1)] {
            std::fs::write(&path, text).expect("written");
            let error = WordList::read(&path).expect_err(text);
            assert_eq!((error.line(), error.file()), (Some(line), Some(path.as_path())), "{error}");
        }
    }

    #[test]
    fn leaves_keep_their_case() {
        let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
        let tree =
            ItemTree::from_paths(&[path("Raw-milk;Milk;Goods"), path("Red  wine;Goods")]).expect("a tree");
        let leaves = Dictionary::leaves(&tree);
        assert_eq!(leaves.term("raw-milk").as_deref(), Some("Raw-milk"));
        assert_eq!(leaves.term("red wine").as_deref(), Some("Red  wine"));
        assert_eq!(leaves.term("milk"), None);
    }
}
