//! Query logs: who searched for what and when, and the vocabularies in them (Liu, 2010, section 5.2).
//!
//! A query is all rows of one user at one time with one text, whatever was clicked. Queries that follow each other within the
//! session gap are one session, and a session (or a user, without a gap) becomes a bag of terms, in which every query counts
//! each of its terms once.

mod stop_words;
mod time;
mod words;

use std::path::Path;

use rayon::prelude::*;

pub use stop_words::STOP_WORDS;
pub use words::{Dropped, Lexicon, WordOptions};

use super::interner::Interner;
use super::vocabularies::{Assembly, Extraction};
use super::{Bags, Header, ReadOptions, Source};
use privet_core::{Error, Result};
use words::Words;

/// How many queries are looked into between two signs of life.
const QUERIES_PER_TICK: usize = 1 << 16;

/// Which columns of a log hold what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogColumns {
    /// Who searched.
    pub user: String,
    /// For what.
    pub query: String,
    /// When: `2006-03-01 16:01:20`, with `T` and `Z` or without, or in seconds.
    pub time: String,
    /// The rank of what was clicked, empty where nothing was; where `None`, `ItemRank` if there is such a column.
    pub rank: Option<String>,
    /// The address of what was clicked; where `None`, `ClickURL` if there is such a column.
    pub url: Option<String>,
}

const RANK: &str = "ItemRank";
const URL: &str = "ClickURL";

impl Default for LogColumns {
    fn default() -> Self {
        let [user, query, time] = ["AnonID", "Query", "QueryTime"].map(String::from);
        LogColumns { user, query, time, rank: None, url: None }
    }
}

/// What clicks decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clicks {
    /// Nothing.
    #[default]
    Keep,
    /// Queries without a click are dropped, and then sessions are separated.
    DropBefore,
    /// Sessions are separated, and then queries without a click are dropped: such a query may still bridge a gap.
    DropAfter,
}

impl Clicks {
    /// Reads `keep`, `drop-before` or `drop-after`.
    pub fn parse(text: &str) -> Option<Clicks> {
        match text {
            "keep" => Some(Clicks::Keep),
            "drop-before" => Some(Clicks::DropBefore),
            "drop-after" => Some(Clicks::DropAfter),
            _ => None,
        }
    }
}

/// What the user says about a log.
#[derive(Debug, Clone)]
pub struct LogOptions {
    /// Which columns hold what.
    pub columns: LogColumns,
    /// The delimiter of delimited text; detected when `None`.
    pub delimiter: Option<char>,
    /// Whether the first line has the names of the columns; judged by what it holds unless said.
    pub header: Header,
    /// Whether a cell may stand in double quotes; logs as search engines write them have none.
    pub quotes: bool,
    /// Queries more than this many seconds apart are of different sessions; `None` for one vocabulary per user.
    pub session_gap: Option<u64>,
    /// What clicks decide.
    pub clicks: Clicks,
    /// Whether vocabularies without terms stay.
    pub keep_empty: bool,
    /// How many occurrences a vocabulary has at most.
    pub max_occurrences: Option<u32>,
    /// What counts as a term.
    pub words: WordOptions,
}

impl Default for LogOptions {
    fn default() -> Self {
        LogOptions {
            columns: LogColumns::default(),
            delimiter: None,
            header: Header::default(),
            quotes: true,
            session_gap: None,
            clicks: Clicks::default(),
            keep_empty: false,
            max_occurrences: None,
            words: WordOptions::default(),
        }
    }
}

/// A log that can be read.
#[derive(Debug, Clone)]
pub struct QueryLog {
    table: Source,
    options: LogOptions,
    user: usize,
    query: usize,
    time: usize,
    /// Columns that are not empty where something was clicked.
    clicks: Vec<usize>,
}

/// A row of the log, and later a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    user: u32,
    time: i64,
    /// The number of the text, twice, and 1 for a click.
    text: u32,
}

impl Row {
    fn text(&self) -> usize {
        (self.text >> 1) as usize
    }

    fn clicked(&self) -> bool {
        self.text & 1 == 1
    }
}

impl QueryLog {
    /// Opens a log. A file of five columns has no header if its first line looks like a row rather than like names.
    pub fn open(path: &Path, options: LogOptions) -> Result<QueryLog> {
        let columns = &options.columns;
        let names = [
            &columns.user,
            &columns.query,
            &columns.time,
            columns.rank.as_deref().unwrap_or(RANK),
            columns.url.as_deref().unwrap_or(URL),
        ];
        let names_for = |cells: &[&str]| {
            let is_header = cells.iter().any(|cell| names[..3].contains(cell));
            let is_row = || options.header == Header::Absent || (!is_header && looks_like_row(cells));
            (cells.len() == names.len() && is_row()).then(|| names.map(String::from).to_vec())
        };
        let read = ReadOptions { header: options.header.clone(), ..ReadOptions::of(options.delimiter) };
        let table = Source::open_log(path, &read, options.quotes, &names_for)?;
        QueryLog::of_table(table, options)
    }

    /// A log in a table that need not be a file.
    pub fn of_table(table: Source, options: LogOptions) -> Result<QueryLog> {
        let columns = &options.columns;
        let find = |name: &str| table.position(name);
        let (user, query, time) = (find(&columns.user)?, find(&columns.query)?, find(&columns.time)?);
        let mut clicks = Vec::new();
        for (given, usual) in [(&columns.rank, RANK), (&columns.url, URL)] {
            match given {
                Some(name) => clicks.push(find(name)?),
                None => clicks.extend(find(usual).ok()),
            }
        }
        if options.clicks != Clicks::Keep && clicks.is_empty() {
            return Err(Error::input("the log does not say what was clicked")
                .in_file(table.origin())
                .help("name the column of the rank or the url in [data.columns], or set clicks = \"keep\""));
        }
        Ok(QueryLog { table, options, user, query, time, clicks })
    }

    /// The table that holds the log.
    pub fn table(&self) -> &Source {
        &self.table
    }

    /// What was said about it.
    pub fn options(&self) -> &LogOptions {
        &self.options
    }

    /// Reads the log and takes the vocabularies from it, by user and time. Users come in the order of their numbers, if all
    /// of them are numbers, and else bytewise.
    pub fn read(&self, tick: &mut dyn FnMut(u64) -> Result<()>) -> Result<(Bags, Extraction)> {
        let (mut users, mut texts) = (Interner::default(), Interner::default());
        let mut counts = Extraction::default();
        let mut rows = self.rows(&mut users, &mut texts, &mut counts, tick)?;
        counts.users = users.len() as u64;
        let order = order_of(&users);
        let mut rank = vec![0; order.len()];
        for (place, user) in (0..).zip(&order) {
            rank[*user as usize] = place;
        }
        rows.iter_mut().for_each(|row| row.user = rank[row.user as usize]);
        rows.par_sort_unstable();
        rows.dedup_by(|next, kept| {
            let same = (next.user, next.time, next.text()) == (kept.user, kept.time, kept.text());
            kept.text |= if same { next.text & 1 } else { 0 };
            same
        });
        counts.queries = rows.len() as u64;
        counts.clicked_queries = rows.iter().filter(|row| row.clicked()).count() as u64;
        if self.options.clicks == Clicks::DropBefore {
            rows.retain(Row::clicked);
        }
        let used = |row: &&Row| self.options.clicks == Clicks::Keep || row.clicked();
        let mut times = vec![0u32; texts.len()];
        for row in rows.iter().filter(used) {
            times[row.text()] += 1;
            counts.used_queries += 1;
        }
        let terms = self.terms(&texts, &times, &mut counts, tick)?;
        drop((texts, times));

        let mut assembly = Assembly::new(self.options.keep_empty, self.options.max_occurrences, counts);
        let mut bag: Vec<u32> = Vec::new();
        let split = |one: &Row, next: &Row| one.user == next.user && !self.apart(one.time, next.time);
        for session in rows.chunk_by(split) {
            bag.clear();
            session.iter().filter(used).for_each(|row| bag.extend_from_slice(terms.of(row.text())));
            bag.sort_unstable();
            let user = users.text(order[session[0].user as usize] as usize);
            let mut held: Vec<(&str, u32)> = bag
                .chunk_by(|one, next| one == next)
                .map(|same| (terms.names.text(same[0] as usize), same.len() as u32))
                .collect();
            assembly.bag(Some(user), &mut held)?;
        }
        assembly.finish()
    }

    /// Whether a session ends between the two times (definition C2: a gap as long as allowed keeps it together).
    fn apart(&self, before: i64, after: i64) -> bool {
        self.options.session_gap.is_some_and(|gap| i128::from(before) + i128::from(gap) < i128::from(after))
    }

    fn rows(
        &self,
        users: &mut Interner,
        texts: &mut Interner,
        counts: &mut Extraction,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        self.table.read(&mut |batch, bytes| {
            for row in 0..batch.rows() {
                let at = |message: String| {
                    Error::input(message).in_file(self.table.origin()).at_line(batch.line(row))
                };
                let user = batch.cell(row, self.user).trim();
                if user.is_empty() {
                    let column = &self.options.columns.user;
                    return Err(at(format!("the row names no user: '{column}' is empty"))
                        .help("every row of a log says who searched; remove the others"));
                }
                let time = batch.cell(row, self.time);
                let time = time::seconds(time).ok_or_else(|| {
                    let column = &self.options.columns.time;
                    at(format!("'{time}' is not a time, in the column '{column}'"))
                        .help("write times as 2006-03-01 16:01:20, or in seconds")
                })?;
                let clicked = self.clicks.iter().any(|column| !batch.cell(row, *column).trim().is_empty());
                let text = texts.intern(batch.cell(row, self.query).trim());
                if text >= u32::MAX / 2 {
                    return Err(at("the log has more than two billion distinct queries".to_string())
                        .help("split the log by users"));
                }
                rows.push(Row { user: users.intern(user), time, text: text << 1 | u32::from(clicked) });
            }
            counts.rows += batch.rows() as u64;
            counts.replaced += u64::from(batch.replaced());
            tick(bytes)
        })?;
        Ok(rows)
    }

    /// The terms of every text that is used; texts that are not used have none.
    fn terms(
        &self,
        texts: &Interner,
        times: &[u32],
        counts: &mut Extraction,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<TextTerms> {
        let mut words = Words::new(&self.options.words);
        let (mut ends, mut held) = (Vec::with_capacity(times.len()), Vec::new());
        for (text, times) in times.iter().enumerate() {
            if text % QUERIES_PER_TICK == 0 {
                tick(self.table.bytes())?;
            }
            if *times > 0 {
                counts.dropped.add(words.query(texts.text(text), *times, &mut held), *times);
            }
            ends.push(held.len());
        }
        counts.unknown_words = words.unknown();
        counts.unknown = words.most_unknown();
        Ok(TextTerms { names: words.into_terms(), ends, held })
    }
}

/// Whether cells are those of a row of the five-column layout. A time that is broken is still no name of a column: names
/// begin with no digit, and users mostly are numbers.
fn looks_like_row(cells: &[&str]) -> bool {
    let begins_with_digit = |text: &str| text.trim().starts_with(|first: char| first.is_ascii_digit());
    let is_number =
        |text: &str| !text.trim().is_empty() && text.trim().bytes().all(|byte| byte.is_ascii_digit());
    time::seconds(cells[2]).is_some() || begins_with_digit(cells[2]) || is_number(cells[0])
}

/// The terms of each distinct query.
struct TextTerms {
    names: Interner,
    ends: Vec<usize>,
    held: Vec<u32>,
}

impl TextTerms {
    fn of(&self, text: usize) -> &[u32] {
        let begin = if text == 0 { 0 } else { self.ends[text - 1] };
        &self.held[begin..self.ends[text]]
    }
}

/// The users in the order of the output.
fn order_of(users: &Interner) -> Vec<u32> {
    let mut order: Vec<u32> = (0..users.len() as u32).collect();
    let text = |user: &u32| users.text(*user as usize);
    let numbers: Option<Vec<i128>> = order.iter().map(|user| text(user).parse().ok()).collect();
    match numbers {
        // 7 and 007 are different users all the same.
        Some(numbers) => order.sort_unstable_by_key(|user| (numbers[*user as usize], text(user))),
        None => order.sort_unstable_by_key(text),
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_sorted_as_numbers_only_if_all_are() {
        let order = |users: &[&str]| {
            let rows: String = users.iter().map(|user| format!("{user}\twine\"\t0\t\t\n")).collect();
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("log.tsv");
            std::fs::write(&path, format!("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n{rows}"))
                .expect("written");
            let log =
                QueryLog::open(&path, LogOptions { quotes: false, ..LogOptions::default() }).expect("a log");
            let (mut all, mut texts) = (Interner::default(), Interner::default());
            log.rows(&mut all, &mut texts, &mut Extraction::default(), &mut |_| Ok(())).expect("rows");
            order_of(&all).iter().map(|user| all.text(*user as usize).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(order(&["101", "7", "12", "007"]), ["007", "7", "12", "101"]);
        assert_eq!(order(&["101", "7", "12", "u"]), ["101", "12", "7", "u"]);
    }
}
