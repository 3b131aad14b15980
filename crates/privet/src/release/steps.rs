//! The steps of a run as calls of their own: decide, apply, audit, attack, publish.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::again::EarlierPlan;
use super::book::Book;
use super::buckets::Grouped;
use super::cluster::RowPlan;
use super::manifest::Statement;
use super::pipeline::{self, Making, Outlet, RunPolicy, Shape, Staged, Written};
use super::projections::Projections;
use super::recoded::Recoded;
use super::run::{Published, RunOptions, changed};
use super::side_by_side::{BeforeAfter, Wanted};
use super::target::Target;
use super::transactions::Transactions;
use super::vocabularies::Vocabularies;
use privet_attack::{Attacks, Choice};
use privet_audit::released::Released;
use privet_audit::{Audit, as_published, audit_data};
use privet_core::clock::Clock;
use privet_core::{Error, Result, RunKey};
use privet_data::{Destination, FileKind, NewTable, NewTransactions, RowSink, Version};
use privet_methods::SearchFacts;
use privet_methods::plan::Plan;
use privet_policy::{AnyPolicy, OriginalData, Policy, PolicyRef, Purpose, ReleaseKind};

/// What a method decided about data: the checked policy, the summary of the data, and what becomes of each record.
///
/// [`apply`] writes the release that it says, [`publish`] a whole release directory.
pub struct Decision {
    made: Made,
    seed: u64,
    /// The state of the data before they were read.
    version: Option<Version>,
    /// The earlier plan that was applied, where nothing was decided anew.
    earlier: Option<EarlierPlan>,
}

/// The decision, by the shape of the release.
enum Made {
    Table(Box<Recoded>),
    Groups(Box<Grouped>),
    Projections(Box<Projections>),
    Transactions(Box<Transactions>),
    Vocabularies(Box<Vocabularies>),
}

/// Does the same with a decision, whatever its shape.
macro_rules! whatever {
    ($made:expr, $shape:ident => $does:expr) => {
        match $made {
            Made::Table($shape) => $does,
            Made::Groups($shape) => $does,
            Made::Projections($shape) => $does,
            Made::Transactions($shape) => $does,
            Made::Vocabularies($shape) => $does,
        }
    };
}

impl Decision {
    /// The policy that it was made under.
    pub fn policy(&self) -> PolicyRef<'_> {
        whatever!(&self.made, shape => shape.policy().any())
    }

    /// What all random choices derive from. It is a secret.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The plan, as `steward/plan.json` has it.
    pub fn plan(&self) -> Result<Plan> {
        self.stated().map(|stated| stated.plan.clone())
    }

    /// Whether no better plan exists.
    pub fn is_optimal(&self) -> Result<bool> {
        self.stated().map(|stated| stated.search.optimal)
    }

    /// What the release loses: the name of the measure that was minimised, and the loss as a share of the worst there is.
    pub fn loss(&self) -> Result<(&'static str, f64)> {
        self.stated().map(|stated| (stated.cost.name, stated.cost.normalised))
    }

    /// How many records are released, of how many that were read.
    pub fn records(&self) -> Result<(u64, u64)> {
        self.stated().map(|stated| (stated.released, stated.read))
    }

    /// What is to become of each row, for workers of a [cluster](crate::cluster). `policy` is the one about the whole table, which has
    /// these columns; the decision is about the [lean](crate::cluster::lean) one.
    pub fn row_plan(&self, policy: &Policy, columns: &[String]) -> Result<RowPlan> {
        match &self.made {
            Made::Table(recoded) => RowPlan::of(recoded, policy, columns),
            Made::Groups(_) | Made::Projections(_) | Made::Transactions(_) | Made::Vocabularies(_) => {
                Err(Error::internal("only releases of one recoded table have a plan for each row"))
            }
        }
    }

    /// What all random choices derive from, where there are any in what is released.
    pub(in crate::release) fn key(&self) -> Option<RunKey> {
        match &self.made {
            Made::Table(shape) => Some(shape.key()),
            Made::Groups(shape) => Some(shape.key()),
            Made::Projections(shape) => Some(shape.key()),
            Made::Transactions(shape) => Some(shape.key()),
            Made::Vocabularies(_) => None,
        }
    }

    /// The requirements as the public may read them: with thresholds of their own only for values that the release shows.
    pub fn asked_in_public(&self) -> Result<Vec<String>> {
        let stated = self.stated()?;
        Ok(self.policy().asked().iter().map(|asked| stated.veil.public(asked)).collect())
    }

    /// How many records were dropped because they lack a value.
    pub fn dropped(&self) -> Result<u64> {
        self.stated().map(|stated| stated.dropped)
    }

    /// How many records are left out because they would be recognised.
    pub fn suppressed(&self) -> Result<u64> {
        self.stated().map(|stated| stated.suppressed)
    }

    /// What the user should know before anything is published.
    pub fn warnings(&self) -> Result<Vec<String>> {
        whatever!(&self.made, shape => shape.warnings(Vec::new()))
    }

    /// How the search went.
    pub fn search(&self) -> Result<SearchFacts> {
        self.stated().map(|stated| stated.search.clone())
    }

    /// Distinct records that have a cell with this text in it, each cell as it was read and as it is published.
    ///
    /// ```
    /// # use privet::clock::Clock;
    /// # use privet::data::Source;
    /// # use privet::policy::Policy;
    /// # let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[privacy.k-anonymity]\nk = 2\n[method]\nname = 'mondrian'";
    /// # let policy = Policy::parse("policy.toml".as_ref(), text.into())?;
    /// let people = Source::of_rows("people", &["age"], [["34"], ["36"], ["61"], ["67"]])?;
    /// let decision = privet::decide(&policy, people, None, &Clock::unlimited())?;
    /// let found = decision.before_after("6", 0, 2);
    /// assert_eq!((found.matching, found.rows[0].1[0].0.as_str()), (3, "36"));
    /// # Ok::<(), privet::Error>(())
    /// ```
    pub fn before_after(&self, text: &str, skip: usize, most: usize) -> BeforeAfter {
        let wanted = Wanted { text, skip, most };
        whatever!(&self.made, shape => shape.before_after(&wanted))
    }

    fn stated(&self) -> Result<Statement<'_>> {
        whatever!(&self.made, shape => shape.stated())
    }
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the seed nor the data are for logs.
        let policy = self.policy();
        write!(f, "Decision({} by {})", policy.origin(), policy.method().name())
    }
}

/// Reads data and decides what becomes of them. Nothing is written.
///
/// `original` is a [`Source`](privet_data::Source), transactions, a path, or `None` for the file that the policy names. `seed`
/// stands in for the policy's; where neither says, one is drawn.
///
/// ```
/// use privet::clock::Clock;
/// use privet::data::Source;
/// use privet::policy::Policy;
///
/// let policy = Policy::parse("policy.toml".as_ref(), r#"
///     [data]
///     [columns.age]
///     role = "quasi-identifier"
///     [columns.city]
///     role = "quasi-identifier"
///     [privacy.k-anonymity]
///     k = 2
///     [method]
///     name = "mondrian"
/// "#.into())?;
/// let rows = [["34", "Cork"], ["36", "Cork"], ["61", "Galway"], ["67", "Galway"]];
/// let people = Source::of_rows("people", &["age", "city"], rows)?;
/// let decision = privet::decide(&policy, people, None, &Clock::unlimited())?;
/// assert_eq!(decision.records()?, (4, 4));
/// # Ok::<(), privet::Error>(())
/// ```
pub fn decide(
    policy: &Policy,
    original: impl Into<OriginalData>,
    seed: Option<u64>,
    clock: &Clock,
) -> Result<Decision> {
    let (policy, seed, version) = begun(policy, original, seed)?;
    let made = match policy {
        AnyPolicy::Table(policy) => match policy.publishes() {
            ReleaseKind::Groups => Made::Groups(Box::new(Grouped::decide(policy, seed, clock)?)),
            ReleaseKind::Projections => {
                Made::Projections(Box::new(Projections::decide(policy, seed, clock)?))
            }
            _ => Made::Table(Box::new(Recoded::decide(policy, seed, clock)?)),
        },
        AnyPolicy::Transactions(policy) => {
            Made::Transactions(Box::new(Transactions::decide(policy, seed, clock)?))
        }
        AnyPolicy::Vocabularies(policy) => {
            Made::Vocabularies(Box::new(Vocabularies::decide(policy, seed, clock)?))
        }
    };
    clock.check()?;
    Ok(Decision { made, seed, version, earlier: None })
}

/// Applies an earlier plan to data of the same form, wherever they are. Nothing is written.
///
/// Classes of a table that fall below the policy's requirements are suppressed. Data with values that the plan does not know are
/// refused, and so is a plan whose effect on a record depends on other records. [`release::apply_plan`](super::apply_plan) does the
/// same with files and publishes the result; it also suppresses what a ledger asks for, which [`publish`] compares with as for any
/// decision. See [`EarlierPlan`] for an example.
pub fn decide_by_plan(
    earlier: &EarlierPlan,
    policy: &Policy,
    original: impl Into<OriginalData>,
    seed: Option<u64>,
    clock: &Clock,
) -> Result<Decision> {
    let plan = &earlier.plan;
    plan.check_reusable()?;
    let (policy, seed, version) = begun(policy, original, seed)?;
    let made = match policy {
        AnyPolicy::Table(policy) => match policy.publishes() {
            ReleaseKind::Groups => Made::Groups(Box::new(Grouped::compile(policy, plan, seed, clock)?)),
            ReleaseKind::Projections => {
                Made::Projections(Box::new(Projections::compile(policy, plan, seed, clock)?))
            }
            _ => Made::Table(Box::new(Recoded::compile(policy, plan, seed, clock)?)),
        },
        AnyPolicy::Transactions(policy) => {
            Made::Transactions(Box::new(Transactions::compile(policy, plan, seed, clock)?))
        }
        AnyPolicy::Vocabularies(policy) => {
            Made::Vocabularies(Box::new(Vocabularies::compile(policy, plan, seed, clock)?))
        }
    };
    clock.check()?;
    Ok(Decision { made, seed, version, earlier: Some(earlier.clone()) })
}

/// The policy as understood, the seed in use, and the state that the data are in before they are read.
fn begun(
    policy: &Policy,
    original: impl Into<OriginalData>,
    seed: Option<u64>,
) -> Result<(AnyPolicy, u64, Option<Version>)> {
    let mut policy = policy.check_any(original)?;
    let seed = pipeline::chosen(own_seed(&mut policy), seed)?;
    let version = policy.as_ref().version();
    Ok((policy, seed, version))
}

fn own_seed(policy: &mut AnyPolicy) -> &mut Option<u64> {
    match policy {
        AnyPolicy::Table(policy) => policy.settings().1,
        AnyPolicy::Transactions(policy) => policy.settings().1,
        AnyPolicy::Vocabularies(policy) => policy.settings().1,
    }
}

/// What [`apply`] wrote.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The names of the released tables, the one that names the release first.
    pub names: Vec<String>,
    /// Which record is published as what, for methods that publish groups or vocabularies. It is a secret.
    pub assignment: Option<String>,
}

/// Reads the data again and writes the release that was decided: to files, to memory, or to any other
/// [`Destination`]. Nothing is audited.
///
/// ```
/// use privet::clock::Clock;
/// use privet::data::{MemoryRelease, Source};
/// use privet::policy::Policy;
///
/// # let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[privacy.k-anonymity]\nk = 2\n[method]\nname = 'mondrian'";
/// let policy = Policy::parse("policy.toml".as_ref(), text.into())?;
/// let people = Source::of_rows("people", &["age"], [["34"], ["36"], ["61"], ["67"]])?;
/// let clock = Clock::unlimited();
/// let decision = privet::decide(&policy, people, None, &clock)?;
/// let release = MemoryRelease::default();
/// let applied = privet::apply(&decision, &release, &clock)?;
/// let (_, batches) = release.batches(&applied.names[0]).expect("a table");
/// assert_eq!(batches[0].num_rows(), 4);
/// # Ok::<(), privet::Error>(())
/// ```
pub fn apply(decision: &Decision, to: &dyn Destination, clock: &Clock) -> Result<Applied> {
    let folder = tempfile::tempdir()
        .map_err(|error| Error::io("make a temporary directory", std::env::temp_dir(), &error))?;
    let to = Unfinished { to, written: WrittenSinks::default() };
    let outlet = Outlet { to: &to, spill: &folder.path().join("spill"), format: None };
    let Written { names, assignment } = whatever!(&decision.made, shape => shape.write(&outlet, clock))?;
    let policy = decision.policy();
    if policy.version() != decision.version {
        return Err(changed(policy.origin()));
    }
    to.finish()?;
    Ok(Applied { names, assignment: assignment.map(|(_, text)| text) })
}

/// A destination whose tables are finished together, when it is known that the data did not change while they were read. A table
/// that is not finished was not published.
struct Unfinished<'a> {
    to: &'a dyn Destination,
    written: WrittenSinks,
}

/// Tables with all their rows.
type WrittenSinks = Arc<Mutex<Vec<Box<dyn RowSink>>>>;

struct UnfinishedSink {
    sink: Box<dyn RowSink>,
    written: WrittenSinks,
}

impl Unfinished<'_> {
    fn later(&self, sink: Box<dyn RowSink>) -> Box<dyn RowSink> {
        Box::new(UnfinishedSink { sink, written: Arc::clone(&self.written) })
    }

    fn finish(&self) -> Result<()> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.drain(..).try_for_each(|sink| sink.finish())
    }
}

impl Destination for Unfinished<'_> {
    fn table(&self, table: &NewTable<'_>) -> Result<Box<dyn RowSink>> {
        Ok(self.later(self.to.table(table)?))
    }

    fn transactions(&self, transactions: &NewTransactions<'_>) -> Result<Box<dyn RowSink>> {
        Ok(self.later(self.to.transactions(transactions)?))
    }

    fn is_text(&self, kind: FileKind) -> bool {
        self.to.is_text(kind)
    }
}

impl RowSink for UnfinishedSink {
    fn write(&mut self, cells: &[&str]) -> Result<()> {
        self.sink.write(cells)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).push(self.sink);
        Ok(())
    }
}

/// Audits released data against the original and a policy, by code that has no part in making releases. Original and release may
/// come from anywhere; nothing is assumed about how the release was made.
///
/// ```
/// use privet::audit::released::Released;
/// use privet::clock::Clock;
/// use privet::data::Source;
/// use privet::policy::Policy;
///
/// # let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[privacy.k-anonymity]\nk = 2\n[method]\nname = 'mondrian'";
/// let policy = Policy::parse("policy.toml".as_ref(), text.into())?;
/// let people = Source::of_rows("people", &["age"], [["34"], ["36"], ["61"]])?;
/// let release = Source::of_rows("release", &["age"], [["34-36"], ["34-36"], ["61"]])?;
/// let audit = privet::audit(&policy, people, &Released::Table(release), &Clock::unlimited())?;
/// assert!(!audit.passed, "somebody is alone");
/// # Ok::<(), privet::Error>(())
/// ```
pub fn audit(
    policy: &Policy,
    original: impl Into<OriginalData>,
    release: &Released,
    clock: &Clock,
) -> Result<Audit> {
    audit_data(&policy.check_any_for(original, Purpose::Audit)?, release, false, clock)
}

/// Random choices of attacks on data that were not made here: what they find is shown, never published.
const SEED: u64 = 1;

/// Attacks released data, as somebody would who has them and knows more than the policy assumes.
///
/// ```
/// use privet::attack::Choice;
/// use privet::audit::released::Released;
/// use privet::clock::Clock;
/// use privet::data::Source;
/// use privet::policy::Policy;
///
/// # let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[privacy.k-anonymity]\nk = 2\n[method]\nname = 'mondrian'";
/// let policy = Policy::parse("policy.toml".as_ref(), text.into())?;
/// let people = Source::of_rows("people", &["age"], [["34"], ["36"], ["61"]])?;
/// let release = Source::of_rows("release", &["age"], [["34-36"], ["34-36"], ["61"]])?;
/// let attacks =
///     privet::attack(&policy, people, Released::Table(release), &Choice::default(), &Clock::unlimited())?;
/// assert!(attacks.found.iter().any(|finding| finding.name == "linking"));
/// # Ok::<(), privet::Error>(())
/// ```
pub fn attack(
    policy: &Policy,
    original: impl Into<OriginalData>,
    release: Released,
    choice: &Choice,
    clock: &Clock,
) -> Result<Attacks> {
    release.check_whole()?;
    let mut policy = policy.check_any(original)?;
    if let AnyPolicy::Table(policy) = &mut policy {
        *policy = as_published(policy, &mut || clock.check())?;
    }
    pipeline::attacked(policy.as_ref(), release, SEED, false, None, choice, clock)
}

/// Writes the release that was decided, audits and attacks it, and publishes it as a directory: byte for byte what the command
/// `privet anonymize` makes of the same data, policy and seed.
///
/// ```
/// use privet::clock::Clock;
/// use privet::data::Source;
/// use privet::policy::Policy;
/// use privet::release::RunOptions;
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[privacy.k-anonymity]\nk = 2\n[method]\nname = 'mondrian'";
/// let policy = Policy::parse("policy.toml".as_ref(), text.into())?;
/// let people = Source::of_rows("people", &["age"], [["34"], ["36"], ["61"], ["67"]])?;
/// let clock = Clock::unlimited();
/// let decision = privet::decide(&policy, people, None, &clock)?;
/// let published = privet::publish(&decision, &RunOptions::to(folder.path().join("release")), &clock)?;
/// assert!(published.audit.passed && published.path.join("public/release.csv").is_file());
/// # Ok::<(), privet::Error>(())
/// ```
pub fn publish(decision: &Decision, options: &RunOptions, clock: &Clock) -> Result<Published> {
    stage(decision, options, clock)?.publish()
}

/// Makes the release that was decided, audits and attacks it, and leaves it hidden next to its place: see [`Staged`].
pub fn stage(decision: &Decision, options: &RunOptions, clock: &Clock) -> Result<Staged> {
    let late = [
        ("seed", options.seed.is_some_and(|seed| seed != decision.seed)),
        ("time_limit", options.time_limit.is_some()),
        ("holdout", options.holdout.is_some()),
    ];
    if let Some((name, _)) = late.iter().find(|(_, given)| *given) {
        return Err(Error::input(format!("'{name}' comes too late: the decision is made"))
            .help("give the seed to `decide`, and the time limit in the policy; release::anonymize_any holds people out"));
    }
    whatever!(&decision.made, shape => staged(&**shape, decision, options, clock))
}

fn staged<S: Shape>(shape: &S, decision: &Decision, options: &RunOptions, clock: &Clock) -> Result<Staged> {
    S::refuse(shape.policy(), options)?;
    pipeline::refuse_own_sources(&options.target, shape.policy().any(), None)?;
    let target = Target::claim(&options.target, options.force)?;
    let ledger = Book::open(decision.policy(), &options.target, clock)?;
    let making = Making::of(target, decision.seed, decision.version.clone(), ledger);
    let making = Making { applied: decision.earlier.as_ref(), ..making };
    pipeline::staged(shape, making, options, clock)
}
