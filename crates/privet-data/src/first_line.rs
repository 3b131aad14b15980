//! Is the first line of a table one of names, or somebody's record?
//!
//! A record that is taken for names is published: names are shown in every release. So a first line that fits its own columns
//! better than names would is refused, and the user says what it is. Each column may speak for either side:
//!
//! - for a record: its first cell recurs further down, about as often as other values do; or it has digits and the form of the
//!   other cells (a number, a date, a postcode, a code), or it is a number, a date, an address or a path over such cells;
//! - for names: its first cell is a word, while the cells below it are numbers, dates or codes, or few values that all recur.
//!
//! Names have digits too: `q1` over `a2` says nothing. A code has three digits or several groups of them, or it has the letters
//! and the length of the codes below it, or its letters differ from cell to cell (`Xanax 50 mg`, `Main St. 40`, `anna88`).
//!
//! Columns of words speak together: a header is written in one style, while a record changes its style with the column, as
//! `Ann Lee` and `ann_lee` do.
//!
//! The line is taken for a record where at least a third of the columns speak for that, and at least as many as speak against
//! it: of a record nearly every cell is one of its column's values, or of its type. Lines that repeat the whole
//! first line are left aside: files that were joined have their header several times.

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use super::cells::Batch;
use super::header::looks_like_a_value;
use super::reading::unknown::is_unknown;
use super::summary::parse_number;

/// A value that is this many times rarer than the others of its column on average is a stray one: a name that slipped in.
const STRAY: usize = 10;

/// A column has few new values where at most one in this many of its cells is the only one with its value: by the estimate of
/// Good and Turing, one more record would bring a new value as seldom.
const SELDOM_NEW: usize = 20;

/// A first line that the first rows do not show to be a record. All rows together may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Suspicion {
    /// Where it is.
    pub(super) line: u64,
    /// How many columns say that it is one of names.
    pub(super) names: usize,
}

/// Looks for the first line's cells in all rows of a table.
pub(super) struct Recurrence<'a> {
    suspicion: Suspicion,
    first: Vec<&'a str>,
    seen: Vec<bool>,
}

impl<'a> Recurrence<'a> {
    pub(super) fn new(suspicion: Suspicion, first: impl Iterator<Item = &'a str>) -> Recurrence<'a> {
        let first: Vec<&str> = first.map(str::trim).collect();
        Recurrence { suspicion, seen: vec![false; first.len()], first }
    }

    /// Takes in some rows. Those that repeat the whole first line are headers of files that were joined.
    pub(super) fn look(&mut self, rows: &Batch) {
        for row in 0..rows.rows() {
            let is_same = |at: &usize| rows.cell(row, *at).trim() == self.first[*at];
            let Some(place) = (0..self.first.len()).find(is_same) else { continue };
            if (0..self.first.len()).all(|at| is_same(&at)) {
                continue;
            }
            for at in place..self.first.len() {
                self.seen[at] |= rows.cell(row, at).trim() == self.first[at];
            }
        }
    }

    /// The first line, where it is a record: two of its cells, and a third of all, are values of their columns.
    pub(super) fn record(&self) -> Option<u64> {
        let found = self.seen.iter().filter(|seen| **seen).count();
        let is_record = found > 1 && 3 * found >= self.first.len() && found >= self.suspicion.names;
        is_record.then_some(self.suspicion.line)
    }
}

/// What the columns say about the first line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Evidence {
    /// Columns whose first cell is one of their values, or of their type.
    pub(super) record: usize,
    /// Columns whose first cell is a word over numbers, dates or codes.
    pub(super) names: usize,
    /// Columns whose first cell is a word that none of their few values is.
    new: usize,
}

impl Evidence {
    /// Whether the line is a record as far as anybody can tell.
    pub(super) fn is_record(self) -> bool {
        // A rare value is new as well, so new words count only next to a name for sure.
        let new = if self.names > 0 { self.new } else { 0 };
        self.record > 0 && self.record >= self.names + new
    }

    /// Weighs a first line against the rows below it.
    pub(super) fn of(first: &[&str], rows: &Batch) -> Evidence {
        let repeated = |row: usize| first.iter().enumerate().all(|(at, cell)| rows.cell(row, at) == *cell);
        let others: Vec<usize> = match first {
            [_] => (0..rows.rows()).collect(),
            _ => (0..rows.rows()).filter(|row| !repeated(*row)).collect(),
        };
        let mut evidence = Evidence::default();
        if rows.rows() == 0 {
            // There is nothing but this line.
            evidence.record = first.iter().filter(|cell| looks_like_a_value(cell)).count();
            return evidence;
        }
        let (mut strays, mut gaps) = (0, 0);
        let mut styles = Vec::new();
        for (at, cell) in first.iter().enumerate() {
            let column = Column::of(others.iter().map(|row| rows.cell(*row, at)));
            match column.judge(cell.trim()) {
                Voice::Record => evidence.record += 1,
                Voice::Stray => strays += 1,
                Voice::Names => evidence.names += 1,
                Voice::Gap
                    if at == 0
                        && cell.trim().is_empty()
                        && is_index(others.iter().map(|row| rows.cell(*row, 0))) => {}
                Voice::Gap => gaps += 1,
                Voice::New => evidence.new += 1,
                Voice::Silent => styles.extend(column.style_of(cell.trim())),
            }
        }
        if styles.iter().any(|style| *style != styles[0]) {
            evidence.record += styles.len();
        }
        if evidence.record == 0 && strays > 1 {
            evidence.record = strays;
        }
        // No name, over numbers: nobody says so little where other columns have names for sure.
        if evidence.names == 0 {
            evidence.record += gaps;
        }
        // One name that is also a value does not make a record.
        if 3 * evidence.record < first.len() {
            evidence.record = 0;
        }
        if evidence == Evidence::default() && is_common(first, rows, rows.rows() - others.len()) {
            evidence.record = first.len();
        }
        evidence
    }
}

/// Whether whole lines recur, and the first one as often as the others: columns that depend on each other differ in no other way.
fn is_common(first: &[&str], rows: &Batch, repeats: usize) -> bool {
    let distinct: HashSet<Vec<&str>, RandomState> =
        (0..rows.rows()).map(|row| rows.cells(row).take(first.len()).collect()).collect();
    distinct.len() * 2 <= rows.rows() && repeats * distinct.len() * STRAY >= rows.rows()
}

/// What one column says.
enum Voice {
    Record,
    /// A value that recurs, but hardly ever.
    Stray,
    /// Nothing, or a mark that something is not known, over numbers.
    Gap,
    Names,
    /// A word, over values that all recur, of which it is none.
    New,
    Silent,
}

/// The cells of a column below the first line, missing ones left aside.
#[derive(Default)]
struct Column<'a> {
    values: HashMap<&'a str, usize, RandomState>,
    /// How often each form occurs among cells that have digits, or are addresses.
    forms: HashMap<String, usize, RandomState>,
    /// Cells with digits, and those without letters among them.
    typed: usize,
    numeric: usize,
    cells: usize,
}

impl<'a> Column<'a> {
    fn of(cells: impl Iterator<Item = &'a str>) -> Column<'a> {
        let mut column = Column::default();
        for cell in cells.map(str::trim) {
            *column.values.entry(cell).or_default() += 1;
        }
        for (value, count) in &column.values {
            if is_unknown(value) {
                continue;
            }
            column.cells += count;
            if has_type(value) {
                column.typed += count;
                column.numeric += if value.contains(char::is_alphabetic) { 0 } else { *count };
                *column.forms.entry(form(value)).or_default() += count;
            }
        }
        column
    }

    /// How many cells have the form of the first one, where that is the form of values and not of names.
    fn of_form(&self, first: &str) -> usize {
        if !has_type(first) {
            return 0;
        }
        let as_long = self.as_long_as(first);
        if as_long > 0 {
            return as_long;
        }
        let is_name = first.contains(char::is_alphabetic) && !is_code(first);
        if is_name && !self.varies_like(first) {
            let letters = |cell: &str| cell.replace(char::is_numeric, "9");
            let like = letters(first);
            return self
                .values
                .iter()
                .filter(|(value, _)| letters(value) == like)
                .map(|(_, count)| count)
                .sum();
        }
        self.forms.get(&form(first)).copied().unwrap_or(0)
    }

    /// How many cells are written on the same pattern, where that is one of numbers that are given out: digits and letters in any
    /// mixture (hexadecimal digits, vouchers), or one letter before a count (`J84`, as diagnoses are coded). Nothing where the
    /// first cell could be a name, or where a tenth of the cells is written otherwise.
    fn as_long_as(&self, first: &str) -> usize {
        let is_mixed =
            form(first).chars().filter(|sign| *sign == '9').count() > 1 && !first.contains(['_', ' ']);
        let patterns: [fn(char) -> char; 2] = [
            |sign| if sign.is_ascii_alphanumeric() { 'x' } else { sign },
            |sign| match sign {
                sign if sign.is_ascii_digit() => '9',
                sign if sign.is_ascii_uppercase() => 'A',
                sign => sign,
            },
        ];
        let pattern = |cell: &str| -> String { cell.chars().map(patterns[usize::from(!is_mixed)]).collect() };
        let like = pattern(first);
        if !(is_mixed && first.len() >= 6 || like == "A99") {
            return 0;
        }
        let alike = self.values.iter().filter(|(value, _)| has_type(value) && pattern(value) == like);
        let alike: usize = alike.map(|(_, count)| count).sum();
        let least = if is_mixed { 2 } else { SELDOM_NEW / 4 };
        if 10 * alike >= 9 * self.cells && alike >= least { alike } else { 0 }
    }

    /// Whether the cells of the first one's form have letters of their own in about every second value. Names count: `visit 1`
    /// is one, unless the cells below it end as early in the count.
    fn varies_like(&self, first: &str) -> bool {
        let letters = |cell: &str| cell.chars().filter(|sign| sign.is_alphabetic()).collect::<String>();
        if letters(first).chars().count() < 3 {
            return false;
        }
        let like = form(first);
        let alike: Vec<&str> = self.values.keys().copied().filter(|value| form(value) == like).collect();
        let stems: HashSet<String, RandomState> = alike.iter().map(|value| letters(value)).collect();
        let early = alike.iter().filter(|value| is_counted(value)).count();
        2 * stems.len() >= alike.len() && !(is_counted(first) && 10 * early < alike.len())
    }

    /// The form of a first cell of several words, where most cells below it have the same.
    fn style_of(&self, first: &str) -> Option<String> {
        let style = form(first);
        let several = first.contains(|sign: char| !sign.is_alphanumeric());
        let alike = self.values.iter().filter(|(value, _)| form(value) == style);
        let alike: usize = alike.map(|(_, count)| count).sum();
        (several && !is_unknown(first) && 10 * alike >= 8 * self.cells).then_some(style)
    }

    fn judge(&self, first: &str) -> Voice {
        if self.cells == 0 {
            return Voice::Silent;
        }
        let is_gap = is_unknown(first) && first != "#";
        if is_gap && 10 * self.typed >= 9 * self.cells {
            return Voice::Gap;
        }
        if first.is_empty() {
            return Voice::Silent;
        }
        let of_form = self.of_form(first);
        let nearly = |count: usize| 10 * count >= 9 * self.cells;
        if (of_form * 100 >= self.cells && 2 * self.typed >= self.cells)
            || ((looks_like_a_value(first) || is_path(first)) && nearly(self.typed))
        {
            return Voice::Record;
        }
        let all: usize = self.values.values().sum();
        match self.values.get(first) {
            Some(count) if count * self.values.len() * STRAY >= all => return Voice::Record,
            Some(_) => return Voice::Stray,
            None => {}
        }
        let is_word =
            first.starts_with(|sign: char| sign.is_alphabetic() || sign == '_') && !is_unknown(first);
        let over_types =
            if has_type(first) { of_form == 0 && nearly(self.numeric) } else { nearly(self.typed) };
        let lone = self.values.values().filter(|count| **count == 1).count();
        match is_word {
            true if over_types => Voice::Names,
            true if self.cells >= SELDOM_NEW && lone * SELDOM_NEW <= self.cells => Voice::New,
            _ => Voice::Silent,
        }
    }
}

/// Whether cells are whole numbers that rise, as those of the index that pandas writes without a name.
fn is_index<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let numbers: Option<Vec<u64>> = cells.map(|cell| cell.trim().parse().ok()).collect();
    numbers.is_some_and(|numbers| numbers.is_sorted_by(|one, other| one < other))
}

/// Whether a cell has digits, is an address or is written with signs: names seldom are, and never in the form of the values
/// below them.
fn has_type(cell: &str) -> bool {
    cell.contains(|sign: char| sign.is_numeric() || sign == '@') || is_path(cell) || has_signs(cell)
}

/// Whether a cell says where something is on a machine or in the net.
fn is_path(cell: &str) -> bool {
    cell.contains("://")
        || cell.contains('\\')
        || ["/", "~/", "./", "www."].iter().any(|start| cell.starts_with(start))
}

/// Whether a cell has signs that tell the parts of a value: `Lee, Ann`, `Dr. Lee`, `a;b`, `x=1`, `a/b/c`.
fn has_signs(cell: &str) -> bool {
    [", ", ". ", ";", "=", "|"].iter().any(|sign| cell.contains(sign)) || cell.matches('/').count() > 1
}

/// Whether a cell ends like the first names of a series: in one digit up to 3.
fn is_counted(cell: &str) -> bool {
    let digits: Vec<char> = cell.chars().filter(|sign| sign.is_numeric()).collect();
    matches!(digits.as_slice(), ['1' | '2' | '3']) && cell.ends_with(char::is_numeric)
}

/// Whether a cell with letters and digits is hardly a name: it has many digits, several groups of them, or is an address.
fn is_code(cell: &str) -> bool {
    let digits = cell.chars().filter(|sign| sign.is_numeric()).count();
    let groups = form(cell).chars().filter(|sign| *sign == '9').count();
    cell.contains('@')
        || is_path(cell)
        || has_signs(cell)
        || digits >= 3
        || (groups > 1 && !cell.contains('_'))
}

/// A cell with each run of digits as one 9, of capitals as one A, and of other letters as one a. Numbers are alike whatever
/// their sign and fraction.
fn form(cell: &str) -> String {
    if parse_number(cell).is_some() {
        return "9".to_string();
    }
    let mut form = String::new();
    for sign in cell.chars() {
        let class = match sign {
            sign if sign.is_numeric() => '9',
            sign if sign.is_uppercase() => 'A',
            sign if sign.is_alphabetic() => 'a',
            sign => sign,
        };
        if !form.ends_with(class) {
            form.push(class);
        }
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::BatchBuilder;

    fn judged(text: &str) -> Evidence {
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let mut builder = BatchBuilder { columns: lines[0].len(), ..BatchBuilder::default() };
        for (number, line) in lines.iter().enumerate().skip(1) {
            for cell in line {
                builder.text.extend_from_slice(cell.as_bytes());
                builder.end_cell();
            }
            builder.lines.push(number as u64 + 1);
        }
        Evidence::of(&lines[0], &builder.finish().expect("text"))
    }

    #[test]
    fn hard_use_1_1_a_first_line_is_judged_by_all_rows() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        let rows: String = (0..20_000).map(|at| format!("n{},c{},flu\n", at % 300, at % 70)).collect();
        let read = |first: &str, last: &str| {
            std::fs::write(&path, format!("{first}\n{rows}{last}")).expect("written");
            let source = crate::Source::open(&path, &crate::ReadOptions::default()).expect("opened");
            source.read(&mut |_, _| Ok(()))
        };
        let shown =
            read("Zoe,Zwolle,Ebola", "Zoe,c1,flu\nn1,Zwolle,flu\n").expect_err("a record").to_string();
        assert!(shown.contains("looks like a record") && !shown.contains("Ebola"), "{shown}");
        // One name that is also a value, or a header in the middle, does not make a record.
        assert!(read("name,city,ill", "name,c1,flu\n").is_ok());
        assert!(read("name,city,ill", "name,city,ill\nn1,c1,flu\n").is_ok());
    }

    #[test]
    fn hard_use_1_1_records_are_told_from_names() {
        let cities = "Oslo,F\nRome,M\nOslo,F\nOslo,M\nRome,F\n";
        let records = [
            "34,F,flu\n35,M,cold\n36,F,flu",
            "34,F\n35,M",
            "2019\n2020\n2021",
            "2024-01-05,x\n2023-11-30,y",
            "SW1A 1AA,x\nM1 1AE,y\nB33 8TH,z\nCR2 6XH,w\nEC1A 1BB,u",
            "P0001,x\nP0002,y",
            "E11.9,x\nK21.0,y",
            "anna@example.org,x\nbo@example.org,y",
            "flu\ncold\nflu\nflu\ncold",
            cities,
            "F,female\nM,male\nF,female\nM,male\nF,female\nM,male",
            // Nothing but one record.
            "34,F,flu",
            // A number that is not known in the first record.
            "NA,F,flu\n35,M,cold\n36,F,flu",
            "Ann Lee,unknown\nBob Ray,34\nCid Poe,35\nDee Fox,36",
            "not told,F,flu\n35,M,cold\n36,F,flu",
            "?,Zoe,Zwolle\n35,Bo,Oslo\n36,Anna,Rome",
            ",Zoe,Zwolle\n36,Bo,Oslo\n35,Anna,Rome",
            "Zoe,,Zwolle\nBo,35,Oslo\nAnna,36,Rome",
            // Text with digits, paths, signs, and words in the style of their columns.
            "Ann Lee,Xanax 50 mg\nBob Ray,Prozac 20 mg\nCid Poe,Zoloft 50 mg\nDee Fox,Ambien 10 mg",
            "Ann Lee,Nibastr. 40\nBob Ray,Mofugasse 3\nCid Poe,Lutastr. 12\nDee Fox,Rebostr. 7",
            "Ann Lee,Mitubale-78\nBob Ray,Sonero-12\nCid Poe,Tibala-9",
            "Ann Lee,letu88\nBob Ray,mina12\nCid Poe,toba7",
            "Ann Lee,https://a.org/x\nBob Ray,https://b.net\nCid Poe,http://c.org/y/z",
            "Ann Lee,/home/ann\nBob Ray,/home/bob/x\nCid Poe,/srv/cid",
            "Ann Lee,nile_sosole\nBob Ray,tiba_rono\nCid Poe,mo_lita",
            "Ann Lee,Dr. Fox\nBob Ray,Dr. Orr\nCid Poe,Dr. Kay",
            // Two cells alike.
            "3,F,3\n4,M,5\n6,F,7",
            // Hexadecimal numbers and diagnoses, each of its own.
            "d0c3b5c2,dobaro\n53c226ba,rubima\n7e1f09aa,tibono\n0012fe3c,lusami",
            "45e587fe-5a15-1008\n83a79f9d-fae0-c6dc\nb0d1aa02-33e1-00f7",
            "J84\nK33\nA01\nB12\nC77\nD19\nE08\nF45\nG60\nH52\nI10",
        ];
        for text in records {
            assert!(judged(text).is_record(), "{text}: {:?}", judged(text));
        }
        let joined = format!("sex,age\n{}sex,age\n{}", "F,30\nM,31\n".repeat(30), "F,32\nM,33\n".repeat(30));
        let stray = format!("sex,city\n{}sex,Rome\n", "F,Oslo\nM,Rome\n".repeat(100));
        let lone = format!("sex\n{}sex\n", "F\nM\n".repeat(100));
        let years =
            format!("country,sex,age,2019,2020\n{}", "Norway,F,30,11,12\nItaly,M,31,13,14\n".repeat(20));
        let names = [
            "age,sex,ill\n34,F,flu\n35,M,cold",
            "age,sex\n34,F",
            "age,sex",
            "name,city\nAnna,Oslo\nBo,Rome",
            "q1,q2,q3\n1,2,3\n3,2,1",
            "Q01,Q02\nA12,B15\nA17,C11\nB12,A15",
            "icd10,sex\nJ84,F\nK33,M\nA01,F",
            "hash01a,sex\nd0c3b5c2,F\n53c226ba,M\n7e1f09aa,F",
            "q0,q1,s\na0,b1,c2\na1,b0,c0",
            "c0,c1\nx0,y1\nx1,y0",
            "a,b,c,d\na,x,y,z\nu,v,w,t",
            "id,born,visit2\n1,2000-01-01,2020-01-01\n2,2001-01-01,2020-02-02",
            "2019,2020\nyes,no\nno,no",
            ",a,b\n0,1,2\n1,2,3",
            // The index of pandas over words.
            ",name,city\n0,Zoe,Zwolle\n1,Bo,Oslo",
            "yes,no,unknown\n1,2,3\n4,5,6",
            "id,,city\n1,35,Oslo\n2,36,Rome",
            "A,B\nx,y\nz,w",
            "postcode,x\nSW1A 1AA,1\nM1 1AE,2",
            // Years as names, among names for sure.
            years.as_str(),
            "name,Address 1\nAnn Lee,Nibastr 40\nBob Ray,Mofugasse 30\nCid Poe,Lutastr 12",
            "name,url\nAnn Lee,https://a.org/x\nBob Ray,https://b.net",
            "first_name,user_name\nann,nile_sosole\nbob,tiba_rono",
            "First Name,Last Name\nAnn May,Van Lee\nBob Jay,Von Ray",
            joined.as_str(),
            stray.as_str(),
            lone.as_str(),
        ];
        for text in names {
            assert!(!judged(text).is_record(), "{text}: {:?}", judged(text));
        }
    }
}
