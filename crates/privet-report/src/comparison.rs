//! The page that `privet compare` writes: settings of a policy side by side, and the frontier between risk and loss.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::block::{Block, Cell, Chart, Grid, Head, Section};
use super::chart::{self, FrontierPoint};
use super::gate::Key;
use super::{Edition, STYLE};
use privet_core::Result;

/// All of the page is the steward's: it holds risks.
const STEWARD: Edition = Edition::Steward;

/// What the page shows. All of it is the steward's: it holds risks.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonPage {
    /// The data that all settings are about.
    pub data: String,
    /// What is lost, as the axis says.
    pub loss: String,
    /// What is at risk, as the axis says.
    pub risk: String,
    /// The settings that can be met.
    pub points: Vec<Compared>,
    /// The names of the table's columns.
    pub header: Vec<String>,
    /// The table, a row per setting, those that cannot be met too.
    pub rows: Vec<Vec<String>>,
    /// What has to be said about the table.
    pub note: String,
}

/// A setting in the plot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// What the setting is called.
    pub label: String,
    /// What it loses.
    pub loss: f64,
    /// What it leaves at risk.
    pub risk: f64,
    /// Whether this is the setting that the steward chose.
    pub chosen: bool,
}

impl ComparisonPage {
    /// Which settings no other beats: none is better in one and as good in the other.
    pub fn frontier(&self) -> Vec<bool> {
        let beats = |one: &Compared, other: &Compared| {
            one.loss <= other.loss
                && one.risk <= other.risk
                && (one.loss < other.loss || one.risk < other.risk)
        };
        self.points.iter().map(|point| !self.points.iter().any(|other| beats(other, point))).collect()
    }

    /// Writes the page as HTML without scripts or anything to be fetched.
    pub fn render(&self) -> Result<String> {
        let privet = env!("CARGO_PKG_VERSION");
        let sections = STEWARD.key().map(|key| vec![self.plot(key), self.settings(key)]).unwrap_or_default();
        super::fill(
            concat!(
                include_str!("templates/blocks.html"),
                include_str!("templates/head.html"),
                include_str!("templates/comparison.html")
            ),
            context! {
                style => Value::from_safe_string(STYLE.to_string()),
                privet,
                data => self.data.clone(),
                met => self.points.len(),
                settings => self.rows.len(),
                sections => Value::from(Serde(sections)),
            },
        )
    }

    /// The place of a setting in the table, from 1.
    fn number(&self, point: &Compared) -> usize {
        let place = self.rows.iter().position(|row| row.first() == Some(&point.label));
        place.map_or(0, |place| place + 1)
    }

    fn plot(&self, key: Key) -> Section {
        let settings = || self.points.iter().zip(self.frontier());
        let points: Vec<FrontierPoint> = settings()
            .map(|(point, on_frontier)| FrontierPoint {
                number: self.number(point),
                loss: point.loss,
                risk: point.risk,
                on_frontier,
                chosen: point.chosen,
            })
            .collect();
        let row = |(point, on_frontier): (&Compared, bool)| {
            vec![
                key.text(format!("{} {}", self.number(point), point.label)),
                key.figure(point.loss),
                key.figure(point.risk),
                if on_frontier { "yes" } else { "no" }.into(),
                if point.chosen { "yes" } else { "" }.into(),
            ]
        };
        let note = "Numbers are those of the table below. The large dot is the chosen setting. No other setting beats one with an \
                    empty dot; some other beats one with a small grey dot.";
        let svg = chart::frontier(&points, (&self.loss, &self.risk));
        let mut plot =
            Chart::new("The frontier between risk and loss", note, svg, &[], settings().map(row).collect());
        plot.class = "wide";
        plot.heads = vec![
            "setting".into(),
            key.text(&self.loss),
            key.text(&self.risk),
            "on the frontier".into(),
            "chosen".into(),
        ];
        let how = "Further down is safer, further left keeps more. Nothing was published: to publish a setting, put it into the \
                   policy and run privet anonymize.";
        let blocks = vec![Block::words(how), Block::Charts { class: "", charts: vec![plot] }];
        Section::new("frontier", "Frontier", "Risk and loss", blocks)
    }

    fn settings(&self, key: Key) -> Section {
        let heads = self.header.iter().map(|name| Head { name: key.text(name), class: "" }).collect();
        let cells = |(number, row): (usize, &Vec<String>)| {
            let cell = |(at, text): (usize, &String)| match at {
                0 => Cell::from(key.text(format!("{number} {text}"))),
                // The CSV file has all digits.
                _ => Cell::from(text.parse().map_or_else(|_| key.text(text), |value| key.figure(value))),
            };
            row.iter().enumerate().map(cell).collect()
        };
        let rows = (1..).zip(&self.rows).map(cells).collect();
        let mut blocks =
            vec![Block::Grid(Grid { label: "Every setting".into(), class: "data cards", heads, rows })];
        let note = self.note.trim();
        blocks.extend((!note.is_empty()).then(|| Block::prose(key.text(note))));
        Section::new("settings", "Settings", "Every setting", blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(points: &[(f64, f64)]) -> ComparisonPage {
        let point = |(at, (loss, risk)): (usize, &(f64, f64))| Compared {
            label: format!("<b>{at}</b>"),
            loss: *loss,
            risk: *risk,
            chosen: at == 0,
        };
        ComparisonPage {
            data: "a.csv".to_string(),
            loss: "LM".to_string(),
            risk: "greatest risk".to_string(),
            points: points.iter().enumerate().map(point).collect(),
            header: vec!["policy".to_string(), "note".to_string()],
            rows: vec![vec!["k=2".to_string(), "cannot be met".to_string()]],
            note: String::new(),
        }
    }

    #[test]
    fn the_frontier_is_what_nothing_beats() {
        let page = page(&[(0.1, 0.5), (0.2, 0.2), (0.3, 0.2), (0.4, 0.1), (0.4, 0.1)]);
        assert_eq!(page.frontier(), [true, true, false, true, true]);
    }

    #[test]
    fn the_page_holds_every_setting_and_escapes_what_it_is_given() {
        let text = page(&[(0.1, 0.5), (0.2, 0.2)]).render().expect("a page");
        assert!(text.contains("cannot be met") && text.contains("&lt;b&gt;1&lt;&#x2f;b&gt;"), "{text}");
        assert!(!text.contains("<b>0") && !text.contains("<script") && !text.contains("http://"));
        page(&[]).render().expect("a page without settings that can be met");
    }
}
