//! `privet example`: writes a ready-to-run example.

use std::path::PathBuf;

use privet::Result;
use privet::clock::Clock;
use privet::example::{Example as Named, examples};
use serde_json::{Value as Json, json};

use crate::arguments::Example;
use crate::output::Output;

pub fn run(arguments: &Example, output: &Output, clock: &Clock) -> Result<u8> {
    let Some(name) = &arguments.name else {
        let width = examples().iter().map(|one| one.name.len()).max().unwrap_or(0);
        let mut text: String =
            examples().iter().map(|one| format!("{:<width$} {}\n", one.name, one.summary)).collect();
        text += "\nprivet example NAME writes one into a directory of that name\n";
        output.result(&text, || {
            let list: Vec<Json> = examples()
                .iter()
                .map(|one| json!({ "name": one.name, "summary": one.summary, "about": one.about }))
                .collect();
            json!({ "examples": list })
        });
        return Ok(0);
    };
    let example = Named::find(name)?;
    let folder = arguments.folder.clone().unwrap_or_else(|| PathBuf::from(example.name));
    let written = example.write(&folder)?;
    let shown = folder.display();
    let mut text: String = written.iter().map(|path| format!("wrote {}\n", path.display())).collect();
    if arguments.run {
        output.remark(&text);
        let policy = folder.join("policy.toml");
        return super::anonymize::publish(&policy, PathBuf::from(format!("{shown}-release")), output, clock);
    }
    text += &format!("next: privet anonymize {shown}/policy.toml -o {shown}-release\n");
    output.result(&text, || json!({ "written": written }));
    Ok(0)
}
