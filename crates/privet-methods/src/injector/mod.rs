//! Injector (Li and Li, ICDE 2008): groups in which an adversary's background knowledge does not help.
//!
//! Quasi-identifiers stay exact. The records are put into groups, and for each group only the sensitive values in it
//! are published. The adversary's knowledge (`engine/negative_rules`) rules out some values for some records. Groups
//! are formed so that l values remain possible for everybody nevertheless (`privacy/matching`).
//!
//! Records with the same value and the same excluded values are interchangeable, so groups are formed from classes with
//! counts (`classes`): first groups of l mutually exchangeable records (`balanced`; `grouping` as published), then the few
//! that remain (`remaining`). `near` groups people who are near each other (`distance`, `index`), `local` splits the table
//! first. `anatomy` is the baseline without background knowledge.

mod anatomy;
mod balanced;
mod blocked;
mod classes;
mod closeness;
mod decide;
mod distance;
mod grouping;
mod index;
mod local;
mod near;
mod remaining;
mod shelf;
#[cfg(test)]
mod tests;
pub mod utility;

use std::collections::BTreeMap;

use classes::RecordClasses;
pub use decide::{GroupingDecision, GroupingSettings, Publication, decide, idle_note, known_rules};
use grouping::ClassSlot;
use rand_chacha::ChaCha20Rng;

use privet_core::clock::Clock;
use privet_core::counted;
use privet_core::{Error, Exact, Result, RunKey, ValueSet, random};
use privet_engine::negative_rules::Observations;
use privet_engine::privacy::matching::{Posterior, ValueGraph, judge, peel};

/// How groups are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupingStrategy {
    /// People who are near each other.
    Near,
    /// Frequent values first, so that few records remain ungrouped.
    Balanced,
    /// `Balanced` within parts of similar records.
    Local,
    /// Figure 2 of the paper, corrected.
    Paper,
    /// Anatomy: ignores what the adversary knows.
    Anatomy,
}

impl GroupingStrategy {
    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            GroupingStrategy::Near => "near",
            GroupingStrategy::Balanced => "balanced",
            GroupingStrategy::Local => "local",
            GroupingStrategy::Paper => "paper",
            GroupingStrategy::Anatomy => "anatomy",
        }
    }
}

/// The records to group, and the requirements on the groups.
#[derive(Debug, Clone, Copy)]
pub struct GroupingTask<'a> {
    /// The records.
    pub observations: &'a Observations,
    /// Per distinct record, the values that the adversary rules out.
    pub excluded: &'a [ValueSet],
    /// How many values must remain possible for everybody.
    pub l: usize,
    /// The least number of records in a group; 1 requires nothing.
    pub k: u64,
    /// The largest posterior that an adversary may reach for any value, if limited.
    pub max_posterior: Option<Exact>,
    /// Whether to suppress records that can never have l valid values; otherwise they make the task fail.
    pub suppress: bool,
}

/// The requirements on every group.
#[derive(Debug, Clone, Copy)]
struct GroupLimits {
    /// How many values must remain possible for everybody.
    l: usize,
    /// The least number of records.
    k: u64,
    /// The largest posterior that an adversary may reach for any value.
    bound: Option<Exact>,
}

/// Records in groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordGroups {
    /// The distinct records of each group; one that occurs several times is listed several times.
    pub groups: Vec<Vec<u32>>,
    /// Suppressed distinct records, with all their copies.
    pub suppressed: Vec<u32>,
}

/// What an adversary who knows the rules can infer.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupExposure {
    /// The number of groups.
    pub groups: u64,
    /// The number of groups of each size.
    pub sizes: BTreeMap<usize, u64>,
    /// The number of valid values of the record that has fewest.
    pub least_valid: usize,
    /// The number of records with fewer than l values of their group that are not ruled out.
    pub vulnerable_simple: u64,
    /// The number of records with fewer than l valid values.
    pub vulnerable: u64,
    /// The largest posterior of any value, over the groups for which it was computed.
    pub posterior: Option<Posterior>,
    /// The number of groups for which it was not computed.
    pub not_worked_out: u64,
    /// The largest share of one value in a group, as (records with the value, size of the group).
    pub frequency: (u64, u64),
    /// The number of records in groups where a value has more than one record in l.
    pub above_one_in_l: u64,
}

/// Forms groups; the key decides every choice left open.
pub fn group(
    task: &GroupingTask<'_>,
    strategy: GroupingStrategy,
    key: impl Into<RunKey>,
    clock: &Clock,
) -> Result<RecordGroups> {
    let GroupingTask { observations, l, k, max_posterior: bound, .. } = *task;
    let (limits, key) = (GroupLimits { l, k, bound }, key.into());
    let blind = if strategy == GroupingStrategy::Anatomy { observations.len() } else { 0 };
    let nothing = vec![ValueSet::none(observations.values.len()); blind];
    let known = if strategy == GroupingStrategy::Anatomy { &nothing } else { task.excluded };
    let (mut classes, class_of) = RecordClasses::of(observations, known);
    let mut kept = vec![true; classes.list.len()];
    if strategy == GroupingStrategy::Anatomy {
        check_eligible(task)?;
    } else {
        kept = check_feasible(task, &classes, clock)?;
        for (class, kept) in classes.list.iter_mut().zip(&kept) {
            class.count *= u64::from(*kept);
        }
    }
    check_enough(&classes, k)?;
    let is_kept = |record: &u32| kept[class_of[*record as usize] as usize];
    let (records, suppressed): (Vec<u32>, Vec<u32>) = (0..observations.len() as u32).partition(is_kept);
    let mut random = random::keyed(key, "groups");
    let whole = |groups: Vec<Vec<ClassSlot>>| vec![local::GroupedPart { records: records.clone(), groups }];
    let parts = match strategy {
        GroupingStrategy::Near => {
            let groups = near::form(observations, &classes, &class_of, &records, limits, &mut random, clock)?;
            check_posteriors(&classes, &class_of, &groups, bound)?;
            return Ok(shuffled(groups, suppressed, &mut random));
        }
        GroupingStrategy::Local => {
            local::split(observations, &classes, &class_of, records.clone(), limits, key, clock)?
        }
        GroupingStrategy::Balanced => whole(balanced(&classes, limits, key, clock)?),
        GroupingStrategy::Paper => whole(as_published(&classes, limits, clock)?),
        GroupingStrategy::Anatomy => whole(enlarge(anatomy::form(&classes, l, &mut random), k, signature)),
    };
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for part in parts {
        let mut members = members(observations, &class_of, &part.records);
        members.iter_mut().for_each(|members| random::shuffle(members, &mut random));
        groups.extend(deal(&part.groups, &members));
    }
    if strategy != GroupingStrategy::Anatomy {
        check_posteriors(&classes, &class_of, &groups, bound)?;
    }
    Ok(shuffled(groups, suppressed, &mut random))
}

/// Puts groups and their members into random order: the order in which they were formed reveals who is hardest to hide.
fn shuffled(mut groups: Vec<Vec<u32>>, suppressed: Vec<u32>, random: &mut ChaCha20Rng) -> RecordGroups {
    random::shuffle(&mut groups, random);
    groups.iter_mut().for_each(|group| random::shuffle(group, random));
    RecordGroups { groups, suppressed }
}

fn as_published(classes: &RecordClasses, limits: GroupLimits, clock: &Clock) -> Result<Vec<Vec<ClassSlot>>> {
    let phase = grouping::form(classes, limits.l, clock)?;
    remaining::place_as_published(classes, phase.groups, &phase.remaining, limits, clock)
}

fn balanced(
    classes: &RecordClasses,
    limits: GroupLimits,
    key: RunKey,
    clock: &Clock,
) -> Result<Vec<Vec<ClassSlot>>> {
    let phase = balanced::form(classes, limits.l, &mut random::keyed(key, "balanced groups"), clock)?;
    remaining::place_sparingly(classes, phase.groups, phase.remaining, limits, clock)
}

/// Merges groups of fewer than k records until none is left, those first that follow each other by a key. What is valid for
/// a record stays valid when its group grows, and no value's share of two groups exceeds the larger of its shares in each.
fn enlarge<T, K: Ord>(groups: Vec<Vec<T>>, k: u64, key: impl Fn(&[T]) -> K) -> Vec<Vec<T>> {
    let is_small = |group: &Vec<T>| (group.len() as u64) < k;
    if !groups.iter().any(is_small) {
        return groups;
    }
    let (mut small, mut large): (Vec<Vec<T>>, Vec<Vec<T>>) = groups.into_iter().partition(is_small);
    small.sort_by_cached_key(|group| key(group));
    let mut pile: Vec<T> = Vec::new();
    for group in small {
        pile.extend(group);
        if !is_small(&pile) {
            large.push(std::mem::take(&mut pile));
        }
    }
    if !pile.is_empty() {
        match large.iter_mut().min_by_key(|group| group.len()) {
            Some(group) => group.append(&mut pile),
            None => large.push(pile),
        }
    }
    large
}

/// The classes of a group, sorted. Merging groups of the same classes does not raise any posterior.
fn signature(group: &[ClassSlot]) -> Vec<u32> {
    let mut signature: Vec<u32> = group.iter().map(|slot| slot.class).collect();
    signature.sort_unstable();
    signature
}

/// Rejects a table with fewer records than a group must have.
fn check_enough(classes: &RecordClasses, k: u64) -> Result<()> {
    let records = classes.total();
    if records >= k || records == 0 {
        return Ok(());
    }
    let there = counted(records, "record", "records");
    Err(Error::infeasible(format!("k = {k} requires groups of more records than there are: {there}"))
        .help("lower k in [privacy.k-anonymity], or provide more records"))
}

/// Per class, its distinct records, each as often as it occurs.
fn members(observations: &Observations, class_of: &[u32], records: &[u32]) -> Vec<Vec<u32>> {
    let classes = class_of.iter().max().map_or(0, |most| *most as usize + 1);
    let mut members = vec![Vec::new(); classes];
    for record in records {
        let copies = observations.weight(*record as usize) as usize;
        members[class_of[*record as usize] as usize].extend(std::iter::repeat_n(*record, copies));
    }
    members
}

/// Assigns records to the slots that groups hold for their class.
fn deal(groups: &[Vec<ClassSlot>], members: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let record = |slot: &ClassSlot| members[slot.class as usize][slot.turn as usize];
    groups.iter().map(|group| group.iter().map(record).collect()).collect()
}

/// Rejects a table in which a value is too frequent for groups of different values.
fn check_eligible(task: &GroupingTask<'_>) -> Result<()> {
    let counts = task.observations.value_counts();
    let Some((value, count)) = anatomy::too_frequent(counts, task.l) else { return Ok(()) };
    let (total, l) = (task.observations.total(), task.l);
    let name = &task.observations.values[value as usize];
    let records = counted(total, "record has", "records have");
    let message = format!("{count} of {records} the value '{name}', more than one in l = {l}");
    Err(Error::infeasible(message)
        .help(format!("l = {} is the largest that works; injector has no such limit", total / count.max(1))))
}

/// The classes that can be published; an error that names the reasons unless the others may be suppressed.
fn check_feasible(task: &GroupingTask<'_>, classes: &RecordClasses, clock: &Clock) -> Result<Vec<bool>> {
    let (at, kinds) = classes.kinds();
    let verdict = judge(classes.values, &kinds, task.l);
    let mut kept = vec![true; classes.list.len()];
    if verdict.failing.is_empty() {
        return Ok(kept);
    }
    if task.suppress {
        let publishable = peel(classes.values, &kinds, task.l);
        at.iter().zip(&publishable).for_each(|(class, publishable)| kept[*class] = *publishable);
        if publishable.contains(&true) {
            return Ok(kept);
        }
    }
    clock.check()?;
    let failing: u64 = verdict.failing.iter().map(|kind| classes.list[at[*kind]].count).sum();
    // How few, but not whose: a message shows nobody's cells.
    let fewest = verdict.failing.iter().map(|kind| verdict.valid[*kind].len()).min().unwrap_or(0);
    let fewest = counted(fewest as u64, "value", "values");
    let (none_left, suppress) = match task.suppress {
        true if failing < task.observations.total() => (", and without them no other record can", ""),
        true => ("", ""),
        false => ("", " set infeasible = \"suppress\","),
    };
    Err(Error::infeasible(format!(
        "{failing} of {} cannot have l = {} possible values{none_left}; some have {fewest} that the rules and the data leave",
        counted(task.observations.total(), "record", "records"),
        task.l,
    ))
    .help(format!(
        "l = {} is the largest l that all records can meet; or{suppress} mine fewer rules, or mute some",
        verdict.largest_l
    )))
}

fn check_posteriors(
    classes: &RecordClasses,
    class_of: &[u32],
    groups: &[Vec<u32>],
    bound: Option<Exact>,
) -> Result<()> {
    let Some(bound) = bound else { return Ok(()) };
    let holds = |group: &&Vec<u32>| {
        let mut signature: Vec<u32> = group.iter().map(|record| class_of[*record as usize]).collect();
        signature.sort_unstable();
        shelf::posterior(classes, &signature).is_some_and(|posterior| posterior.is_at_most(bound))
    };
    let failing = groups.iter().filter(|group| !holds(group)).count() as u64;
    if failing == 0 {
        return Ok(());
    }
    Err(Error::infeasible(format!(
        "in {} an adversary could be more confident of a value than max_posterior = {bound} allows",
        counted(failing, "group", "groups")
    ))
    .help("raise max_posterior, lower l or k, or try another strategy"))
}

/// What an adversary can infer who knows which values are excluded for each record.
pub fn expose(task: &GroupingTask<'_>, grouping: &RecordGroups) -> GroupExposure {
    let (classes, class_of) = RecordClasses::of(task.observations, task.excluded);
    let mut exposure = GroupExposure {
        groups: grouping.groups.len() as u64,
        sizes: BTreeMap::new(),
        least_valid: usize::MAX,
        vulnerable_simple: 0,
        vulnerable: 0,
        posterior: None,
        not_worked_out: 0,
        frequency: (0, 1),
        above_one_in_l: 0,
    };
    // Groups of the same classes have the same exposure.
    let mut signatures: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for group in &grouping.groups {
        let mut signature: Vec<u32> = group.iter().map(|record| class_of[*record as usize]).collect();
        signature.sort_unstable();
        *signatures.entry(signature).or_default() += 1;
    }
    for (signature, groups) in &signatures {
        exposure.add(&classes, signature, *groups, task.l);
    }
    exposure
}

impl GroupExposure {
    fn add(&mut self, classes: &RecordClasses, signature: &[u32], groups: u64, l: usize) {
        *self.sizes.entry(signature.len()).or_default() += groups;
        let members = || signature.iter().map(|class| &classes.list[*class as usize]);
        let mut graph = ValueGraph::new(classes.values);
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for class in members() {
            graph.add(class.value, &class.allowed);
            *counts.entry(class.value).or_default() += 1;
        }
        let components = graph.components();
        for class in members() {
            let valid = components.count_valid(class.value, &class.allowed);
            self.least_valid = self.least_valid.min(valid);
            self.vulnerable += groups * u64::from(valid < l);
            self.vulnerable_simple += groups * u64::from(class.allowed.common(graph.present()) < l);
        }
        let (most, size) = (counts.values().max().copied().unwrap_or(0), signature.len() as u64);
        if most * self.frequency.1 > self.frequency.0 * size {
            self.frequency = (most, size);
        }
        self.above_one_in_l += if most * l as u64 > size { size * groups } else { 0 };
        match shelf::posterior(classes, signature) {
            Some(posterior) => self.posterior = self.posterior.take().max(Some(posterior)),
            None => self.not_worked_out += groups,
        }
    }
}
