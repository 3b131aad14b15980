//! Optima of `l-plus-optimize` on Adult that a second search, written by others, found as well.
//!
//! Needs the Adult data and the default taxonomies in the folder named by `PRIVET_DATA` (default `../shared/data` next to the
//! project).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::{self};
use privet::policy::Policy;
use privet::policy::method::TableCost;

/// The quasi-identifiers and their hierarchies; ages are read through ranges of five years.
const QUASI: [(&str, &str); 7] = [
    ("age", "age_5yr"),
    ("education", "education"),
    ("native-country", "native-country"),
    ("workclass", "workclass"),
    ("marital-status", "marital-status"),
    ("sex", "sex"),
    ("race", "race"),
];

/// Suppression, cost, threshold of all values, and the least cost there is.
const OPTIMA: [(&str, &str, &str, f64); 9] = [
    ("none", "CM", "1/3", 8873.0),
    ("none", "CM", "1/4", 10_360.0),
    ("none", "CM", "1/5", 11_208.0),
    ("none", "CM", "1/6", 11_208.0),
    ("none", "DM", "1/6", 1_582_835_930.0),
    ("none", "LM", "1/4", 3_498_901.0 / 15.0),
    ("none", "LM", "1/6", 292_435.6),
    ("all-rec", "DM", "1/3", 71_314_090.0),
    ("all-rec", "DM", "1/5", 303_353_047.0),
];

fn table(folder: &Path) -> PathBuf {
    folder.join("adult/adult_45222.csv.zst")
}

fn hierarchy(folder: &Path, name: &str) -> PathBuf {
    folder.join("taxonomies/default").join(format!("{name}.csv"))
}

fn policy_text(folder: &Path, (suppression, cost, theta): (&str, &str, &str)) -> String {
    let mut text = format!("seed = 1\n[data]\npath = {:?}\n", table(folder).display().to_string());
    for (column, file) in QUASI {
        let hierarchy = hierarchy(folder, file).display().to_string();
        writeln!(text, "[columns.{column}]\nrole = \"quasi-identifier\"\nhierarchy = {hierarchy:?}")
            .expect("text");
    }
    text += "[columns.occupation]\nrole = \"sensitive\"\n[columns.class]\nrole = \"class\"\n";
    writeln!(text, "[privacy.l-plus-diversity]\ncolumn = \"occupation\"\ndefault = \"{theta}\"")
        .expect("text");
    writeln!(
        text,
        "[method]\nname = \"l-plus-optimize\"\nsuppression = \"{suppression}\"\ncost = \"{cost}\""
    )
    .expect("text");
    text
}

#[test]
fn optima_on_adult_that_two_searches_found_are_found() {
    let needed = ["adult/adult_45222.csv.zst", "taxonomies/default"];
    let Some(folder) = privet_core::testing::real_data(&needed) else { return };
    // What is read is the same for all.
    let mut microdata: Option<Microdata> = None;
    for (suppression, cost, theta, optimum) in OPTIMA {
        let name = format!("{suppression} {cost} {theta}");
        let text = policy_text(&folder, (suppression, cost, theta));
        let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
        let policy = policy.check(None).expect("a checked policy");
        let microdata =
            microdata.get_or_insert_with(|| Microdata::read(&policy, &mut |_| Ok(())).expect("data"));
        let mut solution = method::run(&policy, microdata, &Clock::unlimited()).expect("a solution");
        solution.recoding.draw(1);
        let found = match &solution.cost {
            Some(cost) => cost.value,
            None => {
                let measure = solution
                    .recoding
                    .measure(TableCost::named(cost).expect("a cost"), microdata)
                    .expect("a measure");
                measure.value(solution.recoding.cost(&measure, &solution.recoding.count(microdata)))
            }
        };
        assert!(solution.search.optimal, "{name}");
        assert_eq!(solution.search.space.as_deref(), Some("356440500"), "{name}");
        assert!((found - optimum).abs() <= 1e-9 * optimum, "{name}: {found}, known {optimum}");
    }
}
