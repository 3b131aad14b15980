//! How much it matters what a column loses: weights of columns, of values and of levels in the cost of a method.
//!
//! A cell costs its LM times the weight of its column. In a mixed column a value may have a weight of its own, which counts
//! wherever the value is hidden. In a quasi-identifier the levels of the hierarchy may have weights, which take the place of
//! LM's own scale.

use std::collections::BTreeMap;

use super::check::{PolicyColumn, Role};
use super::file::{Entry, Section};
use super::method::{FreeformCost, LPlusCost, Method};
use privet_core::{Error, Exact, Result, echoed, suggestion};
use privet_taxonomy::Taxonomy;

/// The keys of `[columns.NAME]` that weigh.
pub(super) const KEYS: [&str; 3] = ["weight", "weights", "level_weights"];

/// Weights are whole numbers of hundredths, so that costs stay exact.
const PARTS: u64 = 100;

/// The largest weight.
const MOST: u64 = 1000;

/// What a column's losses weigh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnWeights {
    /// The weight of the column.
    pub column: Exact,
    /// By label, the weights of single values of a mixed column.
    pub values: BTreeMap<String, Exact>,
    /// What a cell costs at each level of the hierarchy above the values themselves; empty for LM's own scale.
    pub levels: Vec<Exact>,
}

impl Default for ColumnWeights {
    fn default() -> ColumnWeights {
        ColumnWeights { column: Exact::ONE, values: BTreeMap::new(), levels: Vec::new() }
    }
}

impl ColumnWeights {
    /// Whether they change nothing.
    pub fn are_plain(&self) -> bool {
        self.column == Exact::ONE
            && self.levels.is_empty()
            && self.values.values().all(|weight| *weight == Exact::ONE)
    }

    /// The weight of a value's cells: the column's times its own.
    ///
    /// ```
    /// use privet_core::Exact;
    /// use privet_policy::ColumnWeights;
    ///
    /// let values = [("Cancer".to_string(), Exact::whole(5))].into();
    /// let weights = ColumnWeights { column: Exact::whole(2), values, levels: Vec::new() };
    /// assert_eq!(weights.in_parts("Cancer"), 10 * ColumnWeights::PARTS);
    /// assert_eq!(weights.in_parts("Flu"), 2 * ColumnWeights::PARTS);
    /// ```
    pub fn in_parts(&self, label: &str) -> u64 {
        let own = self.values.get(label).copied().unwrap_or(Exact::ONE);
        parts(self.column) * parts(own)
    }

    /// What a cell costs that is published at a level of the hierarchy and covers this share of the values but one, as a
    /// fraction.
    ///
    /// ```
    /// use privet_core::Exact;
    /// use privet_policy::ColumnWeights;
    ///
    /// let plain = ColumnWeights { column: Exact::whole(3), ..ColumnWeights::default() };
    /// assert_eq!(plain.cell(1, (2, 7)), (6, 7));
    /// let levels = ColumnWeights { levels: vec![Exact::ONE, Exact::whole(4)], ..plain };
    /// assert_eq!((levels.cell(0, (0, 7)), levels.cell(2, (7, 7))), ((0, 1), (12, 1)));
    /// ```
    pub fn cell(&self, level: usize, (covered, all): (u64, u64)) -> (u64, u64) {
        // Missing values may add a level above the hierarchy's own root, which costs what the root does.
        let above = level.checked_sub(1).and_then(|above| self.levels.get(above).or(self.levels.last()));
        let (num, den) = match above {
            _ if self.levels.is_empty() => (covered, all),
            Some(cost) => (cost.numerator(), cost.denominator()),
            None => (0, 1),
        };
        (num * self.column.numerator(), den * self.column.denominator())
    }

    /// What a record costs at most when it is published: every cell at its root.
    ///
    /// ```
    /// use privet_core::Exact;
    /// use privet_policy::ColumnWeights;
    ///
    /// let [plain, heavy] = [Exact::ONE, Exact::whole(3)]
    ///     .map(|column| ColumnWeights { column, ..ColumnWeights::default() });
    /// assert_eq!(ColumnWeights::most_of_record([&plain, &heavy])?, Exact::whole(4));
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn most_of_record<'a>(columns: impl IntoIterator<Item = &'a ColumnWeights>) -> Result<Exact> {
        let roots = columns.into_iter().map(|weights| {
            let (num, den) = weights.cell(usize::MAX, (1, 1));
            num * (ColumnWeights::PARTS / den)
        });
        Exact::new(roots.sum(), ColumnWeights::PARTS).ok_or_else(too_large)
    }

    /// What 1 is in [`ColumnWeights::in_parts`].
    pub const PARTS: u64 = PARTS * PARTS;

    /// Reads what a policy says about a column's weights.
    pub(super) fn read(
        section: &Section<'_>,
        role: Option<Role>,
        taxonomy: Option<&Taxonomy>,
    ) -> Result<Self> {
        let mut weights = ColumnWeights::default();
        let stray = |entry: &Entry<'_>, help: &str| {
            let word = role.map_or("other", Role::name);
            entry
                .error(format!("'{}' has no meaning for a column of role '{word}'", entry.name()))
                .help(help.to_string())
        };
        if let Some(entry) = section.entry("weight") {
            if !matches!(role, Some(Role::Mixed | Role::QuasiIdentifier)) {
                return Err(stray(&entry, "remove it: only what is generalised has a weight"));
            }
            weights.column = weight(&entry)?;
        }
        if let Some(entry) = section.entry("weights") {
            let (Some(Role::Mixed), Some(taxonomy)) = (role, taxonomy) else {
                return Err(stray(
                    &entry,
                    "remove it; 'level_weights' weighs the levels of a quasi-identifier",
                ));
            };
            for (label, entry) in entry.table("a table of values with a weight each")?.entries() {
                leaf(&entry, label, taxonomy)?;
                weights.values.insert(label.to_string(), weight(&entry)?);
            }
        }
        if let Some(entry) = section.entry("level_weights") {
            let (Some(Role::QuasiIdentifier), Some(taxonomy)) = (role, taxonomy) else {
                return Err(stray(&entry, "it weighs the levels of a quasi-identifier's hierarchy"));
            };
            weights.levels = levels(&entry, taxonomy)?;
        }
        Ok(weights)
    }
}

/// A weight in hundredths.
fn parts(weight: Exact) -> u64 {
    weight.numerator() * (PARTS / weight.denominator())
}

/// A weight: more than 0, in hundredths.
fn weight(entry: &Entry<'_>) -> Result<Exact> {
    let text = entry.scalar()?;
    let wrong = || {
        let message = format!("'{}' is {}, which is not a weight", entry.name(), echoed(text));
        entry
            .error(message)
            .help(format!("a number from 0.01 to {MOST} with at most two digits after the point"))
    };
    let weight =
        Exact::parse(text).filter(|weight| *weight > Exact::ZERO).filter(is_fine).ok_or_else(wrong)?;
    Ok(weight)
}

fn is_fine(weight: &Exact) -> bool {
    PARTS.is_multiple_of(weight.denominator()) && *weight <= Exact::whole(MOST)
}

/// An error unless the hierarchy has a leaf of this label.
fn leaf(entry: &Entry<'_>, label: &str, taxonomy: &Taxonomy) -> Result<()> {
    let wrong = match taxonomy.find(label) {
        Some(node) if taxonomy.is_leaf(node) => return Ok(()),
        Some(_) => format!("'{label}' is not a value: it lies above others in the column's hierarchy"),
        None => format!("'{label}' is not a value of the column's hierarchy"),
    };
    let leaves: Vec<&str> = (0..taxonomy.leaves()).map(|leaf| taxonomy.label(taxonomy.leaf(leaf))).collect();
    Err(entry.error(wrong).help(suggestion(label, &leaves, "its values")))
}

/// What a cell costs at each level above the leaves: as many numbers as there are levels, none below the one before.
fn levels(entry: &Entry<'_>, taxonomy: &Taxonomy) -> Result<Vec<Exact>> {
    let height = taxonomy.height(taxonomy.root());
    let help = format!(
        "give {height}, one for each level above the values themselves, none below the one before: the last one is for the root"
    );
    let wrong = |message: String| entry.error(message).help(help.clone());
    let levels = entry.scalars()?.into_iter().map(|text| {
        let level = Exact::parse(&text).filter(is_fine);
        level.ok_or_else(|| wrong(format!("'level_weights' has {}, which is not a weight", echoed(&text))))
    });
    let levels: Vec<Exact> = levels.collect::<Result<_>>()?;
    if levels.len() != height {
        return Err(wrong(format!(
            "'level_weights' has {} numbers, but the hierarchy has {height} levels",
            levels.len()
        )));
    }
    if levels.windows(2).any(|pair| pair[1] < pair[0]) {
        return Err(wrong("'level_weights' falls, but a cell that says less cannot cost less".to_string()));
    }
    Ok(levels)
}

/// An error where the policy weighs what its method does not.
pub(super) fn fit(root: &Section<'_>, columns: &[PolicyColumn], method: &Method) -> Result<()> {
    let weighs = match method {
        Method::Ff(own) => own.cost == FreeformCost::Lm,
        Method::FfOptimal(own) => own.cost == FreeformCost::Lm,
        Method::LPlusOptimize(own) => own.cost == LPlusCost::Lm,
        Method::SimulatedAnnealing(own) => own.cost == LPlusCost::Lm,
        Method::FullDomain(_)
        | Method::Mondrian(_)
        | Method::Injector(_)
        | Method::Anatomy(_)
        | Method::CodipStar(_)
        | Method::Codip(_)
        | Method::QuasiSensitive(_) => false,
    };
    let Some(listed) = root.entry("columns").filter(|_| !weighs).and_then(|entry| entry.section().ok())
    else {
        return Ok(());
    };
    let weighed = columns.iter().find_map(|column| {
        let section = listed.entry(&column.name)?.section().ok()?;
        KEYS.into_iter().find_map(|key| section.entry(key))
    });
    match weighed {
        None => Ok(()),
        Some(entry) => {
            let message = format!("'{}' has no effect on method \"{}\"", entry.name(), method.name());
            Err(entry.error(message).help(
                "remove it, or set cost = \"LM\" and name = \"l-plus-optimize\" or \"simulated-annealing\" in [method]; for \
                 mixed columns, \"ff-optimal\" or \"ff\"",
            ))
        }
    }
}

/// The error for weights that do not fit the numbers of a search.
pub fn too_large() -> Error {
    Error::input("the weights are too large for a table of this size")
        .help("divide all weights by the same number")
}
