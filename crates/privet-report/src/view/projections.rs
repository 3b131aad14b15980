//! The report about several tables with disjoint sensitive attributes.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use super::super::gate::Key;
use super::super::lens::{capital, figure, percent, thousands};
use super::super::notion::Notion;
use super::super::projections::{CurvePoint, ProjectionReport, protections};
use super::super::{Edition, chart};
use super::verdict::{self, KeyFigure, Verdict, in_words};
use super::{DataTable, Figure, Frame, Own};
use privet_core::counted;

/// What makes records alike.
const ALIKE: &str = "A class is all records with the same quasi-identifiers in one table. The release is shown by the table whose smallest class is smallest.";

/// The whole page.
#[derive(Serialize)]
struct View {
    #[serde(flatten)]
    frame: Frame,
    tables: DataTable,
    gained: Vec<(&'static str, String)>,
    figures: Vec<Figure>,
}

/// Puts the model into words, as far as the edition may speak.
pub(in super::super) fn view(model: &ProjectionReport, edition: Edition) -> Value {
    let mut requirements: Vec<(String, String)> = (model.requirements.iter())
        .map(|requirement| {
            (requirement.description.clone(), format!("{}.", capital(&requirement.notion.promise())))
        })
        .collect();
    requirements.push((model.limits.description.clone(), plan_promise(model)));
    let own = Own {
        about: "on a table",
        noun: "records",
        noun_title: "Records",
        kind: "tables",
        k: k(model),
        alike: ALIKE,
        verdict: first_page(model, edition),
        requirements,
        records: super::records(model.common.records, edition),
        reading: reading(model),
        sections: vec![("plan", "Tables")],
        glossary: glossary(),
    };
    Value::from(Serde(View {
        tables: tables(model, edition),
        gained: edition.key().map(|key| gained(model, key)).unwrap_or_default(),
        figures: edition.key().map(|key| vec![drawing(model, key), curve(model, key)]).unwrap_or_default(),
        frame: Frame::new(&model.common, own, edition),
    }))
}

/// The k that every table has, where one is asked for.
fn k(model: &ProjectionReport) -> Option<u64> {
    model.notions.iter().find_map(|notion| match notion {
        Notion::KAnonymity { k } => Some(*k),
        _ => None,
    })
}

fn plan_promise(model: &ProjectionReport) -> String {
    format!(
        "At most {} of the association between sensitive attributes may be lost, and at most {} of what a background join \
         could expose.",
        percent(model.limits.alpha),
        percent(model.limits.beta)
    )
}

fn first_page(model: &ProjectionReport, edition: Edition) -> Verdict {
    let promise = verdict::promise(model.requirements.iter().map(|requirement| requirement.notion.promise()));
    let each = if model.tables.len() > 1 { " This holds in every table." } else { "" };
    let records = &model.common.records;
    let mut figures = vec![
        KeyFigure {
            value: edition.count(records.released),
            name: "records in every table".to_string(),
            note: match edition.key() {
                Some(key) => format!("of {} read", thousands(*records.read.see(key))),
                None => format!("with {} quasi-identifiers", model.quasi.len()),
            },
        },
        KeyFigure {
            value: in_words(model.tables.len()),
            name: if model.tables.len() == 1 { "table" } else { "tables" }.to_string(),
            note: format!("for {} sensitive attributes", model.attributes.len()),
        },
    ];
    figures.extend(model.gamma_beta.told(edition, records.released).map(|share| KeyFigure {
        value: share.text,
        name: "of join threat left".to_string(),
        note: "compared with one table (Γβ)".to_string(),
    }));
    figures.extend(model.gamma_alpha.told(edition, records.released).map(|share| KeyFigure {
        value: share.text,
        name: "of association lost".to_string(),
        note: "between attributes in different tables (Γα)".to_string(),
    }));
    figures.extend(verdict::exactly(&model.common, verdict::CELLS, edition));
    Verdict::new(model.common.audit.passed, false, promise + each, figures, protections(model, edition))
}

fn reading(model: &ProjectionReport) -> Vec<(&'static str, String)> {
    vec![
        (
            "Files",
            format!(
                "Every table has a row per record, with {} and some sensitive attributes. The rows of each are in an order of \
                 their own: rows of two tables at the same place have nothing to do with each other.",
                model.quasi.join(", ")
            ),
        ),
        (
            "Attributes of several values",
            "A column m whose cells held several values is replaced by one column of zeros and ones per value, named m=value."
                .to_string(),
        ),
        (
            "Counts",
            "How attributes of one table go together can be counted. How attributes of different tables go together is not \
             told; they may be taken for independent within people who look alike."
                .to_string(),
        ),
    ]
}

fn names(model: &ProjectionReport, attributes: &[usize]) -> String {
    let name = |at: &usize| model.attributes.get(*at).map_or("", String::as_str);
    attributes.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn tables(model: &ProjectionReport, edition: Edition) -> DataTable {
    let mut head = vec![
        "File".to_string(),
        "Sensitive attributes".to_string(),
        "Levels".to_string(),
        "Classes".to_string(),
    ];
    let key = edition.key();
    if key.is_some() {
        head.extend(["Closeness".to_string(), "Discernibility".to_string()]);
    }
    let rows = model.tables.iter().map(|table| {
        let levels = model.quasi.iter().zip(&table.levels);
        let levels: Vec<String> =
            levels.map(|(name, (level, top))| format!("{name} {level} of {top}")).collect();
        let mut row = vec![
            table.file.clone(),
            names(model, &table.attributes),
            levels.join(", "),
            edition.count(table.classes),
        ];
        if let Some(key) = key {
            row.extend([format!("{:.4}", table.closeness.see(key)), figure(*table.dm.see(key))]);
        }
        row
    });
    DataTable { rows: rows.collect(), head }
}

fn gained(model: &ProjectionReport, key: Key) -> Vec<(&'static str, String)> {
    let closeness = |value: Option<f64>| value.map_or("none".to_string(), |value| format!("{value:.4}"));
    vec![
        ("Least t of one table", closeness(*model.closeness_one_table.see(key))),
        ("Least t of these tables", closeness(*model.closeness_plan.see(key))),
        ("Join threat removed (1 − Γβ)", percent(1.0 - model.gamma_beta.see(key))),
        ("Association lost (Γα)", percent(*model.gamma_alpha.see(key))),
    ]
}

fn drawing(model: &ProjectionReport, key: Key) -> Figure {
    let (attributes, information) = (model.attributes.len(), model.information.see(key));
    let shared = |a: usize, b: usize| information.get(a * attributes + b).copied().unwrap_or(0.0);
    let most = information.iter().copied().fold(0.0, f64::max);
    let strength = |a: usize, b: usize| if most > 0.0 { shared(a, b) / most } else { 0.0 };
    let plan: Vec<Vec<usize>> = model.tables.iter().map(|table| table.attributes.clone()).collect();
    let mut pairs: Vec<(usize, usize)> =
        (0..attributes).flat_map(|a| (a + 1..attributes).map(move |b| (a, b))).collect();
    pairs.sort_by(|a, b| shared(b.0, b.1).total_cmp(&shared(a.0, a.1)).then(a.cmp(b)));
    let together = |a: usize, b: usize| plan.iter().any(|table| table.contains(&a) && table.contains(&b));
    let drawn = pairs.iter().filter(|(a, b)| strength(*a, *b) >= chart::FAINT).count();
    let rows = pairs.iter().map(|(a, b)| {
        vec![
            format!("{} – {}", model.attributes[*a], model.attributes[*b]),
            format!("{:.4}", shared(*a, *b)),
            if together(*a, *b) { "kept" } else { "lost" }.to_string(),
        ]
    });
    Figure {
        title: "Which attributes travel together.".to_string(),
        note: format!(
            "Those of one table have one colour and stand side by side. Lines are the wider, the more two attributes tell \
             about each other; broken lines are lost. {drawn} of {} are drawn, those that have at least {} of what the \
             strongest has; the table has all.",
            counted(pairs.len() as u64, "pair", "pairs"),
            percent(chart::FAINT)
        ),
        svg: chart::plan(&model.attributes, &plan, strength),
        table: DataTable {
            head: ["Attributes", "Mutual information (nats)", "Association"].map(str::to_string).to_vec(),
            rows: rows.collect(),
        },
    }
}

/// Two ratios of the same plan, but for the order of sums.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

fn curve(model: &ProjectionReport, key: Key) -> Figure {
    let all = model.curve.see(key);
    let (alpha, beta) = (*model.gamma_alpha.see(key), *model.gamma_beta.see(key));
    let points: Vec<(f64, f64)> = all.iter().map(|point| (point.alpha, point.beta)).collect();
    let own = CurvePoint { tables: model.tables.len() as u64, alpha, beta };
    let is_own = |point: &CurvePoint| {
        point.tables == own.tables && is_same(point.alpha, own.alpha) && is_same(point.beta, own.beta)
    };
    let row = |point: &CurvePoint, whose: &str| {
        vec![format!("{}{whose}", point.tables), format!("{:.4}", point.alpha), format!("{:.4}", point.beta)]
    };
    let is_on = all.iter().any(is_own);
    let rows = all.iter().map(|point| row(point, if is_own(point) { " (this release)" } else { "" }));
    let apart = (!is_on).then(|| row(&own, " (this release, not of CODIP*)"));
    Figure {
        title: "What is lost against what is exposed.".to_string(),
        note: format!(
            "From a table per attribute (right) to one table (left), as CODIP* would merge them without limits. {}",
            where_it_stands(model, is_on, key)
        ),
        svg: chart::tradeoff(&points, (alpha, beta), (model.limits.alpha, model.limits.beta)),
        table: DataTable {
            head: ["Tables", "Association lost (Γα)", "Exposed (Γβ)"].map(str::to_string).to_vec(),
            rows: rows.chain(apart).collect(),
        },
    }
}

/// Why this release is on the curve of CODIP* or not.
fn where_it_stands(model: &ProjectionReport, is_on: bool, key: Key) -> String {
    let gamma_alpha = *model.gamma_alpha.see(key);
    let stopped =
        "What the policy asks of tables and of exposure stopped some merges of CODIP* and let others follow.";
    match (is_on, model.common.method.name.as_str()) {
        (true, _) => "The large point on it is this release.".to_string(),
        (false, "codip") => {
            let within = model.curve.see(key).iter().filter(|point| point.beta <= model.limits.beta + 1e-9);
            let least = within.map(|point| point.alpha).fold(f64::INFINITY, f64::min);
            let beside = match least.is_finite() && gamma_alpha < least - 1e-9 {
                true => format!(
                    " CODIP* would lose {} within the same limit on exposure, this release loses {}.",
                    percent(least),
                    percent(gamma_alpha)
                ),
                false => String::new(),
            };
            format!(
                "The large point is this release; it is off the curve because CODIP looked for the best of all plans, not \
                 only of those that CODIP* comes by.{beside}"
            )
        }
        (false, _) => format!("The large point is this release; it is off the curve. {stopped}"),
    }
}

fn glossary() -> Vec<(&'static str, &'static str)> {
    vec![
        ("Quasi-identifier", "A column that could name a person together with others."),
        ("Class", "Records of a table with the same released quasi-identifiers."),
        (
            "Background join",
            "Finding a person’s row by one sensitive attribute that is known, and reading the others.",
        ),
        ("Mutual information", "How much one attribute tells about another; 0 if they are independent."),
        (
            "Association loss, Γα",
            "The share of mutual information between attributes that are in different tables.",
        ),
        (
            "Information exposure, Γβ",
            "The share of what a background join could newly tell that the tables leave open, weighed by their size.",
        ),
        (
            "Closeness, t",
            "How far the distribution of an attribute in a class may be from that in the whole table, from 0 to 1.",
        ),
        (
            "Discernibility, DM",
            "The sum of the classes’ sizes squared: how many records each record looks like.",
        ),
    ]
}
