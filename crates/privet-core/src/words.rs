//! Words for messages: plurals, quoted values, lists that end, and what a misspelt name was meant to be.

/// A value as messages show it: enough of it to be found, however long it is.
pub fn echoed(value: &str) -> String {
    shortened_to(value, 60, 15).unwrap_or_else(|| value.to_string())
}

/// The start and the end of what is longer than `most`.
pub(crate) fn shortened_to(text: &str, most: usize, end: usize) -> Option<String> {
    let length = text.chars().count();
    if length <= most {
        return None;
    }
    let start: String = text.chars().take(most - end).collect();
    let end: String = text.chars().skip(length - end).collect();
    Some(format!("{start} […] {end}"))
}

/// Longer names are never suggested: nobody mistypes a paragraph.
const LONGEST_NAME: usize = 200;

/// The candidate that `wanted` most likely was meant to be, if any is near enough.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    // What is far longer is not meant, and comparing it letter by letter takes memory for every pair of letters.
    let length = wanted.chars().count();
    let near = |candidate: &&str| {
        candidate.len() <= 4 * (LONGEST_NAME + 1) && {
            let other = candidate.chars().count();
            other.max(length) <= LONGEST_NAME && other.abs_diff(length) <= 1 + other.max(length) / 4
        }
    };
    candidates
        .into_iter()
        .filter(near)
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| {
            // Something has to agree: F is not meant by Z.
            let longer = candidate.chars().count().max(length);
            *distance <= 1 + longer / 4 && *distance < longer.max(1)
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// "did you mean 'age'?", or the list of what there is.
pub fn suggestion(wanted: &str, candidates: &[&str], what: &str) -> String {
    match nearest(wanted, candidates.iter().copied()) {
        Some(near) => format!("did you mean '{near}'?"),
        None if candidates.is_empty() => format!("there are no {what}"),
        None => format!("{what}: {}", shortened(candidates)),
    }
}

/// The noun for a count: `record` for 1, else `records`.
pub fn noun<'w>(count: u64, one: &'w str, many: &'w str) -> &'w str {
    if count == 1 { one } else { many }
}

/// A number of things in words: `1 record`, `2 records`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", noun(count, one, many))
}

/// A number of things whose description begins with their noun in the plural: `2 records of a group`, `1 record of a group`.
pub fn described(count: u64, what: &str) -> String {
    const NOUNS: [(&str, &str); 12] = [
        ("records", "record"),
        ("people", "person"),
        ("transactions", "transaction"),
        ("rows", "row"),
        ("classes", "class"),
        ("columns", "column"),
        ("values", "value"),
        ("items", "item"),
        ("groups", "group"),
        ("terms", "term"),
        ("vocabularies", "vocabulary"),
        ("cells", "cell"),
    ];
    let (first, rest) = what.split_at(what.find(' ').unwrap_or(what.len()));
    match NOUNS.iter().find(|(many, _)| count == 1 && *many == first) {
        Some((_, one)) => format!("{count} {one}{rest}"),
        None => format!("{count} {what}"),
    }
}

/// A number as a place in a row: `1st`, `2nd`, `3rd`, `11th`.
pub fn ordinal(number: u64) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// A value in quotes, so that an empty one and one with blanks can be seen.
pub fn quoted(value: &str) -> String {
    format!("'{}'", echoed(value))
}

/// The first dozen values in quotes.
pub fn shortened_values(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    shortened(&quoted.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The first dozen names, so that a table of a thousand columns does not flood the terminal.
pub fn shortened(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown = names.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown}, … ({} in all)", names.len()) } else { shown }
}

/// A count with its thousands apart: 20,000.
///
/// ```
/// assert_eq!(privet_core::thousands(20_000), "20,000");
/// ```
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_use_3_places_and_counts_are_english() {
        let expected = [
            "1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "21st", "22nd", "23rd", "101st",
            "111th",
        ];
        let numbers = [1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 23, 101, 111];
        assert_eq!(numbers.map(ordinal), expected);
        assert_eq!(counted(1, "record", "records"), "1 record");
        assert_eq!(counted(0, "record", "records"), "0 records");
    }

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        assert_eq!(nearest("ocupation", ["age", "occupation"]), Some("occupation"));
        assert_eq!(nearest("zip", ["age", "occupation"]), None);
        assert_eq!((nearest("Z", ["F", "M"]), nearest("f", ["F", "M"])), (None, Some("F")));
        assert_eq!(suggestion("zip", &["age", "sex"], "columns"), "columns: age, sex");
    }
}
