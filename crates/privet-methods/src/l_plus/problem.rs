//! From a policy and a table to the search problem.

use std::sync::Arc;

use num_integer::Integer;

use super::bound::LPlusProblem;
use super::rules::{CostRules, Metric, Scheme};
use super::table::FineTable;
use privet_core::{Error, Exact, Result};
use privet_engine::cut::{Forest, Tree};
use privet_engine::microdata::{Microdata, QuasiIdentifier};
use privet_engine::privacy::l_plus::{Thresholds, thresholds};
use privet_policy::method::{LPlusOptimize, SimulatedAnnealing};
use privet_policy::{CheckedPolicy, ColumnWeights, Requirement, weights_too_large};
use privet_taxonomy::NodeId;

/// Prices are exact up to this many units in 1; beyond that, they are rounded down to 64 binary digits.
const MOST_UNITS: u128 = 1 << 64;

/// The requirements and settings of the search.
#[derive(Debug)]
pub struct LPlusTask {
    pub scheme: Scheme,
    pub metric: Metric,
    pub k: u64,
    pub thresholds: Thresholds,
    settings: SuppressionSettings,
    /// Of the quasi-identifiers, as the table has them.
    weights: Vec<ColumnWeights>,
}

/// The settings shared by the methods of this family, and what they charge for suppression.
#[derive(Debug, Clone, Copy)]
pub struct SuppressionSettings {
    scheme: Scheme,
    metric: Metric,
    cost_value: Option<Exact>,
    cost_record: Option<Exact>,
}

impl From<&LPlusOptimize> for SuppressionSettings {
    fn from(own: &LPlusOptimize) -> SuppressionSettings {
        let LPlusOptimize { suppression, cost, cost_value, cost_record, .. } = *own;
        SuppressionSettings { scheme: suppression, metric: cost, cost_value, cost_record }
    }
}

impl From<&SimulatedAnnealing> for SuppressionSettings {
    fn from(own: &SimulatedAnnealing) -> SuppressionSettings {
        let SimulatedAnnealing { suppression, cost, cost_value, cost_record, .. } = *own;
        SuppressionSettings { scheme: suppression, metric: cost, cost_value, cost_record }
    }
}

/// Reads the requirements and the method's settings.
pub fn asked(
    policy: &CheckedPolicy,
    settings: SuppressionSettings,
    microdata: &Microdata,
) -> Result<LPlusTask> {
    let SuppressionSettings { scheme, metric, .. } = settings;
    let k = policy.k();
    let asked = policy.requirements.iter().enumerate().find_map(|(position, asked)| match asked {
        Requirement::LPlusDiversity(asked) => Some((position, asked)),
        _ => None,
    });
    let (position, asked) = asked.ok_or_else(|| Error::internal("thresholds without a requirement"))?;
    let thresholds =
        thresholds(asked, &microdata.table).map_err(|error| policy.at_requirement(position, error))?;
    if scheme.stars() && microdata.table.tracked[thresholds.column].values.iter().any(|value| value == "*") {
        let name = &microdata.table.tracked[thresholds.column].name;
        let wrong =
            Error::input(format!("column '{name}' contains the value '*', which marks suppressed cells"));
        let help = if policy.missing.iter().any(|spelling| spelling == "*") {
            "it marks missing values: rename it, or set on_missing = \"drop\" in [data]"
        } else {
            "list \"*\" under 'missing' in [data], or rename the value"
        };
        return Err(policy.at_requirement(position, wrong.help(help)));
    }
    let weights = microdata.quasi.iter().map(|quasi| policy.columns[quasi.index].weights.clone()).collect();
    Ok(LPlusTask { scheme, metric, k, thresholds, settings, weights })
}

/// Builds the problem.
pub fn problem(microdata: &Microdata, asked: &LPlusTask) -> Result<LPlusProblem> {
    let trees = microdata.quasi.iter().map(|quasi| {
        let mut occupied = vec![false; quasi.taxonomy.leaves()];
        quasi.leaf_of_code.iter().for_each(|leaf| occupied[*leaf as usize] = true);
        Tree::new(&quasi.taxonomy, |leaf| occupied[leaf])
    });
    problem_in(microdata, asked, Forest { trees: trees.collect() })
}

/// Builds the problem over some nodes of the hierarchies.
pub fn problem_in(microdata: &Microdata, asked: &LPlusTask, forest: Forest) -> Result<LPlusProblem> {
    let labels = microdata.label().map_or(0, |label| label.values.len());
    let theta = asked.thresholds.theta.clone();
    let mut rules =
        CostRules::new(asked.scheme, asked.metric, theta, asked.k, microdata.table.records, labels);
    price(&mut rules, asked, microdata, &forest)?;
    rules.settle_grain();
    let counts = (microdata.quasi.iter().zip(&forest.trees))
        .map(|(quasi, tree)| tree.totals(quasi.leaf_of_code.iter().zip(&quasi.counts)));
    let counts = counts.collect();
    let fine = Arc::new(FineTable::new(&rules, &forest, microdata, asked.thresholds.column));
    Ok(LPlusProblem { rules, forest, fine, counts })
}

/// What a cell costs that is published as a node, as a fraction.
pub(super) fn cell_price(weights: &ColumnWeights, quasi: &QuasiIdentifier, node: NodeId) -> (u64, u64) {
    let span = quasi.values().saturating_sub(1);
    weights.cell(quasi.taxonomy.height(node), (quasi.values_below(node) - 1, span))
}

/// Prices cells and records: LM in integer units over a common denominator.
fn price(rules: &mut CostRules, asked: &LPlusTask, microdata: &Microdata, forest: &Forest) -> Result<()> {
    let (settings, weights) = (&asked.settings, &asked.weights);
    rules.weighted = weights.iter().any(|weights| !weights.are_plain());
    let most = ColumnWeights::most_of_record(weights)?;
    let per_cell = settings.cost_value.unwrap_or(most);
    let twice = Exact::new(2 * most.numerator(), most.denominator()).ok_or_else(weights_too_large)?;
    let per_record = settings.cost_record.unwrap_or(twice);
    if rules.metric != Metric::Lm {
        rules.losses = forest.trees.iter().map(|tree| vec![0; tree.len()]).collect();
        return Ok(());
    }
    let spans = microdata.quasi.iter().map(|quasi| quasi.values().saturating_sub(1));
    let weighed = weights.iter().zip(spans).flat_map(|(weights, span)| {
        let levels = 0..=weights.levels.len();
        levels.map(move |level| weights.cell(level, (0, span)).1)
    });
    let denominators = weighed.chain([per_cell.denominator(), per_record.denominator()]);
    let mut units = Some(1u128);
    for denominator in denominators.map(|denominator| u128::from(denominator.max(1))) {
        units = units.and_then(|units| (units / units.gcd(&denominator)).checked_mul(denominator));
        units = units.filter(|units| *units <= MOST_UNITS);
    }
    rules.exact = units.is_some();
    rules.units = units.unwrap_or(MOST_UNITS);
    let losses = microdata.quasi.iter().zip(&forest.trees).zip(weights).map(|((quasi, tree), weights)| {
        let loss = |node: u32| {
            let (num, den) = cell_price(weights, quasi, tree.taxonomy_node(node));
            rules.in_units(num, den)
        };
        (0..tree.len() as u32).map(loss).collect()
    });
    let losses = losses.collect();
    (rules.per_cell, rules.per_record) = (
        rules.in_units(per_cell.numerator(), per_cell.denominator()),
        rules.in_units(per_record.numerator(), per_record.denominator()),
    );
    rules.losses = losses;
    Ok(())
}
