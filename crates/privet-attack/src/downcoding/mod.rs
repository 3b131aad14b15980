//! Downcoding (Cohen, *Attacks on deidentification's defenses*, USENIX Security 2022): a generalised cell is refined
//! by one level.
//!
//! A release that is not coarser than necessary reveals two things. *Inhabited children:* if everybody who matches a
//! class is below one child of a node that the class shows, the cell can be replaced with that child. *Blame:* one
//! level less in a column of `full-domain` would have been cheaper, so it must have been impossible; if only one
//! class can be the reason, then some child has 1 to k − 1 of its records. That follows only if k-anonymity is the
//! only requirement and nothing is suppressed; otherwise the reason is not known.
//!
//! The attacker knows the quasi-identifiers of a population, or which sets of items occur (`items`). For each cell
//! they name the child that is forced, or else the one that is most frequent in the population, which is all they
//! could do without the release.

mod items;

use std::collections::BTreeMap;

use super::finding::NO_GUESS;
use super::groups::{Group, Groups, KnownAttribute, KnownPeople, Placed};
use super::shown::ShownPeople;
use super::view::{TableView, ViewColumn};
use super::{Attack, Figure, Finding, PolicyRef, Scene, Threat, columns};
use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result, described};
use privet_policy::method::{FullDomain, TableCost};
use privet_policy::{CheckedPolicy, Method, Requirement, Role};
use privet_taxonomy::{NodeId, Taxonomy};

pub(super) const ATTACK: Attack =
    Attack { name: "downcoding", threat: Threat::Downcoding, costly: false, concerns, run };

/// More people than this are not placed one by one.
const MOST_PEOPLE: usize = 1_000_000;

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    match scene.policy {
        PolicyRef::Table(_) => {}
        PolicyRef::Transactions(_) => {
            let view = scene.transactions()?;
            let tree = &view.tree;
            let shows = view.released.iter().any(|(nodes, ..)| nodes.iter().any(|node| !tree.is_leaf(*node)));
            return if shows { Ok(()) } else { Err("the released sets contain only leaf items".to_string()) };
        }
        PolicyRef::Vocabularies(_) => {
            return Err("vocabularies contain terms as people use them, not generalised ones".to_string());
        }
    }
    let views = scene.tables()?;
    if views.iter().any(|view| view.groups.is_some()) {
        return Err("quasi-identifiers are published exactly".to_string());
    }
    if views.iter().any(|view| view.original.len > MOST_PEOPLE) {
        return Err(format!("it would have to place more than {MOST_PEOPLE} people one by one"));
    }
    let generalised =
        |column: &ViewColumn| matches!(column.policy.role, Some(Role::QuasiIdentifier | Role::Mixed));
    let mut columns = views.iter().flat_map(|view| &view.columns).filter(|column| generalised(column));
    if columns.clone().all(|column| column.policy.hierarchy.is_none()) {
        return Err("no quasi-identifier has a hierarchy".to_string());
    }
    let is_range = |column: &ViewColumn| {
        let tree = column.policy.hierarchy.as_ref();
        let known = |text: &str| text == "*" || column.values.find(text).is_some();
        !column.cells.texts().all(|text| known(text) || tree.is_some_and(|tree| tree.find(text).is_some()))
    };
    match columns.any(is_range) {
        true => {
            Err("cells are ranges instead of hierarchy nodes, so there is no level below them".to_string())
        }
        false => Ok(()),
    }
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    if let PolicyRef::Transactions(_) = scene.policy {
        let view = scene.transactions().map_err(Error::input)?;
        let (found, untried) = items::downcode(view, scene.clock)?;
        let mut finding = finding(&found, OF_SETS);
        if untried > 0 {
            finding.assumes += &format!(
                "; {untried} distinct released sets were not examined, because there are too \
                                         many"
            );
        }
        return Ok(finding);
    }
    let policy = scene.table_policy().ok_or_else(|| Error::internal("downcoding without a table"))?;
    let (mut all, mut classes, mut lines) = (Downcoded::default(), 0, Vec::new());
    for view in scene.views()? {
        scene.clock.check()?;
        let own = ShownClasses::of(scene, policy, view)?;
        let cut = Cut { groups: &own.groups, nodes: own.nodes, records: own.records, k: own.k };
        let found = downcode(&cut, scene.clock)?;
        let blame = |(class, at): &(usize, usize)| {
            format!(
                "only a class of {} can be the reason for the level of {}: it has 1 to {} records of one value a \
                 level down",
                described(cut.records[*class], "records"),
                own.groups.people.attributes[*at].name,
                cut.k - 1
            )
        };
        lines.extend(found.blamed.iter().take(scene.limits.most.saturating_sub(lines.len())).map(blame));
        classes += own.groups.groups.len() as u64;
        all = all.plus(found);
    }
    let mut finding = finding(&all, OF_CELLS);
    finding.figures.push(Figure {
        what: "classes that alone prevented a finer release".to_string(),
        targets: classes,
        hits: all.blamed.len() as u64,
        instead: "ignoring rejected releases".to_string(),
        controlled: NO_GUESS.to_string(),
        ..Figure::default()
    });
    finding.worst = lines.first().cloned().unwrap_or_default();
    finding.lines = lines;
    finding.more = [("blamed_rightly".to_string(), all.rightly.into())].into_iter().collect();
    Ok(finding)
}

/// Classes of a table, with who is in them and what they show.
struct ShownClasses {
    groups: Groups,
    nodes: Vec<Vec<NodeId>>,
    records: Vec<u64>,
    /// The least size of a class, where that alone decides which levels are possible; else 1.
    k: u64,
}

impl ShownClasses {
    fn of(scene: &Scene<'_>, policy: &CheckedPolicy, view: &TableView) -> Result<ShownClasses> {
        if policy.method.is_about(Role::Mixed) {
            return ShownClasses::of_mixed(view, scene.clock);
        }
        let placed = Placed::of(scene, view, None)?;
        let nodes = placed
            .nodes(view)
            .ok_or_else(|| Error::input("a released cell is not a node of its hierarchy"))?;
        let records: Vec<u64> = placed.released.iter().map(|(rows, _)| *rows).collect();
        // Under an earlier plan nothing of these data decided the levels.
        let by_these = !scene.by_earlier_plan && placed.missing.is_empty() && placed.skipped == 0;
        let decides = is_decided_by_k(policy) && by_these;
        let k = if decides { columns::least_size(policy) } else { 1 };
        Ok(ShownClasses { groups: placed.groups, nodes, records, k })
    }

    /// A table of mixed columns. That a breach prevented a finer table says nothing about sizes, so no class is blamed.
    fn of_mixed(view: &TableView, clock: &Clock) -> Result<ShownClasses> {
        let shown = ShownPeople::of(view, clock)?;
        let names = shown.columns.iter().map(|column| view.columns[*column].name.clone());
        let attributes = names
            .zip(&shown.trees)
            .map(|(name, tree)| KnownAttribute { name, taxonomy: tree.clone() })
            .collect();
        let mut people = KnownPeople::new(attributes, vec![String::new()]);
        let mut members: BTreeMap<Vec<NodeId>, Vec<u32>> = BTreeMap::new();
        for own in &shown.people {
            let leaves: Vec<u32> = own.iter().map(|(leaf, _)| *leaf).collect();
            members.entry(own.iter().map(|(_, node)| *node).collect()).or_default().push(people.len() as u32);
            people.push(&leaves, 0);
        }
        let (mut groups, mut nodes, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for (own, members) in members {
            let alike = [(0, members.len() as u64)];
            let Some(group) = Group::new(&people, members, &alike, None) else { continue };
            records.push(shown.released.get(&own).copied().unwrap_or(0));
            groups.push(group);
            nodes.push(own);
        }
        Ok(ShownClasses { groups: Groups { people, groups, hidden: None }, nodes, records, k: 1 })
    }
}

/// Whether levels are as high as they are because of k alone: of methods the one with levels, a cost that falls with every level, and
/// no other requirement, limit or suppression.
fn is_decided_by_k(policy: &CheckedPolicy) -> bool {
    let Method::FullDomain(FullDomain { cost, suppression_limit, least_levels, break_minimality, .. }) =
        &policy.method
    else {
        return false;
    };
    policy.requirements.iter().all(|asked| matches!(asked, Requirement::KAnonymity(_)))
        && break_minimality.is_none()
        && *cost != TableCost::Cm
        && least_levels.is_none()
        && *suppression_limit == Exact::ZERO
}

/// How the attack speaks of what it goes down in.
struct DowncodingWords {
    cells: &'static str,
    knows: &'static str,
    does: &'static str,
    warning: &'static str,
}

const OF_CELLS: DowncodingWords = DowncodingWords {
    cells: "generalised cells",
    knows: "which combinations of quasi-identifiers occur, and that the release is not coarser than necessary",
    does: "replaces a generalised cell with the only value below it that people of the class can have, and looks for \
           classes that alone can have prevented a finer release",
    warning: "can be refined by one level by an attacker who knows which combinations of quasi-identifiers occur",
};

const OF_SETS: DowncodingWords = DowncodingWords {
    cells: "generalised items",
    knows: "which sets of items occur",
    does: "replaces a generalised item with the only item below it that occurs in every set that may be behind the \
           released one",
    warning: "can be refined by one level by an attacker who knows which sets of items occur",
};

fn finding(found: &Downcoded, words: DowncodingWords) -> Finding {
    let figure = |what: &str, hits: u64, baseline: u64| Figure {
        what: format!("{} {what}", words.cells),
        targets: found.cells,
        hits,
        baseline,
        instead: "guessing the most frequent value below the released one".to_string(),
        control: None,
        controlled: NO_GUESS.to_string(),
    };
    Finding {
        knows: words.knows.to_string(),
        does: words.does.to_string(),
        assumes: "the attacker knows the original as the population; cells are refined by one level"
            .to_string(),
        figures: vec![
            figure(
                "that an attacker can refine by one level with certainty",
                found.forced,
                found.forced_usual,
            ),
            figure("whose value one level down is guessed right", found.right, found.usual),
        ],
        warning: match found.forced {
            0 => String::new(),
            forced => format!("{forced} of {} {} {}", found.cells, words.cells, words.warning),
        },
        ..Finding::new(ATTACK.name, TITLE)
    }
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
    /// The least number of records that a class must have; 1 where nobody is to be blamed.
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
    /// Cells whose child is guessed right.
    pub right: u64,
    /// Cells for which the most frequent child below the node is right.
    pub usual: u64,
    /// Classes that are alone to blame for the levels of a quasi-identifier: class and quasi-identifier.
    pub blamed: Vec<(usize, usize)>,
    /// Those of them in which some child really has from 1 to k − 1 records.
    pub rightly: u64,
}

impl Downcoded {
    /// What is gone back on in two tables.
    fn plus(mut self, other: Downcoded) -> Downcoded {
        self.blamed.extend(other.blamed);
        Downcoded {
            cells: self.cells + other.cells,
            forced: self.forced + other.forced,
            forced_usual: self.forced_usual + other.forced_usual,
            right: self.right + other.right,
            usual: self.usual + other.usual,
            blamed: self.blamed,
            rightly: self.rightly + other.rightly,
        }
    }
}

/// Goes one level down wherever that is possible.
pub(crate) fn downcode(cut: &Cut<'_>, clock: &Clock) -> Result<Downcoded> {
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
        let mut open = Vec::new();
        for (node, classes) in showing {
            let children = |class: usize| children_of(cut, tree, at, node, class);
            let mut all: BTreeMap<usize, u64> = BTreeMap::new();
            for class in &classes {
                clock.check()?;
                children(*class)
                    .into_iter()
                    .for_each(|(child, count)| *all.entry(child).or_default() += count);
            }
            let Some(usual) = most_frequent(&all) else { continue };
            for class in classes {
                clock.check()?;
                let own = children(class);
                let members: u64 = own.values().sum();
                // Records that are left out look like those that stay: all of the class's people are scored.
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
        }
        if let [(class, own)] = open.as_slice()
            && cut.k > 1
            && cut.records[*class] >= cut.k
        {
            found.blamed.push((*class, at));
            found.rightly += u64::from(own.values().any(|count| (1..cut.k).contains(count)));
        }
    }
    Ok(found)
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

    /// Ages in decades, and a city; classes by the decade (or nothing) and the city.
    fn people(rows: &[(&str, &str)], shown: &[(&str, &str)], k: u64) -> (Groups, Vec<Vec<NodeId>>, u64) {
        let path = |text: &&str| text.split(';').map(String::from).collect::<Vec<_>>();
        let ages = ["31;30s;*", "32;30s;*", "41;40s;*", "42;40s;*"];
        let ages =
            Arc::new(Taxonomy::from_paths(&ages.iter().map(path).collect::<Vec<_>>()).expect("a tree"));
        let cities = Arc::new(Taxonomy::flat(["Oslo", "Rome"]).expect("a tree"));
        let attributes = vec![
            KnownAttribute { name: "age".into(), taxonomy: ages.clone() },
            KnownAttribute { name: "city".into(), taxonomy: cities.clone() },
        ];
        let mut people = KnownPeople::new(attributes, vec!["s".into()]);
        let leaf =
            |tree: &Taxonomy, label: &str| tree.leaves_below(tree.find(label).expect("a node")).start as u32;
        rows.iter().for_each(|(age, city)| people.push(&[leaf(&ages, age), leaf(&cities, city)], 0));
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
        downcode(&Cut { groups: &groups, nodes, records, k }, &Clock::unlimited()).expect("no limit")
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
    fn mixed_columns_are_gone_down_in_too() {
        use crate::testing::Stage;
        let policy = "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"other\"\n[columns.city]\nrole = \"mixed\"\n\
                      hierarchy = \"city.csv\"\n[columns.ill]\nrole = \"mixed\"\nhierarchy = \"ill.csv\"\n\
                      [columns.ill.sensitivity]\nguard = [\"flu\"]\n[privacy.ff-anonymity]\nthreat = 0.5\n";
        let original = "age,city,ill\n1,Oslo,flu\n2,Oslo,asthma\n3,Rome,ulcer\n4,Rome,gastritis\n";
        let stage = Stage::with(policy, original);
        // Who is shown with a disease of the chest in some country is from Oslo; the others from Rome.
        let leak = "age,city,ill\n1,*,chest\n2,*,chest\n3,*,stomach\n4,*,stomach\n";
        let found = stage.attack("downcoding", leak).expect("a finding");
        assert_eq!(
            (found.headline().targets, found.headline().hits, found.succeeds()),
            (8, 4, true),
            "{found:?}"
        );
        let safe = "age,city,ill\n1,*,*\n2,*,*\n3,*,*\n4,*,*\n";
        let found = stage.attack("downcoding", safe).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (8, 0), "{found:?}");
    }

    #[test]
    fn blame_needs_k_alone() {
        use crate::testing::{POLICY, Stage};
        // Of Norway there are two towns, one of them with a single person; of Italy there is one.
        let original = "age,city,ill\n30,Oslo,flu\n30,Oslo,flu\n30,Bergen,flu\n40,Rome,flu\n40,Rome,asthma\n";
        let released =
            "age,city,ill\n30,Norway,flu\n30,Norway,flu\n30,Norway,flu\n40,Italy,flu\n40,Italy,asthma\n";
        let blamed = |policy: &str| {
            let found = Stage::with(policy, original).attack("downcoding", released).expect("a finding");
            (found.figures[2].hits, found.more["blamed_rightly"].as_u64())
        };
        let by_k = POLICY.replace("k = 1", "k = 2");
        assert_eq!(blamed(&by_k), (1, Some(1)));
        assert_eq!(
            blamed(&(by_k.clone() + "[privacy.l-diversity]\ncolumn = \"ill\"\nl = 1\n")),
            (0, Some(0))
        );
        assert_eq!(blamed(&(by_k + "[method]\nname = \"mondrian\"\n")), (0, Some(0)));
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
        use crate::testing::Stage;
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
