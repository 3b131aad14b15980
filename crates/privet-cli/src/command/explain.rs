//! `privet explain`: what a policy can ask for and how it can be made.

use privet::method::CATALOGUE;
use privet::policy::{Declaration, Key, KeyKind};
use privet::{Error, Result};
use serde_json::{Value as Json, json};

use crate::arguments::Explain;
use crate::output::Output;

pub fn run(arguments: &Explain, output: &Output) -> Result<u8> {
    let all = || CATALOGUE.requirements.iter().chain(CATALOGUE.methods);
    let Some(name) = &arguments.name else {
        let list = |declarations: &[&Declaration]| -> String {
            declarations.iter().map(|one| format!("  {:<14} {}\n", one.name, one.summary)).collect()
        };
        let text = format!(
            "Requirements, as [privacy.NAME]:\n{}\nMethods, as [method] name = \"NAME\":\n{}",
            list(CATALOGUE.requirements),
            list(CATALOGUE.methods)
        );
        output.result(&text, || {
            let json = |list: &[&Declaration]| -> Json { list.iter().map(|one| to_json(one)).collect() };
            json!({ "requirements": json(CATALOGUE.requirements), "methods": json(CATALOGUE.methods) })
        });
        return Ok(0);
    };
    let Some(declaration) = all().find(|declaration| declaration.name == name) else {
        let names: Vec<&str> = all().map(|declaration| declaration.name).collect();
        return Err(
            Error::input(format!("nothing is called '{name}'")).help(format!("known: {}", names.join(", ")))
        );
    };
    let keys: String = declaration.keys.iter().map(key_line).collect();
    let text =
        format!("{}: {}\n\n{}\n\nKeys:\n{keys}", declaration.name, declaration.summary, declaration.help);
    output.result(&text, || to_json(declaration));
    Ok(0)
}

fn key_line(key: &Key) -> String {
    let default = match (key.required, key.default) {
        (true, _) => "required".to_string(),
        (false, Some(default)) => format!("default {default}"),
        (false, None) => "optional".to_string(),
    };
    format!("  {:<18} {} [{}; {default}]\n", key.name, key.help, takes(key.kind))
}

fn takes(kind: KeyKind) -> String {
    match kind {
        KeyKind::Count(least) => format!("a whole number from {least}"),
        KeyKind::Exact(least, "") => format!("an exact number from {least}"),
        KeyKind::Exact(least, most) => format!("an exact number from {least} to {most}"),
        KeyKind::Column(role) => format!("a column of role {role}"),
        KeyKind::Choice(words) => words.join(" | "),
        KeyKind::Flag => "true or false".to_string(),
        KeyKind::Duration => "a length of time".to_string(),
    }
}

fn to_json(declaration: &Declaration) -> Json {
    let keys: Vec<Json> = declaration
        .keys
        .iter()
        .map(|key| {
            json!({ "name": key.name, "takes": takes(key.kind), "required": key.required, "default": key.default, "help": key.help })
        })
        .collect();
    json!({ "name": declaration.name, "summary": declaration.summary, "help": declaration.help, "keys": keys })
}
