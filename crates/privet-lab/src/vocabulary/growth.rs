//! How time grows with the number of vocabularies, on made-up bags over WordNet's nouns.

use std::time::Instant;

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::data::Ground;
use super::synthetic::{Stock, WORDS};
use super::{Bench, EPSILON, K, Method};
use crate::Part;
use privet::Result;
use privet::method::vocabulary::loss::BagLoss;
use privet::privacy::vocabulary::VocabularyAnonymity;

pub(super) const PART: Part = Part {
    name: "growth",
    title: "Growth",
    summary: "time and bLM of SSG and LG(bag) on made-up bags, from 48,000 to 3.8 million",
};

const SEED: u64 = 1;

/// How made-up bags are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flavour {
    Phrases,
    Independent,
}

impl Flavour {
    const ALL: [Flavour; 2] = [Flavour::Phrases, Flavour::Independent];

    fn name(self) -> &'static str {
        match self {
            Flavour::Phrases => "phrases",
            Flavour::Independent => "independent",
        }
    }
}

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut section = Section::new("Time over the number of vocabularies").say(
        "Bags of 3.3 terms on average out of 19,000 nouns: phrases that are repeated and varied, or terms drawn \
         independently. The thesis reports 200 to 3,635 s for 383,000 bags.",
    );
    let stock = Stock::of(bench.log.wordnet(), WORDS)?;
    for flavour in Flavour::ALL {
        let head = ["bags", "SSG", "per doubling", "bLM", "with residual", "bLM", "LG(bag)", "bLM"];
        let mut table =
            Table::new(&format!("growth-{}", flavour.name()), format!("{} bags", flavour.name()), head);
        let mut series: Vec<Vec<(f64, Option<f64>)>> = vec![Vec::new(); Method::ALL.len()];
        let mut before: Option<(usize, f64)> = None;
        for size in &bench.scale.sizes {
            let bags = match flavour {
                Flavour::Phrases => stock.phrases(*size, SEED)?,
                Flavour::Independent => stock.independent(*size, SEED)?,
            };
            let ground = Ground::of(bags, &bench.log.semantics());
            let mut cells = vec![Cell::Count(*size as u64)];
            for (at, method) in Method::ALL.into_iter().enumerate() {
                bench.clock.progress().stage(&format!("{} {size} {}", flavour.name(), method.name()), None);
                let demand = VocabularyAnonymity { k: K, distinct_users: false, min_term_users: 1 };
                let start = Instant::now();
                let solution = bench.solve(&ground, method, EPSILON, demand)?;
                let seconds = start.elapsed().as_secs_f64();
                cells.push(Cell::Seconds(seconds));
                if method == Method::Ssg {
                    let grown = |last| Cell::Number(per_doubling(last, (*size, seconds)));
                    cells.push(before.map_or(Cell::text("–"), grown));
                    before = Some((*size, seconds));
                }
                let loss = BagLoss::of(&ground.bags, &solution, &ground.distances);
                cells.push(Cell::Share(loss.blm.value()));
                series[at].push((*size as f64, Some(seconds)));
            }
            table.row(cells);
        }
        let series = Method::ALL
            .into_iter()
            .zip(series)
            .map(|(method, points)| Series::of(method.name(), points))
            .collect();
        section = section
            .plot(Plot {
                title: format!("{} bags", flavour.name()),
                kind: Kind::Lines,
                x: Axis::new("bags").log(),
                y: Axis::new("seconds").log(),
                series,
            })
            .table(table);
    }
    Ok(vec![section])
}

/// How many times as long twice as many bags take, if time grows as it did between two sizes.
fn per_doubling((few, before): (usize, f64), (many, after): (usize, f64)) -> f64 {
    let doublings = (many as f64 / few as f64).log2();
    (after / before).powf(1.0 / doublings)
}

#[cfg(test)]
mod tests {
    use super::per_doubling;

    #[test]
    fn growth_is_told_per_doubling() {
        assert!((per_doubling((100, 1.0), (200, 2.1)) - 2.1).abs() < 1e-12);
        assert!((per_doubling((100, 1.0), (400, 4.41)) - 2.1).abs() < 1e-12);
    }
}
