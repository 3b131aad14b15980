//! The story of a run, once for all shapes of release: read, decide, write, audit, attack, publish.

use std::path::Path;
use std::time::SystemTime;

use serde_json::Value as Json;

use super::baselines::baselines;
use super::book::{self, Book, Kept};
use super::caution;
use super::holdout::{self, HeldOut};
use super::manifest::{Claims, Statement};
use super::report::{Edition, ForSteward, Report};
use super::rooms::{Documents, pretty};
use super::run::{Published, RunOptions, changed, state_of};
use super::target::Target;
use privet_attack as attack;
use privet_attack::{Attacks, Budget, Choice, Scene};
use privet_audit::{Audit, ReleaseFolder, audit_release};
use privet_core::clock::Clock;
use privet_core::hash::sha256_of;
use privet_core::{Error, Exact, Result};
use privet_data::Source;
use privet_ledger::Signatures;
use privet_policy::layout::{CLAIMS, POLICY};
use privet_policy::{CheckedPolicy, PolicyRef, Stated, TransactionPolicy, VocabularyPolicy};

/// One shape of release, with the data that it is made of and what a method decided about them.
///
/// An implementor promises: `decide` forgets the order of the rows; `write` publishes exactly what was decided, in an order that
/// follows from the key and from what is published.
pub(super) trait Shape: Sized {
    /// The checked policy.
    type Policy: RunPolicy;
    /// The figures of both reports.
    type Report: Clone + Into<Report>;

    /// Refuses options that have no meaning for this shape.
    fn refuse(policy: &Self::Policy, options: &RunOptions) -> Result<()>;

    /// Reads the data and decides what becomes of them.
    fn decide(policy: Self::Policy, seed: u64, clock: &Clock) -> Result<Self>;

    /// The policy that the decision was made under.
    fn policy(&self) -> &Self::Policy;

    /// What the user should know before anything is published; `run` are the warnings about the run itself.
    fn warnings(&self, run: Vec<String>) -> Result<Vec<String>>;

    /// The classes that people are in, for the ledger.
    fn signatures(&self, book: &Book, clock: &Clock) -> Result<Signatures>;

    /// Writes the released files and returns their names, the one that names the release first.
    fn write(&self, target: &Target, options: &RunOptions, clock: &Clock) -> Result<Vec<String>>;

    /// What the run states about the release.
    fn stated(&self) -> Result<Statement<'_>>;

    /// Gathers the figures of the reports.
    fn account(&self, claims: &Claims<'_>, public: &Path, clock: &Clock) -> Result<Self::Report>;

    /// The public manifest.
    fn public_manifest(&self, claims: &Claims<'_>) -> Json;

    /// Adds to the steward's manifest what only this shape has.
    fn complete(&self, _report: &Self::Report, _manifest: &mut Json) {}

    /// Columns that the policy does not mention and that are therefore not published.
    fn left_out(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A checked policy as a run needs it, whatever kind of data it is about.
pub(super) trait RunPolicy {
    /// The policy, whatever its kind.
    fn any(&self) -> PolicyRef<'_>;

    /// What the user's options stand in for: the method's settings and the seed.
    fn settings(&mut self) -> (&mut dyn Stated, &mut Option<u64>);

    /// Keeps a share of people out of the data, where one is asked for.
    fn hold_out(&mut self, share: Option<Exact>, _seed: u64, _clock: &Clock) -> Result<Option<HeldOut>> {
        holdout::refuse(share, self.any().kind()).map(|()| None)
    }
}

impl RunPolicy for CheckedPolicy {
    fn any(&self) -> PolicyRef<'_> {
        PolicyRef::Table(self)
    }

    fn settings(&mut self) -> (&mut dyn Stated, &mut Option<u64>) {
        (&mut self.method, &mut self.seed)
    }

    fn hold_out(&mut self, share: Option<Exact>, seed: u64, clock: &Clock) -> Result<Option<HeldOut>> {
        holdout::hold_out(self, share, seed, clock)
    }
}

impl RunPolicy for TransactionPolicy {
    fn any(&self) -> PolicyRef<'_> {
        PolicyRef::Transactions(self)
    }

    fn settings(&mut self) -> (&mut dyn Stated, &mut Option<u64>) {
        (&mut self.method, &mut self.seed)
    }
}

impl RunPolicy for VocabularyPolicy {
    fn any(&self) -> PolicyRef<'_> {
        PolicyRef::Vocabularies(self)
    }

    fn settings(&mut self) -> (&mut dyn Stated, &mut Option<u64>) {
        (&mut self.method, &mut self.seed)
    }
}

/// Makes, audits and publishes a release.
pub(super) fn run<S: Shape>(mut policy: S::Policy, options: &RunOptions, clock: &Clock) -> Result<Published> {
    S::refuse(&policy, options)?;
    let (target, seed) = begin(&mut policy, options)?;
    let state = state_of(policy.any().data());
    let held = policy.hold_out(options.holdout, seed, clock)?;
    let shape = S::decide(policy, seed, clock)?;
    clock.check()?;
    publish(&shape, Making { target, seed, state, held }, options, clock)
}

/// What a run has claimed before it decides.
pub(super) struct Making {
    pub target: Target,
    pub seed: u64,
    /// The data's state before it was read.
    pub state: Option<(u64, SystemTime)>,
    /// Who is kept out of the release.
    pub held: Option<HeldOut>,
}

/// Claims the target and fills in what the user says over the policy; returns the seed in use.
fn begin(policy: &mut impl RunPolicy, options: &RunOptions) -> Result<(Target, u64)> {
    let (method, seed) = policy.settings();
    if let (Some(limit), Some(own)) = (options.time_limit, method.time_limit()) {
        *own = Some(limit);
    }
    let target = Target::claim(&options.target, options.force)?;
    let chosen = match options.seed.or(*seed) {
        Some(seed) => seed,
        None => draw_seed()?,
    };
    *seed = Some(chosen);
    Ok((target, chosen))
}

fn draw_seed() -> Result<u64> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::internal(format!("the system gives no random numbers: {error}")))?;
    // TOML's whole numbers are signed: a seed that is copied into a policy has to fit.
    Ok(u64::from_le_bytes(bytes) >> 1)
}

/// Writes, audits, attacks and publishes what was decided.
pub(super) fn publish<S: Shape>(
    shape: &S,
    making: Making,
    options: &RunOptions,
    clock: &Clock,
) -> Result<Published> {
    let Making { target, seed, state, held } = making;
    let policy = shape.policy().any();
    let mut cautions: Vec<String> = caution::about_seed(seed, policy.data()).into_iter().collect();
    cautions.extend(held.as_ref().and_then(HeldOut::caution));
    let mut warnings = shape.warnings(cautions)?;
    let mut ledger = Book::open(policy.written(), (policy.data(), policy.kind()), &options.target, clock)?;
    book::compose(&mut ledger, &mut warnings, |book| shape.signatures(book, clock))?;
    clock.check()?;

    target.open()?;
    let others = held.as_ref().map(|held| held.write(policy, &target, clock)).transpose()?;
    clock.progress().stage("writing", None);
    let names = shape.write(&target, options, clock)?;
    let hash = |name: String| Ok((name.clone(), sha256_of(&target.public().join(&name))?));
    let files: Vec<(String, String)> = names.into_iter().map(hash).collect::<Result<_>>()?;
    let mut claims = Claims::of(policy, seed, shape.stated()?, &files, held.as_ref());
    let audit = judge(&target, &claims, clock)?;
    approve(&audit, policy.data(), state)?;
    let mut attacks = attacked(&target, policy, seed, others, &options.attacks, clock)?;
    book::tell(ledger.as_ref(), &mut attacks);
    clock.progress().stage("writing reports", None);
    warnings.extend(attacks.warnings());

    claims.audit = Some(&audit);
    claims.attacks = Some(&attacks);
    claims.warnings = &warnings;
    claims.ledger = ledger.as_ref().map(Book::account);
    let account = shape.account(&claims, &target.public(), clock)?;
    let report: Report = account.clone().into();
    let documents = Documents {
        public_report: report.render(Edition::Public)?,
        public_manifest: shape.public_manifest(&claims),
        steward_report: report.render(Edition::Steward)?,
        figures: pretty(&ForSteward(&report))?,
        plan: claims.stated.plan,
    };
    let manifest = documents.write(&target, &files, |files| {
        let mut manifest = Claims { files, ..claims.clone() }.steward(&target.steward())?;
        shape.complete(&account, &mut manifest);
        Ok(manifest)
    })?;
    let empty = claims.stated.empty;
    clock.check()?;
    book::publish(ledger, target, &Kept::of(policy.written(), policy.method(), seed, &files))?;
    Ok(Published {
        path: options.target.clone(),
        manifest,
        audit,
        attacks,
        left_out: shape.left_out(),
        empty,
        warnings,
    })
}

/// Audits a release in the making, from disk and by the same call that anybody makes later. What the run states about it is in
/// the steward's `claims.json` by now.
fn judge(target: &Target, claims: &Claims<'_>, clock: &Clock) -> Result<Audit> {
    clock.progress().stage("auditing", None);
    let steward = target.steward();
    target.write(&steward.join(POLICY), claims.policy.written().text().as_bytes(), true)?;
    target.write(&steward.join(CLAIMS), pretty(&claims.steward(&steward)?)?.as_bytes(), true)?;
    let audit = audit_release(target.work(), None, clock)?;
    clock.check()?;
    Ok(audit)
}

/// Refuses to publish a release that did not pass its audit, and one that was made from data that changed on the way.
///
/// The data was read several times by now. A change that no reading noticed, because each record still looked familiar, must
/// neither be published nor look like a defect of ours.
fn approve(audit: &Audit, data: &Path, state: Option<(u64, SystemTime)>) -> Result<()> {
    if state_of(data) != state {
        return Err(changed(data));
    }
    if audit.passed {
        return Ok(());
    }
    Err(Error::internal(format!(
        "the release failed its audit and was not published:\n{}",
        privet_audit::render(audit)
    )))
}

/// Attacks a release that waits to be published, as somebody would who has its files.
fn attacked(
    target: &Target,
    policy: PolicyRef<'_>,
    seed: u64,
    holdout: Option<Source>,
    choice: &Choice,
    clock: &Clock,
) -> Result<Attacks> {
    clock.progress().stage("attacking", None);
    let released = ReleaseFolder::open(target.work())?.released(policy)?;
    let baselines = baselines(policy, &released, choice, clock)?;
    let budget = (*choice == Choice::Cheap).then(|| Budget::of_run(clock));
    let limited = budget.as_ref().map(|budget| budget.clock(clock));
    let mut scene = Scene::new(policy, released, seed, limited.as_ref().unwrap_or(clock));
    (scene.holdout, scene.baselines) = (holdout, baselines);
    if let Some(budget) = &budget {
        scene.limits = budget.limits();
    }
    attack::attack(&scene, choice)
}

/// Refuses `--format` where the released files have one form only.
pub(super) fn refuse_format(options: &RunOptions, about: &str, always: &str) -> Result<()> {
    match options.format {
        None => Ok(()),
        Some(_) => {
            Err(Error::input(format!("--format has no meaning for {about}: {always}"))
                .help("leave out --format"))
        }
    }
}
