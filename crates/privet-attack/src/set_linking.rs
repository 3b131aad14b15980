//! Linking by a few items: the attacker knows a person's quasi-identifiers and m items of their set.
//!
//! They look up the released rows that match the quasi-identifiers. In such a class an item is shown as the one label of the
//! class that stands for it, so they keep the rows that have the labels of all items that they know; an item that no label of
//! the class stands for was removed there and tells nothing. Of each person the attacker knows those items that leave fewest
//! rows, chosen one after the other.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::NO_GUESS;
use super::view::TableView;
use super::{Attack, Figure, Finding, Released, Scene, Threat};
use privet_core::{Error, Result, counted};
use privet_data::terms_of;
use privet_policy::requirement::KlOfSets;
use privet_policy::{CheckedPolicy, ItemColumn, PolicyColumn, Requirement};
use privet_taxonomy::ItemTree;

pub(super) const ATTACK: Attack =
    Attack { name: "set-linking", threat: Threat::Linking, costly: false, concerns, run };

/// More people than this are not listed.
const MOST_LISTED: usize = 20;

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let (Some(policy), Released::Table(released)) = (scene.table_policy(), &scene.released) else {
        return Err("the release is not a single table".to_string());
    };
    let Some((column, ..)) = about(policy) else {
        return Err("no column has role 'set', with a limit on what may be known of it".to_string());
    };
    match released.find(&column.name) {
        Some(_) => scene.quasi_tables().map(|_| ()),
        None => Err(format!("the release lacks the column of sets '{}'", column.name)),
    }
}

/// The column of sets and what is promised about it.
fn about(policy: &CheckedPolicy) -> Option<(&PolicyColumn, &ItemColumn, &KlOfSets)> {
    let column = policy.columns.iter().find(|column| column.items.is_some())?;
    let asked = policy.requirements.iter().find_map(|asked| match asked {
        Requirement::KlOfSets(asked) if asked.column == column.index => Some(asked),
        _ => None,
    });
    Some((column, column.items.as_ref()?, asked?))
}

/// The rows of a class: what they show, and how many show it.
struct ClassRows<'a> {
    labels: BTreeSet<&'a str>,
    rows: Vec<(BTreeSet<&'a str>, u64)>,
}

impl ClassRows<'_> {
    /// The label that stands for an item: itself, or the nearest group above it that is shown.
    fn label(&self, tree: &ItemTree, item: &str) -> Option<&str> {
        let leaf = tree.find(item)?;
        let above = std::iter::once(leaf).chain(tree.ancestors(leaf));
        above.into_iter().find_map(|node| self.labels.get(tree.label(node)).copied())
    }

    /// How many rows fit somebody who has these items.
    fn fitting(&self, tree: &ItemTree, known: &[&str]) -> u64 {
        let wanted: Vec<&str> = known.iter().filter_map(|item| self.label(tree, item)).collect();
        let fits = |shown: &BTreeSet<&str>| wanted.iter().all(|label| shown.contains(label));
        self.rows.iter().filter(|(shown, _)| fits(shown)).map(|(_, count)| count).sum()
    }
}

/// The items of a person that leave fewest rows, at most `most` of them, and these rows.
fn most_telling<'i>(
    classes: &[&ClassRows<'_>],
    tree: &ItemTree,
    items: &[&'i str],
    most: usize,
) -> (Vec<&'i str>, u64) {
    let count = |known: &[&str]| classes.iter().map(|class| class.fitting(tree, known)).sum::<u64>();
    let mut known: Vec<&str> = Vec::new();
    let mut rows = count(&known);
    while known.len() < most {
        let with = items.iter().filter(|item| !known.contains(item)).map(|item| {
            let more = [known.as_slice(), &[*item]].concat();
            (count(&more), more)
        });
        let Some((fewer, more)) = with.min() else { break };
        if fewer >= rows {
            break;
        }
        (rows, known) = (fewer, more);
    }
    (known, rows)
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let nothing = || Error::internal("linking by items without a column of sets");
    let (column, items, asked) = scene.table_policy().and_then(about).ok_or_else(nothing)?;
    let views = scene.views()?;
    let table = views.first().ok_or_else(nothing)?;
    let place = table.columns.iter().position(|own| own.policy.index == column.index).ok_or_else(nothing)?;
    let tree = items.tree_over(table.columns[place].values.texts())?;
    let classes = classes(table, place, items);
    let (mut people, mut under, mut alone, mut baseline, mut sure) = (0u64, 0u64, 0u64, 0.0, 0.0);
    let mut lines: Vec<(u64, String)> = Vec::new();
    let mut known_cases: BTreeMap<(usize, u32), (Vec<String>, u64, u64)> = BTreeMap::new();
    for row in 0..table.original.len {
        scene.clock.check()?;
        let (Some(target), Some(value)) = (table.quasi.target_of(row), table.original.codes[place].get(row))
        else {
            continue;
        };
        let found = known_cases.entry((target, value)).or_insert_with(|| {
            let matching = table.quasi.matching(target);
            let own: Vec<&ClassRows<'_>> = matching.iter().map(|class| &classes[*class as usize]).collect();
            let cell = table.columns[place].values.text(value);
            let open = terms_of(cell, items.separator).into_iter().filter(|item| !items.is_sensitive(item));
            let open: Vec<&str> = open.collect();
            let (known, rows) = most_telling(&own, &tree, &open, asked.m as usize);
            let all = own.iter().map(|class| class.fitting(&tree, &open)).sum();
            (known.into_iter().map(str::to_string).collect(), rows, all)
        });
        let (known, rows, all) = (&found.0, found.1, found.2);
        let everybody = table.quasi.rows_in(&table.quasi.matching(target));
        people += 1;
        if rows == 0 {
            continue;
        }
        sure += 1.0 / rows as f64;
        baseline += 1.0 / everybody.max(1) as f64;
        alone += u64::from(all == 1);
        if rows < asked.k {
            under += 1;
            if lines.len() < MOST_LISTED {
                let person = table.person(row, &table.quasi.columns);
                let fit = counted(rows, "row fits", "rows fit");
                lines.push((rows, format!("{person}, who has {}: {fit}", known.join(", "))));
            }
        }
    }
    lines.sort();
    let figure = |what: String, hits: u64, baseline: u64, instead: &str| Figure {
        what,
        targets: people,
        hits,
        baseline,
        instead: instead.to_string(),
        controlled: NO_GUESS.to_string(),
        ..Figure::default()
    };
    let (m, k) = (asked.m, asked.k);
    let items_known = counted(m, "item", "items");
    let figures = vec![
        figure(format!("people whom fewer than {k} rows fit"), under, 0, "knowing nothing"),
        figure(
            "people whose row is found with one guess, on average".to_string(),
            sure.round() as u64,
            f64::round(baseline) as u64,
            "knowing the quasi-identifiers alone",
        ),
        figure(
            "people whom one row fits if all of their items are known".to_string(),
            alone,
            0,
            "knowing nothing",
        ),
    ];
    let name = &column.name;
    let warning = match under {
        0 => String::new(),
        _ => format!(
            "{under} of {} can be linked to fewer than {k} rows by their quasi-identifiers and {items_known} of {name}",
            counted(people, "person", "people")
        ),
    };
    Ok(Finding {
        knows: format!("somebody's quasi-identifiers and the {items_known} of {name} that tell most"),
        does: "keeps the matching rows that show what stands for these items".to_string(),
        assumes:
            "the items are chosen one after the other; an item that is removed in a class tells nothing there"
                .to_string(),
        sampled: table.quasi.sampling(),
        figures,
        worst: lines.first().map(|(_, line)| line.clone()).unwrap_or_default(),
        lines: lines.into_iter().map(|(_, line)| line).collect(),
        warning,
        ..Finding::new(ATTACK.name, "Linking by a few items")
    })
}

/// The released rows by class.
fn classes<'t>(table: &'t TableView, place: usize, items: &ItemColumn) -> Vec<ClassRows<'t>> {
    let matcher = &table.quasi.classes;
    let mut counts: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); matcher.len()];
    for (class, cell) in matcher.of_row.iter().zip(table.released.codes[place].iter()) {
        *counts[*class as usize].entry(cell).or_default() += 1;
    }
    let cells = &table.columns[place].cells;
    let of_class = |counts: BTreeMap<u32, u64>| {
        let shown = |cell: u32| -> BTreeSet<&str> {
            terms_of(cells.text(cell), items.separator).into_iter().collect()
        };
        let rows: Vec<(BTreeSet<&str>, u64)> =
            counts.into_iter().map(|(cell, count)| (shown(cell), count)).collect();
        let labels = rows.iter().flat_map(|(shown, _)| shown.iter().copied()).collect();
        ClassRows { labels, rows }
    };
    counts.into_iter().map(of_class).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::Stage;

    const POLICY: &str = "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.ills]\nrole = \
                          \"set\"\nseparator = \"|\"\nhierarchy = \"items.csv\"\n[privacy.k-anonymity]\nk = 2\n[privacy.kl-privacy]\n\
                          column = \"ills\"\nk = 2\nm = 1\n[method]\nname = \"mondrian\"\n";

    const ORIGINAL: &str = "age,ills\n20,flu|gout\n21,flu\n30,ulcer\n31,gout|ulcer\n";

    fn found(release: &str) -> crate::Finding {
        let stage = Stage::with(POLICY, ORIGINAL);
        stage.write("items.csv", "flu;any\ngout;any\nulcer;any\n");
        stage.attack("set-linking", release).expect("run")
    }

    #[test]
    fn an_item_that_few_hold_is_found() {
        let exact = found(
            "age,ills\n\"[20,21]\",flu|gout\n\"[20,21]\",flu\n\"[30,31]\",ulcer\n\"[30,31]\",gout|ulcer\n",
        );
        // The two who have gout.
        assert_eq!((exact.figures[0].hits, exact.figures[0].targets), (2, 4), "{exact:?}");
        assert!(exact.warning.contains("2 of 4 people") && exact.lines[0].contains("gout"), "{exact:?}");
    }

    #[test]
    fn groups_and_removed_items_tell_nothing() {
        for safe in [
            "age,ills\n\"[20,21]\",any\n\"[20,21]\",any\n\"[30,31]\",any\n\"[30,31]\",any\n",
            "age,ills\n\"[20,21]\",flu\n\"[20,21]\",flu\n\"[30,31]\",ulcer\n\"[30,31]\",ulcer\n",
        ] {
            let finding = found(safe);
            assert_eq!((finding.figures[0].hits, finding.warning.as_str()), (0, ""), "{finding:?}");
        }
    }
}
