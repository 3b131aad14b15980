//! Adult with eight mixed columns.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::adult::{self, DEFAULT_TAXONOMIES};
use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::policy::{CheckedPolicy, Policy};
use privet::{Error, Result};

/// The columns, and the nodes of them that are guarded.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("age", &[]),
    ("workclass", &[]),
    ("education", &[]),
    ("marital-status", &["Divorced", "Separated"]),
    ("occupation", &["Priv-house-serv", "Armed-Forces", "Protective-serv", "Handlers-cleaners"]),
    ("race", &[]),
    ("sex", &[]),
    ("class", &[">50K"]),
];

/// The hierarchies that the data folder lacks.
const OCCUPATION: &str = "Exec-managerial;White-collar;*\nProf-specialty;White-collar;*\nAdm-clerical;White-collar;*\n\
     Sales;White-collar;*\nTech-support;White-collar;*\nCraft-repair;Blue-collar;*\nMachine-op-inspct;Blue-collar;*\n\
     Handlers-cleaners;Blue-collar;*\nTransport-moving;Blue-collar;*\nFarming-fishing;Blue-collar;*\n\
     Other-service;Service;*\nPriv-house-serv;Service;*\nProtective-serv;Service;*\nArmed-Forces;Service;*\n";
const CLASS: &str = "<=50K;*\n>50K;*\n";

/// The data, and hierarchies made for it.
pub(super) struct Adult {
    ground: adult::Ground,
    made: TempDir,
    pub clock: Clock,
}

impl Adult {
    pub fn open(folder: &Path, clock: Clock) -> Result<Adult> {
        let ground = adult::Adult::open(folder, clock.clone())?.ground(DEFAULT_TAXONOMIES)?;
        let wrong = |error: std::io::Error| Error::io("write hierarchies", std::env::temp_dir(), &error);
        let made = tempfile::tempdir().map_err(wrong)?;
        fs::write(made.path().join("occupation.csv"), OCCUPATION).map_err(wrong)?;
        fs::write(made.path().join("class.csv"), CLASS).map_err(wrong)?;
        Ok(Adult { ground, made, clock })
    }

    /// The policy of a threshold on threats; `table` stands in for the whole table.
    pub fn policy(&self, threat: &str, method: &str, table: Option<&Path>) -> Result<CheckedPolicy> {
        let quoted = |path: &Path| toml_edit::Value::from(path.to_string_lossy().as_ref()).to_string();
        let path = quoted(table.unwrap_or(&self.ground.table));
        let mut text = format!("[data]\npath = {path}\n");
        for (name, guard) in COLUMNS {
            let file: PathBuf = match name {
                "occupation" | "class" => self.made.path().join(format!("{name}.csv")),
                "age" => self.ground.hierarchies.join("age_5yr.csv"),
                name => self.ground.hierarchies.join(format!("{name}.csv")),
            };
            let _ = write!(
                text,
                "[columns.{name}]\nrole = \"mixed\"\nhierarchy = {}\n[columns.{name}.sensitivity]\nguard = {guard:?}\n",
                quoted(&file)
            );
        }
        let _ = write!(
            text,
            "[privacy.ff-anonymity]\nobservable = 1.0\nthreat = \"{threat}\"\n[method]\nname = \"{method}\"\n"
        );
        let path = self.ground.hierarchies.join("experiment-policy.toml");
        Policy::parse(&path, text)?.check(None)
    }

    pub fn read(&self, policy: &CheckedPolicy) -> Result<Microdata> {
        self.clock.progress().stage("reading", None);
        Microdata::read(policy, &mut |_| self.clock.check())
    }

    /// The positions of two columns that can be the sensitive one.
    pub fn sensitive(policy: &CheckedPolicy) -> Vec<(usize, String)> {
        let chosen = policy
            .columns
            .iter()
            .filter(|column| ["occupation", "marital-status"].contains(&column.name.as_str()));
        chosen.map(|column| (column.index, column.name.clone())).collect()
    }
}
