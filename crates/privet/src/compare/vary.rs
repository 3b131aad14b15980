//! The settings that a comparison runs over: policies as they are, or one or more of them over a grid of values.

use std::path::Path;

use privet_core::{Error, Result};
use privet_policy::Policy;
use serde_json::Value as Json;

/// More settings than this are a slip of the finger, or more work than anybody meant.
const MOST: usize = 1000;

/// A policy to compare.
#[derive(Debug)]
pub struct Candidate {
    /// Its name in tables and plots.
    pub label: String,
    /// The policy, with the settings to try.
    pub policy: Policy,
    /// Whether this is what the steward has chosen so far.
    pub chosen: bool,
}

/// A key with the values to try.
struct Axis<'a> {
    key: &'a str,
    values: Vec<&'a str>,
}

/// All candidates: every policy under every combination of values, and as it is written. Each of `vary` is a key with its values,
/// as in `privacy.k-anonymity.k=2,5,10`.
pub fn candidates(paths: &[impl AsRef<Path>], vary: &[String]) -> Result<Vec<Candidate>> {
    let axes: Vec<Axis<'_>> = vary.iter().map(|text| axis(text)).collect::<Result<_>>()?;
    let combinations = product(&axes)?;
    let mut candidates = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        let path = path.as_ref();
        let written = Policy::read(path)?;
        axes.iter().try_for_each(|axis| is_whole(axis.key, &written.to_json()))?;
        let name = path.display().to_string();
        let mut own = Vec::new();
        for settings in combinations.iter().filter(|settings| !settings.is_empty()) {
            let policy = written.varied(settings)?;
            let values: Vec<String> = settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let values = values.join(" ");
            let label = if paths.len() == 1 { values } else { format!("{name} {values}") };
            let same = at == 0 && policy.to_json() == written.to_json();
            own.push(Candidate { label, policy, chosen: same });
        }
        // What is written in the first policy is the point to compare with; where the grid misses it, it is added.
        let as_written = own.is_empty() || (at == 0 && !own.iter().any(|candidate| candidate.chosen));
        if as_written {
            let label = if own.is_empty() { name } else { "as written".to_string() };
            own.insert(0, Candidate { label, policy: written, chosen: at == 0 });
        }
        candidates.extend(own);
    }
    Ok(candidates)
}

/// Refuses the last part of a key where the policy has whole ones that end in it.
fn is_whole(key: &str, policy: &Json) -> Result<()> {
    if key.contains('.') || policy.get(key).is_some() {
        return Ok(());
    }
    let meant = ending_in(key, policy, "");
    if meant.is_empty() {
        return Ok(());
    }
    Err(Error::input(format!("--vary {key}: a key is written with the tables that it is in"))
        .help(format!("did you mean {}?", meant.join(" or "))))
}

/// The keys of a policy whose last part is this one.
fn ending_in(key: &str, tables: &Json, place: &str) -> Vec<String> {
    let inner = tables.as_object().into_iter().flatten().filter(|(_, value)| value.is_object());
    inner
        .flat_map(|(name, table)| {
            let name = format!("{place}{name}");
            let own = table.get(key).map(|_| format!("{name}.{key}"));
            own.into_iter().chain(ending_in(key, table, &format!("{name}."))).collect::<Vec<_>>()
        })
        .collect()
}

fn axis(text: &str) -> Result<Axis<'_>> {
    let wrong = |why: &str| {
        Error::input(format!("--vary {text}: {why}"))
            .help("write a key with its values, as in --vary privacy.k-anonymity.k=2,5,10")
    };
    let (key, values) = text.split_once('=').ok_or_else(|| wrong("there is no '='"))?;
    let values = listed(values);
    if values.iter().any(|value| value.is_empty()) {
        return Err(wrong("a value is empty"));
    }
    Ok(Axis { key: key.trim(), values })
}

/// Values between commas; commas in quotes or brackets do not separate.
fn listed(text: &str) -> Vec<&str> {
    let (mut values, mut start, mut depth, mut quote) = (Vec::new(), 0, 0u32, None);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                values.push(text[start..at].trim());
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    values.push(text[start..].trim());
    values
}

/// Every combination of one value per key; one without any where there are no keys.
fn product<'a>(axes: &[Axis<'a>]) -> Result<Vec<Vec<(&'a str, &'a str)>>> {
    let mut combinations: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for axis in axes {
        if combinations.len().saturating_mul(axis.values.len()) > MOST {
            return Err(Error::input(format!("--vary asks for more than {MOST} settings"))
                .help("vary fewer keys at once, or try fewer values of each"));
        }
        let with = |combination: &Vec<(&'a str, &'a str)>| {
            let combination = combination.clone();
            let values = axis.values.iter();
            values
                .map(move |value| [combination.as_slice(), &[(axis.key, *value)]].concat())
                .collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(with).collect();
    }
    Ok(combinations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_separated_by_commas_outside_of_quotes_and_brackets() {
        assert_eq!(listed("2, 5,10"), ["2", "5", "10"]);
        assert_eq!(
            listed("\"1/2, or so\",{ a = 1, b = 2 },[1,2]"),
            ["\"1/2, or so\"", "{ a = 1, b = 2 }", "[1,2]"]
        );
        assert_eq!(listed(""), [""]);
        assert!(axis("k").is_err() && axis("k=").is_err() && axis("k=1,,2").is_err());
    }

    #[test]
    fn several_keys_make_a_grid() {
        let axes = [axis("a=1,2").expect("an axis"), axis("b=x,y,z").expect("an axis")];
        let grid = product(&axes).expect("a grid");
        assert_eq!(grid.len(), 6);
        assert_eq!(
            (grid[0].as_slice(), grid[5].as_slice()),
            (&[("a", "1"), ("b", "x")][..], &[("a", "2"), ("b", "z")][..])
        );
        let many: Vec<String> = (0..40).map(|value| value.to_string()).collect();
        let many = format!("a={}", many.join(","));
        assert!(product(&[axis(&many).expect("an axis"), axis(&many).expect("an axis")]).is_err());
    }
}
