//! What is attacked, each with its corpus and with what must hold whatever comes in.

use std::fs;
use std::path::{Path, PathBuf};

use privet::clock::Clock;
use privet::data::{CellKind, FileKind, Formulas, ReadOptions, Sink, SinkColumn, Source};
use privet::policy::Policy;
use privet::taxonomy::Taxonomy;
use privet::{Error, ErrorKind, release};

use crate::differential;
use crate::mutate::Input;

/// Something that reads input.
pub struct Target {
    pub name: &'static str,
    /// The inputs to start from; the folder is for files that are made on the way.
    pub corpus: fn(&Path) -> Vec<Input>,
    /// Words of the format, to be strewn in.
    pub words: &'static [&'static str],
    /// Reads an input, using the folder as it likes; an error says what is wrong with what came out.
    pub run: fn(&Path, &Input) -> Result<(), String>,
}

pub const TARGETS: &[Target] = &[
    Target { name: "csv", corpus: tables, words: &[",", ";", "\t", "\"a,b\"", "''=1", "age"], run: text },
    Target { name: "columnar", corpus: columnar, words: &["PAR1", "ARROW1"], run: read_only },
    Target {
        name: "hierarchy",
        corpus: hierarchies,
        words: &[";", "*", "10-20", "[1,5)", "Bonn"],
        run: hierarchy,
    },
    Target {
        name: "policy",
        corpus: policies,
        words: &[
            "k = 2\n",
            "= 0.3",
            "\"30%\"",
            "[privacy.t-closeness]\n",
            "[method]\n",
            "role = \"sensitive\"\n",
            "true",
            "-1",
            "{",
            "[[",
            "\"mondrian\"",
            "theta = { flu = 1 }\n",
        ],
        run: policy,
    },
    Target {
        name: "transactions",
        corpus: baskets,
        words: &[",", "Beer", "Test", "\n\n"],
        run: transactions,
    },
    Target {
        name: "query-log",
        corpus: logs,
        words: &["\t", "2006-03-01 00:00:00", "AnonID", "wine"],
        run: query_log,
    },
    Target {
        name: "html",
        corpus: hostile,
        words: &["<zq>", "\"zq'", "{{ 7*7 }}", "{% raw %}", "&lt;", "</svg>", "]]>", "-->"],
        run: html,
    },
    Target { name: "audit", corpus: differential::corpus, words: &["*", "1", "2"], run: differential::run },
];

/// The folder that this file is in.
fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn files(folder: &Path, ending: &'static str) -> Vec<Input> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let bytes = paths.into_iter().filter_map(|path| fs::read(path).ok());
    bytes.filter(|bytes| bytes.len() <= crate::LONGEST).map(|bytes| Input { bytes, ending }).collect()
}

fn seeds(target: &str, ending: &'static str) -> Vec<Input> {
    files(&here().join("corpus").join(target), ending)
}

/// The malformed files of the end-to-end tests.
fn malformed(group: &str, ending: &'static str) -> Vec<Input> {
    files(&here().join("../crates/privet-cli/tests/corpus").join(group), ending)
}

fn tables(_: &Path) -> Vec<Input> {
    [seeds("csv", "csv"), seeds("csv", "tsv"), malformed("data", "csv")].concat()
}

fn hierarchies(_: &Path) -> Vec<Input> {
    [seeds("hierarchy", "csv"), malformed("hierarchy", "csv")].concat()
}

fn policies(_: &Path) -> Vec<Input> {
    [seeds("policy", "toml"), malformed("policy", "toml")].concat()
}

fn baskets(_: &Path) -> Vec<Input> {
    seeds("transactions", "csv")
}

fn logs(_: &Path) -> Vec<Input> {
    seeds("query-log", "tsv")
}

fn hostile(_: &Path) -> Vec<Input> {
    seeds("html", "csv")
}

/// A small table in every typed format, and compressed.
fn columnar(folder: &Path) -> Vec<Input> {
    let columns = [
        ("age", CellKind::Integer),
        ("city", CellKind::Text),
        ("weight", CellKind::Float),
        ("ill", CellKind::Boolean),
    ];
    let columns = columns.map(|(name, kind)| SinkColumn { name: name.to_string(), kind });
    ["parquet", "arrow", "csv.gz", "csv.zst", "parquet.gz"]
        .into_iter()
        .map(|ending| {
            let path = folder.join(format!("seed.{ending}"));
            let kind = FileKind::of_path(&path).expect("a format");
            let mut sink = Sink::create(&path, kind, ',', &columns, Formulas::Refuse).expect("a sink");
            for row in 0..40 {
                let (age, weight) = ((20 + row % 7).to_string(), format!("{}.5", 50 + row % 9));
                let city = ["Bonn", "Ulm", "Köln"][row % 3];
                sink.write(&[&age, city, &weight, if row % 2 == 0 { "true" } else { "false" }])
                    .expect("written");
            }
            sink.finish().expect("finished");
            Input { bytes: fs::read(&path).expect("readable"), ending }
        })
        .collect()
}

/// An error must be the input's fault, name a file, and be short enough to read.
fn blames_the_input(error: &Error) -> Result<(), String> {
    if !(error.kind().is_input() || error.kind() == ErrorKind::Infeasible) {
        return Err(format!("is called a defect of ours: {error}"));
    }
    if error.kind().is_input() && error.file().is_none() {
        return Err(format!("is refused without a file: {error}"));
    }
    if error.to_string().len() > 8000 {
        return Err(format!("is refused with {} bytes of message", error.to_string().len()));
    }
    Ok(())
}

type Rows = Vec<Vec<String>>;

fn read(path: &Path, options: &ReadOptions) -> privet::Result<(Source, Rows)> {
    let source = Source::open(path, options)?;
    let columns = source.columns().len();
    let mut rows = Rows::new();
    source.read(&mut |batch, _| {
        for row in 0..batch.rows() {
            rows.push((0..columns).map(|column| batch.cell(row, column).to_string()).collect());
        }
        Ok(())
    })?;
    Ok((source, rows))
}

fn place(folder: &Path, name: &str, input: &Input) -> PathBuf {
    let path = folder.join(format!("{name}.{}", input.ending));
    fs::write(&path, &input.bytes).expect("written");
    path
}

fn read_only(folder: &Path, input: &Input) -> Result<(), String> {
    match read(&place(folder, "data", input), &ReadOptions::default()) {
        Ok(_) => Ok(()),
        Err(error) => blames_the_input(&error),
    }
}

/// What can be read can be written, and reads back as the same table; no cell of it would run in a spreadsheet.
fn text(folder: &Path, input: &Input) -> Result<(), String> {
    let (source, rows) = match read(&place(folder, "data", input), &ReadOptions::default()) {
        Ok(read) => read,
        Err(error) => return blames_the_input(&error),
    };
    let copy = folder.join("copy.csv");
    let _ = fs::remove_file(&copy);
    let columns: Vec<SinkColumn> = (source.columns().iter())
        .map(|column| SinkColumn { name: column.name.clone(), kind: CellKind::Text })
        .collect();
    let write = || -> privet::Result<()> {
        let mut sink = Sink::create(&copy, FileKind::of_path(&copy)?, ',', &columns, Formulas::Mark)?;
        for row in &rows {
            sink.write(&row.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        sink.finish()
    };
    write().map_err(|error| format!("cannot be written again: {error}"))?;
    let again = read(&copy, &ReadOptions::with_names(Some(',')));
    let (again, same) = again.map_err(|error| format!("cannot be read again: {error}"))?;
    let names =
        |source: &Source| source.columns().iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    if same != rows || names(&again) != names(&source) {
        return Err("reads back as another table".to_string());
    }
    Ok(())
}

/// What can be read can be written, and reads back as the same tree.
fn hierarchy(folder: &Path, input: &Input) -> Result<(), String> {
    let tree = match Taxonomy::read(&place(folder, "tree", input)) {
        Ok(tree) => tree,
        Err(error) => return blames_the_input(&error),
    };
    let copy = folder.join("copy.csv");
    tree.write(&copy).map_err(|error| format!("cannot be written again: {error}"))?;
    let again = Taxonomy::read(&copy).map_err(|error| format!("cannot be read again: {error}"))?;
    if again.to_text().ok() != tree.to_text().ok() {
        return Err("reads back as another tree".to_string());
    }
    Ok(())
}

fn policy(folder: &Path, input: &Input) -> Result<(), String> {
    for (name, text) in [
        ("data.csv", "age,city,disease\n34,Bonn,flu\n36,Bonn,asthma\n34,Ulm,flu\n36,Ulm,asthma\n"),
        ("city.csv", "Bonn;west;*\nUlm;south;*\n"),
    ] {
        fs::write(folder.join(name), text).expect("written");
    }
    let path = place(folder, "policy", input);
    match Policy::read(&path).and_then(|policy| policy.check_any(None)) {
        Ok(_) => Ok(()),
        Err(error) => blames_the_input(&error),
    }
}

/// Makes a release of whatever was put in the place of an example's data; what is published passes its audit.
fn make(folder: &Path, policy: &str) -> Result<Option<PathBuf>, String> {
    let target = folder.join("out");
    let _ = fs::remove_dir_all(&target);
    let path = folder.join("policy.toml");
    fs::write(&path, policy).expect("written");
    let options = release::RunOptions::to(&target);
    let made = Policy::read(&path)
        .map(|policy| policy.with_formulas(Formulas::Mark))
        .and_then(|policy| policy.check_any(None))
        .and_then(|policy| release::anonymize_any(policy, &options, &Clock::unlimited()));
    if let Err(error) = made {
        if target.exists() {
            return Err("leaves something behind".to_string());
        }
        return blames_the_input(&error).map(|()| None);
    }
    match privet::audit::audit_release(&target, None, &Clock::unlimited()) {
        Ok(audit) if audit.passed => Ok(Some(target)),
        Ok(_) => Err("is published and fails its audit".to_string()),
        Err(error) => Err(format!("is published and cannot be audited: {error}")),
    }
}

fn transactions(folder: &Path, input: &Input) -> Result<(), String> {
    place(folder, "baskets", input);
    fs::write(folder.join("items.csv"), "Beer;Liquor;All\nWine;Liquor;All\nMilk;Food;All\nBread;Food;All\n")
        .expect("written");
    let policy = "seed = 1\n[data]\npath = \"baskets.csv\"\nkind = \"transactions\"\n[items]\nhierarchy = \"items.csv\"\nsensitive \
                  = [\"Test\"]\n[privacy.kl-privacy]\nm = 1\nn = 1\nk = 2\nl = 2\n";
    make(folder, policy).map(drop)
}

fn query_log(folder: &Path, input: &Input) -> Result<(), String> {
    place(folder, "log", input);
    fs::write(folder.join("words.csv"), "wine;drink;all\nbeer;drink;all\nbread;food;all\n").expect("written");
    let policy = "seed = 1\n[data]\npath = \"log.tsv\"\nkind = \"query-log\"\n[semantics]\ndistance = \"taxonomy\"\nhierarchy = \
                  \"words.csv\"\nepsilon = 4\n[privacy.vocabulary-k-anonymity]\nk = 2\n";
    make(folder, policy).map(drop)
}

/// No text of the data becomes a tag, an attribute or a template in a report.
fn html(folder: &Path, input: &Input) -> Result<(), String> {
    let path = place(folder, "data", input);
    // The columns are whatever the header says: the first two are quasi-identifiers, the rest sensitive.
    let Ok(source) = Source::open(&path, &ReadOptions::default()) else { return Ok(()) };
    let mut policy = String::from("seed = 1\n[data]\npath = \"data.csv\"\n");
    for (number, column) in source.columns().iter().take(6).enumerate() {
        let name: String = column
            .name
            .chars()
            .flat_map(|c| format!("\\U{:08X}", u32::from(c)).chars().collect::<Vec<_>>())
            .collect();
        let role = if number < 2 { "quasi-identifier" } else { "sensitive" };
        policy += &format!("[columns.\"{name}\"]\nrole = \"{role}\"\n");
    }
    policy += "[privacy.k-anonymity]\nk = 1\n[method]\nname = \"mondrian\"\n";
    let Some(target) = make(folder, &policy)? else { return Ok(()) };
    for room in ["public", "steward"] {
        let report = fs::read_to_string(target.join(room).join("report.html")).expect("a report");
        for mark in ["<zq", "\"zq'", "49 }}"] {
            if report.contains(mark) {
                return Err(format!("gets {mark:?} into the {room} report"));
            }
        }
    }
    Ok(())
}
