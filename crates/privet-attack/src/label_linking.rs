//! Linking through public knowledge: the attacker looks up the terms of each record in a table of labels.
//!
//! They know who is in a table and their quasi-identifiers, so they know a person's group of records; and they have
//! the knowledge file. For each record of a group they list the labels that have all of its terms, take these as
//! equally likely, and average over the group. It works on any table with the policy's columns, however it was
//! released.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use serde_json::json;

use super::{Attack, Figure, Finding, Released, Scene, Threat};
use privet_audit::definitions::{LabelIndex, LabelRequirements, LinkedRecords};
use privet_core::random::{keyed, shuffle};
use privet_core::{Error, Result};
use privet_data::interner::Interner;
use privet_data::{Batch, Source, terms_of};
use privet_policy::requirement::PriorKind;
use privet_policy::{CheckedPolicy, PolicyColumn, Requirement, Role, SetPolicy};

/// More people than this are not listed by name.
const MOST_LISTED: usize = 100;

/// What linking a table's records to a knowledge file tells.
#[derive(Debug, Clone, Default)]
pub struct Linkage {
    /// Records.
    pub records: u64,
    /// Records that link to just one label.
    pub single: u64,
    /// Records that link to nothing.
    pub unlinked: u64,
    /// Records in groups whose likeliest label exceeds what the requirements allow.
    pub exposed: u64,
    /// How many records link to each number of labels.
    pub sizes: BTreeMap<usize, u64>,
    /// How many records have a likeliest label with a likelihood of at most 10 %, 20 %, …, 100 %.
    pub likeliest: [u64; 10],
    /// How often each term occurs.
    pub terms: BTreeMap<String, u64>,
    /// Some of the people in such groups, those whose label is surest first.
    pub people: Vec<Exposed>,
    /// The group that comes nearest to what QS (c,l)-diversity allows, where that is asked for.
    pub least_diverse: Option<Nearest>,
    /// The group that comes nearest to what QS t-closeness allows, where that is asked for.
    pub least_close: Option<Nearest>,
}

/// A group that comes nearest to what a requirement allows. Its figures are for display; exact ones decide.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// The figure that is limited: p₁ over the sum from the l-th likelihood on, or the distance from the prior.
    pub value: f64,
    /// What the figure is made of.
    pub figures: String,
    /// The quasi-identifiers.
    pub cells: Vec<String>,
    /// How many records the group has.
    pub records: u64,
}

/// A person whose likeliest label exceeds what the requirements allow.
#[derive(Debug, Clone, PartialEq)]
pub struct Exposed {
    /// The line of the table.
    pub line: u64,
    /// The quasi-identifiers.
    pub cells: Vec<String>,
    /// The likeliest label of the group.
    pub label: String,
    /// How likely it is.
    pub likelihood: f64,
}

/// Links every group of a table to the knowledge of the policy's quasi-sensitive column; `None` where it has none, or the
/// table lacks it. `tick` is called now and then and may stop it.
pub fn link(
    policy: &CheckedPolicy,
    table: &Source,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Option<Linkage>> {
    LinkedTable::read(policy, table, tick)?.map(|crowd| crowd.link(tick)).transpose()
}

/// Linking through labels instead of quasi-identifiers.
pub(super) const ATTACK: Attack =
    Attack { name: "label-linking", threat: Threat::Linking, costly: false, concerns, run };

/// The control's sets are shuffled with this seed; its result is reported, never published.
const CONTROL: u64 = 1;

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    let (Some(policy), Released::Table(released)) = (scene.table_policy(), &scene.released) else {
        return Err("the release is not a single table".to_string());
    };
    let Some((column, _)) = quasi_sensitive(policy) else {
        return Err("no column has role 'quasi-sensitive', with what is publicly known".to_string());
    };
    match released.find(&column.name) {
        Some(_) => Ok(()),
        None => Err(format!("the release lacks the quasi-sensitive column '{}'", column.name)),
    }
}

/// Hits are the people in groups whose likeliest label exceeds what the requirements allow; the baseline knows nobody's
/// group, so that all records are one; in the control everybody has somebody else's terms.
fn run(scene: &Scene<'_>) -> Result<Finding> {
    let nothing = || Error::internal("linking without a column of terms");
    let (Some(policy), Released::Table(released)) = (scene.table_policy(), &scene.released) else {
        return Err(nothing());
    };
    let mut tick = || scene.clock.check();
    let mut crowd = LinkedTable::read(policy, released, &mut tick)?.ok_or_else(nothing)?;
    let after = crowd.link(&mut tick)?;
    scene.clock.check()?;
    let everybody =
        if crowd.exceeds(&crowd.linked(0..crowd.people.len(), |_| {})) { after.records } else { 0 };
    crowd.people.deal_anew();
    let control = crowd.link(&mut tick)?.exposed;
    let before = link(policy, &policy.source, &mut tick)?.ok_or_else(nothing)?;
    let line = |person: &Exposed| {
        format!(
            "line {}: {} → {}  {:.0} %",
            person.line,
            person.cells.join(", "),
            person.label,
            100.0 * person.likelihood
        )
    };
    let figure = |what: &str, (targets, hits): (u64, u64)| Figure {
        what: what.to_string(),
        targets,
        hits,
        ..Figure::default()
    };
    let headline = Figure {
        baseline: everybody,
        instead: "not knowing anybody's group, so that all records form one group".to_string(),
        control: Some(control),
        controlled: "the same attack after shuffling the records' terms".to_string(),
        ..figure(
            "records whose likeliest label exceeds what the requirements allow",
            (after.records, after.exposed),
        )
    };
    let single = Figure {
        baseline: before.single,
        instead: "having the original table".to_string(),
        ..figure("records that link to exactly one label", (after.records, after.single))
    };
    let raw = figure("the same records in the original table", (before.records, before.exposed));
    let lines: Vec<String> = after.people.iter().take(scene.limits.most).map(line).collect();
    let warning = match after.exposed {
        0 => String::new(),
        exposed => format!(
            "{exposed} released records are in groups whose likeliest label exceeds what the policy allows, or whose \
             records all link to exactly one label"
        ),
    };
    let more = [("single", json!(after.single)), ("unlinked", json!(after.unlinked))];
    Ok(Finding {
        knows: "who is in the table, their quasi-identifiers, and the knowledge file".to_string(),
        does:
            "lists for each record the labels that have all of its terms, and takes the mean over each group"
                .to_string(),
        assumes: "all labels that a record links to are equally likely".to_string(),
        figures: vec![headline, single, raw],
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning,
        more: more.into_iter().map(|(key, value)| (key.to_string(), value)).collect(),
        ..Finding::new(ATTACK.name, "Linking through public knowledge")
    })
}

/// The records of a table next to what the attacker has.
struct LinkedTable<'p> {
    sets: &'p SetPolicy,
    index: LabelIndex,
    asked: LabelRequirements,
    /// What is believed beforehand, where that matters; for display.
    prior: Option<Vec<f64>>,
    people: GroupedRecords,
    /// How often each term occurs.
    terms: BTreeMap<String, u64>,
}

impl<'p> LinkedTable<'p> {
    /// `None` where the policy has no quasi-sensitive column, or the table lacks it.
    fn read(
        policy: &'p CheckedPolicy,
        table: &Source,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Option<LinkedTable<'p>>> {
        let Some((column, sets)) = quasi_sensitive(policy) else { return Ok(None) };
        let Some(place) = table.find(&column.name) else { return Ok(None) };
        let index = LabelIndex::of(sets);
        let asked = LabelRequirements::of(policy, sets, &original(policy, column, sets, &index)?)?;
        let quasi = policy.with_role(Role::QuasiIdentifier);
        let quasi: Vec<usize> = quasi.map(|column| table.position(&column.name)).collect::<Result<_>>()?;
        let people = GroupedRecords {
            values: quasi.iter().map(|_| Interner::default()).collect(),
            groups: HashMap::new(),
            starts: vec![0],
            terms: Vec::new(),
        };
        let prior = asked.prior();
        let mut crowd = LinkedTable { sets, index, asked, prior, people, terms: BTreeMap::new() };
        table.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let terms = terms_of(batch.cell(row, place), sets.separator);
                for term in &terms {
                    match crowd.terms.get_mut(*term) {
                        Some(count) => *count += 1,
                        None => {
                            crowd.terms.insert(term.to_string(), 1);
                        }
                    }
                }
                let terms = terms.into_iter().map(|term| sets.knowledge.term(term).unwrap_or(UNKNOWN));
                crowd.people.add(quasi.iter().map(|column| batch.cell(row, *column)), terms, batch.line(row));
            }
            tick()
        })?;
        Ok(Some(crowd))
    }

    fn link(&self, tick: &mut dyn FnMut() -> Result<()>) -> Result<Linkage> {
        let mut linkage = Linkage { terms: self.terms.clone(), ..Linkage::default() };
        // Groups are judged in the order of their first lines, so that nothing depends on how they were hashed.
        let mut groups: Vec<_> = self.people.groups.iter().collect();
        groups.sort_unstable_by_key(|(_, members)| members.first().map(|(_, line)| *line));
        for (cells, members) in groups {
            tick()?;
            self.judge(cells, members, &mut linkage);
        }
        linkage.people.sort_by(|a, b| b.likelihood.total_cmp(&a.likelihood).then(a.line.cmp(&b.line)));
        linkage.people.truncate(MOST_LISTED);
        Ok(linkage)
    }

    /// What some records link to. `each` gets the labels of one after the other.
    fn linked(&self, records: impl IntoIterator<Item = u32>, mut each: impl FnMut(&[u32])) -> GroupLinks {
        let mut group = GroupLinks { sizes: BTreeMap::new(), linked: LinkedRecords::none(&self.index) };
        for record in records {
            let terms = self.people.terms(record).iter();
            let labels = self.index.linked(terms.map(|term| Some(*term).filter(|term| *term != UNKNOWN)));
            *group.sizes.entry(labels.len()).or_default() += 1;
            group.linked.add(&labels, 1);
            each(&labels);
        }
        group
    }

    /// Whether what a group links to is more than the requirements allow or, where there are none, one label for everybody.
    fn exceeds(&self, group: &GroupLinks) -> bool {
        match self.asked.is_empty() {
            true => group.sizes.keys().all(|size| *size == 1),
            false => !self.asked.hold(&group.linked),
        }
    }

    /// Keeps a group that comes nearer to what a requirement allows than those before it.
    fn hold_against(&self, likelihood: &[f64], (cells, records): (&[u32], u64), linkage: &mut Linkage) {
        let keep = |nearest: &mut Option<Nearest>, value: f64, figures: &dyn Fn() -> String| {
            if nearest.as_ref().is_none_or(|nearest| nearest.value < value) {
                let cells = self.people.texts(cells);
                *nearest = Some(Nearest { value, figures: figures(), cells, records });
            }
        };
        if let Some(l) = self.asked.least_labels() {
            let mut positive: Vec<f64> = likelihood.iter().copied().filter(|share| *share > 0.0).collect();
            positive.sort_unstable_by(|a, b| b.total_cmp(a));
            let rest: f64 = positive.iter().skip(l.saturating_sub(1)).sum();
            // A group in which nobody links to anything meets it.
            if let Some(first) = positive.first() {
                keep(&mut linkage.least_diverse, first / rest.max(f64::MIN_POSITIVE), &|| {
                    format!("{first:.4} against {rest:.4} from number {l} on")
                });
            }
        }
        if let Some(prior) = &self.prior {
            let distance = distance(prior, likelihood);
            keep(&mut linkage.least_close, distance, &|| format!("{distance:.4}"));
        }
    }

    /// Links one group: its quasi-identifiers, and its records with their lines.
    fn judge(&self, cells: &[u32], members: &[(u32, u64)], linkage: &mut Linkage) {
        let LinkedTable { sets, people, .. } = self;
        let mut likelihood = vec![0.0; self.index.labels()];
        let group = self.linked(members.iter().map(|(record, _)| *record), |labels| {
            let share = 1.0 / (labels.len().max(1) as f64 * members.len() as f64);
            labels.iter().for_each(|label| likelihood[*label as usize] += share);
        });
        for (size, records) in &group.sizes {
            linkage.records += records;
            linkage.single += if *size == 1 { *records } else { 0 };
            linkage.unlinked += if *size == 0 { *records } else { 0 };
            *linkage.sizes.entry(*size).or_default() += records;
        }
        let top =
            (0..likelihood.len()).max_by(|a, b| likelihood[*a].total_cmp(&likelihood[*b]).then(b.cmp(a)));
        let Some(top) = top else { return };
        // A hair above a tenth is rounding.
        let band = ((likelihood[top] * 10.0 - 1e-9).ceil() as usize).clamp(1, 10) - 1;
        linkage.likeliest[band] += members.len() as u64;
        self.hold_against(&likelihood, (cells, members.len() as u64), linkage);
        if !self.exceeds(&group) {
            return;
        }
        linkage.exposed += members.len() as u64;
        let room = (10 * MOST_LISTED).saturating_sub(linkage.people.len());
        linkage.people.extend(members.iter().take(room).map(|(_, line)| Exposed {
            line: *line,
            cells: people.texts(cells),
            label: sets.knowledge.labels()[top].clone(),
            likelihood: likelihood[top],
        }));
    }
}

fn quasi_sensitive(policy: &CheckedPolicy) -> Option<(&PolicyColumn, &SetPolicy)> {
    policy.with_role(Role::QuasiSensitive).find_map(|column| Some((column, column.sets.as_ref()?)))
}

/// What the records of the policy's own data link to, where a requirement compares groups with them.
fn original(
    policy: &CheckedPolicy,
    column: &PolicyColumn,
    sets: &SetPolicy,
    index: &LabelIndex,
) -> Result<LinkedRecords> {
    let mut linked = LinkedRecords::none(index);
    let compares = |asked: &Requirement| match asked {
        Requirement::QsCloseness(asked) => asked.prior == PriorKind::Microdata,
        _ => false,
    };
    if !policy.requirements.iter().any(compares) {
        return Ok(linked);
    }
    policy.source.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows() {
            let terms = terms_of(batch.cell(row, column.index), sets.separator);
            linked.add(&index.linked(terms.into_iter().map(|term| sets.knowledge.term(term))), 1);
        }
        Ok(())
    })?;
    Ok(linked)
}

/// Stands for a term that no label has.
const UNKNOWN: u32 = u32::MAX;

/// What the records of a group link to.
struct GroupLinks {
    /// How many records link to this many labels.
    sizes: BTreeMap<usize, u64>,
    linked: LinkedRecords,
}

/// The distance of a posterior from a prior, both per label: for display only.
fn distance(prior: &[f64], posterior: &[f64]) -> f64 {
    prior.iter().zip(posterior).map(|(before, after)| (before - after).powi(2)).sum::<f64>().sqrt()
}

/// The records of a table, by group.
struct GroupedRecords {
    /// The texts of each quasi-identifier.
    values: Vec<Interner>,
    /// By quasi-identifiers: records, by number, with their lines.
    groups: HashMap<Vec<u32>, Vec<(u32, u64)>>,
    /// Where each record's terms begin, and the end of the last.
    starts: Vec<usize>,
    terms: Vec<u32>,
}

impl GroupedRecords {
    fn add<'c>(&mut self, cells: impl Iterator<Item = &'c str>, terms: impl Iterator<Item = u32>, line: u64) {
        let cells = self.values.iter_mut().zip(cells).map(|(values, cell)| values.intern(cell)).collect();
        let record = self.starts.len() as u32 - 1;
        self.terms.extend(terms);
        self.starts.push(self.terms.len());
        self.groups.entry(cells).or_default().push((record, line));
    }

    fn len(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Gives everybody somebody's terms, by chance.
    fn deal_anew(&mut self) {
        let mut dealt: Vec<u32> = (0..self.len()).collect();
        shuffle(&mut dealt, &mut keyed(CONTROL, "privet: a table whose terms say nothing about groups"));
        for (record, _) in self.groups.values_mut().flatten() {
            *record = dealt[*record as usize];
        }
    }

    /// The texts of a group's quasi-identifiers.
    fn texts(&self, cells: &[u32]) -> Vec<String> {
        let texts = self.values.iter().zip(cells);
        texts.map(|(values, cell)| values.text(*cell as usize).to_string()).collect()
    }

    fn terms(&self, record: u32) -> &[u32] {
        &self.terms[self.starts[record as usize]..self.starts[record as usize + 1]]
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::PolicyRef;
    use super::*;
    use privet_core::clock::Clock;

    use privet_policy::{AnyPolicy, Policy};

    #[test]
    fn the_one_with_flu_is_found_in_any_release() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
        write("table.csv", "city,symptoms\nAtlanta,fever|sore throat\nBoston,cough\nBoston,rash|cough\n");
        write(
            "knowledge.csv",
            "label,terms\nFlu,cough|fever|sore throat\nAllergy,cough|rash|sneezing\nCold,cough\n",
        );
        write(
            "policy.toml",
            "[data]\npath = \"table.csv\"\n[columns.city]\nrole = \"quasi-identifier\"\n[columns.symptoms]\n\
             role = \"quasi-sensitive\"\nseparator = \"|\"\nknowledge = \"knowledge.csv\"\n[privacy.k-anonymity]\nk = 1\n",
        );
        let policy = Policy::read(&folder.path().join("policy.toml")).expect("a policy");
        let AnyPolicy::Table(policy) = policy.check_any(None).expect("a policy") else { panic!("a table") };
        let linkage = link(&policy, &policy.source, &mut || Ok(())).expect("a table").expect("sets");
        assert_eq!((linkage.records, linkage.single, linkage.unlinked, linkage.exposed), (3, 2, 0, 1));
        assert_eq!(linkage.people[0].label, "Flu");
        assert_eq!((linkage.people[0].line, linkage.people[0].cells.join(" ")), (2, "Atlanta".to_string()));
        assert_eq!(linkage.sizes, BTreeMap::from([(1, 2), (3, 1)]));
        // Boston: the mean of a third and one is two thirds.
        assert_eq!((linkage.likeliest[6], linkage.likeliest[9]), (2, 1));
        let clock = Clock::unlimited();
        let released = Released::Table(policy.source.clone());
        let finding = run(&Scene::new(PolicyRef::Table(&policy), released, 1, &clock)).expect("a finding");
        assert!(finding.succeeds() && finding.worst.contains("Flu"), "{finding:?}");
    }
}
