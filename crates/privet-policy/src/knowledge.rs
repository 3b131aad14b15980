//! `[knowledge]`: what the adversary is assumed to know in addition to the release.

use std::path::PathBuf;

use super::check::{PolicyColumn, Role};
use super::file::{Entry, Policy, Section};
use super::rules::{MutedText, RulesText};
use privet_core::{Error, Exact, Result};

/// What the adversary is taken to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnowledgePolicy {
    /// When mined rules count; `None` where none are mined.
    pub mined: Option<MiningPolicy>,
    /// Rules that are stated, and mined ones that are struck out.
    pub rules: RulesText,
    /// The rules file, if there is one.
    pub path: Option<PathBuf>,
}

/// When a mined rule counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MiningPolicy {
    /// How likely the value must have been to occur, were it not excluded.
    pub min_expectation: Exact,
    /// The least share of the records satisfying a rule that do not have its value; 1 allows no exception.
    pub min_confidence: Exact,
    /// The most columns that a rule speaks about.
    pub max_length: usize,
    /// The chance that one mined rule or more is an accident, if the expectation is to be raised until it is that small.
    pub significance: Option<Exact>,
}

/// A tenth in a hundred: nine in ten values that are missing would not have been missing by accident.
const MIN_EXPECTATION: (u64, u64) = (9, 10);

/// The keys of `[knowledge]`; those about mining first.
pub(super) const KEYS: [&str; 7] =
    ["min_expectation", "min_confidence", "max_length", "significance", "mine", "rules", "mute"];
const MINING: usize = 4;

impl Policy {
    /// Reads the section, or what holds without one.
    pub(super) fn knowledge(&self, root: &Section<'_>, columns: &[PolicyColumn]) -> Result<KnowledgePolicy> {
        let section = root.entry("knowledge").map(|entry| entry.section()).transpose()?;
        let entry = |key: &str| section.as_ref().and_then(|section| section.entry(key));
        if let Some(section) = &section {
            section.only(&KEYS)?;
            if entry("mine").map(|entry| entry.flag()).transpose()? == Some(false)
                && let Some(idle) = KEYS[..MINING].iter().find_map(|key| entry(key))
            {
                return Err(idle
                    .error(format!("'{}' has no meaning with mine = false", idle.name()))
                    .help("remove it, or set mine = true"));
            }
        }
        let share = |key: &str, positive: bool| -> Result<Option<Exact>> {
            entry(key).map(|entry| share_of(&entry, positive)).transpose()
        };
        let mine = entry("mine").map_or(Ok(true), |entry| entry.flag())?;
        let default = Exact::new(MIN_EXPECTATION.0, MIN_EXPECTATION.1).unwrap_or(Exact::ONE);
        let length = entry("max_length").map_or(Ok(1), |entry| entry.count(1))?;
        let mined = MiningPolicy {
            min_expectation: share("min_expectation", false)?.unwrap_or(default),
            min_confidence: share("min_confidence", true)?.unwrap_or(Exact::ONE),
            max_length: usize::try_from(length).unwrap_or(usize::MAX),
            significance: share("significance", true)?,
        };
        let quasi: Vec<&str> = (columns.iter())
            .filter(|column| column.role == Some(Role::QuasiIdentifier))
            .map(|column| column.name.as_str())
            .collect();
        let path = entry("rules").map(|entry| entry.text().map(|path| self.resolve(path))).transpose()?;
        let mut rules = match &path {
            Some(path) => RulesText::read(path, &quasi)?,
            None => RulesText::default(),
        };
        if let Some(entry) = entry("mute") {
            for text in entry.texts()? {
                let muted = MutedText::parse(&text, &quasi).map_err(|error| {
                    let wrong =
                        entry.error(format!("'knowledge.mute' lists \"{text}\": {}", error.message()));
                    wrong.help("list rules as `privet mine` prints them, or their names, as in \"r1f20ab34\"")
                })?;
                rules.muted.push(muted);
            }
        }
        Ok(KnowledgePolicy { mined: mine.then_some(mined), rules, path })
    }
}

/// A share from 0, or above it, to 1.
fn share_of(entry: &Entry<'_>, positive: bool) -> Result<Exact> {
    let text = entry.scalar()?;
    let wrong = || -> Error {
        let from = if positive { "above 0" } else { "from 0" };
        entry
            .error(format!("'{}' is '{text}'; it must be a number {from} to 1", entry.name()))
            .help("write it as 0.9, \"9/10\" or \"90%\"")
    };
    Exact::parse(text)
        .filter(|share| *share <= Exact::ONE && (!positive || *share > Exact::ZERO))
        .ok_or_else(wrong)
}
