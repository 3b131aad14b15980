//! Drivers and connections.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use adbc_core::options::{AdbcVersion, OptionConnection, OptionDatabase, OptionValue};
use adbc_core::{Connection, Database, Driver, LOAD_FLAG_DEFAULT, Optionable, Statement};
use adbc_driver_manager::{ManagedConnection, ManagedDriver};

use super::address;
use privet::data::{DatabaseTable, Origin};
use privet::{Error, Result};

/// The environment variable with directories in which drivers are looked for first, separated as in `PATH`.
pub const DRIVERS: &str = "PRIVET_DRIVERS";

/// What differs between databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// PostgreSQL.
    Postgresql,
    /// Any other: standard SQL is all that is asked of it.
    Standard,
}

impl Dialect {
    pub(crate) fn of(driver: &str) -> Dialect {
        let name = Path::new(driver).file_name().map(|name| name.to_string_lossy().to_lowercase());
        match name {
            Some(name) if name.contains("postgres") => Dialect::Postgresql,
            _ => Dialect::Standard,
        }
    }

    /// Statements that make a transaction one unchanging view of the database, in which two readings of a table give its rows in
    /// the same order.
    fn snapshot(self) -> &'static [&'static str] {
        match self {
            Dialect::Postgresql => &[
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
                // A scan may otherwise begin in the middle of the table, where another scan is, or be split among processes.
                "SET LOCAL synchronize_seqscans = off",
                "SET LOCAL max_parallel_workers_per_gather = 0",
            ],
            Dialect::Standard => &[],
        }
    }
}

/// A connection, with what messages need to name it.
pub(crate) struct Link {
    pub connection: ManagedConnection,
    pub dialect: Dialect,
    pub origin: Origin,
    address: String,
}

/// Without the address, which may hold a password.
impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("origin", &self.origin).finish_non_exhaustive()
    }
}

/// How a connection is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// One unchanging view, for reading.
    Snapshot,
    /// A transaction that makes a table, or nothing.
    Writing,
}

impl Link {
    /// Connects and begins a transaction.
    pub(crate) fn open(table: &DatabaseTable, access: Access) -> Result<Link> {
        let origin = Origin::Database(table.clone());
        let address = address::of(table)?;
        let mut driver = load(table)?;
        let failed = |error: adbc_core::error::Error| {
            Error::input(format!("cannot connect: {}", address::concealed(&error.message, &address)))
                .in_file(&origin)
                .help(format!("check the address in {} and that the database is running", table.uri_env))
        };
        let options = [(OptionDatabase::Uri, OptionValue::from(address.as_str()))];
        let database = driver.new_database_with_opts(options).map_err(failed)?;
        let mut connection = database.new_connection().map_err(failed)?;
        let dialect = Dialect::of(&table.driver);
        connection.set_option(OptionConnection::AutoCommit, "false".into()).map_err(failed)?;
        let mut link = Link { connection, dialect, origin, address };
        if access == Access::Snapshot {
            for statement in dialect.snapshot() {
                link.execute(statement)?;
            }
        }
        Ok(link)
    }

    /// Runs a statement that gives no rows.
    pub(crate) fn execute(&mut self, sql: &str) -> Result<()> {
        let mut statement = self.connection.new_statement().map_err(|error| self.failed("ask", &error))?;
        let done = statement.set_sql_query(sql).and_then(|()| statement.execute_update());
        done.map(drop).map_err(|error| self.failed("ask", &error))
    }

    /// The error for what the database refuses, in its words but for secrets.
    pub(crate) fn failed(&self, what: &str, error: &adbc_core::error::Error) -> Error {
        self.trouble(what, &error.message)
    }

    /// The error for trouble that a driver reports in words.
    pub(crate) fn trouble(&self, what: &str, words: &str) -> Error {
        Error::input(format!("cannot {what} the database: {}", address::concealed(words, &self.address)))
            .in_file(&self.origin)
    }

    /// A name as the database reads it: every part of `schema.name` in quotes.
    pub(crate) fn quoted(name: &str) -> String {
        let parts: Vec<String> = name
            .split('.')
            .map(|part| format!("\"{}\"", part.trim_matches('"').replace('"', "\"\"")))
            .collect();
        parts.join(".")
    }
}

/// Loads the driver that the policy names.
fn load(table: &DatabaseTable) -> Result<ManagedDriver> {
    let name = table.driver.as_str();
    let (library, entry): (&str, Option<&[u8]>) = match name {
        "postgresql" | "postgres" => ("adbc_driver_postgresql", None),
        "sqlite" => ("adbc_driver_sqlite", None),
        "duckdb" => ("duckdb", Some(b"duckdb_adbc_init")),
        other => (other, None),
    };
    let mut trouble = String::new();
    for candidate in candidates(library) {
        match ManagedDriver::load_dynamic_from_filename(&candidate, entry, AdbcVersion::V110) {
            Ok(driver) => return Ok(driver),
            Err(error) => trouble = error.message,
        }
    }
    ManagedDriver::load_from_name(library, entry, AdbcVersion::V110, LOAD_FLAG_DEFAULT, None).map_err(
        |error| {
            let words = if trouble.is_empty() { error.message } else { trouble };
            let words = words.lines().next().unwrap_or_default();
            Error::input(format!("the driver '{name}' cannot be loaded: {words}")).help(missing(name))
        },
    )
}

/// The driver's file in the directories that the user names.
fn candidates(library: &str) -> Vec<PathBuf> {
    let file = format!("{}{library}{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let folders = env::var_os(DRIVERS).unwrap_or_default();
    let folders: Vec<PathBuf> =
        env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty()).collect();
    folders.into_iter().map(|folder| folder.join(&file)).filter(|path| path.is_file()).collect()
}

/// How to get a driver that is not there.
fn missing(name: &str) -> String {
    let package = match name {
        "postgresql" | "postgres" => Some("adbc_driver_postgresql"),
        "sqlite" => Some("adbc_driver_sqlite"),
        _ => None,
    };
    match package {
        Some(package) => format!(
            "the Python package {} brings it: pip install {}; then set {DRIVERS} to the directory that python3 -c 'import \
             {package} as d; print(d.__path__[0])' prints",
            package.replace('_', "-"),
            package.replace('_', "-"),
        ),
        None => format!(
            "give the path of the driver's library, or set {DRIVERS} to the directory that holds {}{name}{}",
            env::consts::DLL_PREFIX,
            env::consts::DLL_SUFFIX
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::data::Relation;

    #[test]
    fn names_are_quoted_part_by_part() {
        assert_eq!(Link::quoted("people"), "\"people\"");
        assert_eq!(Link::quoted("clinic.people"), "\"clinic\".\"people\"");
        assert_eq!(Link::quoted("a\"; DROP TABLE b"), "\"a\"\"; DROP TABLE b\"");
    }

    #[test]
    fn a_missing_driver_says_how_to_get_one() {
        let table = DatabaseTable {
            driver: "nosuchdriver".into(),
            uri_env: "PATH".into(),
            relation: Relation::Table("people".into()),
        };
        let error = Link::open(&table, Access::Snapshot).expect_err("no driver");
        assert!(error.message().contains("nosuchdriver"), "{error}");
        assert!(error.remedy().is_some_and(|remedy| remedy.contains(DRIVERS)), "{error}");
    }
}
