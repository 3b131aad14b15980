//! What the release of one policy would lose and risk.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::{Value as Json, json};

use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::baskets::Baskets;
use privet_engine::loss::{self, items::ItemMeasure};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::kl::requirements;
use privet_methods::injector::utility::Accuracy;
use privet_methods::kl::recoding::{Dispatch, ItemRecoding};
use privet_methods::kl::{self, ItemTask};
use privet_methods::vocabulary::loss::BagLoss;
use privet_methods::{ShownCost, codip, injector, vocabulary};
use privet_policy::{AnyPolicy, CheckedPolicy, ReleaseKind, TransactionPolicy, VocabularyPolicy};

/// The measure that is drawn of transactions, and that of vocabularies.
pub(super) const ITEM_LOSS: &str = ItemMeasure::NAMES[0];
pub(super) const BAG_LOSS: &str = vocabulary::COST;

/// The title of the share of cells or occurrences that are published as they are.
const EXACTLY: &str = "exactly";

/// All policies are asked the same queries.
const QUERIES: u64 = 1;

/// What was measured of one policy.
#[derive(Debug)]
pub(super) struct Measured {
    /// The same facts, in the same order, for every policy that publishes the same kind of release.
    pub facts: Vec<Fact>,
    /// The loss that is drawn, as a share of the worst.
    pub loss: Option<f64>,
    /// The risk that is drawn.
    pub risk: Option<f64>,
    /// What has to be said below the table; empty where there is nothing.
    pub note: &'static str,
}

/// One figure, for the table and for scripts.
#[derive(Debug)]
pub(super) struct Fact {
    /// The title of its column.
    pub title: &'static str,
    /// Its place in the JSON object, with a dot before what is inside of another object; empty for none.
    key: String,
    value: Json,
    /// Whether it is reason enough to have the column.
    pub is_shown: bool,
}

impl Fact {
    fn new(title: &'static str, key: impl Into<String>, value: impl Into<Json>) -> Fact {
        Fact { title, key: key.into(), value: value.into(), is_shown: true }
    }

    /// A fact for scripts alone.
    fn hidden(key: &str, value: impl Into<Json>) -> Fact {
        Fact { is_shown: false, ..Fact::new("", key, value) }
    }

    /// A fact whose column is there if some policy has reason to show it.
    fn shown_if(self, is_shown: bool) -> Fact {
        Fact { is_shown, ..self }
    }

    /// The cell of the table.
    pub fn cell(&self) -> String {
        match &self.value {
            Json::Null => "-".to_string(),
            Json::String(text) => text.clone(),
            Json::Number(number) if number.is_f64() => match number.as_f64() {
                Some(value) if self.title == SECONDS => format!("{value:.3}"),
                Some(value) => digits(value),
                None => "-".to_string(),
            },
            Json::Object(cost) => cost["value"].as_f64().map_or_else(|| "-".to_string(), digits),
            other => other.to_string(),
        }
    }

    /// Writes the fact into the JSON object of its policy.
    pub fn write(&self, json: &mut Json) {
        match self.key.split_once('.') {
            None if self.key.is_empty() => {}
            None => json[&self.key] = self.value.clone(),
            Some((outer, inner)) => json[outer][inner] = self.value.clone(),
        }
    }
}

const SECONDS: &str = "seconds";

/// A number with as many digits as it needs, and six behind the point at most.
fn digits(value: f64) -> String {
    format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Decides what a policy would publish, and measures it.
pub(super) fn measure(policy: &AnyPolicy, clock: &Clock) -> Result<Measured> {
    match policy {
        AnyPolicy::Table(policy) => {
            let microdata = Microdata::read(policy, &mut |_| clock.check())?;
            match policy.publishes() {
                ReleaseKind::Groups => groups(policy, &microdata, clock),
                ReleaseKind::Projections => projections(policy, &microdata, clock),
                _ => table(policy, &microdata, clock),
            }
        }
        AnyPolicy::Transactions(policy) => transactions(policy, clock),
        AnyPolicy::Vocabularies(policy) => vocabularies(policy, clock),
    }
}

/// Said where a method prices its release otherwise than the measure of the same name.
const OWN_PRICES: &str = "\nThe plain measures price a suppressed record at 1 per quasi-identifier and a starred cell at \
     nothing. The own cost is what\nthe method minimised: the LM of l-plus-optimize prices a suppressed record at cost_record \
     and a starred cell at cost_value.\n";

fn table(policy: &CheckedPolicy, microdata: &Microdata, clock: &Clock) -> Result<Measured> {
    let mut solution = privet_methods::run(policy, microdata, clock)?;
    // Which records are suppressed may be left to the seed; how many does not depend on it.
    solution.recoding.draw(policy.seed.unwrap_or(0));
    let classes = solution.recoding.count(microdata);
    let costs = solution.recoding.costs(microdata, &classes);
    let named = |name: &str| costs.iter().find(|cost| cost.name == name);
    let own = solution.cost.as_ref().or_else(|| named(policy.method.cost().name()));
    let has_own_prices = own.is_some_and(|own| named(own.name).is_none_or(|plain| differ(own, plain)));
    let sizes: Vec<u64> = classes.sizes.iter().copied().filter(|size| *size > 0).collect();
    let released = microdata.summary.total() - classes.suppressed;
    let greatest = sizes.iter().min().map(|smallest| 1.0 / *smallest as f64);
    let mean = (released > 0).then(|| sizes.len() as f64 / released as f64);
    let mut facts = vec![
        Fact::new("suppressed", "suppressed", classes.suppressed),
        Fact::new("starred", "starred", classes.starred).shown_if(classes.starred > 0),
        Fact::new("classes", "classes", sizes.len()),
        Fact::new(SECONDS, "seconds", solution.search.seconds),
        Fact::new("optimal", "optimal", solution.search.optimal),
        Fact::new(EXACTLY, "published_exactly", solution.recoding.exactly(microdata, &classes)),
        Fact::new("own cost", "cost", own.map(|cost| json!({ "metric": cost.name, "value": cost.value })))
            .shown_if(has_own_prices),
    ];
    let plain =
        |name: &&'static str| Fact::new(name, format!("loss.{name}"), named(name).map(|cost| cost.value));
    facts.extend(loss::NAMES.iter().map(plain));
    facts.extend([Fact::new("max risk", "risk.max", greatest), Fact::new("mean risk", "risk.mean", mean)]);
    let note = if has_own_prices { OWN_PRICES } else { "" };
    Ok(Measured { facts, loss: named("LM").map(|cost| cost.normalised), risk: greatest, note })
}

fn differ(own: &ShownCost, plain: &ShownCost) -> bool {
    (own.value - plain.value).abs() > 1e-9 * own.value.abs().max(plain.value.abs())
}

const ABOUT_GROUPS: &str = "\nVulnerable records have fewer than l possible values to somebody who knows the rules of their \
     policy's [knowledge]; 'fewest\nvalues' is what is possible for the worst of them, 'surest' how sure of a value they can be. \
     The query error is the mean\nrelative error of 200 COUNT queries, the same for all policies on the same columns.\n";

fn groups(policy: &CheckedPolicy, microdata: &Microdata, clock: &Clock) -> Result<Measured> {
    let start = Instant::now();
    let decision = injector::decide(policy, microdata, policy.seed.unwrap_or(0), clock)?;
    let seconds = start.elapsed().as_secs_f64();
    let (exposure, total) = (&decision.exposure, microdata.summary.total());
    let released: u64 = decision.grouping.groups.iter().map(|group| group.len() as u64).sum();
    let error =
        Accuracy::of(&decision.observations, &decision.grouping, QUERIES).map(|accuracy| accuracy.here);
    let smallest = exposure.sizes.keys().next().copied().unwrap_or(0);
    let largest = exposure.sizes.keys().last().copied().unwrap_or(0);
    let surest = exposure.posterior.as_ref().map(|posterior| posterior.to_f64());
    let fewest = if exposure.groups == 0 { 0 } else { exposure.least_valid };
    let facts = vec![
        Fact::new("suppressed", "suppressed", total - released),
        Fact::new("groups", "groups", exposure.groups),
        Fact::new("sizes", "", format!("{smallest}-{largest}")),
        Fact::hidden("smallest", smallest),
        Fact::hidden("largest", largest),
        Fact::new("fewest values", "least_valid", fewest),
        Fact::new("vulnerable", "vulnerable", exposure.vulnerable),
        Fact::new("surest", "posterior", surest),
        Fact::new("mined rules", "rules", decision.mined),
        Fact::new(SECONDS, "seconds", seconds),
        Fact::new(EXACTLY, "published_exactly", released as f64 / total.max(1) as f64),
        Fact::new("query error", "loss.query-error", error),
    ];
    Ok(Measured { facts, loss: error, risk: surest, note: ABOUT_GROUPS })
}

fn projections(policy: &CheckedPolicy, microdata: &Microdata, clock: &Clock) -> Result<Measured> {
    let decision = codip::decide(policy, microdata, clock)?;
    // The mean over the tables.
    let tables = decision.projections.iter().map(|table| &table.recoding);
    let sum: f64 = tables.map(|recoding| recoding.exactly(microdata, &recoding.outline(microdata))).sum();
    let exactly = sum / decision.projections.len().max(1) as f64;
    let facts = vec![
        Fact::new("tables", "tables", decision.projections.len()),
        Fact::new("association loss", "loss.association-loss", decision.gamma_alpha),
        Fact::new("exposure", "risk.exposure", decision.gamma_beta),
        Fact::new(SECONDS, "seconds", decision.search.seconds),
        Fact::new("optimal", "optimal", decision.search.optimal),
        Fact::new(EXACTLY, "published_exactly", exactly),
    ];
    Ok(Measured { facts, loss: Some(decision.gamma_alpha), risk: Some(decision.gamma_beta), note: "" })
}

fn transactions(policy: &TransactionPolicy, clock: &Clock) -> Result<Measured> {
    let baskets = Baskets::read(policy, &mut |_| clock.check())?;
    let limits = requirements(policy, &baskets.tree)?;
    let task = ItemTask { baskets: &baskets, requirements: &limits, method: &policy.method };
    let solution = kl::run(&task, clock)?;
    let risk = mean_risk(&baskets, &solution.recoding, policy.seed.unwrap_or(0));
    let losses = ItemMeasure::ALL.map(|measure| solution.recoding.loss(measure, &baskets).value());
    let mut facts = vec![
        Fact::new(SECONDS, "seconds", solution.search.seconds),
        Fact::new("optimal", "optimal", solution.search.optimal),
        Fact::new(EXACTLY, "published_exactly", solution.recoding.exactly(&baskets)),
    ];
    let loss = |(name, loss): (&&'static str, f64)| Fact::new(name, format!("loss.{name}"), loss);
    facts.extend(ItemMeasure::NAMES.iter().zip(losses).map(loss));
    facts.extend([
        Fact::new("items", "items", solution.recoding.distinct(&baskets)),
        Fact::new("mean risk", "risk.mean", risk),
    ]);
    Ok(Measured { facts, loss: Some(losses[0]), risk: Some(risk), note: "" })
}

/// How many different sets are published, per transaction: an attacker who knows everything else picks one of those that look
/// alike.
fn mean_risk(baskets: &Baskets, recoding: &ItemRecoding, seed: u64) -> f64 {
    let mut dispatcher = recoding.dispatcher(seed, baskets);
    let (mut sets, mut nodes) = (BTreeSet::new(), Vec::new());
    for basket in 0..baskets.len() {
        for _ in 0..baskets.count(basket) {
            let dispatched = dispatcher.next(baskets, basket, &mut nodes);
            if dispatched == Dispatch::Published && !sets.contains(&nodes) {
                sets.insert(nodes.clone());
            }
        }
    }
    sets.len() as f64 / baskets.total().max(1) as f64
}

fn vocabularies(policy: &VocabularyPolicy, clock: &Clock) -> Result<Measured> {
    let decided = vocabulary::decide(policy, clock)?;
    let solution = &decided.solution;
    let loss = BagLoss::of(&decided.bags, solution, &decided.distances);
    let smallest = solution.clusters.iter().map(|cluster| cluster.members.len()).min();
    let risk = smallest.map(|smallest| 1.0 / smallest as f64);
    let facts = vec![
        Fact::new(SECONDS, "seconds", solution.search.seconds),
        Fact::new(EXACTLY, "published_exactly", loss.exactly.value()),
        Fact::new(BAG_LOSS, format!("loss.{BAG_LOSS}"), loss.blm.value()),
        Fact::new("gLM", "loss.gLM", loss.glm.map(|glm| glm.value())),
        Fact::new("distinct terms", "loss.distinct-terms", loss.distinct_terms.value()),
        Fact::new("size", "loss.vocabulary-size", loss.average_size.value()),
        Fact::new("clusters", "clusters", solution.clusters.len()),
        Fact::new("withheld", "withheld", solution.withheld.len()),
        Fact::new("max risk", "risk.max", risk),
    ];
    Ok(Measured { facts, loss: Some(loss.blm.value()), risk, note: "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_a_cell_and_a_figure_for_scripts() {
        let mut json = json!({});
        for (fact, cell) in [
            (Fact::new("classes", "classes", 55), "55"),
            (Fact::new("LM", "loss.LM", 1.5), "1.5"),
            (Fact::new("DM", "loss.DM", None::<f64>), "-"),
            (Fact::new(SECONDS, "seconds", 0.25), "0.250"),
            (Fact::new("sizes", "", "3-4"), "3-4"),
            (Fact::new("own cost", "cost", json!({ "metric": "LM", "value": 0.000_000_4 })), "0"),
        ] {
            assert_eq!(fact.cell(), cell);
            fact.write(&mut json);
        }
        assert_eq!(json["loss"], json!({ "LM": 1.5, "DM": null }));
        assert!(json.get("").is_none() && json["classes"] == 55);
    }
}
