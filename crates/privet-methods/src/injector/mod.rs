//! Injector (Li and Li, ICDE 2008): groups in which what an adversary knows does not help him.
//!
//! Quasi-identifiers stay exact; the records are put into groups, and of each group only the sensitive values that occur
//! in it are told. What the adversary may know (`engine/negative_rules`) rules some values out for some records. Groups
//! are formed so that l values stay possible for everybody all the same (`privacy/matching`).
//!
//! Records with the same value and the same excluded values are interchangeable, so groups are formed from classes with
//! counts (`classes`): groups of l mutually exchangeable records first (`grouping`), then the few that remain
//! (`remaining`). `anatomy` is the baseline that knows nothing.

mod anatomy;
mod blocked;
mod classes;
mod decide;
mod grouping;
mod local;
mod remaining;
mod shelf;
#[cfg(test)]
mod tests;
pub mod utility;

use std::collections::BTreeMap;

use classes::Classes;
pub use decide::{Asked, Decision, Publication, decide, idle_note, known_rules};
use grouping::{Choice, Slot};

use privet_core::clock::Clock;
use privet_core::{Error, Exact, Result, RunKey, random};
use privet_core::{counted, shortened_values};
use privet_engine::negative_rules::{KnownRule, Observations, Origin};
use privet_engine::privacy::matching::{Posterior, ValueGraph, ValueSet, judge, peel};

/// How groups are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Frequent values first, so that few records remain.
    Balanced,
    /// The same within parts of similar records.
    Local,
    /// Figure 2 of the paper, repaired.
    Paper,
    /// Anatomy: blind to what the adversary knows.
    Anatomy,
}

impl Strategy {
    /// The name by which policies call it.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Balanced => "balanced",
            Strategy::Local => "local",
            Strategy::Paper => "paper",
            Strategy::Anatomy => "anatomy",
        }
    }
}

/// What is to be grouped, and what must hold.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The records.
    pub observations: &'a Observations,
    /// Per distinct record, the values that the adversary rules out.
    pub excluded: &'a [ValueSet],
    /// How many values must stay possible for everybody.
    pub l: usize,
    /// How many records a group must have; 1 asks nothing.
    pub k: u64,
    /// The most that an adversary may become sure of any value, where that is asked for.
    pub max_posterior: Option<Exact>,
    /// Whether records that can never have l valid values are left out; else they make the task fail.
    pub suppress: bool,
    /// The adversary's rules, for messages.
    pub rules: &'a [KnownRule],
}

/// What must hold in every group.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// How many values must stay possible for everybody.
    l: usize,
    /// How many records there must be.
    k: u64,
    /// The most that an adversary may become sure of any value.
    bound: Option<Exact>,
}

/// Records in groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    /// The distinct records of each group; one that occurs several times stands in as many places.
    pub groups: Vec<Vec<u32>>,
    /// Distinct records that are left out, with all their copies.
    pub suppressed: Vec<u32>,
}

/// What is left to an adversary who knows the rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Exposure {
    /// The number of groups.
    pub groups: u64,
    /// How many groups have each size.
    pub sizes: BTreeMap<usize, u64>,
    /// How many values are valid for the record that has fewest.
    pub least_valid: usize,
    /// How many records have fewer than l values that are not ruled out among those of their group.
    pub vulnerable_simple: u64,
    /// How many records have fewer than l valid values.
    pub vulnerable: u64,
    /// The most that an adversary can be sure of a value, over the groups where that was worked out.
    pub posterior: Option<Posterior>,
    /// In how many groups it was not.
    pub not_worked_out: u64,
    /// The largest share of one value in a group, as (records with the value, size of the group).
    pub frequency: (u64, u64),
    /// How many records are in a group where a value has more than one record in l.
    pub above_one_in_l: u64,
}

/// Forms groups; every choice left open is drawn from the key.
pub fn group(task: &Task<'_>, strategy: Strategy, key: impl Into<RunKey>, clock: &Clock) -> Result<Grouping> {
    let Task { observations, l, k, max_posterior: bound, .. } = *task;
    let limits = Limits { l, k, bound };
    let blind = if strategy == Strategy::Anatomy { observations.len() } else { 0 };
    let nothing = vec![ValueSet::none(observations.values.len()); blind];
    let known = if strategy == Strategy::Anatomy { &nothing } else { task.excluded };
    let (mut classes, class_of) = Classes::of(observations, known);
    let mut kept = vec![true; classes.list.len()];
    if strategy == Strategy::Anatomy {
        check_eligible(task)?;
    } else {
        kept = check_feasible(task, &classes, &class_of, clock)?;
        for (class, kept) in classes.list.iter_mut().zip(&kept) {
            class.count *= u64::from(*kept);
        }
    }
    check_enough(&classes, k)?;
    let is_kept = |record: &u32| kept[class_of[*record as usize] as usize];
    let (records, suppressed): (Vec<u32>, Vec<u32>) = (0..observations.len() as u32).partition(is_kept);
    let mut random = random::keyed(key, "groups");
    let parts = match strategy {
        Strategy::Local => local::split(observations, &classes, &class_of, records, limits, clock)?,
        Strategy::Balanced => {
            vec![local::Part { records, groups: balanced(&classes, limits, clock)? }]
        }
        Strategy::Paper => {
            vec![local::Part { records, groups: as_published(&classes, limits, clock)? }]
        }
        Strategy::Anatomy => {
            vec![local::Part { records, groups: enlarge(anatomy::form(&classes, l, &mut random), k) }]
        }
    };
    if let Some(bound) = task.max_posterior.filter(|_| strategy != Strategy::Anatomy) {
        check_posteriors(&classes, &parts, bound)?;
    }
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for part in parts {
        let mut members = members(observations, &class_of, &part.records);
        members.iter_mut().for_each(|members| random::shuffle(members, &mut random));
        groups.extend(deal(&part.groups, &members));
    }
    // The order in which groups were formed tells who is hardest to hide.
    random::shuffle(&mut groups, &mut random);
    groups.iter_mut().for_each(|group| random::shuffle(group, &mut random));
    Ok(Grouping { groups, suppressed })
}

fn as_published(classes: &Classes, limits: Limits, clock: &Clock) -> Result<Vec<Vec<Slot>>> {
    let phase = grouping::form(classes, limits.l, Choice::FewestBlocked, clock)?;
    remaining::place_as_published(classes, phase.groups, &phase.remaining, limits, clock)
}

fn balanced(classes: &Classes, limits: Limits, clock: &Clock) -> Result<Vec<Vec<Slot>>> {
    let phase = grouping::form(classes, limits.l, Choice::MostLeft, clock)?;
    remaining::place_sparingly(classes, phase.groups, phase.remaining, limits, clock)
}

/// Puts groups of fewer than k records together until none is left. Groups of the same classes come together, where that
/// goes: there nobody becomes surer of a value. What is valid for a record stays valid when its group grows, and no value's
/// share of two groups exceeds the larger of its shares in each.
fn enlarge(groups: Vec<Vec<Slot>>, k: u64) -> Vec<Vec<Slot>> {
    let is_small = |group: &Vec<Slot>| (group.len() as u64) < k;
    if !groups.iter().any(is_small) {
        return groups;
    }
    let look = |group: &Vec<Slot>| {
        let mut look: Vec<u32> = group.iter().map(|slot| slot.class).collect();
        look.sort_unstable();
        look
    };
    let (mut small, mut large): (Vec<Vec<Slot>>, Vec<Vec<Slot>>) = groups.into_iter().partition(is_small);
    small.sort_by_cached_key(look);
    let mut pile: Vec<Slot> = Vec::new();
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

/// Refuses a table of fewer records than a group must have.
fn check_enough(classes: &Classes, k: u64) -> Result<()> {
    let records = classes.total();
    if records >= k || records == 0 {
        return Ok(());
    }
    let there = counted(records, "record", "records");
    Err(Error::infeasible(format!("k = {k} asks for groups of more records than there are: {there}"))
        .help("lower k in [privacy.k-anonymity], or bring more records"))
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

/// Hands out records to the places that groups keep for their class.
fn deal(groups: &[Vec<Slot>], members: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let record = |slot: &Slot| members[slot.class as usize][slot.turn as usize];
    groups.iter().map(|group| group.iter().map(record).collect()).collect()
}

/// Refuses a table in which a value is too frequent for groups of different values.
fn check_eligible(task: &Task<'_>) -> Result<()> {
    let counts = task.observations.value_counts();
    let Some((value, count)) = anatomy::too_frequent(counts, task.l) else { return Ok(()) };
    let (total, l) = (task.observations.total(), task.l);
    let name = &task.observations.values[value as usize];
    let records = counted(total, "record has", "records have");
    let message = format!("{count} of {records} the value '{name}', more than one in l = {l}");
    Err(Error::infeasible(message)
        .help(format!("l = {} is the largest that works; injector takes any share", total / count.max(1))))
}

/// The classes that can be published; an error that names the culprits unless they may be left out.
fn check_feasible(task: &Task<'_>, classes: &Classes, class_of: &[u32], clock: &Clock) -> Result<Vec<bool>> {
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
    let worst = verdict.failing.iter().copied().min_by_key(|kind| verdict.valid[*kind].len()).unwrap_or(0);
    let name = |value: u32| task.observations.values[value as usize].as_str();
    let possible: Vec<&str> = verdict.valid[worst].iter().map(name).collect();
    let excluded: Vec<&str> = classes.list[at[worst]].barred.iter().map(name).collect();
    let example = class_of.iter().position(|class| *class as usize == at[worst]).unwrap_or(0);
    let who: Vec<String> = (task.observations.attributes.iter().enumerate())
        .map(|(attribute, tree)| {
            let leaf = tree.taxonomy.leaf(task.observations.leaf(attribute, example) as usize);
            format!("{} {}", tree.name, tree.taxonomy.label(leaf))
        })
        .collect();
    let barred = &classes.list[at[worst]].barred;
    let rules: Vec<String> = (task.rules.iter())
        .filter(|known| known.origin != Origin::Muted && barred.contains(known.rule.value))
        .filter(|known| task.observations.degree(&known.rule.items, example) > 0.0)
        .map(|known| known.text.to_string())
        .collect();
    let because = match (excluded.as_slice(), rules.as_slice()) {
        ([], _) => String::new(),
        (excluded, []) => format!(", because the rules exclude {}", shortened_values(excluded)),
        (_, rules) => format!(", because {}", rules.join("; ")),
    };
    let (none_left, suppress) = match task.suppress {
        true if failing < task.observations.total() => (", and without them none of the others can", ""),
        true => ("", ""),
        false => ("", " set infeasible = \"suppress\","),
    };
    Err(Error::infeasible(format!(
        "{failing} of {} can never have l = {} possible values{none_left}; a record with {} and value '{}' can only have {}{because}",
        counted(task.observations.total(), "record", "records"),
        task.l,
        who.join(", "),
        name(classes.list[at[worst]].value),
        shortened_values(&possible),
    ))
    .help(format!(
        "l = {} is the largest that all records meet; or{suppress} mine fewer rules, or mute some",
        verdict.largest_l
    )))
}

fn check_posteriors(classes: &Classes, parts: &[local::Part], bound: Exact) -> Result<()> {
    let mut failing = 0u64;
    for group in parts.iter().flat_map(|part| &part.groups) {
        let mut look: Vec<u32> = group.iter().map(|slot| slot.class).collect();
        look.sort_unstable();
        let holds = shelf::posterior(classes, &look).is_some_and(|posterior| posterior.is_at_most(bound));
        failing += u64::from(!holds);
    }
    if failing == 0 {
        return Ok(());
    }
    Err(Error::infeasible(format!(
        "in {} an adversary could be surer of a value than max_posterior = {bound} allows",
        counted(failing, "group", "groups")
    ))
    .help("raise max_posterior, lower l or k, or try another strategy"))
}

/// What is left to an adversary who knows which values are excluded for whom.
pub fn expose(task: &Task<'_>, grouping: &Grouping) -> Exposure {
    let (classes, class_of) = Classes::of(task.observations, task.excluded);
    let mut exposure = Exposure {
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
    // Groups of the same look fare alike.
    let mut looks: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for group in &grouping.groups {
        let mut look: Vec<u32> = group.iter().map(|record| class_of[*record as usize]).collect();
        look.sort_unstable();
        *looks.entry(look).or_default() += 1;
    }
    for (look, groups) in &looks {
        exposure.add(&classes, look, *groups, task.l);
    }
    exposure
}

impl Exposure {
    fn add(&mut self, classes: &Classes, look: &[u32], groups: u64, l: usize) {
        *self.sizes.entry(look.len()).or_default() += groups;
        let members = || look.iter().map(|class| &classes.list[*class as usize]);
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
        let (most, size) = (counts.values().max().copied().unwrap_or(0), look.len() as u64);
        if most * self.frequency.1 > self.frequency.0 * size {
            self.frequency = (most, size);
        }
        self.above_one_in_l += if most * l as u64 > size { size * groups } else { 0 };
        match shelf::posterior(classes, look) {
            Some(posterior) => self.posterior = self.posterior.take().max(Some(posterior)),
            None => self.not_worked_out += groups,
        }
    }
}
