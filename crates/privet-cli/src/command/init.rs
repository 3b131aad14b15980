//! `privet init`: looks at a file and drafts a policy for it.

use std::path::{Path, PathBuf};

use privet::data::{ReadOptions, Source};
use privet::policy::draft::{DraftOptions, data_path, draft};
use privet::{Error, Result};
use serde_json::{Value as Json, json};

use crate::arguments::Init;
use crate::output::Output;

pub fn run(arguments: &Init, output: &Output) -> Result<u8> {
    let data = &arguments.data;
    let source = Source::open(data, &ReadOptions { delimiter: arguments.delimiter })
        .map_err(|error| no_table(data, error))?;
    if is_query_log(&source) {
        return Err(Error::input("this looks like a query log, and `init` drafts policies for tables only")
            .in_file(data)
            .help(
                "take the policy of `privet example queries`, with kind = \"query-log\" in [data]; as a table, what people \
                 typed would be published",
            ));
    }
    let folder = arguments.output.clone().unwrap_or_else(|| beside(&arguments.data));
    let options =
        DraftOptions { data_path: Some(data_path(&folder, &arguments.data)), delimiter: arguments.delimiter };
    let draft = draft(&source, &options).map_err(|error| no_table(data, error))?;
    let written = draft.write(&folder)?;
    let mut text = format!("{} records, {} columns\n", draft.rows, draft.columns.len());
    for column in &draft.columns {
        let role = column.role.map_or("left out".to_string(), |role| role.to_string());
        text += &format!("  {:<20} {role:<17} {}\n", column.name, column.reason);
    }
    text += &format!("wrote {} files to {}\n", written.len(), folder.display());
    let policy = folder.join("policy.toml");
    text += &format!("next: read {0}, mend it, then privet anonymize {0} -o release\n", policy.display());
    output.result(&text, || {
        let columns: Vec<Json> = draft
            .columns
            .iter()
            .map(|column| {
                let role = column.role.map(|role| role.name());
                json!({ "name": column.name, "role": role, "distinct": column.distinct, "reason": column.reason })
            })
            .collect();
        json!({ "records": draft.rows, "k": draft.k, "columns": columns, "written": written })
    });
    Ok(0)
}

/// Whether the columns are those that search engines have published logs with.
fn is_query_log(source: &Source) -> bool {
    let has = |name: &str| source.columns().iter().any(|column| column.name == name);
    ["AnonID", "Query", "QueryTime"].into_iter().all(has)
}

/// Names the other kind of data where a file looks like it: rows of differing lengths, or the name that files of
/// transactions go by.
fn no_table(data: &Path, error: Error) -> Error {
    let name = data.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is_dat = data.is_file() && name.split('.').skip(1).any(|extension| extension == "dat");
    if !is_dat && !error.is_of_uneven_rows() {
        return error;
    }
    let hint = "if each line is a set of items, write kind = \"transactions\" in [data]; see `privet example baskets`";
    let help = error.remedy().map_or_else(|| hint.to_string(), |remedy| format!("{remedy}; {hint}"));
    error.help(help)
}

/// `people.csv.gz` gets its policy in `people-policy`.
fn beside(data: &Path) -> PathBuf {
    let name = data.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(&name);
    data.with_file_name(format!("{stem}-policy"))
}
