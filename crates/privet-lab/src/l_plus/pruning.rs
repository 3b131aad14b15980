//! Figures 3.8(a)–(b): what each technique of the search is worth, on small taxonomies.

use std::fs;

use super::super::adult::{
    Answer, DEFAULT_TAXONOMIES, Ground, LABEL, Method, Outcome, QUASI, SENSITIVE, Setup, Threshold,
};
use super::super::amplify::{self, CsvFile};
use super::super::page::{Cell, Section, Table};
use super::super::plot::Axis;
use super::{Bench, SPEED_COST, effort_cells, effort_plots, effort_table};
use crate::Part;
use privet::taxonomy::Taxonomy;
use privet::{Error, Result};

pub(super) const PART: Part = Part {
    name: "pruning",
    title: "What each pruning technique is worth",
    summary: "the search with techniques switched off, DM and all-rec, age and country cut to their top two levels",
};

const SCHEME: &str = "all-rec";
/// The columns whose trees are cut.
const CUT: [&str; 2] = ["age", "native-country"];

/// A search with some of its techniques, as keys of the policy's `[method]`.
struct Variant {
    name: &'static str,
    keys: &'static [(&'static str, &'static str)],
    /// How much longer it takes than the full enumeration, as the thesis states it.
    stated: &'static str,
}

const FULL: usize = 1;
const VARIANTS: [Variant; 4] = [
    Variant { name: "interval search (ours)", keys: &[("search", "\"interval\"")], stated: "no figure" },
    Variant { name: "enumeration, full", keys: &[("search", "\"enumeration\"")], stated: "1" },
    Variant {
        name: "enumeration, bounds not updated",
        keys: &[("search", "\"enumeration\""), ("tighten", "false")],
        stated: "2 to 3 times",
    },
    Variant {
        name: "enumeration, ascending order",
        keys: &[("search", "\"enumeration\""), ("order", "\"ascending\"")],
        stated: "several orders of magnitude",
    },
];

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let ground = shallow(bench)?;
    let mut runs: Vec<(String, Vec<(f64, Answer)>)> = Vec::new();
    let mut table = effort_table("searches", "DM, all-rec, small taxonomies", &["search", "l", "DM"]);
    for variant in &VARIANTS {
        let mut answers = Vec::new();
        for &l in &bench.scale.pruning_ls {
            let method = Method::Optimize(SCHEME, variant.keys);
            let setup = bench.setup(method, SPEED_COST, Threshold::L(l));
            let setup = Setup { ground: ground.clone(), time_limit: bench.scale.pruning_limit, ..setup };
            let answer = bench.adult.solve(&setup)?;
            let setting = [Cell::text(variant.name), Cell::Count(l), super::cost_cell(&answer)];
            table.row(setting.into_iter().chain(effort_cells(&answer)));
            answers.push((l as f64, answer));
        }
        runs.push((variant.name.to_string(), answers));
    }
    let mut claims = Table::stated_and_found("stated");
    for (variant, (_, answers)) in VARIANTS.iter().zip(&runs) {
        let what = format!("time of {} over enumeration, full", variant.name);
        claims.row([
            Cell::text(what),
            Cell::text(variant.stated),
            Cell::text(ratios(answers, &runs[FULL].1)),
        ]);
    }
    let mut section = Section::new("Techniques switched off (figures 3.8 a and b)")
        .say(format!(
            "Searches that are not done after {} s are stopped; their times are then lower limits, and the column 'proven' \
             says how far they came.",
            bench.scale.pruning_limit.as_secs_f64()
        ))
        .table(claims)
        .table(table);
    for plot in effort_plots(&Axis::new("l"), &runs) {
        section = section.plot(plot);
    }
    bench.adult.forget(&ground);
    Ok(vec![section])
}

/// How many times as long some searches took as others; "over" where they were stopped.
fn ratios(answers: &[(f64, Answer)], full: &[(f64, Answer)]) -> String {
    let ratio = |(one, other): (&Outcome, &Outcome)| {
        let over = if one.optimal { "" } else { "over " };
        format!("{over}{}", super::super::page::significant(one.seconds / other.seconds.max(1e-6), 2))
    };
    let texts: Vec<String> = (answers.iter().zip(full))
        .filter_map(|((l, one), (_, full))| {
            Some(format!("l = {l}: {}", ratio((one.outcome()?, full.outcome()?))))
        })
        .collect();
    if texts.is_empty() { "–".to_string() } else { texts.join(", ") }
}

/// The table with the values of two columns, and their trees, cut to the root and its children.
fn shallow(bench: &Bench) -> Result<Ground> {
    let folder = bench.workshop().join("shallow");
    fs::create_dir_all(&folder).map_err(|error| Error::io("make the folder", &folder, &error))?;
    let ground = Ground { table: folder.join("adult.csv"), hierarchies: folder };
    let original = bench.adult.ground(DEFAULT_TAXONOMIES)?;
    let mut trees = Vec::new();
    for (column, file) in QUASI {
        let (from, to) = (original.hierarchies.join(file), ground.hierarchies.join(file));
        if !CUT.contains(&column) {
            fs::copy(&from, &to).map_err(|error| Error::io("copy the hierarchy", &from, &error))?;
            trees.push(None);
            continue;
        }
        let tree = Taxonomy::read(&from)?;
        let root = tree.label(tree.root());
        let lines: String = tree
            .children(tree.root())
            .iter()
            .map(|child| format!("{};{root}\n", tree.label(*child)))
            .collect();
        fs::write(&to, lines).map_err(|error| Error::io("write the hierarchy", &to, &error))?;
        trees.push(Some(tree));
    }
    let columns: Vec<&str> = QUASI.map(|(column, _)| column).into_iter().chain([SENSITIVE, LABEL]).collect();
    let rows = amplify::read(&bench.adult.source()?, &columns, &bench.adult.clock)?;
    let mut file = CsvFile::create(&ground.table, &columns)?;
    for row in &rows {
        let mut cells: Vec<&str> = row.iter().map(String::as_str).collect();
        for (cell, tree) in cells.iter_mut().zip(&trees) {
            if let Some(tree) = tree {
                *cell = top_label(tree, cell)?;
            }
        }
        file.row(&cells)?;
    }
    file.finish()?;
    Ok(ground)
}

/// The child of the root that a value belongs to.
fn top_label<'a>(tree: &'a Taxonomy, value: &str) -> Result<&'a str> {
    let leaf = tree.leaf_of(value)?;
    let leaf =
        leaf.ok_or_else(|| Error::input(format!("the value '{value}' has no leaf in its hierarchy")))?;
    let top = tree.children(tree.root()).iter().find(|child| tree.contains(**child, leaf));
    Ok(tree.label(top.copied().unwrap_or(leaf)))
}
