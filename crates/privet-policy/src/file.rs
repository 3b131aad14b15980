//! The policy as written: TOML with the place of every value, so that messages can name the line.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml_edit::{Document, Item, TableLike};

use privet_core::{Error, ErrorKind, Result};
use privet_core::{echoed, suggestion};
use privet_data::Formulas;

/// A policy file as written: valid TOML, not yet understood. [`Policy::check`] turns it into a
/// [`CheckedPolicy`](super::CheckedPolicy).
#[derive(Debug, Clone)]
pub struct Policy {
    path: PathBuf,
    text: String,
    document: Document<String>,
    formulas: Formulas,
}

impl Policy {
    /// Reads a policy file.
    pub fn read(path: &Path) -> Result<Policy> {
        let bytes = fs::read(path).map_err(|error| Error::io("read the policy", path, &error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let line =
                error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count();
            Error::input("the policy is not valid UTF-8")
                .in_file(path)
                .at_line(line as u64 + 1)
                .help("save the file as UTF-8")
        })?;
        Policy::parse(path, text)
    }

    /// Reads a policy from text; `path` is where relative paths start and what messages name.
    ///
    /// ```
    /// # use privet_policy::Policy;
    /// let error = Policy::parse("policy.toml".as_ref(), "seed = \n".into()).unwrap_err();
    /// assert_eq!(error.line(), Some(1));
    /// ```
    pub fn parse(path: &Path, text: String) -> Result<Policy> {
        let text = text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text);
        let document = Document::parse(text.clone()).map_err(|error| {
            let wrong = Error::input(format!("not valid TOML: {}", error.message().trim()))
                .in_file(path)
                .help("a policy is a TOML file; `privet init DATA` drafts one");
            match error.span() {
                Some(span) => wrong.at_line(line_of(&text, span.start)),
                None => wrong,
            }
        })?;
        Ok(Policy { path: path.to_path_buf(), text, document, formulas: Formulas::default() })
    }

    /// The same policy, with what is done about cells of a release that a spreadsheet would run.
    #[must_use]
    pub fn with_formulas(self, formulas: Formulas) -> Policy {
        Policy { formulas, ..self }
    }

    /// The same policy about other data of the same form.
    ///
    /// ```
    /// # use privet_policy::Policy;
    /// let policy = Policy::parse("policy.toml".as_ref(), "[data]\npath = \"old.csv\" # last year\n".into())?;
    /// let text = policy.about("/data/new.csv".as_ref())?.text().to_string();
    /// assert_eq!(text, "[data]\npath = \"/data/new.csv\" # last year\n");
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn about(&self, data: &Path) -> Result<Policy> {
        let data = std::path::absolute(data).map_err(|error| Error::io("find the data", data, &error))?;
        let Some(path) = data.to_str() else {
            return Err(Error::input("the path of the data is not valid UTF-8")
                .in_file(&data)
                .help("rename it"));
        };
        let mut document = self.document.clone().into_mut();
        let entry = document.get_mut("data").and_then(|section| section.as_table_like_mut());
        let entry = entry.and_then(|section| section.get_mut("path")).and_then(Item::as_value_mut);
        let Some(entry) = entry else {
            return Err(self.error(None, "[data] lacks 'path'").help("name the data file there"));
        };
        let decor = entry.decor().clone();
        *entry = path.into();
        *entry.decor_mut() = decor;
        Ok(Policy::parse(&self.path, document.to_string())?.with_formulas(self.formulas))
    }

    /// What is done about cells of a release that a spreadsheet would run.
    pub fn formulas(&self) -> Formulas {
        self.formulas
    }

    /// Where the policy is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The policy's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The outermost table.
    pub(super) fn root(&self) -> Section<'_> {
        Section { policy: self, name: String::new(), table: self.document.as_table(), span: None }
    }

    /// A relative path as seen from the policy.
    pub(super) fn resolve(&self, path: &str) -> PathBuf {
        match self.path.parent() {
            Some(folder) => folder.join(path),
            None => PathBuf::from(path),
        }
    }

    /// An error at a place in this file.
    pub(super) fn error(&self, span: Option<Range<usize>>, message: impl Into<String>) -> Error {
        let error = Error::input(message).in_file(&self.path);
        match span {
            Some(span) => error.at_line(line_of(&self.text, span.start)),
            None => error,
        }
    }

    /// Explains an error about a file that the policy names, where the policy is gone from its own place: a release keeps a copy
    /// of it, and the names of files in that still start where the policy was.
    #[must_use]
    pub fn moved(&self, error: Error) -> Error {
        let is_gone = |path: &Path| std::fs::metadata(path).is_err();
        match (error.file(), self.path.parent()) {
            (Some(file), Some(home)) if is_gone(file) && is_gone(&self.path) && file.starts_with(home) => {
                let help = format!(
                    "the policy was in this directory when the release was made: {}; restore the file there, or name a policy \
                     with --policy",
                    home.display()
                );
                error.help(help)
            }
            _ => error,
        }
    }

    /// Puts an error about a requirement, by its position, at its place in the policy.
    pub fn at_requirement(&self, position: usize, error: Error) -> Error {
        let privacy = self.root().entry("privacy").and_then(|entry| entry.section().ok());
        let sections = privacy.iter().flat_map(Section::entries).flat_map(|(_, entry)| {
            let sections = entry.sections();
            sections.unwrap_or_default()
        });
        self.placed(error, sections.map(|section| section.place()).nth(position))
    }

    /// Puts an error about a key of the method at its place in the policy.
    pub fn at_method(&self, key: &str, error: Error) -> Error {
        let method = self.root().entry("method").and_then(|entry| entry.section().ok());
        self.placed(error, method.and_then(|section| section.entry(key)).map(|entry| entry.place()))
    }

    fn placed(&self, error: Error, line: Option<Option<u64>>) -> Error {
        if error.kind() != ErrorKind::Input || error.file().is_some() {
            return error;
        }
        let error = error.in_file(&self.path);
        match line.flatten() {
            Some(line) => error.at_line(line),
            None => error,
        }
    }

    /// The policy as a manifest repeats it: all but the seed.
    pub fn without_seed(&self) -> serde_json::Value {
        let mut policy = self.to_json();
        if let Some(policy) = policy.as_object_mut() {
            // Not `remove`, which would move the last key into the gap.
            policy.shift_remove("seed");
        }
        policy
    }

    /// The policy as JSON, for the manifest. Numbers keep the digits the user wrote where JSON can hold them.
    pub fn to_json(&self) -> serde_json::Value {
        table_to_json(self.document.as_table())
    }
}

fn line_of(text: &str, offset: usize) -> u64 {
    let end = offset.min(text.len());
    text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

fn table_to_json(table: &dyn TableLike) -> serde_json::Value {
    table
        .iter()
        .map(|(key, item)| (key.to_string(), item_to_json(item)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn item_to_json(item: &Item) -> serde_json::Value {
    use serde_json::Value as Json;
    if let Some(table) = item.as_table_like() {
        return table_to_json(table);
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|table| table_to_json(table)).collect();
    }
    match item.as_value() {
        Some(value) => value_to_json(value),
        None => Json::Null,
    }
}

fn value_to_json(value: &toml_edit::Value) -> serde_json::Value {
    use toml_edit::Value;
    match value {
        Value::String(text) => text.value().clone().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Boolean(flag) => (*flag.value()).into(),
        Value::Datetime(date) => date.value().to_string().into(),
        Value::Array(items) => items.iter().map(value_to_json).collect(),
        Value::InlineTable(table) => table_to_json(table),
    }
}

/// A table of the policy and what messages call it (`columns.age`).
#[derive(Clone)]
pub(super) struct Section<'a> {
    policy: &'a Policy,
    name: String,
    table: &'a dyn TableLike,
    span: Option<Range<usize>>,
}

/// A value of the policy, not yet known to be of the right kind.
#[derive(Clone)]
pub(super) struct Entry<'a> {
    policy: &'a Policy,
    name: String,
    item: &'a Item,
    key_span: Option<Range<usize>>,
}

impl<'a> Section<'a> {
    /// The same for the outermost table, where some keys have a meaning whatever the data is.
    pub fn only_at_root(&self, known: &[&str]) -> Result<()> {
        self.only(&[known, &super::publication::TABLES].concat())
    }

    /// Refuses keys that nobody reads: a misspelt key must never be silently without effect.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        for (key, _) in self.table.iter() {
            if !known.contains(&key) {
                let place = if self.name.is_empty() { String::new() } else { format!(" in [{}]", self.name) };
                let span = self.table.key(key).and_then(|key| key.span());
                return Err(self.policy.error(span, format!("unknown key '{key}'{place}")).help(suggestion(
                    key,
                    known,
                    "known keys",
                )));
            }
        }
        Ok(())
    }

    pub fn entry(&self, key: &str) -> Option<Entry<'a>> {
        let item = self.table.get(key)?;
        let name = if self.name.is_empty() { key.to_string() } else { format!("{}.{key}", self.name) };
        let key_span = self.table.key(key).and_then(|key| key.span());
        Some(Entry { policy: self.policy, name, item, key_span })
    }

    pub fn required(&self, key: &str, help: &str) -> Result<Entry<'a>> {
        self.entry(key).ok_or_else(|| {
            let place =
                if self.name.is_empty() { "the policy".to_string() } else { format!("[{}]", self.name) };
            self.error(format!("{place} lacks '{key}'")).help(help)
        })
    }

    pub fn entries(&self) -> impl Iterator<Item = (&'a str, Entry<'a>)> + '_ {
        self.table.iter().filter_map(|(key, _)| self.entry(key).map(|entry| (key, entry)))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn error(&self, message: impl Into<String>) -> Error {
        self.policy.error(self.span.clone(), message)
    }

    /// The line it begins on.
    pub fn place(&self) -> Option<u64> {
        self.error("").line()
    }
}

impl<'a> Entry<'a> {
    pub fn error(&self, message: impl Into<String>) -> Error {
        self.policy.error(self.item.span().or_else(|| self.key_span.clone()), message)
    }

    /// The line it stands on.
    pub fn place(&self) -> Option<u64> {
        self.error("").line()
    }

    /// The value as the user wrote it, digits and all.
    pub fn raw(&self) -> &'a str {
        let text = self.item.span().and_then(|span| self.policy.text.get(span)).unwrap_or("");
        text.trim().trim_matches(|c| c == '"' || c == '\'')
    }

    fn wrong(&self, wanted: &str) -> Error {
        self.error(format!("'{}' must be {wanted}, not {}", self.name, kind_of(self.item)))
    }

    pub fn section(&self) -> Result<Section<'a>> {
        self.table("a table").map_err(|error| {
            error.help(format!("write [{}] on a line of its own, and its keys below", self.name))
        })
    }

    /// A table, however it is written; `wanted` is what the message calls it.
    pub fn table(&self, wanted: &str) -> Result<Section<'a>> {
        let table = self.item.as_table_like().ok_or_else(|| self.wrong(wanted))?;
        let span = self.key_span.clone().or_else(|| self.item.span());
        Ok(Section { policy: self.policy, name: self.name.clone(), table, span })
    }

    /// One table, or several by `[[…]]`.
    pub fn sections(&self) -> Result<Vec<Section<'a>>> {
        let Some(tables) = self.item.as_array_of_tables() else {
            return Ok(vec![self.section()?]);
        };
        let section = |table: &'a toml_edit::Table| Section {
            policy: self.policy,
            name: self.name.clone(),
            table,
            span: table.span(),
        };
        Ok(tables.iter().map(section).collect())
    }

    pub fn text(&self) -> Result<&'a str> {
        self.item.as_str().ok_or_else(|| self.wrong("text in quotes"))
    }

    /// One of the given words.
    pub fn one_of<'w>(&self, words: &[&'w str]) -> Result<&'w str> {
        let text = self.text()?;
        words.iter().copied().find(|word| *word == text).ok_or_else(|| {
            let wrong = self.error(format!("'{}' cannot be \"{text}\"", self.name));
            wrong.help(suggestion(text, words, "accepted values"))
        })
    }

    pub fn texts(&self) -> Result<Vec<String>> {
        let array = self.item.as_array().ok_or_else(|| self.wrong("a list of texts, as in [\"\", \"?\"]"))?;
        let text = |value: &toml_edit::Value| {
            value.as_str().map(str::to_string).ok_or_else(|| {
                let shown = value.to_string();
                self.error(format!(
                    "'{}' lists {}, which is not text in quotes",
                    self.name,
                    echoed(shown.trim())
                ))
                .help("a list of texts, as in [\"\", \"?\"]")
            })
        };
        array.iter().map(text).collect()
    }

    /// A tree: the name of its file, or its paths, as in `[["Oslo", "Norway", "*"], ["Rome", "*"]]`. Returns where the file is.
    pub fn tree<T>(
        &self,
        read: impl Fn(&Path) -> Result<T>,
        of_paths: impl Fn(&[Vec<String>]) -> Result<T>,
    ) -> Result<(T, Option<PathBuf>)> {
        let Some(array) = self.item.as_array() else {
            let path = self.policy.resolve(self.text()?);
            return Ok((read(&path)?, Some(path)));
        };
        const HELP: &str = "name a hierarchy file, or list the paths from each leaf to the root, as in [[\"Oslo\", \"Norway\", \"*\"]]";
        let path = |value: &toml_edit::Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|label| label.as_str().map(str::to_string)).collect()
        };
        let paths: Option<Vec<Vec<String>>> = array.iter().map(path).collect();
        let paths = paths.ok_or_else(|| self.wrong("the name of a file or a list of paths").help(HELP))?;
        match of_paths(&paths) {
            Ok(tree) => Ok((tree, None)),
            Err(error) => {
                let placed = self.error(error.message());
                Err(placed.help(error.remedy().unwrap_or(HELP)))
            }
        }
    }

    /// A list of numbers and texts alike, as written.
    pub fn scalars(&self) -> Result<Vec<String>> {
        let wrong = || self.wrong("a list of numbers, as in [0.5, 1, 2]");
        let array = self.item.as_array().ok_or_else(wrong)?;
        let scalar = |value: &toml_edit::Value| match value.as_str() {
            Some(text) => Ok(text.to_string()),
            None if value.is_integer() || value.is_float() => Ok(value.to_string().trim().to_string()),
            None => Err(wrong()),
        };
        array.iter().map(scalar).collect()
    }

    /// Whether it is a list.
    pub fn is_list(&self) -> bool {
        self.item.is_array()
    }

    pub fn flag(&self) -> Result<bool> {
        self.item.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    pub fn count(&self, least: u64) -> Result<u64> {
        let wrong = || self.wrong(&format!("a whole number from {least}"));
        let number = self.item.as_integer().ok_or_else(wrong)?;
        u64::try_from(number).ok().filter(|number| *number >= least).ok_or_else(|| {
            self.error(format!("'{}' is {number}; it must be a whole number from {least}", self.name))
        })
    }

    /// Numbers and texts alike, as written.
    pub fn scalar(&self) -> Result<&'a str> {
        if self.item.is_str() || self.item.is_integer() || self.item.is_float() {
            Ok(self.item.as_str().unwrap_or_else(|| self.raw()))
        } else {
            Err(self.wrong("a number, as in 0.3, \"3/10\" or \"30%\""))
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

fn kind_of(item: &Item) -> &'static str {
    match item.type_name() {
        "string" => "text",
        "integer" => "a whole number",
        "float" => "a number with a fraction",
        "boolean" => "true or false",
        "datetime" => "a date",
        "array" => "a list",
        "array of tables" => "a list of tables",
        "inline table" | "table" => "a table",
        _ => "nothing",
    }
}
