//! The log and its vocabularies.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Bench, GAP, Gap};
use crate::Setting;
use privet::clock::Clock;
use privet::data::{Bags, Clicks, Lexicon, LogOptions, QueryLog, WordOptions};
use privet::taxonomy::words::{Attach, Dictionary, Distances, Semantics, WordNet};
use privet::thousands;
use privet::{Error, Result};

/// The made-up log, below the folder of data.
const LOG: &str = "synthetic/querylog_20k_sessions.tsv.zst";

/// A query log over WordNet's nouns.
pub(super) struct Log {
    path: PathBuf,
    wordnet: Arc<WordNet>,
    /// Whether the user named it.
    named: bool,
}

/// Vocabularies with the distances between their terms.
pub(super) struct Ground {
    pub bags: Bags,
    pub distances: Distances,
}

impl Ground {
    pub fn of(bags: Bags, semantics: &Semantics) -> Ground {
        let distances = semantics.between(bags.terms());
        Ground { bags, distances }
    }
}

impl Log {
    /// The log that the user named, or the made-up one.
    pub fn open(setting: &Setting) -> Result<Log> {
        let (path, named) = match &setting.log {
            Some(path) => (path.clone(), true),
            None => (setting.data.join(LOG), false),
        };
        if !path.is_file() {
            return Err(Error::input("the query log is not there")
                .in_file(&path)
                .help("name a log with --log, or the folder with the data by PRIVET_DATA"));
        }
        let folder = std::env::var_os("PRIVET_WORDNET").map(PathBuf::from);
        let wordnet = WordNet::open(folder.as_deref().unwrap_or(Path::new(WordNet::FOLDER)))?;
        Ok(Log { path, wordnet: Arc::new(wordnet), named })
    }

    pub fn wordnet(&self) -> &Arc<WordNet> {
        &self.wordnet
    }

    /// Distances as in the thesis: one tree of first senses.
    pub fn semantics(&self) -> Semantics {
        Semantics::WordNetTree(self.wordnet.clone(), Attach::default())
    }

    /// The vocabularies of sessions that this gap ends; queries without a click are left out, as in the thesis.
    pub fn ground(&self, gap: Gap, clock: &Clock) -> Result<Ground> {
        let dictionary: Arc<dyn Lexicon> = Arc::new(Dictionary::WordNet(self.wordnet.clone()));
        let options = LogOptions {
            session_gap: gap.seconds,
            clicks: Clicks::DropAfter,
            words: WordOptions { dictionary: Some(dictionary), ..WordOptions::default() },
            ..LogOptions::default()
        };
        let (bags, _) = QueryLog::open(&self.path, options)?.read(&mut |_| clock.check())?;
        Ok(Ground::of(bags, &self.semantics()))
    }

    /// What the figures are about, in a sentence.
    pub fn outline(&self, bench: &Bench) -> Result<String> {
        let ground = bench.ground(GAP)?;
        let bags = &ground.bags;
        let what = if self.named { "The log that was named" } else { "A made-up log" };
        Ok(format!(
            "{what}: {} users; with a session gap of {} {} vocabularies of {:.2} terms on average, {} distinct terms. The \
             thesis had 383,000 vocabularies of 3.36 terms out of 19,029.",
            thousands(bags.users().unwrap_or(0).into()),
            GAP.name,
            thousands(bags.len() as u64),
            bags.occurrences() as f64 / (bags.len() as f64).max(1.0),
            thousands(bags.terms().len() as u64),
        ))
    }
}
