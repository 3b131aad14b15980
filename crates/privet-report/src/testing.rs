//! What tests read out of a page.

/// The page's text without markup and style, one line per piece.
pub fn text_of(page: &str) -> String {
    let body = page.split("</style>").nth(1).unwrap_or_default();
    let mut text = String::new();
    for piece in body.split('<').skip(1) {
        text.push_str(piece.split_once('>').map_or("", |(_, after)| after));
        text.push('\n');
    }
    text.replace("&#x27;", "'")
}

/// The text of every element with the given tag.
pub fn texts<'a>(page: &'a str, tag: &str) -> Vec<&'a str> {
    let open = format!("<{tag}");
    page.split(&open)
        .skip(1)
        .filter_map(|rest| rest.split_once('>'))
        .filter_map(|(_, rest)| rest.split('<').next())
        .collect()
}
