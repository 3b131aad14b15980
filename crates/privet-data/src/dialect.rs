//! Which delimiter a text file uses, judged by its first records.

use super::cells::BatchBuilder;
use super::delimited::RecordReader;

/// The delimiters that are tried, the most usual first.
pub(super) const DELIMITERS: [char; 5] = [',', ';', '\t', '|', ':'];

/// Records looked at.
const RECORDS: usize = 200;

/// The delimiter that cuts the most of the first records into as many cells as the header has.
///
/// Each candidate is tried with the real grammar, so a delimiter inside quotes never counts. `complete` says
/// that the sample is the whole file; otherwise its last record may be cut off and is left aside.
pub(super) fn detect_delimiter(sample: &[u8], complete: bool) -> char {
    let mut best: Option<(Fit, char)> = None;
    for delimiter in DELIMITERS {
        if let Some(fit) = fit(sample, complete, delimiter)
            && best.is_none_or(|(known, _)| fit.is_better_than(known))
        {
            best = Some((fit, delimiter));
        }
    }
    best.map_or(',', |(_, delimiter)| delimiter)
}

/// How well a delimiter explains the sample.
#[derive(Debug, Clone, Copy)]
struct Fit {
    agreeing: usize,
    records: usize,
    columns: usize,
}

impl Fit {
    fn is_better_than(self, other: Fit) -> bool {
        let (ours, theirs) = (self.agreeing * other.records, other.agreeing * self.records);
        ours > theirs || (ours == theirs && self.columns > other.columns)
    }
}

/// How well this delimiter fits; `None` if it does not occur in the header.
fn fit(sample: &[u8], complete: bool, delimiter: char) -> Option<Fit> {
    let mut reader = RecordReader::new(sample, delimiter);
    let mut scratch = BatchBuilder::default();
    let mut counts = Vec::new();
    // An unclosed quote ends the sample as any cut does; the reader of the whole file will complain.
    while let Ok(Some(record)) = reader.read(&mut scratch, 0) {
        counts.push(record.cells);
        scratch.text.clear();
        if counts.len() > RECORDS {
            break;
        }
    }
    if !complete && counts.len() > 1 {
        counts.pop();
    }
    let columns = *counts.first()?;
    let agreeing = counts.iter().filter(|&&count| count == columns).count();
    (columns > 1).then_some(Fit { agreeing, records: counts.len(), columns })
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
            assert_eq!(detect_delimiter(sample.as_bytes(), true), delimiter, "{sample:?}");
        }
    }

    #[test]
    fn a_record_cut_off_at_the_end_of_the_sample_does_not_count() {
        assert_eq!(detect_delimiter(b"a;b;c,d\n1;2;3\n1;", false), ';');
    }
}
