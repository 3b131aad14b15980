//! What the reports of all kinds of data have in common, gathered.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use crate::release::manifest::Claims;
use crate::release::report::{
    AuditAccount, CheckAccount, Common, Distribution, FileHash, Loss, MethodAccount, Original, Records,
    Reproduce, Risk, SearchAccount, SearchMoment, ValueCount, Whose,
};
use crate::release::run::policy_hash;
use privet_core::Result;
use privet_core::hash::{sha256_of, sha256_of_text};
use privet_methods::SearchFacts;
use privet_methods::plan::Plan;
use privet_policy::{PolicyColumn, PolicyRef, Stated};

/// What a kind of data adds to what its manifest claims.
pub(crate) struct Particulars<'a> {
    /// The columns, where the data has any; settings may name them.
    pub columns: &'a [PolicyColumn],
    /// Suppressed cells, or occurrences that are left out.
    pub starred: u64,
    /// What was lost, with formulas.
    pub losses: Vec<Loss>,
    /// The files that went in with the data.
    pub inputs: Vec<&'a Path>,
}

/// What all reports have in common.
pub(crate) fn common(claims: &Claims<'_>, particulars: Particulars<'_>) -> Result<Common> {
    let origin = claims.policy.origin();
    let name = origin.name();
    let data = FileHash { path: origin.to_string(), sha256: claims.policy.fingerprint()?.to_string() };
    let inputs =
        std::iter::once(Ok(data)).chain(particulars.inputs.into_iter().map(hash)).collect::<Result<_>>()?;
    let report = claims.policy.written().report_keys()?;
    Ok(Common {
        title: report.title.clone().unwrap_or_else(|| title(&name)).into(),
        report,
        data_name: name.into(),
        privet: env!("CARGO_PKG_VERSION").to_string(),
        method: MethodAccount {
            name: claims.policy.method().name().to_string(),
            summary: match claims.applied {
                Some(_) => "a plan that was made for earlier data, applied to these".to_string(),
                None => drawn(claims.stated.plan)
                    .unwrap_or_else(|| claims.policy.method().declaration().summary.to_string()),
            },
            // They say how to search, and nothing was searched.
            settings: match claims.applied {
                Some(_) => Vec::new(),
                None => settings(claims.policy.method(), particulars.columns),
            },
        },
        policy: claims.policy.written().text().to_string().into(),
        seed: Some(claims.seed.into()),
        warnings: claims.warnings.to_vec().into(),
        records: Records {
            read: claims.stated.read.into(),
            dropped: claims.stated.dropped.into(),
            suppressed: claims.stated.suppressed.into(),
            released: claims.stated.released,
            starred: particulars.starred.into(),
            hides_suppressed: match claims.policy {
                PolicyRef::Table(policy) => crate::release::hides_suppressed(policy),
                _ => false,
            },
        },
        whose: Whose::default(),
        held_out: claims.held.map(|held| held.records.into()),
        columns: Vec::new(),
        scan: None,
        tightness: Vec::new(),
        risk_before: None,
        risk_after: None,
        journalist: None,
        column_sets: Vec::new().into(),
        exactly: claims.stated.exactly.into(),
        losses: particulars.losses,
        fidelity: None,
        subgroups: Vec::new(),
        search: Some(search(claims.stated.search, claims.stated.cost.value).into()),
        counters: (claims.stated.counters.iter())
            .map(|(name, count)| (name.to_string(), *count))
            .collect::<Vec<_>>()
            .into(),
        attacks: claims.attacks.map(|attacks| attacks.found.clone()).unwrap_or_default().into(),
        attacks_not_run: claims.attacks.map(|attacks| attacks.not_run.clone()).unwrap_or_default().into(),
        ledger: claims.ledger.cloned().map(Original::from),
        audit: audit(claims.audit),
        veil: claims.stated.veil.clone(),
        reproduce: reproduce(claims, inputs),
    })
}

/// How a plan that was drawn out of several was found: anyone who reads that one was optimal could reason from it.
fn drawn(plan: &Plan) -> Option<String> {
    plan.drawn_from()?;
    // Of how many is not said: fewer than were asked for would say how many there are.
    let how = "one of several good plans, drawn by a secret key, so that nobody can reason from the best one";
    Some(how.to_string())
}

/// The data's name without its extensions, as a reader would call it.
fn title(data_name: &str) -> String {
    let stem = data_name.split('.').next().unwrap_or(data_name);
    if stem.is_empty() { "data".to_string() } else { stem.to_string() }
}

/// The risk that follows from the sizes of all classes.
pub(crate) fn risk(sizes: impl Iterator<Item = u64>) -> Risk {
    let mut classes: BTreeMap<u64, u64> = BTreeMap::new();
    sizes.for_each(|size| *classes.entry(size).or_default() += 1);
    Risk::from_class_sizes(&classes.into_iter().collect::<Vec<_>>())
}

fn settings(stated: &dyn Stated, columns: &[PolicyColumn]) -> Vec<(String, String)> {
    stated.settings().iter().map(|(key, setting)| (key.to_string(), setting.show(columns))).collect()
}

/// How many there are of each length, before and after, in bands: 0, 1, 2, 3–4, 5–8, and so on, as far as there are any.
pub(crate) fn bands(name: &str, lengths: &BTreeMap<usize, (u64, u64)>) -> Distribution {
    let mut values = Vec::new();
    let longest = lengths.last_key_value().map_or(0, |(length, _)| *length);
    let mut band = (0, 0);
    while band.0 <= longest {
        let (from, to) = band;
        let (before, after) = lengths
            .range(from..=to)
            .fold((0, 0), |(before, after), (_, more)| (before + more.0, after + more.1));
        let value = if from == to { from.to_string() } else { format!("{from}–{to}") };
        values.push(ValueCount { value, before: before.into(), after });
        band = (to + 1, if to == 0 { 1 } else { 2 * to });
    }
    Distribution { column: name.to_string(), values }
}

/// How the plan was found; `cost` is what it costs.
fn search(facts: &SearchFacts, cost: f64) -> SearchAccount {
    let gap = facts.bound.map(|bound| {
        let distance = (cost - bound).abs();
        if distance == 0.0 { 0.0 } else { distance / cost.abs().max(f64::MIN_POSITIVE) }
    });
    SearchAccount {
        space: facts.space.clone().unwrap_or_else(|| "not counted".to_string()),
        examined: facts.examined,
        seconds: facts.seconds,
        optimal: facts.optimal,
        bound: facts.bound,
        gap,
        trace: (facts.trace.iter())
            .map(|point| SearchMoment { seconds: point.seconds, best: point.best, bound: point.bound })
            .collect(),
    }
}

fn audit(audit: Option<&privet_audit::Audit>) -> AuditAccount {
    let check = |check: &privet_audit::Check| CheckAccount {
        name: check.name.clone(),
        holds: check.holds,
        worst: check.worst.clone().unwrap_or_default().into(),
        concerned: check.concerned,
        detail: check.detail.clone().into(),
    };
    let all = audit.into_iter().flat_map(|audit| &audit.checks);
    let (undecided, decided): (Vec<_>, Vec<_>) = all.partition(|check| check.undetermined);
    AuditAccount {
        passed: audit.is_some_and(|audit| audit.passed),
        checks: decided.into_iter().map(check).collect(),
        undecided: undecided.into_iter().map(check).collect::<Vec<_>>().into(),
    }
}

/// A file that went in, with what it holds.
fn hash(path: &Path) -> Result<FileHash> {
    Ok(FileHash { path: path.display().to_string(), sha256: sha256_of(path)? })
}

/// How to make a release again.
fn reproduce(claims: &Claims<'_>, inputs: Vec<FileHash>) -> Reproduce {
    let held = claims.held.map_or_else(String::new, |held| format!(" --holdout {}", held.share));
    let policy = claims.policy.written().path().display();
    let command = match claims.applied {
        Some(earlier) => format!(
            "privet apply {} {} --policy {policy} -o RELEASE --seed {}",
            earlier.path(),
            claims.policy.origin(),
            claims.seed
        ),
        None => format!("privet anonymize {policy} -o RELEASE --seed {}{held}", claims.seed),
    };
    Reproduce {
        command: command.into(),
        policy_sha256: policy_hash(claims.policy.written()).into(),
        program_sha256: program_hash().into(),
        key_id: Some(key_id(claims.seed)).into(),
        inputs: inputs.into(),
        released: (claims.files)
            .iter()
            .map(|(path, sha256)| FileHash { path: path.clone(), sha256: sha256.clone() })
            .collect(),
    }
}

/// The hash of the running program. Programs built for debugging are large and change with every build: theirs says nothing.
static PROGRAM: LazyLock<Option<String>> = LazyLock::new(|| sha256_of(&std::env::current_exe().ok()?).ok());

fn program_hash() -> Option<String> {
    if cfg!(debug_assertions) { None } else { PROGRAM.clone() }
}

/// Begins to hash the program, which takes longer than all the rest of a small run, while something else is done.
pub(crate) fn identify_program() {
    if !cfg!(debug_assertions) {
        // Where there is no thread for it, it is hashed when the report is written.
        let _ = std::thread::Builder::new().name("privet-program".to_string()).spawn(|| {
            LazyLock::force(&PROGRAM);
        });
    }
}

/// A name for the seed by which two releases can be seen to share it, without telling it.
fn key_id(seed: u64) -> String {
    let mut id = sha256_of_text(&format!("privet: key id: {seed}"));
    id.truncate(16);
    id
}
