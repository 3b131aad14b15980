//! Match sets: the released rows that contain what is known of a person.
//!
//! Released rows that look alike in the known columns are one *class*, people that do are one *target*. Values of a column for
//! which the same cells stand are one *kind*. For each column and kind there is a list of the classes whose cell stands for it
//! (or bits, where they are many); the match set of a target is where these meet. Targets whose values are of the same kinds
//! have the same match set: it is found once.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};
use rayon::prelude::*;

use super::coded::ODD;
use super::{Cover, Rows, ViewColumn};
use crate::Result;
use crate::engine::clock::Clock;
use crate::random::{below, keyed};

/// The number of rows that are left out.
const LEFT_OUT: u32 = u32::MAX;

/// What the lists of a column may hold; beyond it cells are looked at one by one.
const MOST_LISTED: usize = 30_000_000;

/// Distinct rows of some columns, numbered as they are first seen.
pub(in crate::attack) struct Distinct {
    /// The number of each row; `u32::MAX` for rows that are left out.
    pub of_row: Vec<u32>,
    /// How many rows each has.
    pub counts: Vec<u64>,
    /// The first row of each.
    pub first: Vec<u32>,
}

impl Distinct {
    /// The distinct rows of these columns, of all rows or of some.
    pub fn of(rows: &Rows, columns: &[usize], some: Option<&[u32]>) -> Distinct {
        let codes: Vec<&[u32]> = columns.iter().map(|column| rows.codes[*column].as_slice()).collect();
        // Codes are small numbers; a random start and one multiplication each mix them well enough.
        let start = RandomState::default().hash_one(0);
        let hash = |row: u32| {
            let tuple = codes.iter().map(|codes| codes[row as usize]);
            tuple.fold(start, |hash: u64, code| {
                let product = u128::from(hash ^ u64::from(code)) * u128::from(ODD);
                (product as u64) ^ (product >> 64) as u64
            })
        };
        let mut distinct =
            Distinct { of_row: vec![LEFT_OUT; rows.len], counts: Vec::new(), first: Vec::new() };
        let mut table: HashTable<u32> = HashTable::new();
        let mut add = |row: u32| {
            let first = &distinct.first;
            let same = |number: &u32| {
                let other = first[*number as usize] as usize;
                codes.iter().all(|codes| codes[other] == codes[row as usize])
            };
            let number = match table.entry(hash(row), same, |number| hash(first[*number as usize])) {
                hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
                hashbrown::hash_table::Entry::Vacant(entry) => {
                    let number = distinct.counts.len() as u32;
                    entry.insert(number);
                    distinct.counts.push(0);
                    distinct.first.push(row);
                    number
                }
            };
            distinct.counts[number as usize] += 1;
            distinct.of_row[row as usize] = number;
        };
        match some {
            Some(some) => some.iter().for_each(|row| add(*row)),
            None => (0..rows.len as u32).for_each(add),
        }
        distinct
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }
}

/// Where a kind of values can be.
enum Post {
    /// The classes whose cell stands for it, ascending.
    List(Vec<u32>),
    /// The same as bits, where they are many.
    Bits(Vec<u64>),
    /// Not listed: cells have to be looked at.
    Open,
}

/// Finds the released rows that contain what is known of a person.
pub(in crate::attack) struct Matcher {
    /// The columns that are known, by their place in the view.
    pub columns: Vec<usize>,
    /// The released rows.
    pub classes: Distinct,
    /// The people.
    pub targets: Distinct,
    /// Of how many people those are a sample; `None` where they are all.
    pub sampled: Option<usize>,
    covers: Vec<Arc<Cover>>,
    /// Per column and class, the cell.
    cells: Vec<Vec<u32>>,
    /// Per column and target, the value.
    values: Vec<Vec<u32>>,
    /// Per column, where its values can be.
    posts: Vec<Posts>,
    /// Per target, its number among those whose values are of different kinds.
    alike: Vec<u32>,
    /// Per such number, the targets that have it.
    crowds: Vec<Vec<u32>>,
}

/// Where the values of a column can be.
struct Posts {
    /// Per value its kind.
    kinds: Vec<u32>,
    /// Per kind; values that no target has are of a kind that stays open.
    posts: Vec<Post>,
}

impl Matcher {
    /// For people of whom these columns are known. `limit` is the most people to look at, and the seed that picks them.
    pub fn new(
        view: &[ViewColumn],
        columns: &[usize],
        released: &Rows,
        people: &Rows,
        limit: Option<(usize, u64)>,
    ) -> Matcher {
        let columns: Vec<usize> = columns.iter().copied().filter(|column| people.has(*column)).collect();
        let sample =
            limit.filter(|(most, _)| people.len > *most).map(|(most, seed)| sample(people.len, most, seed));
        let classes = Distinct::of(released, &columns, None);
        let targets = Distinct::of(people, &columns, sample.as_deref());
        let pick = |rows: &Rows, column: usize, distinct: &Distinct| -> Vec<u32> {
            distinct.first.iter().map(|row| rows.codes[column][*row as usize]).collect()
        };
        let cells: Vec<Vec<u32>> = columns.iter().map(|column| pick(released, *column, &classes)).collect();
        let values: Vec<Vec<u32>> = columns.iter().map(|column| pick(people, *column, &targets)).collect();
        let covers: Vec<Arc<Cover>> = columns.iter().map(|column| view[*column].cover.clone()).collect();
        let posts = columns.iter().enumerate().map(|(place, column)| {
            posts(&covers[place], &cells[place], &values[place], view[*column].cells.len())
        });
        let posts: Vec<Posts> = posts.collect();
        let kinds = posts.iter().zip(&values).map(|(posts, values)| {
            Arc::new(values.iter().map(|value| posts.kinds[*value as usize]).collect())
        });
        let mut by_kind = Rows::empty(targets.len());
        by_kind.codes = kinds.collect();
        let alike = Distinct::of(&by_kind, &(0..columns.len()).collect::<Vec<_>>(), None);
        let mut crowds = vec![Vec::new(); alike.len()];
        for (target, number) in (0..).zip(&alike.of_row) {
            crowds[*number as usize].push(target);
        }
        let sampled = sample.map(|_| people.len);
        Matcher {
            columns,
            classes,
            targets,
            sampled,
            covers,
            cells,
            values,
            posts,
            alike: alike.of_row,
            crowds,
        }
    }

    /// The classes that contain a target, ascending.
    pub fn matching(&self, target: usize) -> Vec<u32> {
        let values: Vec<u32> = self.values.iter().map(|values| values[target]).collect();
        let post = |place: usize| self.posts[place].of(values[place]);
        let fits = |class: u32, but: usize| {
            (0..values.len()).filter(|place| *place != but).all(|place| match post(place) {
                Post::List(list) => list.binary_search(&class).is_ok(),
                Post::Bits(bits) => bits[class as usize / 64] >> (class % 64) & 1 == 1,
                Post::Open => self.covers[place].covers(self.cells[place][class as usize], values[place]),
            })
        };
        let lists = (0..values.len()).filter_map(|place| match post(place) {
            Post::List(list) => Some((list.len(), place, list)),
            _ => None,
        });
        if let Some((_, place, list)) = lists.min_by_key(|(len, place, _)| (*len, *place)) {
            return list.iter().copied().filter(|class| fits(*class, place)).collect();
        }
        let mut all: Option<Vec<u64>> = None;
        for place in 0..values.len() {
            if let Post::Bits(bits) = post(place) {
                match &mut all {
                    None => all = Some(bits.clone()),
                    Some(all) => all.iter_mut().zip(bits).for_each(|(word, other)| *word &= other),
                }
            }
        }
        let open = |class: &u32| {
            (0..values.len())
                .filter(|place| matches!(post(*place), Post::Open))
                .all(|place| self.covers[place].covers(self.cells[place][*class as usize], values[place]))
        };
        match all {
            Some(bits) => ones(&bits).filter(open).collect(),
            None => (0..self.classes.len() as u32).filter(open).collect(),
        }
    }

    /// The target that a row of the people is; `None` for those who are not attacked.
    pub fn target_of(&self, row: usize) -> Option<usize> {
        self.targets.of_row.get(row).filter(|target| **target != LEFT_OUT).map(|target| *target as usize)
    }

    /// How many released rows some classes have.
    pub fn rows_in(&self, classes: &[u32]) -> u64 {
        classes.iter().map(|class| self.classes.counts[*class as usize]).sum()
    }

    /// How many people are looked at.
    pub fn people(&self) -> u64 {
        self.targets.counts.iter().sum()
    }

    /// Something about every target and the classes that contain it, in the order of targets, in parallel.
    pub fn map<T: Send>(&self, clock: &Clock, of: impl Fn(usize, &[u32]) -> T + Sync) -> Result<Vec<T>> {
        let crowd = |crowd: &Vec<u32>| {
            clock.check()?;
            let classes = crowd.first().map_or_else(Vec::new, |target| self.matching(*target as usize));
            Ok(crowd.iter().map(|target| of(*target as usize, &classes)).collect::<Vec<T>>().into_iter())
        };
        let mut found = self.crowds.par_iter().map(crowd).collect::<Result<Vec<_>>>()?;
        // Every crowd has its targets in order.
        Ok(self.alike.iter().filter_map(|number| found[*number as usize].next()).collect())
    }

    /// The same about the classes alone: once for all targets that have the same, with the number of each target's.
    pub fn map_alike<T: Send>(
        &self,
        clock: &Clock,
        of: impl Fn(&[u32]) -> T + Sync,
    ) -> Result<(Vec<T>, &[u32])> {
        let crowd = |crowd: &Vec<u32>| {
            clock.check()?;
            Ok(of(&crowd.first().map_or_else(Vec::new, |target| self.matching(*target as usize))))
        };
        Ok((self.crowds.par_iter().map(crowd).collect::<Result<Vec<T>>>()?, &self.alike))
    }

    /// What to say about a sample, to be added to what the figures rest on.
    pub fn sampling(&self) -> String {
        match self.sampled {
            Some(all) => format!("; a random sample of {} of {all} people was attacked", self.people()),
            None => String::new(),
        }
    }
}

/// So many rows of a table, by chance, ascending.
pub(super) fn sample(rows: usize, most: usize, seed: u64) -> Vec<u32> {
    let mut random = keyed(seed, "people under attack");
    let mut numbers: Vec<u32> = (0..rows as u32).collect();
    for place in 0..most.min(rows) {
        let other = place + below(&mut random, (rows - place) as u64) as usize;
        numbers.swap(place, other);
    }
    numbers.truncate(most);
    numbers.sort_unstable();
    numbers
}

fn ones(bits: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0u32..).zip(bits).flat_map(|(place, word)| {
        let mut left = *word;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            if left == 0 {
                return None;
            }
            left &= left - 1;
            Some(place * 64 + bit)
        })
    })
}

impl Posts {
    /// Where a value can be.
    fn of(&self, value: u32) -> &Post {
        let kind = self.kinds.get(value as usize);
        kind.and_then(|kind| self.posts.get(*kind as usize)).unwrap_or(&Post::Open)
    }
}

/// Where each value can be.
fn posts(cover: &Cover, cells: &[u32], values: &[u32], distinct_cells: usize) -> Posts {
    let mut classes_of: Vec<Vec<u32>> = vec![Vec::new(); distinct_cells];
    for (class, cell) in (0u32..).zip(cells) {
        classes_of[*cell as usize].push(class);
    }
    let mut wanted: Vec<u32> = values.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let words = cells.len().div_ceil(64);
    // The first kind is that of values which nobody has; it is never asked for.
    let (mut kinds, mut posts) = (vec![0; cover.values()], vec![Post::Open]);
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut listed = 0;
    for value in wanted {
        kinds[value as usize] = posts.len() as u32;
        if listed > MOST_LISTED {
            posts.push(Post::Open);
            continue;
        }
        let covering = cover.cells_of(value);
        if let Some(kind) = known.get(&covering) {
            kinds[value as usize] = *kind;
            continue;
        }
        let number: usize = covering.iter().map(|cell| classes_of[*cell as usize].len()).sum();
        // A word of bits takes the room of two numbers.
        listed += number.min(2 * words);
        let classes = covering.iter().flat_map(|cell| classes_of[*cell as usize].iter().copied());
        posts.push(if listed > MOST_LISTED {
            Post::Open
        } else if number > 2 * words {
            let mut bits = vec![0; words];
            classes.for_each(|class| bits[class as usize / 64] |= 1 << (class % 64));
            Post::Bits(bits)
        } else {
            let mut list: Vec<u32> = classes.collect();
            list.sort_unstable();
            Post::List(list)
        });
        known.insert(covering, kinds[value as usize]);
    }
    Posts { kinds, posts }
}
