//! The folder that the studio was started in. It reads and writes nothing outside of it, wherever links lead.

use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use privet::place::{self, Hidden};
use privet::taxonomy::words::WordNet;
use privet::{Error, Result, platform};
use serde_json::{Value as Json, json};

/// Entries of a folder that are listed at most.
const MOST_ENTRIES: usize = 500;

/// Endings of files that hold data.
const DATA: [&str; 12] =
    ["csv", "tsv", "tab", "txt", "dat", "parquet", "arrow", "feather", "ipc", "xlsx", "jsonl", "ndjson"];

/// Endings of compressed files.
const PACKED: [&str; 3] = ["gz", "zst", "zstd"];

/// A folder, and all that lies below it.
#[derive(Debug, Clone)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The folder, which must be there.
    pub fn open(folder: &Path) -> Result<Workspace> {
        let root = fs::canonicalize(folder).map_err(|error| Error::io("open the folder", folder, &error))?;
        if !root.is_dir() {
            return Err(Error::input("this is not a folder").in_file(folder).help("name a folder"));
        }
        Ok(Workspace { root })
    }

    /// The folder, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Something that is there, by its path from the folder.
    pub fn existing(&self, path: &str) -> Result<PathBuf> {
        let asked = self.joined(path)?;
        let found = fs::canonicalize(&asked).map_err(|error| Error::io("open this", path, &error))?;
        if found.starts_with(&self.root) { Ok(found) } else { Err(outside(path)) }
    }

    /// A place to write to. Its directory has to be there, and nothing but a file of its own may be in its place.
    pub fn place(&self, path: &str) -> Result<PathBuf> {
        let asked = self.joined(path)?;
        let name = asked.file_name().ok_or_else(|| outside(path))?.to_os_string();
        let parent = asked.parent().ok_or_else(|| outside(path))?;
        let parent =
            fs::canonicalize(parent).map_err(|error| Error::writing("write there", parent, &error))?;
        let place = parent.join(name);
        let is_link = fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_symlink());
        if is_link || !parent.starts_with(&self.root) { Err(outside(path)) } else { Ok(place) }
    }

    /// A place to write to that a policy names, seen from the policy's directory. A directory of its own is made there when the
    /// first file comes.
    pub fn place_from(&self, folder: &Path, name: &str) -> Result<PathBuf> {
        let asked = folder.join(name);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        let file = asked.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
        match asked.parent().map(fs::canonicalize) {
            Some(Ok(parent)) => {
                let shown = self.shown(&parent);
                if !parent.starts_with(&self.root) {
                    return Err(outside(name));
                }
                self.place(format!("{shown}/{file}").trim_start_matches('/'))
            }
            _ if Path::new(name).components().all(plain) => {
                self.existing(&self.shown(folder)).map(|folder| folder.join(name))
            }
            _ => Err(outside(name)),
        }
    }

    /// The path from the folder, as it is shown.
    pub fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }

    /// A name next to others that none of them has: `census`, `census-2`, …
    pub fn free(&self, name: &str) -> String {
        let names = std::iter::once(name.to_string()).chain((2..).map(|number| format!("{name}-{number}")));
        let mut free = names.filter(|name| fs::symlink_metadata(self.root.join(name)).is_err());
        free.next().unwrap_or_else(|| name.to_string())
    }

    /// Refuses a policy that names a file outside of the folder. Every text of it might: what is there, seen from the policy, has
    /// to lie below.
    pub fn holds_all_of(&self, policy: &Path, json: &Json) -> Result<()> {
        match json {
            Json::String(text) if !text.is_empty() && text.len() < 4096 && !text.contains('\0') => {
                let base = policy.parent().unwrap_or(&self.root);
                let named = Path::new(text);
                // Dots alone are how some spell what is missing.
                if !named.components().any(|part| matches!(part, Component::Normal(_))) {
                    return Ok(());
                }
                // What is not there yet, as a ledger before the first release, lies where its directory does.
                let asked = base.join(named);
                let real = match fs::canonicalize(&asked) {
                    Err(_) => asked.ancestors().find_map(|above| fs::canonicalize(above).ok()),
                    found => found.ok(),
                };
                if self.may_lead_out(&asked) {
                    return Err(outside(text));
                }
                match real {
                    Some(real) if !real.starts_with(&self.root) && !real.starts_with(WordNet::FOLDER) => {
                        Err(outside(text))
                    }
                    _ => Ok(()),
                }
            }
            Json::Array(items) => items.iter().try_for_each(|item| self.holds_all_of(policy, item)),
            // A list of spellings of missing values holds no paths, though some look like patterns.
            Json::Object(fields) => (fields.iter())
                .filter(|(key, item)| *key != "missing" || !item.is_array())
                .try_for_each(|(_, item)| self.holds_all_of(policy, item)),
            _ => Ok(()),
        }
    }

    /// Whether a pattern such as `part-*.csv` might mean a link that leads out of the folder.
    fn may_lead_out(&self, pattern: &Path) -> bool {
        let name = pattern.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (Some(start), Some(end)) = (name.split(['*', '?']).next(), name.rsplit(['*', '?']).next()) else {
            return false;
        };
        if start.len() == name.len() {
            return false;
        }
        let entries = pattern.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
        entries.flatten().any(|entry| {
            let own = entry.file_name().to_string_lossy().into_owned();
            entry.file_type().is_ok_and(|kind| kind.is_symlink())
                && own.starts_with(start)
                && own.ends_with(end)
                && fs::canonicalize(entry.path()).is_ok_and(|real| !real.starts_with(&self.root))
        })
    }

    /// What is in a directory, for choosing: directories, data, policies and hierarchies.
    pub fn list(&self, path: &str) -> Result<Json> {
        let folder = self.existing(path)?;
        let read = fs::read_dir(&folder).map_err(|error| Error::io("list the folder", path, &error))?;
        let mut entries: Vec<(bool, String, &str, u64)> = Vec::new();
        for entry in read.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(found) = fs::canonicalize(entry.path()) else { continue };
            if name.starts_with('.') || !found.starts_with(&self.root) {
                continue;
            }
            let Ok(metadata) = fs::metadata(&found) else { continue };
            let kind = match metadata.is_dir() {
                true if found.join("steward/manifest.json").is_file() => "release",
                true => "folder",
                false => match kind_of(&name) {
                    Some(kind) => kind,
                    None => continue,
                },
            };
            entries.push((kind != "folder", name, kind, metadata.len()));
        }
        entries.sort();
        let more = entries.len() > MOST_ENTRIES;
        entries.truncate(MOST_ENTRIES);
        let shown = self.shown(&folder);
        let entry = |(_, name, kind, bytes): &(bool, String, &str, u64)| {
            let path = if shown.is_empty() { name.clone() } else { format!("{shown}/{name}") };
            json!({ "name": name, "path": path, "kind": kind, "bytes": bytes })
        };
        Ok(json!({ "folder": shown, "entries": entries.iter().map(entry).collect::<Json>(), "more": more }))
    }

    /// Takes a file into the folder under a name that is free, whole or not at all; `None` where other than `length` bytes come.
    pub fn take_in(&self, name: &str, from: &mut dyn Read, length: u64) -> Result<Option<String>> {
        let name = name.rsplit(['/', '\\']).next().unwrap_or("").trim_start_matches('.');
        if kind_of(name).is_none() || !name.contains('.') {
            return Err(Error::input(format!("'{name}' has no name of a file with data")).help(
                "CSV, TSV, Excel, Parquet, Arrow and JSON lines are read, also compressed with gzip or zstd",
            ));
        }
        let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
        let names =
            std::iter::once(name.to_string()).chain((2..).map(|number| format!("{stem}-{number}.{ending}")));
        let free = |name: &String| fs::symlink_metadata(self.root.join(name)).is_err();
        let name = names.into_iter().find(free).unwrap_or_default();
        let place = self.place(&name)?;
        let failed = |error: &io::Error| Error::writing("take the file in", &place, error);
        let waiting = self.root.join(format!(".{name}.privet-new"));
        let hidden = Hidden::note(&waiting);
        let copied = fs::File::create(&waiting).and_then(|mut file| {
            let copied = io::copy(from, &mut file)?;
            file.sync_all().map(|()| copied)
        });
        let taken = match copied {
            Ok(bytes) if bytes == length => {
                place::put(&place, || platform::rename_new(&waiting, &place)).map(|()| Some(name))
            }
            Ok(_) => Ok(None),
            Err(error) => Err(error),
        };
        if !matches!(taken, Ok(Some(_))) {
            let _ = fs::remove_file(&waiting);
        }
        drop(hidden);
        taken.map_err(|error| failed(&error))
    }

    /// Clears away what runs that were killed left hidden in the folder.
    pub fn clear_up(&self) {
        for entry in fs::read_dir(&self.root).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let hidden = name.strip_prefix('.').and_then(|name| name.strip_suffix(".privet-work"));
            if let Some(target) = hidden.filter(|_| entry.path().is_dir()) {
                privet::release::clear_away(&self.root.join(target));
            }
        }
    }

    /// A path below the folder, as far as its text goes.
    fn joined(&self, path: &str) -> Result<PathBuf> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let path = path.trim_start_matches("./");
        if path.contains(['\0', '\\']) || !Path::new(path).components().all(plain) {
            return Err(outside(path));
        }
        Ok(self.root.join(path))
    }
}

/// What a file is by its name.
fn kind_of(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let mut endings = name.rsplit('.');
    let mut last = endings.next()?;
    if PACKED.contains(&last) {
        last = endings.next()?;
    }
    match last {
        "toml" => Some("policy"),
        _ if DATA.contains(&last) => Some("data"),
        _ => None,
    }
}

fn outside(path: &str) -> Error {
    Error::input(format!("'{path}' is outside of the folder that the studio was started in"))
        .help("start it in a folder that holds the data, the policy and all that it names")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_reached() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("in");
        fs::create_dir(&inside).expect("a folder");
        fs::write(folder.path().join("secret.csv"), "a\n1\n").expect("a file");
        fs::write(inside.join("own.csv"), "a\n1\n").expect("a file");
        let space = Workspace::open(&inside).expect("a folder");
        for path in [
            "../secret.csv",
            "/etc/passwd",
            "a/../../secret.csv",
            "..",
            "own.csv/../../secret.csv",
            "a\0b",
            "..\\secret.csv",
        ] {
            assert!(space.existing(path).is_err() && space.place(path).is_err(), "{path}");
        }
        assert!(
            space.existing("own.csv").is_ok() && space.existing("").is_ok() && space.place("new.csv").is_ok()
        );
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.csv", inside.join("link.csv")).expect("a link");
            std::os::unix::fs::symlink("..", inside.join("up")).expect("a link");
            for path in ["link.csv", "up/secret.csv", "up"] {
                assert!(space.existing(path).is_err() && space.place(path).is_err(), "{path}");
            }
            let listed = space.list("").expect("a list").to_string();
            assert!(
                listed.contains("own.csv") && !listed.contains("link") && !listed.contains("up"),
                "{listed}"
            );
            let policy = inside.join("policy.toml");
            let names = |path: &str| space.holds_all_of(&policy, &json!({ "data": { "path": [path] } }));
            assert!(
                names("link.csv").is_err()
                    && names("../secret.csv").is_err()
                    && names("/etc/passwd").is_err()
            );
            assert!(names("li*.csv").is_err() && names("*").is_err() && names("l?nk.csv").is_err());
            assert!(names("own*.csv").is_ok() && names("../*.csv").is_err());
            assert!(space.holds_all_of(&policy, &json!({ "data": { "missing": ["?", "*"] } })).is_ok());
            assert!(names("own.csv").is_ok() && names("not-there.csv").is_ok() && names("..").is_ok());
            assert!(
                names("../not-there.csv").is_err()
                    && names("/not/there").is_err()
                    && names("up/new").is_err()
            );
            let place = |name: &str| space.place_from(&inside, name);
            assert!(
                place("hierarchies/a.csv").is_ok()
                    && place("b.csv").is_ok()
                    && place("sub/../own.csv").is_err()
            );
            for name in
                ["../new.csv", "../../new.csv", "up/new.csv", "link.csv", "/tmp/new.csv", "no/../../new.csv"]
            {
                assert!(place(name).is_err(), "{name}");
            }
        }
    }
}
