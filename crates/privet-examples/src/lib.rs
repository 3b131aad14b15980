//! Made-up data with hierarchies and policies that run as they are.
//!
//! The files are under `data/` of this crate and are built in; large data is generated when it is written.

pub mod baskets;
pub mod census;
pub mod clinic;
pub mod freeform;
pub mod queries;
pub mod symptoms;
mod town;
pub mod ward;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use privet_core::place;
use privet_core::place::Folder;
use privet_core::{Error, Result};

/// An example: what it is called, what it shows, and its files.
#[derive(Debug)]
pub struct Example {
    /// The name users give.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// What it shows: the text of its README.md.
    pub about: &'static str,
    files: &'static [(&'static str, Content)],
}

/// Where the bytes of a file come from.
#[derive(Debug)]
enum Content {
    Text(&'static str),
    Generated(fn(&mut dyn Write) -> io::Result<()>),
}

/// The size and the SHA-256 of each example's data: everybody has them, so their seeds need not be secret.
pub const DATA: [(u64, &str); 12] = [
    (221035, "e8d4001b5ab0c8af0f2b3a871d98bc4bf6069ba3312c807d671235e875cdd6ab"),
    (2144888, "5e5cee8b960484ccc934dabeff8321f5005fc1910509a2b410ea62efb2725e22"),
    (449666, "992181fedf51e6bf2434199da101d5ad8f6eae3ca8edf3cdefb9c0608ad0b447"),
    (157, "07cf12aa252a9065b5de6817cd1609894c7db7ee26f0f054738041a2dde65f4e"),
    (222, "dc95e1d67a52fee672f369a96fddcc3b41587b9697bfea0374df5414353a073b"),
    (77414, "f2486ca8944c4fb0d92bed1d278d9ec48721b2adf7838c695a4ac30104f4c169"),
    (219, "8422ca6cd62c6002f163b8843795e0d8035d03a5a24cfd02c18010ab1bdb5e7a"),
    (29262, "b41a351b4fdfc16a1a9574484ed2aef9226326e691c456f27ee0ff2385f62985"),
    (221, "ce694f16f1a96af0246fd7433f0dd88988a4247a29206e7f4983309a78d7b6ce"),
    (1648290, "05c52ee18b831edfc40d49511582df72ae5da26dc47742eb15b4836b14942bb0"),
    (160971, "a005dcaa9cadde55053a0b99920004b3dd3c601acaa8716330059e227ea4a8dc"),
    (148071, "bd1c8eea62e5975b9b885d82da4ca3654cbf6fc788d009d167c01665d839dbc6"),
];

/// A file of an example as it lies in the repository.
macro_rules! stored {
    ($example:literal, $path:literal) => {
        (
            $path,
            Content::Text(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $example, "/", $path))),
        )
    };
}

static EXAMPLES: [Example; 12] = [
    Example {
        name: "patients",
        summary: "ten patients and two taxonomies, small enough to check by hand",
        about: include_str!("../data/patients/README.md"),
        files: &[
            stored!("patients", "README.md"),
            stored!("patients", "policy.toml"),
            stored!("patients", "patients.csv"),
            stored!("patients", "hierarchies/Education.csv"),
            stored!("patients", "hierarchies/Country.csv"),
        ],
    },
    Example {
        name: "five-baskets",
        summary: "five shopping baskets and a tree of items, small enough to check by hand",
        about: include_str!("../data/five-baskets/README.md"),
        files: &[
            stored!("five-baskets", "README.md"),
            stored!("five-baskets", "policy.toml"),
            stored!("five-baskets", "five-baskets.csv"),
            stored!("five-baskets", "items.csv"),
            stored!("five-baskets", "sensitive.txt"),
        ],
    },
    Example {
        name: "five-vocabularies",
        summary: "what five people searched for and a tree of words, small enough to check by hand",
        about: include_str!("../data/five-vocabularies/README.md"),
        files: &[
            stored!("five-vocabularies", "README.md"),
            stored!("five-vocabularies", "policy.toml"),
            stored!("five-vocabularies", "five-vocabularies.csv"),
            stored!("five-vocabularies", "words.csv"),
        ],
    },
    Example {
        name: "injector",
        summary: "nine patients whose diseases common sense would give away, small enough to check by hand",
        about: include_str!("../data/injector/README.md"),
        files: &[
            stored!("injector", "README.md"),
            stored!("injector", "policy.toml"),
            stored!("injector", "patients.csv"),
            stored!("injector", "rules.txt"),
            stored!("injector", "hierarchies/zip.csv"),
            stored!("injector", "hierarchies/age.csv"),
        ],
    },
    Example {
        name: "l-plus",
        summary: "600 patients, a threshold for every disease, the best of 195,794,352 cuts",
        about: include_str!("../data/l-plus/README.md"),
        files: &[
            stored!("l-plus", "README.md"),
            stored!("l-plus", "policy.toml"),
            stored!("l-plus", "hospital.csv"),
            stored!("l-plus", "hierarchies/age.csv"),
            stored!("l-plus", "hierarchies/sex.csv"),
            stored!("l-plus", "hierarchies/education.csv"),
            stored!("l-plus", "hierarchies/country.csv"),
        ],
    },
    Example {
        name: "baskets",
        summary: "5,000 made-up shopping baskets, 60 products, and three more that are nobody's business",
        about: include_str!("../data/baskets/README.md"),
        files: &[
            stored!("baskets", "README.md"),
            stored!("baskets", "policy.toml"),
            (
                "baskets.csv",
                Content::Generated(|writer| baskets::write(baskets::ROWS, baskets::SEED, writer)),
            ),
            stored!("baskets", "items.csv"),
            stored!("baskets", "sensitive.txt"),
        ],
    },
    Example {
        name: "ward",
        summary: "4,000 made-up patients, 16 diagnoses, and who cannot have which",
        about: include_str!("../data/ward/README.md"),
        files: &[
            stored!("ward", "README.md"),
            stored!("ward", "policy.toml"),
            ("ward.csv", Content::Generated(|writer| ward::write(ward::ROWS, ward::SEED, writer))),
            stored!("ward", "hierarchies/age.csv"),
            stored!("ward", "hierarchies/region.csv"),
        ],
    },
    Example {
        name: "clinic",
        summary: "5,000 made-up outpatients with eight sensitive columns, in tables that share none of them",
        about: include_str!("../data/clinic/README.md"),
        files: &[
            stored!("clinic", "README.md"),
            stored!("clinic", "policy.toml"),
            ("clinic.csv", Content::Generated(|writer| clinic::write(clinic::ROWS, clinic::SEED, writer))),
            stored!("clinic", "hierarchies/age.csv"),
            stored!("clinic", "hierarchies/region.csv"),
        ],
    },
    Example {
        name: "symptoms",
        summary: "3,000 made-up patients, and a public table that turns their symptoms into diagnoses",
        about: include_str!("../data/symptoms/README.md"),
        files: &[
            stored!("symptoms", "README.md"),
            stored!("symptoms", "policy.toml"),
            (
                "symptoms.csv",
                Content::Generated(|writer| symptoms::write(symptoms::ROWS, symptoms::SEED, writer)),
            ),
            stored!("symptoms", "diseases.csv"),
            stored!("symptoms", "sets.toml"),
            stored!("symptoms", "hierarchies/symptoms.csv"),
            stored!("symptoms", "hierarchies/age.csv"),
            stored!("symptoms", "hierarchies/region.csv"),
        ],
    },
    Example {
        name: "queries",
        summary: "20,000 made-up searches of 1,541 people, and a network of 912 everyday words",
        about: include_str!("../data/queries/README.md"),
        files: &[
            stored!("queries", "README.md"),
            stored!("queries", "policy.toml"),
            (
                "queries.tsv",
                Content::Generated(|writer| queries::write(queries::QUERIES, queries::SEED, writer)),
            ),
            ("words.csv", Content::Generated(|writer| queries::write_words(writer))),
        ],
    },
    Example {
        name: "freeform",
        summary: "2,000 made-up people, some of whose values can be seen and some must stay hidden, in the same columns",
        about: include_str!("../data/freeform/README.md"),
        files: &[
            stored!("freeform", "README.md"),
            stored!("freeform", "policy.toml"),
            (
                "people.csv",
                Content::Generated(|writer| freeform::write(freeform::ROWS, freeform::SEED, writer)),
            ),
            stored!("freeform", "hierarchies/sex.csv"),
            stored!("freeform", "hierarchies/job.csv"),
            stored!("freeform", "hierarchies/city.csv"),
            stored!("freeform", "hierarchies/income.csv"),
            stored!("freeform", "hierarchies/disease.csv"),
        ],
    },
    Example {
        name: "census",
        summary: "20,000 made-up people, eight quasi-identifiers, three requirements at once",
        about: include_str!("../data/census/README.md"),
        files: &[
            stored!("census", "README.md"),
            stored!("census", "policy.toml"),
            (
                "census.csv",
                Content::Generated(|writer| census::write_csv(census::ROWS, census::SEED, writer)),
            ),
            stored!("census", "hierarchies/sex.csv"),
            stored!("census", "hierarchies/age.csv"),
            stored!("census", "hierarchies/birth-country.csv"),
            stored!("census", "hierarchies/marital-status.csv"),
            stored!("census", "hierarchies/education.csv"),
            stored!("census", "hierarchies/postcode.csv"),
            stored!("census", "hierarchies/household-size.csv"),
            stored!("census", "hierarchies/employment.csv"),
            stored!("census", "hierarchies/occupation.csv"),
        ],
    },
];

/// All examples, the smallest first.
///
/// ```
/// let names: Vec<&str> = privet_examples::examples().iter().map(|example| example.name).collect();
/// assert_eq!(names, [
///     "patients", "five-baskets", "five-vocabularies", "injector", "l-plus", "baskets", "ward", "clinic", "symptoms",
///     "queries", "freeform", "census"
/// ]);
/// ```
pub fn examples() -> &'static [Example] {
    &EXAMPLES
}

impl Example {
    /// The example of this name, or an error that names the near ones.
    pub fn find(name: &str) -> Result<&'static Example> {
        EXAMPLES.iter().find(|example| example.name == name).ok_or_else(|| {
            let names = EXAMPLES.each_ref().map(|example| example.name);
            Error::input(format!("there is no example '{name}'"))
                .help(privet_core::suggestion(name, &names, "examples"))
        })
    }

    /// Writes the example into the directory `dir`, which must not exist or be empty, and returns the files' paths.
    ///
    /// Either all files are there afterwards or nothing has changed.
    pub fn write(&self, dir: &Path) -> Result<Vec<PathBuf>> {
        let exists = refuse_unless_free(dir)?;
        let failed = |error: io::Error| Error::writing("write the example", dir, &error);
        // A directory that is there already keeps its place, and what is in the making waits inside of it.
        let target = if exists { dir.join(self.name) } else { dir.to_path_buf() };
        let begun = Folder::begin(&target).map_err(|error| match (error.kind(), dir.parent()) {
            (io::ErrorKind::NotFound, Some(parent)) => {
                Error::input("there is no such directory").in_file(parent).help("create it first")
            }
            _ => failed(error),
        })?;
        self.write_files(begun.path())?;
        if exists {
            place::unless_stopped()?;
            place::in_one_step(|| move_entries(begun.path(), dir).inspect(|()| place::placed(dir)))?;
        } else {
            begun.finish().map_err(failed)?;
        }
        Ok(self.files.iter().map(|(path, _)| dir.join(path)).collect())
    }

    fn write_files(&self, dir: &Path) -> Result<()> {
        for (path, content) in self.files {
            let path = dir.join(path);
            write_file(&path, content).map_err(|error| Error::writing("write the example", &path, &error))?;
        }
        Ok(())
    }
}

fn write_file(path: &Path, content: &Content) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = BufWriter::new(File::create_new(path)?);
    match content {
        Content::Text(text) => file.write_all(text.as_bytes())?,
        Content::Generated(generate) => generate(&mut file)?,
    }
    file.flush()
}

/// Whether the directory is there already (and empty but for what a killed run left); an error if something is in the way.
fn refuse_unless_free(dir: &Path) -> Result<bool> {
    let mut entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(Error::input("this is a file, not a directory")
                .in_file(dir)
                .help("name a directory that does not exist yet"));
        }
        Err(error) => return Err(Error::writing("write the example", dir, &error)),
    };
    let left_over = |entry: &io::Result<fs::DirEntry>| {
        entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".privet-work"))
    };
    match entries.find(|entry| !left_over(entry)) {
        None => Ok(true),
        Some(_) => Err(Error::input("the directory is not empty")
            .in_file(dir)
            .help("name a directory that does not exist yet, or empty this one")),
    }
}

/// Moves what is in one directory to another on the same disk; takes back what was moved if one step fails.
fn move_entries(from: &Path, to: &Path) -> Result<()> {
    let failed = |error: io::Error| Error::writing("write the example", to, &error);
    let mut moved: Vec<(PathBuf, PathBuf)> = Vec::new();
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let target = to.join(entry.file_name());
        if let Err(error) = fs::rename(entry.path(), &target) {
            for (source, target) in moved {
                // Nothing better can be done if taking back fails as well: the first error is the one to report.
                let _ = fs::rename(target, source);
            }
            return Err(failed(error));
        }
        moved.push((entry.path(), target));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_policy::Policy;

    #[test]
    fn every_example_is_written_whole_and_its_policy_is_one() {
        for example in examples() {
            let folder = tempfile::tempdir().expect("a folder");
            let target = folder.path().join("it");
            let written = example.write(&target).expect("written");
            assert!(written.iter().all(|path| path.is_file()), "{written:?}");
            let policy = Policy::read(&target.join("policy.toml")).expect("a policy").to_json();
            let columns = policy.get("columns").and_then(|columns| columns.as_object());
            let hierarchies = columns.into_iter().flatten().filter_map(|(_, column)| column.get("hierarchy"));
            let files = [("items", "hierarchy"), ("items", "sensitive"), ("semantics", "hierarchy")];
            let files = files.map(|(section, key)| policy.get(section).and_then(|section| section.get(key)));
            for path in hierarchies.chain(files.into_iter().flatten()) {
                let path = target.join(path.as_str().expect("a path"));
                assert!(written.contains(&path), "{}: {path:?}", example.name);
            }
            assert!(target.join(policy["data"]["path"].as_str().expect("a path")).is_file());
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "nothing else is left");
        }
    }

    #[test]
    fn an_empty_folder_is_filled_and_a_full_one_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let patients = Example::find("patients").expect("an example");
        assert_eq!(patients.write(folder.path()).expect("written").len(), 5);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 4, "three files and a folder");
        let error = patients.write(folder.path()).expect_err("it is full now");
        assert_eq!(error.message(), "the directory is not empty");
        let error = patients.write(&folder.path().join("policy.toml")).expect_err("a file");
        assert_eq!(error.message(), "this is a file, not a directory");
        let error = patients.write(&folder.path().join("no/where")).expect_err("no parent");
        assert_eq!(error.message(), "there is no such directory");
    }

    #[test]
    fn a_misspelt_example_is_suggested() {
        let error = Example::find("cencus").expect_err("misspelt");
        assert_eq!(error.remedy(), Some("did you mean 'census'?"));
    }
}
