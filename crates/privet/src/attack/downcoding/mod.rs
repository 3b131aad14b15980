//! Downcoding (Cohen, *Attacks on deidentification's defenses*, USENIX Security 2022): a generalised cell is taken one level
//! back down.
//!
//! A release by cuts through hierarchies that is no coarser than it must be tells two things. *Inhabited children:* if
//! everybody who fits a class lies below one child of a node that the class shows, the cell can be replaced by that child.
//! *Blame:* specialising a node of the cut would have been cheaper, so it must have been impossible; if only one class can be to
//! blame, then some child has from 1 to k − 1 of its records.
//!
//! He knows the quasi-identifiers of a population. For each cell he names the child that is forced, and where none is the one
//! that is most frequent in the population, which is also all that he could do without the release.

use std::collections::BTreeMap;

use super::finding::NO_GUESS;
use super::groups::{Groups, Placed, one_table};
use super::view::ViewColumn;
use super::{Attack, Figure, Finding, Scene, columns};
use crate::taxonomy::{NodeId, Taxonomy};
use crate::{Error, Result};

/// Row 11 of the attacks.
pub(super) const ATTACK: Attack = Attack { name: "downcoding", row: 11, dear: false, concerns, run };

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let view = one_table(scene)?;
    if view.groups.is_some() {
        return Err("quasi-identifiers are published as they are".to_string());
    }
    if scene.table_policy().is_some_and(|policy| policy.method.settings.flag("break_minimality")) {
        return Err("the release is one of several good ones, drawn by chance".to_string());
    }
    if view.columns.iter().all(|column| !column.is_quasi() || column.policy.hierarchy.is_none()) {
        return Err("no quasi-identifier has a hierarchy to go down".to_string());
    }
    let is_range = |column: &ViewColumn| {
        let tree = column.policy.hierarchy.as_ref();
        let known = |text: &str| text == "*" || column.values.find(text).is_some();
        column.is_quasi()
            && !column
                .cells
                .texts()
                .all(|text| known(text) || tree.is_some_and(|tree| tree.find(text).is_some()))
    };
    match view.columns.iter().any(is_range) {
        true => {
            Err("cells are ranges and no nodes of hierarchies, so there is no level to go down to"
                .to_string())
        }
        false => Ok(()),
    }
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let policy = scene.table_policy().ok_or_else(|| Error::internal("cuts of no table"))?;
    let view = scene.view()?;
    let placed = Placed::of(scene, view, None)?;
    let nodes =
        placed.nodes(view).ok_or_else(|| Error::input("a released cell is no node of its hierarchy"))?;
    let records = placed.released.iter().map(|(rows, _)| *rows).collect();
    let k = columns::least_size(policy);
    let found = downcode(&Cut { groups: &placed.groups, nodes, records, k });
    let blame = |(class, at, node): &(usize, usize, NodeId)| {
        let attribute = &placed.groups.people.attributes[*at];
        format!(
            "a class of {} records is alone to blame for {}={}: of one value below it, it has 1 to {}",
            placed.released[*class].0,
            attribute.name,
            attribute.taxonomy.label(*node),
            k - 1
        )
    };
    let lines: Vec<String> = found.blamed.iter().take(scene.limits.most).map(blame).collect();
    let figure = |what: &str, hits: u64, baseline: u64, instead: &str| Figure {
        what: what.to_string(),
        targets: found.cells,
        hits,
        baseline,
        instead: instead.to_string(),
        control: None,
        controlled: NO_GUESS.to_string(),
    };
    let usual = "naming the most frequent value below what the cell shows";
    Ok(Finding {
        knows: "which combinations of quasi-identifiers occur, and that the release is no coarser than it must be".to_string(),
        does: "replaces a generalised cell by the one value below it that people of the class can have, and looks for classes \
               that alone can have stood in the way of a finer release"
            .to_string(),
        assumes: "the original stands for the population that he knows; cells are taken down one level".to_string(),
        figures: vec![
            figure("generalised cells that can be taken down a level for certain", found.forced, found.forced_usual, usual),
            figure("generalised cells whose value a level down he names right", found.right, found.usual, usual),
            Figure {
                what: "classes that alone stood in the way of a finer release".to_string(),
                targets: placed.groups.groups.len() as u64,
                hits: found.blamed.len() as u64,
                ..figure("", 0, 0, "looking at no rejected release")
            },
        ],
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning: match found.forced {
            0 => String::new(),
            forced => format!(
                "{forced} of {} generalised cells can be taken down a level by whoever knows which combinations of \
                 quasi-identifiers occur",
                found.cells
            ),
        },
        more: [("blamed_rightly".to_string(), found.rightly.into())].into_iter().collect(),
        ..Finding::new(ATTACK.name, TITLE)
    })
}

const TITLE: &str = "Downcoding";

/// Classes of a release by cuts: who is in each, and what it shows of them.
pub(crate) struct Cut<'a> {
    /// The people that are known, in classes; both the population and the truth.
    pub groups: &'a Groups,
    /// Per class, the node that it shows in each quasi-identifier.
    pub nodes: Vec<Vec<NodeId>>,
    /// Per class, how many records the release has of it.
    pub records: Vec<u64>,
    /// The least number of records that a class must have.
    pub k: u64,
}

/// What is gone back on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Downcoded {
    /// Cells that show an inner node.
    pub cells: u64,
    /// Those whose child is forced.
    pub forced: u64,
    /// Those of them whose child is also the most frequent one below the node.
    pub forced_usual: u64,
    /// Cells of people whose child he names right.
    pub right: u64,
    /// Cells of people for whom the most frequent child below the node is right.
    pub usual: u64,
    /// Classes that are alone to blame for a node: class, quasi-identifier and node.
    pub blamed: Vec<(usize, usize, NodeId)>,
    /// Those of them in which some child really has from 1 to k − 1 records.
    pub rightly: u64,
}

/// Goes one level down wherever that is possible.
pub(crate) fn downcode(cut: &Cut<'_>) -> Downcoded {
    let people = &cut.groups.people;
    let mut found = Downcoded::default();
    for (at, attribute) in people.attributes.iter().enumerate() {
        let tree = &attribute.taxonomy;
        let mut showing: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for (class, nodes) in cut.nodes.iter().enumerate() {
            if let Some(node) = nodes.get(at).filter(|node| !tree.is_leaf(**node)) {
                showing.entry(*node).or_default().push(class);
            }
        }
        for (node, classes) in showing {
            let children = |class: usize| children_of(cut, tree, at, node, class);
            let mut all: BTreeMap<usize, u64> = BTreeMap::new();
            classes.iter().flat_map(|class| children(*class)).for_each(|(child, count)| {
                *all.entry(child).or_default() += count;
            });
            let Some(usual) = most_frequent(&all) else { continue };
            let mut open = Vec::new();
            for class in classes {
                let own = children(class);
                let members: u64 = own.values().sum();
                // Records that are left out cannot be told from those that stay: all of the class's people are scored.
                found.cells += members;
                found.usual += own.get(&usual).copied().unwrap_or(0);
                let forced = if own.len() == 1 { own.keys().next().copied() } else { None };
                found.right += own.get(&forced.unwrap_or(usual)).copied().unwrap_or(0);
                match forced {
                    Some(child) => {
                        found.forced += members;
                        found.forced_usual += if child == usual { members } else { 0 };
                    }
                    None => open.push((class, own)),
                }
            }
            if let [(class, own)] = open.as_slice()
                && cut.k > 1
                && cut.records[*class] >= cut.k
            {
                found.blamed.push((*class, at, node));
                found.rightly += u64::from(own.values().any(|count| (1..cut.k).contains(count)));
            }
        }
    }
    found
}

/// How many of a class's people lie below each child of a node, by the child's place.
fn children_of(
    cut: &Cut<'_>,
    tree: &Taxonomy,
    at: usize,
    node: NodeId,
    class: usize,
) -> BTreeMap<usize, u64> {
    let ends: Vec<usize> = tree.children(node).iter().map(|child| tree.leaves_below(*child).end).collect();
    let mut children: BTreeMap<usize, u64> = BTreeMap::new();
    for member in &cut.groups.groups[class].members {
        let leaf = cut.groups.people.leaf(at, *member as usize) as usize;
        if tree.leaves_below(node).contains(&leaf) {
            *children.entry(ends.partition_point(|end| *end <= leaf)).or_default() += 1;
        }
    }
    children
}

/// The most frequent one; of equals the first.
fn most_frequent(counts: &BTreeMap<usize, u64>) -> Option<usize> {
    counts.iter().max_by_key(|(child, count)| (**count, std::cmp::Reverse(**child))).map(|(child, _)| *child)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::attack::groups::Group;
    use crate::engine::negative_rules::{Attribute, Observations};

    /// Ages in decades, and a city; classes by the decade (or nothing) and the city.
    fn people(rows: &[(&str, &str)], shown: &[(&str, &str)], k: u64) -> (Groups, Vec<Vec<NodeId>>, u64) {
        let path = |text: &&str| text.split(';').map(String::from).collect::<Vec<_>>();
        let ages = ["31;30s;*", "32;30s;*", "41;40s;*", "42;40s;*"];
        let ages =
            Arc::new(Taxonomy::from_paths(&ages.iter().map(path).collect::<Vec<_>>()).expect("a tree"));
        let cities = Arc::new(Taxonomy::flat(["Oslo", "Rome"]).expect("a tree"));
        let attributes = vec![
            Attribute::crisp("age".into(), ages.clone()),
            Attribute::crisp("city".into(), cities.clone()),
        ];
        let mut people = Observations::new(attributes, vec!["s".into()]);
        let leaf =
            |tree: &Taxonomy, label: &str| tree.leaves_below(tree.find(label).expect("a node")).start as u32;
        rows.iter().for_each(|(age, city)| people.push(&[leaf(&ages, age), leaf(&cities, city)], 0, 1));
        let node = |tree: &Taxonomy, label: &str| tree.find(label).expect("a node");
        let nodes: Vec<Vec<NodeId>> =
            shown.iter().map(|(age, city)| vec![node(&ages, age), node(&cities, city)]).collect();
        let within =
            |tree: &Taxonomy, node: NodeId, leaf: u32| tree.leaves_below(node).contains(&(leaf as usize));
        let groups = nodes.iter().map(|nodes| {
            let members: Vec<u32> = (0..people.len() as u32)
                .filter(|one| {
                    within(&ages, nodes[0], people.leaf(0, *one as usize))
                        && within(&cities, nodes[1], people.leaf(1, *one as usize))
                })
                .collect();
            let shown = [(0, members.len() as u64)];
            Group::new(&people, members, &shown, None).expect("a group")
        });
        let groups = groups.collect();
        (Groups { people, groups, hidden: None }, nodes, k)
    }

    fn run(rows: &[(&str, &str)], shown: &[(&str, &str)], k: u64) -> Downcoded {
        let (groups, nodes, k) = people(rows, shown, k);
        let records = groups.groups.iter().map(Group::len).collect();
        downcode(&Cut { groups: &groups, nodes, records, k })
    }

    #[test]
    fn who_is_below_one_child_alone_is_taken_back_down() {
        // Everybody in Rome is in the forties; Oslo has both, and was the reason to go up.
        let rows = [("31", "Oslo"), ("41", "Oslo"), ("41", "Rome"), ("42", "Rome"), ("42", "Oslo")];
        let found = run(&rows, &[("*", "Oslo"), ("*", "Rome")], 2);
        assert_eq!((found.cells, found.forced, found.forced_usual), (5, 2, 2));
        // Oslo alone is to blame: one of its decades has one record.
        assert_eq!((found.blamed.len(), found.rightly), (1, 1));
        assert_eq!((found.right, found.usual), (4, 4));
        // Where the usual child is another, the forced one is the better guess.
        let rows =
            [("31", "Oslo"), ("32", "Oslo"), ("41", "Oslo"), ("31", "Oslo"), ("41", "Rome"), ("42", "Rome")];
        let found = run(&rows, &[("*", "Oslo"), ("*", "Rome")], 2);
        assert_eq!((found.forced, found.right, found.usual), (2, 5, 3));
    }

    #[test]
    fn classes_with_all_children_keep_them() {
        let rows = [("31", "Oslo"), ("41", "Oslo"), ("31", "Rome"), ("41", "Rome")];
        let found = run(&rows, &[("*", "Oslo"), ("*", "Rome")], 2);
        // Both may be to blame.
        assert_eq!((found.cells, found.forced, found.blamed.len()), (4, 0, 0));
        // Cells that show leaves are nothing to go down from.
        let found = run(&rows, &[("31", "*"), ("41", "*")], 2);
        assert_eq!((found.cells, found.forced), (4, 0));
    }

    #[test]
    fn a_release_that_goes_up_for_one_town_leaks_and_one_that_hides_all_does_not() {
        use crate::attack::testing::Stage;
        // Norway has both towns; of Italy there is Rome alone, shown as Italy.
        let original = "age,city,ill\n30,Oslo,flu\n30,Bergen,flu\n30,Rome,flu\n30,Rome,flu\n";
        let stage = Stage::new(original);
        let released = "age,city,ill\n30,Norway,flu\n30,Norway,flu\n30,Italy,flu\n30,Italy,flu\n";
        let found = stage.attack("downcoding", released).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (4, 2), "{found:?}");
        assert!(found.succeeds());
        let released = "age,city,ill\n30,*,flu\n30,*,flu\n30,*,flu\n30,*,flu\n";
        let found = stage.attack("downcoding", released).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (4, 0), "{found:?}");
    }
}
