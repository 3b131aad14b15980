//! What is known about the versions of a table of mixed columns that the method rejected.
//!
//! A cut value that `ff` kept was not specialised because of a breach: with one of its children in view, a guarded
//! value of another column would have been too likely. An attacker who knows all other columns of everybody sees who
//! would have been separated, and considers all ways to assign the released values of the guarded column within a
//! class.
//!
//! A rejection reveals something about *this* column only if no other can be breached. And single classes are enough
//! only if all that is shown of the other columns can be observed: then every node is the disjoint union of
//! observable ones below it, and if any combination breaches, one of shown values alone does (see
//! `freeform/model.rs`).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sample::{PublishedClass, Rejection};
use super::splits::{below, failed_in_one};
use crate::Scene;
use crate::columns::least_size;
use crate::freeform::model::{MixedAttribute, asked};
use crate::shown::ShownPeople;
use crate::view::TableView;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_policy::CheckedPolicy;
use privet_taxonomy::{NodeId, Taxonomy};

/// The one table, its people, and the column that can be breached.
pub(super) struct BreachableTable {
    shown: ShownPeople,
    /// What is known of the column that can be breached, and its place among the mixed ones.
    attribute: MixedAttribute,
    target: usize,
    k: u64,
    threat: f64,
}

/// What to sample.
pub(super) struct SamplingTask {
    pub lots: Vec<PublishedClass>,
    pub reasons: Vec<Rejection>,
    /// How many people are in no class that a reason is about.
    pub left_out: u64,
    /// How likely each value may be.
    pub limits: Vec<f64>,
    /// The values: nodes of the column that can be breached.
    values: Vec<NodeId>,
}

/// Whether a rejection tells something; else why not, as a clause.
pub(super) fn concerns(scene: &Scene<'_>, policy: &CheckedPolicy) -> std::result::Result<(), String> {
    let [view] = scene.tables()? else { return Err("the release consists of several tables".to_string()) };
    BreachableTable::of(policy, view, scene.clock).map_err(|error| error.message().to_string())?.map(drop)
}

impl BreachableTable {
    /// Looks a table up; a clause where it does not lend itself to this.
    pub fn of(
        policy: &CheckedPolicy,
        view: &TableView,
        clock: &Clock,
    ) -> Result<std::result::Result<BreachableTable, String>> {
        let shown = ShownPeople::of(view, clock)?;
        let asked = asked(policy)?;
        let attribute = |(column, tree): (&usize, &Arc<Taxonomy>)| {
            let column = &view.columns[*column];
            let mixed = column.policy.mixed.as_ref();
            let mixed = mixed.ok_or_else(|| Error::internal("a column under attack is not mixed"))?;
            Ok(MixedAttribute::new(&column.name, tree.clone(), mixed, asked))
        };
        let mut attributes: Vec<MixedAttribute> =
            shown.columns.iter().zip(&shown.trees).map(attribute).collect::<Result<_>>()?;
        let endangered: Vec<usize> =
            (0..attributes.len()).filter(|at| attributes[*at].is_endangered()).collect();
        let target = match endangered.as_slice() {
            [target] => *target,
            [] => return Ok(Err("nothing can be breached, so rejections reveal nothing".to_string())),
            _ => {
                return Ok(Err(
                    "several columns can be breached, so the reason for a rejection is not known".to_string(),
                ));
            }
        };
        let is_seen = |nodes: &Vec<NodeId>| {
            let others = nodes.iter().zip(&attributes).enumerate().filter(|(at, _)| *at != target);
            others.map(|(_, pair)| pair).all(|(node, attribute)| attribute.is_observable(node.0))
        };
        if !shown.released.keys().all(is_seen) {
            return Ok(Err(
                "some released values cannot be observed, so it is not known which inference caused a rejection".to_string(),
            ));
        }
        let attribute = attributes.swap_remove(target);
        let (k, threat) = (least_size(policy), asked.threat.to_f64());
        Ok(Ok(BreachableTable { shown, attribute, target, k, threat }))
    }

    /// The classes with what they could have been split into, and why they were not.
    pub fn task(&self) -> SamplingTask {
        let (shown, target) = (&self.shown, self.target);
        let mut values: Vec<NodeId> = shown.released.keys().map(|nodes| nodes[target]).collect();
        values.sort_unstable();
        values.dedup();
        // Classes by all other columns.
        let mut classes: BTreeMap<Vec<NodeId>, Vec<usize>> = BTreeMap::new();
        for (person, own) in shown.people.iter().enumerate() {
            let others = own.iter().enumerate().filter(|(at, _)| *at != target).map(|(_, (_, node))| *node);
            classes.entry(others.collect()).or_default().push(person);
        }
        let members: Vec<Vec<usize>> = classes.into_values().collect();
        let value =
            |person: &usize| values.binary_search(&shown.people[*person][target].1).unwrap_or(0) as u32;
        let mut lots: Vec<PublishedClass> = members
            .iter()
            .map(|members| PublishedClass { values: members.iter().map(value).collect(), splits: Vec::new() })
            .collect();
        let mut reasons = Vec::new();
        for (at, tree) in shown.trees.iter().enumerate().filter(|(at, _)| *at != target) {
            let mut together: BTreeMap<NodeId, Vec<(usize, Vec<u32>)>> = BTreeMap::new();
            for (lot, members) in members.iter().enumerate() {
                let Some(node) = members.first().map(|person| shown.people[*person][at].1) else { continue };
                let leaves: Vec<u32> = members.iter().map(|person| shown.people[*person][at].0).collect();
                if let Some(parts) = below(tree, node, &leaves) {
                    together.entry(node).or_default().push((lot, parts));
                }
            }
            reasons.extend(together.into_values().filter_map(|classes| failed_in_one(classes, &mut lots)));
        }
        let told: u64 =
            lots.iter().filter(|lot| !lot.splits.is_empty()).map(|lot| lot.values.len() as u64).sum();
        let left_out = shown.people.len() as u64 + shown.left_out - told;
        let limit = |node: &NodeId| {
            let sensitivity = self.attribute.sensitivity(node.0);
            let hidden = !self.attribute.is_observable(node.0) && sensitivity > 0.0;
            if hidden { (self.threat / sensitivity).min(1.0) } else { 1.0 }
        };
        let limits = values.iter().map(limit).collect();
        SamplingTask { lots, reasons, left_out, limits, values }
    }

    /// Whether people with these values of a task, by value, may not be a class.
    pub fn violates(&self, task: &SamplingTask, counts: &[u64], size: u64) -> bool {
        if size > 0 && size < self.k {
            return true;
        }
        let attribute = &self.attribute;
        let mut hits: BTreeMap<u32, u64> = BTreeMap::new();
        for (node, count) in task.values.iter().zip(counts).filter(|(_, count)| **count > 0) {
            for danger in attribute.dangers(node.0) {
                *hits.entry(*danger).or_default() += count;
            }
        }
        hits.into_iter().any(|(node, hits)| attribute.is_breach(node, hits, size))
    }
}

#[cfg(test)]
mod tests {
    use crate::Finding;
    use crate::testing::Stage;

    /// Who lives where can be seen; of illnesses, flu cannot.
    fn policy(more: &str) -> String {
        "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"other\"\n[columns.city]\nrole = \"mixed\"\n\
         hierarchy = \"city.csv\"\n[columns.ill]\nrole = \"mixed\"\nhierarchy = \"ill.csv\"\n\
         [columns.ill.sensitivity]\nguard = [\"flu\"]\n[privacy.ff-anonymity]\nthreat = 0.5\n"
            .to_string()
            + more
    }

    /// Two with flu in Oslo and four without in Rome.
    const ORIGINAL: &str =
        "age,city,ill\n1,Oslo,flu\n2,Oslo,flu\n3,Rome,asthma\n4,Rome,ulcer\n5,Rome,asthma\n6,Rome,ulcer\n";

    fn found(policy: &str, released: &str) -> Result<Finding, String> {
        Stage::with(policy, ORIGINAL).attack("minimality", released)
    }

    fn hidden() -> String {
        ORIGINAL.replace("Oslo", "*").replace("Rome", "*")
    }

    #[test]
    fn a_value_that_was_not_specialised_gives_people_away() {
        // If not both from Oslo had flu, the cities could have been shown.
        let leak = found(&policy(""), &hidden()).expect("a finding");
        assert_eq!((leak.headline().targets, leak.headline().hits), (6, 2), "{leak:?}");
        assert!(leak.succeeds());
    }

    #[test]
    fn where_k_is_the_reason_nothing_is_told() {
        let safe = found(&policy("[privacy.k-anonymity]\nk = 3\n"), &hidden()).expect("a finding");
        assert_eq!((safe.headline().targets, safe.headline().hits), (6, 0), "{safe:?}");
    }

    #[test]
    fn two_columns_that_can_be_breached_leave_the_reason_open() {
        let policy = policy("[columns.city.sensitivity]\nguard = [\"Oslo\"]\n");
        let reason = found(&policy, &hidden()).expect_err("a reason");
        assert!(reason.contains("several columns"), "{reason}");
        let nothing = self::policy("").replace("guard = [\"flu\"]", "guard = []");
        assert!(found(&nothing, &hidden()).expect_err("a reason").contains("nothing can be breached"));
    }
}
