//! Reads a finished public page again and looks for counts from 1 to 10, printed or to be had by subtraction.
//!
//! Every count passes through the lens on its way into a page; this is the check that none slipped past it.

/// The largest count that could point at a person, and the least that does not.
const SMALL: u64 = 10;

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

/// Who was left out: the subgroups of which a reader who subtracts, or divides a count by its share, learns a count from 1 to
/// 10, or more than that it is one.
pub(super) fn derived_counts(page: &str) -> Vec<String> {
    let lists = elements(page, "<dl class=\"counts\"", "</dl>");
    let parts = lists.iter().flat_map(|list| list.split("</dt><dd>").zip(list.split("</dt><dd>").skip(1)));
    let mut total = parts.filter(|(name, _)| name.ends_with("Suppressed")).map(|(_, count)| count);
    let total = total.next().and_then(|count| number(count.split('<').next().unwrap_or_default()));
    let section = elements(page, "<section id=\"suppressed\"", "</section>");
    let tables = section.iter().flat_map(|section| elements(section, "<table", "</table>"));
    tables.flat_map(|table| derived_in(table, total)).collect()
}

/// One subgroup as the page prints it.
struct Row {
    label: String,
    /// The least and the most that the count may be.
    range: (u64, u64),
    /// How many of the subgroup are not left out at most, as far as count and share tell.
    rest: Option<f64>,
}

fn derived_in(table: &str, total: Option<u64>) -> Vec<String> {
    let body = table.split("<tbody>").nth(1).unwrap_or_default();
    let rows: Vec<(String, Vec<String>)> = (elements(body, "<tr", "</tr>").into_iter())
        .map(|row| {
            let cells = elements(row, "<td", "</td>").into_iter().map(text_of).collect();
            (elements(row, "<th", "</th>").into_iter().map(text_of).collect(), cells)
        })
        .collect();
    // Beside hidden counts, a withheld one is known to be larger.
    let hides = rows.iter().any(|(_, cells)| cells.first().is_some_and(|cell| cell == "1–10"));
    let rows: Vec<Row> = rows.into_iter().map(|(label, cells)| Row::read(label, &cells, hides)).collect();
    let derived = |(at, row): (usize, &Row)| {
        let others = rows.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other.range);
        let (least, most) = others.fold((0u64, 0u64), |(least, most), range| {
            (least.saturating_add(range.0), most.saturating_add(range.1))
        });
        let narrowed = total.map_or(row.range, |total| {
            (row.range.0.max(total.saturating_sub(most)), row.range.1.min(total.saturating_sub(least)))
        });
        let printed = row.range.0 == row.range.1;
        let told = !printed && narrowed != row.range && (1..=SMALL).contains(&narrowed.1);
        told || row.rest.is_some_and(|rest| rest > 0.5 && rest < SMALL as f64 + 0.5)
    };
    rows.iter().enumerate().filter(|entry| derived(*entry)).map(|(_, row)| row.label.clone()).collect()
}

impl Row {
    fn read(label: String, cells: &[String], hides: bool) -> Row {
        let count = cells.first().map_or("", String::as_str);
        let known = number(count);
        let range = match (known, count) {
            (Some(known), _) => (known, known),
            (None, "1–10") => (1, SMALL),
            (None, _) if hides => (SMALL + 1, u64::MAX),
            (None, _) => (0, u64::MAX),
        };
        let share = cells.last().and_then(|share| least_share(share)).filter(|share| *share > 0.0);
        let rest = known.zip(share).map(|(known, share)| known as f64 / share - known as f64);
        Row { label, range, rest }
    }
}

/// The least share that is printed as this text.
fn least_share(text: &str) -> Option<f64> {
    let hundredths = text.trim_start_matches(['<', '>', ' ']).strip_suffix(" %")?;
    let digits = hundredths.split_once('.').map_or("", |(_, digits)| digits).len() as i32;
    // Whole ones are not rounded.
    let rounded = if digits == 0 { 0.0 } else { 0.5 * 10_f64.powi(-digits) };
    Some((hundredths.parse::<f64>().ok()? - rounded) / 100.0)
}

/// A count as pages print it, thousands apart.
fn number(text: &str) -> Option<u64> {
    text.replace(',', "").parse().ok()
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

    fn left_out(total: &str, rows: &[(&str, &str, &str)]) -> Vec<String> {
        let row = |(label, count, share): &(&str, &str, &str)| {
            format!("<tr><th scope=\"row\">{label}</th><td>{count}</td><td>{share}</td></tr>")
        };
        let rows: String = rows.iter().map(row).collect();
        derived_counts(&format!(
            "<dl class=\"counts\"><div><dt>Released</dt><dd>900</dd></div><div><dt><i class=\"swatch\"></i>Suppressed</dt>\
             <dd>{total}</dd></div></dl><section id=\"suppressed\"><table class=\"data\"><thead><tr><th>Subgroup</th></tr>\
             </thead><tbody>{rows}</tbody></table></section>"
        ))
    }

    #[test]
    fn counts_that_follow_are_found() {
        assert_eq!(left_out("32", &[("x", "30", "9 %"), ("y", "1–10", "–"), ("z", "1–10", "–")]), ["y", "z"]);
        assert_eq!(left_out("40", &[("x", "37", "9 %"), ("y", "withheld", "–")]), ["y"]);
        assert_eq!(left_out("1,325", &[("x", "325", "97.3 %"), ("y", "1,000", "20 %")]), ["x"]);
        let safe: [&[(&str, &str, &str)]; 4] = [
            &[("x", "withheld", "–"), ("y", "1–10", "–"), ("z", "1–10", "–")],
            &[("x", "21", "9 %"), ("y", "1–10", "–"), ("z", "1–10", "–")],
            &[("x", "32", "nearly all"), ("y", "0", "0 %")],
            &[("x", "withheld", "–"), ("y", "withheld", "–")],
        ];
        for rows in safe {
            assert_eq!(left_out("32", rows), Vec::<String>::new(), "{rows:?}");
        }
    }
}
