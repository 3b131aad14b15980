//! A first policy for a file: what `privet init` writes.
//!
//! One pass over the data finds types, distinct values and missing ones; names and figures suggest a role for each
//! column, with the reason; numbers, dates and codes get hierarchies. The steward reads, corrects and runs it.

mod baskets;
mod birth;
mod kind;
mod person;
pub mod preset;
mod profile;
mod role;
mod safe_harbor;
mod sessions;
mod text;
mod tree;
mod within;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use baskets::{differ_in_length, draft_transactions, long_form};
pub use kind::ValueKind;
pub use sessions::{SessionFigures, draft_query_log, settled};
pub use within::{has_telephone, stretches};

use self::preset::Preset;
use self::profile::Profile;
use self::safe_harbor::Scan;
use privet_core::place;
use privet_core::place::Folder;
use privet_core::{Error, Result};
use privet_data::{Header, Origin, Source};
use privet_policy::Role;
use privet_taxonomy::Taxonomy;

/// The policy's file name in the directory that [`Draft::write`] writes to.
const POLICY_FILE: &str = "policy.toml";
/// The k to start from, unless the data asks for another.
const USUAL_K: u64 = 5;
/// The Centers for Medicare & Medicaid Services publish no cell of 1 to 10 patients.
const HEALTH_K: u64 = 11;
/// Values of a sensitive column that every class should hold, where the data has as many.
const USUAL_L: u64 = 3;
/// A search over more combinations of levels than this is not a good first try.
const MOST_COMBINATIONS: u64 = 1_000_000;

/// What the user says about the draft.
#[derive(Debug, Clone, Default)]
pub struct DraftOptions {
    /// How the policy names the data (see [`data_path`]); its file name when `None`.
    pub data_path: Option<String>,
    /// The delimiter to write into the policy, where the user gave one.
    pub delimiter: Option<char>,
    /// What the user said about the first line, to write into the policy.
    pub header: Header,
    /// The rule whose thresholds the draft begins with.
    pub preset: Option<&'static Preset>,
    /// Whether the release is meant for everybody.
    pub public: bool,
}

/// A column of the draft.
#[derive(Debug, Clone)]
pub struct DraftColumn {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: ValueKind,
    /// How many distinct values it has, missing ones left aside.
    pub distinct: u64,
    /// Whether there are more distinct values than were counted.
    pub more: bool,
    /// How many cells are missing.
    pub missing: u64,
    /// The suggested role; `None` for a column that the draft leaves out of the release.
    pub role: Option<Role>,
    /// Why, with figures.
    pub reason: String,
    /// The file of its generated hierarchy, relative to the policy.
    pub hierarchy: Option<String>,
}

/// A policy that runs as it is, with the hierarchies it names.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The policy.
    pub policy_text: String,
    /// Generated hierarchies and their paths relative to the policy.
    pub hierarchies: Vec<(String, Taxonomy)>,
    /// The columns, in the data's order.
    pub columns: Vec<DraftColumn>,
    /// The number of records.
    pub rows: u64,
    /// The k that the draft asks for.
    pub k: u64,
}

/// Looks at a table and drafts a policy for it.
pub fn draft(source: &Source, options: &DraftOptions) -> Result<Draft> {
    let profile = profile::profile(source)?;
    if profile.rows < 2 {
        let found = if profile.rows == 0 { "no records" } else { "only one record" };
        return Err(Error::input(format!("the table has {found}"))
            .in_file(source.origin())
            .help("a policy can be drafted from two records on; is the first line a header?"));
    }
    let mut columns = Vec::new();
    let mut hierarchies: Vec<(String, Taxonomy)> = Vec::new();
    let safe_harbor = options.preset.is_some_and(|preset| preset.safe_harbor);
    let mut scan = safe_harbor.then(|| Scan::of(source, &profile.columns)).transpose()?;
    let person = person::repeated(&profile);
    let suggestions = role::suggest_roles(&profile, person);
    for (index, (column, suggestion)) in profile.columns.iter().zip(suggestions).enumerate() {
        let mut drafted = DraftColumn {
            name: column.name.clone(),
            kind: column.kind(),
            distinct: column.distinct(),
            more: column.is_saturated(),
            missing: column.missing_cells(),
            role: suggestion.role,
            reason: suggestion.reason,
            hierarchy: None,
        };
        place::unless_stopped()?;
        let mut tree = None;
        if drafted.role == Some(Role::QuasiIdentifier) {
            tree = tree::hierarchy(column)?;
            if let Some(scan) = &scan {
                tree = scan.hierarchy(column, tree);
            }
        }
        let wanted = drafted.role;
        if let Some(scan) = &mut scan {
            scan.settle(index, column, &mut drafted, tree.as_ref());
        }
        if drafted.role == Some(Role::QuasiIdentifier) && wanted == drafted.role {
            match tree {
                Some(tree) => {
                    let path = free_path(&column.name, &hierarchies);
                    drafted.hierarchy = Some(path.clone());
                    hierarchies.push((path, tree));
                }
                None => {
                    drafted.role = None;
                    drafted.reason = "too many different values for a generated hierarchy".to_string();
                }
            }
        }
        columns.push(drafted);
    }
    add_figures(&mut columns, &profile);
    let people = person.map_or(profile.rows, |person| profile.columns[person].distinct());
    let k = match options.preset {
        // A rule that names no number is met by fewer, where the table has no more.
        Some(preset) => preset.k.map_or(HEALTH_K.min(people / 2).max(2), |(k, _)| k),
        None => first_k(&profile, people),
    };
    let combinations =
        hierarchies.iter().fold(1u64, |product, (_, tree)| product.saturating_mul(tree.levels() as u64));
    let policy_text = text::policy(&text::Findings {
        data_path: &options.named(source.origin()),
        delimiter: options.delimiter,
        header: &options.header,
        person: person.map(|person| &profile.columns[person]),
        profile: &profile,
        columns: &columns,
        k,
        health: role::is_health_data(&profile),
        full_domain: combinations <= MOST_COMBINATIONS,
        preset: options.preset,
        scan: scan.as_ref(),
        public: options.public,
    });
    Ok(Draft { policy_text, hierarchies, columns, rows: profile.rows, k })
}

impl DraftOptions {
    /// How the policy names the data.
    fn named(&self, origin: &Origin) -> String {
        self.data_path.clone().unwrap_or_else(|| origin.name())
    }
}

/// How a policy in the directory `policy_dir` names a data file: relative to the policy when the file is next to it or one
/// directory above, so that the two can be moved together.
pub fn data_path(policy_dir: &Path, data: &Path) -> String {
    let above = |path: &Path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let folder = above(data);
    let same = |other: &Path| match (fs::canonicalize(&folder), fs::canonicalize(other)) {
        (Ok(folder), Ok(other)) => folder == other,
        _ => folder == other,
    };
    match data.file_name() {
        Some(name) if same(policy_dir) => name.to_string_lossy().into_owned(),
        Some(name) if policy_dir.file_name().is_some() && same(&above(policy_dir)) => {
            format!("../{}", name.to_string_lossy())
        }
        _ => fs::canonicalize(data).unwrap_or_else(|_| data.to_path_buf()).to_string_lossy().into_owned(),
    }
}

/// Says of each quasi-identifier how many people it singles out, alone and with the others.
fn add_figures(columns: &mut [DraftColumn], profile: &Profile) {
    let identifying: Vec<usize> =
        (0..columns.len()).filter(|index| columns[*index].role == Some(Role::QuasiIdentifier)).collect();
    let records = profile.sample.len();
    let share = |unique: u64| text::percent(unique, records);
    let all = profile.sample.unique(&identifying);
    for &index in &identifying {
        let alone = profile.sample.unique(&[index]);
        let others: Vec<usize> = identifying.iter().copied().filter(|other| *other != index).collect();
        let reason = &mut columns[index].reason;
        reason.push_str(&format!("; alone it singles out {} of the records", share(alone)));
        if !others.is_empty() {
            let without = profile.sample.unique(&others);
            let (with, without) = (share(all), share(without));
            reason.push_str(&format!(
                "; all quasi-identifiers together single out {with}, without this one {without}"
            ));
        }
    }
}

/// A k that suits the data and can be met.
fn first_k(profile: &Profile, people: u64) -> u64 {
    let usual = if role::is_health_data(profile) { HEALTH_K } else { USUAL_K };
    usual.min(people / 2).max(2)
}

/// A file name for a column's hierarchy that is safe on every system and not taken yet.
fn free_path(column: &str, taken: &[(String, Taxonomy)]) -> String {
    let safe = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let name: String = column.chars().map(safe).take(60).collect();
    // Some systems reserve names such as `con`; an underscore in front is free everywhere.
    let reserved = ["con", "prn", "aux", "nul"].contains(&name.to_lowercase().as_str());
    let name = if name.trim_matches('_').is_empty() { "column".to_string() } else { name };
    let name = if reserved { format!("_{name}") } else { name };
    // Some systems do not tell `Age.csv` from `age.csv`.
    let free = |path: &String| taken.iter().all(|(other, _)| other.to_lowercase() != path.to_lowercase());
    let mut path = format!("hierarchies/{name}.csv");
    let mut number = 2;
    while !free(&path) {
        path = format!("hierarchies/{name}-{number}.csv");
        number += 1;
    }
    path
}

impl Draft {
    /// Writes the policy and its hierarchies into a directory, made where it is missing, and returns their paths; existing files are left alone.
    ///
    /// On failure nothing that was written stays.
    pub fn write(&self, dir: &Path) -> Result<Vec<PathBuf>> {
        let folder = dir.join("hierarchies");
        let paths: Vec<PathBuf> = std::iter::once(dir.join(POLICY_FILE))
            .chain(self.hierarchies.iter().map(|(path, _)| dir.join(path)))
            .collect();
        if let Some(path) = paths.iter().find(|path| path.exists()) {
            return Err(Error::input("there is such a file already")
                .in_file(path)
                .help("move it away, or draft into another directory"));
        }
        let failed = |error: io::Error| Error::writing("create the directory", dir, &error);
        let mut written = Vec::new();
        if !dir.exists() {
            let begun = Folder::begin(dir).map_err(failed)?;
            self.write_files(begun.path(), &begun.path().join("hierarchies"), &mut written)?;
            begun.finish().map_err(failed)?;
            // In the order in which they were written.
            return Ok(paths.iter().skip(1).chain(paths.first()).cloned().collect());
        }
        place::unless_stopped()?;
        let had_folder = folder.exists();
        place::in_one_step(|| match self.write_files(dir, &folder, &mut written) {
            Ok(()) => {
                written.iter().for_each(|path| place::placed(path));
                Ok(written)
            }
            Err(error) => {
                // The first error is the one to report, whatever becomes of these.
                for path in &written {
                    let _ = fs::remove_file(path);
                }
                if !had_folder {
                    let _ = fs::remove_dir(&folder);
                }
                Err(error)
            }
        })
    }

    /// The policy comes last: where there is one, all that it names is there.
    fn write_files(&self, dir: &Path, folder: &Path, written: &mut Vec<PathBuf>) -> Result<()> {
        if !self.hierarchies.is_empty() && !folder.exists() {
            fs::create_dir(folder).map_err(|error| Error::writing("create the directory", folder, &error))?;
        }
        for (path, tree) in &self.hierarchies {
            let path = dir.join(path);
            write_new(&path, tree.to_text()?.as_bytes(), written)
                .map_err(|error| Error::writing("write the hierarchy", &path, &error))?;
        }
        let path = dir.join(POLICY_FILE);
        write_new(&path, self.policy_text.as_bytes(), written)
            .map_err(|error| Error::writing("write the policy", &path, &error))
    }
}

fn write_new(path: &Path, bytes: &[u8], written: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    written.push(path.to_path_buf());
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
