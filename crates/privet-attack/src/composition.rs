//! Composition (Ganta, Kasiviswanathan and Smith, KDD 2008): several releases of the same people, each safe by
//! itself.
//!
//! The attacker knows a person's quasi-identifiers, and so the matching records in every release. The person's value
//! is one that all of them show. If only one is left, the attacker knows it, although every release kept its promise.
//! A second figure asks whether a re-release keeps what the earlier one showed (m-invariance; Xiao and Tao, SIGMOD
//! 2007).
//!
//! Within a run, the earlier releases come from the steward's ledger, which knows everybody's class. Here they come
//! from directories, and the matching records are found by containment.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use serde_json::json;

use super::finding::NO_GUESS;
use super::view::TableView;
use super::{Attack, Figure, Finding, Scene, Threat};
use privet_core::Result;
use privet_core::counted;
use privet_data::Batch;
use privet_ledger::{
    Candidates, Composition, PersonKeys, ReRelease, Salt, SignatureClass, Signatures, View, compose,
    re_release as kept,
};
use privet_policy::{AnyPolicy, CheckedPolicy};

pub(super) const COMPOSITION: Attack = Attack {
    name: "composition",
    threat: Threat::Composition,
    costly: false,
    concerns,
    run: run_composition,
};

pub(super) const RE_RELEASE: Attack =
    Attack { name: "re-release", threat: Threat::ReRelease, costly: false, concerns, run: run_re_release };

/// A share of a match set as a count.
const PARTS: f64 = 1e9;

/// How the adversary knows in which class a person is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Composed {
    /// From the ledger, for a release that follows those in it.
    Classes,
    /// From the ledger, for one of those in it.
    Recorded,
    /// By quasi-identifiers.
    MatchSets,
}

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    if scene.others.is_empty() {
        return Err("no other release of the same people is known: name one with --with, or keep a ledger"
            .to_string());
    }
    scene.quasi_tables()?;
    for other in &scene.others {
        if !matches!(other.policy, AnyPolicy::Table(_)) {
            return Err(format!(
                "{} is not a table; use a ledger to check how releases of other kinds compose",
                other.name
            ));
        }
    }
    Ok(())
}

fn run_composition(scene: &Scene<'_>) -> Result<Finding> {
    let (new, others) = signatures(scene)?;
    let mut found = composition(&compose(&new, &others.iter().collect::<Vec<_>>()), Composed::MatchSets);
    found.sampled = scene.view()?.quasi.sampling();
    Ok(found)
}

fn run_re_release(scene: &Scene<'_>) -> Result<Finding> {
    let (new, others) = signatures(scene)?;
    Ok(re_release(&kept(&new, &others.iter().collect::<Vec<_>>())))
}

/// Everybody's match sets in this release and in the others.
fn signatures(scene: &Scene<'_>) -> Result<(Signatures, Vec<Signatures>)> {
    let salt = Salt::draw()?;
    let own = |scene: &Scene<'_>| match scene.table_policy() {
        Some(policy) => matched(scene, policy, salt),
        None => Ok(Signatures::default()),
    };
    let other = |other: &super::OtherRelease| {
        let policy = other.policy.as_ref();
        own(&Scene::new(policy, other.released.clone(), scene.seed, scene.clock))
    };
    Ok((own(scene)?, scene.others.iter().map(other).collect::<Result<_>>()?))
}

/// Everybody's match sets in the tables of one release.
fn matched(scene: &Scene<'_>, policy: &CheckedPolicy, salt: Salt) -> Result<Signatures> {
    let mut keys = PersonKeys::by_record(salt);
    let mut number_of_line: HashMap<u64, u32> = HashMap::new();
    policy.source.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows() {
            let cells = (0..policy.columns.len()).map(|column| batch.cell(row, column).trim());
            number_of_line.insert(batch.line(row), keys.add(cells, batch.cells(row)));
        }
        scene.clock.check()
    })?;
    let (keys, _) = keys.finish();
    let key_of_line: HashMap<u64, u64> =
        number_of_line.into_iter().map(|(line, number)| (line, keys[number as usize])).collect();
    let views = scene.views()?.iter().map(|table| view(scene, table, &key_of_line, salt));
    Ok(Signatures { views: views.collect::<Result<_>>()? })
}

/// People with the same match set are in one class, with the cells of all rows in it.
fn view(scene: &Scene<'_>, table: &TableView, keys: &HashMap<u64, u64>, salt: Salt) -> Result<View> {
    let columns = table.columns_where(|column| column.is_sensitive());
    let names: Vec<String> = columns.iter().map(|column| table.columns[*column].name.clone()).collect();
    let spreads: Vec<_> = columns.iter().map(|column| table.spread(*column, &table.quasi)).collect();
    let sets: Vec<Vec<u32>> = table.quasi.map(scene.clock, |_, classes| classes.to_vec())?;
    let mut numbers: BTreeMap<&[u32], u32> = BTreeMap::new();
    let mut classes = Vec::new();
    let mut class_of_target = vec![None; sets.len()];
    for (target, set) in sets.iter().enumerate().filter(|(_, set)| !set.is_empty()) {
        let next = classes.len() as u32;
        let number = *numbers.entry(set).or_insert(next);
        if number == next {
            let values = columns.iter().zip(&spreads).zip(&names).map(|((column, spread), name)| {
                let star = table.star(*column);
                let likely = spread.likely(set);
                let count = |share: f64| ((share * PARTS).round() as u64).max(1);
                let hidden =
                    likely.iter().filter(|(cell, _)| Some(*cell) == star).map(|(_, share)| count(*share));
                let shown = likely.iter().filter(|(cell, _)| Some(*cell) != star).map(|(cell, share)| {
                    (salt.value(name, table.columns[*column].cells.text(*cell)), count(*share))
                });
                Candidates::of(shown, hidden.sum())
            });
            classes.push(SignatureClass { values: values.collect() });
        }
        if let Some(class) = class_of_target.get_mut(target) {
            *class = Some(number);
        }
    }
    let mut people = Vec::new();
    for row in 0..table.original.len {
        let class = table.quasi.target_of(row).and_then(|target| *class_of_target.get(target)?);
        let key = keys.get(&table.original.line(row));
        people.extend(key.copied().zip(class));
    }
    Ok(View::new(names, classes, people))
}

/// What came of setting a release against others, as a finding.
pub fn composition(found: &Composition, how: Composed) -> Finding {
    let others = found.releases.saturating_sub(1);
    let noun = if others == 1 { "release" } else { "releases" };
    let warning = if found.pinned > 0 {
        let by_this =
            if found.added == 0 { "; that was so before this release, which adds no one" } else { "" };
        let which = if how == Composed::Classes { "earlier" } else { "other" };
        format!(
            "TOGETHER with {others} {which} {noun}, this one reveals the sensitive value of {} of {} ({:.1} %), \
             although no single release does{by_this}. An attacker who has all of them needs only quasi-identifiers. \
             Publish the same release again instead (same policy and seed), or a coarser version of it",
            found.pinned,
            counted(found.targets, "person", "people"),
            100.0 * found.pinned as f64 / found.targets.max(1) as f64,
        )
    } else {
        String::new()
    };
    let known = match how {
        Composed::Classes | Composed::Recorded => "each person's class is known from the ledger",
        Composed::MatchSets => "a person's class is what their quasi-identifiers leave possible",
    };
    let figure = Figure {
        what: "people whose sensitive value follows from all releases together, but from no single one"
            .to_string(),
        targets: found.targets,
        hits: found.pinned,
        baseline: found.pinned_alone,
        instead: "using only the release that reveals most about each person; this counts people for whom one release \
                  is enough"
            .to_string(),
        controlled: NO_GUESS.to_string(),
        ..Figure::default()
    };
    let more = json!({
        "releases": found.releases, "people": found.people, "added": found.added,
        "candidates_alone": found.candidates_alone, "candidates": found.candidates,
        "posterior_alone": found.posterior_alone, "posterior": found.posterior,
        "singled": found.singled, "contradicted": found.contradicted,
    });
    Finding {
        knows: format!("this release, {others} other {noun} of the same people, and their quasi-identifiers"),
        does: "keeps the values that a person's classes in all releases have in common".to_string(),
        assumes: format!(
            "{known}; {} in this release and another; {:.2} values stay possible on average instead of {:.2}; the \
             surest value has a posterior of {:.3} instead of {:.3}; {} alone in the intersection of their classes, \
             though each class has others",
            counted(found.people, "person is", "people are"),
            found.candidates,
            found.candidates_alone,
            found.posterior,
            found.posterior_alone,
            counted(found.singled, "person is", "people are")
        ),
        figures: vec![figure],
        warning,
        more: more.as_object().cloned().unwrap_or_default(),
        ..Finding::new(COMPOSITION.name, "Composition of several releases")
    }
}

/// Whether everybody's class shows what it showed in other releases, as a finding.
pub fn re_release(found: &ReRelease) -> Finding {
    let relations: Vec<&str> = found.relations.iter().map(|relation| relation.name()).collect();
    let warning = if found.changed > 0 {
        format!(
            "{} of {} {} in a class that shows different sensitive values than another release does, which coarsening \
             cannot explain: this is not m-invariant",
            found.changed,
            counted(found.targets, "person", "people"),
            if found.changed == 1 { "is" } else { "are" }
        )
    } else {
        String::new()
    };
    let figure = Figure {
        what: "people whose class shows different sensitive values than in another release".to_string(),
        targets: found.targets,
        hits: found.changed,
        instead: "having only one release".to_string(),
        controlled: NO_GUESS.to_string(),
        ..Figure::default()
    };
    let more = json!({ "relations": relations });
    Finding {
        knows: "this release and others of the same people".to_string(),
        does: "looks for people whose class shows different values than in another release".to_string(),
        assumes: format!(
            "compared with the others, the classes of this release are: {}",
            relations.join(", ")
        ),
        figures: vec![figure],
        warning,
        more: more.as_object().cloned().unwrap_or_default(),
        ..Finding::new(RE_RELEASE.name, "Re-release")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Stage, attacked};
    use super::super::{OtherRelease, Released};
    use privet_data::{ReadOptions, Source};

    use privet_policy::Policy;

    const ORIGINAL: &str = "age,city,ill\n30,Oslo,flu\n50,Bergen,ulcer\n31,Rome,asthma\n51,Pisa,gastritis\n";
    /// By country: {flu, ulcer}, {asthma, gastritis}.
    const COUNTRIES: &str = "age,city,ill\n*,Norway,flu\n*,Norway,ulcer\n*,Italy,asthma\n*,Italy,gastritis\n";
    /// By age across countries: {flu, asthma}, {ulcer, gastritis}.
    const PAIRS: &str = "age,city,ill\n\"[30, 40)\",*,flu\n\"[30, 40)\",*,asthma\n\"[50, 60)\",*,ulcer\n\"[50, 60)\",*,gastritis\n";
    /// Everybody together.
    const ALL: &str = "age,city,ill\n*,*,flu\n*,*,ulcer\n*,*,asthma\n*,*,gastritis\n";

    fn composed(name: &str, one: &str, other: &str) -> super::Finding {
        let stage = Stage::new(ORIGINAL);
        stage.write("one.csv", one);
        let path = stage.write("other.csv", other);
        let folder = path.parent().expect("a folder");
        let policy =
            Policy::read(&folder.join("policy.toml")).expect("a policy").check_any(None).expect("checked");
        let source = Source::open(&path, &ReadOptions::default()).expect("opened");
        stage.on("one.csv", |mut scene| {
            let name_of = "other".to_string();
            scene.others.push(OtherRelease { name: name_of, policy, released: Released::Table(source) });
            attacked(name, &scene).expect("run")
        })
    }

    #[test]
    fn releases_that_cross_pin_people_and_nested_ones_do_not() {
        let found = composed("composition", PAIRS, COUNTRIES);
        let headline = &found.figures[0];
        assert_eq!((headline.targets, headline.hits, headline.baseline), (4, 4, 0), "{found:?}");
        assert!(found.warning.contains("TOGETHER with 1 other release"), "{}", found.warning);
        for (one, other) in [(COUNTRIES, COUNTRIES), (ALL, COUNTRIES), (COUNTRIES, ALL)] {
            let found = composed("composition", one, other);
            assert_eq!((found.figures[0].targets, found.figures[0].hits), (4, 0), "{found:?}");
            assert!(!found.succeeds());
        }
    }

    #[test]
    fn re_releases_are_told_by_how_classes_lie() {
        let crossing = composed("re-release", PAIRS, COUNTRIES);
        assert_eq!((crossing.figures[0].hits, &crossing.more["relations"][0]), (4, &"crossing".into()));
        for (one, other, relation) in
            [(COUNTRIES, COUNTRIES, "same"), (ALL, COUNTRIES, "coarser"), (COUNTRIES, ALL, "finer")]
        {
            let found = composed("re-release", one, other);
            assert_eq!((found.figures[0].hits, &found.more["relations"][0]), (0, &relation.into()));
        }
    }

    #[test]
    fn a_release_alone_is_a_reason_not_to_run() {
        let stage = Stage::new(ORIGINAL);
        let reason = stage.attack("composition", COUNTRIES).expect_err("no other release");
        assert!(reason.contains("--with"), "{reason}");
    }
}
