//! Where the values of a column can be: the classes of released rows whose cell covers a value.

use hashbrown::HashMap;

use super::Cover;
use privet_core::Result;
use privet_core::clock::Clock;

/// Where a kind of values can be.
pub(super) enum Post {
    /// The classes whose cell covers it, ascending.
    List(Vec<u32>),
    /// The same as bits, where they are many.
    Bits(Vec<u64>),
    /// Not listed: cells have to be looked at.
    Open,
}

/// Where the values of a column can be.
pub(super) struct Posts {
    /// Per value its kind.
    pub kinds: Vec<u32>,
    /// Per kind; values that no target has are of a kind that stays open.
    posts: Vec<Post>,
    /// How many steps it took to list them.
    pub steps: u64,
}

impl Posts {
    /// Where each value can be; lists have at most this many entries in all, beyond that cells are examined one by one.
    pub fn of(
        cover: &Cover,
        cells: &[u32],
        values: &[u32],
        distinct_cells: usize,
        most_listed: usize,
        clock: &Clock,
    ) -> Result<Posts> {
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
        let (mut listed, mut steps) = (0, cells.len() as u64);
        for value in wanted {
            clock.check()?;
            kinds[value as usize] = posts.len() as u32;
            if listed > most_listed {
                posts.push(Post::Open);
                continue;
            }
            let covering = cover.cells_of(value);
            steps += covering.len() as u64;
            if let Some(kind) = known.get(&covering) {
                kinds[value as usize] = *kind;
                continue;
            }
            let number: usize = covering.iter().map(|cell| classes_of[*cell as usize].len()).sum();
            // A word of bits takes as much memory as two numbers.
            listed += number.min(2 * words);
            let classes = covering.iter().flat_map(|cell| classes_of[*cell as usize].iter().copied());
            posts.push(if listed > most_listed {
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
            steps += number as u64;
            known.insert(covering, kinds[value as usize]);
        }
        Ok(Posts { kinds, posts, steps })
    }

    /// Where a value can be.
    pub fn of_value(&self, value: u32) -> &Post {
        let kind = self.kinds.get(value as usize);
        kind.and_then(|kind| self.posts.get(*kind as usize)).unwrap_or(&Post::Open)
    }
}
