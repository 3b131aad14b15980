//! Reads a finished public page again and looks for printed counts from 1 to 10.
//!
//! What depends on the original stays behind the gate. Counts of the released files may be printed, but the rule of health
//! agencies forbids small ones all the same; each passes through the lens, and this is the check that none slipped past it.

/// The cells of a page's tables, lists of counts and key figures that hold nothing but a number from 1 to 10.
pub(super) fn small_counts(page: &str) -> Vec<String> {
    let tables = elements(page, "<td", "</td>").into_iter();
    let lists = elements(page, "<dl class=\"counts\"", "</dl>");
    let counts = lists.iter().flat_map(|list| elements(list, "<dd", "</dd>"));
    let figures = elements(page, "<ul class=\"key-figures\"", "</ul>");
    let figures = figures.iter().flat_map(|list| elements(list, "<b", "</b>"));
    let is_small = |text: &String| text.parse::<u64>().is_ok_and(super::lens::is_small);
    tables.chain(counts).chain(figures).map(text_of).filter(is_small).collect()
}

/// What stands between an opening tag and its end.
fn elements<'a>(page: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let rest = page.split(open).skip(1).filter_map(|rest| rest.split_once('>'));
    rest.filter_map(|(_, inner)| inner.split_once(close)).map(|(inner, _)| inner).collect()
}

/// An element's text without markup.
fn text_of(inner: &str) -> String {
    let mut text = String::new();
    let mut inside = true;
    for character in inner.chars() {
        match character {
            '<' => inside = false,
            '>' => inside = true,
            _ if inside => text.push(character),
            _ => {}
        }
    }
    text.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_counts_are_found_wherever_counts_stand() {
        let page = "<ul class=\"key-figures\"><li><b>4</b></li></ul><dl class=\"counts\"><div><dt>x</dt><dd>7</dd></div></dl>\
                    <table><tr><td class=\"number\"><span>9</span></td><td>12</td><td>0</td><td>level 3</td></tr></table>\
                    <dl class=\"facts\"><dd>5</dd></dl>";
        assert_eq!(small_counts(page), ["9", "7", "4"]);
    }
}
