//! What the publisher holds, and how it is read and written.

mod arrays;
mod bags;
mod cells;
mod columnar;
mod compression;
mod counts;
mod database;
mod delimited;
mod destination;
mod dialect;
mod encoding;
mod first_line;
mod format;
mod formula;
mod guard;
mod header;
pub mod interner;
mod ipc_check;
mod json_lines;
mod knowledge;
mod list;
mod list_cell;
mod loose;
mod many_files;
mod memory;
mod origin;
mod people;
mod pieces;
mod query_log;
mod reading;
mod records;
mod rewriting;
mod rows;
mod selection;
mod sink;
mod source;
mod spool;
mod stored;
pub mod summary;
mod supply;
mod table_file;
mod term_set;
#[cfg(test)]
mod tests;
mod text;
mod transactions;
mod typed;
mod vocabularies;
mod workbook;
mod wrapping;

pub mod naming;

pub use arrow_array;
pub use arrow_schema;
pub use bags::{Bags, BagsBuilder, Term};
pub use cells::Batch;
pub use database::{Connector, DatabaseTable, Relation, connect_by};
pub use delimited::each_record;
pub use destination::{Destination, Directory, MemoryRelease, NewTable, NewTransactions};
pub use encoding::Encoding;
pub use format::{CellKind, Compression, FileKind, Format, TimeUnit};
pub use formula::{Formulas, is_formula, marked};
pub use formula::{kept_apart, unmarked};
pub use header::Header;
pub use knowledge::Knowledge;
pub use origin::{Fingerprint, Origin, Version};
pub use people::PeopleBuilder;
pub use people::Recurrence;
pub use people::{People, RepeatedIdentifier};
pub use query_log::{Clicks, Dropped, Lexicon, LogColumns, LogOptions, QueryLog, STOP_WORDS, WordOptions};
pub use reading::{
    Counted, DateColumn, DateFormat, FIRST_YEAR, NumberColumn, NumberFormat, ReadDate, Reading,
    is_zero_padded,
};
pub use rewriting::{Rewrite, RowCells};
pub use rows::{Feed, Rows};
pub use selection::RowSet;
pub use sink::{RowSink, Sink, SinkColumn};
pub use source::{EachCounted, Quote, ReadOptions, Source, SourceColumn, Unread, UnreadColumn};
pub use summary::{Located, MissingRule, Names, Summary, SummaryColumn};
pub use supply::BatchSupply;
pub use term_set::{set_cell, terms_of};
pub use transactions::{
    FIRST_CELL, Form, Transaction, TransactionLists, TransactionOptions, TransactionSink, TransactionSource,
};
pub use vocabularies::{
    Extraction, VocabularyColumns, VocabularyFile, VocabularyOptions, VocabularySink, VocabularySource,
};

pub use list::read_list;
pub use many_files::expanded;
pub use pieces::pieces;
pub use wrapping::{Wrapping, is_packed, wrappings};
