//! Just beyond the promise: what an attacker can do who knows one item more than a requirement assumes, and what a
//! random attacker can do who knows as many as it assumes.
//!
//! *Horizon.* KL(m,n)-privacy says nothing about m + 1 items present or n + 1 absent. The figure is the number of
//! released transactions that some such knowledge identifies: fewer than k match, or a sensitive item is likelier
//! than allowed.
//!
//! *Random adversary.* Most people who know something do not know what reveals most. Transactions are drawn at
//! random, and m of their items; how many transactions match these, in the original and in the release?

use rayon::prelude::*;

use super::finding::NO_GUESS;
use super::haystack::ItemHaystack;
use super::transactions::TransactionView;
use super::{Attack, Figure, Finding, Threat};
use privet_audit::transactions::{Crowd, Demand, Exposed, TransactionCells, exposed, exposed_people};
use privet_core::clock::Clock;
use privet_core::counted;
use privet_core::random::{below, keyed};
use privet_core::{Error, Exact, Result};

/// How many looks at a node of a transaction each question about the horizon may take: a fraction of a second.
const STEPS: u64 = 60_000_000;

/// That one item more than is guarded against reaches somebody is in the nature of the promise. It is warned of where it
/// identifies more than one transaction in this many: then the promise depends on the number of items alone.
const ONE_IN: u64 = 10;

/// How many transactions the random adversary goes after, where there are more.
const TARGETS: u64 = 1000;

/// The attack with one item more than is promised.
pub(super) const HORIZON: Attack = Attack {
    name: "horizon",
    threat: Threat::BeyondTheHorizon,
    costly: false,
    concerns: |scene| {
        let view = scene.transactions()?;
        let longest = view.released.iter().map(|(nodes, ..)| nodes.len() as u64).max().unwrap_or(0);
        let leaves = u64::from(view.tree.total_leaves());
        match view.demands.iter().all(|kl| kl.m >= longest && kl.n >= leaves) {
            true => Err("the requirements already assume that the attacker knows every item".to_string()),
            false => Ok(()),
        }
    },
    run: |scene| {
        let steps = scene.limits.steps.map_or(STEPS, |steps| steps.min(STEPS));
        let found = horizons(scene.transactions().map_err(Error::input)?, steps, scene.clock)?;
        joined(found, "One item more than is promised")
            .ok_or_else(|| Error::internal("a requirement without a horizon"))
    },
};

/// The attack with items known at random.
pub(super) const RANDOM: Attack = Attack {
    name: "random-items",
    threat: Threat::BeyondTheHorizon,
    costly: false,
    concerns: |scene| scene.transactions().map(|_| ()),
    run: |scene| {
        let view = scene.transactions().map_err(Error::input)?;
        scene.limits.afford(view.haystack_bytes())?;
        let found = at_randoms(view, scene.seed, scene.clock)?;
        joined(found, "Random adversary").ok_or_else(|| Error::internal("no requirement on transactions"))
    },
};

/// The findings about several requirements as one: the one that is broken most first. Where there are several, each figure
/// says which requirement it is about.
fn joined(mut findings: Vec<Finding>, title: &str) -> Option<Finding> {
    if findings.len() > 1 {
        for finding in &mut findings {
            let about = std::mem::replace(&mut finding.title, title.to_string());
            finding.figures.iter_mut().for_each(|figure| figure.what = format!("{about}: {}", figure.what));
        }
    }
    findings.sort_by(|one, other| one.headline().worse_first(&other.headline()));
    let mut findings = findings.into_iter();
    let mut all = findings.next()?;
    for other in findings {
        all.figures.extend(other.figures);
        if !other.warning.is_empty() {
            all.warning += if all.warning.is_empty() { "" } else { "; " };
            all.warning += &other.warning;
        }
    }
    Some(all)
}

fn horizons(view: &TransactionView, steps: u64, clock: &Clock) -> Result<Vec<Finding>> {
    let released = TransactionCells::new(&view.tree, view.sensitive.len(), view.released.iter());
    let crowd = view.crowd();
    let mut found = Vec::new();
    for kl in &view.demands {
        clock.check()?;
        found.extend(horizon(view, &released, crowd.as_ref(), kl, steps));
    }
    Ok(found)
}

fn at_randoms(view: &TransactionView, seed: u64, clock: &Clock) -> Result<Vec<Finding>> {
    let (before, after) = (view.before(), view.after());
    let found = |kl: &Demand| at_random(view, [&before, &after], kl, seed, clock);
    view.demands.iter().map(found).collect()
}

/// What one more item would do; `None` where the adversary knows everything already. With a crowd, people are counted.
fn horizon(
    view: &TransactionView,
    released: &TransactionCells<'_>,
    crowd: Option<&Crowd<'_>>,
    kl: &Demand,
    steps: u64,
) -> Option<Finding> {
    let longest = released.cells.iter().map(|cell| cell.nodes.len() as u64).max().unwrap_or(0);
    let beyond = [
        (kl.m < longest).then(|| (kl.m + 1, kl.n, format!("knowing {} present", items(kl.m + 1)))),
        (kl.n < u64::from(view.tree.total_leaves()))
            .then(|| (kl.m, kl.n + 1, format!("knowing {} absent", items(kl.n + 1)))),
    ];
    let beyond: Vec<(u64, u64, String)> = beyond.into_iter().flatten().collect();
    let figure = |(m, n, knowing): &(u64, u64, String)| {
        let demand = Demand { m: *m, n: *n, ..kl.clone() };
        let Exposed { transactions, complete } = match crowd {
            Some(crowd) => exposed_people(crowd, &demand, steps),
            None => exposed(released, &demand, steps),
        };
        let at_least = if complete { "" } else { "at least (the search was cut short): " };
        Figure {
            what: match crowd {
                Some(_) => format!("{at_least}people whom {knowing} may identify"),
                None => format!("{at_least}transactions that {knowing} may identify"),
            },
            targets: match (crowd, &view.people) {
                (Some(_), Some(people)) => people.total(),
                _ => view.original.total(),
            },
            hits: transactions,
            baseline: 0,
            instead: "knowing no more than the requirement assumes".into(),
            controlled: NO_GUESS.into(),
            ..Figure::default()
        }
    };
    let mut figures: Vec<Figure> = beyond.par_iter().map(figure).collect();
    figures.sort_by(Figure::worse_first);
    let is_much =
        |figure: &&Figure| u128::from(figure.hits) * u128::from(ONE_IN) > u128::from(figure.targets);
    let warning = match figures.first().filter(is_much) {
        Some(worst) => format!(
            "an attacker who knows one item more than the requirement {} assumes may identify {} of {}: more than one \
             in {ONE_IN}; consider a larger m or n",
            describe(kl),
            worst.hits,
            match crowd {
                Some(_) => counted(worst.targets, "person", "people"),
                None => counted(worst.targets, "transaction", "transactions"),
            }
        ),
        None => String::new(),
    };
    (!figures.is_empty()).then(|| Finding {
        knows: format!(
            "{} in somebody's transaction and {} not in it, or one more of either (items or groups of items)",
            items(kl.m),
            items(kl.n)
        ),
        does: match crowd {
            Some(_) => {
                format!("looks up which people have a matching transaction, and succeeds if {}", success(kl))
            }
            None => format!("looks up which transactions match, and succeeds if {}", success(kl)),
        },
        assumes: "the attacker knows the items that reveal most".into(),
        figures,
        warning,
        ..Finding::new(HORIZON.name, &format!("One item more than {}", describe(kl)))
    })
}

/// What as many items as the requirement assumes do, if they are any items.
fn at_random(
    view: &TransactionView,
    haystacks: [&ItemHaystack; 2],
    kl: &Demand,
    seed: u64,
    clock: &Clock,
) -> Result<Finding> {
    let original = &view.original;
    let (_, many) = view.counted();
    let mut random = keyed(seed, "random adversary");
    let mut end = 0;
    let mut ends = Vec::with_capacity(original.len());
    for (_, _, count) in original.iter() {
        end += count;
        ends.push(end);
    }
    let targets = end.min(TARGETS);
    // Per haystack: fewer than k fit; exactly one fits.
    let (mut few, mut one) = ([0; 2], [0; 2]);
    for target in 0..targets {
        clock.check()?;
        let drawn = if end <= TARGETS { target } else { below(&mut random, end) };
        let mut known = original.items(ends.partition_point(|end| *end <= drawn)).to_vec();
        let know = usize::try_from(kl.m).map_or(known.len(), |m| m.min(known.len()));
        for place in 0..know {
            let other = below(&mut random, (known.len() - place) as u64) as usize;
            known.swap(place, place + other);
        }
        known.truncate(know);
        for (side, haystack) in haystacks.iter().enumerate() {
            let fitting = haystack.fitting(&known, 0, kl.k.max(2)).count;
            // Nobody is found where nothing fits, as where a transaction was removed.
            few[side] += u64::from((1..kl.k).contains(&fitting));
            one[side] += u64::from(fitting == 1);
        }
    }
    let figure = |what: String, [baseline, hits]: [u64; 2]| Figure {
        what,
        targets,
        hits,
        baseline,
        instead: "if the original were published".into(),
        controlled: NO_GUESS.into(),
        ..Figure::default()
    };
    let warning = if few[1] > 0 {
        format!(
            "{} of {} drawn at random {} identified among fewer than {} by {} of their items",
            few[1],
            counted(targets, "transaction", "transactions"),
            if few[1] == 1 { "is" } else { "are" },
            if many == "people" { format!("{} people", kl.k) } else { kl.k.to_string() },
            kl.m
        )
    } else {
        String::new()
    };
    Ok(Finding {
        knows: format!("any {} of somebody's transaction; all if it has fewer", items(kl.m)),
        does: match many {
            "people" => "looks up how many people have a matching transaction".into(),
            _ => "looks up how many transactions match".into(),
        },
        assumes: "every transaction, and each of its items, is equally likely to be known".into(),
        figures: vec![
            figure(format!("fewer than k = {} {many} match", kl.k), few),
            figure(format!("exactly one {} matches", view.counted().0), one),
        ],
        warning,
        ..Finding::new(RANDOM.name, &format!("Random adversary against {}", describe(kl)))
    })
}

fn describe(kl: &Demand) -> String {
    let thetas = kl.theta.iter().min().filter(|theta| **theta < Exact::ONE);
    let share = thetas.map(|theta| format!(", share ≤ {theta}")).unwrap_or_default();
    format!("(k = {}, m = {}, n = {}{share})", kl.k, kl.m, kl.n)
}

fn success(kl: &Demand) -> String {
    match (kl.k > 1, kl.theta.iter().any(|theta| *theta < Exact::ONE)) {
        (true, false) => format!("there are fewer than {}", kl.k),
        (false, true) => "a sensitive item is likelier than allowed".into(),
        _ => format!("there are fewer than {} or a sensitive item is likelier than allowed", kl.k),
    }
}

fn items(count: u64) -> String {
    counted(count, "item", "items")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::transactions::SetCounting;
    use privet_data::{People, PeopleBuilder};
    use privet_taxonomy::{ItemTree, Node};

    const ITEMS: [&str; 4] = ["beer", "wine", "milk", "curd"];

    /// Transactions of drinks and dairy products; any other item is the sensitive one.
    struct Shop {
        tree: Arc<ItemTree>,
        /// The leaves and the sensitive items of each transaction.
        rows: Vec<(Vec<Node>, Vec<u32>)>,
        /// Whose each is, where that is known.
        names: Vec<&'static str>,
    }

    fn shop(rows: &[&str]) -> Shop {
        let path = |text: &&str| text.split(';').map(String::from).collect::<Vec<_>>();
        let paths = ["beer;Drinks", "wine;Drinks", "milk;Dairy", "curd;Dairy"];
        let tree = ItemTree::from_paths(&paths.iter().map(path).collect::<Vec<_>>()).expect("a forest");
        let row = |row: &&str| {
            let items = || row.split_whitespace().map(|item| tree.find(item));
            (items().flatten().collect(), items().filter(Option::is_none).map(|_| 0).collect())
        };
        let rows = rows.iter().map(row).collect();
        Shop { tree: Arc::new(tree), rows, names: Vec::new() }
    }

    impl Shop {
        fn node(&self, label: &str) -> Node {
            self.tree.find(label).expect("a node")
        }

        /// What a cut shows of items.
        fn cut(&self, labels: &[&str]) -> impl Fn(usize, Node) -> Option<Node> {
            let nodes: Vec<Node> = labels.iter().map(|label| self.node(label)).collect();
            let tree = self.tree.clone();
            move |_, item| nodes.iter().copied().find(|node| tree.contains(*node, item))
        }

        /// The shop next to a release that shows each item of each transaction as `shown` says.
        fn released(
            &self,
            shown: impl Fn(usize, Node) -> Option<Node>,
            demands: &[Demand],
        ) -> TransactionView {
            let (mut original, mut released) = (SetCounting::default(), SetCounting::default());
            let mut people = PeopleBuilder::default();
            for (row, (items, marks)) in self.rows.iter().enumerate() {
                let set = original.add(items.clone(), marks.clone());
                self.names.get(row).into_iter().for_each(|name| people.add(name, set));
                released.add(items.iter().filter_map(|item| shown(row, *item)).collect(), marks.clone());
            }
            let (original, places) = original.finish();
            let people: Option<People> =
                (!self.names.is_empty()).then(|| people.finish(&places, original.total()));
            let sensitive = vec!["test".to_string()];
            let (released, demands) = (released.finish().0, demands.to_vec());
            TransactionView::new(self.tree.clone(), sensitive, original, people, released, demands)
        }
    }

    /// Both attacks on each requirement, the horizon first.
    fn run(view: &TransactionView) -> Vec<Finding> {
        let clock = Clock::unlimited();
        let random = at_randoms(view, 7, &clock).expect("no limit");
        horizons(view, STEPS, &clock).expect("no limit").into_iter().chain(random).collect()
    }

    fn kl(k: u64, m: u64, n: u64) -> Demand {
        Demand { k, m, n, theta: vec![Exact::ONE], costs: None }
    }

    #[test]
    fn people_with_several_transactions_count_once() {
        let rows = ["beer milk", "wine milk", "beer curd", "wine milk", "beer milk", "milk"];
        let mut shop = shop(&rows);
        let hits = |shop: &Shop| {
            let found = run(&shop.released(shop.cut(&["Drinks", "milk", "curd"]), &[kl(2, 1, 0)]));
            let horizon = found[0].figures.iter().find(|figure| figure.what.contains("2 items present"));
            let horizon = horizon.map(|figure| (figure.hits, figure.targets, figure.what.clone()));
            (horizon.expect("a figure"), found[1].figures[0].hits)
        };
        let ((found, targets, what), _) = hits(&shop);
        // Drinks with curd.
        assert_eq!((found, targets), (1, 6));
        assert!(what.contains("transactions that"), "{what}");
        // All four with drinks and milk are of one person, who also has the one with curd; the last is another's.
        shop.names = vec!["ann", "ann", "ann", "ann", "ann", "bob"];
        let ((found, targets, what), few) = hits(&shop);
        assert_eq!((found, targets), (1, 2), "Drinks are a single person's");
        assert!(what.contains("people whom"), "{what}");
        assert!(few >= 1, "drinks and curd are ann's alone");
    }

    #[test]
    fn one_more_item_is_counted_and_warned_of_where_it_reaches_many() {
        let few = shop(&["beer milk", "wine milk", "beer", "milk", "beer curd", "curd"]);
        let found = run(&few.released(few.cut(&["Drinks", "milk", "curd"]), &[kl(2, 1, 0)]));
        let (horizon, random) = (&found[0], &found[1]);
        // Drinks with curd is one transaction; the absence of Drinks would take two leaves, others leave two or more.
        let hits: Vec<(u64, u64)> =
            horizon.figures.iter().map(|figure| (figure.hits, figure.targets)).collect();
        assert_eq!(hits, [(1, 6), (0, 6)]);
        assert!(horizon.succeeds() && horizon.warning.contains("1 of 6"), "{horizon:?}");
        assert!(!random.succeeds() && random.warning.is_empty(), "{random:?}");
        // One in ten is not yet many.
        let mut rows = vec!["beer milk", "wine milk", "beer", "milk", "beer curd", "curd"];
        rows.extend(["beer milk", "wine milk", "beer", "milk"]);
        let more = shop(&rows);
        let found = run(&more.released(more.cut(&["Drinks", "milk", "curd"]), &[kl(2, 1, 0)]));
        assert_eq!((found[0].figures[0].hits, found[0].figures[0].targets), (1, 10));
        assert!(!found[0].succeeds(), "{:?}", found[0]);
    }

    #[test]
    fn what_reaches_most_stands_first() {
        // Two items tell nobody apart, the absence of one does.
        let shop = shop(&["beer milk", "beer milk", "beer"]);
        let view = shop.released(shop.cut(&ITEMS), &[kl(2, 1, 0), kl(3, 1, 0)]);
        let found = joined(horizons(&view, STEPS, &Clock::unlimited()).expect("no limit"), "One item more")
            .expect("a finding");
        let hits: Vec<u64> = found.figures.iter().map(|figure| figure.hits).collect();
        assert_eq!(found.headline().hits, hits.iter().copied().max().expect("a figure"), "{found:?}");
        assert!(found.headline().what.contains("(k = 3, m = 1, n = 0)"), "{found:?}");
        assert_eq!(found.title, "One item more");
        let one = shop.released(shop.cut(&ITEMS), &[kl(2, 1, 0)]);
        let one = horizons(&one, STEPS, &Clock::unlimited());
        let one = one.expect("no limit");
        assert!(one[0].headline().what.contains("1 item absent") && one[0].headline().hits == 1, "{one:?}");
    }

    #[test]
    fn the_random_adversary_fares_worse_after_than_before() {
        let shop = shop(&["beer milk", "wine milk", "beer curd", "wine curd test", "beer", "wine"]);
        let found = run(&shop.released(shop.cut(&["Drinks", "Dairy"]), &[kl(4, 2, 0)]));
        let random = found.last().expect("a finding");
        let figures: Vec<(u64, u64, u64)> =
            random.figures.iter().map(|figure| (figure.targets, figure.baseline, figure.hits)).collect();
        // In the original two items are unique and one item is in three; in the release all fit at least four.
        assert_eq!(figures, [(6, 6, 0), (6, 4, 0)]);
        assert!(!random.succeeds());
        let kept = run(&shop.released(shop.cut(&ITEMS), &[kl(4, 2, 0)]));
        assert!(kept.last().is_some_and(Finding::succeeds), "nothing was generalised");
    }

    #[test]
    fn an_attacker_who_knows_everything_has_no_horizon() {
        let shop = shop(&["beer milk", "beer milk"]);
        let found = run(&shop.released(shop.cut(&["Drinks", "Dairy"]), &[kl(2, 4, 4)]));
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn suppressed_items_are_of_no_use() {
        let shop = shop(&["beer milk", "wine milk", "milk"]);
        let milk = shop.node("milk");
        let found = run(&shop.released(|_, item| (item == milk).then_some(milk), &[kl(3, 2, 0)]));
        let hits: Vec<u64> =
            found.iter().flat_map(|found| &found.figures).map(|figure| figure.hits).collect();
        assert!(hits.iter().all(|hits| *hits == 0), "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn lookups_count_what_fits(
            rows in prop::collection::vec(0u32..16, 1..12),
            local in prop::collection::vec(0usize..3, 12),
            known in 0u32..16,
            enough in 1u64..6,
        ) {
            let text = |bits: u32| (0..4).filter(|at| bits >> at & 1 == 1).map(|at| ITEMS[at]).collect::<Vec<_>>().join(" ");
            let texts: Vec<String> = rows.iter().map(|bits| text(*bits)).collect();
            let shop = shop(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let tree = &shop.tree;
            let cuts = [&["Drinks", "Dairy"][..], &["Drinks", "milk", "curd"], &ITEMS].map(|labels| shop.cut(labels));
            let shown = |row: usize, item: Node| cuts[local[row]](row, item);
            let own: Vec<Vec<Node>> = shop.rows.iter().enumerate()
                .map(|(row, (items, _))| items.iter().filter_map(|item| shown(row, *item)).collect())
                .collect();
            // An item that is shown nowhere is not looked for.
            let somewhere = |item: &Node| own.iter().flatten().any(|node| tree.contains(*node, *item));
            let known: Vec<Node> = ITEMS.iter().enumerate().filter(|(at, _)| known >> at & 1 == 1)
                .map(|(_, name)| shop.node(name)).filter(somewhere).collect();
            let fits = |nodes: &Vec<Node>| known.iter().all(|item| nodes.iter().any(|node| tree.contains(*node, *item)));
            let naive = own.iter().filter(|nodes| fits(nodes)).count() as u64;
            let found = shop.released(shown, &[]).after().fitting(&known, 0, enough);
            prop_assert_eq!(found.count.min(enough), naive.min(enough));
        }
    }
}
