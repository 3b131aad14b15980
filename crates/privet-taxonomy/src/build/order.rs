//! Words that have an order: neighbours become one, level by level.

use std::collections::{HashMap, HashSet};

use privet_core::{Error, Result};

use crate::ROOT_LABEL;

/// A path per value, in the given order. A group is called by its first and its last value.
pub(super) fn paths(values: &[(String, u64)], order: &[String], fanout: u32) -> Result<Vec<Vec<String>>> {
    super::numbers::check_fanout(fanout)?;
    let known: HashSet<&str> = values.iter().map(|(value, _)| value.as_str()).collect();
    let mut places = HashMap::new();
    for (place, value) in order.iter().enumerate() {
        if !known.contains(value.as_str()) {
            return Err(Error::input(format!("no record has the value '{value}'"))
                .help("order values as the data spells them"));
        }
        if places.insert(value.as_str(), place).is_some() {
            return Err(Error::input(format!("'{value}' is in the order twice")));
        }
    }
    let stranger = values.iter().find(|(value, _)| !places.contains_key(value.as_str()));
    if let Some((value, _)) = stranger {
        return Err(Error::input(format!("the order leaves out '{value}'"))
            .help("list every value once, from the first to the last"));
    }
    let mut paths: Vec<Vec<String>> = order.iter().map(|value| vec![value.clone()]).collect();
    let mut size = 1usize;
    loop {
        size = size.saturating_mul(fanout as usize);
        if size >= order.len() {
            break;
        }
        for (group, members) in order.chunks(size).enumerate() {
            let name = match members {
                [only] => only.clone(),
                [first, .., last] => format!("{first} to {last}"),
                [] => continue,
            };
            let first = group * size;
            paths[first..first + members.len()].iter_mut().for_each(|path| path.push(name.clone()));
        }
    }
    paths.iter_mut().for_each(|path| path.push(ROOT_LABEL.to_string()));
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use crate::Builder;

    fn built(order: &[&str], fanout: u32) -> privet_core::Result<String> {
        let values = ["high", "low", "medium", "none", "severe"].map(|value| (value.to_string(), 1));
        let order = order.iter().map(|value| (*value).to_string()).collect();
        Builder::Ordered { order, fanout }.build(&values)?.to_text()
    }

    #[test]
    fn neighbours_become_one() {
        let order = ["none", "low", "medium", "high", "severe"];
        let text = built(&order, 2).expect("a tree");
        assert_eq!(
            text,
            "none;none to low;none to high;*\nlow;none to low;none to high;*\n\
             medium;medium to high;none to high;*\nhigh;medium to high;none to high;*\nsevere;severe;severe;*\n"
        );
        assert_eq!(built(&order, 5).expect("a tree").lines().next(), Some("none;*"));
    }

    #[test]
    fn orders_are_of_all_values_once() {
        for (order, said) in [
            (&["none", "low"][..], "leaves out 'high'"),
            (&["none", "low", "medium", "high", "severe", "low"], "'low' is in the order twice"),
            (&["none", "low", "medium", "high", "fatal"], "no record has the value 'fatal'"),
        ] {
            let error = built(order, 2).expect_err(said);
            assert!(error.message().contains(said), "{error}");
        }
        assert!(built(&["none", "low", "medium", "high", "severe"], 1).is_err());
    }
}
