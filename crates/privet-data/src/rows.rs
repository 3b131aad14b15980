//! Tables that can be streamed more than once, whatever holds them.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use arrow_array::RecordBatch;
use arrow_schema::FieldRef;

use super::columnar;
use super::origin::{Fingerprint, Hashing, Origin, Version};
use super::source::{SourceColumn, UnreadColumn};
use super::{Batch, guard};
use privet_core::{Error, Result};

/// Batches under way between the thread that reads and its consumer.
const BATCHES_AHEAD: usize = 2;

/// A table that can be streamed any number of times: a file, batches in memory, a query to a database.
///
/// An implementor promises that every stream gives the same rows in the same order as long as [`version`](Rows::version)
/// stays the same. Wrap it in a [`Source`](super::Source) to use it.
///
/// ```
/// use std::sync::Arc;
/// use privet_data::arrow_array::{Int64Array, RecordBatch};
/// use privet_data::{CellKind, Feed, Origin, Rows, Source, SourceColumn, Version};
/// use privet_core::Result;
///
/// /// The numbers below a limit.
/// #[derive(Debug)]
/// struct Numbers(i64, Origin, Vec<SourceColumn>);
///
/// impl Rows for Numbers {
///     fn origin(&self) -> &Origin { &self.1 }
///     fn columns(&self) -> &[SourceColumn] { &self.2 }
///     fn version(&self) -> Option<Version> { Some(Version::named("always the same")) }
///     fn stream(&self, feed: &mut Feed<'_>) -> Result<()> {
///         let numbers = Arc::new(Int64Array::from_iter_values(0..self.0));
///         let batch = RecordBatch::try_from_iter([("number", numbers as _)]).expect("one column");
///         feed.arrow(&batch, 0).map(drop)
///     }
/// }
///
/// let column = SourceColumn { name: "number".into(), kind: CellKind::Integer };
/// let source = Source::of(Numbers(1000, Origin::Other("numbers below 1000".into()), vec![column]));
/// let mut rows = 0;
/// source.read(&mut |batch, _| Ok(rows += batch.rows()))?;
/// assert_eq!(rows, 1000);
/// # Ok::<(), privet_core::Error>(())
/// ```
pub trait Rows: Send + Sync + Debug {
    /// Where the table comes from.
    fn origin(&self) -> &Origin;

    /// The columns, in their order.
    fn columns(&self) -> &[SourceColumn];

    /// Columns that cannot be read and are left out.
    fn unread(&self) -> &[UnreadColumn] {
        &[]
    }

    /// About how large the table is, in bytes, for progress; 0 where that is not known.
    fn bytes(&self) -> u64 {
        0
    }

    /// The state that the table is in now; `None` where nothing says.
    fn version(&self) -> Option<Version>;

    /// What the table holds. Reads all of it, unless the implementor knows better.
    fn fingerprint(&self) -> Result<Fingerprint> {
        hashed(self)
    }

    /// Feeds all rows in order. It runs in a thread of its own and stops when the feed says that nobody listens any more.
    fn stream(&self, feed: &mut Feed<'_>) -> Result<()>;
}

/// Where a table's rows go while it is being streamed.
#[derive(Debug)]
pub struct Feed<'a> {
    origin: &'a Origin,
    columns: &'a [SourceColumn],
    full: SyncSender<(Batch, u64)>,
    empties: Receiver<Batch>,
    /// Rows of Arrow batches so far.
    rows: u64,
}

impl Feed<'_> {
    /// A batch whose buffers can be filled again: a used one, or else a new one.
    pub(super) fn empty(&self) -> Batch {
        self.empties.try_recv().unwrap_or_default()
    }

    /// Hands a batch over, with the bytes that are done; false when nobody listens any more.
    pub(super) fn send(&self, batch: Batch, bytes: u64) -> bool {
        self.full.send((batch, bytes)).is_ok()
    }

    /// Feeds an Arrow batch that has the table's columns, with the bytes that are done; false when nobody listens any more. Nulls
    /// are empty cells.
    pub fn arrow(&mut self, batch: &RecordBatch, bytes: u64) -> Result<bool> {
        let place = PathBuf::from(self.origin);
        let schema = batch.schema();
        // Cells are read by position: in another order, an identifier could be published under another column's name.
        let is_named = |(field, column): (&FieldRef, &SourceColumn)| {
            field.name().is_empty() || *field.name() == column.name
        };
        let fields = schema.fields();
        if fields.len() != self.columns.len() || !fields.iter().zip(self.columns).all(is_named) {
            return Err(Error::input("a batch of the data has other columns than the table")
                .in_file(place)
                .help("give every batch the table's columns, in their order"));
        }
        let sent = guard::catch(|| columnar::send(&place, batch, self.rows, bytes, self))
            .map_err(|guard::Panicked| Error::input("a batch of the data is malformed").in_file(place))??;
        self.rows += batch.num_rows() as u64;
        Ok(sent)
    }
}

/// The fingerprint of a table by its rows.
pub(super) fn hashed<R: Rows + ?Sized>(rows: &R) -> Result<Fingerprint> {
    let mut hashing = Hashing::table(rows.columns());
    streamed(rows, &mut |batch, _| {
        hashing.batch(&batch);
        Ok(Some(batch))
    })?;
    Ok(hashing.finish())
}

/// Streams a table. `each` gets the batches with the bytes that are done, and returns those that it has no more use for. The next
/// batches are made meanwhile, in a thread that ends before this function returns.
pub(super) fn streamed<R: Rows + ?Sized>(
    rows: &R,
    each: &mut dyn FnMut(Batch, u64) -> Result<Option<Batch>>,
) -> Result<()> {
    let (full, batches) = sync_channel(BATCHES_AHEAD);
    let (used, empties) = sync_channel(BATCHES_AHEAD + 1);
    let origin = rows.origin();
    thread::scope(|scope| {
        let columns = rows.columns();
        let producer = thread::Builder::new()
            .name("privet-read".to_string())
            .spawn_scoped(scope, move || rows.stream(&mut Feed { origin, columns, full, empties, rows: 0 }))
            .map_err(|error| {
                Error::input(format!("cannot start a thread to read the data: {error}")).in_file(origin)
            })?;
        let mut consumed = Ok(());
        for (batch, bytes) in batches {
            match each(batch, bytes) {
                // When there is no space left, the buffers are dropped and the producer allocates new ones.
                Ok(batch) => batch.map_or((), |batch| drop(used.try_send(batch))),
                Err(error) => {
                    consumed = Err(error);
                    break;
                }
            }
        }
        // The loop has dropped its end of the queue: a producer that is still at work stops at its next batch.
        let produced = producer
            .join()
            .unwrap_or_else(|_| Err(Error::internal("the reader of the data failed").in_file(origin)));
        consumed.and(produced)
    })
}
