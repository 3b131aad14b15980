//! From a decision to a published release.

mod shuffle;
mod target;
