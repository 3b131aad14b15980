//! A writer of SVG that escapes every text it is given.

use std::fmt::{Display, Write};

use minijinja::{HtmlEscape, Value};

/// Where a text hangs on its point.
#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// An SVG picture in the making.
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// A coordinate, rounded so that pictures do not depend on the last bits of a float.
fn at(value: f64) -> impl Display {
    let tenths = (value * 10.0).round() / 10.0;
    if tenths.is_finite() { tenths } else { 0.0 }
}

impl Svg {
    /// An empty picture of this size.
    pub fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, body: String::new() }
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(element);
    }

    /// A rectangle.
    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, class: &str) {
        let (width, height) = (width.max(0.0), height.max(0.0));
        self.push(format_args!(
            r#"<rect class="{class}" x="{}" y="{}" width="{}" height="{}"/>"#,
            at(x),
            at(y),
            at(width),
            at(height)
        ));
    }

    /// A rectangle that says what it stands for when pointed at.
    pub fn titled_rect(&mut self, place: [f64; 4], class: &str, title: &str) {
        let [x, y, width, height] = place;
        self.push(format_args!(
            r#"<rect class="{class}" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>"#,
            at(x),
            at(y),
            at(width.max(0.0)),
            at(height.max(0.0)),
            HtmlEscape(title)
        ));
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.push(format_args!(
            r#"<line class="{class}" x1="{}" y1="{}" x2="{}" y2="{}"/>"#,
            at(from.0),
            at(from.1),
            at(to.0),
            at(to.1)
        ));
    }

    /// A line through points; each step goes across first, then up or down, as a cumulative curve does.
    pub fn steps(&mut self, points: &[(f64, f64)], class: &str) {
        let mut path = String::new();
        for (index, &(x, y)) in points.iter().enumerate() {
            let _ = if index == 0 {
                write!(path, "M{} {}", at(x), at(y))
            } else {
                write!(path, "H{}V{}", at(x), at(y))
            };
        }
        self.push(format_args!(r#"<path class="{class}" d="{path}"/>"#));
    }

    /// A circle around a point.
    pub fn circle(&mut self, x: f64, y: f64, radius: f64, class: &str) {
        self.push(format_args!(
            r#"<circle class="{class}" cx="{}" cy="{}" r="{}"/>"#,
            at(x),
            at(y),
            at(radius)
        ));
    }

    /// A triangle that stands on its tip's opposite side, the tip at the point.
    pub fn triangle(&mut self, x: f64, y: f64, size: f64, class: &str) {
        self.push(format_args!(
            r#"<path class="{class}" d="M{} {}L{} {}H{}Z"/>"#,
            at(x),
            at(y),
            at(x - size),
            at(y + size * 1.5),
            at(x + size)
        ));
    }

    /// A triangle that points to the right, the tip at the point.
    pub fn arrow(&mut self, x: f64, y: f64, size: f64, class: &str) {
        self.push(format_args!(
            r#"<path class="{class}" d="M{} {}L{} {}V{}Z"/>"#,
            at(x),
            at(y),
            at(x - size * 1.5),
            at(y - size),
            at(y + size)
        ));
    }

    /// A text at a point.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            r#"<text class="{class}" x="{}" y="{}" text-anchor="{anchor}">{}</text>"#,
            at(x),
            at(y),
            HtmlEscape(text)
        ));
    }

    /// A text cut to `width`, with the whole of it shown when pointed at.
    pub fn label(&mut self, x: f64, y: f64, width: f64, class: &str, text: &str) {
        let short = fitted(text, width);
        if short == text {
            self.text(x, y, Anchor::Start, class, text);
        } else {
            self.push(format_args!(
                r#"<text class="{class}" x="{}" y="{}">{}<title>{}</title></text>"#,
                at(x),
                at(y),
                HtmlEscape(&short),
                HtmlEscape(text)
            ));
        }
    }

    /// The picture, ready to stand in a page; `title` is what a screen reader says.
    pub fn finish(self, title: &str) -> Value {
        let title = HtmlEscape(title);
        let (width, height) = (at(self.width), at(self.height));
        Value::from_safe_string(format!(
            r#"<svg role="img" aria-label="{title}" viewBox="0 0 {width} {height}" width="{width}" height="{height}"><title>{title}</title>{}</svg>"#,
            self.body
        ))
    }
}

/// How wide a text is at most in the charts' type size; East Asian characters are as wide as they are high. Which type a page is
/// shown in is not known: the widths are those of a wide one, so that labels do not run into what they stand next to.
pub fn width_of(text: &str) -> f64 {
    text.chars().map(width_of_char).sum()
}

fn width_of_char(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | 'I' | ' ' | '.' | ',' | ':' | ';' | '|' | '\'' => 4.0,
        't' | 'f' | 'r' | '(' | ')' => 4.9,
        'm' | 'w' | 'M' | 'W' | '=' | '%' => 11.4,
        'A'..='Z' => 8.6,
        character if (character as u32) >= 0x1100 && !('\u{2000}'..='\u{206f}').contains(&character) => 12.0,
        _ => 7.5,
    }
}

/// A text that fits into `width`, with an ellipsis where it had to be cut.
pub fn fitted(text: &str, width: f64) -> String {
    if width_of(text) <= width {
        return text.to_string();
    }
    let mut used = width_of_char('…');
    let mut short = String::new();
    for character in text.chars() {
        used += width_of_char(character);
        if used > width {
            break;
        }
        short.push(character);
    }
    format!("{}…", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_titles_are_escaped() {
        let mut svg = Svg::new(10.0, 10.0);
        svg.text(0.0, 0.0, Anchor::Start, "t", "<script>");
        svg.label(0.0, 0.0, 20.0, "t", "\"<script>alert(1)</script>");
        svg.titled_rect([0.0; 4], "t", "</title><script>");
        let picture = svg.finish("\"><script>").to_string();
        assert!(!picture.contains("<script"), "{picture}");
        assert!(!picture.contains("\"\">"), "{picture}");
    }

    #[test]
    fn long_texts_are_cut_and_short_ones_are_not() {
        assert_eq!(fitted("short", 100.0), "short");
        let cut = fitted("a very long label indeed", 60.0);
        assert!(cut.ends_with('…') && width_of(&cut) <= 60.0, "{cut}");
        assert_eq!(fitted("wide", 1.0), "…");
    }

    #[test]
    fn a_coordinate_that_is_no_number_does_not_break_the_picture() {
        let mut svg = Svg::new(10.0, 10.0);
        svg.rect(f64::NAN, f64::INFINITY, 1.0, 1.0, "t");
        assert!(svg.finish("").to_string().contains(r#"x="0" y="0""#));
    }
}
