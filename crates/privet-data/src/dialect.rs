//! How a text file is laid out, judged by its first records: the delimiter, the quotes, and lines before the table.

use super::cells::BatchBuilder;
use super::delimited::{Layout, RecordReader};
use super::header::looks_like_a_value;
use super::source::{Quote, ReadOptions};

/// The delimiters that are tried, the most usual first.
pub(super) const DELIMITERS: [char; 5] = [',', ';', '\t', '|', ':'];

/// Records looked at.
const RECORDS: usize = 200;

/// Lines before a table at most: a longer text is not a title.
const MOST_LINES: usize = 20;

/// Cells of a line that are looked at.
const CELLS: usize = 64;

/// Columns of a table that is found below other lines at least: fewer can be a sentence with commas.
const LEAST_COLUMNS: usize = 3;

/// What the start of a text file shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) delimiter: char,
    pub(super) layout: Layout,
}

impl Dialect {
    /// What the user says, and what the sample shows about the rest. `complete` says that the sample is the whole file; otherwise
    /// its last record may be cut off and is left aside.
    pub(super) fn detect(
        sample: &[u8],
        complete: bool,
        delimiter: Option<char>,
        options: &ReadOptions,
    ) -> Dialect {
        let ascii = |sign: char| u8::try_from(sign).ok();
        let comment = options.comment.and_then(ascii);
        let mut layout = Layout { comment, skip: options.skip.unwrap_or(0), ..Layout::default() };
        layout.quote = match options.quote {
            Quote::Sign(sign) => ascii(sign),
            Quote::Nothing => None,
            Quote::Detected if is_in_single_quotes(first_line(sample)) => Some(b'\''),
            Quote::Detected => layout.quote,
        };
        let hint = separator_line(sample).filter(|_| options.skip.is_none());
        let delimiter = delimiter.or(hint);
        layout.skip += u64::from(hint.is_some());
        let only = delimiter.map(|given| [given]);
        let candidates: &[char] = only.as_ref().map_or(&DELIMITERS, |only| only);
        if options.skip.is_none() {
            let cut = |delimiter: char| Records::of(sample, complete, delimiter, layout);
            // The names of columns are not a title because the cells below them hold lists of one length.
            let is_table = |delimiter: &char| cut(*delimiter).fit().is_some_and(Fit::is_close);
            let before = |delimiter: &char| {
                let is_other_table = |other: &char| other != delimiter && is_table(other);
                lines_before(&cut(*delimiter)).filter(|_| !candidates.iter().any(is_other_table))
            };
            layout.skip = candidates.iter().find_map(before).unwrap_or(layout.skip);
        }
        let fits = |delimiter: char| Records::of(sample, complete, delimiter, layout).fit();
        let delimiter = delimiter.unwrap_or_else(|| best_delimiter(&fits));
        Dialect { delimiter, layout }
    }
}

/// The delimiter that cuts the most of the first records into as many cells as the header has. Each candidate is tried with the
/// real grammar, so a delimiter inside quotes never counts.
fn best_delimiter(fits: &dyn Fn(char) -> Option<Fit>) -> char {
    let mut best: Option<(Fit, char)> = None;
    for delimiter in DELIMITERS {
        if let Some(fit) = fits(delimiter)
            && best.is_none_or(|(known, _)| fit.is_better_than(known))
        {
            best = Some((fit, delimiter));
        }
    }
    best.map_or(',', |(_, delimiter)| delimiter)
}

/// The first line that is neither blank nor a remark, without line end and byte order mark.
fn first_line(sample: &[u8]) -> &[u8] {
    let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    let mut lines = sample.split(|byte| matches!(byte, b'\r' | b'\n'));
    lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default()
}

/// The delimiter that a first line `sep=;` names, which spreadsheets read and write and do not show.
fn separator_line(sample: &[u8]) -> Option<char> {
    let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    let line = sample.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    let (word, sign) = line.split_at_checked(4)?;
    let [sign] = sign else { return None };
    let may_divide = sign.is_ascii_punctuation() || *sign == b'\t';
    (word.eq_ignore_ascii_case(b"sep=") && may_divide && sample.len() > line.len()).then(|| char::from(*sign))
}

/// Whether a line is several cells, all in single quotes.
fn is_in_single_quotes(line: &[u8]) -> bool {
    let [b'\'', inside @ .., b'\''] = line else { return false };
    DELIMITERS.iter().any(|delimiter| {
        let between = format!("'{delimiter}'");
        let cells = inside.windows(between.len()).filter(|window| *window == between.as_bytes()).count();
        let bare = inside.iter().filter(|byte| **byte == b'\'').count();
        cells > 0 && bare == 2 * cells
    })
}

/// The first records of a sample, cut in one way.
struct Records {
    /// The line of each, how many cells it has, and those that are not empty.
    records: Vec<(u64, usize, Vec<String>)>,
}

impl Records {
    fn of(sample: &[u8], complete: bool, delimiter: char, layout: Layout) -> Records {
        let mut reader = RecordReader::new(sample, delimiter).laid_out(layout);
        let mut records = Vec::new();
        // An unclosed quote ends the sample as any cut does; the reader of the whole file will complain.
        loop {
            let mut scratch = BatchBuilder::default();
            // The first lines alone are looked at more closely.
            let wanted = if records.len() <= MOST_LINES { CELLS } else { 0 };
            let Ok(Some(record)) = reader.read(&mut scratch, wanted) else { break };
            let mut start = 0;
            let cells = scratch.ends.iter().map(|end| {
                let cell = String::from_utf8_lossy(&scratch.text[start..*end as usize]).trim().to_string();
                start = *end as usize;
                cell
            });
            records.push((record.line, record.cells, cells.collect()));
            if records.len() > RECORDS {
                break;
            }
        }
        if !complete && records.len() > 1 {
            records.pop();
        }
        Records { records }
    }

    /// How well the delimiter fits; `None` if it does not occur in the header.
    fn fit(&self) -> Option<Fit> {
        let columns = self.records.first()?.1;
        let agreeing = self.records.iter().filter(|(_, count, _)| *count == columns).count();
        (columns > 1).then_some(Fit { agreeing, records: self.records.len(), columns })
    }
}

/// How many lines there are before a table: remarks that begin with `#`, and titles, which have one cell that is not empty. Below
/// them are names of at least three columns, and rows of as many cells.
fn lines_before(found: &Records) -> Option<u64> {
    let records = &found.records;
    let is_remark =
        |(_, _, cells): &(u64, usize, Vec<String>)| cells.first().is_some_and(|cell| cell.starts_with('#'));
    let remarks = records.iter().take_while(|record| is_remark(record)).count();
    let after = records.get(remarks)?.1;
    let mut start = match remarks {
        0 => 0,
        // The last one may hold the names of the columns.
        _ if after > 1 && records[remarks - 1].1 == after => remarks - 1,
        _ if after > 1 => remarks,
        _ => return None,
    };
    let is_title = |(_, count, cells): &(u64, usize, Vec<String>)| {
        let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
        filled <= 1
            && (*count == 1 || (*count > LEAST_COLUMNS && cells.first().is_some_and(|cell| !cell.is_empty())))
    };
    let titles = records[start..].iter().take_while(|record| is_title(record)).count();
    if let Some((_, columns, names)) = records.get(start + titles).filter(|_| titles > 0) {
        let rows = &records[start + titles + 1..];
        let agreeing = rows.iter().filter(|(_, count, _)| count == columns).count();
        let named = names.iter().all(|name| !name.is_empty() && !looks_like_a_value(name));
        let fit = Fit { agreeing, records: rows.len(), columns: *columns };
        if *columns >= LEAST_COLUMNS && named && rows.len() >= 2 && fit.is_close() {
            start += titles;
        }
    }
    let first = records.get(start)?.0;
    (start > 0 && start <= MOST_LINES).then_some(first - 1)
}

/// How well a delimiter explains the sample.
#[derive(Debug, Clone, Copy)]
struct Fit {
    agreeing: usize,
    records: usize,
    columns: usize,
}

impl Fit {
    /// Whether nearly all records have as many cells as they should.
    fn is_close(self) -> bool {
        20 * self.agreeing >= 19 * self.records
    }

    fn is_better_than(self, other: Fit) -> bool {
        let (ours, theirs) = (self.agreeing * other.records, other.agreeing * self.records);
        ours > theirs || (ours == theirs && self.columns > other.columns)
    }
}

/// A delimiter as messages name it.
pub(super) fn describe(delimiter: char) -> String {
    match delimiter {
        '\t' => "a tab".to_string(),
        _ => format!("'{delimiter}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(sample: &str) -> Dialect {
        Dialect::detect(sample.as_bytes(), true, None, &ReadOptions::default())
    }

    #[test]
    fn lines_before_a_table_are_found() {
        for (sample, skip, delimiter) in [
            ("Report of May\n\na,b,c\n1,2,3\n4,5,6\n", 2, ','),
            ("Report;;;\n;;;\na;b;c;d\n1;2;3;4\n5;6;7;8\n", 0, ';'),
            ("Report;;;\na;b;c;d\n1;2;3;4\n5;6;7;8\n", 1, ';'),
            ("# source: a, b, c, d\n# 2024\na,b\n1,2\n", 2, ','),
            ("# remark\n#a\tb\n1\t2\n", 1, '\t'),
            ("#a,b\n1,2\n", 0, ','),
            ("#\n#tag\nred\n", 0, ','),
            (",age\n0,34\n1,61\n", 0, ','),
            (",age,sex,zip\n0,34,m,1\n1,61,f,2\n", 0, ','),
            ("name\nLee, Ann\nRoe, Bob\nDoe, Jo\n", 0, ','),
            ("a\n1\n2\n", 0, ','),
            ("age,zip,terms\n39,1,a|b|c\n40,2,d|e|f\n41,3,a|c|e\n", 0, ','),
            ("age,terms\n39,a;b;c\n40,d;e;f\n41,a;c;e\n", 0, ','),
            // A header that lacks a name is not a title.
            ("a,b\n1,2,3\n4,5,6\n7,8,9\n", 0, ','),
            ("title\n1,2,3\n4,5,6\n7,8,9\n", 0, ','),
            ("", 0, ','),
        ] {
            let found = detect(sample);
            assert_eq!((found.layout.skip, found.delimiter), (skip, delimiter), "{sample:?}");
        }
        let kept = ReadOptions { skip: Some(0), ..ReadOptions::default() };
        let found = Dialect::detect(b"Report\na,b,c\n1,2,3\n4,5,6\n", true, None, &kept);
        assert_eq!(found.layout.skip, 0);
    }

    #[test]
    fn a_line_for_spreadsheets_names_the_delimiter() {
        for (sample, skip, delimiter) in [
            ("sep=;\r\na;b\r\n1,5;2\r\n", 1, ';'),
            ("\u{feff}SEP=^\na^b\n1^2\n", 1, '^'),
            ("\"sep=\t\"\na\tb\n", 1, '\t'),
            ("sep=,\nReport,,,\na,b,c,d\n1,2,3,4\n5,6,7,8\n", 2, ','),
            ("sep=ab\n1\n", 0, ','),
            ("sep=;x\n1;2\n", 0, ';'),
        ] {
            let found = detect(sample);
            assert_eq!((found.layout.skip, found.delimiter), (skip, delimiter), "{sample:?}");
        }
        let kept = ReadOptions { skip: Some(0), ..ReadOptions::default() };
        assert_eq!(Dialect::detect(b"sep=;\na;b\n1;2\n", true, None, &kept).layout.skip, 0);
    }

    #[test]
    fn single_quotes_are_seen_in_the_first_line() {
        for (sample, quote) in [
            ("'a','b'\n'1,5','2'\n", b'\''),
            ("'a';'b';'c'\n", b'\''),
            ("# remark\n'a';'b';'c'\n", b'\''),
            ("'a'\n'b'\n", b'"'),
            ("a,'b'\n", b'"'),
            ("'a','b's'\n", b'"'),
            ("\"a\",\"b\"\n", b'"'),
        ] {
            assert_eq!(detect(sample).layout.quote, Some(quote), "{sample:?}");
        }
        assert_eq!(detect("'a;x';'b;y'\n'1;5';'2'\n").delimiter, ';');
        let none = ReadOptions { quote: Quote::Nothing, ..ReadOptions::default() };
        assert_eq!(Dialect::detect(b"'a','b'\n", true, None, &none).layout.quote, None);
    }

    #[test]
    fn the_delimiter_is_the_one_that_cuts_evenly() {
        for (sample, delimiter) in [
            ("age,sex\n1,m\n2,f\n", ','),
            ("age;sex\n1,5;m\n2,5;f\n", ';'),
            ("age\tname\n1\tDoe, J\n2\tRoe, R\n", '\t'),
            ("a|b\n1|2\n", '|'),
            ("a:b:c\n1:2:3\n", ':'),
            ("time,place\n10:30,a\n11:30,b\n", ','),
            ("\"a,b\";\"c,d\"\n1;2\n", ';'),
            ("id;items\n1;a,b,c\n2;a\n", ';'),
            ("id,items\n1,a|b|c\n2,b\n", ','),
            ("a, b;c, d;e\n1;2;3\n", ';'),
            ("note\n\"a;b\"\nc;d\n", ','),
            ("\u{feff}a;b\r\n1;2\r\n", ';'),
            ("a;b\r1;2\r", ';'),
            ("a;b", ';'),
            ("", ','),
        ] {
            assert_eq!(detect(sample).delimiter, delimiter, "{sample:?}");
        }
    }

    #[test]
    fn a_record_cut_off_at_the_end_of_the_sample_does_not_count() {
        let cut = Dialect::detect(b"a;b;c,d\n1;2;3\n1;", false, None, &ReadOptions::default());
        assert_eq!(cut.delimiter, ';');
    }
}
