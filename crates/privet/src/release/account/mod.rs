//! Accounts for a release: gathers the figures that its reports show.

mod coded;
mod columns;
mod common;
mod fidelity;
pub(super) mod groups;
mod holdings;
mod knowers;
mod population;
pub(super) mod projections;
mod requirement;
pub(super) mod rows;
mod subgroups;
pub(super) mod transactions;
pub(super) mod vocabularies;

use std::collections::BTreeSet;
use std::path::Path;

pub(super) use columns::{account_column, counts_after};
pub(super) use common::{Particulars, bands, common, identify_program, risk};
pub(super) use fidelity::{of_groups, of_tables};
pub(super) use holdings::{Holdings, of_sets, step};
pub(crate) use requirement::requirement;
pub(super) use subgroups::subgroups;

use super::manifest::Claims;
use super::recoded::Recoded;
use super::report::{
    ColumnAccount, DataLabels, Distribution, Loss, Requirement, Side, Sourced, Subgroups, TableReport,
    Tightness, ValueCount, Whose,
};
use super::{confidence, crowd, lkc, scan, suppression};
use privet_core::Result;
use privet_core::counted;
use privet_engine::microdata::Microdata;
use privet_engine::privacy;
use privet_engine::privacy::{Counted, EquivalenceClass};
use privet_methods::ShownCost;
use privet_methods::recoding::{ClassTable, Recoding};
use privet_policy::method::Labels;
use privet_policy::requirement::{Diversity, LDiversity, LikenessKind, LkcPrivacy};
use privet_policy::{CheckedPolicy, Method, OnMissing, Requirement as Asked, Role};
use privet_taxonomy::NodeId;

/// At most this many counts of a class are listed.
const MOST_COUNTS: usize = 8;

/// All figures of a release.
pub(super) fn model(
    shape: &Recoded,
    claims: &Claims<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<TableReport> {
    let Recoded { policy, microdata, solution, classes, .. } = shape;
    let recoding = &solution.recoding;
    let scheme = policy.method.suppression();
    let missing = match (policy.on_missing, policy.missing.first()) {
        (OnMissing::Value, Some(spelling)) if spelling.is_empty() => {
            "A missing value is a value of its own, published as an empty cell.".to_string()
        }
        (OnMissing::Value, Some(spelling)) if shows(spelling, microdata, recoding, classes) => {
            format!("A missing value is a value of its own, written '{spelling}'.")
        }
        (OnMissing::Value, _) => "A missing value is a value of its own.".to_string(),
        _ => "Records with a missing value in a quasi-identifier, sensitive or class column were dropped."
            .to_string(),
    };
    let mut columns: Vec<ColumnAccount> =
        (policy.columns.iter()).map(|column| account_column(column, microdata, recoding, classes)).collect();
    if policy.method.is_about(Role::Mixed) {
        super::freeform::mark(&mut columns, policy, microdata)?;
    }
    let particulars = Particulars {
        columns: &policy.columns,
        starred: classes.starred,
        losses: losses(shape),
        inputs: inputs(policy),
    };
    let mut common = common(claims, particulars)?;
    common.columns = columns;
    common.scan = Some(scan::table(policy, tick)?.into());
    common.tightness = tightness(shape, tick)?;
    common.whose = shape.whose();
    let before = crowd::sizes_before(microdata).unwrap_or_else(|| sizes_before(microdata));
    common.risk_before = Some(risk(before.into_iter()).into());
    common.risk_after = Some(risk(classes.people().iter().copied()));
    common.journalist = knowers::journalist(microdata, classes).map(Into::into);
    common.column_sets = knowers::column_sets(microdata, recoding, classes, tick)?.into();
    common.fidelity = Some(fidelity::of_recoding(microdata, recoding, microdata.key(claims.seed)).into());
    common.subgroups = left_out(microdata, recoding, classes);
    let mut requirements: Vec<Requirement> =
        policy.requirements.iter().map(|clause| requirement(clause, scheme, &policy.columns)).collect();
    if claims.stated.plan.drawn_from().is_some() {
        requirement::drawn(&mut requirements);
    }
    Ok(TableReport {
        common,
        requirements,
        missing,
        suppression: suppression::in_words(scheme),
        confidences: confidence::confidences(policy, &microdata.table, classes)?,
        sensitive: distributions(microdata, classes),
        links: None,
        rows: rows::rows(microdata, solution).into(),
        labels: data_labels(policy),
    })
}

/// Which labels follow the data.
fn data_labels(policy: &CheckedPolicy) -> DataLabels {
    match &policy.method {
        Method::Mondrian(own) => {
            let mut quasi = policy.columns.iter().filter(|column| column.role == Some(Role::QuasiIdentifier));
            DataLabels {
                sets: quasi.any(|column| own.labels_of(column) == Labels::Sets),
                refined: own.refine,
            }
        }
        Method::FullDomain(own) => DataLabels { sets: false, refined: own.refine },
        _ => DataLabels::default(),
    }
}

/// Whether some released cell of a column that matters has this text.
fn shows(text: &str, microdata: &Microdata, recoding: &Recoding, classes: &ClassTable) -> bool {
    let generalised = (0..recoding.len()).filter(|class| classes.sizes[*class] > 0).any(|class| {
        let mut cells = recoding.columns.iter().zip(recoding.cells(class));
        cells.any(|(column, cell)| column.cells[*cell as usize].label == text)
    });
    generalised
        || microdata.carried().iter().any(|column| {
            let code = column.values.iter().position(|value| value == text);
            code.is_some_and(|code| counts_after(&column.slots, classes)[code] > 0)
        })
}

/// Who was left out of a generalised table.
fn left_out(microdata: &Microdata, recoding: &Recoding, classes: &ClassTable) -> Vec<Subgroups> {
    let mut shown: Vec<BTreeSet<NodeId>> = vec![BTreeSet::new(); microdata.quasi.len()];
    for class in (0..recoding.len()).filter(|class| classes.sizes[*class] > 0) {
        for ((shown, column), cell) in shown.iter_mut().zip(&recoding.columns).zip(recoding.cells(class)) {
            shown.extend(column.cells[*cell as usize].node);
        }
    }
    let released = |record: usize| {
        let total = microdata.summary.count(record);
        recoding.destinations(record, total).map(|(_, count)| count).sum()
    };
    let is_shown = |at: usize, label: &str| {
        let taxonomy = &microdata.quasi[at].taxonomy;
        taxonomy.find(label).is_some_and(|node| shown[at].iter().any(|below| taxonomy.contains(node, *below)))
    };
    subgroups(microdata, &released, &is_shown)
}

/// The sizes of the classes of the original: records with the same quasi-identifiers.
pub(super) fn sizes_before(microdata: &Microdata) -> Vec<u64> {
    let counts: Vec<u64> =
        (0..microdata.summary.len()).map(|record| microdata.summary.count(record)).collect();
    sizes(microdata, &counts)
}

/// The sizes of classes of records with the same quasi-identifiers, where this many of each distinct record count.
pub(super) fn sizes(microdata: &Microdata, counts: &[u64]) -> Vec<u64> {
    // Distinct records are sorted with the quasi-identifiers in front, so equal ones are neighbours.
    let mut sizes: Vec<u64> = Vec::new();
    for (record, count) in counts.iter().enumerate() {
        let same = record > 0 && microdata.quasi_codes(record) == microdata.quasi_codes(record - 1);
        match sizes.last_mut().filter(|_| same) {
            Some(size) => *size += count,
            None => sizes.push(*count),
        }
    }
    sizes.retain(|size| *size > 0);
    sizes
}

/// Who shows how near a release comes to what a requirement allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownBy {
    /// [`tightness`], class by class.
    Classes,
    /// The account of its own notion.
    Own,
    /// Nobody. A class has many natural supersets, and many sets of known items, and how near it is to the best or worst of
    /// them is not kept; groups and projections have reports of their own.
    Nobody,
}

fn shown_by(asked: &Asked) -> ShownBy {
    match asked {
        Asked::KAnonymity(_)
        | Asked::LDiversity(_)
        | Asked::LPlusDiversity(_)
        | Asked::TCloseness(_)
        | Asked::BetaLikeness(_)
        | Asked::DeltaDisclosure(_)
        | Asked::KMap(_)
        | Asked::DeltaPresence(_)
        | Asked::IndividualRisk(_) => ShownBy::Classes,
        Asked::LkcPrivacy(_) | Asked::FfAnonymity(_) | Asked::QsDiversity(_) | Asked::QsCloseness(_) => {
            ShownBy::Own
        }
        // What is asked of the release as a whole is in its figures of risk.
        Asked::AverageRisk(_)
        | Asked::SampleUniqueness(_)
        | Asked::PopulationUniqueness(_)
        | Asked::HouseholdRisk(_)
        | Asked::NtCloseness(_)
        | Asked::KlOfSets(_)
        | Asked::MatchingLDiversity(_)
        | Asked::Projection(_) => ShownBy::Nobody,
    }
}

/// How near the worst class comes to each threshold.
fn tightness(shape: &Recoded, tick: &mut dyn FnMut() -> Result<()>) -> Result<Vec<Tightness>> {
    let Recoded { policy, microdata, solution, classes, .. } = shape;
    let (recoding, whose) = (&solution.recoding, shape.whose());
    let requirements = privacy::class_requirements(policy, &microdata.table)?;
    let mut all = match policy.method.is_about(Role::Mixed) {
        true => super::freeform::tightness(policy, microdata, recoding)?,
        false => Vec::new(),
    };
    for (clause, requirement) in requirements.iter().filter(|(asked, _)| shown_by(asked) == ShownBy::Classes)
    {
        let of = |class: usize| requirement.tightness(&classes.members(class).seen_by(requirement.as_ref()));
        let worst = (0..recoding.len()).min_by(|a, b| of(*a).room().total_cmp(&of(*b).room()));
        let Some(worst) = worst else { continue };
        let figure = of(worst);
        let kind = match clause {
            Asked::LDiversity(asked) => Some(asked.diversity),
            _ => None,
        };
        let column = clause.column().map(|column| policy.columns[column].name.clone());
        all.push(Tightness {
            requirement: match &column {
                Some(column) => format!("{} of {column}", clause.name()),
                None => clause.name().to_string(),
            },
            column,
            inequality: inequality(clause),
            worst: in_words(worst, microdata, recoding, classes).into(),
            exact: in_numbers(clause, &classes.members(worst).seen_by(requirement.as_ref()), microdata)
                .into(),
            // What is compared with the whole table is compared with the original, records that are left out included. How
            // many people a class has does not follow from its records.
            value: match (clause, whose) {
                (
                    Asked::TCloseness(_)
                    | Asked::NtCloseness(_)
                    | Asked::BetaLikeness(_)
                    | Asked::DeltaDisclosure(_)
                    | Asked::KMap(_)
                    | Asked::DeltaPresence(_)
                    | Asked::IndividualRisk(_),
                    _,
                )
                | (_, Whose::Counted { .. }) => Sourced::Original(figure.value.into()),
                _ => Sourced::Released(figure.value),
            },
            threshold: figure.threshold,
            side: match (kind, figure.at_most) {
                _ if matches!(clause, Asked::DeltaDisclosure(_)) => Side::Below,
                (Some(Diversity::Recursive { .. }), _) => Side::Below,
                (_, true) => Side::AtMost,
                (_, false) => Side::AtLeast,
            },
            counted: !figure.at_most && !matches!(kind, Some(Diversity::Entropy(_))),
            from_data: confidence::from_data(clause),
            holds: classes.members(worst).meet(requirement.as_ref()),
        });
    }
    all.extend(lkc::tightness(shape, tick)?);
    Ok(all)
}

/// What is compared, in integers: the form in which the requirement is decided.
pub(super) fn inequality(asked: &Asked) -> String {
    match asked {
        Asked::KAnonymity(asked) => format!("n(class) ≥ {}", asked.k),
        Asked::LDiversity(asked) => match asked.diversity {
            Diversity::Distinct(l) => format!("distinct values ≥ {l}"),
            Diversity::Frequency(l) => format!("n(value) · {l} ≤ n(class)"),
            Diversity::Entropy(l) => format!("nⁿ ≥ {l}ⁿ · Π nᵢ^nᵢ"),
            Diversity::Recursive { c, l } => format!("n₁ < {c} · (n_{l} + n_{l}₊₁ + …)"),
        },
        Asked::TCloseness(asked) => format!("EMD(class, table) ≤ {}", asked.t),
        Asked::BetaLikeness(asked) => {
            let kind = asked.kind == LikenessKind::Enhanced;
            let cap = if kind { format!("min({}, −ln p)", asked.beta) } else { asked.beta.to_string() };
            format!("(q − p)/p ≤ {cap}")
        }
        Asked::DeltaDisclosure(asked) => format!("|log₂(q/p)| < {}", asked.delta),
        Asked::KMap(asked) => format!("N(class) ≥ {}", asked.k),
        Asked::DeltaPresence(asked) => format!("{} ≤ n(class)/N(class) ≤ {}", asked.min, asked.max),
        Asked::IndividualRisk(asked) => format!("E[1/F] ≤ {}", asked.max),
        Asked::HouseholdRisk(asked) => format!("1 − Π(1 − r) ≤ {}", asked.max),
        Asked::AverageRisk(asked) => format!("classes ≤ {} · records", asked.max),
        Asked::SampleUniqueness(asked) => format!("classes of one ≤ {} · records", asked.max),
        Asked::PopulationUniqueness(asked) => {
            format!("estimated share of the population ≤ {} ({})", asked.max, asked.estimator)
        }
        Asked::NtCloseness(asked) => format!("EMD(class, group of {} or more) ≤ {}", asked.n, asked.t),
        Asked::LkcPrivacy(LkcPrivacy { k, confidence: c, .. }) => {
            format!("n(group) ≥ {k}, n(value) · {} ≤ {} · n(group)", c.denominator(), c.numerator())
        }
        Asked::KlOfSets(asked) => {
            format!("n(known items) ≥ {}, n(known and sensitive) · {} ≤ n(known items)", asked.k, asked.l)
        }
        Asked::LPlusDiversity(_) => "n(value) · den(θ) ≤ num(θ) · n(class)".to_string(),
        Asked::QsDiversity(asked) => format!("p₁ ≤ {} · (p_{1} + p_{1}₊₁ + …)", asked.c, asked.l),
        Asked::QsCloseness(asked) => format!("√Σ(prior − posterior)² ≤ {}", asked.t),
        Asked::FfAnonymity(asked) => {
            format!("n(X, a) · |sensitive leaves| ≤ {} · n(X) · |leaves|", asked.threat)
        }
        Asked::MatchingLDiversity(asked) => format!("possible values ≥ {}", asked.l),
        Asked::Projection(asked) => format!("Γα ≤ {}, Γβ ≤ {}", asked.alpha, asked.beta),
    }
}

/// The counts of the worst class that the comparison is made of.
fn in_numbers(clause: &Asked, class: &EquivalenceClass<'_>, microdata: &Microdata) -> String {
    let size = class.size;
    let tracked = clause.column().and_then(|column| microdata.table.column(column).ok());
    let Some(tracked) = tracked else { return size.to_string() };
    let mut counts = Vec::new();
    match privacy::SetValues::of(tracked, microdata.table.records) {
        Some(values) => counts.extend(values.count(class).into_iter().map(|(_, count)| count)),
        None => class.counts.for_each(&tracked.slots, |_, count| counts.push(count)),
    }
    counts.retain(|count| *count > 0);
    counts.sort_unstable_by(|a, b| b.cmp(a));
    match clause {
        Asked::LDiversity(LDiversity { diversity: Diversity::Distinct(_), .. }) => {
            let of = if microdata.crowd().is_some() { Counted::People } else { Counted::Records };
            format!("{} in {}", counted(counts.len() as u64, "value", "values"), of.counted(size))
        }
        _ => {
            let shown: Vec<String> = counts.iter().take(MOST_COUNTS).map(u64::to_string).collect();
            let more = if counts.len() > MOST_COUNTS { ", …" } else { "" };
            format!("{}{more} of {size}", shown.join(", "))
        }
    }
}

fn in_words(class: usize, microdata: &Microdata, recoding: &Recoding, classes: &ClassTable) -> String {
    let cells = microdata.quasi.iter().zip(&recoding.columns).zip(recoding.cells(class));
    let cells: Vec<String> = cells
        .map(|((quasi, column), cell)| format!("{} = {}", quasi.name, column.cells[*cell as usize].label))
        .collect();
    let of = match &classes.heads {
        Some(heads) => format!(" of {}", counted(heads.sizes()[class], "person", "people")),
        None => String::new(),
    };
    format!("{} ({}{of})", cells.join(", "), counted(classes.sizes[class], "record", "records"))
}

fn distributions(microdata: &Microdata, classes: &ClassTable) -> Vec<Distribution> {
    let sensitive = microdata.table.tracked.iter().filter(|column| column.role == Role::Sensitive);
    let distribution = |column: &privacy::TrackedColumn| {
        let after = counts_after(&column.slots, classes);
        let values = column.values.iter().zip(&column.totals).zip(after);
        let values = values.map(|((value, before), after)| ValueCount {
            value: value.clone(),
            before: (*before).into(),
            after,
        });
        Distribution { column: column.name.clone(), values: values.collect() }
    };
    sensitive.map(distribution).collect()
}

/// What was lost, by the measure that steered the method first. Where the method has prices of its own for suppression, the
/// plain measure comes before that: it is what the manifest states, and what other releases can be compared by.
fn losses(shape: &Recoded) -> Vec<Loss> {
    let Recoded { cost: steering_cost, costs, policy, .. } = shape;
    let (steering, others): (Vec<&ShownCost>, Vec<&ShownCost>) =
        costs.iter().partition(|cost| cost.name == steering_cost.name);
    let priced = |cost: &ShownCost| cost.info.formula == steering_cost.info.formula;
    let plain = steering.into_iter().find(|cost| !priced(cost));
    let name = match plain {
        Some(_) => format!("{} as {} prices suppression", steering_cost.name, policy.method.name()),
        None => steering_cost.name.to_string(),
    };
    let loss = |name: String, cost: &ShownCost| Loss {
        name,
        value: cost.value.into(),
        normalised: Some(cost.normalised.into()),
        formula: cost.info.formula.to_string(),
        range: cost.info.range.to_string(),
        direction: if cost.info.smaller_is_better { "lower is better" } else { "higher is better" }
            .to_string(),
    };
    let named = |cost: &ShownCost| loss(cost.name.to_string(), cost);
    let mut losses: Vec<Loss> = plain.map(named).into_iter().collect();
    losses.push(loss(name, steering_cost));
    losses.extend(others.into_iter().map(named));
    losses
}

/// The files that went in with the data.
fn inputs(policy: &CheckedPolicy) -> Vec<&Path> {
    let hierarchies = policy.columns.iter().filter_map(|column| column.hierarchy_path.as_deref());
    let sets = policy.columns.iter().filter_map(|column| column.sets.as_ref());
    let register = policy.population.as_ref().and_then(|population| population.table());
    let register = register.map(|table| table.path.as_path());
    let items = policy.columns.iter().filter_map(|column| column.items.as_ref()?.hierarchy_path.as_deref());
    let sets = sets.map(|sets| sets.knowledge_path.as_path());
    hierarchies.chain(sets).chain(items).chain(register).collect()
}
