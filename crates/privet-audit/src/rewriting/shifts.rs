//! Shifted dates as a whole: every person has one number of days, within the bound, and the numbers look drawn.

use std::collections::BTreeMap;

use super::super::Check;
use super::keyed::{Deriving, day_in, permitted, respelt};
use privet_core::{Result, counted};
use privet_policy::{CheckedPolicy, DateShift, Normalise, PolicyColumn};

/// With fewer people, chance explains any numbers.
const LEAST_PEOPLE: usize = 1000;
/// Numbers of days are counted in at most this many bins.
const BINS: usize = 20;
/// The standard score that a normal number exceeds once in a billion times.
const RARE: f64 = 5.998;

/// Whose dates are moved by how much, and what their intervals give away.
pub(super) struct Shifts {
    name: String,
    shift: DateShift,
    /// Of every person.
    days: Vec<i64>,
    /// People with several dates, and those of them whose intervals nobody else has.
    several: u64,
    alone: u64,
}

impl Shifts {
    pub fn read(
        policy: &CheckedPolicy,
        column: &PolicyColumn,
        shift: DateShift,
        keyed: &Deriving,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Shifts> {
        let normalise = policy.pseudonyms.as_ref().map_or(Normalise::Trim, |own| own.normalise);
        let mut dates: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        policy.source.read(&mut |batch, _| {
            for row in 0..batch.rows() {
                if let Some((day, _)) = day_in(batch.cell(row, column.index)) {
                    dates.entry(respelt(normalise, batch.cell(row, shift.by))).or_default().push(day);
                }
            }
            tick()
        })?;
        let days = dates.keys().map(|person| keyed.days(&shift, person)).collect();
        let mut same: BTreeMap<Vec<i64>, u64> = BTreeMap::new();
        for mut own in dates.into_values().filter(|own| own.len() > 1) {
            own.sort_unstable();
            *same.entry(own.windows(2).map(|pair| pair[1] - pair[0]).collect()).or_default() += 1;
        }
        let several = same.values().sum();
        let alone = same.values().filter(|people| **people == 1).count() as u64;
        Ok(Shifts { name: column.name.clone(), shift, days, several, alone })
    }

    pub fn check(&self) -> Check {
        let name = format!("dates of '{}'", self.name);
        let permitted = permitted(&self.shift);
        if self.days.iter().any(|days| permitted.binary_search(days).is_err()) {
            return Check::new(name, false, "somebody's dates are not moved by a permitted number of days");
        }
        if self.days.len() > LEAST_PEOPLE && !look_drawn(&self.days, &permitted) {
            return Check::new(
                name,
                false,
                "the numbers of days do not look drawn: the key may have no randomness",
            );
        }
        let who = counted(self.days.len() as u64, "person's dates are", "people's dates are");
        let unit = if self.shift.keeps_weekdays { "weeks" } else { "days" };
        let intervals = match (self.several, self.alone) {
            (0, _) => String::new(),
            (several, alone) => format!(
                "; of {} with several dates, {alone} can be told apart by the days between them",
                counted(several, "person", "people")
            ),
        };
        let most = self.shift.days;
        Check::new(
            name,
            true,
            format!("{who} moved by whole {unit}, at most {most} days, each by one number{intervals}"),
        )
    }
}

/// Whether the numbers of days are spread over the permitted ones as drawn numbers are: Pearson's test at one in a billion.
fn look_drawn(days: &[i64], permitted: &[i64]) -> bool {
    let bins = BINS.min(permitted.len());
    let bin_of = |place: usize| place * bins / permitted.len();
    let (mut found, mut expected) = (vec![0f64; bins], vec![0f64; bins]);
    for place in 0..permitted.len() {
        expected[bin_of(place)] += days.len() as f64 / permitted.len() as f64;
    }
    for day in days {
        if let Ok(place) = permitted.binary_search(day) {
            found[bin_of(place)] += 1.0;
        }
    }
    let statistic: f64 =
        found.iter().zip(&expected).map(|(found, expected)| (found - expected).powi(2) / expected).sum();
    // Wilson and Hilferty: the cube root of the statistic over its freedom is nearly normal.
    let freedom = (bins - 1).max(1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    statistic <= freedom * (1.0 - spread + RARE * spread.sqrt()).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_shifts_do_not_look_drawn() {
        let permitted: Vec<i64> = (-180..=180).filter(|day| *day != 0).collect();
        let even: Vec<i64> = (0..2000).map(|person| permitted[person * 7 % permitted.len()]).collect();
        assert!(look_drawn(&even, &permitted));
        assert!(!look_drawn(&[5; 2000], &permitted));
        let half: Vec<i64> = even.iter().map(|day| day.abs()).collect();
        assert!(!look_drawn(&half, &permitted));
    }
}
