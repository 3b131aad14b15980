//! Data in a database, and releases into one: keys of `[data]` and of `[release]`.

use super::file::{Policy, Section};
use super::original::OriginalData;
use privet_core::{Error, Result};
use privet_data::{DatabaseTable, Relation, Source};

/// The keys of `[data]` that name a table of a database in place of a file.
pub(super) const DATABASE_KEYS: [&str; 4] = ["driver", "uri_env", "table", "query"];

/// Keys that say how a file is read. A database says it itself.
const FILE_KEYS: [&str; 8] = ["path", "header", "encoding", "quote", "comment", "skip", "sheet", "range"];

/// The original, opened where the policy names a database and nothing else is given.
pub(super) fn named(data: &Section<'_>, original: OriginalData) -> Result<OriginalData> {
    // Without data of its own, a run has no use for the database; the keys are checked all the same.
    let table = database_table(data)?;
    match (original, table) {
        (OriginalData::Named, Some(table)) => Source::of_database(&table).map(OriginalData::Table),
        (original, _) => Ok(original),
    }
}

/// The table that `[data]` names, if it names one.
fn database_table(data: &Section<'_>) -> Result<Option<DatabaseTable>> {
    let Some(driver) = data.entry("driver") else {
        return match DATABASE_KEYS.iter().find_map(|key| data.entry(key)) {
            None => Ok(None),
            Some(other) => Err(other
                .error(format!("'{}' has a meaning only next to 'driver'", other.name()))
                .help("name the database's driver: driver = \"postgresql\"")),
        };
    };
    if let Some(other) = FILE_KEYS.iter().find_map(|key| data.entry(key)) {
        return Err(other
            .error(format!("'{}' has no meaning for data in a database", other.name()))
            .help("remove it, or remove 'driver' to read a file"));
    }
    let uri_env =
        data.required("uri_env", "name the environment variable that holds the database's address")?;
    let variable = uri_env.text()?;
    // An address in the policy would be copied into every release's steward directory, password included.
    if variable.is_empty() || !variable.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(uri_env.error("'uri_env' must be the name of an environment variable").help(
            "as in uri_env = \"PRIVET_DATABASE\"; set that variable to the address, and keep the address out of the policy",
        ));
    }
    let relation = match (data.entry("table"), data.entry("query")) {
        (Some(table), None) => Relation::Table(filled(table.text()?, || table.error("'table' is empty"))?),
        (None, Some(query)) => Relation::Query(filled(query.text()?, || query.error("'query' is empty"))?),
        (Some(_), Some(query)) => {
            return Err(query.error("'table' and 'query' cannot both be given").help("keep one of them"));
        }
        (None, None) => {
            return Err(driver
                .error("neither 'table' nor 'query' is given")
                .help("name the table: table = \"schema.name\"; or ask for rows: query = \"SELECT …\""));
        }
    };
    let driver = filled(driver.text()?, || driver.error("'driver' is empty"))?;
    Ok(Some(DatabaseTable { driver, uri_env: variable.to_string(), relation }))
}

fn filled(text: &str, empty: impl FnOnce() -> Error) -> Result<String> {
    if text.trim().is_empty() { Err(empty()) } else { Ok(text.to_string()) }
}

/// Where a release goes in addition to its directory: a table of the database that the data come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseTable {
    /// The driver and the variable with the address: those of the data.
    pub database: DatabaseTable,
    /// The table to make: `name`, or `schema.name`.
    pub name: String,
}

impl Policy {
    /// The table of a database that the policy writes the release to, if it names one.
    ///
    /// ```
    /// use privet_policy::Policy;
    ///
    /// let text = "[data]\ndriver = 'sqlite'\nuri_env = 'CLINIC'\ntable = 'patients'\n[release]\ntable = 'patients_release'\n";
    /// let policy = Policy::parse("policy.toml".as_ref(), text.to_string())?;
    /// assert_eq!(policy.release_table()?.expect("a table").name, "patients_release");
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn release_table(&self) -> Result<Option<ReleaseTable>> {
        let root = self.root();
        let Some(entry) = root.entry("release") else { return Ok(None) };
        let release = entry.section()?;
        release.only(&["table"])?;
        let table = release.required("table", "name the table to make: table = \"schema.name\"")?;
        let name = filled(table.text()?, || table.error("'release.table' is empty"))?;
        let data = root.entry("data").map(|data| data.section()).transpose()?;
        let database = data.as_ref().map(database_table).transpose()?.flatten();
        let Some(database) = database else {
            return Err(table
                .error("the release can go to a table only where the data come from a database")
                .help("add driver, uri_env and table to [data], or remove [release]"));
        };
        if database.relation == Relation::Table(name.clone()) {
            return Err(table
                .error("the release would replace the data")
                .help("name another table, in a schema that only readers of the release may use"));
        }
        Ok(Some(ReleaseTable { database, name }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(data: &str, rest: &str) -> Result<Option<ReleaseTable>> {
        let text = format!(
            "[data]\n{data}\n[columns.age]\nrole = \"quasi-identifier\"\n[privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n{rest}"
        );
        let policy = Policy::parse("policy.toml".as_ref(), text)?;
        let people = Source::of_rows("people", &["age"], [["34"], ["61"]])?;
        policy.check(people)?;
        policy.release_table()
    }

    const DATABASE: &str = "driver = \"sqlite\"\nuri_env = \"CLINIC\"";

    #[test]
    fn a_policy_names_a_table_or_a_query() {
        for relation in ["table = \"people\"", "query = \"SELECT age FROM people\""] {
            assert_eq!(checked(&format!("{DATABASE}\n{relation}"), "").expect("a policy"), None);
        }
        let release = "[release]\ntable = \"published.people\"\n";
        let table = checked(&format!("{DATABASE}\ntable = \"people\""), release).expect("a policy");
        assert_eq!(table.expect("a table").name, "published.people");
    }

    #[test]
    fn what_makes_no_sense_is_refused_at_the_door() {
        let table = &format!("{DATABASE}\ntable = \"people\"");
        for (data, rest, part) in [
            ("table = \"people\"", "", "next to 'driver'"),
            ("driver = \"sqlite\"\ntable = \"people\"", "", "uri_env"),
            (
                "driver = \"sqlite\"\nuri_env = \"postgresql://me:secret@host/db\"\ntable = \"people\"",
                "",
                "environment variable",
            ),
            (DATABASE, "", "neither"),
            (&format!("{table}\nquery = \"SELECT 1\""), "", "both"),
            (&format!("{table}\npath = \"people.csv\""), "", "path' has no meaning"),
            (&format!("{DATABASE}\ntable = \"\""), "", "empty"),
            (table, "[release]\ntable = \"people\"\n", "replace the data"),
            (table, "[release]\nname = \"x\"\n", "unknown key 'name'"),
            ("path = \"people.csv\"", "[release]\ntable = \"x\"\n", "come from a database"),
        ] {
            let error = checked(data, rest).expect_err(part);
            assert!(error.message().contains(part), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_program_without_databases_says_so() {
        let text = format!("[data]\n{DATABASE}\ntable = \"people\"\n[privacy.k-anonymity]\nk = 2\n");
        let policy = Policy::parse("policy.toml".as_ref(), text).expect("a policy");
        let error = policy.check(OriginalData::Named).expect_err("no databases");
        assert!(error.message().contains("without databases"), "{error}");
    }
}
