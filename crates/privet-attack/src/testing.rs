//! A stage for tests of attacks: files in a folder, and a scene made of them.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::{ATTACKS, Finding, Scene};
use privet_audit::released::open_released;
use privet_core::clock::Clock;
use privet_policy::{AnyPolicy, Policy};

/// Two quasi-identifiers, one with a hierarchy, and a sensitive column with one.
pub(super) const POLICY: &str = "[data]\npath = \"table.csv\"\n\
    [columns.age]\nrole = \"quasi-identifier\"\n\
    [columns.city]\nrole = \"quasi-identifier\"\nhierarchy = \"city.csv\"\n\
    [columns.ill]\nrole = \"sensitive\"\nhierarchy = \"ill.csv\"\n\
    [privacy.k-anonymity]\nk = 1\n";

pub(super) const CITIES: &str = "Oslo;Norway;*\nBergen;Norway;*\nRome;Italy;*\nPisa;Italy;*\n";

pub(super) const ILLNESSES: &str = "flu;chest;*\nasthma;chest;*\nulcer;stomach;*\ngastritis;stomach;*\n";

/// Files in a folder.
pub(super) struct Stage {
    folder: TempDir,
}

impl Stage {
    /// An original under [`POLICY`].
    pub fn new(original: &str) -> Stage {
        Stage::with(POLICY, original)
    }

    /// An original, `table.csv`, under a policy.
    pub fn with(policy: &str, original: &str) -> Stage {
        let stage = Stage { folder: tempfile::tempdir().expect("a folder") };
        stage.write("policy.toml", policy);
        stage.write("table.csv", original);
        stage.write("city.csv", CITIES);
        stage.write("ill.csv", ILLNESSES);
        stage
    }

    /// Where a file is, or will be.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, content).expect("written");
        path
    }

    /// Opens a file or a folder as the release, and looks at the scene; more can be put into it first.
    pub fn on<T>(&self, release: &str, look: impl FnOnce(Scene<'_>) -> T) -> T {
        self.under(&Clock::unlimited(), release, look)
    }

    /// The same with a clock.
    pub fn under<T>(&self, clock: &Clock, release: &str, look: impl FnOnce(Scene<'_>) -> T) -> T {
        let policy = Policy::read(&self.folder.path().join("policy.toml")).expect("a policy");
        let policy: AnyPolicy = policy.check_any(None).unwrap_or_else(|error| panic!("{error}"));
        let policy = policy.as_ref();
        let released = open_released(policy, &self.folder.path().join(release));
        look(Scene::new(policy, released.unwrap_or_else(|error| panic!("{error}")), 7, clock))
    }

    /// What an attack finds in a released table of this content, or why it is not run.
    pub fn attack(&self, name: &str, released: &str) -> Result<Finding, String> {
        self.write("release.csv", released);
        self.on("release.csv", |scene| attacked(name, &scene))
    }
}

/// What an attack finds in a scene, or why it is not run.
pub(super) fn attacked(name: &str, scene: &Scene<'_>) -> Result<Finding, String> {
    let attack = ATTACKS.iter().find(|attack| attack.name == name).expect("an attack");
    (attack.concerns)(scene)?;
    Ok((attack.run)(scene).unwrap_or_else(|error| panic!("{error}")))
}
