//! The JSON schema of policies, from the same declarations that policies are checked by.
//!
//! With it editors complete keys and words, show their help and mark what is wrong while a policy is written. It says what can
//! be said without data: a policy that it accepts may still name a column that the data do not have.

use serde_json::{Map, Value as Json, json};

use super::check::{DataKind, Role};
use super::column_type::ColumnType;
use super::dates::DatePart;
use super::declare::{Catalogue, Declaration, Key, KeyKind};
use super::numbers::BoundLabel;
use super::pseudonyms::Normalise;
use crate::method::{CATALOGUES, Labels, TABLES, TRANSACTIONS, VOCABULARIES};

/// The pattern of an exact number that is written as text: `"3/10"`, `"30%"`, `"0.3"`. What stands below the line has a digit other
/// than 0.
pub const EXACT: &str = concat!(
    r"^\s*[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?\s*",
    r"(%|/\s*(0*[1-9][0-9]*(\.[0-9]+)?|0*\.0*[1-9][0-9]*)([eE][+-]?[0-9]+)?)?\s*$"
);

/// The same for a number above 0: its first part has a digit other than 0, too.
pub const POSITIVE: &str = concat!(
    r"^\s*(0*[1-9][0-9]*(\.[0-9]+)?|0*\.0*[1-9][0-9]*)([eE][+-]?[0-9]+)?\s*",
    r"(%|/\s*(0*[1-9][0-9]*(\.[0-9]+)?|0*\.0*[1-9][0-9]*)([eE][+-]?[0-9]+)?)?\s*$"
);

/// The pattern of a length of time: `"30s"`.
pub const DURATION: &str = r"^\s*[0-9]*\.?[0-9]+\s*(ms|s|m|min|h|d|w)\s*$";

/// The schema, draft 2020-12.
pub fn schema() -> Json {
    let mut definitions = Map::new();
    for catalogue in CATALOGUES {
        for requirement in catalogue.requirements {
            definitions.insert(named(catalogue, requirement), table_of(requirement, &[], true));
        }
    }
    for (kind, catalogue) in kinds() {
        definitions.insert(format!("method-{kind}"), methods(catalogue));
        definitions.insert(format!("privacy-{kind}"), privacy(&[catalogue]));
    }
    definitions.insert("exact".into(), exact("0", ""));
    definitions.insert("column".into(), column());
    for kind in DataKind::ALL {
        definitions.insert(format!("data-{}", kind.name()), data(kind));
    }
    let of_kind = |kind: DataKind, then: Json| {
        json!({
            "if": { "properties": { "data": { "properties": { "kind": { "const": kind.name() } }, "required": ["kind"] } } },
            "then": then,
        })
    };
    let only = |privacy: &str, stray: &[&str]| {
        json!({
            "properties": {
                "privacy": { "$ref": format!("#/$defs/privacy-{privacy}") },
                "method": { "$ref": format!("#/$defs/method-{privacy}") },
            },
            "not": { "anyOf": stray.iter().map(|key| json!({ "required": [key] })).collect::<Vec<_>>() },
        })
    };
    let table = only("tables", &["items", "vocabulary", "semantics"]);
    let other = DataKind::ALL.iter().filter(|kind| **kind != DataKind::Table).map(|kind| kind.name());
    let other: Vec<&str> = other.collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Privet policy",
        "description": "What a release must guarantee and how it is made. `privet explain NAME` says more about a requirement or a method.",
        "type": "object",
        "properties": {
            "seed": about(json!({ "type": "integer", "minimum": 0 }), "The secret that every random choice derives from."),
            "data": {
                "description": "The data file and how to read it.",
                "anyOf": DataKind::ALL.map(|kind| json!({ "$ref": format!("#/$defs/data-{}", kind.name()) })),
            },
            "columns": about(
                json!({ "type": "object", "additionalProperties": { "$ref": "#/$defs/column" } }),
                "What each column of a table is. A column that is not mentioned is not published.",
            ),
            "items": section("Items of transactions.", &[
                ("hierarchy", tree("The file with the tree of public items, or the paths of the tree.")),
                ("sensitive", one_or_file("Items that nobody may learn about: a list, or a file with one per line.")),
            ], &[]),
            "vocabulary": vocabulary(),
            "semantics": semantics(),
            "population": population(),
            "pseudonyms": section("How pseudonyms are made.", &[
                ("key", text("The file that is the key, of at least 32 bytes; `privet key new` makes one.")),
                ("length", about(json!({ "type": "integer", "minimum": 16, "maximum": 51 }), "How many letters and digits a pseudonym has, of five bits each (26).")),
                ("normalise", words(Normalise::WORDS, Normalise::Trim.name(), "What is done to values before they are hashed.")),
            ], &["key"]),
            "privacy": privacy(&CATALOGUES),
            "knowledge": knowledge(),
            "loss": section("What weighs how much in a table with a column of role set.", &[
                ("items", about(json!({ "$ref": "#/$defs/exact" }), "The share of the items, from 0 to 1 (0.5); the quasi-identifiers have the rest.")),
            ], &[]),
            "method": {
                "description": "How the release is made.",
                "anyOf": kinds().iter().map(|(kind, _)| json!({ "$ref": format!("#/$defs/method-{kind}") })).collect::<Vec<_>>(),
            },
            "report": report(),
            "ledger": section("Where releases are recorded.", &[
                ("path", text("The ledger file.")),
                ("recipient", text("To whom this release goes.")),
                ("person", text("The column that identifies people.")),
                ("on_composition", words(&["warn", "refuse"], "warn", "What happens when this release and earlier ones together reveal more than each alone.")),
            ], &["path"]),
            "release": section("Where the release goes in addition to its directory.", &[
                ("table", text("The table to make in the database that the data come from: \"schema.name\".")),
            ], &["table"]),
        },
        "required": ["data", "privacy"],
        "additionalProperties": false,
        "allOf": [
            of_kind(DataKind::Transactions, only("transactions", &["columns", "population", "pseudonyms", "loss", "knowledge", "vocabulary", "semantics"])),
            of_kind(DataKind::QueryLog, only("vocabularies", &["columns", "population", "pseudonyms", "loss", "knowledge", "items"])),
            of_kind(DataKind::Vocabularies, only("vocabularies", &["columns", "population", "pseudonyms", "loss", "knowledge", "items", "vocabulary"])),
            {
                "if": { "properties": { "data": { "properties": { "kind": { "enum": other } }, "required": ["kind"] } } },
                "else": table,
            },
        ],
        "$defs": definitions,
    })
}

/// The catalogues with their names.
fn kinds() -> [(&'static str, &'static Catalogue); 3] {
    [("tables", &TABLES), ("transactions", &TRANSACTIONS), ("vocabularies", &VOCABULARIES)]
}

/// What a requirement is called among the definitions; one for tables may have a namesake for transactions.
fn named(catalogue: &Catalogue, requirement: &Declaration) -> String {
    let of_tables = std::ptr::eq(catalogue, &TABLES);
    let has_namesake = |other: &&Catalogue| other.requirement(requirement.name).is_some();
    match of_tables && CATALOGUES.into_iter().filter(has_namesake).count() > 1 {
        true => format!("privacy-{}-of-tables", requirement.name),
        false => format!("privacy-{}", requirement.name),
    }
}

/// `[privacy]` with the requirements of some catalogues.
fn privacy(catalogues: &[&Catalogue]) -> Json {
    let mut namesakes: Vec<(&Declaration, Vec<Json>)> = Vec::new();
    for catalogue in catalogues {
        for requirement in catalogue.requirements {
            let own = json!({ "$ref": format!("#/$defs/{}", named(catalogue, requirement)) });
            match namesakes.iter_mut().find(|(other, _)| other.name == requirement.name) {
                Some((_, known)) => known.push(own),
                None => namesakes.push((requirement, vec![own])),
            }
        }
    }
    let properties = namesakes.into_iter().map(|(requirement, own)| {
        let many = own.iter().map(|own| json!({ "type": "array", "items": own, "minItems": 1 }));
        let once_or_more: Vec<Json> = own.iter().cloned().chain(many).collect();
        let once_or_more = json!({ "description": described(requirement), "anyOf": once_or_more });
        (requirement.name.to_string(), once_or_more)
    });
    json!({
        "description": "What the release must guarantee. Of several requirements it meets all.",
        "type": "object",
        "properties": properties.collect::<Map<_, _>>(),
        "additionalProperties": false,
        "minProperties": 1,
    })
}

/// `[method]` with the methods of a catalogue. Without a name the requirements decide which it is, so any key of any may be
/// right.
fn methods(catalogue: &Catalogue) -> Json {
    let name = |method: &Declaration| {
        let name = json!({ "const": method.name, "description": described(method) });
        ("name".to_string(), name)
    };
    let mut all: Vec<Json> =
        catalogue.methods.iter().map(|method| table_of(method, &[name(method)], false)).collect();
    let keys = catalogue.methods.iter().flat_map(|method| method.keys);
    let mut unnamed: Map<String, Json> = Map::new();
    for key in keys {
        match unnamed.get_mut(key.name) {
            // Keys of one name may differ from method to method.
            Some(known) if *known != property(key) => *known = about(json!({}), key.help),
            Some(_) => {}
            None => {
                unnamed.insert(key.name.to_string(), property(key));
            }
        }
    }
    all.push(json!({ "type": "object", "properties": unnamed, "additionalProperties": false }));
    json!({ "anyOf": all })
}

/// The table of a requirement or a method.
fn table_of(declaration: &Declaration, first: &[(String, Json)], required: bool) -> Json {
    let keys = declaration.keys.iter().map(|key| (key.name.to_string(), property(key)));
    let needed: Vec<&str> = first
        .iter()
        .map(|(name, _)| name.as_str())
        .chain(declaration.keys.iter().filter(|key| required && key.required).map(|key| key.name))
        .collect();
    json!({
        "title": declaration.name,
        "description": described(declaration),
        "type": "object",
        "properties": first.iter().cloned().chain(keys).collect::<Map<_, _>>(),
        "required": needed,
        "additionalProperties": false,
    })
}

fn described(declaration: &Declaration) -> String {
    format!("{}\n\n{}", declaration.summary, declaration.help)
}

/// One key.
fn property(key: &Key) -> Json {
    let mut own = about(kind(key.kind), key.help);
    if let (Some(default), Some(own)) = (key.default, own.as_object_mut()) {
        own.insert("default".into(), default_of(key.kind, default));
    }
    own
}

fn default_of(kind: KeyKind, text: &str) -> Json {
    match kind {
        KeyKind::Count(_)
        | KeyKind::Exact(..)
        | KeyKind::Above(..)
        | KeyKind::Flag
        | KeyKind::FlagOrCount(_) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        KeyKind::Column(_)
        | KeyKind::Choice(_)
        | KeyKind::Duration
        | KeyKind::Thresholds(..)
        | KeyKind::WordOrWeights(_)
        | KeyKind::Choices(..)
        | KeyKind::Counts(_) => json!(text),
    }
}

fn kind(kind: KeyKind) -> Json {
    match kind {
        KeyKind::Count(least) => json!({ "type": "integer", "minimum": least }),
        KeyKind::Exact(least, most) => exact(least, most),
        KeyKind::Above(most) => above(most),
        KeyKind::Column(_) => json!({ "type": "string" }),
        KeyKind::Choice(words) => json!({ "enum": words }),
        KeyKind::Flag => json!({ "type": "boolean" }),
        KeyKind::FlagOrCount(least) => {
            json!({ "anyOf": [{ "type": "boolean" }, { "type": "integer", "minimum": least }] })
        }
        KeyKind::Duration => json!({ "type": "string", "pattern": DURATION }),
        KeyKind::Thresholds(least, most) => {
            json!({ "type": "object", "additionalProperties": exact(least, most) })
        }
        KeyKind::WordOrWeights(words) => json!({
            "anyOf": [{ "enum": words }, { "type": "object", "additionalProperties": above("") }]
        }),
        KeyKind::Choices(_, words) => json!({ "type": "object", "additionalProperties": { "enum": words } }),
        KeyKind::Counts(_) => {
            json!({ "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } })
        }
    }
}

/// An exact number above 0.
fn above(most: &str) -> Json {
    let mut number = Map::from_iter([("type".to_string(), json!("number"))]);
    number.insert("exclusiveMinimum".into(), json!(0));
    if let Ok(most @ Json::Number(_)) = serde_json::from_str::<Json>(most) {
        number.insert("maximum".into(), most);
    }
    json!({ "anyOf": [number, { "type": "string", "pattern": POSITIVE }] })
}

/// An exact number: a number of TOML within the bounds, or text such as `"3/10"`, whose bounds only Privet checks.
fn exact(least: &str, most: &str) -> Json {
    let mut number = Map::from_iter([("type".to_string(), json!("number"))]);
    for (key, bound) in [("minimum", least), ("maximum", most)] {
        if let Ok(bound @ Json::Number(_)) = serde_json::from_str::<Json>(bound) {
            number.insert(key.into(), bound);
        }
    }
    json!({ "anyOf": [number, { "type": "string", "pattern": EXACT }] })
}

fn about(mut schema: Json, description: &str) -> Json {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".into(), json!(description));
    }
    schema
}

fn text(description: &str) -> Json {
    about(json!({ "type": "string" }), description)
}

fn flag(default: bool, description: &str) -> Json {
    about(json!({ "type": "boolean", "default": default }), description)
}

fn words(words: &[&str], default: &str, description: &str) -> Json {
    about(json!({ "enum": words, "default": default }), description)
}

fn character(description: &str) -> Json {
    about(json!({ "type": "string", "minLength": 1, "maxLength": 1 }), description)
}

fn texts(description: &str) -> Json {
    about(json!({ "type": "array", "items": { "type": "string" } }), description)
}

/// A tree: the file that holds it, or a list of paths from each leaf to the root.
fn tree(description: &str) -> Json {
    let path = json!({ "type": "array", "minItems": 1, "items": { "type": "string" } });
    let paths = json!({ "type": "array", "minItems": 1, "items": path });
    about(json!({ "anyOf": [{ "type": "string" }, paths] }), description)
}

fn one_or_file(description: &str) -> Json {
    about(
        json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] }),
        description,
    )
}

fn section(description: &str, keys: &[(&str, Json)], required: &[&str]) -> Json {
    let properties: Map<String, Json> =
        keys.iter().map(|(key, own)| (key.to_string(), own.clone())).collect();
    json!({
        "description": description,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// `[data]` of one kind: in a file, or in a database.
fn data(kind: DataKind) -> Json {
    let mut own = data_in_file(kind);
    let keys = [
        (
            "driver",
            text(
                "For data in a database: postgresql, sqlite, duckdb, or the name or path of an ADBC driver.",
            ),
        ),
        ("uri_env", text("The environment variable that holds the database's address.")),
        ("table", text("The table to read: \"schema.name\".")),
        ("query", text("The query whose rows are read, in place of a table.")),
    ];
    for (key, schema) in keys {
        own["properties"][key] = schema;
    }
    if let Some(required) = own["required"].as_array_mut() {
        required.retain(|key| key != "path");
    }
    own["anyOf"] = json!([{ "required": ["path"] }, { "required": ["driver"] }]);
    own
}

/// `[data]` of one kind, for data in a file.
fn data_in_file(kind: DataKind) -> Json {
    let path = ("path", text("The data file; its name determines the format."));
    let paths = (
        "path",
        one_or_file(
            "The data file, or several that are one table; names determine the format, * and ? stand for any characters, and - for standard input.",
        ),
    );
    let encoding =
        ("encoding", text("The encoding of the text, if it is not detected, as in \"windows-1252\"."));
    let delimiter = ("delimiter", character("What separates fields, if it is not detected."));
    let header = (
        "header",
        about(
            json!({ "anyOf": [{ "type": "boolean" }, { "type": "array", "items": { "type": "string" } }] }),
            "Whether the first line names the columns, or their names.",
        ),
    );
    let columns = |names: &[&str]| {
        let keys: Vec<(&str, Json)> =
            names.iter().map(|name| (*name, text(&format!("The column of the {name}.")))).collect();
        ("columns", section("The names of the columns, if they are not the usual ones.", &keys, &[]))
    };
    let own = ("kind", json!({ "const": kind.name(), "description": "What the data are." }));
    match kind {
        DataKind::Table => section(
            "A table.",
            &[
                paths,
                own,
                ("missing", texts("The spellings of a missing value.")),
                ("missing_as", text("How a missing value is published; as an empty cell if it is left out.")),
                (
                    "on_missing",
                    words(
                        &["drop", "value"],
                        "drop",
                        "Whether a record with a missing value is dropped, or missing is a value.",
                    ),
                ),
                delimiter,
                header,
                (
                    "person",
                    text("The column that identifies people, if one person may have several records."),
                ),
                encoding,
                (
                    "quote",
                    about(
                        json!({ "type": "string", "maxLength": 1 }),
                        "What stands around a cell that contains delimiters; \"\" if nothing does.",
                    ),
                ),
                ("comment", character("What lines begin with that are not part of the table.")),
                (
                    "skip",
                    about(
                        json!({ "type": "integer", "minimum": 0 }),
                        "How many lines come before the table, if that is not detected.",
                    ),
                ),
                ("sheet", text("For a workbook: the sheet, if it is not the first one.")),
                ("range", text("For a workbook: the cells of the sheet, as in \"B3:F200\".")),
            ],
            &["path"],
        ),
        DataKind::Transactions => section(
            "Sets of items.",
            &[
                path,
                own,
                (
                    "form",
                    words(&["lines", "long"], "lines", "One transaction per line, or one row per item."),
                ),
                ("separator", character("What separates the items of a line, if it is not detected.")),
                ("id", text("For form = \"long\": the column that says which transaction a row belongs to.")),
                ("item", text("For form = \"long\": the column of the item.")),
                delimiter,
                header,
                (
                    "person",
                    text(
                        "If one person may have several transactions: \"first\" if the first cell of every line names the person; for form = \"long\", the column that names the person.",
                    ),
                ),
                encoding,
            ],
            &["path", "kind"],
        ),
        DataKind::QueryLog => section(
            "What people searched for, and when.",
            &[
                path,
                own,
                columns(&["user", "query", "time", "rank", "url"]),
                ("quotes", flag(false, "Whether fields may be quoted.")),
                delimiter,
                header,
            ],
            &["path", "kind"],
        ),
        DataKind::Vocabularies => section(
            "Bags of terms.",
            &[path, own, columns(&["vocabulary", "term", "count", "user"]), delimiter, header],
            &["path", "kind"],
        ),
    }
}

/// A number, as a number or as text.
fn bound(description: &str) -> Json {
    about(json!({ "type": ["number", "string"] }), description)
}

/// `[columns.NAME]`.
fn column() -> Json {
    let share = || json!({ "$ref": "#/$defs/exact" });
    section(
        "One column of a table.",
        &[
            ("role", about(json!({ "enum": Role::ALL.map(Role::name) }), "What the column is.")),
            (
                "publish",
                about(
                    json!({ "type": "boolean" }),
                    "Whether a column of survey weights is published; it is if this is left out.",
                ),
            ),
            ("type", about(json!({ "enum": ColumnType::WORDS }), "What the values of the column are.")),
            (
                "labels",
                about(
                    json!({ "enum": Labels::WORDS }),
                    "What a cell shows of its class, for quasi-identifiers.",
                ),
            ),
            (
                "hierarchy",
                tree(
                    "The hierarchy file, or the paths of the tree, for quasi-identifiers, sensitive and mixed columns and sets.",
                ),
            ),
            (
                "fuzzy_spread",
                about(
                    share(),
                    "How far ranges extend beyond their ends in mined rules, as a share of their width.",
                ),
            ),
            ("separator", character("What separates the values of a cell that holds several.")),
            (
                "sensitive",
                one_or_file(
                    "For a column of role set: items that nobody may learn about, a list or a file with one per line.",
                ),
            ),
            ("insensitive", texts("Values that need no protection.")),
            (
                "weight",
                about(share(), "How much it matters what the column loses, in the cost LM; 1 when left out."),
            ),
            (
                "weights",
                about(
                    json!({ "type": "object", "additionalProperties": share() }),
                    "For a mixed column: how much it matters that single values are hidden.",
                ),
            ),
            (
                "level_weights",
                about(
                    json!({ "type": "array", "items": share() }),
                    "For a quasi-identifier: what a cell costs at each level of the hierarchy above the values.",
                ),
            ),
            ("knowledge", text("For a quasi-sensitive column: the public table of labels and terms.")),
            (
                "unknown_terms",
                words(&["ignore", "strict"], "ignore", "What a term means that no label mentions."),
            ),
            (
                "date",
                json!({
                    "description": "How dates are written, as in \"%d/%m/%Y\", or a table that says how they are published.",
                    "anyOf": [
                        { "type": "string" },
                        section("How dates are published.", &[
                            ("format", text("How dates are written, as in \"%d/%m/%Y\".")),
                            ("shift", text("The most days by which a person's dates are moved, as in \"180d\".")),
                            ("by", text("The column that says whose a date is.")),
                            ("keep", about(json!({ "enum": ["weekday"] }), "What stays: the day of the week.")),
                            ("coarsen", about(json!({ "enum": DatePart::WORDS }), "What is left of a date.")),
                        ], &[]),
                    ],
                }),
            ),
            (
                "domain",
                text("For a pseudonym: what it stands for. Columns of one domain have the same pseudonyms."),
            ),
            (
                "first_year",
                about(
                    json!({ "type": "integer", "minimum": 1 }),
                    "The first of the hundred years that two digits stand for (1969).",
                ),
            ),
            ("decimal", about(json!({ "enum": [",", "."] }), "The decimal sign of numbers.")),
            (
                "numbers",
                section(
                    "For a sensitive, class or other column: how its numbers are published.",
                    &[
                        (
                            "bottom",
                            bound("The lower bound: a number, or \"k\" for one with k records beyond it."),
                        ),
                        (
                            "top",
                            bound("The upper bound: a number, or \"k\" for one with k records beyond it."),
                        ),
                        ("round", bound("Numbers are rounded to multiples of it.")),
                        (
                            "label",
                            words(
                                BoundLabel::WORDS,
                                "bounds",
                                "What stands for numbers at a bound or beyond it.",
                            ),
                        ),
                    ],
                    &[],
                ),
            ),
            ("unit", text("The unit before or after numbers, which is not published, as in \"€\" or \"%\".")),
            (
                "sensitivity",
                section(
                    "For a mixed column: what is guarded.",
                    &[
                        (
                            "model",
                            words(
                                &["aggregate", "non-aggregate"],
                                "aggregate",
                                "Whether what lies above a guarded value is guarded in part.",
                            ),
                        ),
                        ("guard", texts("The values that nobody may learn.")),
                    ],
                    &[],
                ),
            ),
            (
                "observability",
                section(
                    "For a mixed column: what can be seen of a person.",
                    &[
                        (
                            "model",
                            words(
                                &["sensitivity", "belief"],
                                "sensitivity",
                                "Whether what is not guarded can be seen, or what the keys below say.",
                            ),
                        ),
                        ("alpha", about(share(), "How much more observable a parent is than its children.")),
                        ("default", about(share(), "How observable a value is that is not listed.")),
                        (
                            "values",
                            about(
                                json!({ "type": "object", "additionalProperties": share() }),
                                "How observable single values are.",
                            ),
                        ),
                    ],
                    &[],
                ),
            ),
        ],
        &["role"],
    )
}

fn vocabulary() -> Json {
    section(
        "How a query log becomes vocabularies.",
        &[
            (
                "session_gap",
                text(
                    "The time without a query that ends a session, as in \"1h\"; \"none\" for one vocabulary per user.",
                ),
            ),
            (
                "clicks",
                words(
                    &["keep", "drop-before", "drop-after"],
                    "keep",
                    "What becomes of queries that led to a click.",
                ),
            ),
            (
                "dictionary",
                about(json!({ "enum": ["wordnet", "taxonomy", "list", "none"] }), "Which words are terms."),
            ),
            ("words", one_or_file("For dictionary = \"list\": the words, or a file with one per line.")),
            ("stop_words", one_or_file("Words that are never terms: a list, or a file with one per line.")),
            ("collocations", flag(false, "Whether several words may be one term.")),
            ("drop_patterns", flag(true, "Whether addresses, numbers and the like are dropped.")),
            ("keep_empty", flag(false, "Whether a session without terms is kept.")),
            (
                "max_occurrences",
                about(
                    json!({ "type": "integer", "minimum": 1 }),
                    "How often a term counts in one vocabulary at most.",
                ),
            ),
        ],
        &[],
    )
}

fn semantics() -> Json {
    section(
        "How far terms are apart.",
        &[
            (
                "distance",
                words(
                    &["wordnet-tree", "wordnet-network", "taxonomy", "file"],
                    "wordnet-tree",
                    "Where distances come from.",
                ),
            ),
            ("hierarchy", tree("For distance = \"taxonomy\": the tree of terms, in a file or as its paths.")),
            ("path", text("For distance = \"file\": the file of distances.")),
            ("wordnet", text("The directory of WordNet.")),
            ("attach", about(json!({ "enum": ["hypernym", "synset"] }), "Where a word hangs in WordNet.")),
            (
                "epsilon",
                about(
                    json!({ "$ref": "#/$defs/exact", "default": 6 }),
                    "How far two terms may be apart to stand for each other.",
                ),
            ),
            (
                "omega",
                about(
                    json!({ "anyOf": [{ "$ref": "#/$defs/exact" }, { "const": "lexicographic" }], "default": "lexicographic" }),
                    "What an unmatched occurrence costs against distances.",
                ),
            ),
        ],
        &[],
    )
}

fn population() -> Json {
    // Read like the table of [data].
    let table = data(DataKind::Table);
    let alike = |key: &'static str| (key, table["properties"][key].clone());
    section(
        "The population that the data were taken from.",
        &[
            ("path", text("A table of everybody who may be in the data.")),
            (
                "includes_data",
                flag(true, "Whether the people of the data are in it; if not, they are added."),
            ),
            (
                "size",
                about(
                    json!({ "type": "integer", "minimum": 1 }),
                    "Instead of a table: how many people there are.",
                ),
            ),
            alike("delimiter"),
            alike("header"),
            alike("missing"),
            alike("on_missing"),
            alike("encoding"),
            alike("quote"),
            alike("comment"),
            alike("skip"),
            alike("sheet"),
            alike("range"),
        ],
        &[],
    )
}

fn knowledge() -> Json {
    let share = || json!({ "$ref": "#/$defs/exact" });
    section(
        "What an adversary is taken to know, for method injector.",
        &[
            ("mine", flag(true, "Whether rules are mined from the data.")),
            (
                "min_expectation",
                about(
                    share(),
                    "How often a combination would be expected at least, for its absence to be a rule.",
                ),
            ),
            ("min_confidence", about(share(), "How sure a rule must be.")),
            (
                "max_length",
                about(
                    json!({ "type": "integer", "minimum": 1, "default": 1 }),
                    "How many quasi-identifiers a rule names at most.",
                ),
            ),
            ("significance", about(share(), "The largest chance that some mined rule is an accident.")),
            ("rules", text("A file of rules that the adversary knows too.")),
            ("mute", texts("Mined rules that the adversary does not know.")),
        ],
        &[],
    )
}

fn report() -> Json {
    section(
        "Texts for the reports.",
        &[
            ("title", text("What the release is called.")),
            ("owner", text("The person responsible for it.")),
            ("contact", text("How to reach them.")),
            ("recipient", text("To whom it goes.")),
            ("purpose", text("What it is for.")),
            ("scenario", text("Who may want to attack it, with what means, and what keeps them from it.")),
            ("legal_basis", text("What permits to publish it.")),
            ("licence", text("What recipients may do with it.")),
            ("review", text("When it is to be looked at again.")),
            ("sign_off", text("Who approved the release, and when.")),
            ("preset", text("The rule whose thresholds the policy was drafted from.")),
        ],
        &[],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        check, dates, item_column, knowledge, mixed, population, pseudonyms, transactions, vocabulary,
    };

    /// The parts that are not declared are written by hand: they name the keys that the policy check knows, and no others.
    #[test]
    fn the_schema_has_the_keys_of_every_section() {
        let schema = schema();
        let keys = |pointer: &str, known: &[&str]| {
            let own = schema.pointer(pointer).and_then(|own| own["properties"].as_object());
            let own = own.unwrap_or_else(|| panic!("the schema has no {pointer}"));
            let mut own: Vec<&str> = own.keys().map(String::as_str).collect();
            let mut known = known.to_vec();
            own.sort_unstable();
            known.sort_unstable();
            assert_eq!(own, known, "{pointer}");
        };
        for kind in DataKind::ALL {
            keys(&format!("/$defs/data-{}", kind.name()), kind.data_keys());
        }
        keys("/$defs/data-query-log/properties/columns", &vocabulary::LOG_COLUMNS);
        keys("/$defs/data-vocabularies/properties/columns", &vocabulary::BAG_COLUMNS);
        keys("/$defs/column", &check::COLUMN_KEYS);
        keys("/$defs/column/properties/sensitivity", &mixed::SENSITIVITY_KEYS);
        keys("/$defs/column/properties/observability", &mixed::OBSERVABILITY_KEYS);
        keys("/properties/items", &transactions::ITEM_KEYS);
        keys("/properties/vocabulary", &vocabulary::VOCABULARY_KEYS);
        keys("/properties/semantics", &vocabulary::SEMANTICS_KEYS);
        keys("/properties/population", &population::keys());
        keys("/properties/pseudonyms", &pseudonyms::PseudonymPolicy::KEYS);
        keys("/$defs/column/properties/date/anyOf/1", &dates::DATE_KEYS);
        keys("/properties/knowledge", &knowledge::KEYS);
        keys("/properties/loss", &item_column::LOSS_KEYS);
        keys("/properties/report", &crate::ReportKeys::NAMES);
        keys("/properties/ledger", &crate::LedgerPolicy::NAMES);
    }

    /// The schema is shipped as a file; `PRIVET_RECORD=1 cargo test -p privet-policy schema` writes it.
    #[test]
    fn the_shipped_schema_is_that_of_the_declarations() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/policy.schema.json");
        if std::env::var_os("PRIVET_RECORD").is_some() {
            let text = serde_json::to_string_pretty(&schema()).expect("JSON");
            std::fs::write(path, format!("{text}\n")).expect("written");
        }
        let shipped: Json = serde_json::from_str(&std::fs::read_to_string(path).expect(path)).expect("JSON");
        assert!(shipped == schema(), "{path} is old: run the tests with PRIVET_RECORD=1");
    }
}
