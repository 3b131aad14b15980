//! JSON lines: one object per line, its keys the columns.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use hashbrown::HashMap;
use serde_json::{Map, Value};

use super::compression::{Encoder, open_text, read_error};
use super::format::{CellKind, Compression, split_compression};
use super::list_cell::{self, LIST_SEPARATOR};
use super::sink::{SinkColumn, push_row};
use super::source::{Unread, UnreadColumn};
use super::spool::Spool;
use privet_core::{Error, Result};

/// A table of JSON lines, as delimited text without a header.
pub(super) struct JsonLines {
    pub(super) spool: Spool,
    /// The keys, in the order in which they first appear.
    pub(super) names: Vec<String>,
    /// Keys with objects, which are not cells.
    pub(super) unread: Vec<UnreadColumn>,
}

/// The compression of a file whose name says that it holds JSON lines.
pub(super) fn of_name(path: &Path) -> Option<Compression> {
    let name = path.file_name()?.to_string_lossy();
    let (stem, compression) = split_compression(&name);
    let (_, extension) = stem.rsplit_once('.')?;
    ["jsonl", "ndjson"].iter().any(|known| extension.eq_ignore_ascii_case(known)).then_some(compression)
}

/// Reads JSON lines twice: once for the keys, and once for the cells.
pub(super) fn open(path: &Path, compression: Compression) -> Result<JsonLines> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let (mut names, mut nested) = (Vec::new(), Vec::new());
    each(path, compression, &mut |_, object| {
        for (name, value) in object {
            let place = *places.entry(name.clone()).or_insert_with(|| {
                names.push(name.clone());
                nested.push(false);
                names.len() - 1
            });
            nested[place] |= is_nested(value);
        }
        Ok(())
    })?;
    let kept: Vec<&String> =
        names.iter().zip(&nested).filter(|(_, nested)| !**nested).map(|(name, _)| name).collect();
    if kept.is_empty() {
        return Err(Error::input("no line has a key whose value is a cell")
            .in_file(path)
            .help("write an object on each line: {\"age\": 34, \"sex\": \"m\"}"));
    }
    let spool = Spool::filled(".csv", |file: &mut BufWriter<File>| {
        let mut line = Vec::new();
        let mut before = 0;
        each(path, compression, &mut |number, object| {
            let cells: Vec<String> = kept
                .iter()
                .map(|name| object.get(name.as_str()).map_or(Ok(String::new()), |value| cell(value, name)))
                .collect::<Result<_>>()
                .map_err(|error| error.in_file(path).at_line(number))?;
            line.clear();
            // Blank lines keep their place, so that messages name the line of the original.
            line.resize(usize::try_from(number - before - 1).unwrap_or(0), b'\n');
            before = number;
            push_row(&mut line, &cells.iter().map(String::as_str).collect::<Vec<_>>(), ',');
            file.write_all(&line)
                .map_err(|error| Error::io("keep the data in a temporary file", path, &error))
        })
    })?;
    let names_of = |nested: &Vec<bool>, wanted: bool| -> Vec<String> {
        names
            .iter()
            .zip(nested)
            .filter(|(_, nested)| **nested == wanted)
            .map(|(name, _)| name.clone())
            .collect()
    };
    let unread = names_of(&nested, true);
    let unread =
        unread.into_iter().map(|name| UnreadColumn { name, trouble: Unread::Type("object".to_string()) });
    Ok(JsonLines { spool, names: names_of(&nested, false), unread: unread.collect() })
}

/// Hands over every object with its line.
fn each(
    path: &Path,
    compression: Compression,
    take: &mut impl FnMut(u64, &Map<String, Value>) -> Result<()>,
) -> Result<()> {
    let mut input = BufReader::new(open_text(path, compression)?);
    let mut text = Vec::new();
    let mut number = 0;
    loop {
        text.clear();
        if input.read_until(b'\n', &mut text).map_err(|error| read_error(path, compression, &error))? == 0 {
            return Ok(());
        }
        number += 1;
        let line = text.strip_prefix(b"\xef\xbb\xbf").filter(|_| number == 1).unwrap_or(&text);
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let at = |message: String| Error::input(message).in_file(path).at_line(number);
        match serde_json::from_slice(line) {
            Ok(Value::Object(object)) => take(number, &object)?,
            Ok(_) => {
                return Err(at("the line is not an object".to_string())
                    .help("write an object on each line: {\"age\": 34, \"sex\": \"m\"}"));
            }
            Err(error) => {
                return Err(at(format!("the line is not JSON: {error}"))
                    .help("JSON lines have one whole object on each line, in UTF-8"));
            }
        }
    }
}

/// Whether a value is not a cell: an object, or a list of other things than values.
fn is_nested(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        _ => false,
    }
}

fn cell(value: &Value, name: &str) -> Result<String> {
    Ok(match value {
        Value::Null => String::new(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items = items.iter().map(|item| cell(item, name)).collect::<Result<Vec<_>>>()?;
            if items.iter().any(|item| item.contains(LIST_SEPARATOR)) {
                return Err(list_cell::unclear(name));
            }
            String::from_utf8_lossy(&list_cell::set_cell(items)).into_owned()
        }
        Value::Object(_) => String::new(),
    })
}

/// Writes an object on each line: the columns in their order, without blanks.
///
/// Cells are strings. Where a column has a type, numbers are numbers if a reader gives them back as they are, and `true` and `false`
/// are what they say. An empty cell is `null`.
pub(super) struct JsonWriter {
    encoder: Encoder,
    /// By column: its name, and whether it may hold numbers, or `true` and `false`.
    columns: Vec<(String, bool, bool)>,
    line: String,
    is_empty: bool,
}

impl JsonWriter {
    pub(super) fn new(encoder: Encoder, columns: &[SinkColumn]) -> JsonWriter {
        let column = |column: &SinkColumn| {
            let numbers = matches!(
                column.kind,
                CellKind::Integer | CellKind::Unsigned | CellKind::Float | CellKind::Decimal { .. }
            );
            (Value::from(column.name.as_str()).to_string(), numbers, column.kind == CellKind::Boolean)
        };
        JsonWriter {
            encoder,
            columns: columns.iter().map(column).collect(),
            line: String::new(),
            is_empty: true,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    pub(super) fn write(&mut self, cells: &[&str]) -> io::Result<()> {
        self.line.clear();
        for ((name, numbers, flags), cell) in self.columns.iter().zip(cells) {
            self.line.push(if self.line.is_empty() { '{' } else { ',' });
            self.line.push_str(name);
            self.line.push(':');
            match *cell {
                "" => self.line.push_str("null"),
                "true" | "false" if *flags => self.line.push_str(cell),
                number if *numbers && is_kept(number) => self.line.push_str(number),
                text => self.line.push_str(&Value::from(text).to_string()),
            }
        }
        self.line.push_str("}\n");
        self.is_empty = false;
        self.encoder.write_all(self.line.as_bytes())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.encoder.finish()
    }
}

/// Whether a reader of JSON gives a number back as it is written.
fn is_kept(number: &str) -> bool {
    let is_number = number.starts_with(|sign: char| sign == '-' || sign.is_ascii_digit());
    is_number
        && serde_json::from_str::<serde_json::Number>(number).is_ok_and(|read| read.to_string() == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Source};

    fn rows(text: &str) -> Result<(Vec<String>, Vec<String>, Vec<u64>)> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("people.jsonl");
        std::fs::write(&path, text).expect("written");
        let source = Source::open(&path, &ReadOptions::default())?;
        assert_eq!(source.origin().path(), Some(path.as_path()));
        let (mut cells, mut lines) = (Vec::new(), Vec::new());
        source.read(&mut |batch, _| {
            cells.extend((0..batch.rows()).map(|row| batch.cells(row).collect::<Vec<_>>().join(";")));
            lines.extend((0..batch.rows()).map(|row| batch.line(row)));
            Ok(())
        })?;
        Ok((source.columns().iter().map(|column| column.name.clone()).collect(), cells, lines))
    }

    #[test]
    fn objects_are_rows() {
        let text = "{\"age\": 34, \"sex\": \"m\"}\n\n{\"sex\": \"f\\nx\", \"ill\": [\"flu\", \"HIV\"], \"more\": {\"a\": 1}}\n\
                    {\"age\": 1.5, \"ill\": null, \"sex\": true}\n";
        let (names, cells, lines) = rows(text).expect("rows");
        assert_eq!(names, ["age", "sex", "ill"]);
        assert_eq!(cells, ["34;m;", ";f\nx;HIV|flu", "1.5;true;"]);
        assert_eq!(lines, [1, 3, 5], "a line break inside a cell counts");
    }

    #[test]
    fn what_is_not_an_object_is_named_by_line() {
        for (text, line, part) in [
            ("{\"a\": 1}\n[1]\n", Some(2), "not an object"),
            ("{\"a\": 1}\n{\"a\": \n", Some(2), "not JSON"),
            ("{\"a\": [\"x|y\"]}\n", Some(1), "|"),
            ("{\"a\": {}}\n", None, "no line has a key"),
            ("", None, "no line has a key"),
        ] {
            let error = rows(text).expect_err(text);
            assert_eq!(error.line(), line, "{error}");
            assert!(error.to_string().contains(part) && error.remedy().is_some(), "{error}");
            assert!(error.to_string().contains("people.jsonl"), "{error}");
        }
    }
}
