//! Privet publishes data about people without publishing the people.
//!
//! A publisher gives it data and a policy; it gives back a release that provably meets the policy at the least loss of
//! usefulness, an independent audit of that release, and a report. The `privet` command is a thin front for this library.
//!
//! # The flow
//!
//! ```text
//! Policy ──▶ CheckedPolicy ──▶ Microdata ──▶ method::run ──▶ release::anonymize ──▶ audit
//! as         as understood     distinct      searches for    writes, audits and     again, at
//! written                      records       the best plan   publishes a release    any time
//! ```
//!
//! - [`policy::Policy`] is the file as written. [`policy::Policy::check`] reads the data's header and the hierarchies and
//!   turns it into a [`policy::CheckedPolicy`]; only that kind can run.
//! - [`engine::microdata::Microdata`] is the summarised data: how often each distinct combination of the columns that matter
//!   occurs, with the hierarchies beside it. Searches run on it, whatever the number of rows.
//! - [`method::run`] searches for the best plan. What a plan must satisfy is in [`privacy`], what it loses in [`loss`].
//! - [`release::anonymize`] does all of this in one call, writes the release in shuffled order, audits it and moves it
//!   into place in one step.
//! - [`compare`] decides several policies without publishing anything, and measures what each would lose and risk.
//! - [`attack`] tries what somebody could do who knows more than the policy assumes.
//! - [`audit`] checks a release from the original, the released file and the policy, with none of the code above.
//!
//! Sets of items, one per person, take the same way: [`policy::TransactionPolicy`], [`engine::baskets::Baskets`],
//! [`method::kl::run`] and [`release::anonymize_transactions`]. [`policy::Policy::check_any`] and [`release::anonymize_any`] are the
//! doors for a policy of either kind.
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
//! assert_eq!(solution.plan["levels"]["Education"], 0);
//! assert_eq!(solution.plan["levels"]["Country"], 2);
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

pub mod compare;
pub mod release;

pub use privet_attack as attack;
pub use privet_audit as audit;
pub use privet_core::{
    Error, ErrorKind, Exact, Result, RunKey, clock, counted, cpu, noun, ordinal, place, platform, random,
    shortened, suggestion, thousands, visible,
};
pub use privet_data as data;
pub use privet_drafts as drafts;
pub use privet_engine as engine;
pub use privet_engine::{loss, privacy};
pub use privet_examples as example;
pub use privet_ledger as ledger;
pub use privet_methods as method;
pub use privet_policy as policy;
pub use privet_taxonomy as taxonomy;
