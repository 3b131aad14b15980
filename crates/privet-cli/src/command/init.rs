//! `privet init`: looks at a file and drafts a policy for it.

mod ask;
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use privet::clock::Clock;
use privet::data::{DatabaseTable, ReadOptions, Relation, Source, TransactionOptions, TransactionSource};
use privet::drafts::preset::Preset;
use privet::drafts::{
    Draft, DraftOptions, Study, USUAL_LOG, data_path, differ_in_length, draft_queries, draft_query_log,
    draft_transactions, log_columns, long_form, settled,
};
use privet::policy::{ReportKeys, Role};
use privet::sessions::session_figures;
use privet::taxonomy::words::WordNet;
use privet::{Error, ErrorKind, Result, counted, thousands};
use serde_json::{Value as Json, json};

use crate::arguments::{Init, InitKind};
use crate::output::Output;

pub fn run(arguments: &Init, output: &Output, clock: &Clock) -> Result<u8> {
    let Some(data) = &arguments.data else { return from_database(arguments, output) };
    let folder = arguments.output.clone().unwrap_or_else(|| next_to(data));
    let options = DraftOptions {
        data_path: Some(data_path(&folder, data)),
        delimiter: arguments.delimiter,
        header: arguments.header.clone().unwrap_or_default(),
        encoding: arguments.encoding,
        sheet: arguments.sheet.clone(),
        range: arguments.range.clone(),
        preset: arguments.preset.as_deref().map(Preset::find).transpose()?,
        public: arguments.public,
    };
    let as_transactions = |form: &TransactionOptions| {
        let draft = draft_transactions(&TransactionSource::open(data, form)?, &options)?;
        finish(
            &draft,
            format!("{}\n", counted(draft.rows, "transaction", "transactions")),
            ("transactions", options.preset.is_some()),
            &folder,
            output,
        )
    };
    let opened = Source::open(data, &read_options(arguments));
    if let Some(form) = transactions(arguments, &opened)? {
        return as_transactions(&form);
    }
    let source = opened?;
    if let Some(columns) = log_columns(&source).filter(|_| arguments.kind != Some(InitKind::Table)) {
        return of_query_log(&source, &columns, &options, &folder, clock, output);
    }
    let study = match Study::of(&source) {
        Err(error) if error.kind() == ErrorKind::UnevenRows => {
            let lines = TransactionOptions::Lines { separator: arguments.delimiter };
            let looks = || TransactionSource::open(data, &lines).and_then(|lines| differ_in_length(&lines));
            if arguments.kind.is_none() && looks().unwrap_or(false) {
                return as_transactions(&lines);
            }
            return Err(no_table(error));
        }
        study => study?,
    };
    drafted(study, &source, arguments, &options, &folder, output)
}

/// Asks what each column is, if that is wanted, and writes the draft for a table.
fn drafted(
    mut study: Study,
    source: &Source,
    arguments: &Init,
    options: &DraftOptions,
    folder: &Path,
    output: &Output,
) -> Result<u8> {
    if arguments.ask {
        ask::columns(&mut study, output)?;
    }
    let draft = study.draft(options)?;
    source.remarks().iter().for_each(|remark| output.warn(remark));
    finish(&draft, table::of(&draft), ("table", options.preset.is_some()), folder, output)
}

/// Drafts a policy for a table of a database.
fn from_database(arguments: &Init, output: &Output) -> Result<u8> {
    let relation = match (&arguments.table, &arguments.query) {
        (Some(name), _) => Relation::Table(name.clone()),
        (None, Some(sql)) => Relation::Query(sql.clone()),
        (None, None) => {
            return Err(Error::input("--from-database needs a table or a query")
                .help("add --table schema.name, or --query \"SELECT …\""));
        }
    };
    let table = DatabaseTable {
        driver: arguments.from_database.clone().unwrap_or_default(),
        uri_env: arguments.uri_env.clone().unwrap_or_default(),
        relation,
    };
    let source = Source::of_database(&table)?;
    let name = source.origin().name().replace(['/', '\\'], "-");
    let folder = arguments.output.clone().unwrap_or_else(|| PathBuf::from(format!("{name}-policy")));
    let options = DraftOptions {
        preset: arguments.preset.as_deref().map(Preset::find).transpose()?,
        public: arguments.public,
        ..DraftOptions::default()
    };
    drafted(Study::of(&source)?, &source, arguments, &options, &folder, output)
}

/// Drafts a policy for a query log: by what its sessions look like where there is a WordNet to know its words by, else with a
/// tree of its own words to start from.
fn of_query_log(
    source: &Source,
    columns: &[String; 3],
    options: &DraftOptions,
    folder: &Path,
    clock: &Clock,
    output: &Output,
) -> Result<u8> {
    let is_usual = columns == &USUAL_LOG && options.preset.is_none() && options.delimiter.is_none();
    let wordnet = WordNet::open(Path::new(WordNet::FOLDER)).ok().filter(|_| is_usual);
    let by_sessions = match (wordnet, source.origin().path()) {
        (Some(wordnet), Some(path)) => {
            let figures = session_figures(path, &Arc::new(wordnet), clock)?;
            // Too few words of WordNet's are no reason to draft nothing.
            draft_query_log(&figures, &options.named(source.origin()), options)
                .ok()
                .map(|draft| (draft, figures))
        }
        _ => None,
    };
    let preset = options.preset.is_some();
    let Some((draft, figures)) = by_sessions else {
        let draft = draft_queries(source, columns, options)?;
        let text = format!("a query log: {}\n", counted(draft.rows, "row", "rows"));
        return finish(&draft, text, ("query-log", preset), folder, output);
    };
    let mut text = "gap    vocabularies  mean size  gHeight\n".to_string();
    for one in &figures {
        let height = one.height.map_or("-".to_string(), |height| format!("{height:.2}"));
        let vocabularies = thousands(one.vocabularies);
        text += &format!("{:<6} {vocabularies:>12}  {:>9.2}  {height:>7}\n", one.gap, one.mean_size);
    }
    if let Some(best) = settled(&figures) {
        let epsilon = best.epsilon().unwrap_or(0);
        text += &format!("recommended: session_gap = \"{}\", epsilon = {epsilon} (2·gHeight)\n", best.gap);
    }
    finish(&draft, text, ("query-log", preset), folder, output)
}

/// Writes a draft and describes it.
fn finish(
    draft: &Draft,
    mut text: String,
    (kind, has_preset): (&str, bool),
    folder: &Path,
    output: &Output,
) -> Result<u8> {
    let written = draft.write(folder)?;
    if has_preset {
        output.remark(&format!("{}\n", ReportKeys::NO_CERTIFICATE));
    }
    let files = counted(written.len() as u64, "file", "files");
    text += &format!("wrote {files} to {}\n", folder.display());
    let policy = folder.join("policy.toml");
    let lacks =
        kind == "table" && draft.columns.iter().all(|column| column.role != Some(Role::QuasiIdentifier));
    text += &match lacks {
        true => format!(
            "before it runs: give at least one column in {} role = \"quasi-identifier\"\n",
            policy.display()
        ),
        false => {
            format!("next: review and edit {0}\nthen: privet anonymize {0} -o release\n", policy.display())
        }
    };
    output.result(&text, || {
        let columns: Vec<Json> = draft
            .columns
            .iter()
            .map(|column| {
                let role = column.role.map(|role| role.name());
                json!({
                    "name": column.name,
                    "role": role,
                    "distinct": column.distinct,
                    "singles_out": column.alone,
                    "rank": column.rank,
                    "reason": column.reason,
                    "figures": column.figures,
                })
            })
            .collect();
        json!({ "kind": kind, "records": draft.rows, "k": draft.k, "columns": columns, "written": written })
    });
    Ok(0)
}

/// How a file holds transactions, if that is seen at once: the user says so, it goes by the name of such files, or it has
/// two columns of which the first names transactions.
fn transactions(arguments: &Init, opened: &Result<Source>) -> Result<Option<TransactionOptions>> {
    let Init { data: Some(data), kind, delimiter, .. } = arguments else { return Ok(None) };
    let lines = || Ok(Some(TransactionOptions::Lines { separator: *delimiter }));
    let is_told = *kind == Some(InitKind::Transactions);
    if *kind == Some(InitKind::Table) {
        return Ok(None);
    }
    let name = data.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if data.is_file() && name.split('.').skip(1).any(|extension| extension == "dat") {
        return lines();
    }
    let found = opened.as_ref().map_err(Error::clone).and_then(|source| long_form(source, is_told));
    match found {
        Ok(Some((id, item))) => {
            let header = arguments.header.clone().unwrap_or_default();
            Ok(Some(TransactionOptions::Long { id, item, delimiter: *delimiter, header }))
        }
        _ if is_told => lines(),
        Err(error) if error.kind() != ErrorKind::UnevenRows => Err(error),
        _ => Ok(None),
    }
}

/// What the user says about the file.
fn read_options(arguments: &Init) -> ReadOptions {
    let header = arguments.header.clone().unwrap_or_default();
    ReadOptions {
        header,
        encoding: arguments.encoding,
        sheet: arguments.sheet.clone(),
        range: arguments.range.clone(),
        ..ReadOptions::of(arguments.delimiter)
    }
}

/// Names the other kind of data, for a file with rows of differing lengths.
fn no_table(error: Error) -> Error {
    let hint = "if each line is a set of items, run `privet init --kind transactions`";
    let help = error.remedy().map_or_else(|| hint.to_string(), |remedy| format!("{remedy}; {hint}"));
    error.help(help)
}

/// `people.csv.gz` gets its policy in `people-policy`.
fn next_to(data: &Path) -> PathBuf {
    let name = data.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(&name);
    data.with_file_name(format!("{stem}-policy"))
}
