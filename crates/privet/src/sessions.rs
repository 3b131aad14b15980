//! What the sessions of a query log look like over the pause that ends them, for `privet init`.

use std::path::Path;
use std::sync::Arc;

use privet_core::clock::Clock;
use privet_core::{ErrorKind, Result};
use privet_data::{Lexicon, LogOptions, QueryLog, WordOptions};
use privet_drafts::SessionFigures;
use privet_engine::privacy::vocabulary::VocabularyAnonymity;
use privet_methods::vocabulary::{self, BagTask, generalisation_height};
use privet_policy::VocabularyMethod;
use privet_taxonomy::words::{Attach, Dictionary, Semantics, WordNet};

/// The pauses that are tried.
const GAPS: [(&str, u64); 5] = [("5m", 300), ("30m", 1800), ("1h", 3600), ("8h", 28_800), ("24h", 86_400)];

/// The k under which words are generalised, the thesis' default.
const K: u32 = 5;

/// The figures of a log with WordNet's words, one for each pause, in their order (Liu 2010, figure 5.7).
pub fn session_figures(path: &Path, wordnet: &Arc<WordNet>, clock: &Clock) -> Result<Vec<SessionFigures>> {
    let of_gap = |(gap, seconds): (&'static str, u64)| {
        clock.progress().stage(&format!("sessions, {gap}"), None);
        let dictionary: Arc<dyn Lexicon> = Arc::new(Dictionary::WordNet(wordnet.clone()));
        let words = WordOptions { dictionary: Some(dictionary), ..WordOptions::default() };
        let options = LogOptions { session_gap: Some(seconds), words, ..LogOptions::default() };
        let (bags, _) = QueryLog::open(path, options)?.read(&mut |_| clock.check())?;
        let distances = Semantics::WordNetTree(wordnet.clone(), Attach::default()).between(bags.terms());
        let demand = VocabularyAnonymity { k: K, distinct_users: false, min_term_users: 1 };
        let method = VocabularyMethod::LgBag(Default::default());
        let task =
            BagTask { bags: &bags, distances: &distances, epsilon: 0, omega: None, demand, method: &method };
        let height = match vocabulary::run(&task, clock) {
            Ok(solution) => generalisation_height(&bags, &distances, &solution),
            // Too few vocabularies to generalise.
            Err(error) if matches!(error.kind(), ErrorKind::Input | ErrorKind::Infeasible) => None,
            Err(error) => return Err(error),
        };
        let mean_size = bags.occurrences() as f64 / (bags.len() as f64).max(1.0);
        Ok(SessionFigures { gap, vocabularies: bags.len() as u64, mean_size, height })
    };
    GAPS.into_iter().map(of_gap).collect()
}
