//! Privet publishes data about people without publishing the people.
//!
//! A publisher gives it data and a policy; it gives back a release that provably meets the policy at the least loss of
//! usefulness, an independent audit of that release, and a report. The `privet` command is a thin front for this library.
//!
//! # The steps
//!
//! ```text
//! Policy + data ──▶ decide ──▶ Decision ──▶ apply ──▶ rows, in files, in memory or elsewhere
//!                                  │
//!                                  └──────▶ publish ──▶ a release directory: audited, attacked, with reports
//! original + release ──▶ audit, attack
//! ```
//!
//! - [`policy::Policy`] is the policy as written. It is checked against the data that it names, or against any others.
//! - Data are a [`data::Source`] (a file, Arrow batches or rows in memory, or whatever implements [`data::Rows`]) or
//!   [transactions](data::TransactionSource).
//! - [`decide`](fn@decide) reads the data and searches for the best plan. What a plan must satisfy is in [`privacy`], what it loses
//!   in [`loss`], how it is found in [`method`].
//! - [`apply`](fn@apply) writes the released rows to a [`data::Destination`].
//! - [`audit`](fn@audit) checks a release from the original, the released data and the policy, with none of the code above.
//! - [`attack`](fn@attack) tries what an attacker could do who knows more than the policy assumes.
//! - [`publish`](fn@publish) makes the release directory that the command makes. [`release::anonymize_any`] does all of this in one
//!   call.
//! - [`risk`](mod@risk) measures what the data, or a release, are worth to an attacker, before anything is decided.
//! - [`compare`] decides several policies without publishing anything, and measures what each would lose and risk.
//!
//! # Example
//!
//! ```
//! use privet::clock::Clock;
//! use privet::engine::microdata::Microdata;
//! use privet::example::Example;
//! use privet::method::{self};
//! use privet::policy::Policy;
//! use privet::audit;
//! use privet::release::{self, RunOptions};
//!
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let folder = folder.path();
//! // Ten patients with a policy: 2-anonymity, and two diseases in every class.
//! Example::find("patients")?.write(&folder.join("patients"))?;
//! let policy = Policy::read(&folder.join("patients/policy.toml"))?.check(None)?;
//!
//! // What the search finds, without publishing anything.
//! let clock = Clock::unlimited();
//! let microdata = Microdata::read(&policy, &mut |_| Ok(()))?;
//! let solution = method::run(&policy, &microdata, &clock)?;
//! assert!(solution.search.optimal);
//! assert_eq!(solution.plan.level("Education"), Some(0));
//! assert_eq!(solution.plan.level("Country"), Some(2));
//!
//! // The whole way to a published release.
//! let target = folder.join("release");
//! let options = RunOptions::to(&target);
//! let published = release::anonymize(policy, &options, &clock)?;
//! assert!(published.audit.passed);
//! assert!(target.join("public/release.csv").is_file());
//!
//! // And the audit again, from what is on disk.
//! let audit = audit::audit_release(&target, None, &clock)?;
//! assert!(audit.passed);
//! assert_eq!(audit.classes, 4);
//! # Ok::<(), privet::Error>(())
//! ```

mod column_values;
pub mod compare;
pub mod first;
mod keys;
pub mod promise;
pub mod release;
pub mod risk;
pub mod sessions;
pub mod what_if;

pub use column_values::ColumnValues;
pub use keys::new_key;
pub use privet_attack as attack;
pub use privet_audit as audit;
pub use privet_core::{
    Error, ErrorKind, Exact, MORE_MEMORY, Result, RunKey, ValueSet, clock, counted, cpu, noun, ordinal,
    place, platform, random, shortened, suggestion, thousands, visible,
};
pub use privet_data as data;
pub use privet_drafts as drafts;
pub use privet_engine as engine;
pub use privet_engine::{loss, privacy};
pub use privet_examples as example;
pub use privet_ledger as ledger;
pub use privet_methods as method;
pub use privet_policy as policy;
pub use privet_report as report;
pub use privet_taxonomy as taxonomy;
pub use release::cluster;
pub use release::{Applied, Decision, apply, attack, audit, decide, decide_by_plan, publish};
