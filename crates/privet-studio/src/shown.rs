//! What the library knows, as the page reads it. Nothing is worked out here.

use privet::data::Source;
use privet::drafts::{DraftColumn, preset::PRESETS};
use privet::example::examples;
use privet::loss::INFOS;
use privet::policy::method::{TABLES, TRANSACTIONS, VOCABULARIES};
use privet::policy::{AnyPolicy, Catalogue, DataKind, Declaration, Edit, Key, KeyKind, Role};
use privet::promise::promise;
use privet::release::{Decision, Published};
use privet::risk::{Risk, bands};
use privet::taxonomy::{Fit, NodeId, READY, Taxonomy};
use privet::{audit, visible};
use serde_json::{Value as Json, json};

use crate::workspace::Workspace;

/// Nodes of a hierarchy that are sent at most, and values without a leaf.
const MOST_NODES: usize = 3000;
const MOST_MISFITS: usize = 500;

/// What this build knows: examples, requirements, methods, costs, presets and hierarchies to start from.
pub(crate) fn catalogue() -> Json {
    let of = |kind: DataKind| {
        let catalogue: &Catalogue = match kind {
            DataKind::Table => &TABLES,
            DataKind::Transactions => &TRANSACTIONS,
            DataKind::QueryLog | DataKind::Vocabularies => &VOCABULARIES,
        };
        let (requirements, methods) = (catalogue.requirements, catalogue.methods);
        let takes = |requirement: &Declaration| -> Json {
            methods
                .iter()
                .filter(|method| method.takes_requirement(requirement.name))
                .map(|method| json!(method.name))
                .collect()
        };
        json!({
            "requirements": requirements.iter().map(|one| {
                let mut shown = declaration(one);
                shown["methods"] = takes(one);
                shown
            }).collect::<Json>(),
            "methods": methods.iter().map(|one| {
                let mut shown = declaration(one);
                shown["takes"] = one.takes().into();
                shown
            }).collect::<Json>(),
            "default": catalogue.default_method,
        })
    };
    let kinds: serde_json::Map<String, Json> =
        DataKind::ALL.iter().map(|kind| (kind.name().to_string(), of(*kind))).collect();
    json!({
        "examples": examples().iter().map(|one| json!({ "name": one.name, "summary": one.summary })).collect::<Json>(),
        "kinds": kinds,
        "costs": INFOS.iter().map(|one| json!({ "name": one.name, "formula": one.formula })).collect::<Json>(),
        "presets": PRESETS.iter().map(|one| json!({
            "name": one.name, "title": one.title, "summary": one.summary, "k": one.k.map(|(k, _)| k),
        })).collect::<Json>(),
        "ready": READY.iter().map(|one| json!({ "name": one.name, "title": one.title, "source": one.source })).collect::<Json>(),
        "roles": Role::ALL.map(Role::name),
    })
}

fn declaration(one: &Declaration) -> Json {
    let keys: Json = one.keys.iter().map(key).collect();
    json!({ "name": one.name, "summary": one.summary, "help": one.help, "source": one.source, "keys": keys })
}

fn key(key: &Key) -> Json {
    let kind = match key.kind {
        KeyKind::Count(least) => json!({ "is": "count", "least": least }),
        KeyKind::Exact(least, most) => json!({ "is": "exact", "least": least, "most": most }),
        KeyKind::Above(most) => json!({ "is": "exact", "above": "0", "most": most }),
        KeyKind::Column(role) => json!({ "is": "column", "role": role.name() }),
        KeyKind::Choice(words) => json!({ "is": "choice", "words": words }),
        KeyKind::Flag => json!({ "is": "flag" }),
        KeyKind::FlagOrCount(least) => json!({ "is": "flag", "least": least }),
        KeyKind::Duration => json!({ "is": "duration" }),
        KeyKind::Thresholds(..) | KeyKind::WordOrWeights(_) | KeyKind::Choices(..) | KeyKind::Counts(_) => {
            json!({ "is": "table" })
        }
    };
    json!({
        "name": key.name, "kind": kind, "takes": key.kind.in_words(), "default": key.default,
        "required": key.required, "help": key.help,
    })
}

/// What a policy says, as understood.
pub(crate) fn understood(policy: &AnyPolicy) -> Json {
    let promised = promise(policy);
    let method = policy.method();
    let mut shown = json!({
        "kind": policy.kind().name(),
        "data": policy.origin().to_string(),
        "method": method.name,
        "publishes": policy.publishes().to_string(),
        "asked": promised.asked,
        "protections": promised.protections.iter().map(|one| json!({
            "attack": one.attack.name(), "cover": one.cover, "meaning": one.meaning,
        })).collect::<Json>(),
    });
    if let AnyPolicy::Table(table) = policy {
        shown["columns"] = table.source.columns().iter().map(|column| json!(column.name)).collect();
    }
    shown
}

/// What a search came to.
pub(crate) fn decided(decision: &Decision, stopped: bool) -> Json {
    let (loss, records) = (decision.loss().ok(), decision.records().ok());
    let search = decision.search().ok();
    // Plans of some methods list every class; levels are what is shown.
    let plan = decision.plan().ok().and_then(|plan| serde_json::to_value(plan).ok()).unwrap_or_default();
    json!({
        "optimal": decision.is_optimal().unwrap_or(false),
        "stopped": stopped,
        "loss": loss.map(|(name, share)| json!({ "name": name, "share": share })),
        "records": records.map(|(released, read)| json!({ "released": released, "read": read })),
        "search": search.map(|search| json!({
            "space": search.space, "examined": search.examined, "seconds": search.seconds, "bound": search.bound,
        })),
        "levels": plan["levels"],
        "highest": plan["highest"],
        "warnings": decision.warnings().unwrap_or_default(),
    })
}

/// A release that waits, or was published.
pub(crate) fn release(release: &Published, workspace: &Workspace) -> Json {
    let path = if release.path.is_absolute() {
        workspace.shown(&release.path)
    } else {
        release.path.display().to_string()
    };
    json!({
        "path": path,
        "made": release.manifest["origin"]["plan_sha256"],
        "passed": release.audit.passed,
        "verdict": audit::verdict(&release.audit).trim(),
        "checks": release.audit.checks.iter().map(|check| json!({
            "name": check.name, "holds": check.holds, "undetermined": check.undetermined, "detail": check.detail,
        })).collect::<Json>(),
        "attacks": release.attacks.found.iter().map(|found| visible::line(&found.in_a_line()).into_owned()).collect::<Vec<_>>(),
        "left_out": release.left_out,
        "empty": release.empty,
        "warnings": release.warnings,
    })
}

/// A column, as a study found it.
pub(crate) fn column(column: &DraftColumn, suggested: Option<Role>, reason: &str) -> Json {
    json!({
        "name": column.name,
        "kind": column.kind.to_string(),
        "categories": column.categories,
        "distinct": column.distinct,
        "more": column.more,
        "missing": column.missing,
        "role": column.role.map(Role::name),
        "suggested": suggested.map(Role::name),
        "reason": reason,
        "alone": column.alone,
        "together": column.together.map(|(all, _)| all),
        "without": column.together.map(|(_, without)| without),
        "figures": column.figures,
        "understood": column.keys,
    })
}

/// Sets of columns that are shown of each size.
const MOST_SETS: usize = 5;

/// What a table is worth to an attacker.
pub(crate) fn risk(risk: &Risk) -> Json {
    let records = risk.sizes.records();
    let ranked = risk.ranked();
    let sets: Json = (ranked.chunk_by(|one, other| one.columns.len() == other.columns.len()))
        .flat_map(|same| same.iter().take(MOST_SETS))
        .map(|set| json!([risk.names(set), set.distinction(records), set.separation(records)]))
        .collect();
    let by_size: Json =
        (1..).zip(&risk.uniques.by_size).map(|(size, count): (u64, _)| json!([size, count])).collect();
    json!({
        "records": records,
        "classes": risk.sizes.classes(),
        "figures": risk.in_words(),
        "bands": bands(&risk.sizes),
        "sets": sets,
        "special": { "by_size": by_size, "records": risk.uniques.records, "largest": risk.uniques.largest },
    })
}

/// The first rows of a table.
pub(crate) fn rows(source: &Source, most: usize) -> privet::Result<Json> {
    let names: Vec<&str> = source.columns().iter().map(|column| column.name.as_str()).collect();
    Ok(json!({ "columns": names, "rows": source.head(most)?, "notes": source.remarks() }))
}

/// A hierarchy, its nodes in preorder, with what of the data it fits.
pub(crate) fn tree(tree: &Taxonomy, fit: &Fit) -> Json {
    let count = |node: NodeId| fit.counts[tree.leaves_below(node)].iter().sum::<u64>();
    let nodes: Json = (tree.nodes().take(MOST_NODES))
        .map(|node| json!([tree.label(node), tree.depth(node), count(node), tree.is_leaf(node)]))
        .collect();
    let misfits: Json = (fit.misfits.iter().take(MOST_MISFITS))
        .map(|misfit| {
            json!({ "value": misfit.value, "count": misfit.count, "line": misfit.line, "reason": misfit.reason })
        })
        .collect();
    json!({
        "nodes": nodes, "more": tree.len().saturating_sub(MOST_NODES), "levels": tree.levels(),
        "leaves": tree.leaves(), "misfits": misfits, "uncovered": fit.misfits.len(), "unused": fit.unused.len(),
    })
}

/// Changes to a policy, as the page writes them.
pub(crate) fn edits(list: &Json) -> Option<Vec<Edit>> {
    let place = |json: &Json| -> Option<Vec<String>> {
        json.as_array()?.iter().map(|key| key.as_str().map(String::from)).collect()
    };
    let one = |json: &Json| {
        if let Some(keys) = place(&json["set"]) {
            return Some(Edit::Set(keys, toml(&json["to"])?));
        }
        if let Some(keys) = place(&json["open"]) {
            return Some(Edit::Open(keys));
        }
        place(&json["remove"]).map(Edit::Remove)
    };
    list.as_array()?.iter().map(one).collect()
}

/// The same changes, for the page to make them.
pub(crate) fn as_edits(edits: &[Edit]) -> Json {
    let one = |edit: &Edit| match edit {
        Edit::Set(place, text) => json!({ "set": place, "to": { "toml": text } }),
        Edit::Open(place) => json!({ "open": place }),
        Edit::Remove(place) => json!({ "remove": place }),
    };
    edits.iter().map(one).collect()
}

/// A value in TOML; `{ "toml": … }` is one already.
fn toml(json: &Json) -> Option<String> {
    Some(match json {
        Json::String(text) => quoted(text),
        Json::Bool(flag) => flag.to_string(),
        Json::Number(number) => number.to_string(),
        Json::Array(items) => {
            format!("[{}]", items.iter().map(toml).collect::<Option<Vec<_>>>()?.join(", "))
        }
        Json::Object(fields) => fields.get("toml")?.as_str()?.to_string(),
        Json::Null => return None,
    })
}

/// A text as TOML's basic strings have it.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted += "\\n",
            '\t' => quoted += "\\t",
            character if character.is_control() => quoted += &format!("\\u{:04x}", character as u32),
            character => quoted.push(character),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_survive_toml() {
        for text in ["plain", "a \"b\" \\ c", "tab\tand\nline", "nul\u{1}", "Ä 日本", "[x]", "'"] {
            let edits = [Edit::Set(vec!["a".into()], quoted(text))];
            let policy = privet::policy::Policy::parse("p.toml".as_ref(), String::new()).expect("TOML");
            assert_eq!(policy.edited(&edits).expect("TOML").to_json()["a"], text, "{text:?}");
        }
        assert_eq!(toml(&json!(["a", 1, true])).as_deref(), Some("[\"a\", 1, true]"));
        assert!(edits(&json!([{ "set": ["a"], "to": 1 }, { "remove": ["b"] }, { "open": ["c"] }])).is_some());
        assert!(edits(&json!([{ "set": "a" }])).is_none() && edits(&json!({})).is_none());
    }

    #[test]
    fn the_catalogue_knows_every_kind_of_data() {
        let known = catalogue();
        for kind in ["table", "transactions", "query-log", "vocabularies"] {
            assert!(
                known["kinds"][kind]["methods"].as_array().is_some_and(|methods| !methods.is_empty()),
                "{kind}"
            );
        }
    }
}
