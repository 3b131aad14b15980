//! Earlier plans, applied to later data.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::manifest::absolute;
use super::pipeline::made;
use super::projections::Projections;
use super::recoded::Recoded;
use super::rooms::pretty;
use super::run::{Published, RunOptions};
use super::transactions::Transactions;
use privet_audit::{Audit, ReleaseFolder};
use privet_core::clock::Clock;
use privet_core::hash::sha256_of_text;
use privet_core::{Error, Result};
use privet_data::Origin;
use privet_methods::plan::Plan;
use privet_policy::layout::{PLAN, POLICY, STEWARD};
use privet_policy::{AnyPolicy, Policy, ReleaseKind};

/// A plan of an earlier release, and where it comes from.
///
/// ```
/// use privet::clock::Clock;
/// use privet::data::Source;
/// use privet::policy::Policy;
/// use privet::release::EarlierPlan;
///
/// # let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[privacy.k-anonymity]\nk = 2\n[method]\nname = 'full-domain'";
/// let policy = Policy::parse("policy.toml".as_ref(), text.into())?;
/// let people = Source::of_rows("people", &["age"], [["34"], ["34"], ["61"], ["61"]])?;
/// let clock = Clock::unlimited();
/// let plan = EarlierPlan::of(privet::decide(&policy, people, Some(7), &clock)?.plan()?)?;
///
/// let later = Source::of_rows("later", &["age"], [["61"], ["61"], ["34"]])?;
/// let decision = privet::decide_by_plan(&plan, &policy, later, Some(7), &clock)?;
/// assert_eq!(decision.records()?, (2, 3), "somebody would be alone");
/// # Ok::<(), privet::Error>(())
/// ```
#[derive(Debug, Clone, Serialize)]
pub struct EarlierPlan {
    /// The file.
    #[serde(rename = "plan")]
    path: String,
    /// The SHA-256 of the file.
    sha256: String,
    /// The plan.
    #[serde(skip)]
    pub plan: Plan,
    /// The directory of the release, if one was named.
    #[serde(skip)]
    release: Option<PathBuf>,
}

impl EarlierPlan {
    /// Reads the plan of a release directory, or a plan file.
    pub fn read(place: &Path) -> Result<EarlierPlan> {
        let release = place.is_dir().then(|| place.to_path_buf());
        let path = match &release {
            Some(release) => release.join(STEWARD).join(PLAN),
            None => place.to_path_buf(),
        };
        if let Some(release) = &release
            && let Some(fault) = ReleaseFolder::open(release)?.fault_of_plan()?
        {
            return Err(Error::input(fault)
                .in_file(&path)
                .help("restore it, or make a release of the new data with `privet anonymize`"));
        }
        let text = fs::read_to_string(&path).map_err(|error| {
            Error::io("read the plan", &path, &error)
                .help("name a release directory, as `privet anonymize -o` made it, or the plan.json in one")
        })?;
        let plan = Plan::parse(&text).map_err(|error| error.in_file(&path))?;
        Ok(EarlierPlan { path: absolute(&path), sha256: sha256_of_text(&text), plan, release })
    }

    /// A plan that is not in a file.
    pub fn of(plan: Plan) -> Result<EarlierPlan> {
        let sha256 = sha256_of_text(&pretty(&plan)?);
        Ok(EarlierPlan { path: "plan (in memory)".to_string(), sha256, plan, release: None })
    }

    /// The plan's file.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The policy of the earlier release; a plan file has none.
    pub fn policy(&self) -> Result<Policy> {
        match &self.release {
            Some(release) => {
                let folder = ReleaseFolder::open(release)?;
                match folder.faults_of_policy()?.first() {
                    None => folder.policy(),
                    Some(fault) => Err(Error::input(fault)
                        .in_file(release.join(STEWARD).join(POLICY))
                        .help("restore it, or name a policy with --policy")),
                }
            }
            None => Err(Error::input("a plan file alone does not say what a release must guarantee")
                .in_file(&self.path)
                .help("name a policy with --policy, or the release directory instead of its plan")),
        }
    }
}

/// Applies an earlier plan to data of the same form, audits the result and publishes it, as a run does.
///
/// Classes of a table that fall below the policy's requirements are suppressed; people whose class falls below them in one of
/// several tables are suppressed in all. If the policy names a ledger, classes that expose somebody together with the earlier
/// releases in it are suppressed as well. A plan whose effect on a record depends on other records is refused.
///
/// ```
/// use privet::clock::Clock;
/// use privet::example::Example;
/// use privet::policy::Policy;
/// use privet::release::{EarlierPlan, RunOptions, anonymize, apply_plan};
///
/// # let folder = tempfile::tempdir().expect("a directory");
/// # let folder = folder.path();
/// Example::find("patients")?.write(&folder.join("patients"))?;
/// let policy = Policy::read(&folder.join("patients/policy.toml"))?.check(None)?;
/// let (first, second, clock) = (folder.join("first"), folder.join("second"), Clock::unlimited());
/// anonymize(policy, &RunOptions::to(&first), &clock)?;
///
/// let earlier = EarlierPlan::read(&first)?;
/// let later = folder.join("patients/patients.csv");
/// let published = apply_plan(&earlier, &earlier.policy()?, &later, &RunOptions::to(&second), &clock)?;
/// assert!(published.audit.passed);
/// # Ok::<(), privet::Error>(())
/// ```
pub fn apply_plan(
    earlier: &EarlierPlan,
    policy: &Policy,
    data: &Path,
    options: &RunOptions,
    clock: &Clock,
) -> Result<Published> {
    earlier.plan.check_reusable().map_err(|error| error.in_file(&earlier.path))?;
    let applied = Some(earlier);
    match policy.about(data)?.check_any(None).map_err(|error| policy.moved(error))? {
        AnyPolicy::Table(policy) => match policy.publishes() {
            ReleaseKind::Projections => made::<Projections>(policy, options, applied, clock),
            _ => made::<Recoded>(policy, options, applied, clock),
        },
        AnyPolicy::Transactions(policy) => made::<Transactions>(policy, options, applied, clock),
        AnyPolicy::Vocabularies(policy) => {
            Err(Error::input("the plan is not about vocabularies, the policy is")
                .in_file(policy.written.path())
                .help("use the policy that the plan was made with"))
        }
    }
}

/// The error for data that does not meet the policy under an earlier plan, although what can be suppressed was.
pub(super) fn not_met(audit: &Audit, plan: &Plan, data: &Origin) -> Error {
    let help = match plan {
        Plan::Levels(_) | Plan::Cuts(_) | Plan::Boxes(_) => {
            "provide more records, or make a release of the new data with `privet anonymize`"
        }
        _ => {
            "plans of this method suppress nothing: provide more records, or make a release of the new data with \
             `privet anonymize`"
        }
    };
    let failing = audit.checks.iter().filter(|check| !check.holds);
    let failing: Vec<String> = failing.map(|check| format!("{}: {}", check.name, check.detail)).collect();
    Error::infeasible(format!("under this plan the data does not meet the policy: {}", failing.join("; ")))
        .in_file(data)
        .help(help)
}
