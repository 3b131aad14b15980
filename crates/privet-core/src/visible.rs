//! Text that others wrote, as a terminal may have it: what would move the cursor, colour the screen or turn the direction of
//! writing is shown instead of done.

use std::borrow::Cow;

/// A text of several lines with its control characters escaped; line ends and tabs stay.
///
/// ```
/// assert_eq!(privet_core::visible::lines("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\n");
/// ```
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |sign| acts(sign) && !matches!(sign, '\n' | '\t'), |sign| sign.escape_default().to_string())
}

/// A value on a line of its own: no character of it ends the line.
///
/// ```
/// assert_eq!(privet_core::visible::line("flu\naudit passed"), "flu\\naudit passed");
/// ```
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, acts, |sign| sign.escape_default().to_string())
}

/// JSON without characters that act on a terminal: inside its strings they are escaped as JSON does. JSON itself needs no
/// control characters but line ends.
pub fn json(text: &str) -> Cow<'_, str> {
    // All that acts is below U+10000, so one escape each is enough.
    escaped(text, |sign| acts(sign) && sign != '\n', |sign| format!("\\u{:04x}", u32::from(sign)))
}

/// Whether a terminal does something at this character, or shows nothing at all: controls old and new, other line ends, marks of
/// direction, and characters without a width, by which two values that look the same may differ. Joiners stay: words of some
/// languages need them.
fn acts(sign: char) -> bool {
    sign.is_control()
        || matches!(
            sign,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'
                ..='\u{202e}'
        )
        || matches!(sign, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for sign in text.chars() {
        match is_escaped(sign) {
            true => shown.push_str(&escape(sign)),
            false => shown.push(sign),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_use_1_12_no_character_acts_on_a_terminal() {
        let hostile =
            "a\u{1b}]0;owned\u{7}\u{9b}2J\r\u{8}\u{7f}\u{202e}b\u{2028}\u{feff}\u{200b}\u{ad}\u{2060}";
        for shown in [lines(hostile), line(hostile), json(hostile)] {
            assert!(!shown.chars().any(acts), "{shown:?}");
            assert!(shown.contains("]0;owned") && shown.contains("2J"), "{shown}");
        }
        assert_eq!(line("fl\u{feff}u"), "fl\\u{feff}u");
        assert_eq!(lines("one\ttwo\nthree é ≥ –"), "one\ttwo\nthree é ≥ –");
        let value = serde_json::json!({ "a": hostile });
        let text = value.to_string();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&json(&text)).expect("JSON"), value);
    }
}
