//! The classes of a release, person by person: what is needed to set it against another.
//!
//! People and values appear as salted hashes of 64 bits: two releases need to agree on who and what is the same, nobody
//! needs to read it. (Among ten million people two share a hash with a chance of three in a million.)

use std::collections::BTreeMap;
use std::fmt;

use hashbrown::HashMap;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::line::hex;
use privet_core::{Error, Result};

/// The value of people who have nothing sensitive, for data where that can be: knowing it does no harm.
pub const NOTHING: u64 = 0;

/// Digits of a hash in a line.
const DIGITS: usize = 16;

/// What goes into every hash of a ledger next to what is hashed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt([u8; 32]);

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(…)")
    }
}

impl Salt {
    /// A salt from the system's random numbers.
    pub fn draw() -> Result<Salt> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|error| Error::internal(format!("the system gives no random numbers: {error}")))?;
        Ok(Salt(bytes))
    }

    /// A hash for a purpose; texts that are cut otherwise give another one.
    pub fn hash<'t>(&self, purpose: &'t str, texts: impl IntoIterator<Item = &'t str>) -> u64 {
        let mut hash = Sha256::new();
        hash.update(self.0);
        for text in std::iter::once(purpose).chain(texts) {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        first(&hash.finalize())
    }

    /// The hash of a value of an attribute; never that of [`NOTHING`].
    pub fn value(&self, attribute: &str, value: &str) -> u64 {
        self.hash("value", [attribute, value]).max(1)
    }

    /// The name of a key, which does not reveal the key.
    pub fn key_name(&self, seed: u64) -> String {
        format!("{:0DIGITS$x}", self.hash("key", [seed.to_string().as_str()]))
    }
}

fn first(digest: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(digest).for_each(|(byte, from)| *byte = *from);
    u64::from_le_bytes(bytes)
}

impl Serialize for Salt {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Salt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Salt, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = [0; 32];
        let digit = |at: usize| text.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
        if text.len() != 64 {
            return Err(D::Error::custom("a salt has 64 digits"));
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = digit(2 * at).ok_or_else(|| D::Error::custom("a salt is hexadecimal"))?;
        }
        Ok(Salt(bytes))
    }
}

impl Salt {
    /// The key of the record that has this turn, from 0, among those with the same key.
    fn in_turn(&self, key: u64, turn: u32) -> u64 {
        match turn {
            0 => key,
            turn => self.hash("turn", [key.to_string().as_str(), (turn + 1).to_string().as_str()]),
        }
    }
}

/// What a record's key is made of where all that it holds makes it.
const BY_RECORD: &str = "record";

/// Gives every record of a source a key by all that it holds, by which its person is found again in another release.
///
/// Records that hold the same are distinguished by their turn: it does not matter which of them is which.
#[derive(Debug)]
pub struct RecordKeys {
    salt: Salt,
    turns: HashMap<u64, u32>,
}

impl RecordKeys {
    /// No record yet.
    pub fn new(salt: Salt) -> RecordKeys {
        RecordKeys { salt, turns: HashMap::new() }
    }

    /// The key of the next record that holds these texts.
    pub fn next<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> u64 {
        let key = self.salt.hash(BY_RECORD, texts);
        let turn = self.turns.entry(key).or_default();
        *turn += 1;
        self.salt.in_turn(key, *turn - 1)
    }
}

/// Gives every record of a table a key by what names its person, by which that person is found again in another release.
///
/// Several records of one person are distinguished by what else they hold, whatever order they come in.
#[derive(Debug)]
pub struct PersonKeys {
    salt: Salt,
    purpose: &'static str,
    /// Per record, what names its person, and all that it holds.
    records: Vec<(u64, u64)>,
}

impl PersonKeys {
    /// Keys from a column that names people.
    pub fn by_column(salt: Salt) -> PersonKeys {
        PersonKeys { salt, purpose: "person", records: Vec::new() }
    }

    /// Keys from all that is known about a person.
    pub fn by_record(salt: Salt) -> PersonKeys {
        PersonKeys { salt, purpose: BY_RECORD, records: Vec::new() }
    }

    /// Takes the next record: what names its person, and all that it holds, to the letter. Says its number, from 0.
    pub fn add<'t>(
        &mut self,
        name: impl IntoIterator<Item = &'t str>,
        held: impl IntoIterator<Item = &'t str>,
    ) -> u32 {
        self.records.push((self.salt.hash(self.purpose, name), self.salt.hash("held", held)));
        self.records.len() as u32 - 1
    }

    /// The keys of all records, by number, and how many people they are of.
    pub fn finish(self) -> (Vec<u64>, u64) {
        let mut order: Vec<u32> = (0..self.records.len() as u32).collect();
        order.sort_unstable_by_key(|record| (self.records[*record as usize], *record));
        let mut keys = vec![0; order.len()];
        let mut people = 0;
        let name = |record: u32| self.records[record as usize].0;
        for same in order.chunk_by(|one, other| name(*one) == name(*other)) {
            people += 1;
            for (turn, record) in (0u32..).zip(same) {
                keys[*record as usize] = self.salt.in_turn(name(*record), turn);
            }
        }
        (keys, people)
    }
}

/// The sensitive values that somebody of a class may have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Values with how many of the class have each, ascending.
    pub counts: Vec<(u64, u64)>,
    /// How many of the class have a value that the release does not show.
    pub hidden: u64,
}

impl Candidates {
    /// Counts values.
    pub fn of(values: impl IntoIterator<Item = (u64, u64)>, hidden: u64) -> Candidates {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for (value, count) in values.into_iter().filter(|(_, count)| *count > 0) {
            *counts.entry(value).or_default() += count;
        }
        Candidates { counts: counts.into_iter().collect(), hidden }
    }

    /// Whether only values that are shown are possible.
    pub fn is_known(&self) -> bool {
        self.hidden == 0 && !self.counts.is_empty()
    }
}

/// A class of a release: who can be anybody else in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignatureClass {
    /// Per attribute of the view, what its people may have.
    pub values: Vec<Candidates>,
}

/// One table of a release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// The sensitive attributes that it shows.
    pub attributes: Vec<String>,
    /// Its classes.
    pub classes: Vec<SignatureClass>,
    /// Who is in which class, ascending by key.
    pub people: Vec<(u64, u32)>,
}

impl View {
    /// A view; people may come in any order.
    pub fn new(attributes: Vec<String>, classes: Vec<SignatureClass>, mut people: Vec<(u64, u32)>) -> View {
        people.sort_unstable();
        View { attributes, classes, people }
    }

    /// What somebody of a class may have of an attribute.
    pub fn candidates(&self, class: u32, attribute: &str) -> Option<&Candidates> {
        let position = self.attributes.iter().position(|name| name == attribute)?;
        self.classes.get(class as usize)?.values.get(position)
    }
}

/// The classes of a release: one table or several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signatures {
    /// The tables.
    pub views: Vec<View>,
}

/// A class as a line keeps it.
#[derive(Serialize, Deserialize)]
struct StoredClass {
    /// The keys of its people, one after the other.
    people: String,
    /// Per attribute, values with counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<BTreeMap<String, u64>>,
    /// Per attribute, how many values are hidden; left out where none is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
struct StoredView {
    attributes: Vec<String>,
    classes: Vec<StoredClass>,
}

impl StoredView {
    fn of(view: &View) -> StoredView {
        let mut people: Vec<String> = vec![String::new(); view.classes.len()];
        for (key, class) in &view.people {
            if let Some(people) = people.get_mut(*class as usize) {
                people.push_str(&digits(*key));
            }
        }
        let classes = view.classes.iter().zip(people).map(|(class, people)| {
            let values = class.values.iter().map(|candidates| {
                candidates.counts.iter().map(|(value, count)| (digits(*value), *count)).collect()
            });
            let hidden: Vec<u64> = class.values.iter().map(|candidates| candidates.hidden).collect();
            let hidden = if hidden.iter().all(|count| *count == 0) { Vec::new() } else { hidden };
            StoredClass { people, values: values.collect(), hidden }
        });
        StoredView { attributes: view.attributes.clone(), classes: classes.collect() }
    }

    fn view(self) -> Option<View> {
        let mut people = Vec::new();
        let mut classes = Vec::new();
        for (number, class) in (0u32..).zip(self.classes) {
            for key in class.people.as_bytes().chunks(DIGITS) {
                people.push((number_of(std::str::from_utf8(key).ok()?)?, number));
            }
            let mut values = Vec::new();
            for (position, counts) in class.values.into_iter().enumerate() {
                let counts = counts.into_iter().map(|(value, count)| Some((number_of(&value)?, count)));
                let counts = counts.collect::<Option<Vec<_>>>()?;
                values.push(Candidates::of(counts, class.hidden.get(position).copied().unwrap_or(0)));
            }
            classes.push(SignatureClass { values });
        }
        Some(View::new(self.attributes, classes, people))
    }
}

fn digits(number: u64) -> String {
    format!("{number:0DIGITS$x}")
}

fn number_of(digits: &str) -> Option<u64> {
    if digits.len() == DIGITS { u64::from_str_radix(digits, 16).ok() } else { None }
}

impl Serialize for Signatures {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let views: Vec<StoredView> = self.views.iter().map(StoredView::of).collect();
        views.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Signatures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Signatures, D::Error> {
        let views = Vec::<StoredView>::deserialize(deserializer)?;
        let views = views.into_iter().map(StoredView::view).collect::<Option<Vec<View>>>();
        let views =
            views.ok_or_else(|| D::Error::custom("a key or a value is not of 16 hexadecimal digits"))?;
        Ok(Signatures { views })
    }
}
