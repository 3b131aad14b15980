//! Keeps README and book honest: what they name exists, and what they show runs.

use std::fs;
use std::path::{Path, PathBuf};

use privet::clock::Clock;
use privet::engine::baskets::Baskets;
use privet::engine::microdata::Microdata;
use privet::example::Example;
use privet::loss::items::ItemMeasure;
use privet::method::{self, kl, vocabulary};
use privet::policy::CATALOGUES;
use privet::policy::{AnyPolicy, Declaration, Policy, Role};
use privet::privacy::kl::requirements;
use std::process::Command;

/// The README's command for the main job; the part behind ` -- ` is run below.
const MAIN_JOB: &str = "cargo run --release --locked -- example census --run";
/// The README's command for all tests.
const ALL_TESTS: &str = "cargo test --workspace --locked";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The book's pages: name and text, in order.
pub(crate) fn pages() -> Vec<(String, String)> {
    let folder = fs::read_dir(root().join("docs/src")).expect("the book");
    let mut pages: Vec<(String, String)> = folder
        .map(|entry| entry.expect("a page").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("a page")))
        .collect();
    pages.sort();
    pages
}

/// The fenced blocks of a page whose info string is `info`.
pub(crate) fn blocks(page: &str, info: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(found)) => open = Some((found == info, String::new())),
            (Some(_), Some(_)) => {
                if let Some((true, text)) = open.take() {
                    blocks.push(text);
                }
            }
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block that is never closed");
    blocks
}

/// The part of the policy reference under the heading that names this declaration.
fn section<'a>(reference: &'a str, heading: &str) -> &'a str {
    let start = reference.find(heading).unwrap_or_else(|| panic!("policy.md has no '{heading}'"));
    let text = &reference[start + heading.len()..];
    &text[..text.find("\n### ").unwrap_or(text.len())]
}

/// The requirements and the methods of all kinds of data.
fn declarations() -> (Vec<&'static Declaration>, Vec<&'static Declaration>) {
    let all = CATALOGUES;
    let requirements = all.iter().flat_map(|catalogue| catalogue.requirements).copied().collect();
    (requirements, all.iter().flat_map(|catalogue| catalogue.methods).copied().collect())
}

/// The page that explains a requirement or a method; related ones share one.
fn page_of(declaration: &Declaration) -> String {
    let page = match declaration.name {
        "km-anonymity" | "coherence" | "transactional-k-anonymity" | "privacy-degree" => "kl-privacy",
        "mog" => "og",
        "projection" | "codip-star" => "codip",
        "aa" | "lg" | "mm" => "transaction-baselines",
        "vocabulary-k-anonymity" => "vocabulary",
        "lg-bag" => "vocabulary-baselines",
        "ff-optimal" => "ff",
        own => own,
    };
    format!("{page}.md")
}

#[test]
fn the_policy_reference_names_everything_a_policy_can_say() {
    let reference = read("docs/src/policy.md");
    let has = |text: &str, name: &str, of: &Declaration| {
        assert!(text.contains(&format!("`{name}`")), "policy.md does not explain '{name}' of {}", of.name);
    };
    let (requirements, methods) = declarations();
    for requirement in &requirements {
        let own = section(&reference, &format!("\n### `[privacy.{}]`", requirement.name));
        requirement.keys.iter().for_each(|key| has(own, key.name, requirement));
    }
    let shared = section(&reference, "\n## `[method]`");
    for method in &methods {
        let own = section(&reference, &format!("\n### `name = \"{}\"`", method.name));
        method.keys.iter().for_each(|key| has(&format!("{own}{shared}"), key.name, method));
    }
    let words = requirements.iter().chain(&methods).flat_map(|declaration| {
        declaration.keys.iter().flat_map(|key| match key.kind {
            privet::policy::KeyKind::Choice(words) => words,
            _ => &[],
        })
    });
    for word in words {
        assert!(reference.contains(&format!("`\"{word}\"`")), "policy.md does not name \"{word}\"");
    }
    for role in Role::ALL {
        assert!(reference.contains(&format!("| `{role}` |")), "policy.md does not explain the role {role}");
    }
}

/// The policy reference with its tables as the declarations make them.
fn regenerated(reference: &str) -> String {
    const END: &str = "<!-- end of keys -->";
    let tables = privet::policy::reference::tables();
    let mut parts = reference.split("<!-- keys: ");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (name, rest) = part.split_once(" -->").expect("a marker that ends");
        let (_, rest) = rest.split_once(END).unwrap_or_else(|| panic!("the table of {name} does not end"));
        let (_, table) = tables.iter().find(|(own, _)| own == name).unwrap_or_else(|| panic!("no {name}"));
        text += &format!("<!-- keys: {name} -->\n\n{table}\n{END}{rest}");
    }
    text
}

/// `PRIVET_RECORD=1 cargo test -p privet-cli --test end_to_end policy_reference` writes the tables.
#[test]
fn the_tables_of_the_policy_reference_are_those_of_the_declarations() {
    let reference = read("docs/src/policy.md");
    for (name, _) in privet::policy::reference::tables() {
        assert!(reference.contains(&format!("<!-- keys: {name} -->")), "policy.md has no table for {name}");
    }
    let text = regenerated(&reference);
    if std::env::var_os("PRIVET_RECORD").is_some() {
        fs::write(root().join("docs/src/policy.md"), &text).expect("written");
    } else {
        assert!(text == reference, "policy.md is old: run this test with PRIVET_RECORD=1");
    }
}

#[test]
fn every_cost_has_a_row_on_its_page() {
    let page = read("docs/src/costs.md");
    for name in privet::loss::NAMES {
        assert!(page.contains(&format!("| `{name}` |")), "costs.md has no row for {name}");
    }
    let items = page.split("\n## Transactions").nth(1).expect("a section on transactions");
    for name in ItemMeasure::NAMES {
        assert!(items.contains(&format!("| `{name}`")), "costs.md has no row for {name} of transactions");
    }
}

#[test]
fn every_notion_and_method_has_a_page_in_the_summary() {
    let summary = read("docs/src/SUMMARY.md");
    let (requirements, methods) = declarations();
    for declaration in requirements.into_iter().chain(methods) {
        let page = page_of(declaration);
        assert!(summary.contains(&format!("({page})")), "SUMMARY.md does not list {page}");
        let text = read(&format!("docs/src/{page}"));
        let named = [declaration.name, &declaration.name.replace("l-plus", "l+"), "KL(m,n)-privacy"];
        assert!(named.iter().any(|name| text.contains(name)), "{page} does not name {}", declaration.name);
    }
}

#[test]
fn every_full_policy_of_the_book_is_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["patients", "five-baskets", "l-plus", "baskets", "census", "five-vocabularies", "queries"] {
        let example = Example::find(name).expect("an example");
        example.write(&folder.path().join(name)).expect("the example");
    }
    let mut seen = 0;
    for (page, text) in pages() {
        for policy in blocks(&text, "toml,policy") {
            seen += 1;
            let named = |data: &str| policy.contains(&format!("\"{data}\""));
            let example = if named("census.csv") {
                "census"
            } else if named("hospital.csv") {
                "l-plus"
            } else if named("five-baskets.csv") {
                "five-baskets"
            } else if named("baskets.csv") {
                "baskets"
            } else if named("five-vocabularies.csv") {
                "five-vocabularies"
            } else if named("queries.tsv") {
                "queries"
            } else {
                "patients"
            };
            let path = folder.path().join(example).join("policy.toml");
            let checked = Policy::parse(&path, policy).and_then(|policy| policy.check_any(None));
            let solved = match checked.unwrap_or_else(|error| panic!("{page}: {error}")) {
                AnyPolicy::Table(_) if example == "census" => Ok(()),
                AnyPolicy::Table(checked) => {
                    let microdata = Microdata::read(&checked, &mut |_| Ok(())).expect("the data");
                    method::run(&checked, &microdata, &Clock::unlimited()).map(drop)
                }
                AnyPolicy::Transactions(checked) => {
                    let baskets = Baskets::read(&checked, &mut |_| Ok(())).expect("the data");
                    let limits = requirements(&checked, &baskets.tree).expect("requirements");
                    let task =
                        kl::ItemTask { baskets: &baskets, requirements: &limits, method: &checked.method };
                    kl::run(&task, &Clock::unlimited()).map(drop)
                }
                AnyPolicy::Vocabularies(checked) => {
                    vocabulary::decide(&checked, &Clock::unlimited()).map(drop)
                }
            };
            assert!(solved.is_ok(), "{page}: {:?}", solved.err());
        }
    }
    assert!(seen >= 7, "only {seen} policies found in the book");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let readme = (root().join("README.md").display().to_string(), read("README.md"));
    for (page, text) in pages().into_iter().chain([readme]) {
        let folder = Path::new(&page).parent().expect("a folder").to_path_buf();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            if !link.contains("://") && !file.is_empty() {
                assert!(folder.join(file).exists(), "{page}: nothing is at {link}");
            }
        }
    }
}

#[test]
fn the_readme_has_the_two_commands_and_the_checks_run_the_tests() {
    let readme = read("README.md");
    for command in [MAIN_JOB, ALL_TESTS] {
        assert!(readme.lines().any(|line| line == command), "README.md does not show '{command}'");
    }
    assert!(read(".ci/run").lines().any(|line| line == ALL_TESTS), ".ci/run does not run the tests");
}

#[test]
fn the_main_job_of_the_readme_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, arguments) = MAIN_JOB.split_once(" -- ").expect("arguments");
    let output = Command::new(env!("CARGO_BIN_EXE_privet"))
        .current_dir(folder.path())
        .args(arguments.split(' '))
        .output()
        .expect("a run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The README shows the first lines of the result: they are these, word for word.
    let shown = String::from_utf8(output.stdout).expect("text");
    let readme = read("README.md");
    let result = shown.lines().skip_while(|line| !line.starts_with("released ")).take(4);
    for line in result {
        assert!(readme.lines().any(|known| known == line), "README.md does not show '{line}'");
    }
    for file in ["public/release.csv", "public/report.html", "steward/report.html", "steward/manifest.json"] {
        assert!(folder.path().join("census-release").join(file).is_file(), "{file} is missing");
    }
}
