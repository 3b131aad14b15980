//! Made-up reports about transactions, for tests and for looking at.

use std::fs;
use std::sync::{Arc, LazyLock};

use super::{ItemFacts, account};
use crate::release::manifest::{Claims, Price, Statement};
use crate::release::report::{TransactionReport, Veil};
use privet_attack::{Attacks, Figure, Finding};
use privet_audit::{Audit, AuditRecords, Check};
use privet_core::Exact;
use privet_core::clock::Clock;
use privet_engine::baskets::Baskets;
use privet_engine::privacy::kl::KlPrivacy;
use privet_methods::kl::ItemSolution;
use privet_methods::kl::recoding::ItemRecoding;
use privet_methods::kl::utility::ItemUtility;
use privet_methods::plan::Plan;
use privet_methods::{SearchFacts, TracePoint};
use privet_policy::method::Og;
use privet_policy::{ItemMethod, ItemRequirement, Policy, PolicyRef, requirement};
use privet_taxonomy::{ItemTree, Node};

/// What a tree file says.
pub(super) fn tree(text: &str) -> ItemTree {
    let paths: Vec<Vec<String>> =
        text.lines().map(|line| line.split(';').map(String::from).collect()).collect();
    ItemTree::from_paths(&paths).expect("a tree")
}

fn filled(tree: ItemTree, sensitive: &[&str], lines: &str) -> Baskets {
    let mut baskets = Baskets::new(Arc::new(tree), sensitive.iter().map(|name| name.to_string()).collect());
    for line in lines.lines() {
        let (mut items, mut marks) = (Vec::new(), Vec::new());
        for item in line.split(',') {
            match sensitive.iter().position(|name| *name == item) {
                Some(mark) => marks.push(mark as u32),
                None => items.extend(baskets.tree.find(item)),
            }
        }
        baskets.push(&mut items, &mut marks);
    }
    baskets
}

/// A report about these baskets under k = 5, l = 5, m = 2, n = 1.
pub(super) fn report(baskets: &Baskets, recoding: ItemRecoding) -> TransactionReport {
    let theta = Exact::parse("1/5").expect("a number");
    let asked = requirement::KlPrivacy {
        k: 5,
        l: Exact::whole(5),
        m: 2,
        n: 1,
        theta: Default::default(),
        power: None,
    };
    let requirements = [ItemRequirement::KlPrivacy(asked)];
    let limits = [KlPrivacy { k: 5, m: 2, n: 1, theta: vec![theta; baskets.sensitive.len()], power: None }];
    let method = ItemMethod::Og(Og::default());
    let moment = |(seconds, best, bound)| TracePoint { seconds, best, bound };
    let trace =
        [(0.01, Some(0.31), Some(0.02)), (0.04, Some(0.14), Some(0.06)), (0.11, Some(0.0413), Some(0.0413))];
    let solution = ItemSolution {
        recoding,
        plan: Plan::ItemCut(Default::default()),
        search: SearchFacts {
            space: Some(baskets.tree.cuts().to_string()),
            examined: 42,
            seconds: 0.11,
            optimal: true,
            bound: Some(0.0413),
            trace: trace.map(moment).to_vec(),
        },
        counters: vec![("conflicts", 36), ("itemsets", 112_776)],
        warnings: Vec::new(),
    };
    let check = |name: &str, worst: &str| Check {
        judges: Vec::new(),
        name: name.to_string(),
        holds: true,
        undetermined: false,
        worst: Some(worst.to_string()),
        concerned: 0,
        classes_failing: 0,
        detail: "DETAIL".to_string(),
    };
    let audit = Audit {
        kind: privet_policy::DataKind::Transactions,
        passed: true,
        records: AuditRecords {
            original: baskets.total(),
            dropped: 0,
            released: baskets.total(),
            suppressed: 0,
        },
        classes: 7,
        checks: vec![
            check("items", "none"),
            check("kl-privacy (k = 5, l = 5, m = 2, n = 1)", "artichokes and sake, without milk: 5 fit"),
        ],
    };
    let found = vec![Finding {
        knows: "three items of a transaction instead of two".to_string(),
        does: "looks for transactions that fit".to_string(),
        assumes: "Items are drawn at random from the transaction.".to_string(),
        figures: vec![Figure {
            what: "people for whom fewer than five transactions fit".to_string(),
            targets: baskets.total(),
            hits: baskets.total() / 9,
            baseline: 0,
            instead: "know two items".to_string(),
            ..Figure::default()
        }],
        ..Finding::new("horizon", "beyond the horizon")
    }];
    let attacks = Attacks { found, not_run: Vec::new() };
    let folder = tempfile::tempdir().expect("a folder");
    let secret = folder.path().join("secret-folder");
    fs::create_dir(&secret).expect("made");
    fs::write(secret.join("baskets.csv"), "milk,beer\n").expect("written");
    let text = "seed = 421337\n\n[data]\npath = \"../secret-folder/baskets.csv\"\nkind = \"transactions\"\n\
                [privacy.kl-privacy]\nk = 5\nl = 5\nm = 2\nn = 1\n[method]\nname = \"og\"\n";
    let policy = Policy::parse(&secret.join("policy.toml"), text.to_string()).expect("a policy");
    let policy = policy.check_transactions(None).expect("a checked policy");
    let threshold = Exact::parse("5%").expect("a number");
    let utility = ItemUtility::measure(baskets, &solution.recoding, threshold, &Clock::unlimited());
    let utility = utility.expect("patterns");
    let cost = Price { name: "NCP", value: 0.0413, exact: None, normalised: 0.0413 };
    let veil = Veil::default();
    let warnings = ["anyone who knows three items may find somebody".to_string()];
    let files = [("release.txt".to_string(), "00ff".repeat(16))];
    let stated = Statement {
        read: baskets.total(),
        dropped: 0,
        suppressed: 0,
        released: baskets.total(),
        empty: false,
        exactly: solution.recoding.exactly(baskets),
        cost: &cost,
        losses: &[],
        search: &solution.search,
        counters: solution.counters.clone(),
        plan: &solution.plan,
        veil: &veil,
        inputs: Vec::new(),
    };
    let mut claims = Claims::of(PolicyRef::Transactions(&policy), 421_337, stated, "{}", &files, None, None);
    (claims.warnings, claims.attacks, claims.audit) = (&warnings, Some(&attacks), Some(&audit));
    let facts = ItemFacts {
        method: &method,
        requirements: &requirements,
        limits: &limits,
        baskets,
        solution: &solution,
        utility: (&utility, threshold),
        inputs: &[],
    };
    let mut model = account(&claims, &facts, &Clock::unlimited()).expect("an account");
    model.common.title = "baskets".to_string().into();
    model.common.data_name = "baskets.csv".to_string().into();
    model
}

/// The example's five thousand baskets, with a cut through mixed levels.
pub(super) fn baskets() -> TransactionReport {
    static REPORT: LazyLock<TransactionReport> = LazyLock::new(five_thousand);
    REPORT.clone()
}

fn five_thousand() -> TransactionReport {
    let tree = tree(include_str!("../../../../../privet-examples/data/baskets/items.csv"));
    let mut lines = Vec::new();
    privet_examples::baskets::write(5_000, 1, &mut lines).expect("memory does not fail");
    let sensitive = ["HIV self-test", "antidepressant", "pregnancy test"];
    let baskets = filled(tree, &sensitive, &String::from_utf8(lines).expect("text"));
    let groups =
        ["fruit", "vegetables", "grains", "tins", "alcohol", "household", "body care", "baby care", "pets"];
    let coarse: Vec<Node> = groups.iter().filter_map(|label| baskets.tree.find(label)).collect();
    let below = |node: &Node| coarse.iter().any(|group| baskets.tree.contains(*group, *node));
    let fine = baskets.tree.nodes().filter(|node| baskets.tree.is_leaf(*node) && !below(node));
    let cut: Vec<Node> = fine.chain(coarse.iter().copied()).collect();
    let recoding = ItemRecoding::of_cut(&baskets.tree, &cut);
    report(&baskets, recoding)
}

/// Thousands of items under two roots, one of them wide and one deep, in a few hundred transactions.
pub(super) fn many_items() -> TransactionReport {
    static REPORT: LazyLock<TransactionReport> = LazyLock::new(three_thousand_items);
    REPORT.clone()
}

fn three_thousand_items() -> TransactionReport {
    let mut paths: String = (0..3_000).map(|item| format!("page{item};topic{};web\n", item % 40)).collect();
    paths.extend(
        (0..400).map(|item| {
            format!("film{item};shelf{};aisle{};floor{};cinema\n", item / 4, item / 20, item / 100)
        }),
    );
    let tree = tree(paths.trim_end());
    let line = |row: u32| {
        let pages =
            (0..1 + row % 7).map(|at| format!("page{}", (row * row + at * 37) % (30 + row * 9) % 3_000));
        let films = (0..row % 3).map(|at| format!("film{}", (row * 7 + at * 11) % 400));
        pages.chain(films).collect::<Vec<_>>().join(",")
    };
    let lines: String = (0..600).map(|row| line(row) + "\n").collect();
    let baskets = filled(tree, &[], &lines);
    let leaf = |node: &Node| baskets.tree.is_leaf(*node);
    let cut: Vec<Node> = baskets.tree.nodes().filter(leaf).collect();
    let recoding = ItemRecoding::of_cut(&baskets.tree, &cut);
    report(&baskets, recoding)
}
