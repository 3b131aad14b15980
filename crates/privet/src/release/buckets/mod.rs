//! The run for records in groups: read, decide, write, audit, publish.

mod places;
#[cfg(test)]
mod tests;
mod write;

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

pub(super) use self::places::Places;
use super::book::{self, Book, Kept};
use super::holdout::{self, HeldOut};
use super::manifest::{self, Claims, Price, sha256_of, shown};
use super::report::buckets::{Facts, QUERY_ERROR, account};
use super::report::{self, Edition, ForSteward};
use super::rooms::{Documents, pretty};
use super::run::{Published, RunOptions, Trial, approve, attacked, begin, state_of};
use super::veil::Veil;
use super::{caution, crowd, lettering, people};
use privet_attack::{Inside, PolicyRef, Released};
use privet_audit::buckets::{BucketTables, audit_buckets};
use privet_audit::released::open_groups;
use privet_audit::{Audit, ExpectedCounts};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::{ReadOptions, Source};
use privet_engine::microdata::Microdata;
use privet_methods::injector;
use privet_methods::injector::utility::Accuracy;
use privet_methods::injector::{Decision, Publication};
use privet_policy::layout::{GROUP_ASSIGNMENT, PERMUTED, QIT, ST};
use privet_policy::{CheckedPolicy, DataKind};

/// Makes, audits and publishes a release of records in groups.
pub(super) fn anonymize(mut policy: CheckedPolicy, options: &RunOptions, clock: &Clock) -> Result<Published> {
    if options.format.is_some() {
        return Err(Error::input(format!(
            "--format has no meaning for method \"{}\": its release is always CSV",
            policy.method.name()
        ))
        .help("leave out --format"));
    }
    let (target, seed) = begin(options, &mut policy.method, &mut policy.seed)?;
    let state = state_of(policy.source.path());
    let held = holdout::hold_out(&mut policy, options.holdout, seed, clock)?;
    clock.progress().stage("reading", Some(policy.source.bytes()));
    let microdata = Microdata::read(&policy, &mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })?;
    let key = microdata.key(seed);
    let decision = injector::decide(&policy, &microdata, seed, clock)?;
    let released: u64 = decision.grouping.groups.iter().map(|group| group.len() as u64).sum();
    let suppressed = microdata.summary.total() - released;
    let mut warnings = decision.warnings.clone();
    warnings.extend(caution::about_seed(seed, policy.source.path()));
    warnings.extend(held.as_ref().and_then(HeldOut::caution));
    warnings.extend(caution::about_roles(&policy, "the sensitive column"));
    warnings.extend(lettering::of_table(&microdata));
    warnings.extend(crowd::cautions(&policy, &microdata));
    let mut ledger =
        Book::open(&policy.written, (policy.source.path(), policy.kind), &options.target, clock)?;
    let places = Places::of(&policy, &microdata, &decision.grouping, key, clock)?;
    book::compose(&mut ledger, &mut warnings, |book| {
        people::of_groups(book, &policy, &microdata, &decision, &places, clock)
    })?;
    clock.check()?;

    target.open()?;
    let others = held.as_ref().map(|held| held.write(&policy, &target, clock)).transpose()?;
    clock.progress().stage("writing", None);
    let names = released_files(decision.asked.publication);
    write::tables(&policy, &microdata, &decision, key, &target.public())?;
    let assignment = write::assignment(&policy, &microdata, &places, clock)?;
    target.write(&target.steward().join(GROUP_ASSIGNMENT), assignment.as_bytes(), true)?;

    clock.progress().stage("auditing", None);
    let expected = ExpectedCounts { released, suppressed, dropped: microdata.summary.dropped };
    let audit = audit_rooms(&policy, &target.public(), &target.steward(), expected, clock)?;
    clock.check()?;
    approve(&audit, policy.source.path(), state)?;
    let inside = Some(Inside::Grouped {
        observations: &decision.observations,
        grouping: &decision.grouping,
        l: decision.asked.demand.l,
    });
    let tables = Released::Groups(open_written(&policy, &target.public())?);
    let trial = Trial { inside, holdout: others, ..Trial::new(seed, &options.attacks) };
    let mut attacks = attacked(PolicyRef::Table(&policy), tables, trial, clock)?;
    book::tell(ledger.as_ref(), &mut attacks);
    clock.progress().stage("writing reports", None);
    warnings.extend(attacks.warnings());

    let errors = Accuracy::of(&decision.observations, &decision.grouping, key);
    let files: Vec<(String, String)> = (names.iter())
        .map(|name| Ok((name.to_string(), sha256_of(&target.public().join(name))?)))
        .collect::<Result<_>>()?;
    let price = || {
        let (value, normalised) = errors.map_or((0.0, 0.0), |errors| (errors.here, errors.normalised()));
        Price { name: QUERY_ERROR, value, exact: None, normalised }
    };
    let claims = Claims {
        kind: DataKind::Table,
        policy: &policy.written,
        data: policy.source.path(),
        method: &policy.method,
        asked: policy.requirements.iter().map(|clause| clause.describe(&policy.columns)).collect(),
        veil: Veil::default(),
        seed,
        read: microdata.summary.read,
        dropped: microdata.summary.dropped,
        suppressed,
        released,
        // Quasi-identifiers are published as they are.
        exactly: released as f64 / microdata.summary.total().max(1) as f64,
        cost: price(),
        losses: vec![price()],
        search: &decision.search,
        counters: &[("rules", decision.mined), ("groups", decision.exposure.groups)],
        plan: &decision.plan,
        warnings: &warnings,
        attacks: &attacks,
        ledger: ledger.as_ref().map(Book::account),
        audit: &audit,
        files: &files,
        held: held.as_ref(),
    };
    let facts = Facts { policy: &policy, microdata: &microdata, decision: &decision, errors };
    let figures = account(&claims, &facts, &mut || clock.check())?;
    let documents = Documents {
        public_report: report::render_buckets(&figures, Edition::Public)?,
        public_manifest: claims.public(
            &[],
            &[("suppressed", suppressed.into()), ("dropped", microdata.summary.dropped.into())],
            &[("parameters", parameters(&policy, &decision)), ("groups", sidecar(&decision))],
        ),
        steward_report: report::render_buckets(&figures, Edition::Steward)?,
        figures: pretty(&ForSteward(&figures))?,
        plan: &decision.plan,
        policy: &policy.written,
    };
    let inputs = manifest::inputs(input_files(&policy))?;
    let told = held.as_ref().map(|held| held.told(&target.steward())).transpose()?;
    let manifest = documents.write(&target, &files, |files| {
        let mut manifest = Claims { files, ..claims }.steward();
        manifest["origin"]["inputs"] = inputs;
        manifest["rules"] = json!(ForSteward(&figures.rules));
        manifest["groups"] = json!(ForSteward(&figures.groups));
        holdout::state(&mut manifest, told);
        manifest
    })?;
    clock.check()?;
    book::publish(ledger, target, &Kept::of(&policy.written, &policy.method, seed, &files))?;
    Ok(Published::of_table(options, &policy, (manifest, audit, attacks), released, warnings))
}

/// What the groups were formed under. An adversary is taken to know it anyway.
fn parameters(policy: &CheckedPolicy, decision: &Decision) -> Json {
    let asked = &decision.asked;
    let text = |exact: privet_core::Exact| exact.to_string();
    let mined = policy.knowledge.mined.as_ref().map(|mined| {
        json!({
            "min_expectation": text(mined.min_expectation),
            "min_confidence": text(mined.min_confidence),
            "max_length": mined.max_length,
            "significance": mined.significance.map(text),
        })
    });
    let mut parameters = json!({
        "l": asked.demand.l,
        "max_posterior": asked.demand.max_posterior.map(text),
        "strategy": asked.strategy.name(),
        "infeasible": if asked.suppress { "suppress" } else { "fail" },
        "mining": mined,
    });
    if asked.k > 1 {
        parameters["k"] = asked.k.into();
    }
    parameters
}

/// What everybody can count in the groups: sizes, and the largest share of a value. How many values stay possible and how sure
/// one can be depends on rules, which were mined from the original.
fn sidecar(decision: &Decision) -> Json {
    let exposure = &decision.exposure;
    let sizes: serde_json::Map<String, Json> =
        exposure.sizes.iter().map(|(size, groups)| (size.to_string(), shown(*groups))).collect();
    let (most, size) = exposure.frequency;
    json!({
        "sizes": sizes,
        "max_frequency": privet_core::Exact::new(most, size).map(|share| share.to_string()),
    })
}

/// The files besides the data that say what an adversary knows.
pub(crate) fn input_files(policy: &CheckedPolicy) -> impl Iterator<Item = &Path> {
    let hierarchies = policy.columns.iter().filter_map(|column| column.hierarchy_path.as_deref());
    hierarchies.chain(policy.knowledge.path.as_deref())
}

/// The files of the public room, the one that names the release first.
fn released_files(publication: Publication) -> &'static [&'static str] {
    match publication {
        Publication::TwoTables => &[QIT, ST],
        Publication::Permuted => &[PERMUTED],
    }
}

/// Audits a published folder again.
pub(super) fn audit_folder(
    policy: &CheckedPolicy,
    folder: &Path,
    expected: ExpectedCounts,
    clock: &Clock,
) -> Result<Audit> {
    audit_rooms(policy, &folder.join("public"), &folder.join("steward"), expected, clock)
}

/// Audits any buckets against a policy: a folder with qit.csv and st.csv, or one table with shuffled values. Who is in which
/// bucket is not known, so only what the tables show can be checked.
pub fn audit_bucket_files(policy: &CheckedPolicy, release: &Path, clock: &Clock) -> Result<Audit> {
    audit_buckets(policy, &open_groups(release)?, None, None, &mut || clock.check())
}

/// Opens the tables of a public room. What was written is known and must not be guessed.
pub(super) fn open_written(policy: &CheckedPolicy, public: &Path) -> Result<BucketTables> {
    let open = |name: &str| Source::open(&public.join(name), &ReadOptions::with_names(Some(',')));
    Ok(match released_files(injector::Asked::of(policy)?.publication) {
        [qit, st] => BucketTables::Two { qit: open(qit)?, st: open(st)? },
        _ => BucketTables::Permuted(open(PERMUTED)?),
    })
}

fn audit_rooms(
    policy: &CheckedPolicy,
    public: &Path,
    steward: &Path,
    expected: ExpectedCounts,
    clock: &Clock,
) -> Result<Audit> {
    let tables = open_written(policy, public)?;
    let path = steward.join(GROUP_ASSIGNMENT);
    let text = fs::read_to_string(&path).map_err(|error| Error::io("read the assignment", &path, &error))?;
    let bucket = |line: &str| {
        let (_, bucket) = line.split_once(',')?;
        Some(bucket.to_string()).filter(|bucket| !bucket.is_empty())
    };
    let assignment: Vec<Option<String>> = text.lines().skip(1).map(bucket).collect();
    audit_buckets(policy, &tables, Some(&assignment), Some(expected), &mut || clock.check())
}
