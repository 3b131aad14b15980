//! What both editions must and must not say about transactions.

use super::sample::{baskets, many_items};
use super::*;
use crate::release::report::testing::{text_of, texts};
use crate::release::report::transactions::{promise, protections};
use crate::release::report::{
    Attack, Cover, Edition, FileHash, ForSteward, MethodAccount, Records, Report, ValueCount,
};

const EDITIONS: [Edition; 2] = [Edition::Steward, Edition::Public];

fn html(model: &TransactionReport, edition: Edition) -> String {
    Report::from(model.clone()).render(edition).unwrap_or_else(|error| panic!("{error}"))
}

fn limit(k: u64, confidence: Option<&str>, m: u64, n: u64) -> KnowledgeLimit {
    KnowledgeLimit {
        name: "kl-privacy".into(),
        description: String::new(),
        k,
        m,
        n,
        everything: false,
        confidence: confidence.map(str::to_string),
        guards: confidence.is_some(),
        people: false,
    }
}

fn cover(limits: &[KnowledgeLimit], attack: Attack) -> (Cover, String) {
    let found = protections(limits, true).into_iter().find(|entry| entry.attack == attack);
    found.map(|entry| (entry.cover, entry.meaning)).expect("an entry")
}

#[test]
fn the_sections_stand_in_their_order() {
    let sections = |edition| {
        let page = html(&baskets(), edition);
        let names = page.split("<section id=\"").skip(1).filter_map(|rest| rest.split('"').next());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        sections(Edition::Steward),
        "verdict warnings limits facts items sensitive utility scan tightness risk attacks ledger losses fidelity audit search \
         method signature glossary"
    );
    assert_eq!(
        sections(Edition::Public),
        "verdict limits facts items sensitive utility tightness losses fidelity audit method glossary"
    );
}

#[test]
fn pages_are_whole_and_fetch_nothing() {
    for model in [baskets(), many_items()] {
        for edition in EDITIONS {
            let page = html(&model, edition);
            assert_eq!(texts(&page, "h1").len(), 1);
            for forbidden in ["<script", "http://", "https://", "<link", "<img", "NaN", "∞"] {
                assert!(!page.contains(forbidden), "{forbidden}");
            }
            for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
            }
            for figure in page.split("<figure").skip(1).filter_map(|rest| rest.split("</figure>").next()) {
                assert!(
                    figure.contains("<svg role=\"img\"") && figure.contains("<table"),
                    "a table below each"
                );
            }
        }
    }
}

#[test]
fn the_first_page_says_what_is_not_protected() {
    let page = html(&baskets(), Edition::Public);
    let first = page.split("<nav").next().unwrap_or_default();
    assert!(first.contains(
        "anyone who knows up to 2 items of somebody’s transaction and one that it lacks finds no transaction or at least 5 \
         that fit, and becomes no surer than 1&#x2f;5 of any sensitive item"
    ));
    for attack in [
        Attack::MoreKnowledge,
        Attack::Alternatives,
        Attack::SeveralTransactions,
        Attack::KnownSensitiveItem,
        Attack::Composition,
    ] {
        let open = first.split("What it does protect against").next().unwrap_or_default();
        assert!(open.contains(attack.name()), "{attack:?}");
    }
    assert!(first.contains("n = 3 would cover pairs of alternatives"));
}

#[test]
fn the_matrix_follows_the_parameters() {
    let km = [limit(5, None, 2, 0)];
    assert_eq!(cover(&km, Attack::KnownItems).0, Cover::Bounded);
    assert_eq!(cover(&km, Attack::SensitiveItems).0, Cover::Uncovered);
    assert_eq!(cover(&km, Attack::Alternatives).0, Cover::Bounded);
    assert_eq!(cover(&km, Attack::Minimality).0, Cover::Bounded);
    assert!(cover(&km, Attack::MoreKnowledge).1.contains("or any that it lacks"));

    let both = [limit(5, None, 2, 0), limit(1, Some("1/5"), 2, 1)];
    assert_eq!(cover(&both, Attack::KnownItems).0, Cover::Bounded);
    assert_eq!(cover(&both, Attack::SensitiveItems).0, Cover::Bounded);
    assert_eq!(cover(&both, Attack::Alternatives).0, Cover::Uncovered);
    assert_eq!(cover(&both, Attack::Minimality).0, Cover::Uncovered);

    let all = [KnowledgeLimit { everything: true, ..limit(5, Some("1/5"), 9, 9) }];
    assert_eq!(cover(&all, Attack::MoreKnowledge).0, Cover::Bounded);
    assert_eq!(cover(&all, Attack::Alternatives).0, Cover::Bounded);
    assert_eq!(cover(&all, Attack::KnownSensitiveItem).0, Cover::Uncovered);

    let nothing = [limit(1, None, 2, 0)];
    assert_eq!(cover(&nothing, Attack::KnownItems).0, Cover::Uncovered);
    assert!(promise(&nothing[0]).contains("nothing is promised"));
    assert!(protections(&km, false).iter().all(|entry| entry.attack != Attack::KnownSensitiveItem));
}

#[test]
fn the_public_edition_keeps_the_stewards_secrets() {
    let model = baskets();
    let (steward, public) = (html(&model, Edition::Steward), html(&model, Edition::Public));
    for secret in [
        "421337",
        "secret-folder",
        "baskets.csv",
        "DETAIL",
        "5 fit",
        "Beyond the horizon",
        "Read before publishing",
        "Itemsets counted",
        "While the search went on",
        "In the original",
        ">Original<",
    ] {
        assert!(steward.contains(secret), "the sample should hold {secret}");
        assert!(!public.contains(secret), "{secret}");
    }
}

#[test]
fn the_public_edition_names_no_item_that_the_release_hides() {
    let mut model = baskets();
    let nodes = &mut model.tree.nodes;
    let mut below_cut = vec![false; nodes.len()];
    for at in 0..nodes.len() {
        let parent = nodes[at].parent;
        below_cut[at] = parent.is_some_and(|parent| below_cut[parent] || nodes[parent].in_cut);
        nodes[at].label = format!("label-{at}-");
    }
    let hidden: Vec<String> = nodes
        .iter()
        .zip(&below_cut)
        .filter(|(_, below)| **below)
        .map(|(node, _)| node.label.clone())
        .collect();
    assert!(hidden.len() > 30);
    let fidelity = model.common.fidelity.as_mut().expect("what analysts still find").open_mut();
    fidelity.associations.columns.iter_mut().for_each(|name| *name = "HIDDEN ITEM".to_string());
    for value in fidelity.marginals.iter_mut().flat_map(|marginal| &mut marginal.values.values) {
        value.value = "HIDDEN ITEM".to_string();
    }
    assert!(html(&model, Edition::Steward).contains("HIDDEN ITEM"));
    let public = html(&model, Edition::Public);
    assert!(!public.contains("HIDDEN ITEM"));
    assert!(hidden.iter().all(|label| !public.contains(label.as_str())));
    assert!(public.contains("label-"), "what is published is drawn");
}

#[test]
fn the_public_edition_shows_no_count_from_one_to_ten() {
    let mut model = baskets();
    model.common.records = Records {
        read: 7.into(),
        dropped: 0.into(),
        suppressed: 7.into(),
        released: 7,
        starred: 7.into(),
        hides_suppressed: false,
    };
    for node in &mut model.tree.nodes {
        (node.records, node.released, node.level) = (7.into(), 7, 0);
        node.label = "label".into();
    }
    for item in &mut model.sensitive {
        (item.transactions, item.name) = (7, "item".into());
    }
    for value in &mut model.lengths.values {
        (value.before, value.after, value.value) = (7.into(), 7, "band".into());
    }
    (model.utility.items_before, model.utility.items_after) = (7.into(), 7);
    (model.utility.length_before, model.utility.length_after) = (1.5.into(), 2.5);
    model.utility.at_leaves = (1.0 / 3.0).into();
    let patterns = model.utility.patterns.open_mut();
    (patterns.before, patterns.after, patterns.common) = (7, 7, 7);
    model.common.audit.checks.iter_mut().for_each(|check| check.concerned = 7);
    model.common.reproduce.released.clear();
    // A confidence and its margin are shares, whatever digits they have.
    model.common.tightness.retain(|entry| entry.threshold >= 1.0);
    let text = text_of(&html(&model, Edition::Public));
    assert!(!text.contains('7') && !text.contains("33.3"), "{text}");
    assert!(text.contains("1–10"));
}

#[test]
fn a_tree_of_thousands_stays_readable() {
    let model = many_items();
    assert!(*model.undrawn.open() > 0);
    for edition in EDITIONS {
        let page = html(&model, edition);
        let rows = page.matches("class=\"node-").count() + page.matches("class=\"label-below\"").count();
        assert!(rows < 400, "{rows} rows are drawn");
        assert!(page.contains("… "), "and it is said that there are more");
        assert!(page.len() < 400_000, "{} bytes", page.len());
    }
}

#[test]
fn figures_agree_with_the_data() {
    let model = baskets();
    let sum = |count: fn(&ValueCount) -> u64| model.lengths.values.iter().map(count).sum::<u64>();
    assert_eq!((sum(|value| *value.before.open()), sum(|value| value.after)), (5_000, 5_000));
    let names: Vec<&str> = model.lengths.values.iter().map(|value| value.value.as_str()).collect();
    assert_eq!(names, ["0", "1", "2", "3–4", "5–8", "9–16"]);
    let node = |label: &str| model.tree.nodes.iter().find(|node| node.label == label).expect("a node");
    assert!(node("milk").in_cut && *node("milk").records.open() == node("milk").released);
    assert!(node("fruit").in_cut && !node("apples").in_cut && node("apples").released == 0);
    assert_eq!(
        *node("fruit").records.open(),
        node("fruit").released,
        "a group is held as often as it is shown"
    );
    let at_leaves: u64 =
        model.tree.nodes.iter().filter(|node| node.level == 0).map(|node| node.released).sum();
    let all: u64 =
        model.tree.nodes.iter().filter(|node| node.level == 0).map(|node| *node.records.open()).sum();
    assert!((model.utility.at_leaves.open() - at_leaves as f64 / all as f64).abs() < 1e-12);
    assert_eq!(*model.common.records.starred.open(), 0);
    assert_eq!(model.common.losses[0].name, "NCP");
}

#[test]
fn hostile_text_is_escaped_wherever_it_may_stand() {
    const EVIL: &str = "<script>alert('\"x')</script>";
    let evil = || EVIL.to_string();
    let mut model = baskets();
    (model.common.title, model.common.data_name) = (evil().into(), evil().into());
    model.common.privet = evil();
    model.common.method = MethodAccount { name: evil(), summary: evil(), settings: vec![(evil(), evil())] };
    model.common.policy = evil().into();
    model.common.warnings = vec![evil()].into();
    model.tree.nodes.iter_mut().for_each(|node| node.label = evil());
    model.sensitive.iter_mut().for_each(|item| (item.name, item.threshold_text) = (evil(), evil()));
    for limit in &mut model.requirements {
        (limit.name, limit.description, limit.confidence) = (evil(), evil(), Some(evil()));
    }
    model.common.counters = vec![(evil(), 3)].into();
    model
        .common
        .audit
        .checks
        .iter_mut()
        .for_each(|check| (check.name, check.worst, check.detail) = (evil(), evil().into(), evil().into()));
    model.common.reproduce.released = vec![FileHash { path: evil(), sha256: evil() }];
    for edition in EDITIONS {
        let page = html(&model, edition);
        assert!(!page.contains("<script") && !page.contains("alert('"), "{edition:?}");
        assert!(page.contains("&lt;script&gt;"));
    }
}

#[test]
fn what_was_filed_is_told_apart_by_its_kind() {
    let model = baskets();
    let report = Report::from(model.clone());
    let filed = serde_json::to_string(&ForSteward(&report)).expect("JSON");
    let again: Report = serde_json::from_str(&filed).expect("a report");
    assert_eq!(again, report);
    for edition in EDITIONS {
        assert!(again.render(edition).expect("a page") == html(&model, edition), "{edition:?}");
    }
}

#[test]
fn the_worst_known_items_are_named_to_the_steward_alone() {
    let model = baskets();
    let sides: Vec<f64> = model.common.tightness.iter().map(|entry| entry.threshold).collect();
    assert_eq!(sides, [5.0, 0.2], "how many fit, and how sure one is of a sensitive item");
    let worst = model.common.tightness.first().map(|entry| entry.worst.open().clone()).unwrap_or_default();
    assert!(html(&model, Edition::Steward).contains(&worst), "{worst}");
    assert!(!html(&model, Edition::Public).contains(&format!("<small>{worst}</small>")));
    assert_eq!(many_items().common.tightness.len(), 1, "nothing is sensitive");
}

/// Writes the samples where they can be looked at: `PRIVET_REPORTS=/tmp/reports cargo test -p privet samples_to_look_at`.
#[test]
fn samples_to_look_at() -> std::io::Result<()> {
    let Some(folder) = std::env::var_os("PRIVET_REPORTS").map(std::path::PathBuf::from) else {
        return Ok(());
    };
    std::fs::create_dir_all(&folder)?;
    for (name, model) in [("baskets", baskets()), ("many-items", many_items())] {
        for (edition, suffix) in [(Edition::Steward, "steward"), (Edition::Public, "public")] {
            std::fs::write(folder.join(format!("{name}-{suffix}.html")), html(&model, edition))?;
        }
    }
    Ok(())
}
