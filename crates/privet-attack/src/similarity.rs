//! Similarity (Li, Li and Venkatasubramanian, ICDE 2007): a person's possible values differ, but all mean much the
//! same. This is homogeneity at every level of the sensitive column's hierarchy.

use std::collections::BTreeMap;

use super::belief::{Belief, HAIR, Likely, count, sampling, sensitive};
use super::view::value_tree;
use super::{Attack, Figure, Finding, Scene, Threat};
use privet_core::Result;
use privet_core::counted;
use privet_taxonomy::{NodeId, Taxonomy};

pub(super) const ATTACK: Attack =
    Attack { name: "similarity", threat: Threat::SimilarOrSkewedValues, costly: false, concerns, run };

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let tables = scene.sensitive_tables()?;
    let mut columns = tables.iter().flat_map(|table| &table.columns);
    match columns.any(|column| column.is_sensitive() && column.policy.hierarchy.is_some()) {
        true => Ok(()),
        false => {
            Err("no sensitive column has a hierarchy, which would say which values are similar".to_string())
        }
    }
}

/// The lowest node above all values that a person could have; `None` where a value is hidden or has no leaf.
fn common(tree: &Taxonomy, leaves: &[Option<NodeId>], likely: &[(u32, f64)]) -> Option<NodeId> {
    let mut nodes = likely.iter().filter(|(_, share)| *share > HAIR).map(|(cell, _)| leaves[*cell as usize]);
    let mut common = nodes.next()??;
    for node in nodes {
        let node = node?;
        while !tree.contains(common, node) {
            common = tree.parent(common)?;
        }
    }
    Some(common)
}

/// What all has in common that is possible for a row of the original, if that is more than nothing and the person's own value is
/// below it.
fn similar(belief: &Belief<'_, Option<NodeId>>, row: usize) -> Option<NodeId> {
    belief.of_row(row).copied().flatten().filter(|_| belief.of_own(row) > 0.0)
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let (people, rows) = (scene.view()?.quasi.people(), scene.view()?.original.len);
    let (mut hit, mut same, mut luck) = (vec![false; rows], vec![false; rows], vec![false; rows]);
    let mut levels: Vec<Figure> = Vec::new();
    let mut lines: Vec<(u64, String)> = Vec::new();
    for (table, column) in sensitive(scene)? {
        let own = &table.columns[column];
        let (Some(policy), Some(_)) = (scene.table_policy(), &own.policy.hierarchy) else { continue };
        let Some(tree) = value_tree(policy, &own.policy)? else { continue };
        let leaf = |cell: &str| tree.leaf_of(cell).ok().flatten();
        let leaves: Vec<Option<NodeId>> = own.cells.texts().map(leaf).collect();
        let common = |likely: &Likely| common(&tree, &leaves, likely).filter(|node| *node != tree.root());
        let (belief, by_luck) = Belief::both(scene, table, column, common)?;
        let mut by_node: BTreeMap<NodeId, u64> = BTreeMap::new();
        for row in 0..rows {
            luck[row] |= similar(&by_luck, row).is_some();
            let Some(node) = similar(&belief, row) else { continue };
            *by_node.entry(node).or_default() += 1;
            hit[row] = true;
            same[row] |= tree.is_leaf(node);
        }
        for depth in 1..=tree.height(tree.root()) {
            let within = by_node.iter().filter(|(node, _)| tree.depth(**node) >= depth);
            levels.push(Figure {
                what: format!("people whose {} is known up to step {depth} below the root", own.name),
                targets: people,
                hits: within.map(|(_, people)| people).sum(),
                ..Figure::default()
            });
        }
        lines.extend(by_node.iter().filter(|(node, _)| !tree.is_leaf(**node)).map(|(node, people)| {
            (
                *people,
                format!(
                    "{} {} below {}",
                    counted(*people, "person has", "people have"),
                    own.name,
                    tree.label(*node)
                ),
            )
        }));
    }
    lines.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    let lines: Vec<String> = lines.into_iter().take(scene.limits.most).map(|(_, line)| line).collect();
    let headline = Figure {
        what: "people whose possible sensitive values are all below one node of the hierarchy".to_string(),
        targets: people,
        hits: count(&hit),
        baseline: count(&same),
        instead: "looking for one value, not for what values have in common".to_string(),
        control: Some(count(&luck)),
        controlled: "the same attack after shuffling the sensitive values".to_string(),
    };
    let (hits, alike) = (headline.hits, headline.baseline);
    let warning = match hits > alike {
        false => String::new(),
        true => format!(
            "all possible sensitive values of {hits} of {} are similar: they are below one node of the column's \
             hierarchy",
            counted(people, "person", "people")
        ),
    };
    Ok(Finding {
        knows: "somebody's quasi-identifiers, and which sensitive values are similar".to_string(),
        does: "looks for what all possible values of the person have in common".to_string(),
        assumes: "values are similar if the column's hierarchy puts them together".to_string(),
        sampled: sampling(scene)?,
        figures: std::iter::once(headline).chain(levels).collect(),
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning,
        ..Finding::new(ATTACK.name, "Similarity")
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{POLICY, Stage};

    const ORIGINAL: &str = "age,city,ill\n20,Oslo,ulcer\n21,Oslo,gastritis\n30,Rome,flu\n31,Rome,ulcer\n";

    #[test]
    fn two_ills_of_the_stomach_are_alike() {
        let stage = Stage::new(ORIGINAL);
        let leak = "age,city,ill\n20-29,Oslo,ulcer\n20-29,Oslo,gastritis\n30-39,Rome,flu\n30-39,Rome,ulcer\n";
        let finding = stage.attack("similarity", leak).expect("run");
        assert_eq!((finding.headline().hits, finding.headline().baseline), (2, 0), "{finding:?}");
        assert_eq!(finding.worst, "2 people have ill below stomach");
        assert!(finding.succeeds());
        let safe = "age,city,ill\n20-39,*,ulcer\n20-39,*,gastritis\n20-39,*,flu\n20-39,*,ulcer\n";
        let finding = stage.attack("similarity", safe).expect("run");
        assert_eq!((finding.headline().hits, finding.succeeds()), (0, false), "{finding:?}");
        // A hidden value may be anything.
        let starred = "age,city,ill\n20-29,Oslo,ulcer\n20-29,Oslo,*\n30-39,Rome,flu\n30-39,Rome,ulcer\n";
        assert_eq!(stage.attack("similarity", starred).expect("run").headline().hits, 0);
    }

    #[test]
    fn without_a_hierarchy_nothing_is_alike() {
        let flat = POLICY.replace("hierarchy = \"ill.csv\"\n", "");
        let reason = Stage::with(&flat, ORIGINAL).attack("similarity", ORIGINAL).expect_err("not run");
        assert!(reason.contains("no sensitive column has a hierarchy"), "{reason}");
    }
}
