//! Random small tables with random taxonomies, as files in a directory.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use privet_engine::microdata::Microdata;
use privet_engine::privacy::naive::{Column, Ground, Notion, any_notion};
use privet_engine::testing::tree;
use privet_policy::{CheckedPolicy, Policy};
use proptest::prelude::*;
use tempfile::TempDir;

pub const MISSING: &str = "?";

/// A quasi-identifier's domain.
#[derive(Debug, Clone)]
pub enum Domain {
    /// A hierarchy file's lines.
    Tree(Vec<Vec<String>>),
    /// Words without a hierarchy.
    Words(usize),
    /// Numbers without a hierarchy.
    Numbers(Vec<i32>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MissingChoice {
    None,
    Drop,
    Keep,
}

/// A table with the requirements of a policy.
#[derive(Debug, Clone)]
pub struct RandomTable {
    pub quasi: Vec<Domain>,
    /// The tree of the first sensitive column; the second one holds numbers.
    pub sensitive: Vec<Vec<String>>,
    pub on_missing: MissingChoice,
    /// All rows: quasi-identifiers, two sensitive columns, the label.
    pub rows: Vec<Vec<String>>,
    /// The requirements, each with its sensitive column.
    pub asked: Vec<(Notion, usize)>,
}

fn domain() -> impl Strategy<Value = Domain> {
    prop_oneof![
        4 => tree("q", 1..7).prop_map(Domain::Tree),
        1 => (1usize..4).prop_map(Domain::Words),
        2 => prop::collection::vec(-20i32..60, 1..9).prop_map(Domain::Numbers),
    ]
}

impl Domain {
    fn value(&self, choice: usize) -> String {
        match self {
            Domain::Tree(lines) => lines[choice % lines.len()][0].clone(),
            Domain::Words(words) => format!("word{}", choice % words),
            Domain::Numbers(numbers) => numbers[choice % numbers.len()].to_string(),
        }
    }
}

/// Tables with up to `most` rows and up to two requirements.
pub fn tables(most: usize) -> impl Strategy<Value = RandomTable> {
    let asked = prop::collection::vec((any_notion(), 0usize..2), 1..3);
    let on_missing = prop::sample::select(vec![
        MissingChoice::None,
        MissingChoice::None,
        MissingChoice::Drop,
        MissingChoice::Keep,
    ]);
    let rows = prop::collection::vec(prop::collection::vec(0usize..64, 8), 5..=most);
    (prop::collection::vec(domain(), 2..5), tree("s", 2..5), on_missing, rows, asked).prop_map(
        |(quasi, sensitive, on_missing, raw, asked)| {
            let row = |raw: &Vec<usize>| {
                let cell = |(column, domain): (usize, &Domain)| match raw[column] {
                    63 if on_missing != MissingChoice::None => MISSING.to_string(),
                    choice => domain.value(choice),
                };
                let mut row: Vec<String> = quasi.iter().enumerate().map(cell).collect();
                row.push(sensitive[raw[4] % sensitive.len()][0].clone());
                row.push((raw[5] % 4).to_string());
                row.push(format!("label{}", raw[6] % 2));
                row
            };
            let rows: Vec<Vec<String>> = raw.iter().map(row).collect();
            let asked = asked.into_iter().map(|(notion, column)| {
                // Only the first sensitive column has a hierarchy.
                let tree = matches!(notion, Notion::Closeness(_, Ground::Hierarchical));
                (notion, if tree { 0 } else { column })
            });
            let asked = asked.collect();
            RandomTable { quasi, sensitive, on_missing, rows, asked }
        },
    )
}

impl RandomTable {
    /// The rows that remain after dropping those with missing values, if the policy drops them.
    pub fn kept(&self) -> Vec<&Vec<String>> {
        let drops = self.on_missing == MissingChoice::Drop;
        self.rows.iter().filter(|row| !drops || row.iter().all(|cell| cell != MISSING)).collect()
    }

    pub fn csv(&self) -> String {
        let mut names: Vec<String> = (0..self.quasi.len()).map(|column| format!("q{column}")).collect();
        names.extend(["s0", "s1", "label"].map(String::from));
        let lines = std::iter::once(names.join(",")).chain(self.rows.iter().map(|row| row.join(",")));
        lines.map(|line| line + "\n").collect()
    }

    pub fn policy_text(&self, method: &str) -> String {
        let on_missing = if self.on_missing == MissingChoice::Keep { "value" } else { "drop" };
        let mut text = format!(
            "seed = 3\n[data]\npath = \"data.csv\"\nheader = true\ndelimiter = \",\"\nmissing = [\"{MISSING}\"]\nmissing_as = \"{MISSING}\"\non_missing = \"{on_missing}\"\n"
        );
        for (column, domain) in self.quasi.iter().enumerate() {
            text += &format!("[columns.q{column}]\nrole = \"quasi-identifier\"\n");
            if let Domain::Tree(_) = domain {
                text += &format!("hierarchy = \"q{column}.csv\"\n");
            }
        }
        text += "[columns.s0]\nrole = \"sensitive\"\nhierarchy = \"s0.csv\"\n";
        text += "[columns.s1]\nrole = \"sensitive\"\n[columns.label]\nrole = \"class\"\n";
        for (notion, column) in &self.asked {
            text += &notion.toml(&format!("s{column}"));
        }
        text + &format!("[method]\n{method}\n")
    }

    /// Writes all files into a directory.
    pub fn write(&self, folder: &Path, method: &str) -> CheckedPolicy {
        let lines =
            |lines: &[Vec<String>]| lines.iter().map(|line| line.join(";") + "\n").collect::<String>();
        fs::write(folder.join("data.csv"), self.csv()).expect("written");
        fs::write(folder.join("s0.csv"), lines(&self.sensitive)).expect("written");
        for (column, domain) in self.quasi.iter().enumerate() {
            if let Domain::Tree(tree) = domain {
                fs::write(folder.join(format!("q{column}.csv")), lines(tree)).expect("written");
            }
        }
        let path = folder.join("policy.toml");
        let policy = Policy::parse(&path, self.policy_text(method)).expect("a policy");
        policy.check(None).expect("a checked policy")
    }

    /// The table as methods see it; `None` if no row is left.
    pub fn read(&self, method: &str) -> Option<(TempDir, CheckedPolicy, Microdata)> {
        if self.kept().is_empty() {
            return None;
        }
        let folder = TempDir::new().expect("a folder");
        let policy = self.write(folder.path(), method);
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        Some((folder, policy, microdata))
    }

    /// A sensitive column's values in the kept rows, and the column as the definitions need it.
    pub fn sensitive_column(&self, column: usize) -> (Vec<String>, Column) {
        let place = self.quasi.len() + column;
        let kept = self.kept();
        let present: BTreeSet<&String> = kept.iter().map(|row| &row[place]).collect();
        let values: Vec<String> = present.into_iter().cloned().collect();
        let total = |value: &String| kept.iter().filter(|row| row[place] == *value).count() as u64;
        let totals = values.iter().map(total).collect();
        if column == 1 {
            // One digit each, so the texts sort like the numbers.
            let rank = (0..values.len()).collect();
            return (values, Column { totals, rank, apart: Vec::new(), height: 0 });
        }
        // A label that is repeated on a line is one node.
        let paths: Vec<Vec<String>> = self.sensitive.iter().map(|line| distinct(line)).collect();
        let path = |value: &String| paths.iter().find(|path| path[0] == *value).expect("a leaf");
        let height = |node: &String| {
            let below = paths.iter().filter_map(|path| path.iter().position(|label| label == node));
            below.max().unwrap_or(0) as u64
        };
        let first = |node: &String| paths.iter().position(|path| path.contains(node));
        let key = |value: &String| path(value).iter().rev().map(first).collect::<Vec<_>>();
        let rank = |value: &String| values.iter().filter(|other| key(other) < key(value)).count();
        let common =
            |a: &String, b: &String| path(a).iter().find(|node| path(b).contains(node)).map_or(0, height);
        let rank = values.iter().map(rank).collect();
        let apart = values.iter().map(|a| values.iter().map(|b| common(a, b)).collect()).collect();
        let height = height(&paths[0][paths[0].len() - 1]);
        (values, Column { totals, rank, apart, height })
    }
}

/// A line without repeated labels.
pub fn distinct(line: &[String]) -> Vec<String> {
    let mut path: Vec<String> = line.to_vec();
    path.dedup();
    path
}
