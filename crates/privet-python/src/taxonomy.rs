//! Hierarchies.

use std::collections::BTreeMap;
use std::path::PathBuf;

use privet::taxonomy::{Builder, DrawOptions, Taxonomy as Tree, draw};
use privet::{Error, Result};
use pyo3::prelude::*;

use crate::errors::{About, raised};

/// A tree of values.
#[pyclass(frozen, module = "privet._privet")]
pub struct Taxonomy {
    tree: Tree,
}

fn made(tree: Result<Tree>) -> PyResult<Taxonomy> {
    tree.map(|tree| Taxonomy { tree }).map_err(|error| raised(&error, &About::default()))
}

#[pymethods]
impl Taxonomy {
    /// Takes paths from each leaf to the root.
    #[staticmethod]
    fn of_paths(paths: Vec<Vec<String>>) -> PyResult<Taxonomy> {
        made(Tree::from_paths(&paths))
    }

    /// Reads a hierarchy file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Taxonomy> {
        made(Tree::read(&path))
    }

    /// Builds a hierarchy from values, each with how often it occurs.
    #[staticmethod]
    #[pyo3(signature = (kind, values, width=None, fanout=2, bins=None, breaks=None, steps=None, groups=None, least=0, other="other"))]
    #[allow(clippy::too_many_arguments)]
    fn build(
        kind: &str,
        values: Vec<(String, u64)>,
        width: Option<String>,
        fanout: u32,
        bins: Option<u32>,
        breaks: Option<Vec<Vec<String>>>,
        steps: Option<Vec<usize>>,
        groups: Option<BTreeMap<String, String>>,
        least: u64,
        other: &str,
    ) -> PyResult<Taxonomy> {
        let lacks = || Error::input("a hierarchy of this kind needs another argument");
        let builder = match kind {
            "equal-width" => width.map(|width| Builder::EqualWidth { width, fanout }).ok_or_else(lacks),
            "equal-bins" => bins.map(|bins| Builder::EqualBins { bins, fanout }).ok_or_else(lacks),
            "equal-frequency" => bins.map(|bins| Builder::EqualFrequency { bins, fanout }).ok_or_else(lacks),
            "breaks" => breaks.map(Builder::Breaks).ok_or_else(lacks),
            "dates" => Ok(Builder::Dates),
            "prefixes" => Ok(Builder::Prefixes { steps: steps.unwrap_or_default() }),
            "flat" => Ok(Builder::Flat),
            "joined" => groups
                .map(|groups| Builder::Joined { groups, least, other: other.to_string() })
                .ok_or_else(lacks),
            _ => Err(Error::input(format!("there is no hierarchy of kind '{kind}'"))),
        };
        made(builder.and_then(|builder| builder.build(&values)))
    }

    /// A path for each leaf, with a label for each level.
    fn paths(&self) -> Vec<Vec<String>> {
        let leaves = 0..self.tree.leaves();
        let label = |leaf, level| self.tree.label(self.tree.at_level(leaf, level)).to_string();
        leaves.map(|leaf| (0..self.tree.levels()).map(|level| label(leaf, level)).collect()).collect()
    }

    /// Writes a hierarchy file.
    fn write(&self, path: PathBuf) -> PyResult<()> {
        self.tree.write(&path).map_err(|error| raised(&error, &About::default()))
    }

    /// The number of levels.
    #[getter]
    fn levels(&self) -> usize {
        self.tree.levels()
    }

    /// What a value is shown as at a level.
    fn at_level(&self, value: &str, level: usize) -> PyResult<String> {
        let found = || -> Result<String> {
            let leaf = self.tree.leaf_of(value)?.ok_or_else(|| {
                Error::input(format!("the value '{value}' has no leaf")).help("add a path for it")
            })?;
            if level >= self.tree.levels() {
                let levels = self.tree.levels();
                return Err(Error::input(format!("the hierarchy has no level {level}"))
                    .help(format!("levels go from 0 to {}", levels.saturating_sub(1))));
            }
            let leaf = self.tree.leaves_below(leaf).start;
            Ok(self.tree.label(self.tree.at_level(leaf, level)).to_string())
        };
        found().map_err(|error| raised(&error, &About::default()))
    }

    /// Those of the values that have no leaf.
    fn missing(&self, values: Vec<String>) -> PyResult<Vec<String>> {
        let mut missing = Vec::new();
        for value in values {
            let leaf = self.tree.leaf_of(&value).map_err(|error| raised(&error, &About::default()))?;
            if leaf.is_none() {
                missing.push(value);
            }
        }
        Ok(missing)
    }

    /// The tree as text.
    #[pyo3(signature = (counts=None))]
    fn draw(&self, counts: Option<Vec<u64>>) -> String {
        draw(&self.tree, counts.as_deref(), DrawOptions::default())
    }
}
