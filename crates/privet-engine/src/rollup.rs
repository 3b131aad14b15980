//! Counting classes at levels of generalisation, and rolling counts up instead of reading records again.
//!
//! At a vector of levels every record's quasi-identifiers are replaced by their ancestors at those levels; a
//! [`Grouping`] holds the resulting classes. Levels nest, so a grouping can be made from any finer one.
//!
//! Keys and sizes of classes are rolled up at once, what is in the classes only when it is first asked for: most vectors
//! that a search looks at fail by the sizes of their classes alone, and with many tracked columns the counts are by far the
//! larger part.

use std::sync::{Arc, OnceLock};

use hashbrown::HashTable;

use super::heads::Heads;
use super::microdata::{Microdata, QuasiIdentifier};
use super::standing::{Register, RegisterColumn, Standing};
use crate::privacy::{Counts, EquivalenceClass, Members};
use privet_taxonomy::NodeId;

/// One generalisation level per quasi-identifier; 0 is the leaves.
pub type Levels = Box<[u8]>;

/// Whether `fine` is at most `coarse` in every column.
pub fn refines(fine: &[u8], coarse: &[u8]) -> bool {
    fine.iter().zip(coarse).all(|(fine, coarse)| fine <= coarse)
}

/// A quasi-identifier's values at each of its levels, numbered 0… within the level.
#[derive(Debug)]
pub struct Ladder {
    /// Per level, the nodes of its values that the data have. Values that only the population has come behind them.
    pub nodes: Vec<Vec<NodeId>>,
    /// Per level, how many values there are.
    values: Vec<usize>,
    /// Per level, leaf position → value.
    of_leaf: Vec<Vec<u32>>,
    /// Per level, value → some leaf below it; levels nest, so any will do.
    leaf: Vec<Vec<u32>>,
}

/// The ladders of all quasi-identifiers, and how a class's values are packed into one key.
#[derive(Debug)]
pub struct Ladders {
    columns: Vec<Ladder>,
    fields: Vec<Field>,
    /// How many machine words a key takes.
    words: usize,
}

/// Where a column's value lies in a key.
#[derive(Debug, Clone, Copy)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

/// The classes of a table at some levels.
#[derive(Debug)]
pub struct Grouping {
    /// The levels.
    pub levels: Levels,
    words: usize,
    keys: Vec<u64>,
    sizes: Vec<u64>,
    /// What the classes stand for beyond their records; empty where nothing is known of that.
    standings: Vec<Standing>,
    /// What is in the classes, once it was asked for.
    tallies: OnceLock<Tallies>,
    /// The people in the classes, once they were asked for; `None` where nobody has several records.
    heads: OnceLock<Option<Heads>>,
    /// What the classes are made of; `None` at the lowest levels, where they are counted.
    origin: Option<Origin>,
}

/// What the classes of a grouping are made of.
#[derive(Debug)]
struct Origin {
    finer: Arc<Grouping>,
    /// Per finer class, the class that it is part of.
    class_of: Vec<u32>,
}

/// Slot counts per class.
#[derive(Debug, Clone)]
pub enum Tallies {
    /// One count per class and slot.
    Dense {
        /// The number of slots.
        slots: usize,
        /// The counts, class by class.
        counts: Vec<u64>,
    },
    /// Per class, sorted pairs of slot and count.
    Sparse(Vec<Vec<(u32, u64)>>),
}

/// Up to this many counts in all, classes keep one count per slot; beyond, only those that are not zero.
const MOST_DENSE: usize = 4 << 20;

impl Ladder {
    /// The ladder of a quasi-identifier. Leaves that no record has are left out: they can make no class.
    pub fn of(microdata: &Microdata, column: usize) -> Ladder {
        let quasi = &microdata.quasi[column];
        let taxonomy = &quasi.taxonomy;
        let mut leaves: Vec<u32> = quasi.leaf_of_code.clone();
        leaves.sort_unstable();
        leaves.dedup();
        let of_data = leaves.len();
        let register = microdata.register.as_ref().map(|register| &register.columns[column]);
        let mut beyond: Vec<u32> =
            register.into_iter().flat_map(|own| own.leaves.iter().flatten()).copied().collect();
        beyond.retain(|leaf| leaves.binary_search(leaf).is_err());
        beyond.sort_unstable();
        beyond.dedup();
        leaves.extend(beyond);
        // A value of the population that a column without a hierarchy lacks is only below the root.
        let stranger = register.is_some_and(|own| own.leaves.contains(&None));
        let mut ladder =
            Ladder { nodes: Vec::new(), values: Vec::new(), of_leaf: Vec::new(), leaf: Vec::new() };
        for level in 0..taxonomy.levels() {
            let (mut nodes, mut representatives) = (Vec::new(), Vec::new());
            let mut value_of_node = vec![u32::MAX; taxonomy.len()];
            let mut of_leaf = vec![u32::MAX; taxonomy.leaves() + 1];
            let mut values = 0;
            for (at, leaf) in leaves.iter().enumerate() {
                let node = taxonomy.at_level(*leaf as usize, level);
                let value = &mut value_of_node[node.0 as usize];
                if *value == u32::MAX {
                    *value = values;
                    values += 1;
                    representatives.push(*leaf);
                    if at < of_data {
                        nodes.push(node);
                    }
                }
                of_leaf[*leaf as usize] = *value;
            }
            if stranger {
                let unknown = Self::unknown(taxonomy.leaves());
                of_leaf[unknown as usize] =
                    if level == 0 { values } else { value_of_node[taxonomy.root().0 as usize] };
                if of_leaf[unknown as usize] >= values {
                    of_leaf[unknown as usize] = values;
                    values += 1;
                    representatives.push(unknown);
                }
            }
            ladder.values.push(values as usize);
            ladder.nodes.push(nodes);
            ladder.of_leaf.push(of_leaf);
            ladder.leaf.push(representatives);
        }
        ladder
    }

    /// The place of values that have no leaf.
    fn unknown(leaves: usize) -> u32 {
        leaves as u32
    }

    /// The number of levels.
    pub fn levels(&self) -> usize {
        self.nodes.len()
    }

    /// The value of a leaf at a level.
    pub fn value(&self, leaf: u32, level: u8) -> u32 {
        self.of_leaf[level as usize][leaf as usize]
    }

    /// Per value at level `from`, its value at the coarser level `to`.
    pub fn climb(&self, from: u8, to: u8) -> Vec<u32> {
        self.leaf[from as usize].iter().map(|leaf| self.value(*leaf, to)).collect()
    }
}

impl Ladders {
    /// The ladders of a table.
    pub fn of(microdata: &Microdata) -> Ladders {
        let columns: Vec<Ladder> =
            (0..microdata.quasi.len()).map(|column| Ladder::of(microdata, column)).collect();
        let (mut fields, mut word, mut used) = (Vec::new(), 0, 0);
        for ladder in &columns {
            // Levels nest, so no level has more values than the lowest.
            let bits = usize::BITS - ladder.values[0].leading_zeros();
            if used + bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            fields.push(Field { word, shift: used, mask: (1 << bits) - 1 });
            used += bits;
        }
        Ladders { columns, fields, words: word + 1 }
    }

    /// The ladder of each quasi-identifier.
    pub fn columns(&self) -> &[Ladder] {
        &self.columns
    }

    /// The values in a key, one per quasi-identifier.
    pub fn values<'a>(&'a self, key: &'a [u64]) -> impl Iterator<Item = u32> + 'a {
        self.fields.iter().map(|field| field.value(key) as u32)
    }

    /// The same for the codes of the population.
    fn register_fields(&self, microdata: &Microdata, register: &Register) -> Vec<(usize, Vec<u64>)> {
        let columns = self.columns.iter().zip(&self.fields).zip(&register.columns).zip(&microdata.quasi);
        let of_column =
            |(((ladder, field), own), quasi): (((&Ladder, &Field), &RegisterColumn), &QuasiIdentifier)| {
                let unknown = Ladder::unknown(quasi.taxonomy.leaves());
                let leaves = own.leaves.iter().map(|leaf| leaf.unwrap_or(unknown));
                (field.word, leaves.map(|leaf| u64::from(ladder.value(leaf, 0)) << field.shift).collect())
            };
        columns.map(of_column).collect()
    }

    /// Per column, where its field lies in a key, and what is in it for each code at the lowest level.
    fn leaf_fields(&self, microdata: &Microdata) -> Vec<(usize, Vec<u64>)> {
        let columns = self.columns.iter().zip(&self.fields).zip(&microdata.quasi);
        let of_column = |((ladder, field), quasi): ((&Ladder, &Field), &QuasiIdentifier)| {
            let leaves = quasi.leaf_of_code.iter();
            (field.word, leaves.map(|leaf| u64::from(ladder.value(*leaf, 0)) << field.shift).collect())
        };
        columns.map(of_column).collect()
    }
}

/// Neighbouring columns of a key, and what becomes of their values at other levels.
struct Chunk {
    /// Where the columns lie in a key.
    field: Field,
    /// Per combination of their values as it stands in a key: what it becomes in the key, and in the place among all combinations of
    /// values of all columns.
    values: Vec<(u64, usize)>,
}

/// Columns are looked up together as long as their bits are at most this many: the table then stays in the fastest memory.
const CHUNK_BITS: u32 = 10;

impl Ladders {
    /// What the keys of a grouping become at coarser levels, and how many combinations of values there are at these.
    fn climb(&self, finer: &Grouping, levels: &[u8]) -> (Vec<Chunk>, usize) {
        // A table takes time to fill, which few classes do not give back.
        let most = if finer.len() >= 1 << CHUNK_BITS { CHUNK_BITS } else { 0 };
        let mut places = 1usize;
        let mut chunks: Vec<Chunk> = Vec::with_capacity(levels.len());
        for ((column, ladder), level) in self.columns.iter().enumerate().zip(levels) {
            let field = self.fields[column];
            let climb = ladder.climb(finer.levels[column], *level).into_iter();
            let own: Vec<(u64, usize)> = climb
                .map(|value| (u64::from(value) << field.shift, (value as usize).saturating_mul(places)))
                .collect();
            places = places.saturating_mul(ladder.values[*level as usize]);
            match chunks.last_mut().filter(|chunk| chunk.field.takes(field, most)) {
                Some(chunk) => chunk.take(field, &own),
                None => chunks.push(Chunk { field, values: own }),
            }
        }
        (chunks, places)
    }
}

impl Chunk {
    /// Adds the column that comes next in the key.
    fn take(&mut self, field: Field, own: &[(u64, usize)]) {
        // Combinations that no key has leave gaps in front of the next value.
        self.values.resize(self.field.mask as usize + 1, (0, 0));
        let before = std::mem::take(&mut self.values);
        self.values.reserve(own.len() * before.len());
        for (value, step) in own {
            let both = before.iter().map(|(key, place)| (key | value, place.saturating_add(*step)));
            self.values.extend(both);
        }
        self.field.mask |= field.mask << (field.shift - self.field.shift);
    }
}

impl Field {
    /// Whether a field comes next, and both have at most this many bits.
    fn takes(self, next: Field, most: u32) -> bool {
        let bits = |field: Field| u64::BITS - field.mask.leading_zeros();
        self.word == next.word && self.shift + bits(self) == next.shift && bits(self) + bits(next) <= most
    }

    fn value(self, key: &[u64]) -> u64 {
        (key[self.word] >> self.shift) & self.mask
    }
}

impl Grouping {
    /// The classes at the lowest levels, counted from the summary; and the class of each distinct record.
    pub fn base(microdata: &Microdata, ladders: &Ladders) -> (Grouping, Vec<u32>) {
        let levels: Levels = vec![0; ladders.columns.len()].into();
        let slots = microdata.table.slots() as usize;
        let mut built = Builder::new(levels, ladders.words);
        let fields = ladders.leaf_fields(microdata);
        let mut key = vec![0; ladders.words];
        let mut class_of_record = Vec::with_capacity(microdata.summary.len());
        // Records are sorted and begin with their quasi-identifiers: those that look alike stand together.
        let (mut before, mut class): (Option<&[u32]>, u32) = (None, 0);
        for record in 0..microdata.summary.len() {
            let codes = microdata.quasi_codes(record);
            if before != Some(codes) {
                key.fill(0);
                for (code, (word, values)) in codes.iter().zip(&fields) {
                    key[*word] |= values[*code as usize];
                }
                class = built.class(&key);
                before = Some(codes);
            }
            built.grouping.sizes[class as usize] += microdata.summary.count(record);
            class_of_record.push(class);
        }
        let lists = microdata.slot_lists();
        let mut tallies = Tallies::of_classes(slots, built.grouping.len());
        for (record, class) in class_of_record.iter().enumerate() {
            let (codes, count) = (microdata.summary.record(record), microdata.summary.count(record));
            let slots = lists.iter().flat_map(|list| list.of(codes[list.column]));
            tallies.add_all(*class as usize, slots.copied(), count);
        }
        built.grouping.tallies = tallies.into();
        built.stand(microdata, ladders, &class_of_record);
        let heads = microdata.crowd().map(|people| {
            let placed = class_of_record.iter().copied().enumerate();
            Heads::count(microdata, people, built.grouping.len(), placed)
        });
        built.grouping.heads = heads.into();
        (built.grouping, class_of_record)
    }

    /// The classes of a finer grouping at coarser levels.
    pub fn roll_up(finer: &Arc<Grouping>, levels: &[u8], ladders: &Ladders) -> Grouping {
        let (chunks, places) = ladders.climb(finer, levels);
        // Combinations of values that are few are numbered in a list, which is quicker than an index.
        let is_listed = places <= 4 * finer.len() + 64;
        let mut rolled = Builder::new(levels.into(), finer.words);
        let class_of = match (is_listed, finer.words) {
            (true, _) => rolled.take_listed(finer, &chunks, places),
            (false, 1) => rolled.take_words(finer, &chunks),
            (false, _) => rolled.take_keys(finer, &chunks),
        };
        if !finer.standings.is_empty() {
            let mut standings = vec![Standing::default(); rolled.grouping.len()];
            for (class, standing) in class_of.iter().zip(&finer.standings) {
                standings[*class as usize] += *standing;
            }
            rolled.grouping.standings = standings;
        }
        rolled.grouping.origin = Some(Origin { finer: finer.clone(), class_of });
        rolled.grouping
    }

    /// A new class without records.
    fn add(&mut self, key: &[u64]) -> u32 {
        let class = self.sizes.len() as u32;
        self.keys.extend_from_slice(key);
        self.sizes.push(0);
        class
    }

    /// Per class at the lowest levels, the class that it is part of.
    pub fn parts(&self) -> Vec<u32> {
        match &self.origin {
            None => (0..self.len() as u32).collect(),
            Some(Origin { finer, class_of }) => {
                finer.parts().into_iter().map(|class| class_of[class as usize]).collect()
            }
        }
    }

    /// What is in the classes, put together from what is in the finer ones.
    fn tallies(&self) -> &Tallies {
        self.tallies.get_or_init(|| {
            let Some(Origin { finer, class_of }) = &self.origin else { return Tallies::of_classes(0, 0) };
            let from = finer.tallies();
            let mut tallies = Tallies::of_classes(from.slots(), self.len());
            if from.slots() == 0 {
                return tallies;
            }
            for (part, class) in class_of.iter().enumerate() {
                tallies.merge(*class as usize, from, part);
            }
            tallies
        })
    }

    /// How many records each class has.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The number of classes.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The values of a class, packed: see [`Ladders::values`].
    pub fn key(&self, class: usize) -> &[u64] {
        &self.keys[class * self.words..(class + 1) * self.words]
    }

    /// A class as privacy notions see it.
    pub fn class(&self, class: usize) -> EquivalenceClass<'_> {
        EquivalenceClass { counts: self.tallies().counts(class), ..self.outline(class) }
    }

    /// What a class stands for beyond its records.
    pub fn standing(&self, class: usize) -> Standing {
        self.standings.get(class).copied().unwrap_or_default()
    }

    /// The people in the classes, where somebody may have several records.
    fn heads(&self) -> Option<&Heads> {
        let rolled = || {
            let Origin { finer, class_of } = self.origin.as_ref()?;
            Some(finer.heads()?.rolled(class_of, self.len()))
        };
        self.heads.get_or_init(rolled).as_ref()
    }

    /// A class by its records, and by the people who have them.
    pub fn members(&self, class: usize) -> Members<'_> {
        let heads = self.heads();
        Members {
            records: self.class(class),
            people: heads.map(|heads| heads.class(class)),
            add_up: heads.is_none_or(|heads| heads.add_up(class)),
        }
    }

    /// A class without its counts, if only the size matters.
    pub fn outline(&self, class: usize) -> EquivalenceClass<'_> {
        let standing = self.standing(class);
        EquivalenceClass { size: self.sizes[class], counts: Counts::Sparse(&[]), standing }
    }

    /// About how much memory it takes at most, as soon as someone asks what is in its classes.
    pub fn bytes(&self) -> usize {
        let own = |tallies: &Tallies| match tallies {
            Tallies::Dense { slots, .. } => self.len() * slots * size_of::<u64>(),
            sparse => sparse.bytes(),
        };
        let mut named = self;
        while let (None, Some(origin)) = (named.heads.get(), &named.origin) {
            named = &origin.finer;
        }
        let heads = named.heads.get().and_then(Option::as_ref).map_or(0, Heads::bytes);
        // Classes that are not counted yet have no more in them than the finer ones have.
        let mut counted = self;
        while let (None, Some(origin)) = (counted.tallies.get(), &counted.origin) {
            counted = &origin.finer;
        }
        let classes = self.origin.as_ref().map_or(0, |origin| origin.class_of.len() * size_of::<u32>());
        (self.keys.len() + self.sizes.len()) * size_of::<u64>()
            + self.standings.len() * size_of::<Standing>()
            + classes
            + heads
            + counted.tallies.get().map_or(0, own)
    }
}

impl Tallies {
    /// This many classes without counts.
    pub fn of_classes(slots: usize, classes: usize) -> Tallies {
        match slots.checked_mul(classes).filter(|counts| *counts <= MOST_DENSE) {
            Some(counts) => Tallies::Dense { slots, counts: vec![0; counts] },
            None => Tallies::Sparse(vec![Vec::new(); classes]),
        }
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Tallies::Dense { counts, .. } => counts.len() * size_of::<u64>(),
            Tallies::Sparse(classes) => {
                classes.iter().map(|pairs| 24 + pairs.len() * size_of::<(u32, u64)>()).sum()
            }
        }
    }

    pub(super) fn slots(&self) -> usize {
        match self {
            Tallies::Dense { slots, .. } => *slots,
            // A sparse grouping stays sparse when it is rolled up: what matters is only that the product is large.
            Tallies::Sparse(_) => usize::MAX,
        }
    }

    /// Makes room for more classes, which have no counts.
    fn extend(&mut self, slots: usize, classes: usize) {
        match self {
            Tallies::Dense { counts, .. } => counts.resize(slots * classes, 0),
            Tallies::Sparse(lists) => lists.resize(classes, Vec::new()),
        }
    }

    /// Counts `count` more records of a class in a slot.
    pub fn add(&mut self, class: usize, slot: u32, count: u64) {
        match self {
            Tallies::Dense { slots, counts } => counts[class * *slots + slot as usize] += count,
            Tallies::Sparse(classes) => {
                let pairs = &mut classes[class];
                match pairs.binary_search_by_key(&slot, |(slot, _)| *slot) {
                    Ok(at) => pairs[at].1 += count,
                    Err(at) => pairs.insert(at, (slot, count)),
                }
            }
        }
    }

    /// Counts `count` more records of a class in several slots.
    pub fn add_all(&mut self, class: usize, slots: impl Iterator<Item = u32>, count: u64) {
        match self {
            Tallies::Dense { slots: width, counts } => {
                let own = &mut counts[class * *width..(class + 1) * *width];
                slots.for_each(|slot| own[slot as usize] += count);
            }
            Tallies::Sparse(_) => slots.for_each(|slot| self.add(class, slot, count)),
        }
    }

    pub(super) fn merge(&mut self, class: usize, from: &Tallies, other: usize) {
        match (&mut *self, from) {
            (Tallies::Dense { slots, counts }, Tallies::Dense { counts: more, .. }) => {
                let into = &mut counts[class * *slots..(class + 1) * *slots];
                // No count exceeds the size of its class, and sizes are added up with checks: nothing can wrap here, and
                // without checks several counts are added at once.
                for (count, more) in into.iter_mut().zip(&more[other * *slots..(other + 1) * *slots]) {
                    *count = count.wrapping_add(*more);
                }
            }
            (_, Tallies::Sparse(classes)) => {
                for (slot, count) in &classes[other] {
                    self.add(class, *slot, *count);
                }
            }
            (Tallies::Sparse(_), Tallies::Dense { slots, counts }) => {
                for (slot, count) in counts[other * slots..(other + 1) * slots].iter().enumerate() {
                    if *count > 0 {
                        self.add(class, slot as u32, *count);
                    }
                }
            }
        }
    }

    /// The counts of a class.
    pub fn counts(&self, class: usize) -> Counts<'_> {
        match self {
            Tallies::Dense { slots, counts } => Counts::Dense(&counts[class * slots..(class + 1) * slots]),
            Tallies::Sparse(classes) => Counts::Sparse(&classes[class]),
        }
    }
}

/// A grouping under construction, with an index of its classes.
struct Builder {
    grouping: Grouping,
    index: HashTable<u32>,
}

impl Builder {
    fn new(levels: Levels, words: usize) -> Builder {
        let (keys, sizes, tallies, heads) = (Vec::new(), Vec::new(), OnceLock::new(), OnceLock::new());
        let standings = Vec::new();
        let grouping = Grouping { levels, words, keys, sizes, standings, tallies, heads, origin: None };
        Builder { grouping, index: HashTable::new() }
    }

    /// Counts what classes stand for. People of the population who look like no record make classes without records, which
    /// come last.
    fn stand(&mut self, microdata: &Microdata, ladders: &Ladders, class_of_record: &[u32]) {
        let weighted = microdata.weights.is_some();
        if !weighted && microdata.register.is_none() {
            return;
        }
        let mut standings = vec![Standing::default(); self.grouping.len()];
        for (record, class) in class_of_record.iter().enumerate().filter(|_| weighted) {
            let weight = microdata.weight(record) * microdata.summary.count(record);
            standings[*class as usize] += Standing { people: 0, weight };
        }
        if let Some(register) = &microdata.register {
            let fields = ladders.register_fields(microdata, register);
            let mut key = vec![0; self.grouping.words];
            for row in 0..register.len() {
                key.fill(0);
                for (code, (word, values)) in register.row(row).iter().zip(&fields) {
                    key[*word] |= values[*code as usize];
                }
                let class = self.class(&key) as usize;
                if class == standings.len() {
                    standings.push(Standing::default());
                }
                standings[class].people += register.count(row);
            }
        }
        self.grouping.standings = standings;
        let slots = self.grouping.tallies.get().map_or(0, Tallies::slots);
        if let Some(tallies) = self.grouping.tallies.get_mut() {
            tallies.extend(slots, self.grouping.sizes.len());
        }
    }

    /// Takes the classes of a finer grouping, and says which class each becomes part of. There are `places` combinations of values,
    /// few enough for a list of them.
    fn take_listed(&mut self, finer: &Grouping, chunks: &[Chunk], places: usize) -> Vec<u32> {
        let mut listed = vec![u32::MAX; places];
        let mut key = vec![0; finer.words];
        let mut class_of = Vec::with_capacity(finer.len());
        for (below, size) in finer.keys.chunks_exact(finer.words).zip(&finer.sizes) {
            let mut place = 0usize;
            for chunk in chunks {
                place = place.wrapping_add(chunk.values[chunk.field.value(below) as usize].1);
            }
            let known = &mut listed[place];
            if *known == u32::MAX {
                climbed(below, chunks, &mut key);
                *known = self.grouping.add(&key);
            }
            self.grouping.sizes[*known as usize] += size;
            class_of.push(*known);
        }
        class_of
    }

    /// The same by an index of keys that are one word each.
    fn take_words(&mut self, finer: &Grouping, chunks: &[Chunk]) -> Vec<u32> {
        // At most half full, so that a class is found after few looks.
        let mut index = vec![u32::MAX; (2 * finer.len()).next_power_of_two()];
        let mask = index.len() - 1;
        let Grouping { keys, sizes, .. } = &mut self.grouping;
        let mut class_of = Vec::with_capacity(finer.len());
        for (below, size) in finer.keys.iter().zip(&finer.sizes) {
            let mut key = 0;
            for Chunk { field, values } in chunks {
                key |= values[((below >> field.shift) & field.mask) as usize].0;
            }
            let mut at = hash(&[key]) as usize & mask;
            let class = loop {
                match index[at] {
                    u32::MAX => {
                        let class = sizes.len() as u32;
                        index[at] = class;
                        keys.push(key);
                        sizes.push(*size);
                        break class;
                    }
                    class if keys[class as usize] == key => {
                        sizes[class as usize] += size;
                        break class;
                    }
                    _ => at = (at + 1) & mask,
                }
            };
            class_of.push(class);
        }
        class_of
    }

    /// The same by an index of longer keys.
    fn take_keys(&mut self, finer: &Grouping, chunks: &[Chunk]) -> Vec<u32> {
        self.index.reserve(finer.len() / 2, |_| 0);
        let mut key = vec![0; finer.words];
        let mut class_of = Vec::with_capacity(finer.len());
        for (below, size) in finer.keys.chunks_exact(finer.words).zip(&finer.sizes) {
            climbed(below, chunks, &mut key);
            let class = self.class(&key);
            self.grouping.sizes[class as usize] += size;
            class_of.push(class);
        }
        class_of
    }

    /// The class of a key, a new one if need be.
    fn class(&mut self, key: &[u64]) -> u32 {
        let hash = hash(key);
        let grouping = &mut self.grouping;
        let (keys, words) = (&grouping.keys, grouping.words);
        let stored = |class: u32| &keys[class as usize * words..(class as usize + 1) * words];
        let entry = self.index.entry(hash, |class| stored(*class) == key, |class| self::hash(stored(*class)));
        match entry {
            hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let class = grouping.add(key);
                entry.insert(class);
                class
            }
        }
    }
}

/// What a key becomes at coarser levels.
fn climbed(below: &[u64], chunks: &[Chunk], key: &mut [u64]) {
    key.fill(0);
    for chunk in chunks {
        key[chunk.field.word] |= chunk.values[chunk.field.value(below) as usize].0;
    }
}

/// A quick mix of a key's words. Keys are small numbers of our own making, so nobody can aim collisions at it.
fn hash(key: &[u64]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    key.iter().fold(0, |hash: u64, word| {
        let product = u128::from(hash.rotate_left(23) ^ word) * u128::from(ODD);
        (product as u64) ^ (product >> 64) as u64
    })
}

#[cfg(test)]
mod tests;
