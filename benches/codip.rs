//! CODIP* next to one full-domain search, by the number of sensitive attributes and of rows, on a made-up clinic with more
//! sensitive columns than the one that ships.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use divan::Bencher;
use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::{self, codip};
use privet::policy::{CheckedPolicy, Policy};

fn main() {
    divan::main();
}

/// Rows of four quasi-identifiers and `attributes` sensitive columns, every second of which follows the one before it.
/// There are 20,000 distinct records, repeated until there are enough.
fn table(folder: &Path, rows: usize, attributes: usize) {
    const DISTINCT: usize = 20_000;
    let mut text = "age,region,sex,job".to_string();
    (0..attributes).for_each(|at| {
        let _ = write!(text, ",s{at:02}");
    });
    text.push('\n');
    for row in 0..rows {
        // A mixed row number (Knuth's multiplicative hash), so that columns look independent.
        let mixed = |salt: usize| ((row % DISTINCT + 1) * 2_654_435_761 + salt * 40_503) >> 7;
        let _ = write!(text, "{},r{},x{},j{}", 18 + mixed(1) % 70, mixed(2) % 9, mixed(3) % 2, mixed(4) % 3);
        for at in 0..attributes {
            let own = if mixed(100 + at) % 4 == 0 { at } else { at / 2 * 2 };
            let _ = write!(text, ",{}", mixed(10 + own) % (3 + at / 2 % 5));
        }
        text.push('\n');
    }
    fs::write(folder.join("data.csv"), text).expect("a table");
    let age = |age: u32| format!("{age};{};{};*\n", age / 10 * 10 + 1000, age / 30 * 30 + 2000);
    fs::write(folder.join("age.csv"), (18..88).map(age).collect::<String>()).expect("a hierarchy");
    let region = |region: u32| format!("r{region};north{};*\n", region / 3);
    fs::write(folder.join("region.csv"), (0..9).map(region).collect::<String>()).expect("a hierarchy");
}

fn policy(folder: &Path, attributes: usize, method: &str) -> CheckedPolicy {
    let mut text = "seed = 1\n[data]\npath = \"data.csv\"\n".to_string();
    for (name, hierarchy) in [("age", true), ("region", true), ("sex", false), ("job", false)] {
        let _ = write!(text, "[columns.{name}]\nrole = \"quasi-identifier\"\n");
        if hierarchy {
            let _ = writeln!(text, "hierarchy = \"{name}.csv\"");
        }
    }
    for at in 0..attributes {
        let _ = write!(text, "[columns.s{at:02}]\nrole = \"sensitive\"\n");
    }
    text += "[privacy.k-anonymity]\nk = 5\n[privacy.t-closeness]\nt = 0.3\n";
    if method == "codip-star" {
        text += "[privacy.projection]\nalpha = 1\nbeta = 0.3\n";
    }
    let _ = write!(text, "[method]\nname = \"{method}\"\n");
    if method == "full-domain" {
        text += "cost = \"DM\"\n";
    }
    let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
    policy.check(None).expect("a checked policy")
}

fn prepared(rows: usize, attributes: usize, used: usize, method: &str) -> (CheckedPolicy, Microdata) {
    let folder = tempfile::tempdir().expect("a folder");
    table(folder.path(), rows, attributes);
    let policy = policy(folder.path(), used, method);
    let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
    (policy, microdata)
}

/// The search alone: one table, k and t on one attribute.
#[divan::bench(sample_count = 10)]
fn full_domain_one_attribute(bencher: Bencher<'_, '_>) {
    let (policy, microdata) = prepared(20_000, 15, 1, "full-domain");
    bencher.bench_local(|| method::run(&policy, &microdata, &Clock::unlimited()).expect("a release"));
}

/// The whole of CODIP*: associations, plan, and the anonymisation of every table.
#[divan::bench(args = [2, 4, 8, 15, 30], sample_count = 10)]
fn codip_star(bencher: Bencher<'_, '_>, attributes: usize) {
    let (policy, microdata) = prepared(20_000, attributes, attributes, "codip-star");
    bencher.bench_local(|| codip::decide(&policy, &microdata, &Clock::unlimited()).expect("a plan"));
}

/// Reading included, at an equal number of distinct records.
#[divan::bench(args = [20_000, 40_000, 80_000, 160_000], sample_count = 5)]
fn codip_star_rows(bencher: Bencher<'_, '_>, rows: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    table(folder.path(), rows, 15);
    let policy = policy(folder.path(), 15, "codip-star");
    bencher.bench_local(|| {
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        codip::decide(&policy, &microdata, &Clock::unlimited()).expect("a plan")
    });
}
