//! The story of a run, once for all shapes of release: read, decide, write, audit, attack, publish.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::account::identify_program;
use super::again::{self, EarlierPlan};
use super::baselines::baselines;
use super::book::{self, Book, Kept};
use super::caution;
use super::holdout::{self, HeldOut};
use super::manifest::{Claims, Statement};
use super::report::{Edition, ForSteward, Report};
use super::rooms::{Documents, pretty};
use super::run::{Published, RunOptions, changed};
use super::side_by_side::{BeforeAfter, Wanted};
use super::target::{Target, is_release};
use privet_attack as attack;
use privet_attack::{Attacks, Budget, Choice, Scene};
use privet_audit::released::Released;
use privet_audit::{Audit, ReleaseFolder, audit_release};
use privet_core::clock::Clock;
use privet_core::hash::sha256_of;
use privet_core::{Error, Exact, Result, counted};
use privet_data::{Destination, Directory, FileKind, Source, Version};
use privet_ledger::Signatures;
use privet_methods::plan::Plan;
use privet_policy::layout::{CLAIMS, PLAN, POLICY};
use privet_policy::{
    CheckedPolicy, OriginalData, Policy, PolicyRef, Stated, TransactionPolicy, VocabularyPolicy,
};

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

    /// Reads the data and applies an earlier plan to them. A shape whose plans depend on all of the data refuses.
    fn compile(_: Self::Policy, plan: &Plan, _seed: u64, _: &Clock) -> Result<Self> {
        plan.check_reusable().and_then(|()| Err(Error::internal("this plan should apply to other data")))
    }

    /// Suppresses the people of these classes, view by view as [`Shape::signatures`] has them. A shape whose plans suppress
    /// nobody stays as it is.
    fn suppress(self, _classes: &[BTreeSet<u32>], _: &Clock) -> Result<Self> {
        Ok(self)
    }

    /// The policy that the decision was made under.
    fn policy(&self) -> &Self::Policy;

    /// What the user should know before anything is published; `run` are the warnings about the run itself.
    fn warnings(&self, run: Vec<String>) -> Result<Vec<String>>;

    /// The classes that people are in, for the ledger.
    fn signatures(&self, book: &Book, clock: &Clock) -> Result<Signatures>;

    /// Writes the released tables.
    fn write(&self, outlet: &Outlet<'_>, clock: &Clock) -> Result<Written>;

    /// Distinct records before and after.
    fn before_after(&self, wanted: &Wanted<'_>) -> BeforeAfter;

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

/// Where a release is written, and how.
pub(super) struct Outlet<'a> {
    pub to: &'a dyn Destination,
    /// A place for what does not fit in memory. It is made when it is needed.
    pub spill: &'a Path,
    /// The release's format; the data's own when `None`.
    pub format: Option<FileKind>,
}

/// What was written.
pub(super) struct Written {
    /// The names of the released files, the one that names the release first.
    pub names: Vec<String>,
    /// Which record is published as what, with the name of the steward's file for it. It is a secret.
    pub assignment: Option<(&'static str, String)>,
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
pub(super) fn run<S: Shape>(policy: S::Policy, options: &RunOptions, clock: &Clock) -> Result<Published> {
    made::<S>(policy, options, None, clock)
}

/// Makes, audits and publishes a release, by an earlier plan where there is one.
pub(super) fn made<S: Shape>(
    mut policy: S::Policy,
    options: &RunOptions,
    applied: Option<&EarlierPlan>,
    clock: &Clock,
) -> Result<Published> {
    S::refuse(&policy, options)?;
    identify_program();
    let plan = applied.map(|earlier| Path::new(earlier.path()));
    refuse_own_sources(&options.target, policy.any(), plan)?;
    let (target, seed) = begin(&mut policy, options)?;
    let version = policy.any().version();
    let held = policy.hold_out(options.holdout, seed, clock)?;
    let mut shape = match applied {
        Some(earlier) => S::compile(policy, &earlier.plan, seed, clock)?,
        None => S::decide(policy, seed, clock)?,
    };
    clock.check()?;
    let ledger = Book::open(shape.policy().any(), &options.target, clock)?;
    let mut making = Making { held, applied, ..Making::of(target, seed, version, ledger) };
    if applied.is_some() {
        shape = making.suppress_exposing(shape, clock)?;
    }
    publish(&shape, making, options, clock)
}

/// What a run has claimed before it decides.
pub(super) struct Making<'a> {
    pub target: Target,
    pub seed: u64,
    /// The state of the data before they were read.
    pub version: Option<Version>,
    /// Who is kept out of the release.
    pub held: Option<HeldOut>,
    /// The earlier plan that is applied, where nothing is decided anew.
    pub applied: Option<&'a EarlierPlan>,
    /// Where releases are recorded, if the policy says.
    pub ledger: Option<Book>,
    /// What the user should know about the run so far.
    pub remarks: Vec<String>,
}

impl Making<'_> {
    /// A run that keeps nobody out and applies no earlier plan.
    pub fn of(target: Target, seed: u64, version: Option<Version>, ledger: Option<Book>) -> Making<'static> {
        Making { target, seed, version, held: None, applied: None, ledger, remarks: Vec::new() }
    }

    /// Suppresses the classes that would reveal somebody's value together with earlier releases. An earlier plan cannot be
    /// replaced by another one that reveals less, so this is all that can be done.
    fn suppress_exposing<S: Shape>(&mut self, mut shape: S, clock: &Clock) -> Result<S> {
        let Some(book) = &self.ledger else { return Ok(shape) };
        let before = shape.stated()?.released;
        let mut released = before;
        loop {
            let exposing = book.exposing(&shape.signatures(book, clock)?);
            if exposing.iter().all(BTreeSet::is_empty) {
                break;
            }
            shape = shape.suppress(&exposing, clock)?;
            let left = shape.stated()?.released;
            if left == std::mem::replace(&mut released, left) {
                break;
            }
        }
        if released < before {
            let suppressed = before - released;
            self.remarks.push(format!(
                "{} suppressed: together with earlier releases in the ledger, their classes would reveal somebody's sensitive \
                 value",
                counted(suppressed, "record is", "records are")
            ));
        }
        Ok(shape)
    }
}

/// Refuses to replace a release that holds what the run reads: that would be destroyed.
pub(super) fn refuse_own_sources(target: &Path, policy: PolicyRef<'_>, plan: Option<&Path>) -> Result<()> {
    let Ok(target) = target.canonicalize() else { return Ok(()) };
    if !is_release(&target) {
        return Ok(());
    }
    let read = [("data", policy.origin().path()), ("policy", Some(policy.written().path())), ("plan", plan)];
    for (what, path) in read {
        let path = path.and_then(|path| path.canonicalize().ok());
        if path.is_some_and(|path| path.starts_with(&target)) {
            return Err(Error::input(format!("the target holds the {what} that the run reads"))
                .in_file(target)
                .help("choose another target"));
        }
    }
    Ok(())
}

/// Claims the target and fills in what the user says over the policy; returns the seed in use.
fn begin(policy: &mut impl RunPolicy, options: &RunOptions) -> Result<(Target, u64)> {
    let (method, seed) = policy.settings();
    if let (Some(limit), Some(own)) = (options.time_limit, method.time_limit()) {
        *own = Some(limit);
    }
    let target = Target::claim(&options.target, options.force)?;
    Ok((target, chosen(seed, options.seed)?))
}

/// The seed in use: the one that was asked for, or the policy's, or else a new one.
pub(super) fn chosen(own: &mut Option<u64>, asked: Option<u64>) -> Result<u64> {
    let seed = match asked.or(*own) {
        Some(seed) => seed,
        None => draw_seed()?,
    };
    *own = Some(seed);
    Ok(seed)
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
    making: Making<'_>,
    options: &RunOptions,
    clock: &Clock,
) -> Result<Published> {
    staged(shape, making, options, clock)?.publish()
}

/// Writes, audits and attacks what was decided, and its reports. All that is left to do is to move it into its place.
pub(super) fn staged<S: Shape>(
    shape: &S,
    making: Making<'_>,
    options: &RunOptions,
    clock: &Clock,
) -> Result<Staged> {
    let Making { target, seed, version, held, applied, mut ledger, remarks } = making;
    let policy = shape.policy().any();
    let mut cautions: Vec<String> = caution::about_seed(seed, policy).into_iter().chain(remarks).collect();
    cautions.extend(held.as_ref().and_then(HeldOut::caution));
    let mut warnings = shape.warnings(cautions)?;
    book::compose(&mut ledger, &mut warnings, |book| shape.signatures(book, clock))?;
    clock.check()?;

    target.open()?;
    let others = held.as_ref().map(|held| held.write(policy, &target, clock)).transpose()?;
    clock.progress().stage("writing", None);
    let files = written(shape, &target, options.format, clock)?;
    let stated = shape.stated()?;
    let plan = pretty(stated.plan)?;
    let mut claims = Claims::of(policy, seed, stated, &plan, &files, held.as_ref(), applied);
    let original = match &held {
        Some(held) => held.original(),
        None => policy.original(),
    };
    let audit = judge(&target, &claims, original, clock)?;
    approve(&audit, policy, version, applied)?;
    clock.progress().stage("attacking", None);
    let released = ReleaseFolder::open(target.work())?.released(policy)?;
    let by_earlier_plan = applied.is_some();
    let mut attacks = attacked(policy, released, seed, by_earlier_plan, others, &options.attacks, clock)?;
    book::add_findings(ledger.as_ref(), &mut attacks);
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
    };
    let manifest = documents.write(&target, &files, |files| {
        let mut manifest = Claims { files, ..claims.clone() }.steward(&target.steward())?;
        shape.complete(&account, &mut manifest);
        manifest["run"] =
            json!({ "seconds": clock.elapsed().as_secs_f64(), "cpu_seconds": clock.cpu().as_secs_f64() });
        Ok(manifest)
    })?;
    let empty = claims.stated.empty;
    clock.check()?;
    let release = Published {
        path: options.target.clone(),
        manifest,
        audit,
        attacks,
        left_out: shape.left_out(),
        empty,
        warnings,
    };
    let (policy, method) = (policy.written().clone(), policy.method().name());
    Ok(Staged { target, ledger, policy, method, seed, files, report, release })
}

/// A release that is made, audited and attacked. It waits hidden next to its place, and is removed if it is dropped.
///
/// ```
/// use privet::clock::Clock;
/// use privet::example::Example;
/// use privet::policy::Policy;
/// use privet::release::{RunOptions, stage};
/// use privet::report::Edition;
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let folder = folder.path();
/// Example::find("patients")?.write(&folder.join("patients"))?;
/// let policy = Policy::read(&folder.join("patients/policy.toml"))?;
/// let clock = Clock::unlimited();
/// let decision = privet::decide(&policy, None, None, &clock)?;
/// let staged = stage(&decision, &RunOptions::to(folder.join("release")), &clock)?;
/// assert!(staged.release().audit.passed && staged.report(Edition::Public)?.contains("<html"));
/// assert!(!folder.join("release").exists(), "it is not published yet");
/// let published = staged.publish()?;
/// assert!(published.path.join("public/release.csv").is_file());
/// # Ok::<(), privet::Error>(())
/// ```
pub struct Staged {
    target: Target,
    ledger: Option<Book>,
    policy: Policy,
    method: &'static str,
    seed: u64,
    /// The released files, with what they hold.
    files: Vec<(String, String)>,
    report: Report,
    release: Published,
}

impl Staged {
    /// What is about to be published.
    pub fn release(&self) -> &Published {
        &self.release
    }

    /// One of its two reports, as a page.
    pub fn report(&self, edition: Edition) -> Result<String> {
        self.report.render(edition)
    }

    /// Where it waits: a directory with the two rooms of a release.
    pub fn folder(&self) -> &Path {
        self.target.work()
    }

    /// Moves it into its place, in one step, and writes it down where there is a ledger.
    pub fn publish(self) -> Result<Published> {
        let Staged { target, ledger, policy, method, seed, files, release, .. } = self;
        book::publish(ledger, target, &Kept { policy: &policy, method, seed, files: &files })?;
        Ok(release)
    }
}

impl fmt::Debug for Staged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the seed nor the data are for logs.
        write!(f, "Staged({})", self.release.path.display())
    }
}

/// Writes the files of a release; returns their names and SHA-256.
fn written<S: Shape>(
    shape: &S,
    target: &Target,
    format: Option<FileKind>,
    clock: &Clock,
) -> Result<Vec<(String, String)>> {
    let (to, spill) = (Directory(target.public()), target.spill());
    let written = shape.write(&Outlet { to: &to, spill: &spill, format }, clock)?;
    if let Some((name, text)) = written.assignment {
        target.write(&target.steward().join(name), text.as_bytes(), true)?;
    }
    let hash = |name: String| Ok((name.clone(), sha256_of(&target.public().join(&name))?));
    written.names.into_iter().map(hash).collect()
}

/// Audits a release in the making, from disk and by the same call that anybody makes later. What the run states about it is in
/// the steward's `claims.json` by now.
fn judge(target: &Target, claims: &Claims<'_>, original: OriginalData, clock: &Clock) -> Result<Audit> {
    clock.progress().stage("auditing", None);
    let steward = target.steward();
    target.write(&steward.join(POLICY), claims.policy.written().text().as_bytes(), true)?;
    target.write(&steward.join(PLAN), claims.plan.as_bytes(), true)?;
    target.write(&steward.join(CLAIMS), pretty(&claims.steward(&steward)?)?.as_bytes(), true)?;
    let audit = audit_release(target.work(), original, clock)?;
    clock.check()?;
    Ok(audit)
}

/// Refuses to publish a release that did not pass its audit, and one that was made from data that changed on the way.
///
/// The data was read several times by now. A change that no reading noticed, because each record still looked familiar, must
/// neither be published nor look like a defect of ours.
fn approve(
    audit: &Audit,
    policy: PolicyRef<'_>,
    version: Option<Version>,
    applied: Option<&EarlierPlan>,
) -> Result<()> {
    if policy.version() != version {
        return Err(changed(policy.origin()));
    }
    if audit.passed {
        return Ok(());
    }
    if let Some(earlier) = applied {
        return Err(again::not_met(audit, &earlier.plan, policy.origin()));
    }
    Err(Error::internal(format!(
        "the release failed its audit and was not published:\n{}",
        privet_audit::render(audit)
    )))
}

/// Attacks a release, as somebody would who has it.
pub(super) fn attacked(
    policy: PolicyRef<'_>,
    released: Released,
    seed: u64,
    by_earlier_plan: bool,
    holdout: Option<Source>,
    choice: &Choice,
    clock: &Clock,
) -> Result<Attacks> {
    let baselines = baselines(policy, &released, choice, clock)?;
    let budget = (*choice == Choice::Cheap).then(|| Budget::of_run(clock));
    let limited = budget.as_ref().map(|budget| budget.clock(clock));
    let mut scene = Scene::new(policy, released, seed, limited.as_ref().unwrap_or(clock));
    (scene.holdout, scene.baselines, scene.by_earlier_plan) = (holdout, baselines, by_earlier_plan);
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
