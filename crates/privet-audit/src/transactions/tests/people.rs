//! People with several transactions, counted by the audit and by brute force.

use proptest::prelude::*;

use super::super::people::{Crowd, exposed, first_threat};
use super::*;
use privet_engine::baskets::Baskets;
use privet_engine::testing::{any_crowded_instance, oracle};
use privet_methods::kl::recoding::ItemRecoding;
use privet_taxonomy::Node;

/// Who has which transactions of a cut.
fn owned(baskets: &Baskets, cut: &[Node]) -> Vec<(u32, Vec<Node>, Vec<u32>)> {
    let people = baskets.people().expect("people");
    let recoding = ItemRecoding::of_cut(&baskets.tree, cut);
    let mut next = 100;
    let mut owned = Vec::new();
    for basket in 0..baskets.len() {
        let nodes = recoding.shown(baskets, basket)[0].nodes.clone();
        let single = next..next + people.single(basket) as u32;
        next = single.end;
        let all = people.named(basket).iter().copied().chain(single);
        owned.extend(all.map(|person| (person, nodes.clone(), baskets.marks(basket).to_vec())));
    }
    owned
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// On every cut the audit finds a threat just if brute force does, and exposes just those who fit one.
    #[test]
    fn threats_to_people_are_those_of_the_definition((baskets, privacy) in any_crowded_instance()) {
        let tree = &*baskets.tree;
        let demand = Demand { k: privacy.k, m: privacy.m, n: privacy.n, theta: privacy.theta.clone(), costs: None };
        for cut in oracle::all_cuts(tree) {
            let owned = owned(&baskets, &cut);
            let crowd = Crowd::new(tree, baskets.sensitive.len(), owned.clone());
            let found = first_threat(&crowd, &demand, &mut || Ok(())).expect("no limit");
            let threats = oracle::threats(&baskets, &privacy, &oracle::visible(tree, &cut));
            prop_assert_eq!(found.is_some(), !threats.is_empty(), "{:?}: {:?} {:?}", cut, found, threats);
            let holds = |nodes: &[Node], node: &Node| nodes.iter().any(|own| tree.contains(*node, *own));
            let fits = |nodes: &[Node]| threats.iter().any(|threat| {
                threat.present.iter().all(|node| holds(nodes, node)) && !threat.absent.iter().any(|node| holds(nodes, node))
            });
            let mut expected: Vec<u32> =
                owned.iter().filter(|(_, nodes, _)| fits(nodes)).map(|(person, ..)| *person).collect();
            expected.sort_unstable();
            expected.dedup();
            let counted = exposed(&crowd, &demand, u64::MAX);
            prop_assert!(counted.complete);
            prop_assert_eq!(counted.transactions, expected.len() as u64, "{:?}", cut);
        }
    }
}

/// Audits transactions of people: a name, then items.
fn audit_people(original: &str, release: &str, method: &str, demand: &Demand) -> Audit {
    let (tree, sensitive) = (tree(SHOP), ["test".to_string()]);
    let meaning = LabelMeaning::new(&tree, &sensitive);
    let mut entries = Entries::new(&meaning);
    for (line, row) in (1u64..).zip(rows(original)) {
        entries.push_of(row[0], line, &row[1..]);
    }
    let original = entries.finish();
    let mut entries = Entries::new(&meaning);
    for (line, row) in (1u64..).zip(rows(release)) {
        entries.push(line, &row);
    }
    let facts = TransactionFacts {
        tree: &tree,
        sensitive: &sensitive,
        meaning: &meaning,
        original,
        release: entries.finish(),
        written: Vec::new(),
        unwritten: Vec::new(),
        recoding: recoding(method),
        suppression: Suppression::default(),
    };
    let requirements = [("kl-privacy".to_string(), demand.clone())];
    judge(&facts, &requirements, &AuditOptions::default(), &mut || Ok(())).expect("an audit")
}

#[test]
fn several_transactions_of_one_person_are_one_person() {
    let original = "ann beer\nann wine\nann beer\nbob milk\ncy milk\nbob curd\ncy curd\n";
    let release = "Drinks\nDairy\nDrinks\nDairy\nDairy\nDrinks\nDairy\n";
    let found = audit_people(original, release, "og", &demand(2, "1", 1, 0, 1));
    assert_eq!(failing(&found), ["kl-privacy"], "{found:?}");
    let check = found.checks.iter().find(|check| check.name == "kl-privacy").expect("a check");
    assert_eq!(check.worst.as_deref(), Some("knowing Drinks: 1 person fits, k = 2"));
    assert!(audit_people(original, release, "og", &demand(1, "1", 1, 0, 1)).passed);
    let people = found.checks.iter().find(|check| check.name == "people").expect("a check");
    assert_eq!(people.detail, "7 transactions of 3 people, who are counted once");
    // What is not the original says nothing about its people.
    let other = release.replacen("Drinks", "Drinks Dairy", 1);
    let found = audit_people(original, &other, "og", &demand(1, "1", 1, 0, 1));
    assert_eq!(failing(&found), ["truth", "kl-privacy"], "{found:?}");
}

#[test]
fn a_sensitive_item_is_compared_with_people() {
    // By transactions a third of those with drinks have a test; by people it is two of two.
    let original = "ann beer\nann wine\nann beer test\nbob beer\nbob wine test\nbob wine\n";
    let release = "Drinks\nDrinks\nDrinks\nDrinks test\nDrinks test\nDrinks\n";
    let found = audit_people(original, release, "og", &demand(2, "1/2", 1, 0, 1));
    let check = found.checks.iter().find(|check| check.name == "kl-privacy").expect("a check");
    let worst = check.worst.as_deref().expect("a case");
    assert_eq!(worst, "knowing nothing: 2 people fit, 2 of them with 'test'; at most the share 1/2 may be");
}
