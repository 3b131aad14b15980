//! The JSON schema of policies against the shipped policies, those of the book, and what is wrong.

use std::fs;

use privet::Exact;
use privet::example::examples;
use privet::policy::schema::{DURATION, EXACT, POSITIVE, schema};
use privet::policy::{Policy, parse_duration};
use serde_json::{Value as Json, json};

use crate::book::{blocks, pages};

/// Whether a value meets a schema, as far as the schema of policies uses the language; an unknown word is a defect.
fn meets(value: &Json, own: &Json, root: &Json) -> bool {
    let Some(words) = own.as_object() else { return own.as_bool().expect("a schema") };
    words.iter().all(|(word, says)| match word.as_str() {
        "$schema" | "$defs" | "title" | "description" | "default" | "then" | "else" => true,
        "$ref" => {
            let pointer = says.as_str().and_then(|says| says.strip_prefix('#')).expect("a pointer");
            meets(value, root.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}")), root)
        }
        "type" => match says.as_str().expect("a type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            other => panic!("unknown type {other}"),
        },
        "const" => value == says,
        "enum" => says.as_array().is_some_and(|all| all.contains(value)),
        "minimum" => value.as_f64().is_none_or(|value| value >= says.as_f64().expect("a bound")),
        "exclusiveMinimum" => value.as_f64().is_none_or(|value| value > says.as_f64().expect("a bound")),
        "maximum" => value.as_f64().is_none_or(|value| value <= says.as_f64().expect("a bound")),
        "minLength" => {
            value.as_str().is_none_or(|text| text.chars().count() as u64 >= says.as_u64().expect("a length"))
        }
        "maxLength" => {
            value.as_str().is_none_or(|text| text.chars().count() as u64 <= says.as_u64().expect("a length"))
        }
        // What the patterns stand for.
        "pattern" => value.as_str().is_none_or(|text| match says.as_str().expect("a pattern") {
            EXACT => Exact::parse(text).is_some(),
            POSITIVE => Exact::parse(text).is_some_and(|exact| exact > Exact::ZERO),
            DURATION => parse_duration(text).is_some(),
            other => panic!("unknown pattern {other}"),
        }),
        "required" => value.as_object().is_none_or(|own| {
            says.as_array().expect("keys").iter().all(|key| own.contains_key(key.as_str().expect("a key")))
        }),
        "minProperties" => {
            value.as_object().is_none_or(|own| own.len() as u64 >= says.as_u64().expect("a number"))
        }
        "minItems" => value.as_array().is_none_or(|own| own.len() as u64 >= says.as_u64().expect("a number")),
        "properties" => value.as_object().is_none_or(|value| {
            let own = says.as_object().expect("properties");
            value.iter().all(|(key, value)| own.get(key).is_none_or(|own| meets(value, own, root)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|value| {
            let known = own.get("properties").and_then(Json::as_object);
            let others = value.iter().filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)));
            others.into_iter().all(|(_, value)| meets(value, says, root))
        }),
        "items" => value.as_array().is_none_or(|value| value.iter().all(|value| meets(value, says, root))),
        "anyOf" => says.as_array().expect("schemas").iter().any(|own| meets(value, own, root)),
        "allOf" => says.as_array().expect("schemas").iter().all(|own| meets(value, own, root)),
        "not" => !meets(value, says, root),
        "if" => {
            let branch = if meets(value, says, root) { "then" } else { "else" };
            own.get(branch).is_none_or(|own| meets(value, own, root))
        }
        other => panic!("unknown word {other}"),
    })
}

fn is_valid(text: &str) -> bool {
    let policy = Policy::parse("policy.toml".as_ref(), text.to_string()).expect("TOML");
    let schema = schema();
    meets(&policy.to_json(), &schema, &schema)
}

#[test]
fn every_shipped_policy_and_those_of_the_book_meet_the_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = 0;
    for example in examples() {
        let to = folder.path().join(example.name);
        example.write(&to).expect("the example");
        for entry in fs::read_dir(&to).expect("the example") {
            let path = entry.expect("a file").path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let text = fs::read_to_string(&path).expect("a policy");
                assert!(is_valid(&text), "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 10, "only {seen} shipped policies");
    for (page, text) in pages() {
        for policy in blocks(&text, "toml,policy") {
            assert!(is_valid(&policy), "{page}:\n{policy}");
        }
    }
}

#[test]
fn what_a_policy_cannot_say_does_not_meet_the_schema() {
    let policy = |data: &str, rest: &str| format!("[data]\npath = \"a.csv\"\n{data}\n{rest}");
    let k = "[privacy.k-anonymity]\nk = 5\n";
    let columns = "[columns.age]\nrole = \"quasi-identifier\"\n";
    assert!(is_valid(&policy("", &format!("{columns}{k}"))));
    assert!(is_valid(&policy(
        "",
        &format!("{columns}[[privacy.l-diversity]]\nl = \"5/2\"\nkind = \"entropy\"\n")
    )));
    assert!(is_valid(&policy(
        "",
        &format!("{k}[method]\nname = \"full-domain\"\nsuppression_limit = 0.05\n")
    )));
    assert!(is_valid(&policy(
        "kind = \"transactions\"",
        "[privacy.km-anonymity]\nk = 2\nm = 1\n[method]\nalpha = 0.1\n"
    )));
    for (data, rest) in [
        ("missin = [\"?\"]", k),
        ("kind = \"tables\"", k),
        ("", ""),
        ("", "[privacy.k-anonimity]\nk = 5\n"),
        ("", "[privacy.k-anonymity]\nk = 0\n"),
        ("", "[privacy.k-anonymity]\n"),
        ("", "[privacy.t-closeness]\nt = 1.5\n"),
        ("", "[privacy.t-closeness]\nt = \"1/0\"\n"),
        ("", "[privacy.lkc-privacy]\nL = 2\nK = 2\nC = 0\n"),
        ("", "[privacy.lkc-privacy]\nL = 2\nK = 2\nC = \"0%\"\n"),
        ("", "[privacy.t-closeness]\nt = \"a third\"\n"),
        ("", "[privacy.t-closeness]\nt = 0.5\ndistance = \"far\"\n"),
        ("", "[privacy.km-anonymity]\nk = 2\nm = 1\n"),
        ("kind = \"transactions\"", k),
        (
            "kind = \"transactions\"",
            "[columns.age]\nrole = \"other\"\n[privacy.km-anonymity]\nk = 2\nm = 1\n",
        ),
        ("", "[columns.age]\nrole = \"quasi\"\n[privacy.k-anonymity]\nk = 5\n"),
        ("", "[privacy.k-anonymity]\nk = 5\n[method]\nname = \"mondrain\"\n"),
        ("", "[privacy.k-anonymity]\nk = 5\n[method]\nname = \"mondrian\"\nsuppression_limit = 0\n"),
        ("", "[privacy.k-anonymity]\nk = 5\n[method]\nname = \"full-domain\"\ntime_limit = \"soon\"\n"),
        ("", "[privacy.k-anonymity]\nk = 5\n[method]\nname = \"og\"\n"),
    ] {
        assert!(!is_valid(&policy(data, rest)), "{data}\n{rest}");
    }
}

#[test]
fn every_key_has_a_description() {
    fn keys(own: &Json, path: &str) {
        for (word, says) in own.as_object().into_iter().flatten() {
            match word.as_str() {
                "properties" => {
                    for (key, own) in says.as_object().expect("properties") {
                        let described = own.get("description").is_some();
                        let chooses =
                            path.contains("/if") || path.contains("/then") || path.contains("/else");
                        assert!(described || chooses, "{path}/{key} says nothing about itself");
                        keys(own, &format!("{path}/{key}"));
                    }
                }
                "enum" | "const" | "default" | "required" => {}
                _ => match says {
                    Json::Array(all) => all.iter().for_each(|own| keys(own, &format!("{path}/{word}"))),
                    Json::Object(_) if word == "$defs" => {
                        says.as_object().expect("definitions").iter().for_each(|(name, own)| keys(own, name));
                    }
                    own => keys(own, &format!("{path}/{word}")),
                },
            }
        }
    }
    keys(&schema(), "");
    assert_eq!(schema()["$schema"], json!("https://json-schema.org/draft/2020-12/schema"));
}
