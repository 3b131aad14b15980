//! Census-Income (KDD) as the paper used it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::Path;

use tempfile::TempDir;

use crate::page::DataUsed;
use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method::codip::{PairInformation, SensitiveAttribute, attributes};
use privet::policy::{CheckedPolicy, Policy};
use privet::{Error, Result};

/// The names of the file, in order of preference: the paper's own part first.
const FILES: [&str; 4] =
    ["census-income.data.gz", "census-income.data", "census-income.test.gz", "census-income.test"];

/// The quasi-identifiers with their places in the file.
const QUASI: [(&str, usize); 4] = [("age", 0), ("race", 10), ("sex", 12), ("citizenship", 35)];

/// The sensitive columns that are taken as they are, in the paper's order.
const CATEGORICAL: [(&str, usize); 7] = [
    ("worker_class", 1),
    ("education", 4),
    ("industry", 8),
    ("employment_status", 15),
    ("business_status", 36),
    ("salary_class", 41),
    ("occupation", 9),
];

/// Numbers that are only known to be zero or not.
const NUMERIC: [(&str, usize); 4] =
    [("wage_per_hour", 5), ("dividend", 18), ("capital_gain", 16), ("capital_loss", 17)];

/// The detailed household status, of which the paper makes four attributes.
const HOUSEHOLD: usize = 22;

/// Records whose industry code is this were not asked for it.
const INDUSTRY: usize = 2;
const NOT_ASKED: &str = "0";

/// The table with what its attributes tell about each other.
pub(super) struct Census {
    pub microdata: Microdata,
    pub attributes: Vec<SensitiveAttribute>,
    pub ratios: PairInformation,
    /// Where the filtered table and its hierarchies lie.
    pub folder: TempDir,
    /// The names of the sensitive columns, in the paper's order.
    pub sensitive: Vec<&'static str>,
    /// What was read.
    pub data: DataUsed,
}

/// What the household status says, as the paper's four values.
pub(super) fn household(status: &str) -> Vec<&'static str> {
    let mut values = Vec::new();
    let is_married =
        status.starts_with("Spouse") || status.contains("spouse of") || status.contains(" ever marr");
    if is_married {
        values.push("married");
    }
    if status.contains("<18") || status.contains("under 18") {
        values.push("18-");
    }
    if status.starts_with("Child") || status.starts_with("Grandchild") {
        values.push("descendent");
    }
    let lower = status.to_lowercase();
    if lower.contains("subfamily") && !lower.contains("not in") {
        values.push("subfamily");
    }
    values
}

/// How ages generalise: bands of 5, 10, 20 and 40 years.
fn age_path(age: &str) -> Option<String> {
    let age: u32 = age.parse().ok()?;
    let band = |width: u32| format!("{}-{}", age / width * width, age / width * width + width - 1);
    Some(format!("{age};{};{};{};{};*", band(5), band(10), band(20), band(40)))
}

fn path_of(column: &str, value: &str) -> Option<String> {
    let middle = match (column, value) {
        ("age", _) => return age_path(value),
        ("sex", _) => return Some(format!("{value};*")),
        ("race", "White") => "White",
        ("race", _) => "Other races",
        (_, value) if value.starts_with("Native") => "Native",
        _ => "Foreign born",
    };
    // A label may stand once in a tree: where a value is its own group, it is so at both levels.
    Some(if middle == value { format!("{value};*") } else { format!("{value};{middle};*") })
}

fn text_of(folder: &Path) -> Result<(String, std::path::PathBuf)> {
    let folder = folder.join("census-income-kdd");
    let path = FILES.map(|name| folder.join(name)).into_iter().find(|path| path.is_file());
    let path = path.ok_or_else(|| {
        Error::input("the experiment's data is not there").in_file(folder.join(FILES[1])).help(
            "set PRIVET_DATA to a folder with census-income-kdd/census-income.data or census-income.test, both parts of \
             Census-Income (UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/117)",
        )
    })?;
    let wrong = |error: std::io::Error| Error::io("read the data", &path, &error);
    let file = fs::File::open(&path).map_err(wrong)?;
    let mut text = String::new();
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text),
        false => std::io::BufReader::new(file).read_to_string(&mut text),
    }
    .map_err(wrong)?;
    Ok((text, path))
}

impl Census {
    /// Reads the file, keeps the records whose industry is known, and writes them as a table with hierarchies.
    pub fn read(folder: &Path, clock: &Clock) -> Result<Census> {
        let (text, path) = text_of(folder)?;
        let rows: Vec<Vec<&str>> = (text.lines())
            .map(|line| line.trim_end_matches('.').split(',').map(str::trim).collect::<Vec<_>>())
            .filter(|cells| cells.len() == 42 && cells[INDUSTRY] != NOT_ASKED)
            .collect();
        if rows.is_empty() {
            return Err(
                Error::input("the file has no record of 42 columns with a known industry").in_file(&path)
            );
        }
        let own = tempfile::tempdir().map_err(|error| Error::io("make a folder", Path::new("."), &error))?;
        let write = |name: &str, text: String| {
            let path = own.path().join(name);
            fs::write(&path, text).map_err(|error| Error::io("write the table", &path, &error))
        };
        write("census.csv", table(&rows))?;
        for (name, at) in QUASI {
            let values: BTreeSet<&str> = rows.iter().map(|cells| cells[at]).collect();
            let paths: Option<Vec<String>> = values.iter().map(|value| path_of(name, value)).collect();
            let paths = paths.ok_or_else(|| {
                Error::input(format!("{name} has a value that is not a number")).in_file(&path)
            })?;
            write(&format!("{name}.csv"), paths.join("\n") + "\n")?;
        }
        let sensitive: Vec<&'static str> =
            CATEGORICAL.iter().chain(&NUMERIC).map(|(name, _)| *name).chain(["household"]).collect();
        let policy = checked(own.path(), &sensitive, 2, "1")?;
        let microdata = Microdata::read(&policy, &mut |_| clock.check())?;
        let attributes = attributes(&policy, &microdata)?;
        let ratios = PairInformation::of(&microdata, &attributes);
        let data = DataUsed {
            file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            read: text.lines().filter(|line| !line.trim().is_empty()).count() as u64,
            used: microdata.summary.total(),
        };
        Ok(Census { microdata, attributes, ratios, folder: own, sensitive, data })
    }

    /// A policy about the table, with a k and a t.
    pub fn policy(&self, k: u64, t: &str) -> Result<CheckedPolicy> {
        checked(self.folder.path(), &self.sensitive, k, t)
    }

    /// A policy for one table with the first sensitive column, as `full-domain` takes it: k = 2, t = 0.4, cost DM.
    pub fn one_table_policy(&self) -> Result<CheckedPolicy> {
        let text =
            policy_text(&self.sensitive[..1], 2, "0.4") + "[method]\nname = \"full-domain\"\ncost = \"DM\"\n";
        Policy::parse(&self.folder.path().join("policy.toml"), text)?.check(None)
    }

    /// A policy for several tables with the first sensitive columns: the same k, t and cost, and Γβ at most 0.3.
    pub fn policy_of_first(&self, columns: usize) -> Result<CheckedPolicy> {
        let text = policy_text(&self.sensitive[..columns], 2, "0.4") + &plan_text("0.3");
        Policy::parse(&self.folder.path().join("policy.toml"), text)?.check(None)
    }
}

fn table(rows: &[Vec<&str>]) -> String {
    let names = QUASI.iter().chain(&CATEGORICAL).chain(&NUMERIC).map(|(name, _)| *name).chain(["household"]);
    let mut text = names.collect::<Vec<_>>().join(",") + "\n";
    for cells in rows {
        let plain = QUASI.iter().chain(&CATEGORICAL).map(|(_, at)| cells[*at]);
        let bits = NUMERIC.iter().map(|(_, at)| if cells[*at] == "0" { "0" } else { "1" });
        let household = household(cells[HOUSEHOLD]).join("|");
        let row: Vec<&str> = plain.chain(bits).chain([household.as_str()]).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", row.join(","));
    }
    text
}

fn checked(folder: &Path, sensitive: &[&str], k: u64, t: &str) -> Result<CheckedPolicy> {
    let text = policy_text(sensitive, k, t) + &plan_text("1");
    Policy::parse(&folder.join("policy.toml"), text)?.check(None)
}

fn plan_text(beta: &str) -> String {
    format!(
        "[privacy.projection]\nalpha = 1\nbeta = {beta}\n[method]\nname = \"codip-star\"\ncost = \"DM\"\n"
    )
}

fn policy_text(sensitive: &[&str], k: u64, t: &str) -> String {
    let mut text = "seed = 1\n[data]\npath = \"census.csv\"\nmissing = [\"?\"]\n".to_string();
    for (name, _) in QUASI {
        let _ = write!(text, "[columns.{name}]\nrole = \"quasi-identifier\"\nhierarchy = \"{name}.csv\"\n");
    }
    for name in sensitive {
        let _ = write!(text, "[columns.{name}]\nrole = \"sensitive\"\n");
        if *name == "household" {
            text += "separator = \"|\"\n";
        }
    }
    let _ = write!(text, "[privacy.k-anonymity]\nk = {k}\n[privacy.t-closeness]\nt = {t}\n");
    text
}
