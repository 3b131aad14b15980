//! Quasi-sensitive attributes (Shi, Xiong and Fung, *Anonymizing Data with Quasi-Sensitive Attribute Values*, CIKM 2010).
//!
//! Two phases. First Mondrian puts the records into groups by their quasi-identifiers, as it does for k-anonymity (with
//! k = 1: groups of equal values, nothing is generalised). Then, in each group that fails, occurrences of terms are removed
//! until the group passes, at the least cost: see [`privet_engine::suppression`]. Removing a term from a record with w
//! terms left costs 1/w.
//!
//! Removing terms never makes a record link to fewer labels, and a group of empty sets links to all labels alike. So where
//! that meets the requirements, every group can be saved. Where it does not (few labels, or a prior that is far from
//! uniform), a group may be beyond help: it is joined with its sibling in Mondrian's tree, or its records are withheld, or
//! the run fails, as the policy says.

mod groups;
mod schedule;
mod sets;
#[cfg(test)]
mod tests;

use std::time::Instant;

use serde_json::json;

use super::mondrian::{Mondrian, Part};
use super::released_sets::{GroupCounts, ReleasedSets};
use super::{SearchFacts, ShownCost, Solution};
use groups::Groups;
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
use privet_policy::method::{QuasiSensitive, RemovalSearch, WayOut};
use privet_policy::{CheckedPolicy, Requirement};
use schedule::Solver;
use sets::Sets;

/// What the cost says about itself.
static COST: loss::Info = loss::Info {
    name: "QS",
    formula: "Σ 1/w over the removed terms, where w terms were left in the record",
    range: "0 … Σ (1 + 1/2 + … + 1/w) over the records",
    smaller_is_better: true,
};

/// What the policy asks for, ready to judge groups.
pub struct Asked {
    /// The quasi-sensitive column.
    pub column: SetColumn,
    /// What terms reveal.
    pub links: Links,
    /// What must hold in every group.
    pub goal: Goal,
    /// The terms of every distinct cell.
    sets: Sets,
    /// What removing terms costs.
    prices: Prices,
    /// Records that link to no label at all.
    unlinked: u64,
}

impl Asked {
    /// Reads the policy's requirements about the quasi-sensitive column.
    pub fn of(policy: &CheckedPolicy, microdata: &Microdata) -> Result<Asked> {
        let column = microdata.sets.clone().ok_or_else(|| {
            Error::input("method \"quasi-sensitive\" needs a column of role 'quasi-sensitive'")
                .help("say which: [columns.symptoms] role = \"quasi-sensitive\", separator = \"|\", knowledge = \"diseases.csv\"")
        });
        let column = column.map_err(|error| policy.at_method("name", error))?;
        let links = Links::of(&column.policy);
        let sets = Sets::of(microdata, &column, &links);
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
                // Mondrian forms the groups by these, if at all.
                Requirement::KAnonymity(_)
                | Requirement::LDiversity(_)
                | Requirement::LPlusDiversity(_)
                | Requirement::TCloseness(_)
                | Requirement::NtCloseness(_)
                | Requirement::MatchingLDiversity(_)
                | Requirement::Projection(_)
                | Requirement::FfAnonymity(_) => {}
            }
        }
        let prices = Prices::new(sets.longest());
        Ok(Asked { column, links, goal: Goal::new(diversity, closeness), sets, prices, unlinked })
    }

    /// What the publisher should know before the release leaves the house.
    fn warnings(&self, records: u64) -> Vec<String> {
        let (column, mut warnings) = (&self.column.name, Vec::new());
        if !self.sets.any_known() {
            warnings.push(format!(
                "no term of column '{column}' occurs in {}: nothing can link, so every record counts as one that links to \
                 all labels; is the separator right, and are terms spelt alike?",
                self.column.policy.knowledge_path.display()
            ));
        }
        if self.column.policy.unknown_terms == privet_policy::UnknownTerms::Strict {
            warnings.push(format!(
                "unknown_terms = \"strict\" lets a term that no label mentions hide what a record's other terms reveal; an \
                 adversary who leaves such terms aside links more ({} of {} to nothing)",
                self.unlinked,
                counted(records, "record links", "records link")
            ));
        } else if self.unlinked > 0 {
            warnings.push(format!(
                "{} of {} terms that no single label has together: such a record links to nothing and is not protected by this \
                 requirement",
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
        PriorKind::Weight => Prior::weighted(&column.policy.knowledge).ok_or_else(|| {
            Error::input("prior = \"weight\", but the knowledge file has no column 'weight'")
                .help("add the column, or choose prior = \"microdata\" or \"uniform\"")
        }),
    }
}

/// What became of a group.
enum Fate {
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
    let asked = Asked::of(policy, microdata)?;
    let requirements = privacy::class_requirements(policy, &microdata.table)?;
    let requirements = requirements.into_iter().map(|(_, requirement)| requirement).collect();
    let mondrian = Mondrian::new((own.partitioning, own.numbers), microdata, requirements, clock);
    let tree = partition::partition_tree(&mondrian, mondrian.whole()?, clock)?;
    let mut groups = Groups::new(tree, &mondrian);

    let order = match own.search {
        RemovalSearch::Dfs => Order::Plain,
        RemovalSearch::Adaptive => Order::Adaptive,
    };
    let limited = clock.with_limit(own.time_limit);
    let end = own.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    let solver = Solver { asked: &asked, microdata, order, end, clock: &limited };
    let fates = settle(&solver, &mut groups, &mondrian, own.infeasible)?;
    solution(&solver, &groups, &mondrian, fates)
}

/// Finds an answer for every group, or a way out; then uses the time that is left to improve the answers.
fn settle(
    solver: &Solver<'_>,
    groups: &mut Groups,
    mondrian: &Mondrian<'_>,
    way_out: WayOut,
) -> Result<Vec<Fate>> {
    loop {
        let open: Vec<usize> = (0..groups.len()).filter(|group| !groups.is_settled(*group)).collect();
        let parts: Vec<&Part> = open.iter().map(|group| groups.part(*group)).collect();
        let mut answers = solver.dive(&parts)?;
        solver.search_on(&parts, &mut answers, true)?;
        let mut hopeless = Vec::new();
        for (group, answer) in open.into_iter().zip(answers) {
            match answer.found {
                Some(_) => groups.settle(group, Fate::Released(answer)),
                None if way_out == WayOut::Suppress => groups.settle(group, Fate::Withheld),
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
        if let Fate::Released(answer) = fate
            && !answer.complete
        {
            open.push(group);
            parts.push(groups.part(group));
            answers.push(answer.clone());
        }
    }
    solver.search_on(&parts, &mut answers, false)?;
    for (group, answer) in open.into_iter().zip(answers) {
        fates[group] = Fate::Released(answer);
    }
    Ok(fates)
}

fn beyond_help(solver: &Solver<'_>, groups: usize, proven: bool) -> Error {
    let labels = solver.asked.links.labels();
    let how_many = if groups == 1 { "a group".to_string() } else { format!("{groups} groups") };
    let why = match &solver.asked.goal.diversity {
        Some(demand) if demand.l > labels => {
            format!("l = {} asks for more labels than the {labels} of the knowledge file", demand.l)
        }
        Some(demand) if !demand.is_possible(labels) => format!(
            "with {}, c = {} and l = {} not even records without terms are diverse",
            counted(labels as u64, "label", "labels"),
            demand.c,
            demand.l
        ),
        _ if proven => format!("no removal of terms brings {how_many} near enough to the prior"),
        _ => format!("no removal of terms was found within the time limit that saves {how_many}"),
    };
    let help = if solver.can_be_saved_by_merging() {
        "lower the requirement, raise k, or set infeasible = \"merge\" or \"suppress\" in [method]"
    } else {
        "no grouping changes that: lower l, raise c, or name a knowledge file with more labels"
    };
    Error::infeasible(format!("no release can meet the policy: {why}")).help(help)
}

/// What is said of groups that the search did not get to.
fn out_of_time(counts: &GroupCounts) -> Option<String> {
    let (unsearched, total) = (counts.unsearched, counts.total);
    (unsearched > 0).then(|| {
        format!(
            "the time limit left no time to search {unsearched} of {total} groups: as many of their records as it takes were \
             released without any terms, which meets the policy but loses more than needed; raise time_limit in [method]"
        )
    })
}

/// Puts together what was decided.
fn solution(
    solver: &Solver<'_>,
    groups: &Groups,
    mondrian: &Mondrian<'_>,
    fates: Vec<Fate>,
) -> Result<Solution> {
    let (asked, microdata) = (solver.asked, solver.microdata);
    let mut counts =
        GroupCounts { total: fates.len() as u64, merged: groups.merged(), ..GroupCounts::default() };
    let (mut cost, mut bound, mut examined) = (0, 0, 0);
    let mut released = Vec::new();
    for (group, fate) in fates.iter().enumerate() {
        match fate {
            Fate::Withheld => {
                counts.withheld += 1;
                let lost: u128 = (groups.part(group).iter())
                    .map(|(record, count)| {
                        asked.sets.price(&asked.prices, microdata, *record) * u128::from(*count)
                    })
                    .sum();
                cost += lost;
                bound += lost;
            }
            Fate::Released(answer) => {
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
    let parts: Vec<Part> = released.iter().map(|(group, _)| groups.part(*group).clone()).collect();
    let recoding = mondrian.recoding(&parts);
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
    let mut plan = mondrian.plan(&recoding, &parts);
    plan["groups"] = json!({
        "total": counts.total, "untouched": counts.untouched, "optimal": counts.optimal, "open": counts.open,
        "unsearched": counts.unsearched,
        "merged": counts.merged, "withheld": counts.withheld,
    });
    plan["removed"] =
        sets.removed.iter().map(|(term, count)| json!({ "term": term, "count": count })).collect();
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
