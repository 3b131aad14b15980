//! The first look at a file: what kind of data it holds, and what a policy for it can be drafted from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::sessions::session_figures;
use privet_core::clock::Clock;
use privet_core::{Error, ErrorKind, Result};
use privet_data::{Header, Origin, ReadOptions, Source, TransactionOptions, TransactionSource};
use privet_drafts::{
    Draft, DraftOptions, SessionFigures, Study, USUAL_LOG, differ_in_length, draft_queries, draft_query_log,
    draft_transactions, log_columns, long_form,
};
use privet_taxonomy::words::WordNet;

/// What the user says about a file.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Whether it is a table, or not one; `None` for what it looks like.
    pub is_table: Option<bool>,
    /// The delimiter; detected when `None`.
    pub delimiter: Option<char>,
    /// Whether delimited text begins with the names of its columns.
    pub header: Header,
    /// Further files of the same table.
    pub more: Vec<PathBuf>,
}

/// What a file holds, as far as drafting goes.
pub enum FirstLook {
    /// A table: its study waits for the user's word on single columns.
    Table {
        /// What is known of its columns.
        study: Box<Study>,
        /// What the user should know about how the file was read.
        remarks: Vec<String>,
    },
    /// Sets of items.
    Transactions(Draft),
    /// A query log, with the figures of its sessions where there is a word network to know its words by.
    QueryLog(Draft, Option<Vec<SessionFigures>>),
}

/// Looks at a file.
///
/// ```
/// use privet::clock::Clock;
/// use privet::drafts::DraftOptions;
/// use privet::example::Example;
/// use privet::first::{Asked, FirstLook, look};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let folder = folder.path().join("patients");
/// Example::find("patients")?.write(&folder)?;
/// let data = folder.join("patients.csv");
/// let found = look(&data, &Asked::default(), &DraftOptions::default(), &Clock::unlimited())?;
/// let FirstLook::Table { study, .. } = found else { panic!("it is a table") };
/// assert_eq!(study.columns().len(), 3);
/// # Ok::<(), privet::Error>(())
/// ```
pub fn look(data: &Path, asked: &Asked, options: &DraftOptions, clock: &Clock) -> Result<FirstLook> {
    let as_transactions = |form: &TransactionOptions| {
        draft_transactions(&TransactionSource::open(data, form)?, options).map(FirstLook::Transactions)
    };
    let read = ReadOptions {
        header: asked.header.clone(),
        encoding: options.encoding,
        sheet: options.sheet.clone(),
        range: options.range.clone(),
        ..ReadOptions::of(asked.delimiter)
    };
    let files: Vec<PathBuf> = std::iter::once(data.to_path_buf()).chain(asked.more.iter().cloned()).collect();
    let opened = Source::open_files(&files, &read);
    let are_several = |source: &Source| matches!(source.origin(), Origin::Files(_));
    if files.len() > 1 || opened.as_ref().is_ok_and(are_several) {
        return one_table(&opened?, asked, clock);
    }
    if let Some(form) = transactions(data, asked, &opened)? {
        return as_transactions(&form);
    }
    let source = opened?;
    if let Some(columns) = log_columns(&source).filter(|_| asked.is_table != Some(true)) {
        return query_log(&source, &columns, options, clock);
    }
    match Study::watched(&source, clock) {
        Err(error) if error.kind() == ErrorKind::UnevenRows => {
            let lines = TransactionOptions::Lines { separator: asked.delimiter };
            let looks = || TransactionSource::open(data, &lines).and_then(|lines| differ_in_length(&lines));
            if asked.is_table.is_none() && looks().unwrap_or(false) {
                return as_transactions(&lines);
            }
            Err(no_table(error))
        }
        study => Ok(FirstLook::Table { study: Box::new(study?), remarks: source.remarks() }),
    }
}

/// Looks at several files, which only a table can be in.
fn one_table(source: &Source, asked: &Asked, clock: &Clock) -> Result<FirstLook> {
    let is_log = asked.is_table.is_none() && log_columns(source).is_some();
    if is_log || asked.is_table == Some(false) {
        let kind = if is_log { "a query log" } else { "transactions" };
        return Err(Error::input(format!("only a table can be in several files, and these are {kind}"))
            .in_file(source.origin())
            .help("join them to one file; if they are a table, say so: --kind table"));
    }
    let study = Study::watched(source, clock)?;
    Ok(FirstLook::Table { study: Box::new(study), remarks: source.remarks() })
}

/// Where the policy of a file is drafted: `people.csv.gz` gets it in `people-policy`, next to it.
///
/// ```
/// let place = privet::first::policy_folder("study/people.csv.gz".as_ref());
/// assert_eq!(place, std::path::Path::new("study/people-policy"));
/// assert_eq!(privet::first::policy_folder("-".as_ref()), std::path::Path::new("data-policy"));
/// ```
pub fn policy_folder(data: &Path) -> PathBuf {
    let name = data.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // What stands for several files, or for none, is not the name of a folder.
    let stem: String = name.split('.').next().unwrap_or(&name).replace(['*', '?'], "");
    let stem = stem.trim_matches(['-', '_', ' ']);
    data.with_file_name(if stem.is_empty() { "data-policy".to_string() } else { format!("{stem}-policy") })
}

/// Drafts a policy for a query log: by what its sessions look like where there is a WordNet to know its words by, else with a
/// tree of its own words to start from.
fn query_log(
    source: &Source,
    columns: &[String; 3],
    options: &DraftOptions,
    clock: &Clock,
) -> Result<FirstLook> {
    let is_usual = columns == &USUAL_LOG && options.preset.is_none() && options.delimiter.is_none();
    let wordnet = WordNet::open(Path::new(WordNet::FOLDER)).ok().filter(|_| is_usual);
    if let (Some(wordnet), Some(path)) = (wordnet, source.origin().path()) {
        let figures = session_figures(path, &Arc::new(wordnet), clock)?;
        // Too few words of WordNet's are no reason to draft nothing.
        if let Ok(draft) = draft_query_log(&figures, &options.named(source.origin()), options) {
            return Ok(FirstLook::QueryLog(draft, Some(figures)));
        }
    }
    Ok(FirstLook::QueryLog(draft_queries(source, columns, options)?, None))
}

/// How a file holds transactions, if that is seen at once: the user says so, it goes by the name of such files, or it has
/// two columns of which the first names transactions.
fn transactions(data: &Path, asked: &Asked, opened: &Result<Source>) -> Result<Option<TransactionOptions>> {
    let Asked { is_table, delimiter, header, .. } = asked;
    let lines = || Ok(Some(TransactionOptions::Lines { separator: *delimiter }));
    let is_said = *is_table == Some(false);
    if *is_table == Some(true) {
        return Ok(None);
    }
    let name = data.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if data.is_file() && name.split('.').skip(1).any(|extension| extension == "dat") {
        return lines();
    }
    let found = opened.as_ref().map_err(Error::clone).and_then(|source| long_form(source, is_said));
    match found {
        Ok(Some((id, item))) => {
            let header = header.clone();
            Ok(Some(TransactionOptions::Long { id, item, delimiter: *delimiter, header }))
        }
        _ if is_said => lines(),
        Err(error) if error.kind() != ErrorKind::UnevenRows => Err(error),
        _ => Ok(None),
    }
}

/// Names the other kind of data, for a file with rows of differing lengths.
fn no_table(error: Error) -> Error {
    let hint = "if each line is a set of items, run `privet init --kind transactions`";
    let help = error.remedy().map_or_else(|| hint.to_string(), |remedy| format!("{remedy}; {hint}"));
    error.help(help)
}
