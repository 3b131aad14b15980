//! Vocabularies: bags of terms, taken from a query log or from a table with one row per vocabulary and term.

use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;

use super::interner::Interner;
use super::{
    Bags, BagsBuilder, CellKind, Dropped, Header, LogOptions, Origin, QueryLog, ReadOptions, RowSink,
    SinkColumn, Source,
};
use privet_core::{Error, Result};

/// A larger count is a slip, or would fill the memory.
const MOST_OF_A_TERM: u32 = 1_000_000;

/// Which columns of a table of vocabularies hold what, and what stays of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VocabularyColumns {
    /// Which vocabulary a row belongs to.
    pub vocabulary: String,
    /// The term.
    pub term: String,
    /// How often it occurs; where `None`, `count` if there is such a column, and else once per row.
    pub count: Option<String>,
    /// Whose vocabulary it is; where `None`, `user` if there is such a column, and else nobody knows.
    pub user: Option<String>,
    /// The delimiter of delimited text; detected when `None`.
    pub delimiter: Option<char>,
    /// Whether delimited text begins with the names of its columns.
    pub header: Header,
    /// Whether vocabularies without terms stay.
    pub keep_empty: bool,
    /// How many occurrences a vocabulary has at most.
    pub max_occurrences: Option<u32>,
    /// How often a vocabulary may have a term before that is taken for a mistake.
    pub most_of_a_term: u32,
}

impl Default for VocabularyColumns {
    fn default() -> Self {
        VocabularyColumns {
            vocabulary: VOCABULARY.to_string(),
            term: TERM.to_string(),
            count: None,
            user: None,
            delimiter: None,
            header: Header::default(),
            keep_empty: false,
            max_occurrences: None,
            most_of_a_term: MOST_OF_A_TERM,
        }
    }
}

const VOCABULARY: &str = "vocabulary";
const TERM: &str = "term";
const COUNT: &str = "count";
const USER: &str = "user";

/// What the user says about a file of vocabularies.
#[derive(Debug, Clone)]
pub enum VocabularyOptions {
    /// It is a query log.
    Log(LogOptions),
    /// It is a table with one row per vocabulary and term.
    Vocabularies(VocabularyColumns),
}

/// A file of vocabularies. It can be read any number of times.
#[derive(Debug, Clone)]
pub enum VocabularySource {
    /// A query log.
    Log(QueryLog),
    /// A table with one row per vocabulary and term.
    Vocabularies(VocabularyFile),
}

impl VocabularySource {
    /// Opens a file of vocabularies.
    pub fn open(path: &Path, options: VocabularyOptions) -> Result<VocabularySource> {
        match options {
            VocabularyOptions::Log(options) => QueryLog::open(path, options).map(VocabularySource::Log),
            VocabularyOptions::Vocabularies(columns) => {
                VocabularyFile::open(path, columns).map(VocabularySource::Vocabularies)
            }
        }
    }

    /// Vocabularies in a table that need not be a file.
    ///
    /// ```
    /// use privet_data::{Source, VocabularyColumns, VocabularyOptions, VocabularySource};
    ///
    /// let rows = [["1", "wine", "2"], ["1", "beer", "1"], ["2", "wine", "1"]];
    /// let table = Source::of_rows("searches", &["vocabulary", "term", "count"], rows)?;
    /// let options = VocabularyOptions::Vocabularies(VocabularyColumns::default());
    /// let (bags, _) = VocabularySource::of_table(table, options)?.read(&mut |_| Ok(()))?;
    /// assert_eq!(bags.len(), 2);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn of_table(table: Source, options: VocabularyOptions) -> Result<VocabularySource> {
        match options {
            VocabularyOptions::Log(options) => QueryLog::of_table(table, options).map(VocabularySource::Log),
            VocabularyOptions::Vocabularies(columns) => {
                VocabularyFile::of_table(table, columns).map(VocabularySource::Vocabularies)
            }
        }
    }

    /// The table that holds them.
    pub fn table(&self) -> &Source {
        match self {
            VocabularySource::Log(log) => log.table(),
            VocabularySource::Vocabularies(file) => &file.table,
        }
    }

    /// Where they come from.
    pub fn origin(&self) -> &Origin {
        self.table().origin()
    }

    /// The file's size.
    pub fn bytes(&self) -> u64 {
        self.table().bytes()
    }

    /// Whether the file says whose vocabulary is whose.
    pub fn has_users(&self) -> bool {
        match self {
            VocabularySource::Log(_) => true,
            VocabularySource::Vocabularies(file) => file.user.is_some(),
        }
    }

    /// Reads the vocabularies and says how it went; `tick` gets the number of bytes that are done now and then, and may stop it.
    /// There may be none.
    pub fn read(&self, tick: &mut dyn FnMut(u64) -> Result<()>) -> Result<(Bags, Extraction)> {
        match self {
            VocabularySource::Log(log) => log.read(tick),
            VocabularySource::Vocabularies(file) => file.read(tick),
        }
    }
}

/// How vocabularies came out of a file. What only a log has is 0 for a table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Extraction {
    /// Rows of the file.
    pub rows: u64,
    /// Distinct queries of a user at a time.
    pub queries: u64,
    /// Those of them after which something was clicked.
    pub clicked_queries: u64,
    /// Those whose terms were taken.
    pub used_queries: u64,
    /// Distinct users.
    pub users: u64,
    /// Vocabularies, empty ones included.
    pub groups: u64,
    /// Vocabularies without terms; unless they are to stay, they are left out.
    pub empty_groups: u64,
    /// Occurrences that were too many for one vocabulary, and left out.
    pub surplus: u64,
    /// Cells with bytes that are not text, which were replaced.
    pub replaced: u64,
    /// Distinct words that are not in the dictionary.
    pub unknown_words: u64,
    /// The most frequent of them, with how often they were dropped. Misspellings, brands and names: not for the public.
    pub unknown: Vec<(String, u64)>,
    /// What became of the words.
    pub dropped: Dropped,
}

impl Extraction {
    /// What a reader may want to know, as name and number; what is 0 and what only tables have is left out.
    pub fn counts(&self) -> Vec<(String, u64)> {
        if self.queries == 0 {
            return Vec::new();
        }
        let Dropped { kept, addresses, names, identifiers, stop_words, numbers, letters, unknown, repeated } =
            self.dropped;
        let all = [
            ("Rows", self.rows),
            ("Queries", self.queries),
            ("Queries with a click", self.clicked_queries),
            ("Queries used", self.used_queries),
            ("Users", self.users),
            ("Sessions", self.groups),
            ("Sessions without a term", self.empty_groups),
            ("Words kept", kept),
            ("Words not in the dictionary", unknown),
            ("Of these, different ones", self.unknown_words),
            ("Stop words", stop_words),
            ("Words repeated in a query", repeated),
            ("Numbers", numbers),
            ("Single letters", letters),
            ("E-mail addresses", addresses),
            ("Words after a title such as dr", names),
            ("Words like identifiers", identifiers),
            ("Occurrences beyond the limit", self.surplus),
            ("Cells that were no text", self.replaced),
        ];
        all.into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| (name.to_string(), count))
            .collect()
    }
}

/// Puts vocabularies together.
pub(super) struct Assembly {
    builder: BagsBuilder,
    keep_empty: bool,
    most: u32,
    counts: Extraction,
}

impl Assembly {
    pub(super) fn new(keep_empty: bool, most: Option<u32>, counts: Extraction) -> Assembly {
        Assembly { builder: BagsBuilder::default(), keep_empty, most: most.unwrap_or(u32::MAX), counts }
    }

    /// Adds a vocabulary of distinct terms; says whether it stays.
    pub(super) fn bag(&mut self, user: Option<&str>, held: &mut [(&str, u32)]) -> Result<bool> {
        self.counts.groups += 1;
        self.counts.surplus += limit(held, self.most);
        let empty = held.iter().all(|(_, count)| *count == 0);
        self.counts.empty_groups += u64::from(empty);
        if empty && !self.keep_empty {
            return Ok(false);
        }
        self.builder.begin(user);
        for (term, count) in held.iter().filter(|(_, count)| *count > 0) {
            self.builder.push(term, *count)?;
        }
        self.builder.end()?;
        Ok(true)
    }

    pub(super) fn finish(self) -> Result<(Bags, Extraction)> {
        Ok((self.builder.finish()?, self.counts))
    }
}

/// Leaves at most `most` occurrences, as many of each term as of any other where it has them: what is repeated goes before
/// what is rare. Where not all can have one more, the most frequent terms have it, and then the first. Returns how many went.
fn limit(held: &mut [(&str, u32)], most: u32) -> u64 {
    let total = |each: u32| held.iter().map(|(_, count)| u64::from((*count).min(each))).sum::<u64>();
    let before = total(u32::MAX);
    if before <= u64::from(most) {
        return 0;
    }
    // The most occurrences that all terms can have.
    let (mut each, mut too_many) = (0, most.saturating_add(1));
    while each + 1 < too_many {
        let middle = each + (too_many - each) / 2;
        if total(middle) <= u64::from(most) { each = middle } else { too_many = middle }
    }
    let mut more = u64::from(most) - total(each);
    held.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    for (_, count) in held {
        if *count > each {
            *count = each + u32::from(more > 0);
            more = more.saturating_sub(1);
        }
    }
    before - u64::from(most)
}

/// A table with one row per vocabulary and term, which need not be sorted. A row without a term, whose count is 0, stands for
/// a vocabulary that has none.
#[derive(Debug, Clone)]
pub struct VocabularyFile {
    table: Source,
    columns: VocabularyColumns,
    vocabulary: usize,
    term: usize,
    count: Option<usize>,
    user: Option<usize>,
}

/// Whose a vocabulary is.
struct Owner {
    user: u32,
    /// The line that first names it.
    line: u64,
}

impl VocabularyFile {
    /// The table that holds them.
    pub fn table(&self) -> &Source {
        &self.table
    }

    /// Opens a table of vocabularies.
    pub fn open(path: &Path, columns: VocabularyColumns) -> Result<VocabularyFile> {
        let table = Source::open(
            path,
            &ReadOptions { header: columns.header.clone(), ..ReadOptions::of(columns.delimiter) },
        )?;
        VocabularyFile::of_table(table, columns)
    }

    /// Vocabularies in a table that need not be a file.
    pub fn of_table(table: Source, columns: VocabularyColumns) -> Result<VocabularyFile> {
        let optional = |given: &Option<String>, usual: &str| match given {
            Some(name) => table.position(name).map(Some),
            None => Ok(table.find(usual)),
        };
        let (vocabulary, term) = (table.position(&columns.vocabulary)?, table.position(&columns.term)?);
        let (count, user) = (optional(&columns.count, COUNT)?, optional(&columns.user, USER)?);
        Ok(VocabularyFile { table, columns, vocabulary, term, count, user })
    }

    /// Reads the vocabularies in the order in which the file first names them.
    pub fn read(&self, tick: &mut dyn FnMut(u64) -> Result<()>) -> Result<(Bags, Extraction)> {
        let [mut names, mut terms, mut users] = [(); 3].map(|()| Interner::default());
        // Of each vocabulary, where the file says whose they are.
        let mut owners: Vec<Owner> = Vec::new();
        let mut held: Vec<(u32, u32, u32)> = Vec::new();
        let mut counts = Extraction::default();
        // Most rows are of the vocabulary of the row before, which need not be looked up again.
        let mut last = (String::new(), 0);
        self.table.read(&mut |batch, bytes| {
            for row in 0..batch.rows() {
                let at =
                    |message: String| Error::input(message).in_file(self.table.origin()).at_line(batch.line(row));
                let name = batch.cell(row, self.vocabulary).trim();
                if name.is_empty() {
                    let column = &self.columns.vocabulary;
                    return Err(at(format!("the row names no vocabulary: '{column}' is empty"))
                        .help("every row says which vocabulary its term belongs to"));
                }
                let user = self.user.map(|column| batch.cell(row, column).trim());
                if user == Some("") {
                    return Err(at(format!("the row does not say whose vocabulary '{name}' is"))
                        .help("name the user in every row, or remove the column"));
                }
                if last.0 != name {
                    last.1 = names.intern(name);
                    last.0.clear();
                    last.0.push_str(name);
                }
                let vocabulary = last.1;
                if let Some(user) = user.map(|user| users.intern(user)) {
                    match owners.get(vocabulary as usize) {
                        None => owners.push(Owner { user, line: batch.line(row) }),
                        Some(first) if first.user != user => {
                            let (here, there) = (users.text(user as usize), users.text(first.user as usize));
                            let line = first.line;
                            return Err(at(format!(
                                "vocabulary '{name}' is of user '{here}' here, but of '{there}' on line {line}"
                            ))
                            .help(
                                "a vocabulary has one user: give each user's vocabulary a name of its own",
                            ));
                        }
                        Some(_) => {}
                    }
                }
                let term = batch.cell(row, self.term).trim();
                let count = self.count.map(|column| batch.cell(row, column).trim());
                let count = times(term, count, self.columns.most_of_a_term)
                    .map_err(at)
                    .map_err(|error| error.help(COUNT_HELP))?;
                if count > 0 {
                    held.push((vocabulary, terms.intern(term), count));
                }
            }
            counts.rows += batch.rows() as u64;
            tick(bytes)
        })?;
        counts.users = users.len() as u64;
        let vocabularies = names.len() as u32;
        let places = places_by_name(&names);
        drop((names, last));
        // Most files list one vocabulary after the other; then only the terms of each are left to sort.
        if !held.is_sorted_by_key(|(vocabulary, ..)| *vocabulary) {
            held.sort_unstable();
        }
        let mut assembly = Assembly::new(self.columns.keep_empty, self.columns.max_occurrences, counts);
        // The vocabularies that stay, where they are not in the order of their names.
        let mut kept = Vec::new();
        let mut rest = held.as_mut_slice();
        for vocabulary in 0..vocabularies {
            let own = rest.iter().take_while(|(owner, ..)| *owner == vocabulary).count();
            let (own, others) = rest.split_at_mut(own);
            own.sort_unstable();
            rest = others;
            let mut bag: Vec<(&str, u32)> = Vec::new();
            for same in own.chunk_by(|one, next| one.1 == next.1) {
                let count = same.iter().fold(0u32, |sum, (.., count)| sum.saturating_add(*count));
                let term = terms.text(same[0].1 as usize);
                if count > self.columns.most_of_a_term {
                    let message = format!("the rows of a vocabulary have '{term}' {count} times together");
                    return Err(Error::input(message).in_file(self.table.origin()).help(COUNT_HELP));
                }
                bag.push((term, count));
            }
            let user = owners.get(vocabulary as usize).map(|owner| users.text(owner.user as usize));
            if assembly.bag(user, &mut bag)? && !places.is_empty() {
                kept.push(vocabulary);
            }
        }
        let (mut bags, counts) = assembly.finish()?;
        let mut by_name: Vec<u32> = (0..kept.len() as u32).collect();
        by_name.sort_unstable_by_key(|bag| places[kept[*bag as usize] as usize]);
        bags.set_order_of_names(by_name);
        Ok((bags, counts))
    }
}

/// The place of each name among all of them in their order; empty where they come in it. Numbers at the end of names count as
/// numbers: t2 comes before t10.
fn places_by_name(names: &Interner) -> Vec<u32> {
    let key = |name: u32| {
        let text = names.text(name as usize);
        let stem = text.trim_end_matches(|last: char| last.is_ascii_digit());
        (stem, text[stem.len()..].parse::<u64>().ok(), text)
    };
    let mut order: Vec<u32> = (0..names.len() as u32).collect();
    if order.is_sorted_by_key(|name| key(*name)) {
        return Vec::new();
    }
    order.par_sort_unstable_by(|one, other| key(*one).cmp(&key(*other)));
    let mut places = vec![0; order.len()];
    (0u32..).zip(order).for_each(|(place, name)| places[name as usize] = place);
    places
}

const COUNT_HELP: &str = "a count is a whole number from 1 to 1000000; a vocabulary without terms has one row with an empty \
                          term and the count 0";

/// How often a row has its term, or what is wrong with its count.
fn times(term: &str, count: Option<&str>, most: u32) -> std::result::Result<u32, String> {
    match (term.is_empty(), count) {
        (false, None) => Ok(1),
        (true, None | Some("" | "0")) => Ok(0),
        (true, Some(count)) => Err(format!("the row has no term, but a count of '{count}'")),
        (false, Some(count)) => {
            let number = count.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| format!("the count of '{term}' is '{count}'"))
        }
    }
}

/// A table of vocabularies that is being written: columns `vocabulary`, `term` and `count`.
pub struct VocabularySink {
    sink: Box<dyn RowSink>,
}

impl VocabularySink {
    /// The columns of such a table.
    pub fn columns() -> [SinkColumn; 3] {
        let column = |name: &str, kind| SinkColumn { name: name.to_string(), kind };
        [
            column(VOCABULARY, CellKind::Integer),
            column(TERM, CellKind::Text),
            column(COUNT, CellKind::Integer),
        ]
    }

    /// Writes to a sink that has the [columns](Self::columns).
    pub fn new(sink: Box<dyn RowSink>) -> VocabularySink {
        VocabularySink { sink }
    }

    /// Writes one vocabulary: distinct terms with their counts, in the order given. One without terms is a row without a
    /// term, so that it is not lost.
    pub fn write(&mut self, number: u64, terms: &[(&str, u32)]) -> Result<()> {
        let number = number.to_string();
        if terms.is_empty() {
            return self.sink.write(&[&number, "", "0"]);
        }
        terms.iter().try_for_each(|(term, count)| self.sink.write(&[&number, term, &count.to_string()]))
    }

    /// Writes what is buffered and waits until it is on disk.
    pub fn finish(self) -> Result<()> {
        self.sink.finish()
    }
}

#[cfg(test)]
mod tests;
