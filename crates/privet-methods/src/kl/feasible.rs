//! Whether a requirement can be met at all: if the most general release does not meet it, no release does.
//!
//! The more general a cut, the less an adversary can name, so every threat of the coarsest cut (each item published as
//! its root) is a threat of every other cut. Two kinds are common. The empty itemset, known to everybody, is a threat
//! if there are fewer than k transactions or if a sensitive item is too common. And if some transactions hold nothing
//! but sensitive items, "holds anything at all" is knowledge too.

use std::collections::BTreeMap;

use super::ItemTask;
use privet_core::shortened_values;
use privet_core::{Error, Exact, Result};
use privet_engine::baskets::Baskets;
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::Node;

/// The work limit, in groups of transactions examined. There are usually only a few roots; in a forest that is too wide
/// for this limit, not all itemsets are tested.
const MOST_LOOKS: usize = 1 << 24;

/// An error if some threat is in every release without suppression, with the threat and what would help.
///
/// In a forest with very many roots not every itemset is tested, so a method must still check what it publishes.
pub(super) fn check(task: &ItemTask<'_>) -> Result<()> {
    check_empty(task)?;
    let heads = Headcount::of(task.baskets);
    let groups = groups(task);
    for requirement in task.requirements {
        let safe: Vec<bool> = groups.iter().map(|group| heads.is_safe(task, requirement, group)).collect();
        let all: Vec<usize> = (0..groups.len()).collect();
        let roots: Vec<Node> = task.baskets.tree.roots().collect();
        let mut search = RootSearch {
            task,
            heads: &heads,
            requirement,
            groups: &groups,
            safe: &safe,
            roots: &roots,
            looks: MOST_LOOKS,
        };
        search.grow(&all, 0, &mut RootKnowledge::default())?;
    }
    Ok(())
}

/// An error if the empty itemset is a threat, which no release of all transactions can avoid.
pub(super) fn check_empty(task: &ItemTask<'_>) -> Result<()> {
    let whole = RootGroup { roots: Vec::new(), baskets: (0..task.baskets.len()).collect() };
    let heads = Headcount::of(task.baskets);
    for requirement in task.requirements {
        if let Some(threat) = heads.why(task, requirement, [&whole].into_iter()) {
            return Err(threat.error(task, requirement, &RootKnowledge::default()));
        }
    }
    Ok(())
}

/// The distinct baskets that hold items of the same roots.
struct RootGroup {
    roots: Vec<Node>,
    baskets: Vec<usize>,
}

/// The transactions as published under the coarsest cut.
fn groups(task: &ItemTask<'_>) -> Vec<RootGroup> {
    let baskets = task.baskets;
    let tree = &baskets.tree;
    let all: Vec<Node> = tree.roots().collect();
    let mut index = hashbrown::HashMap::<Vec<Node>, usize, foldhash::fast::RandomState>::default();
    let mut groups: Vec<RootGroup> = Vec::new();
    for basket in 0..baskets.len() {
        let root_of = |item: &Node| all[all.partition_point(|root| root <= item) - 1];
        let mut roots: Vec<Node> = baskets.items(basket).iter().map(root_of).collect();
        roots.dedup();
        let at = *index.entry(roots).or_insert_with_key(|roots| {
            groups.push(RootGroup { roots: roots.clone(), baskets: Vec::new() });
            groups.len() - 1
        });
        groups[at].baskets.push(basket);
    }
    groups
}

/// Why transactions are a threat to the people behind them.
enum ThreatKind {
    Few { size: u64 },
    Sure { mark: u32, count: u64, size: u64 },
}

/// Counts the transactions of baskets, or the people who have them.
struct Headcount {
    /// Per basket, the crews of the people who have it and others.
    crews: Vec<Vec<u32>>,
    /// The number of people in each crew.
    people: Vec<u64>,
}

impl Headcount {
    fn of(baskets: &Baskets) -> Headcount {
        let mut crews = vec![Vec::new(); baskets.len()];
        let mut people = Vec::new();
        for (number, crew) in (0..).zip(baskets.crews()) {
            people.push(crew.people);
            crew.baskets.iter().for_each(|basket| crews[*basket as usize].push(number));
        }
        Headcount { crews, people }
    }

    fn count(&self, baskets: &Baskets, among: impl Iterator<Item = usize> + Clone) -> u64 {
        let single: u64 = among.clone().map(|basket| baskets.single(basket)).sum();
        let mut several: Vec<u32> = among.flat_map(|basket| self.crews[basket].iter().copied()).collect();
        several.sort_unstable();
        several.dedup();
        single + several.iter().map(|crew| self.people[*crew as usize]).sum::<u64>()
    }

    /// Whether the transactions of a group are safe on their own, and therefore within any larger set. People with
    /// baskets in several groups do not add up: if there are such people, a group with a sensitive item does not count
    /// as safe.
    fn is_safe(&self, task: &ItemTask<'_>, requirement: &KlPrivacy, group: &RootGroup) -> bool {
        let guarded =
            |basket: &usize| task.baskets.marks(*basket).iter().any(|mark| requirement.guards(*mark));
        self.why(task, requirement, [group].into_iter()).is_none()
            && (self.people.is_empty() || !group.baskets.iter().any(guarded))
    }

    fn why<'a>(
        &self,
        task: &ItemTask<'_>,
        requirement: &KlPrivacy,
        groups: impl Iterator<Item = &'a RootGroup> + Clone,
    ) -> Option<ThreatKind> {
        let baskets = groups.flat_map(|group| group.baskets.iter().copied());
        let size = self.count(task.baskets, baskets.clone());
        if size == 0 {
            return None;
        }
        if size < requirement.k {
            return Some(ThreatKind::Few { size });
        }
        if !requirement.guards_marks() {
            return None;
        }
        let mut having: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for basket in baskets {
            for mark in task.baskets.marks(basket) {
                having.entry(*mark).or_default().push(basket);
            }
        }
        let counts =
            having.iter().map(|(mark, baskets)| (*mark, self.count(task.baskets, baskets.iter().copied())));
        let (mark, count) = { counts }.find(|(mark, count)| requirement.exceeds(*mark, *count, size))?;
        Some(ThreatKind::Sure { mark, count, size })
    }
}

/// The adversary's knowledge, as roots.
#[derive(Default)]
struct RootKnowledge {
    present: Vec<Node>,
    absent: Vec<Node>,
}

impl ThreatKind {
    fn error(&self, task: &ItemTask<'_>, requirement: &KlPrivacy, known: &RootKnowledge) -> Error {
        let tree = &task.baskets.tree;
        let list = |nodes: &[Node]| {
            shortened_values(&nodes.iter().map(|node| tree.label(*node)).collect::<Vec<_>>())
        };
        let whose = match (known.present.as_slice(), known.absent.as_slice()) {
            ([], []) => String::new(),
            (present, []) => format!(" with something of {}", list(present)),
            ([], absent) => format!(" with nothing of {}", list(absent)),
            (present, absent) => {
                format!(" with something of {} and nothing of {}", list(present), list(absent))
            }
        };
        match self {
            ThreatKind::Few { size } => {
                let k = requirement.k;
                let (there, what) = match (task.baskets.people().is_some(), *size) {
                    (false, 1) => ("are", "transaction"),
                    (false, _) => ("are", "transactions"),
                    (true, 1) => ("is", "person"),
                    (true, _) => ("are", "people"),
                };
                let more = task.baskets.counted();
                Error::infeasible(format!("k is {k}, but there {there} only {size} {what}{whose}"))
                    .help(format!("lower k to at most {size}, or provide more {more}"))
            }
            ThreatKind::Sure { mark, count, size } => {
                let item = &task.baskets.sensitive[*mark as usize];
                let theta = requirement.theta[*mark as usize];
                let l = if *count == *size {
                    "only l = 1 (no limit) is possible for it".to_string()
                } else {
                    let most = Exact::new(*size, *count).map(|most| most.to_string());
                    format!("l of at most {} is possible for it", most.unwrap_or(format!("{size}/{count}")))
                };
                let having = match task.baskets.people() {
                    Some(_) => format!("{count} of {size} people{whose} have sensitive item '{item}'"),
                    None => format!("sensitive item '{item}' is in {count} of {size} transactions{whose}"),
                };
                Error::infeasible(format!("{having}, more than 1/l = {theta}"))
                    .help(format!("{l}; or remove it from the sensitive items, if it is not sensitive"))
            }
        }
    }
}

/// Extends the knowledge over the roots until it is a threat.
struct RootSearch<'a> {
    task: &'a ItemTask<'a>,
    heads: &'a Headcount,
    requirement: &'a KlPrivacy,
    groups: &'a [RootGroup],
    safe: &'a [bool],
    roots: &'a [Node],
    looks: usize,
}

impl RootSearch<'_> {
    /// Tests every extension of the knowledge by roots from position `from` on; `fitting` are the groups that match it.
    fn grow(&mut self, fitting: &[usize], from: usize, known: &mut RootKnowledge) -> Result<()> {
        // Transactions that are safe on their own are safe within any larger set.
        if fitting.iter().all(|group| self.safe[*group]) {
            return Ok(());
        }
        let tree = &self.task.baskets.tree;
        let absent: u64 = known.absent.iter().map(|root| u64::from(tree.leaves(*root))).sum();
        for at in from..self.roots.len() {
            self.looks = self.looks.saturating_sub(fitting.len());
            if self.looks == 0 {
                return Ok(());
            }
            let root = self.roots[at];
            let (with, without): (Vec<usize>, Vec<usize>) =
                fitting.iter().partition(|group| self.groups[**group].roots.binary_search(&root).is_ok());
            // If all agree, the knowledge costs power and adds nothing.
            if with.is_empty() || without.is_empty() {
                continue;
            }
            if (known.present.len() as u64) < self.requirement.m {
                known.present.push(root);
                self.test(&with, at + 1, known)?;
                known.present.pop();
            }
            if absent + u64::from(tree.leaves(root)) <= self.requirement.n {
                known.absent.push(root);
                self.test(&without, at + 1, known)?;
                known.absent.pop();
            }
        }
        Ok(())
    }

    fn test(&mut self, fitting: &[usize], from: usize, known: &mut RootKnowledge) -> Result<()> {
        let groups = fitting.iter().map(|group| &self.groups[*group]);
        if let Some(threat) = self.heads.why(self.task, self.requirement, groups) {
            return Err(threat.error(self.task, self.requirement, known));
        }
        self.grow(fitting, from, known)
    }
}

#[cfg(test)]
mod tests {
    use super::super::baselines::forest;
    use super::*;

    fn message(rows: &[(&[&str], &[u32])], requirement: KlPrivacy) -> String {
        let tree = forest(&["a;A", "b;A", "c;C"]);
        let mut baskets = Baskets::new(tree.clone().into(), vec!["HIV test".into()]);
        for (items, marks) in rows {
            let mut items = items.iter().map(|item| tree.find(item).expect("an item")).collect();
            baskets.push(&mut items, &mut marks.to_vec());
        }
        let method = privet_policy::ItemMethod::Aa(Default::default());
        let task = ItemTask { baskets: &baskets, requirements: &[requirement], method: &method };
        check(&task).err().map_or_else(String::new, |error| error.to_string())
    }

    fn kl(k: u64, theta: &str, m: u64, n: u64) -> KlPrivacy {
        KlPrivacy { k, m, n, theta: vec![Exact::parse(theta).expect("a number")], power: None }
    }

    #[test]
    fn the_empty_itemset_is_told_with_what_would_do() {
        let rows: [(&[&str], &[u32]); 4] = [(&["a"], &[0]), (&["a"], &[0]), (&["c"], &[0]), (&["c"], &[])];
        assert_eq!(
            message(&rows[..3], kl(5, "1", 1, 0)),
            "k is 5, but there are only 3 transactions\n  help: lower k to at most 3, or provide more transactions"
        );
        let text = message(&rows, kl(1, "1/2", 0, 0));
        assert!(
            text.starts_with("sensitive item 'HIV test' is in 3 of 4 transactions, more than 1/l = 1/2"),
            "{text}"
        );
        assert!(text.contains("at most 4/3"), "{text}");
        let rows: [(&[&str], &[u32]); 4] = [(&["a"], &[0]), (&["a"], &[0]), (&["c"], &[]), (&["c"], &[])];
        assert!(message(&rows, kl(1, "1/3", 0, 0)).contains("l of at most 2 is possible"));
        assert_eq!(message(&[], kl(5, "1/2", 1, 0)), "");
    }

    #[test]
    fn threats_among_the_roots_are_found() {
        let rows: [(&[&str], &[u32]); 4] = [(&["a"], &[0]), (&["b", "c"], &[]), (&["c"], &[]), (&[], &[])];
        assert_eq!(message(&rows, kl(1, "1/2", 1, 0)), "");
        let text = message(&rows, kl(1, "1/2", 1, 1));
        assert!(text.contains("1 of 1 transactions with something of 'A' and nothing of 'C'"), "{text}");
        assert!(message(&rows, kl(3, "1", 1, 0)).contains("only 2 transactions with something of 'A'"));
        assert!(message(&rows, kl(3, "1", 0, 2)).contains("only 2 transactions with nothing of 'A'"));
    }
}
