//! Released cells that spell a set of values: `{a, b}`.
//!
//! A set stands for its members and nothing else. It is written with two members or more, numbers by rising size and
//! everything else before them by its bytes, with a comma and a blank between two. A member is quoted if it is empty, has a
//! comma, a brace or a quote, or a blank at an end; quotes inside are doubled.

use super::cover::number_of;

/// The members of a set as a cell lists them; `None` for a cell that is not a list in braces. Other tools may write them in
/// another order, or without blanks: see `spelt`.
///
/// ```
/// use privet_audit::definitions::set_members;
/// assert_eq!(set_members("{Bergen, \"Oslo, city\"}").unwrap(), ["Bergen", "Oslo, city"]);
/// assert_eq!(set_members("Oslo"), None);
/// ```
pub fn set_members(cell: &str) -> Option<Vec<String>> {
    let mut rest = cell.strip_prefix('{')?.strip_suffix('}')?;
    let mut members = Vec::new();
    loop {
        let member;
        (member, rest) = next_member(rest.trim_start())?;
        members.push(member);
        match rest.trim_start().strip_prefix(',') {
            Some(more) => rest = more,
            None => return rest.trim_start().is_empty().then_some(members),
        }
    }
}

/// The first member of a list, and what follows it.
fn next_member(list: &str) -> Option<(String, &str)> {
    let Some(quoted) = list.strip_prefix('"') else {
        let end = list.find(',').unwrap_or(list.len());
        let member = list[..end].trim();
        return (!member.is_empty()).then(|| (member.to_string(), &list[end..]));
    };
    let mut member = String::new();
    let mut rest = quoted;
    loop {
        let end = rest.find('"')?;
        member.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(more) => {
                member.push('"');
                rest = more;
            }
            None => return Some((member, rest)),
        }
    }
}

/// How a set of these members has to be written.
pub(super) fn spelt(members: &[String]) -> String {
    let mut members = members.to_vec();
    let size = |member: &String| number_of(member).unwrap_or(f64::NEG_INFINITY);
    members.sort_by(|one, other| size(one).total_cmp(&size(other)).then_with(|| one.cmp(other)));
    members.dedup();
    let needs_quotes = |member: &str| {
        let ends = [member.chars().next(), member.chars().next_back()];
        ends.iter().any(|end| end.is_none_or(char::is_whitespace))
            || member.chars().any(|char| matches!(char, ',' | '{' | '}' | '"'))
    };
    let written = |member: &String| match needs_quotes(member) {
        true => format!("\"{}\"", member.replace('"', "\"\"")),
        false => member.clone(),
    };
    match members.as_slice() {
        [only] => only.clone(),
        _ => format!("{{{}}}", members.iter().map(written).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use privet_core::testing::cases;

    #[test]
    fn a_list_in_braces_is_read_member_by_member() {
        let read = |cell: &str| set_members(cell).map(|members| members.join("|"));
        assert_eq!(read("{a, b}").as_deref(), Some("a|b"));
        assert_eq!(read("{b,a}").as_deref(), Some("b|a"));
        assert_eq!(read("{\"a, b\", \"\", \"x\"\"y\"}").as_deref(), Some("a, b||x\"y"));
        for wrong in ["a", "{}", "{a,}", "{a, , b}", "{\"a}", "{\"a\" b}", "[a, b]"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #![proptest_config(cases(300))]

        #[test]
        fn what_is_spelt_reads_as_the_same_members(members in prop::collection::btree_set("[ab,{}\" 19]{0,4}", 2..5)) {
            let members: Vec<String> = members.into_iter().collect();
            let cell = spelt(&members);
            let mut read = set_members(&cell).expect("a set");
            prop_assert_eq!(&spelt(&read), &cell);
            read.sort();
            prop_assert_eq!(read, members);
        }
    }
}
