//! The eighteen kinds of identifiers of the Safe Harbor rule (45 CFR 164.514(b)(2)(i)), looked for by names of columns and by
//! patterns in cells. What looks like one is left out of the draft; ZIP codes, dates and ages are coarsened as the rule has it.

use super::birth::{self, Births, Line, OLD};
use super::content::{is_device, is_mail, is_shaped, is_telephone, is_web};
use super::kind::{ValueKind, iso_date};
use super::lexicon::{Topic, plain_words, topic};
use super::profile::ColumnProfile;
use super::text::comment;
use super::understood::is_postal;
use super::within::{has_telephone, stretches};
use super::{DraftColumn, tree};
use privet_core::{Result, noun, place, thousands};
use privet_data::Source;
use privet_data::naming::{among, words};
use privet_policy::Role;
use privet_taxonomy::Taxonomy;

/// A kind of identifier: its number and name in the rule, words in names of columns, and a pattern of cells.
struct Kind {
    letter: char,
    name: &'static str,
    words: &'static str,
    pattern: Option<fn(&str) -> bool>,
}

/// (A) to (R) of the rule. Places (B), dates and ages (C) are not removed but coarsened where that can be done.
const KINDS: [Kind; 18] = [
    Kind {
        letter: 'A',
        name: "names",
        words: "name surname forename firstname lastname fullname",
        pattern: None,
    },
    Kind {
        letter: 'B',
        name: "places smaller than a state",
        words: "zip zipcode postcode postal plz city town county district municipality precinct street address parish village \
                borough neighborhood neighbourhood tract fips latitude longitude lat lon lng geocode geohash",
        pattern: None,
    },
    Kind {
        letter: 'C',
        name: "dates but for the year, and ages over 89",
        words: "date dates datetime timestamp dob birthday birthdate month weekday day",
        pattern: Some(|cell| holds(cell, |text| iso_date(text).is_some())),
    },
    Kind {
        letter: 'D',
        name: "telephone numbers",
        words: "phone telephone mobile cell tel",
        pattern: Some(|cell| is_telephone(cell) || has_telephone(cell)),
    },
    Kind { letter: 'E', name: "fax numbers", words: "fax", pattern: None },
    Kind {
        letter: 'F',
        name: "e-mail addresses",
        words: "email mail",
        pattern: Some(|cell| holds(cell, is_mail)),
    },
    Kind {
        letter: 'G',
        name: "social security numbers",
        words: "ssn social",
        pattern: Some(|cell| holds(cell, |text| is_shaped(text, "999-99-9999"))),
    },
    Kind { letter: 'H', name: "medical record numbers", words: "mrn record chart", pattern: None },
    Kind {
        letter: 'I',
        name: "health plan beneficiary numbers",
        words: "beneficiary member plan policy subscriber",
        pattern: None,
    },
    Kind { letter: 'J', name: "account numbers", words: "account iban", pattern: None },
    Kind {
        letter: 'K',
        name: "certificate and licence numbers",
        words: "licence license certificate npi",
        pattern: None,
    },
    Kind {
        letter: 'L',
        name: "vehicles and their plates",
        words: "vehicle vin plate registration",
        pattern: Some(|cell| holds(cell, is_vehicle)),
    },
    Kind {
        letter: 'M',
        name: "devices and their serial numbers",
        words: "device serial imei mac",
        pattern: Some(|cell| holds(cell, is_device)),
    },
    Kind {
        letter: 'N',
        name: "web addresses",
        words: "url website homepage",
        pattern: Some(|cell| holds(cell, is_web)),
    },
    Kind {
        letter: 'O',
        name: "IP addresses",
        words: "ip",
        pattern: Some(|cell| holds(cell, |text| text.parse::<std::net::IpAddr>().is_ok())),
    },
    Kind {
        letter: 'P',
        name: "biometric identifiers",
        words: "fingerprint voiceprint retina iris biometric",
        pattern: None,
    },
    Kind {
        letter: 'Q',
        name: "photographs of faces",
        words: "photo photograph image picture portrait face",
        pattern: None,
    },
    Kind {
        letter: 'R',
        name: "any other unique number or code",
        words: "id identifier uuid guid key number",
        pattern: None,
    },
];

/// Areas of three digits with 20,000 people or fewer by the census of 2000, as the guidance of 2012 lists them, or by that of
/// 2010: the rule asks for current figures, and an area too many loses little.
const SMALL_AREAS: [&str; 23] = [
    "036", "059", "063", "102", "202", "203", "204", "205", "369", "556", "692", "753", "772", "790", "821",
    "823", "830", "831", "878", "879", "884", "890", "893",
];
/// What they are published as.
const SMALL_AREA: &str = "000";
/// Digits of a ZIP code that may be published.
const ZIP_DIGITS: usize = 3;
/// What ages from there on are published as.
const POOLED: &str = "90+";
/// Of a generated hierarchy of dates, the level of years: above days, months and quarters.
const YEARS: u64 = 3;

/// What was found of one kind.
struct Hit {
    kind: usize,
    column: usize,
    /// Cells that look like it; `None` where the column's name says so.
    cells: Option<u64>,
}

/// All that was found in a table.
pub(super) struct Scan {
    hits: Vec<Hit>,
    names: Vec<String>,
    /// ZIP codes in a small area.
    small_areas: u64,
    /// Ages over 89.
    old: u64,
    /// The last year of birth that tells such an age, and how many cells do.
    line: Line,
    born: u64,
    /// Per column, the lowest level that may be published.
    pub least_levels: Vec<(String, u64)>,
}

impl Scan {
    /// Looks at every cell.
    pub fn of(source: &Source, profiles: &[ColumnProfile]) -> Result<Scan> {
        let columns = source.columns();
        let mut counts = vec![[0u64; KINDS.len()]; columns.len()];
        let (mut small_areas, mut old, mut born) = (0, 0, 0);
        let line = Line::today();
        let postal: Vec<bool> = columns.iter().map(|column| is_postal(&column.name)).collect();
        let aged: Vec<bool> = columns.iter().map(|column| is_age(&column.name)).collect();
        let births: Vec<bool> = profiles.iter().map(|profile| birth::births_of(profile).is_some()).collect();
        source.read(&mut |batch, _| {
            place::unless_stopped()?;
            for row in 0..batch.rows() {
                for (column, counts) in counts.iter_mut().enumerate() {
                    let cell = batch.cell(row, column).trim();
                    let is_likely = cell.bytes().any(|byte| byte.is_ascii_digit() || b"@:.".contains(&byte));
                    // No pattern fits words alone.
                    for (kind, count) in KINDS.iter().zip(counts.iter_mut()).filter(|_| is_likely) {
                        *count += u64::from(kind.pattern.is_some_and(|looks| looks(cell)));
                    }
                    if postal.get(column) == Some(&true) {
                        small_areas += u64::from(SMALL_AREAS.iter().any(|area| cell.starts_with(area)));
                    }
                    if aged.get(column) == Some(&true) {
                        old += u64::from(cell.parse::<f64>().is_ok_and(|age| age >= OLD as f64));
                    }
                    if births.get(column) == Some(&true) {
                        born += u64::from(line.holds(cell));
                    }
                }
            }
            Ok(())
        })?;
        let mut hits = Vec::new();
        for (column, (profile, counts)) in profiles.iter().zip(&counts).enumerate() {
            let words = words(&profile.name);
            for (kind, (declared, count)) in KINDS.iter().zip(counts).enumerate() {
                let named = among(declared.words, &words).is_some();
                // A number by its name alone is a code only where it tells records apart.
                let named = named && (declared.letter != 'R' || profile.mostly_differ(50));
                let cells = (!named).then_some(*count);
                if named || *count > 0 {
                    hits.push(Hit { kind, column, cells });
                }
            }
        }
        let names = profiles.iter().map(|profile| profile.name.clone()).collect();
        Ok(Scan { hits, names, small_areas, old, line, born, least_levels: Vec::new() })
    }

    /// Gives a column the role that the rule leaves it, and the levels that it may be published at.
    pub fn settle(
        &mut self,
        column: usize,
        profile: &ColumnProfile,
        drafted: &mut DraftColumn,
        tree: Option<&Taxonomy>,
    ) {
        let hits = self.hits.iter().filter(|hit| hit.column == column);
        let kinds: Vec<&Kind> = hits.filter_map(|hit| KINDS.get(hit.kind)).collect();
        let (coarsened, removed): (Vec<&Kind>, Vec<&Kind>) =
            kinds.into_iter().partition(|kind| matches!(kind.letter, 'B' | 'C'));
        if let Some(kind) = removed.first().filter(|_| drafted.role != Some(Role::Identifier)) {
            self.leave_out(drafted, kind);
            return;
        }
        let quasi = drafted.role == Some(Role::QuasiIdentifier);
        let levels = tree.map_or(0, Taxonomy::levels) as u64;
        let births = birth::births_of(profile);
        // Where nobody is old, the hierarchy has no such label and needs none.
        let pooled = births.is_none()
            || self.born == 0
            || tree.is_some_and(|tree| tree.find(&self.line.label()).is_some());
        let needed = match coarsened.first() {
            Some(kind) if kind.letter == 'B' => {
                let (shortest, longest) = profile.shape.lengths;
                let is_code = is_postal(&profile.name) && shortest == longest && longest > ZIP_DIGITS;
                let level = longest.saturating_sub(ZIP_DIGITS).div_ceil(tree::prefix_step(longest)) as u64;
                (is_code && levels > level).then_some(level)
            }
            _ if births == Some(Births::Years) && self.born == 0 => return,
            _ if births == Some(Births::Years) => pooled.then_some(1),
            Some(_) => (profile.kind() == ValueKind::Date && levels > YEARS && pooled).then_some(YEARS),
            None if is_age(&profile.name) && self.old > 0 => {
                tree.is_some_and(|tree| tree.find(POOLED).is_some()).then_some(1)
            }
            None => return,
        };
        match (needed, coarsened.first()) {
            (Some(level), _) if quasi => self.least_levels.push((drafted.name.clone(), level)),
            // An identifier is not published anyway.
            _ if drafted.role == Some(Role::Identifier) => {}
            (_, Some(kind)) => self.leave_out(drafted, kind),
            (_, None) => {
                drafted.role = None;
                drafted.hierarchy = None;
                drafted.reason = "it tells ages over 89, which the rule wants pooled".to_string();
            }
        }
    }

    fn leave_out(&self, drafted: &mut DraftColumn, kind: &Kind) {
        drafted.role = None;
        drafted.hierarchy = None;
        drafted.reason = format!("it looks like ({}) {} of the Safe Harbor rule", kind.letter, kind.name);
    }

    /// The hierarchy that the rule wants, in the place of the usual one.
    pub fn hierarchy(&self, column: &ColumnProfile, usual: Option<Taxonomy>) -> Option<Taxonomy> {
        if is_age(&column.name)
            && let Some(tree) = ages(column)
        {
            return Some(tree);
        }
        let births = birth::births_of(column).filter(|_| self.born > 0);
        match (usual, births) {
            (Some(tree), Some(Births::Dates)) => self.line.of_dates(&tree).or(Some(tree)),
            (usual, Some(Births::Years)) => self.line.of_years(column).or(usual),
            (Some(tree), None) if is_postal(&column.name) => zip_codes(&tree).or(Some(tree)),
            (usual, _) => usual,
        }
    }

    /// The list of all eighteen kinds with what was found of each, as comments.
    pub fn tell(&self, text: &mut String) {
        comment(
            text,
            "The eighteen kinds of identifiers of 45 CFR 164.514(b)(2)(i), as far as names of columns and patterns in cells tell. \
             Patterns miss much, free text above all: look at every column.",
        );
        for (number, kind) in KINDS.iter().enumerate() {
            let hits = self.hits.iter().filter(|hit| hit.kind == number);
            let seen: Vec<String> = hits
                .map(|hit| {
                    let name = self.names.get(hit.column).map_or("", String::as_str);
                    match hit.cells {
                        None => format!("column '{name}'"),
                        Some(cells) => {
                            format!("{} {} of '{name}'", thousands(cells), noun(cells, "cell", "cells"))
                        }
                    }
                })
                .collect();
            let mut found = if seen.is_empty() { "none seen".to_string() } else { seen.join(", ") };
            if kind.letter == 'B' && self.small_areas > 0 {
                found += &format!(
                    "; {} {} in areas that are published as 000",
                    thousands(self.small_areas),
                    noun(self.small_areas, "record lies", "records lie")
                );
            }
            if kind.letter == 'C' {
                found += &format!("; ages over 89: {}", thousands(self.old));
                if self.born > 0 {
                    found += &format!(
                        "; born in {}, so that they may be over 89: {}",
                        self.line.label(),
                        thousands(self.born)
                    );
                }
            }
            comment(text, &format!("({}) {}: {found}", kind.letter, kind.name));
        }
        text.push('\n');
    }
}

/// Whether a column holds ages, going by its name.
fn is_age(name: &str) -> bool {
    topic(&plain_words(name)).is_some_and(|(topic, _)| topic == Topic::Age)
}

/// A hierarchy of ages in which those of 90 and more are one from the first level on: single years, then 5, 10 and 20 of them.
fn ages(column: &ColumnProfile) -> Option<Taxonomy> {
    let values = column.values()?;
    let mut ages: Vec<(i64, &String)> =
        values.iter().map(|value| Some((value.parse().ok()?, value))).collect::<Option<_>>()?;
    ages.sort_unstable();
    let path = |(age, value): &(i64, &String)| {
        let range = |width: i64| {
            let start = age.div_euclid(width) * width;
            // The last range ends where the pooled ages begin.
            let end = (start + width).min(OLD);
            format!("[{start}, {end})")
        };
        let mut path = vec![(*value).clone()];
        path.extend([1, 5, 10, 20].map(|width| if *age >= OLD { POOLED.to_string() } else { range(width) }));
        path.push("*".to_string());
        path
    };
    Taxonomy::from_paths(&ages.iter().map(path).collect::<Vec<_>>()).ok()
}

/// The hierarchy of ZIP codes with those of small areas under 000.
fn zip_codes(tree: &Taxonomy) -> Option<Taxonomy> {
    let mut paths = Vec::new();
    for leaf in 0..tree.leaves() {
        let node = tree.leaf(leaf);
        let mut path = vec![tree.label(node).to_string()];
        path.extend(
            std::iter::successors(tree.parent(node), |node| tree.parent(*node))
                .map(|node| tree.label(node).to_string()),
        );
        let small = path.first().is_some_and(|zip| SMALL_AREAS.iter().any(|area| zip.starts_with(area)));
        if small {
            let whole = path.first().map_or(0, |zip| zip.chars().count());
            // Labels of n digits and stars: those that show three digits or fewer show zeros instead.
            for label in &mut path {
                let digits = label.chars().take_while(|c| *c != '*').count();
                if digits > 0 && digits <= ZIP_DIGITS && label.chars().count() == whole {
                    *label =
                        SMALL_AREA.chars().take(digits).chain("*".repeat(whole - digits).chars()).collect();
                }
            }
        }
        paths.push(path);
    }
    Taxonomy::from_paths(&paths).ok()
}

/// Whether a cell, or something in it, has a look.
fn holds(cell: &str, looks: impl Fn(&str) -> bool) -> bool {
    looks(cell) || stretches(cell).any(looks)
}

/// Seventeen capital letters and digits, some of each, without I, O and Q.
fn is_vehicle(cell: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_digit() || (b.is_ascii_uppercase() && !b"IOQ".contains(&b));
    cell.len() == 17
        && cell.bytes().all(allowed)
        && cell.bytes().any(|b| b.is_ascii_digit())
        && cell.bytes().any(|b| b.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_vehicles_have_letters_and_digits() {
        assert!(is_vehicle("1HGCM82633A004352"));
        for cell in ["1HGCM82633A00435", "11111111111111111", "1HGCM82633A00435O"] {
            assert!(!is_vehicle(cell), "{cell}");
        }
    }

    #[test]
    fn patterns_are_found_within_cells() {
        let found = |cell: &str| -> String {
            let fits = |kind: &&Kind| kind.pattern.is_some_and(|looks| looks(cell));
            KINDS.iter().filter(fits).map(|kind| kind.letter).collect()
        };
        for (cell, letters) in [
            ("call 202-555-0143", "D"),
            ("mail bob@x.org", "F"),
            ("SSN:123-45-6789.", "G"),
            ("seen on 2024-03-17, again 2024-04-02", "C"),
            ("car 1HGCM82633A004352 (blue)", "L"),
            ("card 00:1B:44:11:3A:B7", "M"),
            ("see https://example.org/x or www.example.org", "N"),
            ("from 192.168.10.4,", "O"),
            ("write to <ann@x.org> or call +1 555 010 1234", "DF"),
            ("Surgery 3", ""),
            ("ward 12-3, bed 4", ""),
            ("120/80 mmHg at 10:30", ""),
            ("E11.9", ""),
            ("[20, 30)", ""),
        ] {
            assert_eq!(found(cell), letters, "{cell}");
        }
    }

    #[test]
    fn small_areas_are_published_as_zeros() {
        let path = |zip: &str| {
            let stars = |digits: usize| zip[..digits].to_string() + &"*".repeat(5 - digits);
            vec![zip.to_string(), stars(4), stars(3), stars(2), stars(1), "*****".to_string()]
        };
        let tree = Taxonomy::from_paths(&[path("03601"), path("03701"), path("69210")]).expect("a tree");
        let tree = zip_codes(&tree).expect("a tree");
        let above = |zip: &str| {
            let node = tree.find(zip).expect("a leaf");
            let up = std::iter::successors(tree.parent(node), |node| tree.parent(*node));
            up.map(|node| tree.label(node).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(above("03601"), ["0360*", "000**", "00***", "0****", "*****"]);
        assert_eq!(above("69210"), ["6921*", "000**", "00***", "0****", "*****"]);
        assert_eq!(above("03701"), ["0370*", "037**", "03***", "0****", "*****"]);
    }
}
