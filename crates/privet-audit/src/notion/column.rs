//! A column that a requirement is about, and the requirements that judge a class by this column alone.

use super::{Notion, beta_likeness, delta_disclosure, k_anonymity, l_diversity, l_plus, t_closeness};
use crate::classes::Histogram;
use crate::cover::value_tree;
use privet_core::{Error, Result};
use privet_policy::requirement::TCloseness;
use privet_policy::{CheckedPolicy, PolicyColumn, Requirement};
use privet_taxonomy::Taxonomy;

/// A column of the original: its values, and how often each occurs.
pub struct OriginalColumn<'a> {
    policy: &'a CheckedPolicy,
    column: &'a PolicyColumn,
    /// By number.
    pub(super) values: Vec<&'a str>,
    /// By number; 0 for a value that only the release has.
    pub(super) counts: Vec<u64>,
}

impl<'a> OriginalColumn<'a> {
    /// The column at a position of the policy's data, with its values and how often each occurs there.
    pub fn new(
        policy: &'a CheckedPolicy,
        position: usize,
        values: Vec<&'a str>,
        counts: Vec<u64>,
    ) -> Result<OriginalColumn<'a>> {
        let column = policy.columns.get(position);
        let column = column.ok_or_else(|| Error::internal("the policy lost a column"))?;
        Ok(OriginalColumn { policy, column, values, counts })
    }

    /// The column's taxonomy, with a leaf for missing values where they are values.
    pub(super) fn tree(&self) -> Result<Option<Taxonomy>> {
        value_tree(self.policy, self.column)
    }

    pub(super) fn name(&self) -> &str {
        &self.column.name
    }

    pub(super) fn policy(&self) -> &CheckedPolicy {
        self.policy
    }
}

/// The requirements of a policy that judge a class by its size and by how often it has each value of one column.
///
/// Those that compare classes with each other, and those about other columns, are not among them.
pub struct ClassRequirements {
    notions: Vec<Box<dyn Notion>>,
}

impl ClassRequirements {
    /// The policy's requirements about a column.
    pub fn of(policy: &CheckedPolicy, column: &OriginalColumn<'_>) -> Result<ClassRequirements> {
        let mut notions: Vec<Box<dyn Notion>> = Vec::new();
        let asked = policy.requirements.iter().enumerate();
        for (position, asked) in
            asked.filter(|(_, asked)| asked.column().is_none_or(|at| at == column.column.index))
        {
            if column.column.separator.is_some() && asked.column().is_some() {
                return Err(Error::internal(
                    "cells that hold several values are not judged by their own counts",
                ));
            }
            let built = match asked {
                Requirement::KAnonymity(asked) => Ok(k_anonymity::auditor(asked)),
                Requirement::LDiversity(asked) => Ok(l_diversity::of_place(asked, 0)),
                Requirement::LPlusDiversity(asked) => l_plus::of_column(asked, 0, column),
                Requirement::TCloseness(asked) => t_closeness::of_column(asked, 0, column),
                Requirement::BetaLikeness(asked) => Ok(beta_likeness::of_column(asked, 0, column)),
                Requirement::DeltaDisclosure(asked) => Ok(delta_disclosure::of_column(asked, 0, column)),
                Requirement::LkcPrivacy(_)
                | Requirement::KMap(_)
                | Requirement::DeltaPresence(_)
                | Requirement::AverageRisk(_)
                | Requirement::SampleUniqueness(_)
                | Requirement::PopulationUniqueness(_)
                | Requirement::IndividualRisk(_)
                | Requirement::HouseholdRisk(_)
                | Requirement::NtCloseness(_)
                | Requirement::KlOfSets(_)
                | Requirement::MatchingLDiversity(_)
                | Requirement::Projection(_)
                | Requirement::FfAnonymity(_)
                | Requirement::QsDiversity(_)
                | Requirement::QsCloseness(_) => continue,
            };
            notions.push(built.map_err(|error| policy.at_requirement(position, error))?);
        }
        Ok(ClassRequirements { notions })
    }

    /// Whether a class meets all of them, given how often it has each value, by number. A class without records does.
    pub fn hold(&self, counts: &[u64]) -> bool {
        let shown: Vec<(u32, u64)> =
            (0u32..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
        let class = Histogram { size: counts.iter().sum(), counts: shown };
        class.size == 0 || self.notions.iter().all(|notion| notion.holds(&class))
    }
}

/// t-closeness of one column, asked about one group of values after the other.
pub(crate) struct ColumnCloseness(Box<dyn Notion>);

impl ColumnCloseness {
    /// What a requirement asks of the column.
    pub fn of(asked: &TCloseness, column: &OriginalColumn<'_>) -> Result<ColumnCloseness> {
        Ok(ColumnCloseness(t_closeness::of_column(asked, 0, column)?))
    }

    /// Whether a group with these values meets it, how far it is from the original, and the inequality with its numbers.
    pub fn judge(&self, counts: impl Iterator<Item = (u32, u64)>) -> (bool, f64, String) {
        let counts: Vec<(u32, u64)> = counts.collect();
        let class = Histogram { size: counts.iter().map(|(_, count)| count).sum(), counts };
        (self.0.holds(&class), self.0.strain(&class), self.0.explain(&class))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use privet_policy::{AnyPolicy, Policy};

    #[test]
    fn a_class_is_judged_by_its_size_and_its_values() {
        let directory = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).expect("written");
        write("table.csv", "age,ill\n20,flu\n21,flu\n22,cold\n23,cold\n");
        write(
            "policy.toml",
            "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.ill]\nrole = \"sensitive\"\n\
             [privacy.k-anonymity]\nk = 3\n[privacy.t-closeness]\ncolumn = \"ill\"\nt = 0.25\ndistance = \"equal\"\n",
        );
        let policy = Policy::read(&directory.path().join("policy.toml")).expect("a policy");
        let AnyPolicy::Table(policy) = policy.check_any(None).expect("a policy") else { panic!("a table") };
        let column = OriginalColumn::new(&policy, 1, vec!["cold", "flu"], vec![2, 2]).expect("a column");
        let asked = ClassRequirements::of(&policy, &column).expect("requirements");
        assert!(asked.hold(&[2, 2]) && asked.hold(&[1, 3]) && asked.hold(&[0, 0]));
        assert!(!asked.hold(&[1, 1]), "too small");
        assert!(!asked.hold(&[0, 4]), "too far from the original");
    }
}
