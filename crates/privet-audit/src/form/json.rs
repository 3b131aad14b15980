//! JSON lines: an object on each line, with all columns in one order, and one way to write a value.

use std::io::{BufRead, BufReader, Read};

/// What could mark rows; the first of each kind.
pub(super) fn faults(text: impl Read, names: &[&str]) -> std::io::Result<Vec<String>> {
    let mut text = BufReader::with_capacity(1 << 17, text);
    let mut columns = vec![Seen::default(); names.len()];
    // Other tools put a blank after commas and colons.
    let mut gap = None;
    let (mut line, mut number) = (Vec::new(), 0u64);
    let mut faults = Vec::new();
    while text.read_until(b'\n', &mut line)? > 0 {
        number += 1;
        let read = std::str::from_utf8(&line).ok().and_then(|line| line.strip_suffix('\n'));
        let gap =
            *gap.get_or_insert_with(|| if read.is_some_and(|line| line.contains("\": ")) { " " } else { "" });
        let as_usual = read.is_some_and(|line| record(line, names, gap, number, &mut columns).is_some());
        if !as_usual && faults.is_empty() {
            faults.push(format!(
                "line {number} is not an object with all columns in their order, written as in the first line"
            ));
        }
        line.clear();
    }
    for (name, column) in names.iter().zip(&columns) {
        if let (Some(bare), Some(quoted)) = (column.bare, column.quoted) {
            let line = bare.max(quoted);
            faults.push(format!(
                "line {line} writes a number of column '{name}' in another way than lines before it (quotes)"
            ));
        }
    }
    Ok(faults)
}

/// The first lines on which a column has a number without quotes, and one with them.
#[derive(Clone, Default)]
struct Seen {
    bare: Option<u64>,
    quoted: Option<u64>,
}

/// Reads one object; `None` if it is written in another way than it should be.
fn record(line: &str, names: &[&str], gap: &str, number: u64, columns: &mut [Seen]) -> Option<()> {
    let mut rest = line;
    for (at, (name, column)) in names.iter().zip(columns).enumerate() {
        rest = rest.strip_prefix(if at == 0 { "{" } else { "," })?;
        rest = if at == 0 { rest } else { rest.strip_prefix(gap)? };
        rest = rest
            .strip_prefix(serde_json::to_string(name).ok()?.as_str())?
            .strip_prefix(':')?
            .strip_prefix(gap)?;
        let token = token(rest)?;
        rest = &rest[token.len()..];
        match token.starts_with('"') {
            true => {
                let value: String = serde_json::from_str(token).ok()?;
                // An empty cell is null, and letters are themselves.
                if value.is_empty() || serde_json::to_string(&value).ok()? != token {
                    return None;
                }
                if is_bare(&value) {
                    column.quoted.get_or_insert(number);
                }
            }
            false if token == "null" => {}
            false if is_bare(token) => {
                column.bare.get_or_insert(number);
            }
            false => return None,
        }
    }
    (rest == "}").then_some(())
}

/// A string with its quotes, or what comes before the next comma or brace.
fn token(text: &str) -> Option<&str> {
    let Some(inner) = text.strip_prefix('"') else { return text.get(..text.find([',', '}'])?) };
    let mut escaped = false;
    for (at, sign) in inner.char_indices() {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return text.get(..at + 2),
            _ => {}
        }
    }
    None
}

/// Whether a text is what a reader makes of a number, or of `true` or `false`.
fn is_bare(text: &str) -> bool {
    matches!(text, "true" | "false")
        || text.starts_with(|sign: char| sign == '-' || sign.is_ascii_digit())
            && serde_json::from_str::<serde_json::Number>(text).is_ok_and(|number| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        faults(text.as_bytes(), &["a", "b"]).expect("text").len()
    }

    #[test]
    fn lines_are_written_in_one_way() {
        for fine in [
            "",
            "{\"a\":1,\"b\":\"x\"}\n{\"a\":null,\"b\":\"y, \\\"z\\\"\"}\n",
            "{\"a\": 1, \"b\": true}\n{\"a\": 2, \"b\": false}\n",
            "{\"a\":\"1\",\"b\":\"2\"}\n{\"a\":\"*\",\"b\":\"7\"}\n",
            "{\"a\":1,\"b\":2}\n{\"a\":\"*\",\"b\":7.5}\n",
        ] {
            assert_eq!(found(fine), 0, "{fine}");
        }
        let first = "{\"a\":1,\"b\":\"x\"}\n";
        for marked in [
            "{\"b\":\"x\",\"a\":1}\n",
            "{\"a\":1,\"b\":\"x\",\"a\":1}\n",
            "{\"a\":1, \"b\":\"x\"}\n",
            "{\"a\":1,\"b\":\"\\u0078\"}\n",
            "{\"a\":\"1\",\"b\":\"x\"}\n",
            "{\"a\":1.0e0,\"b\":\"x\"}\n",
            "{\"a\":1,\"b\":\"\"}\n",
            "{\"a\":1}\n",
            "{\"a\":1,\"b\":\"x\"}\r\n",
            "{\"a\":1,\"b\":\"x\"}",
            "\n",
            "{\"a\":1,\"b\":[]}\n",
        ] {
            assert_eq!(found(&format!("{first}{marked}")), 1, "{marked}");
        }
    }
}
