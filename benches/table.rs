//! What the claims about tables rest on: reading, summarising, Mondrian, full-domain and l+ search, by number of rows.
//!
//! `cargo bench` runs 20 thousand and 200 thousand rows of the made-up census, and Adult where `PRIVET_DATA` holds it.
//! `PRIVET_BENCH_LARGE=1 cargo bench` adds two million rows.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use divan::{Bencher, black_box};
use privet::clock::Clock;
use privet::data::{ReadOptions, Source};
use privet::engine::microdata::Microdata;
use privet::example::{Example, census};
use privet::method::{self};
use privet::policy::{CheckedPolicy, Policy};

fn main() {
    divan::main();
}

const MONDRIAN: &str = "[privacy.k-anonymity]\nk = 10\n[method]\nname = \"mondrian\"\n";
const FULL_DOMAIN: &str = "[privacy.k-anonymity]\nk = 5\n\
    [privacy.l-diversity]\ncolumn = \"occupation\"\nl = 3\n\
    [privacy.t-closeness]\ncolumn = \"occupation\"\nt = 0.2\n\
    [method]\nname = \"full-domain\"\n";
const LKC: &str = "[privacy.lkc-privacy]\nL = 2\nK = 20\nC = 0.5\ncolumn = \"occupation\"\n[method]\nname = \"full-domain\"\n";
const SUPPRESSION: &str = "suppression_limit = 0.05\n";

/// Schemes and costs of l+-Optimize, one of each kind of bound.
const PAIRS: [&str; 4] = ["none/LM", "all-rec/LM", "vio-rec/DM", "vio-sa/LM"];

fn l_plus(pair: &str) -> String {
    let (scheme, cost) = pair.split_once('/').expect("scheme/cost");
    format!(
        "[privacy.l-plus-diversity]\ncolumn = \"occupation\"\nl = 4\n\
         [method]\nname = \"l-plus-optimize\"\nsuppression = \"{scheme}\"\ncost = \"{cost}\"\n"
    )
}

fn sizes() -> Vec<u64> {
    let mut sizes = vec![20_000, 200_000];
    if std::env::var_os("PRIVET_BENCH_LARGE").is_some() {
        sizes.push(2_000_000);
    }
    sizes
}

/// A folder with the census example and tables of several sizes, made once.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("census-bench");
        let _ = fs::remove_dir_all(&folder);
        Example::find("census").expect("the example").write(&folder).expect("written");
        folder
    })
}

fn table(rows: u64) -> PathBuf {
    static MADE: Mutex<BTreeMap<u64, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().expect("no panic before");
    let path = made.entry(rows).or_insert_with(|| {
        let path = folder().join(format!("census-{rows}.csv"));
        let file = BufWriter::new(File::create(&path).expect("a file"));
        census::write_csv(rows, census::SEED, file).expect("written");
        path
    });
    path.clone()
}

/// The census policy's columns with other requirements, on a table of the given size.
fn census_policy(rows: u64, asked: &str) -> CheckedPolicy {
    let data = table(rows);
    let text = fs::read_to_string(folder().join("policy.toml")).expect("the policy");
    let columns = text.split("[privacy").next().expect("columns come first").to_string();
    let policy = Policy::parse(&folder().join("policy.toml"), columns + asked).expect("a policy");
    policy.check(Some(data.as_path())).expect("a checked policy")
}

/// Three of the census policy's quasi-identifiers: with all eight, some of these searches do not end within 15 seconds.
fn census_l_plus_policy(rows: u64, pair: &str) -> CheckedPolicy {
    let data = table(rows);
    let mut text =
        String::from("[data]\npath = \"census.csv\"\n[columns.occupation]\nrole = \"sensitive\"\n");
    for column in ["age", "education", "birth-country"] {
        text += &format!(
            "[columns.{column}]\nrole = \"quasi-identifier\"\nhierarchy = \"hierarchies/{column}.csv\"\n"
        );
    }
    let policy = Policy::parse(&folder().join("policy.toml"), text + &l_plus(pair)).expect("a policy");
    policy.check(Some(data.as_path())).expect("a checked policy")
}

/// Adult as the thesis uses it.
fn adult_l_plus_policy(pair: &str) -> Option<CheckedPolicy> {
    let data = data_folder();
    let path = data.join("adult/adult_45222.csv.zst");
    if !path.is_file() {
        eprintln!("skipped: no Adult data; set PRIVET_DATA");
        return None;
    }
    let mut text = format!("[data]\npath = {:?}\n", path.display().to_string());
    for column in ["age", "education", "native-country", "workclass", "marital-status", "sex", "race"] {
        let file = if column == "age" { "age_5yr" } else { column };
        let hierarchy = data.join(format!("taxonomies/default/{file}.csv"));
        text += &format!(
            "[columns.{column}]\nrole = \"quasi-identifier\"\nhierarchy = {:?}\n",
            hierarchy.display().to_string()
        );
    }
    text += "[columns.occupation]\nrole = \"sensitive\"\n";
    let policy = Policy::parse(&data.join("policy.toml"), text + &l_plus(pair)).expect("a policy");
    Some(policy.check(None).expect("a checked policy"))
}

fn data_folder() -> PathBuf {
    std::env::var_os("PRIVET_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from)
}

fn adult_policy(asked: &str) -> Option<CheckedPolicy> {
    let data = data_folder();
    let path = data.join("adult/arx_adult_30162.csv.zst");
    if !path.is_file() {
        eprintln!("skipped: no Adult data; set PRIVET_DATA");
        return None;
    }
    let mut text = format!("[data]\npath = {:?}\n", path.display().to_string());
    for column in
        ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
    {
        let hierarchy = data.join(format!("adult-hierarchies/arx/adult_hierarchy_{column}.csv"));
        text += &format!(
            "[columns.{column}]\nrole = \"quasi-identifier\"\nhierarchy = {:?}\n",
            hierarchy.display().to_string()
        );
    }
    text += "[columns.occupation]\nrole = \"sensitive\"\n";
    let policy = Policy::parse(&data.join("policy.toml"), text + asked).expect("a policy");
    Some(policy.check(None).expect("a checked policy"))
}

fn microdata(policy: &CheckedPolicy) -> Microdata {
    Microdata::read(policy, &mut |_| Ok(())).expect("data")
}

fn search(bencher: Bencher<'_, '_>, policy: &CheckedPolicy) {
    let microdata = microdata(policy);
    bencher
        .bench_local(|| black_box(method::run(policy, &microdata, &Clock::unlimited()).expect("a solution")));
}

#[divan::bench(args = sizes(), sample_count = 5)]
fn read(bencher: Bencher<'_, '_>, rows: u64) {
    let source = Source::open(&table(rows), &ReadOptions::default()).expect("a table");
    bencher.bench_local(|| {
        let mut cells = 0;
        source
            .read(&mut |batch, _| {
                cells += batch.rows();
                Ok(())
            })
            .expect("read");
        black_box(cells)
    });
}

#[divan::bench(args = sizes(), sample_count = 5)]
fn summarise(bencher: Bencher<'_, '_>, rows: u64) {
    let policy = census_policy(rows, FULL_DOMAIN);
    bencher.bench_local(|| black_box(microdata(&policy)));
}

#[divan::bench(args = sizes(), sample_count = 5)]
fn mondrian(bencher: Bencher<'_, '_>, rows: u64) {
    search(bencher, &census_policy(rows, MONDRIAN));
}

#[divan::bench(args = sizes(), sample_count = 5)]
fn full_domain(bencher: Bencher<'_, '_>, rows: u64) {
    search(bencher, &census_policy(rows, FULL_DOMAIN));
}

#[divan::bench(args = sizes(), sample_count = 5)]
fn full_domain_suppression(bencher: Bencher<'_, '_>, rows: u64) {
    search(bencher, &census_policy(rows, &format!("{FULL_DOMAIN}{SUPPRESSION}")));
}

#[divan::bench(args = sizes(), sample_count = 5)]
fn full_domain_lkc(bencher: Bencher<'_, '_>, rows: u64) {
    search(bencher, &census_policy(rows, LKC));
}

#[divan::bench(sample_count = 5)]
fn adult_full_domain(bencher: Bencher<'_, '_>) {
    if let Some(policy) = adult_policy(FULL_DOMAIN) {
        search(bencher, &policy);
    }
}

#[divan::bench(sample_count = 5)]
fn adult_full_domain_suppression(bencher: Bencher<'_, '_>) {
    if let Some(policy) = adult_policy(&format!("{FULL_DOMAIN}{SUPPRESSION}")) {
        search(bencher, &policy);
    }
}

#[divan::bench(sample_count = 5)]
fn adult_mondrian(bencher: Bencher<'_, '_>) {
    if let Some(policy) = adult_policy(MONDRIAN) {
        search(bencher, &policy);
    }
}

/// Adult with eight mixed columns, a few values of three of them guarded; or the same columns as quasi-identifiers.
fn adult_mixed_policy(freeform: bool) -> Option<CheckedPolicy> {
    let data = data_folder();
    let path = data.join("adult/adult_45222.csv.zst");
    if !path.is_file() {
        eprintln!("skipped: no Adult data; set PRIVET_DATA");
        return None;
    }
    let hierarchies = data.join("adult-hierarchies/arx");
    let mut text = format!("[data]\npath = {:?}\n", path.display().to_string());
    let columns: [(&str, &str, &str); 8] = [
        ("sex", "sex", ""),
        ("age", "age", ""),
        ("race", "race", ""),
        ("marital-status", "marital-status", "\"Divorced\", \"Separated\""),
        ("education", "education", ""),
        ("workclass", "workclass", ""),
        ("occupation", "occupation", "\"Priv-house-serv\", \"Protective-serv\", \"Handlers-cleaners\""),
        ("class", "salary-class", "\">50K\""),
    ];
    for (column, file, guard) in columns {
        let hierarchy = hierarchies.join(format!("adult_hierarchy_{file}.csv")).display().to_string();
        text += &match freeform {
            true => format!(
                "[columns.{column}]\nrole = \"mixed\"\nhierarchy = {hierarchy:?}\n\
                 [columns.{column}.sensitivity]\nguard = [{guard}]\n"
            ),
            false => format!("[columns.{column}]\nrole = \"quasi-identifier\"\nhierarchy = {hierarchy:?}\n"),
        };
    }
    text +=
        if freeform { "[privacy.ff-anonymity]\nthreat = 0.5\n" } else { "[privacy.k-anonymity]\nk = 5\n" };
    let policy = Policy::parse(&data.join("policy.toml"), text).expect("a policy");
    Some(policy.check(None).expect("a checked policy"))
}

#[divan::bench(sample_count = 5)]
fn adult_ff(bencher: Bencher<'_, '_>) {
    if let Some(policy) = adult_mixed_policy(true) {
        search(bencher, &policy);
    }
}

/// What `adult_ff` is held against.
#[divan::bench(sample_count = 5)]
fn adult_ff_full_domain(bencher: Bencher<'_, '_>) {
    if let Some(policy) = adult_mixed_policy(false) {
        search(bencher, &policy);
    }
}

#[divan::bench(args = PAIRS, sample_count = 5)]
fn census_l_plus(bencher: Bencher<'_, '_>, pair: &str) {
    search(bencher, &census_l_plus_policy(20_000, pair));
}

#[divan::bench(args = PAIRS, sample_count = 5)]
fn adult_l_plus(bencher: Bencher<'_, '_>, pair: &str) {
    if let Some(policy) = adult_l_plus_policy(pair) {
        search(bencher, &policy);
    }
}
