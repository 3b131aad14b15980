//! Names of tables.

use privet::{Error, Result};

/// The name of a table: `table`, `schema.table` or `catalog.schema.table`. A part with a dot stands in double quotes, and a quote in it is
/// doubled. Upper and lower case are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableName {
    parts: Vec<String>,
}

impl TableName {
    pub(crate) fn parse(text: &str) -> Result<TableName> {
        let broken = || {
            Error::input(format!("'{text}' is not the name of a table")).help(
                "write name, schema.name or catalog.schema.name; put a part with a dot in double quotes",
            )
        };
        let mut parts = Vec::new();
        let mut rest = text.trim();
        loop {
            let (part, next) = match rest.strip_prefix('"') {
                Some(inner) => quoted_part(inner).ok_or_else(broken)?,
                None => {
                    let end = rest.find('.').unwrap_or(rest.len());
                    (rest[..end].to_string(), &rest[end..])
                }
            };
            // Databases take a name to end at NUL.
            if part.is_empty() || part.contains('\0') {
                return Err(broken());
            }
            parts.push(part);
            match next.strip_prefix('.') {
                Some(more) => rest = more,
                None if next.is_empty() && parts.len() <= 3 => return Ok(TableName { parts }),
                None => return Err(broken()),
            }
        }
    }

    /// The table's own name.
    pub(crate) fn table(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// The schema, where one is named.
    pub(crate) fn schema(&self) -> Option<&str> {
        self.parts.iter().rev().nth(1).map(String::as_str)
    }

    /// The catalog, where one is named.
    pub(crate) fn catalog(&self) -> Option<&str> {
        self.parts.iter().rev().nth(2).map(String::as_str)
    }

    /// A table next to it, with something added to its name.
    pub(crate) fn with(&self, suffix: &str) -> TableName {
        let mut name = self.clone();
        if let Some(last) = name.parts.last_mut() {
            last.push_str(suffix);
        }
        name
    }

    /// The name in SQL: every part in quotes.
    pub(crate) fn sql(&self) -> String {
        self.parts.iter().map(|part| identifier(part)).collect::<Vec<_>>().join(".")
    }

    /// The name as a policy has it.
    pub(crate) fn written(&self) -> String {
        let part = |part: &String| if part.contains(['.', '"']) { identifier(part) } else { part.clone() };
        self.parts.iter().map(part).collect::<Vec<_>>().join(".")
    }
}

/// A name in SQL, in quotes.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The rest of a part after its opening quote, and what comes after the closing one.
fn quoted_part(inner: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = inner;
    loop {
        let (before, after) = rest.split_once('"')?;
        part.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                part.push('"');
                rest = more;
            }
            None => return Some((part, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_part_by_part() {
        for (text, sql, table) in [
            ("people", "\"people\"", "people"),
            ("clinic.people", "\"clinic\".\"people\"", "people"),
            ("a\"; DROP TABLE b", "\"a\"\"; DROP TABLE b\"", "a\"; DROP TABLE b"),
            ("\"a.b\".\"c\"\"d\"", "\"a.b\".\"c\"\"d\"", "c\"d"),
            ("x.y.z", "\"x\".\"y\".\"z\"", "z"),
        ] {
            let name = TableName::parse(text).expect(text);
            assert_eq!((name.sql().as_str(), name.table()), (sql, table));
            assert_eq!(TableName::parse(&name.written()).expect("once more"), name);
        }
        let name = TableName::parse("x.y.z").expect("three parts");
        assert_eq!((name.catalog(), name.schema()), (Some("x"), Some("y")));
        assert_eq!(name.with("_qit").written(), "x.y.z_qit");
    }

    #[test]
    fn what_is_not_a_name_is_refused() {
        for text in ["", ".", "a.", ".a", "\"a", "\"a\"b", "a.b.c.d", "\"\"", "a\0b"] {
            assert!(TableName::parse(text).is_err(), "{text}");
        }
    }
}
