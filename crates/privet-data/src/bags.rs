//! Bags of terms, one per person or session: what query logs become and what vocabularies are.

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use super::interner::Interner;
use privet_core::Digest;
use privet_core::{Error, Result, RunKey};

/// A term: its position among the distinct terms in bytewise order.
pub type Term = u32;

/// Bags of terms. Terms are numbered bytewise, so ascending numbers are the canonical order of a bag.
///
/// Methods that take a bag's number or a [`Term`] expect one of these and panic on any other.
///
/// ```
/// use privet_data::Bags;
/// let bags = Bags::of(&[(None, &["wine", "boots", "wine"][..]), (None, &["boots"][..])])?;
/// assert_eq!(bags.terms(), ["boots", "wine"]);
/// assert_eq!(bags.bag(0), [0, 1, 1]);
/// assert_eq!((bags.len(), bags.occurrences()), (2, 4));
/// # Ok::<(), privet_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Bags {
    terms: Vec<String>,
    ends: Vec<u32>,
    held: Vec<Term>,
    /// The number of each bag's user, by their names in bytewise order; empty where users are not known.
    users: Vec<u32>,
    /// How many distinct users there are.
    distinct_users: u32,
    /// The numbers of the bags in the order of their names; empty where that is their own order.
    by_name: Vec<u32>,
}

impl Bags {
    /// Bags from texts, each with its user: all or none of them have one.
    pub fn of<T: AsRef<str>>(bags: &[(Option<&str>, &[T])]) -> Result<Bags> {
        let mut builder = BagsBuilder::default();
        for (user, terms) in bags {
            builder.begin(*user);
            for term in *terms {
                builder.push(term.as_ref(), 1)?;
            }
            builder.end()?;
        }
        builder.finish()
    }

    /// The key of a run with this seed on these bags.
    pub fn key(&self, seed: u64) -> RunKey {
        let mut digest = Digest::default();
        // The numbers of terms say what a bag holds once it is known which terms there are.
        digest.add(self.terms.iter().map(String::as_str));
        for bag in self.iter() {
            let mut hash = Sha256::new();
            bag.iter().for_each(|term| hash.update(term.to_le_bytes()));
            digest.add_hash(&hash.finalize().into(), 1);
        }
        RunKey::of(seed, &digest)
    }

    /// The number of bags.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The distinct terms, in bytewise order.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// A bag's occurrences, ascending; a term that occurs twice is there twice.
    pub fn bag(&self, bag: usize) -> &[Term] {
        let begin = if bag == 0 { 0 } else { self.ends[bag - 1] };
        &self.held[begin as usize..self.ends[bag] as usize]
    }

    /// All bags.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Term]> + '_ {
        (0..self.len()).map(|bag| self.bag(bag))
    }

    /// The same bags in the order of their names, with the number that each of them has here; `None` where that is their own
    /// order.
    pub fn sorted(&self) -> Option<(Bags, &[u32])> {
        if self.by_name.is_empty() {
            return None;
        }
        let mut sorted =
            Bags { terms: self.terms.clone(), distinct_users: self.distinct_users, ..Bags::default() };
        for bag in &self.by_name {
            sorted.held.extend_from_slice(self.bag(*bag as usize));
            sorted.ends.push(sorted.held.len() as u32);
            sorted.users.extend(self.user(*bag as usize));
        }
        Some((sorted, &self.by_name))
    }

    /// The numbers of the bags in the order of their names.
    pub fn by_name(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len() as u32).map(|place| self.by_name.get(place as usize).copied().unwrap_or(place))
    }

    /// Says in which order their names are.
    pub(super) fn set_order_of_names(&mut self, by_name: Vec<u32>) {
        self.by_name = by_name;
    }

    /// The distinct bags in the order of what they hold: the number of one of each, and how many are the same.
    pub fn distinct(&self) -> Vec<(u32, u64)> {
        let held = |bag: u32| self.bag(bag as usize);
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.par_sort_unstable_by(|one, other| held(*one).cmp(held(*other)));
        let same = order.chunk_by(|one, other| held(*one) == held(*other));
        same.map(|same| (same[0], same.len() as u64)).collect()
    }

    /// How many occurrences all bags hold together.
    pub fn occurrences(&self) -> u64 {
        self.held.len() as u64
    }

    /// The number of a bag's user, where users are known.
    pub fn user(&self, bag: usize) -> Option<u32> {
        self.users.get(bag).copied()
    }

    /// How many users there are; `None` where they are not known.
    pub fn users(&self) -> Option<u32> {
        (!self.users.is_empty()).then_some(self.distinct_users)
    }

    /// How often each term occurs, by its number.
    pub fn frequencies(&self) -> Vec<u32> {
        let mut counts = vec![0; self.terms.len()];
        for term in &self.held {
            counts[*term as usize] += 1;
        }
        counts
    }

    /// By how many people each term was used, by its number; where users are not known every bag is one person's.
    pub fn term_users(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        // The bags of one person come together, so that the last who used a term is all that has to be known.
        order.sort_unstable_by_key(|bag| self.user(*bag as usize));
        let mut last = vec![None; self.terms.len()];
        let mut counts = vec![0; self.terms.len()];
        for bag in order {
            let user = Some(self.user(bag as usize).unwrap_or(bag));
            for term in self.bag(bag as usize) {
                if last[*term as usize] != user {
                    last[*term as usize] = user;
                    counts[*term as usize] += 1;
                }
            }
        }
        counts
    }
}

/// Collects bags one occurrence after the other.
#[derive(Debug, Default)]
pub struct BagsBuilder {
    terms: Interner,
    users: Interner,
    bags: Bags,
    /// Bags that have no user, where others have one.
    nameless: bool,
}

impl BagsBuilder {
    /// Begins a bag.
    pub fn begin(&mut self, user: Option<&str>) {
        match user {
            Some(user) => self.bags.users.push(self.users.intern(user)),
            None => self.nameless = true,
        }
    }

    /// Adds a term to the bag that was begun.
    pub fn push(&mut self, term: &str, count: u32) -> Result<()> {
        let term = self.terms.intern(term);
        if self.bags.held.len() + count as usize > u32::MAX as usize {
            return Err(Error::input("the bags hold more than four billion occurrences")
                .help("split the data, or count a term that is repeated in one bag less often"));
        }
        self.bags.held.extend(std::iter::repeat_n(term, count as usize));
        Ok(())
    }

    /// Ends the bag, even an empty one.
    pub fn end(&mut self) -> Result<()> {
        self.bags.ends.push(self.bags.held.len() as u32);
        Ok(())
    }

    /// The bags, with terms in bytewise order.
    pub fn finish(self) -> Result<Bags> {
        let BagsBuilder { terms, users, mut bags, nameless } = self;
        if nameless && !bags.users.is_empty() {
            return Err(Error::input("some vocabularies have a user and others have none")
                .help("name the user of every vocabulary, or of none"));
        }
        let order = bytewise(&terms, &mut bags.held);
        bags.terms = order.iter().map(|term| terms.text(*term as usize).to_string()).collect();
        bytewise(&users, &mut bags.users);
        let mut begin = 0;
        for end in &bags.ends {
            bags.held[begin..*end as usize].sort_unstable();
            begin = *end as usize;
        }
        bags.distinct_users = users.len() as u32;
        // They are held for long, next to others of their kind.
        bags.held.shrink_to_fit();
        bags.ends.shrink_to_fit();
        bags.users.shrink_to_fit();
        Ok(bags)
    }
}

/// Numbers texts anew in bytewise order, whatever order they were seen in, and returns the old number of each.
fn bytewise(texts: &Interner, numbers: &mut [u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..texts.len() as u32).collect();
    order.sort_unstable_by_key(|text| texts.text(*text as usize));
    let mut place = vec![0; order.len()];
    for (new, old) in (0u32..).zip(&order) {
        place[*old as usize] = new;
    }
    for number in numbers {
        *number = place[*number as usize];
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_counted_once_per_term() {
        let bags = Bags::of(&[
            (Some("u"), &["b", "a", "b"][..]),
            (Some("u"), &["a"][..]),
            (Some("v"), &["a"][..]),
            (Some("v"), &[][..]),
        ])
        .expect("bags");
        assert_eq!((bags.frequencies(), bags.term_users()), (vec![3, 2], vec![2, 1]));
        assert_eq!((bags.users(), bags.user(2), bags.bag(3)), (Some(2), Some(1), &[][..]));
    }

    #[test]
    fn all_or_no_bag_has_a_user() {
        assert!(Bags::of(&[(Some("u"), &["a"][..]), (None, &["a"][..])]).is_err());
        assert_eq!(Bags::of(&[(None, &["a"][..])]).expect("bags").users(), None);
    }
}
