//! Container leaks: a file can contain more than its cells show. Parquet and Arrow keep dictionaries, statistics and
//! metadata next to the rows, and a value that no cell shows any more may still be in them. gzip keeps names and
//! comments; Zstandard has frames that readers skip.
//!
//! Every file of the release is searched for values of the original that none of its cells shows: in its bytes, in
//! each unpacked page of a Parquet file, and in each dictionary of an Arrow file.

use std::path::Path;

use hashbrown::{HashMap, HashSet};

use super::{Attack, Figure, Finding, PolicyRef, Released, Scene, Threat};
use privet_audit::buckets::BucketTables;
use privet_core::Result;
use privet_core::counted;
use privet_data::{Batch, FileKind, Source, Transaction, pieces};

pub(super) const ATTACK: Attack =
    Attack { name: "container", threat: Threat::Container, costly: false, concerns, run };

/// Shorter values are found everywhere by chance.
const SHORTEST: usize = 4;

/// The same for reports about the release, in which words of any kind occur.
const SHORTEST_IN_PROSE: usize = 10;

/// More distinct values than this are not searched for.
const MOST_VALUES: usize = 2_000_000;

/// The same where memory is limited.
const MOST_IN_BUDGET: usize = 100_000;

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    match (scene.table_policy(), &scene.released) {
        (Some(policy), Released::Table(source)) if source.is_same(&policy.source) => {
            Err("this is the original itself, which hides nothing".to_string())
        }
        (Some(_), _) if scene.files.iter().all(|file| is_delimited(file)) => Err(PLAIN.to_string()),
        (Some(_), _) => Ok(()),
        // Items and terms are words, which the prose of a report may hold for reasons of its own.
        (None, _) if scene.files.iter().any(|file| is_container(file)) => Ok(()),
        (None, _) => Err(PLAIN.to_string()),
    }
}

const PLAIN: &str = "the files are delimited text or JSON lines, which contain nothing but their cells";

fn is_delimited(file: &Path) -> bool {
    FileKind::of_path(file).is_ok_and(FileKind::is_plain)
}

/// Whether a file holds more than its cells: typed ones do, and compressed ones may.
fn is_container(file: &Path) -> bool {
    FileKind::of_path(file).is_ok_and(|kind| !kind.is_plain())
}

/// What the original has: distinct values that are long enough, each with the name of its column.
#[derive(Default)]
struct SearchedValues {
    /// The most values that are searched for.
    most: usize,
    known: HashSet<String>,
    values: Vec<(String, String)>,
}

impl SearchedValues {
    fn add(&mut self, column: &str, value: &str) {
        if value.len() >= SHORTEST && self.is_complete() && !self.known.contains(value) {
            self.known.insert(value.to_string());
            self.values.push((column.to_string(), value.to_string()));
        }
    }

    fn is_complete(&self) -> bool {
        self.values.len() < self.most
    }

    fn read(scene: &Scene<'_>) -> Result<SearchedValues> {
        let most = if scene.limits.memory.is_some() { MOST_IN_BUDGET } else { MOST_VALUES };
        let mut values = SearchedValues { most, ..SearchedValues::default() };
        match scene.policy {
            PolicyRef::Table(policy) => {
                let columns = policy.source.columns();
                each_cell(scene, &policy.source, &mut |column, cell| {
                    values.add(&columns[column].name, cell);
                    values.is_complete()
                })?;
            }
            PolicyRef::Transactions(policy) => {
                policy.source.read(&mut |transaction: &Transaction<'_>, _| {
                    transaction.items.iter().for_each(|item| values.add("item", item));
                    scene.clock.check()
                })?
            }
            PolicyRef::Vocabularies(_) => {
                scene.bags()?.0.terms().iter().for_each(|term| values.add("term", term));
            }
        }
        Ok(values)
    }
}

/// Calls `show` with every header and every cell of the released files.
fn each_shown(scene: &Scene<'_>, show: &mut dyn FnMut(&str)) -> Result<()> {
    let tables: Vec<&Source> = match &scene.released {
        Released::Table(source) | Released::Groups(BucketTables::Permuted(source)) => vec![source],
        Released::Groups(BucketTables::Two { qit, st }) => vec![qit, st],
        Released::Projections(tables) => tables.iter().collect(),
        Released::Transactions(source) => {
            return source.read(&mut |transaction: &Transaction<'_>, _| {
                transaction.items.iter().for_each(|item| show(item));
                scene.clock.check()
            });
        }
        Released::Vocabularies(_) => {
            scene.bags()?.1.terms().iter().for_each(|term| show(term));
            return Ok(());
        }
    };
    for table in tables {
        table.columns().iter().for_each(|column| show(&column.name));
        each_cell(scene, table, &mut |_, cell| {
            show(cell);
            true
        })?;
    }
    Ok(())
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let all = SearchedValues::read(scene)?;
    let (complete, most, values) = (all.is_complete(), all.most, all.values);
    let turned: Vec<String> = values.iter().map(|(_, text)| turned(text)).collect();
    let mut shown = Needles::new(values.iter().map(|(_, text)| text.as_str()));
    let mut shown_by_chance = Needles::new(turned.iter().map(String::as_str));
    // What cells and headers show is not hidden in the file, be it a whole cell or a part of a set or a range.
    let mut cells: HashSet<Box<[u8]>> = HashSet::new();
    let mut show = |cell: &str| {
        // Beyond a number of cells none is remembered: looking twice takes time, but no memory.
        let is_new = if cells.len() < most { add(&mut cells, cell.as_bytes()) } else { true };
        if cell.len() >= SHORTEST && is_new {
            shown.search(cell.as_bytes(), SHORTEST);
            shown_by_chance.search(cell.as_bytes(), SHORTEST);
        }
    };
    each_shown(scene, &mut show)?;
    let hidden: Vec<&(String, String)> =
        values.iter().zip(&shown.found).filter(|(_, shown)| !**shown).map(|(value, _)| value).collect();
    let turned = turned.iter().zip(&shown_by_chance.found).filter(|(_, shown)| !**shown);
    let mut needles = Needles::new(hidden.iter().map(|(_, text)| text.as_str()));
    let mut control = Needles::new(turned.map(|(text, _)| text.as_str()));
    let files = scene.files.iter().filter(|file| scene.table_policy().is_some() || is_container(file));
    for file in files {
        scene.clock.check()?;
        let shortest = if FileKind::of_path(file).is_ok() { SHORTEST } else { SHORTEST_IN_PROSE };
        pieces(file, &mut |piece| {
            needles.search(piece, shortest);
            control.search(piece, shortest);
            scene.clock.check()
        })?;
    }
    let found: Vec<usize> = (0..hidden.len()).filter(|at| needles.found[*at]).collect();
    let line = |at: &usize| {
        let (column, text) = hidden[*at];
        format!("{column}={text} is in a file, but in none of its cells")
    };
    let lines: Vec<String> = found.iter().take(scene.limits.most).map(line).collect();
    let headline = Figure {
        what: "values of the original that a released file contains although no released cell shows them"
            .to_string(),
        targets: hidden.len() as u64,
        hits: found.len() as u64,
        baseline: 0,
        instead: "reading only the cells".to_string(),
        control: Some(control.found.iter().filter(|found| **found).count() as u64),
        controlled: "the same search for as many texts that are not values: the values spelt backwards"
            .to_string(),
    };
    let warning = match found.len() {
        0 => String::new(),
        hits => format!(
            "the released files contain {} of the original that none of their cells shows (in {})",
            counted(hits as u64, "value", "values"),
            file_names(&scene.files)
        ),
    };
    let cut =
        if complete { "" } else { "; only the first values were searched for, because there are too many" };
    Ok(Finding {
        knows: "only the released files".to_string(),
        does: "reads the bytes of the files instead of their cells".to_string(),
        assumes: format!(
            "values of at least {SHORTEST} bytes were searched for as words (of {SHORTEST_IN_PROSE} in reports), \
             spelt as in the original; pages of Parquet files were unpacked, dictionaries of Arrow files were read \
             value by value, and header fields of gzip and Zstandard files were checked{cut}"
        ),
        figures: vec![headline],
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning,
        ..Finding::new(ATTACK.name, "Container leak")
    })
}

fn file_names(files: &[std::path::PathBuf]) -> String {
    let name = |path: &std::path::PathBuf| {
        path.file_name().unwrap_or(Path::new("").as_os_str()).to_string_lossy().into_owned()
    };
    files.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Whether it is new.
fn add(set: &mut HashSet<Box<[u8]>>, text: &[u8]) -> bool {
    let new = !set.contains(text);
    if new {
        set.insert(text.into());
    }
    new
}

/// Calls `each` with every cell of a table and its column until it says no.
fn each_cell(scene: &Scene<'_>, table: &Source, each: &mut dyn FnMut(usize, &str) -> bool) -> Result<()> {
    let mut go_on = true;
    table.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows() {
            for column in 0..table.columns().len() {
                go_on = go_on && each(column, batch.cell(row, column));
            }
        }
        scene.clock.check()
    })
}

/// Whether a byte belongs to a word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// The same letters the other way round: a text that is as likely to be found by chance.
fn turned(text: &str) -> String {
    text.chars().rev().collect()
}

/// Texts to be searched for, all at once: by their first bytes, then by their lengths.
struct Needles<'a> {
    places: HashMap<&'a [u8], u32>,
    /// How long the texts are that begin so, ascending.
    lengths: HashMap<[u8; SHORTEST], Vec<usize>>,
    found: Vec<bool>,
}

impl<'a> Needles<'a> {
    fn new(texts: impl Iterator<Item = &'a str>) -> Needles<'a> {
        let mut needles = Needles { places: HashMap::new(), lengths: HashMap::new(), found: Vec::new() };
        for (at, text) in (0u32..).zip(texts.map(str::as_bytes)) {
            needles.found.push(false);
            if let Some(start) = text.first_chunk::<SHORTEST>() {
                needles.places.insert(text, at);
                let known = needles.lengths.entry(*start).or_default();
                if let Err(place) = known.binary_search(&text.len()) {
                    known.insert(place, text.len());
                }
            }
        }
        needles
    }

    /// Marks those that a piece of a file holds as whole words and that are long enough.
    fn search(&mut self, piece: &[u8], shortest: usize) {
        for at in 0..piece.len() {
            let Some(start) = piece[at..].first_chunk::<SHORTEST>() else { return };
            let Some(lengths) = self.lengths.get(start) else { continue };
            if at > 0 && is_word(piece[at - 1]) && is_word(piece[at]) {
                continue;
            }
            for length in lengths.iter().filter(|length| **length >= shortest) {
                let Some(text) = piece.get(at..at + length) else { break };
                let ends = || match (piece.get(at + length), text.last()) {
                    (Some(next), Some(last)) => !(is_word(*next) && is_word(*last)),
                    _ => true,
                };
                if let Some(place) = self.places.get(text)
                    && ends()
                {
                    self.found[*place as usize] = true;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Stage;
    use privet_data::{CellKind, Sink, SinkColumn};

    const ORIGINAL: &str = "name,age,city,ill\nAnna Aasen,20,Oslo,flu\nBertil Berg,21,Bergen,asthma\n";
    const SAFE: &str = "age,city,ill\n20-29,Norway,flu\n20-29,Norway,asthma\n";

    #[test]
    fn what_stands_next_to_the_cells_is_found() {
        let stage = Stage::new(ORIGINAL);
        stage.write("release.csv", SAFE);
        let report = stage.write("report.html", "<p>made from the record of Bertil Berg in Bergen</p>");
        let finding = stage.on("release.csv", |mut scene| {
            scene.files.push(report);
            crate::testing::attacked("container", &scene).expect("run")
        });
        // Bergen may be any word of a report; a name is not.
        assert_eq!(finding.headline().hits, 1, "{finding:?}");
        assert!(finding.worst.contains("name=Bertil Berg") && finding.succeeds(), "{finding:?}");
        assert_eq!(finding.headline().control, Some(0));
        // Oslo and Bergen, and two names.
        assert_eq!(finding.headline().targets, 4);
    }

    #[test]
    fn nothing_is_found_in_a_safe_release() {
        let stage = Stage::new(ORIGINAL);
        let reason = stage.attack("container", SAFE).expect_err("not run");
        assert!(reason.contains("delimited text"), "{reason}");
        let manifest = stage.write("manifest.json", "{ \"records\": 2 }");
        let found = |released: &str| {
            stage.write("release.csv", released);
            stage.on("release.csv", |mut scene| {
                scene.files.push(manifest.clone());
                crate::testing::attacked("container", &scene).expect("run").headline()
            })
        };
        assert_eq!((found(SAFE).targets, found(SAFE).hits), (4, 0));
        // A cell that shows a value hides nothing.
        let shown = found(&SAFE.replace("Norway,flu", "Oslo,flu"));
        assert_eq!((shown.targets, shown.hits), (3, 0));
    }

    #[test]
    fn a_part_of_a_released_set_hides_nothing() {
        // The release shows all of eight terms, and a record has seven of them in the same order.
        let all = "ague;boils;cough;dropsy;eczema;fever;gripes;hives";
        let original = format!("age,city,ill\n20,Oslo,{all}\n21,Oslo,{}\n22,Oslo,Elephantiasis\n", &all[5..]);
        let stage = Stage::new(&original);
        stage.write("release.csv", format!("age,city,ill\n*,Oslo,{all}\n*,Oslo,{all}\n*,Oslo,*\n"));
        let manifest = stage.write("manifest.json", format!("{{ \"set\": \"{all}\" }}"));
        let found = stage.on("release.csv", |mut scene| {
            scene.files.push(manifest);
            crate::testing::attacked("container", &scene).expect("run").headline()
        });
        assert_eq!((found.targets, found.hits), (1, 0));
    }

    #[test]
    fn entries_of_arrow_dictionaries_that_no_cell_shows_are_found() {
        use arrow_array::types::Int32Type;
        use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
        let stage = Stage::new(ORIGINAL);
        let write = |entries: Vec<&str>| {
            let cities = DictionaryArray::<Int32Type>::new(
                Int32Array::from(vec![0, 0]),
                std::sync::Arc::new(StringArray::from(entries)),
            );
            let texts = |cells: [&str; 2]| std::sync::Arc::new(StringArray::from(cells.to_vec())) as ArrayRef;
            let columns = [
                ("age", texts(["20-29", "20-29"])),
                ("city", std::sync::Arc::new(cities) as ArrayRef),
                ("ill", texts(["flu", "asthma"])),
            ];
            let batch = RecordBatch::try_from_iter(columns).expect("a batch");
            let file = std::fs::File::create(stage.path("release.arrow")).expect("a file");
            let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).expect("a writer");
            writer.write(&batch).and_then(|()| writer.finish()).expect("written");
            stage.on("release.arrow", |scene| crate::testing::attacked("container", &scene).expect("run"))
        };
        let leak = write(vec!["Norway", "Oslo", "Bergen"]);
        assert!(leak.succeeds() && leak.headline().hits == 2, "{leak:?}");
        let safe = write(vec!["Norway"]);
        assert_eq!((safe.headline().targets, safe.headline().hits), (4, 0), "{safe:?}");
    }

    #[test]
    fn parquet_pages_are_unpacked() {
        let stage = Stage::new(ORIGINAL);
        let path = stage.path("release.parquet");
        let column = |name: &str| SinkColumn { name: name.to_string(), kind: CellKind::Text };
        let columns: Vec<SinkColumn> = ["age", "city", "ill"].into_iter().map(column).collect();
        let kind = FileKind::of_path(&path).expect("a format");
        let mut sink =
            Sink::create(&path, kind, ',', &columns, privet_data::Formulas::Refuse).expect("a file");
        for row in [["20-29", "Norway", "flu"], ["20-29", "Norway", "Bertil Berg"]] {
            sink.write(&row).expect("written");
        }
        sink.finish().expect("written");
        let mut needles = Needles::new(["Bertil Berg", "Anna Aasen"].into_iter());
        pieces(&path, &mut |piece| {
            needles.search(piece, SHORTEST);
            Ok(())
        })
        .expect("read");
        assert_eq!(needles.found, [true, false]);
    }
}
