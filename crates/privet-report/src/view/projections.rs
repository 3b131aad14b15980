//! The report about several tables with disjoint sensitive attributes.

use super::super::block::{Block, Cell, Chart, Grid, Section};
use super::super::gate::{Datum, Key};
use super::super::notion::Notion;
use super::super::numbers::{figure, percent};
use super::super::projections::{CurvePoint, ProjectedTable, ProjectionReport, protections};
use super::super::{Edition, chart};
use super::verdict::{self, KeyFigure, Verdict};
use super::{Own, records};
use privet_core::counted;

/// What makes records alike.
const ALIKE: &str = "A class is all records with the same quasi-identifiers in one table. The release is shown by the table whose smallest class is smallest.";

/// What several tables add to what all reports have.
pub(super) fn own(model: &ProjectionReport, edition: Edition) -> Own {
    let mut requirements: Vec<(Datum, Datum)> = (model.requirements.iter())
        .map(|asked| (Datum::setting(&asked.description), Datum::setting(asked.notion.promise()).sentence()))
        .collect();
    requirements.push((Datum::setting(&model.limits.description), plan_promise(model)));
    Own {
        about: "on a table",
        noun: "records",
        title: "Released tables",
        k: model.notions.iter().find_map(|notion| match notion {
            Notion::KAnonymity { k } => Some(*k),
            _ => None,
        }),
        alike: ALIKE,
        verdict: first_page(model, edition),
        requirements,
        records: records::records(&model.common, edition),
        reading: reading(model),
        sections: vec![plan(model, edition)],
        glossary: glossary(),
    }
}

fn plan_promise(model: &ProjectionReport) -> Datum {
    Datum::say(
        "At most {} of the association between sensitive attributes may be lost, and at most {} of what a background join could \
         expose.",
        [model.limits.alpha, model.limits.beta].map(|limit| Datum::setting(percent(limit))),
    )
}

fn first_page(model: &ProjectionReport, edition: Edition) -> Verdict {
    let (common, tables) = (&model.common, model.tables.len());
    let promise = verdict::promise(model.requirements.iter().map(|asked| asked.notion.promise()));
    let each = if tables > 1 { " This holds in every table." } else { "" };
    let released = common.records.released;
    let quasi = Datum::say("with {} quasi-identifiers", [Datum::setting(model.quasi.len())]);
    let mut figures = vec![
        verdict::released(common, "records in every table", "of {} read", quasi, edition),
        KeyFigure::new(
            Datum::in_words(tables),
            if tables == 1 { "table" } else { "tables" },
            Datum::say("for {} sensitive attributes", [Datum::setting(model.attributes.len())]),
        ),
    ];
    figures.extend(
        model
            .gamma_beta
            .shown(edition, released)
            .map(|share| KeyFigure::new(share.text, "of join threat left", "compared with one table (Γβ)")),
    );
    figures.extend(model.gamma_alpha.shown(edition, released).map(|share| {
        KeyFigure::new(share.text, "of association lost", "between attributes in different tables (Γα)")
    }));
    figures.extend(verdict::exactly(common, verdict::CELLS, edition));
    let promise = Datum::join([promise, each.into()], "");
    Verdict::new(common.audit.passed, false, promise, figures, protections(model, edition))
}

fn reading(model: &ProjectionReport) -> Vec<(Datum, Datum)> {
    let quasi = Datum::join(model.quasi.iter().map(Datum::named), ", ");
    let files = "Every table has a row per record, with {} and some sensitive attributes. The rows of each are in an order of \
                 their own: rows of two tables at the same place have nothing to do with each other.";
    vec![
        ("Files".into(), Datum::say(files, [quasi])),
        (
            "Attributes of several values".into(),
            "A column m whose cells held several values is replaced by one column of zeros and ones per value, named m=value."
                .into(),
        ),
        (
            "Counts".into(),
            "How attributes of one table go together can be counted. How attributes of different tables go together is not \
             published; they may be taken for independent within people who look alike."
                .into(),
        ),
    ]
}

/// The tables, and what is gained by parting attributes.
fn plan(model: &ProjectionReport, edition: Edition) -> Section {
    let heads: &[&str] = match edition {
        Edition::Steward => {
            &["File", "Sensitive attributes", "Levels", "Classes", "Closeness", "Discernibility"]
        }
        Edition::Public => &["File", "Sensitive attributes", "Levels", "Classes"],
    };
    let rows = model.tables.iter().map(|table| table_row(model, table, edition)).collect();
    let mut blocks = vec![Block::Grid(Grid::cards("Tables", heads, rows))];
    if let Some(key) = edition.key() {
        let closeness =
            |value: Option<f64>| value.map_or_else(|| "none".into(), |value| key.text(format!("{value:.4}")));
        blocks.push(Block::Heading("What is gained over one table".into()));
        blocks.push(Block::counts(vec![
            ("Least t of one table".into(), closeness(*model.closeness_one_table.see(key))),
            ("Least t of these tables".into(), closeness(*model.closeness_plan.see(key))),
            ("Join threat removed (1 − Γβ)".into(), key.percent(1.0 - model.gamma_beta.see(key))),
            ("Association lost (Γα)".into(), key.percent(*model.gamma_alpha.see(key))),
        ]));
        blocks.extend(Block::charts(vec![drawing(model, key), curve(model, key)]));
    }
    Section::new("plan", "Tables", "Tables", blocks)
}

fn table_row(model: &ProjectionReport, table: &ProjectedTable, edition: Edition) -> Vec<Cell> {
    let names = table.attributes.iter().filter_map(|at| model.attributes.get(*at)).map(Datum::named);
    let levels = (model.quasi.iter().zip(&table.levels))
        .map(|(name, (level, top))| Datum::setting(format_args!("{name} {level} of {top}")));
    let mut row = vec![
        Cell::from(Datum::setting(&table.file)),
        Datum::join(names, ", ").into(),
        Datum::join(levels, ", ").into(),
        edition.count(table.classes).into(),
    ];
    row.extend(edition.key().into_iter().flat_map(|key| {
        let closeness = key.text(format!("{:.4}", table.closeness.see(key)));
        [Cell::from(closeness), key.text(figure(*table.dm.see(key))).into()]
    }));
    row
}

fn drawing(model: &ProjectionReport, key: Key) -> Chart {
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
            key.text(format!("{} – {}", model.attributes[*a], model.attributes[*b])),
            key.text(format!("{:.4}", shared(*a, *b))),
            if together(*a, *b) { "kept" } else { "lost" }.into(),
        ]
    });
    let note = "Those of one table have one colour and stand side by side. Lines are the wider, the more two attributes tell \
                about each other; broken lines are lost. {} of {} are drawn, those that have at least {} of what the strongest \
                has; the table has all.";
    let all = key.text(counted(pairs.len() as u64, "pair", "pairs"));
    Chart::new(
        "Which attributes travel together.",
        Datum::say(note, [key.count(drawn as u64), all, key.percent(chart::FAINT)]),
        chart::plan(&model.attributes, &plan, strength),
        &["Attributes", "Mutual information (nats)", "Association"],
        rows.collect(),
    )
}

/// Two ratios of the same plan, but for the order of sums.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

fn curve(model: &ProjectionReport, key: Key) -> Chart {
    let all = model.curve.see(key);
    let (alpha, beta) = (*model.gamma_alpha.see(key), *model.gamma_beta.see(key));
    let points: Vec<(f64, f64)> = all.iter().map(|point| (point.alpha, point.beta)).collect();
    let own = CurvePoint { tables: model.tables.len() as u64, alpha, beta };
    let is_own = |point: &CurvePoint| {
        point.tables == own.tables && is_same(point.alpha, own.alpha) && is_same(point.beta, own.beta)
    };
    let row = |point: &CurvePoint, whose: &str| {
        [format!("{}{whose}", point.tables), format!("{:.4}", point.alpha), format!("{:.4}", point.beta)]
            .map(|text| key.text(text))
            .to_vec()
    };
    let is_on = all.iter().any(is_own);
    let rows = all.iter().map(|point| row(point, if is_own(point) { " (this release)" } else { "" }));
    let apart = (!is_on).then(|| row(&own, " (this release, not of CODIP*)"));
    let note = "From a table per attribute (right) to one table (left), as CODIP* would merge them without limits. {}";
    Chart::new(
        "What is lost against what is exposed.",
        Datum::say(note, [where_it_stands(model, is_on, key)]),
        chart::tradeoff(&points, (alpha, beta), (model.limits.alpha, model.limits.beta)),
        &["Tables", "Association lost (Γα)", "Exposed (Γβ)"],
        rows.chain(apart).collect(),
    )
}

/// Why this release is on the curve of CODIP* or not.
fn where_it_stands(model: &ProjectionReport, is_on: bool, key: Key) -> Datum {
    match (is_on, model.common.method.name.as_str()) {
        (true, _) => "The large point on it is this release.".into(),
        (false, "codip") => {
            let gamma_alpha = *model.gamma_alpha.see(key);
            let within = model.curve.see(key).iter().filter(|point| point.beta <= model.limits.beta + 1e-9);
            let least = within.map(|point| point.alpha).fold(f64::INFINITY, f64::min);
            let instead = match least.is_finite() && gamma_alpha < least - 1e-9 {
                true => Datum::say(
                    " CODIP* would lose {} within the same limit on exposure, this release loses {}.",
                    [key.percent(least), key.percent(gamma_alpha)],
                ),
                false => Datum::default(),
            };
            Datum::say(
                "The large point is this release; it is off the curve because CODIP looked for the best of all plans, not only \
                 of those that CODIP* comes by.{}",
                [instead],
            )
        }
        (false, _) => "The large point is this release; it is off the curve. What the policy asks of tables and of exposure \
                       stopped some merges of CODIP* and let others follow."
            .into(),
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
