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

use crate::Solution;
use oracle::Oracle;
use privet_core::ErrorKind;
use privet_core::clock::Clock;
use privet_engine::microdata::Microdata;
use privet_policy::CheckedPolicy;

/// What a method decides, the same on one thread and on four; `None` where not even the whole table as one class would do.
fn solved(oracle: &Oracle<'_>, policy: &CheckedPolicy, microdata: &Microdata) -> Option<Solution> {
    let run = |threads| on_threads(threads, || crate::run(policy, microdata, &Clock::unlimited()));
    let solution = match run(1) {
        Ok(solution) => solution,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Infeasible);
            let everybody: Vec<usize> = (0..oracle.records() as usize).collect();
            assert!(!oracle.holds(&everybody), "the whole table as one class would do");
            return None;
        }
    };
    let again = run(4).expect("the same release");
    assert_eq!(solution.plan, again.plan);
    assert_eq!(format!("{:?}", solution.recoding), format!("{:?}", again.recoding));
    Some(solution)
}

/// Runs `work` on this many threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}
