//! Tables of databases as data, and releases into databases, by [ADBC](https://arrow.apache.org/adbc/): the user's own driver speaks
//! to the database, and rows come and go as Arrow batches.
//!
//! [`register`] makes the way to databases known; every policy with `driver` in `[data]` is then read from there. [`write_release`]
//! writes a finished release into a table; [`check_release`] finds out beforehand whether that table can be made.
//!
//! A table is read in one transaction for all passes of a run, so that the summary, the released rows and the audit see the same
//! state of the database.

mod address;
mod connection;
mod name;
mod table;
mod writing;

pub use connection::DRIVERS;
pub use table::open;
pub use writing::{WrittenTable, check_release, write_release};

/// Makes databases known to policies.
pub fn register() {
    privet::data::connect_by(open);
}
