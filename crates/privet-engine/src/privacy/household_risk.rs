//! Household risk: somebody of a household is found with a chance of 1 − Π(1 − r), r the individual risk of each member, or
//! one over the size of their class where there are no weights. It is at most max for every household.
//!
//! Nothing may be suppressed, and no bound rests on it: it is asked of every solution.

use std::collections::HashMap;

use crate::microdata::Microdata;
use crate::risk::Estimate;
use crate::risk::individual::{Precise, household_is_at_most, household_risk, individual_risk};
use crate::standing::Standing;
use privet_core::Exact;
use privet_policy::{CheckedPolicy, Requirement};

/// Household risk, with who lives together.
#[derive(Debug)]
pub struct HouseholdRisk {
    max: Exact,
    /// Household by household: distinct records with how many of their records are members.
    households: Vec<Vec<(u32, u64)>>,
    /// How many units of the weights one person is; `None` without weights.
    unit: Option<u64>,
}

/// The members of each household: distinct records with how many of their records are in it.
pub fn households(microdata: &Microdata) -> Vec<Vec<(u32, u64)>> {
    let Some(position) = microdata.household else { return Vec::new() };
    let mut households = vec![Vec::new(); microdata.summary.columns()[position].dictionary.len()];
    for record in 0..microdata.summary.len() {
        let household = microdata.summary.record(record)[position] as usize;
        households[household].push((record as u32, microdata.summary.count(record)));
    }
    households
}

/// The risk of one record of a class: by weights, or one over its size.
pub fn risk_of(size: u64, standing: Standing, unit: Option<u64>) -> Estimate {
    match unit {
        Some(unit) => individual_risk(size, standing.weight as f64 / unit as f64),
        None => individual_risk(size, size as f64),
    }
}

impl HouseholdRisk {
    /// The requirements of a policy.
    pub fn of(policy: &CheckedPolicy, microdata: &Microdata) -> Vec<HouseholdRisk> {
        let asked = policy.requirements.iter().filter_map(|asked| match asked {
            Requirement::HouseholdRisk(asked) => Some(asked.max),
            _ => None,
        });
        let unit = microdata.weights.as_ref().map(|weights| weights.unit);
        asked.map(|max| HouseholdRisk { max, households: households(microdata), unit }).collect()
    }

    /// Whether it holds where each distinct record is in a class that `class` gives by number, with its size and what it stands
    /// for.
    pub fn holds(&self, class: impl Fn(usize) -> (u32, u64, Standing)) -> bool {
        let mut known: HashMap<u32, Estimate> = HashMap::new();
        self.households.iter().all(|members| {
            let mut risks = Vec::new();
            for (record, count) in members {
                let (class, size, standing) = class(*record as usize);
                let risk = *known.entry(class).or_insert_with(|| risk_of(size, standing, self.unit));
                risks.extend(std::iter::repeat_n(risk, usize::try_from(*count).unwrap_or(usize::MAX)));
            }
            let found = household_risk(risks);
            if found.upper <= self.max.to_f64() * (1.0 - 1e-15) {
                return true;
            }
            if found.lower > self.max.to_f64() * (1.0 + 1e-15) {
                return false;
            }
            let precise = members.iter().map(|(record, count)| {
                let (_, size, standing) = class(*record as usize);
                let (people, unit) = self.unit.map_or((size, 1), |unit| (standing.weight, unit));
                (Precise { records: size, people, unit }, *count)
            });
            household_is_at_most(precise.collect(), self.max)
        })
    }

    /// Why the whole table as one class still fails.
    pub fn why_impossible(&self) -> String {
        format!("a household's risk is above max = {} even then", self.max)
    }
}
