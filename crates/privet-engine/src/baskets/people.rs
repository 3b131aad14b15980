//! Whose transactions they are, where one person may have several.
//!
//! The people who have a set of items do not add up over baskets: somebody who has two of them is one person. So people with one
//! distinct basket are counted, and those with several are known by their baskets, equal ones put together.

use super::Baskets;
use privet_data::{People, PeopleBuilder};

/// People who have the same several distinct baskets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crew {
    /// The baskets, ascending; at least two.
    pub baskets: Vec<u32>,
    /// How many people there are.
    pub people: u64,
}

impl Baskets {
    /// Sorts the baskets and says whose they are.
    pub(super) fn sort_with(&mut self, people: Option<PeopleBuilder>) {
        let place = self.sort();
        self.people = people.map(|people| people.finish(&place, self.total));
    }

    /// Says whose transactions these are: a name and a distinct basket for each of them.
    pub fn name_people<'a>(&mut self, whose: impl IntoIterator<Item = (&'a str, usize)>) {
        let mut people = PeopleBuilder::default();
        for (name, basket) in whose {
            people.add(name, basket as u32);
        }
        let place: Vec<u32> = (0..self.len() as u32).collect();
        self.people = Some(people.finish(&place, self.total));
    }

    /// The people, where the data say whose transactions they are.
    pub fn people(&self) -> Option<&People> {
        self.people.as_ref()
    }

    /// The people, where counting them is not the same as counting transactions.
    pub fn crowd(&self) -> Option<&People> {
        self.people.as_ref().filter(|people| !people.have_one_record_each())
    }

    /// How many people there are, or transactions where nobody says whose they are.
    pub fn heads(&self) -> u64 {
        self.people.as_ref().map_or(self.total, People::total)
    }

    /// What requirements count, in words.
    pub fn counted(&self) -> &'static str {
        if self.people.is_some() { "people" } else { "transactions" }
    }

    /// How many people have this distinct basket and no other, or how many transactions are this basket where nobody says
    /// whose they are.
    pub fn single(&self, basket: usize) -> u64 {
        self.crowd().map_or(self.counts[basket], |people| people.single(basket))
    }

    /// Those who have several distinct baskets, in an order that does not depend on the data's.
    pub fn crews(&self) -> Vec<Crew> {
        let Some(people) = self.crowd() else { return Vec::new() };
        let mut pairs: Vec<(u32, u32)> = (0..self.len())
            .flat_map(|basket| people.named(basket).iter().map(move |person| (*person, basket as u32)))
            .collect();
        pairs.sort_unstable();
        let own = pairs.chunk_by(|one, other| one.0 == other.0);
        let mut lists: Vec<Vec<u32>> =
            own.map(|own| own.iter().map(|(_, basket)| *basket).collect()).collect();
        lists.sort_unstable();
        let same = lists.chunk_by(|one, other| one == other);
        same.map(|same| Crew { baskets: same[0].clone(), people: same.len() as u64 }).collect()
    }
}

#[cfg(test)]
mod tests {
    use privet_taxonomy::ItemTree;

    use super::*;

    #[test]
    fn those_with_several_baskets_are_put_together() {
        let tree = ItemTree::from_paths(&[vec!["a".into()], vec!["b".into()]]).expect("a forest");
        let mut baskets = Baskets::new(tree.into(), Vec::new());
        let rows: [(&str, &[u32]); 8] = [
            ("ann", &[0]),
            ("bob", &[1]),
            ("ann", &[1]),
            ("cy", &[0]),
            ("bob", &[0]),
            ("cy", &[0]),
            ("dan", &[0, 1]),
            ("dan", &[0]),
        ];
        let whose: Vec<(&str, usize)> = rows
            .iter()
            .map(|(name, items)| (*name, baskets.push(&mut items.to_vec(), &mut vec![]) as usize))
            .collect();
        assert_eq!((baskets.heads(), baskets.crews()), (8, vec![]));
        baskets.name_people(whose);
        assert_eq!((baskets.heads(), baskets.total()), (4, 8));
        assert_eq!([0, 1, 2].map(|basket| baskets.single(basket)), [1, 0, 0]);
        let crew = |baskets: &[u32], people| Crew { baskets: baskets.to_vec(), people };
        assert_eq!(baskets.crews(), [crew(&[0, 1], 2), crew(&[0, 2], 1)]);
    }
}
