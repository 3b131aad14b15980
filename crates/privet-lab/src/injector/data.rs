//! Adult as the paper used it, and the hierarchies that reproduce its Figure 3.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use privet::engine::negative_rules::{Attribute, Observations};
use privet::taxonomy::Taxonomy;
use privet::{Error, Result};

/// The quasi-identifiers with their places in `adult.data`.
const QUASI: [(&str, usize); 6] =
    [("age", 0), ("workclass", 1), ("education", 3), ("marital-status", 5), ("race", 8), ("sex", 9)];
/// The place of the sensitive column, occupation.
const SENSITIVE: usize = 6;

/// The columns of `adult.data`, which has no header.
const HEADER: [&str; 15] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "class",
];

/// The names of the file, in order of preference.
const FILES: [&str; 2] = ["adult/adult.data.zst", "adult/adult.data"];

const WORKCLASS: [&str; 8] = [
    "Federal-gov;Government",
    "Local-gov;Government",
    "State-gov;Government",
    "Self-emp-inc;Self-emp",
    "Self-emp-not-inc;Self-emp",
    "Private",
    "Without-pay",
    "Never-worked",
];
const EDUCATION: [&str; 16] = [
    "Preschool;Elementary;No-diploma",
    "1st-4th;Elementary;No-diploma",
    "5th-6th;Elementary;No-diploma",
    "7th-8th;Junior-high;No-diploma",
    "9th;Junior-high;No-diploma",
    "10th;Senior-high;No-diploma",
    "11th;Senior-high;No-diploma",
    "12th;Senior-high;No-diploma",
    "HS-grad;Diploma",
    "Some-college;Some-college+;Diploma",
    "Assoc-acdm;Some-college+;Diploma",
    "Assoc-voc;Some-college+;Diploma",
    "Bachelors;University",
    "Masters;Postgraduate;University",
    "Doctorate;Postgraduate;University",
    "Prof-school;Postgraduate;University",
];
const MARITAL: [&str; 7] = [
    "Married-civ-spouse;Married",
    "Married-AF-spouse;Married",
    "Never-married",
    "Divorced;Formerly",
    "Separated;Formerly",
    "Widowed;Formerly",
    "Married-spouse-absent;Formerly",
];
const RACE: [&str; 5] = [
    "White",
    "Black;NonWhite",
    "Asian-Pac-Islander;NonWhite",
    "Amer-Indian-Eskimo;NonWhite",
    "Other;NonWhite",
];
const SEX: [&str; 2] = ["Female", "Male"];

/// The ages of Adult, in bands of five years from 17 on, of ten and of twenty.
const AGES: std::ops::RangeInclusive<u32> = 17..=90;

/// The table.
pub(super) struct Adult {
    pub observations: Observations,
    /// The whole file as CSV with a header, records with missing values included.
    pub csv: String,
}

/// A policy without hierarchies for the file as [`Adult::csv`] has it.
pub(super) fn policy(path: &Path) -> String {
    let mut text =
        format!("[data]\npath = {:?}\nmissing = [\"?\"]\n[columns.occupation]\nrole = \"sensitive\"\n", path);
    for (name, _) in QUASI {
        text += &format!("[columns.{name}]\nrole = \"quasi-identifier\"\n");
    }
    text + "[privacy.matching-l-diversity]\ncolumn = \"occupation\"\nl = 2\n[method]\nname = \"injector\"\n"
}

impl Adult {
    /// Reads the records that miss none of the seven columns.
    pub fn read(folder: &Path) -> Result<Adult> {
        let path = FILES.map(|name| folder.join(name)).into_iter().find(|path| path.is_file());
        let path = path.ok_or_else(|| {
            Error::input("the experiment's data is not there").in_file(folder.join(FILES[1])).help(
                "set PRIVET_DATA to a folder with adult/adult.data, the training file of the Adult data (UCI Machine \
                 Learning Repository, https://archive.ics.uci.edu/dataset/2/adult)",
            )
        })?;
        let wrong = |error: std::io::Error| Error::io("read the data", &path, &error);
        let file = std::fs::File::open(&path).map_err(wrong)?;
        let mut text = String::new();
        match path.extension().is_some_and(|extension| extension == "zst") {
            true => zstd::Decoder::new(file).and_then(|mut reader| reader.read_to_string(&mut text)),
            false => std::io::BufReader::new(file).read_to_string(&mut text),
        }
        .map_err(wrong)?;
        let (observations, csv) = observations(&text).map_err(|error| error.in_file(&path))?;
        Ok(Adult { observations, csv })
    }
}

/// The trees, in the order of the quasi-identifiers.
fn trees() -> Result<Vec<Attribute>> {
    let path = |line: &str| line.split(';').chain(["*"]).map(String::from).collect::<Vec<_>>();
    let tree =
        |lines: &[&str]| Taxonomy::from_paths(&lines.iter().map(|line| path(line)).collect::<Vec<_>>());
    let band = |age: u32, width: u32| {
        // Bands of five years end at 21, 26, …; ten and twenty are two and four of them.
        let low = ((age - 12) / width * width + 12).max(*AGES.start());
        let high = ((age - 12) / width * width + 11 + width).min(*AGES.end());
        format!("[{low}-{high}]")
    };
    let ages: Vec<Vec<String>> = AGES
        .map(|age| {
            let mut path = vec![age.to_string()];
            for width in [5, 10, 20] {
                // A band that is cut off at an end of the ages may be the same as the one below it.
                path.extend(Some(band(age, width)).filter(|band| path.last() != Some(band)));
            }
            path.push("*".to_string());
            path
        })
        .collect();
    let trees = [
        Taxonomy::from_paths(&ages)?,
        tree(&WORKCLASS)?,
        tree(&EDUCATION)?,
        tree(&MARITAL)?,
        tree(&RACE)?,
        tree(&SEX)?,
    ];
    Ok(QUASI
        .iter()
        .zip(trees)
        .map(|((name, _), tree)| Attribute::crisp(name.to_string(), Arc::new(tree)))
        .collect())
}

fn observations(text: &str) -> Result<(Observations, String)> {
    let attributes = trees()?;
    let rows: Vec<Vec<&str>> = (text.lines())
        .map(|line| line.split(',').map(str::trim).collect::<Vec<_>>())
        .filter(|cells| cells.len() >= 15)
        .filter(|cells| QUASI.iter().map(|(_, at)| *at).chain([SENSITIVE]).all(|at| cells[at] != "?"))
        .collect();
    let mut values: Vec<String> = rows.iter().map(|cells| cells[SENSITIVE].to_string()).collect();
    values.sort();
    values.dedup();
    let mut counts: std::collections::BTreeMap<(Vec<u32>, u32), u64> = std::collections::BTreeMap::new();
    for cells in &rows {
        let mut leaves = Vec::with_capacity(QUASI.len());
        for (attribute, (name, at)) in attributes.iter().zip(QUASI) {
            let leaf = attribute.taxonomy.find(cells[at]);
            let leaf =
                leaf.ok_or_else(|| Error::input(format!("'{}' is not a known value of {name}", cells[at])))?;
            leaves.push(attribute.taxonomy.leaves_below(leaf).start as u32);
        }
        let value = values.iter().position(|value| value == cells[SENSITIVE]).unwrap_or(0);
        *counts.entry((leaves, value as u32)).or_default() += 1;
    }
    let mut observations = Observations::new(attributes, values);
    for ((leaves, value), count) in counts {
        observations.push(&leaves, value, count);
    }
    let mut csv = HEADER.join(",") + "\n";
    for line in text.lines().filter(|line| line.contains(',')) {
        csv += &line.split(',').map(str::trim).collect::<Vec<_>>().join(",");
        csv.push('\n');
    }
    Ok((observations, csv))
}
