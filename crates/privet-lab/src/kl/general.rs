//! Figure 4.6: both parts of the notion, presences and absences, sensitive items drawn at random.

use super::super::page::{Cell, Section, Table};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::data::{WV1, WV2};
use super::{Answer, Bench, FAN_OUT, Ground, K, Setup, range};
use crate::Part;
use crate::page::percent;
use privet::{Exact, Result};

pub(super) const PART: Part = Part {
    name: "general",
    title: "Presences, absences and sensitive items",
    summary: "NCP of mOG and OG over m = n, over the number of sensitive items and over their threshold",
};

/// The thesis' default setting.
const POWER: u64 = 3;
const THETA: u64 = 20;
const BETA: usize = 60;
const METHODS: [&str; 2] = ["mog", "og"];
/// How many runs' limits all runs on a data set may take together.
const ALLOWANCE: u32 = 10;

/// A setting: m = n, the number of sensitive items, their threshold in percent.
type Point = (u64, usize, u64);

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    let wanted: Vec<_> =
        bench.scale.datasets.iter().copied().filter(|dataset| [&WV1, &WV2].contains(dataset)).collect();
    let present = bench.present(&wanted, &mut sections)?;
    let mut claims = Table::stated_and_found("stated");
    let mut shown = Section::new("Loss in the general case (figure 4.6)").say(
        "Sensitive items are drawn among those that at most the share θ of the transactions holds: the thesis draws among \
         all items of less than half of them, but with a more frequent item than θ no release can meet the requirement. \
         The thesis does not say which data its figure is from, and states at most 7 % for all settings. That does not carry \
         over to WV1, probably as its transactions are short: sensitive items drawn from it are a large part of what is left of \
         many of them, and below a strict θ everything becomes the root. Each figure is from one taxonomy.",
    );
    shown = shown.say(bench.limits.words());
    let scale = &bench.scale;
    let power: Vec<Point> = scale.powers.iter().map(|power| (*power, BETA, THETA)).collect();
    let beta: Vec<Point> = scale.betas.iter().map(|beta| (POWER, *beta, THETA)).collect();
    let theta: Vec<Point> = scale.thetas.iter().map(|theta| (POWER, BETA, *theta)).collect();
    for dataset in present {
        bench.limits.allow(ALLOWANCE);
        let mut all = Vec::new();
        for (name, points) in [("m = n", &power), ("sensitive items", &beta), ("theta in percent", &theta)] {
            let mut rows: Vec<(u64, Vec<Answer>)> = Vec::new();
            let mut given_up = [false; METHODS.len()];
            for (power, beta, percent) in points {
                let mut answers = Vec::new();
                for (method, given_up) in METHODS.into_iter().zip(&mut given_up) {
                    if *given_up {
                        answers.push(Answer::not_tried());
                        continue;
                    }
                    let theta = Exact::new(*percent, 100).unwrap_or(Exact::ONE);
                    let ground =
                        |seed| Ground { beta: *beta, theta, ..Ground::plain(dataset, FAN_OUT, seed) };
                    let setup = |seed| Setup { ground: ground(seed), method, k: K, m: *power, n: *power };
                    let answer = bench.mean(1, setup)?;
                    // More power takes longer; of the number of sensitive items and their threshold this cannot be said.
                    *given_up = name == "m = n" && answer.is_late();
                    answers.push(answer);
                }
                let x = match name {
                    "m = n" => *power,
                    "sensitive items" => *beta as u64,
                    _ => *percent,
                };
                rows.push((x, answers));
            }
            all.extend(rows.iter().filter_map(|(_, answers)| answers[0].ncp()));
            let head = [name, "mOG", "OG", "time of mOG", "time of OG"];
            let file = format!("{}-{}", dataset.name, name.split(' ').next().unwrap_or(name));
            let mut table = Table::new(&file, format!("{}, over {name}", dataset.name), head);
            for (x, answers) in &rows {
                let ncp = |at: usize| answers[at].ncp_cell();
                let time = |at: usize| answers[at].time_cell();
                table.row([Cell::Count(*x), ncp(0), ncp(1), time(0), time(1)]);
            }
            let series = |at: usize| {
                let points = rows.iter().map(|(x, answers)| (*x as f64, answers[at].ncp()));
                Series::of(super::shown_name(METHODS[at]), points)
            };
            let plot = Plot {
                title: format!("{}, over {name}", dataset.name),
                kind: Kind::Lines,
                x: Axis::new(name),
                y: Axis::new("NCP").share(),
                series: (0..METHODS.len()).map(series).collect(),
            };
            shown = shown.plot(plot).table(table);
        }
        claims.row([
            Cell::text(format!("{}: NCP of mOG in all settings", dataset.name)),
            Cell::text("at most 7 %"),
            Cell::text(range(&all, percent)),
        ]);
    }
    sections.insert(0, shown.table(claims));
    Ok(sections)
}
