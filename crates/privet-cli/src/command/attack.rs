//! `privet attack`: runs the known attacks on a release, on the original, or on what another tool made.

use std::path::{Path, PathBuf};

use privet::attack::{Attacks, Choice, Finding, Limits, OtherRelease, Released, Scene, attack};
use privet::audit::released::open_released;
use privet::clock::Clock;
use privet::data::{Header, ReadOptions, Source};
use privet::policy::{AnyPolicy, Policy, Role};
use privet::release::baselines::baselines;
use privet::release::{attack_by_ledger, open_release};
use privet::{Error, Result, counted, visible};
use serde_json::{Value as Json, json};

use crate::arguments::Attack;
use crate::output::Output;

pub fn run(arguments: &Attack, output: &Output, clock: &Clock) -> Result<u8> {
    let Opened { policy, released, files, seed, mut doubts, by_earlier_plan, holdout } =
        opened(arguments, clock)?;
    let choice = match arguments.only.as_slice() {
        [] => Choice::All,
        names => Choice::only(names)?,
    };
    let others = arguments.with.iter().map(|folder| {
        let other = open_release(folder, None, clock)?;
        Ok(OtherRelease {
            name: folder.display().to_string(),
            policy: other.policy,
            released: other.released,
        })
    });
    let mut scene = Scene::new(policy.as_ref(), released, seed, clock);
    scene.files = files.unwrap_or(scene.files);
    scene.by_earlier_plan = by_earlier_plan;
    let people = |path: &PathBuf| other_people(path, &policy);
    scene.population = arguments.population.as_ref().map(people).transpose()?;
    scene.holdout = arguments.holdout.as_ref().map(people).transpose()?.or(holdout);
    scene.others = others.collect::<Result<_>>()?;
    scene.limits = Limits {
        most: arguments.top,
        known: arguments.known,
        confidence: arguments.confidence,
        ..Limits::default()
    };
    scene.baselines = baselines(scene.policy, &scene.released, &choice, clock)?;
    doubts.extend(scene.doubts()?);
    doubts.iter().for_each(|doubt| output.warn(doubt));
    clock.progress().stage("attacking", None);
    let mut attacks = attack(&scene, &choice)?;
    if let Some(folder) = arguments.folder.as_ref().filter(|_| arguments.with.is_empty())
        && let Some(reason) = add_ledger(&mut attacks, folder, policy.written(), &arguments.only)?
    {
        output.warn(&format!("not attacked together with the earlier releases of its ledger: {reason}"));
    }
    // The reasons why attacks were not run matter to a user who named them.
    let reasons = output.is_verbose() || !arguments.only.is_empty();
    output.result(&rendered(&attacks, reasons), || {
        let found: Vec<Json> = attacks.found.iter().map(Finding::to_json).collect();
        json!({ "attacks": found, "not_run": attacks.not_run })
    });
    Ok(0)
}

/// Adds what the release reveals together with others of its ledger, unless the user names the releases to attack it with. Returns why that could not be done.
fn add_ledger(
    attacks: &mut Attacks,
    folder: &Path,
    policy: &Policy,
    only: &[String],
) -> Result<Option<String>> {
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|wanted| wanted == name);
    let both = ["composition", "re-release"];
    match attack_by_ledger(folder, policy)? {
        None => {}
        Some(Ok(found)) => {
            attacks.not_run.retain(|attack| !both.contains(&attack.name.as_str()));
            attacks.found.extend(found.into_iter().filter(|found| is_wanted(&found.name)));
            attacks.order();
        }
        Some(Err(reason)) => {
            let about = attacks.not_run.iter_mut().filter(|attack| both.contains(&attack.name.as_str()));
            about.for_each(|attack| attack.reason.clone_from(&reason));
            return Ok(Some(reason));
        }
    }
    Ok(None)
}

/// A table of other people. Without all quasi-identifiers everybody would look certain, or nobody could be compared.
fn other_people(path: &Path, policy: &AnyPolicy) -> Result<Source> {
    let AnyPolicy::Table(policy) = policy else {
        let kind = policy.kind().name();
        return Err(Error::input(format!("other people have no meaning for kind = \"{kind}\""))
            .in_file(path)
            .help("leave out --population and --holdout: they are for tables"));
    };
    let options = ReadOptions { header: Header::First, ..ReadOptions::default() };
    let source = Source::open(path, &options)?;
    let quasi = policy.columns.iter().filter(|column| column.role == Some(Role::QuasiIdentifier));
    quasi.map(|column| source.position(&column.name)).collect::<Result<Vec<usize>>>()?;
    let columns = policy.columns.iter();
    let readings = columns.filter_map(|column| Some((source.find(&column.name)?, column.reading.clone()?)));
    let readings = readings.collect();
    Ok(source.read_as(readings, &policy.missing))
}

/// What is attacked.
struct Opened {
    policy: AnyPolicy,
    released: Released,
    /// All files that are published, where there are more than those with the data.
    files: Option<Vec<PathBuf>>,
    seed: u64,
    /// Doubts to report before anything is compared.
    doubts: Vec<String>,
    /// Whether the plan of an earlier release was applied.
    by_earlier_plan: bool,
    /// The people who were held out of the release when it was made.
    holdout: Option<Source>,
}

/// Seeds attacks on files that were not made here: what they find is printed, never published.
const SEED: u64 = 1;

fn opened(arguments: &Attack, clock: &Clock) -> Result<Opened> {
    let original = arguments.original.as_deref();
    if let Some(folder) = &arguments.folder {
        let release = open_release(folder, original, clock)?;
        return Ok(Opened {
            policy: release.policy,
            released: release.released,
            files: Some(release.files),
            seed: release.seed,
            doubts: release.doubts,
            by_earlier_plan: release.by_earlier_plan,
            holdout: release.holdout,
        });
    }
    let path = arguments.policy.as_ref().ok_or_else(|| {
        Error::input("name what to attack").help(
            "a release that Privet made: privet attack DIR; what another tool made: privet attack --policy FILE --original \
             FILE --release FILE; the data as it is: privet attack --policy FILE",
        )
    })?;
    let mut policy = Policy::read(path)?.check_any(original)?;
    if let (AnyPolicy::Table(policy), Some(_)) = (&mut policy, &arguments.release) {
        *policy = privet::audit::as_published(policy, &mut || clock.check())?;
    }
    let released = match (&arguments.release, &policy) {
        (Some(release), _) => open_released(policy.as_ref(), release)?,
        // The original, as if it were published as it is.
        (None, AnyPolicy::Table(policy)) => Released::Table(policy.source.clone()),
        (None, AnyPolicy::Transactions(policy)) => Released::Transactions(policy.source.clone()),
        (None, AnyPolicy::Vocabularies(_)) => {
            return Err(Error::input("name the released vocabularies to attack").help("add --release FILE"));
        }
    };
    let (files, doubts, holdout) = (None, Vec::new(), None);
    Ok(Opened { policy, released, files, seed: SEED, doubts, by_earlier_plan: false, holdout })
}

fn rendered(attacks: &Attacks, reasons: bool) -> String {
    let mut text = String::new();
    for found in &attacks.found {
        text += &format!("{}\n", visible::line(&found.in_a_line()));
        for line in &found.lines {
            text += &format!("  {}\n", visible::line(line));
        }
        if found.succeeds() {
            text += &format!("  warning: {}\n", visible::line(&found.warning));
        }
    }
    if attacks.found.is_empty() {
        text += "no attack could be run\n";
    }
    let others = counted(attacks.not_run.len() as u64, "attack", "attacks");
    match attacks.not_run.as_slice() {
        [] => {}
        _ if !reasons => text += &format!("{others} not run; --verbose says why\n"),
        not_run => {
            text += "not run:\n";
            for other in not_run {
                text += &format!("  {}: {}\n", other.name, visible::line(&other.reason));
            }
        }
    }
    text
}
