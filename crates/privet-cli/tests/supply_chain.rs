//! What the program is made of: few crates, from one source, under licences that allow it, and none that talks to a network.
//!
//! `cargo deny` (see `deny.toml` and `.ci/run`) says the same and more; this needs nothing but cargo itself.

use std::collections::BTreeSet;
use std::process::Command;

/// The default binary may be made of at most this many crates, our own included.
const MOST_CRATES: usize = 132;

/// Licences that can be given on under Apache-2.0 or MIT.
const LICENCES: [&str; 12] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unlicense",
    "Unicode-3.0",
    "CC0-1.0",
    "BSL-1.0",
    "Apache-2.0 WITH LLVM-exception",
];

/// Crates that open connections or wait for them. None of them has any business here. The studio alone, a program of its own, has
/// one: `tiny_http`, which listens to this machine.
const NETWORK: [&str; 17] = [
    "tiny_http",
    "tokio",
    "mio",
    "socket2",
    "hyper",
    "reqwest",
    "ureq",
    "curl",
    "isahc",
    "rustls",
    "openssl",
    "native-tls",
    "h2",
    "quinn",
    "async-std",
    "smol",
    "trust-dns-resolver",
];

/// Crates of which the default binary has two versions, because others have not moved on yet.
const TWICE: [&str; 2] = ["getrandom", "syn"];

/// A crate in the default binary.
struct Linked {
    name: String,
    /// What cargo says apart from name and version: where it comes from, if that is not crates.io.
    origin: String,
    licence: String,
}

/// Every crate in the default binary; what is only needed to build or to test is left out.
fn linked() -> Option<Vec<Linked>> {
    linked_into("privet-cli")
}

/// Every crate in the binary of a package.
fn linked_into(package: &str) -> Option<Vec<Linked>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tree = Command::new(cargo);
    tree.args(["tree", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}|{l}"]);
    let output =
        tree.args(["--offline", "--locked"]).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    if !output.status.success() {
        privet_core::testing::skipped(&format!(
            "cargo cannot list what is linked: {}",
            String::from_utf8_lossy(&output.stderr)
        ));
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout).replace(" (*)", "");
    let lines: BTreeSet<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let crates = lines.into_iter().map(|line| {
        let (package, licence) = line.split_once('|').expect("a licence");
        let mut words = package.splitn(3, ' ');
        let name = words.next().expect("a name").to_string();
        let origin = words.nth(1).unwrap_or_default().replace("(proc-macro)", "").trim().to_string();
        Linked { name, origin, licence: licence.trim().to_string() }
    });
    Some(crates.collect())
}

#[test]
fn few_crates_and_no_network() {
    let Some(linked) = linked() else { return };
    let foreign = linked.iter().filter(|one| !one.name.starts_with("privet")).count();
    eprintln!("{foreign} crates of others are linked into the default binary");
    assert!(foreign > 20 && foreign <= MOST_CRATES, "{foreign} crates");
    let network: Vec<&str> =
        linked.iter().map(|one| one.name.as_str()).filter(|name| NETWORK.contains(name)).collect();
    assert!(network.is_empty(), "{network:?}");
}

/// What the studio is made of beyond the command: a server, and nothing that could reach out.
#[test]
fn the_studio_listens_and_that_is_all() {
    let (Some(studio), Some(command)) = (linked_into("privet-studio"), linked()) else { return };
    let known: BTreeSet<&str> = command.iter().map(|one| one.name.as_str()).collect();
    let own: Vec<&Linked> = studio.iter().filter(|one| !known.contains(one.name.as_str())).collect();
    let names: BTreeSet<&str> = own.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(
        names,
        BTreeSet::from(["ascii", "chunked_transfer", "httpdate", "log", "privet-studio", "tiny_http"]),
        "the studio adds a small server and what that needs"
    );
    for Linked { name, origin, licence } in own {
        assert!(origin.is_empty() || name.starts_with("privet"), "{name} comes from {origin}");
        assert!(is_allowed(licence), "{name} is under {licence:?}");
    }
    let reaching =
        studio.iter().filter(|one| one.name != "tiny_http" && NETWORK.contains(&one.name.as_str()));
    assert_eq!(reaching.map(|one| one.name.as_str()).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn licences_and_sources_are_known() {
    for Linked { name, origin, licence } in linked().unwrap_or_default() {
        assert!(origin.is_empty() || name.starts_with("privet"), "{name} comes from {origin}");
        assert!(is_allowed(&licence), "{name} is under {licence:?}");
    }
}

#[test]
fn no_crate_is_linked_twice_unawares() {
    let linked = linked().unwrap_or_default();
    let names: Vec<&str> = linked.iter().map(|one| one.name.as_str()).collect();
    let twice: BTreeSet<&str> = names
        .iter()
        .copied()
        .filter(|name| names.iter().filter(|other| *other == name).count() > 1)
        .collect();
    let unknown: Vec<&&str> = twice.iter().filter(|name| !TWICE.contains(*name)).collect();
    assert!(
        unknown.is_empty(),
        "{unknown:?} are there in several versions: `cargo tree -d` says who wants them"
    );
}

/// Whether an SPDX expression leaves a choice that is allowed. Crates write them as alternatives of single licences, or of
/// some that hold together.
fn is_allowed(licence: &str) -> bool {
    let plain = licence.replace(['(', ')'], "").replace('/', " OR ");
    // `A AND B OR C` is read as if everything had to hold: too strict, never too lax.
    match plain.contains(" AND ") {
        true => plain.split(" AND ").all(is_allowed),
        false => plain.split(" OR ").any(|one| LICENCES.contains(&one.trim())),
    }
}

#[test]
fn licences_are_read_as_they_are_meant() {
    assert!(is_allowed("MIT OR Apache-2.0") && is_allowed("MIT/Apache-2.0") && is_allowed("GPL-3.0 OR MIT"));
    assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(!is_allowed("GPL-3.0") && !is_allowed("MIT AND GPL-3.0") && !is_allowed(""));
}
