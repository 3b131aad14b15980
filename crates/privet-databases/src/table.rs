//! A table or a query of a database as data.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adbc_core::{Connection, Statement};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{DataType, Field, SchemaRef};

use super::connection::{Access, Dialect, Link};
use super::name::{TableName, identifier};
use privet::data::{BatchSupply, DatabaseTable, Relation, Source, Version};
use privet::{Error, Result};

/// Opens a table of a database. Its connection stays open, in one transaction, as long as the source is in use: all passes see the
/// same rows.
pub fn open(table: &DatabaseTable) -> Result<Source> {
    let sql = statement(&table.relation)?;
    let link = Link::open(table, Access::Snapshot)?;
    let origin = link.origin.clone();
    let supply = QueryRows::new(Arc::new(Mutex::new(link)), sql)?;
    Source::of_supply(origin, Version::named("one transaction"), supply)
}

/// The query that gives the rows.
pub(crate) fn statement(relation: &Relation) -> Result<String> {
    Ok(match relation {
        Relation::Table(name) => format!("SELECT * FROM {}", TableName::parse(name)?.sql()),
        // A comment may end a query.
        Relation::Query(sql) => format!("{}\n", sql.trim().trim_end_matches(';')),
    })
}

/// The rows that a query gives, as often as it is asked in its transaction.
#[derive(Debug)]
pub(crate) struct QueryRows {
    link: Arc<Mutex<Link>>,
    sql: String,
    schema: SchemaRef,
    /// Rows before those of the query.
    before: usize,
}

impl QueryRows {
    /// Asks for the columns.
    pub(crate) fn new(link: Arc<Mutex<Link>>, sql: String) -> Result<QueryRows> {
        let mut asked = locked(&link);
        let (sql, before) = match asked.dialect {
            Dialect::Postgresql => (as_text_where_needed(&mut asked, &sql)?, 0),
            Dialect::Sqlite => (of_certain_types(&mut asked, &sql)?, 1),
            Dialect::Duckdb => (format!("SELECT * FROM ({sql}) AS rows_of_query"), 0),
            Dialect::Standard => (sql, 0),
        };
        let schema = match asked.dialect {
            Dialect::Postgresql | Dialect::Duckdb => columns(&mut asked, &format!("{sql} LIMIT 0"))?,
            Dialect::Sqlite | Dialect::Standard => columns(&mut asked, &sql)?,
        };
        if schema.fields().is_empty() {
            return Err(Error::input("the query gives no columns")
                .in_file(&asked.origin)
                .help("use a SELECT statement"));
        }
        drop(asked);
        Ok(QueryRows { link, sql, schema, before })
    }
}

/// A connection of one's own, until the guard is dropped.
pub(crate) fn locked(link: &Mutex<Link>) -> MutexGuard<'_, Link> {
    link.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks a query and hands its rows on.
fn asked<T>(
    link: &mut Link,
    sql: &str,
    take: impl FnOnce(&Link, Box<dyn RecordBatchReader + Send>) -> Result<T>,
) -> Result<T> {
    let mut statement = link.connection.new_statement().map_err(|error| link.failed("ask", &error))?;
    let rows = statement.set_sql_query(sql).and_then(|()| statement.execute());
    // The statement has to outlive its rows.
    take(link, rows.map_err(|error| link.failed("ask", &error))?)
}

/// The columns of a query.
fn columns(link: &mut Link, sql: &str) -> Result<SchemaRef> {
    asked(link, sql, |_, rows| Ok(rows.schema()))
}

/// What PostgreSQL's driver calls the type of a column.
const TYPE: &str = "POSTGRESQL:type";

/// A query of PostgreSQL with columns of rarer types as text: the driver gives these as the bytes that PostgreSQL keeps.
fn as_text_where_needed(link: &mut Link, sql: &str) -> Result<String> {
    let whole = format!("SELECT * FROM ({sql}) AS rows_of_query");
    let schema = columns(link, &format!("{whole} LIMIT 0"))?;
    let fields = schema.fields();
    let is_twice = |field: &Field| fields.iter().filter(|other| other.name() == field.name()).count() > 1;
    // Columns of one name are refused later; here they could not be told apart.
    if fields.iter().all(|field| cast(field).is_none()) || fields.iter().any(|field| is_twice(field)) {
        return Ok(whole);
    }
    let columns: Vec<String> = fields
        .iter()
        .map(|field| {
            let name = identifier(field.name());
            cast(field).map_or_else(|| name.clone(), |to| format!("{name}::{to} AS {name}"))
        })
        .collect();
    Ok(format!("SELECT {} FROM ({sql}) AS rows_of_query", columns.join(", ")))
}

/// The type as which a column of PostgreSQL is read, if it is not its own.
fn cast(field: &Field) -> Option<&'static str> {
    match field.metadata().get(TYPE)?.as_str() {
        "bool" | "int2" | "int4" | "int8" | "float4" | "float8" | "numeric" | "text" | "varchar"
        | "bpchar" | "char" | "name" | "date" | "time" | "timestamp" | "timestamptz" | "json" | "jsonb" => {
            None
        }
        // Bytes are not text.
        "bytea" => None,
        // The driver gives cents, and the text depends on the country.
        "money" => Some("numeric"),
        list if list.starts_with('_') => match field.data_type() {
            DataType::List(item) if *item.data_type() != DataType::Binary => None,
            _ => Some("text"),
        },
        _ => Some("text"),
    }
}

/// A query of SQLite whose columns have one type each. In SQLite every cell has a type of its own, and the driver takes that of the
/// first rows for the column's. So the cells are looked at, and a row of the right types stands before all others.
fn of_certain_types(link: &mut Link, sql: &str) -> Result<String> {
    let columns: Vec<String> = columns(link, &format!("SELECT * FROM ({sql}) LIMIT 0"))?
        .fields()
        .iter()
        .map(|field| identifier(field.name()))
        .collect();
    if columns.is_empty() {
        return Ok(sql.to_string());
    }
    let types = columns.iter().map(|name| {
        let any = |kind: &str| format!("max(typeof({name}) = '{kind}')");
        format!("4 * {} + 2 * {} + {}", any("blob"), any("text"), any("real"))
    });
    let look = format!("SELECT {} FROM ({sql})", types.collect::<Vec<_>>().join(", "));
    let found = asked(link, &look, |link, mut rows| {
        rows.next().transpose().map_err(|error| link.trouble("read all rows of", &error.to_string()))
    })?;
    let kind = |column: usize| {
        let cells = found.as_ref()?.columns().get(column)?.as_primitive_opt::<Int64Type>()?;
        (!cells.is_empty() && cells.is_valid(0)).then(|| cells.value(0))
    };
    let (first, rest): (Vec<String>, Vec<String>) = columns
        .iter()
        .enumerate()
        .map(|(column, name)| match kind(column) {
            Some(4..) => (format!("x'' AS {name}"), format!("CAST({name} AS BLOB)")),
            Some(2..) | None => (format!("'' AS {name}"), format!("CAST({name} AS TEXT)")),
            Some(1) => (format!("0.0 AS {name}"), format!("CAST({name} AS REAL)")),
            Some(_) => (format!("0 AS {name}"), name.clone()),
        })
        .unzip();
    Ok(format!("SELECT {} UNION ALL SELECT {} FROM ({sql})", first.join(", "), rest.join(", ")))
}

impl BatchSupply for QueryRows {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn each(&self, take: &mut dyn FnMut(RecordBatch) -> Result<bool>) -> Result<()> {
        let changed = |link: &Link| {
            Error::input("the columns of the table have changed").in_file(&link.origin).help("run it again")
        };
        asked(&mut locked(&self.link), &self.sql, |link, rows| {
            if rows.schema().fields() != self.schema.fields() {
                return Err(changed(link));
            }
            let mut before = self.before;
            for batch in rows {
                let batch = batch.map_err(|error| link.trouble("read all rows of", &error.to_string()))?;
                let skipped = before.min(batch.num_rows());
                before -= skipped;
                if !take(batch.slice(skipped, batch.num_rows() - skipped))? {
                    break;
                }
            }
            Ok(())
        })
    }
}
