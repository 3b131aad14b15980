//! Several releases of the same people, set against each other.
//!
//! *Composition* (Ganta, Kasiviswanathan and Smith, KDD 2008): somebody's sensitive value is among those of their class in
//! every release, so it is among those that all of them have in common. *Re-release* (m-invariance; Xiao and Tao, SIGMOD
//! 2007): nothing is lost where everybody's class shows the same values in every release, and nothing where the classes of
//! one release are unions of the other's, which then reveals nothing that the finer one does not.
//!
//! Results depend on people only through the classes they are in, so people with the same classes are counted together.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::signature::{Candidates, NOTHING, Signatures};

/// What a new release reveals together with earlier ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Composition {
    /// How many releases were set against each other, the new one included.
    pub releases: usize,
    /// People of the new release who are in an earlier one too.
    pub people: u64,
    /// Those of them about whom two releases or more show the same attribute.
    pub targets: u64,
    /// Those whose value a single release reveals already.
    pub pinned_alone: u64,
    /// Those whose value all releases together reveal, and no single one does.
    pub pinned: u64,
    /// Those of them for whom it is the new release that made the difference.
    pub added: u64,
    /// Those whose releases contradict each other: their value has changed.
    pub contradicted: u64,
    /// How many values are possible on average where the release that reveals most is alone, …
    pub candidates_alone: f64,
    /// … and how many with all together.
    pub candidates: f64,
    /// How sure one can be of somebody's value at most from one release, …
    pub posterior_alone: f64,
    /// … and from all together, each class taken as evidence of its own.
    pub posterior: f64,
    /// People who share all their classes with nobody, though no class is theirs alone: anyone who can tell which records of the
    /// releases are the same person's has singled them out.
    pub singled: u64,
}

/// How the classes of a new release lie to those of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Nobody is in both.
    Apart,
    /// They are the same.
    Same,
    /// Each class of the new release is a union of classes of the earlier.
    Coarser,
    /// Each class of the earlier release is a union of classes of the new.
    Finer,
    /// Some classes overlap.
    Crossing,
}

impl Relation {
    /// The relation in a word.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Apart => "apart",
            Relation::Same => "same",
            Relation::Coarser => "coarser",
            Relation::Finer => "finer",
            Relation::Crossing => "crossing",
        }
    }
}

/// Whether a new release keeps what earlier ones promised.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReRelease {
    /// People of the new release about whom an earlier one shows the same attribute.
    pub targets: u64,
    /// Those whose class shows other values than in an earlier release, in a way that no coarsening explains.
    pub changed: u64,
    /// How the new release lies to each earlier one.
    pub relations: Vec<Relation>,
}

/// Who is in which classes, counted.
struct Joined<'a> {
    /// The new release first, then the earlier ones.
    releases: Vec<&'a Signatures>,
    /// Per combination of classes (one per view of every release, in order), how many people have it.
    combinations: BTreeMap<Vec<u32>, u64>,
}

/// The class of who is not in a view.
const ABSENT: u32 = u32::MAX;

impl<'a> Joined<'a> {
    fn new(new: &'a Signatures, earlier: &[&'a Signatures]) -> Joined<'a> {
        let releases: Vec<&Signatures> = std::iter::once(new).chain(earlier.iter().copied()).collect();
        let views = releases.iter().flat_map(|release| &release.views);
        let places: Vec<HashMap<u64, u32>> =
            views.map(|view| view.people.iter().copied().collect()).collect();
        let keys: BTreeSet<u64> =
            new.views.iter().flat_map(|view| &view.people).map(|(key, _)| *key).collect();
        let mut counted: HashMap<Vec<u32>, u64> = HashMap::new();
        let mut classes = Vec::with_capacity(places.len());
        for key in keys {
            classes.clear();
            classes.extend(places.iter().map(|place| place.get(&key).copied().unwrap_or(ABSENT)));
            match counted.get_mut(&classes) {
                Some(count) => *count += 1,
                None => {
                    counted.insert(classes.clone(), 1);
                }
            }
        }
        Joined { releases, combinations: counted.into_iter().collect() }
    }

    /// The part of a combination that is about a release, by its position.
    fn part<'c>(&self, release: usize, classes: &'c [u32]) -> &'c [u32] {
        let start: usize = self.releases.iter().take(release).map(|release| release.views.len()).sum();
        let end = start + self.releases.get(release).map_or(0, |release| release.views.len());
        classes.get(start..end).unwrap_or_default()
    }

    fn is_in(&self, release: usize, classes: &[u32]) -> bool {
        self.part(release, classes).iter().any(|class| *class != ABSENT)
    }

    /// What a release says about an attribute of who is in these classes.
    fn candidates(&self, release: usize, classes: &[u32], attribute: &str) -> Option<&'a Candidates> {
        self.shown(release, classes, attribute).map(|(_, _, candidates)| candidates)
    }

    /// The same, with the view that says it, by its position, and the class there.
    fn shown(
        &self,
        release: usize,
        classes: &[u32],
        attribute: &str,
    ) -> Option<(usize, u32, &'a Candidates)> {
        let views = self.releases.get(release)?.views.iter().zip(self.part(release, classes)).enumerate();
        let mut present = views.filter(|(_, (_, class))| **class != ABSENT);
        present.find_map(|(at, (view, class))| Some((at, *class, view.candidates(*class, attribute)?)))
    }

    /// What all releases together reveal about an attribute of who is in these classes; `None` unless the new release and an
    /// earlier one show it.
    fn revealed(&self, classes: &[u32], attribute: &str) -> Option<Revealed> {
        self.candidates(0, classes, attribute)?;
        let said: Vec<&Candidates> = (0..self.releases.len())
            .filter_map(|release| self.candidates(release, classes, attribute))
            .collect();
        (said.len() > 1).then(|| Revealed::of(&said))
    }

    /// The attributes of the new release, each once.
    fn attributes(&self) -> Vec<&'a str> {
        let new = self.releases.first().copied();
        let names = new.iter().flat_map(|new| &new.views).flat_map(|view| &view.attributes);
        let names: BTreeSet<&str> = names.map(String::as_str).collect();
        names.into_iter().collect()
    }
}

/// What is revealed about one attribute of some people.
struct Revealed {
    alone: bool,
    jointly: bool,
    before: bool,
    contradicted: bool,
    /// The fewest values that one release leaves, and how many all leave.
    left: Option<(u64, u64)>,
    posterior: (f64, f64),
}

impl Revealed {
    /// Whether it is the new release that made the difference.
    fn is_added(&self) -> bool {
        self.jointly && !self.alone && !self.before
    }

    /// `said` is what each release says, the new one first.
    fn of(said: &[&Candidates]) -> Revealed {
        let known: Vec<&Candidates> =
            said.iter().copied().filter(|candidates| candidates.is_known()).collect();
        let reveals = |values: &BTreeSet<u64>| values.len() == 1 && !values.contains(&NOTHING);
        let earlier = common(said.iter().skip(1).copied());
        let all = common(said.iter().copied());
        let alone = said.iter().any(|one| common([*one]).as_ref().is_some_and(reveals));
        let contradicted = all.as_ref().is_some_and(BTreeSet::is_empty);
        let fewest = known.iter().map(|candidates| candidates.counts.len() as u64).min();
        let left = fewest.zip(all.as_ref().map(|all| all.len() as u64)).filter(|_| !contradicted);
        let share = |candidates: &Candidates, value: u64| {
            let total: u64 = candidates.counts.iter().map(|(_, count)| count).sum();
            let own =
                candidates.counts.iter().find(|(other, _)| *other == value).map_or(0, |(_, count)| *count);
            own as f64 / total.max(1) as f64
        };
        let greatest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let single = greatest(&mut known.iter().flat_map(|candidates| {
            candidates
                .counts
                .iter()
                .filter(|(value, _)| *value != NOTHING)
                .map(|(value, _)| share(candidates, *value))
        }));
        let weights: Vec<(u64, f64)> = (all.iter().flatten())
            .map(|value| (*value, known.iter().map(|candidates| share(candidates, *value)).product()))
            .collect();
        // Values are hashes: in their own order the last digits of a sum would be those of the salt.
        let mut sorted: Vec<f64> = weights.iter().map(|(_, weight)| *weight).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let sum: f64 = sorted.iter().sum();
        let sensitive = weights.iter().filter(|(value, _)| *value != NOTHING);
        let joint = greatest(&mut sensitive.map(|(_, weight)| weight / sum.max(f64::MIN_POSITIVE)));
        Revealed {
            alone,
            jointly: all.as_ref().is_some_and(reveals),
            before: earlier.as_ref().is_some_and(reveals),
            contradicted,
            left,
            posterior: (single, joint),
        }
    }
}

/// The values that all of them leave possible; `None` where none of them rules anything out.
fn common<'c>(said: impl IntoIterator<Item = &'c Candidates>) -> Option<BTreeSet<u64>> {
    let mut left: Option<BTreeSet<u64>> = None;
    for candidates in said.into_iter().filter(|candidates| candidates.is_known()) {
        let values = candidates.counts.iter().map(|(value, _)| *value);
        left = Some(match left {
            None => values.collect(),
            Some(left) => values.filter(|value| left.contains(value)).collect(),
        });
    }
    left
}

/// Sets a new release against earlier ones.
pub fn compose(new: &Signatures, earlier: &[&Signatures]) -> Composition {
    let joined = Joined::new(new, earlier);
    let sizes = class_sizes(&joined.releases);
    let attributes = joined.attributes();
    let mut found = Composition { releases: joined.releases.len(), ..Composition::default() };
    let (mut measured, mut fewest, mut left) = (0u64, 0u64, 0u64);
    for (classes, count) in &joined.combinations {
        if !(1..joined.releases.len()).any(|release| joined.is_in(release, classes)) {
            continue;
        }
        found.people += count;
        let shared = |(view, class): (usize, &u32)| {
            *class == ABSENT
                || sizes.get(view).and_then(|sizes| sizes.get(*class as usize)).is_some_and(|size| *size > 1)
        };
        if *count == 1 && classes.iter().enumerate().all(shared) {
            found.singled += 1;
        }
        let (mut concerned, mut alone, mut pinned, mut added, mut contradicted) =
            (false, false, false, false, false);
        for attribute in &attributes {
            let Some(revealed) = joined.revealed(classes, attribute) else { continue };
            concerned = true;
            alone |= revealed.alone;
            pinned |= revealed.jointly && !revealed.alone;
            added |= revealed.is_added();
            contradicted |= revealed.contradicted;
            if let Some((one, all)) = revealed.left {
                measured += count;
                fewest += one * count;
                left += all * count;
            }
            found.posterior_alone = found.posterior_alone.max(revealed.posterior.0);
            found.posterior = found.posterior.max(revealed.posterior.1);
        }
        found.targets += count * u64::from(concerned);
        found.pinned_alone += count * u64::from(alone);
        found.pinned += count * u64::from(pinned);
        found.added += count * u64::from(added);
        found.contradicted += count * u64::from(contradicted);
    }
    found.candidates_alone = fewest as f64 / measured.max(1) as f64;
    found.candidates = left as f64 / measured.max(1) as f64;
    found
}

/// The classes of a new release, view by view, in which it reveals somebody's value together with earlier ones, though no
/// release reveals it alone. Without these classes, [`Composition::added`] is 0: what is known about people in other classes
/// does not depend on them.
pub fn exposing(new: &Signatures, earlier: &[&Signatures]) -> Vec<BTreeSet<u32>> {
    let joined = Joined::new(new, earlier);
    let attributes = joined.attributes();
    let mut found = vec![BTreeSet::new(); new.views.len()];
    for classes in joined.combinations.keys() {
        for attribute in &attributes {
            let is_added = joined.revealed(classes, attribute).is_some_and(|revealed| revealed.is_added());
            if let Some((view, class, _)) = joined.shown(0, classes, attribute).filter(|_| is_added) {
                found[view].insert(class);
            }
        }
    }
    found
}

/// Per view of all releases in order, how many people each class has.
fn class_sizes(releases: &[&Signatures]) -> Vec<Vec<u64>> {
    let views = releases.iter().flat_map(|release| &release.views);
    let sizes = views.map(|view| {
        let mut sizes = vec![0u64; view.classes.len()];
        for (_, class) in &view.people {
            if let Some(size) = sizes.get_mut(*class as usize) {
                *size += 1;
            }
        }
        sizes
    });
    sizes.collect()
}

/// Looks at whether a new release keeps everybody's values as earlier ones had them, or is nested with them.
pub fn re_release(new: &Signatures, earlier: &[&Signatures]) -> ReRelease {
    let joined = Joined::new(new, earlier);
    let relations: Vec<Relation> =
        (1..joined.releases.len()).map(|release| relation(&joined, release)).collect();
    let attributes = joined.attributes();
    let mut found = ReRelease { relations, ..ReRelease::default() };
    for (classes, count) in &joined.combinations {
        let (mut concerned, mut changed) = (false, false);
        for (release, relation) in (1..).zip(&found.relations) {
            for attribute in &attributes {
                let said = (
                    joined.candidates(0, classes, attribute),
                    joined.candidates(release, classes, attribute),
                );
                let (Some(now), Some(then)) = said else { continue };
                concerned = true;
                changed |= !keeps(*relation, common([now]), common([then]));
            }
        }
        found.targets += count * u64::from(concerned);
        found.changed += count * u64::from(changed);
    }
    found
}

/// Whether a class shows the values that it showed before, or as much more or less as a coarser or finer class does. What
/// rules nothing out (`None`) is the coarsest there is.
fn keeps(relation: Relation, now: Option<BTreeSet<u64>>, then: Option<BTreeSet<u64>>) -> bool {
    let within = |inner: &Option<BTreeSet<u64>>, outer: &Option<BTreeSet<u64>>| match (inner, outer) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(inner), Some(outer)) => inner.is_subset(outer),
    };
    match relation {
        Relation::Coarser => within(&then, &now),
        Relation::Finer => within(&now, &then),
        Relation::Same | Relation::Crossing | Relation::Apart => now == then,
    }
}

/// How the new release relates to an earlier one, as far as the people of both show.
fn relation(joined: &Joined<'_>, release: usize) -> Relation {
    let mut onto: BTreeMap<&[u32], BTreeSet<&[u32]>> = BTreeMap::new();
    let mut back: BTreeMap<&[u32], BTreeSet<&[u32]>> = BTreeMap::new();
    for classes in joined.combinations.keys() {
        if joined.is_in(0, classes) && joined.is_in(release, classes) {
            let (now, then) = (joined.part(0, classes), joined.part(release, classes));
            onto.entry(now).or_default().insert(then);
            back.entry(then).or_default().insert(now);
        }
    }
    let single = |of: &BTreeMap<&[u32], BTreeSet<&[u32]>>| of.values().all(|to| to.len() == 1);
    match (onto.is_empty(), single(&onto), single(&back)) {
        (true, _, _) => Relation::Apart,
        (_, true, true) => Relation::Same,
        (_, true, false) => Relation::Finer,
        (_, false, true) => Relation::Coarser,
        (_, false, false) => Relation::Crossing,
    }
}
