//! Hierarchies made from the values of a column: ranges, dates, masked codes, groups.

mod dates;
mod numbers;
mod order;

use std::collections::BTreeMap;
use std::path::Path;

use super::{ROOT_LABEL, Taxonomy, read};
use privet_core::{Error, Result};

/// Codes longer than this are not masked: a tree over them would hold the square of their length.
const MOST_CODE_LENGTH: usize = 100;

/// A way to make a taxonomy over the values of a column. The leaves are the values themselves, the root is `*`.
///
/// ```
/// use privet_taxonomy::Builder;
/// let ages = ["17", "19", "23", "38"].map(|age| (age.to_string(), 1));
/// let tree = Builder::EqualWidth { width: "5".into(), fanout: 2 }.build(&ages)?;
/// assert_eq!(tree.to_text()?, "\
/// 17;[15,20);[15,25);[15,35);*
/// 19;[15,20);[15,25);[15,35);*
/// 23;[20,25);[15,25);[15,35);*
/// 38;[35,40);[35,45);[35,55);*
/// ");
///
/// let codes = ["94103", "94105"].map(|code| (code.to_string(), 1));
/// let tree = Builder::Prefixes { steps: vec![1, 2] }.build(&codes)?;
/// assert_eq!(tree.to_text()?, "94103;9410*;94***;*\n94105;9410*;94***;*\n");
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Builder {
    /// Ranges of one width that begin at a multiple of it; each next level joins `fanout` of them.
    EqualWidth {
        /// The width of the first level, a decimal number such as `5` or `0.5`.
        width: String,
        /// How many neighbours become one at the next level, at least 2.
        fanout: u32,
    },
    /// At most this many ranges of one width from the least value on; each next level joins `fanout` of them.
    EqualBins {
        /// The number of ranges at the first level.
        bins: u32,
        /// How many neighbours become one at the next level, at least 2.
        fanout: u32,
    },
    /// Ranges with about equally many records; each next level joins `fanout` of them.
    EqualFrequency {
        /// The number of ranges at the first level; fewer if single values fill several.
        bins: u32,
        /// How many neighbours become one at the next level, at least 2.
        fanout: u32,
    },
    /// Ranges between given numbers, a list per level from fine to coarse; every list is part of the one before.
    /// A single list is thinned out level by level: every second break goes.
    Breaks(Vec<Vec<String>>),
    /// Ranges of width w, 2w, 4w, … until one covers all values.
    Doubling {
        /// The width of the first level.
        width: String,
    },
    /// Dates of one form, which is [detected](privet_data::DateColumn): day, month `2024-03`, quarter `2024-Q1`, year, decade `2020s`.
    /// With a time of day, days come first.
    Dates,
    /// Codes masked from the right: `94103`, `9410*`, `941**`, …
    Prefixes {
        /// How many characters each level masks; the last step is repeated, and no steps mean one at a time.
        steps: Vec<usize>,
    },
    /// Words in their order, from the first to the last; each next level joins `fanout` neighbours.
    Ordered {
        /// Every value once.
        order: Vec<String>,
        /// How many neighbours become one at the next level, at least 2.
        fanout: u32,
    },
    /// All values directly below the root.
    Flat,
    /// Each value below its groups, from the smallest to the largest.
    Groups(BTreeMap<String, Vec<String>>),
    /// Groups for some of the values; of the others those with few records are joined, and the rest stays as it is for a level.
    Joined {
        /// The group of each value that has one.
        groups: BTreeMap<String, String>,
        /// Values of fewer records than this are rare.
        least: u64,
        /// What rare values are called together.
        other: String,
    },
}

impl Builder {
    /// Reads the groups of values from a file with a line `value;group;…` for each.
    pub fn groups_from(path: &Path) -> Result<Builder> {
        let mut groups = BTreeMap::new();
        for (line, mut fields) in read::records(path)? {
            let value = fields.remove(0);
            if fields.is_empty() {
                return Err(Error::input(format!("'{value}' has no group"))
                    .in_file(path)
                    .at_line(line)
                    .help("write 'value;group' on each line"));
            }
            if groups.insert(value.clone(), fields).is_some() {
                return Err(Error::input(format!("'{value}' is listed twice"))
                    .in_file(path)
                    .at_line(line)
                    .help("keep one line per value"));
            }
        }
        Ok(Builder::Groups(groups))
    }

    /// Builds the tree over the distinct values of a column and the number of records of each.
    pub fn build(&self, values: &[(String, u64)]) -> Result<Taxonomy> {
        if values.is_empty() {
            return Err(Error::input("a hierarchy over no values").help("choose a column with values"));
        }
        if values.iter().any(|(value, _)| value.trim().is_empty()) {
            return Err(Error::input("an empty value cannot be a leaf of a hierarchy")
                .help("list it under `missing` in the policy"));
        }
        let paths = match self {
            Builder::EqualWidth { width, fanout } => numbers::equal_width(values, width, *fanout)?,
            Builder::Doubling { width } => numbers::equal_width(values, width, 2)?,
            Builder::EqualBins { bins, fanout } => numbers::equal_bins(values, *bins, *fanout)?,
            Builder::EqualFrequency { bins, fanout } => numbers::equal_frequency(values, *bins, *fanout)?,
            Builder::Breaks(lists) => numbers::breaks(values, lists)?,
            Builder::Dates => dates::paths(values)?,
            Builder::Prefixes { steps } => masks(values, steps)?,
            Builder::Ordered { order, fanout } => order::paths(values, order, *fanout)?,
            Builder::Flat => return Taxonomy::flat(values.iter().map(|(value, _)| value.as_str())),
            Builder::Groups(groups) => grouped(values, groups)?,
            Builder::Joined { groups, least, other } => joined(values, groups, *least, other)?,
        };
        Taxonomy::from_paths(&paths)
    }
}

/// Values of a group first, then those that stay as they are, then the rare ones.
fn joined(
    values: &[(String, u64)],
    groups: &BTreeMap<String, String>,
    least: u64,
    other: &str,
) -> Result<Vec<Vec<String>>> {
    if let Some(stranger) = groups.keys().find(|value| values.iter().all(|(known, _)| known != *value)) {
        return Err(Error::input(format!("no record has the value '{stranger}'"))
            .help("join values as the data spells them"));
    }
    let taken = |label: &str| values.iter().any(|(value, _)| value == label) && !groups.contains_key(label);
    if let Some(label) = groups.values().map(String::as_str).chain([other]).find(|label| taken(label)) {
        return Err(Error::input(format!("'{label}' is a value of the column, and cannot be a group too"))
            .help("choose another name for the group"));
    }
    let label = |(value, count): &(String, u64)| match groups.get(value) {
        Some(group) => group.clone(),
        None if *count < least => other.to_string(),
        None => value.clone(),
    };
    let mut paths: Vec<Vec<String>> =
        values.iter().map(|value| vec![value.0.clone(), label(value), ROOT_LABEL.to_string()]).collect();
    paths.sort_by_key(|path| (path[1] == other, path[1].clone(), path[0].clone()));
    Ok(paths)
}

fn masks(values: &[(String, u64)], steps: &[usize]) -> Result<Vec<Vec<String>>> {
    if steps.contains(&0) {
        return Err(Error::input("a level that masks no character").help("use steps of at least 1"));
    }
    let mut codes: Vec<&str> = values.iter().map(|(value, _)| value.as_str()).collect();
    codes.sort_unstable();
    codes.into_iter().map(|code| mask(code, steps)).collect()
}

fn mask(code: &str, steps: &[usize]) -> Result<Vec<String>> {
    let characters: Vec<char> = code.chars().collect();
    if characters.len() > MOST_CODE_LENGTH {
        let start: String = characters[..20].iter().collect();
        return Err(Error::input(format!(
            "'{start}…' has {} characters, too many to mask",
            characters.len()
        ))
        .help(format!("prefixes suit codes of up to {MOST_CODE_LENGTH} characters")));
    }
    let mut path = vec![code.to_string()];
    let last = steps.last().copied().unwrap_or(1);
    let mut masked = 0;
    for step in steps.iter().copied().chain(std::iter::repeat(last)) {
        masked = step.saturating_add(masked);
        if masked >= characters.len() {
            break;
        }
        let kept: String = characters[..characters.len() - masked].iter().collect();
        path.push(kept + &"*".repeat(masked));
    }
    path.push(ROOT_LABEL.to_string());
    Ok(path)
}

fn grouped(values: &[(String, u64)], groups: &BTreeMap<String, Vec<String>>) -> Result<Vec<Vec<String>>> {
    let path = |value: &String| {
        let Some(above) = groups.get(value) else {
            return Err(Error::input(format!("the value '{value}' has no group"))
                .help("add it to the groups, or list it under `missing` in the policy"));
        };
        let mut path = vec![value.clone()];
        path.extend(above.iter().cloned());
        if path.last().is_some_and(|last| last != ROOT_LABEL) {
            path.push(ROOT_LABEL.to_string());
        }
        Ok(path)
    };
    values.iter().map(|(value, _)| path(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(list: &[&str]) -> Vec<(String, u64)> {
        list.iter().map(|value| (value.to_string(), 1)).collect()
    }

    #[test]
    fn codes_of_any_length_are_masked() {
        let tree = Builder::Prefixes { steps: vec![] }
            .build(&values(&["94103", "7", "äöü", "94999"]))
            .expect("a tree");
        let nines = tree.find("94***").expect("a mask");
        assert_eq!(tree.leaves_below(nines).len(), 2);
        assert_eq!(tree.depth(tree.find("7").expect("a leaf")), 1);
        assert!(tree.find("äö*").is_some());
        let error =
            Builder::Prefixes { steps: vec![] }.build(&values(&["94103", "9410*"])).expect_err("a clash");
        assert!(error.message().contains("'9410*'"), "{error}");
        assert!(Builder::Prefixes { steps: vec![1, 0] }.build(&values(&["9"])).is_err());
        assert!(Builder::Prefixes { steps: vec![1, usize::MAX] }.build(&values(&["94103"])).is_ok());
        assert!(Builder::Prefixes { steps: vec![] }.build(&values(&["9".repeat(101).as_str()])).is_err());
    }

    #[test]
    fn groups_come_from_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("groups.csv");
        std::fs::write(&path, "17,teens\n18,teens\n30,adults\n").expect("written");
        let builder = Builder::groups_from(&path).expect("groups");
        let tree = builder.build(&values(&["17", "30"])).expect("a tree");
        assert_eq!(tree.to_text().expect("text"), "17;teens;*\n30;adults;*\n");
        assert!(builder.build(&values(&["99"])).expect_err("no group").message().contains("'99'"));
        for (text, line) in [("17,teens\n17,adults\n", 2), ("17,teens\n18\n", 2)] {
            std::fs::write(&path, text).expect("written");
            assert_eq!(Builder::groups_from(&path).expect_err("wrong").line(), Some(line));
        }
    }

    #[test]
    fn nothing_and_empty_values_are_refused() {
        assert!(Builder::Flat.build(&[]).is_err());
        assert!(Builder::Flat.build(&values(&["a", ""])).is_err());
        assert_eq!(
            Builder::Flat.build(&values(&["b", "a"])).expect("a tree").to_text().expect("text"),
            "b;*\na;*\n"
        );
    }
}
