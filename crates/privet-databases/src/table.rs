//! A table or a query of a database as data.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adbc_core::{Connection, Statement};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::SchemaRef;

use super::connection::{Access, Dialect, Link};
use privet::data::{BatchSupply, DatabaseTable, Relation, Source, Version};
use privet::{Error, Result};

/// Opens a table of a database. Its connection stays open, in one transaction, as long as the source is in use: all passes see the
/// same rows.
pub fn open(table: &DatabaseTable) -> Result<Source> {
    let link = Link::open(table, Access::Snapshot)?;
    let origin = link.origin.clone();
    let supply = QueryRows::new(Arc::new(Mutex::new(link)), statement(&table.relation))?;
    Source::of_supply(origin, Version::named("one transaction"), supply)
}

/// The query that gives the rows.
pub(crate) fn statement(relation: &Relation) -> String {
    match relation {
        Relation::Table(name) => format!("SELECT * FROM {}", Link::quoted(name)),
        Relation::Query(sql) => sql.trim().trim_end_matches(';').to_string(),
    }
}

/// The rows that a query gives, as often as it is asked in its transaction.
#[derive(Debug)]
pub(crate) struct QueryRows {
    link: Arc<Mutex<Link>>,
    sql: String,
    schema: SchemaRef,
}

impl QueryRows {
    /// Asks for the columns.
    pub(crate) fn new(link: Arc<Mutex<Link>>, sql: String) -> Result<QueryRows> {
        let schema = schema(&mut locked(&link), &sql)?;
        if schema.fields().is_empty() {
            return Err(Error::input("the query gives no columns")
                .in_file(&locked(&link).origin)
                .help("use a SELECT statement"));
        }
        Ok(QueryRows { link, sql, schema })
    }
}

/// A connection of one's own, until the guard is dropped.
pub(crate) fn locked(link: &Mutex<Link>) -> MutexGuard<'_, Link> {
    link.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The columns of a query.
fn schema(link: &mut Link, sql: &str) -> Result<SchemaRef> {
    // PostgreSQL knows the columns without a row. Others, such as SQLite, find the types by looking at rows.
    let asked = match link.dialect {
        Dialect::Postgresql => format!("SELECT * FROM ({sql}) AS rows_of_query LIMIT 0"),
        Dialect::Standard => sql.to_string(),
    };
    let mut statement = link.connection.new_statement().map_err(|error| link.failed("ask", &error))?;
    let rows = statement.set_sql_query(&asked).and_then(|()| statement.execute());
    Ok(rows.map_err(|error| link.failed("ask", &error))?.schema())
}

impl BatchSupply for QueryRows {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn each(&self, take: &mut dyn FnMut(RecordBatch) -> Result<bool>) -> Result<()> {
        let mut link = locked(&self.link);
        let mut statement = link.connection.new_statement().map_err(|error| link.failed("ask", &error))?;
        let rows = statement.set_sql_query(&self.sql).and_then(|()| statement.execute());
        let rows = rows.map_err(|error| link.failed("ask", &error))?;
        if rows.schema().fields() != self.schema.fields() {
            return Err(Error::input("the columns of the table have changed")
                .in_file(&link.origin)
                .help("run it again"));
        }
        for batch in rows {
            let batch = batch.map_err(|error| link.trouble("read all rows of", &error.to_string()))?;
            if !take(batch)? {
                break;
            }
        }
        Ok(())
    }
}
