//! Whether a requirement can be met at all: if the most general release does not meet it, none does.
//!
//! The more general a cut, the less an adversary can name, so every threat of the coarsest cut (each item published as its
//! root) is one of every other cut. Two kinds are common: the empty itemset, known to everybody, is a threat when there are
//! fewer than k transactions or a sensitive item is too common; and where some transactions hold nothing but sensitive
//! items, "holds anything at all" is knowledge too.

use std::collections::BTreeMap;

use super::Task;
use privet_core::shortened_values;
use privet_core::{Error, Exact, Result};
use privet_engine::baskets::Baskets;
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::Node;

/// How much work may go into this, in groups of transactions looked at. There is one root or a few as a rule; of a forest
/// that is wider than this reaches, not all itemsets are tried.
const MOST_LOOKS: usize = 1 << 24;

/// An error if some threat is in every release without suppression, with the witness and what would help.
///
/// Of a forest with very many roots not every itemset is tried: a method must still check what it publishes.
pub(super) fn check(task: &Task<'_>) -> Result<()> {
    check_empty(task)?;
    let heads = Headcount::of(task.baskets);
    let groups = groups(task);
    for requirement in task.requirements {
        let safe: Vec<bool> = groups.iter().map(|group| heads.is_safe(task, requirement, group)).collect();
        let all: Vec<usize> = (0..groups.len()).collect();
        let roots: Vec<Node> = task.baskets.tree.roots().collect();
        let mut search = Search {
            task,
            heads: &heads,
            requirement,
            groups: &groups,
            safe: &safe,
            roots: &roots,
            looks: MOST_LOOKS,
        };
        search.grow(&all, 0, &mut Known::default())?;
    }
    Ok(())
}

/// An error if the empty itemset is a threat: no release of all transactions can help that.
pub(super) fn check_empty(task: &Task<'_>) -> Result<()> {
    let whole = Group { roots: Vec::new(), baskets: (0..task.baskets.len()).collect() };
    let heads = Headcount::of(task.baskets);
    for requirement in task.requirements {
        if let Some(threat) = heads.why(task, requirement, [&whole].into_iter()) {
            return Err(threat.error(task, requirement, &Known::default()));
        }
    }
    Ok(())
}

/// The distinct baskets that hold something of the same roots.
struct Group {
    roots: Vec<Node>,
    baskets: Vec<usize>,
}

/// The transactions as the coarsest cut shows them.
fn groups(task: &Task<'_>) -> Vec<Group> {
    let baskets = task.baskets;
    let tree = &baskets.tree;
    let all: Vec<Node> = tree.roots().collect();
    let mut index = hashbrown::HashMap::<Vec<Node>, usize, foldhash::fast::RandomState>::default();
    let mut groups: Vec<Group> = Vec::new();
    for basket in 0..baskets.len() {
        let root_of = |item: &Node| all[all.partition_point(|root| root <= item) - 1];
        let mut roots: Vec<Node> = baskets.items(basket).iter().map(root_of).collect();
        roots.dedup();
        let at = *index.entry(roots).or_insert_with_key(|roots| {
            groups.push(Group { roots: roots.clone(), baskets: Vec::new() });
            groups.len() - 1
        });
        groups[at].baskets.push(basket);
    }
    groups
}

/// Why transactions are a threat to those who are among them.
enum Threat {
    Few { size: u64 },
    Sure { mark: u32, count: u64, size: u64 },
}

/// Counts the transactions of baskets, or the people who have them.
struct Headcount {
    /// Per basket, the crews of those who have it and others.
    crews: Vec<Vec<u32>>,
    /// How many people are in a crew.
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

    /// Whether those in a group are safe among their own kind, and so in any company. People who have baskets in several
    /// groups do not add up: where there are some, a group with a sensitive item is not taken for safe.
    fn is_safe(&self, task: &Task<'_>, requirement: &KlPrivacy, group: &Group) -> bool {
        let guarded =
            |basket: &usize| task.baskets.marks(*basket).iter().any(|mark| requirement.guards(*mark));
        self.why(task, requirement, [group].into_iter()).is_none()
            && (self.people.is_empty() || !group.baskets.iter().any(guarded))
    }

    fn why<'a>(
        &self,
        task: &Task<'_>,
        requirement: &KlPrivacy,
        groups: impl Iterator<Item = &'a Group> + Clone,
    ) -> Option<Threat> {
        let baskets = groups.flat_map(|group| group.baskets.iter().copied());
        let size = self.count(task.baskets, baskets.clone());
        if size == 0 {
            return None;
        }
        if size < requirement.k {
            return Some(Threat::Few { size });
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
        Some(Threat::Sure { mark, count, size })
    }
}

/// What the adversary knows, as roots.
#[derive(Default)]
struct Known {
    present: Vec<Node>,
    absent: Vec<Node>,
}

impl Threat {
    fn error(&self, task: &Task<'_>, requirement: &KlPrivacy, known: &Known) -> Error {
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
            Threat::Few { size } => {
                let k = requirement.k;
                let (there, what) = match (task.baskets.people().is_some(), *size) {
                    (false, 1) => ("are", "transaction"),
                    (false, _) => ("are", "transactions"),
                    (true, 1) => ("is", "person"),
                    (true, _) => ("are", "people"),
                };
                let more = task.baskets.counted();
                Error::infeasible(format!("k is {k}, but there {there} only {size} {what}{whose}"))
                    .help(format!("lower k to at most {size}, or bring more {more}"))
            }
            Threat::Sure { mark, count, size } => {
                let item = &task.baskets.sensitive[*mark as usize];
                let theta = requirement.theta[*mark as usize];
                let l = if *count == *size {
                    "only l = 1 (no limit) would do for it".to_string()
                } else {
                    let most = Exact::new(*size, *count).map(|most| most.to_string());
                    format!("l of at most {} would do for it", most.unwrap_or(format!("{size}/{count}")))
                };
                let having = match task.baskets.people() {
                    Some(_) => format!("{count} of {size} people{whose} have sensitive item '{item}'"),
                    None => format!("sensitive item '{item}' is in {count} of {size} transactions{whose}"),
                };
                Error::infeasible(format!("{having}, more than 1/l = {theta}"))
                    .help(format!("{l}; or do not count it as sensitive, if it is not"))
            }
        }
    }
}

/// Grows knowledge over the roots until it is a threat.
struct Search<'a> {
    task: &'a Task<'a>,
    heads: &'a Headcount,
    requirement: &'a KlPrivacy,
    groups: &'a [Group],
    safe: &'a [bool],
    roots: &'a [Node],
    looks: usize,
}

impl Search<'_> {
    /// Tests every extension by roots from position `from` on of what is known, which `fitting` groups fit.
    fn grow(&mut self, fitting: &[usize], from: usize, known: &mut Known) -> Result<()> {
        // Transactions that are safe among their own kind are safe in any company.
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
            // Where all agree, knowing it costs power and tells nothing.
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

    fn test(&mut self, fitting: &[usize], from: usize, known: &mut Known) -> Result<()> {
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
        let task = Task { baskets: &baskets, requirements: &[requirement], method: &method };
        check(&task).err().map_or_else(String::new, |error| error.to_string())
    }

    fn kl(k: u64, theta: &str, m: u64, n: u64) -> KlPrivacy {
        KlPrivacy { k, m, n, theta: vec![Exact::parse(theta).expect("a number")] }
    }

    #[test]
    fn the_empty_itemset_is_told_with_what_would_do() {
        let rows: [(&[&str], &[u32]); 4] = [(&["a"], &[0]), (&["a"], &[0]), (&["c"], &[0]), (&["c"], &[])];
        assert_eq!(
            message(&rows[..3], kl(5, "1", 1, 0)),
            "k is 5, but there are only 3 transactions\n  help: lower k to at most 3, or bring more transactions"
        );
        let text = message(&rows, kl(1, "1/2", 0, 0));
        assert!(
            text.starts_with("sensitive item 'HIV test' is in 3 of 4 transactions, more than 1/l = 1/2"),
            "{text}"
        );
        assert!(text.contains("at most 4/3"), "{text}");
        let rows: [(&[&str], &[u32]); 4] = [(&["a"], &[0]), (&["a"], &[0]), (&["c"], &[]), (&["c"], &[])];
        assert!(message(&rows, kl(1, "1/3", 0, 0)).contains("l of at most 2 would do"));
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
