//! Small tables with policies.

use std::fs;
use std::path::Path;

use privet_policy::{CheckedPolicy, Policy};
use proptest::prelude::*;

/// A table with a policy.
#[derive(Debug, Clone)]
pub struct Case {
    pub rows: Vec<Vec<String>>,
    pub k: u64,
    pub t: &'static str,
    /// n and t of (n, t)-closeness, where it is asked for.
    pub natural: Option<(u64, &'static str)>,
    pub alpha: &'static str,
    pub beta: &'static str,
    pub max_discernibility: Option<u64>,
    pub insensitive: Vec<&'static str>,
    /// The distance of `s2`, whose values are numbers.
    pub ordered: bool,
    pub persist: bool,
}

/// The columns of a case; `m` holds sets.
pub const HEADER: [&str; 7] = ["q1", "q2", "s0", "s1", "s2", "s3", "m"];

/// The hierarchies of the quasi-identifiers: what each value becomes, level by level.
pub const Q1: [[&str; 3]; 4] = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]];
pub const Q2: [[&str; 2]; 2] = [["x", "*"], ["y", "*"]];

pub fn cases() -> impl Strategy<Value = Case> {
    let row = (0usize..4, 0usize..2, 0u8..3, 0u8..3, 0u8..4, 0u8..2, 0usize..4, 0u8..4).prop_map(
        |(q1, q2, s0, s1, s2, s3, m, near)| {
            // Some columns follow others most of the time, so that there is something to keep together.
            let s1 = if near < 2 { s0 } else { s1 };
            vec![
                Q1[q1][0].to_string(),
                Q2[q2][0].to_string(),
                s0.to_string(),
                s1.to_string(),
                s2.to_string(),
                s3.to_string(),
                ["", "u", "v", "v|u"][m].to_string(),
            ]
        },
    );
    let limits = (
        1u64..5,
        prop::sample::select(vec!["0.1", "0.3", "0.5", "1"]),
        prop::sample::select(vec!["0.2", "0.5", "1"]),
        prop::sample::select(vec!["0.1", "0.3", "0.6", "1"]),
    );
    let natural = prop::option::weighted(0.4, (2u64..8, prop::sample::select(vec!["0.1", "0.25", "0.4"])));
    let more = (
        prop::option::weighted(0.5, 20u64..300),
        prop::sample::subsequence(vec!["0", "1"], 0..2),
        any::<bool>(),
        any::<bool>(),
    );
    (prop::collection::vec(row, 4..20), limits, natural, more).prop_map(
        |(mut rows, (k, t, alpha, beta), natural, (max_discernibility, insensitive, ordered, persist))| {
            // A column of nothing but empty sets is refused: it has no value to publish.
            if rows.iter().all(|row| row[6].is_empty()) {
                rows[0][6] = "u".to_string();
            }
            Case {
                // No group can have more records than the table.
                natural: natural.map(|(n, t)| (n.min(rows.len() as u64), t)),
                rows,
                k,
                t,
                alpha,
                beta,
                max_discernibility,
                insensitive,
                ordered,
                persist,
            }
        },
    )
}

impl Case {
    /// Writes the case and checks its policy.
    pub fn policy(&self, folder: &Path, method: &str) -> CheckedPolicy {
        let lines = self.rows.iter().map(|row| row.join(",") + "\n");
        let data = std::iter::once(HEADER.join(",") + "\n").chain(lines).collect::<String>();
        fs::write(folder.join("data.csv"), data).expect("written");
        let tree = |rows: Vec<String>| rows.join("\n") + "\n";
        fs::write(folder.join("q1.csv"), tree(Q1.iter().map(|row| row.join(";")).collect()))
            .expect("written");
        fs::write(folder.join("q2.csv"), tree(Q2.iter().map(|row| row.join(";")).collect()))
            .expect("written");
        let mut text = "seed = 3\n[data]\npath = \"data.csv\"\n".to_string();
        for name in ["q1", "q2"] {
            text += &format!("[columns.{name}]\nrole = \"quasi-identifier\"\nhierarchy = \"{name}.csv\"\n");
        }
        for name in &HEADER[2..] {
            text += &format!("[columns.{name}]\nrole = \"sensitive\"\n");
            if *name == "m" {
                text += "separator = \"|\"\n";
            }
            if *name == "s1" {
                text += &format!("insensitive = {:?}\n", self.insensitive);
            }
        }
        text += &format!("[privacy.k-anonymity]\nk = {}\n[privacy.t-closeness]\nt = {}\n", self.k, self.t);
        let distances = if self.ordered { "columns = { s2 = \"ordered\" }\n" } else { "" };
        text += distances;
        if let Some((n, t)) = self.natural {
            text += &format!("[privacy.n-t-closeness]\nn = {n}\nt = {t}\n{distances}");
        }
        text += &format!("[privacy.projection]\nalpha = {}\nbeta = {}\n", self.alpha, self.beta);
        if let Some(most) = self.max_discernibility {
            text += &format!("max_discernibility = {most}\n");
        }
        text += &format!("[method]\nname = \"{method}\"\n");
        if method == "codip-star" {
            text += &format!("persist = {}\n", self.persist);
        }
        checked(folder, text)
    }
}

fn checked(folder: &Path, text: String) -> CheckedPolicy {
    let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
    policy.check(None).expect("a checked policy")
}

/// A policy for any table: columns whose names begin with q are quasi-identifiers, all others are sensitive, those named in
/// `sets` with several values in a cell; k is 2 and t is 1.
pub fn policy_of(folder: &Path, header: &str, rows: &[String], sets: &[&str], limits: &str) -> CheckedPolicy {
    let data = std::iter::once(header).chain(rows.iter().map(String::as_str)).map(|line| format!("{line}\n"));
    fs::write(folder.join("data.csv"), data.collect::<String>()).expect("written");
    let mut text = "seed = 3\n[data]\npath = \"data.csv\"\n".to_string();
    for name in header.split(',') {
        let role = if name.starts_with('q') { "quasi-identifier" } else { "sensitive" };
        text += &format!("[columns.{name}]\nrole = \"{role}\"\n");
        if sets.contains(&name) {
            text += "separator = \"|\"\n";
        }
    }
    text += "[privacy.k-anonymity]\nk = 2\n[privacy.t-closeness]\nt = 1\n";
    text += &format!("[privacy.projection]\n{limits}\n[method]\nname = \"codip-star\"\n");
    checked(folder, text)
}
