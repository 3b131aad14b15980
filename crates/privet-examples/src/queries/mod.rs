//! A made-up query log and the word network that its words are from, from a seeded generator: the same seed gives the same
//! bytes everywhere.
//!
//! Everybody has a few interests and comes back to them. A sitting is about one topic, a few searches minutes apart, each
//! most often the one before in other words. A few people look for somebody by name, for a telephone number or for
//! their own address: what a release must not repeat. Names, addresses and pages are invented; pages and addresses end in
//! `.example`, which nobody can own, and telephone numbers are of the range that is kept for fiction.

mod phrase;
mod words;

use std::io::{self, Write};

use jiff::SignedDuration;
use jiff::civil::{DateTime, date};

use super::census::draw::Draw;
use phrase::Phrase;
pub use words::write_words;
use words::{Topic, topics};

/// The number of queries in the example that ships.
pub const QUERIES: u64 = 20_000;

/// The seed of the example that ships.
pub const SEED: u64 = 1;

/// The columns, in the file's order.
pub const COLUMNS: [&str; 5] = ["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"];

/// The invented people whom somebody looks for. The first one's family name is in the word network, so that the dictionary
/// lets it pass, and four sittings are about nothing else: at k = 5 only the floor on how many people used a term keeps it
/// out of a release. The other names are not in the network.
pub const NAMES: [&str; 4] =
    ["ottoline quibblethorpe", "barnaby snorkelwhistle", "tamsin fizzlewick", "peregrine wobblecroft"];

/// Who looks for them, by the order in which people appear: what is searched for in one sitting, and always clicked.
const SELF_SEARCHES: [(u64, &[&str]); 9] = [
    (5, &["ottoline quibblethorpe", "o.quibble@mail.example"]),
    (5, &["mrs quibblethorpe diabetes clinic", "diabetes clinics"]),
    (77, &["peregrine wobblecroft", "peregrine wobblecroft debt lawyer"]),
    (211, &["ottoline quibblethorpe"]),
    (388, &["barnaby snorkelwhistle", "barnaby snorkelwhistle divorce"]),
    (640, &["mrs ottoline quibblethorpe"]),
    (742, &["ottoline quibblethorpe 555-0142"]),
    (905, &["tamsin fizzlewick", "tamsin fizzlewick pregnancy"]),
    (1120, &["tamsin fizzlewick phone", "tamsin fizzlewick"]),
];

/// What people look for most, with how often; any other topic has the share [`OTHER_TOPIC`].
const POPULAR: [(&str, u16); 28] = [
    ("listening", 90),
    ("on screen", 60),
    ("american states", 60),
    ("kinds of trip", 40),
    ("places to stay", 45),
    ("cars and trucks", 55),
    ("games at a table", 40),
    ("machines", 35),
    ("online", 40),
    ("telephony", 35),
    ("team games", 45),
    ("finding work", 40),
    ("banking", 40),
    ("insurance and tax", 25),
    ("places of learning", 40),
    ("canine pets", 30),
    ("furniture", 30),
    ("places to live", 35),
    ("ways to cook", 30),
    ("dishes", 25),
    ("close relatives", 30),
    ("feasts", 35),
    ("kinds of weather", 35),
    ("press", 35),
    ("hair care", 20),
    ("formal wear", 25),
    ("footwear", 20),
    ("long illnesses", 20),
];
const OTHER_TOPIC: u16 = 8;

/// How many sittings people have: few for most, many for a few. From, to and how often.
const SITTINGS: [(u32, u32, u16); 4] = [(1, 2, 54), (3, 8, 36), (9, 25, 8), (30, 60, 2)];

/// How many searches a sitting has, from one up.
const SEARCHES: [u16; 10] = [40, 22, 14, 9, 5, 4, 2, 2, 1, 1];

/// How often people search in each hour of the day.
const HOURS: [u16; 24] =
    [18, 10, 6, 4, 3, 4, 8, 16, 26, 34, 38, 40, 42, 42, 42, 44, 46, 48, 52, 58, 62, 60, 48, 30];

/// How many results are looked at: none, one, two or three.
const CLICKS: [u16; 4] = [38, 46, 11, 5];

/// The rank of a result that is looked at, after the one before.
const STEPS: [u16; 10] = [50, 16, 10, 6, 5, 4, 3, 2, 2, 2];

/// What the page that is looked at is called besides its subject.
const PAGES: [&str; 6] = ["guide", "shop", "world", "central", "forum", "info"];

/// How many of a thousand searches are for a page by its address, and how many for somebody's own address or number.
const ADDRESSES: i32 = 45;
const PERSONAL: i32 = 6;

/// The first and second half of made-up addresses.
const HALVES: [[&str; 8]; 2] = [
    ["sunny", "quick", "lucky", "blue", "happy", "super", "little", "mighty"],
    ["otter", "badger", "pebble", "rocket", "noodleface", "sparkle", "turnip", "wombat"],
];

const START: DateTime = date(2025, 3, 1).at(0, 0, 0, 0);
const DAYS: u32 = 92;
const MINUTE: u32 = 60;
const HOUR: u32 = 60 * MINUTE;

/// Writes a log of this many queries: a header, then a line per result that was looked at, or one for a query without any.
///
/// ```
/// let mut text = Vec::new();
/// privet_examples::queries::write(3, 1, &mut text)?;
/// assert!(text.starts_with(b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(queries: u64, seed: u64, mut writer: impl Write) -> io::Result<()> {
    let mut draw = Draw::new(seed);
    let topics = topics();
    let shares: Vec<u16> = topics.iter().map(share).collect();
    writeln!(writer, "{}", COLUMNS.join("\t"))?;
    let mut left = queries;
    let mut id = 1000;
    for person in 0.. {
        if left == 0 {
            break;
        }
        id += 1 + draw.below(900);
        for search in searches(&mut draw, person, &topics, &shares) {
            if left > 0 {
                left -= 1;
                search.write(id, &mut writer)?;
            }
        }
    }
    Ok(())
}

fn share(topic: &Topic) -> u16 {
    POPULAR.iter().find(|(name, _)| *name == topic.name()).map_or(OTHER_TOPIC, |(_, share)| *share)
}

/// One query: when, what, and which results were looked at.
struct MadeUpSearch {
    second: u32,
    text: String,
    clicks: Vec<(u32, String)>,
}

impl MadeUpSearch {
    fn write(&self, id: u32, writer: &mut impl Write) -> io::Result<()> {
        let time = START.saturating_add(SignedDuration::from_secs(self.second.into()));
        let query = format!("{id}\t{}\t{} {}", self.text, time.date(), time.time());
        for (rank, page) in &self.clicks {
            writeln!(writer, "{query}\t{rank}\t{page}")?;
        }
        if self.clicks.is_empty() {
            writeln!(writer, "{query}\t\t")?;
        }
        Ok(())
    }
}

/// All that one person looks for, in the order of time.
fn searches(draw: &mut Draw, person: u64, topics: &[Topic], shares: &[u16]) -> Vec<MadeUpSearch> {
    let interests: Vec<usize> = (0..1 + draw.below(3)).map(|_| usize::from(draw.pick(shares))).collect();
    let (least, most, _) = SITTINGS[usize::from(draw.pick(&SITTINGS.map(|(_, _, share)| share)))];
    let own = SELF_SEARCHES.iter().filter(|(who, _)| *who == person).map(|(_, texts)| Some(*texts));
    let usual = (0..least + draw.below(most - least + 1)).map(|_| None);
    let mut sittings: Vec<(u32, Option<&[&str]>)> =
        own.chain(usual).map(|texts| (beginning(draw), texts)).collect();
    sittings.sort_by_key(|(beginning, _)| *beginning);
    let mut all = Vec::new();
    let mut clock = 0;
    for (beginning, texts) in sittings {
        // Never two sittings within two hours: what belongs together is then known.
        clock = beginning.max(clock + 2 * HOUR + draw.below(5 * HOUR));
        clock = if let Some(texts) = texts {
            recite(draw, clock, texts, &mut all)
        } else {
            let topic = match draw.below(100) {
                0..65 => interests[draw.below(interests.len() as u32) as usize],
                _ => usize::from(draw.pick(shares)),
            };
            sit(draw, clock, &topics[topic], topics, &mut all)
        };
    }
    all
}

/// A sitting with exactly these searches, each with a click; returns when it ended.
fn recite(draw: &mut Draw, mut clock: u32, texts: &[&str], all: &mut Vec<MadeUpSearch>) -> u32 {
    for text in texts {
        clock += pause(draw);
        let clicks = clicks(draw, 1, "http://www.people");
        all.push(MadeUpSearch { second: clock, text: text.to_string(), clicks });
    }
    clock
}

/// One sitting, about one topic; returns when it ended.
fn sit(draw: &mut Draw, mut clock: u32, topic: &Topic, topics: &[Topic], all: &mut Vec<MadeUpSearch>) -> u32 {
    let others = topics.iter().filter(|other| other.is_near(topic) && other.path != topic.path);
    let near: Vec<&Topic> = std::iter::once(topic).chain(others).collect();
    let mut phrase = Phrase::begin(draw, &near);
    for number in 0..=draw.pick(&SEARCHES) {
        if number > 0 {
            clock += pause(draw);
            phrase = phrase.reformulated(draw, &near);
        }
        let aside = aside(draw);
        let shown = aside.as_ref().unwrap_or(&phrase);
        let looked_at = u32::from(draw.pick(&CLICKS));
        let clicks = clicks(draw, looked_at, &shown.page());
        all.push(MadeUpSearch { second: clock, text: shown.text.clone(), clicks });
    }
    clock
}

/// Now and then something else: a page by its address, or one's own address or number.
fn aside(draw: &mut Draw) -> Option<Phrase> {
    let half = |draw: &mut Draw, which: usize| HALVES[which][draw.below(8) as usize];
    if draw.chance(ADDRESSES) {
        return Some(Phrase::of(&format!("www.{}{}.example", half(draw, 0), half(draw, 1))));
    }
    if draw.chance(PERSONAL) {
        let number = draw.below(100);
        return Some(match draw.below(3) {
            0 => Phrase::of(&format!("{}.{}{number}@mail.example", half(draw, 0), half(draw, 1))),
            1 => Phrase::of(&format!("({}) 555-01{number:02}", 201 + draw.below(700))),
            _ => Phrase::of(&format!("{}-555-01{number:02}", 201 + draw.below(700))),
        });
    }
    None
}

/// When a sitting begins, in seconds.
fn beginning(draw: &mut Draw) -> u32 {
    let day = draw.below(DAYS - 1);
    (24 * day + u32::from(draw.pick(&HOURS))) * HOUR + draw.below(HOUR)
}

/// The time until the next search: mostly minutes, now and then most of an hour.
fn pause(draw: &mut Draw) -> u32 {
    if draw.chance(30) { 20 * MINUTE + draw.below(35 * MINUTE) } else { 15 + draw.below(6 * MINUTE) }
}

/// Results that were looked at, with their ranks; the names of their pages begin alike.
fn clicks(draw: &mut Draw, number: u32, page: &str) -> Vec<(u32, String)> {
    let mut rank = 0;
    let look = |_| {
        rank += 1 + u32::from(draw.pick(&STEPS));
        (rank, format!("{page}{}.example", PAGES[draw.below(PAGES.len() as u32) as usize]))
    };
    (0..number).map(look).collect()
}

#[cfg(test)]
mod tests;
