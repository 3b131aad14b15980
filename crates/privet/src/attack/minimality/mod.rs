//! Minimality (Wong, Fu, Wang and Pei, VLDB 2007): whoever knows the method knows why it did not stop earlier.
//!
//! A method that generalises no more than it must has *rejected* finer versions of what it published, and where it rejects
//! because of sensitive values, the rejection tells about them.

mod sample;

pub(crate) use sample::{Effort, Found, Lot, Reason, sample};
