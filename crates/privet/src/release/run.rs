//! The story of a run: read, decide, write, audit, publish.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value as Json;

use super::apply::{self, Destination};
use super::book::{self, Book, Kept};
use super::holdout::{self, HeldOut};
use super::links_and_pipes::{is_unreadable, oddity, published};
use super::manifest::{Facts, repeated, sha256_of, sha256_of_text};
use super::report::{self, Edition, Filed};
use super::rooms::{Documents, pretty};
use super::target::Target;
use super::veil::Veil;
use super::{
    account, buckets, caution, crowd, lettering, links, people, projections, transactions, vocabularies,
};
use privet_attack as attack;
use privet_attack::label_linking;
use privet_attack::label_linking::Linkage;
use privet_attack::{Attacks, Budget, Choice, Inside, PolicyRef, Released, Scene};
use privet_audit as audit;
use privet_audit::{Audit, AuditOptions, AuditRecords, Check, ExpectedCounts, StatedCost};
use privet_core::clock::Clock;
use privet_core::{Error, ErrorKind, Exact, Result};
use privet_data::{Bags, FileKind, Format, ReadOptions, Source};
use privet_engine::microdata::Microdata;
use privet_engine::privacy;
use privet_methods as method;
use privet_methods::Solution;
use privet_policy::{AnyPolicy, CheckedPolicy, Policy, Role, Stated, Subject};

/// What the user says about a run beside the policy.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The folder to make.
    pub target: PathBuf,
    /// Whether an older release there may be replaced.
    pub force: bool,
    /// The release's format; the data's own when `None`.
    pub format: Option<FileKind>,
    /// Stands in for the policy's seed.
    pub seed: Option<u64>,
    /// Stands in for the method's time limit.
    pub time_limit: Option<Duration>,
    /// Which attacks are tried on the release before it is published.
    pub attacks: Choice,
    /// The share of people who are kept out of the release, for attacks to be tried on as well.
    pub holdout: Option<Exact>,
}

impl RunOptions {
    /// A run with nothing said beside where its release goes.
    pub fn to(target: impl Into<PathBuf>) -> RunOptions {
        let attacks = Choice::default();
        RunOptions {
            target: target.into(),
            force: false,
            format: None,
            seed: None,
            time_limit: None,
            attacks,
            holdout: None,
        }
    }
}

/// A release that is in its place.
#[derive(Debug, Clone)]
pub struct Published {
    /// Its folder.
    pub path: PathBuf,
    /// The steward's manifest.
    pub manifest: Json,
    /// What the audit found.
    pub audit: Audit,
    /// What attacks on it found.
    pub attacks: Attacks,
    /// Columns that the policy does not mention and that are therefore not published.
    pub left_out: Vec<String>,
    /// Whether no record is released; the first warning says why.
    pub empty: bool,
    /// What the user should know before the release leaves the house.
    pub warnings: Vec<String>,
}

impl Published {
    /// What was published of a table, with its manifest and its audit.
    pub(super) fn of_table(
        options: &RunOptions,
        policy: &CheckedPolicy,
        (manifest, audit, attacks): (Json, Audit, Attacks),
        released: u64,
        warnings: Vec<String>,
    ) -> Published {
        let left_out = policy.columns.iter().filter(|column| column.role.is_none());
        Published {
            path: options.target.clone(),
            manifest,
            audit,
            attacks,
            left_out: left_out.map(|column| column.name.clone()).collect(),
            empty: released == 0,
            warnings,
        }
    }
}

/// Makes, audits and publishes a release.
pub fn anonymize(mut policy: CheckedPolicy, options: &RunOptions, clock: &Clock) -> Result<Published> {
    if policy.subject() == Subject::Groups {
        return buckets::anonymize(policy, options, clock);
    }
    if policy.subject() == Subject::Projections {
        return projections::anonymize(policy, options, clock);
    }
    let (target, seed) = begin(options, &mut policy.method, &mut policy.seed)?;
    let state = state_of(policy.source.path());
    let held = holdout::hold_out(&mut policy, options.holdout, seed, clock)?;
    clock.progress().stage("reading", Some(policy.source.bytes()));
    let microdata = Microdata::read(&policy, &mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })?;
    crowd::refuse_alike(&policy, &microdata)?;
    clock.progress().stage("searching", None);
    let solution = method::run(&policy, &microdata, clock)?;
    clock.check()?;
    publish(Decided { policy, seed, state, held, microdata, solution }, target, options, clock)
}

/// Makes, audits and publishes a release of whatever the policy is about.
pub fn anonymize_any(policy: AnyPolicy, options: &RunOptions, clock: &Clock) -> Result<Published> {
    match policy {
        AnyPolicy::Table(policy) => anonymize(policy, options, clock),
        AnyPolicy::Transactions(policy) => super::anonymize_transactions(policy, options, clock),
        AnyPolicy::Vocabularies(policy) => super::anonymize_vocabularies(policy, options, clock),
    }
}

/// Claims the target and fills in what the user says over the policy; returns the seed in use.
pub(super) fn begin(
    options: &RunOptions,
    method: &mut dyn Stated,
    seed: &mut Option<u64>,
) -> Result<(Target, u64)> {
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

/// Refuses to publish what did not pass its audit, and what was made from data that changed on the way.
///
/// The data was read several times by now. A change that no reading noticed, because each record still looked familiar, must
/// neither be published nor look like a defect of ours.
pub(super) fn approve(audit: &Audit, data: &Path, state: Option<(u64, SystemTime)>) -> Result<()> {
    if state_of(data) != state {
        return Err(changed(data));
    }
    if audit.passed {
        return Ok(());
    }
    Err(Error::internal(format!(
        "the release failed its audit and was not published:\n{}",
        audit::render(audit)
    )))
}

/// The error for data that is no longer what it was when it was read first.
pub(super) fn changed(data: &Path) -> Error {
    Error::input("the data changed while it was being read")
        .in_file(data)
        .help("run again when nobody writes to the file")
}

/// A decision with all that it was made from.
pub(super) struct Decided {
    pub policy: CheckedPolicy,
    pub seed: u64,
    /// The data's state before it was read.
    pub state: Option<(u64, SystemTime)>,
    /// Who is kept out of the release.
    pub held: Option<HeldOut>,
    pub microdata: Microdata,
    pub solution: Solution,
}

/// Writes, audits and publishes what was decided.
pub(super) fn publish(
    decided: Decided,
    target: Target,
    options: &RunOptions,
    clock: &Clock,
) -> Result<Published> {
    let Decided { policy, seed, state, held, microdata, mut solution } = decided;
    let key = microdata.key(seed);
    solution.recoding.draw(key);
    let classes = solution.recoding.count(&microdata);
    crowd::refuse_shared(&policy, &classes)?;
    let cost = match solution.cost.take() {
        Some(cost) => cost,
        None => {
            let name = policy.method.cost().name();
            let measure = solution.recoding.measure(name, &microdata);
            let measure = measure.map_err(|error| policy.at_method("cost", error))?;
            method::show(&measure, solution.recoding.cost(&measure, &classes))
        }
    };
    let costs = solution.recoding.costs(&microdata, &classes);
    let released = microdata.summary.total() - classes.suppressed;
    let mut warnings = privacy::warnings(&policy, &microdata.table)?;
    warnings.append(&mut solution.warnings);
    warnings.extend(caution::about_seed(seed, policy.source.path()));
    warnings.extend(held.as_ref().and_then(HeldOut::caution));
    warnings.extend(caution::about_cells(&microdata, &solution.recoding, &classes));
    warnings.extend(lettering::of_table(&microdata));
    warnings.extend(crowd::cautions(&policy, &microdata));
    warnings.extend(caution::about_freeform(&policy, &classes));
    if released == 0 {
        warnings.insert(0, caution::emptiness(&policy, &microdata));
    }
    let mut ledger =
        Book::open(&policy.written, (policy.source.path(), policy.kind), &options.target, clock)?;
    book::compose(&mut ledger, &mut warnings, |book| {
        people::of_recoding(book, &policy, &microdata, &solution.recoding, key, clock)
    })?;
    clock.check()?;

    target.open()?;
    let others = held.as_ref().map(|held| held.write(&policy, &target, clock)).transpose()?;
    let kind = options.format.unwrap_or(policy.source.kind());
    let name = format!("release.{}", kind.extension());
    let path = target.public().join(&name);
    let destination = Destination { path: &path, kind, spill: &target.spill(), key };
    apply::apply(&policy, &microdata, &solution.recoding, solution.sets.as_ref(), &destination, clock)?;

    let linkages = linkages(&policy, &path, clock)?;
    clock.progress().stage("auditing", None);
    let expected =
        ExpectedCounts { released, suppressed: classes.suppressed, dropped: microdata.summary.dropped };
    let audit = audit_file(&policy, &path, expected, &mut || clock.check())?;
    clock.check()?;
    approve(&audit, policy.source.path(), state)?;
    let table = Released::Table(open_written(&policy, &path)?);
    let trial = Trial { holdout: others, ..Trial::new(seed, &options.attacks) };
    let mut attacks = attacked(PolicyRef::Table(&policy), table, trial, clock)?;
    book::tell(ledger.as_ref(), &mut attacks);
    clock.progress().stage("writing reports", None);
    warnings.extend(attacks.warnings());

    let files = vec![(name, sha256_of(&path)?)];
    let veil = Veil::of_table(&policy.requirements, &microdata, &classes);
    let facts = Facts {
        policy: &policy,
        seed,
        read: microdata.summary.read,
        dropped: microdata.summary.dropped,
        suppressed: classes.suppressed,
        released,
        whose: crowd::whose(&microdata, Some(&classes)),
        starred: classes.starred,
        exactly: solution.recoding.exactly(&microdata, &classes),
        cost: &cost,
        costs: &costs,
        search: &solution.search,
        plan: &solution.plan,
        veil: &veil,
        sets: solution.sets.as_ref(),
        warnings: &warnings,
        attacks: &attacks,
        ledger: ledger.as_ref().map(Book::account),
        audit: &audit,
        files: &files,
        held: held.as_ref(),
    };
    let mut model = account::model(&facts, &microdata, &solution.recoding, &classes, &mut || clock.check())?;
    if let Some((before, after)) = &linkages {
        model.links = Some(links::account(&policy, before, after).into());
        model.common.tightness.extend(links::tightness(&policy, after));
    }
    let documents = Documents {
        public_report: report::render(&model, Edition::Public)?,
        public_manifest: facts.public(),
        steward_report: report::render(&model, Edition::Steward)?,
        figures: pretty(&model)?,
        plan: &solution.plan,
        policy: &policy.written,
    };
    let told = held.as_ref().map(|held| held.told(&target.steward())).transpose()?;
    let manifest = documents.write(&target, &files, |files| {
        let mut manifest = Facts { files, ..facts }.steward();
        holdout::state(&mut manifest, told);
        manifest
    })?;
    clock.check()?;
    book::publish(ledger, target, &Kept::of(&policy.written, &policy.method, seed, &files))?;
    Ok(Published::of_table(options, &policy, (manifest, audit, attacks), released, warnings))
}

/// How a release that waits to be published is attacked.
pub(super) struct Trial<'a, 'c> {
    pub seed: u64,
    pub choice: &'c Choice,
    /// What the run decided.
    pub inside: Option<Inside<'a>>,
    /// The people who were kept out.
    pub holdout: Option<Source>,
    /// The original vocabularies.
    pub original: Option<&'a Bags>,
}

impl<'c> Trial<'_, 'c> {
    /// With nothing but the files.
    pub fn new(seed: u64, choice: &'c Choice) -> Self {
        Trial { seed, choice, inside: None, holdout: None, original: None }
    }
}

/// Attacks a release that waits to be published, as somebody would who has its files.
pub(super) fn attacked<'a>(
    policy: PolicyRef<'a>,
    released: Released,
    trial: Trial<'a, '_>,
    clock: &'a Clock,
) -> Result<Attacks> {
    clock.progress().stage("attacking", None);
    let Trial { seed, choice, inside, holdout, original } = trial;
    let budget = (*choice == Choice::Cheap).then(|| Budget::of_run(clock));
    let limited = budget.as_ref().map(|budget| budget.clock(clock));
    let mut scene = Scene::new(policy, released, seed, limited.as_ref().unwrap_or(clock));
    scene.inside = inside;
    scene.original = original;
    scene.holdout = holdout;
    if let Some(budget) = &budget {
        scene.limits = budget.limits();
    }
    attack::attack(&scene, choice)
}

/// What tells one state of a file from the next.
pub(super) fn state_of(path: &Path) -> Option<(u64, SystemTime)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn draw_seed() -> Result<u64> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::internal(format!("the system gives no random numbers: {error}")))?;
    // TOML's whole numbers are signed: a seed that is copied into a policy has to fit.
    Ok(u64::from_le_bytes(bytes) >> 1)
}

/// What public knowledge tells about the original and about the release, where a column is quasi-sensitive.
fn linkages(policy: &CheckedPolicy, release: &Path, clock: &Clock) -> Result<Option<(Linkage, Linkage)>> {
    if policy.with_role(Role::QuasiSensitive).next().is_none() {
        return Ok(None);
    }
    clock.progress().stage("linking", None);
    let before = label_linking::link(policy, &policy.source, &mut || clock.check())?;
    let after = label_linking::link(policy, &open_written(policy, release)?, &mut || clock.check())?;
    Ok(before.zip(after))
}

/// Opens a table that was just written. Only CSV leaves it open how cells are separated; what was written is known and
/// must not be guessed.
pub(super) fn open_written(policy: &CheckedPolicy, release: &Path) -> Result<Source> {
    let is_csv = FileKind::of_path(release)?.format == Format::Csv;
    let delimiter = is_csv.then(|| apply::csv_delimiter(&policy.source));
    Source::open(release, &ReadOptions::with_names(delimiter))
}

fn audit_file(
    policy: &CheckedPolicy,
    release: &Path,
    expected: ExpectedCounts,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Audit> {
    let source = open_written(policy, release)?;
    let options = AuditOptions { expected: Some(expected), ..AuditOptions::default() };
    audit::audit_table_watched(policy, &source, &options, tick)
}

/// Audits a published release again, from the original, the files on disk and the policy kept with them.
///
/// `original` stands in for the data's place when the release was made.
pub fn audit_release(folder: &Path, original: Option<&Path>, clock: &Clock) -> Result<Audit> {
    let manifest = read_manifest(folder)?;
    let mut policy = kept_policy(folder, &manifest)?.check_any(original)?;
    if let AnyPolicy::Table(policy) = &mut policy {
        let seed = manifest["seed"].as_u64().ok_or_else(|| broken(folder))?;
        holdout::again(policy, (folder, &manifest), seed, clock)?;
    }
    let files = check_files(folder, &manifest)?;
    if is_unreadable(folder, &manifest) {
        // There is nothing to read, so there is nothing else to judge.
        let records = AuditRecords { original: 0, dropped: 0, released: 0, suppressed: 0 };
        return Ok(Audit { passed: false, kind: policy.kind(), records, classes: 0, checks: vec![files] });
    }
    let count = |key: &str| manifest["records"][key].as_u64().ok_or_else(|| broken(folder));
    let expected = ExpectedCounts {
        released: count("released")?,
        suppressed: count("suppressed")?,
        dropped: count("dropped")?,
    };
    let name = manifest["files"][0]["path"].as_str().ok_or_else(|| broken(folder))?;
    let path = folder.join("public").join(name);
    let mut audit = match &policy {
        AnyPolicy::Table(policy) if policy.subject() == Subject::Groups => {
            buckets::audit_folder(policy, folder, expected, clock)?
        }
        AnyPolicy::Table(policy) if policy.subject() == Subject::Projections => {
            projections::audit_folder(policy, folder, &manifest, expected, clock)?
                .ok_or_else(|| broken(folder))?
        }
        AnyPolicy::Table(policy) => audit_file(policy, &path, expected, &mut || clock.check())?,
        AnyPolicy::Transactions(policy) => {
            let text = |key: &str| manifest["cost"][key].as_str().ok_or_else(|| broken(folder));
            let cost = StatedCost::parse(text("metric")?, text("exact")?).ok_or_else(|| broken(folder))?;
            transactions::audit_file(policy, &path, expected, Some(cost), &mut || clock.check())?
        }
        AnyPolicy::Vocabularies(policy) => {
            let claimed = vocabularies::Claimed::of(&manifest, expected).ok_or_else(|| broken(folder))?;
            vocabularies::audit_folder(policy, folder, claimed, clock)?
        }
    };
    audit.passed &= files.holds;
    audit.checks.insert(0, files);
    let published = published(&manifest).map(|name| folder.join("public").join(name));
    let published = published.filter(|path| path.is_file());
    audit.with_containers(published.collect::<Vec<_>>().iter().map(PathBuf::as_path))
}

/// Whether the public room holds just the files that were published, and the policy is the one they were made under.
pub(super) fn check_files(folder: &Path, manifest: &Json) -> Result<Check> {
    let mut faults = Vec::new();
    let public = folder.join("public");
    if fs::symlink_metadata(&public).is_ok_and(|metadata| metadata.file_type().is_symlink()) {
        faults.push("public/ is a symbolic link, not a folder".to_string());
    }
    let mut published = Vec::new();
    for file in manifest["files"].as_array().into_iter().flatten() {
        let (Some(name), Some(sha256)) = (file["path"].as_str(), file["sha256"].as_str()) else {
            return Err(broken(folder));
        };
        published.push(name);
        if let Some(fault) = oddity(folder, name) {
            faults.push(format!("{name} {fault}"));
        } else if sha256_of(&public.join(name))? != sha256 {
            faults.push(format!("{name} is not as published, its SHA-256 differs"));
        }
    }
    let entries = fs::read_dir(&public).map_err(|error| Error::io("read the folder", &public, &error))?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    let mut strangers: Vec<String> = names.filter(|name| !published.contains(&name.as_str())).collect();
    strangers.sort();
    faults.extend(strangers.iter().map(|name| format!("public/ holds {name}, which was not published")));
    if manifest["origin"]["policy_sha256"].as_str()
        != Some(&sha256_of(&folder.join("steward").join("policy.toml"))?)
    {
        faults.push("steward/policy.toml is not the policy that the release was made under".to_string());
    }
    // Numbers read from a text may differ in the last digit from those that were written.
    let kept = repeated(&kept_policy(folder, manifest)?).to_string();
    if serde_json::from_str::<Json>(&kept).is_ok_and(|kept| kept != manifest["policy"]) {
        faults.push("the manifest repeats another policy than steward/policy.toml has".to_string());
    }
    for input in manifest["origin"]["inputs"].as_array().into_iter().flatten() {
        let (Some(path), Some(sha256)) = (input["path"].as_str(), input["sha256"].as_str()) else {
            return Err(broken(folder));
        };
        if sha256_of(Path::new(path))? != sha256 {
            faults.push(format!("{path} is not as it was when the release was made, its SHA-256 differs"));
        }
    }
    faults.extend(holdout::fault(folder, manifest)?);
    let detail = match faults.as_slice() {
        [] => "the public room holds the published files and no others".to_string(),
        faults => faults.join("; "),
    };
    Ok(Check::new("files", faults.is_empty(), detail))
}

/// The files of the public room that a folder's manifest names.
pub(super) fn named_files(folder: &Path) -> Result<Vec<String>> {
    let manifest = read_manifest(folder)?;
    let files = manifest["files"].as_array().ok_or_else(|| broken(folder))?;
    let name = |file: &Json| file["path"].as_str().map(str::to_string).ok_or_else(|| broken(folder));
    files.iter().map(name).collect()
}

pub(super) fn broken(folder: &Path) -> Error {
    Error::input("the manifest is not one that Privet wrote")
        .in_file(folder.join("steward").join("manifest.json"))
        .help("use --policy, --original and --release to audit any release")
}

pub(super) fn read_manifest(folder: &Path) -> Result<Json> {
    let path = folder.join("steward").join("manifest.json");
    let text = fs::read_to_string(&path).map_err(|error| {
        Error::io("read the manifest", &path, &error)
            .help("name a release folder, as `privet anonymize -o` made it")
    })?;
    serde_json::from_str(&text).map_err(|_| broken(folder))
}

/// The policy as it was when the release was made; its relative paths still start where it lay then.
pub(super) fn kept_policy(folder: &Path, manifest: &Json) -> Result<Policy> {
    let path = folder.join("steward").join("policy.toml");
    let text = fs::read_to_string(&path).map_err(|error| Error::io("read the policy", &path, &error))?;
    let origin = manifest["origin"]["policy"].as_str().ok_or_else(|| broken(folder))?;
    Policy::parse(Path::new(origin), text)
}

/// Writes a release's two reports again, from what the steward's room holds. Returns the files written.
pub fn rewrite_report(folder: &Path) -> Result<Vec<PathBuf>> {
    let path = folder.join("steward").join("report.json");
    let text = fs::read_to_string(&path).map_err(|error| {
        Error::io("read the report's figures", &path, &error)
            .help("name a release folder, as `privet anonymize -o` made it")
    })?;
    let filed = Filed::read(&text).map_err(|error| {
        Error::input(format!("not a report's figures: {error}")).in_file(&path).help("make the release again")
    })?;
    let mut manifest = read_manifest(folder)?;
    let release = manifest["files"][0].clone();
    let name = release["path"].as_str().ok_or_else(|| broken(folder))?;
    let released = folder.join("public").join(name);
    if let Some(fault) = oddity(folder, name) {
        return Err(Error::new(ErrorKind::Violation, format!("the release {fault}"))
            .in_file(released)
            .help("make the release again, or put the file itself in its place"));
    }
    if release["sha256"].as_str() != Some(&sha256_of(&released)?) {
        return Err(Error::new(ErrorKind::Violation, "the release is not the one that the report is about")
            .in_file(released)
            .help("run `privet audit` on the folder, or make the release again"));
    }
    // The reports and the manifest that names their hashes change together, in one step.
    let place = fs::canonicalize(folder).map_err(|error| Error::io("find the release", folder, &error))?;
    let target = Target::claim(&place, true)?;
    target.open()?;
    target.take_over()?;
    let mut written = Vec::new();
    for (name, room, edition) in
        [("public", target.public(), Edition::Public), ("steward", target.steward(), Edition::Steward)]
    {
        let text = filed.render(edition)?;
        target.rewrite(&room.join("report.html"), text.as_bytes(), edition == Edition::Steward)?;
        written.push(folder.join(name).join("report.html"));
        if edition == Edition::Public {
            for file in manifest["files"].as_array_mut().into_iter().flatten() {
                if file["path"] == "report.html" {
                    file["sha256"] = sha256_of_text(&text).into();
                }
            }
        }
    }
    target.rewrite(&target.steward().join("manifest.json"), pretty(&manifest)?.as_bytes(), true)?;
    target.publish()?;
    Ok(written)
}

/// The hash by which a report names a policy.
pub(super) fn policy_hash(policy: &Policy) -> String {
    sha256_of_text(policy.text())
}
