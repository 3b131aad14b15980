//! What somebody types into a search box: a few words that belong together, and what people put around them.

use super::words::{Topic, Word};
use crate::census::draw::Draw;

/// How often each word of a topic is typed, the commonest first: near Zipf's law.
const RANKS: [u16; 10] = [60, 30, 20, 15, 12, 10, 9, 8, 7, 6];

/// How many words a search begins with: one, two or three.
const LENGTHS: [u16; 3] = [46, 42, 12];

/// What stands before and behind the words, with how often: none of it is in the network.
const FRAMES: [(&str, &str, u16); 23] = [
    ("", "", 520),
    ("cheap ", "", 45),
    ("best ", "", 40),
    ("free ", "", 45),
    ("used ", "", 25),
    ("buy ", "", 22),
    ("", " for sale", 35),
    ("", " pictures", 40),
    ("", " reviews", 28),
    ("", " online", 35),
    ("", " near me", 22),
    ("", " ideas", 20),
    ("how to choose ", "", 18),
    ("how to clean ", "", 10),
    ("how much is the ", "", 10),
    ("what is the best ", "", 16),
    ("where can i find ", "", 14),
    ("what is ", "", 14),
    ("my ", "", 8),
    ("all about the ", "", 8),
    ("", " 2025", 10),
    ("the ", "", 15),
    ("", " & more", 6),
];

/// What stands between two words.
const JOINTS: [&str; 3] = [" ", " and ", " or "];
const JOINT_SHARES: [u16; 3] = [84, 11, 5];

/// How many of a thousand words that have a plural are typed in it; how many of a thousand long ones are misspelt.
const PLURAL: i32 = 180;
const MISSPELT: i32 = 25;

/// The shortest word that is misspelt.
const LONG: usize = 5;

/// A search: its words and, as they were typed, its text.
#[derive(Debug, Clone)]
pub(super) struct Phrase {
    words: Vec<Word>,
    pub text: String,
}

impl Phrase {
    /// The first search of a session: words of one topic, or of the topics near it.
    pub fn begin(draw: &mut Draw, near: &[&Topic]) -> Phrase {
        let length = usize::from(draw.pick(&LENGTHS)) + 1;
        let mut words = Vec::new();
        for _ in 0..length {
            add(&mut words, draw, near);
        }
        Phrase::typed(draw, words)
    }

    /// The next search of a session: most often the same thing in other words.
    pub fn reformulated(&self, draw: &mut Draw, near: &[&Topic]) -> Phrase {
        let mut words = self.words.clone();
        match draw.pick(&[34, 24, 12, 14, 8, 8]) {
            // Another word for the last one.
            0 => {
                words.pop();
                add(&mut words, draw, near);
            }
            // Narrower: one word more.
            1 if words.len() < 4 => add(&mut words, draw, near),
            // Wider: one word less.
            2 if words.len() > 1 => {
                words.remove(0);
            }
            // The same words, with something else around them.
            3 => {}
            // The very same again, as when the page is called up a second time.
            4 => return self.clone(),
            _ => return Phrase::begin(draw, near),
        }
        Phrase::typed(draw, words)
    }

    /// A search for exactly this text.
    pub fn of(text: &str) -> Phrase {
        Phrase { words: Vec::new(), text: text.to_string() }
    }

    fn typed(draw: &mut Draw, words: Vec<Word>) -> Phrase {
        let (before, behind, _) = FRAMES[usize::from(draw.pick(&FRAMES.map(|(_, _, share)| share)))];
        let mut text = String::from(before);
        for (position, word) in words.iter().enumerate() {
            if position > 0 {
                text += JOINTS[usize::from(draw.pick(&JOINT_SHARES))];
            }
            text += &spelt(draw, *word);
        }
        text += behind;
        Phrase { words, text }
    }

    /// How the address of a page about the search begins.
    pub fn page(&self) -> String {
        let name = self.text.strip_prefix("www.").and_then(|address| address.strip_suffix(".example"));
        let word = || self.words.last().map_or("people", |word| word.text);
        format!("http://www.{}", name.unwrap_or_else(word))
    }
}

/// Adds a word that is not there yet, mostly of the first topic.
fn add(words: &mut Vec<Word>, draw: &mut Draw, near: &[&Topic]) {
    let topic = match near {
        [_, others @ ..] if !others.is_empty() && draw.chance(250) => {
            others[draw.below(others.len() as u32) as usize]
        }
        [first, ..] => first,
        [] => return,
    };
    let word = topic.words[usize::from(draw.pick(&RANKS[..topic.words.len().min(RANKS.len())]))];
    if !words.contains(&word) {
        words.push(word);
    }
}

/// The word as somebody types it.
fn spelt(draw: &mut Draw, word: Word) -> String {
    let text = if word.countable && draw.chance(PLURAL) { plural(word.text) } else { word.text.to_string() };
    if text.len() >= LONG && draw.chance(MISSPELT) { misspelt(draw, &text) } else { text }
}

/// The plural by the usual rules.
fn plural(word: &str) -> String {
    let stem = |ending: &str| word.strip_suffix(ending);
    if let Some(stem) = stem("man") {
        return format!("{stem}men");
    }
    if ["s", "x", "z", "ch", "sh"].iter().any(|ending| word.ends_with(ending)) {
        return format!("{word}es");
    }
    match stem("y") {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{word}s"),
    }
}

/// The word with a letter left out, two letters exchanged, or one typed twice; the first letter is always right.
fn misspelt(draw: &mut Draw, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + draw.below(letters.len() as u32 - 2) as usize;
    match draw.below(3) {
        0 => drop(letters.remove(at)),
        1 => letters.swap(at, at + 1),
        _ => letters.insert(at, letters[at]),
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_follow_the_usual_rules() {
        let plurals = ["dog", "box", "church", "berry", "monkey", "policeman", "bus"].map(plural);
        assert_eq!(plurals, ["dogs", "boxes", "churches", "berries", "monkeys", "policemen", "buses"]);
    }

    #[test]
    fn misspelt_words_keep_their_beginning() {
        let mut draw = Draw::new(1);
        for _ in 0..100 {
            let word = misspelt(&mut draw, "kitchen");
            assert!(word.starts_with('k') && (6..=8).contains(&word.len()), "{word}");
        }
    }

    #[test]
    fn what_stands_around_the_words_is_not_in_the_network() {
        let topics = super::super::words::topics();
        for (before, behind, _) in FRAMES {
            let around = [before, behind].join(" ");
            for token in around.split_whitespace().chain(JOINTS.iter().map(|joint| joint.trim())) {
                assert!(
                    !topics.iter().any(|topic| topic.words.iter().any(|word| word.text == token)),
                    "{token}"
                );
            }
        }
    }

    #[test]
    fn reformulations_stay_near_the_topic() {
        let topics = super::super::words::topics();
        let mut draw = Draw::new(2);
        for topic in &topics {
            let near: Vec<&Topic> =
                std::iter::once(topic).chain(topics.iter().filter(|other| other.is_near(topic))).collect();
            let mut phrase = Phrase::begin(&mut draw, &near);
            for _ in 0..20 {
                phrase = phrase.reformulated(&mut draw, &near);
                assert!(!phrase.words.is_empty() && phrase.words.len() <= 4, "{phrase:?}");
                for word in &phrase.words {
                    assert!(near.iter().any(|topic| topic.words.contains(word)), "{phrase:?}");
                }
            }
        }
    }
}
