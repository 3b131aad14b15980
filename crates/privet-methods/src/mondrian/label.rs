//! The text of a set of values: `{a, b}`, with the values in canonical order.

use std::cmp::Ordering;

use privet_taxonomy::number;

/// Whether a value would be taken for a set.
pub(super) fn reads_as_set(value: &str) -> bool {
    value.starts_with('{') && value.ends_with('}')
}

/// The label of the values that occur in a class. One value is written as itself.
pub(super) fn set_label(values: &[&str]) -> String {
    if let [only] = values {
        return (*only).to_string();
    }
    let mut values = values.to_vec();
    values.sort_by(|one, other| canonical(one, other));
    format!("{{{}}}", values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", "))
}

/// Numbers by size, everything else before them by its bytes.
fn canonical(one: &str, other: &str) -> Ordering {
    let size = |value: &str| number(value.trim()).unwrap_or(f64::NEG_INFINITY);
    size(one).total_cmp(&size(other)).then_with(|| one.cmp(other))
}

/// A value in quotes where its end would not be seen without; quotes inside are doubled.
fn quoted(value: &str) -> String {
    if value.is_empty() || value.contains([',', '{', '}', '"']) || value.trim() != value {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_one_spelling() {
        assert_eq!(set_label(&["b"]), "b");
        assert_eq!(set_label(&["b", "a"]), "{a, b}");
        assert_eq!(set_label(&["10", "9", "x"]), "{x, 9, 10}");
        assert_eq!(set_label(&[" 10", "9 ", "x"]), "{x, \"9 \", \" 10\"}");
        assert_eq!(
            set_label(&["a, b", "c}", " d", "", "e\"f"]),
            "{\"\", \" d\", \"a, b\", \"c}\", \"e\"\"f\"}"
        );
        assert!(reads_as_set("{a, b}") && !reads_as_set("a}"));
    }
}
