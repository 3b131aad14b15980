//! Dates and years of birth under the Safe Harbor rule.
//!
//! The rule pools not only ages over 89 but "all elements of dates (including year) indicative of such age" (45 CFR
//! 164.514(b)(2)(i)(C)): a year of birth next to a pooled age would give the age away. The guidance of 2012 publishes the year
//! of birth of somebody treated in 2010 as "on or before 1920". No event of the data is later than today, so that the line is
//! drawn ninety years before the year of the draft: a person born by then may be over 89 at whatever date the table shows.

use super::kind::{ValueKind, iso_date};
use super::lexicon::{Topic, plain_words, topic};
use super::profile::ColumnProfile;
use privet_taxonomy::Taxonomy;

/// Ages from here on are pooled.
pub(super) const OLD: i64 = 90;

/// Years between these may be somebody's year of birth.
const YEARS_OF_BIRTH: std::ops::RangeInclusive<f64> = 1800.0..=2200.0;

/// The last year of birth that may be that of somebody over 89.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// The year.
    pub year: i64,
}

impl Line {
    /// As it is drawn today.
    pub fn today() -> Line {
        Line::in_year(i64::from(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).year()))
    }

    fn in_year(year: i64) -> Line {
        Line { year: year - OLD }
    }

    /// What years of birth up to the line are published as.
    pub fn label(self) -> String {
        format!("{} or before", self.year)
    }

    /// Whether a cell of a column that tells births speaks of somebody who may be over 89.
    pub fn holds(self, cell: &str) -> bool {
        year_of(cell).is_some_and(|year| year <= self.year)
    }

    /// The usual hierarchy of dates with those up to the line as one from the first level on.
    pub fn of_dates(self, usual: &Taxonomy) -> Option<Taxonomy> {
        let path = |leaf: usize| {
            let leaf = usual.leaf(leaf);
            let label = usual.label(leaf).to_string();
            let old = self.holds(&label);
            let above = std::iter::successors(usual.parent(leaf), |node| usual.parent(*node));
            let above = above.map(|node| match node {
                node if old && node != usual.root() => self.label(),
                node => usual.label(node).to_string(),
            });
            std::iter::once(label).chain(above).collect::<Vec<_>>()
        };
        Taxonomy::from_paths(&(0..usual.leaves()).map(path).collect::<Vec<_>>()).ok()
    }

    /// A hierarchy of years with those up to the line as one from the first level on: single years, then 5, 10 and 20 of them.
    pub fn of_years(self, column: &ColumnProfile) -> Option<Taxonomy> {
        let values = column.values()?;
        let mut years: Vec<(i64, &String)> =
            values.iter().map(|value| Some((value.parse().ok()?, value))).collect::<Option<_>>()?;
        years.sort_unstable();
        let path = |(year, value): &(i64, &String)| {
            let range = |width: i64| {
                let start = year.div_euclid(width) * width;
                // The first range begins where the pooled years end.
                format!("[{}, {})", start.max(self.year + 1), start + width)
            };
            let old = *year <= self.year;
            let mut path = vec![(*value).clone(), if old { self.label() } else { (*value).clone() }];
            path.extend([5, 10, 20].map(|width| if old { self.label() } else { range(width) }));
            path.push("*".to_string());
            path
        };
        Taxonomy::from_paths(&years.iter().map(path).collect::<Vec<_>>()).ok()
    }
}

/// The year of a date or of a plain year.
fn year_of(cell: &str) -> Option<i64> {
    match iso_date(cell) {
        Some(date) => date.split('-').next()?.parse().ok(),
        None => cell.parse().ok(),
    }
}

/// How a column tells when people were born.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Births {
    /// By dates.
    Dates,
    /// By years.
    Years,
}

/// Whether a column tells when people were born, going by its name and its values. What is called a birth may be a place or a
/// weight, so that the name alone decides nothing.
pub(super) fn births_of(column: &ColumnProfile) -> Option<Births> {
    let is_birth = topic(&plain_words(&column.name)).is_some_and(|(topic, _)| topic == Topic::Birth);
    match column.kind() {
        ValueKind::Date if is_birth => Some(Births::Dates),
        ValueKind::Whole if is_birth => {
            let (least, greatest) = column.shape.bounds;
            (YEARS_OF_BIRTH.contains(&least) && YEARS_OF_BIRTH.contains(&greatest)).then_some(Births::Years)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(tree: &Taxonomy, leaf: &str) -> Vec<String> {
        let node = tree.find(leaf).expect("a leaf");
        let up = std::iter::successors(tree.parent(node), |node| tree.parent(*node));
        up.map(|node| tree.label(node).to_string()).collect()
    }

    #[test]
    fn the_line_is_that_of_the_guidance() {
        let line = Line::in_year(2010);
        assert_eq!(line.label(), "1920 or before");
        assert!(line.holds("1920") && line.holds("1910-05-04") && line.holds("5/4/1910"));
        assert!(!line.holds("1921") && !line.holds("1921-01-01") && !line.holds("unknown"));
        assert!(Line::today().year > 1930);
    }

    #[test]
    fn old_dates_are_one_from_the_first_level_on() {
        let path = |day: &str, month: &str, quarter: &str, year: &str, decade: &str| {
            [day, month, quarter, year, decade, "*"].map(str::to_string).to_vec()
        };
        let usual = Taxonomy::from_paths(&[
            path("1910-05-04", "1910-05", "1910-Q2", "1910", "1910s"),
            path("1921-05-04", "1921-05", "1921-Q2", "1921", "1920s"),
        ])
        .expect("a tree");
        let tree = Line::in_year(2010).of_dates(&usual).expect("a tree");
        assert_eq!(above(&tree, "1910-05-04"), ["1920 or before", "*"]);
        assert_eq!(above(&tree, "1921-05-04"), ["1921-05", "1921-Q2", "1921", "1920s", "*"]);
        let old = tree.find("1910-05-04").expect("a leaf");
        let old = tree.leaves_below(old).start;
        assert_eq!(tree.levels(), 6);
        for level in 1..5 {
            assert_eq!(tree.label(tree.at_level(old, level)), "1920 or before", "level {level}");
        }
    }
}
