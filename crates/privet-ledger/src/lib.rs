//! The ledger: what was released of which people, to whom, so that releases are not only safe one by one.
//!
//! Two releases of the same people can reveal together what neither reveals alone (Ganta and others, KDD 2008; m-invariance,
//! Xiao and Tao, SIGMOD 2007). That can be tested only by who remembers the earlier ones. A steward names a file in the
//! policy; every release of every source adds to it: hashes of the source, the policy and the release, the key's name, the
//! recipient, and in which class each person was with which values next to them. Names and values are kept as salted hashes;
//! the file is the steward's alone all the same.
//!
//! - an [`Entry`] is a line, its [`Event`] what it says;
//! - [`Ledger`] reads a file and checks its chain, [`Writer`] adds to it;
//! - [`Signatures`] are the classes of a release, person by person;
//! - [`compose`] and [`re_release`] set those of several releases against each other, [`exposing`] names the classes to blame.

mod compose;
mod file;
mod line;
mod signature;
#[cfg(test)]
mod tests;

pub use compose::{Composition, ReRelease, Relation, compose, exposing, re_release};
pub use file::{Fault, Ledger, Recorded, State, Writer};
pub use line::{Entry, Event, PeopleBy, ReleaseLine, ReleasedFile, SourceLine, release_hash};
pub use signature::{Candidates, NOTHING, PersonKeys, RecordKeys, Salt, SignatureClass, Signatures, View};
