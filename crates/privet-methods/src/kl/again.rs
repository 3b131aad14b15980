//! Plans for items, applied to other transactions.

use super::recoding::ItemRecoding;
use super::suppression::{self, Choice};
use super::{ItemSolution, ItemTask, SearchFacts};
use crate::plan::{ItemCutPlan, LeftOutPlan, Plan, PlannedTree, check_items};
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_engine::baskets::Baskets;
use privet_engine::privacy::kl::requirements;
use privet_policy::{ItemMethod, TransactionPolicy};
use privet_taxonomy::{ItemTree, Node};

impl ItemCutPlan {
    /// The plan that publishes the nodes of a cut.
    pub(super) fn of(tree: &ItemTree, cut: &[Node]) -> Plan {
        let cut = cut.iter().map(|node| tree.label(*node).to_string()).collect();
        Plan::ItemCut(ItemCutPlan { cut, suppressed: Vec::new(), items: PlannedTree::of_items(tree) })
    }

    /// The plan that publishes the nodes of a cut and suppresses some of them.
    pub(super) fn with_suppressed(tree: &ItemTree, cut: &[Node], suppressed: &[Node]) -> Plan {
        let labels = |nodes: &[Node]| nodes.iter().map(|node| tree.label(*node).to_string()).collect();
        let (cut, suppressed) = (labels(cut), labels(suppressed));
        Plan::ItemCut(ItemCutPlan { cut, suppressed, items: PlannedTree::of_items(tree) })
    }
}

impl LeftOutPlan {
    /// The plan that leaves items out.
    pub(super) fn of(tree: &ItemTree, items: Vec<&str>) -> Plan {
        let suppressed = items.into_iter().map(str::to_string).collect();
        Plan::ItemsLeftOut(LeftOutPlan { suppressed, items: PlannedTree::of_items(tree) })
    }
}

/// Applies a plan to transactions. Whether they meet the requirements is for the audit to say.
pub fn apply_plan(
    policy: &TransactionPolicy,
    baskets: &Baskets,
    plan: &Plan,
    clock: &Clock,
) -> Result<ItemSolution> {
    plan.check_reusable()?;
    let recoding = match (plan, &policy.method) {
        (Plan::ItemCut(plan), ItemMethod::Og(_) | ItemMethod::Mog(_) | ItemMethod::Aa(_)) => {
            check_items(policy, baskets, &plan.items)?;
            let choice = choice(baskets, plan)?;
            let requirements = requirements(policy, &baskets.tree)?;
            let task = ItemTask { baskets, requirements: &requirements, method: &policy.method };
            suppression::recoding_of(&task, policy.method.limits(), choice, clock)?
        }
        (Plan::ItemsLeftOut(plan), ItemMethod::Mm(_)) => {
            check_items(policy, baskets, &plan.items)?;
            let tree = &baskets.tree;
            let gone: Vec<Node> = plan.suppressed.iter().filter_map(|item| tree.find(item)).collect();
            let is_shown = |node: &Node| tree.is_leaf(*node) && !gone.contains(node);
            ItemRecoding::everywhere(tree.nodes().map(|node| Some(node).filter(is_shown)).collect())
        }
        _ => return Err(crate::other_method(policy.method.name())),
    };
    let search = SearchFacts::unproven(0, clock);
    Ok(ItemSolution { recoding, plan: plan.clone(), search, counters: Vec::new(), warnings: Vec::new() })
}

/// Each item that occurs as the node of the cut at or above it.
fn choice(baskets: &Baskets, plan: &ItemCutPlan) -> Result<Choice> {
    let tree = &baskets.tree;
    let found = |labels: &[String]| {
        let mut nodes: Vec<Node> = labels.iter().filter_map(|label| tree.find(label)).collect();
        nodes.sort_unstable();
        nodes
    };
    let (nodes, suppressed) = (found(&plan.cut), found(&plan.suppressed));
    let shown = Choice::of_cut(nodes.clone()).shown(tree);
    let occurrences = baskets.occurrences();
    let mut items = tree.nodes().filter(|node| tree.is_leaf(*node) && occurrences[*node as usize] > 0);
    let missed = items.find(|item| shown[*item as usize].is_none());
    let is_nested = nodes.windows(2).any(|pair| tree.contains(pair[0], pair[1]));
    let is_part = suppressed.iter().all(|node| nodes.binary_search(node).is_ok());
    if missed.is_none() && !is_nested && is_part {
        return Ok(Choice { suppressed, ..Choice::of_cut(nodes) });
    }
    Err(Error::input("the plan does not say once how each item is published")
        .help("use the plan as Privet wrote it, with the hierarchy of that time"))
}
