//! Made-up vocabularies of any number: no person is behind them. Words are nouns of WordNet, the more usual the more often.
//!
//! The log that the thesis works with must not be used, so two kinds stand in for it, which bracket what real logs are
//! like: independent words have next to nothing in common, and phrases that many people use, at times in other words, have
//! a lot.

use std::fs;
use std::sync::Arc;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::Rng;

use privet::data::{Bags, BagsBuilder, Term};
use privet::random::{below, keyed};
use privet::taxonomy::words::{Attach, Neighbours, Semantics, WordNet};
use privet::{Error, Result};

/// How many words the thesis' tree has.
pub const WORDS: usize = 19_029;

/// Words in the order of how usual they are.
#[derive(Debug)]
pub struct Stock {
    words: Vec<String>,
    /// Sums of how often each of them is used.
    usage: Sums,
    /// Words of the same kind.
    siblings: Neighbours,
}

/// Running sums of weights that fall with the rank: Zipf's law, flattened at the top where asked.
#[derive(Debug)]
struct Sums(Vec<f64>);

impl Sums {
    fn falling(count: usize, flat: f64, power: f64) -> Sums {
        let mut sum = 0.0;
        let next = |rank: usize| {
            sum += (rank as f64 + flat).powf(-power);
            sum
        };
        Sums((0..count).map(next).collect())
    }

    fn draw(&self, random: &mut ChaCha20Rng) -> usize {
        let at = share(random) * self.0.last().copied().unwrap_or(0.0);
        self.0.partition_point(|sum| *sum <= at).min(self.0.len().saturating_sub(1))
    }
}

/// A number from 0 up to but not including 1.
fn share(random: &mut ChaCha20Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// One or more, each further one with this chance.
fn one_or_more(random: &mut ChaCha20Rng, chance: f64, most: usize) -> usize {
    let mut count = 1;
    while count < most && share(random) < chance {
        count += 1;
    }
    count
}

impl Stock {
    /// The most usual single words of WordNet by the counts that come with it.
    pub fn of(net: &Arc<WordNet>, count: usize) -> Result<Stock> {
        let path = net.folder().join("cntlist.rev");
        let text = fs::read(&path).map_err(|error| Error::io("read the counts of words", &path, &error))?;
        let text = String::from_utf8_lossy(&text);
        let mut counts: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
        for line in text.lines() {
            let mut cells = line.split(' ');
            // As in `wine%1:13:00:: 1 7`: the number before the first colon is 1 for nouns.
            let (Some((lemma, rest)), Some(tags)) =
                (cells.next().and_then(|key| key.split_once('%')), cells.nth(1))
            else {
                continue;
            };
            if rest.starts_with('1') {
                *counts.entry(lemma).or_default() += tags.parse::<u64>().unwrap_or(0);
            }
        }
        let mut words: Vec<&str> =
            net.words().filter(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic())).collect();
        words.sort_by_key(|word| (std::cmp::Reverse(counts.get(word).copied().unwrap_or(0)), *word));
        words.truncate(count);
        if words.is_empty() {
            return Err(Error::input("WordNet has no single words").in_file(net.folder()));
        }
        let words: Vec<String> = words.into_iter().map(String::from).collect();
        let siblings =
            Semantics::WordNetTree(net.clone(), Attach::default()).between(&words).neighbours(2)?;
        let usage = Sums::falling(words.len(), 1.0, 1.0);
        Ok(Stock { words, usage, siblings })
    }

    /// Vocabularies whose words have nothing to do with each other, 3.3 on average.
    pub fn independent(&self, bags: usize, seed: u64) -> Result<Bags> {
        let mut random = keyed(seed, "independent vocabularies");
        self.collect(bags, &mut random, |random, bag| {
            for _ in 0..one_or_more(random, 0.7, 40) {
                bag.push(self.usage.draw(random) as Term);
            }
        })
    }

    /// Vocabularies of phrases that many people use, 3.3 words on average. Most hold one phrase, some two; now and then a
    /// word is another of the same kind, or one is added.
    pub fn phrases(&self, bags: usize, seed: u64) -> Result<Bags> {
        let mut random = keyed(seed, "phrases");
        let phrases: Vec<Vec<Term>> = (0..(bags / 4).max(1))
            .map(|_| {
                let length = one_or_more(&mut random, 0.55, 6);
                (0..length).map(|_| self.usage.draw(&mut random) as Term).collect()
            })
            .collect();
        let popularity = Sums::falling(phrases.len(), 10.0, 0.8);
        self.collect(bags, &mut random, |random, bag| {
            for _ in 0..one_or_more(random, 0.2, 8) {
                let phrase = &phrases[popularity.draw(random)];
                bag.extend_from_slice(phrase);
                // The same again in other words, of which only the new ones are counted here.
                if share(random) < 0.3 {
                    bag.push(self.sibling(phrase[below(random, phrase.len() as u64) as usize], random));
                }
                if share(random) < 0.2 {
                    bag.push(self.usage.draw(random) as Term);
                }
            }
        })
    }

    /// A word of the same kind, or the same one.
    fn sibling(&self, word: Term, random: &mut ChaCha20Rng) -> Term {
        let near = self.siblings.near(word).0;
        near[below(random, near.len() as u64) as usize]
    }

    fn collect(
        &self,
        bags: usize,
        random: &mut ChaCha20Rng,
        mut fill: impl FnMut(&mut ChaCha20Rng, &mut Vec<Term>),
    ) -> Result<Bags> {
        // As in a log of some months, a few people are behind many of the sessions.
        let users = (bags / 6).max(1) as f64;
        let mut builder = BagsBuilder::default();
        let mut bag = Vec::new();
        for _ in 0..bags {
            bag.clear();
            fill(random, &mut bag);
            let user = (users * share(random).powf(1.8)) as u64;
            builder.begin(Some(&user.to_string()));
            for word in &bag {
                builder.push(&self.words[*word as usize], 1)?;
            }
            builder.end()?;
        }
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::installed;

    #[test]
    fn vocabularies_are_the_same_every_time() {
        let Some(net) = installed() else { return };
        let stock = Stock::of(&Arc::new(net), 2_000).expect("words");
        for make in [Stock::independent, Stock::phrases] {
            let (one, other) = (make(&stock, 3_000, 7).expect("bags"), make(&stock, 3_000, 7).expect("bags"));
            assert!(one.iter().eq(other.iter()) && one.terms() == other.terms());
            let mean = one.occurrences() as f64 / one.len() as f64;
            assert!((3.0..3.7).contains(&mean), "{mean}");
        }
    }
}
