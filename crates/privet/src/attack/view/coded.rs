//! Tables in memory, dictionary-coded column by column.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::data::interner::Interner;
use crate::data::{Batch, MissingRule, Source};
use crate::engine::clock::Clock;
use crate::method::injector::GROUP_COLUMN;
use crate::policy::{CheckedPolicy, PolicyColumn, Role, Subject};

/// The distinct texts of a column: those of a release numbered as they are first seen, those of people in bytewise order,
/// table by table.
#[derive(Debug, Clone, Default)]
pub(in crate::attack) struct Dictionary(Interner);

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

    /// Numbers those after the first so many in the order of their texts; says which number each has now.
    fn put_in_order(&mut self, from: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order[from..].sort_unstable_by_key(|code| self.text(*code));
        let mut ordered = Interner::default();
        let mut now = vec![0; order.len()];
        for code in order {
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
pub(in crate::attack) struct Rows {
    /// How many rows.
    pub len: usize,
    /// By column.
    pub codes: Vec<Arc<Vec<u32>>>,
    /// The line of each row in its file.
    lines: Arc<Vec<u64>>,
}

impl Rows {
    pub(super) fn empty(len: usize) -> Rows {
        Rows { len, codes: Vec::new(), lines: Arc::default() }
    }

    /// Whether the table has a column.
    pub fn has(&self, column: usize) -> bool {
        self.codes.get(column).is_some_and(|codes| codes.len() == self.len)
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
    pub(super) fn pick(&self, columns: &[usize]) -> Rows {
        let codes = columns.iter().map(|column| self.codes.get(*column).cloned().unwrap_or_default());
        Rows { len: self.len, codes: codes.collect(), lines: self.lines.clone() }
    }
}

/// What ends reading.
pub(super) enum Stopped {
    /// The table has more rows than are held in memory.
    TooMany,
    /// Something is wrong with it, or the user is tired of waiting.
    Error(crate::Error),
}

impl From<crate::Error> for Stopped {
    fn from(error: crate::Error) -> Stopped {
        Stopped::Error(error)
    }
}

/// A column of a view, and where it comes from.
#[derive(Debug, Clone)]
pub(super) struct Wanted<'a> {
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

impl Wanted<'_> {
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

    /// What the policy says about it. To lack one of many values is no secret, to have it may be one.
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

/// Where a column stands in a table, and whether as the original has it: sets whole, not a column for each value.
#[derive(Clone, Copy)]
struct Place {
    at: usize,
    whole: bool,
}

/// Reads tables of people with common dictionaries.
pub(super) struct Reader<'a> {
    policy: &'a CheckedPolicy,
    columns: &'a [Wanted<'a>],
    dictionaries: Vec<Dictionary>,
    clock: &'a Clock,
    most: usize,
}

impl<'a> Reader<'a> {
    pub fn new(
        policy: &'a CheckedPolicy,
        columns: &'a [Wanted<'a>],
        clock: &'a Clock,
        most: usize,
    ) -> Reader<'a> {
        let dictionaries = columns.iter().map(|_| Dictionary::default()).collect();
        Reader { policy, columns, dictionaries, clock, most }
    }

    /// The original, without the records that the policy drops.
    pub fn original(&mut self) -> std::result::Result<Rows, Stopped> {
        // A record is dropped for a column that matters, whether the table at hand shows it or not.
        let terms = self.policy.subject() == Subject::Terms;
        let matters = |column: &&PolicyColumn| match column.role {
            Some(Role::QuasiIdentifier | Role::Mixed | Role::Sensitive | Role::Class) => true,
            Some(Role::QuasiSensitive) => terms,
            _ => false,
        };
        let dropping = self.policy.columns.iter().filter(matters);
        let mut dropping: Vec<(usize, MissingRule)> =
            dropping.map(|column| (column.index, self.policy.missing_rule_of(column))).collect();
        // So is one that does not say whose it is, where that matters.
        dropping.extend(self.policy.person.map(|column| (column, self.policy.missing_rule())));
        let places: Vec<Option<Place>> =
            self.columns.iter().map(|column| Some(Place { at: column.of.index, whole: true })).collect();
        self.rows(&self.policy.source.clone(), &places, &dropping)
    }

    /// Other people, with the columns of theirs that the file has.
    pub fn people(&mut self, source: &Source) -> std::result::Result<Rows, Stopped> {
        let place = |column: &Wanted<'_>| {
            let whole = source.find(&column.of.name).map(|at| Place { at, whole: true });
            whole.or_else(|| Some(Place { at: source.find(&column.name())?, whole: false }))
        };
        let places: Vec<Option<Place>> = self.columns.iter().map(place).collect();
        self.rows(source, &places, &[])
    }

    fn rows(
        &mut self,
        source: &Source,
        places: &[Option<Place>],
        dropping: &[(usize, MissingRule)],
    ) -> std::result::Result<Rows, Stopped> {
        let rules: Vec<MissingRule> =
            self.columns.iter().map(|column| self.policy.missing_rule_of(column.of)).collect();
        let wanted = self.columns;
        let is_missing = |rule: &MissingRule, cell: &str| rule.spellings.iter().any(|one| one == cell);
        let mut codes: Vec<Vec<u32>> = places.iter().map(|_| Vec::new()).collect();
        let mut lines = Vec::new();
        let mut too_many = false;
        let known = self.lengths();
        let (dictionaries, most, clock) = (&mut self.dictionaries, self.most, self.clock);
        let read = source.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let lacks = |(place, rule): &(usize, MissingRule)| {
                    !rule.keep && is_missing(rule, batch.cell(row, *place))
                };
                if dropping.iter().any(lacks) {
                    continue;
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
                    codes[column].push(dictionaries[column].intern(cell));
                }
                lines.push(batch.line(row));
            }
            too_many = lines.len() > most;
            if too_many { Err(crate::Error::interrupted()) } else { clock.check() }
        });
        if too_many {
            return Err(Stopped::TooMany);
        }
        read?;
        for ((dictionary, codes), known) in self.dictionaries.iter_mut().zip(&mut codes).zip(known) {
            if dictionary.len() > known {
                let now = dictionary.put_in_order(known);
                codes.iter_mut().for_each(|code| *code = now[*code as usize]);
            }
        }
        clock.check()?;
        Ok(in_order_of_content(codes, &lines))
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
fn in_order_of_content(codes: Vec<Vec<u32>>, lines: &[u64]) -> Rows {
    let own = |row: u32| codes.iter().filter_map(move |column| column.get(row as usize));
    let print = |row: u32| {
        own(row).fold(0, |print: u64, code| (print ^ u64::from(*code)).wrapping_mul(ODD).rotate_left(29))
    };
    let mut order: Vec<(u64, u32)> = (0..lines.len() as u32).map(|row| (print(row), row)).collect();
    order.sort_unstable();
    // Rows that say different things and have the same print are hardly ever there.
    for same in order.chunk_by_mut(|(one, _), (other, _)| one == other) {
        let first = same[0].1;
        if !same.iter().all(|(_, row)| own(*row).eq(own(first))) {
            same.sort_unstable_by(|(_, one), (_, other)| own(*one).cmp(own(*other)).then(one.cmp(other)));
        }
    }
    let order: Vec<u32> = order.into_iter().map(|(_, row)| row).collect();
    let ordered = |column: Vec<u32>| {
        Arc::new(order.iter().filter_map(|row| column.get(*row as usize)).copied().collect::<Vec<u32>>())
    };
    Rows {
        len: lines.len(),
        codes: codes.into_iter().map(ordered).collect(),
        lines: Arc::new(order.iter().map(|row| lines[*row as usize]).collect()),
    }
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
pub(super) struct Released {
    pub len: usize,
    /// Name, cells, and the code of every row.
    pub columns: Vec<(String, Dictionary, Arc<Vec<u32>>)>,
    /// The names of the groups, where the table has groups.
    pub groups: Vec<String>,
}

/// Reads a released table, and the group of each row where it names groups.
pub(super) fn released(
    table: &Source,
    grouped: bool,
    clock: &Clock,
    most: usize,
) -> std::result::Result<(Released, Option<Vec<u32>>), Stopped> {
    let group = table.find(GROUP_COLUMN).filter(|_| grouped);
    let places: Vec<usize> = (0..table.columns().len()).filter(|place| Some(*place) != group).collect();
    let mut dictionaries: Vec<Dictionary> = places.iter().map(|_| Dictionary::default()).collect();
    let mut codes: Vec<Vec<u32>> = places.iter().map(|_| Vec::new()).collect();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let (mut names, mut groups) = (Vec::new(), Vec::new());
    let (mut len, mut too_many) = (0, false);
    let read = table.read(&mut |batch: &Batch, _| {
        for row in 0..batch.rows() {
            for (column, place) in places.iter().enumerate() {
                codes[column].push(dictionaries[column].intern(batch.cell(row, *place)));
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
        too_many = len > most;
        if too_many { Err(crate::Error::interrupted()) } else { clock.check() }
    });
    if too_many {
        return Err(Stopped::TooMany);
    }
    read?;
    in_order(&mut names, &mut groups);
    let named = places.iter().map(|place| table.columns()[*place].name.clone());
    let columns = named.zip(dictionaries).zip(codes);
    let columns = columns.map(|((name, cells), codes)| (name, cells, Arc::new(codes))).collect();
    Ok((Released { len, columns, groups: names }, group.map(|_| groups)))
}
