//! Searches over transactions: the made-up baskets as they come, and BMS-WebView-1 where `PRIVET_DATA` holds it.
//!
//! Run with `cargo bench -p privet-lab --bench transactions`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use divan::{Bencher, black_box};
use privet::clock::Clock;
use privet::engine::baskets::Baskets;
use privet::example::Example;
use privet::method::kl::{ItemTask, run};
use privet::policy::{AnyPolicy, Policy, TransactionPolicy};
use privet::privacy::kl;

fn main() {
    divan::main();
}

/// The methods, each with a requirement that it can meet.
const METHODS: [&str; 5] = ["og", "mog", "aa", "lg", "mm"];

fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("privet-bench-transactions-{}", std::process::id()));
        Example::find("baskets").and_then(|example| example.write(&folder)).expect("the example");
        folder
    })
}

/// The policy of the example, or one like it about other data.
fn policy(file: &str, text: &str) -> TransactionPolicy {
    let path = folder().join(file);
    fs::write(&path, text).expect("written");
    match Policy::read(&path).and_then(|policy| policy.check_any(None)).expect("a policy") {
        AnyPolicy::Transactions(policy) => policy,
        other => unreachable!("the policy is about {}", other.kind().name()),
    }
}

fn search(bencher: Bencher<'_, '_>, policy: &TransactionPolicy) {
    let baskets = Baskets::read(policy, &mut |_| Ok(())).expect("baskets");
    let requirements = kl::requirements(policy, &baskets.tree).expect("requirements");
    let task = ItemTask { baskets: &baskets, requirements: &requirements, method: &policy.method };
    bencher.bench_local(|| black_box(run(&task, &Clock::unlimited()).expect("a solution")));
}

#[divan::bench(sample_count = 5)]
fn read_baskets(bencher: Bencher<'_, '_>) {
    let policy = baskets_policy("og");
    bencher.bench_local(|| black_box(Baskets::read(&policy, &mut |_| Ok(())).expect("baskets")));
}

fn baskets_policy(method: &str) -> TransactionPolicy {
    let requirement = match method {
        "og" | "mog" => "[privacy.kl-privacy]\nk = 5\nl = 10\nm = 2\nn = 1",
        _ => "[privacy.km-anonymity]\nk = 5\nm = 2",
    };
    let text = format!(
        "[data]\npath = \"baskets.csv\"\nkind = \"transactions\"\nseparator = \",\"\n[items]\nhierarchy = \"items.csv\"\n\
         sensitive = \"sensitive.txt\"\n{requirement}\n[method]\nname = \"{method}\"\n"
    );
    policy(&format!("{method}.toml"), &text)
}

#[divan::bench(args = METHODS, sample_count = 5)]
fn baskets(bencher: Bencher<'_, '_>, method: &str) {
    search(bencher, &baskets_policy(method));
}

/// Without a hierarchy every item is published as itself or as `*`.
#[divan::bench(args = ["og", "mog", "aa", "mm"], sample_count = 5)]
fn clicks(bencher: Bencher<'_, '_>, method: &str) {
    let data = std::env::var_os("PRIVET_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let file = data.join("bms/BMS-WebView-1.dat.zst");
    let Ok(file) = fs::canonicalize(&file) else {
        eprintln!("skipped: there is no {}", file.display());
        return;
    };
    let text = format!(
        "[data]\npath = {:?}\nkind = \"transactions\"\nseparator = \" \"\n[privacy.km-anonymity]\nk = 5\nm = 2\n[method]\nname = \"{method}\"\n",
        file.display().to_string()
    );
    search(bencher, &policy(&format!("clicks-{method}.toml"), &text));
}
