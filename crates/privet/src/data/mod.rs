//! What the publisher holds, and how it is read and written.

mod format;
mod sink;
mod source;
pub mod summary;

pub use format::{CellKind, Compression, FileKind, Format};
pub use sink::{Sink, SinkColumn};
pub use source::{Batch, ReadOptions, Source, SourceColumn};
pub use summary::{Located, MissingRule, Summary, SummaryColumn};
