//! Known optima on Adult for models of populations, likeness and risk: every lattice node was visited to find them, so a miss here
//! means an unsound prune.
//!
//! Needs the Adult data in the folder named by `PRIVET_DATA` (default `../shared/data` next to the project).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method;
use privet::policy::Policy;
use privet::policy::method::TableCost;
use privet::risk::{RiskOptions, measure};

const COLUMNS: [&str; 9] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
];

const NEEDED: [&str; 2] = ["adult/arx_adult_30162.csv.zst", "adult-hierarchies/arx"];

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/population")
}

/// A policy about Adult, or about a sample of it with all of Adult as the population.
fn policy_text(data: &Path, sample: bool, sensitive: bool) -> String {
    let all = data.join("adult/arx_adult_30162.csv.zst");
    let path = if sample { vectors().join("adult-sample.csv.zst") } else { all.clone() };
    let mut text = format!("seed = 1\n[data]\npath = {:?}\ndelimiter = \";\"\n", path.display().to_string());
    if sample {
        writeln!(text, "[population]\npath = {:?}\ndelimiter = \";\"", all.display().to_string())
            .expect("text");
    }
    for column in COLUMNS {
        let sensitive = column == "occupation" && sensitive;
        let role = if sensitive { "sensitive" } else { "quasi-identifier" };
        writeln!(text, "[columns.{column}]\nrole = \"{role}\"").expect("text");
        let hierarchy = data.join(format!("adult-hierarchies/arx/adult_hierarchy_{column}.csv"));
        writeln!(text, "hierarchy = {:?}", hierarchy.display().to_string()).expect("text");
    }
    text
}

/// The tables of `[privacy]` for requirements such as `k-map k=5 + delta-presence min=0 max=1/2`.
fn privacy(requirements: &str, limit: f64) -> String {
    let mut text = String::new();
    for requirement in requirements.split(" + ") {
        let mut words = requirement.split_whitespace();
        let name = words.next().expect("a name");
        writeln!(text, "[privacy.{name}]").expect("text");
        if matches!(name, "l-diversity" | "t-closeness" | "beta-likeness" | "delta-disclosure") {
            writeln!(text, "column = \"occupation\"").expect("text");
        }
        if name == "delta-presence" && limit > 0.0 {
            writeln!(text, "on_suppression = \"ignore\"").expect("text");
        }
        for (key, value) in words.map(|word| word.split_once('=').expect("key=value")) {
            let quote = if value.parse::<f64>().is_ok() { "" } else { "\"" };
            writeln!(text, "{key} = {quote}{value}{quote}").expect("text");
        }
    }
    text
}

#[test]
fn known_optima_on_adult_are_found() {
    let Some(data) = privet_core::testing::real_data(&NEEDED) else { return };
    let (mut missed, mut found_all) = (Vec::new(), 0);
    let mut reader = csv::Reader::from_path(vectors().join("adult-optima.csv")).expect("the cases");
    for row in reader.records() {
        let row = row.expect("a case");
        let name = row.iter().take(5).collect::<Vec<_>>().join(" ");
        let (limit, cost) = (&row[3], row[4].replace("average class size", "average-class-size"));
        let text = policy_text(&data, &row[0] == "sample", &row[1] == "8qi")
            + &privacy(&row[2], limit.parse().expect("a limit"))
            + &format!("[method]\nname = \"full-domain\"\nsuppression_limit = {limit}\ncost = \"{cost}\"\n");
        let policy = Policy::parse(&data.join("policy.toml"), text).expect("a policy");
        let policy = policy.check(None).unwrap_or_else(|error| panic!("{name}: {error}"));
        let microdata =
            Microdata::read(&policy, &mut |_| Ok(())).unwrap_or_else(|error| panic!("{name}: {error}"));
        let start = std::time::Instant::now();
        let solution = match method::run(&policy, &microdata, &Clock::unlimited()) {
            Ok(solution) => solution,
            Err(error) => {
                missed.push(format!("{name}: {error}"));
                continue;
            }
        };
        let spent = start.elapsed();
        let measure = solution
            .recoding
            .measure(TableCost::named(&cost).expect("a cost"), &microdata)
            .expect("a measure");
        let classes = solution.recoding.count(&microdata);
        let found = measure.value(solution.recoding.cost(&measure, &classes));
        let levels: Vec<String> = COLUMNS
            .iter()
            .filter_map(|column| solution.plan.level(column))
            .map(|level| level.to_string())
            .collect();
        println!("{name}: {found} at {levels:?}, {} examined, {spent:?}", solution.search.examined);
        let optimum: f64 = row[5].parse().expect("an optimum");
        let suppressed: u64 = row[7].parse().expect("suppressed records");
        let listed = row[6].split(" | ").any(|optimum| optimum == levels.join(" "));
        let is_it = (found - optimum).abs() <= 1e-6 * optimum && listed && classes.suppressed == suppressed;
        if is_it && solution.search.optimal {
            found_all += 1;
        } else {
            missed.push(format!(
                "{name}: expected {optimum} at {} without {suppressed}, found {found} at {levels:?} without {}",
                &row[6], classes.suppressed
            ));
        }
    }
    println!("{found_all} optima are found");
    assert!(missed.is_empty(), "{} missed, {found_all} found:\n{}", missed.len(), missed.join("\n"));
}

fn near(found: f64, wanted: f64, what: &str) {
    assert!((found - wanted).abs() <= 1e-9 * wanted.abs().max(1e-300), "{what}: {found} is not {wanted}");
}

#[test]
fn known_figures_of_adult_are_measured() {
    let Some(data) = privet_core::testing::real_data(&NEEDED) else { return };
    let text = std::fs::read_to_string(vectors().join("adult-risk.json")).expect("the figures");
    let cases: serde_json::Value = serde_json::from_str(&text).expect("figures");
    for case in cases.as_array().expect("cases") {
        let population = format!("[population]\nsize = {}\n", case["population"]);
        let policy = policy_text(&data, false, false) + &population;
        let policy = Policy::parse(&data.join("policy.toml"), policy).expect("a policy");
        let largest = case["largest"].as_u64().map(|largest| largest as usize);
        let options = RiskOptions { largest, ..RiskOptions::default() };
        let found = measure(&policy, None, &options, &Clock::unlimited()).expect("figures").to_json();
        let wanted = &case["expect"];
        assert_eq!((&found["records"], &found["classes"]), (&wanted["records"], &wanted["classes"]));
        for key in ["average", "sample_uniques"] {
            near(found[key].as_f64().expect(key), wanted[key].as_f64().expect(key), key);
        }
        for (key, share) in wanted["population_uniques"].as_object().expect("estimates") {
            let own = found["population_uniques"][key].as_f64();
            near(own.expect(key), share.as_f64().expect(key), key);
        }
        assert_eq!(found["special_uniques"]["by_size"], wanted["special_uniques"]["by_size"]);
        let sets = found["columns"].as_array().expect("sets");
        for (own, wanted) in sets.iter().zip(wanted["columns"].as_array().expect("sets")) {
            assert_eq!(own["columns"], wanted["columns"]);
            for key in ["distinction", "separation"] {
                near(own[key].as_f64().expect(key), wanted[key].as_f64().expect(key), key);
            }
        }
    }
}

/// Pages of the specification, for populations of other sizes; and special uniques of up to three columns.
#[test]
fn estimates_on_adult_are_those_of_the_literature() {
    let Some(data) = privet_core::testing::real_data(&NEEDED) else { return };
    for (size, zayatz, pitman, snb, dankar) in [
        (3_016_200u64, 0.271713, 0.144608, 0.204679, 0.144608),
        (301_620, 0.320740, 0.276850, 0.249977, 0.276850),
        (150_810, 0.357710, 0.336628, 0.319459, 0.319459),
    ] {
        let policy = policy_text(&data, false, false) + &format!("[population]\nsize = {size}\n");
        let policy = Policy::parse(&data.join("policy.toml"), policy).expect("a policy");
        let options = RiskOptions { largest: Some(1), ..RiskOptions::default() };
        let found = measure(&policy, None, &options, &Clock::unlimited()).expect("figures").to_json();
        for (key, wanted) in [("zayatz", zayatz), ("pitman", pitman), ("snb", snb), ("dankar", dankar)] {
            let own = found["population_uniques"][key].as_f64().expect(key);
            assert!((own - wanted).abs() < 1e-6, "{size} {key}: {own}");
        }
    }
    let policy =
        Policy::parse(&data.join("policy.toml"), policy_text(&data, false, false)).expect("a policy");
    let options = RiskOptions { largest: Some(3), ..RiskOptions::default() };
    let found = measure(&policy, None, &options, &Clock::unlimited()).expect("figures");
    assert_eq!((found.uniques.by_size, found.uniques.records), (vec![2, 1204, 14_890], 6240));
}
