//! Tables in databases. What speaks to a database is a crate of its own; here is what a policy says about one, and where the program
//! that has that crate makes it known.

use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::source::Source;
use privet_core::{Error, Result};

/// A table or a query of a database, as a policy names it. Nothing in it is secret: the address, which may hold a password, is in
/// an environment variable.
///
/// ```
/// use privet_data::{DatabaseTable, Relation};
///
/// let table = DatabaseTable {
///     driver: "postgresql".into(),
///     uri_env: "PRIVET_DATABASE".into(),
///     relation: Relation::Table("clinic.patients".into()),
/// };
/// assert_eq!(table.to_string(), "table clinic.patients (postgresql)");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseTable {
    /// The driver: `postgresql`, `sqlite`, `duckdb`, or the name or path of an ADBC driver.
    pub driver: String,
    /// The environment variable with the database's address.
    pub uri_env: String,
    /// What is read.
    pub relation: Relation,
}

/// What is read of a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// A table or a view: `name`, or `schema.name`.
    Table(String),
    /// The rows that a query gives.
    Query(String),
}

impl fmt::Display for DatabaseTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.relation {
            Relation::Table(name) => write!(f, "table {name} ({})", self.driver),
            // A query may hold values that single somebody out, so messages do not repeat it.
            Relation::Query(_) => write!(f, "a query ({})", self.driver),
        }
    }
}

/// Opens a table of a database.
pub type Connector = fn(&DatabaseTable) -> Result<Source>;

static CONNECTOR: OnceLock<Connector> = OnceLock::new();

/// Makes the program's way to databases known. A program does this once, before it reads a policy; what comes later is ignored.
pub fn connect_by(connector: Connector) {
    let _ = CONNECTOR.set(connector);
}

impl Source {
    /// Opens a table of a database, by the way that the program has [made known](connect_by).
    pub fn of_database(table: &DatabaseTable) -> Result<Source> {
        let connector = CONNECTOR.get().ok_or_else(|| {
            Error::input(format!("this program was built without databases, so it cannot read {table}"))
                .help("install it with databases: cargo install --locked --path crates/privet-cli --features databases")
        })?;
        connector(table)
    }
}
