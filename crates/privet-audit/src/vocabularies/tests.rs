//! The audit of vocabularies: releases with known verdicts, and honest releases that are tampered with.

use proptest::prelude::*;

use super::*;
use privet_core::clock::Clock;
use privet_core::testing::cases as config;
use privet_engine::privacy::vocabulary::VocabularyAnonymity;
use privet_engine::testing::vocabularies as cases;
use privet_methods::vocabulary::loss::BagLoss;
use privet_methods::vocabulary::{BagSolution, BagTask, run};
use privet_policy::method::{Centre, Residual, Ssg};
use privet_policy::{VocabularyKAnonymity, VocabularyMethod};

/// All methods, and all that ssg prints.
fn methods() -> Vec<VocabularyMethod> {
    let mut methods =
        vec![VocabularyMethod::LgBag(Default::default()), VocabularyMethod::Lg(Default::default())];
    let ssg = |centre: &Centre| VocabularyMethod::Ssg(Ssg { centre: *centre, ..Ssg::default() });
    methods.extend(Centre::ALL.iter().map(ssg));
    methods
}

fn audit(facts: &VocabularyRelease<'_>) -> Audit {
    audit_vocabularies(facts, &mut || Ok(())).expect("an audit")
}

/// The names of the checks that fail, without their parameters.
fn faults(audit: &Audit) -> Vec<&str> {
    assert_eq!(audit.passed, audit.checks.iter().all(|check| check.holds));
    let name = |check: &Check| -> usize { check.name.find(' ').unwrap_or(check.name.len()) };
    audit.checks.iter().filter(|check| !check.holds).map(|check| &check.name[..name(check)]).collect()
}

/// Every failing check says how often it fails: per class, per vocabulary or per word.
fn violations(audit: &Audit) -> u64 {
    let said = |check: &Check| check.detail.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    audit.checks.iter().filter(|check| !check.holds).map(|check| said(check).expect("a number")).sum()
}

#[test]
fn every_verdict_is_as_known() {
    for case in cases::of_kind("release") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let users = (!input["users"].is_null()).then(|| cases::words(&input["users"]));
        let original = cases::bags(&cases::lists(&input["vocabularies"]), users.as_deref());
        let release = cases::bags(&cases::lists(&input["release"]), None);
        let distances = cases::distances(cases::tree(&input["source"]), &original);
        let number = |key: &str| input[key].as_u64().expect("a number") as u32;
        let aligned: Vec<Option<u32>> = (0..original.len() as u32).map(Some).collect();
        assert_eq!(input["mode"], "vote");
        let facts = VocabularyRelease {
            original: &original,
            distances: &distances,
            release: &release,
            demand: Demand { k: number("k"), distinct_users: users.is_some(), min_term_users: 1 },
            manner: Manner::Vote,
            covers_groups: false,
            epsilon: number("eps"),
            assignment: Some(&aligned),
            withheld: None,
            expected: None,
            stated: None,
            filed: None,
            file: None,
            aligned: true,
        };
        let found = audit(&facts);
        assert_eq!(Some(found.passed), expected["ok"].as_bool(), "{}: {found:#?}", case["id"]);
        assert_eq!(Some(violations(&found)), expected["violations"].as_u64(), "{}: {found:#?}", case["id"]);
    }
}

fn list(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

/// The running example of the thesis with its honest release, as a list that can be tampered with.
struct Example {
    original: Vec<Vec<String>>,
    users: Vec<String>,
    release: Vec<Vec<String>>,
    assignment: Vec<Option<u32>>,
    demand: Demand,
    manner: Manner,
    epsilon: u32,
}

impl Example {
    fn new() -> Example {
        let first = list(&["Wine", "Vino", "Jackets", "Shoes"]);
        let second = list(&["Raw-milk", "Raw-milk", "Homo-milk"]);
        Example {
            original: vec![
                list(&["Wine", "Wine", "Jackets", "Boots"]),
                list(&["Vino", "Vino", "Jackets", "Shoes"]),
                list(&["Wine", "Vino", "Raw-milk", "Jackets", "Shoes"]),
                list(&["Vino", "Raw-milk", "Raw-milk", "Homo-milk"]),
                list(&["Raw-milk", "Homo-milk", "Homo-milk", "Jackets", "Pants"]),
            ],
            users: list(&["a", "b", "c", "d", "e"]),
            // Not in the order of the originals.
            release: vec![second.clone(), first.clone(), first.clone(), second, first],
            assignment: vec![Some(1), Some(1), Some(4), Some(0), Some(3)],
            demand: Demand { k: 2, distinct_users: true, min_term_users: 2 },
            manner: Manner::Vote,
            epsilon: 4,
        }
    }

    fn judged(&self, listed: bool) -> Audit {
        let original = cases::bags(&self.original, Some(&self.users));
        let release = cases::bags(&self.release, None);
        let distances = cases::distances(cases::goods(), &original);
        audit(&VocabularyRelease {
            original: &original,
            distances: &distances,
            release: &release,
            demand: self.demand,
            manner: self.manner,
            covers_groups: false,
            epsilon: self.epsilon,
            assignment: listed.then_some(&self.assignment),
            withheld: Some(0),
            expected: None,
            stated: None,
            filed: None,
            file: None,
            aligned: true,
        })
    }
}

/// What fails with the steward's list and without it, after some tampering.
fn tampered(tamper: impl FnOnce(&mut Example)) -> (String, String) {
    let mut example = Example::new();
    tamper(&mut example);
    let (listed, alone) = (example.judged(true), example.judged(false));
    (faults(&listed).join(" "), faults(&alone).join(" "))
}

fn both(listed: &str, alone: &str) -> (String, String) {
    (listed.into(), alone.into())
}

#[test]
fn an_honest_release_passes() {
    let audit = Example::new().judged(true);
    assert_eq!(faults(&audit), Vec::<&str>::new(), "{audit:#?}");
    assert_eq!((audit.classes, audit.records.released), (2, 5));
    assert_eq!(tampered(|_| ()), both("", ""));
}

#[test]
fn every_kind_of_tampering_is_seen() {
    const K: &str = "vocabulary-k-anonymity";
    // A vocabulary less than there should be.
    let dropped = tampered(|example| {
        example.release.pop();
        example.assignment[2] = Some(1);
    });
    assert_eq!(dropped, both("records assignment", "records"));
    // One more of a kind.
    assert_eq!(
        tampered(|example| example.release.push(example.release[0].clone())),
        both("records assignment", "records sizes")
    );
    // A word that is nobody's.
    let senseless = tampered(|example| example.release.iter_mut().for_each(|bag| bag[0] = "Gin".into()));
    assert_eq!(senseless, both("words rare meaning", "words rare"));
    // A term that is too far from what it stands for. Pants are of one user.
    let far = tampered(|example| {
        for row in [0, 3] {
            example.release[row].push("Pants".into());
        }
    });
    assert_eq!(far, both("rare meaning", "rare"));
    // The same with a smaller reach: Shoes for Boots and Vino for Wine are two steps away.
    assert_eq!(tampered(|example| example.epsilon = 1), both("meaning", ""));
    // A vocabulary that looks like no other.
    assert_eq!(
        tampered(|example| example.release[1][0] = "Vino".into()),
        both(&format!("assignment {K}"), K)
    );
    // All vocabularies of a class are one user's, and so is all homogenised milk.
    let one_user = tampered(|example| example.users[4] = "d".into());
    assert_eq!(one_user, both(&format!("rare {K}"), "rare"));
    // More occurrences than there were.
    let grown = tampered(|example| {
        for row in [1, 2, 4] {
            example.release[row].extend(list(&["Jackets", "Jackets"]));
        }
    });
    assert_eq!(grown, both("sizes meaning", "sizes"));
    // A term within reach that no member used: near enough to be meant, but not theirs.
    let alien = tampered(|example| {
        for row in [0, 3] {
            example.release[row] = list(&["Wine"]);
        }
    });
    assert_eq!(alien, both("use", ""));
    // A list that speaks of something else.
    assert_eq!(tampered(|example| example.assignment[0] = Some(9)).0, "assignment");
    assert_eq!(tampered(|example| example.assignment.push(None)).0, "records assignment");
    // Originals that were swapped between the classes.
    assert_eq!(tampered(|example| example.assignment.swap(0, 4)).0, "meaning");
}

#[test]
fn what_only_the_list_tells_is_undetermined_without_it() {
    let open = |audit: &Audit| -> Vec<String> {
        audit.checks.iter().filter(|check| check.undetermined).map(|check| check.name.clone()).collect()
    };
    // One user has both vocabularies of a class, and a word is too far from what it stands for: nothing shows it outside.
    let mut example = Example::new();
    example.demand.min_term_users = 1;
    example.users[4] = "d".into();
    example.epsilon = 1;
    assert_eq!(faults(&example.judged(true)), ["vocabulary-k-anonymity", "meaning"]);
    let alone = example.judged(false);
    assert!(alone.passed, "{alone:#?}");
    assert_eq!(open(&alone), ["order", "vocabulary-k-anonymity (k = 2, different users)", "meaning"]);
    assert_eq!(open(&Example::new().judged(true)), ["order"]);
    example.demand.distinct_users = false;
    assert_eq!(open(&example.judged(false)), ["order", "meaning"]);
}

#[test]
fn withheld_vocabularies_are_counted_and_exempt() {
    let mut example = Example::new();
    example.release = vec![example.release[1].clone(), example.release[2].clone()];
    example.assignment = vec![Some(0), Some(1), None, None, None];
    let audit = example.judged(true);
    assert_eq!(faults(&audit), Vec::<&str>::new(), "{audit:#?}");
    assert_eq!(audit.records.suppressed, 3);
    // Without the list, the number is what the release says of itself: none.
    assert_eq!(faults(&example.judged(false)), ["records"]);
}

#[test]
fn bags_and_general_words_stand_for_what_they_say() {
    let mut example = Example::new();
    example.manner = Manner::Hyper;
    let first = list(&[
        "Vino | Wine | Wine",
        "Vino | Vino | Wine",
        "Jackets | Jackets | Jackets",
        "Boots | Shoes | Shoes",
    ]);
    let second = list(&["Raw-milk | Raw-milk", "Homo-milk | Raw-milk", "Homo-milk | Homo-milk"]);
    example.release = vec![second.clone(), first.clone(), first.clone(), second, first];
    // Boots are of one user.
    assert_eq!(faults(&example.judged(true)), ["rare"]);
    example.demand.min_term_users = 1;
    assert_eq!(faults(&example.judged(true)), Vec::<&str>::new());
    example.epsilon = 1;
    assert_eq!(faults(&example.judged(true)), ["meaning"]);

    let mut example = Example::new();
    example.manner = Manner::General;
    let (first, second) =
        (list(&["Alcohol", "Alcohol", "Outwear", "Footwear"]), list(&["Milk", "Milk", "Milk"]));
    example.release = vec![second.clone(), first.clone(), first.clone(), second.clone(), first];
    assert_eq!(faults(&example.judged(true)), Vec::<&str>::new());
    let wrong = list(&["Milk", "Milk", "Alcohol"]);
    (example.release[0], example.release[3]) = (wrong.clone(), wrong);
    assert_eq!(faults(&example.judged(true)), ["meaning"]);
}

/// What a method decided as a published file, in reverse order, and the steward's list.
fn written(solution: &BagSolution, bags: &Bags, distances: &Distances) -> (Bags, Vec<Option<u32>>) {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut assignment = vec![None; bags.len()];
    for cluster in solution.clusters.iter().rev() {
        for member in &cluster.members {
            assignment[*member as usize] = Some(rows.len() as u32);
            rows.push(cluster.shown.iter().map(|shown| shown.print.label(bags, distances)).collect());
        }
    }
    (cases::bags(&rows, None), assignment)
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn what_any_method_publishes_passes(
        bags in cases::any_bags(14), k in 1u32..4, distinct_users: bool, min_term_users in 1u32..4, epsilon in 0u32..7,
        mut method in prop::sample::select(methods()),
        residual in prop::sample::select(vec![Residual::No, Residual::Any, Residual::Within(6)]),
        withhold: bool,
    ) {
        let distances = cases::distances(cases::goods(), &bags);
        let demand = VocabularyAnonymity { k, distinct_users, min_term_users };
        if let VocabularyMethod::Ssg(ssg) = &mut method {
            ssg.withhold = withhold;
            ssg.residual = residual;
        }
        let task = BagTask { bags: &bags, distances: &distances, epsilon, omega: None, demand, method: &method };
        let Ok(found) = run(&task, &Clock::unlimited()) else { return Ok(()) };
        let (release, assignment) = written(&found, &bags, &distances);
        let loss = BagLoss::of(&bags, &found, &distances);
        let stated = StatedShares {
            distinct_terms: loss.distinct_terms.value(),
            size: loss.average_size.value(),
            blm: loss.blm.value(),
            glm: loss.glm.map(|glm| glm.value()),
        };
        let facts = VocabularyRelease {
            original: &bags,
            distances: &distances,
            release: &release,
            demand: Demand { k, distinct_users, min_term_users },
            manner: Manner::of(&method),
            covers_groups: !matches!(method, VocabularyMethod::Ssg(_)),
            epsilon,
            assignment: Some(&assignment),
            withheld: None,
            expected: None,
            stated: Some(stated),
            filed: None,
            file: None,
            aligned: true,
        };
        let listed = audit(&facts);
        prop_assert!(listed.passed, "{listed:#?}");
        let alone = VocabularyRelease { assignment: None, withheld: Some(found.withheld.len() as u64), ..facts };
        prop_assert!(audit(&alone).passed);
        // Claims that are not so are seen.
        let worst = 1.0 - stated.size + 2.0;
        for wrong in [
            StatedShares { distinct_terms: stated.distinct_terms + 0.01, ..stated },
            StatedShares { size: stated.size + 0.01, ..stated },
            StatedShares { blm: worst, ..stated },
            StatedShares { glm: Some(worst), ..stated },
        ] {
            let claimed = audit(&VocabularyRelease { stated: Some(wrong), ..facts });
            prop_assert_eq!(faults(&claimed), ["shares"]);
        }
    }

    /// The flow between counted words against single occurrences, one after the other.
    #[test]
    fn a_bag_stands_for_what_it_can_be_paired_with(
        published in prop::collection::vec(0usize..10, 0..6), bag in prop::collection::vec(0usize..8, 0..6),
        epsilon in 0u32..7, general: bool,
    ) {
        let words = [
            "Wine", "Vino", "Raw-milk", "Homo-milk", "Jackets", "Pants", "Boots", "Shoes", "Alcohol", "Clothing",
        ];
        let all: Vec<String> = words[..8].iter().map(|word| word.to_string()).collect();
        let named = |numbers: &[usize]| numbers.iter().map(|at| words[*at].to_string()).collect::<Vec<_>>();
        // A second vocabulary makes every leaf a term of the data.
        let original = cases::bags(&[named(&bag), all], None);
        let release = cases::bags(&[named(&published)], None);
        let tree = cases::goods();
        let distances = cases::distances(tree.clone(), &original);
        let manner = if general { Manner::General } else { Manner::Vote };
        let facts = VocabularyRelease {
            original: &original,
            distances: &distances,
            release: &release,
            demand: Demand { k: 1, distinct_users: false, min_term_users: 1 },
            manner,
            covers_groups: false,
            epsilon,
            assignment: Some(&[Some(0), None]),
            withheld: None,
            expected: None,
            stated: None,
            filed: None,
            file: None,
            aligned: true,
        };
        let relevant = |word: usize, term: usize| {
            let (word, term) = (tree.find(words[word]).expect("a node"), tree.find(words[term]).expect("a node"));
            let near = tree.distance(word, term).is_some_and(|far| far <= epsilon);
            if general || !tree.is_leaf(word) { tree.contains(word, term) } else { near }
        };
        fn pairs(left: &[usize], right: &mut Vec<usize>, relevant: &dyn Fn(usize, usize) -> bool) -> bool {
            let Some((word, rest)) = left.split_first() else { return true };
            (0..right.len()).any(|at| {
                let term = right.remove(at);
                let good = relevant(*word, term) && pairs(rest, right, relevant);
                right.insert(at, term);
                good
            })
        }
        let good = pairs(&published, &mut bag.clone(), &relevant);
        let found = audit(&facts);
        let meaning = found.checks.iter().find(|check| check.name == "meaning").expect("a check");
        prop_assert_eq!(meaning.holds, good, "{:#?}", found);
    }
}

#[test]
fn a_demand_is_read_from_the_policy() {
    let asked = VocabularyKAnonymity { k: 7, distinct_users: None, min_term_users: None };
    assert_eq!(Demand::of(&asked, true), Demand { k: 7, distinct_users: true, min_term_users: 7 });
    assert_eq!(Demand::of(&asked, false), Demand { k: 7, distinct_users: false, min_term_users: 1 });
}
