//! Everything a report can say about one release, as data.
//!
//! The model is filed as JSON in `steward/`, so that the report can be written again without the original. It holds what
//! the steward may see; which of it the public may see is decided when it is rendered, never by the code that fills it in.

use serde::{Deserialize, Serialize};

use super::common::Common;
use super::gate::{Original, Sourced};
use super::notion::{DataLabels, Notion};
use super::numbers::figure;
use privet_core::thousands;
use privet_policy::{PolicyColumn, Role};

/// All that both editions of the report about a table draw from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableReport {
    /// What all reports have in common.
    #[serde(flatten)]
    pub common: Common,
    /// What the policy asked for.
    pub requirements: Vec<Requirement>,
    /// What a missing value means in the release, in words. Printed in both editions.
    pub missing: String,
    /// What a suppressed cell or record means in the release, in words. Printed in both editions.
    pub suppression: String,
    /// How sure one may become of each sensitive value, for requirements that limit it.
    #[serde(default)]
    pub confidences: Vec<Confidences>,
    /// Sensitive columns before and after.
    pub sensitive: Vec<Distribution>,
    /// What public knowledge tells about records, before and after, where a column is quasi-sensitive. Steward only.
    #[serde(default)]
    pub links: Option<Original<LinkAccount>>,
    /// Some records, before and after. Steward only.
    #[serde(default)]
    pub rows: Original<SampleRows>,
    /// Which labels follow the data.
    #[serde(default, skip_serializing_if = "DataLabels::are_known_before")]
    pub labels: DataLabels,
}

/// Some records, before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRows {
    /// The published columns.
    pub columns: Vec<String>,
    /// Per record and column, the value as it was read and as it is published.
    pub rows: Vec<Vec<(String, String)>>,
}

/// How a release was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodAccount {
    /// The name used in policies, such as `full-domain`.
    pub name: String,
    /// What the method does, in a sentence or two. Printed in both editions.
    pub summary: String,
    /// Settings as name and value, such as `suppression_limit` and `1/20`. Printed in both editions.
    pub settings: Vec<(String, String)>,
}

/// One requirement of the policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Requirement {
    /// Its name in a policy.
    #[serde(default)]
    pub name: String,
    /// The notion with its parameters.
    pub notion: Notion,
    /// The requirement as the policy describes it. Printed in both editions.
    pub description: String,
}

/// What became of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Records {
    /// Records in the original.
    pub read: Original<u64>,
    /// Records left out because a value was missing.
    pub dropped: Original<u64>,
    /// Records withheld to meet a requirement.
    pub suppressed: Original<u64>,
    /// Records in the release.
    pub released: u64,
    /// Sensitive cells of released records that are suppressed, or occurrences that are left out.
    #[serde(default)]
    pub starred: Original<u64>,
    /// Whether the public reads nothing of how many records were suppressed, because that tells who is in the data.
    #[serde(default)]
    pub hides_suppressed: bool,
}

/// What was done to a column that is not published.
const REMOVED: &str = "removed";

/// One column: what it is and what was done to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnAccount {
    /// The column's name.
    pub name: String,
    /// Its role, as policies write it: `identifier`, `quasi-identifier`, `sensitive`, `mixed`, `class` or `other`.
    pub role: String,
    /// Why it has that role. It may speak of the original, so it is for the steward only.
    pub reason: Original<String>,
    /// What was done, in words: "level 2 of 4", "ranges", "unchanged", "removed". Printed in both editions.
    pub transformation: String,
    /// Distinct values in the original, where they were counted. Steward only.
    pub distinct_before: Option<Original<u64>>,
    /// Distinct values in the release.
    pub distinct_after: Option<u64>,
    /// Information lost in this column, from 0 (none) to 1 (all), where that is measured.
    pub loss: Option<Original<f64>>,
    /// The share of its released cells that are coarser than the original, from 0 to 1.
    pub generalised: Option<Original<f64>>,
    /// The share of its cells in released records that are suppressed, from 0 to 1, where that can be.
    #[serde(default)]
    pub suppressed: Option<f64>,
    /// The taxonomy with the chosen cut or level, where the column has one.
    pub taxonomy: Option<TaxonomyDrawing>,
    /// Why it is not published one level finer, where levels are chosen. Steward only.
    #[serde(default)]
    pub why: Option<Original<LevelReason>>,
}

/// Why a column is not published one level finer: a class that would fail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelReason {
    /// The column.
    pub column: String,
    /// The finer level.
    pub level: u8,
    /// The columns and cells of the class.
    pub class: Vec<(String, String)>,
    /// What it violates, as the policy says it.
    pub requirement: String,
    /// Its figure.
    pub figure: f64,
    /// What the figure must be at most, or at least.
    pub threshold: f64,
    /// Whether it must be at most the threshold.
    pub at_most: bool,
    /// How many classes would fail.
    pub classes: u64,
    /// How many records these have: what would have to be suppressed to keep the finer level.
    pub records: u64,
}

impl LevelReason {
    /// The reason in a sentence or two.
    ///
    /// ```
    /// use privet_report::LevelReason;
    /// let reason = LevelReason {
    ///     column: "age".into(), level: 1, class: vec![("age".into(), "20-29".into())],
    ///     requirement: "k-anonymity (k = 5)".into(), figure: 2.0, threshold: 5.0, at_most: false,
    ///     classes: 3, records: 9,
    /// };
    /// assert_eq!(
    ///     reason.in_words(),
    ///     "at level 1 the class age 20-29 fails k-anonymity (k = 5): 2, at least 5. \
    ///      To keep that level, 9 records in 3 classes would have to be suppressed"
    /// );
    /// ```
    pub fn in_words(&self) -> String {
        let cells: Vec<String> = self.class.iter().map(|(column, cell)| format!("{column} {cell}")).collect();
        let limit = if self.at_most { "at most" } else { "at least" };
        let nouns = |count: u64, one: &str, many: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{} {many}", thousands(count)),
        };
        format!(
            "at level {} the class {} fails {}: {}, {limit} {}. To keep that level, {} in {} would have to be suppressed",
            self.level,
            cells.join(", "),
            self.requirement,
            figure(self.figure),
            figure(self.threshold),
            nouns(self.records, "record", "records"),
            nouns(self.classes, "class", "classes"),
        )
    }
}

impl ColumnAccount {
    /// Whether the release has it.
    pub fn is_published(&self) -> bool {
        self.transformation != REMOVED
    }

    /// A column with its role, and nothing measured yet.
    pub fn new(column: &PolicyColumn, transformation: &str) -> ColumnAccount {
        ColumnAccount {
            name: column.name.clone(),
            role: column.role.map_or("not mentioned", Role::name).to_string(),
            reason: reason(column.role).to_string().into(),
            transformation: transformation.to_string(),
            distinct_before: None,
            distinct_after: None,
            loss: None,
            generalised: None,
            suppressed: None,
            taxonomy: None,
            why: None,
        }
    }
}

/// Why a column has its role.
fn reason(role: Option<Role>) -> &'static str {
    match role {
        Some(Role::Identifier) => "names a person directly",
        Some(Role::Pseudonym) => {
            "names a person directly: published as a keyed hash, by which the holder of the key can look up everybody on a list of people"
        }
        Some(Role::QuasiIdentifier) => "could identify a person together with others",
        Some(Role::Sensitive) => "what nobody may learn about a person",
        Some(Role::Mixed) => "some of its values can be seen on a person, others nobody may learn",
        Some(Role::Set) => "a set of items, a few of which others may know",
        Some(Role::QuasiSensitive) => "public knowledge may turn it into something sensitive",
        Some(Role::Class) => "what analysis wants to predict",
        Some(Role::Weight) => "how many people of the population a record stands for",
        Some(Role::Household) => "who lives together",
        Some(Role::Other) => "carried through as it is",
        None => "the policy does not mention it",
    }
}

/// A taxonomy and the nodes that the release uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaxonomyDrawing {
    /// The nodes, every parent before its children; the first is the root.
    pub nodes: Vec<TaxonomyNode>,
}

/// A node of a drawn taxonomy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaxonomyNode {
    /// The node's label.
    pub label: String,
    /// The position of its parent in the list; `None` for the root.
    pub parent: Option<usize>,
    /// Records of the original at or below this node.
    pub records: Original<u64>,
    /// Released records that carry exactly this label. A label that no released record carries is hidden by the
    /// release, and the public edition does not draw it.
    pub released: u64,
    /// Whether the release uses this node: it lies on the cut, or on the chosen level.
    pub in_cut: bool,
    /// The generalisation level, 0 for leaves.
    pub level: usize,
    /// What the policy says about it in a word, such as "guarded", where it says something.
    #[serde(default)]
    pub mark: Option<String>,
}

/// How near the worst class comes to a threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tightness {
    /// The requirement, in short: "k-anonymity", "t-closeness of income".
    pub requirement: String,
    /// The sensitive column it is about, where it is about one.
    #[serde(default)]
    pub column: Option<String>,
    /// What is compared, as a formula; the comparison is exact.
    #[serde(default)]
    pub inequality: String,
    /// The figures of the worst class that are compared, exactly. Steward only.
    #[serde(default)]
    pub exact: Original<String>,
    /// The worst class in words. It may describe a few people, so it is for the steward only.
    pub worst: Original<String>,
    /// The figure of the worst class. What compares it with the original tells what the original has beyond the release, and
    /// is not for the public.
    pub value: Sourced,
    /// The threshold that the policy sets.
    pub threshold: f64,
    /// On which side of the threshold the figure must lie.
    pub side: Side,
    /// Whether the figure counts records or values; the public edition hides small counts.
    pub counted: bool,
    /// Whether the threshold derives from how often values occur in the original. The public does not see it then, nor
    /// which class comes nearest to it.
    #[serde(default)]
    pub from_data: bool,
    /// Whether the requirement holds, as the exact comparison found; the figures here are only drawn.
    pub holds: bool,
}

/// On which side of a threshold a figure must lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The figure must reach the threshold.
    AtLeast,
    /// The figure must not exceed the threshold.
    AtMost,
    /// The figure must stay below the threshold.
    Below,
}

/// How sure one may become of each value of a sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confidences {
    /// The column's name.
    pub column: String,
    /// Whether the thresholds derive from how often values occur in the original. The public does not see them then.
    pub from_data: bool,
    /// The values, those nearest to their threshold first.
    pub rows: Vec<Confidence>,
}

/// How sure one may become of one value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confidence {
    /// The value. One that no released record shows stays out of the public edition.
    pub value: String,
    /// Records with this value in the original.
    pub records: Original<u64>,
    /// Its share of the original.
    pub before: Original<f64>,
    /// The largest share that it may have in a class.
    pub threshold: f64,
    /// The same, exactly.
    pub threshold_text: String,
    /// The largest share that it has in any class of the release.
    pub worst: f64,
}

impl Confidence {
    /// How much of its threshold the value uses up, from 0 (none) to 1 (all).
    pub fn tightness(&self) -> f64 {
        if self.worst == 0.0 { 0.0 } else { self.worst / self.threshold.max(f64::MIN_POSITIVE) }
    }
}

/// What public knowledge tells about the records of a quasi-sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkAccount {
    /// The column's name.
    pub column: String,
    /// How many labels the knowledge has.
    pub labels: u64,
    /// Records of the original and of the release that link to one label alone.
    pub single: (u64, u64),
    /// Records in groups whose likeliest label exceeds what the policy allows.
    pub exposed: (u64, u64),
    /// Records that link to nothing.
    pub unlinked: (u64, u64),
    /// How many records link to how many labels.
    pub sizes: Distribution,
    /// How sure the likeliest label of their group is, for how many records.
    pub likeliest: Distribution,
    /// How often terms occur, those first of which most were removed.
    pub terms: Distribution,
}

/// How often each value of a sensitive column occurs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// The column's name.
    pub column: String,
    /// The values with their counts.
    pub values: Vec<ValueCount>,
}

/// How often one value occurs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueCount {
    /// The value.
    pub value: String,
    /// Records with this value in the original.
    pub before: Original<u64>,
    /// Records with this value in the release. A value that no released record has stays out of the public edition.
    pub after: u64,
}

/// Suppressed records by the values of one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subgroups {
    /// The column's name.
    pub column: String,
    /// The subgroups.
    pub groups: Vec<Subgroup>,
}

/// Records with the same value, or with values below the same node of a taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subgroup {
    /// The value or node.
    pub label: String,
    /// Whether the release shows the label, or something below it. Otherwise it stays out of the public edition.
    pub shown: bool,
    /// Records that were read and not dropped.
    pub records: Original<u64>,
    /// How many of them are suppressed.
    pub suppressed: Original<u64>,
}

/// One measure of what was lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// The name used in policies, such as `LM`.
    pub name: String,
    /// The value by the formula.
    pub value: Original<f64>,
    /// The value on a scale from 0 (nothing lost) to 1 (everything lost), where there is such a scale.
    pub normalised: Option<Original<f64>>,
    /// The formula, as text.
    pub formula: String,
    /// The values it can take, as text.
    pub range: String,
    /// Which way is better, as text: "lower is better".
    pub direction: String,
}

impl Loss {
    /// Whether this is a mean error of counts relative to the truth: not a share of the records, so it is the steward's.
    pub(super) fn is_error(&self) -> bool {
        self.name == super::groups::QUERY_ERROR
    }
}

/// How a plan was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchAccount {
    /// The number of candidates; text, because it may exceed any integer.
    pub space: String,
    /// Candidates looked at.
    pub examined: u64,
    /// Time spent.
    pub seconds: f64,
    /// Whether the plan is proven to be the best.
    pub optimal: bool,
    /// The cost that no plan can beat, where one is proven.
    pub bound: Option<f64>,
    /// The relative distance between the plan's cost and the bound.
    pub gap: Option<f64>,
    /// How best cost and bound moved while the search went on.
    #[serde(default)]
    pub trace: Vec<SearchMoment>,
}

/// A moment of a search: what was found and what was proven by then.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SearchMoment {
    /// Time since the search began.
    pub seconds: f64,
    /// The cost of the best plan so far, if there was one.
    pub best: Option<f64>,
    /// The proven lower bound, if there was one.
    pub bound: Option<f64>,
}

/// What the independent audit found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditAccount {
    /// Whether every check holds.
    pub passed: bool,
    /// The checks.
    pub checks: Vec<CheckAccount>,
    /// Checks that it could not decide. That may depend on what is hidden. Steward only.
    #[serde(default)]
    pub undecided: Original<Vec<CheckAccount>>,
}

/// One check of the audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckAccount {
    /// What was checked. Printed in both editions.
    pub name: String,
    /// Whether it holds.
    pub holds: bool,
    /// The worst case that was found. Steward only.
    pub worst: Original<String>,
    /// Records in violation.
    pub concerned: u64,
    /// Anything else a steward should know. Steward only.
    pub detail: Original<String>,
}

/// How to get the same bytes again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reproduce {
    /// The command. Steward only, for it names files.
    pub command: Original<String>,
    /// The hash of the policy. Steward only.
    pub policy_sha256: Original<String>,
    /// The hash of the program that made the release. Steward only.
    #[serde(default)]
    pub program_sha256: Original<Option<String>>,
    /// What tells the seed from others without telling it. Steward only.
    #[serde(default)]
    pub key_id: Original<Option<String>>,
    /// The files that went in: data and hierarchies. Steward only.
    pub inputs: Original<Vec<FileHash>>,
    /// The files that were released, named relative to `public/`.
    pub released: Vec<FileHash>,
}

/// A file and what it holds, to the bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileHash {
    /// The file's path, relative to the folder that it stands in.
    pub path: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl TableReport {
    /// The k of the k-anonymity requirement, where there is one.
    pub fn k(&self) -> Option<u64> {
        self.requirements.iter().find_map(|requirement| match requirement.notion {
            Notion::KAnonymity { k } => Some(k),
            _ => None,
        })
    }
}
