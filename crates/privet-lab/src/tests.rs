//! The experiments on a small made-up table of Adult's outline: no real data is needed to see that every part runs.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::*;
use privet::ErrorKind;
use privet::taxonomy::words::WordNet;

/// A table of Adult's columns, and flat or two-level trees for its quasi-identifiers in all four sets.
fn small_adult(folder: &Path) {
    let mut text = String::from(
        "age,workclass,fnlwgt,education,marital-status,occupation,race,sex,native-country,class\n",
    );
    for row in 0..60u32 {
        let pick = |step: u32, of: u32| (row * step + row / 7) % of;
        let _ = writeln!(
            text,
            "{},w{},{row},e{},m{},o{},r{},s{},c{},{}",
            20 + pick(7, 20),
            pick(1, 2),
            pick(3, 4),
            pick(5, 2),
            pick(11, 6),
            pick(2, 2),
            pick(1, 2),
            pick(13, 4),
            if pick(3, 4) == 0 { ">50K" } else { "<=50K" }
        );
    }
    fs::create_dir_all(folder.join("adult")).expect("a folder");
    fs::write(folder.join("adult/adult_45222.csv"), text).expect("a table");
    let trees = [
        ("age_5yr.csv", "20-24;20-29;*\n25-29;20-29;*\n30-34;30-39;*\n35-39;30-39;*\n"),
        ("education.csv", "e0;low;*\ne1;low;*\ne2;high;*\ne3;high;*\n"),
        ("native-country.csv", "c0;west;*\nc1;west;*\nc2;east;*\nc3;east;*\n"),
        ("workclass.csv", "w0;*\nw1;*\n"),
        ("marital-status.csv", "m0;*\nm1;*\n"),
        ("sex.csv", "s0;*\ns1;*\n"),
        ("race.csv", "r0;*\nr1;*\n"),
    ];
    for set in ["default", "coarse", "medium", "fine"] {
        let set = folder.join("taxonomies").join(set);
        fs::create_dir_all(&set).expect("a folder");
        trees.iter().for_each(|(file, lines)| fs::write(set.join(file), lines).expect("a tree"));
    }
}

fn setting(data: &Path) -> Setting {
    Setting {
        data: data.to_path_buf(),
        log: None,
        quick: true,
        patience: Patience::Usual,
        clock: Clock::unlimited(),
    }
}

#[test]
fn every_part_of_l_plus_finds_something() {
    let folder = tempfile::tempdir().expect("a folder");
    small_adult(folder.path());
    assert_findings(l_plus::trial::run(&setting(folder.path())));
}

#[test]
fn every_part_of_codip_finds_something() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_findings(codip::trial::run(folder.path(), &setting(folder.path())));
}

/// Every part has rows, and its tables have files of their own.
fn assert_findings(results: Vec<(Part, Result<Vec<Section>>)>) {
    for (part, sections) in results {
        let sections = sections.unwrap_or_else(|error| panic!("{}: {error}", part.name));
        let rows = sections.iter().flat_map(|section| &section.tables).map(|table| table.rows.len());
        assert!(rows.sum::<usize>() > 0, "{} has no rows", part.name);
        let mut names: Vec<&str> =
            sections.iter().flat_map(|section| &section.tables).map(|table| table.name.as_str()).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "{} writes two tables to one file", part.name);
        for table in sections.iter().flat_map(|section| &section.tables) {
            assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{}: {table:?}", part.name);
        }
    }
}

#[test]
fn a_run_writes_its_page_and_keeps_earlier_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    small_adult(folder.path());
    let experiment = Experiment::find("l-plus").expect("the experiment");
    let target = folder.path().join("results");
    let mut told = Vec::new();
    for name in ["taxonomies", "attributes"] {
        let parts = experiment.select(&[name.to_string()]).expect("a part");
        let run = experiment.run(&parts, &setting(folder.path()), &target, &mut |part| {
            told.push(part.name.clone());
        });
        run.expect("a page");
    }
    assert_eq!(told, ["taxonomies", "attributes"]);
    let html = fs::read_to_string(target.join("index.html")).expect("a page");
    assert!(html.contains("id=\"taxonomies\"") && html.contains("id=\"attributes\""));
    assert!(target.join("taxonomies-cuts.csv").is_file() && target.join("results.json").is_file());
}

#[test]
fn missing_data_is_named_with_where_to_get_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = Experiment::find("l-plus").expect("the experiment");
    let run = |told: &mut dyn FnMut(&PartResult)| {
        let parts = experiment.select(&[]).expect("all parts");
        experiment.run(&parts, &setting(folder.path()), &folder.path().join("results"), told)
    };
    let error = run(&mut |_| {}).expect_err("no data");
    assert_eq!(error.kind(), ErrorKind::Input);
    assert!(error.to_string().contains("adult_45222.csv") && error.to_string().contains("PRIVET_DATA"));
    assert!(!folder.path().join("results").exists());
    small_adult(folder.path());
    fs::remove_dir_all(folder.path().join("taxonomies/default")).expect("a folder");
    let error = run(&mut |_| {}).expect_err("no taxonomies");
    assert!(error.to_string().contains("age_5yr.csv"), "{error}");
}

#[test]
fn an_unknown_part_gets_a_suggestion() {
    let experiment = Experiment::find("l-plus").expect("the experiment");
    let error = experiment.select(&["prunning".to_string()]).expect_err("no such part");
    assert!(error.to_string().contains("did you mean 'pruning'?"), "{error}");
    assert_eq!(experiment.select(&[]).map(|parts| parts.len()).ok(), Some(experiment.parts.len()));
}

/// Click-streams of the outline of WV1, and sales.
fn small_transactions(folder: &Path) {
    let line = |row: u32| {
        let items = (0..1 + row % 4).map(|step| ((row * 7 + step * step * 5 + row / 3) % 12).to_string());
        items.collect::<Vec<_>>().join(" ") + " \n"
    };
    let text: String = (0..90).map(line).collect();
    for file in ["bms/BMS-WebView-1.dat", "synthetic/pos_like.dat"] {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, &text).expect("transactions");
    }
    let diagnoses = folder.join("informs-meps");
    fs::create_dir_all(&diagnoses).expect("a folder");
    let row = |row: usize| format!("{},{}\n", row / 2, (row * 5 + row / 7) % 9);
    let rows: String = (0..120).map(row).collect();
    fs::write(diagnoses.join("conditions05.csv"), format!("DUPERSID,ICD9CODX\n{rows}")).expect("diagnoses");
    let tree: String = (0..9).map(|code| format!("{code};chapter {};*\n", code / 3)).collect();
    fs::write(diagnoses.join("treefile_ICD9CODX.txt"), tree).expect("a tree");
}

#[test]
fn every_part_of_kl_finds_something() {
    let folder = tempfile::tempdir().expect("a folder");
    small_transactions(folder.path());
    let mut results = kl::trial::run(&setting(folder.path()));
    // Its people are those of MEPS alone: without that file it says so and has no rows.
    results.retain(|(part, _)| part.name != "people");
    assert_findings(results);
}

#[test]
fn transactions_that_are_missing_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = Experiment::find("kl").expect("the experiment");
    let parts = experiment.select(&["scalability".to_string()]).expect("a part");
    let run = || experiment.run(&parts, &setting(folder.path()), &folder.path().join("results"), &mut |_| {});
    let error = run().expect_err("no data").to_string();
    assert!(error.contains("BMS-WebView-1.dat") && error.contains("PRIVET_DATA"), "{error}");
    small_transactions(folder.path());
    fs::remove_file(folder.path().join("synthetic/pos_like.dat")).expect("removed");
    let page = run().expect("a page");
    assert_eq!(page.parts[0].sections[0].title, "POS is left out");
}

#[test]
fn every_part_of_vocabulary_finds_something() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.tsv");
    let mut rows = Vec::new();
    privet::example::queries::write(600, 1, &mut rows).expect("memory does not fail");
    fs::write(&log, rows).expect("a log");
    if installed().is_none() {
        return;
    }
    assert_findings(vocabulary::trial::run(&Setting { log: Some(log), ..setting(folder.path()) }));
}

#[test]
fn a_log_that_is_missing_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = Experiment::find("vocabulary").expect("the experiment");
    let parts = experiment.select(&["loss".to_string()]).expect("a part");
    let error = experiment
        .run(&parts, &setting(folder.path()), &folder.path().join("results"), &mut |_| {})
        .expect_err("no log")
        .to_string();
    assert!(error.contains("querylog_20k_sessions") && error.contains("--log"), "{error}");
    assert!(!folder.path().join("results").exists());
}

/// Records of the outline of the training file; no woman is in the armed forces.
fn small_training_file(folder: &Path) {
    let occupations = [
        "Sales",
        "Craft-repair",
        "Tech-support",
        "Adm-clerical",
        "Other-service",
        "Armed-Forces",
        "Exec-managerial",
        "?",
    ];
    let mut draw = privet::example::census::draw::Draw::new(1);
    let mut text = String::new();
    for row in 0..800usize {
        let occupation = occupations[row % occupations.len()];
        let mut pick = |of: &[&'static str]| of[draw.below(of.len() as u32) as usize];
        let _ = writeln!(
            text,
            "{}, {}, 1, {}, 9, {}, {occupation}, Husband, {}, {}, 0, 0, 40, United-States, <=50K",
            pick(&["23", "40", "61"]),
            pick(&["Private", "State-gov"]),
            pick(&["HS-grad", "Bachelors", "10th"]),
            pick(&["Divorced", "Never-married"]),
            pick(&["White", "Black"]),
            if occupation == "Armed-Forces" { "Male" } else { pick(&["Male", "Female"]) },
        );
    }
    fs::create_dir_all(folder.join("adult")).expect("a folder");
    fs::write(folder.join("adult/adult.data"), text).expect("a file");
}

#[test]
fn every_part_of_injector_finds_something() {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = Experiment::find("injector").expect("the experiment");
    let parts = experiment.select(&[]).expect("all parts");
    let run = || experiment.run(&parts, &setting(folder.path()), &folder.path().join("results"), &mut |_| {});
    let error = run().expect_err("no data").to_string();
    assert!(error.contains("adult.data") && error.contains("PRIVET_DATA"), "{error}");
    small_training_file(folder.path());
    let page = run().expect("a page");
    let found = page.parts.into_iter().zip(&parts).map(|(result, part)| (**part, Ok(result.sections)));
    assert_findings(found.collect());
}

/// Annotations of the outline of HPO's: twenty diseases with ten or so phenotypes each.
fn small_phenotypes(folder: &Path) {
    let mut text = String::from("#version: made up\ndatabase_id\tdisease_name\tqualifier\n");
    for disease in 0..20u32 {
        for term in 0..10 {
            let _ = writeln!(
                text,
                "OMIM:{disease}\tdisease\t\tHP:{:04}\tr\tPCS\t\t1/2\t\t\tP\tmade up",
                (disease * 3 + term * 7) % 40
            );
        }
        let _ = writeln!(text, "OMIM:{disease}\tdisease\tNOT\tHP:9999\tr\tPCS\t\t\t\t\tP\tmade up");
    }
    fs::create_dir_all(folder.join("symptoms")).expect("a folder");
    fs::write(folder.join("symptoms/hpo_phenotype.hpoa"), text).expect("annotations");
}

#[test]
fn every_part_of_quasi_sensitive_finds_something() {
    let folder = tempfile::tempdir().expect("a folder");
    small_adult(folder.path());
    let experiment = Experiment::find("quasi-sensitive").expect("the experiment");
    let run = |names: &[String]| {
        let parts = experiment.select(names).expect("parts");
        let page =
            experiment.run(&parts, &setting(folder.path()), &folder.path().join("results"), &mut |_| {});
        page.expect("a page")
    };
    let without = run(&["hpo-closeness".to_string()]);
    assert!(without.parts[0].sections[0].prose[0].contains("not in the data folder"));
    small_phenotypes(folder.path());
    for part in run(&[]).parts {
        let rows = part.sections.iter().flat_map(|section| &section.tables).map(|table| table.rows.len());
        assert!(rows.sum::<usize>() > 0, "{} has no rows", part.name);
    }
}

/// The installed WordNet, unless there is none.
pub(crate) fn installed() -> Option<WordNet> {
    let folder =
        std::env::var_os("PRIVET_WORDNET").map_or_else(|| PathBuf::from(WordNet::FOLDER), PathBuf::from);
    if !folder.join("data.noun").is_file() {
        privet_core::testing::skipped(&format!("no WordNet in {} (set PRIVET_WORDNET)", folder.display()));
        return None;
    }
    Some(WordNet::open(&folder).expect("WordNet"))
}
