//! Releases that follow from the counts alone.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;

use super::{group_number, order};
use crate::release::Decision;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::{Destination, NewTable, NewTransactions, RowSink};
use privet_policy::layout::GROUP_COLUMN;
use privet_policy::{PolicyRef, ReleaseKind};

/// A released table by its distinct rows.
#[derive(Debug, Clone)]
pub struct CountedTable {
    /// What it is called.
    pub name: String,
    /// Its columns; `None` for transactions, whose rows are lists of items.
    pub columns: Option<Vec<String>>,
    /// Its rows: a number to order them by, their cells, and how often each is there. The number says nothing that the cells do
    /// not say.
    pub rows: Vec<(i64, Vec<String>, u64)>,
}

/// The tables of a release that shows nothing that was not counted: groups, several tables, sets of items, transactions. A cluster spells
/// them out.
///
/// Memory is needed for each distinct row; in groups, nearly every row is one.
///
/// ```
/// use privet::clock::Clock;
/// use privet::cluster;
/// use privet::policy::Policy;
///
/// let policy = Policy::parse("policy.toml".as_ref(), r#"
///     [data]
///     kind = "transactions"
///     [privacy.km-anonymity]
///     k = 3
///     m = 1
///     [method]
///     name = "og"
/// "#.into())?;
/// let counts = [(vec!["beer".to_string(), "milk".to_string()], 4), (vec!["milk".to_string()], 3)];
/// let baskets = cluster::gathered_lists(counts);
/// let clock = Clock::unlimited();
/// let decision = privet::decide(&policy, baskets.original()?, Some(7), &clock)?;
/// let tables = cluster::counted_tables(&decision, &clock)?;
/// let counts: Vec<u64> = tables[0].rows.iter().map(|(_, _, count)| *count).collect();
/// assert_eq!(counts.iter().sum::<u64>(), 7);
/// # Ok::<(), privet::Error>(())
/// ```
pub fn counted_tables(decision: &Decision, clock: &Clock) -> Result<Vec<CountedTable>> {
    let key = decision.key().ok_or_else(|| Error::internal("a query log is not released on a cluster"))?;
    let in_groups =
        matches!(decision.policy(), PolicyRef::Table(policy) if policy.publishes() == ReleaseKind::Groups);
    let counting = Counting::default();
    let applied = crate::apply(decision, &counting, clock)?;
    let mut tables = counting.tables.lock().unwrap_or_else(PoisonError::into_inner);
    let table = |name: &String| {
        let (columns, counts) =
            tables.remove(name).ok_or_else(|| Error::internal(format!("the release has no '{name}'")))?;
        // Groups have an order of their own, which says nothing: that of their numbers.
        let group = columns.iter().flatten().position(|name| name == GROUP_COLUMN).filter(|_| in_groups);
        let row = |(cells, count): (Vec<String>, u64)| {
            let number = match group {
                Some(group) => group_number(&cells, group),
                None => order(key, cells.iter().map(String::as_str)),
            };
            (number, cells, count)
        };
        let mut rows: Vec<_> = counts.into_iter().map(row).collect();
        rows.sort_unstable();
        let stem =
            Path::new(name).file_stem().map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into());
        Ok(CountedTable { name: stem, columns, rows })
    };
    applied.names.iter().map(table).collect()
}

/// Columns, where there are any, and how often each distinct row occurs.
type Counts = (Option<Vec<String>>, HashMap<Vec<String>, u64>);
type Tables = Arc<Mutex<BTreeMap<String, Counts>>>;

/// Counts the rows that are written.
#[derive(Default)]
struct Counting {
    tables: Tables,
}

struct CountingSink {
    name: String,
    counts: Counts,
    tables: Tables,
}

impl Counting {
    fn sink(&self, name: &str, columns: Option<Vec<String>>) -> Box<dyn RowSink> {
        let (name, counts) = (name.to_string(), (columns, HashMap::new()));
        Box::new(CountingSink { name, counts, tables: Arc::clone(&self.tables) })
    }
}

impl Destination for Counting {
    fn table(&self, table: &NewTable<'_>) -> Result<Box<dyn RowSink>> {
        let columns = table.columns.iter().map(|column| column.name.clone()).collect();
        Ok(self.sink(table.name, Some(columns)))
    }

    fn transactions(&self, new: &NewTransactions<'_>) -> Result<Box<dyn RowSink>> {
        Ok(self.sink(new.name, None))
    }

    fn is_text(&self, _: privet_data::FileKind) -> bool {
        false
    }
}

impl RowSink for CountingSink {
    fn write(&mut self, cells: &[&str]) -> Result<()> {
        let cells: Vec<String> = cells.iter().map(|cell| cell.to_string()).collect();
        *self.counts.1.entry(cells).or_default() += 1;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).insert(self.name, self.counts);
        Ok(())
    }
}
