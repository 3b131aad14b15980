//! Tables in memory, dictionary-coded column by column.

use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::SharedSeed;
use foldhash::fast::SeedableRandomState;
use hashbrown::HashMap;

use super::codes::Codes;
use super::distinct::Distinct;
use privet_core::clock::Clock;
use privet_data::interner::Interner;
use privet_data::{Batch, MissingRule, Source};
use privet_policy::layout::GROUP_COLUMN;
use privet_policy::{CheckedPolicy, PolicyColumn, Role};

/// The distinct texts of a column: those of a release numbered as they are first seen, those of people in bytewise order,
/// table by table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary(Interner);

impl Dictionary {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The text of a number.
    pub fn text(&self, code: u32) -> &str {
        self.0.text(code as usize)
    }

    /// The number of a text.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.0.find(text)
    }

    /// All texts, by number.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        (0..self.0.len()).map(|code| self.0.text(code))
    }

    pub(super) fn intern(&mut self, text: &str) -> u32 {
        self.0.intern(text)
    }

    /// The same, where it may well be the one that came last: columns often repeat a value many times.
    fn intern_after(&mut self, last: &mut u32, text: &str) -> u32 {
        if (*last as usize) >= self.len() || self.text(*last) != text {
            *last = self.0.intern(text);
        }
        *last
    }

    /// How many bytes it takes, roughly.
    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Numbers those after the first `known` in the order of their texts; returns the new number of each.
    fn put_in_order(&mut self, from: usize) -> Vec<u32> {
        // The first bytes decide nearly always, and are at hand.
        let start = |text: &str| {
            let mut start = [0; 8];
            start.iter_mut().zip(text.as_bytes()).for_each(|(own, byte)| *own = *byte);
            u64::from_be_bytes(start)
        };
        let mut order: Vec<(u64, u32)> =
            (0u32..).zip(self.texts()).map(|(code, text)| (start(text), code)).collect();
        order[from..].sort_unstable_by(|one, other| {
            one.0.cmp(&other.0).then_with(|| self.text(one.1).cmp(self.text(other.1)))
        });
        let mut ordered = Interner::default();
        let mut now = vec![0; order.len()];
        for (_, code) in order {
            now[code as usize] = ordered.intern(self.text(code));
        }
        self.0 = ordered;
        now
    }
}

/// The rows of a table: per column, the code of every row. A column that the table lacks has no codes.
///
/// Rows of people are in an order that follows from what they say: whatever an attack draws or deals is the same for the same people in
/// another order. [`Rows::in_file`] is the order of their file.
#[derive(Debug, Clone, Default)]
pub(crate) struct CodedRows {
    /// How many rows.
    pub len: usize,
    /// By column.
    pub codes: Vec<Arc<Codes>>,
    /// The line of each row in its file.
    lines: Arc<Vec<u64>>,
    /// How many rows were left out on reading; these are a sample.
    left_out: usize,
    /// Distinct rows by the columns that were asked for: several attacks ask for the same.
    distinct: Arc<Mutex<Vec<KnownDistinct>>>,
}

/// Columns, and the distinct rows of a table in them.
type KnownDistinct = (Vec<usize>, Arc<Distinct>);

impl CodedRows {
    pub(super) fn empty(len: usize) -> CodedRows {
        CodedRows { len, ..CodedRows::default() }
    }

    /// Whether the table has a column.
    pub fn has(&self, column: usize) -> bool {
        self.codes.get(column).is_some_and(|codes| codes.len() == self.len)
    }

    /// How many rows the table has; these may be a sample.
    pub fn all(&self) -> usize {
        self.len + self.left_out
    }

    /// Whether these are a sample of the table's rows.
    pub fn is_sample(&self) -> bool {
        self.left_out > 0
    }

    /// The line of a row in its file.
    pub fn line(&self, row: usize) -> u64 {
        self.lines.get(row).copied().unwrap_or(0)
    }

    /// The rows in the order of their file.
    pub fn in_file(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..self.len as u32).collect();
        rows.sort_by_key(|row| self.line(*row as usize));
        rows
    }

    /// The same rows with some of the columns.
    pub(super) fn pick(&self, columns: &[usize]) -> CodedRows {
        let codes = columns.iter().map(|column| self.codes.get(*column).cloned().unwrap_or_default());
        CodedRows { codes: codes.collect(), distinct: Arc::default(), ..self.clone() }
    }

    /// The distinct rows of some columns, found when they are asked for first.
    pub fn distinct(&self, columns: &[usize], clock: &Clock) -> privet_core::Result<Arc<Distinct>> {
        // A table that another attack failed to look at can still be looked at.
        let mut known = self.distinct.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known.iter().find(|(other, _)| other == columns) {
            return Ok(found.clone());
        }
        let found = Arc::new(Distinct::of(self, columns, None, clock)?);
        known.push((columns.to_vec(), found.clone()));
        Ok(found)
    }
}

/// What ends reading.
pub(super) enum ReadingStopped {
    /// The table has more rows than are held in memory.
    TooMany,
    /// Both tables would take more memory than attacks have: about this many bytes.
    TooLarge(u64),
    /// Something is wrong with it, or the user is tired of waiting.
    Error(privet_core::Error),
}

impl From<privet_core::Error> for ReadingStopped {
    fn from(error: privet_core::Error) -> ReadingStopped {
        ReadingStopped::Error(error)
    }
}

/// Picks rows by what they hold and a seed, whatever their order.
pub(super) struct RowSample {
    hasher: SeedableRandomState,
    /// Rows whose number is below this are in the sample.
    below: u64,
    /// How often rows that hold the same were seen: each is picked for itself.
    seen: HashMap<u64, u64>,
}

impl RowSample {
    /// About this many of a table's rows; `None` if that is all of them.
    pub fn of(most: usize, rows: usize, seed: u64) -> Option<RowSample> {
        let share = most as f64 / rows.max(1) as f64;
        (share < 1.0).then(|| RowSample {
            hasher: SeedableRandomState::with_seed(seed, SharedSeed::global_fixed()),
            below: (share * u64::MAX as f64) as u64,
            seen: HashMap::new(),
        })
    }

    fn takes<'c>(&mut self, cells: impl Iterator<Item = &'c str>) -> bool {
        let mut hash = self.hasher.build_hasher();
        for cell in cells {
            hash.write(cell.as_bytes());
            hash.write_u8(0xFF);
        }
        let print = hash.finish();
        let times = self.seen.entry(print).or_insert(0);
        *times += 1;
        // Bits are spread once more, so that the number of times is not seen in the high ones alone.
        let mut own = self.hasher.build_hasher();
        own.write_u64(print);
        own.write_u64(*times);
        own.finish() < self.below
    }
}

/// How much of tables is held in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryLimit {
    /// The most rows of one table.
    pub rows: usize,
    /// The most bytes of all tables together, where that is limited.
    pub bytes: Option<u64>,
    /// The bytes of the tables that were read before.
    pub taken: u64,
}

impl MemoryLimit {
    /// What stops the reading of a table with this many rows and bytes in memory; `part` of its file is read.
    fn stops(&self, rows: usize, bytes: u64, (read, all): (u64, u64)) -> Option<ReadingStopped> {
        if rows > self.rows {
            return Some(ReadingStopped::TooMany);
        }
        let most = self.bytes?;
        (self.taken + bytes > most).then(|| {
            // The rest of this table takes as much for each byte of the file, and the other table as much as this one.
            let whole = u128::from(bytes) * u128::from(all.max(read).max(1)) / u128::from(read.max(1));
            let whole = u64::try_from(whole).unwrap_or(u64::MAX);
            ReadingStopped::TooLarge(self.taken.max(whole).saturating_add(whole))
        })
    }
}

/// How many bytes columns and their values take.
fn bytes_of<'d>(codes: &[Codes], dictionaries: impl Iterator<Item = &'d Dictionary>) -> u64 {
    let codes: usize = codes.iter().map(Codes::bytes).sum();
    (codes + dictionaries.map(Dictionary::bytes).sum::<usize>()) as u64
}

/// A column of a view, and where it comes from.
#[derive(Debug, Clone)]
pub(super) struct WantedColumn<'a> {
    /// The column of the original.
    pub of: &'a PolicyColumn,
    /// For one value of a sensitive column whose cells hold several: the value. The view's column says who has it.
    pub item: Option<String>,
}

/// A factor that spreads bits.
pub(super) const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// How a table says that somebody has one of the values of a set, and that somebody does not.
const HAS: &str = "1";
const LACKS: &str = "0";

impl WantedColumn<'_> {
    /// Its name: `diagnosis`, or `household=married`.
    pub fn name(&self) -> String {
        match &self.item {
            Some(item) => format!("{}={item}", self.of.name),
            None => self.of.name.clone(),
        }
    }

    /// What the view has for a cell of the original.
    pub fn value<'c>(&self, cell: &'c str) -> &'c str {
        match &self.item {
            None => cell,
            Some(item) if self.of.values_of(cell).contains(&item.as_str()) => HAS,
            Some(_) => LACKS,
        }
    }

    /// What the policy says about it. Lacking one of many values is not a secret; having it may be one.
    pub fn policy(&self) -> PolicyColumn {
        let Some(item) = &self.item else { return self.of.clone() };
        let spared = self.of.insensitive.contains(item);
        let insensitive = if spared { vec![HAS, LACKS] } else { vec![LACKS] };
        PolicyColumn {
            name: self.name(),
            separator: None,
            insensitive: insensitive.into_iter().map(str::to_string).collect(),
            ..self.of.clone()
        }
    }
}

/// Where a column is in a table, and whether it is as in the original: sets whole, not a column for each value.
#[derive(Clone, Copy)]
struct ColumnPlace {
    at: usize,
    whole: bool,
}

/// Reads tables of people with common dictionaries.
pub(super) struct TableReader<'a> {
    policy: &'a CheckedPolicy,
    columns: &'a [WantedColumn<'a>],
    dictionaries: Vec<Dictionary>,
    clock: &'a Clock,
    held: MemoryLimit,
}

impl<'a> TableReader<'a> {
    pub fn new(
        policy: &'a CheckedPolicy,
        columns: &'a [WantedColumn<'a>],
        clock: &'a Clock,
        held: MemoryLimit,
    ) -> TableReader<'a> {
        let dictionaries = columns.iter().map(|_| Dictionary::default()).collect();
        TableReader { policy, columns, dictionaries, clock, held }
    }

    /// The original, without the records that the policy drops; all of it or a sample.
    pub fn original(&mut self, sample: Option<RowSample>) -> std::result::Result<CodedRows, ReadingStopped> {
        // A record is dropped for a column that matters, whether the table at hand shows it or not.
        let terms = self.policy.looks_at_terms();
        let matters = |column: &&PolicyColumn| match column.role {
            Some(
                Role::QuasiIdentifier
                | Role::Mixed
                | Role::Sensitive
                | Role::Class
                | Role::Set
                | Role::Weight
                | Role::Household,
            ) => true,
            Some(Role::QuasiSensitive) => terms,
            _ => false,
        };
        let dropping = self.policy.columns.iter().filter(matters);
        let mut dropping: Vec<(usize, MissingRule)> =
            dropping.map(|column| (column.index, self.policy.missing_rule_of(column))).collect();
        // So is one that does not say whose it is, where that matters.
        dropping.extend(self.policy.person.map(|column| (column, self.policy.missing_rule())));
        let places: Vec<Option<ColumnPlace>> = self
            .columns
            .iter()
            .map(|column| Some(ColumnPlace { at: column.of.index, whole: true }))
            .collect();
        self.rows(&self.policy.source.clone(), &places, &dropping, sample)
    }

    /// Other people, with the columns of theirs that the file has.
    pub fn people(&mut self, source: &Source) -> std::result::Result<CodedRows, ReadingStopped> {
        let place = |column: &WantedColumn<'_>| {
            let whole = source.find(&column.of.name).map(|at| ColumnPlace { at, whole: true });
            whole.or_else(|| Some(ColumnPlace { at: source.find(&column.name())?, whole: false }))
        };
        let places: Vec<Option<ColumnPlace>> = self.columns.iter().map(place).collect();
        self.rows(source, &places, &[], None)
    }

    fn rows(
        &mut self,
        source: &Source,
        places: &[Option<ColumnPlace>],
        dropping: &[(usize, MissingRule)],
        mut sample: Option<RowSample>,
    ) -> std::result::Result<CodedRows, ReadingStopped> {
        let rules: Vec<MissingRule> =
            self.columns.iter().map(|column| self.policy.missing_rule_of(column.of)).collect();
        let wanted = self.columns;
        let is_missing = |rule: &MissingRule, cell: &str| rule.spellings.iter().any(|one| one == cell);
        let mut codes: Vec<Codes> = places.iter().map(|_| Codes::default()).collect();
        let mut last = vec![0; places.len()];
        let (mut lines, mut left_out) = (Vec::new(), 0);
        let mut stopped = None;
        let known = self.lengths();
        let (dictionaries, held, clock) = (&mut self.dictionaries, self.held, self.clock);
        let read = source.read(&mut |batch: &Batch, bytes| {
            for row in 0..batch.rows() {
                let lacks = |(place, rule): &(usize, MissingRule)| {
                    !rule.keep && is_missing(rule, batch.cell(row, *place))
                };
                if dropping.iter().any(lacks) {
                    continue;
                }
                if let Some(sample) = &mut sample {
                    let cells = places.iter().flatten().map(|place| batch.cell(row, place.at));
                    if !sample.takes(cells) {
                        left_out += 1;
                        continue;
                    }
                }
                for (column, place) in places.iter().enumerate() {
                    let Some(place) = place else { continue };
                    let (mut cell, rule) = (batch.cell(row, place.at), &rules[column]);
                    if rule.keep && is_missing(rule, cell) {
                        cell = rule.spellings.first().map_or("", String::as_str);
                    }
                    if place.whole {
                        cell = wanted[column].value(cell);
                    }
                    codes[column].push(dictionaries[column].intern_after(&mut last[column], cell));
                }
                lines.push(batch.line(row));
            }
            let taken = bytes_of(&codes, dictionaries.iter()) + 8 * lines.len() as u64;
            stopped = held.stops(lines.len(), taken, (bytes, source.bytes()));
            if stopped.is_some() { Err(privet_core::Error::interrupted()) } else { clock.check() }
        });
        if let Some(stopped) = stopped {
            return Err(stopped);
        }
        read?;
        self.held.taken += bytes_of(&codes, std::iter::empty()) + 8 * lines.len() as u64;
        for ((dictionary, codes), known) in self.dictionaries.iter_mut().zip(&mut codes).zip(known) {
            if dictionary.len() > known {
                let now = dictionary.put_in_order(known);
                *codes = codes.iter().map(|code| now[code as usize]).collect();
            }
            clock.check()?;
        }
        Ok(CodedRows { left_out, ..in_order_of_content(codes, &lines, clock)? })
    }

    /// How many values each column has so far.
    pub fn lengths(&self) -> Vec<usize> {
        self.dictionaries.iter().map(Dictionary::len).collect()
    }

    pub fn dictionaries(self) -> Vec<Arc<Dictionary>> {
        self.dictionaries.into_iter().map(Arc::new).collect()
    }
}

/// Rows in an order that follows from their codes; those that are the same stay in the order of their lines.
fn in_order_of_content(codes: Vec<Codes>, lines: &[u64], clock: &Clock) -> privet_core::Result<CodedRows> {
    let own = |row: u32| codes.iter().filter_map(move |column| column.get(row as usize));
    let mut order: Vec<(u64, u32)> = (0..lines.len() as u32).map(|row| (0, row)).collect();
    for column in codes.iter().filter(|column| column.len() == lines.len()) {
        for ((print, _), code) in order.iter_mut().zip(column.iter()) {
            *print = (*print ^ u64::from(code)).wrapping_mul(ODD).rotate_left(29);
        }
        clock.check()?;
    }
    order.sort_unstable();
    clock.check()?;
    // Rows that say different things and have the same print are hardly ever there.
    for same in order.chunk_by_mut(|(one, _), (other, _)| one == other) {
        let first = same[0].1;
        if !same.iter().all(|(_, row)| own(*row).eq(own(first))) {
            same.sort_unstable_by(|(_, one), (_, other)| own(*one).cmp(own(*other)).then(one.cmp(other)));
        }
    }
    let order: Vec<u32> = order.into_iter().map(|(_, row)| row).collect();
    let ordered = |column: Codes| {
        clock.check()?;
        Ok(Arc::new(order.iter().filter_map(|row| column.get(*row as usize)).collect::<Codes>()))
    };
    Ok(CodedRows {
        len: lines.len(),
        codes: codes.into_iter().map(ordered).collect::<privet_core::Result<_>>()?,
        lines: Arc::new(order.iter().map(|row| lines[*row as usize]).collect()),
        ..CodedRows::default()
    })
}

/// Numbers groups in the order of their names, by number where all are numbers: the order of names may tell something.
fn in_order(names: &mut Vec<String>, groups: &mut [u32]) {
    let number = |name: &String| name.trim().parse::<u64>().ok();
    let numbers: Option<Vec<u64>> = names.iter().map(number).collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|one, other| match &numbers {
        Some(numbers) => numbers[*one].cmp(&numbers[*other]),
        None => names[*one].cmp(&names[*other]),
    });
    let mut places = vec![0u32; names.len()];
    (0u32..).zip(&order).for_each(|(place, at)| places[*at] = place);
    groups.iter_mut().for_each(|group| *group = places[*group as usize]);
    *names = order.into_iter().map(|at| std::mem::take(&mut names[at])).collect();
}

/// A released table.
pub(super) struct ReleasedRows {
    pub len: usize,
    /// Name, cells, and the code of every row.
    pub columns: Vec<(String, Dictionary, Arc<Codes>)>,
    /// The names of the groups, where the table has groups.
    pub groups: Vec<String>,
}

impl ReleasedRows {
    /// How many bytes it takes, roughly.
    pub fn bytes(&self) -> u64 {
        self.columns.iter().map(|(_, cells, codes)| (cells.bytes() + codes.bytes()) as u64).sum()
    }
}

/// Reads a released table, and the group of each row where it names groups.
pub(super) fn released(
    table: &Source,
    grouped: bool,
    clock: &Clock,
    held: MemoryLimit,
) -> std::result::Result<(ReleasedRows, Option<Vec<u32>>), ReadingStopped> {
    let group = table.find(GROUP_COLUMN).filter(|_| grouped);
    let places: Vec<usize> = (0..table.columns().len()).filter(|place| Some(*place) != group).collect();
    let mut dictionaries: Vec<Dictionary> = places.iter().map(|_| Dictionary::default()).collect();
    let mut codes: Vec<Codes> = places.iter().map(|_| Codes::default()).collect();
    let mut last = vec![0; places.len()];
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let (mut names, mut groups) = (Vec::new(), Vec::new());
    let (mut len, mut stopped) = (0, None);
    let read = table.read(&mut |batch: &Batch, bytes| {
        for row in 0..batch.rows() {
            for (column, place) in places.iter().enumerate() {
                let cell = batch.cell(row, *place);
                codes[column].push(dictionaries[column].intern_after(&mut last[column], cell));
            }
            if let Some(group) = group {
                let name = batch.cell(row, group);
                let number = *numbers.entry_ref(name).or_insert(names.len() as u32);
                if number as usize == names.len() {
                    names.push(name.to_string());
                }
                groups.push(number);
            }
        }
        len += batch.rows();
        let taken = bytes_of(&codes, dictionaries.iter()) + 4 * groups.len() as u64;
        stopped = held.stops(len, taken, (bytes, table.bytes()));
        if stopped.is_some() { Err(privet_core::Error::interrupted()) } else { clock.check() }
    });
    if let Some(stopped) = stopped {
        return Err(stopped);
    }
    read?;
    in_order(&mut names, &mut groups);
    let named = places.iter().map(|place| table.columns()[*place].name.clone());
    let columns = named.zip(dictionaries).zip(codes);
    let columns =
        columns.map(|((name, cells), codes)| (name, cells, Arc::new(codes.iter().collect()))).collect();
    Ok((ReleasedRows { len, columns, groups: names }, group.map(|_| groups)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_rows_does_not_depend_on_their_order_and_takes_equal_ones_apart() {
        let rows: Vec<String> = (0..10_000).map(|row| format!("{}", row % 1000)).collect();
        let taken = |rows: &[&String]| {
            let mut sample = RowSample::of(2000, rows.len(), 7).expect("a sample");
            let mut taken: Vec<&str> = Vec::new();
            for row in rows {
                if sample.takes([row.as_str(), "x"].into_iter()) {
                    taken.push(row);
                }
            }
            taken.sort_unstable();
            taken.into_iter().map(str::to_string).collect::<Vec<_>>()
        };
        let forth: Vec<&String> = rows.iter().collect();
        let back: Vec<&String> = rows.iter().rev().collect();
        let sample = taken(&forth);
        assert_eq!(sample, taken(&back));
        assert!((1800..2200).contains(&sample.len()), "{}", sample.len());
        let mut distinct = sample.clone();
        distinct.dedup();
        // Ten rows of each kind: if they came together, there would be two hundred kinds.
        assert!(distinct.len() > 700, "{}", distinct.len());
        assert!(RowSample::of(10, 10, 7).is_none() && RowSample::of(usize::MAX, 10, 7).is_none());
    }
}
