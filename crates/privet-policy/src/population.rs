//! `[population]`: everybody who may be in the data, or how many they are.

use std::path::PathBuf;

use super::check::{OnMissing, PolicyColumn, Role, on_missing_of};
use super::file::{Policy, Section};
use super::reading::{LAYOUT_KEYS, read_options};
use privet_core::{Error, Result, suggestion};
use privet_data::{MissingRule, Source};

/// The keys of `[population]` that say something only about a table.
const TABLE_KEYS: [&str; 12] = [
    "path",
    "includes_data",
    "delimiter",
    "header",
    "missing",
    "on_missing",
    LAYOUT_KEYS[0],
    LAYOUT_KEYS[1],
    LAYOUT_KEYS[2],
    LAYOUT_KEYS[3],
    LAYOUT_KEYS[4],
    LAYOUT_KEYS[5],
];

/// The keys of `[population]`.
pub(super) fn keys() -> Vec<&'static str> {
    [&TABLE_KEYS[..], &["size"]].concat()
}

/// What is known about the population that the data were taken from.
#[derive(Debug, Clone)]
pub enum Population {
    /// A table of everybody.
    Table(Box<PopulationTable>),
    /// Only how many they are.
    Size(u64),
}

/// A table of everybody who may be in the data.
#[derive(Debug, Clone)]
pub struct PopulationTable {
    /// The table.
    pub source: Source,
    /// Where it is.
    pub path: PathBuf,
    /// Whether the people of the data are in it. If not, they are added.
    pub includes_data: bool,
    /// The positions in it of the data's generalised columns, in the data's order.
    pub columns: Vec<usize>,
    /// The spellings of a missing value.
    pub missing: Vec<String>,
    /// What happens to people with missing values.
    pub on_missing: OnMissing,
}

impl PopulationTable {
    /// How missing values are recognised and what becomes of them.
    pub fn missing_rule(&self) -> MissingRule {
        MissingRule { spellings: self.missing.clone(), keep: self.on_missing == OnMissing::Value }
    }
}

impl Population {
    /// The table, where there is one.
    pub fn table(&self) -> Option<&PopulationTable> {
        match self {
            Population::Table(table) => Some(table.as_ref()),
            Population::Size(_) => None,
        }
    }
}

impl Policy {
    /// Reads the section. `missing` and `on_missing` are those of `[data]`, which hold where the section says nothing else.
    pub(super) fn population(
        &self,
        root: &Section<'_>,
        columns: &[PolicyColumn],
        (missing, on_missing): (&[String], OnMissing),
    ) -> Result<Option<Population>> {
        let Some(entry) = root.entry("population") else { return Ok(None) };
        let section = entry.section()?;
        section.only(&keys())?;
        let Some(path) = section.entry("path") else {
            let size = section.required(
                "size",
                "name a table of everybody, path = \"register.csv\", or give how many they are",
            )?;
            if let Some(idle) = TABLE_KEYS.iter().find_map(|key| section.entry(key)) {
                return Err(idle
                    .error(format!("'{}' has no meaning without 'path'", idle.name()))
                    .help("remove it, or name the table of the population in 'path'"));
            }
            return Ok(Some(Population::Size(size.count(1)?)));
        };
        if let Some(size) = section.entry("size") {
            return Err(size
                .error("[population] has both 'path' and 'size'")
                .help("keep 'path', whose rows are counted, or 'size' where there is no table"));
        }
        let path = match path.text()? {
            "" => {
                return Err(path
                    .error("'population.path' is empty")
                    .help("name the table of the population"));
            }
            text => self.resolve(text),
        };
        let source = Source::open_files(std::slice::from_ref(&path), &read_options(&section)?)?;
        let names: Vec<&str> = source.columns().iter().map(|column| column.name.as_str()).collect();
        let mut found = Vec::new();
        for column in columns.iter().filter(|column| column.role.is_some_and(Role::is_generalised)) {
            let place = names.iter().position(|name| *name == column.name).ok_or_else(|| {
                Error::input(format!(
                    "the population has no column '{}', which is a {}",
                    column.name,
                    Role::QuasiIdentifier
                ))
                .in_file(&path)
                .help(suggestion(&column.name, &names, "its columns"))
            })?;
            found.push((place, column));
        }
        let missing = match section.entry("missing") {
            Some(entry) => entry.texts()?,
            None => missing.to_vec(),
        };
        let on_missing = on_missing_of(&section)?.unwrap_or(on_missing);
        let readings = found.iter().filter_map(|(place, column)| Some((*place, column.reading.clone()?)));
        let source = source.read_as(readings.collect(), &missing);
        let includes_data = section.entry("includes_data").map_or(Ok(true), |entry| entry.flag())?;
        let columns = found.iter().map(|(place, _)| *place).collect();
        Ok(Some(Population::Table(Box::new(PopulationTable {
            source,
            path,
            includes_data,
            columns,
            missing,
            on_missing,
        }))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(section: &str) -> Result<Option<Population>> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("data.csv"), "zip,age\nA,30\n").expect("written");
        std::fs::write(folder.path().join("register.csv"), "age;zip\n30;A\n40;B\n").expect("written");
        std::fs::write(folder.path().join("other.csv"), "age;post\n30;A\n").expect("written");
        let text = format!(
            "[data]\npath = \"data.csv\"\n[columns.zip]\nrole = \"quasi-identifier\"\n[columns.age]\nrole = \
             \"quasi-identifier\"\n[privacy.k-anonymity]\nk = 1\n[method]\nname = \"full-domain\"\n{section}"
        );
        Policy::parse(&folder.path().join("policy.toml"), text)?.check(None).map(|policy| policy.population)
    }

    #[test]
    fn a_population_is_a_table_or_a_size() {
        let table = checked("[population]\npath = \"register.csv\"\n").expect("a table").expect("there");
        let table = table.table().expect("a table").clone();
        // In the data's order, wherever the columns are.
        assert_eq!((table.columns, table.includes_data), (vec![1, 0], true));
        let size = checked("[population]\nsize = 12\n").expect("a size");
        assert!(matches!(size, Some(Population::Size(12))));
        assert!(checked("").expect("none").is_none());
    }

    #[test]
    fn what_makes_no_sense_is_refused_at_the_door() {
        for (section, part) in [
            ("[population]\n", "lacks 'size'"),
            ("[population]\npath = \"register.csv\"\nsize = 5\n", "both 'path' and 'size'"),
            ("[population]\nsize = 5\nincludes_data = false\n", "without 'path'"),
            ("[population]\nsize = 0\n", "size"),
            ("[population]\npath = \"other.csv\"\n", "no column 'zip'"),
            ("[population]\npath = \"none.csv\"\n", "none.csv"),
            ("[population]\npaths = \"register.csv\"\n", "unknown key 'paths'"),
        ] {
            let error = checked(section).expect_err(part);
            assert!(error.to_string().contains(part), "{part}: {error}");
        }
    }
}
