//! What is published of the shipped examples stays as it is, byte by byte: every example by every method that takes it, with two
//! seeds, with one thread and with two.
//!
//! `goldens.txt` has a line for every public data file: example, method, seed, file, SHA-256. A line with [`FIGURES`] for a file
//! stands for what both manifests say. A change that is meant to alter releases records the file anew:
//!
//! ```sh
//! PRIVET_RECORD_GOLDENS=1 cargo test -p privet-cli --test end_to_end --locked goldens
//! ```
//!
//! Some combinations are left out:
//!
//! - Searches that the clock ends. `simulated-annealing` counts its steps here, and `quasi-sensitive` has an hour for what
//!   takes less than a second.
//! - What takes long. On `census` that is `l-plus-optimize` by `all-rec`, `all-sa` and `vio-sa`, by other costs and by
//!   enumeration; on `baskets`, `og` for a privacy degree, and some settings that `five-baskets` has. No setting makes an example
//!   smaller.
//! - Other methods for tables on `freeform`, whose columns are all mixed, and on `symptoms` those that need a sensitive column.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use rayon::prelude::*;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use crate::common::Bench;

/// A small seed, and one that takes all bits of a number.
const SEEDS: [&str; 2] = ["7", "8765432109876543210"];
const THREADS: [&str; 2] = ["1", "2"];

/// Stands for the manifests where a line has the name of a file.
const FIGURES: &str = "figures";

/// An example, what is asked of its release, and the methods that make it.
pub struct Group {
    pub example: &'static str,
    /// The example's policy ends here: what it asks for, and its method, are replaced.
    until: &'static str,
    /// What is changed in the policy before that.
    edits: &'static [(&'static str, &'static str)],
    /// The lines of `[privacy]`.
    asked: &'static str,
    pub methods: &'static [Method],
    /// Further sections.
    more: &'static str,
}

/// A name and further lines of `[method]`. What follows a colon in the name only tells it from others of the same method.
pub type Method = (&'static str, &'static str);

const fn group(example: &'static str, asked: &'static str, methods: &'static [Method]) -> Group {
    Group { example, until: "[privacy.", edits: &[], asked, methods, more: "" }
}

/// Every example and every method.
pub const GROUPS: &[Group] = &[
    // Ten patients.
    group("patients", "k-anonymity = { k = 2 }\nl-diversity = { column = 'Disease', l = 2 }", FULL_DOMAIN),
    group("patients", "k-anonymity = { k = 2 }\nl-diversity = { column = 'Disease', l = 2 }", MONDRIAN),
    group("patients", "k-anonymity = { k = 3 }", &[("full-domain:limit", "suppression_limit = 0.3")]),
    group(
        "patients",
        "l-diversity = { column = 'Disease', l = 1.5, kind = 'entropy' }",
        &[("full-domain:l-entropy", "")],
    ),
    group(
        "patients",
        "l-diversity = { column = 'Disease', l = 1.5, kind = 'frequency' }",
        &[("full-domain:l-frequency", "")],
    ),
    group(
        "patients",
        "l-diversity = { column = 'Disease', l = 2, kind = 'recursive', c = 3 }",
        &[("full-domain:l-recursive", "")],
    ),
    group(
        "patients",
        "l-plus-diversity = { column = 'Disease', default = '2/3' }",
        &[("full-domain:l-plus", "")],
    ),
    group("patients", "t-closeness = { column = 'Disease', t = 0.5 }", &[("full-domain:t", "")]),
    group("patients", "n-t-closeness = { column = 'Disease', n = 5, t = 0.5 }", &[("full-domain:n-t", "")]),
    group(
        "patients",
        "k-anonymity = { k = 2 }\nl-plus-diversity = { column = 'Disease', default = '2/3' }",
        L_PLUS,
    ),
    group("patients", "matching-l-diversity = { column = 'Disease', l = 2 }", INJECTOR),
    group("patients", "l-diversity = { column = 'Disease', l = 2 }", ANATOMY),
    Group {
        edits: &[(
            "[columns.Country]\nrole = \"quasi-identifier\"",
            "[columns.Country]\nrole = \"sensitive\"",
        )],
        ..group("patients", "k-anonymity = { k = 2 }\nprojection = { alpha = 1, beta = 0.9 }", CODIP)
    },
    // 20,000 people.
    group("census", CENSUS, &[("full-domain", "suppression_limit = 0.05"), ("mondrian", "")]),
    group("census", HIERARCHICAL, &[("full-domain:t-hierarchical", "")]),
    group(
        "census",
        "k-anonymity = { k = 5 }\nl-plus-diversity = { column = 'occupation', default = '1/3' }",
        &[
            ("l-plus-optimize:none", "suppression = 'none'"),
            ("l-plus-optimize:vio-rec", "suppression = 'vio-rec'"),
            ("simulated-annealing", "steps = 500"),
        ],
    ),
    group("census", "matching-l-diversity = { column = 'occupation', l = 3 }", &[("injector", "")]),
    group("census", "l-diversity = { column = 'occupation', l = 3 }", &[("anatomy", "")]),
    Group {
        edits: &[("role = \"class\"", "role = \"sensitive\"")],
        ..group("census", "k-anonymity = { k = 5 }\nprojection = { alpha = 1, beta = 0.9 }", CODIP)
    },
    // 600 patients.
    group("l-plus", HOSPITAL, L_PLUS),
    group(
        "l-plus",
        HOSPITAL,
        &[
            ("full-domain", "suppression_limit = 0.2"),
            ("mondrian", ""),
            ("l-plus-optimize:CM", "cost = 'CM'"),
            ("l-plus-optimize:prices", "suppression = 'vio-sa'\ncost_value = 2"),
            ("simulated-annealing:vio-sa", "suppression = 'vio-sa'\nsteps = 2000"),
        ],
    ),
    group(
        "l-plus",
        "l-plus-diversity = { column = 'disease', l = 2, theta_rule = 'frequency' }",
        &[("l-plus-optimize:rule", "suppression = 'vio-rec'")],
    ),
    group("l-plus", "k-anonymity = { k = 3 }", &[("full-domain:CM", "cost = 'CM'")]),
    group("l-plus", "matching-l-diversity = { column = 'disease', l = 3 }", &[("injector", "")]),
    group("l-plus", "l-diversity = { column = 'disease', l = 3 }", &[("anatomy", "")]),
    Group {
        edits: &[("role = \"class\"", "role = \"sensitive\"")],
        ..group("l-plus", "k-anonymity = { k = 3 }\nprojection = { alpha = 1, beta = 0.9 }", CODIP)
    },
    // Nine patients.
    Group {
        more: RULES,
        ..group("injector", "matching-l-diversity = { column = 'disease', l = 2 }", INJECTOR)
    },
    Group {
        more: RULES,
        ..group(
            "injector",
            "matching-l-diversity = { column = 'disease', l = 2, max_posterior = '2/3' }",
            &[("injector:posterior", "")],
        )
    },
    Group {
        more: RULES,
        ..group(
            "injector",
            "matching-l-diversity = { column = 'disease', l = 2 }\nk-anonymity = { k = 4 }",
            &[("injector:k", "")],
        )
    },
    Group { more: RULES, ..group("injector", "l-diversity = { column = 'disease', l = 2 }", ANATOMY) },
    group(
        "injector",
        "k-anonymity = { k = 2 }\nl-diversity = { column = 'disease', l = 2 }",
        &[("full-domain", ""), ("mondrian", "")],
    ),
    group(
        "injector",
        "k-anonymity = { k = 2 }\nl-plus-diversity = { column = 'disease', default = '1/2' }",
        L_PLUS,
    ),
    Group {
        edits: &[("[columns.sex]\nrole = \"quasi-identifier\"", "[columns.sex]\nrole = \"sensitive\"")],
        ..group("injector", "k-anonymity = { k = 2 }\nprojection = { alpha = 1, beta = 0.9 }", CODIP)
    },
    // 4,000 patients.
    Group {
        more: MINED,
        ..group("ward", "matching-l-diversity = { column = 'diagnosis', l = 4 }", INJECTOR)
    },
    Group {
        more: MINED,
        ..group(
            "ward",
            "matching-l-diversity = { column = 'diagnosis', l = 9 }",
            &[("injector:suppress", "infeasible = 'suppress'")],
        )
    },
    Group {
        more: MINED,
        ..group(
            "ward",
            "matching-l-diversity = { column = 'diagnosis', l = 4 }\nk-anonymity = { k = 7 }",
            &[("injector:k", "")],
        )
    },
    Group {
        more: MINED,
        ..group(
            "ward",
            "matching-l-diversity = { column = 'diagnosis', l = 4 }\nt-closeness = { column = 'diagnosis', t = 0.4 }",
            &[("injector:t", "")],
        )
    },
    group("ward", "l-diversity = { column = 'diagnosis', l = 4 }", ANATOMY),
    group(
        "ward",
        "k-anonymity = { k = 5 }\nl-diversity = { column = 'diagnosis', l = 3 }",
        &[("full-domain", ""), ("mondrian", "")],
    ),
    group(
        "ward",
        "k-anonymity = { k = 5 }\nl-plus-diversity = { column = 'diagnosis', default = '1/3' }",
        SCHEMES,
    ),
    Group {
        edits: &[(
            "[columns.insurance]\nrole = \"quasi-identifier\"",
            "[columns.insurance]\nrole = \"sensitive\"",
        )],
        ..group("ward", "k-anonymity = { k = 5 }\nprojection = { alpha = 1, beta = 0.9 }", CODIP)
    },
    // 5,000 outpatients with eight sensitive columns.
    group(
        "clinic",
        CLINIC,
        &[("codip", ""), ("codip:LM", "cost = 'LM'"), ("codip:drawn", "break_minimality = 3")],
    ),
    group("clinic", "k-anonymity = { k = 5 }\nprojection = { alpha = 1, beta = 0.9 }", &[("codip-star", "")]),
    group(
        "clinic",
        "n-t-closeness = { n = 500, t = 0.3 }\nprojection = { alpha = 1, beta = 0.9 }",
        &[("codip-star:persist", "persist = true\ncost = 'LM'")],
    ),
    Group {
        edits: WHOLE_CELLS,
        ..group(
            "clinic",
            "k-anonymity = { k = 5 }\nt-closeness = { t = 0.3, columns = { income = 'ordered' } }",
            &[("full-domain", ""), ("mondrian", "")],
        )
    },
    Group {
        edits: WHOLE_CELLS,
        ..group(
            "clinic",
            "k-anonymity = { k = 5 }\nn-t-closeness = { n = 500, t = 0.3 }",
            &[("full-domain:n-t", "suppression_limit = 0.1")],
        )
    },
    Group {
        edits: WHOLE_CELLS,
        ..group(
            "clinic",
            "k-anonymity = { k = 5 }\nl-plus-diversity = { column = 'diagnosis', default = '1/2' }",
            SCHEMES,
        )
    },
    Group {
        until: "[columns.family_history]",
        ..group("clinic", "matching-l-diversity = { column = 'diagnosis', l = 3 }", &[("injector", "")])
    },
    Group {
        until: "[columns.family_history]",
        ..group("clinic", "l-diversity = { column = 'diagnosis', l = 3 }", &[("anatomy", "")])
    },
    // 2,000 people; some values are guarded.
    group(
        "freeform",
        "ff-anonymity = { threat = 0.5 }",
        &[
            ("ff", ""),
            ("ff:compare", "compare = true"),
            ("ff-optimal", ""),
            ("ff-optimal:compare", "compare = true"),
        ],
    ),
    group(
        "freeform",
        "ff-anonymity = { threat = 0.5 }\nk-anonymity = { k = 5 }",
        &[("ff:k", ""), ("ff-optimal:k", "")],
    ),
    // 3,000 patients and their symptoms.
    group("symptoms", "k-anonymity = { k = 5 }", &[("full-domain", ""), ("mondrian", "")]),
    group(
        "symptoms",
        "k-anonymity = { k = 5 }\nqs-diversity = { column = 'symptoms', l = 5, c = 0.5 }",
        &[
            ("quasi-sensitive", "time_limit = '1h'"),
            ("quasi-sensitive:dfs", "time_limit = '1h'\nsearch = 'dfs'"),
            ("quasi-sensitive:relaxed", "time_limit = '1h'\npartitioning = 'relaxed'"),
            ("quasi-sensitive:hierarchy", "time_limit = '1h'\nnumbers = 'hierarchy'"),
        ],
    ),
    group(
        "symptoms",
        "k-anonymity = { k = 5 }\nqs-closeness = { column = 'symptoms', t = 0.7 }",
        &[("quasi-sensitive:closeness", "time_limit = '1h'")],
    ),
    group(
        "symptoms",
        "k-anonymity = { k = 5 }\nqs-closeness = { column = 'symptoms', t = 0.7, prior = 'uniform' }",
        &[("quasi-sensitive:uniform", "time_limit = '1h'\ninfeasible = 'suppress'")],
    ),
    // Five baskets, and 5,000.
    group(
        "five-baskets",
        "kl-privacy = { k = 2, m = 2, n = 1, l = 2 }",
        &[
            ("og", ""),
            ("og:LM", "cost = 'LM'"),
            ("og:eager", "phase = 'eager'"),
            ("og:lazy", "phase = 'lazy'"),
            ("og:near", "alpha = 0.05"),
            ("og:enumeration", "search = 'enumeration'"),
            ("mog", ""),
            ("mog:LM", "cost = 'LM'"),
        ],
    ),
    group(
        "five-baskets",
        "km-anonymity = { k = 2, m = 2 }",
        &[("og:km", ""), ("mog:km", ""), ("aa", ""), ("aa:LM", "cost = 'LM'"), ("lg:km", ""), ("mm:km", "")],
    ),
    group(
        "five-baskets",
        "coherence = { k = 2, p = 2, h = 0.6 }",
        &[("og:coherence", ""), ("mog:coherence", ""), ("mm", "")],
    ),
    group(
        "five-baskets",
        "transactional-k-anonymity = { k = 2 }",
        &[("og:k", ""), ("mog:k", ""), ("lg", "")],
    ),
    group("five-baskets", "privacy-degree = { p = 2 }", &[("og:degree", ""), ("mog:degree", "")]),
    group(
        "baskets",
        "kl-privacy = { k = 5, m = 2, n = 1, l = 10 }",
        &[
            ("og", ""),
            ("og:lazy", "phase = 'lazy'"),
            ("og:enumeration", "search = 'enumeration'"),
            ("mog", ""),
        ],
    ),
    group("baskets", "km-anonymity = { k = 5, m = 2 }", &[("og:km", ""), ("aa", "")]),
    group("baskets", "coherence = { k = 5, p = 2, h = 0.6 }", &[("og:coherence", ""), ("mm", "")]),
    group("baskets", "transactional-k-anonymity = { k = 5 }", &[("og:k", ""), ("lg", "")]),
    group("baskets", "privacy-degree = { p = 2 }", &[("mog:degree", "")]),
    // The words of five people, and of 1,541.
    group("five-vocabularies", "vocabulary-k-anonymity = { k = 2 }", VOCABULARIES),
    group("queries", "vocabulary-k-anonymity = { k = 5 }", VOCABULARIES),
];

const CENSUS: &str = "k-anonymity = { k = 5 }
    l-diversity = { column = 'occupation', l = 3 }
    t-closeness = { column = 'occupation', t = 0.3 }";
const HIERARCHICAL: &str = "k-anonymity = { k = 5 }
    t-closeness = { column = 'occupation', t = 0.3, distance = 'hierarchical' }";
const HOSPITAL: &str = "k-anonymity = { k = 3 }
    l-plus-diversity = { column = 'disease', default = '1/2', theta = { HIV = '1/10', cancer = '1/4', depression = '1/4' } }";
const CLINIC: &str = "k-anonymity = { k = 5 }
    t-closeness = { t = 0.3, columns = { income = 'ordered' } }
    projection = { alpha = 0.1, beta = 0.03, max_discernibility = 2e6 }";
/// Keys that only `codip` and `codip-star` know become comments.
const WHOLE_CELLS: &[(&str, &str)] = &[("insensitive = ", "# "), ("separator = ", "# ")];
const RULES: &str = "[knowledge]\nmin_expectation = 0.75\nrules = 'rules.txt'\n";
const MINED: &str = "[knowledge]\nmin_expectation = 0.99\nmax_length = 2\nsignificance = 0.01\n";

const FULL_DOMAIN: &[Method] = &[
    ("full-domain", ""),
    ("full-domain:NCP", "cost = 'NCP'"),
    ("full-domain:DM", "cost = 'DM'"),
    ("full-domain:average-class-size", "cost = 'average-class-size'"),
    ("full-domain:height", "cost = 'height'"),
    ("full-domain:precision", "cost = 'precision'"),
    ("full-domain:entropy", "cost = 'entropy'"),
    ("full-domain:least-levels", "least_levels = { Country = 1 }"),
    ("full-domain:one-of-four", "break_minimality = 4"),
];
const MONDRIAN: &[Method] = &[
    ("mondrian", ""),
    ("mondrian:relaxed", "partitioning = 'relaxed'"),
    ("mondrian:hierarchy", "numbers = 'hierarchy'"),
];
const SCHEMES: &[Method] = &[
    ("l-plus-optimize:none", "suppression = 'none'"),
    ("l-plus-optimize:all-rec", "suppression = 'all-rec'"),
    ("l-plus-optimize:vio-rec", "suppression = 'vio-rec'"),
    ("l-plus-optimize:all-sa", "suppression = 'all-sa'"),
    ("l-plus-optimize:vio-sa", "suppression = 'vio-sa'"),
    ("simulated-annealing", "steps = 2000"),
];
const L_PLUS: &[Method] = &[
    ("l-plus-optimize:none", "suppression = 'none'"),
    ("l-plus-optimize:all-rec", "suppression = 'all-rec'"),
    ("l-plus-optimize:vio-rec", "suppression = 'vio-rec'"),
    ("l-plus-optimize:all-sa", "suppression = 'all-sa'"),
    ("l-plus-optimize:vio-sa", "suppression = 'vio-sa'"),
    ("l-plus-optimize:DM", "cost = 'DM'"),
    ("l-plus-optimize:enumeration", "search = 'enumeration'"),
    ("l-plus-optimize:near", "approximation = 0.05"),
    ("l-plus-optimize:one-of-four", "break_minimality = 4"),
    ("simulated-annealing", "steps = 2000"),
];
const INJECTOR: &[Method] = &[
    ("injector", ""),
    ("injector:balanced", "strategy = 'balanced'"),
    ("injector:local", "strategy = 'local'"),
    ("injector:paper", "strategy = 'paper'"),
    ("injector:permuted", "publish = 'permuted'"),
];
const ANATOMY: &[Method] = &[("anatomy", ""), ("anatomy:permuted", "publish = 'permuted'")];
const CODIP: &[Method] = &[("codip", ""), ("codip-star", "")];
const VOCABULARIES: &[Method] = &[
    ("ssg", ""),
    ("ssg:exact", "matching = 'exact'"),
    ("ssg:greedy", "matching = 'greedy'"),
    ("ssg:hyper", "centre = 'hyper'"),
    ("ssg:generalise", "centre = 'generalise'"),
    ("ssg:uniform", "penalty = 'uniform'"),
    ("ssg:residual", "residual = 12"),
    ("ssg:withhold", "withhold = true"),
    ("ssg:two-votes", "min_vote = 2"),
    ("lg-bag", ""),
    ("lg", ""),
];

impl Group {
    /// The policy of one of its methods.
    pub fn policy(&self, shipped: &str, (name, keys): Method) -> String {
        let end = shipped.find(self.until).expect("the end of the part that is kept");
        let mut text = shipped[..end].to_string();
        for (from, to) in self.edits {
            assert!(text.contains(from), "{} has no {from:?}", self.example);
            text = text.replace(from, to);
        }
        let method = name.split(':').next().expect("a method");
        text + &format!("[privacy]\n{}\n[method]\nname = '{method}'\n{keys}\n{}", self.asked, self.more)
    }

    /// The releases of one of its methods: for each file a line up to its hash, and the hash.
    fn releases(&self, bench: &Bench, method: Method) -> Vec<(String, String)> {
        let file = method.0.replace(':', "-");
        let (policy, target) = (format!("{}/{file}.toml", self.example), format!("{file}-release"));
        bench.write(&policy, self.policy(&bench.text(&format!("{}/policy.toml", self.example)), method));
        let mut lines = Vec::new();
        for seed in SEEDS {
            let name = format!("{} {} {seed}", self.example, method.0);
            let [one, two] = THREADS.map(|threads| {
                let made = ["anonymize", &policy, "-o", &target, "--attacks", "none"];
                let outcome = bench.privet(&[&made[..], &["--seed", seed, "--threads", threads]].concat());
                assert_eq!(outcome.status, Some(0), "{name}: {}", outcome.stderr);
                let hashes = hashes(bench, &target);
                fs::remove_dir_all(bench.path(&target)).expect("removed");
                hashes
            });
            assert_eq!(one, two, "{name}: with one thread, and with two");
            lines.extend(one.into_iter().map(|(file, hash)| (format!("{name} {file}"), hash)));
        }
        lines
    }
}

/// The hashes of a release, by file.
fn hashes(bench: &Bench, target: &str) -> BTreeMap<String, String> {
    let files = bench.tree(&format!("{target}/public")).into_iter();
    let data = files.filter(|(path, _)| !path.ends_with("manifest.json") && !path.ends_with("report.html"));
    let mut hashes: BTreeMap<String, String> =
        data.map(|(path, content)| (path.display().to_string(), sha256(&content))).collect();
    let manifests =
        ["public", "steward"].map(|room| figures(&bench.json(&format!("{target}/{room}/manifest.json"))));
    hashes.insert(FIGURES.to_string(), sha256(manifests.concat().join("\n").as_bytes()));
    hashes
}

fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a manifest says: a line for each value, sorted. Left out are versions, times, paths and the policy; hashes of files, for
/// data files have lines of their own; and the words of sentences, so that a better wording changes nothing.
fn figures(manifest: &Json) -> Vec<String> {
    let mut manifest = manifest.clone();
    // Checks of the files themselves have no figures of the data.
    if let Some(checks) = manifest["audit"]["checks"].as_array_mut() {
        checks.retain(|check| check["name"] != "files" && check["name"] != "container");
    }
    let manifest = &manifest;
    let mut lines = Vec::new();
    let mut open = vec![(String::new(), manifest)];
    while let Some((place, value)) = open.pop() {
        match value {
            _ if is_left_out(&place, manifest) => {}
            Json::Object(entries) => {
                open.extend(entries.iter().map(|(key, value)| (format!("{place}/{key}"), value)));
            }
            Json::Array(values) => {
                open.extend(values.iter().enumerate().map(|(at, value)| (format!("{place}/{at}"), value)));
            }
            Json::String(text) if is_sentence(&place) => {
                let parts = text.split(|letter: char| !letter.is_ascii_digit());
                let numbers: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
                lines.push(format!("{place} {}", numbers.join(" ")));
            }
            _ => lines.push(format!("{place} {value}")),
        }
    }
    lines.sort();
    lines
}

fn is_left_out(place: &str, manifest: &Json) -> bool {
    // How many cuts a large search of this method looks at depends on the timing of threads; what it finds does not.
    let is_large =
        || manifest["method"] == "l-plus-optimize" && manifest["records"]["read"].as_u64() > Some(10_000);
    match place {
        "/privet" | "/origin" | "/policy" | "/files" | "/search/trace" => true,
        "/search/examined" => is_large(),
        _ => place.ends_with("seconds"),
    }
}

fn is_sentence(place: &str) -> bool {
    place.starts_with("/warnings/") || place.ends_with("/detail") || place.ends_with("/worst")
}

#[test]
fn releases_are_as_recorded() {
    let benches: BTreeMap<&str, Bench> = GROUPS
        .iter()
        .map(|group| group.example)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|name| (name, Bench::with_example(name)))
        .collect();
    let all: Vec<(&Group, Method)> =
        GROUPS.iter().flat_map(|group| group.methods.iter().map(move |method| (group, *method))).collect();
    let names: BTreeSet<(&str, &str)> = all.iter().map(|(group, method)| (group.example, method.0)).collect();
    assert_eq!(names.len(), all.len(), "two methods of an example have the same name");
    let found: BTreeMap<String, String> = all
        .into_par_iter()
        .flat_map_iter(|(group, method)| group.releases(&benches[group.example], method))
        .collect();

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens.txt");
    if std::env::var_os("PRIVET_RECORD_GOLDENS").is_some_and(|value| value == "1") {
        let lines: String = found.iter().map(|(line, hash)| format!("{line} {hash}\n")).collect();
        fs::write(&path, HEAD.to_string() + &lines).expect("written");
    }
    let text = fs::read_to_string(&path).expect("goldens.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let recorded: BTreeMap<&str, &str> = lines.map(|line| line.rsplit_once(' ').expect("a hash")).collect();
    let mut differences = Vec::new();
    for (line, hash) in &found {
        match recorded.get(line.as_str()) {
            Some(known) if known == hash => {}
            Some(_) => differences.push(format!("differs: {line}")),
            None => differences.push(format!("not recorded: {line}")),
        }
    }
    let gone = recorded.keys().filter(|line| !found.contains_key(**line));
    differences.extend(gone.map(|line| format!("recorded, not made: {line}")));
    assert!(
        differences.is_empty(),
        "{} of {} lines:\n{}",
        differences.len(),
        found.len(),
        differences.join("\n")
    );
}

const HEAD: &str =
    "# example method seed file SHA-256; the same with one thread and with two; made by goldens.rs\n";
