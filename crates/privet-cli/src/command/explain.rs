//! `privet explain`: what a policy can ask for and how it can be made.

use privet::loss::{INFOS, Info, NAMES};
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
            declarations.iter().map(|one| format!("  {:<18} {}\n", one.name, one.summary)).collect()
        };
        let costs: String =
            INFOS.iter().map(|info| format!("  {:<18} {}\n", info.name, info.formula)).collect();
        let text = format!(
            "Requirements, as [privacy.NAME]:\n{}\nMethods, as [method] name = \"NAME\":\n{}\nCosts, as [method] cost = \"NAME\":\n{costs}",
            list(CATALOGUE.requirements),
            list(CATALOGUE.methods)
        );
        output.result(&text, || {
            let json = |list: &[&Declaration]| -> Json { list.iter().map(|one| to_json(one)).collect() };
            let costs: Json = INFOS.iter().map(|info| cost_json(info)).collect();
            json!({ "requirements": json(CATALOGUE.requirements), "methods": json(CATALOGUE.methods), "costs": costs })
        });
        return Ok(0);
    };
    if let Some(info) = INFOS.iter().find(|info| info.name == name) {
        let better = if info.smaller_is_better { "smaller" } else { "larger" };
        let text = format!("{}: {}\nrange: {}; {better} is better\n", info.name, info.formula, info.range);
        output.result(&text, || cost_json(info));
        return Ok(0);
    }
    let Some(declaration) = all().find(|declaration| declaration.name == name) else {
        let names: Vec<&str> =
            all().map(|declaration| declaration.name).chain(NAMES.iter().copied()).collect();
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

fn cost_json(info: &Info) -> Json {
    json!({ "name": info.name, "formula": info.formula, "range": info.range, "smaller_is_better": info.smaller_is_better })
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
        KeyKind::Thresholds(least, most) => {
            format!("a table of values, each with an exact number from {least} to {most}")
        }
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
