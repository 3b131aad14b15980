//! One generalised table.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::apply::{self, Manner};
use super::book::Book;
use super::manifest::{Claims, Price, Statement};
use super::pipeline::{Outlet, Shape, Written};
use super::report::Veil;
use super::report::{ForSteward, TableReport, Whose};
use super::run::RunOptions;
use super::side_by_side::{BeforeAfter, Wanted};
use super::veil;
use super::why::{self, WHY};
use super::{account, caution, crowd, lettering, links, people};
use privet_attack::label_linking::{self, Linkage};
use privet_audit::released::open_table;
use privet_core::clock::Clock;
use privet_core::{Result, RunKey};
use privet_engine::microdata::Microdata;
use privet_engine::privacy;
use privet_engine::rewriting::as_published;
use privet_ledger::Signatures;
use privet_methods as method;
use privet_methods::plan::Plan;
use privet_methods::recoding::ClassTable;
use privet_methods::{ShownCost, Solution};
use privet_policy::{CheckedPolicy, Role};

/// A table whose quasi-identifiers are generalised.
pub(super) struct Recoded {
    pub policy: CheckedPolicy,
    pub microdata: Microdata,
    pub solution: Solution,
    pub classes: ClassTable,
    /// What the method was to lose least of.
    pub cost: ShownCost,
    /// What is lost by all measures.
    pub costs: Vec<ShownCost>,
    prices: (Price, Vec<Price>),
    veil: Veil,
    key: RunKey,
}

impl Recoded {
    /// A table as a method decided.
    pub fn of(
        policy: CheckedPolicy,
        microdata: Microdata,
        mut solution: Solution,
        seed: u64,
    ) -> Result<Recoded> {
        let key = microdata.key(seed);
        solution.recoding.draw(key);
        Recoded::with_key(policy, microdata, solution, key)
    }

    /// The same, where all choices are made.
    fn with_key(
        policy: CheckedPolicy,
        microdata: Microdata,
        mut solution: Solution,
        key: RunKey,
    ) -> Result<Recoded> {
        let classes = solution.recoding.count(&microdata);
        crowd::refuse_shared(&policy, &classes)?;
        let cost = match solution.cost.take() {
            Some(cost) => cost,
            None => {
                let measure = solution.recoding.measure(policy.method.cost(), &microdata);
                let measure = measure.map_err(|error| policy.at_method("cost", error))?;
                method::show(&measure, solution.recoding.cost(&measure, &classes))
            }
        };
        let mut costs = solution.recoding.costs(&microdata, &classes);
        if let Some(losses) = solution.sets.as_ref().and_then(|sets| sets.losses) {
            let lm = costs.iter().find(|cost| cost.name == "LM").map_or(0.0, |cost| cost.normalised);
            costs.extend(losses.costs(lm));
        }
        let prices = (Price::from(&cost), costs.iter().map(Price::from).collect());
        let veil = veil::of_table(&policy.requirements, &microdata, &classes);
        Ok(Recoded { policy, microdata, solution, classes, cost, costs, prices, veil, key })
    }

    /// What all random choices of the run derive from.
    pub fn key(&self) -> RunKey {
        self.key
    }

    fn released(&self) -> u64 {
        self.microdata.summary.total() - self.classes.suppressed
    }

    /// Whose records they are.
    pub fn whose(&self) -> Whose {
        crowd::whose(&self.microdata, Some(&self.classes))
    }
}

impl Shape for Recoded {
    type Policy = CheckedPolicy;
    type Report = TableReport;

    fn refuse(_: &CheckedPolicy, _: &RunOptions) -> Result<()> {
        Ok(())
    }

    fn decide(policy: CheckedPolicy, seed: u64, clock: &Clock) -> Result<Recoded> {
        let policy = as_published(policy, &mut || clock.check())?;
        let microdata = read(&policy, clock)?;
        crowd::refuse_alike(&policy, &microdata)?;
        clock.progress().stage("searching", None);
        let solution = method::run(&policy, &microdata, clock)?;
        clock.check()?;
        Recoded::of(policy, microdata, solution, seed)
    }

    fn compile(policy: CheckedPolicy, plan: &Plan, seed: u64, clock: &Clock) -> Result<Recoded> {
        let policy = as_published(policy, &mut || clock.check())?;
        let microdata = read(&policy, clock)?;
        crowd::refuse_alike(&policy, &microdata)?;
        let solution = method::apply_plan(&policy, &microdata, plan, clock)?;
        Recoded::of(policy, microdata, solution, seed)
    }

    fn suppress(self, classes: &[BTreeSet<u32>], _: &Clock) -> Result<Self> {
        let Recoded { policy, microdata, mut solution, key, .. } = self;
        classes.iter().for_each(|classes| solution.recoding.suppress(classes));
        // What the method says the release costs was said of all its classes.
        solution.cost = None;
        Recoded::with_key(policy, microdata, solution, key)
    }

    fn policy(&self) -> &CheckedPolicy {
        &self.policy
    }

    fn warnings(&self, run: Vec<String>) -> Result<Vec<String>> {
        let mut warnings = privacy::warnings(&self.policy, &self.microdata.table)?;
        warnings.extend(self.solution.warnings.iter().cloned());
        warnings.extend(run);
        warnings.extend(caution::about_cells(&self.microdata, &self.solution.recoding, &self.classes));
        warnings.extend(lettering::of_table(&self.microdata));
        warnings.extend(crowd::cautions(&self.policy, &self.microdata));
        warnings.extend(caution::about_freeform(&self.policy, &self.classes));
        let sets = self.policy.columns.iter().filter_map(|column| column.items.as_ref());
        warnings.extend(sets.filter_map(|items| caution::taken_out(&items.taken_out)));
        warnings.extend(caution::about_dates(&self.policy));
        if self.released() == 0 {
            warnings.insert(0, caution::emptiness(&self.policy, &self.microdata));
        }
        Ok(warnings)
    }

    fn signatures(&self, book: &Book, clock: &Clock) -> Result<Signatures> {
        people::of_recoding(book, &self.policy, &self.microdata, &self.solution.recoding, self.key, clock)
    }

    fn write(&self, outlet: &Outlet<'_>, clock: &Clock) -> Result<Written> {
        let kind = outlet.format.unwrap_or(self.policy.source.kind());
        let name = format!("release.{}", kind.extension());
        let manner = Manner { name: &name, kind, key: self.key, outlet };
        let (recoding, sets) = (&self.solution.recoding, self.solution.sets.as_ref());
        apply::apply(&self.policy, &self.microdata, recoding, sets, &manner, clock)?;
        Ok(Written { names: vec![name], assignment: None })
    }

    fn before_after(&self, wanted: &Wanted<'_>) -> BeforeAfter {
        wanted.of_table(&self.microdata, &self.solution)
    }

    fn stated(&self) -> Result<Statement<'_>> {
        Ok(Statement {
            read: self.microdata.summary.read,
            dropped: self.microdata.summary.dropped,
            suppressed: self.classes.suppressed,
            released: self.released(),
            empty: self.released() == 0,
            exactly: self.solution.recoding.exactly(&self.microdata, &self.classes),
            cost: &self.prices.0,
            losses: &self.prices.1,
            search: &self.solution.search,
            counters: Vec::new(),
            plan: &self.solution.plan,
            veil: &self.veil,
            inputs: Vec::new(),
        })
    }

    fn account(&self, claims: &Claims<'_>, public: &Path, clock: &Clock) -> Result<TableReport> {
        let mut model = account::model(self, claims, &mut || clock.check())?;
        if let Some((before, after)) = linkages(&self.policy, claims, public, clock)? {
            model.links = Some(links::account(&self.policy, &before, &after).into());
            model.common.tightness.extend(links::tightness(&self.policy, &after));
        }
        for threat in method::why::reasons(&self.policy, &self.microdata, &self.solution.plan)? {
            let mut columns = model.common.columns.iter_mut();
            if let Some(column) = columns.find(|column| column.name == threat.column) {
                column.why = Some(why::of_level(threat).into());
            }
        }
        Ok(model)
    }

    fn public_manifest(&self, claims: &Claims<'_>) -> Json {
        let columns: Json = (self.policy.columns.iter())
            .filter(|column| super::is_published(column))
            .map(|column| json!({ "name": column.name, "role": column.role.map(|role| role.name()) }))
            .collect();
        // Stars can be counted in the release.
        let starred = Some(("starred", self.classes.starred)).filter(|(_, starred)| *starred > 0);
        let mut left_out = vec![
            ("suppressed", self.classes.suppressed.into()),
            ("dropped", self.microdata.summary.dropped.into()),
        ];
        if super::hides_suppressed(&self.policy) {
            left_out.remove(0);
        }
        let mut also = vec![("columns", columns)];
        if matches!(self.whose(), Whose::Counted { .. }) {
            // How many there are is not for everybody: it does not follow from the released records.
            also.push(("counted", json!("people")));
        }
        claims.public(starred.as_slice(), &left_out, &also)
    }

    fn complete(&self, report: &TableReport, manifest: &mut Json) {
        if self.classes.starred > 0 {
            manifest["records"]["starred"] = self.classes.starred.into();
        }
        if let Some(print) = &self.policy.key_fingerprint {
            // Anyone who makes further tables of the same people sees whether the key is the same.
            let domains = self
                .policy
                .columns
                .iter()
                .filter_map(|column| Some((column.name.clone(), json!(column.pseudonym.as_ref()?))));
            let domains: serde_json::Map<String, Json> = domains.collect();
            manifest["pseudonyms"] = json!({ "key_fingerprint": print, "domains": domains });
        }
        let reasons = report.common.columns.iter().filter_map(|column| column.why.as_ref());
        let reasons: Vec<Json> = reasons.map(|why| json!(ForSteward(why))).collect();
        if !reasons.is_empty() {
            manifest[WHY] = reasons.into();
        }
        if let Whose::Counted { read, released } = self.whose() {
            manifest["people"] = json!({ "read": ForSteward(&read), "released": ForSteward(&released) });
        }
        if let Some(sets) = &self.solution.sets
            && let Some(losses) = sets.losses
        {
            let removed: u64 = sets.removed.iter().map(|(_, count)| count).sum();
            let items: Vec<Json> =
                sets.removed.iter().map(|(item, count)| json!({ "item": item, "count": count })).collect();
            manifest["items"] =
                json!({ "occurrences": losses.occurrences, "removed": removed, "removed_items": items });
            manifest["records"]["changed"] = sets.len().into();
        } else if let Some(sets) = &self.solution.sets {
            let groups = &sets.groups;
            manifest["groups"] = json!({
                "total": groups.total,
                "untouched": groups.untouched,
                "optimal": groups.optimal,
                "not_optimal": groups.open,
                "unsearched": groups.unsearched,
                "merged": groups.merged,
                "withheld": groups.withheld,
            });
            manifest["records"]["changed"] = sets.len().into();
        }
    }

    fn left_out(&self) -> Vec<String> {
        not_published(&self.policy)
    }
}

/// Reads a table's summary.
pub(super) fn read(policy: &CheckedPolicy, clock: &Clock) -> Result<Microdata> {
    clock.progress().stage("reading", Some(policy.source.bytes()));
    Microdata::read(policy, &mut |bytes| {
        clock.progress().at(bytes);
        clock.check()
    })
}

/// Columns that the policy does not mention.
pub(super) fn not_published(policy: &CheckedPolicy) -> Vec<String> {
    let left_out = policy.columns.iter().filter(|column| column.role.is_none());
    left_out.map(|column| column.name.clone()).collect()
}

/// What public knowledge says about the original and about the release, where a column is quasi-sensitive.
fn linkages(
    policy: &CheckedPolicy,
    claims: &Claims<'_>,
    public: &Path,
    clock: &Clock,
) -> Result<Option<(Linkage, Linkage)>> {
    let Some((name, _)) = claims.files.first() else { return Ok(None) };
    if policy.with_role(Role::QuasiSensitive).next().is_none() {
        return Ok(None);
    }
    clock.progress().stage("linking", None);
    let before = label_linking::link(policy, &policy.source, &mut || clock.check())?;
    let after = label_linking::link(policy, &open_table(policy, &public.join(name))?, &mut || clock.check())?;
    Ok(before.zip(after))
}
