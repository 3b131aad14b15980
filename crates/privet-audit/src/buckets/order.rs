//! Do the order of rows, the numbers of buckets, or the pairing of rows and values tell who has which value?
//!
//! Buckets must be numbered, and their values listed in one order that follows from what is shown: those are matters of form.
//! Where the order of rows or buckets is free, it must be random (`audit::order`): next to the original, and next to the values
//! that people have. Whose value a row's is may be known from the steward's list of buckets, or only from the original: people
//! who share quasi-identifiers also share their values then, as an urn from which each value is drawn once.

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::super::Check;
use super::super::order::{
    self, Arrangement, Column, Evidence, FALSE_ALARM, Gambler, Strata, UNKNOWN, View, mean, rank_evidence,
};
use super::book::Book;

/// Rows of a table of quasi-identifiers: whose they are, their bucket, and the value beside them in a permuted table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub person: u32,
    pub bucket: u32,
    pub value: Option<u32>,
}

/// A row of a table of values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed {
    pub bucket: u32,
    pub value: u32,
    pub count: u64,
}

/// What the tables show besides their contents.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// The people of the original that count, and their values, in the order of the file.
    pub original: Vec<(u32, u32)>,
    /// The bucket that the steward's list names for each of them, by number in the names; [`UNKNOWN`] for none.
    pub assigned: Vec<u32>,
    pub assigned_names: Vec<String>,
    pub rows: Vec<Row>,
    pub listed: Vec<Listed>,
    /// The names of buckets, in the order in which the files show them.
    pub buckets: Vec<String>,
    /// Counts that are not spelt as numbers are.
    pub spelling: Vec<String>,
}

/// Buckets must be numbered and everything listed in a way that follows from what is shown.
pub(super) fn check_form(book: &Book, mut faults: Vec<String>) -> Check {
    let trail = &book.trail;
    faults.extend(trail.spelling.iter().cloned());
    let numbers: Option<Vec<u64>> = trail.buckets.iter().map(|name| number(name)).collect();
    let in_a_row = numbers.as_ref().is_some_and(|numbers| {
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let first = sorted.first().copied().unwrap_or(1);
        first <= 1 && sorted.iter().zip(first..).all(|(number, expected)| *number == expected)
    });
    if !in_a_row {
        faults.push("buckets are not numbered 1, 2, 3 and so on: a name can tell more".to_string());
    }
    let place = |bucket: u32| numbers.as_ref().map_or(u64::from(bucket), |numbers| numbers[bucket as usize]);
    if !trail.listed.is_sorted_by_key(|listed| place(listed.bucket)) {
        faults.push("the values are not listed bucket by bucket, in the order of their numbers".to_string());
    }
    let text = |listed: &Listed| book.values.text(listed.value);
    let within = |compare: &dyn Fn(&Listed, &Listed) -> Ordering| {
        let same = trail.listed.chunk_by(|one, other| one.bucket == other.bucket);
        same.into_iter().all(|bucket| bucket.is_sorted_by(|one, other| compare(one, other).is_lt()))
    };
    let by_text = |one: &Listed, other: &Listed| text(one).cmp(text(other));
    let by_number = |one: &Listed, other: &Listed| order::by_number(text(one), text(other));
    let most_first = |one: &Listed, other: &Listed| other.count.cmp(&one.count);
    let sorted = within(&by_text)
        || within(&by_number)
        || within(&|one, other| by_text(other, one))
        || within(&|one, other| by_number(other, one))
        || within(&|one, other| most_first(one, other).then_with(|| by_text(one, other)))
        || within(&|one, other| most_first(one, other).then_with(|| by_number(one, other)));
    if !sorted {
        faults.push(
            "the values of a bucket are not sorted, by themselves or by their counts: their order can tell whose they are"
                .to_string(),
        );
    }
    let detail = match faults.as_slice() {
        [] => "buckets are numbered, and their values listed in an order that follows from what is shown"
            .to_string(),
        faults => faults.join("; "),
    };
    Check::new("form", faults.is_empty(), detail)
}

/// A number that is spelt as numbers are.
pub(super) fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

/// Neither order nor pairing may agree with the original more than by chance.
pub(super) fn check_order(book: &Book) -> Check {
    match evidence(book).verdict(FALSE_ALARM) {
        Some(found) => Check::new("order", false, format!("{found}. Shuffle rows, numbers and values")),
        None => Check::new(
            "order",
            true,
            "neither the order of rows and buckets nor what is written side by side agrees with the original more than by \
             chance",
        ),
    }
}

/// What speaks against a random order.
pub(super) fn evidence(book: &Book) -> Evidence {
    let arrangement = arrangement(book);
    let mut evidence = Evidence::default();
    let names: HashMap<&str, u32> = book.trail.buckets.iter().map(String::as_str).zip(0..).collect();
    let listed: Vec<u32> = (book.trail.assigned_names.iter())
        .map(|name| names.get(name.as_str()).copied().unwrap_or(UNKNOWN))
        .collect();
    let mut knowledge = vec![Knowledge::of(book, None)];
    if !listed.is_empty() {
        knowledge.push(Knowledge::of(book, Some(&listed)));
    }
    for known in &knowledge {
        let mut found = Evidence::default();
        known.of_rows(&arrangement, &mut found);
        known.by_values(&arrangement, &mut found);
        known.pairing(&arrangement, &mut found);
        evidence.join(found, arrangement.handicap);
        let (found, handicap) = known.of_numbers();
        evidence.join(found, handicap);
    }
    evidence
}

/// The cells of somebody's quasi-identifiers.
fn cells(book: &Book, person: u32) -> impl Iterator<Item = &str> {
    let codes = book.persons[person as usize].iter().zip(&book.quasi);
    codes.map(|(code, column)| column.text(*code))
}

/// What of the order of the rows follows from what they show.
fn arrangement(book: &Book) -> Arrangement {
    let trail = &book.trail;
    let rows = &trail.rows;
    let quasi = book.quasi.iter().enumerate().map(|(column, texts)| Column {
        code: Box::new(move |row: usize| book.persons[rows[row].person as usize][column]),
        text: Box::new(move |code| texts.text(code)),
    });
    let bucket = Column {
        code: Box::new(move |row: usize| rows[row].bucket),
        text: Box::new(move |code| trail.buckets[code as usize].as_str()),
    };
    let is_permuted = rows.iter().all(|row| row.value.is_some());
    let value = is_permuted.then(|| Column {
        code: Box::new(move |row: usize| rows[row].value.unwrap_or(UNKNOWN)),
        text: Box::new(move |code| book.values.text(code)),
    });
    let columns: Vec<Column<'_>> = quasi.chain([bucket]).chain(value).collect();
    let people: Vec<usize> = (0..book.quasi.len()).collect();
    Arrangement::of(
        rows.len(),
        &columns,
        &[people, (0..=book.quasi.len()).collect(), (0..columns.len()).collect()],
    )
}

/// What can be known about whose a row is: with the steward's list or without it.
struct Knowledge<'a> {
    book: &'a Book,
    /// By record of the original, in its order, and by row: the people that cannot be told apart.
    original: Vec<u32>,
    rows: Vec<u32>,
    /// How often these people have each value.
    urns: HashMap<u32, HashMap<u32, u32>>,
}

impl<'a> Knowledge<'a> {
    /// `listed` are the buckets by their number in the steward's list.
    fn of(book: &'a Book, listed: Option<&[u32]>) -> Knowledge<'a> {
        let trail = &book.trail;
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        let mut symbol = |person: u32, bucket: u32| {
            let next = numbers.len() as u32;
            *numbers.entry((person, bucket)).or_insert(next)
        };
        let assigned = |record: usize| {
            let bucket = trail.assigned.get(record).and_then(|name| listed?.get(*name as usize));
            bucket.copied().unwrap_or(UNKNOWN)
        };
        let original: Vec<u32> = (trail.original.iter().enumerate())
            .map(|(record, (person, _))| symbol(*person, assigned(record)))
            .collect();
        let own = |row: &Row| if listed.is_some() { row.bucket } else { UNKNOWN };
        let rows = trail.rows.iter().map(|row| symbol(row.person, own(row))).collect();
        let mut urns: HashMap<u32, HashMap<u32, u32>> = HashMap::new();
        for (people, (_, value)) in original.iter().zip(&trail.original) {
            *urns.entry(*people).or_default().entry(*value).or_default() += 1;
        }
        Knowledge { book, original, rows, urns }
    }

    /// The value of a row, where it is known.
    fn value(&self, row: usize) -> Option<u32> {
        let urn = self.urns.get(&self.rows[row]).filter(|urn| urn.len() == 1)?;
        urn.keys().next().copied()
    }

    /// The rows in the order of the original: all of them, bucket by bucket, or of people who share quasi-identifiers.
    fn of_rows(&self, arrangement: &Arrangement, evidence: &mut Evidence) {
        let rows = &self.book.trail.rows;
        let conditions =
            [rows.iter().map(|row| row.bucket).collect(), rows.iter().map(|row| row.person).collect()];
        let view = View { released: self.rows.clone(), reference: self.original.clone() };
        evidence.join(arrangement.evidence(&view, &conditions, "the original"), 0.0);
    }

    /// Rows that could stand in any order, by run and, on request, by bucket: each stratum with its rows.
    fn strata(&self, arrangement: &Arrangement, by_bucket: bool) -> Vec<Vec<usize>> {
        let mut strata: Vec<Vec<usize>> = Vec::new();
        let mut numbers: HashMap<(u32, u32), usize> = HashMap::new();
        for ((place, row), run) in self.book.trail.rows.iter().enumerate().zip(arrangement.runs()) {
            let next = strata.len();
            let at = *numbers.entry((run, if by_bucket { row.bucket } else { 0 })).or_insert(next);
            if at == next {
                strata.push(Vec::new());
            }
            strata[at].push(place);
        }
        strata
    }

    /// The rows in the order of their values: by text, number, frequency or place in the list, or by an order that is learnt
    /// from one bucket to the next.
    fn by_values(&self, arrangement: &Arrangement, evidence: &mut Evidence) {
        let rankings = Rankings::of(self.book);
        for by_bucket in [true, false] {
            let strata = self.strata(arrangement, by_bucket);
            for (how, ranking) in &rankings.all {
                // People who share quasi-identifiers have the mean rank of what they have.
                let key = |place: &usize| {
                    let bucket = self.book.trail.rows[*place].bucket;
                    let urn = self.urns.get(&self.rows[*place])?;
                    let (mut sum, mut count) = (0.0, 0.0);
                    for (value, times) in urn {
                        if let Some(rank) = ranking.of(bucket, *value) {
                            sum += rank * f64::from(*times);
                            count += f64::from(*times);
                        }
                    }
                    (count > 0.0).then(|| sum / count)
                };
                let lists: Vec<Vec<f64>> =
                    strata.iter().map(|rows| rows.iter().filter_map(key).collect::<Vec<f64>>()).collect();
                rank_evidence(&lists, &format!("the values that people have, {how}"), evidence);
            }
            self.learning(&strata, evidence);
        }
    }

    /// Bets that values follow in an order that was learnt from earlier strata, and that a value follows itself.
    fn learning(&self, strata: &[Vec<usize>], evidence: &mut Evidence) {
        let (mut learner, mut repeater) = (Gambler::default(), Gambler::default());
        // By value the sum of its places so far, from 0 to 1, and their number.
        let mut places: HashMap<u32, (f64, f64)> = HashMap::new();
        let place = |places: &HashMap<u32, (f64, f64)>, value: u32| {
            places.get(&value).map(|(sum, count)| sum / count)
        };
        for rows in strata.iter().filter(|rows| rows.len() > 1) {
            let own: Vec<Option<u32>> = rows.iter().map(|row| self.value(*row)).collect();
            let mut left: HashMap<u32, u32> = HashMap::new();
            own.iter().flatten().for_each(|value| *left.entry(*value).or_default() += 1);
            let mut expected: Vec<(f64, u32)> =
                left.keys().filter_map(|value| Some((place(&places, *value)?, *value))).collect();
            expected.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| other.1.cmp(&one.1)));
            let mut before = None;
            for (at, value) in own.iter().enumerate() {
                let rest = (rows.len() - at) as f64;
                let chance = |guess: u32| f64::from(left.get(&guess).copied().unwrap_or(0)) / rest;
                while expected.last().is_some_and(|(_, guess)| chance(*guess) == 0.0) {
                    expected.pop();
                }
                if let Some((_, guess)) = expected.last() {
                    learner.bet(chance(*guess), *value == Some(*guess));
                }
                if let Some(guess) = before {
                    repeater.bet(chance(guess), *value == Some(guess));
                }
                before = *value;
                if let Some(value) = value {
                    left.entry(*value).and_modify(|left| *left -= 1);
                }
            }
            for (at, value) in own.iter().enumerate() {
                if let Some(value) = value {
                    let (sum, count) = places.entry(*value).or_default();
                    *sum += at as f64 / (rows.len() - 1) as f64;
                    *count += 1.0;
                }
            }
        }
        evidence.gambler(&learner, "the values of a bucket's people in the order of earlier buckets");
        evidence.gambler(&repeater, "the next row to have the value of the row before");
    }

    /// Rows with the values next to them: those of a permuted table, or those that the list of a bucket has at their place.
    fn pairing(&self, arrangement: &Arrangement, evidence: &mut Evidence) {
        let trail = &self.book.trail;
        let by_bucket = self.by_bucket();
        let displayed: Option<Vec<u32>> = trail.rows.iter().map(|row| row.value).collect();
        if let Some(displayed) = displayed {
            // Values that are sorted in every bucket follow from what is shown: then the order of rows must be random.
            let sorted = |compare: fn(&str, &str) -> Ordering| {
                let text = |row: &usize| self.book.values.text(displayed[*row]);
                by_bucket
                    .iter()
                    .all(|rows| rows.is_sorted_by(|one, other| compare(text(one), text(other)).is_le()))
            };
            let is_sorted = sorted(Ord::cmp) || sorted(order::by_number);
            let strata = if is_sorted { self.strata(arrangement, true) } else { by_bucket };
            let mut found = Evidence::default();
            self.paired(&strata, &displayed, "next to it", &mut found);
            // Half a coin for either case.
            evidence.join(found, -std::f64::consts::LN_2);
            return;
        }
        let strata = self.strata(arrangement, true);
        for (how, ranking) in &Rankings::of(self.book).all {
            let mut values: Vec<Vec<u32>> = vec![Vec::new(); trail.buckets.len()];
            for listed in &trail.listed {
                let more = std::iter::repeat_n(listed.value, (listed.count as usize).min(trail.rows.len()));
                values[listed.bucket as usize].extend(more);
            }
            let mut slots = vec![UNKNOWN; trail.rows.len()];
            for rows in &by_bucket {
                let Some(bucket) = rows.first().map(|row| trail.rows[*row].bucket) else { continue };
                let rank = |value: &u32| ranking.of(bucket, *value).unwrap_or(f64::INFINITY);
                let values = &mut values[bucket as usize];
                values.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
                rows.iter().zip(values).for_each(|(row, value)| slots[*row] = *value);
            }
            self.paired(&strata, &slots, &format!("at its place of the bucket's list, {how},"), evidence);
        }
    }

    /// The rows of each bucket.
    fn by_bucket(&self) -> Vec<Vec<usize>> {
        let mut rows_of = vec![Vec::new(); self.book.trail.buckets.len()];
        for (place, row) in self.book.trail.rows.iter().enumerate() {
            rows_of[row.bucket as usize].push(place);
        }
        rows_of.into_iter().filter(|rows| !rows.is_empty()).collect()
    }

    /// Bets that rows have the values that stand next to them; within strata any pairing would be equally likely.
    fn paired(&self, strata: &[Vec<usize>], values: &[u32], what: &str, evidence: &mut Evidence) {
        // Where all values of a stratum's people are known, in any order: shifted, backwards and so on.
        let known: Vec<(u32, &Vec<usize>)> = (0u32..)
            .zip(strata)
            .filter(|(_, rows)| rows.iter().all(|row| self.value(*row).is_some()))
            .collect();
        let all = || known.iter().flat_map(|(stratum, rows)| rows.iter().map(move |row| (*stratum, *row)));
        let released = all().map(|(stratum, row)| (stratum, values[row]));
        let reference = all().map(|(stratum, row)| (stratum, self.value(row).unwrap_or(UNKNOWN)));
        let found = Strata::of(released, reference).evidence("the values that people have");
        evidence.join(found, 0.0);
        self.code(strata, values, evidence);
        for backwards in [false, true] {
            self.shifts(strata, values, backwards, evidence);
        }
        // Where several people could be meant: they draw from an urn.
        for backwards in [false, true] {
            let mut urns = self.urns.clone();
            let mut lns = [0.0; SHARES.len()];
            let (mut hits, mut bets, mut looked_at) = (0u64, 0u64, 0);
            for rows in strata {
                if looked_at > MOST_LOOKED_AT {
                    break;
                }
                let mut left: HashMap<u32, u32> = HashMap::new();
                rows.iter().for_each(|row| *left.entry(values[*row]).or_default() += 1);
                for (at, row) in rows.iter().enumerate() {
                    let value = values[if backwards { rows[rows.len() - 1 - at] } else { *row }];
                    let rest = (rows.len() - at) as f64;
                    if let Some(urn) = urns.get_mut(&self.rows[*row]) {
                        let drawn = |value: &u32| f64::from(urn.get(value).copied().unwrap_or(0));
                        looked_at += urn.len().min(left.len());
                        let all: f64 = match urn.len() < left.len() {
                            true => urn.keys().filter(|value| left.contains_key(*value)).map(drawn).sum(),
                            false => left.keys().map(drawn).sum(),
                        };
                        let chance = f64::from(left.get(&value).copied().unwrap_or(0)) / rest;
                        if all > 0.0 && chance > 0.0 {
                            let lift = drawn(&value) / all / chance;
                            for (ln, share) in lns.iter_mut().zip(SHARES) {
                                *ln += (1.0 - share + share * lift).ln();
                            }
                            hits += u64::from(drawn(&value) > 0.0);
                            bets += 1;
                        }
                        urn.entry(value).and_modify(|left| *left = left.saturating_sub(1));
                    }
                    if left.get(&value) == Some(&1) {
                        left.remove(&value);
                    } else {
                        left.entry(value).and_modify(|left| *left -= 1);
                    }
                }
            }
            let turned = if backwards { ", each bucket turned round" } else { "" };
            evidence.add(mean(&lns), || {
                format!(
                    "{hits} of {bets} rows could have the value {what}{turned}, and taken together people have their values too \
                     exactly for chance"
                )
            });
        }
    }

    /// Bets that the values of a bucket are shifted against its rows, or turned round and shifted, by as much as in earlier ones.
    fn shifts(&self, strata: &[Vec<usize>], values: &[u32], backwards: bool, evidence: &mut Evidence) {
        // A value that stands at more places of a bucket tells little about the shift.
        const MOST_PLACES: usize = 16;
        let mut gambler = Gambler::default();
        let mut seen: HashMap<i64, u64> = HashMap::new();
        let mut usual: (i64, u64) = (0, 0);
        for rows in strata.iter().filter(|rows| rows.len() > 1) {
            let size = rows.len() as i64;
            let turned = |at: i64| if backwards { size - 1 - at } else { at };
            let own: Vec<Option<u32>> = rows.iter().map(|row| self.value(*row)).collect();
            let mut places: HashMap<u32, Vec<i64>> = HashMap::new();
            let mut left: HashMap<u32, u32> = HashMap::new();
            for (row, at) in rows.iter().zip(0i64..) {
                places.entry(values[*row]).or_default().push(at);
                *left.entry(values[*row]).or_default() += 1;
            }
            for (row, at) in rows.iter().zip(0i64..) {
                let owner = turned((at - usual.0).rem_euclid(size));
                if let Some(guess) = own[owner as usize] {
                    let rest = f64::from(left.get(&guess).copied().unwrap_or(0));
                    gambler.bet(rest / (size - at) as f64, guess == values[*row]);
                }
                left.entry(values[*row]).and_modify(|left| *left -= 1);
            }
            for (value, owner) in own.iter().zip(0i64..) {
                let found =
                    value.and_then(|value| places.get(&value)).filter(|found| found.len() <= MOST_PLACES);
                for place in found.into_iter().flatten() {
                    let shift = (place - turned(owner)).rem_euclid(size);
                    // The same shift forwards and backwards: buckets may differ in size.
                    for shift in [shift, shift - size] {
                        let times = seen.entry(shift).or_default();
                        *times += 1;
                        if *times > usual.1 {
                            usual = (shift, *times);
                        }
                    }
                }
            }
        }
        evidence
            .gambler(&gambler, "the values of a bucket to be shifted against its rows as in earlier buckets");
    }

    /// Bets that a value stands for another one, the same everywhere: which one is learnt on the way.
    fn code(&self, strata: &[Vec<usize>], values: &[u32], evidence: &mut Evidence) {
        let mut gambler = Gambler::default();
        let mut seen: HashMap<(u32, u32), u32> = HashMap::new();
        let mut usual: HashMap<u32, (u32, u32)> = HashMap::new();
        for rows in strata {
            let mut left: HashMap<u32, u32> = HashMap::new();
            rows.iter().for_each(|row| *left.entry(values[*row]).or_default() += 1);
            for (at, row) in rows.iter().enumerate() {
                let value = values[*row];
                if let Some(own) = self.value(*row) {
                    if let Some((guess, _)) = usual.get(&own) {
                        let rest = f64::from(left.get(guess).copied().unwrap_or(0));
                        gambler.bet(rest / (rows.len() - at) as f64, *guess == value);
                    }
                    let times = seen.entry((own, value)).or_default();
                    *times += 1;
                    let usual = usual.entry(own).or_insert((value, 0));
                    if *times > usual.1 {
                        *usual = (value, *times);
                    }
                }
                left.entry(value).and_modify(|left| *left -= 1);
            }
        }
        evidence.gambler(&gambler, "a value to stand for the same other value everywhere");
    }

    /// The numbers of buckets, and the logarithm of the share that gamblers on them get.
    fn of_numbers(&self) -> (Evidence, f64) {
        let (book, trail) = (self.book, &self.book.trail);
        let mut named: Vec<u32> = (0..trail.buckets.len() as u32).collect();
        named.sort_by(|one, other| {
            order::by_number(&trail.buckets[*one as usize], &trail.buckets[*other as usize])
        });
        let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); named.len()];
        trail.rows.iter().for_each(|row| rows_of[row.bucket as usize].push(row.person));
        let mut values_of: Vec<Vec<String>> = vec![Vec::new(); named.len()];
        let values = trail.listed.iter().map(|listed| (listed.bucket, listed.value));
        let values = values.chain(trail.rows.iter().filter_map(|row| Some((row.bucket, row.value?))));
        values.for_each(|(bucket, value)| {
            values_of[bucket as usize].push(book.values.text(value).to_string());
        });
        // What buckets show: their size, their values, and the least and greatest cells of every column.
        let mut texts: Vec<Vec<String>> = Vec::new();
        let per_bucket = |text: &dyn Fn(usize) -> String| -> Vec<String> {
            named.iter().map(|bucket| text(*bucket as usize)).collect()
        };
        texts.push(per_bucket(&|bucket| rows_of[bucket].len().to_string()));
        texts.push(per_bucket(&|bucket| {
            let mut values = values_of[bucket].clone();
            values.sort_unstable();
            values.join("\u{1}")
        }));
        let joined = |person: &u32| cells(book, *person).collect::<Vec<_>>().join("\u{1}");
        texts.push(per_bucket(&|bucket| rows_of[bucket].iter().map(joined).min().unwrap_or_default()));
        for column in 0..book.quasi.len() {
            let cell = |person: &u32| cells(book, *person).nth(column).unwrap_or_default();
            for compare in [Ord::cmp, order::by_number as fn(&str, &str) -> Ordering] {
                let least = |bucket: usize| {
                    rows_of[bucket]
                        .iter()
                        .map(cell)
                        .min_by(|one, other| compare(one, other))
                        .unwrap_or_default()
                };
                let most = |bucket: usize| {
                    rows_of[bucket]
                        .iter()
                        .map(cell)
                        .max_by(|one, other| compare(one, other))
                        .unwrap_or_default()
                };
                texts.push(per_bucket(&|bucket| least(bucket).to_string()));
                texts.push(per_bucket(&|bucket| most(bucket).to_string()));
            }
        }
        let numbers: Vec<Vec<u32>> = (texts.iter())
            .map(|texts| {
                let mut known: HashMap<&str, u32> = HashMap::new();
                texts.iter().zip(0u32..).map(|(text, at)| *known.entry(text.as_str()).or_insert(at)).collect()
            })
            .collect();
        let columns: Vec<Column<'_>> = (texts.iter().zip(&numbers))
            .map(|(texts, numbers)| Column {
                code: Box::new(move |row| numbers[row]),
                text: Box::new(move |code| texts[code as usize].as_str()),
            })
            .collect();
        let arrangement = Arrangement::of(named.len(), &columns, &[]);
        // Buckets by the first and the mean place of people who could be in them.
        let mut places: HashMap<u32, (f64, f64, f64)> = HashMap::new();
        for (place, people) in self.original.iter().enumerate() {
            let (_, sum, count) = places.entry(*people).or_insert((place as f64, 0.0, 0.0));
            *sum += place as f64;
            *count += 1.0;
        }
        let mut found: Vec<(f64, f64, f64)> = vec![(f64::INFINITY, 0.0, 0.0); named.len()];
        for (row, people) in trail.rows.iter().zip(&self.rows) {
            if let Some((first, sum, count)) = places.get(people) {
                let bucket = &mut found[row.bucket as usize];
                bucket.0 = bucket.0.min(*first);
                bucket.1 += sum / count;
                bucket.2 += 1.0;
            }
        }
        let mut evidence = Evidence::default();
        for by_mean in [false, true] {
            let key = |bucket: &u32| {
                let (first, sum, count) = found[*bucket as usize];
                (count > 0.0).then(|| if by_mean { sum / count } else { first })
            };
            let released = order::ranked(&named.iter().map(key).collect::<Vec<_>>());
            let mut reference = released.clone();
            reference.sort_unstable();
            let what = "the original (the rows are buckets in the order of their numbers)";
            evidence.join(arrangement.evidence(&View { released, reference }, &[], what), 0.0);
        }
        (evidence, arrangement.handicap)
    }
}

/// The shares of rows that gamblers think to stand next to their own value.
const SHARES: [f64; 3] = [0.2, 0.7, 0.98];

/// At most about this many values are looked at to pair rows and values.
const MOST_LOOKED_AT: usize = 1 << 26;

/// Orders in which values may be listed.
struct Rankings {
    all: Vec<(&'static str, Ranking)>,
}

enum Ranking {
    Everywhere(HashMap<u32, f64>),
    InBucket(HashMap<(u32, u32), f64>),
}

impl Ranking {
    fn of(&self, bucket: u32, value: u32) -> Option<f64> {
        match self {
            Ranking::Everywhere(ranks) => ranks.get(&value).copied(),
            Ranking::InBucket(ranks) => ranks.get(&(bucket, value)).copied(),
        }
    }
}

impl Rankings {
    fn of(book: &Book) -> Rankings {
        let ranked = |compare: &dyn Fn(&u32, &u32) -> Ordering| {
            let mut values: Vec<u32> = book.value_counts.keys().copied().collect();
            values.sort_by(compare);
            Ranking::Everywhere(
                values.into_iter().zip(0u32..).map(|(value, rank)| (value, f64::from(rank))).collect(),
            )
        };
        let text = |value: &u32| book.values.text(*value);
        let by_text = ranked(&|one, other| text(one).cmp(text(other)));
        let by_number = ranked(&|one, other| order::by_number(text(one), text(other)));
        let by_count = ranked(&|one, other| {
            let count = |value: &u32| book.value_counts.get(value);
            count(other).cmp(&count(one)).then_with(|| text(one).cmp(text(other)))
        });
        let listed = book.trail.listed.iter().zip(0u32..);
        let listed = Ranking::InBucket(
            listed.map(|(listed, rank)| ((listed.bucket, listed.value), f64::from(rank))).collect(),
        );
        Rankings {
            all: vec![
                ("by their texts", by_text),
                ("as numbers", by_number),
                ("the most frequent first", by_count),
                ("as they are listed", listed),
            ],
        }
    }
}
