//! All attacks, and how they are run: the same way on a release in the making, on one that was published, and on a file
//! that another tool made.
//!
//! To add one, write a file with its [`Attack`] and list that in [`ATTACKS`].

use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Finding, Scene};
use crate::error::suggestion;
use crate::{Error, ErrorKind, Result};

/// An attack.
#[derive(Debug, Clone, Copy)]
pub struct Attack {
    /// Its name.
    pub name: &'static str,
    /// The row of the table of attacks that it is, as the book numbers them.
    pub row: u8,
    /// Whether it takes so long that `privet anonymize` leaves it out unless it is told otherwise.
    pub dear: bool,
    /// Whether there is enough at hand to run it; else why it cannot be run, as a clause: "the release has no …".
    pub concerns: fn(&Scene<'_>) -> std::result::Result<(), String>,
    /// Runs it.
    pub run: fn(&Scene<'_>) -> Result<Finding>,
}

/// All attacks, in the order of their rows.
pub static ATTACKS: &[Attack] = &[
    super::linking::ATTACK,
    super::label_linking::ATTACK,
    super::undeclared::ATTACK,
    super::homogeneity::ATTACK,
    super::skewness::ATTACK,
    super::similarity::ATTACK,
    super::negative_rules::ATTACK,
    super::background_join::ATTACK,
    super::xy_linkability::ATTACK,
    super::freeform::ATTACK,
    super::horizon::HORIZON,
    super::horizon::RANDOM,
    super::minimality::ATTACK,
    super::suppression::ATTACK,
    super::downcoding::ATTACK,
    super::definetti::GROUPS,
    super::definetti::CLASSES,
    super::composition::COMPOSITION,
    super::composition::RE_RELEASE,
    super::row_order::ATTACK,
    super::container::ATTACK,
    super::fingerprint::ATTACK,
    super::query_terms::ATTACK,
    super::wp29::singling_out::ATTACK,
    super::wp29::linkability::ATTACK,
    super::wp29::inference::ATTACK,
    super::predicate::ATTACK,
    super::membership::ATTACK,
];

/// The row of the attacks that need people who were left out. Who holds people out wants these, though they take longer.
const CONTROLLED: u8 = 19;

/// Which attacks to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Choice {
    /// All of them.
    All,
    /// Those that take little time.
    #[default]
    Cheap,
    /// None.
    None,
    /// Those with these names.
    Only(Vec<String>),
}

impl Choice {
    /// The attacks with these names; an error where there is no such attack.
    pub fn only(names: &[String]) -> Result<Choice> {
        let known: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
        for name in names {
            if !known.contains(&name.as_str()) {
                return Err(Error::input(format!("there is no attack '{name}'")).help(suggestion(
                    name,
                    &known,
                    "the attacks",
                )));
            }
        }
        Ok(Choice::Only(names.to_vec()))
    }

    /// Why an attack is left out; `None` where it is chosen.
    fn leaves_out(&self, attack: &Attack, scene: &Scene<'_>) -> Option<&'static str> {
        let wanted = scene.holdout.is_some() && attack.row == CONTROLLED;
        match self {
            Choice::Cheap if attack.dear && !wanted => {
                Some("it takes long; `--attacks all` runs it, and `privet attack`")
            }
            _ => None,
        }
    }

    fn mentions(&self, attack: &Attack) -> bool {
        match self {
            Choice::Only(names) => names.iter().any(|name| name == attack.name),
            Choice::None => false,
            Choice::All | Choice::Cheap => true,
        }
    }
}

/// An attack that was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRun {
    /// Its name.
    pub name: String,
    /// Why not.
    pub reason: String,
}

/// What came of all attacks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Attacks {
    /// What those found that were run.
    pub found: Vec<Finding>,
    /// Those that were not, with the reason.
    pub not_run: Vec<NotRun>,
}

impl Attacks {
    /// Puts both lists into the order of [`ATTACKS`], whatever was added to them.
    pub fn order(&mut self) {
        let place = |name: &str| ATTACKS.iter().position(|attack| attack.name == name);
        self.found.sort_by_key(|found| place(&found.name));
        self.not_run.sort_by_key(|other| place(&other.name));
    }

    /// The sentences that somebody about to publish should read.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.found.iter().filter(|found| found.succeeds()).map(|found| found.warning.clone())
    }
}

/// Runs the chosen attacks. What they find does not depend on the number of threads, and both lists are in the order of
/// [`ATTACKS`].
///
/// A release that cannot be read, or other people who cannot be held against it, are an error, whatever is chosen.
pub fn attack(scene: &Scene<'_>, choice: &Choice) -> Result<Attacks> {
    if *choice == Choice::None {
        return Ok(Attacks::default());
    }
    scene.read()?;
    let mut not_run = Vec::new();
    let mut chosen = Vec::new();
    for attack in ATTACKS.iter().filter(|attack| choice.mentions(attack)) {
        // What is at hand is looked at first: who hears that an attack takes long should be able to run it.
        let reason = (attack.concerns)(scene).err();
        match reason.or_else(|| choice.leaves_out(attack, scene).map(str::to_string)) {
            Some(reason) => not_run.push(NotRun { name: attack.name.to_string(), reason }),
            None => chosen.push(attack),
        }
        scene.clock.check()?;
    }
    let timed = |attack: &&Attack| {
        scene.clock.check()?;
        let start = Instant::now();
        let mut found = (attack.run)(scene)?;
        found.seconds = start.elapsed().as_secs_f64();
        Ok(found)
    };
    let tried: Vec<Result<Finding>> = match chosen.as_slice() {
        // One alone has nothing to be run beside, and finds memory that this thread has used before.
        [one] => vec![timed(one)],
        several => several.par_iter().map(timed).collect(),
    };
    scene.clock.check()?;
    let mut found = Vec::with_capacity(tried.len());
    for (attack, tried) in chosen.iter().zip(tried) {
        match tried {
            // None of none reads like a release that withstood.
            Ok(finding) if finding.is_void() => {
                let reason = "there is nobody and nothing in this release to try it on".to_string();
                not_run.push(NotRun { name: attack.name.to_string(), reason });
            }
            Ok(finding) => found.push(finding),
            // Odd data that one attack cannot read is no reason to keep quiet about the others.
            Err(error) if error.kind() == ErrorKind::Input => {
                let reason = format!("it could not be tried: {}", error.message());
                not_run.push(NotRun { name: attack.name.to_string(), reason });
            }
            Err(error) => return Err(error),
        }
    }
    let mut attacks = Attacks { found, not_run };
    attacks.order();
    Ok(attacks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_the_order_of_their_rows() {
        let mut names: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
        assert!(ATTACKS.is_sorted_by_key(|attack| attack.row));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ATTACKS.len());
        assert!(Choice::only(&["linking".into()]).is_ok());
        let error = Choice::only(&["linkin".into()]).expect_err("no such attack");
        assert!(error.to_string().contains("linking"), "{error}");
    }
}
