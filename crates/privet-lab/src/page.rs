//! A result page: what an experiment found, as a page to read, tables to load and one JSON file for both.
//!
//! A page is written whole after every part, so that an interrupted run keeps what it has; parts that an earlier run left
//! in the same folder stay until they are run again.

use std::fs;
use std::path::{Path, PathBuf};

use minijinja::{Environment, UndefinedBehavior, context};
use serde::{Deserialize, Serialize};

use super::plot::Plot;
use privet::report::numbers::figure;
use privet::thousands;
use privet::{Error, Result};

/// The file that a page is read from again.
const RESULTS: &str = "results.json";

/// Everything that an experiment found so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The experiment's name.
    pub experiment: String,
    /// What it is about.
    pub title: String,
    /// The publication and section it re-runs.
    pub source: String,
    /// The version of Privet.
    pub privet: String,
    /// The data it was run on last, where that is one file.
    #[serde(default)]
    pub data: Option<DataUsed>,
    /// What has been run, in the experiment's order.
    pub parts: Vec<PartResult>,
}

/// The file that an experiment ran on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataUsed {
    /// Its name.
    pub file: String,
    /// How many records it has.
    pub read: u64,
    /// How many of them the experiment uses.
    pub used: u64,
}

impl DataUsed {
    /// As it stands below the title.
    fn shown(&self) -> String {
        match self.read == self.used {
            true => format!("{} records of {}", thousands(self.used), self.file),
            false => {
                format!("{} of {} records of {}", thousands(self.used), thousands(self.read), self.file)
            }
        }
    }
}

/// What one part found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartResult {
    /// The part's name.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Whether it was a quick run, with fewer settings.
    pub quick: bool,
    /// How long it took.
    pub seconds: f64,
    /// Whether it only shows what runs of other parts found.
    #[serde(default)]
    pub shared: bool,
    /// Its findings.
    pub sections: Vec<Section>,
}

/// A finding: words, tables and plots.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Paragraphs.
    pub prose: Vec<String>,
    /// Plots.
    pub plots: Vec<Plot>,
    /// Tables.
    pub tables: Vec<Table>,
}

impl Section {
    /// A section with a heading and nothing else yet.
    pub fn new(title: impl Into<String>) -> Section {
        Section { title: title.into(), ..Section::default() }
    }

    /// With one more paragraph.
    pub fn say(mut self, text: impl Into<String>) -> Section {
        self.prose.push(text.into());
        self
    }

    /// With one more table.
    pub fn table(mut self, table: Table) -> Section {
        self.tables.push(table);
        self
    }

    /// With one more plot, unless it has nothing to show.
    pub fn plot(mut self, plot: Plot) -> Section {
        if plot.has_points() {
            self.plots.push(plot);
        }
        self
    }
}

/// A table; it is also written as `PART-NAME.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The name of its file.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(
        name: &str,
        title: impl Into<String>,
        head: impl IntoIterator<Item = impl Into<String>>,
    ) -> Table {
        let head = head.into_iter().map(Into::into).collect();
        Table { name: name.to_string(), title: title.into(), head, rows: Vec::new() }
    }

    /// A table of what the publication states and what was found here.
    pub fn stated_and_found(name: &str) -> Table {
        Table::new(name, "Stated in the thesis, and found here", ["", "thesis", "here"])
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table as CSV: numbers with all their digits, shares as fractions.
    pub fn to_csv(&self) -> Result<String> {
        let fault = |error: &dyn std::fmt::Display| {
            Error::internal(format!("the table {} cannot be written: {error}", self.name))
        };
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        writer.write_record(&self.head).map_err(|error| fault(&error))?;
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::raw)).map_err(|error| fault(&error))?;
        }
        let bytes = writer.into_inner().map_err(|error| fault(&error))?;
        String::from_utf8(bytes).map_err(|error| fault(&error))
    }
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// Words.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// A share of something, shown in percent.
    Share(f64),
    /// A length of time in seconds.
    Seconds(f64),
    /// Nothing, and why.
    Missing(String),
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A share of something; nothing when there is none.
    pub fn share(share: Option<f64>) -> Cell {
        share.map_or(Cell::Missing("not known".to_string()), Cell::Share)
    }

    /// As a person reads it.
    pub fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => thousands(*count),
            Cell::Number(number) => figure(*number),
            Cell::Share(share) => percent(*share),
            Cell::Seconds(seconds) => format!("{} s", significant(*seconds, 3)),
            Cell::Missing(_) => "–".to_string(),
        }
    }

    /// As a program reads it.
    fn raw(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Number(number) | Cell::Share(number) | Cell::Seconds(number) => number.to_string(),
            Cell::Missing(_) => String::new(),
        }
    }

    fn is_number(&self) -> bool {
        !matches!(self, Cell::Text(_))
    }

    fn reason(&self) -> Option<&str> {
        match self {
            Cell::Missing(reason) => Some(reason),
            _ => None,
        }
    }
}

/// A share in percent with three significant digits: shares of cuts are often tiny.
pub fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0, 3))
}

/// A range of shares as "13–22 %"; one number where both ends look alike.
pub fn percent_range(shares: impl IntoIterator<Item = f64>) -> Option<String> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for share in shares {
        (low, high) = (low.min(share), high.max(share));
    }
    let (from, to) = (significant(low * 100.0, 3), significant(high * 100.0, 3));
    (low <= high).then(|| if from == to { format!("{to} %") } else { format!("{from} to {to} %") })
}

/// A number with this many significant digits, never in powers of ten and never with fewer digits before the point.
pub(super) fn significant(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return "–".to_string();
    }
    if value == 0.0 {
        return "0".to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (digits - 1 - magnitude).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

impl Page {
    /// The page that a folder holds, as far as it is of this experiment; else an empty one.
    ///
    /// A folder that holds anything else is refused, so that nobody's files are written over.
    pub fn open(folder: &Path, empty: Page) -> Result<Page> {
        let path = folder.join(RESULTS);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return if is_vacant(folder)? { Ok(empty) } else { Err(occupied(folder)) };
            }
            Err(error) => return Err(Error::io("read earlier results", &path, &error)),
        };
        let found: Page = serde_json::from_str(&text).map_err(|error| {
            Error::input(format!("not the results of an experiment: {error}"))
                .in_file(&path)
                .help("remove the folder, or name another one with -o")
        })?;
        if found.experiment != empty.experiment {
            let message = format!("holds the results of the experiment '{}'", found.experiment);
            return Err(Error::input(message).in_file(folder).help("name another folder with -o"));
        }
        Ok(Page { parts: found.parts, ..empty })
    }

    /// Takes in what a part found, in the place of its earlier results; `order` names all parts.
    pub fn take(&mut self, part: PartResult, order: &[&str]) {
        self.parts.retain(|known| known.name != part.name);
        self.parts.push(part);
        let place = |name: &str| order.iter().position(|known| *known == name);
        self.parts.sort_by_key(|part| place(&part.name).unwrap_or(usize::MAX));
    }

    /// Writes `index.html`, `results.json` and one CSV per table; each file is replaced whole.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        fs::create_dir_all(folder).map_err(|error| Error::writing("make the folder", folder, &error))?;
        let json = serde_json::to_string_pretty(self)
            .map_err(|error| Error::internal(format!("cannot write JSON: {error}")))?;
        let mut files = vec![("index.html".to_string(), self.to_html()?)];
        for part in &self.parts {
            for table in part.sections.iter().flat_map(|section| &section.tables) {
                files.push((csv_name(&part.name, table), table.to_csv()?));
            }
        }
        files.push((RESULTS.to_string(), json + "\n"));
        let mut written = Vec::new();
        for (name, content) in files {
            let path = folder.join(&name);
            let unfinished = folder.join(format!(".{name}.part"));
            fs::write(&unfinished, content)
                .and_then(|()| fs::rename(&unfinished, &path))
                .map_err(|error| Error::writing("write the results", &path, &error))?;
            written.push(path);
        }
        Ok(written)
    }

    /// The page, self-contained and without scripts.
    pub fn to_html(&self) -> Result<String> {
        let mut environment = Environment::empty();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
        let view = context! {
            experiment => self.experiment.as_str(),
            title => self.title.as_str(),
            source => self.source.as_str(),
            privet => self.privet.as_str(),
            data => self.data.as_ref().map(DataUsed::shown),
            style => minijinja::Value::from_safe_string(STYLE.concat()),
            parts => self.parts.iter().map(part_view).collect::<Vec<_>>(),
        };
        environment
            .add_template("page.html", include_str!("templates/page.html"))
            .and_then(|()| environment.get_template("page.html"))
            .and_then(|template| template.render(view))
            .map_err(|error| Error::internal(format!("the result page cannot be written: {error:#}")))
    }
}

/// The reports' style, and what result pages have beyond it.
const STYLE: [&str; 2] = [privet::report::STYLE, include_str!("templates/page.css")];

fn csv_name(part: &str, table: &Table) -> String {
    format!("{part}-{}.csv", table.name)
}

fn part_view(part: &PartResult) -> minijinja::Value {
    let sections = part.sections.iter().map(|section| {
        context! {
            title => section.title.as_str(),
            prose => section.prose.clone(),
            plots => section.plots.iter().map(|plot| context! {
                title => plot.title.as_str(), svg => plot.to_svg(),
            }).collect::<Vec<_>>(),
            tables => section.tables.iter().map(|table| table_view(&part.name, table)).collect::<Vec<_>>(),
        }
    });
    context! {
        name => part.name.as_str(),
        title => part.title.as_str(),
        quick => part.quick,
        took => Cell::Seconds(part.seconds).shown(),
        shared => part.shared,
        sections => sections.collect::<Vec<_>>(),
    }
}

fn table_view(part: &str, table: &Table) -> minijinja::Value {
    // A column of numbers is set flush right; one that also holds words is read as words.
    let numeric: Vec<bool> = (0..table.head.len())
        .map(|column| table.rows.iter().all(|row| row.get(column).is_some_and(Cell::is_number)))
        .collect();
    let head = table.head.iter().zip(&numeric).map(|(name, number)| {
        context! { text => name.as_str(), number => *number }
    });
    let rows = table.rows.iter().map(|row| {
        let cells = row.iter().zip(&numeric).map(|(cell, number)| {
            context! { text => cell.shown(), number => *number, reason => cell.reason() }
        });
        cells.collect::<Vec<_>>()
    });
    context! {
        title => table.title.as_str(),
        head => head.collect::<Vec<_>>(),
        rows => rows.collect::<Vec<_>>(),
        file => csv_name(part, table),
    }
}

fn is_vacant(folder: &Path) -> Result<bool> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Error::io("read the folder", folder, &error)),
    }
}

fn occupied(folder: &Path) -> Error {
    Error::input("the folder holds other files than an experiment's results")
        .in_file(folder)
        .help("name an empty or a new folder with -o")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Kind, Series};

    fn empty() -> Page {
        Page {
            experiment: "test".to_string(),
            title: "A test".to_string(),
            source: "nobody".to_string(),
            privet: "0".to_string(),
            data: Some(DataUsed { file: "people.csv".to_string(), read: 99_762, used: 49_479 }),
            parts: Vec::new(),
        }
    }

    fn part(name: &str, text: &str) -> PartResult {
        let mut table = Table::new("costs", text, ["l", "cost", "share", "why"]);
        table.row([Cell::Count(45_222), Cell::Number(0.5), Cell::Share(0.000_017), Cell::text(text)]);
        table.row([
            Cell::Seconds(1.25),
            Cell::Missing("no release".to_string()),
            Cell::share(None),
            Cell::text(""),
        ]);
        let plot = Plot {
            title: text.to_string(),
            kind: Kind::Lines,
            x: Axis::new("l"),
            y: Axis::new("cost").log(),
            series: vec![Series { name: text.to_string(), points: vec![(2.0, 10.0), (3.0, 1e6)] }],
        };
        let section = Section::new(text).say(text).table(table).plot(plot);
        PartResult {
            name: name.to_string(),
            title: text.to_string(),
            quick: true,
            seconds: 2.0,
            shared: false,
            sections: vec![section],
        }
    }

    #[test]
    fn a_page_comes_back_as_it_was_written_and_parts_are_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("results");
        let mut page = Page::open(&folder, empty()).expect("an empty page");
        page.take(part("second", "old"), &["first", "second"]);
        page.take(part("first", "a"), &["first", "second"]);
        page.take(part("second", "new"), &["first", "second"]);
        page.write(&folder).expect("a page");
        let found = Page::open(&folder, empty()).expect("the page");
        assert_eq!(found, page);
        assert_eq!(found.parts.iter().map(|part| part.title.as_str()).collect::<Vec<_>>(), ["a", "new"]);
        let csv = fs::read_to_string(folder.join("second-costs.csv")).expect("a table");
        assert_eq!(csv, "l,cost,share,why\n45222,0.5,0.000017,new\n1.25,,,\n");
        // What an earlier version wrote has no word on its data.
        let text = fs::read_to_string(folder.join(RESULTS)).expect("results");
        let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["data"]["used"], 49_479);
        json.as_object_mut().expect("an object").remove("data");
        fs::write(folder.join(RESULTS), json.to_string()).expect("written");
        assert_eq!(Page::open(&folder, empty()).expect("the page").parts.len(), 2);
        let other = Page { experiment: "other".to_string(), ..empty() };
        assert!(Page::open(&folder, other).is_err());
    }

    #[test]
    fn nobodys_files_are_written_over() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("thesis.txt"), "").expect("a file");
        assert!(Page::open(folder.path(), empty()).is_err());
    }

    #[test]
    fn a_page_has_no_scripts_and_fetches_nothing() {
        let mut page = empty();
        page.take(part("one", "<script>alert(1)</script>\""), &["one"]);
        let html = page.to_html().expect("a page");
        assert!(!html.contains("<script"), "{html}");
        assert!(!html.contains("http:") && !html.contains("src="), "{html}");
        assert!(html.contains("<svg") && html.contains("0.0017 %") && html.contains("no release"));
        assert!(html.contains("49,479 of 99,762 records of people.csv"), "{html}");
    }

    #[test]
    fn a_part_that_shows_the_runs_of_others_does_not_say_how_long_it_took() {
        let mut page = empty();
        page.take(part("one", "a"), &["one", "two"]);
        page.take(PartResult { shared: true, ..part("two", "b") }, &["one", "two"]);
        let html = page.to_html().expect("a page");
        assert_eq!(
            (html.matches("Took ").count(), html.matches("Shows runs that parts above made").count()),
            (1, 1)
        );
    }

    #[test]
    fn numbers_keep_three_digits() {
        let shown: Vec<String> = [0.0, 0.000_171, 0.1, 17.06, 1234.5, -2.5, f64::NAN]
            .iter()
            .map(|value| significant(*value, 3))
            .collect();
        assert_eq!(shown, ["0", "0.000171", "0.1", "17.1", "1234", "-2.5", "–"]);
        assert_eq!(percent_range([0.22, 0.13]), Some("13 to 22 %".to_string()));
        assert_eq!(percent_range([]), None);
    }
}
