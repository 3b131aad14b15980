//! Tables of Arrow batches that somebody else holds and gives as often as needed: the answer to a query, for example.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::OnceLock;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use super::columnar::{self, Columns};
use super::origin::{Fingerprint, Origin, Version};
use super::rows::{Feed, Rows, hashed};
use super::source::{Source, SourceColumn, UnreadColumn};
use privet_core::{Error, Result};

/// Gives the same Arrow batches any number of times.
pub trait BatchSupply: Send + Sync + Debug {
    /// The columns of every batch.
    fn schema(&self) -> &SchemaRef;

    /// Gives all batches in order, until `take` says that no more are wanted.
    fn each(&self, take: &mut dyn FnMut(RecordBatch) -> Result<bool>) -> Result<()>;
}

#[derive(Debug)]
struct SuppliedTable<S> {
    origin: Origin,
    version: Version,
    columns: Columns,
    /// The positions of the columns that can be read, unless all of them can.
    readable: Option<Vec<usize>>,
    supply: S,
    fingerprint: OnceLock<Fingerprint>,
}

impl Source {
    /// A table of Arrow batches that a supply gives as often as needed. Columns of types that cannot be read are left out. Two
    /// readings find the same rows in the same order as long as the supply keeps its promise; `version` names the state that it
    /// gives.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use privet_data::arrow_array::{Int64Array, RecordBatch};
    /// use privet_data::arrow_schema::SchemaRef;
    /// use privet_data::{BatchSupply, Origin, Source, Version};
    /// use privet_core::Result;
    ///
    /// #[derive(Debug)]
    /// struct Ages(RecordBatch, SchemaRef);
    ///
    /// impl BatchSupply for Ages {
    ///     fn schema(&self) -> &SchemaRef { &self.1 }
    ///     fn each(&self, take: &mut dyn FnMut(RecordBatch) -> Result<bool>) -> Result<()> {
    ///         take(self.0.clone()).map(drop)
    ///     }
    /// }
    ///
    /// let ages = Arc::new(Int64Array::from(vec![34, 61]));
    /// let batch = RecordBatch::try_from_iter([("age", ages as _)]).expect("a batch");
    /// let supply = Ages(batch.clone(), batch.schema());
    /// let source = Source::of_supply(Origin::Other("ages".into()), Version::named("first"), supply)?;
    /// let mut rows = 0;
    /// source.read(&mut |batch, _| Ok(rows += batch.rows()))?;
    /// assert_eq!(rows, 2);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn of_supply(origin: Origin, version: Version, supply: impl BatchSupply + 'static) -> Result<Source> {
        let (columns, readable) = columnar::columns_in_memory(&PathBuf::from(&origin), supply.schema())?;
        Ok(Source::of(SuppliedTable {
            origin,
            version,
            columns,
            readable,
            supply,
            fingerprint: OnceLock::new(),
        }))
    }
}

impl<S: BatchSupply> Rows for SuppliedTable<S> {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn columns(&self) -> &[SourceColumn] {
        &self.columns.read
    }

    fn unread(&self) -> &[UnreadColumn] {
        &self.columns.unread
    }

    fn version(&self) -> Option<Version> {
        Some(self.version.clone())
    }

    fn fingerprint(&self) -> Result<Fingerprint> {
        if let Some(known) = self.fingerprint.get() {
            return Ok(known.clone());
        }
        let found = hashed(self)?;
        Ok(self.fingerprint.get_or_init(|| found).clone())
    }

    fn stream(&self, feed: &mut Feed<'_>) -> Result<()> {
        let mut done = 0;
        self.supply.each(&mut |batch| {
            let kept = match &self.readable {
                Some(places) => batch.project(places),
                None => Ok(batch),
            };
            let kept = kept.map_err(|error| Error::internal(error.to_string()).in_file(&self.origin))?;
            done += kept.get_array_memory_size() as u64;
            feed.arrow(&kept, done)
        })
    }
}
