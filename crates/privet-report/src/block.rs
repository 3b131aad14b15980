//! What pages are made of: sections, and in them blocks that one template renders.

use minijinja::Value;
use serde::Serialize;

use super::gate::Datum;

/// A section of a page.
#[derive(Serialize)]
pub(crate) struct Section {
    /// Where links lead to.
    pub id: &'static str,
    /// Its name in the list of sections.
    pub name: &'static str,
    pub title: Datum,
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Serialize)]
#[serde(tag = "block", content = "with", rename_all = "kebab-case")]
pub(crate) enum Block {
    /// A paragraph; `mark` stands before it where something needs a second look.
    Prose { class: &'static str, mark: Mark, text: Datum },
    /// A heading within the section.
    Heading(Datum),
    /// Counts in a line, each with the colour that stands for it in the chart, if any.
    Counts(Vec<(Datum, Datum, &'static str)>),
    /// Facts side by side, as name and text.
    Facts(Vec<(Datum, Datum)>),
    /// Names with a text below each; `class` says how they are arranged.
    Terms { class: &'static str, terms: Vec<(Datum, Datum)> },
    /// A list; each item may have a remark in small print.
    List { class: &'static str, items: Vec<(Mark, Datum, Datum)> },
    /// A table.
    Grid(Grid),
    /// Charts with their figures.
    Charts { class: &'static str, charts: Vec<Chart> },
    /// One wide drawing without figures of its own.
    Drawing(Value),
    /// What the nodes of trees mean; `counted` says what the figures count, where there are any.
    Legend { counted: Option<&'static str> },
    /// Text as it was written.
    Verbatim(Datum),
    /// Blocks next to each other.
    Columns { left: Vec<Block>, right: Vec<Block> },
    /// Blocks that are folded away at first.
    Folded { class: &'static str, title: Datum, summary: Datum, warn: &'static str, blocks: Vec<Block> },
}

/// Whether something holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mark {
    /// Nothing is said.
    #[default]
    None,
    Holds,
    Fails,
}

/// A table; the first cell of a row names it.
#[derive(Serialize)]
pub(crate) struct Grid {
    /// What it is called by those who do not see it.
    pub label: Datum,
    /// `cards` for one that becomes a list of cards on a small screen.
    pub class: &'static str,
    pub heads: Vec<Head>,
    pub rows: Vec<Vec<Cell>>,
}

/// The name of a column, and how its cells are set.
#[derive(Serialize)]
pub(crate) struct Head {
    pub name: Datum,
    pub class: &'static str,
}

/// A cell of a table.
#[derive(Default, Serialize)]
pub(crate) struct Cell {
    pub text: Datum,
    pub mark: Mark,
    pub svg: Option<Value>,
    /// How the text is set: `code`, `strong`, or nothing.
    pub set: &'static str,
    /// Remarks in small print below.
    pub small: Vec<Datum>,
}

/// A chart with the figures that it shows.
#[derive(Serialize)]
pub(crate) struct Chart {
    pub class: &'static str,
    pub title: Datum,
    pub note: Datum,
    pub svg: Value,
    /// What opens the figures; empty where they are always seen.
    pub summary: &'static str,
    pub heads: Vec<Datum>,
    pub rows: Vec<Vec<Datum>>,
}

impl Section {
    pub(crate) fn new(
        id: &'static str,
        name: &'static str,
        title: &'static str,
        blocks: Vec<Block>,
    ) -> Section {
        Section { id, name, title: title.into(), blocks }
    }
}

impl Block {
    /// A paragraph of our words.
    pub(crate) fn words(text: &'static str) -> Block {
        Block::prose(text.into())
    }

    /// A paragraph.
    pub(crate) fn prose(text: Datum) -> Block {
        Block::Prose { class: "", mark: Mark::None, text }
    }

    /// A remark.
    pub(crate) fn aside(text: Datum) -> Block {
        Block::Prose { class: "aside", mark: Mark::None, text }
    }

    /// Charts two by two; nothing where there are none.
    pub(crate) fn charts(charts: Vec<Chart>) -> Option<Block> {
        (!charts.is_empty()).then_some(Block::Charts { class: "figures", charts })
    }

    /// Counts in a line.
    pub(crate) fn counts(counts: Vec<(Datum, Datum)>) -> Block {
        Block::Counts(counts.into_iter().map(|(name, count)| (name, count, "")).collect())
    }
}

impl Grid {
    /// A table whose rows become cards on a small screen. A head that ends in `#` is one of numbers.
    pub(crate) fn cards(label: &'static str, heads: &[&'static str], rows: Vec<Vec<Cell>>) -> Grid {
        let heads = heads.iter().map(|head| match head.strip_suffix('#') {
            Some(name) => Head { name: name.into(), class: "number" },
            None => Head { name: (*head).into(), class: "" },
        });
        Grid { label: label.into(), class: "cards", heads: heads.collect(), rows }
    }
}

impl<T: Into<Datum>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }
}

impl Cell {
    /// A dash where there is nothing to print.
    pub(crate) fn or_dash(text: Option<Datum>) -> Cell {
        text.unwrap_or_else(|| "–".into()).into()
    }

    /// With a remark below, unless it is empty.
    pub(crate) fn small(mut self, remark: impl Into<Datum>) -> Cell {
        let remark = remark.into();
        self.small.extend((!remark.is_empty()).then_some(remark));
        self
    }

    /// Set in another way.
    pub(crate) fn set(self, set: &'static str) -> Cell {
        Cell { set, ..self }
    }

    /// A chart before the text.
    pub(crate) fn drawn(svg: Value, text: impl Into<Datum>, set: &'static str) -> Cell {
        Cell { svg: Some(svg), set, ..Cell::from(text) }
    }

    /// Whether something holds.
    /// Nobody knows whether it holds.
    pub(crate) fn unknown() -> Cell {
        Cell::from("? not known")
    }

    pub(crate) fn verdict(holds: bool) -> Cell {
        match holds {
            true => Cell { mark: Mark::Holds, ..Cell::from("✓ holds") },
            false => Cell { mark: Mark::Fails, ..Cell::from("✕ fails") },
        }
    }
}

impl Chart {
    pub(crate) fn new(
        title: impl Into<Datum>,
        note: impl Into<Datum>,
        svg: Value,
        heads: &[&'static str],
        rows: Vec<Vec<Datum>>,
    ) -> Chart {
        Chart {
            class: "chart",
            title: title.into(),
            note: note.into(),
            svg,
            summary: "Figures",
            heads: heads.iter().map(|head| (*head).into()).collect(),
            rows,
        }
    }
}
