//! Quasi-sensitive attributes (Shi, Xiong and Fung, *Anonymizing Data with Quasi-Sensitive Attribute Values*, CIKM 2010).
//!
//! There are two phases. First Mondrian groups the records by their quasi-identifiers, as for k-anonymity (with k = 1:
//! groups of equal values, nothing is generalised). Then, in each group that fails, occurrences of terms are removed at
//! the least cost until the group passes: see [`privet_engine::suppression`]. Removing a term from a record with w
//! terms left costs 1/w.
//!
//! Removing terms never makes a record link to fewer labels, and a group of empty sets links to all labels equally. So
//! if that meets the requirements, every group can be repaired. If it does not (few labels, or a prior far from
//! uniform), a group may be beyond repair: it is merged with its sibling in Mondrian's tree, or its records are
//! withheld, or the run fails, as the policy states.

mod groups;
mod schedule;
mod sets;
#[cfg(test)]
mod tests;

use std::time::Instant;

use super::mondrian::{AxisLabels, MondrianSplitter, RecordPart};
use super::plan::{BoxPlan, Plan, RemovedTerm, TermRemovals};
use super::released_sets::{GroupCounts, ReleasedSets};
use super::{SearchFacts, ShownCost, Solution};
use groups::MondrianGroups;
use privet_core::clock::Clock;
use privet_core::counted;
use privet_core::{Error, Result};
use privet_engine::loss;
use privet_engine::microdata::{Microdata, SetColumn};
use privet_engine::partition;
use privet_engine::privacy;
use privet_engine::privacy::quasi_sensitive::{
    Links, Prior, PriorCounter, PriorKind, QsCloseness, QsDiversity,
};
use privet_engine::suppression::{Answer, Goal, Order, Prices};
use privet_policy::method::{Partitioning, QuasiSensitive, RemovalSearch, WayOut};
use privet_policy::{CheckedPolicy, Requirement};
use schedule::GroupSolver;
use sets::CellTerms;

/// The description of the cost.
static COST: loss::Info = loss::Info {
    name: "QS",
    formula: "Σ 1/w over the removed terms, where w terms were left in the record",
    range: "0 … Σ (1 + 1/2 + … + 1/w) over the records",
    smaller_is_better: true,
};

/// The requirements of the policy, ready to test groups.
pub struct SetRequirements {
    /// The quasi-sensitive column.
    pub column: SetColumn,
    /// What terms reveal.
    pub links: Links,
    /// The requirements on every group.
    pub goal: Goal,
    /// The terms of every distinct cell.
    sets: CellTerms,
    /// The cost of removing terms.
    prices: Prices,
    /// Records that link to no label at all.
    unlinked: u64,
}

impl SetRequirements {
    /// Reads the policy's requirements on the quasi-sensitive column.
    pub fn of(policy: &CheckedPolicy, microdata: &Microdata) -> Result<SetRequirements> {
        let column = microdata.sets.clone().ok_or_else(|| Error::internal("no column of sets"))?;
        let links = Links::of(&column.policy);
        let sets = CellTerms::of(microdata, &column, &links);
        let counter = sets.count(microdata, &links);
        let unlinked = counter.unlinked();
        let (mut diversity, mut closeness) = (None, None);
        let mut prior = Some(counter);
        for (position, clause) in policy.requirements.iter().enumerate() {
            let at = |error| policy.at_requirement(position, error);
            match clause {
                Requirement::QsDiversity(asked) => diversity = Some(QsDiversity::of(asked)),
                Requirement::QsCloseness(asked) => {
                    let demand = QsCloseness::of(asked);
                    let Some(counter) = prior.take() else { continue };
                    let prior = prior_of(demand.prior, counter, &column, &links).map_err(at)?;
                    closeness = Some((demand, prior));
                }
                // Mondrian forms the groups by these, if they are present.
                Requirement::KAnonymity(_)
                | Requirement::LDiversity(_)
                | Requirement::LPlusDiversity(_)
                | Requirement::LkcPrivacy(_)
                | Requirement::TCloseness(_)
                | Requirement::BetaLikeness(_)
                | Requirement::DeltaDisclosure(_)
                | Requirement::KMap(_)
                | Requirement::DeltaPresence(_)
                | Requirement::AverageRisk(_)
                | Requirement::SampleUniqueness(_)
                | Requirement::PopulationUniqueness(_)
                | Requirement::IndividualRisk(_)
                | Requirement::HouseholdRisk(_)
                | Requirement::NtCloseness(_)
                | Requirement::KlOfSets(_)
                | Requirement::MatchingLDiversity(_)
                | Requirement::Projection(_)
                | Requirement::FfAnonymity(_) => {}
            }
        }
        let prices = Prices::new(sets.longest());
        Ok(SetRequirements { column, links, goal: Goal::new(diversity, closeness), sets, prices, unlinked })
    }

    /// Warnings to read before publishing the release.
    fn warnings(&self, records: u64) -> Vec<String> {
        let (column, mut warnings) = (&self.column.name, Vec::new());
        if !self.sets.any_known() {
            warnings.push(format!(
                "no term of column '{column}' occurs in {}: nothing can link, so every record counts as linked to \
                 all labels; check the separator and the spelling of the terms",
                self.column.policy.knowledge_path.display()
            ));
        }
        if self.column.policy.unknown_terms == privet_policy::UnknownTerms::Strict {
            warnings.push(format!(
                "unknown_terms = \"strict\" lets a term that no label mentions hide what a record's other terms reveal; an \
                 adversary who ignores such terms links more ({} of {} to nothing). Leave out unknown_terms to guard against them",
                self.unlinked,
                counted(records, "record links", "records link")
            ));
        } else if self.unlinked > 0 {
            warnings.push(format!(
                "{} of {} a combination of terms that no single label has: such a record links to nothing and is not protected by this \
                 requirement; complete the knowledge file if such people exist",
                self.unlinked,
                counted(records, "record has", "records have")
            ));
        }
        warnings
    }
}

fn prior_of(kind: PriorKind, counter: PriorCounter, column: &SetColumn, links: &Links) -> Result<Prior> {
    match kind {
        PriorKind::Microdata => Ok(counter.finish()),
        PriorKind::Uniform => Ok(Prior::uniform(links.labels())),
        PriorKind::Weight => Prior::weighted(&column.policy.knowledge)
            .ok_or_else(|| Error::internal("a prior by weights that the knowledge file lacks")),
    }
}

/// The fate of a group.
enum GroupFate {
    /// Its records are released without the removed occurrences.
    Released(Answer),
    /// Its records are withheld.
    Withheld,
}

pub(super) fn run(
    policy: &CheckedPolicy,
    own: &QuasiSensitive,
    microdata: &Microdata,
    clock: &Clock,
) -> Result<Solution> {
    let asked = SetRequirements::of(policy, microdata)?;
    let requirements = privacy::class_requirements(policy, &microdata.table)?;
    let requirements = requirements.into_iter().map(|(_, requirement)| requirement).collect();
    let labels = AxisLabels::of_numbers(policy, own.numbers, microdata);
    let mondrian =
        MondrianSplitter::new(policy, (own.partitioning, &labels), microdata, requirements, clock)?;
    let tree = partition::partition_tree(&mondrian, mondrian.whole()?, clock)?;
    let mut groups = MondrianGroups::new(tree, &mondrian);

    let order = match own.search {
        RemovalSearch::Dfs => Order::Plain,
        RemovalSearch::Adaptive => Order::Adaptive,
    };
    let limited = clock.with_limit(own.time_limit);
    let end = own.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let strict = (Partitioning::Strict, labels.as_slice());
    let parts = MondrianSplitter::new(policy, strict, microdata, Vec::new(), &limited)?;
    let solver = GroupSolver { asked: &asked, microdata, order, parts, end, clock: &limited };
    let fates = settle(&solver, &mut groups, &mondrian, own.infeasible)?;
    solution(&solver, &groups, &mondrian, fates)
}

/// Finds a solution for every group, or a way out; then uses the remaining time to improve the solutions.
fn settle(
    solver: &GroupSolver<'_>,
    groups: &mut MondrianGroups,
    mondrian: &MondrianSplitter<'_>,
    way_out: WayOut,
) -> Result<Vec<GroupFate>> {
    loop {
        let open: Vec<usize> = (0..groups.len()).filter(|group| !groups.is_settled(*group)).collect();
        let parts: Vec<&RecordPart> = open.iter().map(|group| groups.part(*group)).collect();
        let mut answers = solver.dive(&parts)?;
        solver.search_on(&parts, &mut answers, true)?;
        let mut hopeless = Vec::new();
        for (group, answer) in open.into_iter().zip(answers) {
            match answer.found {
                Some(_) => groups.settle(group, GroupFate::Released(answer)),
                None if way_out == WayOut::Suppress => groups.settle(group, GroupFate::Withheld),
                None => hopeless.push((group, answer.complete)),
            }
        }
        if hopeless.is_empty() {
            break;
        }
        let proven = hopeless.iter().any(|(_, complete)| *complete);
        if way_out == WayOut::Fail || !solver.can_be_saved_by_merging() {
            return Err(beyond_help(solver, hopeless.len(), proven));
        }
        let hopeless: Vec<usize> = hopeless.into_iter().map(|(group, _)| group).collect();
        if !groups.merge(&hopeless, mondrian) {
            return Err(beyond_help(solver, 1, proven));
        }
    }
    let mut fates = groups.take_fates();
    let mut open = Vec::new();
    let mut parts = Vec::new();
    let mut answers = Vec::new();
    for (group, fate) in fates.iter_mut().enumerate() {
        if let GroupFate::Released(answer) = fate
            && !answer.complete
        {
            open.push(group);
            parts.push(groups.part(group));
            answers.push(answer.clone());
        }
    }
    solver.search_on(&parts, &mut answers, false)?;
    for (group, answer) in open.into_iter().zip(answers) {
        fates[group] = GroupFate::Released(answer);
    }
    Ok(fates)
}

fn beyond_help(solver: &GroupSolver<'_>, groups: usize, proven: bool) -> Error {
    let labels = solver.asked.links.labels();
    let how_many = if groups == 1 { "a group".to_string() } else { format!("{groups} groups") };
    let why = match &solver.asked.goal.diversity {
        Some(demand) if demand.l > labels => {
            format!("l = {} requires more labels than the {labels} of the knowledge file", demand.l)
        }
        Some(demand) if !demand.is_possible(labels) => format!(
            "with {}, c = {} and l = {} not even records without terms are diverse",
            counted(labels as u64, "label", "labels"),
            demand.c,
            demand.l
        ),
        _ if proven => format!("no removal of terms brings {how_many} near enough to the prior"),
        _ => format!("no removal of terms that repairs {how_many} was found within the time limit"),
    };
    let help = if solver.can_be_saved_by_merging() {
        "lower the requirement, raise k, or set infeasible = \"merge\" or \"suppress\" in [method]"
    } else {
        "no grouping changes that: lower l, raise c, or use a knowledge file with more labels"
    };
    Error::infeasible(format!("no release can meet the policy: {why}")).help(help)
}

/// The warning about groups that the search did not reach.
fn out_of_time(counts: &GroupCounts) -> Option<String> {
    let (unsearched, total) = (counts.unsearched, counts.total);
    (unsearched > 0).then(|| {
        format!(
            "the time limit left no time to search {unsearched} of {total} groups: as many of their records as necessary were \
             released without any terms, which meets the policy but loses more than necessary; raise time_limit in [method]"
        )
    })
}

/// What became of the terms, for the plan.
fn removals(counts: &GroupCounts, sets: &ReleasedSets) -> TermRemovals {
    let groups = [
        ("total", counts.total),
        ("untouched", counts.untouched),
        ("optimal", counts.optimal),
        ("open", counts.open),
        ("unsearched", counts.unsearched),
        ("merged", counts.merged),
        ("withheld", counts.withheld),
    ];
    let removed = sets.removed.iter().map(|(term, count)| RemovedTerm { term: term.clone(), count: *count });
    TermRemovals {
        groups: groups.into_iter().map(|(name, count)| (name.to_string(), count)).collect(),
        removed: removed.collect(),
    }
}

/// Assembles the solution.
fn solution(
    solver: &GroupSolver<'_>,
    groups: &MondrianGroups,
    mondrian: &MondrianSplitter<'_>,
    fates: Vec<GroupFate>,
) -> Result<Solution> {
    let (asked, microdata) = (solver.asked, solver.microdata);
    let mut counts =
        GroupCounts { total: fates.len() as u64, merged: groups.merged(), ..GroupCounts::default() };
    let (mut cost, mut bound, mut examined) = (0, 0, 0);
    let mut released = Vec::new();
    for (group, fate) in fates.iter().enumerate() {
        match fate {
            GroupFate::Withheld => {
                counts.withheld += 1;
                let lost: u128 = (groups.part(group).iter())
                    .map(|(record, count)| {
                        asked.sets.price(&asked.prices, microdata, *record) * u128::from(*count)
                    })
                    .sum();
                cost += lost;
                bound += lost;
            }
            GroupFate::Released(answer) => {
                let Some(found) = &answer.found else { continue };
                cost += found.cost;
                bound += answer.bound;
                examined += answer.tries;
                match (found.removed.is_empty(), answer.complete) {
                    (true, true) => counts.untouched += 1,
                    (false, true) => counts.optimal += 1,
                    (_, false) => counts.open += 1,
                }
                counts.unsearched += u64::from(!answer.complete && !answer.dived);
                released.push((group, found));
            }
        }
    }
    let parts: Vec<RecordPart> = released.iter().map(|(group, _)| groups.part(*group).clone()).collect();
    let (recoding, classes) = mondrian.recoding(&parts);
    let mut sets = ReleasedSets::new(asked.column.policy.separator);
    let mut removed = std::collections::BTreeMap::new();
    for (class, (group, found)) in released.iter().enumerate() {
        asked.sets.write(
            microdata,
            &asked.column,
            groups.part(*group),
            found,
            class as u32,
            &mut sets,
            &mut removed,
        );
    }
    sets.removed = removed.into_iter().collect();
    sets.removed.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    sets.groups = counts;
    sets.unlinked = asked.unlinked;
    let whole: u128 = (0..microdata.summary.len())
        .map(|record| {
            let count = microdata.summary.count(record);
            asked.sets.price(&asked.prices, microdata, record as u32) * u128::from(count)
        })
        .sum();
    let value = asked.prices.value(cost);
    let search = SearchFacts {
        optimal: counts.open == 0,
        bound: Some(asked.prices.value(bound)),
        ..SearchFacts::unproven(examined, solver.clock)
    };
    let terms = Some(removals(&counts, &sets));
    let plan = Plan::Boxes(BoxPlan { terms, ..mondrian.plan(&recoding, &parts, &classes) });
    let cost = ShownCost {
        name: COST.name,
        value,
        exact: asked.prices.exact(cost),
        normalised: if whole == 0 { 0.0 } else { value / asked.prices.value(whole) },
        info: &COST,
    };
    let mut warnings = asked.warnings(microdata.summary.total());
    warnings.extend(out_of_time(&counts));
    Ok(Solution { recoding, plan, search, cost: Some(cost), warnings, sets: Some(sets) })
}
