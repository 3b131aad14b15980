//! Every method on random small tables: against brute force where it promises the best, and through the whole run,
//! audit included, where it promises a valid release.

mod full_domain;
mod lkc;
mod mondrian;
mod natural;
mod oracle;
mod people;
mod plans;
mod refine;
mod release;
mod sets;
pub mod table;

/// Runs `work` on this many threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}
