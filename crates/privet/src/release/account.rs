//! Accounts for a release: gathers the figures that its reports show.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::manifest::Facts;
use super::report::{
    Attack, Audit, Check, Column, Cover, Distribution, Diversity, FileHash, Loss, Method, Notion, Protection,
    Records, ReportModel, Reproduce, Requirement, Risk, Search, Side, TaxonomyDrawing, TaxonomyNode,
    Tightness, ValueCount,
};
use super::run::policy_hash;
use super::{confidence, suppression};
use crate::Result;
use crate::engine::microdata::{Microdata, QuasiIdentifier};
use crate::loss::Extent;
use crate::method::SearchFacts;
use crate::method::recoding::{ClassTable, RecodedColumn, Recoding, ReleasedCell};
use crate::policy::{Clause, OnMissing, Policy, PolicyColumn, Role, Setting, Subject};
use crate::privacy;
use crate::taxonomy::{NodeId, Taxonomy};

/// A taxonomy with more nodes than this is not filed whole: only what the release shows and what lies above.
const MOST_NODES: usize = 2000;

/// All figures of a release.
pub(super) fn model(
    facts: &Facts<'_>,
    microdata: &Microdata,
    recoding: &Recoding,
    classes: &ClassTable,
) -> Result<ReportModel> {
    let policy = facts.policy;
    let data_name =
        policy.source.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let scheme = policy.method.settings.choice("suppression");
    let missing = match (policy.on_missing, policy.missing.first()) {
        (OnMissing::Value, Some(spelling)) => {
            format!("A missing value is a value of its own, written '{spelling}'.")
        }
        _ => "Records with a missing value in a quasi-identifier, sensitive or class column were dropped."
            .to_string(),
    };
    let mut columns: Vec<Column> =
        (policy.columns.iter()).map(|column| account_column(column, microdata, recoding, classes)).collect();
    if policy.subject() == Subject::Freeform {
        super::freeform::mark(&mut columns, policy, microdata)?;
    }
    Ok(ReportModel {
        title: title(&data_name),
        data_name: data_name.clone(),
        privet: env!("CARGO_PKG_VERSION").to_string(),
        kind: "table".to_string(),
        method: Method {
            name: policy.method.name().to_string(),
            summary: drawn(facts.plan).unwrap_or_else(|| policy.method.declaration.summary.to_string()),
            settings: settings(&policy.method, &policy.columns),
        },
        requirements: policy
            .requirements
            .iter()
            .map(|clause| requirement(clause, scheme, &policy.columns))
            .collect(),
        policy: policy.written.text().to_string(),
        seed: Some(facts.seed),
        warnings: facts.warnings.to_vec(),
        records: Records {
            read: facts.read,
            dropped: facts.dropped,
            suppressed: facts.suppressed,
            released: facts.released,
            starred: facts.starred,
        },
        missing,
        suppression: suppression::in_words(scheme),
        columns,
        risk_before: Some(risk(sizes_before(microdata))),
        risk_after: Some(risk(classes.sizes.iter().copied())),
        tightness: tightness(facts, microdata, recoding, classes)?,
        confidences: confidence::confidences(policy, &microdata.table, classes)?,
        sensitive: distributions(microdata, classes),
        links: None,
        losses: losses(facts),
        search: Some(search(facts.search, facts.cost.value)),
        attacks: facts.attacks.found.clone(),
        audit: audit(facts.audit),
        reproduce: reproduce(&policy.written, facts.seed, inputs(facts)?, facts.files),
    })
}

/// The data's name without its extensions, as a reader would call it.
pub(super) fn title(data_name: &str) -> String {
    let stem = data_name.split('.').next().unwrap_or(data_name);
    if stem.is_empty() { "data".to_string() } else { stem.to_string() }
}

/// How a plan that was drawn out of several was found: whoever reads that one was optimal could reason from it.
fn drawn(plan: &serde_json::Value) -> Option<String> {
    let cuts = plan["drawn_from"].as_u64()?;
    Some(format!(
        "one of the {cuts} best cuts through the taxonomies, drawn by a secret key, so that nobody can reason from the best one"
    ))
}

pub(super) fn settings(clause: &Clause, columns: &[PolicyColumn]) -> Vec<(String, String)> {
    clause.settings.iter().map(|(key, setting)| (key.to_string(), setting.show(columns))).collect()
}

/// A requirement as reports know it.
pub(super) fn requirement(clause: &Clause, scheme: Option<&str>, columns: &[PolicyColumn]) -> Requirement {
    let text = |key: &str| {
        clause.settings.get(key).map(|setting: &Setting| setting.show(columns)).unwrap_or_default()
    };
    let notion = match clause.name() {
        "k-anonymity" => Notion::KAnonymity { k: clause.settings.count("k").unwrap_or(1) },
        "l-diversity" => Notion::LDiversity {
            column: text("column"),
            l: text("l"),
            kind: match clause.settings.choice("kind") {
                Some("frequency") => Diversity::Frequency,
                Some("entropy") => Diversity::Entropy,
                Some("recursive") => Diversity::Recursive { c: text("c") },
                _ => Diversity::Distinct,
            },
        },
        "t-closeness" => {
            Notion::TCloseness { column: text("column"), t: text("t"), distance: text("distance") }
        }
        "l-plus-diversity" => Notion::Other {
            name: format!("l⁺-diversity of {}", text("column")),
            promise: format!(
                "no value of {} has more than its threshold's share of those who look alike",
                text("column")
            ),
            column: Some(text("column")),
            protections: limited_confidence(&text("column"), scheme),
        },
        "ff-anonymity" => super::freeform::notion(&text("threat")),
        "qs-diversity" | "qs-closeness" => super::links::notion(clause, &text("column"), &text),
        name => Notion::Other {
            name: name.to_string(),
            promise: clause.declaration.summary.to_string(),
            column: clause.settings.column("column").map(|column| columns[column].name.clone()),
            protections: Vec::new(),
        },
    };
    Requirement { notion, description: clause.describe(columns) }
}

/// What thresholds on the confidence in single values protect against.
fn limited_confidence(column: &str, scheme: Option<&str>) -> Vec<Protection> {
    let (cover, caution) = if suppression::can_be_undone(scheme) {
        (Cover::Partly, " Whoever knows how cells or records were suppressed may become surer.")
    } else {
        (Cover::Bounded, "")
    };
    vec![
        Protection {
            attack: Attack::Homogeneity,
            cover,
            meaning: format!(
                "Each value of {column} is known with a confidence of at most its threshold.{caution}"
            ),
        },
        Protection {
            attack: Attack::Skew,
            cover: Cover::Partly,
            meaning: format!(
                "No value of {column} is ever likelier than its threshold; a rare one may still be many times likelier \
                 than usual."
            ),
        },
    ]
}

fn account_column(
    column: &PolicyColumn,
    microdata: &Microdata,
    recoding: &Recoding,
    classes: &ClassTable,
) -> Column {
    let quasi = microdata.quasi.iter().position(|quasi| quasi.index == column.index);
    let mut account = Column {
        name: column.name.clone(),
        role: column.role.map_or("not mentioned", Role::name).to_string(),
        reason: reason(column.role).to_string(),
        transformation: "unchanged".to_string(),
        distinct_before: None,
        distinct_after: None,
        loss: None,
        generalised: None,
        taxonomy: None,
    };
    if !super::is_published(column) {
        account.transformation = "removed".to_string();
    }
    if microdata.sets.as_ref().is_some_and(|sets| sets.index == column.index) {
        account.transformation = "terms removed where needed".to_string();
    }
    if let Some(tracked) = microdata.table.tracked.iter().find(|tracked| tracked.index == column.index) {
        account.distinct_before = Some(tracked.values.len() as u64);
        let after = counts_after(&tracked.slots, classes);
        account.distinct_after = Some(after.iter().filter(|count| **count > 0).count() as u64);
        if recoding.stars_any(&tracked.slots) {
            let some = if account.distinct_after == Some(0) { "all" } else { "some" };
            account.transformation = format!("{some} cells replaced by *");
        }
    }
    let Some(position) = quasi else { return account };
    let (quasi, recoded) = (&microdata.quasi[position], &recoding.columns[position]);
    let mut released = vec![0u64; recoded.cells.len()];
    for class in 0..recoding.len() {
        released[recoding.cells(class)[position] as usize] += classes.sizes[class];
    }
    let total: u64 = released.iter().sum();
    let share = |weight: &dyn Fn(&ReleasedCell) -> f64| {
        let sum: f64 = recoded.cells.iter().zip(&released).map(|(cell, n)| weight(cell) * *n as f64).sum();
        if total == 0 { 0.0 } else { sum / total as f64 }
    };
    // A cell is changed when it no longer shows an original value, even if it stands for only one: a reader must not
    // learn from this figure that it does.
    let values: HashSet<&String> = microdata.summary.columns()[position].dictionary.values().iter().collect();
    let changed = |cell: &ReleasedCell| if values.contains(&cell.label) { 0.0 } else { 1.0 };
    account.distinct_before = Some(quasi.counts.len() as u64);
    account.distinct_after = Some(released.iter().filter(|count| **count > 0).count() as u64);
    account.loss = Some(share(&|cell| covered(cell.measure.extent)));
    account.generalised = Some(share(&changed));
    account.transformation = transformation(quasi, recoded, &released);
    if recoded.cells.iter().all(|cell| cell.node.is_some()) {
        account.taxonomy = Some(drawing(quasi, recoded, &released));
    }
    account
}

fn reason(role: Option<Role>) -> &'static str {
    match role {
        Some(Role::Identifier) => "names a person directly",
        Some(Role::QuasiIdentifier) => "could identify a person together with others",
        Some(Role::Sensitive) => "what nobody may learn about a person",
        Some(Role::Mixed) => "some of its values can be seen on a person, others nobody may learn",
        Some(Role::QuasiSensitive) => "public knowledge may turn it into something sensitive",
        Some(Role::Class) => "what analysis wants to predict",
        Some(Role::Other) => "carried through as it is",
        None => "the policy does not mention it",
    }
}

/// The share of its domain that a cell covers, from 0 (one value) to 1 (all).
fn covered(extent: Extent) -> f64 {
    match extent {
        Extent::Leaves(_, all) if all <= 1 => 0.0,
        Extent::Leaves(leaves, all) => (leaves - 1) as f64 / (all - 1) as f64,
        Extent::Span(share) => share,
    }
}

fn transformation(quasi: &QuasiIdentifier, recoded: &RecodedColumn, released: &[u64]) -> String {
    if recoded.cells.iter().any(|cell| cell.node.is_none()) {
        return "ranges".to_string();
    }
    let levels: Vec<Option<(u64, u64)>> = recoded
        .cells
        .iter()
        .zip(released)
        .filter(|(_, n)| **n > 0)
        .map(|(cell, _)| cell.measure.level)
        .collect();
    if levels.is_empty() {
        return "nothing is released".to_string();
    }
    match levels.first().copied().flatten() {
        Some((0, _)) if levels.iter().all(|level| level.is_some_and(|(level, _)| level == 0)) => {
            "unchanged".to_string()
        }
        Some((level, highest)) if levels.iter().all(|other| *other == Some((level, highest))) => {
            if level == highest { "replaced by *".to_string() } else { format!("level {level} of {highest}") }
        }
        _ if quasi.has_hierarchy => format!("cut of {} values", levels.len()),
        _ => "kept, or replaced by *".to_string(),
    }
}

fn drawing(quasi: &QuasiIdentifier, recoded: &RecodedColumn, released: &[u64]) -> TaxonomyDrawing {
    let taxonomy: &Taxonomy = &quasi.taxonomy;
    let mut shown: BTreeMap<NodeId, u64> = BTreeMap::new();
    for (cell, count) in recoded.cells.iter().zip(released) {
        if let Some(node) = cell.node {
            *shown.entry(node).or_default() += count;
        }
    }
    let mut below = vec![0u64; taxonomy.leaves() + 1];
    for (leaf, count) in quasi.leaf_of_code.iter().zip(&quasi.counts) {
        below[*leaf as usize + 1] += count;
    }
    (1..below.len()).for_each(|at| below[at] += below[at - 1]);
    let all = taxonomy.len() <= MOST_NODES;
    let mut wanted: Vec<NodeId> = (0..taxonomy.len() as u32).map(NodeId).collect();
    if !all {
        // Nodes are numbered depth first, so the first shown node from here on tells whether any lies below.
        wanted.retain(|node| {
            shown.range(*node..).next().is_some_and(|(next, _)| taxonomy.contains(*node, *next))
        });
        wanted.truncate(MOST_NODES);
    }
    let place: BTreeMap<NodeId, usize> = wanted.iter().enumerate().map(|(at, node)| (*node, at)).collect();
    let node = |node: &NodeId| {
        let leaves = taxonomy.leaves_below(*node);
        TaxonomyNode {
            label: taxonomy.label(*node).to_string(),
            parent: taxonomy.parent(*node).and_then(|parent| place.get(&parent).copied()),
            records: below[leaves.end] - below[leaves.start],
            released: shown.get(node).copied().unwrap_or(0),
            in_cut: shown.contains_key(node),
            level: taxonomy.height(*node),
            mark: None,
        }
    };
    TaxonomyDrawing { nodes: wanted.iter().map(node).collect() }
}

fn sizes_before(microdata: &Microdata) -> impl Iterator<Item = u64> {
    // Distinct records are sorted with the quasi-identifiers in front, so equal ones are neighbours.
    let mut sizes: Vec<u64> = Vec::new();
    for record in 0..microdata.summary.len() {
        let count = microdata.summary.count(record);
        let same = record > 0 && microdata.quasi_codes(record) == microdata.quasi_codes(record - 1);
        match sizes.last_mut().filter(|_| same) {
            Some(size) => *size += count,
            None => sizes.push(count),
        }
    }
    sizes.into_iter()
}

fn risk(sizes: impl Iterator<Item = u64>) -> Risk {
    let mut classes: BTreeMap<u64, u64> = BTreeMap::new();
    sizes.for_each(|size| *classes.entry(size).or_default() += 1);
    Risk::from_class_sizes(&classes.into_iter().collect::<Vec<_>>())
}

/// How near the worst class comes to each threshold.
fn tightness(
    facts: &Facts<'_>,
    microdata: &Microdata,
    recoding: &Recoding,
    classes: &ClassTable,
) -> Result<Vec<Tightness>> {
    if facts.policy.subject() == Subject::Freeform {
        return super::freeform::tightness(facts.policy, microdata, recoding);
    }
    let requirements = privacy::class_requirements(facts.policy, &microdata.table)?;
    let mut all = Vec::new();
    for (clause, requirement) in &requirements {
        let of = |class: usize| requirement.tightness(&classes.class(class));
        let worst = (0..recoding.len()).min_by(|a, b| of(*a).room().total_cmp(&of(*b).room()));
        let Some(worst) = worst else { continue };
        let figure = of(worst);
        let kind = clause.settings.choice("kind");
        all.push(Tightness {
            requirement: match clause.settings.column("column") {
                Some(column) => format!("{} of {}", clause.name(), facts.policy.columns[column].name),
                None => clause.name().to_string(),
            },
            worst: in_words(worst, microdata, recoding, classes),
            value: figure.value,
            threshold: figure.threshold,
            side: match (kind, figure.at_most) {
                (Some("recursive"), _) => Side::Below,
                (_, true) => Side::AtMost,
                (_, false) => Side::AtLeast,
            },
            counted: !figure.at_most && kind != Some("entropy"),
            from_data: confidence::from_data(clause),
            holds: requirement.holds(&classes.class(worst)),
        });
    }
    Ok(all)
}

fn in_words(class: usize, microdata: &Microdata, recoding: &Recoding, classes: &ClassTable) -> String {
    let cells = microdata.quasi.iter().zip(&recoding.columns).zip(recoding.cells(class));
    let cells: Vec<String> = cells
        .map(|((quasi, column), cell)| format!("{} = {}", quasi.name, column.cells[*cell as usize].label))
        .collect();
    format!("{} ({} records)", cells.join(", "), classes.sizes[class])
}

fn counts_after(slots: &std::ops::Range<u32>, classes: &ClassTable) -> Vec<u64> {
    let mut counts = vec![0; slots.len()];
    for class in 0..classes.sizes.len() {
        classes.class(class).counts.for_each(slots, |value, count| counts[value as usize] += count);
    }
    counts
}

fn distributions(microdata: &Microdata, classes: &ClassTable) -> Vec<Distribution> {
    let sensitive = microdata.table.tracked.iter().filter(|column| column.role == Role::Sensitive);
    let distribution = |column: &privacy::TrackedColumn| {
        let after = counts_after(&column.slots, classes);
        let values = column.values.iter().zip(&column.totals).zip(after);
        let values = values.map(|((value, before), after)| ValueCount {
            value: value.clone(),
            before: *before,
            after,
        });
        Distribution { column: column.name.clone(), values: values.collect() }
    };
    sensitive.map(distribution).collect()
}

fn losses(facts: &Facts<'_>) -> Vec<Loss> {
    let others = facts.costs.iter().filter(|cost| cost.name != facts.cost.name);
    let loss = |cost: &crate::method::ShownCost| Loss {
        name: cost.name.to_string(),
        value: cost.value,
        normalised: Some(cost.normalised),
        formula: cost.info.formula.to_string(),
        range: cost.info.range.to_string(),
        direction: if cost.info.smaller_is_better { "lower is better" } else { "higher is better" }
            .to_string(),
    };
    std::iter::once(facts.cost).chain(others).map(loss).collect()
}

/// How many there are of each length, before and after, in bands: 0, 1, 2, 3–4, 5–8, and so on, as far as there are any.
pub(super) fn bands(name: &str, lengths: &BTreeMap<usize, (u64, u64)>) -> Distribution {
    let mut values = Vec::new();
    let longest = lengths.last_key_value().map_or(0, |(length, _)| *length);
    let mut band = (0, 0);
    while band.0 <= longest {
        let (from, to) = band;
        let (before, after) = lengths
            .range(from..=to)
            .fold((0, 0), |(before, after), (_, more)| (before + more.0, after + more.1));
        let value = if from == to { from.to_string() } else { format!("{from}–{to}") };
        values.push(ValueCount { value, before, after });
        band = (to + 1, if to == 0 { 1 } else { 2 * to });
    }
    Distribution { column: name.to_string(), values }
}

/// How the plan was found; `cost` is what it costs.
pub(super) fn search(facts: &SearchFacts, cost: f64) -> Search {
    let gap = facts.bound.map(|bound| {
        let distance = (cost - bound).abs();
        if distance == 0.0 { 0.0 } else { distance / cost.abs().max(f64::MIN_POSITIVE) }
    });
    Search {
        space: facts.space.clone().unwrap_or_else(|| "not counted".to_string()),
        examined: facts.examined,
        seconds: facts.seconds,
        optimal: facts.optimal,
        bound: facts.bound,
        gap,
        trace: facts.trace.clone(),
    }
}

pub(super) fn audit(audit: &crate::audit::Audit) -> Audit {
    let check = |check: &crate::audit::Check| Check {
        name: check.name.clone(),
        holds: check.holds,
        worst: check.worst.clone().unwrap_or_default(),
        concerned: check.concerned,
        detail: check.detail.clone(),
    };
    Audit { passed: audit.passed, checks: audit.checks.iter().map(check).collect() }
}

fn inputs(facts: &Facts<'_>) -> Result<Vec<FileHash>> {
    let policy = facts.policy;
    let hierarchies = policy.columns.iter().filter_map(|column| column.hierarchy_path.as_deref());
    let sets = policy.columns.iter().filter_map(|column| column.sets.as_ref());
    let knowledge = sets.map(|sets| sets.knowledge_path.as_path());
    hashes(std::iter::once(policy.source.path()).chain(hierarchies).chain(knowledge))
}

/// The files that went in, each with what it holds.
pub(super) fn hashes<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Vec<FileHash>> {
    let hash = |path: &Path| {
        Ok(FileHash { path: path.display().to_string(), sha256: super::manifest::sha256_of(path)? })
    };
    paths.map(hash).collect()
}

/// How to make a release again.
pub(super) fn reproduce(
    policy: &Policy,
    seed: u64,
    inputs: Vec<FileHash>,
    files: &[(String, String)],
) -> Reproduce {
    Reproduce {
        command: format!("privet anonymize {} -o RELEASE --seed {seed}", policy.path().display()),
        policy_sha256: policy_hash(policy),
        inputs,
        released: files
            .iter()
            .map(|(path, sha256)| FileHash { path: path.clone(), sha256: sha256.clone() })
            .collect(),
    }
}
