//! `privet explain`: what a policy can ask for and how it can be made; and why a release is not finer.

use std::path::Path;

use privet::drafts::preset::PRESETS;
use privet::loss::items::ItemMeasure;
use privet::loss::{INFOS, Info, NAMES};
use privet::method::vocabulary;
use privet::policy::CATALOGUES;
use privet::policy::method::{TABLES, TRANSACTIONS, VOCABULARIES};
use privet::policy::{Catalogue, Declaration, Key};
use privet::release::{Questioned, explain_release};
use privet::{Error, Result};
use serde_json::{Value as Json, json};

use crate::arguments::Explain;
use crate::output::Output;

pub fn run(arguments: &Explain, output: &Output) -> Result<u8> {
    let asked = match (&arguments.item, &arguments.column) {
        (Some(item), _) => Some(Questioned::Item(item)),
        (None, Some(column)) => Some(Questioned::Column(column)),
        (None, None) => None,
    };
    if let (Some(folder), Some(asked)) = (&arguments.name, asked) {
        let explanation = explain_release(Path::new(folder), asked)?;
        output.result(&format!("{}\n", explanation.text), || explanation.json.clone());
        return Ok(0);
    }
    let all = || CATALOGUES.into_iter().flat_map(|one| one.requirements.iter().chain(one.methods));
    let Some(name) = &arguments.name else {
        let names = all().map(|one| one.name).chain(INFOS.iter().map(|info| info.name));
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
        let list = |declarations: &[&Declaration]| -> String {
            declarations.iter().map(|one| format!("  {:<width$} {}\n", one.name, one.summary)).collect()
        };
        let costs: String =
            INFOS.iter().map(|info| format!("  {:<width$} {}\n", info.name, info.formula)).collect();
        let catalogue = |one: &Catalogue| {
            format!(
                "Requirements, as [privacy.NAME]:\n{}\nMethods, as [method] name = \"NAME\":\n{}\n",
                list(one.requirements),
                list(one.methods)
            )
        };
        let presets: String =
            PRESETS.iter().map(|preset| format!("  {:<width$} {}\n", preset.name, preset.title)).collect();
        let text = format!(
            "{}Costs, as [method] cost = \"NAME\":\n{costs}\nFor transactions, with kind = \"transactions\" in [data]:\n\n{}\
             Costs: {}, per occurrence of an item\n\n\
             For bags of terms, with kind = \"query-log\" or \"vocabularies\" in [data]:\n\n{}\
             Cost: {}, per occurrence of a term\n\nPresets, as privet init --preset NAME:\n{presets}",
            catalogue(&TABLES),
            catalogue(&TRANSACTIONS),
            ItemMeasure::NAMES.join(", "),
            catalogue(&VOCABULARIES),
            vocabulary::COST,
        );
        output.result(&text, || {
            let json = |list: &[&Declaration]| -> Json { list.iter().map(|one| to_json(one)).collect() };
            let costs: Json = INFOS.iter().map(|info| cost_json(info)).collect();
            let transactions = json!({
                "requirements": json(TRANSACTIONS.requirements), "methods": json(TRANSACTIONS.methods),
                "costs": ItemMeasure::NAMES,
            });
            let vocabularies = json!({
                "requirements": json(VOCABULARIES.requirements),
                "methods": json(VOCABULARIES.methods), "costs": [vocabulary::COST],
            });
            json!({
                "requirements": json(TABLES.requirements), "methods": json(TABLES.methods), "costs": costs,
                "transactions": transactions, "vocabularies": vocabularies,
            })
        });
        return Ok(0);
    };
    if let Some(preset) = PRESETS.iter().find(|preset| preset.name == name) {
        output.result(&preset.explain(), || {
            let (name, title, k) = (preset.name, preset.title, preset.k.map(|(k, _)| k));
            json!({ "name": name, "title": title, "summary": preset.summary, "help": preset.help, "k": k })
        });
        return Ok(0);
    }
    if let Some(info) = INFOS.iter().find(|info| info.name == name) {
        let better = if info.smaller_is_better { "smaller" } else { "larger" };
        let text = format!("{}: {}\nrange: {}; {better} is better\n", info.name, info.formula, info.range);
        output.result(&text, || cost_json(info));
        return Ok(0);
    }
    let found: Vec<&Declaration> = all().filter(|declaration| declaration.name == name).copied().collect();
    if found.is_empty() {
        let names: Vec<&str> =
            all().map(|declaration| declaration.name).chain(NAMES.iter().copied()).collect();
        let names: Vec<&str> = names.into_iter().chain(PRESETS.iter().map(|preset| preset.name)).collect();
        let near = near(name, &names);
        let help = if near.is_empty() {
            format!("known: {}", names.join(", "))
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        return Err(Error::input(format!("nothing is called '{name}'")).help(help));
    }
    // A method may have a namesake for another kind of data.
    let text = found.iter().map(|declaration| described(declaration)).collect::<Vec<_>>().join("\n");
    output.result(&text, || match found[..] {
        [declaration] => to_json(declaration),
        _ => found.iter().map(|declaration| to_json(declaration)).collect(),
    });
    Ok(0)
}

fn described(declaration: &Declaration) -> String {
    let width = declaration.keys.iter().map(|key| key.name.chars().count()).max().unwrap_or(0);
    let keys: String = declaration.keys.iter().map(|key| key_line(key, width)).collect();
    let keys = if keys.is_empty() { String::new() } else { format!("\nKeys:\n{keys}") };
    let goes_with = if declaration.accepts.is_empty() {
        format!("Methods that take it: {}", methods_for(declaration).join(", "))
    } else {
        format!("Requirements that it takes: {}", declaration.takes())
    };
    let Declaration { name, summary, help, source, .. } = declaration;
    format!("{name}: {summary}\n\n{help}\n\nSource: {source}\n{goes_with}\n{keys}")
}

/// The methods that take a requirement.
fn methods_for(requirement: &Declaration) -> Vec<&'static str> {
    let own = CATALOGUES.into_iter().filter(|one| one.requirement(requirement.name).is_some());
    let methods = own.flat_map(|one| one.methods.iter());
    methods.filter(|method| method.takes_requirement(requirement.name)).map(|method| method.name).collect()
}

/// The names that what was asked for is a part of; "l+" is how papers write l-plus.
fn near<'a>(wanted: &str, names: &[&'a str]) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase().replace(['+', '⁺'], "-plus");
    let is_part = |name: &str| wanted.len() > 2 && name.to_lowercase().contains(&wanted);
    names.iter().copied().filter(|name| is_part(name)).collect()
}

fn cost_json(info: &Info) -> Json {
    json!({ "name": info.name, "formula": info.formula, "range": info.range, "smaller_is_better": info.smaller_is_better })
}

fn key_line(key: &Key, width: usize) -> String {
    let default = match (key.required, key.default) {
        (true, _) => "required".to_string(),
        (false, Some(default)) => format!("default {default}"),
        (false, None) => "optional".to_string(),
    };
    format!("  {:<width$} {} [{}; {default}]\n", key.name, key.help, key.kind.in_words())
}

fn to_json(declaration: &Declaration) -> Json {
    let keys: Vec<Json> = declaration
        .keys
        .iter()
        .map(|key| {
            json!({ "name": key.name, "takes": key.kind.in_words(), "required": key.required, "default": key.default, "help": key.help })
        })
        .collect();
    let mut explained = json!({
        "name": declaration.name, "summary": declaration.summary, "help": declaration.help, "source": declaration.source, "keys": keys,
    });
    if declaration.accepts.is_empty() {
        explained["methods"] = json!(methods_for(declaration));
    } else {
        explained["takes"] = json!(declaration.takes());
    }
    explained
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_of_a_name_suggests_the_names() {
        let names = ["k-anonymity", "l-plus-diversity", "l-plus-optimize", "mondrian"];
        for wanted in ["l-plus", "l+", "L⁺"] {
            assert_eq!(near(wanted, &names), ["l-plus-diversity", "l-plus-optimize"], "{wanted}");
        }
        assert!(near("", &names).is_empty() && near("incognito", &names).is_empty());
    }
}
