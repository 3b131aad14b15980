//! What an edition of a report says, in words: everything the templates print.
//!
//! The frame around every report is made here: the first page, the records, the losses, the search, attacks and audit.
//! What only one kind of data has stands in a file of its own.

mod associations;
mod attacks;
mod buckets;
mod columns;
mod confidence;
mod consistency;
mod fidelity;
mod figures;
mod item_trees;
mod ledger;
mod links;
mod projections;
mod scan;
mod search;
mod setting;
mod suppression;
mod table;
mod transactions;
mod verdict;
mod vocabularies;

use minijinja::Value;
use serde::Serialize;

pub(super) use buckets::view as buckets;
pub(super) use projections::view as projections;
pub(super) use table::view as table;
pub(super) use transactions::view as transactions;
pub(super) use vocabularies::view as vocabularies;

use super::common::Common;
use super::gate::Original;
use super::lens::figure;
use super::model::{FileHash, Loss, Records, Reproduce};
use super::{Edition, STYLE, chart, citation};
use attacks::AttacksView;
use columns::ColumnView;
use consistency::ConsistencyRow;
use fidelity::FidelityView;
use figures::{RiskView, TightnessView};
use ledger::LedgerView;
use scan::ScanView;
use setting::PresetView;
use suppression::SuppressionView;
use verdict::Verdict;

/// What the reports of all kinds of data print.
#[derive(Serialize)]
struct Frame {
    steward: bool,
    style: Value,
    title: String,
    data_name: Option<String>,
    privet: String,
    /// What was worked on, behind the method's name: "on a table".
    about: &'static str,
    /// What a record is called, in the plural.
    noun: &'static str,
    noun_title: &'static str,
    method: String,
    method_summary: String,
    settings: Vec<(String, String)>,
    seed: Option<String>,
    policy: Option<String>,
    warnings: Vec<String>,
    columns: Vec<ColumnView>,
    scan: Option<ScanView>,
    tightness: Vec<TightnessView>,
    risk: Option<RiskView>,
    losses: Vec<LossView>,
    fidelity: Option<FidelityView>,
    suppressed: Option<SuppressionView>,
    search: Option<Vec<(String, String)>>,
    search_curve: Option<Figure>,
    attacks: Option<AttacksView>,
    ledger: Option<LedgerView>,
    audit: AuditView,
    consistency: Vec<ConsistencyRow>,
    reproduce: ReproduceView,
    verdict: Verdict,
    requirements: Vec<(String, String)>,
    records: RecordsView,
    /// What a reader of the release has to know, as name and text.
    reading: Vec<(&'static str, String)>,
    /// The sections of this kind of data, as identifier and name, then those that all kinds have.
    sections: Vec<(&'static str, &'static str)>,
    glossary: Vec<(&'static str, &'static str)>,
    /// Who answers for the release, and until when.
    answers: Vec<(&'static str, String)>,
    /// In which setting the release is thought to be safe.
    scenario: Vec<(&'static str, String)>,
    preset: Option<PresetView>,
    /// Whom to cite for the method.
    citation: Option<&'static str>,
    /// When the release is to be weighed again.
    review: Option<String>,
}

/// What each kind of data adds to the frame.
struct Own {
    about: &'static str,
    noun: &'static str,
    noun_title: &'static str,
    /// What the public reads in the place of the title: "Released …".
    kind: &'static str,
    verdict: Verdict,
    requirements: Vec<(String, String)>,
    records: RecordsView,
    reading: Vec<(&'static str, String)>,
    sections: Vec<(&'static str, &'static str)>,
    glossary: Vec<(&'static str, &'static str)>,
    /// The least number of records that must look alike, where one is asked for.
    k: Option<u64>,
    /// What makes records alike, for the section on risk.
    alike: &'static str,
}

/// A chart with the figures that it shows.
#[derive(Serialize)]
struct Figure {
    title: String,
    note: String,
    svg: Value,
    table: DataTable,
}

/// Figures as text; the first column names the row.
#[derive(Serialize)]
struct DataTable {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// What became of the records.
#[derive(Serialize)]
struct RecordsView {
    parts: Vec<RecordPart>,
    flow: Option<Value>,
}

impl RecordsView {
    /// With those of people who were kept out, which are not among the records that were read for the release.
    fn beside(mut self, common: &Common, edition: Edition) -> RecordsView {
        let released = common.records.released;
        self.parts.extend(common.held_out.map(|held_out| {
            let count = match edition.key() {
                Some(key) => edition.count(*held_out.see(key)),
                None => (held_out.beside(released).told(edition, released))
                    .map_or_else(|| "some".to_string(), |share| share.text),
            };
            RecordPart { name: "Held out before, for attacks to be tried on", swatch: None, count }
        }));
        self
    }
}

/// How many records have one fate.
#[derive(Serialize)]
struct RecordPart {
    name: &'static str,
    /// The colour that stands for them in the chart.
    swatch: Option<&'static str>,
    count: String,
}

/// One measure of what is left to analyse.
#[derive(Serialize)]
struct UtilityRow {
    name: String,
    note: &'static str,
    before: Option<String>,
    after: String,
}

/// One measure of loss.
#[derive(Serialize)]
struct LossView {
    name: String,
    /// Steward only.
    value: Option<String>,
    normalised: Option<String>,
    meter: Option<Value>,
    formula: String,
    range: String,
    direction: String,
}

/// What the audit found.
#[derive(Serialize)]
struct AuditView {
    passed: bool,
    checks: Vec<CheckView>,
}

#[derive(Serialize)]
struct CheckView {
    name: String,
    holds: bool,
    concerned: String,
    worst: Option<String>,
    detail: Option<String>,
}

/// How to get the same bytes again, or to see that they are the same.
#[derive(Serialize)]
struct ReproduceView {
    command: Option<String>,
    policy_sha256: Option<String>,
    program_sha256: Option<String>,
    key_id: Option<String>,
    inputs: Vec<FileHash>,
    released: Vec<FileHash>,
}

impl Frame {
    fn new(common: &Common, own: Own, edition: Edition) -> Frame {
        let key = edition.key();
        let losses = losses(common, edition);
        let attacks = key.and_then(|key| attacks::attacks(common, key));
        let ledger = key.and_then(|key| ledger::ledger(common, key));
        let search = common.search.as_ref().zip(key).map(|(search, key)| search.see(key));
        let columns: Vec<ColumnView> =
            common.columns.iter().map(|column| columns::column(column, common.records, edition)).collect();
        let scan = common.scan.as_ref().zip(key).map(|(scan, key)| scan::scan(scan.see(key)));
        let tightness: Vec<TightnessView> =
            common.tightness.iter().map(|entry| figures::tightness(entry, edition)).collect();
        let risk = figures::risk(common, own.k, own.alike, edition);
        let fidelity = fidelity::fidelity(common, edition);
        let suppressed = key.and_then(|key| suppression::suppression(common, key));
        let mut sections = vec![("facts", "The release")];
        let mut section = |there: bool, id, name| sections.extend(there.then_some((id, name)));
        section(common.report.preset.is_some(), "preset", "Rule");
        section(!columns.is_empty(), "columns", "Columns");
        own.sections.iter().for_each(|(id, name)| section(true, id, name));
        section(scan.is_some(), "scan", "Identifiers");
        section(!tightness.is_empty(), "tightness", "Requirements");
        section(risk.is_some(), "risk", "Risk");
        section(attacks.is_some(), "attacks", "Attacks");
        section(ledger.is_some(), "ledger", "Earlier releases");
        section(!losses.is_empty(), "losses", "Losses");
        section(fidelity.is_some(), "fidelity", "Analysis");
        section(suppressed.is_some(), "suppressed", "Left out");
        section(true, "audit", "Audit");
        section(search.is_some(), "search", "Search");
        section(true, "method", "Method");
        section(edition.is_steward(), "signature", "Sign-off");
        section(true, "glossary", "Glossary");
        Frame {
            steward: edition.is_steward(),
            style: Value::from_safe_string(STYLE.to_string()),
            // A file's name may say whose data it is, so the public reads a neutral one.
            title: edition
                .steward_only(common.title.to_string())
                .or_else(|| common.report.title.clone())
                .unwrap_or_else(|| format!("Released {}", own.kind)),
            data_name: edition.steward_only(common.data_name.to_string()),
            privet: common.privet.to_string(),
            about: own.about,
            noun: own.noun,
            noun_title: own.noun_title,
            method: common.method.name.clone(),
            method_summary: common.method.summary.clone(),
            settings: common.method.settings.clone(),
            seed: common.seed.and_then(|seed| edition.steward_only(seed.to_string())),
            policy: edition.steward_only(common.policy.to_string()).filter(|policy| !policy.is_empty()),
            warnings: key.map(|key| common.warnings.see(key).to_vec()).unwrap_or_default(),
            columns,
            scan,
            tightness,
            risk,
            losses,
            fidelity,
            suppressed,
            search: search.zip(key).map(|(found, key)| search::facts(found, common.counters.see(key))),
            search_curve: search.and_then(search::curve),
            attacks,
            ledger,
            audit: audit(common, edition),
            consistency: consistency::consistency(common, edition),
            reproduce: reproduce(&common.reproduce, edition),
            verdict: own.verdict.weighed(common, edition),
            requirements: (own.requirements.into_iter())
                .map(|(name, text)| (common.spoken(&name, edition), common.spoken(&text, edition)))
                .collect(),
            records: own.records.beside(common, edition),
            reading: own.reading,
            sections,
            glossary: glossary(own.glossary),
            answers: setting::facts(common),
            scenario: edition.steward_only(setting::scenario(common)).unwrap_or_default(),
            preset: setting::preset(common, edition),
            citation: citation::of_method(&common.method.name),
            review: common.report.review.clone(),
        }
    }
}

/// What was lost, as far as the edition may have it.
fn losses(common: &Common, edition: Edition) -> Vec<LossView> {
    common.losses.iter().filter_map(|loss| loss_view(loss, common.records.released, edition)).collect()
}

/// The terms of ISO/IEC 20889 that every report uses, behind those of the kind of data.
fn glossary(own: Vec<(&'static str, &'static str)>) -> Vec<(&'static str, &'static str)> {
    let general = [
        (
            "De-identification technique",
            "A method that transforms a data set in order to reduce how far information can be associated with individual \
             people (ISO/IEC 20889).",
        ),
        (
            "Re-identification",
            "Associating data in a de-identified data set with the person it is about. An attempt to do so on purpose is a \
             re-identification attack.",
        ),
        (
            "Singling out",
            "Isolating the records of one person by a set of characteristics that are known to describe only that person.",
        ),
        (
            "Linking",
            "Associating records about the same person or group of people in one or several data sets.",
        ),
        (
            "Inference",
            "Deducing with more than negligible probability the value of an attribute from the values of other ones.",
        ),
        ("Data principal", "The person whom the data is about."),
    ];
    let known = |name: &str| own.iter().any(|(other, _)| other == &name);
    let general: Vec<_> = general.into_iter().filter(|(name, _)| !known(name)).collect();
    own.into_iter().chain(general).collect()
}

fn records(records: Records, edition: Edition) -> RecordsView {
    let part = |name, swatch, count| RecordPart { name, swatch, count };
    // The number of released records can be counted in the release itself.
    let released = edition.count(records.released);
    let mut parts = vec![part("Released", Some("after"), released.clone())];
    let Some(key) = edition.key() else {
        let share = |name, count: Original<u64>| {
            let told = count.beside(records.released).told(edition, records.released)?;
            Some(part(name, None, told.text))
        };
        parts.extend(share("Suppressed", records.suppressed));
        parts.extend(share("Dropped", records.dropped));
        return RecordsView { parts, flow: None };
    };
    let [read, dropped, suppressed, starred] =
        [records.read, records.dropped, records.suppressed, records.starred].map(|count| *count.see(key));
    let share = |count: u64| count as f64 / read.max(1) as f64;
    let counted = edition.count(suppressed);
    let flow = [
        (share(records.released), "after", format!("{released} released")),
        (share(suppressed), "withheld", format!("{counted} suppressed")),
        (share(dropped), "before", format!("{} dropped", edition.count(dropped))),
    ];
    let all = edition.count(read);
    let records = if all == "1" { "record is" } else { "records are" };
    let flow = chart::flow(&flow, &format!("{released} of {all} {records} released"));
    parts.push(part("Suppressed", Some("withheld"), counted));
    if starred > 0 {
        parts.push(part("Sensitive cells shown as *", None, edition.count(starred)));
    }
    parts.push(part("Dropped", Some("before"), edition.count(dropped)));
    parts.push(part("Read", None, edition.count(read)));
    RecordsView { parts, flow: Some(flow) }
}

/// A loss in both editions as a share of the worst, next to so many released records; its value is the steward's.
fn loss_view(loss: &Loss, released: u64, edition: Edition) -> Option<LossView> {
    if edition.key().is_none() && loss.is_error() {
        return None;
    }
    let share = loss.normalised.and_then(|share| share.told(edition, released));
    let value = edition.key().map(|key| figure(*loss.value.see(key)));
    (value.is_some() || share.is_some()).then(|| LossView {
        name: loss.name.clone(),
        value,
        meter: (share.as_ref())
            .map(|share| chart::meter(share.share, &format!("{}: {}", loss.name, share.text))),
        normalised: share.map(|share| share.text),
        formula: loss.formula.clone(),
        range: loss.range.clone(),
        direction: loss.direction.clone(),
    })
}

fn audit(common: &Common, edition: Edition) -> AuditView {
    let audit = &common.audit;
    let checks = audit.checks.iter().map(|check| CheckView {
        name: common.spoken(&check.name, edition),
        holds: check.holds,
        concerned: edition.count(check.concerned),
        worst: edition.steward_only(check.worst.clone()),
        detail: edition.steward_only(check.detail.clone()),
    });
    AuditView { passed: audit.passed, checks: checks.collect() }
}

fn reproduce(reproduce: &Reproduce, edition: Edition) -> ReproduceView {
    // The public learns the name of a released file, never where it lay.
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
    let released = reproduce.released.iter().map(|file| FileHash {
        path: if edition.is_steward() { file.path.clone() } else { name(&file.path) },
        sha256: file.sha256.clone(),
    });
    ReproduceView {
        command: edition.steward_only(reproduce.command.clone()),
        policy_sha256: edition.steward_only(reproduce.policy_sha256.clone()),
        program_sha256: edition.steward_only(reproduce.program_sha256.clone()).flatten(),
        key_id: edition.steward_only(reproduce.key_id.clone()).flatten(),
        inputs: edition.steward_only(reproduce.inputs.clone()).unwrap_or_default(),
        released: released.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_reads_how_many_are_missing_in_steps() {
        let of = |released: u64, suppressed: u64| Records {
            read: (released + suppressed).into(),
            dropped: 0.into(),
            suppressed: suppressed.into(),
            released,
            starred: 0.into(),
        };
        let told = |records_of, edition| {
            let shown = records(records_of, edition);
            let part = |part: &RecordPart| format!("{} {}", part.name, part.count);
            assert_eq!(shown.flow.is_some(), edition == Edition::Steward);
            shown.parts.iter().map(part).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(told(of(100, 5), Edition::Public), "Released 100");
        assert_eq!(told(of(1000, 5), Edition::Public), "Released 1,000, Suppressed ≤ 5 %, Dropped ≤ 5 %");
        assert_eq!(told(of(1000, 0), Edition::Public), told(of(1000, 5), Edition::Public));
        assert_eq!(told(of(100, 5), Edition::Steward), "Released 100, Suppressed 5, Dropped 0, Read 105");
    }

    #[test]
    fn released_files_lose_their_folder_in_public() {
        let file = FileHash { path: "/home/anna/out/public/release.csv".into(), sha256: "00".into() };
        let given = Reproduce {
            command: "privet anonymize /secret/policy.toml".into(),
            policy_sha256: "11".into(),
            program_sha256: Some("22".into()),
            key_id: Some("33".into()),
            inputs: vec![file.clone()],
            released: vec![file],
        };
        let public = reproduce(&given, Edition::Public);
        assert_eq!(public.released[0].path, "release.csv");
        assert!(public.command.is_none() && public.policy_sha256.is_none() && public.inputs.is_empty());
        assert!(public.program_sha256.is_none() && public.key_id.is_none());
    }
}
