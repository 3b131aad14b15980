//! `privet hierarchy edit`: groups are split, merged and renamed, in this order.

use privet::taxonomy::Taxonomy;
use privet::{Error, Result};

use crate::arguments::Edit;
use crate::output::Output;

pub fn run(arguments: &Edit, output: &Output) -> Result<u8> {
    super::may_write(&arguments.output, arguments.force)?;
    let mut tree = Taxonomy::read(&arguments.hierarchy)?;
    let there = |error: Error| error.in_file(&arguments.hierarchy);
    for group in &arguments.split {
        tree = tree.dissolved(group).map_err(there)?;
    }
    for merge in &arguments.merge {
        let (group, names) = parts(merge, "--merge higher=master,doctorate")?;
        let names: Vec<&str> = names.split(',').map(str::trim).collect();
        tree = tree.grouped(&names, group).map_err(there)?;
    }
    for rename in &arguments.rename {
        let (group, name) = parts(rename, "--rename higher=postgraduate")?;
        tree = tree.renamed(group, name).map_err(there)?;
    }
    super::write(&tree, &arguments.output, output)
}

/// What stands before the first sign of equality, and after it.
fn parts<'a>(text: &'a str, example: &str) -> Result<(&'a str, &'a str)> {
    text.split_once('=').filter(|(one, other)| !one.is_empty() && !other.is_empty()).ok_or_else(|| {
        Error::input(format!("'{text}' does not say what becomes of what"))
            .help(format!("write it as {example}"))
    })
}
