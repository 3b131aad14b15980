//! Unsorted matching: where a release keeps the order of its source, a row's place tells whose it is.
//!
//! The adversary has people in the order of the source (a register, the order of admission). Among those whom the same
//! released rows contain he takes the first person for the first row, and so on. Beside that the rank correlation (Spearman)
//! of released and original places is told, over all that can be paired by their cells alone.

use std::collections::BTreeMap;

use serde_json::json;

use super::view::{Matcher, Rows, TableView};
use super::{Attack, Figure, Finding, Scene};
use crate::random::{keyed, shuffle};
use crate::{Error, Result};

/// Row 15 of the attacks.
pub(super) const ATTACK: Attack = Attack {
    name: "row-order",
    row: 15,
    dear: false,
    concerns: |scene| scene.quasi_tables().map(|_| ()),
    run,
};

/// A correlation below this is no concern, however many rows there are …
const SLIGHT: f64 = 0.05;
/// … nor is one that chance makes: so far from none it must be, by Student's t …
const DEVIATIONS: f64 = 4.0;
/// … over at least so many pairs.
const FEWEST: usize = 5;

/// What order tells about a table.
struct Order {
    people: u64,
    /// How many guesses by place agree with the person in all columns.
    agree: u64,
    /// How many would if rows were taken at random.
    expected: f64,
    /// The same as `agree` with released rows in random order.
    shuffled: u64,
    /// Spearman's rank correlation, and of how many pairs.
    rho: f64,
    pairs: usize,
}

impl Order {
    /// Whether rows follow the source more than chance would have it.
    fn is_kept(&self) -> bool {
        let rho = self.rho.abs();
        let freedom = self.pairs as f64 - 2.0;
        self.pairs >= FEWEST
            && rho >= SLIGHT
            && rho * rho * freedom >= DEVIATIONS * DEVIATIONS * (1.0 - rho * rho)
    }
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let mut worst: Option<Order> = None;
    let mut correlations = Vec::new();
    for table in scene.views()? {
        let order = order(scene, table)?;
        correlations.push(json!({ "rho": order.rho, "pairs": order.pairs }));
        if worst.as_ref().is_none_or(|worst| order.rho.abs() > worst.rho.abs()) {
            worst = Some(order);
        }
    }
    let order = worst.ok_or_else(|| Error::internal("a release without a table"))?;
    let kept = order.is_kept();
    let headline = Figure {
        what: "people, of those whose rows differ, whose place in the source leads to a row that agrees in all columns"
            .to_string(),
        targets: order.people,
        hits: order.agree,
        baseline: order.expected.round() as u64,
        instead: "takes any of the rows that the person could be".to_string(),
        control: Some(order.shuffled),
        controlled: "the same with released rows in random order".to_string(),
    };
    let warning = match kept {
        false => String::new(),
        true => format!(
            "the order of the released rows follows that of the source (rank correlation {:.2}): whoever knows the order of \
             the source knows whose row is whose; shuffle the rows",
            order.rho
        ),
    };
    Ok(Finding {
        knows: "people's quasi-identifiers, in the order of the source".to_string(),
        does: "takes the first of those who could be in the same rows for the first of these rows, and so on"
            .to_string(),
        assumes: format!(
            "the rank correlation of released and original places is {:.3} over {} pairs{}",
            order.rho,
            order.pairs,
            scene.view()?.quasi.sampling()
        ),
        figures: vec![headline],
        warning,
        more: [("correlations".to_string(), json!(correlations))].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Row order")
    })
}

fn order(scene: &Scene<'_>, table: &TableView) -> Result<Order> {
    let (classes, alike) = table.quasi.map_alike(scene.clock, <[u32]>::to_vec)?;
    // Those whom the same rows contain, in the order of the source.
    let mut people: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
    for row in 0..table.original.len {
        if let Some(target) = table.quasi.target_of(row) {
            people[alike[target] as usize].push(row as u32);
        }
    }
    let mut crowds: BTreeMap<&[u32], Vec<u32>> = BTreeMap::new();
    for (classes, people) in classes.iter().zip(people).filter(|(classes, _)| !classes.is_empty()) {
        let crowd = crowds.entry(classes).or_default();
        let is_first = crowd.is_empty();
        crowd.extend(people);
        if !is_first {
            crowd.sort_unstable();
        }
    }
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); table.quasi.classes.len()];
    for (row, class) in (0u32..).zip(&table.quasi.classes.of_row) {
        rows_of[*class as usize].push(row);
    }
    let told = table.columns_where(|column| !(table.groups.is_some() && column.is_sensitive()));
    let agrees = |person: u32, row: u32| {
        told.iter().all(|column| {
            let cell = table.released.codes[*column][row as usize];
            table.columns[*column].cover.covers(cell, table.original.codes[*column][person as usize])
        })
    };
    let whole = Matcher::new(&table.columns, &told, &table.released, &table.original, None);
    // How many rows contain all that is known of a person; and which, where they all look alike.
    let (matched, alike) = whole.map_alike(scene.clock, |classes| match classes {
        [class] => (whole.rows_in(classes), Some(*class)),
        _ => (whole.rows_in(classes), None),
    })?;
    let matched = |person: usize| whole.target_of(person).map(|target| matched[alike[target] as usize]);
    let agreeing = |person: u32| matched(person as usize).map_or(0, |(rows, _)| rows);
    let mut random = keyed(scene.seed, "rows in random order");
    let (mut people, mut agree, mut shuffled, mut expected) = (0, 0, 0, 0.0);
    for (number, (own, crowd)) in crowds.iter().enumerate() {
        if number % 64 == 0 {
            scene.clock.check()?;
        }
        let mut rows: Vec<u32> =
            own.iter().flat_map(|class| rows_of[*class as usize].iter().copied()).collect();
        rows.sort_unstable();
        let mut mixed = rows.clone();
        shuffle(&mut mixed, &mut random);
        for (place, person) in crowd.iter().enumerate() {
            let own = agreeing(*person);
            // Where all rows that a person could be agree with him, order has nothing to tell.
            if own == rows.len() as u64 {
                continue;
            }
            people += 1;
            expected += own as f64 / rows.len() as f64;
            let at = (2 * place + 1) * rows.len() / (2 * crowd.len());
            agree += u64::from(agrees(*person, rows[at]));
            let by_luck = agrees(*person, mixed[at]);
            shuffled += u64::from(by_luck);
        }
    }
    let (rho, pairs) = correlation(table, &whole, |person| matched(person).and_then(|(_, class)| class));
    Ok(Order { people, agree, expected, shuffled, rho, pairs })
}

/// Spearman's rank correlation between the places of people and of rows that belong together: all who look alike in all
/// columns, and all rows that contain just them, by the mean of their places. `own` is the class of rows that contains a person.
fn correlation(table: &TableView, whole: &Matcher, own: impl Fn(usize) -> Option<u32>) -> (f64, usize) {
    let people = means(&table.original, own);
    let rows = means(&table.released, |row| Some(whole.classes.of_row[row]));
    // Rows that others could be as well would be paired with the wrong people.
    let pairs = people.iter().filter_map(|(class, (place, count))| {
        let (other, rows) = rows.get(class)?;
        (count >= rows).then_some((*place, *other))
    });
    let (people, rows): (Vec<f64>, Vec<f64>) = pairs.unzip();
    (spearman(&people, &rows), people.len())
}

/// Per class the mean place of its rows, and how many there are.
fn means(rows: &Rows, class_of: impl Fn(usize) -> Option<u32>) -> BTreeMap<u32, (f64, u64)> {
    let mut sums: BTreeMap<u32, (f64, u64)> = BTreeMap::new();
    for row in 0..rows.len {
        if let Some(class) = class_of(row) {
            let entry = sums.entry(class).or_default();
            *entry = (entry.0 + row as f64, entry.1 + 1);
        }
    }
    sums.into_iter().map(|(class, (sum, count))| (class, (sum / count as f64, count))).collect()
}

/// The correlation of ranks; equal values have the mean of their ranks. 0 where there is nothing to correlate.
fn spearman(one: &[f64], other: &[f64]) -> f64 {
    let (one, other) = (ranks(one), ranks(other));
    let mean = (one.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let spread = (product(&one, &one) * product(&other, &other)).sqrt();
    if spread > 0.0 { product(&one, &other) / spread } else { 0.0 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut next = 0;
    for same in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let rank = next as f64 + (same.len() as f64 + 1.0) / 2.0;
        same.iter().for_each(|at| ranks[*at] = rank);
        next += same.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::Stage;

    #[test]
    fn ranks_correlate_as_in_the_books() {
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), 1.0);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
        assert_eq!(spearman(&[1.0, 2.0], &[5.0, 5.0]), 0.0);
        assert_eq!(ranks(&[3.0, 1.0, 3.0]), [2.5, 1.0, 2.5]);
    }

    #[test]
    fn kept_order_is_noticed_and_shuffled_order_is_not() {
        let ills = ["flu", "asthma", "ulcer", "gastritis"];
        let row = |place: usize| (format!("{}", 20 + place % 40), ills[place * 7 % 4]);
        let original: String =
            (0..400).map(|place| format!("{},Oslo,{}\n", row(place).0, row(place).1)).collect();
        let stage = Stage::new(&format!("age,city,ill\n{original}"));
        let released = |places: &[usize]| {
            let rows = places.iter().map(|place| {
                let (age, ill) = row(*place);
                format!("{}0-{}9,Norway,{ill}\n", &age[..1], &age[..1])
            });
            format!("age,city,ill\n{}", rows.collect::<String>())
        };
        let mut places: Vec<usize> = (0..400).collect();
        let finding = stage.attack("row-order", &released(&places)).expect("run");
        let headline = finding.headline();
        assert_eq!(headline.hits, 400, "{finding:?}");
        assert!(
            headline.baseline < 150 && headline.control.is_some_and(|control| control < 200),
            "{finding:?}"
        );
        assert!(
            finding.succeeds() && finding.warning.contains("rank correlation 1.00"),
            "{}",
            finding.warning
        );
        shuffle(&mut places, &mut keyed(1, "test"));
        let finding = stage.attack("row-order", &released(&places)).expect("run");
        assert!(!finding.succeeds() && finding.headline().hits < 200, "{finding:?}");
    }
}
