//! Random counts, asked of a release.

use std::collections::HashSet;

use privet::Result;
use privet::audit::definitions::set_members;
use privet::engine::microdata::Microdata;
use privet::method::recoding::{ClassTable, Recoding, ReleasedCell};
use privet::random::{below, keyed};
use privet::taxonomy::{Range, number};

/// This many questions are asked.
const QUESTIONS: usize = 1000;
/// How far from the record's number a question reaches.
const REACH: f64 = 5.0;

/// The median over questions of |answer − truth|/truth.
pub(super) fn median_error(microdata: &Microdata, recoding: &Recoding, classes: &ClassTable) -> Result<f64> {
    let columns = microdata.quasi.len();
    let covers: Vec<Vec<HashSet<u32>>> = (0..columns)
        .map(|column| {
            recoding.columns[column].cells.iter().map(|cell| covered(microdata, column, cell)).collect()
        })
        .collect();
    let mut random = keyed(1, "privet-lab: counts");
    let mut errors = Vec::with_capacity(QUESTIONS);
    for _ in 0..QUESTIONS {
        let record = microdata.quasi_codes(below(&mut random, microdata.summary.len() as u64) as usize);
        let mut asked: Vec<usize> = (0..columns).collect();
        let wanted = 2 + below(&mut random, 2) as usize;
        while asked.len() > wanted {
            asked.remove(below(&mut random, asked.len() as u64) as usize);
        }
        let asked: Vec<(usize, HashSet<u32>)> =
            asked.into_iter().map(|column| (column, near(microdata, column, record[column]))).collect();
        let agrees = |record: &usize| {
            let codes = microdata.quasi_codes(*record);
            asked.iter().all(|(column, values)| values.contains(&codes[*column]))
        };
        let truth: u64 =
            (0..microdata.summary.len()).filter(agrees).map(|record| microdata.summary.count(record)).sum();
        let share = |class: usize| -> f64 {
            let cells = recoding.cells(class);
            let part = |(column, values): &(usize, HashSet<u32>)| {
                let cover = &covers[*column][cells[*column] as usize];
                cover.intersection(values).count() as f64 / cover.len().max(1) as f64
            };
            asked.iter().map(part).product()
        };
        let answer: f64 = (0..recoding.len()).map(|class| classes.sizes[class] as f64 * share(class)).sum();
        errors.push((answer - truth as f64).abs() / truth.max(1) as f64);
    }
    errors.sort_by(f64::total_cmp);
    Ok(errors[errors.len() / 2])
}

/// The values that a question about a value is about: itself, or numbers close to it.
fn near(microdata: &Microdata, column: usize, code: u32) -> HashSet<u32> {
    let numbers = microdata.summary.columns()[column].dictionary.numbers();
    match numbers.and_then(|numbers| Some((numbers, numbers[code as usize]?))) {
        None => HashSet::from([code]),
        Some((numbers, own)) => {
            let close = |number: &Option<f64>| number.is_some_and(|number| (number - own).abs() <= REACH);
            (0..).zip(numbers).filter(|(_, number)| close(number)).map(|(code, _)| code).collect()
        }
    }
}

/// The values of the data that a cell can stand for.
fn covered(microdata: &Microdata, column: usize, cell: &ReleasedCell) -> HashSet<u32> {
    let quasi = &microdata.quasi[column];
    let values = microdata.summary.columns()[column].dictionary.values();
    let members = set_members(&cell.label);
    let range = Range::parse(&cell.label);
    let stands_for = |code: usize| match (cell.node, &members, range) {
        (Some(node), ..) => quasi.taxonomy.leaves_below(node).contains(&(quasi.leaf_of_code[code] as usize)),
        (None, Some(members), _) => members.contains(&values[code]),
        (None, None, Some(range)) => number(&values[code]).is_some_and(|number| range.holds(number)),
        (None, None, None) => cell.label == "*" || cell.label == values[code],
    };
    (0..values.len()).filter(|code| stands_for(*code)).map(|code| code as u32).collect()
}
