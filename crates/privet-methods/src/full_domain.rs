//! Full-domain generalisation: every column is generalised to one level, and the best vector of levels is found and
//! proven over the whole lattice (Samarati 2001; Incognito, LeFevre et al. 2005; Flash, Kohlmayer et al. 2012).
//!
//! Why the search's bound is sound. Take any vector v between the corners `low` and `high` of a box.
//! - *Generalisation.* Every class at v is a union of classes at `low`, and every measure's price of a record's place
//!   only grows when classes merge, so v costs at least what `low` costs without suppression.
//! - *Suppression.* The classes at v that are kept satisfy the requirements; those inside one class C at `high`, taken
//!   together, satisfy them too (every notion is closed under union), so at most `most_kept(C)` records of C are kept.
//!   Hence v suppresses at least Σ (|C| − most_kept(C)): nothing is assumed about more or fewer failing classes on the
//!   way up, which is *not* monotone for frequency, entropy, recursive diversity and closeness.
//!
//! Without suppression that sum must be zero; then `high` itself must be valid, the classic monotone prune.
//!
//! When people are counted and somebody has several records, frequencies are not closed under union either, because the
//! people of two classes do not add up. [`Members::most_kept`] states the bound that remains.
//!
//! LKC-privacy is about groups of records that agree on some of the columns. Higher levels merge the groups of each set of
//! columns, and groups that meet it meet it together. So it holds at `high` if it holds at v, and a box is dropped if it does
//! not. Suppression would take records out of groups, so it is refused with it.
//!
//! Notions about the whole release, such as average risk, are judged by the sizes of the classes that are kept. What they say of a
//! box is in [`privacy::release::ReleaseTest::least_gone`]; population uniqueness and household risk say nothing of it.
//!
//! Classes of the population in which the data have no record are classes of size 0. They are neither priced nor released; a notion
//! that fails there (δ-presence with a lower bound) fails there at every vector below, because their parts have no record either.
//!
//! (n, t)-closeness compares a class with larger ones and is not closed under union. It is tested when a vector is
//! judged, and no bound rests on it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::item_column::ItemColumnTask;
use super::levels::Levelling;
use super::lkc::LkcTests;
use super::mondrian::{AxisLabels, MondrianSplitter, RecordPart};
use super::natural::Closeness;
use super::patterns::Patterns;
use super::plan::{self, LevelPlan, Plan};
use super::recoding::Recoding;
use super::{SearchFacts, Solution};
use num_bigint::BigUint;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_engine::lattice;
use privet_engine::lattice::Levelled;
use privet_engine::loss::{Cost, Tally};
use privet_engine::microdata::{Microdata, QuasiIdentifier};
use privet_engine::privacy;
use privet_engine::privacy::household_risk::HouseholdRisk;
use privet_engine::privacy::release::{ReleaseTest, Sizes, classes_gone};
use privet_engine::privacy::{ClassTest, Members, NtCloseness};
use privet_engine::rollup::{Grouping, Levels};
use privet_policy::method::Partitioning;
use privet_policy::{CheckedPolicy, method};

pub(super) fn run(
    policy: &CheckedPolicy,
    own: &method::FullDomain,
    microdata: &Microdata,
    clock: &Clock,
) -> Result<Solution> {
    let requirements = privacy::requirements(policy, &microdata.table)?;
    let natural = privacy::natural_requirements(policy, &microdata.table)?;
    let lkc = LkcTests::new(privacy::lkc_requirements(policy, &microdata.table)?);
    let records = microdata.table.records;
    let limit = own.suppression_limit.floor_of(records);
    // A release must have records. Suppressing everything costs as much as generalising everything to the root, so it
    // would otherwise tie with the most general release and win as the first of equals.
    let limit = limit.min(records.saturating_sub(1));
    let clock = clock.with_limit(own.time_limit);
    let mut problem = LevelLattice::new(microdata, requirements, natural, own.cost, limit, &clock)?;
    problem.lkc = lkc;
    problem.whole = privacy::release::release_requirements(policy, &microdata.table)?;
    problem.households = HouseholdRisk::of(policy, microdata);
    problem.bottoms = bottoms(own.least_levels.as_ref(), microdata, problem.tops())?;
    let drawn_from = own.break_minimality;
    let wanted = usize::try_from(drawn_from.unwrap_or(1)).unwrap_or(usize::MAX);
    let outcome = lattice::search(&problem, wanted, &clock)?;
    let drawn =
        super::drawn(policy, microdata, (outcome.best.len(), outcome.complete), super::ONE_OF_THE_BEST)?;
    let Some((cost, levels)) = outcome.best.get(drawn.unwrap_or(0)).cloned() else {
        let top = problem.levelling.groupings.at(problem.tops());
        let whole = top.members(0);
        let mut reasons = super::failures(&problem.requirements, &whole);
        reasons.extend(problem.lkc.failures(&whole.records));
        reasons.extend(problem.release_failures(&top, &whole));
        return Err(super::impossible_as_whole(&reasons, &whole, false));
    };
    let recoding = problem.release(&levels);
    let choices = problem.tops().iter().zip(&problem.bottoms[..]);
    let space: BigUint = choices.map(|(top, bottom)| BigUint::from(u32::from(top - bottom) + 1)).product();
    let bound = outcome.bound.unwrap_or(cost);
    let search = SearchFacts {
        space: Some(space.to_string()),
        examined: problem.examined(),
        seconds: clock.elapsed().as_secs_f64(),
        optimal: bound == cost,
        bound: Some(problem.levelling.measure.value(bound)),
        trace: Vec::new(),
    };
    if own.refine {
        return refined(policy, microdata, &recoding, search, &clock);
    }
    let plan = Plan::Levels(LevelPlan {
        levels: problem.levelling.named(&levels),
        highest: problem.levelling.named(problem.tops()),
        drawn_from: drawn.map(|_| outcome.best.len()),
        cells: plan::cells_at(microdata, &levels),
        columns: plan::columns(microdata),
    });
    Ok(Solution { recoding, plan, search, cost: None, warnings: Vec::new(), sets: None })
}

/// The classes of the best levels, each split further where that loses less: [`MondrianSplitter::partition`]. What is proven
/// about the levels is not proven about the result.
fn refined(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    levels: &Recoding,
    search: SearchFacts,
    clock: &Clock,
) -> Result<Solution> {
    let requirements = privacy::requirements(policy, &microdata.table)?;
    let labels = AxisLabels::nodes(microdata);
    let strict = (Partitioning::Strict, labels.as_slice());
    let mut splitter = MondrianSplitter::new(policy, strict, microdata, requirements, clock)?;
    splitter.refine = true;
    splitter.items = ItemColumnTask::of(policy, microdata)?;
    let mut parts: Vec<RecordPart> = vec![Vec::new(); levels.len()];
    for record in 0..microdata.summary.len() {
        for (class, count) in levels.destinations(record, microdata.summary.count(record)) {
            parts[class as usize].push((record as u32, count));
        }
    }
    let parts = splitter.partition(parts)?;
    let (recoding, classes) = splitter.recoding(&parts);
    let plan = Plan::Boxes(splitter.plan(&recoding, &parts, &classes));
    let search =
        SearchFacts { optimal: false, bound: None, seconds: clock.elapsed().as_secs_f64(), ..search };
    Ok(Solution { recoding, plan, search, cost: None, warnings: Vec::new(), sets: None })
}

/// Applies a plan. Classes that fail are suppressed, however many they are, and so are groups that lack LKC-privacy.
pub(super) fn apply_plan(
    policy: &CheckedPolicy,
    own: &method::FullDomain,
    microdata: &Microdata,
    plan: &LevelPlan,
    clock: &Clock,
) -> Result<Solution> {
    plan::check_columns(policy, microdata, &plan.columns, |_| false)?;
    let requirements = privacy::requirements(policy, &microdata.table)?;
    let natural = privacy::natural_requirements(policy, &microdata.table)?;
    let records = microdata.table.records;
    let mut problem = LevelLattice::new(microdata, requirements, natural, own.cost, records, clock)?;
    problem.whole = privacy::release::release_requirements(policy, &microdata.table)?;
    let levels = problem.levelling.levels_of(&plan.levels, &plan.cells)?;
    if problem.judge(&levels).is_none() {
        return Err(Error::internal("the closeness of the classes could not be decided"));
    }
    let plan = Plan::Levels(plan.clone());
    let search = SearchFacts::unproven(0, clock);
    let (judged, grouping) = (problem.judged(&levels), problem.levelling.groupings.at(&levels));
    let mut kept: Vec<bool> =
        (0..grouping.len()).map(|class| problem.is_kept(&judged, &grouping, class)).collect();
    let lkc = LkcTests::new(privacy::lkc_requirements(policy, &microdata.table)?);
    lkc.suppress(&problem.levelling, &grouping, &mut kept, clock)?;
    let kept: HashSet<&[u64]> =
        (0..grouping.len()).filter(|class| kept[*class]).map(|class| grouping.key(class)).collect();
    let recoding = problem.levelling.recoding(&levels, |grouping, class| kept.contains(grouping.key(class)));
    Ok(Solution { recoding, plan, search, cost: None, warnings: Vec::new(), sets: None })
}

/// The lowest level that the policy allows, per column.
fn bottoms(least: Option<&BTreeMap<usize, u64>>, microdata: &Microdata, tops: &[u8]) -> Result<Levels> {
    let bottom = |(quasi, top): (&QuasiIdentifier, &u8)| {
        let level = least.and_then(|least| least.get(&quasi.index)).copied().unwrap_or(0);
        let wrong = || Error::internal(format!("a least level of '{}' above its root", quasi.name));
        u8::try_from(level).ok().filter(|level| level <= top).ok_or_else(wrong)
    };
    microdata.quasi.iter().zip(tops).map(bottom).collect()
}

/// The lattice of one table's levels, with requirements and cost.
struct LevelLattice<'a> {
    levelling: Levelling<'a>,
    /// The lowest level allowed, per column.
    bottoms: Levels,
    requirements: Vec<Box<dyn ClassTest>>,
    /// Requirements that compare classes with those at higher levels; no bound rests on them.
    natural: Vec<NtCloseness>,
    /// Requirements on groups of records that agree on some of the columns.
    lkc: LkcTests,
    /// Requirements on all classes together, by their sizes.
    whole: Vec<Box<dyn ReleaseTest>>,
    /// Requirements on households; no bound rests on them.
    households: Vec<HouseholdRisk>,
    /// The most records that may be suppressed.
    limit: u64,
    judged: Mutex<HashMap<Levels, Arc<JudgedVector>>>,
    /// Floors that need no classes, once there is a first answer.
    patterns: OnceLock<Patterns>,
    clock: &'a Clock,
    /// The lowest possible cost of the vectors that could not be judged in time.
    unjudged: Mutex<Option<Cost>>,
}

/// What the search knows about one vector of levels.
struct JudgedVector {
    /// The cost with failing classes suppressed; `None` if that suppresses more than may be.
    cost: Option<Cost>,
    suppressed: u64,
    /// At least this many records are suppressed at any vector below this one.
    must_go: u64,
    /// The cost if nothing were suppressed; only for measures that do not add up over columns.
    floor: Cost,
    /// The highest cost of a single record; also only for such measures.
    costliest: u128,
    /// The classes that go so that the release as a whole meets what is asked of it, by their keys.
    further: HashSet<Box<[u64]>>,
    /// What remains after also suppressing classes that are not close to any natural superset; computed on demand.
    close: OnceLock<FarClasses>,
}

impl JudgedVector {
    /// A vector at and below which more records go than may.
    fn beyond_the_limit(gone: u64) -> JudgedVector {
        JudgedVector {
            cost: None,
            suppressed: gone,
            must_go: gone,
            floor: Cost(0),
            costliest: 0,
            further: HashSet::new(),
            close: OnceLock::new(),
        }
    }
}

/// The classes that meet every other requirement but are not close to any natural superset.
struct FarClasses {
    /// Their keys; empty if there are too many of them.
    failing: HashSet<Box<[u64]>>,
    /// The cost without them; `None` if there are too many of them.
    cost: Option<Cost>,
}

impl<'a> LevelLattice<'a> {
    fn new(
        microdata: &'a Microdata,
        requirements: Vec<Box<dyn ClassTest>>,
        natural: Vec<NtCloseness>,
        cost: method::TableCost,
        limit: u64,
        clock: &'a Clock,
    ) -> Result<LevelLattice<'a>> {
        let levelling = Levelling::new(microdata, cost)?;
        let bottoms = vec![0; levelling.tops.len()].into();
        let (judged, unjudged, lkc) = (Mutex::default(), Mutex::default(), LkcTests::new(Vec::new()));
        let (whole, households) = (Vec::new(), Vec::new());
        Ok(LevelLattice {
            levelling,
            bottoms,
            requirements,
            natural,
            lkc,
            whole,
            households,
            limit,
            judged,
            patterns: OnceLock::new(),
            clock,
            unjudged,
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Levels, Arc<JudgedVector>>> {
        self.judged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn examined(&self) -> u64 {
        self.lock().len() as u64
    }

    fn judged(&self, levels: &[u8]) -> Arc<JudgedVector> {
        if let Some(judged) = self.lock().get(levels) {
            return judged.clone();
        }
        let judged = Arc::new(self.evaluate(&self.levelling.groupings.at(levels)));
        self.lock().insert(levels.into(), judged.clone());
        judged
    }

    /// The release at some levels that were judged; classes that fail are suppressed.
    fn release(&self, levels: &[u8]) -> Recoding {
        let judged = self.judged(levels);
        self.levelling.recoding(levels, |grouping, class| self.is_kept(&judged, grouping, class))
    }

    /// Whether a class of a vector that was judged meets what is asked of classes.
    fn is_kept(&self, judged: &JudgedVector, grouping: &Grouping, class: usize) -> bool {
        let key = grouping.key(class);
        let is_close = judged.close.get().is_none_or(|close| !close.failing.contains(key));
        let members = self.members(grouping, class);
        is_close && !judged.further.contains(key) && members.records.size > 0 && self.holds(&members)
    }

    /// The classes that go so that the release as a whole meets what is asked of it: the smallest, among equals those that cost
    /// least to leave out, then those whose values come first. `None` if more than `spare` records would go.
    fn further(&self, grouping: &Grouping, mut kept: Vec<usize>, spare: u64) -> Option<Vec<usize>> {
        let size = |class: &usize| grouping.outline(*class).size;
        let mut sizes: Vec<u64> = kept.iter().map(size).collect();
        sizes.sort_unstable();
        let gone = classes_gone(&self.whole, &Sizes::of(&sizes), spare)?;
        if gone == 0 {
            return Some(Vec::new());
        }
        let last = sizes[gone - 1];
        kept.retain(|class| size(class) <= last);
        let (mut sure, mut equal): (Vec<usize>, Vec<usize>) =
            kept.into_iter().partition(|class| size(class) < last);
        let measure = &self.levelling.measure;
        let price =
            |class: usize| measure.class(self.levelling.frame_cells(grouping, class), &grouping.class(class));
        let ladders = self.levelling.groupings.ladders();
        let values = |class: usize| ladders.values(grouping.key(class)).collect::<Vec<u32>>();
        equal.sort_by_cached_key(|class| (std::cmp::Reverse(price(*class)), values(*class)));
        equal.truncate(gone - sure.len());
        sure.append(&mut equal);
        Some(sure)
    }

    /// What the whole table as one class fails of what is asked of releases and of households.
    fn release_failures(&self, top: &Grouping, whole: &Members<'_>) -> Vec<String> {
        let sizes = [whole.records.size];
        let failing = self.whole.iter().filter(|test| !test.holds(&Sizes::of(&sizes)));
        let mut reasons: Vec<String> = failing.map(|test| test.why_impossible(whole.records.size)).collect();
        let failing = self.households.iter().filter(|test| !self.household_holds(test, top));
        reasons.extend(failing.map(HouseholdRisk::why_impossible));
        reasons
    }

    fn household_holds(&self, test: &HouseholdRisk, grouping: &Grouping) -> bool {
        let parts = grouping.parts();
        let (lots, _) = self.levelling.groupings.class_of_record();
        test.holds(|record| {
            let class = parts[lots[record] as usize];
            (class, grouping.outline(class as usize).size, grouping.standing(class as usize))
        })
    }

    fn evaluate(&self, grouping: &Grouping) -> JudgedVector {
        let measure = &self.levelling.measure;
        let is_additive = self.levelling.is_additive();
        if is_additive && let Some(gone) = self.too_small(grouping) {
            return JudgedVector::beyond_the_limit(gone);
        }
        let (mut everything, mut costliest) = (0, 0);
        let (mut suppressed, mut must_go, mut failing_price) = (0u64, 0u64, 0);
        let (mut failing, mut classes): (Vec<usize>, u64) = (Vec::new(), 0);
        // What is asked of the release: the classes that are kept here, and the sizes of those of which something may be kept below.
        let (mut kept, mut keepable): (Vec<usize>, Vec<u64>) = (Vec::new(), Vec::new());
        let mut vanished = false;
        for number in 0..grouping.len() {
            let members = self.members(grouping, number);
            let class = members.records;
            let holds = self.holds(&members);
            if class.size == 0 {
                // Nobody of the data is there, so nothing can be left out to change it, here and at any vector below.
                vanished |= !holds;
                continue;
            }
            classes += 1;
            if !is_additive {
                let cells = || self.levelling.frame_cells(grouping, number);
                let price = measure.class(cells(), &class);
                everything += price;
                costliest = costliest.max(measure.costliest(cells(), &class));
                failing_price += if holds { 0 } else { price };
            }
            if holds {
                if !self.whole.is_empty() {
                    kept.push(number);
                    keepable.push(class.size);
                }
                continue;
            }
            failing.push(number);
            suppressed += class.size;
            let most =
                self.requirements.iter().map(|requirement| members.most_kept(requirement.as_ref())).min();
            let most = most.unwrap_or(class.size).min(class.size);
            must_go += class.size - most;
            if most > 0 && !self.whole.is_empty() {
                keepable.push(class.size);
            }
            if must_go > self.limit && is_additive {
                // No vector at or below this one is valid, so the other figures do not matter.
                break;
            }
        }
        if vanished {
            (suppressed, must_go) = (u64::MAX, u64::MAX);
        }
        let mut further = HashSet::new();
        if !self.whole.is_empty() && must_go <= self.limit {
            keepable.sort_unstable();
            let sizes = Sizes::of(&keepable);
            let of_release = self.whole.iter().map(|test| test.least_gone(&sizes)).max().unwrap_or(0);
            must_go = must_go.max(grouping.records() - sizes.records() + of_release);
            // With natural supersets it is not known yet which classes are kept.
            if suppressed <= self.limit && self.natural.is_empty() {
                match self.further(grouping, kept, self.limit - suppressed) {
                    None => suppressed = u64::MAX,
                    Some(gone) => {
                        for class in gone {
                            let own = grouping.class(class);
                            if !is_additive {
                                failing_price +=
                                    measure.class(self.levelling.frame_cells(grouping, class), &own);
                            }
                            suppressed += own.size;
                            further.insert(grouping.key(class).into());
                            failing.push(class);
                        }
                    }
                }
            }
        }
        // A vector that suppresses too much is not priced. Where costs add up over columns, the whole is known, and only the
        // classes that go have to be priced.
        let cost = (suppressed <= self.limit).then(|| {
            let price = match self.levelling.additive_cost(&grouping.levels) {
                Some((Cost(whole), _)) => {
                    let cells = |number: &usize| {
                        let class = grouping.outline(*number);
                        measure.class(self.levelling.frame_cells(grouping, *number), &class)
                    };
                    whole - failing.iter().map(cells).sum::<u128>()
                }
                None => everything - failing_price,
            };
            let classes = classes - failing.len() as u64;
            measure.total(&Tally { price, classes, suppressed })
        });
        let all = Tally { price: everything, classes, suppressed: 0 };
        let floor = measure.total(&all);
        JudgedVector { cost, suppressed, must_go, floor, costliest, further, close: OnceLock::new() }
    }

    /// The records in classes that are too small whatever is in them, if these are more than may go. So are all parts of these
    /// classes, and no class has more people than records. What is in the classes then need not be counted.
    fn too_small(&self, grouping: &Grouping) -> Option<u64> {
        let least = self.requirements.iter().map(|requirement| requirement.least_size()).max()?;
        let gone = grouping.sizes().iter().filter(|size| **size < least).sum();
        (gone > self.limit).then_some(gone)
    }

    /// A class as far as the requirements look at it.
    fn members<'g>(&self, grouping: &'g Grouping, class: usize) -> Members<'g> {
        let look_inside = self.requirements.iter().any(|requirement| requirement.looks_inside());
        match look_inside || !self.levelling.is_additive() || self.levelling.microdata.crowd().is_some() {
            true => grouping.members(class),
            false => Members { records: grouping.outline(class), people: None, add_up: true },
        }
    }

    fn holds(&self, members: &Members<'_>) -> bool {
        self.requirements.iter().all(|requirement| members.meet(requirement.as_ref()))
    }

    /// What remains of a vector that meets every other requirement; `None` if time is up.
    fn naturally_close(&self, grouping: &Grouping, suppressed: u64) -> Option<FarClasses> {
        let too_many = || FarClasses { failing: HashSet::new(), cost: None };
        let mut kept: Vec<bool> = (0..grouping.len())
            .map(|class| grouping.outline(class).size > 0 && self.holds(&grouping.members(class)))
            .collect();
        let (mut failing, mut suppressed) = (HashSet::new(), suppressed);
        for notion in &self.natural {
            let spare = self.limit - suppressed;
            let asked = |class: usize| kept[class];
            match self.levelling.naturally_close(grouping, notion, asked, spare, self.clock) {
                Closeness::Unknown => return None,
                Closeness::Fails => return Some(too_many()),
                Closeness::Known(close) => {
                    for (class, _) in close.iter().enumerate().filter(|(_, close)| !**close) {
                        kept[class] = false;
                        suppressed += grouping.outline(class).size;
                        failing.insert(grouping.key(class).into());
                    }
                }
            }
        }
        let still: Vec<usize> = (0..grouping.len()).filter(|class| kept[*class]).collect();
        let Some(gone) = self.further(grouping, still, self.limit - suppressed) else {
            return Some(too_many());
        };
        for class in gone {
            kept[class] = false;
            suppressed += grouping.outline(class).size;
            failing.insert(grouping.key(class).into());
        }
        let measure = &self.levelling.measure;
        let mut tally = Tally { suppressed, ..Tally::default() };
        for class in (0..grouping.len()).filter(|class| kept[*class]) {
            tally.price += measure.class(self.levelling.frame_cells(grouping, class), &grouping.class(class));
            tally.classes += 1;
        }
        Some(FarClasses { failing, cost: Some(measure.total(&tally)) })
    }

    /// The cost of a vector if nothing were suppressed, and the highest cost of a single record in it.
    fn floor(&self, levels: &[u8]) -> (Cost, u128) {
        self.levelling.additive_cost(levels).unwrap_or_else(|| {
            let judged = self.judged(levels);
            (judged.floor, judged.costliest)
        })
    }

    /// Notes that time was up before a vector was judged; it then counts as failing.
    fn leave_unjudged(&self, levels: &[u8]) -> Option<Cost> {
        let floor = self.floor(levels).0;
        let mut unjudged = self.unjudged.lock().unwrap_or_else(PoisonError::into_inner);
        *unjudged = Some(unjudged.map_or(floor, |least| least.min(floor)));
        None
    }
}

impl Levelled for LevelLattice<'_> {
    fn tops(&self) -> &[u8] {
        &self.levelling.tops
    }

    fn bottoms(&self) -> Levels {
        self.bottoms.clone()
    }

    fn judge(&self, levels: &[u8]) -> Option<Cost> {
        let judged = self.judged(levels);
        if judged.suppressed > self.limit {
            return None;
        }
        match self.lkc.hold(levels, &self.levelling, self.clock) {
            Some(true) => {}
            Some(false) => return None,
            None => return self.leave_unjudged(levels),
        }
        if !self.households.is_empty() && judged.cost.is_some() {
            let grouping = self.levelling.groupings.at(levels);
            if !self.households.iter().all(|test| self.household_holds(test, &grouping)) {
                return None;
            }
        }
        if self.natural.is_empty() {
            return judged.cost;
        }
        if judged.close.get().is_none() {
            let grouping = self.levelling.groupings.at(levels);
            let Some(close) = self.naturally_close(&grouping, judged.suppressed) else {
                return self.leave_unjudged(levels);
            };
            // Another thread may have computed the same.
            let _ = judged.close.set(close);
        }
        judged.close.get().and_then(|close| close.cost)
    }

    fn unjudged(&self) -> Option<Cost> {
        *self.unjudged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bound(&self, low: &[u8], high: &[u8]) -> Option<Cost> {
        let must_go = self.judged(high).must_go;
        if must_go > self.limit || self.lkc.hold(high, &self.levelling, self.clock) == Some(false) {
            return None;
        }
        let (floor, costliest) = self.floor(low);
        Some(self.levelling.measure.bound(floor, costliest, must_go))
    }

    fn prepare(&self) -> Result<()> {
        let must_go = |levels: &[u8]| Some(self.judged(levels).must_go).filter(|gone| *gone <= self.limit);
        let patterns = Patterns::of(&self.levelling, &self.bottoms, &must_go, self.clock)?;
        self.patterns.set(patterns).map_err(|_| Error::internal("floors are made twice"))
    }

    fn glance(&self, low: &[u8], high: &[u8]) -> Option<Cost> {
        self.patterns.get().map_or(Some(Cost(0)), |patterns| patterns.floor(low, high))
    }

    fn contrast(&self, column: usize, low: u8, high: u8) -> f64 {
        self.levelling.contrast(column, low, high)
    }

    fn shown(&self, cost: Cost) -> Option<f64> {
        Some(self.levelling.measure.value(cost))
    }
}
