//! The example's word network: an outline of everyday words, and the hierarchy file that it stands for.
//!
//! The outline was written for this example; it is not an extract of a dictionary. A line is a node, indented by two blanks per
//! level; behind its colon are words right below it, the commonest first. A tilde marks a word that is not put into the
//! plural by the usual rules.

use std::io::{self, Write};

const OUTLINE: &str = include_str!("words.txt");

/// A family name that the network knows and that nobody comes across by chance, and the node that it hangs on: what a
/// dictionary lets pass although hardly anybody uses it.
pub(super) const RARE_NAME: (&str, &str) = ("quibblethorpe", "family names");

/// What begins a word without a regular plural.
const NO_PLURAL: char = '~';

/// A word of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub text: &'static str,
    /// Whether it has a plural by the usual rules.
    pub countable: bool,
}

/// A node with words right below it: what one session is about.
#[derive(Debug)]
pub(super) struct Topic {
    /// The labels from the root down to the node.
    pub path: Vec<&'static str>,
    /// Its words, the commonest first.
    pub words: Vec<Word>,
}

impl Topic {
    /// The label of the node.
    pub fn name(&self) -> &'static str {
        self.path.last().copied().unwrap_or_default()
    }

    /// Whether this topic lies below the node that the other one hangs on.
    pub fn is_near(&self, other: &Topic) -> bool {
        let (_, above) = other.path.split_last().unwrap_or((&"", &[]));
        self.path.starts_with(above)
    }
}

/// All topics, in the order of the outline.
pub(super) fn topics() -> Vec<Topic> {
    let mut topics = Vec::new();
    let mut path = Vec::new();
    for line in OUTLINE.lines() {
        let node = line.trim_start();
        let (name, words) = node.split_once(": ").unwrap_or((node, ""));
        path.truncate((line.len() - node.len()) / 2);
        path.push(name);
        let words: Vec<Word> = words.split_whitespace().map(word).collect();
        if !words.is_empty() {
            topics.push(Topic { path: path.clone(), words });
        }
    }
    topics
}

fn word(entry: &'static str) -> Word {
    let text = entry.trim_start_matches(NO_PLURAL);
    Word { text, countable: text == entry }
}

/// Writes the network as a hierarchy file: a line for every word, from the word up to the root.
///
/// ```
/// let mut text = Vec::new();
/// privet_examples::queries::write_words(&mut text)?;
/// let text = String::from_utf8(text).unwrap();
/// assert!(text.lines().any(|line| line == "poodle;canine pets;pets;animals;anything"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_words(mut writer: impl Write) -> io::Result<()> {
    for topic in topics() {
        let above: Vec<&str> = topic.path.iter().rev().copied().collect();
        let above = above.join(";");
        let rare = (topic.name() == RARE_NAME.1).then_some(RARE_NAME.0);
        for word in topic.words.iter().map(|word| word.text).chain(rare) {
            writeln!(writer, "{word};{above}")?;
        }
    }
    Ok(())
}
