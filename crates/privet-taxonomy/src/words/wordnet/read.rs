//! The database files of WordNet, as `wndb(5)` and `senseidx(5)` describe them. Lines that begin with a blank are the licence.

use std::borrow::Cow;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use hashbrown::HashMap;

use super::{Sense, Synsets, WordNet};
use privet_core::{Error, Result};
use privet_data::interner::Interner;

const INSTALL: &str = "apt-get install wordnet-base, or name the folder that has it: with wordnet = \"…\" in [semantics] of a policy, or for all \
     policies and experiments with the environment variable PRIVET_WORDNET";

const DAMAGED: &str = "the file is damaged or no WordNet database: install it again";

/// The contents of the four files.
pub(super) struct Files {
    pub(super) data: Vec<u8>,
    pub(super) index: Vec<u8>,
    pub(super) exceptions: Vec<u8>,
    pub(super) counts: Vec<u8>,
}

pub(super) fn open(folder: &Path) -> Result<WordNet> {
    let [data, index, exceptions, counts] = WordNet::FILES.map(|name| {
        let path = folder.join(name);
        fs::read(&path).map_err(|error| match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => {
                Error::input("WordNet is not there").in_file(path).help(INSTALL)
            }
            _ => Error::io("read WordNet", &path, &error),
        })
    });
    let files = Files { data: data?, index: index?, exceptions: exceptions?, counts: counts? };
    parse(folder, &files)
}

pub(super) fn parse(folder: &Path, files: &Files) -> Result<WordNet> {
    let [data, index, exceptions, counts] = WordNet::FILES.map(|name| folder.join(name));
    let (synsets, numbers) = synsets(&data, &files.data)?;
    let (lemmas, sense_ends, lemma_senses) = lemmas(&index, &files.index, &numbers)?;
    let tags = tags(&counts, &files.counts, &lemmas)?;
    let exceptions = bases(&exceptions, &files.exceptions)?;
    Ok(WordNet { folder: folder.to_path_buf(), lemmas, sense_ends, lemma_senses, tags, exceptions, synsets })
}

/// The words of one line.
struct Fields<'a> {
    path: &'a Path,
    line: u64,
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The lines of a file that are not its licence.
    fn of(path: &'a Path, bytes: &'a [u8]) -> impl Iterator<Item = Fields<'a>> + 'a {
        (1..)
            .zip(bytes.split(|byte| *byte == b'\n'))
            .filter(|(_, line)| !line.trim_ascii().is_empty() && line[0] != b' ')
            .map(move |(number, rest)| Fields { path, line: number, rest })
    }

    fn bad(&self, message: String) -> Error {
        Error::input(message).in_file(self.path).at_line(self.line).help(DAMAGED)
    }

    fn next(&mut self, what: &str) -> Result<&'a [u8]> {
        let rest = self.rest.trim_ascii_start();
        if rest.is_empty() {
            return Err(self.bad(format!("the line ends before {what}")));
        }
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (field, rest) = rest.split_at(end);
        self.rest = rest;
        Ok(field)
    }

    fn number(&mut self, what: &str, radix: u32) -> Result<u32> {
        let field = self.next(what)?;
        let digits = std::str::from_utf8(field).ok().filter(|text| !text.starts_with('+'));
        digits
            .and_then(|text| u32::from_str_radix(text, radix).ok())
            .ok_or_else(|| self.bad(format!("{what} is '{}', not a number", text(field))))
    }

    fn word(&mut self, what: &str) -> Result<Cow<'a, str>> {
        let word = text(self.next(what)?);
        if word.chars().any(char::is_control) {
            return Err(self.bad(format!("{what} holds a control character")));
        }
        Ok(word)
    }
}

/// Text in UTF-8 or else Latin-1, in which every byte is a character.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into(),
    }
}

/// `offset file n words(hex) {word id} pointers {symbol offset kind ends} | gloss`
fn synsets(path: &Path, bytes: &[u8]) -> Result<(Synsets, HashMap<u32, Sense>)> {
    let mut synsets = Synsets::default();
    let mut numbers: HashMap<u32, Sense> = HashMap::new();
    let mut lines: Vec<u64> = Vec::new();
    // Hypernyms by their offsets, as long as not all senses are known; the one in the tree by its place among them.
    let mut above: Vec<u32> = Vec::new();
    let mut first: Vec<Option<usize>> = Vec::new();
    for mut fields in Fields::of(path, bytes) {
        if let Some(end) = fields.rest.iter().position(|byte| *byte == b'|') {
            fields.rest = &fields.rest[..end];
        }
        let offset = fields.number("the offset", 10)?;
        fields.number("the number of the source file", 10)?;
        fields.next("the part of speech")?;
        let words = fields.number("the number of words", 16)?;
        if words == 0 {
            return Err(fields.bad("the sense has no words".to_string()));
        }
        for place in 0..words {
            let word = fields.word("a word")?;
            if place == 0 {
                synsets.words.push(word.into());
            }
            fields.next("the number of a word")?;
        }
        let (mut kind, mut instance) = (None, None);
        for _ in 0..fields.number("the number of pointers", 10)? {
            let symbol = fields.next("a pointer")?;
            let target = fields.number("the offset of a pointer", 10)?;
            let part = fields.next("the part of speech of a pointer")?;
            fields.next("the ends of a pointer")?;
            if part != b"n" || !matches!(symbol, b"@" | b"@i") {
                continue;
            }
            (if symbol == b"@" { &mut kind } else { &mut instance }).get_or_insert(above.len());
            above.push(target);
        }
        first.push(kind.or(instance));
        synsets.above_ends.push(above.len() as u32);
        let sense = synsets.offsets.len() as Sense;
        if let Some(earlier) = numbers.insert(offset, sense) {
            let earlier = lines[earlier as usize];
            return Err(fields.bad(format!("the offset {offset:08} is also on line {earlier}")));
        }
        synsets.offsets.push(offset);
        lines.push(fields.line);
    }
    let at = |sense: usize, message: String| {
        Error::input(message).in_file(path).at_line(lines[sense]).help(DAMAGED)
    };
    if lines.is_empty() {
        return Err(Error::input("the file has no senses").in_file(path).help(DAMAGED));
    }
    let mut begin = 0;
    for (sense, end) in synsets.above_ends.iter().enumerate() {
        for target in &above[begin..*end as usize] {
            let found = numbers.get(target);
            let found = found
                .ok_or_else(|| at(sense, format!("no line has the offset {target:08} of a hypernym")))?;
            synsets.above.push(*found);
        }
        begin = *end as usize;
    }
    let parents = (0..).zip(first).map(|(sense, first)| first.map_or(sense, |place| synsets.above[place]));
    synsets.parents = parents.collect();
    match on_circle(&synsets.parents) {
        Some(sense) => Err(at(sense, format!("the hypernyms of '{}' lead back to it", synsets.words[sense]))),
        None => Ok((synsets, numbers)),
    }
}

/// A sense from which the way up never ends.
fn on_circle(parents: &[Sense]) -> Option<usize> {
    const NEW: u32 = u32::MAX;
    // By which walk each sense was first reached: a walk that comes upon its own steps goes in a circle.
    let mut walk = vec![NEW; parents.len()];
    for start in 0..parents.len() {
        let mut at = start;
        while walk[at] == NEW {
            walk[at] = start as u32;
            let above = parents[at] as usize;
            if above != at && walk[above] == start as u32 {
                return Some(above);
            }
            at = above;
        }
    }
    None
}

/// `lemma n senses pointers {symbol} senses tagged {offset}`
fn lemmas(
    path: &Path,
    bytes: &[u8],
    numbers: &HashMap<u32, Sense>,
) -> Result<(Interner, Vec<u32>, Vec<Sense>)> {
    let mut lemmas = Interner::default();
    let (mut ends, mut senses) = (Vec::new(), Vec::new());
    for mut fields in Fields::of(path, bytes) {
        let lemma = fields.word("the word")?;
        if lemmas.intern(&lemma) as usize != ends.len() {
            return Err(fields.bad(format!("'{lemma}' is listed twice")));
        }
        fields.next("the part of speech")?;
        let count = fields.number("the number of senses", 10)?;
        if count == 0 {
            return Err(fields.bad(format!("'{lemma}' has no senses")));
        }
        for _ in 0..fields.number("the number of pointers", 10)? {
            fields.next("a pointer")?;
        }
        fields.number("the number of senses", 10)?;
        fields.number("the number of senses in texts", 10)?;
        for _ in 0..count {
            let offset = fields.number("the offset of a sense", 10)?;
            let sense = numbers.get(&offset);
            senses
                .push(*sense.ok_or_else(|| {
                    fields.bad(format!("no sense of data.noun has the offset {offset:08}"))
                })?);
        }
        ends.push(senses.len() as u32);
    }
    Ok((lemmas, ends, senses))
}

/// `lemma%class:… sense count`: how often each lemma was met as a noun, class 1.
fn tags(path: &Path, bytes: &[u8], lemmas: &Interner) -> Result<Vec<u32>> {
    let mut tags = vec![0u32; lemmas.len()];
    for mut fields in Fields::of(path, bytes) {
        let key = fields.next("the key of a sense")?;
        let Some(end) = key.iter().rposition(|byte| *byte == b'%') else {
            return Err(fields.bad(format!("'{}' is not the key of a sense", text(key))));
        };
        if key.get(end + 1) != Some(&b'1') {
            continue;
        }
        fields.number("the number of a sense", 10)?;
        let count = fields.number("the count", 10)?;
        if let Some(lemma) = lemmas.find(&text(&key[..end])) {
            let sum = &mut tags[lemma as usize];
            *sum = sum.saturating_add(count);
        }
    }
    Ok(tags)
}

/// `surface base …`
fn bases(path: &Path, bytes: &[u8]) -> Result<HashMap<String, Vec<String>>> {
    let mut all: HashMap<String, Vec<String>> = HashMap::new();
    for mut fields in Fields::of(path, bytes) {
        let surface = fields.word("the irregular form")?.into_owned();
        let bases = all.entry(surface).or_default();
        bases.push(fields.word("the base form")?.into_owned());
        while !fields.rest.trim_ascii().is_empty() {
            bases.push(fields.word("a base form")?.into_owned());
        }
    }
    Ok(all)
}
