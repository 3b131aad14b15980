//! Terms of queries: a vocabulary that many people share may still contain a word that one person typed.
//!
//! Published vocabularies are alike in groups, but a vote decides which terms they contain: a name, a number or an
//! address of one person can win it. The attack looks for published terms that fewer than k people used, for terms
//! that look like personal data, and for how few terms single out a vocabulary.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use serde_json::json;

use super::finding::NO_GUESS;
use super::fingerprint::{Tries, figures, fingerprints, scores_json};
use super::haystack::{ItemHaystack, ItemSets};
use super::{Attack, Figure, Finding, PolicyRef, Released, Scene, Threat};
use privet_audit::vocabularies::Demand;
use privet_core::counted;
use privet_core::{Error, Result};
use privet_data::Bags;
use privet_policy::VocabularyPolicy;
use privet_policy::layout::TERM_SEPARATOR;
use privet_policy::method::Centre;
use privet_taxonomy::Node;

pub(super) const ATTACK: Attack = Attack {
    name: "query-terms",
    threat: Threat::QueryTerms,
    costly: false,
    concerns: |scene| match (scene.policy, &scene.released) {
        (PolicyRef::Vocabularies(_), Released::Vocabularies(_)) => Ok(()),
        _ => Err("the release does not consist of vocabularies".to_string()),
    },
    run,
};

/// How many terms are known in the figure for unicity: two are enough in published query logs.
const KNOWN: usize = 2;

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let PolicyRef::Vocabularies(policy) = scene.policy else {
        return Err(Error::internal("terms without vocabularies"));
    };
    let (source, released) = scene.bags()?;
    let demand = Demand::of(&policy.requirement, source.users().is_some());
    let k = demand.k.max(2);
    let found = printed(source, released, k, scene.limits.most);
    scene.clock.check()?;
    let names = names(policy, source, released);
    scene.clock.check()?;
    let themselves = (0..source.terms().len() as Node).map(|term| vec![term]).collect();
    let original = ItemHaystack::new(distinct(source, &|term| term), themselves);
    let shown = distinct(released, &|term| names.of_released[term as usize]);
    let shown = ItemHaystack::new(shown, names.of_source);
    // A published vocabulary may contain replacements that the person never used: nobody can say whose it is.
    let scores = fingerprints(original.sets(), &shown, &original, false, Tries::of(scene))?;
    Ok(finding(&found, figures(&scores, ("vocabularies", "terms"), KNOWN), scores_json(&scores), k))
}

/// The sets of terms of the distinct bags, as nodes, with how many have each; in an order that does not tell that of the bags.
fn distinct(bags: &Bags, node: &dyn Fn(u32) -> Node) -> ItemSets {
    let mut sets = ItemSets::default();
    let mut nodes: Vec<Node> = Vec::new();
    for (bag, count) in bags.distinct() {
        nodes.clear();
        nodes.extend(bags.bag(bag as usize).iter().map(|term| node(*term)));
        nodes.sort_unstable();
        nodes.dedup();
        sets.push(&nodes, count);
    }
    sets
}

/// Terms of both sides under one numbering: those of the source first.
struct Names {
    of_released: Vec<Node>,
    /// Per term of the source, what may be printed for it: itself, or a word above it.
    of_source: Vec<Vec<Node>>,
}

fn names(policy: &VocabularyPolicy, source: &Bags, released: &Bags) -> Names {
    let mut numbers: HashMap<&str, Node> = source.terms().iter().map(String::as_str).zip(0..).collect();
    let mut of_released = Vec::with_capacity(released.terms().len());
    for term in released.terms() {
        let next = numbers.len() as Node;
        of_released.push(*numbers.entry(term).or_insert(next));
    }
    // A bag that is printed whole may be printed for every term in it.
    let mut bags: HashMap<&str, Vec<Node>> = HashMap::new();
    if policy.method.centre() == Some(Centre::Hyper) {
        for (label, node) in released.terms().iter().zip(&of_released) {
            for part in label.split(TERM_SEPARATOR) {
                bags.entry(part).or_default().push(*node);
            }
        }
    }
    let distances = policy.semantics.between(source.terms());
    let above = |term: u32| -> Vec<Node> {
        let (Some(tree), Some(place)) = (distances.tree(), distances.place(term)) else { return Vec::new() };
        tree.ancestors(place).filter_map(|node| numbers.get(tree.label(node)).copied()).collect()
    };
    let all = |term: Node| {
        let mut names = vec![term];
        names.extend(above(term));
        names.extend(bags.get(source.terms()[term as usize].as_str()).into_iter().flatten());
        names.sort_unstable();
        names.dedup();
        names
    };
    Names { of_source: (0..source.terms().len() as Node).map(all).collect(), of_released }
}

fn finding(found: &Printed, unicity: Vec<Figure>, scores: serde_json::Value, k: u32) -> Finding {
    let figure = |what: String, (targets, hits): (u64, u64)| Figure {
        what,
        targets,
        hits,
        controlled: NO_GUESS.to_string(),
        ..Figure::default()
    };
    let personal: u64 = found.personal.iter().sum();
    let mut all = vec![
        Figure {
            instead: "reading no term of fewer people".to_string(),
            ..figure(format!("published terms that fewer than {k} people used"), (found.terms, found.rare))
        },
        Figure {
            instead: "reading no such term".to_string(),
            ..figure(
                "published terms that look like personal data: numbers, addresses or given names".to_string(),
                (found.terms, personal),
            )
        },
    ];
    for kind in Personal::ALL {
        let hits = found.personal[kind as usize];
        if hits > 0 || found.personal_before[kind as usize] > 0 {
            all.push(figure(format!("published terms that look like {}", kind.words()), (found.terms, hits)));
        }
    }
    all.extend(unicity);
    // What succeeds most is the headline; what the original would reveal comes last.
    all.sort_by(Figure::worse_first);
    all.push(figure(
        format!("terms of the original that fewer than {k} people used"),
        (found.source[0], found.source[1]),
    ));
    let mut lines: Vec<String> = Vec::new();
    for (term, users) in &found.rarest {
        let people = counted(u64::from(*users), "person", "people");
        lines.push(format!("'{term}' is published, and {people} used it"));
    }
    lines.extend(found.shown.iter().map(|term| format!("'{term}' looks like personal data")));
    let warning = match (found.rare, personal) {
        (0, 0) => String::new(),
        (0, personal) => {
            let terms = counted(personal, "published term looks", "published terms look");
            format!(
                "{terms} like personal data: numbers, addresses or names (`privet attack --only query-terms` shows them); at \
                 least {k} people used each"
            )
        }
        (rare, _) => format!(
            "{rare} of {} {} used by fewer than {k} people, as names often are; set min_term_users",
            counted(found.terms, "printed term", "published terms"),
            if rare == 1 { "was" } else { "were" }
        ),
    };
    Finding {
        knows: "the published vocabularies, and some terms that a person typed".to_string(),
        does: "reads terms that only a few people can have typed or that look like personal data, and looks up which \
               vocabularies have the known terms"
            .to_string(),
        assumes: "given names are recognised by a short list, numbers and addresses by their form; a vocabulary is \
                  singled out if it is the only one that matches"
            .to_string(),
        figures: all,
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning,
        more: [("unicity".to_string(), scores), ("personal".to_string(), json!(personal))].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Terms of queries")
    }
}

/// What a term may be that should not be published, no matter who used it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Personal {
    /// A mail address.
    Mail,
    /// A web address.
    Address,
    /// A number of four digits or more: telephone, card, account, house and post codes.
    Number,
    /// A common given name.
    Name,
}

impl Personal {
    /// All kinds.
    pub const ALL: [Personal; 4] = [Personal::Mail, Personal::Address, Personal::Number, Personal::Name];

    /// The kind in words, as many.
    pub fn words(self) -> &'static str {
        match self {
            Personal::Mail => "mail addresses",
            Personal::Address => "web addresses",
            Personal::Number => "numbers with at least four digits",
            Personal::Name => "given names",
        }
    }

    /// What a term looks like, if like personal data.
    pub fn of(term: &str) -> Option<Personal> {
        let lower = term.to_lowercase();
        if let Some((name, domain)) = lower.split_once('@')
            && !name.is_empty()
            && domain.contains('.')
        {
            return Some(Personal::Mail);
        }
        let is_address = |word: &str| {
            word.starts_with("www.")
                || word.contains("://")
                || [".com", ".org", ".net", ".edu", ".gov"].iter().any(|end| word.ends_with(end))
        };
        if is_address(&lower) {
            return Some(Personal::Address);
        }
        let digits = lower.chars().filter(char::is_ascii_digit).count();
        let numeric = lower.chars().all(|one| one.is_ascii_digit() || "-–./() +#".contains(one));
        if digits >= 4 && numeric {
            return Some(Personal::Number);
        }
        let mut words = lower.split([' ', '_']);
        words.any(|word| GIVEN_NAMES.binary_search(&word).is_ok()).then_some(Personal::Name)
    }
}

/// Given names that are frequent in the United States and no everyday word, in order.
const GIVEN_NAMES: [&str; 96] = [
    "aaron",
    "adam",
    "alice",
    "amanda",
    "amy",
    "andrea",
    "andrew",
    "angela",
    "ann",
    "anna",
    "anthony",
    "arthur",
    "ashley",
    "barbara",
    "benjamin",
    "betty",
    "brandon",
    "brenda",
    "brian",
    "carolyn",
    "catherine",
    "charles",
    "cheryl",
    "christina",
    "christine",
    "christopher",
    "cynthia",
    "daniel",
    "david",
    "deborah",
    "debra",
    "dennis",
    "diane",
    "donald",
    "donna",
    "dorothy",
    "douglas",
    "edward",
    "elizabeth",
    "emily",
    "emma",
    "eric",
    "ethan",
    "eugene",
    "evelyn",
    "frances",
    "gary",
    "george",
    "gerald",
    "gloria",
    "gregory",
    "heather",
    "helen",
    "henry",
    "jacob",
    "jacqueline",
    "james",
    "janet",
    "janice",
    "jason",
    "jeffrey",
    "jennifer",
    "jessica",
    "joan",
    "john",
    "jonathan",
    "joseph",
    "joshua",
    "joyce",
    "judith",
    "judy",
    "julia",
    "julie",
    "justin",
    "karen",
    "katherine",
    "kathleen",
    "keith",
    "kelly",
    "kenneth",
    "kevin",
    "kimberly",
    "larry",
    "laura",
    "linda",
    "lisa",
    "margaret",
    "maria",
    "martha",
    "mary",
    "matthew",
    "melissa",
    "michael",
    "michelle",
    "nancy",
    "nicole",
];

/// What is wrong with the terms that are printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    /// Distinct terms that are printed.
    pub terms: u64,
    /// Those that fewer than k people used.
    pub rare: u64,
    /// Some of those, those of fewest people first.
    pub rarest: Vec<(String, u32)>,
    /// Distinct terms of the source, and those that fewer than k people used.
    pub source: [u64; 2],
    /// Printed terms that look like personal data, by kind.
    pub personal: [u64; 4],
    /// Some of those.
    pub shown: Vec<String>,
    /// Terms of the source that look like personal data, by kind.
    pub personal_before: [u64; 4],
}

/// Looks at every printed term. A term that the source does not have, such as a word above others, was used by everybody who used
/// what it stands for, and is not rare.
pub(crate) fn printed(source: &Bags, released: &Bags, k: u32, most: usize) -> Printed {
    let users = source.term_users();
    let known: HashMap<&str, u32> =
        source.terms().iter().map(String::as_str).zip(users.iter().copied()).collect();
    let used = |term: &str| known.get(term).copied();
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    for label in released.terms() {
        // A bag that is printed whole prints every term in it.
        if used(label).is_none() && label.split(TERM_SEPARATOR).all(|part| used(part).is_some()) {
            shown.extend(label.split(TERM_SEPARATOR));
        } else {
            shown.insert(label);
        }
    }
    let mut found = Printed { terms: shown.len() as u64, ..Printed::default() };
    found.source = [users.len() as u64, users.iter().filter(|users| **users < k).count() as u64];
    for term in source.terms() {
        if let Some(kind) = Personal::of(term) {
            found.personal_before[kind as usize] += 1;
        }
    }
    let mut rare: Vec<(u32, &str)> = Vec::new();
    for term in shown {
        if let Some(few) = used(term).filter(|users| *users < k) {
            rare.push((few, term));
        }
        if let Some(kind) = Personal::of(term) {
            found.personal[kind as usize] += 1;
            if found.shown.len() < most {
                found.shown.push(term.to_string());
            }
        }
    }
    rare.sort_unstable();
    found.rare = rare.len() as u64;
    found.rarest = rare.into_iter().take(most).map(|(users, term)| (term.to_string(), users)).collect();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(GIVEN_NAMES.is_sorted());
    }

    #[test]
    fn what_looks_like_personal_data_is_told() {
        for (term, kind) in [
            ("j.smith@mail.com", Some(Personal::Mail)),
            ("www.example.org", Some(Personal::Address)),
            ("555-1234", Some(Personal::Number)),
            ("90210", Some(Personal::Number)),
            ("Thelma", None),
            ("jennifer", Some(Personal::Name)),
            ("mary arnold", Some(Personal::Name)),
            ("123", None),
            ("covid19", None),
            ("garden", None),
            ("@", None),
        ] {
            assert_eq!(Personal::of(term), kind, "{term}");
        }
    }

    #[test]
    fn a_term_of_one_person_is_found_and_one_of_many_is_not() {
        let source = Bags::of(&[
            (Some("a"), &["garden", "jennifer"][..]),
            (Some("a"), &["jennifer"]),
            (Some("b"), &["garden", "tax"]),
            (Some("c"), &["garden", "tax"]),
        ])
        .expect("bags");
        let leaking = Bags::of(&[(None, &["garden", "jennifer"][..]), (None, &["tax"])]).expect("bags");
        let found = printed(&source, &leaking, 2, 10);
        assert_eq!((found.terms, found.rare, found.source), (3, 1, [3, 1]));
        assert_eq!(found.rarest, [("jennifer".to_string(), 1)]);
        assert_eq!((found.personal, found.shown.as_slice()), ([0, 0, 0, 1], &["jennifer".to_string()][..]));
        // A bag that is printed whole tells as much.
        let whole = Bags::of(&[(None, &["garden | jennifer", "garden | tax"][..])]).expect("bags");
        let found = printed(&source, &whole, 2, 10);
        assert_eq!((found.terms, found.rare, found.personal), (3, 1, [0, 0, 0, 1]));
        let safe = Bags::of(&[(None, &["garden", "finance"][..]), (None, &["tax"])]).expect("bags");
        let found = printed(&source, &safe, 2, 10);
        assert_eq!((found.rare, found.personal), (0, [0; 4]));
    }

    #[test]
    fn files_of_vocabularies_are_attacked() {
        use crate::testing::Stage;
        let policy = "[data]\npath = \"table.csv\"\nkind = \"vocabularies\"\n[data.columns]\nuser = \"who\"\n\
            [semantics]\ndistance = \"taxonomy\"\nhierarchy = \"city.csv\"\n[privacy.vocabulary-k-anonymity]\nk = 2\n";
        let original =
            "vocabulary,who,term,count\n1,a,Oslo,1\n1,a,jennifer,1\n2,b,Oslo,1\n2,b,Rome,1\n3,c,Rome,1\n";
        let stage = Stage::with(policy, original);
        let leaking = "vocabulary,term,count\n1,Oslo,1\n1,jennifer,1\n2,Oslo,1\n2,jennifer,1\n";
        let found = stage.attack("query-terms", leaking).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (2, 1), "{found:?}");
        assert!(found.succeeds() && found.worst.contains("jennifer"), "{found:?}");
        // Nothing rare, but a name: that is reported first.
        let original =
            "vocabulary,who,term,count\n1,a,Oslo,1\n1,a,jennifer,1\n2,b,Oslo,1\n2,b,jennifer,1\n3,c,Oslo,1\n";
        let named = Stage::with(policy, original).attack("query-terms", leaking).expect("a finding");
        assert!(named.headline().what.contains("personal data") && named.headline().hits == 1, "{named:?}");
        assert!(named.warning.starts_with("1 published term looks like"), "{}", named.warning);
        let safe = "vocabulary,term,count\n1,Norway,1\n2,Norway,1\n3,Norway,1\n";
        let found = stage.attack("query-terms", safe).expect("a finding");
        assert!(
            !found.succeeds()
                && found.figures.iter().all(|figure| figure.hits == 0 || figure.what.contains("original"))
        );
    }
}
