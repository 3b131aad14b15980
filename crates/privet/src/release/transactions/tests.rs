//! Releases of made-up decisions: what every method's decision goes through on its way to the public.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::*;
use crate::release::pipeline::Making;
use crate::release::target::Target;
use crate::release::{Published, anonymize_transactions, rewrite_report};
use privet_audit::audit_release;
use privet_core::ErrorKind;
use privet_data::FileKind;
use privet_methods::SearchFacts;
use privet_methods::kl::recoding::ItemRecoding;
use privet_methods::plan::{ItemCutPlan, Plan};
use privet_policy::Policy;

const DATA: &str = "beer,milk\nwine,milk,S\nbeer\nwine,milk,wine\n\n";
const ITEMS: &str = "beer;Drinks;All\nwine;Drinks;All\nmilk;All\nrum;All\n";

fn policy(folder: &Path, data: &str, more: &str) -> TransactionPolicy {
    fs::write(folder.join("data.csv"), data).expect("written");
    fs::write(folder.join("items.csv"), ITEMS).expect("written");
    let text =
        format!("seed = 5\n[data]\npath = \"data.csv\"\nkind = \"transactions\"\nseparator = \",\"\n{more}");
    let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
    policy.check_transactions(None).expect("a checked policy")
}

fn shop(folder: &Path, data: &str) -> TransactionPolicy {
    let more = "[items]\nhierarchy = \"items.csv\"\nsensitive = [\"S\", \"T\"]\n[privacy.km-anonymity]\nk = 2\nm = 1\n";
    policy(folder, data, more)
}

fn options(target: &Path) -> RunOptions {
    RunOptions::to(target)
}

fn solution(recoding: ItemRecoding, cut: &[&str]) -> ItemSolution {
    let cut = cut.iter().map(|label| label.to_string()).collect();
    let plan = Plan::ItemCut(ItemCutPlan { cut, ..ItemCutPlan::default() });
    let search = SearchFacts {
        space: Some("3".into()),
        examined: 2,
        seconds: 0.5,
        optimal: true,
        bound: None,
        trace: Vec::new(),
    };
    ItemSolution { recoding, plan, search, counters: vec![("threats", 7)], warnings: Vec::new() }
}

/// Publishes under the cut with these labels.
fn publish_cut(policy: TransactionPolicy, cut: &[&str], target: &Path) -> Result<Published> {
    let baskets = Baskets::read(&policy, &mut |_| Ok(()))?;
    let nodes: Vec<u32> = cut.iter().map(|label| baskets.tree.find(label).expect("a node")).collect();
    let recoding = ItemRecoding::of_cut(&baskets.tree, &nodes);
    decide(policy, baskets, solution(recoding, cut), target)
}

fn decide(
    policy: TransactionPolicy,
    baskets: Baskets,
    solution: ItemSolution,
    target: &Path,
) -> Result<Published> {
    let limits = requirements(&policy, &baskets.tree)?;
    let options = options(target);
    let claimed = Target::claim(target, false)?;
    let version = policy.source.version();
    let seed = policy.seed.unwrap_or(0);
    let shape = Transactions::of(policy, baskets, limits, solution, seed);
    let making = Making::of(claimed, seed, version, None);
    pipeline::publish(&shape, making, &options, &Clock::unlimited())
}

/// The lines of a release in order of their text.
fn sorted_lines(target: &Path) -> Vec<String> {
    let text = fs::read_to_string(target.join("public").join(RELEASE)).expect("a release");
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    lines.sort();
    lines
}

#[test]
fn a_cut_is_published_with_all_that_is_known_about_it() {
    let folder = TempDir::new().expect("a folder");
    let target = folder.path().join("release");
    let policy = shop(folder.path(), DATA);
    let published = publish_cut(policy, &["Drinks", "milk", "rum"], &target).expect("a release");
    assert!(published.audit.passed && !published.empty);
    assert_eq!(sorted_lines(&target), ["", "Drinks", "Drinks,S,milk", "Drinks,milk", "Drinks,milk"]);
    let manifest = &published.manifest;
    assert_eq!((&manifest["kind"], &manifest["method"]), (&json!("transactions"), &json!("og")));
    assert_eq!(manifest["records"], json!({ "read": 5, "dropped": 0, "suppressed": 0, "released": 5 }));
    let ncp = 2.0 / 7.0;
    assert_eq!(manifest["cost"], json!({ "metric": "NCP", "value": ncp, "exact": "2/7", "normalised": ncp }));
    assert_eq!(manifest["loss"], json!({ "NCP": ncp, "LM": 4.0 / 21.0 }));
    assert_eq!(manifest["search"]["threats"], 7);
    assert_eq!(manifest["plan"]["cut"], json!(["Drinks", "milk", "rum"]));
    let files = manifest["files"].as_array().expect("files");
    let names: Vec<&Json> = files.iter().map(|file| &file["path"]).collect();
    assert_eq!(names, ["release.txt", "report.html", "manifest.json"]);
    let [absent, seed, reached, downcoded] = &published.warnings[..] else {
        panic!("{:?}", published.warnings)
    };
    assert_eq!(absent, "the sensitive item 'T' does not occur in the data; is it spelt right?");
    assert!(seed.contains("the seed 5 can be guessed"), "{seed}");
    assert!(reached.contains("may identify 1 of 5 transactions"), "{reached}");
    assert!(downcoded.contains("1 of 4 generalised items"), "{downcoded}");
    // The public room tells neither what the release hides nor small counts.
    let public: Json =
        serde_json::from_str(&fs::read_to_string(target.join("public/manifest.json")).expect("a manifest"))
            .expect("JSON");
    assert_eq!(public["records"], json!({ "released": "1-10" }));
    // What is lost depends on the original.
    assert!(public["loss"].is_null() && public["loss_at_most"].is_null(), "{public}");
    assert!(public.get("seed").is_none() && public.get("plan").is_none() && public.get("warnings").is_none());
    for name in ["release.txt", "report.html", "manifest.json"] {
        let text = fs::read_to_string(target.join("public").join(name)).expect("text");
        for hidden in ["beer", "wine"] {
            assert!(!text.contains(hidden), "public/{name} tells {hidden}");
        }
    }
    for name in ["manifest.json", "plan.json", "policy.toml", "report.html", "report.json"] {
        assert!(target.join("steward").join(name).is_file(), "{name}");
    }
}

#[test]
fn a_release_can_be_audited_and_reported_again() {
    let folder = TempDir::new().expect("a folder");
    let target = folder.path().join("release");
    publish_cut(shop(folder.path(), DATA), &["Drinks", "milk", "rum"], &target).expect("a release");
    let clock = Clock::unlimited();
    let before = fs::read(target.join("public/report.html")).expect("a report");
    assert_eq!(rewrite_report(&target).expect("reports").len(), 2);
    assert_eq!(fs::read(target.join("public/report.html")).expect("a report"), before);
    let audit = audit_release(&target, None, &clock).expect("an audit");
    assert!(audit.passed, "{audit:?}");
    let release = target.join("public").join(RELEASE);
    let text = fs::read_to_string(&release).expect("a release");
    fs::write(&release, text + "Drinks\n").expect("written");
    let audit = audit_release(&target, None, &clock).expect("an audit");
    assert!(!audit.passed && !audit.checks[0].holds, "{audit:?}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_another_order() {
    let folder = TempDir::new().expect("a folder");
    let data: String = (0..40).map(|row| if row % 2 == 0 { "milk\n" } else { "beer\n" }).collect();
    let bytes = |name: &str, seed| {
        let target = folder.path().join(name);
        let mut policy = shop(folder.path(), &data);
        policy.seed = Some(seed);
        publish_cut(policy, &["beer", "wine", "milk", "rum"], &target).expect("a release");
        fs::read(target.join("public").join(RELEASE)).expect("a release")
    };
    let first = bytes("one", 1);
    assert_eq!(first, bytes("two", 1));
    assert_ne!(first, bytes("three", 2));
}

#[test]
fn transactions_may_be_published_one_by_one() {
    let folder = TempDir::new().expect("a folder");
    let more = "[privacy.transactional-k-anonymity]\nk = 2\n[method]\nname = \"lg\"\n";
    let policy = policy(folder.path(), "a\na\nb\na\n", more);
    let baskets = Baskets::read(&policy, &mut |_| Ok(())).expect("baskets");
    let (root, a) = (0, baskets.tree.find("a").expect("a node"));
    let ways = vec![vec![(0, 2), (1, 1)], vec![(1, 1)]];
    let recoding = ItemRecoding::Local { sets: vec![vec![a], vec![root]], ways };
    let target = folder.path().join("release");
    decide(policy, baskets, solution(recoding, &[]), &target).expect("a release");
    assert_eq!(sorted_lines(&target), ["*", "*", "a", "a"]);
}

#[test]
fn data_without_transactions_make_an_empty_release() {
    let folder = TempDir::new().expect("a folder");
    let target = folder.path().join("release");
    let published = publish_cut(shop(folder.path(), ""), &["All"], &target).expect("a release");
    assert!(published.empty && published.warnings[0].contains("EMPTY"), "{:?}", published.warnings);
    assert_eq!(published.manifest["cost"]["exact"], "0");
    assert_eq!(sorted_lines(&target), Vec::<String>::new());
}

#[test]
fn items_are_quoted_where_they_must_be() {
    let folder = TempDir::new().expect("a folder");
    let target = folder.path().join("release");
    let more = "[items]\nsensitive = [\"Pill, 0.3mg\"]\n[privacy.km-anonymity]\nk = 1\nm = 1\n";
    let policy = policy(folder.path(), "\"5\"\" nail\",\"Pill, 0.3mg\"\n x ,y\n", more);
    let published = publish_cut(policy, &["5\" nail", " x ", "y"], &target).expect("a release");
    assert_eq!(sorted_lines(&target), ["\" x \",y", "\"5\"\" nail\",\"Pill, 0.3mg\""]);
    assert!(published.warnings.iter().any(|warning| warning.contains("asks for nothing")));
}

#[test]
fn data_that_change_on_the_way_are_not_published() {
    let folder = TempDir::new().expect("a folder");
    for after in ["beer,milk\n", "beer,milk\nwine,milk,S\nbeer\nwine,milk,wine\n\nrum\n", "beer,gin\n"] {
        let target = folder.path().join("release");
        let policy = shop(folder.path(), DATA);
        let baskets = Baskets::read(&policy, &mut |_| Ok(())).expect("baskets");
        let all = baskets.tree.find("All").expect("a node");
        let recoding = ItemRecoding::of_cut(&baskets.tree, &[all]);
        fs::write(folder.path().join("data.csv"), after).expect("written");
        let error = decide(policy, baskets, solution(recoding, &[]), &target).expect_err("changed data");
        assert_eq!((error.kind(), target.exists()), (ErrorKind::Input, false), "{error}");
        assert!(error.message().contains("changed"), "{error}");
    }
}

#[test]
fn a_format_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let target = folder.path().join("release");
    let options = RunOptions { format: FileKind::parse("csv").ok(), ..options(&target) };
    let error = anonymize_transactions(shop(folder.path(), DATA), &options, &Clock::unlimited());
    let error = error.expect_err("a format");
    assert_eq!((error.kind(), target.exists()), (ErrorKind::Input, false));
    assert!(error.message().contains("--format") && error.remedy().is_some(), "{error}");
}

#[test]
fn a_policy_that_says_less_than_it_seems_is_told() {
    let folder = TempDir::new().expect("a folder");
    let warned = |data: &str, more: &str| {
        let policy = policy(folder.path(), data, more);
        let baskets = Baskets::read(&policy, &mut |_| Ok(())).expect("baskets");
        let limits = requirements(&policy, &baskets.tree).expect("requirements");
        caution::warnings(&policy, &baskets, &limits).join("\n")
    };
    let nothing = warned("a\nb\n", "[privacy.kl-privacy]\nk = 2\nm = 0\n");
    assert!(nothing.contains("knows nothing"), "{nothing}");
    let none = warned("a\nb\n", "[privacy.kl-privacy]\nk = 2\nl = 3\nm = 1\n");
    assert!(none.contains("lists none"), "{none}");
    let alike = warned("milk,Milk\ne\u{301},\u{e9}\n", "[privacy.km-anonymity]\nk = 2\nm = 1\n");
    assert!(alike.contains("look the same") && alike.contains("differ only in case"), "{alike}");
    assert!(!alike.contains("Milk"), "values stay out of messages: {alike}");
    let sensitive = "[items]\nsensitive = [\"S\", \"T\"]\n[privacy.kl-privacy]\nk = 2\nl = 2\nm = 1\n";
    let absent = warned("a\n", sensitive);
    assert!(absent.contains("2 sensitive items do not occur"), "{absent}");
    assert_eq!(warned("a,S\nb,T\n", sensitive), "");
}
