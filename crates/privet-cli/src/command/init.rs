//! `privet init`: looks at a file and drafts a policy for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use privet::clock::Clock;
use privet::data::{ReadOptions, Source, TransactionOptions, TransactionSource};
use privet::drafts::preset::Preset;
use privet::drafts::{
    Draft, DraftOptions, data_path, differ_in_length, draft, draft_query_log, draft_transactions, long_form,
    settled,
};
use privet::policy::ReportKeys;
use privet::sessions::session_figures;
use privet::taxonomy::words::WordNet;
use privet::{Error, ErrorKind, Result, counted, thousands, visible};
use serde_json::{Value as Json, json};

use crate::arguments::{Init, InitKind};
use crate::output::Output;

pub fn run(arguments: &Init, output: &Output, clock: &Clock) -> Result<u8> {
    let data = &arguments.data;
    let folder = arguments.output.clone().unwrap_or_else(|| next_to(data));
    let options = DraftOptions {
        data_path: Some(data_path(&folder, data)),
        delimiter: arguments.delimiter,
        header: arguments.header.clone().unwrap_or_default(),
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
    if let Some(form) = transactions(arguments)? {
        return as_transactions(&form);
    }
    let source = Source::open(data, &read_options(arguments))?;
    if is_query_log(&source) {
        return of_query_log(data, &options, &folder, clock, output);
    }
    let draft = match draft(&source, &options) {
        Err(error) if error.kind() == ErrorKind::UnevenRows => {
            let lines = TransactionOptions::Lines { separator: arguments.delimiter };
            let looks = || TransactionSource::open(data, &lines).and_then(|lines| differ_in_length(&lines));
            if arguments.kind.is_none() && looks().unwrap_or(false) {
                return as_transactions(&lines);
            }
            return Err(no_table(error));
        }
        draft => draft?,
    };
    let columns = counted(draft.columns.len() as u64, "column", "columns");
    let mut text = format!("{}, {columns}\n", counted(draft.rows, "record", "records"));
    for column in &draft.columns {
        let role = column.role.map_or("left out".to_string(), |role| role.to_string());
        let (name, reason) = (visible::line(&column.name), visible::line(&column.reason));
        text += &format!("  {name:<20} {role:<17} {reason}\n");
    }
    source.remarks().iter().for_each(|remark| output.warn(remark));
    finish(&draft, text, ("table", options.preset.is_some()), &folder, output)
}

/// Drafts a policy for a query log, if there is a WordNet to tell its words by.
fn of_query_log(
    data: &Path,
    options: &DraftOptions,
    folder: &Path,
    clock: &Clock,
    output: &Output,
) -> Result<u8> {
    if let Some(preset) = options.preset {
        return Err(Error::input(format!(
            "the preset {} is about tables of people, not about query logs",
            preset.name
        ))
        .in_file(data)
        .help("draft without it"));
    }
    let wordnet = WordNet::open(Path::new(WordNet::FOLDER)).map_err(|error| {
        Error::input(format!("this looks like a query log, and its words are told by WordNet: {}", error.message()))
            .in_file(data)
            .help(
                "install WordNet; or take the policy of `privet example queries`, with kind = \"query-log\" in [data] and a \
                 tree of your own words. As a table, what people typed would be published",
            )
    })?;
    let figures = session_figures(data, &Arc::new(wordnet), clock)?;
    let draft = draft_query_log(&figures, options).map_err(|error| error.in_file(data))?;
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
    finish(&draft, text, ("query-log", false), folder, output)
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
    text += &format!("next: review and edit {0}, then privet anonymize {0} -o release\n", policy.display());
    output.result(&text, || {
        let columns: Vec<Json> = draft
            .columns
            .iter()
            .map(|column| {
                let role = column.role.map(|role| role.name());
                json!({ "name": column.name, "role": role, "distinct": column.distinct, "reason": column.reason })
            })
            .collect();
        json!({ "kind": kind, "records": draft.rows, "k": draft.k, "columns": columns, "written": written })
    });
    Ok(0)
}

/// How a file holds transactions, if that is seen at once: the user says so, it goes by the name of such files, or it has
/// two columns of which the first names transactions.
fn transactions(arguments: &Init) -> Result<Option<TransactionOptions>> {
    let Init { data, kind, delimiter, .. } = arguments;
    let lines = || Ok(Some(TransactionOptions::Lines { separator: *delimiter }));
    let is_told = *kind == Some(InitKind::Transactions);
    if *kind == Some(InitKind::Table) {
        return Ok(None);
    }
    let name = data.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if data.is_file() && name.split('.').skip(1).any(|extension| extension == "dat") {
        return lines();
    }
    let found = Source::open(data, &read_options(arguments)).and_then(|source| long_form(&source, is_told));
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
    ReadOptions { header, ..ReadOptions::of(arguments.delimiter) }
}

/// Whether the columns are those that search engines have published logs with.
fn is_query_log(source: &Source) -> bool {
    let has = |name: &str| source.columns().iter().any(|column| column.name == name);
    ["AnonID", "Query", "QueryTime"].into_iter().all(has)
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
