//! LKC-privacy.

use crate::check::{PolicyColumn, Role};
use crate::declare::{Declaration, Key, KeyKind};
use crate::release_kind::ReleaseKind;
use crate::settings::{Clause, Setting, Settings};
use crate::typed::read;
use privet_core::{Error, Exact, Result, counted};

/// Records that agree on at most L quasi-identifiers are at least K, and no sensitive value is too frequent among them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LkcPrivacy {
    /// The sensitive column's position in the data; `None` where only the sizes of groups count, with C = 1.
    pub column: Option<usize>,
    /// `L`: how many quasi-identifiers of a person an attacker knows at most.
    pub known: u64,
    /// `K`: the least number of records that agree.
    pub k: u64,
    /// `C`: the largest share of them that may have the same sensitive value.
    pub confidence: Exact,
}

impl LkcPrivacy {
    /// Combinations of quasi-identifiers that are checked at most. A search and an audit group the records by each of
    /// them, so this bounds what both cost.
    pub const MOST_COMBINATIONS: u64 = 100_000;

    pub(crate) fn read(clause: &Clause) -> Result<LkcPrivacy> {
        Ok(LkcPrivacy {
            column: read(clause, "column")?,
            known: read(clause, "L")?,
            k: read(clause, "K")?,
            confidence: read(clause, "C")?,
        })
    }

    pub(crate) fn settings(&self) -> Settings {
        let own = [
            ("L", Setting::Count(self.known)),
            ("K", Setting::Count(self.k)),
            ("C", Setting::Exact(self.confidence)),
        ];
        own.into_iter().chain(self.column.map(|column| ("column", Setting::Column(column)))).collect()
    }

    /// How many quasi-identifiers groups agree on: L of them, or all where there are fewer.
    pub fn group_width(&self, quasi: usize) -> usize {
        usize::try_from(self.known).unwrap_or(usize::MAX).min(quasi)
    }

    /// Refuses more combinations of columns than anybody would wait for.
    pub(crate) fn check(&self, columns: &[PolicyColumn]) -> Result<()> {
        let quasi = columns.iter().filter(|column| column.role.is_some_and(Role::is_generalised)).count();
        let width = self.group_width(quasi);
        match combinations(quasi, width) {
            Some(number) if number <= Self::MOST_COMBINATIONS => Ok(()),
            number => {
                let many = number.map_or("too many".to_string(), |number| number.to_string());
                let wrong = format!(
                    "[privacy.lkc-privacy] L = {} of {} makes {many} combinations; at most {} are checked",
                    self.known,
                    counted(quasi as u64, "quasi-identifier", "quasi-identifiers"),
                    Self::MOST_COMBINATIONS
                );
                Err(Error::input(wrong).help(
                    "lower L, or set it to the number of quasi-identifiers: then there is one combination, all of them",
                ))
            }
        }
    }
}

/// How many subsets of `width` elements `of` elements have; `None` beyond 64 bits.
fn combinations(of: usize, width: usize) -> Option<u64> {
    // To choose is to leave the others: the smaller number keeps the products small.
    let width = width.min(of.saturating_sub(width));
    (0..width as u64).try_fold(1u64, |number, taken| {
        number.checked_mul(of as u64 - taken).map(|product| product / (taken + 1))
    })
}

/// `[privacy.lkc-privacy]`.
pub static DECLARATION: Declaration = Declaration {
    publishes: ReleaseKind::Table,
    role: None,
    accepts: &[],
    name: "lkc-privacy",
    source: "N. Mohammed, B. Fung, P. Hung, C. Lee: Anonymizing Healthcare Data: A Case Study on the Blood Transfusion Service. KDD 2009",
    summary: "records that agree on at most L quasi-identifiers are at least K, and no sensitive value exceeds C among them",
    help: "For attackers who know at most L of a person's quasi-identifiers, whichever they are: at least K released records \
           match what they know, and no value of the sensitive column makes up more than C of them. With many \
           quasi-identifiers this loses much less than k-anonymity, which assumes that attackers know all of them. If L is \
           the number of quasi-identifiers or more, all of them count as known.",
    keys: &[
        Key::required(
            "L",
            KeyKind::Count(1),
            "how many quasi-identifiers of a person an attacker knows at most, as in L = 2",
        ),
        Key::required("K", KeyKind::Count(1), "the least number of records that agree on them, as in K = 5"),
        Key::required(
            "C",
            KeyKind::Above("1"),
            "the largest share of these records with the same sensitive value, above 0, as in C = 0.5",
        ),
        Key::optional(
            "column",
            KeyKind::Column(Role::Sensitive),
            "the sensitive column, as in column = \"disease\"; left out: every sensitive column; with C = 1 \
             there may be none",
        ),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_counted() {
        assert_eq!(combinations(5, 2), Some(10));
        assert_eq!(combinations(5, 5), Some(1));
        assert_eq!(combinations(0, 0), Some(1));
        assert_eq!(combinations(25, 6), Some(177_100));
        assert_eq!(combinations(200, 100), None);
        // As many as there are to leave out.
        assert_eq!(combinations(70, 68), Some(2_415));
        assert_eq!(combinations(1_000, 999), Some(1_000));
    }
}
