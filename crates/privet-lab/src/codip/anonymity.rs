//! Figure 9: anonymisations and plans that are valid, by k.

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::{Bench, listed};
use crate::Part;
use privet::Result;

pub(super) const PART: Part = Part {
    name: "anonymity",
    title: "Valid anonymisations",
    summary: "how many vectors of levels are valid for each k, and how many of six plans meet t = 0.4 and 0.37",
};

/// What the paper states for a k.
struct Stated {
    k: u64,
    /// The number of valid anonymisations.
    valid: u64,
    /// The least t of one table.
    t: f64,
    /// The plans that meet t = 0.4, and t = 0.37.
    plans: [u64; 2],
}

const PAPER: [Stated; 6] = [
    Stated { k: 2, valid: 46, t: 0.42, plans: [6, 2] },
    Stated { k: 5, valid: 28, t: 0.42, plans: [6, 2] },
    Stated { k: 10, valid: 18, t: 0.42, plans: [6, 2] },
    Stated { k: 20, valid: 14, t: 0.42, plans: [6, 2] },
    Stated { k: 50, valid: 5, t: 0.52, plans: [0, 0] },
    Stated { k: 100, valid: 1, t: 0.52, plans: [0, 0] },
];

/// What was found for a k.
struct PlansFound {
    valid: u64,
    t: Option<f64>,
    plans: [u64; 2],
}

/// The paper's limit on discernibility, in 10⁹.
const LIMIT: f64 = 3.5;

/// The paper's plans: of this many tables.
const TABLES: std::ops::RangeInclusive<usize> = 2..=7;

const CLOSENESS: [f64; 2] = [0.4, 0.37];

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let head = [
        "k",
        "valid in the paper",
        "valid here",
        "valid here without a limit",
        "levels in all",
        "least t of one table, paper",
        "here",
        "plans with t = 0.4, paper",
        "here",
        "plans with t = 0.37, paper",
        "here",
    ];
    let mut table = Table::new("valid", "Valid anonymisations and plans by k", head);
    let mut found = Vec::new();
    let attributes = bench.census.attributes.len();
    let plans: Vec<_> = TABLES.map(|tables| bench.plan_of(tables.min(attributes))).collect();
    for stated in &PAPER {
        let k = stated.k;
        let tables = bench.tables(k, Some(bench.scaled(LIMIT)))?;
        let (valid, _) = tables.count_valid(&bench.clock)?;
        let (free, all) = bench.tables(k, None)?.count_valid(&bench.clock)?;
        let one = tables.best_closeness(&(0..attributes).collect::<Vec<_>>(), &bench.clock)?;
        let mut meeting = [0u64; 2];
        for plan in &plans {
            let mut worst = Some(0f64);
            for subset in plan {
                let own = tables.best_closeness(subset, &bench.clock)?;
                worst = worst.zip(own).map(|(worst, own)| worst.max(own));
            }
            for (meeting, t) in meeting.iter_mut().zip(CLOSENESS) {
                *meeting += u64::from(worst.is_some_and(|worst| worst <= t));
            }
        }
        found.push(PlansFound { valid, t: one, plans: meeting });
        table.row([
            Cell::Count(k),
            Cell::Count(stated.valid),
            Cell::Count(valid),
            Cell::Count(free),
            Cell::Count(all),
            Cell::Number(stated.t),
            one.map_or(Cell::Missing("no anonymisation".to_string()), Cell::Number),
            Cell::Count(stated.plans[0]),
            Cell::Count(meeting[0]),
            Cell::Count(stated.plans[1]),
            Cell::Count(meeting[1]),
        ]);
    }
    let line = |counts: Vec<u64>| -> Vec<(f64, Option<f64>)> {
        PAPER.iter().zip(counts).map(|(stated, count)| (stated.k as f64, Some(count as f64))).collect()
    };
    let plot = Plot {
        title: "Valid anonymisations by k, t = 1".to_string(),
        kind: Kind::Lines,
        x: Axis::new("k").log(),
        y: Axis::new("valid vectors of levels"),
        series: vec![
            Series::of("paper", line(PAPER.iter().map(|stated| stated.valid).collect())),
            Series::of("here", line(found.iter().map(|found| found.valid).collect())),
        ],
    };
    Ok(vec![
        Section::new("Valid anonymisations (figure 9)")
            .say(
                "The paper counts 46, 28, 18, 14, 5 and 1 valid anonymisations for k = 2 to 100. How many there are depends \
                 on how many levels the hierarchies have, which the paper does not tell, and on the number of records; that \
                 they become fewer with k is what can be compared.",
            )
            .say(CLOSENESS.iter().enumerate().map(|(at, t)| meeting_told(*t, at, &found)).collect::<Vec<_>>().join(" "))
            .say(why(&found))
            .plot(plot)
            .table(table),
    ])
}

/// For which k as many plans meet a t as in the paper, and for which they do not.
fn meeting_told(t: f64, at: usize, found: &[PlansFound]) -> String {
    let mut groups: Vec<((u64, u64), Vec<u64>)> = Vec::new();
    for (stated, found) in PAPER.iter().zip(found) {
        let counts = (stated.plans[at], found.plans[at]);
        match groups.iter_mut().find(|(known, _)| *known == counts) {
            Some((_, ks)) => ks.push(stated.k),
            None => groups.push((counts, vec![stated.k])),
        }
    }
    let told = groups.iter().map(|((paper, here), ks)| match paper == here {
        true => format!("{here} for k = {}, as in the paper", listed(ks)),
        false => format!("{here} for k = {} where the paper has {paper}", listed(ks)),
    });
    format!("Plans that meet t = {t}: {}.", told.collect::<Vec<_>>().join("; "))
}

/// Why other plans are close enough here than in the paper: what one table can meet decides.
fn why(found: &[PlansFound]) -> String {
    let stated = "In the paper one table meets no t below 0.42 for k up to 20 and below 0.52 from 50 on, and the few \
                  anonymisations that are left for such k are not close.";
    let least: Option<Vec<f64>> = found.iter().map(|found| found.t).collect();
    let Some(least) = least else {
        return format!("{stated} Here one table has no valid anonymisation for some k.");
    };
    let (low, high) = (
        least.iter().copied().fold(f64::INFINITY, f64::min),
        least.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    let here = match low == high {
        true => format!(
            "Here it is {high:.3} for every k: the anonymisation that is closest has large classes, and no k rules it out."
        ),
        false => format!("Here it is {low:.3} to {high:.3}, and grows with k."),
    };
    let follows = match CLOSENESS.iter().all(|t| high <= *t) {
        true => {
            " Since one table with all attributes meets both thresholds, every plan does: a table with fewer attributes is \
             no less close."
        }
        false => "",
    };
    format!(
        "{stated} {here}{follows} Which anonymisations there are is a matter of the hierarchies, which the paper does not tell."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentences_follow_the_figures() {
        let found = |t: f64, plans: [u64; 2]| PlansFound { valid: 1, t: Some(t), plans };
        let all: Vec<PlansFound> = PAPER.iter().map(|_| found(0.29, [6, 6])).collect();
        let told = meeting_told(0.4, 0, &all);
        assert!(told.contains("6 for k = 2, 5, 10 and 20, as in the paper"), "{told}");
        assert!(told.contains("6 for k = 50 and 100 where the paper has 0"), "{told}");
        let reason = why(&all);
        assert!(reason.contains("0.290 for every k") && reason.contains("every plan does"), "{reason}");
        let same: Vec<PlansFound> = PAPER.iter().map(|stated| found(stated.t, stated.plans)).collect();
        assert!(!meeting_told(0.37, 1, &same).contains("where the paper has"));
        let reason = why(&same);
        assert!(reason.contains("0.420 to 0.520") && !reason.contains("every plan does"), "{reason}");
    }
}
