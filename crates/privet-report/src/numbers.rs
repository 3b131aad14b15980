//! Numbers as people read them.

use privet_core::thousands;

/// A share as a percentage with as many digits as it takes to tell it from nothing and from everything.
pub(crate) fn percent(share: f64) -> String {
    let mut hundredths = share * 100.0;
    // What only the last bits of a float keep from a whole number is one.
    if (hundredths - hundredths.round()).abs() < 1e-9 {
        hundredths = hundredths.round();
    }
    if !share.is_finite() {
        "–".to_string()
    } else if hundredths > 0.0 && hundredths < 0.01 {
        "< 0.01 %".to_string()
    } else if hundredths > 99.99 && hundredths < 100.0 {
        "> 99.99 %".to_string()
    } else if hundredths.fract() == 0.0 || hundredths > 100.0 {
        format!("{hundredths:.0} %")
    } else if (1.0..=99.0).contains(&hundredths) {
        format!("{hundredths:.1} %")
    } else {
        format!("{hundredths:.2} %")
    }
}

/// A number that keeps four significant digits, or all of those before the point.
pub fn figure(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() { "–".to_string() } else { "∞".to_string() };
    }
    if size >= 1e15 {
        return format!("{value:.3e}");
    }
    if size >= 1000.0 || value.fract() == 0.0 {
        let sign = if value <= -0.5 { "−" } else { "" };
        return format!("{sign}{}", thousands(size.round() as u64));
    }
    let digits = if size >= 100.0 {
        1
    } else if size >= 10.0 {
        2
    } else if size >= 0.001 {
        4
    } else {
        return format!("{value:.2e}");
    };
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_readable() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.999_999), "> 99.99 %");
        assert_eq!([percent(1.0 - 1e-15), percent(1.0 - 0.8), percent(1e-15)], ["100 %", "20 %", "0 %"]);
        assert_eq!(percent(1e-6), "< 0.01 %");
        assert_eq!([percent(0.2186), percent(5.7426)], ["21.9 %", "574 %"]);
        assert_eq!(figure(61_234.5), "61,235");
        assert_eq!(figure(0.1875), "0.1875");
        assert_eq!(figure(-2.5), "-2.5");
        assert_eq!(figure(f64::NAN), "–");
    }
}
