//! From the text of a query to its terms.
//!
//! Addresses of people are dropped first, then the text is cut into words of letters, digits, apostrophes and hyphens, in lower
//! case. Stop words, numbers, single letters and what looks like a name or an identifier are dropped before the dictionary
//! is asked: it may well have them.

use std::fmt::Debug;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use super::stop_words::STOP_WORDS;
use crate::interner::Interner;

/// The words after one of these are taken for a name.
const TITLES: [&str; 7] = ["mr", "mrs", "ms", "miss", "dr", "prof", "sir"];

/// How many words after a title belong to the name.
const NAME_WORDS: usize = 2;

/// A word with this many digits is a number of somebody or something: a telephone, a licence, a part.
const IDENTIFIER_DIGITS: usize = 4;

/// The longest collocation, in words.
const COLLOCATION: usize = 4;

/// At most this many words that the dictionary does not have are reported.
const MOST_UNKNOWN: usize = 200;

/// Which words there are, and what form of them counts as the term.
pub trait Lexicon: Debug + Send + Sync {
    /// The term for some words in lower case, with a blank between each two; `None` if they are not a term.
    fn term(&self, words: &str) -> Option<String>;
}

/// What counts as a term.
#[derive(Debug, Clone)]
pub struct WordOptions {
    /// Which words there are; every word is a term where `None`.
    pub dictionary: Option<Arc<dyn Lexicon>>,
    /// Words that say nothing; [`STOP_WORDS`](super::STOP_WORDS) where `None`.
    pub stop_words: Option<Vec<String>>,
    /// Whether e-mail addresses, words of four or more digits among letters, and a title (mr, mrs, ms, miss, dr, prof, sir)
    /// with the two words behind it are dropped, whatever the dictionary says of them.
    pub drop_patterns: bool,
    /// Whether up to four words that the dictionary has together are one term.
    pub collocations: bool,
}

impl Default for WordOptions {
    fn default() -> Self {
        WordOptions { dictionary: None, stop_words: None, drop_patterns: true, collocations: false }
    }
}

/// What became of the words of all queries that were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Dropped {
    /// Words that became terms.
    pub kept: u64,
    /// E-mail addresses.
    pub addresses: u64,
    /// Titles and the words after them.
    pub names: u64,
    /// Words with four or more digits.
    pub identifiers: u64,
    /// Stop words.
    pub stop_words: u64,
    /// Numbers.
    pub numbers: u64,
    /// Words of one letter.
    pub letters: u64,
    /// Words that are not in the dictionary.
    pub unknown: u64,
    /// Terms that their query had already.
    pub repeated: u64,
}

impl Dropped {
    /// Adds what became of the words of a query that occurs so often.
    pub(super) fn add(&mut self, query: Dropped, times: u32) {
        let Dropped { kept, addresses, names, identifiers, stop_words, numbers, letters, unknown, repeated } =
            query;
        for (sum, count) in [
            (&mut self.kept, kept),
            (&mut self.addresses, addresses),
            (&mut self.names, names),
            (&mut self.identifiers, identifiers),
            (&mut self.stop_words, stop_words),
            (&mut self.numbers, numbers),
            (&mut self.letters, letters),
            (&mut self.unknown, unknown),
            (&mut self.repeated, repeated),
        ] {
            *sum += count * u64::from(times);
        }
    }
}

/// What becomes of a word wherever it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stop,
    Number,
    Letter,
    Identifier,
    Unknown,
    Term(u32),
}

/// Finds the terms of queries; remembers what became of every distinct word.
pub(super) struct Words<'a> {
    options: &'a WordOptions,
    stop_words: HashSet<String>,
    words: Interner,
    fates: Vec<Fate>,
    terms: Interner,
    /// The words that were dropped because the dictionary does not have them, and how often.
    unknown: HashMap<u32, u64>,
    /// The words of the query at hand, by number, `None` where an address was.
    sequence: Vec<Option<u32>>,
    folded: String,
}

impl<'a> Words<'a> {
    pub(super) fn new(options: &'a WordOptions) -> Words<'a> {
        let stop_words = match &options.stop_words {
            Some(words) => words.iter().map(|word| folded(word)).collect(),
            None => STOP_WORDS.iter().map(|word| word.to_string()).collect(),
        };
        Words {
            options,
            stop_words,
            words: Interner::default(),
            fates: Vec::new(),
            terms: Interner::default(),
            unknown: HashMap::new(),
            sequence: Vec::new(),
            folded: String::new(),
        }
    }

    /// How many distinct words were not in the dictionary.
    pub(super) fn unknown(&self) -> u64 {
        self.unknown.len() as u64
    }

    /// The most frequent of them, with how often they were dropped.
    pub(super) fn most_unknown(&self) -> Vec<(String, u64)> {
        let mut all: Vec<(&str, u64)> =
            self.unknown.iter().map(|(word, count)| (self.words.text(*word as usize), *count)).collect();
        all.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        all.truncate(MOST_UNKNOWN);
        all.into_iter().map(|(word, count)| (word.to_string(), count)).collect()
    }

    /// The terms by their numbers.
    pub(super) fn into_terms(self) -> Interner {
        self.terms
    }

    /// Appends the terms of a query, each once (definition C3). The query was typed `times` times.
    pub(super) fn query(&mut self, text: &str, times: u32, into: &mut Vec<u32>) -> Dropped {
        let mut dropped = self.cut(text);
        let begin = into.len();
        let mut at = 0;
        while at < self.sequence.len() {
            let Some(word) = self.sequence[at] else {
                at += 1;
                continue;
            };
            if let Some(name) = self.name(at) {
                dropped.names += name as u64;
                at += name;
                continue;
            }
            if let Some((term, words)) = self.collocation(at) {
                dropped.kept += 1;
                into.push(term);
                at += words;
                continue;
            }
            match self.fates[word as usize] {
                Fate::Stop => dropped.stop_words += 1,
                Fate::Number => dropped.numbers += 1,
                Fate::Letter => dropped.letters += 1,
                Fate::Identifier => dropped.identifiers += 1,
                Fate::Unknown => {
                    dropped.unknown += 1;
                    *self.unknown.entry(word).or_default() += u64::from(times);
                }
                Fate::Term(term) => {
                    dropped.kept += 1;
                    into.push(term);
                }
            }
            at += 1;
        }
        into[begin..].sort_unstable();
        let all = into.len();
        let mut last = None;
        let mut kept = begin;
        for place in begin..all {
            if last != Some(into[place]) {
                last = Some(into[place]);
                into[kept] = into[place];
                kept += 1;
            }
        }
        into.truncate(kept);
        dropped.kept -= (all - kept) as u64;
        dropped.repeated = (all - kept) as u64;
        dropped
    }

    /// Cuts a query into words.
    fn cut(&mut self, text: &str) -> Dropped {
        let mut dropped = Dropped::default();
        self.sequence.clear();
        for chunk in text.split_whitespace() {
            if self.options.drop_patterns && is_address(chunk) {
                dropped.addresses += 1;
                self.sequence.push(None);
                continue;
            }
            let mut folded = std::mem::take(&mut self.folded);
            fold(chunk, &mut folded);
            let part_of_word = |c: char| c.is_alphanumeric() || c == '\'' || c == '-';
            for word in folded.split(|c| !part_of_word(c)) {
                let word = word.trim_matches(['\'', '-']);
                let word = word.strip_suffix("'s").unwrap_or(word);
                if !word.is_empty() {
                    let number = self.number(word);
                    self.sequence.push(Some(number));
                }
            }
            self.folded = folded;
        }
        dropped
    }

    fn number(&mut self, word: &str) -> u32 {
        let number = self.words.intern(word);
        if number as usize == self.fates.len() {
            let fate = self.fate(word);
            self.fates.push(fate);
        }
        number
    }

    fn fate(&mut self, word: &str) -> Fate {
        if self.stop_words.contains(word) {
            return Fate::Stop;
        }
        if !word.chars().any(char::is_alphabetic) {
            return Fate::Number;
        }
        if word.chars().nth(1).is_none() {
            return Fate::Letter;
        }
        let digits = word.chars().filter(|c| c.is_numeric()).count();
        if self.options.drop_patterns && digits >= IDENTIFIER_DIGITS {
            return Fate::Identifier;
        }
        let term = match &self.options.dictionary {
            Some(dictionary) => dictionary.term(word),
            None => Some(word.to_string()),
        };
        match term {
            Some(term) => Fate::Term(self.terms.intern(&term)),
            None => Fate::Unknown,
        }
    }

    /// How many words a name with a title takes that begins here.
    fn name(&self, at: usize) -> Option<usize> {
        let word = self.sequence[at]?;
        if !self.options.drop_patterns || !TITLES.contains(&self.words.text(word as usize)) {
            return None;
        }
        let of_name = |word: &&Option<u32>| {
            word.is_some_and(|word| !matches!(self.fates[word as usize], Fate::Stop | Fate::Number))
        };
        let words = self.sequence[at + 1..].iter().take(NAME_WORDS).take_while(of_name).count();
        (words > 0).then_some(words + 1)
    }

    /// The term that begins here and takes several words, with how many.
    fn collocation(&mut self, at: usize) -> Option<(u32, usize)> {
        let dictionary = self.options.dictionary.as_ref().filter(|_| self.options.collocations)?;
        let rest = self.sequence[at..].iter().take(COLLOCATION).map_while(|word| *word);
        let rest: Vec<&str> = rest.map(|word| self.words.text(word as usize)).collect();
        let found = (2..=rest.len())
            .rev()
            .find_map(|words| Some((dictionary.term(&rest[..words].join(" "))?, words)));
        found.map(|(term, words)| (self.terms.intern(&term), words))
    }
}

/// Whether somebody could be written to at this address.
fn is_address(chunk: &str) -> bool {
    chunk.split_once('@').is_some_and(|(name, place)| {
        name.chars().any(char::is_alphanumeric) && place.chars().any(char::is_alphanumeric)
    })
}

fn folded(text: &str) -> String {
    let mut folded = String::new();
    fold(text, &mut folded);
    folded
}

/// A text in one spelling: composed, in lower case, with plain apostrophes.
fn fold(text: &str, into: &mut String) {
    into.clear();
    if text.is_ascii() {
        into.push_str(text);
        into.make_ascii_lowercase();
        return;
    }
    let lower = text.nfc().collect::<String>().to_lowercase();
    into.extend(lower.nfc().map(|c| if matches!(c, '\u{2019}' | '\u{02bc}') { '\'' } else { c }));
}
