//! All attacks, and how they are run: in the same way on a release that is being made, on a published one, and on a
//! file that another tool made.
//!
//! To add one, write a file with its [`Attack`] and list it in [`ATTACKS`].

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::budget::{ALL, TimeShares, is_too_costly, too_costly};
use super::{Finding, Scene};
use privet_core::cpu::cpu_time;
use privet_core::suggestion;
use privet_core::{Error, ErrorKind, Result};

/// An attack.
#[derive(Debug, Clone, Copy)]
pub struct Attack {
    /// Its name.
    pub name: &'static str,
    /// The threat that it tries.
    pub threat: Threat,
    /// Whether it takes so long that `privet anonymize` runs it only on request.
    pub costly: bool,
    /// Whether there is enough at hand to run it; else why it cannot be run, as a clause: "the release has no …".
    pub concerns: fn(&Scene<'_>) -> std::result::Result<(), String>,
    /// Runs it.
    pub run: fn(&Scene<'_>) -> Result<Finding>,
}

/// What an attacker may try, in the order of the book's table of attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Threat {
    /// To find a person's record.
    Linking,
    /// To use columns that the policy does not call quasi-identifiers.
    UndeclaredQuasiIdentifiers,
    /// To read a value that a whole class shares.
    Homogeneity,
    /// To read what is likely: skewed frequencies, or values that mean much the same.
    SimilarOrSkewedValues,
    /// To exclude values that are impossible for a person.
    NegativeRules,
    /// To use one sensitive column against another.
    SeveralSensitiveColumns,
    /// To infer guarded values from any that can be observed.
    Freeform,
    /// To know more items than a requirement assumes.
    BeyondTheHorizon,
    /// To use the reasons why a method did not publish more.
    Minimality,
    /// To conclude what was suppressed from the rule that suppressed it.
    SuppressionInference,
    /// To refine generalised values.
    Downcoding,
    /// To learn from the release how values depend on quasi-identifiers.
    DeFinetti,
    /// To join several releases about the same people.
    Composition,
    /// To compare a release with an earlier one.
    ReRelease,
    /// To use the order of the rows.
    RowOrder,
    /// To read what files contain besides their cells.
    Container,
    /// To recognise a person's set by a few items.
    Fingerprints,
    /// To read terms that only a few people typed.
    QueryTerms,
    /// What European regulators name: singling out, linkability and inference.
    RegulatorsRisks,
    /// To describe exactly one person.
    PredicateSinglingOut,
    /// To find out who is in the data.
    Membership,
}

/// All attacks, in the order of their threats.
pub static ATTACKS: &[Attack] = &[
    super::linking::ATTACK,
    super::label_linking::ATTACK,
    super::set_linking::ATTACK,
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
    /// The attacks with these names; an error if one does not exist.
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
        // With a hold-out, run these even if they take long: their figures need people who were left out.
        let wanted = scene.holdout.is_some() && attack.threat == Threat::RegulatorsRisks;
        match self {
            Choice::Cheap if attack.costly && !wanted => {
                Some("takes long; `--attacks all` runs it, and `privet attack`")
            }
            _ => None,
        }
    }

    /// Whether it speaks of the attack with this name, which may still be left out for what it costs.
    pub fn mentions(&self, name: &str) -> bool {
        match self {
            Choice::Only(names) => names.iter().any(|chosen| chosen == name),
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
    /// Whether `--attacks all` would run it: it was left out, or stopped, for what it costs.
    #[serde(default)]
    pub for_cost: bool,
}

impl NotRun {
    fn new(attack: &Attack, reason: impl Into<String>) -> NotRun {
        NotRun { name: attack.name.to_string(), reason: reason.into(), for_cost: false }
    }

    fn for_cost(attack: &Attack, reason: impl Into<String>) -> NotRun {
        NotRun { for_cost: true, ..NotRun::new(attack, reason) }
    }
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
        self.found.iter().filter(|found| found.succeeds()).map(Finding::warned)
    }

    /// How many attacks were not run and why, in a line; `None` where all were.
    pub fn left_out(&self) -> Option<String> {
        let (costly, others): (Vec<&NotRun>, Vec<&NotRun>) =
            self.not_run.iter().partition(|other| other.for_cost);
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for other in &costly {
            let reason = other.reason.split(';').next().unwrap_or(&other.reason);
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) => names.push(&other.name),
                None => reasons.push((reason, vec![&other.name])),
            }
        }
        let reasons = reasons.iter().map(|(reason, names)| format!("{}: {reason}", names.join(", ")));
        let reasons = reasons.collect::<Vec<_>>().join("; ");
        let all = self.found.len() + self.not_run.len();
        match (costly.len(), others.len()) {
            (0, 0) => None,
            (0, others) => Some(format!("{others} of {all} attacks not run: nothing to try them on")),
            (costly, 0) => Some(format!(
                "{costly} of {all} attacks not run by default ({reasons}); --attacks all runs them"
            )),
            (costly, others) => Some(format!(
                "{costly} of {all} attacks not run by default ({reasons}); --attacks all runs them; {others} more \
                 have nothing to try them on"
            )),
        }
    }
}

/// Runs the chosen attacks. Both lists are in the order of [`ATTACKS`], and what is found does not depend on the number of threads.
/// Where the clock has a share of processor time, attacks run one after the other, each within its part of it; how many people are
/// attacked follows from the sizes of the tables, and the clock is the last stop.
///
/// A release that cannot be read, or other people who cannot be held against it, are an error, whatever is chosen.
pub fn attack(scene: &Scene<'_>, choice: &Choice) -> Result<Attacks> {
    if *choice == Choice::None {
        return Ok(Attacks::default());
    }
    let mentioned = || ATTACKS.iter().filter(|attack| choice.mentions(attack.name));
    let shares = TimeShares::of(scene);
    let start = cpu_time();
    shares.read();
    if let Err(error) = scene.read() {
        if !is_stop(&error, scene) {
            return Err(error);
        }
        let reason =
            format!("stopped after {}, before the tables were read; {ALL}", seconds(cpu_time() - start));
        let not_run = mentioned().map(|attack| NotRun::for_cost(attack, reason.clone())).collect();
        return Ok(Attacks { found: Vec::new(), not_run });
    }
    let mut not_run = Vec::new();
    let mut chosen = Vec::new();
    for attack in mentioned() {
        // What is at hand is looked at first: who hears that an attack takes long should be able to run it.
        match ((attack.concerns)(scene), choice.leaves_out(attack, scene)) {
            (Err(reason), _) => {
                let for_cost = reason.ends_with(ALL);
                not_run.push(NotRun { for_cost, ..NotRun::new(attack, reason) });
            }
            (Ok(()), Some(reason)) => not_run.push(NotRun::for_cost(attack, reason)),
            (Ok(()), None) => chosen.push(attack),
        }
        if scene.clock.is_interrupted() {
            scene.clock.check()?;
        }
    }
    let progress = scene.clock.progress();
    progress.stage("attacking", Some(chosen.len() as u64));
    let done = AtomicU64::new(0);
    let timed = |attack: &Attack, run: &dyn Fn() -> Result<Finding>| {
        progress.note(attack.name);
        let start = Instant::now();
        let mut found = run()?;
        found.seconds = start.elapsed().as_secs_f64();
        progress.at(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(found)
    };
    let free = |attack: &&Attack| {
        scene.clock.check()?;
        timed(attack, &|| (attack.run)(scene))
    };
    let tried: Vec<Result<Finding>> = match chosen.as_slice() {
        several if scene.clock.stop().is_some() => (several.iter().enumerate())
            .map(|(at, attack)| timed(attack, &|| within(scene, attack, &shares, several.len() - at)))
            .collect(),
        // One alone has nothing to run next to, and finds memory that this thread has used before.
        [one] => vec![free(one)],
        several => several.par_iter().map(free).collect(),
    };
    if scene.clock.is_interrupted() {
        scene.clock.check()?;
    }
    let mut found = Vec::with_capacity(tried.len());
    for (attack, tried) in chosen.iter().zip(tried) {
        match tried {
            // 0 of 0 would look like an attack that failed.
            Ok(finding) if finding.is_void() => {
                not_run.push(NotRun::new(attack, "there is nothing in this release to try it on"));
            }
            Ok(finding) => found.push(finding),
            Err(error) if is_too_costly(&error) => not_run.push(NotRun::for_cost(attack, error.message())),
            // Data that one attack cannot read must not hide the results of the others.
            Err(error) if error.kind().is_input() => {
                not_run.push(NotRun::new(attack, format!("it could not be run: {}", error.message())));
            }
            Err(error) => return Err(error),
        }
    }
    let mut attacks = Attacks { found, not_run };
    attacks.order();
    Ok(attacks)
}

/// Whether an error means that the share of processor time is used up, and not that the user interrupted the run.
fn is_stop(error: &Error, scene: &Scene<'_>) -> bool {
    error.kind() == ErrorKind::Interrupted && scene.clock.stop().is_some() && !scene.clock.is_interrupted()
}

/// With less time than this nothing is begun.
const SHORTEST: Duration = Duration::from_millis(4);

fn seconds(time: Duration) -> String {
    format!("{:.2} s of processor time", time.as_secs_f64())
}

/// Runs an attack within its share of the time; if that is too short for everybody planned, on far fewer people.
fn within(scene: &Scene<'_>, attack: &Attack, shares: &TimeShares<'_>, left: usize) -> Result<Finding> {
    let start = cpu_time();
    let share = shares.next(left);
    if share < SHORTEST {
        return Err(too_costly(format!("not run because the time for attacks was used up; {ALL}")));
    }
    let stopped = match (attack.run)(scene) {
        Err(error) if is_stop(&error, scene) => cpu_time() - start,
        tried => return tried,
    };
    shares.again(share);
    let again = match scene.with_fewer_people() {
        Ok(Some(fewer)) => (attack.run)(&fewer),
        Ok(None) => Err(Error::interrupted()),
        Err(error) => Err(error),
    };
    match again {
        Ok(mut finding) => {
            finding.stopped = format!("stopped after {}, and run on fewer people instead", seconds(stopped));
            Ok(finding)
        }
        Err(error) if is_stop(&error, scene) || is_too_costly(&error) => {
            let reason =
                format!("stopped after {}, its share of the run; {ALL}", seconds(cpu_time() - start));
            Err(too_costly(reason))
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::testing::Stage;
    use privet_core::clock::{Clock, Progress};

    type Stages = Vec<(String, Option<u64>)>;

    /// Writes down what is said.
    #[derive(Default)]
    struct Scribe(Mutex<(Stages, Vec<String>, u64)>);

    impl Progress for Scribe {
        fn stage(&self, name: &str, total: Option<u64>) {
            self.0.lock().expect("a scribe").0.push((name.to_string(), total));
        }

        fn at(&self, done: u64) {
            let most = &mut self.0.lock().expect("a scribe").2;
            *most = done.max(*most);
        }

        fn note(&self, note: &str) {
            self.0.lock().expect("a scribe").1.push(note.to_string());
        }
    }

    #[test]
    fn hard_use_2_2_progress_names_attacks_with_a_share() {
        let stage = Stage::new("age,city,ill\n20,Oslo,flu\n21,Oslo,flu\n30,Rome,flu\n31,Rome,ulcer\n");
        stage.write(
            "release.csv",
            "age,city,ill\n20-29,Norway,flu\n20-29,Norway,flu\n30-39,Italy,flu\n30-39,Italy,ulcer\n",
        );
        let scribe = Arc::new(Scribe::default());
        let chosen = ["linking", "homogeneity", "skewness"];
        let progress: Arc<dyn Progress> = scribe.clone();
        let clock = Clock::new(Arc::new(AtomicBool::new(false)), progress);
        stage.under(&clock, "release.csv", |scene| {
            let choice = Choice::only(&chosen.map(String::from)).expect("attacks");
            assert_eq!(attack(&scene, &choice).expect("run").found.len(), 3);
        });
        let (stages, mut notes, most) = scribe.0.lock().expect("a scribe").clone();
        assert!(stages.contains(&("attacking".to_string(), Some(3))), "{stages:?}");
        notes.sort_unstable();
        assert_eq!(notes, ["homogeneity", "linking", "skewness"]);
        assert_eq!(most, 3);
    }

    #[test]
    fn names_are_unique_and_in_the_order_of_their_threats() {
        let mut names: Vec<&str> = ATTACKS.iter().map(|attack| attack.name).collect();
        assert!(ATTACKS.is_sorted_by_key(|attack| attack.threat));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ATTACKS.len());
        assert!(Choice::only(&["linking".into()]).is_ok());
        let error = Choice::only(&["linkin".into()]).expect_err("no such attack");
        assert!(error.to_string().contains("linking"), "{error}");
    }
}
