//! A policy for query logs and vocabularies, as understood.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::check::{DataKind, character, check_method, check_requirements, data_section, header};
use super::door::Purpose;
use super::file::{Entry, Policy, Section};
use super::original::OriginalData;
use super::settings::{Clause, parse_duration};
use crate::method::{VOCABULARIES, VocabularyMethod};
use crate::requirement::VocabularyKAnonymity;
use privet_core::{Error, Exact, Result};
use privet_data::{
    Clicks, Lexicon, LogOptions, VocabularyColumns, VocabularyOptions, VocabularySource, WordOptions,
    read_list,
};
use privet_taxonomy::ItemTree;
use privet_taxonomy::words::{Attach, Dictionary, Semantics, WordList, WordNet};

/// A policy for bags of terms as understood: only this kind can run.
#[derive(Debug, Clone)]
pub struct VocabularyPolicy {
    /// The policy as written.
    pub written: Policy,
    /// The secret that every random choice derives from, if the policy has one.
    pub seed: Option<u64>,
    /// A query log or vocabularies.
    pub kind: DataKind,
    /// The data.
    pub source: VocabularySource,
    /// How far terms are apart.
    pub semantics: Semantics,
    /// The files behind the distances and the words, so that the release can be made again.
    pub inputs: Vec<PathBuf>,
    /// How far two terms may be apart to stand for each other, in the unit of the distances.
    pub epsilon: u32,
    /// What an unmatched occurrence costs against distances, in the same unit; `None` for more than any distance.
    pub omega: Option<Exact>,
    /// What the release must guarantee: one requirement.
    pub requirement: VocabularyKAnonymity,
    /// How the release is made.
    pub method: VocabularyMethod,
}

impl VocabularyPolicy {
    /// Whether a vocabulary is all that a user typed, and not one session.
    pub fn whole_users(&self) -> bool {
        match &self.source {
            VocabularySource::Log(log) => log.options().session_gap.is_none(),
            VocabularySource::Vocabularies(_) => false,
        }
    }
}

/// The keys of `[semantics]`.
pub(super) const SEMANTICS_KEYS: [&str; 7] =
    ["distance", "hierarchy", "path", "wordnet", "attach", "epsilon", "omega"];

/// The keys of `[vocabulary]`.
pub(super) const VOCABULARY_KEYS: [&str; 9] = [
    "session_gap",
    "clicks",
    "dictionary",
    "words",
    "stop_words",
    "collocations",
    "drop_patterns",
    "keep_empty",
    "max_occurrences",
];

/// The keys of `[data.columns]` for vocabularies.
pub(super) const BAG_COLUMNS: [&str; 4] = ["vocabulary", "term", "count", "user"];

/// The keys of `[data.columns]` for query logs.
pub(super) const LOG_COLUMNS: [&str; 5] = ["user", "query", "time", "rank", "url"];

/// The distance that ε has where the policy does not say: the thesis' default, twice the mean height by which LG(bag)
/// generalises.
const EPSILON: &str = "6";

impl Policy {
    /// Checks a policy about a query log or vocabularies against the data file and the word network.
    ///
    /// `original` stands in for the policy's own `data.path`, for data that are elsewhere or are not files.
    pub fn check_vocabularies(&self, original: impl Into<OriginalData>) -> Result<VocabularyPolicy> {
        self.check_vocabularies_for(original.into(), Purpose::Run)
    }

    /// The same, for a purpose.
    pub(super) fn check_vocabularies_for(
        &self,
        original: OriginalData,
        purpose: Purpose,
    ) -> Result<VocabularyPolicy> {
        let root = self.root();
        let kind = match self.kind()? {
            DataKind::Vocabularies => DataKind::Vocabularies,
            _ => DataKind::QueryLog,
        };
        self.of_kind(kind)?;
        root.only_at_root(&["seed", "data", "vocabulary", "semantics", "privacy", "method"])?;
        self.check_publication(None)?;
        let seed = root.entry("seed").map(|entry| entry.count(0)).transpose()?;
        let data = data_section(&root)?;
        let section = |name: &str| root.entry(name).map(|entry| entry.section()).transpose();
        let requirements = check_requirements(&root, &VOCABULARIES, &[])?;
        let method = check_method(&root, &VOCABULARIES, &[], None)?;
        self.admit(&VOCABULARIES, (&requirements, &method), purpose)?;
        let mut words = Words::of(self, section("semantics")?.as_ref())?;
        data.only(kind.data_keys())?;
        let options = match kind {
            DataKind::Vocabularies => VocabularyOptions::Vocabularies(vocabulary_columns(&data)?),
            _ => {
                let section = section("vocabulary")?;
                VocabularyOptions::Log(log_options(self, &data, section.as_ref(), &mut words)?)
            }
        };
        let source = self.vocabularies(&data, original, options)?;
        let [requirement] = <[Clause; 1]>::try_from(requirements).map_err(|_| {
            let twice = root.entry("privacy").map(|entry| entry.error("a requirement is asked for twice"));
            twice
                .unwrap_or_else(|| root.error("a requirement is asked for twice"))
                .help("keep the stricter one")
        })?;
        let requirement =
            VocabularyKAnonymity::read(&requirement).map_err(|error| self.at_requirement(0, error))?;
        let method = VocabularyMethod::of(&method).map_err(|error| self.at_method("name", error))?;
        if purpose == Purpose::Run {
            let checked = method.check(&words.semantics, words.epsilon);
            checked.map_err(|(key, error)| self.at_method(key, error))?;
        }
        let Words { semantics, epsilon, omega, inputs, .. } = words;
        Ok(VocabularyPolicy {
            written: self.clone(),
            seed,
            kind,
            source,
            semantics,
            inputs,
            epsilon,
            omega,
            requirement,
            method,
        })
    }
}

/// What `[semantics]` says, read.
struct Words {
    semantics: Semantics,
    wordnet: Option<Arc<WordNet>>,
    /// The folder of WordNet, where the policy names one.
    folder: Option<PathBuf>,
    epsilon: u32,
    omega: Option<Exact>,
    inputs: Vec<PathBuf>,
}

impl Words {
    fn of(policy: &Policy, section: Option<&Section<'_>>) -> Result<Words> {
        let entry = |key: &str| section.and_then(|section| section.entry(key));
        if let Some(section) = section {
            section.only(&SEMANTICS_KEYS)?;
        }
        let source = match entry("distance") {
            Some(entry) => entry.one_of(&["wordnet-tree", "wordnet-network", "taxonomy", "file"])?,
            None => "wordnet-tree",
        };
        for (key, owners) in [
            ("hierarchy", &["taxonomy"][..]),
            ("path", &["file"][..]),
            ("attach", &["wordnet-tree", "wordnet-network"][..]),
        ] {
            if let Some(entry) = entry(key).filter(|_| !owners.contains(&source)) {
                return Err(entry
                    .error(format!("'{}' has no meaning with distance = \"{source}\"", entry.name()))
                    .help(format!("remove it, or set distance = \"{}\"", owners[0])));
            }
        }
        let folder = entry("wordnet").map(|entry| Ok(policy.resolve(entry.text()?))).transpose()?;
        let named = |key: &str, help: &str| match (entry(key), section) {
            (Some(entry), _) => Ok(entry),
            (None, Some(section)) => section.required(key, help),
            (None, None) => Err(policy.error(None, format!("[semantics] lacks '{key}'")).help(help)),
        };
        let (mut wordnet, mut inputs) = (None, Vec::new());
        let semantics = match source {
            "taxonomy" => {
                let help = "name the tree of terms: hierarchy = \"terms.csv\"";
                let (tree, path) = named("hierarchy", help)?.tree(ItemTree::read, ItemTree::from_paths)?;
                inputs.extend(path);
                Semantics::Tree(Arc::new(tree))
            }
            "file" => {
                let path = named("path", "name the file of distances: path = \"distances.tsv\"")?;
                let path = policy.resolve(path.text()?);
                let semantics = Semantics::pairs(&path)?;
                inputs.push(path);
                semantics
            }
            _ => {
                let attach = match entry("attach") {
                    Some(entry) => Attach::parse(entry.one_of(&["hypernym", "synset"])?).unwrap_or_default(),
                    None => Attach::default(),
                };
                let network = open_wordnet(folder.as_deref())?;
                wordnet = Some(network.clone());
                match source {
                    "wordnet-network" => Semantics::WordNetNetwork(network, attach),
                    _ => Semantics::WordNetTree(network, attach),
                }
            }
        };
        let scale = semantics.scale();
        let number = |key: &str, default: Option<&str>| -> Result<Option<Exact>> {
            match entry(key) {
                Some(entry) => exact(&entry).map(Some),
                None => Ok(default.and_then(Exact::parse)),
            }
        };
        let epsilon = number("epsilon", Some(EPSILON))?.unwrap_or(Exact::ZERO);
        let omega = match entry("omega") {
            Some(entry) if entry.text().is_ok_and(|text| text == "lexicographic") => None,
            Some(entry) => {
                let omega = exact(&entry)
                    .map_err(|error| error.help("a number from epsilon on, or \"lexicographic\""))?;
                if omega < epsilon {
                    return Err(entry
                        .error(format!("'{}' is {omega}, less than epsilon = {epsilon}", entry.name()))
                        .help(
                            "suppressing an occurrence must cost at least what matching it may: raise omega",
                        ));
                }
                Some(in_units(omega, scale).ok_or_else(|| too_fine(&entry, scale))?)
            }
            None => None,
        };
        let epsilon = semantics.reach(epsilon);
        Ok(Words { semantics, wordnet, folder, epsilon, omega, inputs })
    }

    /// The dictionary of nouns, read once.
    fn wordnet(&mut self) -> Result<Arc<WordNet>> {
        match &self.wordnet {
            Some(read) => Ok(read.clone()),
            None => open_wordnet(self.folder.as_deref()),
        }
    }
}

/// WordNet, in the folder that is named, or where `PRIVET_WORDNET` says, or where Debian puts it.
fn open_wordnet(folder: Option<&Path>) -> Result<Arc<WordNet>> {
    let elsewhere = std::env::var_os("PRIVET_WORDNET").map(PathBuf::from);
    let folder = folder.map(Path::to_path_buf).or(elsewhere);
    WordNet::open(folder.as_deref().unwrap_or(Path::new(WordNet::FOLDER))).map(Arc::new)
}

/// A number that is not negative.
fn exact(entry: &Entry<'_>) -> Result<Exact> {
    let text = entry.scalar()?;
    Exact::parse(text).ok_or_else(|| {
        entry
            .error(format!("'{}' is '{text}', {}", entry.name(), Exact::fault(text, "0")))
            .help("write it as 6, 0.25 or \"1/4\"; distances are never negative")
    })
}

/// Finer parts of a unit are not distinguished.
const FINEST: u64 = 10_000;

/// A number in units of 1/scale, unless it is finer than [`FINEST`] parts of one; more than fits is without end.
fn in_units(number: Exact, scale: u32) -> Option<Exact> {
    let units = u128::from(number.numerator()) * u128::from(scale);
    let most = u64::from(u32::MAX);
    if units > u128::from(most) * u128::from(number.denominator()) {
        return Exact::new(most, 1);
    }
    let units = Exact::new(u64::try_from(units).ok()?, number.denominator())?;
    (units.denominator() <= FINEST && units.numerator() <= most).then_some(units)
}

fn too_fine(entry: &Entry<'_>, scale: u32) -> Error {
    entry
        .error(format!("'{}' is finer than a {FINEST}th of the distances' unit, 1/{scale}", entry.name()))
        .help("round it")
}

/// The columns of a table of vocabularies.
fn vocabulary_columns(data: &Section<'_>) -> Result<VocabularyColumns> {
    let mut options = VocabularyColumns {
        delimiter: character(data, "delimiter")?,
        header: header(data)?,
        ..VocabularyColumns::default()
    };
    let names = Names::of(data, &BAG_COLUMNS)?;
    names.set("vocabulary", &mut options.vocabulary)?;
    names.set("term", &mut options.term)?;
    options.count = names.get("count")?;
    options.user = names.get("user")?;
    let columns = [
        ("vocabulary", Some(&options.vocabulary)),
        ("term", Some(&options.term)),
        ("count", options.count.as_ref()),
        ("user", options.user.as_ref()),
    ];
    each_its_own(data, &columns)?;
    Ok(options)
}

/// Refuses one column for two things.
fn each_its_own(data: &Section<'_>, columns: &[(&str, Option<&String>)]) -> Result<()> {
    for (place, (other, column)) in columns.iter().enumerate() {
        let taken = columns[..place].iter().find(|(_, before)| column.is_some() && before == column);
        if let (Some((one, _)), Some(column)) = (taken, column) {
            let all: Vec<&str> = columns.iter().map(|(key, _)| *key).collect();
            return Err(data
                .error(format!("'{one}' and '{other}' in [data.columns] both name the column '{column}'"))
                .help(format!("each of {} has a column of its own", all.join(", "))));
        }
    }
    Ok(())
}

/// The names of columns in `[data.columns]`.
struct Names<'a>(Option<Section<'a>>);

impl<'a> Names<'a> {
    fn of(data: &Section<'a>, known: &[&str]) -> Result<Names<'a>> {
        let section = data.entry("columns").map(|entry| entry.section()).transpose()?;
        if let Some(section) = &section {
            section.only(known)?;
        }
        Ok(Names(section))
    }

    fn get(&self, key: &str) -> Result<Option<String>> {
        let entry = self.0.as_ref().and_then(|section| section.entry(key));
        entry.map(|entry| entry.text().map(String::from)).transpose()
    }

    /// Puts another name in the place of the usual one.
    fn set(&self, key: &str, name: &mut String) -> Result<()> {
        if let Some(other) = self.get(key)? {
            *name = other;
        }
        Ok(())
    }
}

/// How a log becomes vocabularies.
fn log_options(
    policy: &Policy,
    data: &Section<'_>,
    section: Option<&Section<'_>>,
    words: &mut Words,
) -> Result<LogOptions> {
    let mut options = LogOptions {
        delimiter: character(data, "delimiter")?,
        header: header(data)?,
        ..LogOptions::default()
    };
    if let Some(entry) = data.entry("quotes") {
        options.quotes = entry.flag()?;
    }
    let names = Names::of(data, &LOG_COLUMNS)?;
    names.set("user", &mut options.columns.user)?;
    names.set("query", &mut options.columns.query)?;
    names.set("time", &mut options.columns.time)?;
    let columns = &options.columns;
    let columns = [("user", &columns.user), ("query", &columns.query), ("time", &columns.time)];
    each_its_own(data, &columns.map(|(key, name)| (key, Some(name))))?;
    options.columns.rank = names.get("rank")?;
    options.columns.url = names.get("url")?;
    let entry = |key: &str| section.and_then(|section| section.entry(key));
    if let Some(section) = section {
        section.only(&VOCABULARY_KEYS)?;
    }
    if let Some(entry) = entry("session_gap") {
        options.session_gap = session_gap(&entry)?;
    }
    if let Some(entry) = entry("clicks") {
        let word = entry.one_of(&["keep", "drop-before", "drop-after"])?;
        options.clicks = Clicks::parse(word).unwrap_or_default();
    }
    let flag = |key: &str| entry(key).map(|entry| entry.flag()).transpose();
    options.keep_empty = flag("keep_empty")?.unwrap_or(false);
    options.max_occurrences = entry("max_occurrences")
        .map(|entry| entry.count(1))
        .transpose()?
        .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    options.words = WordOptions {
        dictionary: dictionary(policy, &entry, words)?
            .map(|dictionary| Arc::new(dictionary) as Arc<dyn Lexicon>),
        stop_words: entry("stop_words").map(|entry| stop_words(policy, &entry, words)).transpose()?,
        drop_patterns: flag("drop_patterns")?.unwrap_or(true),
        collocations: flag("collocations")?.unwrap_or(false),
    };
    Ok(options)
}

/// Words that are never terms: a list, or a file with one per line.
fn stop_words(policy: &Policy, entry: &Entry<'_>, words: &mut Words) -> Result<Vec<String>> {
    if entry.is_list() {
        return entry.texts();
    }
    let path = policy.resolve(entry.text()?);
    let listed = read_list(&path, "the stop words")?;
    words.inputs.push(path);
    Ok(listed.into_iter().map(|(_, word)| word).collect())
}

/// The gap that ends a session: a time, or `None` for "none".
fn session_gap(entry: &Entry<'_>) -> Result<Option<u64>> {
    let text = entry.text()?;
    if text == "none" {
        return Ok(None);
    }
    parse_duration(text).map(|gap| Some(gap.as_secs())).ok_or_else(|| {
        entry.error(format!("'{}' must be a duration such as \"30m\", not \"{text}\"", entry.name())).help(
            "as in \"30m\", \"1h\", \"1d\" or \"1w\"; \"none\" makes one vocabulary of all that a user typed",
        )
    })
}

/// Which words of a query are terms; where the policy does not say, those that have a distance.
fn dictionary<'a>(
    policy: &Policy,
    entry: &dyn Fn(&str) -> Option<Entry<'a>>,
    words: &mut Words,
) -> Result<Option<Dictionary>> {
    let named = entry("dictionary");
    let name = match &named {
        Some(entry) => entry.one_of(&["wordnet", "taxonomy", "list", "none"])?,
        None => match &words.semantics {
            Semantics::Tree(_) => "taxonomy",
            Semantics::WordNetTree(..) | Semantics::WordNetNetwork(..) => "wordnet",
            Semantics::Pairs(_) => "none",
        },
    };
    if let Some(entry) = entry("words").filter(|_| name != "list") {
        return Err(entry
            .error(format!("'{}' only has a meaning with dictionary = \"list\"", entry.name()))
            .help("remove it, or set dictionary = \"list\""));
    }
    match (name, &words.semantics) {
        ("wordnet", _) => words.wordnet().map(Dictionary::WordNet).map(Some),
        ("taxonomy", Semantics::Tree(tree)) => Ok(Some(Dictionary::leaves(tree))),
        ("taxonomy", _) => {
            let wrong = "dictionary = \"taxonomy\" needs distance = \"taxonomy\" in [semantics]";
            Err(named
                .map_or_else(|| Error::internal(wrong), |entry| entry.error(wrong))
                .help("name a tree of terms there, or choose another dictionary"))
        }
        ("list", _) => {
            let help = "name the file of words: words = \"words.txt\"";
            let Some(entry) = entry("words") else {
                let lacks = "dictionary = \"list\" needs 'words'";
                return Err(named
                    .map_or_else(|| Error::internal(lacks), |entry| entry.error(lacks))
                    .help(help));
            };
            let path = policy.resolve(entry.text()?);
            let dictionary = Dictionary::List(Arc::new(WordList::read(&path)?));
            words.inputs.push(path);
            Ok(Some(dictionary))
        }
        _ => Ok(None),
    }
}
