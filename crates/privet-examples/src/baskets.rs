//! Made-up shopping baskets, from a seeded generator: the same seed gives the same bytes everywhere.
//!
//! A basket begins with an errand, such as a weekly shop or a party, that prefers some groups of products. Staples are in
//! many baskets, a few products in very few, and sizes run from one to fifteen: enough structure for the trade-off between
//! detail and privacy to be a real one.

use std::io::{self, Write};

use super::census::draw::Draw;

/// The number of baskets in the example that ships.
pub const ROWS: u64 = 5_000;

/// The seed of the example that ships.
pub const SEED: u64 = 1;

/// Products in the order of the example's hierarchy, four to a group, with how often each is bought.
const PRODUCTS: [(&str, u16); 60] = [
    ("apples", 70),
    ("bananas", 90),
    ("oranges", 55),
    ("dragon fruit", 2),
    ("tomatoes", 70),
    ("potatoes", 60),
    ("lettuce", 45),
    ("artichokes", 30),
    ("milk", 160),
    ("yogurt", 90),
    ("butter", 70),
    ("goat cheese", 35),
    ("bread", 150),
    ("rolls", 70),
    ("cake", 45),
    ("gluten-free bread", 28),
    ("spaghetti", 60),
    ("rice", 50),
    ("flour", 40),
    ("quinoa", 2),
    ("tinned tomatoes", 50),
    ("tuna", 35),
    ("chickpeas", 25),
    ("sauerkraut", 4),
    ("chocolate", 80),
    ("biscuits", 60),
    ("honey", 40),
    ("liquorice", 36),
    ("cola", 60),
    ("orange juice", 55),
    ("lemonade", 45),
    ("kombucha", 28),
    ("beer", 70),
    ("wine", 55),
    ("whisky", 6),
    ("sake", 1),
    ("coffee", 80),
    ("black tea", 45),
    ("herbal tea", 34),
    ("cocoa", 28),
    ("washing powder", 40),
    ("dish soap", 40),
    ("bleach", 12),
    ("silver polish", 1),
    ("toilet paper", 60),
    ("kitchen roll", 45),
    ("tissues", 40),
    ("gift wrap", 4),
    ("shampoo", 35),
    ("soap", 35),
    ("toothpaste", 40),
    ("beard oil", 2),
    ("nappies", 60),
    ("baby food", 45),
    ("baby wipes", 40),
    ("teething gel", 5),
    ("cat food", 60),
    ("dog food", 45),
    ("cat litter", 35),
    ("bird seed", 4),
];

const GROUP: usize = 4;
const GROUPS: usize = PRODUCTS.len() / GROUP;

/// What nobody may learn about a customer. They are in no hierarchy and are published as they are.
const SENSITIVE: [&str; 3] = ["HIV self-test", "antidepressant", "pregnancy test"];

/// An errand: how often it is run, how much it wants of each group, how often (of a thousand) it brings each sensitive
/// product along, and whether its baskets are large.
struct Errand {
    share: u16,
    groups: [u16; GROUPS],
    sensitive: [i32; 3],
    large: bool,
}

//  fruit veg dairy bakery grains tins sweets soft alcohol hot cleaning paper body baby pets
const ERRANDS: [Errand; 6] = [
    // The weekly shop.
    Errand {
        share: 34,
        groups: [12, 14, 16, 14, 8, 6, 12, 10, 6, 11, 3, 4, 3, 1, 2],
        sensitive: [3, 14, 6],
        large: true,
    },
    // Something is missing at home.
    Errand {
        share: 26,
        groups: [8, 10, 14, 14, 2, 2, 8, 6, 2, 7, 0, 1, 0, 0, 0],
        sensitive: [2, 8, 3],
        large: false,
    },
    // A quick snack.
    Errand {
        share: 16,
        groups: [5, 1, 6, 9, 0, 0, 14, 14, 2, 4, 0, 0, 0, 0, 0],
        sensitive: [2, 6, 4],
        large: false,
    },
    // A party.
    Errand {
        share: 8,
        groups: [4, 5, 6, 8, 2, 1, 12, 14, 16, 4, 0, 2, 0, 0, 0],
        sensitive: [6, 6, 4],
        large: true,
    },
    // A young family.
    Errand {
        share: 9,
        groups: [9, 9, 12, 10, 4, 3, 7, 7, 1, 6, 3, 4, 3, 24, 1],
        sensitive: [1, 24, 30],
        large: true,
    },
    // The drugstore shelf.
    Errand {
        share: 7,
        groups: [1, 1, 3, 3, 0, 0, 4, 3, 0, 3, 10, 12, 18, 2, 8],
        sensitive: [16, 90, 24],
        large: false,
    },
];

const SMALL_SIZES: [u16; 6] = [26, 30, 22, 12, 7, 3];
const LARGE_SIZES: [u16; 15] = [1, 2, 4, 6, 9, 11, 13, 13, 12, 10, 8, 6, 4, 2, 1];
/// How many attempts a basket gets to find another product before it is left as it is.
const ATTEMPTS: usize = 60;

/// Writes `rows` baskets, one a line, its products in alphabetical order and separated by commas.
///
/// ```
/// let mut text = Vec::new();
/// privet_examples::baskets::write(3, 1, &mut text)?;
/// assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 3);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(rows: u64, seed: u64, mut writer: impl Write) -> io::Result<()> {
    let mut draw = Draw::new(seed);
    for _ in 0..rows {
        writeln!(writer, "{}", basket(&mut draw).join(","))?;
    }
    Ok(())
}

fn basket(draw: &mut Draw) -> Vec<&'static str> {
    let errand = &ERRANDS[usize::from(draw.pick(&ERRANDS.each_ref().map(|errand| errand.share)))];
    let sizes: &[u16] = if errand.large { &LARGE_SIZES } else { &SMALL_SIZES };
    let size = usize::from(draw.pick(sizes)) + 1;
    let mut items: Vec<&str> = Vec::new();
    for _ in 0..ATTEMPTS {
        if items.len() == size {
            break;
        }
        let group = usize::from(draw.pick(&errand.groups)) * GROUP;
        let shelf = &PRODUCTS[group..group + GROUP];
        let weights: Vec<u16> = shelf.iter().map(|(_, weight)| *weight).collect();
        let (item, _) = shelf[usize::from(draw.pick(&weights))];
        if !items.contains(&item) {
            items.push(item);
        }
    }
    for (item, permille) in SENSITIVE.into_iter().zip(errand.sensitive) {
        if draw.chance(permille) {
            items.push(item);
        }
    }
    items.sort_unstable();
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated() -> String {
        let mut text = Vec::new();
        write(ROWS, SEED, &mut text).expect("memory does not fail");
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn the_hierarchy_knows_every_product_and_no_sensitive_one() {
        let hierarchy = include_str!("../data/baskets/items.csv");
        let leaves: Vec<&str> = hierarchy.lines().filter_map(|line| line.split(';').next()).collect();
        assert_eq!(leaves, PRODUCTS.map(|(name, _)| name));
        let sensitive = include_str!("../data/baskets/sensitive.txt");
        assert_eq!(sensitive.lines().collect::<Vec<_>>(), SENSITIVE);
    }

    #[test]
    fn the_baskets_that_ship_never_change() {
        let text = generated();
        let sizes: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!((sizes.len(), sizes.iter().min(), sizes.iter().max()), (5_000, Some(&1), Some(&15)));
        let count = |item: &str| text.lines().filter(|line| line.split(',').any(|one| one == item)).count();
        let frequencies =
            ["milk", "bread", "dragon fruit", "HIV self-test", "antidepressant", "pregnancy test"];
        assert_eq!(frequencies.map(count), [1412, 1476, 22, 14, 105, 34]);
    }
}
