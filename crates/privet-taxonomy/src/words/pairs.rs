//! Distances that a file lists: `term<TAB>term<TAB>distance`, in any order; terms that are not listed together have nothing
//! to do with each other.

use std::fs;
use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use super::neighbours::{Neighbours, entry};
use privet_core::{Error, Exact, Result};
use privet_data::Term;
use privet_data::interner::Interner;

const FORMAT: &str = "write one line term<TAB>term<TAB>distance per pair";

/// Distances take two bytes each.
const MOST_UNITS: u64 = u16::MAX as u64;

/// A power of ten more than this does not fit the units anyway.
const MOST_DECIMALS: u32 = 9;

/// A file of distances, each a whole number of units.
#[derive(Debug, Clone)]
pub struct Pairs {
    path: PathBuf,
    terms: Interner,
    /// Every pair once, the smaller number first.
    pairs: Vec<(u32, u32, u16)>,
    scale: u32,
    diameter: u32,
}

impl Pairs {
    /// Reads a file. A pair that is listed twice must have the same distance both times.
    pub fn read(path: &Path) -> Result<Pairs> {
        let bytes = fs::read(path).map_err(|error| Error::io("read the distances", path, &error))?;
        Pairs::parse(&bytes)
            .map(|pairs| Pairs { path: path.to_path_buf(), ..pairs })
            .map_err(|error| error.in_file(path))
    }

    fn parse(bytes: &[u8]) -> Result<Pairs> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
            Error::input("the line is not valid UTF-8").at_line(line).help("save the file as UTF-8")
        })?;
        let mut terms = Interner::default();
        let mut listed: HashMap<(u32, u32), (Exact, u64)> = HashMap::new();
        let mut order: Vec<(u32, u32)> = Vec::new();
        let (mut decimals, mut largest) = (0, (Exact::ZERO, 0));
        for (line, text) in (1..).zip(text.strip_prefix('\u{feff}').unwrap_or(text).lines()) {
            if text.trim().is_empty() {
                continue;
            }
            let Line { one, other, distance } = Line::parse(text).map_err(|error| error.at_line(line))?;
            let at = |message: String| Error::input(message).at_line(line);
            let (first, second) = (terms.intern(one), terms.intern(other));
            if (first == second) != (distance == Exact::ZERO) {
                let message = if first == second {
                    format!("'{one}' is {distance} from itself")
                } else {
                    format!("'{one}' and '{other}' are different terms at distance 0")
                };
                return Err(at(message).help("a term is 0 from itself, and from nothing else"));
            }
            if first == second {
                continue;
            }
            let needed = decimals_of(distance).ok_or_else(|| {
                at(format!("the distance {distance} has too many decimals"))
                    .help("round it to a few decimals")
            })?;
            decimals = decimals.max(needed);
            largest = largest.max((distance, line));
            let pair = (first.min(second), first.max(second));
            match listed.insert(pair, (distance, line)) {
                None => order.push(pair),
                Some((known, earlier)) if known != distance => {
                    let message = format!(
                        "'{one}' and '{other}' are {distance} apart here, but {known} on line {earlier}"
                    );
                    return Err(at(message).help("keep one of the two lines"));
                }
                Some(_) => {}
            }
        }
        let scale = 10u32.pow(decimals);
        let units = |distance: Exact| distance.floor_of(scale.into());
        if units(largest.0) > MOST_UNITS {
            return Err(Error::input(format!(
                "the distance {} is too large where others have {decimals} decimals",
                largest.0
            ))
            .at_line(largest.1)
            .help(format!("counted in the last decimal, distances go up to {MOST_UNITS}: round them")));
        }
        let distance =
            |pair: &(u32, u32)| listed.get(pair).map_or(0, |(distance, _)| units(*distance) as u16);
        let pairs = order.iter().map(|pair| (pair.0, pair.1, distance(pair))).collect();
        Ok(Pairs { path: PathBuf::new(), terms, pairs, scale, diameter: units(largest.0) as u32 })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many pairs it lists.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether it lists none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// In how many units one is counted.
    pub fn scale(&self) -> u32 {
        self.scale
    }
}

struct Line<'a> {
    one: &'a str,
    other: &'a str,
    distance: Exact,
}

impl Line<'_> {
    fn parse(text: &str) -> Result<Line<'_>> {
        let cells: Vec<&str> = text.split('\t').map(str::trim).collect();
        let &[one, other, distance] = cells.as_slice() else {
            return Err(
                Error::input(format!("the line has {} cells between tabs, not 3", cells.len())).help(FORMAT)
            );
        };
        if one.is_empty() || other.is_empty() {
            return Err(Error::input("a term is empty").help(FORMAT));
        }
        let distance = Exact::parse(distance).ok_or_else(|| {
            let trouble = if distance.starts_with('-') { "is negative" } else { "is not a number" };
            Error::input(format!("the distance '{distance}' {trouble}"))
                .help("write a number from 0 on, such as 2 or 0.35")
        })?;
        Ok(Line { one, other, distance })
    }
}

/// How many decimals write the number in full.
fn decimals_of(number: Exact) -> Option<u32> {
    (0..=MOST_DECIMALS).find(|decimals| 10u64.pow(*decimals) % number.denominator() == 0)
}

/// The terms of the data among the pairs.
#[derive(Debug, Clone)]
pub(super) struct PairDistances {
    ends: Vec<usize>,
    /// Ascending for each term.
    near: Vec<(Term, u16)>,
    known: Vec<bool>,
    diameter: u32,
}

impl PairDistances {
    pub(super) fn new(pairs: &Pairs, terms: &[String]) -> PairDistances {
        let mut numbers: Vec<Option<Term>> = vec![None; pairs.terms.len()];
        let mut known = vec![false; terms.len()];
        for (term, text) in (0..).zip(terms) {
            if let Some(found) = pairs.terms.find(text) {
                numbers[found as usize] = Some(term);
                known[term as usize] = true;
            }
        }
        let mut rows: Vec<(Term, Term, u16)> = Vec::new();
        for (one, other, far) in &pairs.pairs {
            if let (Some(one), Some(other)) = (numbers[*one as usize], numbers[*other as usize]) {
                rows.extend([(one, other, *far), (other, one, *far)]);
            }
        }
        rows.sort_unstable();
        let mut ends = vec![0; terms.len()];
        for (place, (one, ..)) in rows.iter().enumerate() {
            ends[*one as usize] = place + 1;
        }
        for term in 1..ends.len() {
            ends[term] = ends[term].max(ends[term - 1]);
        }
        let near = rows.iter().map(|(_, other, far)| (*other, *far)).collect();
        PairDistances { ends, near, known, diameter: pairs.diameter }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn knows(&self, term: Term) -> bool {
        self.known[term as usize]
    }

    pub(super) fn diameter(&self) -> u32 {
        self.diameter
    }

    fn row(&self, term: Term) -> &[(Term, u16)] {
        let term = term as usize;
        let begin = if term == 0 { 0 } else { self.ends[term - 1] };
        &self.near[begin..self.ends[term]]
    }

    pub(super) fn of(&self, one: Term, other: Term) -> Option<u32> {
        let row = self.row(one);
        let place = row.binary_search_by_key(&other, |(term, _)| *term).ok()?;
        Some(row[place].1.into())
    }

    pub(super) fn neighbours(&self, epsilon: u32) -> Result<Neighbours> {
        let reach = epsilon.min(self.diameter);
        let gather = |(): &mut (), term: Term, row: &mut Vec<u64>| {
            row.push(entry(0, term));
            let near = self.row(term).iter().filter(|(_, far)| u32::from(*far) <= reach);
            row.extend(near.map(|(other, far)| entry((*far).into(), *other)));
        };
        Neighbours::gather((epsilon, reach), self.len(), || (), gather)
    }
}
