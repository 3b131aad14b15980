//! Does a hierarchy fit the data: values without a leaf, leaves without a value, and the size of the search space.

use hashbrown::HashMap;
use num_bigint::BigUint;

use super::{NodeId, Taxonomy};

/// A distinct value of a data column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence<'a> {
    /// The value.
    pub value: &'a str,
    /// How many records have it.
    pub count: u64,
    /// The line of the data where it occurs first.
    pub line: u64,
}

/// A value of the data that no leaf, or more than one, stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The value.
    pub value: String,
    /// How many records have it.
    pub count: u64,
    /// The line of the data where it occurs first.
    pub line: u64,
    /// What is wrong, as a sentence for the user.
    pub reason: String,
}

/// How well a hierarchy fits a column of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// The values without a leaf of their own, in the order they were given.
    pub misfits: Vec<Misfit>,
    /// The leaves no value belongs to, from left to right. They are allowed, but count in some losses.
    pub unused: Vec<NodeId>,
    /// The number of records of each leaf, by position.
    pub counts: Vec<u64>,
}

impl Fit {
    /// Whether every value has its leaf.
    pub fn is_complete(&self) -> bool {
        self.misfits.is_empty()
    }
}

/// Compares a hierarchy with the distinct values of a column.
///
/// ```
/// use privet_taxonomy::{Occurrence, Taxonomy, check};
/// let tree = Taxonomy::flat(["15-19", "20-24", "25-29"])?;
/// let seen = |value, line| Occurrence { value, count: 1, line };
/// let fit = check(&tree, [seen("17", 2), seen("23", 3), seen("31", 4)]);
/// assert_eq!((fit.misfits[0].value.as_str(), fit.misfits[0].line), ("31", 4));
/// assert_eq!(fit.unused, [tree.find("25-29").unwrap()]);
/// # Ok::<(), privet_core::Error>(())
/// ```
pub fn check<'a>(taxonomy: &Taxonomy, values: impl IntoIterator<Item = Occurrence<'a>>) -> Fit {
    let mut counts = vec![0u64; taxonomy.leaves()];
    let mut seen = vec![false; taxonomy.leaves()];
    let mut misfits = Vec::new();
    let mut twins = None;
    for Occurrence { value, count, line } in values {
        let reason = match taxonomy.leaf_of(value) {
            Ok(Some(leaf)) => {
                let position = taxonomy.leaves_below(leaf).start;
                counts[position] = counts[position].saturating_add(count);
                seen[position] = true;
                continue;
            }
            Ok(None) => without_leaf(taxonomy, value, twins.get_or_insert_with(|| by_folded_label(taxonomy))),
            Err(error) => error.message().to_string(),
        };
        misfits.push(Misfit { value: value.to_string(), count, line, reason });
    }
    let unused = (0..taxonomy.leaves()).filter(|leaf| !seen[*leaf]).map(|leaf| taxonomy.leaf(leaf)).collect();
    Fit { misfits, unused, counts }
}

fn without_leaf(taxonomy: &Taxonomy, value: &str, twins: &HashMap<String, NodeId>) -> String {
    if taxonomy.find(value).is_some() {
        return format!("'{value}' is an inner node of the hierarchy, not a leaf");
    }
    match twins.get(&folded(value)) {
        Some(twin) => format!(
            "'{value}' has no leaf; '{}' differs only in spaces or upper and lower case",
            taxonomy.label(*twin)
        ),
        None => format!("'{value}' has no leaf"),
    }
}

/// The first leaf for each label without regard to case and spaces.
fn by_folded_label(taxonomy: &Taxonomy) -> HashMap<String, NodeId> {
    let mut twins = HashMap::new();
    for leaf in 0..taxonomy.leaves() {
        let node = taxonomy.leaf(leaf);
        twins.entry(folded(taxonomy.label(node))).or_insert(node);
    }
    twins
}

fn folded(label: &str) -> String {
    label.split_whitespace().flat_map(str::chars).flat_map(char::to_lowercase).collect()
}

impl Taxonomy {
    /// The number of cuts: ways to choose nodes so that every leaf is below exactly one of them.
    ///
    /// ```
    /// use privet_taxonomy::Taxonomy;
    /// assert_eq!(Taxonomy::flat(["a", "b", "c"])?.cuts(), 2u32.into());
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn cuts(&self) -> BigUint {
        // cuts(leaf) = 1 and cuts(v) = 1 + Π cuts(child); children come after their parent, so the loop runs backwards.
        let mut factors: Vec<Vec<BigUint>> = vec![Vec::new(); self.len()];
        for node in self.nodes().rev() {
            if self.is_leaf(node) {
                continue;
            }
            let cuts = product(std::mem::take(&mut factors[node.index()])) + 1u32;
            match self.parent(node) {
                Some(parent) => factors[parent.index()].push(cuts),
                None => return cuts,
            }
        }
        BigUint::from(1u32)
    }
}

/// Multiplies in pairs, so that the factors of each product are of like size.
fn product(mut factors: Vec<BigUint>) -> BigUint {
    while factors.len() > 1 {
        factors = factors.chunks(2).map(|pair| pair.iter().product()).collect();
    }
    factors.pop().unwrap_or_else(|| BigUint::from(1u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(value: &str) -> Occurrence<'_> {
        Occurrence { value, count: 2, line: 7 }
    }

    #[test]
    fn each_misfit_says_why() {
        let paths = ["Oslo;Norway;*", "Rome;Italy;*", "1-5;few;*", "5-9;few;*"]
            .map(|path| path.split(';').map(String::from).collect());
        let tree = Taxonomy::from_paths(&paths).expect("a tree");
        let fit = check(&tree, ["Norway", "oslo ", "Paris", "5", "3", "3.5"].map(one));
        let reasons: Vec<&str> = fit.misfits.iter().map(|misfit| misfit.reason.as_str()).collect();
        assert_eq!(
            reasons,
            [
                "'Norway' is an inner node of the hierarchy, not a leaf",
                "'oslo ' has no leaf; 'Oslo' differs only in spaces or upper and lower case",
                "'Paris' has no leaf",
                "'1-5' and '5-9' of the hierarchy both hold the value '5'",
            ]
        );
        assert!(!fit.is_complete());
        assert_eq!(fit.counts, [0, 0, 4, 0]);
        assert_eq!(fit.unused.len(), 3);
    }

    #[test]
    fn cuts_follow_the_recursion() {
        let paths =
            ["a;x;*", "b;x;*", "c;y;*", "d;y;*", "e;*"].map(|p| p.split(';').map(String::from).collect());
        assert_eq!(Taxonomy::from_paths(&paths).expect("a tree").cuts(), BigUint::from(5u32));
        let single = Taxonomy::from_paths(&[vec!["*".to_string()]]).expect("a tree");
        assert_eq!(single.cuts(), BigUint::from(1u32));
    }
}
