//! Why a column is published at its level and not one lower: a class that would fail.
//!
//! Only full-domain generalisation has levels for whole columns. With one column one level lower, classes split; if the release
//! cannot be had, some of them fail. The smallest of these is shown, then the first by its cells.

use super::levels::Levelling;
use super::plan::Plan;
use privet_core::Result;
use privet_engine::microdata::Microdata;
use privet_engine::privacy;
use privet_policy::CheckedPolicy;

/// A class that fails if a column is published one level lower.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelThreat {
    /// The column.
    pub column: String,
    /// The lower level.
    pub level: u8,
    /// The columns and cells of the class.
    pub class: Vec<(String, String)>,
    /// What it violates, as the policy says it.
    pub requirement: String,
    /// Its figure, and the threshold that this must meet.
    pub figure: (f64, f64),
    /// Whether the figure may be at most the threshold, or must be at least that.
    pub at_most: bool,
    /// How many classes fail there, with how many records: what would have to be suppressed to keep the lower level.
    pub failing: (u64, u64),
}

/// A class for every column above its lowest level, in the order of the columns; none where columns have no levels.
pub fn reasons(policy: &CheckedPolicy, microdata: &Microdata, plan: &Plan) -> Result<Vec<LevelThreat>> {
    let Plan::Levels(plan) = plan else { return Ok(Vec::new()) };
    let requirements = privacy::class_requirements(policy, &microdata.table)?;
    let levelling = Levelling::new(microdata, policy.method.cost())?;
    let levels = levelling.levels_of(&plan.levels, &plan.cells)?;
    let mut reasons = Vec::new();
    for column in (0..levels.len()).filter(|column| levels[*column] > 0) {
        let mut lower = levels.clone();
        lower[column] -= 1;
        let grouping = levelling.groupings.at(&lower);
        let ladders = levelling.groupings.ladders();
        let cells = |class: usize| {
            let values = ladders.values(grouping.key(class)).zip(&lower).zip(ladders.columns());
            let labels = values.zip(&microdata.quasi).map(|(((value, level), ladder), quasi)| {
                let node = ladder.nodes[usize::from(*level)][value as usize];
                (quasi.name.clone(), quasi.taxonomy.label(node).to_string())
            });
            labels.collect::<Vec<_>>()
        };
        let (mut first, mut failing) = (None, (0, 0));
        for class in (0..grouping.len()).filter(|class| grouping.outline(*class).size > 0) {
            let members = grouping.members(class);
            let broken = requirements.iter().find(|(_, test)| !members.meet(test.as_ref()));
            let Some((clause, test)) = broken else { continue };
            failing = (failing.0 + 1, failing.1 + members.records.size);
            let key = (members.records.size, cells(class));
            if first.as_ref().is_none_or(|(known, _)| key < *known) {
                let tightness = test.tightness(&members.seen_by(test.as_ref()));
                first = Some((key, (clause.describe(&policy.columns), tightness)));
            }
        }
        reasons.extend(first.map(|((_, class), (requirement, tightness))| LevelThreat {
            column: microdata.quasi[column].name.clone(),
            level: lower[column],
            class,
            requirement,
            figure: (tightness.value, tightness.threshold),
            at_most: tightness.at_most,
            failing,
        }));
    }
    Ok(reasons)
}
