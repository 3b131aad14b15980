//! `privet init`: looks at a file and drafts a policy for it.

use std::path::{Path, PathBuf};

use privet::Result;
use privet::data::{ReadOptions, Source};
use privet::policy::draft::{DraftOptions, data_path, draft};
use serde_json::{Value as Json, json};

use crate::arguments::Init;
use crate::output::Output;

pub fn run(arguments: &Init, output: &Output) -> Result<u8> {
    let source = Source::open(&arguments.data, &ReadOptions { delimiter: arguments.delimiter })?;
    let folder = arguments.output.clone().unwrap_or_else(|| beside(&arguments.data));
    let options =
        DraftOptions { data_path: Some(data_path(&folder, &arguments.data)), delimiter: arguments.delimiter };
    let draft = draft(&source, &options)?;
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

/// `people.csv.gz` gets its policy in `people-policy`.
fn beside(data: &Path) -> PathBuf {
    let name = data.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(&name);
    data.with_file_name(format!("{stem}-policy"))
}
