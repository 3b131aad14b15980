//! Figure 6: removal cost and generalisation loss over t², for several k.

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::Bench;
use super::data::Ground;
use privet::Result;

const KS: [u64; 4] = [1, 5, 10, 20];
/// t², and t as an exact number.
const TS: [(f64, &str); 5] = [(0.01, "0.1"), (0.04, "0.2"), (0.09, "0.3"), (0.16, "0.4"), (0.36, "0.6")];

pub(super) fn run(bench: &Bench, ground: &Ground) -> Result<Vec<Section>> {
    let head = ["k", "t²", "removal cost", "LM", "groups", "proven"];
    let mut table = Table::new("over-t", "Normalised removal cost and generalisation loss", head);
    let (mut costs, mut losses) = (Vec::new(), Vec::new());
    let ks: &[u64] = if bench.quick { &KS[1..3] } else { &KS };
    let ts: &[(f64, &str)] = if bench.quick { &TS[3..] } else { &TS };
    let mut means = Vec::new();
    for k in ks {
        let (mut cost, mut loss) = (Vec::new(), Vec::new());
        for (square, t) in ts {
            let privacy = format!("[privacy.qs-closeness]\ncolumn = \"terms\"\nt = {t}\n");
            let outcome = bench.solve(ground, *k, &privacy, "adaptive")?;
            let share = |share: Option<f64>| Cell::share(share);
            let found = outcome.as_ref();
            cost.push((*square, found.map(|found| found.cost)));
            loss.push((*square, found.map(|found| found.loss)));
            table.row([
                Cell::Count(*k),
                Cell::Number(*square),
                share(found.map(|found| found.cost)),
                share(found.map(|found| found.loss)),
                found.map_or(Cell::Missing("nothing meets it".into()), |found| Cell::Count(found.groups)),
                found.map_or(Cell::Missing("nothing meets it".into()), |found| Cell::Count(found.proven)),
            ]);
        }
        let known: Vec<f64> = cost.iter().filter_map(|(_, cost)| *cost).collect();
        means.push((*k, known.iter().sum::<f64>() / known.len().max(1) as f64));
        costs.push(Series::of(format!("k = {k}"), cost));
        losses.push(Series::of(format!("k = {k}"), loss));
    }
    let falls = means.windows(2).all(|pair| pair[1].1 <= pair[0].1);
    let shown: Vec<String> =
        means.iter().map(|(k, mean)| format!("{:.2} % for k = {k}", mean * 100.0)).collect();
    let plot = |title: &str, series| Plot {
        title: title.to_string(),
        kind: Kind::Lines,
        x: Axis::new("t²"),
        y: Axis::new("share of the worst").share(),
        series,
    };
    Ok(vec![
        Section::new("Removal cost and generalisation over t² (figure 6)")
            .say(bench.describe(ground))
            .say(format!(
                "The mean removal cost is {}. The paper states that it falls as k rises; here it {}.",
                shown.join(", "),
                if falls { "does" } else { "does not everywhere: groups that nothing saves are joined, which removes less and generalises more" }
            ))
            .plot(plot("Removal cost", costs))
            .plot(plot("Generalisation loss (LM)", losses))
            .table(table),
    ])
}
