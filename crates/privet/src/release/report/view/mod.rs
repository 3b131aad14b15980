//! What an edition of the report says, in words: everything the template prints.

mod attacks;
mod columns;
mod confidence;
mod figures;
mod search;
mod verdict;

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use super::lens::{is_small, percent};
use super::model::{Audit, FileHash, Loss, Records, ReportModel, Reproduce};
use super::{Edition, chart};
use attacks::AttackView;
use columns::{ColumnView, TreeView};
use confidence::ConfidenceView;
use figures::{RiskView, TightnessView};
use verdict::Verdict;

/// The whole page.
#[derive(Serialize)]
pub(super) struct View {
    steward: bool,
    style: Value,
    title: String,
    data_name: Option<String>,
    privet: String,
    kind: String,
    method: String,
    method_summary: String,
    settings: Vec<(String, String)>,
    seed: Option<String>,
    policy: Option<String>,
    verdict: Verdict,
    requirements: Vec<(String, String)>,
    warnings: Vec<String>,
    records: RecordsView,
    missing: String,
    suppression: String,
    columns: Vec<ColumnView>,
    trees: Vec<TreeView>,
    tightness: Vec<TightnessView>,
    risk: Option<RiskView>,
    confidences: Vec<ConfidenceView>,
    sensitive: Vec<Figure>,
    losses: Vec<LossView>,
    search: Option<Vec<(String, String)>>,
    search_curve: Option<Figure>,
    attacks: Vec<AttackView>,
    audit: AuditView,
    reproduce: ReproduceView,
    has_diversity: bool,
    has_closeness: bool,
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
    read: String,
    dropped: String,
    suppressed: String,
    released: String,
    /// Where cells are suppressed.
    starred: Option<String>,
    flow: Option<Value>,
}

/// One measure of loss.
#[derive(Serialize)]
struct LossView {
    name: String,
    value: String,
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
    inputs: Vec<FileHash>,
    released: Vec<FileHash>,
}

/// Puts the model into words, as far as the edition may speak.
pub(super) fn view(model: &ReportModel, edition: Edition) -> Value {
    let notions = || model.requirements.iter().map(|requirement| &requirement.notion);
    Value::from(Serde(View {
        steward: edition.is_steward(),
        style: Value::from_safe_string(include_str!("../templates/style.css").to_string()),
        title: title(model, edition),
        data_name: edition.steward_only(model.data_name.clone()),
        privet: model.privet.clone(),
        kind: model.kind.clone(),
        method: model.method.name.clone(),
        method_summary: model.method.summary.clone(),
        settings: model.method.settings.clone(),
        seed: model.seed.and_then(|seed| edition.steward_only(seed.to_string())),
        policy: edition.steward_only(model.policy.clone()).filter(|policy| !policy.is_empty()),
        verdict: verdict::verdict(model, edition),
        requirements: model
            .requirements
            .iter()
            .map(|requirement| (requirement.notion.name(), requirement.description.clone()))
            .collect(),
        warnings: edition.steward_only(model.warnings.clone()).unwrap_or_default(),
        records: records(model.records, edition),
        missing: model.missing.clone(),
        suppression: model.suppression.clone(),
        columns: model.columns.iter().map(|column| columns::column(column, model, edition)).collect(),
        trees: model.columns.iter().filter_map(|column| columns::tree(column, edition)).collect(),
        tightness: model.tightness.iter().map(|entry| figures::tightness(entry, edition)).collect(),
        risk: figures::risk(model, edition),
        confidences: model
            .confidences
            .iter()
            .filter_map(|confidences| confidence::confidence(confidences, edition))
            .collect(),
        sensitive: model
            .sensitive
            .iter()
            .filter_map(|distribution| figures::distribution(distribution, edition))
            .collect(),
        losses: shown_losses(model, edition).iter().map(|loss| loss_view(loss, edition)).collect(),
        search: model.search.as_ref().and_then(|search| edition.steward_only(search::facts(search))),
        search_curve: model.search.as_ref().filter(|_| edition.is_steward()).and_then(search::curve),
        attacks: edition.steward_only(attacks::attacks(&model.attacks)).unwrap_or_default(),
        audit: audit(&model.audit, edition),
        reproduce: reproduce(&model.reproduce, edition),
        has_diversity: notions().any(|notion| matches!(notion, super::Notion::LDiversity { .. })),
        has_closeness: notions().any(|notion| matches!(notion, super::Notion::TCloseness { .. })),
    }))
}

/// A file's name may say whose data it is, so the public reads a neutral one.
fn title(model: &ReportModel, edition: Edition) -> String {
    edition.steward_only(model.title.clone()).unwrap_or_else(|| format!("Released {}", model.kind))
}

/// Every loss counts the suppressed records: where there are few, the public sees none, for their number would follow.
fn shown_losses(model: &ReportModel, edition: Edition) -> &[Loss] {
    if !edition.is_steward() && is_small(model.records.suppressed) { &[] } else { &model.losses }
}

fn records(records: Records, edition: Edition) -> RecordsView {
    let parts = [records.dropped, records.suppressed, records.released];
    let shown = edition.counts(&parts);
    let all_shown = shown.iter().all(|count| count.known().is_some());
    // With one part hidden, the sum would give it away.
    let read = if edition.is_steward() || all_shown || is_small(records.read) {
        edition.count(records.read)
    } else {
        "withheld".to_string()
    };
    // The number of released records can be counted in the release itself, so it need not be withheld.
    let released = edition.count(records.released);
    let [dropped, suppressed] = [records.dropped, records.suppressed].map(|count| edition.count(count));
    let flow = all_shown.then(|| {
        let part = |count: u64| count as f64 / records.read.max(1) as f64;
        let parts = [
            (part(records.released), "after", format!("{released} released")),
            (part(records.suppressed), "withheld", format!("{suppressed} suppressed")),
            (part(records.dropped), "before", format!("{dropped} dropped")),
        ];
        chart::flow(&parts, &format!("{released} of {read} records are released"))
    });
    let starred = (records.starred > 0).then(|| edition.count(records.starred));
    RecordsView { read, dropped, suppressed, released, starred, flow }
}

fn loss_view(loss: &Loss, edition: Edition) -> LossView {
    LossView {
        name: loss.name.clone(),
        value: edition.figure(loss.value),
        normalised: loss.normalised.map(percent),
        meter: loss
            .normalised
            .map(|share| chart::meter(share, &format!("{}: {}", loss.name, percent(share)))),
        formula: loss.formula.clone(),
        range: loss.range.clone(),
        direction: loss.direction.clone(),
    }
}

fn audit(audit: &Audit, edition: Edition) -> AuditView {
    let checks = audit.checks.iter().map(|check| CheckView {
        name: check.name.clone(),
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
        inputs: edition.steward_only(reproduce.inputs.clone()).unwrap_or_default(),
        released: released.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_part_hides_the_sum() {
        let few = Records { read: 105, dropped: 0, suppressed: 5, released: 100, starred: 0 };
        let public = records(few, Edition::Public);
        assert_eq!((public.read.as_str(), public.suppressed.as_str()), ("withheld", "1–10"));
        assert!(public.flow.is_none());
        assert_eq!(records(few, Edition::Steward).read, "105");
        let none = Records { read: 105, dropped: 0, suppressed: 0, released: 105, starred: 0 };
        assert_eq!(records(none, Edition::Public).read, "105");
    }

    #[test]
    fn released_files_lose_their_folder_in_public() {
        let file = FileHash { path: "/home/anna/out/public/release.csv".into(), sha256: "00".into() };
        let given = Reproduce {
            command: "privet anonymize /secret/policy.toml".into(),
            policy_sha256: "11".into(),
            inputs: vec![file.clone()],
            released: vec![file],
        };
        let public = reproduce(&given, Edition::Public);
        assert_eq!(public.released[0].path, "release.csv");
        assert!(public.command.is_none() && public.policy_sha256.is_none() && public.inputs.is_empty());
    }
}
