//! Hierarchies to start from: classifications that are public and that most files use in one spelling or another.
//!
//! Only codes and their structure are shipped, with their sources, in `data/ready/`. A value that a classification does not know
//! has no place in it; [`Ready::build`] says which these are, or puts them under a label of their own.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Builder, ROOT_LABEL, Taxonomy};
use privet_core::{Error, Result, suggestion, thousands};

/// Ages from here on are one band.
const OLDEST: u32 = 90;
/// Nobody is older.
const MOST_YEARS: u32 = 130;
/// How many bands of about equally many records amounts are put into.
const BANDS: u32 = 20;

/// A hierarchy to start from.
#[derive(Debug)]
pub struct Ready {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it classifies, and its levels.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Under what terms it may be used.
    pub licence: &'static str,
    /// The labels above a value, without the root; `None` for amounts, whose bands depend on the data.
    place: Option<Placing>,
}

/// The labels above a value, without the root, if the classification has it.
type Placing = fn(&str) -> Option<Vec<String>>;

const OWN_LICENCE: &str = "MIT or Apache-2.0, as Privet";

/// All of them.
pub static READY: [Ready; 7] = [
    Ready {
        name: "icd-10",
        title: "diagnoses by ICD-10 codes: code, category (E11.-), block (E08-E14), chapter (E00-E90)",
        source: "code ranges of the WHO's ICD-10, version of 2019; codes only, none of its texts",
        licence: OWN_LICENCE,
        place: Some(icd_10),
    },
    Ready {
        name: "countries",
        title: "countries by ISO 3166-1 codes or names: country, sub-region, region",
        source: "IANA time zone database (iso3166.tab); ISO 3166-1; regions of the United Nations' M49 standard",
        licence: "public domain (iso3166.tab); the list as Privet, MIT or Apache-2.0",
        place: Some(country),
    },
    Ready {
        name: "nace",
        title: "economic activities by NACE Rev. 2 codes: class, group, division, section",
        source: "code structure of Regulation (EC) No 1893/2006; codes only",
        licence: "reuse of Commission documents, Decision 2011/833/EU",
        place: Some(nace),
    },
    Ready {
        name: "isco",
        title: "occupations by ISCO-08 codes of four digits: unit, minor, sub-major, major group",
        source: "code structure of the ILO's ISCO-08: each digit is a level; codes only",
        licence: OWN_LICENCE,
        place: Some(isco),
    },
    Ready {
        name: "education",
        title: "education by level of ISCED 2011 (words in seven languages): level, then low, medium, high",
        source: "levels of UNESCO's ISCED 2011; grouping of Eurostat; spellings by Privet",
        licence: OWN_LICENCE,
        place: Some(education),
    },
    Ready {
        name: "ages",
        title: "ages in whole years: bands of 5, 10 and 20 years, 90 and more as one",
        source: "bands of statistical offices; 90+ as in 45 CFR 164.514(b)(2)(i)(C)",
        licence: OWN_LICENCE,
        place: Some(age),
    },
    Ready {
        name: "amounts",
        title: "incomes and other amounts: 20 bands of about equally many records, joined two by two",
        source: "quantiles of the data",
        licence: OWN_LICENCE,
        place: None,
    },
];

impl Ready {
    /// The one of a name.
    pub fn find(name: &str) -> Result<&'static Ready> {
        READY.iter().find(|ready| ready.name == name).ok_or_else(|| {
            let names = READY.each_ref().map(|ready| ready.name);
            Error::input(format!("there is no hierarchy '{name}' to start from")).help(format!(
                "{}; `privet hierarchy list` describes them",
                suggestion(name, &names, "names")
            ))
        })
    }

    /// The labels above a value, from the nearest to the one below the root.
    ///
    /// ```
    /// use privet_taxonomy::Ready;
    /// let icd = Ready::find("icd-10")?;
    /// assert_eq!(icd.above("E11.9").unwrap(), ["E11.-", "E08-E14", "E00-E90"]);
    /// let countries = Ready::find("countries")?;
    /// assert_eq!(countries.above("NO"), countries.above("Norway"));
    /// assert_eq!(countries.above("Atlantis"), None);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn above(&self, value: &str) -> Option<Vec<String>> {
        self.place.and_then(|place| place(value.trim()))
    }

    /// How many of the values it knows.
    pub fn knows<'a>(&self, values: impl IntoIterator<Item = &'a str>) -> usize {
        values.into_iter().filter(|value| self.above(value).is_some()).count()
    }

    /// The hierarchy of the values of a column, with the number of records of each; values that it does not know are an error, or
    /// stand below `other` where that is given.
    pub fn build(&self, values: &[(String, u64)], other: Option<&str>) -> Result<Taxonomy> {
        if self.place.is_none() {
            return Builder::EqualFrequency { bins: BANDS, fanout: 2 }.build(values);
        }
        let unknown: Vec<&(String, u64)> =
            values.iter().filter(|(value, _)| self.above(value).is_none()).collect();
        if let (None, [(first, _), rest @ ..]) = (other, unknown.as_slice()) {
            let records: u64 = unknown.iter().map(|(_, count)| count).sum();
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            return Err(Error::input(format!(
                "'{first}'{more} has no place in '{}' ({} records)",
                self.name,
                thousands(records)
            ))
            .help("pass --other to put what it does not know under \"other\", or correct the spelling in the data"));
        }
        let path = |(value, _): &(String, u64)| {
            let above = self.above(value).unwrap_or_else(|| vec![other.unwrap_or_default().to_string()]);
            let mut path = vec![value.clone()];
            path.extend(above);
            path.push(ROOT_LABEL.to_string());
            path
        };
        let mut paths: Vec<Vec<String>> = values.iter().map(path).collect();
        // Neighbours in the classification are neighbours in the file.
        paths.sort_by(|one, two| one.iter().rev().cmp(two.iter().rev()));
        Taxonomy::from_paths(&paths)
    }
}

/// A spelling without case, hyphens and points at its end.
fn plain(value: &str) -> String {
    let spaced = value.trim().trim_end_matches('.').to_lowercase().replace(['-', '_'], " ");
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of a shipped list without its comments.
fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

fn country(value: &str) -> Option<Vec<String>> {
    static COUNTRIES: LazyLock<HashMap<String, (&str, &str)>> = LazyLock::new(|| {
        let mut known = HashMap::new();
        for line in lines(include_str!("../data/ready/countries.csv")) {
            let [two, three, name, sub_region, region, further] =
                line.split(';').collect::<Vec<_>>().try_into().unwrap_or([""; 6]);
            for spelling in [two, three, name].into_iter().chain(further.split('|')) {
                known.entry(plain(spelling)).or_insert((sub_region, region));
            }
        }
        known.remove("");
        known
    });
    let (sub_region, region) = COUNTRIES.get(&plain(value))?;
    Some(vec![(*sub_region).to_string(), (*region).to_string()])
}

fn education(value: &str) -> Option<Vec<String>> {
    static LEVELS: LazyLock<HashMap<String, (&str, &str)>> = LazyLock::new(|| {
        let mut known = HashMap::new();
        for line in lines(include_str!("../data/ready/isced-2011.csv")) {
            let mut fields = line.split(';');
            let (Some(level), Some(group), Some(spellings)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            for spelling in spellings.split('|').chain([level]) {
                known.insert(plain(spelling), (level, group));
            }
        }
        known
    });
    let (level, group) = LEVELS.get(&plain(value))?;
    // A level that is a value itself stands for itself.
    let level = if *level == value { format!("level {}", &level[6..]) } else { (*level).to_string() };
    Some(vec![level, (*group).to_string()])
}

/// A letter, two digits and up to four more characters; the second digit may be a letter in national versions.
fn icd_10(value: &str) -> Option<Vec<String>> {
    let code = value.to_ascii_uppercase();
    let bytes = code.as_bytes();
    let well_formed = code.is_ascii()
        && (3..=8).contains(&bytes.len())
        && bytes[0].is_ascii_uppercase()
        && bytes[1].is_ascii_digit()
        && bytes[2].is_ascii_alphanumeric()
        && code[3..].trim_start_matches('.').bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !well_formed {
        return None;
    }
    let category = &code[..3];
    lines(include_str!("../data/ready/icd-10.csv")).find_map(|line| {
        let (chapter, blocks) = line.split_once(": ")?;
        let within = |range: &&str| {
            range.split_once('-').is_some_and(|(first, last)| (first..=last).contains(&category))
        };
        if !within(&chapter) {
            return None;
        }
        // A code of a later or national version may lie between two blocks.
        let block = blocks.split(' ').find(within).unwrap_or(chapter);
        Some(vec![format!("{category}.-"), block.to_string(), chapter.to_string()])
    })
}

/// `62.01`, `6201`, `62.0`, `62` or `J62.01`.
fn nace(value: &str) -> Option<Vec<String>> {
    let code = value.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let digits: String = code.chars().filter(|c| *c != '.').collect();
    if !(2..=4).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let division = &digits[..2];
    let section = lines(include_str!("../data/ready/nace-2.csv")).find_map(|line| {
        let (section, range) = line.split_once(": ")?;
        let (first, last) = range.split_once('-')?;
        (first..=last).contains(&division).then_some(section)
    })?;
    let group =
        digits.get(..3).map_or(format!("{division}.xx"), |group| format!("{division}.{}x", &group[2..]));
    Some(vec![group, format!("{division}.xx"), section.to_string()])
}

/// Four digits, of which each is a level.
fn isco(value: &str) -> Option<Vec<String>> {
    let valid = value.len() == 4 && value.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| [3, 2, 1].map(|kept| format!("{}{}", &value[..kept], "x".repeat(4 - kept))).to_vec())
}

fn age(value: &str) -> Option<Vec<String>> {
    let age: u32 = value.parse().ok().filter(|age| *age <= MOST_YEARS)?;
    let band = |width: u32| {
        let start = age / width * width;
        format!("[{start},{})", (start + width).min(OLDEST))
    };
    Some([5, 10, 20].map(|width| if age >= OLDEST { format!("{OLDEST}+") } else { band(width) }).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(name: &str, value: &str) -> Vec<String> {
        Ready::find(name).expect(name).above(value).unwrap_or_default()
    }

    #[test]
    fn every_list_is_whole() {
        let countries: Vec<&str> = lines(include_str!("../data/ready/countries.csv")).collect();
        assert_eq!(countries.len(), 249);
        for line in countries {
            let fields: Vec<&str> = line.split(';').collect();
            assert!(fields.len() == 6 && fields[0].len() == 2 && fields[1].len() == 3, "{line}");
            assert_eq!(above("countries", fields[0]), [fields[3], fields[4]], "{line}");
            assert_eq!(above("countries", fields[1]), [fields[3], fields[4]], "{line}");
        }
        let mut last = String::new();
        for line in lines(include_str!("../data/ready/icd-10.csv")) {
            let (chapter, blocks) = line.split_once(": ").expect(line);
            let (from, to) = chapter.split_once('-').expect(line);
            for block in blocks.split(' ') {
                let (first, end) = block.split_once('-').expect(block);
                assert!(first <= end && from <= first && end <= to, "{block} in {chapter}");
                assert!(first > last.as_str() || chapter.starts_with('U'), "{block} after {last}");
                last = end.to_string();
            }
        }
    }

    #[test]
    fn codes_find_their_place() {
        assert_eq!(above("icd-10", "B20"), ["B20.-", "B20-B24", "A00-B99"]);
        assert_eq!(above("icd-10", "c50.911"), ["C50.-", "C50-C50", "C00-D48"]);
        assert!(above("icd-10", "250.00").is_empty() && above("icd-10", "flu").is_empty());
        assert_eq!(above("nace", "62.01"), ["62.0x", "62.xx", "J"]);
        assert_eq!(above("nace", "01"), ["01.xx", "01.xx", "A"]);
        assert!(above("nace", "04").is_empty());
        assert_eq!(above("isco", "2512"), ["251x", "25xx", "2xxx"]);
        assert_eq!(above("ages", "93"), ["90+", "90+", "90+"]);
        assert_eq!(above("ages", "37"), ["[35,40)", "[30,40)", "[20,40)"]);
        assert_eq!(above("education", "HS-grad"), ["ISCED 3", "medium"]);
        assert_eq!(above("countries", "United-States"), ["Northern America", "Americas"]);
    }

    #[test]
    fn trees_hold_all_values_or_say_which_they_do_not_know() {
        let values = ["E11", "E11.9", "I10", "zzz"].map(|value| (value.to_string(), 2));
        let icd = Ready::find("icd-10").expect("there");
        let error = icd.build(&values, None).expect_err("one is unknown");
        assert!(error.message().contains("zzz") && error.remedy().is_some(), "{error}");
        let tree = icd.build(&values, Some("other")).expect("a tree");
        assert!(values.iter().all(|(value, _)| tree.leaf_of(value).is_ok_and(|leaf| leaf.is_some())));
        let amounts: Vec<(String, u64)> = (0..200).map(|amount| ((amount * 37).to_string(), 1)).collect();
        let bands = Ready::find("amounts").expect("there").build(&amounts, None).expect("a tree");
        assert!(bands.levels() >= 4, "{}", bands.levels());
        assert!(
            Ready::find("icd10")
                .is_err_and(|error| error.remedy().is_some_and(|help| help.contains("icd-10")))
        );
    }
}
