//! The nouns of WordNet: words, their senses (synsets), and what each sense is a kind of (its hypernyms).

mod read;
#[cfg(test)]
pub(super) mod tests;

use std::path::{Path, PathBuf};

use hashbrown::{HashMap, HashSet};

use super::morphology;
use crate::ItemTree;
use privet_core::Result;
use privet_data::interner::Interner;

/// A sense: its place in the file of senses.
pub(super) type Sense = u32;

/// Where a term hangs in the tree of senses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Attach {
    /// Below what its sense is a kind of, next to the sense itself: `dog` and `wolf`, two canines, are 2 apart. Closest to the
    /// size of the tree that the thesis reports.
    #[default]
    Hypernym,
    /// Below its sense: only words of one sense are 2 apart.
    Synset,
}

impl Attach {
    /// Reads `hypernym` or `synset`.
    pub fn parse(text: &str) -> Option<Attach> {
        match text {
            "hypernym" => Some(Attach::Hypernym),
            "synset" => Some(Attach::Synset),
            _ => None,
        }
    }
}

/// The nouns of WordNet as its database files have them.
///
/// A word is looked up in lower case, its parts between blanks or underscores.
#[derive(Debug, Clone)]
pub struct WordNet {
    folder: PathBuf,
    lemmas: Interner,
    /// The senses of each lemma, the most usual first.
    sense_ends: Vec<u32>,
    lemma_senses: Vec<Sense>,
    /// How often each lemma was met in texts whose senses were marked by hand.
    tags: Vec<u32>,
    /// The base forms of irregular plurals.
    exceptions: HashMap<String, Vec<String>>,
    synsets: Synsets,
}

/// The senses, in the order of their file.
#[derive(Debug, Clone, Default)]
struct Synsets {
    /// Where each is in the file; what others call it.
    offsets: Vec<u32>,
    /// The first word of each.
    words: Vec<Box<str>>,
    /// All hypernyms, in the order of the file.
    above_ends: Vec<u32>,
    above: Vec<Sense>,
    /// The first hypernym, the one in the tree; roots are their own.
    parents: Vec<Sense>,
}

impl WordNet {
    /// Where Debian's package `wordnet-base` puts it.
    pub const FOLDER: &'static str = "/usr/share/wordnet";

    /// The files that are read.
    pub const FILES: [&'static str; 4] = ["data.noun", "index.noun", "noun.exc", "cntlist.rev"];

    /// Reads the nouns from the folder with the database files.
    pub fn open(folder: &Path) -> Result<WordNet> {
        read::open(folder)
    }

    /// The folder it was read from.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of senses.
    pub fn senses(&self) -> usize {
        self.synsets.offsets.len()
    }

    /// The number of words and collocations.
    pub fn lemmas(&self) -> usize {
        self.lemmas.len()
    }

    /// The number of words that are not collocations.
    pub fn single_words(&self) -> usize {
        (0..self.lemmas.len()).filter(|lemma| !self.lemmas.text(*lemma).contains('_')).count()
    }

    /// The words and collocations, the parts of a collocation between underscores, in the order of their file.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        (0..self.lemmas.len()).map(|lemma| self.lemmas.text(lemma))
    }

    /// The base form of a word that WordNet has, or the word itself (definition C4): of a surface and its base form the one
    /// that is met more often, the base form where both are alike. `None` for a word that is not a noun.
    pub fn base(&self, word: &str) -> Option<String> {
        let word = written(word);
        let tags = |word: &str| self.lemmas.find(word).map(|lemma| self.tags[lemma as usize]);
        let exceptions = self.exceptions.get(&word).map_or(&[][..], Vec::as_slice);
        morphology::base(&word, exceptions, tags)
    }

    /// The most usual sense of a word.
    pub(super) fn first_sense(&self, word: &str) -> Option<Sense> {
        self.lemmas.find(&written(word)).and_then(|lemma| self.senses_of(lemma).first().copied())
    }

    fn senses_of(&self, lemma: u32) -> &[Sense] {
        let begin = if lemma == 0 { 0 } else { self.sense_ends[lemma as usize - 1] };
        &self.lemma_senses[begin as usize..self.sense_ends[lemma as usize] as usize]
    }

    /// All that a sense is a kind or an instance of.
    pub(super) fn hypernyms(&self, sense: Sense) -> &[Sense] {
        let Synsets { above, above_ends, .. } = &self.synsets;
        let begin = if sense == 0 { 0 } else { above_ends[sense as usize - 1] };
        &above[begin as usize..above_ends[sense as usize] as usize]
    }

    /// The senses above a term of this first sense, from what it hangs on up to the root.
    pub(super) fn path(&self, sense: Sense, attach: Attach) -> impl Iterator<Item = Sense> + '_ {
        let parent = |sense: Sense| self.synsets.parents[sense as usize];
        let begin = match attach {
            // A root has nothing above it: its words hang on the root itself.
            Attach::Hypernym => parent(sense),
            Attach::Synset => sense,
        };
        std::iter::successors(Some(begin), move |sense| Some(parent(*sense)).filter(|above| above != sense))
    }

    /// The tree of first hypernyms above these terms, one leaf per term that WordNet has; `None` if there is none.
    pub(super) fn tree(&self, terms: &[String], attach: Attach) -> Option<ItemTree> {
        let taken: HashSet<&str> = terms.iter().map(String::as_str).collect();
        let mut labels: HashMap<Sense, String> = HashMap::new();
        let mut paths: Vec<Vec<String>> = Vec::new();
        for term in terms {
            let Some(sense) = self.first_sense(term) else { continue };
            let label =
                |sense: Sense| labels.entry(sense).or_insert_with(|| self.label(sense, &taken)).clone();
            paths.push(std::iter::once(term.clone()).chain(self.path(sense, attach).map(label)).collect());
        }
        // Labels are distinct, so nothing but the want of terms keeps this from being a tree.
        ItemTree::from_paths(&paths).ok()
    }

    /// A sense as `beverage.n.01`: its first word, and which of that word's senses it is. No term of the data may have the
    /// same name.
    fn label(&self, sense: Sense, taken: &HashSet<&str>) -> String {
        let word = self.synsets.words[sense as usize].to_lowercase();
        let senses = self.lemmas.find(&word).map_or(&[][..], |lemma| self.senses_of(lemma));
        let mut label = match senses.iter().position(|other| *other == sense) {
            Some(place) => format!("{word}.n.{:02}", place + 1),
            None => format!("{word}.n.{:08}", self.synsets.offsets[sense as usize]),
        };
        while taken.contains(label.as_str()) {
            label.push_str(".n");
        }
        label
    }
}

/// A word as the files write it.
fn written(word: &str) -> String {
    let mut word = word.to_lowercase();
    if word.contains(' ') {
        word = word.split_whitespace().collect::<Vec<_>>().join("_");
    }
    word
}
