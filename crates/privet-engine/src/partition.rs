//! Top-down partitioning: split a set of records again and again until no split is allowed.

use rayon::prelude::*;

use privet_core::Result;
use privet_core::clock::Clock;

/// A way to split a set of records.
pub trait Splitter: Sync {
    /// A set of records.
    type Part: Send;

    /// The parts that a set falls into, at least two; the set itself where no split is allowed.
    fn split(&self, part: Self::Part) -> std::result::Result<Vec<Self::Part>, Self::Part>;

    /// How many records a part has, for progress.
    fn size(&self, part: &Self::Part) -> u64;
}

/// How a set of records fell into parts: a tree whose leaves are the parts.
#[derive(Debug)]
pub struct Tree<P> {
    /// Per node its parent; the root, the first node, is its own. Parents come before their children.
    pub parents: Vec<u32>,
    /// The leaves: node and part.
    pub leaves: Vec<(u32, P)>,
}

/// Splits until nothing can be split any more. The parts come in a fixed order, whatever the number of threads.
pub fn partition<S: Splitter>(splitter: &S, whole: S::Part, clock: &Clock) -> Result<Vec<S::Part>> {
    partition_all(splitter, vec![whole], clock)
}

/// Splits several sets as [`partition`] does one.
pub fn partition_all<S: Splitter>(splitter: &S, parts: Vec<S::Part>, clock: &Clock) -> Result<Vec<S::Part>> {
    let tree = grow(splitter, parts, clock)?;
    Ok(tree.leaves.into_iter().map(|(_, part)| part).collect())
}

/// Splits as [`partition`] does, and keeps how the parts came about.
pub fn partition_tree<S: Splitter>(splitter: &S, whole: S::Part, clock: &Clock) -> Result<Tree<S::Part>> {
    grow(splitter, vec![whole], clock)
}

/// The tree of every set, each with a root of its own.
fn grow<S: Splitter>(splitter: &S, parts: Vec<S::Part>, clock: &Clock) -> Result<Tree<S::Part>> {
    let mut tree = Tree { parents: (0..parts.len() as u32).collect(), leaves: Vec::new() };
    let mut open: Vec<(u32, S::Part)> = (0..).zip(parts).collect();
    let mut done = 0;
    while !open.is_empty() {
        clock.check()?;
        let split: Vec<_> = open.into_par_iter().map(|(node, part)| (node, splitter.split(part))).collect();
        open = Vec::new();
        for (node, result) in split {
            match result {
                Ok(parts) => {
                    for part in parts {
                        open.push((tree.parents.len() as u32, part));
                        tree.parents.push(node);
                    }
                }
                Err(part) => {
                    done += splitter.size(&part);
                    tree.leaves.push((node, part));
                }
            }
        }
        clock.progress().at(done);
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges of numbers, split in the middle down to a size.
    struct Halves(u64);

    impl Splitter for Halves {
        type Part = std::ops::Range<u64>;

        fn split(&self, part: Self::Part) -> std::result::Result<Vec<Self::Part>, Self::Part> {
            let middle = part.start + (part.end - part.start) / 2;
            if part.end - part.start < 2 * self.0 {
                Err(part)
            } else {
                Ok(vec![part.start..middle, middle..part.end])
            }
        }

        fn size(&self, part: &Self::Part) -> u64 {
            part.end - part.start
        }
    }

    #[test]
    fn parts_cover_everything_in_one_order_whatever_the_number_of_threads() {
        let on_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| partition(&Halves(3), 0..1000, &Clock::unlimited())).expect("parts")
        };
        let parts = on_threads(1);
        assert_eq!(parts, on_threads(4));
        assert!(parts.iter().all(|part| (3..6).contains(&(part.end - part.start))));
        let mut covered: Vec<u64> = parts.into_iter().flatten().collect();
        covered.sort_unstable();
        assert!(covered.into_iter().eq(0..1000));
    }

    #[test]
    fn the_tree_leads_from_every_part_to_the_whole() {
        let tree = partition_tree(&Halves(3), 0..100, &Clock::unlimited()).expect("a tree");
        let mut below = vec![0; tree.parents.len()];
        tree.leaves.iter().for_each(|(node, part)| below[*node as usize] += part.end - part.start);
        for node in (1..tree.parents.len()).rev() {
            assert!((tree.parents[node] as usize) < node);
            below[tree.parents[node] as usize] += below[node];
        }
        assert_eq!(below[0], 100);
    }

    #[test]
    fn an_interrupted_partitioning_ends_with_an_error() {
        let clock = Clock::unlimited();
        clock.interrupt();
        assert!(partition(&Halves(1), 0..10, &clock).is_err());
    }
}
