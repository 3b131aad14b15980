//! Known optima on Adult: every lattice node was visited to find them, so a miss here means an unsound prune.
//!
//! Needs the Adult data in the folder named by `PRIVET_DATA` (default `../shared/data` next to the project).

use std::fmt::Write as _;
use std::path::Path;

use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::{self};
use privet::policy::Policy;
use privet::policy::method::TableCost;

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

struct Case {
    quasi_identifiers: String,
    requirement: String,
    suppression_limit: String,
    cost: String,
    optimum: Option<f64>,
    levels: String,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/full-domain");
    let mut cases = Vec::new();
    for (file, suppression) in [("adult-optima.csv", false), ("adult-optima-suppression.csv", true)] {
        let mut reader = csv::Reader::from_path(folder.join(file)).expect("the cases");
        for row in reader.records() {
            let row = row.expect("a case");
            let (quasi_identifiers, requirement, suppression_limit) = match suppression {
                true => ("8qi", &row[0], &row[1]),
                false => (&row[0], &row[1], "0"),
            };
            cases.push(Case {
                quasi_identifiers: quasi_identifiers.to_string(),
                requirement: requirement.to_string(),
                suppression_limit: suppression_limit.to_string(),
                cost: row[2].replace("average class size", "average-class-size"),
                optimum: row[3].parse().ok(),
                levels: row[4].to_string(),
            });
        }
    }
    cases
}

fn policy_text(case: &Case, data: &Path) -> String {
    let mut text = String::from("seed = 1\n");
    let path = data.join("adult/arx_adult_30162.csv.zst");
    writeln!(text, "[data]\npath = {:?}\ndelimiter = \";\"", path.display().to_string()).expect("text");
    for column in COLUMNS {
        let sensitive = column == "occupation" && case.quasi_identifiers == "8qi";
        let role = if sensitive { "sensitive" } else { "quasi-identifier" };
        writeln!(text, "[columns.{column}]\nrole = \"{role}\"").expect("text");
        if !sensitive {
            let hierarchy = data.join(format!("adult-hierarchies/arx/adult_hierarchy_{column}.csv"));
            writeln!(text, "hierarchy = {:?}", hierarchy.display().to_string()).expect("text");
        }
    }
    for requirement in case.requirement.split(" + ") {
        let mut words = requirement.split_whitespace();
        let name = words.next().expect("a name");
        writeln!(text, "[privacy.{name}]").expect("text");
        if name != "k-anonymity" {
            writeln!(text, "column = \"occupation\"").expect("text");
        }
        for (key, value) in words.map(|word| word.split_once('=').expect("key=value")) {
            let quote = if value.parse::<f64>().is_ok() { "" } else { "\"" };
            writeln!(text, "{key} = {quote}{value}{quote}").expect("text");
        }
    }
    let (limit, cost) = (&case.suppression_limit, &case.cost);
    writeln!(text, "[method]\nname = \"full-domain\"\nsuppression_limit = {limit}\ncost = \"{cost}\"")
        .expect("text");
    text
}

#[test]
fn known_optima_on_adult_are_found() {
    let needed = ["adult/arx_adult_30162.csv.zst", "adult-hierarchies/arx"];
    let Some(data) = privet_core::testing::real_data(&needed) else { return };
    let mut missed = Vec::new();
    for case in cases() {
        let policy = Policy::parse(&data.join("policy.toml"), policy_text(&case, &data)).expect("a policy");
        let policy = policy.check(None).expect("a checked policy");
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        let name = format!(
            "{} {} {} {}",
            case.quasi_identifiers, case.requirement, case.suppression_limit, case.cost
        );
        let start = std::time::Instant::now();
        let solution = method::run(&policy, &microdata, &Clock::unlimited());
        let spent = start.elapsed();
        let (Ok(solution), Some(optimum)) = (&solution, case.optimum) else {
            if solution.is_ok() != case.optimum.is_some() {
                missed.push(format!("{name}: expected {:?}, found {:?}", case.optimum, solution.err()));
            }
            continue;
        };
        let measure = solution
            .recoding
            .measure(TableCost::named(&case.cost).expect("a cost"), &microdata)
            .expect("a measure");
        let classes = solution.recoding.count(&microdata);
        let found = measure.value(solution.recoding.cost(&measure, &classes));
        let levels: Vec<String> = COLUMNS
            .iter()
            .filter_map(|column| solution.plan.level(column))
            .map(|level| level.to_string())
            .collect();
        println!("{name}: {found} at {levels:?}, {} examined, {spent:?}", solution.search.examined);
        let listed = case.levels.split(" | ").any(|optimum| optimum == levels.join(" "));
        if (found - optimum).abs() > 1e-6 * optimum || !listed || !solution.search.optimal {
            missed
                .push(format!("{name}: expected {optimum} at {}, found {found} at {levels:?}", case.levels));
        }
    }
    assert!(missed.is_empty(), "missed optima:\n{}", missed.join("\n"));
}
