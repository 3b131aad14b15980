//! The names of files and columns in a release, for those who write it and those who judge it.

/// The directory with what is published.
pub const PUBLIC: &str = "public";
/// The directory with what only the steward may see.
pub const STEWARD: &str = "steward";
/// What a run states about its release; one in each directory.
pub const MANIFEST: &str = "manifest.json";
/// What a run states about its release until it is published; for the steward.
pub const CLAIMS: &str = "claims.json";
/// The policy that a release was made under; for the steward.
pub const POLICY: &str = "policy.toml";
/// What was decided; for the steward.
pub const PLAN: &str = "plan.json";
/// What a steward's manifest calls the earlier plan that was applied, where nothing was decided anew.
pub const APPLIED: &str = "applied";
/// The records of people who were kept out of a release; for the steward.
pub const HOLDOUT: &str = "holdout.csv";
/// The quasi-identifiers of records in groups.
pub const QIT: &str = "qit.csv";
/// The sensitive values of groups.
pub const ST: &str = "st.csv";
/// Records in groups as one table, with the values shuffled within each group.
pub const PERMUTED: &str = "release.csv";
/// Which group each original record is in; for the steward.
pub const GROUP_ASSIGNMENT: &str = "buckets.csv";
/// Which published vocabulary is whose; for the steward.
pub const VOCABULARY_ASSIGNMENT: &str = "assignment.csv";
/// The column with the number of a record's group.
pub const GROUP_COLUMN: &str = "bucket";
/// The column that says how often a value occurs in a group.
pub const COUNT_COLUMN: &str = "count";
/// What stands between the words of a published term that may be any of them.
pub const TERM_SEPARATOR: &str = " | ";

/// What vocabularies lose, as manifests call it.
pub const BAG_LOSS: &str = "bLM";
/// The loss in which general words stand for all that is below them.
pub const GENERAL_LOSS: &str = "gLM";
/// The share of distinct terms that are kept.
pub const DISTINCT_TERMS: &str = "distinct-terms";
/// The share of occurrences that are kept.
pub const VOCABULARY_SIZE: &str = "vocabulary-size";

/// The file of a table of a plan, which are numbered from 1 on.
///
/// ```
/// assert_eq!(privet_policy::layout::projection(2), "projection-2.csv");
/// ```
pub fn projection(number: usize) -> String {
    format!("projection-{number}.csv")
}

/// The number of the table that a file of this name is.
///
/// ```
/// use privet_policy::layout::projection_number;
///
/// assert_eq!(projection_number("projection-12.csv"), Some(12));
/// assert_eq!(projection_number("projection-012.csv"), None);
/// ```
pub fn projection_number(name: &str) -> Option<usize> {
    let number = name.strip_prefix("projection-")?.strip_suffix(".csv")?.parse().ok()?;
    (projection(number) == name).then_some(number)
}
