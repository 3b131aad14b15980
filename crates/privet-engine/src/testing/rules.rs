//! The tables with known answers, `vectors/injector`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;

use crate::negative_rules::{Attribute, Observations, Parameters, Trapezoid};
use crate::privacy::matching::Kind;
use privet_core::{Exact, ValueSet};
use privet_taxonomy::Taxonomy;

/// A table with its parameters and what is known about it. Every row is a distinct record of its own, in file order.
pub struct Vector {
    pub name: String,
    pub observations: Observations,
    pub parameters: Parameters,
    pub expected: Json,
}

/// The folder of the cases.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/injector")
}

/// A file of cases.
pub fn read(path: &Path) -> Json {
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// All tables, by name.
pub fn vectors() -> Vec<Vector> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder()).expect("cases").map(|entry| entry.expect("a case").path()).collect();
    paths.sort();
    let cases = paths.iter().map(|path| read(path)).filter(|json| json.get("rows").is_some());
    cases.map(|json| Vector::of(&json)).collect()
}

/// Texts out of a list.
pub fn texts(list: &Json) -> Vec<String> {
    serde_json::from_value(list.clone()).expect("a list of texts")
}

/// Row numbers out of a list.
pub fn rows(list: &Json) -> Vec<usize> {
    serde_json::from_value(list.clone()).expect("a list of rows")
}

/// A hierarchy, of which the files leave out the root; without one, the flat tree of the values that occur.
pub fn taxonomy<'a>(hierarchy: &Json, occurring: impl Iterator<Item = &'a str>) -> Taxonomy {
    let leaves = hierarchy.as_object().expect("a hierarchy").iter();
    if leaves.len() == 0 {
        return Taxonomy::flat(occurring.collect::<BTreeSet<&str>>()).expect("a tree");
    }
    let path = |(leaf, above): (&String, &Json)| {
        let mut path = vec![leaf.clone()];
        path.extend(texts(above));
        path.push("*".to_string());
        path
    };
    Taxonomy::from_paths(&leaves.map(path).collect::<Vec<_>>()).expect("a tree")
}

/// When rules count.
pub fn parameters(json: &Json) -> Parameters {
    let exact = |key: &str| Exact::parse(&json[key].to_string()).expect("a number");
    Parameters {
        min_expectation: exact("minExp"),
        min_confidence: exact("minConf"),
        max_length: json["maxLen"].as_u64().map_or(usize::MAX, |length| length as usize),
        significance: None,
        alpha: json.get("alpha").map(|_| exact("alpha")),
    }
}

impl Vector {
    fn of(json: &Json) -> Vector {
        let name = json["name"].as_str().expect("a name").to_string();
        let qi = texts(&json["qi"]);
        let rows = json["rows"].as_array().expect("rows");
        let attributes: Vec<Attribute> = (qi.iter())
            .map(|name| {
                let occurring = rows.iter().filter_map(|row| row[name].as_str());
                let taxonomy = Arc::new(taxonomy(&json["hierarchies"][name], occurring));
                let Some(shapes) = json["fuzzy"].get(name) else {
                    return Attribute::crisp(name.clone(), taxonomy);
                };
                let tree = taxonomy.clone();
                let shape = |node| {
                    let corner = |at: usize| shapes[tree.label(node)][at].as_f64().expect("a number");
                    let known = shapes.get(tree.label(node)).is_some();
                    known.then(|| Trapezoid { a: corner(0), b: corner(1), c: corner(2), d: corner(3) })
                };
                Attribute::fuzzy(name.clone(), taxonomy, shape).expect("nested nodes")
            })
            .collect();
        let sensitive = json["sensitive"].as_str().expect("a name");
        let text = |row: &Json, name: &str| row[name].as_str().expect("a text").to_string();
        let values: BTreeSet<String> = rows.iter().map(|row| text(row, sensitive)).collect();
        let mut observations = Observations::new(attributes, values.into_iter().collect());
        for row in rows {
            let leaf = |(name, attribute): (&String, &Attribute)| {
                let node = attribute.taxonomy.find(&text(row, name)).expect("a leaf");
                attribute.taxonomy.leaves_below(node).start as u32
            };
            let leaves: Vec<u32> = qi.iter().zip(&observations.attributes).map(leaf).collect();
            let value = text(row, sensitive);
            let code = observations.values.iter().position(|other| *other == value).expect("a value");
            observations.push(&leaves, code as u32, 1);
        }
        Vector { name, observations, parameters: parameters(json), expected: json["expected"].clone() }
    }

    /// The values of a set.
    pub fn labels(&self, set: &ValueSet) -> Vec<String> {
        set.iter().map(|value| self.observations.values[value as usize].clone()).collect()
    }

    /// The kind of each row, by what is excluded for it.
    pub fn kinds(&self, excluded: &[ValueSet]) -> Vec<Kind> {
        let kind = |(row, excluded): (usize, &ValueSet)| Kind {
            value: self.observations.value(row),
            excluded: excluded.clone(),
        };
        excluded.iter().enumerate().map(kind).collect()
    }
}
