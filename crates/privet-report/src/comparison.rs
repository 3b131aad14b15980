//! The page that `privet compare` writes: settings of a policy side by side, and the frontier between risk and loss.

use minijinja::{Value, context};
use serde::Serialize;

use super::STYLE;
use super::chart::{self, FrontierPoint};
use privet_core::Result;

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
        let frontier = self.frontier();
        let number = |point: &Compared| {
            let place = self.rows.iter().position(|row| row.first() == Some(&point.label));
            place.map_or(0, |place| place + 1)
        };
        let points: Vec<FrontierPoint> = (self.points.iter().zip(&frontier))
            .map(|(point, on_frontier)| FrontierPoint {
                number: number(point),
                loss: point.loss,
                risk: point.risk,
                on_frontier: *on_frontier,
                chosen: point.chosen,
            })
            .collect();
        let figures: Vec<Vec<String>> = (self.points.iter().zip(&frontier))
            .map(|(point, on_frontier)| {
                let place = if *on_frontier { "yes" } else { "no" };
                let chosen = if point.chosen { "yes" } else { "" };
                let figure = |value: f64| format!("{value:.6}");
                let label = format!("{} {}", number(point), point.label);
                vec![label, figure(point.loss), figure(point.risk), place.into(), chosen.into()]
            })
            .collect();
        let head =
            ["setting", &self.loss, &self.risk, "on the frontier", "chosen"].map(String::from).to_vec();
        super::fill(
            concat!(
                include_str!("templates/macros.html"),
                include_str!("templates/head.html"),
                include_str!("templates/comparison.html")
            ),
            context! {
                style => Value::from_safe_string(STYLE.to_string()),
                privet => env!("CARGO_PKG_VERSION"),
                data => self.data.clone(),
                header => self.header.clone(),
                rows => self.rows.clone(),
                note => self.note.trim(),
                met => self.points.len(),
                settings => self.rows.len(),
                plot => context! {
                    title => "The frontier between risk and loss",
                    note => "Numbers are those of the table below. The large dot is the chosen setting; settings with an empty dot \
                             are beaten by no other, those with a small grey one are.",
                    svg => chart::frontier(&points, (&self.loss, &self.risk)),
                    table => context! { head => head, rows => figures },
                },
            },
        )
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
