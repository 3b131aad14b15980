//! MM, maximal moles per item lost (Xu, Wang, Fu and Yu, 2008): (h,k,p)-coherence by suppressing items everywhere.
//!
//! A mole is a set of up to p items that fewer than k transactions hold, or that reveals a sensitive item. Suppressing
//! an item removes all its moles and does not change the support of any other set of items. So the minimal moles are
//! found once, and items are suppressed in order of the moles removed per occurrence lost, until no mole is left.
//!
//! Coherence as audited by Privet also covers the groups that items belong to: an adversary who knows that somebody
//! bought some liquor must not learn a sensitive item either. With a limit on confidence, sets with inner nodes are
//! therefore moles as well. Suppressing an item below such a node changes what the node reveals but may not repair it,
//! and may create new moles. So the search is repeated until there are none. The release is what the last search found
//! clean.

pub(in crate::kl) mod choice;

use self::choice::suppress;
use super::moles::{Collect, MoleSearch};
use super::recoding::ItemRecoding;
use super::{ItemSolution, ItemTask, feasible};
use crate::SearchFacts;
use crate::plan::LeftOutPlan;
use privet_core::Result;
use privet_core::clock::Clock;
use privet_engine::itemset::rows::Rows;
use privet_taxonomy::Node;

pub(super) fn run(task: &ItemTask<'_>, clock: &Clock) -> Result<ItemSolution> {
    feasible::check_empty(task)?;
    let clock = clock.without_limit();
    clock.progress().stage("leaving items out", None);
    let tree = &task.baskets.tree;
    let occurrences = task.baskets.occurrences();
    let mut gone = vec![false; tree.len()];
    let (mut examined, mut found) = (0, 0);
    // For every rare set with inner nodes there is a set of items that is as rare. So a set of groups can only be a
    // mole in its own right because of the confidence in a sensitive item.
    let guarded = task.requirements.iter().any(|requirement| requirement.guards_marks());
    let phases: &[bool] =
        if guarded && tree.nodes().any(|node| !tree.is_leaf(node)) { &[false, true] } else { &[false] };
    for with_groups in phases {
        loop {
            let rows = rows(task, &gone, *with_groups);
            let is_leaf = tree.nodes().map(|node| tree.is_leaf(node)).collect();
            let mined = MoleSearch::new(task, rows, is_leaf, Collect::Repairs, &clock).run()?;
            examined += mined.examined;
            found += mined.moles.len() as u64;
            if mined.moles.is_empty() {
                break;
            }
            suppress(&mined.moles, &occurrences, &mut gone, &clock)?;
        }
    }
    let leaves = || tree.nodes().filter(|node| tree.is_leaf(*node));
    let suppressed: Vec<&str> =
        leaves().filter(|leaf| gone[*leaf as usize]).map(|leaf| tree.label(leaf)).collect();
    let search = SearchFacts::unproven(examined, &clock);
    let mut shown = vec![None; tree.len()];
    for leaf in leaves().filter(|leaf| !gone[*leaf as usize]) {
        shown[leaf as usize] = Some(leaf);
    }
    Ok(ItemSolution {
        recoding: ItemRecoding::everywhere(shown),
        counters: vec![
            ("itemsets", examined),
            ("moles", found),
            ("suppressed items", suppressed.len() as u64),
        ],
        plan: LeftOutPlan::of(tree, suppressed),
        search,
        warnings: Vec::new(),
    })
}

/// The distinct baskets without the suppressed items, with the groups of the others if asked for; followed by those of
/// people who have several, owner by owner. Each row comes with the number of its basket.
fn rows(task: &ItemTask<'_>, gone: &[bool], with_groups: bool) -> (Rows, Vec<u32>) {
    let baskets = task.baskets;
    let nodes = |basket: u32| {
        let items = baskets.items(basket as usize).iter().copied().filter(|item| !gone[*item as usize]);
        let items: Vec<Node> = items.collect();
        if with_groups { baskets.tree.with_ancestors(&items) } else { items }
    };
    let (mut rows, mut of) = (Rows::default(), Vec::new());
    for basket in 0..baskets.len() as u32 {
        let count = baskets.single(basket as usize);
        if count > 0 {
            rows.push(nodes(basket), count);
            of.push(basket);
        }
    }
    for (owner, crew) in (0..).zip(baskets.crews()) {
        rows.push_owned(owner, crew.baskets.iter().map(|basket| nodes(*basket)), crew.people);
        of.extend_from_slice(&crew.baskets);
    }
    (rows, of)
}
