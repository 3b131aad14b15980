//! Figures 5.8, 5.9 and 5.11: terms kept, sizes of vocabularies, bLM and time, over the session gap, k and ε.

use super::super::page::{Cell, Section, Table, percent, significant};
use super::super::plot::Axis;
use super::{Answer, Bench, Method, Point, Sweep, comparison};
use crate::Part;
use privet::Result;

pub(super) const DISTINCT: Part = Part {
    name: "distinct",
    title: "Distinct terms kept",
    summary: "%DistinctTerms of SSG and LG(bag) over session gap, k and ε (figures 5.8a-c)",
};
pub(super) const SIZE: Part = Part {
    name: "size",
    title: "Sizes of vocabularies",
    summary: "%avgVsize of SSG and LG(bag) over session gap, k and ε (figures 5.8d-f)",
};
pub(super) const LOSS: Part = Part {
    name: "loss",
    title: "Information loss",
    summary: "bLM of SSG and LG(bag) over session gap, k and ε (figure 5.9), and gLM next to it",
};
pub(super) const RUNTIME: Part = Part {
    name: "runtime",
    title: "Time",
    summary: "seconds of SSG and LG(bag) over session gap, k and ε (figure 5.11)",
};

/// A figure of the thesis: what is shown, and what is stated of SSG and LG(bag) for each sweep.
struct Figure {
    title: &'static str,
    say: String,
    axis: fn() -> Axis,
    value: fn(&Answer) -> f64,
    show: fn(f64) -> Cell,
    text: fn(f64) -> String,
    stated: [(&'static str, &'static str); 3],
}

pub(super) fn distinct(bench: &Bench) -> Result<Vec<Section>> {
    shown(
        bench,
        &Figure {
            title: "Distinct terms kept (figures 5.8a-c)",
            say:
                "Distinct published terms over distinct original terms; a more general word counts as a term."
                    .to_string(),
            axis: || Axis::new("distinct terms").share(),
            value: |answer| answer.loss.distinct_terms.value(),
            show: Cell::Share,
            text: percent,
            stated: [
                ("62 → 53 → 46 %", "49 → 26 → 3 %"),
                ("86 → 15 %", "58 → 9 %"),
                ("34 → 57 %, above LG(bag) even at 0", "constant"),
            ],
        },
    )
}

pub(super) fn size(bench: &Bench) -> Result<Vec<Section>> {
    shown(
        bench,
        &Figure {
            title: "Sizes of vocabularies (figures 5.8d-f)",
            say: "Published occurrences over original ones.".to_string(),
            axis: || Axis::new("occurrences kept").share(),
            value: |answer| answer.loss.average_size.value(),
            show: Cell::Share,
            text: percent,
            stated: [
                ("99 → 89 → 75 %", "94 → 63 → 31 %"),
                ("98 → 75 %", "76 → 66 %"),
                ("above LG(bag) for ε ≥ 4", "constant"),
            ],
        },
    )
}

pub(super) fn loss(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = shown(
        bench,
        &Figure {
            title: "bLM (figure 5.9)",
            say: format!(
                "With thousands of distinct terms, (distinct - 1) / (all - 1) is almost 0 for a group of a few: bLM is nearly \
                 the share of suppressed occurrences, and publishing the most general word costs next to nothing. So LG(bag) \
                 can be cheaper than SSG where ε forbids matches. {} gLM, below, charges general words for all they could mean.",
                advantage(bench)?
            ),
            axis: || Axis::new("bLM").share(),
            value: |answer| answer.loss.blm.value(),
            show: Cell::Share,
            text: percent,
            stated: [
                ("0.7 → 10 → 25 %", "5.4 → 36 → 71 %"),
                ("2 → 25 %", "23 → 34 %"),
                ("much less than LG(bag) for ε ≥ 4", "constant"),
            ],
        },
    )?;
    let mut section = Section::new("gLM: general words charged for all they cover")
        .say("The same measure, but a general word stands for every term below it in the word network, used or not.");
    for sweep in Sweep::ALL {
        let rows = bench.sweep(sweep)?;
        let value = |answer: &Answer| answer.loss.glm.map_or(f64::NAN, |glm| glm.value());
        let (mut table, plot) = comparison(sweep, &rows, Axis::new("gLM").share(), value, Cell::Share);
        table.name = format!("glm-{}", table.name);
        section = section.plot(plot).table(table);
    }
    sections.push(section);
    Ok(sections)
}

pub(super) fn runtime(bench: &Bench) -> Result<Vec<Section>> {
    shown(
        bench,
        &Figure {
            title: "Time (figure 5.11)",
            say: "Seconds of the search on this machine; the thesis had a PC of 3 GHz and a log of 383,000 vocabularies. The \
                  part 'growth' has that many."
                .to_string(),
            axis: || Axis::new("seconds").log(),
            value: |answer| answer.seconds,
            show: Cell::Seconds,
            text: |seconds| format!("{} s", significant(seconds, 2)),
            stated: [
                ("200 to 3,635 s", "below 100 s"),
                ("falls with k", "below 100 s"),
                ("grows with ε", "below 100 s"),
            ],
        },
    )
}

/// What matching left-overs again does about the settings in which LG(bag) is cheaper than SSG.
fn advantage(bench: &Bench) -> Result<String> {
    let mut settings = Vec::new();
    for sweep in Sweep::ALL {
        for (_, answers) in bench.sweep(sweep)? {
            let [ssg, residual, lg_bag] = Method::ALL.map(|method| {
                let at = Method::ALL.iter().position(|one| *one == method).unwrap_or(0);
                answers[at].loss.blm.value()
            });
            settings.push((lg_bag < ssg, residual < lg_bag));
        }
    }
    let cheaper = settings.iter().filter(|(cheaper, _)| *cheaper).count();
    let taken = settings.iter().filter(|(cheaper, taken)| *cheaper && *taken).count();
    let how = "'SSG + residual', the default of the method, also matches what is left over and publishes what it has in common, \
               whatever the distance; 'SSG' is the thesis' method (residual = false)";
    Ok(match (cheaper, taken) {
        (0, _) => format!("In the tables below it is in no row. {how}."),
        (all, taken) if all == taken => {
            format!(
                "In the tables below it is in {all} rows. {how}: that takes the advantage away in all of them."
            )
        }
        (all, 0) => {
            format!("In the tables below it is in {all} rows. {how}: LG(bag) stays cheaper in all of them.")
        }
        (all, taken) => format!(
            "In the tables below it is in {all} rows. {how}: that takes the advantage away in {taken} of them, and in the \
             other {} LG(bag) stays cheaper.",
            all - taken
        ),
    })
}

fn shown(bench: &Bench, figure: &Figure) -> Result<Vec<Section>> {
    let mut section = Section::new(figure.title).say(figure.say.as_str()).say(bench.log.outline(bench)?);
    let mut claims = Table::stated_and_found("stated");
    for (sweep, stated) in Sweep::ALL.into_iter().zip(figure.stated) {
        let rows = bench.sweep(sweep)?;
        let (table, plot) = comparison(sweep, &rows, (figure.axis)(), figure.value, figure.show);
        section = section.plot(plot).table(table);
        for (method, stated) in [(Method::Ssg, stated.0), (Method::LgBag, stated.1)] {
            claims.row([
                Cell::text(format!("{} over {}", method.name(), sweep.name())),
                Cell::text(stated),
                Cell::text(course(&rows, method, figure)),
            ]);
        }
    }
    Ok(vec![section.table(claims)])
}

/// How a figure runs over a sweep: first, middle and last value.
fn course(rows: &[(Point, Vec<Answer>)], method: Method, figure: &Figure) -> String {
    let at = Method::ALL.iter().position(|one| *one == method).unwrap_or(0);
    let values: Vec<String> =
        rows.iter().map(|(_, answers)| (figure.text)((figure.value)(&answers[at]))).collect();
    match values.as_slice() {
        [] => "–".to_string(),
        [first, .., last] if values.len() < 3 => format!("{first} → {last}"),
        [first, .., last] => format!("{first} → {} → {last}", values[values.len() / 2]),
        [only] => only.clone(),
    }
}
