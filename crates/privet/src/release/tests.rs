//! Releases of made-up decisions: what no method decides every day must be written, counted and reported all the same.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use super::apply::{Manner, apply};
use super::confidence::confidences;
use super::pipeline::{Making, Outlet, publish};
use super::recoded::Recoded;
use super::run::RunOptions;
use super::target::Target;
use privet_core::RunKey;
use privet_core::clock::Clock;
use privet_core::{ErrorKind, Result};
use privet_data::{Directory, FileKind, ReadOptions, Source};
use privet_engine::loss::{Cell, Extent};
use privet_engine::microdata::Microdata;
use privet_methods::plan::Plan;
use privet_methods::recoding::{RecodedColumn, Recoding, ReleasedCell};
use privet_methods::{SearchFacts, Solution, TracePoint};
use privet_policy::{CheckedPolicy, Policy};

const DATA: &str = "city,pay,disease\nBergen,10,Flu\nBergen,20,Flu\nOslo,10,Cold\nOslo,30,Flu\n";

fn policy(folder: &Path, data: &str) -> CheckedPolicy {
    policy_asking(folder, data, "[privacy.k-anonymity]\nk = 2\n")
}

fn policy_asking(folder: &Path, data: &str, asked: &str) -> CheckedPolicy {
    fs::write(folder.join("data.csv"), data).expect("written");
    let text = "[data]\npath = \"data.csv\"\n\
                [columns.city]\nrole = \"quasi-identifier\"\n\
                [columns.pay]\nrole = \"sensitive\"\n\
                [columns.disease]\nrole = \"sensitive\"\n\
                [method]\nname = \"full-domain\"\nsuppression_limit = 1\n";
    let text = format!("{text}{asked}");
    let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
    policy.check(None).expect("a checked policy")
}

fn microdata(policy: &CheckedPolicy) -> Microdata {
    Microdata::read(policy, &mut |_| Ok(())).expect("data")
}

fn any_city() -> RecodedColumn {
    let measure = Cell { extent: Extent::Leaves(2, 2), level: Some((1, 1)), records: 4 };
    RecodedColumn { cells: vec![ReleasedCell { label: "*".into(), node: None, measure }] }
}

/// All records in one class.
fn one_class(microdata: &Microdata) -> Recoding {
    let mut recoding = Recoding::new(vec![any_city()], microdata.summary.len());
    let class = recoding.add_class([0]);
    for record in 0..microdata.summary.len() {
        let total = microdata.summary.count(record);
        recoding.assign(record, class, total, total);
    }
    recoding
}

fn slot(microdata: &Microdata, column: &str, value: &str) -> u32 {
    let column = microdata.table.tracked.iter().find(|tracked| tracked.name == column).expect("a column");
    column.slots.start + column.values.iter().position(|other| other == value).expect("a value") as u32
}

fn written(folder: &Path, policy: &CheckedPolicy, recoding: &Recoding, name: &str) -> Result<PathBuf> {
    let microdata = microdata(policy);
    let (path, spill) = (folder.join(name), folder.join("spill"));
    let kind = FileKind::of_path(&path).expect("a kind");
    let outlet = Outlet { to: &Directory(folder.to_path_buf()), spill: &spill, format: None };
    let manner = Manner { name, kind, key: RunKey::from(3), outlet: &outlet };
    apply(policy, &microdata, recoding, None, &manner, &Clock::unlimited()).map(|()| path)
}

/// The rows of a released file, sorted.
fn rows(path: &Path) -> Vec<String> {
    let source = Source::open(path, &ReadOptions::with_names(None)).expect("a file");
    let mut rows = Vec::new();
    let width = source.columns().len();
    source
        .read(&mut |batch, _| {
            let row = |row| (0..width).map(|column| batch.cell(row, column)).collect::<Vec<_>>().join(",");
            rows.extend((0..batch.rows()).map(row));
            Ok(())
        })
        .expect("rows");
    rows.sort();
    rows
}

#[test]
fn a_suppressed_cell_is_a_star_in_its_own_column_and_no_value() {
    let folder = TempDir::new().expect("a folder");
    let policy = policy(folder.path(), DATA);
    let microdata = microdata(&policy);
    let mut recoding = one_class(&microdata);
    recoding.star(0, slot(&microdata, "pay", "10"));
    let table = recoding.count(&microdata);
    assert_eq!((table.sizes[0], table.starred, table.suppressed), (4, 2, 0));
    let mut counted = Vec::new();
    table
        .class(0)
        .counts
        .for_each(&microdata.table.tracked[0].slots, |value, count| counted.push((value, count)));
    assert_eq!(counted, [(1, 1), (2, 1)]);
    for name in ["release.csv", "release.tsv", "release.parquet", "release.arrow"] {
        let path = written(folder.path(), &policy, &recoding, name).expect("a release");
        assert_eq!(rows(&path), ["*,*,Cold", "*,*,Flu", "*,20,Flu", "*,30,Flu"], "{name}");
    }
}

#[test]
fn a_value_that_looks_like_a_suppressed_cell_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let policy = policy(folder.path(), &DATA.replace("Cold", "*"));
    let microdata = microdata(&policy);
    let mut recoding = one_class(&microdata);
    written(folder.path(), &policy, &recoding, "plain.csv").expect("nothing is suppressed");
    recoding.star(0, slot(&microdata, "disease", "Flu"));
    let error = written(folder.path(), &policy, &recoding, "release.csv").expect_err("two kinds of *");
    assert_eq!(error.kind(), ErrorKind::Input);
    assert!(error.to_string().contains("'disease' holds the value '*'"), "{error}");
}

#[test]
fn a_release_without_records_is_published_with_a_warning() {
    let folder = TempDir::new().expect("a folder");
    for kind in ["csv", "parquet"] {
        let policy = policy(folder.path(), DATA);
        let microdata = microdata(&policy);
        let recoding = Recoding::new(vec![RecodedColumn::default()], microdata.summary.len());
        let trace = vec![TracePoint { seconds: 0.5, best: Some(4.0), bound: None }];
        let search =
            SearchFacts { space: None, examined: 1, seconds: 1.0, optimal: true, bound: Some(4.0), trace };
        let warnings = vec!["the method warns".to_string()];
        let solution = Solution {
            recoding,
            plan: Plan::Groups(Default::default()),
            search,
            cost: None,
            warnings,
            sets: None,
        };
        let options = RunOptions {
            format: FileKind::of_path(Path::new(&format!("release.{kind}"))).ok(),
            ..RunOptions::to(folder.path().join(kind))
        };
        let target = Target::claim(&options.target, false).expect("a target");
        let version = policy.source.version();
        let seed = 7 << 32;
        let shape = Recoded::of(policy, microdata, solution, seed).expect("a table");
        let making = Making::of(target, seed, version, None);
        let published = publish(&shape, making, &options, &Clock::unlimited()).expect("a release");
        assert_eq!(
            published.warnings,
            [
                "the release is EMPTY: all 4 records are suppressed; lower the requirements, or use coarser hierarchies",
                "the method warns"
            ],
        );
        assert!(published.audit.passed);
        let manifest = &published.manifest;
        assert_eq!(manifest["records"], json!({ "read": 4, "dropped": 0, "suppressed": 4, "released": 0 }));
        assert_eq!(manifest["warnings"], json!(published.warnings));
        assert_eq!(manifest["search"]["trace"], json!([{ "seconds": 0.5, "best": 4.0, "bound": null }]));
        let release = options.target.join("public").join(format!("release.{kind}"));
        assert_eq!(rows(&release), Vec::<String>::new());
        for room in ["public", "steward"] {
            let report = fs::read_to_string(options.target.join(room).join("report.html")).expect("a report");
            assert!(!report.contains("NaN") && !report.contains("∞"), "{room}");
        }
    }
}

#[test]
fn a_value_is_set_against_its_threshold_where_it_is_commonest() {
    let folder = TempDir::new().expect("a folder");
    let asked = "[privacy.l-diversity]\ncolumn = \"disease\"\nl = 1.25\nkind = \"frequency\"\n";
    let policy = policy_asking(folder.path(), DATA, asked);
    let microdata = microdata(&policy);
    let shown = |recoding: &Recoding| {
        let classes = recoding.count(&microdata);
        let all = confidences(&policy, &microdata.table, &classes).expect("confidences");
        assert_eq!((all.len(), all[0].column.as_str(), all[0].from_data), (1, "disease", false));
        let row = |row: &super::report::Confidence| {
            assert_eq!((row.threshold, row.threshold_text.as_str()), (0.8, "4/5"));
            (row.value.clone(), *row.records.open(), row.worst)
        };
        all[0].rows.iter().map(row).collect::<Vec<_>>()
    };
    let mut recoding = one_class(&microdata);
    assert_eq!(shown(&recoding), [("Flu".into(), 3, 0.75), ("Cold".into(), 1, 0.25)]);
    // A suppressed cell is not a value, but its record still counts.
    recoding.star(0, slot(&microdata, "disease", "Flu"));
    assert_eq!(shown(&recoding), [("Cold".into(), 1, 0.25), ("Flu".into(), 3, 0.0)]);
}
