//! The distinct values of one column: what hierarchies are built over and checked against.

use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::{MissingRule, Origin, Source, Summary};
use privet_taxonomy::Occurrence;

/// The distinct values of one column, with how often each occurs and where it occurs first.
///
/// ```
/// use privet::clock::Clock;
/// use privet::data::Source;
/// use privet::taxonomy::{Builder, check};
/// use privet::ColumnValues;
///
/// let people = Source::of_rows("people", &["age"], [["34"], ["?"], ["36"], ["34"]])?;
/// let ages = ColumnValues::read(&people, "age", &["?".to_string()], &Clock::unlimited())?;
/// assert_eq!(ages.values, [("34".to_string(), 2), ("36".to_string(), 1)]);
/// let tree = Builder::EqualWidth { width: "5".into(), fanout: 2 }.build(&ages.values)?;
/// assert!(check(&tree, ages.occurrences()).is_complete());
/// # Ok::<(), privet::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ColumnValues {
    /// The values with the number of records of each, missing ones left aside.
    pub values: Vec<(String, u64)>,
    lines: Vec<u64>,
    origin: Origin,
}

impl ColumnValues {
    /// Reads the column once.
    pub fn read(source: &Source, column: &str, missing: &[String], clock: &Clock) -> Result<ColumnValues> {
        let index = source.position(column)?;
        let rule = MissingRule { spellings: missing.to_vec(), keep: false };
        clock.progress().stage("reading", Some(source.bytes()));
        let summary = Summary::read(source, &[index], &rule, &mut |bytes| {
            clock.progress().at(bytes);
            clock.check()
        })?;
        let counts = summary.value_counts().into_iter().next().unwrap_or_default();
        let column = &summary.columns()[0];
        let values = column.dictionary.values().iter().cloned().zip(counts).collect();
        Ok(ColumnValues { values, lines: column.first_line.clone(), origin: source.origin().clone() })
    }

    /// Puts an error about a value at the place where the data has it. A builder, which sees no file, begins its message with the
    /// value; errors about its settings stay as they are.
    pub fn blame(&self, error: Error) -> Error {
        let about = |one: &Occurrence<'_>| error.message().starts_with(&format!("'{}' ", one.value));
        match self.occurrences().find(about).map(|one| one.line) {
            Some(line) => error.in_file(&self.origin).at_line(line),
            None => error,
        }
    }

    /// The values as a hierarchy is checked against them.
    pub fn occurrences(&self) -> impl Iterator<Item = Occurrence<'_>> {
        self.values.iter().zip(&self.lines).map(|((value, count), line)| Occurrence {
            value,
            count: *count,
            line: *line,
        })
    }
}
