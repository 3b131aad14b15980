//! `privet init`: looks at a file and drafts a policy for it.

mod ask;
mod measured;
mod table;

use std::path::{Path, PathBuf};

use privet::clock::Clock;
use privet::data::{DatabaseTable, Relation, Source};
use privet::drafts::preset::Preset;
use privet::drafts::{Draft, DraftOptions, SessionFigures, Study, data_path, settled};
use privet::first::{Asked, FirstLook, look, policy_folder};
use privet::policy::{ReportKeys, Role};
use privet::{Error, Result, counted, thousands};
use serde_json::{Value as Json, json};

use crate::arguments::{Init, InitKind};
use crate::output::Output;

pub fn run(arguments: &Init, output: &Output, clock: &Clock) -> Result<u8> {
    let [data, more @ ..] = arguments.data.as_slice() else { return from_database(arguments, output, clock) };
    let folder = arguments.output.clone().unwrap_or_else(|| policy_folder(data));
    let header = arguments.header.clone().unwrap_or_default();
    let options = DraftOptions {
        data_path: Some(data_path(&folder, data)),
        more_paths: more.iter().map(|file| data_path(&folder, file)).collect(),
        delimiter: arguments.delimiter,
        header: header.clone(),
        encoding: arguments.encoding,
        sheet: arguments.sheet.clone(),
        range: arguments.range.clone(),
        preset: arguments.preset.as_deref().map(Preset::find).transpose()?,
        public: arguments.public,
    };
    let is_table = arguments.kind.map(|kind| kind == InitKind::Table);
    let asked = Asked { is_table, delimiter: arguments.delimiter, header, more: more.to_vec() };
    let preset = options.preset.is_some();
    match look(data, &asked, &options, clock)? {
        FirstLook::Table { study, remarks } => {
            drafted(*study, &remarks, arguments, &options, &folder, (output, clock))
        }
        FirstLook::Transactions(draft) => {
            let text = format!("{}\n", counted(draft.rows, "transaction", "transactions"));
            finish(&draft, text, ("transactions", preset), &folder, output)
        }
        FirstLook::QueryLog(draft, figures) => {
            let text = match figures {
                Some(figures) => of_sessions(&figures),
                None => format!("a query log: {}\n", counted(draft.rows, "row", "rows")),
            };
            finish(&draft, text, ("query-log", preset), &folder, output)
        }
    }
}

/// Asks what each column is, if that is wanted, and writes the draft for a table.
fn drafted(
    mut study: Study,
    remarks: &[String],
    arguments: &Init,
    options: &DraftOptions,
    folder: &Path,
    (output, clock): (&Output, &Clock),
) -> Result<u8> {
    if arguments.ask {
        ask::columns(&mut study, output)?;
    }
    let mut draft = study.draft(options)?;
    remarks.iter().for_each(|remark| output.warn(remark));
    if let [only] = draft.columns.as_slice() {
        output.warn(&format!(
            "there is only one column, '{}'; if a sign stands between cells, name it: --delimiter '^'",
            only.name
        ));
    }
    let mut text = table::of(&draft);
    let has_preset = options.preset.is_some();
    if !has_preset && let Some(losses) = measured::choose(&mut draft, &arguments.data, folder, clock)? {
        text += &format!("method: {}\n", losses.in_short());
    }
    finish(&draft, text, ("table", has_preset), folder, output)
}

/// Drafts a policy for a table of a database.
fn from_database(arguments: &Init, output: &Output, clock: &Clock) -> Result<u8> {
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
    drafted(Study::of(&source)?, &source.remarks(), arguments, &options, &folder, (output, clock))
}

/// What the sessions of a query log look like over the pause that ends them.
fn of_sessions(figures: &[SessionFigures]) -> String {
    let mut text = "gap    vocabularies  mean size  gHeight\n".to_string();
    for one in figures {
        let height = one.height.map_or("-".to_string(), |height| format!("{height:.2}"));
        let vocabularies = thousands(one.vocabularies);
        text += &format!("{:<6} {vocabularies:>12}  {:>9.2}  {height:>7}\n", one.gap, one.mean_size);
    }
    if let Some(best) = settled(figures) {
        let epsilon = best.epsilon().unwrap_or(0);
        text += &format!("recommended: session_gap = \"{}\", epsilon = {epsilon} (2·gHeight)\n", best.gap);
    }
    text
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
