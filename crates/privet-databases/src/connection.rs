//! Drivers and connections.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use adbc_core::options::{AdbcVersion, OptionConnection, OptionDatabase, OptionValue};
use adbc_core::{Connection, Database, Driver, LOAD_FLAG_DEFAULT, Optionable, Statement};
use adbc_driver_manager::{ManagedConnection, ManagedDatabase, ManagedDriver};

use super::address::Address;
use privet::data::{DatabaseTable, Origin};
use privet::{Error, Result};

/// The environment variable with directories in which drivers are looked for first, separated as in `PATH`.
pub const DRIVERS: &str = "PRIVET_DRIVERS";

/// What differs between databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// PostgreSQL.
    Postgresql,
    /// SQLite.
    Sqlite,
    /// DuckDB.
    Duckdb,
    /// Any other: standard SQL is all that is asked of it.
    Standard,
}

impl Dialect {
    fn of(driver: &str) -> Dialect {
        let name = Path::new(driver).file_name().map(|name| name.to_string_lossy().to_lowercase());
        let has = |word: &str| name.as_deref().is_some_and(|name| name.contains(word));
        match () {
            () if has("postgres") => Dialect::Postgresql,
            () if has("sqlite") => Dialect::Sqlite,
            () if has("duckdb") => Dialect::Duckdb,
            () => Dialect::Standard,
        }
    }

    /// Statements that make a transaction one unchanging view of the database, in which two readings of a table give its rows in
    /// the same order and the same texts.
    fn snapshot(self) -> &'static [&'static str] {
        match self {
            Dialect::Postgresql => &[
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
                // A scan may otherwise begin in the middle of the table, where another scan is, or be split among processes.
                "SET LOCAL synchronize_seqscans = off",
                "SET LOCAL max_parallel_workers_per_gather = 0",
                // What the texts of other types depend on.
                "SET LOCAL datestyle = 'ISO, YMD'",
                "SET LOCAL intervalstyle = 'postgres'",
                "SET LOCAL timezone = 'UTC'",
                "SET LOCAL extra_float_digits = 1",
            ],
            // A transaction of SQLite is a snapshot from its first reading on.
            Dialect::Sqlite => &["PRAGMA query_only = ON"],
            Dialect::Duckdb => &["SET threads = 1"],
            Dialect::Standard => &[],
        }
    }
}

/// A connection, with what messages need to name it.
pub(crate) struct Link {
    pub connection: ManagedConnection,
    pub dialect: Dialect,
    pub origin: Origin,
    address: Address,
    /// Open as long as a connection to it is.
    _database: Arc<Opened>,
}

/// Without the connection.
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
        let address = Address::of(table)?;
        let failed = |error: adbc_core::error::Error| {
            Error::input(format!("cannot connect: {}", address.concealed(&error.message)))
                .in_file(&origin)
                .help(format!("check the address in {} and that the database is running", address.variable()))
        };
        let database = opened(table, &address, &failed)?;
        let mut connection = database.0.new_connection().map_err(failed)?;
        let dialect = Dialect::of(&table.driver);
        connection.set_option(OptionConnection::AutoCommit, "false".into()).map_err(failed)?;
        let mut link = Link { connection, dialect, origin, address, _database: database };
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

    /// Ends the transaction; what it wrote is there from now on.
    pub(crate) fn commit(&mut self) -> Result<()> {
        self.connection.commit().map_err(|error| self.failed("commit the release to", &error))
    }

    /// Ends the transaction as if it had not been.
    pub(crate) fn roll_back(&mut self) -> Result<()> {
        self.connection.rollback().map_err(|error| self.failed("leave", &error))
    }

    /// The error for what the database refuses, in its words but for secrets.
    pub(crate) fn failed(&self, what: &str, error: &adbc_core::error::Error) -> Error {
        let state: String = error.sqlstate.iter().map(|sign| char::from(*sign as u8)).collect();
        self.trouble(what, &format!("{}\nSQLSTATE: {state}", error.message))
    }

    /// The error for trouble that a driver reports in words.
    pub(crate) fn trouble(&self, what: &str, words: &str) -> Error {
        let error = Error::input(format!("cannot {what} the database: {}", self.address.concealed(words)))
            .in_file(&self.origin);
        match remedy(words) {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

/// What helps, by the code that the SQL standard has for the trouble.
fn remedy(words: &str) -> Option<&'static str> {
    let state = words.split("SQLSTATE: ").nth(1)?;
    match state.get(..5)? {
        "40001" | "40P01" => Some("another transaction was in the way; run it again"),
        "57P01" | "57P02" | "57P03" | "08006" | "08003" | "08001" => {
            Some("the connection was lost; check that the database is running, then run it again")
        }
        "42501" => {
            Some("ask for the right that is missing; the page on databases lists those that Privet needs")
        }
        "55P03" | "57014" => {
            Some("a time limit of the database has passed; run it again when it is less busy")
        }
        _ => None,
    }
}

/// A database that is open in this process.
struct Opened(ManagedDatabase);

/// The databases that are open, by driver and address. Some databases, such as DuckDB, may be opened once at a time; and all connections
/// of a run should be to the same one.
static OPEN: Mutex<Vec<(String, String, Weak<Opened>)>> = Mutex::new(Vec::new());

fn opened(
    table: &DatabaseTable,
    address: &Address,
    failed: &dyn Fn(adbc_core::error::Error) -> Error,
) -> Result<Arc<Opened>> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|(_, _, database)| database.strong_count() > 0);
    let same = open.iter().find(|(driver, at, _)| *driver == table.driver && at == address.exposed());
    if let Some(database) = same.and_then(|(_, _, database)| database.upgrade()) {
        return Ok(database);
    }
    let mut driver = load(table)?;
    let options = [(OptionDatabase::Uri, OptionValue::from(address.exposed()))];
    let database = Arc::new(Opened(driver.new_database_with_opts(options).map_err(failed)?));
    open.push((table.driver.clone(), address.exposed().to_string(), Arc::downgrade(&database)));
    Ok(database)
}

/// Loads the driver that the policy names.
fn load(table: &DatabaseTable) -> Result<ManagedDriver> {
    let name = table.driver.as_str();
    let (library, entry): (&str, Option<&[u8]>) = match name {
        "postgresql" | "postgres" => ("adbc_driver_postgresql", None),
        "sqlite" => ("adbc_driver_sqlite", None),
        "duckdb" => ("duckdb", Some(b"duckdb_adbc_init")),
        // By its path.
        other if Dialect::of(other) == Dialect::Duckdb => (other, Some(b"duckdb_adbc_init")),
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

/// The driver's file in the directories that the user names. Python packages call it `lib….so` on every system.
fn candidates(library: &str) -> Vec<PathBuf> {
    let own = format!("{}{library}{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let files = [own, format!("lib{library}.so")];
    let folders = env::var_os(DRIVERS).unwrap_or_default();
    let folders: Vec<PathBuf> =
        env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let all = folders.iter().flat_map(|folder| files.iter().map(move |file| folder.join(file)));
    let mut found: Vec<PathBuf> = all.filter(|path| path.is_file()).collect();
    found.dedup();
    found
}

/// How to get a driver that is not there.
fn missing(name: &str) -> String {
    let file = format!("{}{name}{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    match name {
        "postgresql" | "postgres" => from_python("adbc_driver_postgresql"),
        "sqlite" => from_python("adbc_driver_sqlite"),
        "duckdb" => format!(
            "download the C library (libduckdb) from https://duckdb.org/docs/installation and set {DRIVERS} to the directory that \
             holds {file}; the Python package does not work here"
        ),
        _ => format!(
            "give the path of the driver's library, or set {DRIVERS} to the directory that holds {file}"
        ),
    }
}

fn from_python(package: &str) -> String {
    let name = package.replace('_', "-");
    format!(
        "the Python package {name} brings it: pip install {name}; then set {DRIVERS} to the directory that python3 -c 'import \
         {package} as d; print(d.__path__[0])' prints"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::data::Relation;

    #[test]
    fn remedies_go_by_the_code_of_the_trouble() {
        assert!(
            remedy("ERROR: could not serialize access\nSQLSTATE: 40001")
                .is_some_and(|help| help.contains("again"))
        );
        assert_eq!(remedy("SQLSTATE: 42P01"), None);
        assert_eq!(remedy("no code"), None);
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
