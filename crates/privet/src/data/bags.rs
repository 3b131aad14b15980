//! Bags of terms, one per person or session: what query logs become and what vocabularies are.

use super::interner::Interner;
use crate::{Error, Result};

/// A term: its position among the distinct terms in bytewise order.
pub type Term = u32;

/// Bags of terms. Terms are numbered bytewise, so ascending numbers are the canonical order of a bag.
///
/// Methods that take a bag's number or a [`Term`] expect one of these and panic on any other.
///
/// ```
/// use privet::data::Bags;
/// let bags = Bags::of(&[(None, &["wine", "boots", "wine"][..]), (None, &["boots"][..])])?;
/// assert_eq!(bags.terms(), ["boots", "wine"]);
/// assert_eq!(bags.bag(0), [0, 1, 1]);
/// assert_eq!((bags.len(), bags.occurrences()), (2, 4));
/// # Ok::<(), privet::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Bags {
    terms: Vec<String>,
    ends: Vec<u32>,
    held: Vec<Term>,
    /// The number of each bag's user; empty where users are not known.
    users: Vec<u32>,
    /// How many distinct users there are.
    distinct_users: u32,
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
        let mut pairs: Vec<(Term, u32)> = Vec::with_capacity(self.held.len());
        for (number, bag) in self.iter().enumerate() {
            let user = self.user(number).unwrap_or(number as u32);
            pairs.extend(bag.iter().map(|term| (*term, user)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut counts = vec![0; self.terms.len()];
        for (term, _) in pairs {
            counts[term as usize] += 1;
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
        let mut order: Vec<u32> = (0..terms.len() as u32).collect();
        order.sort_unstable_by_key(|term| terms.text(*term as usize));
        let mut number = vec![0; order.len()];
        for (place, term) in (0u32..).zip(&order) {
            number[*term as usize] = place;
        }
        bags.terms = order.iter().map(|term| terms.text(*term as usize).to_string()).collect();
        for term in &mut bags.held {
            *term = number[*term as usize];
        }
        let mut begin = 0;
        for end in &bags.ends {
            bags.held[begin..*end as usize].sort_unstable();
            begin = *end as usize;
        }
        bags.distinct_users = users.len() as u32;
        Ok(bags)
    }
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
