//! The anonymisation of projected tables: which levels of generalisation meet the requirements, for any set of attributes.
//!
//! A table with a set of attributes meets the policy at some levels iff every class meets the requirements on all
//! tables (k) and, for each of its attributes, the requirements on that attribute (t, l). So each attribute is tested
//! once per vector of levels, whatever sets it is in, from counts that are rolled up the lattice once for all
//! attributes. The result for a set follows from the results for its attributes. Every requirement is closed under
//! union: what fails at some levels fails below them, what holds holds above them, and discernibility only grows
//! upwards. The search over levels prunes by this, so most vectors need no test of an attribute. Only (n, t)-closeness
//! is not closed under union; it is tested on vectors that meet all other requirements.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hashbrown::HashMap;

use super::attributes::SensitiveAttribute;
use super::decide::ProjectedTable;
use super::frontier::Frontier;
use crate::levels::Levelling;
use crate::natural::Closeness;
use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result};
use privet_engine::lattice;
use privet_engine::lattice::Levelled;
use privet_engine::loss::{Cost, Tally};
use privet_engine::microdata::Microdata;
use privet_engine::privacy;
use privet_engine::privacy::projection::Projection;
use privet_engine::privacy::{ClassTest, Counted, EquivalenceClass, NtCloseness};
use privet_engine::rollup::{Grouping, Levels};
use privet_policy::method::TableCost;
use privet_policy::requirement::{Distance, TCloseness};
use privet_policy::{CheckedPolicy, Requirement};

/// All possible projected tables.
pub struct ProjectedTables<'a> {
    pub(super) levelling: Levelling<'a>,
    /// The requirements on every table.
    general: Vec<Box<dyn ClassTest>>,
    /// The requirements on each attribute, except t-closeness.
    own: Vec<Vec<Box<dyn ClassTest>>>,
    /// The t-closeness required of each attribute.
    close: Vec<Vec<Box<dyn ClassTest>>>,
    /// Requirements that compare each attribute of a class with larger classes; they do not prune.
    natural: Vec<Vec<NtCloseness>>,
    /// The distance of each attribute of a class from the whole table, whether or not it is limited.
    closeness: Vec<Box<dyn ClassTest>>,
    limits: Projection,
    nodes: Mutex<HashMap<Levels, Arc<LevelNode>>>,
    best: Mutex<BTreeMap<Vec<usize>, Option<Levels>>>,
    /// Per attribute, where its requirements are known to hold or to fail.
    frontiers: Vec<Mutex<Frontier>>,
}

/// What is known about one vector of levels.
#[derive(Debug)]
struct LevelNode {
    classes: u64,
    dm: u128,
    cost: Cost,
    /// Whether all classes meet the requirements on every table.
    general: bool,
    /// Per attribute, whether they also meet its requirements.
    holds: Vec<bool>,
    /// Per attribute, whether they meet its requirements except t-closeness; computed on demand.
    besides: Vec<OnceLock<bool>>,
    /// Per attribute, whether they are also close to natural supersets; computed on demand.
    natural: Vec<OnceLock<bool>>,
    /// Per attribute, the largest distance of a class from the whole table; computed on demand.
    distances: Vec<OnceLock<f64>>,
}

impl LevelNode {
    fn is_valid(&self, subset: &[usize]) -> bool {
        self.general && subset.iter().all(|attribute| self.holds[*attribute])
    }
}

impl<'a> ProjectedTables<'a> {
    /// The tables of a policy; `cost` is the loss to minimise in each.
    pub fn new(
        policy: &CheckedPolicy,
        microdata: &'a Microdata,
        attributes: &[SensitiveAttribute],
        limits: Projection,
        cost: TableCost,
    ) -> Result<ProjectedTables<'a>> {
        let (mut general, mut own, mut close) = (Vec::new(), Vec::new(), Vec::new());
        own.resize_with(attributes.len(), Vec::new);
        close.resize_with(attributes.len(), Vec::new);
        let mut natural: Vec<Vec<NtCloseness>> = attributes.iter().map(|_| Vec::new()).collect();
        let mut closeness: Vec<TCloseness> =
            attributes.iter().map(|attribute| own_closeness(microdata, attribute)).collect();
        for (position, asked) in policy.requirements.iter().enumerate() {
            let build = |asked: &Requirement| {
                let built = privacy::build(asked, &microdata.table);
                built.map_err(|error| policy.at_requirement(position, error))
            };
            let Some(column) = asked.column() else {
                match asked {
                    // A requirement on the plan, not on its tables.
                    Requirement::Projection(_) => {}
                    asked => general.push(build(asked)?),
                }
                continue;
            };
            let concerned = attributes.iter().enumerate().filter(|(_, attribute)| attribute.source == column);
            for (at, attribute) in concerned {
                let asked = asked_of(asked, microdata, attribute);
                match &asked {
                    Requirement::NtCloseness(asked) => {
                        let built = NtCloseness::of(asked, &microdata.table);
                        natural[at].push(built.map_err(|error| policy.at_requirement(position, error))?);
                    }
                    Requirement::TCloseness(own) => {
                        close[at].push(build(&asked)?);
                        closeness[at] = TCloseness { t: Exact::ONE, ..own.clone() };
                    }
                    Requirement::KAnonymity(_)
                    | Requirement::LDiversity(_)
                    | Requirement::LPlusDiversity(_)
                    | Requirement::LkcPrivacy(_)
                    | Requirement::BetaLikeness(_)
                    | Requirement::DeltaDisclosure(_)
                    | Requirement::KMap(_)
                    | Requirement::DeltaPresence(_)
                    | Requirement::AverageRisk(_)
                    | Requirement::SampleUniqueness(_)
                    | Requirement::PopulationUniqueness(_)
                    | Requirement::IndividualRisk(_)
                    | Requirement::HouseholdRisk(_)
                    | Requirement::KlOfSets(_)
                    | Requirement::MatchingLDiversity(_)
                    | Requirement::Projection(_)
                    | Requirement::FfAnonymity(_)
                    | Requirement::QsDiversity(_)
                    | Requirement::QsCloseness(_) => own[at].push(build(&asked)?),
                }
            }
        }
        Ok(ProjectedTables {
            levelling: Levelling::new(microdata, cost)?,
            general,
            own,
            close,
            natural,
            closeness: closeness
                .iter()
                .map(|asked| privacy::build(&Requirement::TCloseness(asked.clone()), &microdata.table))
                .collect::<Result<_>>()?,
            limits,
            nodes: Mutex::default(),
            best: Mutex::default(),
            frontiers: attributes.iter().map(|_| Mutex::default()).collect(),
        })
    }

    fn nodes(&self) -> MutexGuard<'_, HashMap<Levels, Arc<LevelNode>>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of vectors of levels examined.
    pub fn examined(&self) -> u64 {
        self.nodes().len() as u64
    }

    fn node(&self, levels: &[u8]) -> Arc<LevelNode> {
        if let Some(node) = self.nodes().get(levels) {
            return node.clone();
        }
        let node = Arc::new(self.evaluate(&self.levelling.groupings.at(levels)));
        self.nodes().insert(levels.into(), node.clone());
        node
    }

    fn evaluate(&self, grouping: &Grouping) -> LevelNode {
        let outlines = || (0..grouping.len()).map(|class| grouping.outline(class));
        let dm = outlines().map(|class| u128::from(class.size) * u128::from(class.size)).sum();
        let cost = match self.levelling.additive_cost(&grouping.levels) {
            Some((cost, _)) => cost,
            None => {
                let price = |class: usize| {
                    let cells = self.levelling.frame_cells(grouping, class);
                    self.levelling.measure.class(cells, &grouping.outline(class))
                };
                let price = (0..grouping.len()).map(price).sum();
                self.levelling.measure.total(&Tally { price, classes: grouping.len() as u64, suppressed: 0 })
            }
        };
        // Requirements on every table name no column, so they depend on sizes only.
        let general =
            outlines().all(|class| self.general.iter().all(|requirement| requirement.holds(&class)));
        let holds = (0..self.own.len()).map(|attribute| general && self.holds(grouping, attribute)).collect();
        let besides = self.own.iter().map(|_| OnceLock::new()).collect();
        let natural = self.own.iter().map(|_| OnceLock::new()).collect();
        let distances = self.own.iter().map(|_| OnceLock::new()).collect();
        LevelNode { classes: grouping.len() as u64, dm, cost, general, holds, besides, natural, distances }
    }

    /// Whether all classes meet the requirements on an attribute.
    fn holds(&self, grouping: &Grouping, attribute: usize) -> bool {
        let asked = || self.own[attribute].iter().chain(&self.close[attribute]);
        let frontier = || self.frontiers[attribute].lock().unwrap_or_else(PoisonError::into_inner);
        if asked().next().is_none() {
            return true;
        }
        if let Some(known) = frontier().known(&grouping.levels) {
            return known;
        }
        let mut classes = (0..grouping.len()).map(|class| grouping.class(class));
        let holds = classes.all(|class| asked().all(|requirement| requirement.holds(&class)));
        frontier().learn(&grouping.levels, holds);
        holds
    }

    /// Whether a class of a table with these attributes meets its requirements, except closeness to natural supersets.
    pub(super) fn allows(&self, class: &EquivalenceClass<'_>, subset: &[usize]) -> bool {
        let own =
            subset.iter().flat_map(|attribute| self.own[*attribute].iter().chain(&self.close[*attribute]));
        self.general.iter().chain(own).all(|requirement| requirement.holds(class))
    }

    /// The largest distance of a class from the whole table, over these attributes.
    pub(super) fn distance(&self, class: &EquivalenceClass<'_>, subset: &[usize]) -> f64 {
        let distances = subset.iter().map(|attribute| self.closeness[*attribute].tightness(class).value);
        distances.fold(0.0, f64::max)
    }

    /// Whether a table with these attributes meets its requirements, except closeness to the whole table or to natural
    /// supersets.
    fn is_valid_but_for_closeness(&self, levels: &[u8], node: &LevelNode, subset: &[usize]) -> bool {
        let holds = |attribute: usize| {
            let own = &self.own[attribute];
            let grouping = self.levelling.groupings.at(levels);
            let mut classes = (0..grouping.len()).map(|class| grouping.class(class));
            classes.all(|class| own.iter().all(|requirement| requirement.holds(&class)))
        };
        let mut asked = subset.iter().filter(|attribute| !self.own[**attribute].is_empty());
        node.general
            && asked.all(|attribute| {
                node.holds[*attribute] || *node.besides[*attribute].get_or_init(|| holds(*attribute))
            })
    }

    /// Whether all classes of a table with these attributes are close to natural supersets, if that is required. They
    /// are at the highest levels, where the whole table is one class.
    fn is_naturally_close(&self, levels: &[u8], node: &LevelNode, subset: &[usize], clock: &Clock) -> bool {
        // `None` if time is up: nothing is known then, and the next search may have more time.
        let is_close = |attribute: usize| {
            let grouping = self.levelling.groupings.at(levels);
            for notion in &self.natural[attribute] {
                match self.levelling.naturally_close(&grouping, notion, |_| true, 0, clock) {
                    Closeness::Unknown => return None,
                    Closeness::Fails => return Some(false),
                    Closeness::Known(_) => {}
                }
            }
            Some(true)
        };
        let mut asked = subset.iter().filter(|attribute| !self.natural[**attribute].is_empty());
        asked.all(|attribute| {
            let known = &node.natural[*attribute];
            known.get().copied().unwrap_or_else(|| match is_close(*attribute) {
                Some(close) => *known.get_or_init(|| close),
                None => false,
            })
        })
    }

    /// The levels with the least loss at which a table with these attributes meets the policy; `None` if there are
    /// none.
    pub fn best(&self, subset: &[usize], clock: &Clock) -> Result<Option<Levels>> {
        if let Some(known) = self.best.lock().unwrap_or_else(PoisonError::into_inner).get(subset) {
            return Ok(known.clone());
        }
        let outcome = lattice::search(&CheapestTable { tables: self, subset, clock }, 1, clock)?;
        let best = outcome.best.into_iter().next().map(|(_, levels)| levels);
        let mut known = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(subset.to_vec(), best.clone());
        Ok(best)
    }

    /// Up to `top` vectors of levels of least loss at which a table with these attributes meets the policy, and whether the
    /// search was complete.
    pub(super) fn several(&self, subset: &[usize], top: usize, clock: &Clock) -> Result<(Vec<Levels>, bool)> {
        let outcome = lattice::search(&CheapestTable { tables: self, subset, clock }, top, clock)?;
        Ok((outcome.best.into_iter().map(|(_, levels)| levels).collect(), outcome.complete))
    }

    /// Whether a table with these attributes can meet the policy. Without a limit on discernibility, the most general
    /// table decides; otherwise the search does.
    pub fn is_feasible(&self, subset: &[usize], clock: &Clock) -> Result<bool> {
        match self.limits.max_discernibility {
            None => Ok(self.node(&self.levelling.tops).is_valid(subset)),
            Some(_) => Ok(self.best(subset, clock)?.is_some()),
        }
    }

    /// The error that explains why a table with these attributes cannot meet the policy at any levels.
    pub(super) fn why_not(&self, subset: &[usize], attributes: &[SensitiveAttribute]) -> Error {
        let names: Vec<&str> = subset.iter().map(|at| attributes[*at].name.as_str()).collect();
        let whole = self.levelling.groupings.at(&self.levelling.tops);
        let own = subset.iter().flat_map(|at| self.own[*at].iter().chain(&self.close[*at]));
        let asked = self.general.iter().chain(own);
        let classes = (0..whole.len()).map(|class| whole.class(class)).collect::<Vec<_>>();
        let reasons: Vec<String> = asked
            .filter_map(|requirement| {
                let failing = classes.iter().find(|class| !requirement.holds(class))?;
                Some(requirement.why_impossible(failing, Counted::Records))
            })
            .collect();
        let names = names.join(", ");
        if reasons.is_empty() {
            let most = self.limits.max_discernibility.map_or_else(String::new, |most| most.to_string());
            return Error::infeasible(format!(
                "no table with {names} meets the policy and has a discernibility of at most {most}"
            ))
            .help("raise max_discernibility, or lower the requirements");
        }
        Error::infeasible(format!("no table with {names} can meet the policy: {}", reasons.join("; ")))
            .help("lower the requirement, or provide more records")
    }

    /// The largest distance of a class from the whole table, over its attributes: the least t that the table meets.
    pub fn closeness_at(&self, levels: &[u8], subset: &[usize]) -> f64 {
        let node = self.node(levels);
        let mut grouping = None;
        let mut worst = 0f64;
        for attribute in subset {
            let distance = *node.distances[*attribute].get_or_init(|| {
                let grouping = grouping.get_or_insert_with(|| self.levelling.groupings.at(levels));
                let classes = (0..grouping.len()).map(|class| grouping.class(class));
                classes.map(|class| self.closeness[*attribute].tightness(&class).value).fold(0.0, f64::max)
            });
            worst = worst.max(distance);
        }
        worst
    }

    /// The least t that some anonymisation of a table with these attributes meets, subject to all other requirements;
    /// `None` if there is no such anonymisation.
    pub fn best_closeness(&self, subset: &[usize], clock: &Clock) -> Result<Option<f64>> {
        let closest = self.closest(subset, clock)?;
        Ok(closest.map(|levels| self.closeness_at(&levels, subset)))
    }

    /// The levels at which a table with these attributes is closest to the whole.
    pub fn closest(&self, subset: &[usize], clock: &Clock) -> Result<Option<Levels>> {
        if self.limits.max_discernibility.is_none() {
            // No table is closer than the most general one, and what fails there fails everywhere.
            let tops = &self.levelling.tops;
            let fits = self.is_valid_but_for_closeness(tops, &self.node(tops), subset);
            return Ok(fits.then(|| tops.as_slice().into()));
        }
        let outcome = lattice::search(&ClosestTable { tables: self, subset, clock }, 1, clock)?;
        Ok(outcome.best.into_iter().next().map(|(_, levels)| levels))
    }

    /// The table with these attributes at some levels.
    pub(super) fn project(&self, subset: &[usize], levels: &[u8]) -> ProjectedTable {
        let (classes, dm) = self.shape(levels);
        ProjectedTable {
            attributes: subset.to_vec(),
            levels: levels.to_vec(),
            recoding: self.levelling.recoding(levels, |_, _| true),
            closeness: self.closeness_at(levels, subset),
            classes,
            dm,
        }
    }

    /// The number of classes and the discernibility at some levels.
    pub fn shape(&self, levels: &[u8]) -> (u64, u128) {
        let node = self.node(levels);
        (node.classes, node.dm)
    }

    /// The number of vectors of levels that meet the requirements on every table, and the number of all vectors.
    pub fn count_valid(&self, clock: &Clock) -> Result<(u64, u64)> {
        let tops = &self.levelling.tops;
        let mut levels: Levels = vec![0; tops.len()].into();
        let (mut valid, mut all) = (0, 0);
        loop {
            clock.check()?;
            all += 1;
            let node = self.node(&levels);
            valid += u64::from(node.general && self.limits.allows_discernibility(node.dm));
            let Some(column) = (0..tops.len()).find(|column| levels[*column] < tops[*column]) else {
                return Ok((valid, all));
            };
            levels[..column].fill(0);
            levels[column] += 1;
        }
    }
}

/// Turns a requirement on a column of the data into one on one of its attributes. Zero and one are one step apart under
/// any distance, and a 0/1 column has no hierarchy.
fn asked_of(asked: &Requirement, microdata: &Microdata, attribute: &SensitiveAttribute) -> Requirement {
    if !attribute.is_derived(microdata) {
        return asked.clone();
    }
    asked.about(microdata.table.tracked[attribute.tracked].index, true)
}

/// Closeness of an attribute without requirements.
fn own_closeness(microdata: &Microdata, attribute: &SensitiveAttribute) -> TCloseness {
    let column = microdata.table.tracked[attribute.tracked].index;
    TCloseness { column, t: Exact::ONE, distance: Distance::Equal }
}

/// The search for the least costly table with some attributes.
struct CheapestTable<'t, 'a> {
    tables: &'t ProjectedTables<'a>,
    subset: &'t [usize],
    clock: &'t Clock,
}

impl Levelled for CheapestTable<'_, '_> {
    fn tops(&self) -> &[u8] {
        &self.tables.levelling.tops
    }

    fn judge(&self, levels: &[u8]) -> Option<Cost> {
        let node = self.tables.node(levels);
        let fits = node.is_valid(self.subset)
            && self.tables.limits.allows_discernibility(node.dm)
            && self.tables.is_naturally_close(levels, &node, self.subset, self.clock);
        fits.then_some(node.cost)
    }

    fn bound(&self, low: &[u8], high: &[u8]) -> Option<Cost> {
        if !self.tables.node(high).is_valid(self.subset) {
            return None;
        }
        let low = self.tables.node(low);
        self.tables.limits.allows_discernibility(low.dm).then_some(low.cost)
    }

    fn contrast(&self, column: usize, low: u8, high: u8) -> f64 {
        self.tables.levelling.contrast(column, low, high)
    }
}

/// The search for the closest table with some attributes among those that meet all other requirements. Closeness is not
/// negative, so the bits of the number sort like the number; the distance to a fixed distribution is convex, so merging
/// classes only brings them closer.
struct ClosestTable<'t, 'a> {
    tables: &'t ProjectedTables<'a>,
    subset: &'t [usize],
    clock: &'t Clock,
}

impl ClosestTable<'_, '_> {
    fn cost(&self, levels: &[u8]) -> Cost {
        Cost(u128::from(self.tables.closeness_at(levels, self.subset).to_bits()))
    }
}

impl Levelled for ClosestTable<'_, '_> {
    fn tops(&self) -> &[u8] {
        &self.tables.levelling.tops
    }

    fn judge(&self, levels: &[u8]) -> Option<Cost> {
        let node = self.tables.node(levels);
        let fits = self.tables.limits.allows_discernibility(node.dm)
            && self.tables.is_valid_but_for_closeness(levels, &node, self.subset)
            && self.tables.is_naturally_close(levels, &node, self.subset, self.clock);
        fits.then(|| self.cost(levels))
    }

    fn bound(&self, low: &[u8], high: &[u8]) -> Option<Cost> {
        let fits = self.tables.limits.allows_discernibility(self.tables.node(low).dm)
            && self.tables.is_valid_but_for_closeness(high, &self.tables.node(high), self.subset);
        fits.then(|| self.cost(high))
    }

    fn contrast(&self, column: usize, low: u8, high: u8) -> f64 {
        self.tables.levelling.contrast(column, low, high)
    }
}
