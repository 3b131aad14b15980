//! Ranges over numbers. All arithmetic is in integers (multiples of the smallest decimal place in use), so that ranges
//! nest exactly and labels have no stray digits.

use super::super::{ROOT_LABEL, range};
use privet_core::{Error, Result};

/// Numbers have at most this many digits before and this many after the point, so that sums and products fit 128 bits.
const MOST_DIGITS: u32 = 15;
const MOST_FANOUT: u32 = 1_000_000;

/// Numbers as multiples of 10^-places.
struct Scale {
    places: u32,
}

impl Scale {
    /// The scale in which all of these are whole.
    fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Scale> {
        let mut places = 0;
        for text in texts {
            places = places.max(decimal_places(text)?);
        }
        Ok(Scale { places })
    }

    fn read(&self, text: &str) -> Result<i128> {
        let wrong = || not_a_number(text);
        let (negative, digits, last) = range::decimal(text.trim()).ok_or_else(wrong)?;
        if digits.is_empty() {
            return Ok(0);
        }
        let power = u32::try_from(last + i64::from(self.places)).map_err(|_| wrong())?;
        let number = digits.parse::<i128>().ok().zip(10i128.checked_pow(power));
        let number = number.and_then(|(digits, power)| digits.checked_mul(power)).ok_or_else(wrong)?;
        if number >= 10i128.pow(MOST_DIGITS + self.places) {
            return Err(wrong());
        }
        Ok(if negative { -number } else { number })
    }

    fn write(&self, number: i128) -> String {
        let power = 10u128.pow(self.places);
        let (whole, fraction) = (number.unsigned_abs() / power, number.unsigned_abs() % power);
        let sign = if number < 0 { "-" } else { "" };
        if fraction == 0 {
            return format!("{sign}{whole}");
        }
        let fraction = format!("{fraction:0width$}", width = self.places as usize);
        format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
    }
}

fn decimal_places(text: &str) -> Result<u32> {
    let (_, _, last) = range::decimal(text.trim()).ok_or_else(|| not_a_number(text))?;
    u32::try_from(last.min(0).unsigned_abs())
        .ok()
        .filter(|places| *places <= MOST_DIGITS)
        .ok_or_else(|| not_a_number(text))
}

fn not_a_number(text: &str) -> Error {
    Error::input(format!("'{text}' is not a number that ranges can hold")).help(format!(
        "write numbers such as 12 or -0.5, with at most {MOST_DIGITS} digits on either side of the point; \
         list spellings of a missing value under `missing` in the policy"
    ))
}

/// The values in numeric order, with their counts.
struct Column<'a> {
    scale: Scale,
    values: Vec<(i128, &'a str, u64)>,
}

impl<'a> Column<'a> {
    fn new(values: &'a [(String, u64)], parameters: &[&str]) -> Result<Self> {
        let texts = values.iter().map(|(value, _)| value.as_str()).chain(parameters.iter().copied());
        let scale = Scale::of(texts)?;
        let mut numbers = Vec::with_capacity(values.len());
        for (value, count) in values {
            numbers.push((scale.read(value)?, value.as_str(), *count));
        }
        numbers.sort_unstable();
        Ok(Column { scale, values: numbers })
    }

    fn least(&self) -> i128 {
        self.values.first().map_or(0, |(number, ..)| *number)
    }

    fn greatest(&self) -> i128 {
        self.values.last().map_or(0, |(number, ..)| *number)
    }

    /// One path per value, through the range of each level that holds it. A level of one range is the root.
    fn paths(&self, levels: &[Level]) -> Vec<Vec<String>> {
        let mut paths: Vec<Vec<String>> =
            self.values.iter().map(|(_, value, _)| vec![value.to_string()]).collect();
        for level in levels {
            let labels: Vec<String> =
                self.values.iter().map(|(number, ..)| level.label(*number, &self.scale)).collect();
            if labels.iter().all(|label| *label == labels[0]) {
                break;
            }
            for (path, label) in paths.iter_mut().zip(labels) {
                path.push(label);
            }
        }
        for path in &mut paths {
            path.push(ROOT_LABEL.to_string());
        }
        paths
    }

    /// Ranges of a width from a start on, then `fanout` times as wide, until one range holds all values.
    fn grid(&self, start: i128, width: i128, fanout: u32) -> Vec<Level> {
        let mut levels = Vec::new();
        let mut width = width;
        while start + width <= self.greatest() {
            levels.push(Level::Grid { start, width });
            width *= i128::from(fanout);
        }
        levels
    }
}

/// A division of the number line.
enum Level {
    /// Ranges of one width.
    Grid { start: i128, width: i128 },
    /// Ranges between breaks, and those below the first and from the last on. The last one may end at a known value.
    Breaks { breaks: Vec<i128>, greatest: Option<i128> },
}

impl Level {
    fn label(&self, number: i128, scale: &Scale) -> String {
        match self {
            Level::Grid { start, width } => {
                let low = start + (number - start).div_euclid(*width) * width;
                format!("[{},{})", scale.write(low), scale.write(low + width))
            }
            Level::Breaks { breaks, greatest } => {
                let above = breaks.partition_point(|end| *end <= number);
                let low =
                    above.checked_sub(1).and_then(|below| breaks.get(below)).map(|end| scale.write(*end));
                let high = breaks.get(above).map(|end| scale.write(*end));
                match (low, high) {
                    (Some(low), Some(high)) => format!("[{low},{high})"),
                    (None, Some(high)) => format!("<{high}"),
                    (Some(low), None) => match greatest {
                        Some(greatest) => format!("[{low},{}]", scale.write(*greatest)),
                        None => format!(">={low}"),
                    },
                    (None, None) => ROOT_LABEL.to_string(),
                }
            }
        }
    }
}

pub(super) fn check_fanout(fanout: u32) -> Result<()> {
    if (2..=MOST_FANOUT).contains(&fanout) {
        return Ok(());
    }
    Err(Error::input(format!("a fanout of {fanout}"))
        .help(format!("join 2 to {MOST_FANOUT} ranges per level")))
}

fn check_bins(bins: u32) -> Result<()> {
    if bins > 0 {
        return Ok(());
    }
    Err(Error::input("a level of 0 ranges").help("ask for at least 1"))
}

pub(super) fn equal_width(values: &[(String, u64)], width: &str, fanout: u32) -> Result<Vec<Vec<String>>> {
    check_fanout(fanout)?;
    let column = Column::new(values, &[width])?;
    let step = column.scale.read(width)?;
    if step <= 0 {
        return Err(Error::input(format!("a range of width '{width}'")).help("use a width above 0"));
    }
    let start = column.least().div_euclid(step) * step;
    Ok(column.paths(&column.grid(start, step, fanout)))
}

pub(super) fn equal_bins(values: &[(String, u64)], bins: u32, fanout: u32) -> Result<Vec<Vec<String>>> {
    check_fanout(fanout)?;
    check_bins(bins)?;
    let column = Column::new(values, &[])?;
    // The next width above (greatest - least) / bins: the ranges are open above and must hold the greatest value.
    let width = (column.greatest() - column.least()) / i128::from(bins) + 1;
    Ok(column.paths(&column.grid(column.least(), width, fanout)))
}

pub(super) fn equal_frequency(values: &[(String, u64)], bins: u32, fanout: u32) -> Result<Vec<Vec<String>>> {
    check_fanout(fanout)?;
    check_bins(bins)?;
    let column = Column::new(values, &[])?;
    let total: u128 = column.values.iter().map(|(.., count)| u128::from(*count)).sum();
    let mut breaks = vec![column.least()];
    let mut below: u128 = 0;
    for (number, _, count) in &column.values {
        // A range closes as soon as the ranges so far hold their share; equal numbers stay together.
        let full = below.saturating_mul(u128::from(bins)) >= total.saturating_mul(breaks.len() as u128);
        if full && breaks.last() != Some(number) && (breaks.len() as u32) < bins {
            breaks.push(*number);
        }
        below += u128::from(*count);
    }
    let greatest = Some(column.greatest());
    let levels = thinned(breaks, fanout as usize).map(|breaks| Level::Breaks { breaks, greatest });
    Ok(column.paths(&levels.collect::<Vec<_>>()))
}

pub(super) fn breaks(values: &[(String, u64)], lists: &[Vec<String>]) -> Result<Vec<Vec<String>>> {
    let texts: Vec<&str> = lists.iter().flatten().map(String::as_str).collect();
    let column = Column::new(values, &texts)?;
    let mut levels: Vec<Vec<i128>> = Vec::new();
    for list in lists {
        let breaks = list.iter().map(|text| column.scale.read(text)).collect::<Result<Vec<_>>>()?;
        if let Some(at) = breaks.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(Error::input(format!("the break '{}' is not above '{}'", list[at + 1], list[at]))
                .help("list the breaks in ascending order"));
        }
        if let Some(finer) = levels.last()
            && let Some(at) = breaks.iter().position(|end| finer.binary_search(end).is_err())
        {
            return Err(Error::input(format!("the break '{}' is not one of the finer level", list[at]))
                .help("every list of breaks is part of the one before, so that ranges nest"));
        }
        levels.push(breaks);
    }
    if let [only] = levels.as_slice() {
        levels = thinned(only.clone(), 2).collect();
    }
    let levels = levels.into_iter().map(|breaks| Level::Breaks { breaks, greatest: None });
    Ok(column.paths(&levels.collect::<Vec<_>>()))
}

/// The breaks, every `step`-th of them, every `step`-th of those, … down to one.
fn thinned(breaks: Vec<i128>, step: usize) -> impl Iterator<Item = Vec<i128>> {
    std::iter::successors(Some(breaks), move |breaks| {
        (breaks.len() > 1).then(|| breaks.iter().copied().step_by(step).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::super::Builder;
    use super::*;

    fn text(builder: Builder, list: &[&str]) -> Result<String> {
        let values: Vec<(String, u64)> = list.iter().map(|value| (value.to_string(), 1)).collect();
        builder.build(&values)?.to_text()
    }

    fn lists(lists: &[&[&str]]) -> Builder {
        Builder::Breaks(lists.iter().map(|list| list.iter().map(|text| text.to_string()).collect()).collect())
    }

    #[test]
    fn widths_are_exact_decimals() {
        let builder = Builder::EqualWidth { width: "0.1".into(), fanout: 3 };
        assert_eq!(
            text(builder, &["0.3", "-0.05", "0.25", "0"]).expect("ranges"),
            "-0.05;[-0.1,0);[-0.1,0.2);*\n0;[0,0.1);[-0.1,0.2);*\n0.25;[0.2,0.3);[0.2,0.5);*\n0.3;[0.3,0.4);[0.2,0.5);*\n"
        );
        assert_eq!(
            text(Builder::Doubling { width: "10".into() }, &["5", "15", "1e1"]).expect("ranges"),
            "5;[0,10);*\n15;[10,20);*\n".replace("15;", "1e1;[10,20);*\n15;")
        );
        assert_eq!(text(Builder::Doubling { width: "10".into() }, &["5"]).expect("ranges"), "5;*\n");
    }

    #[test]
    fn bins_cover_the_greatest_value() {
        assert_eq!(
            text(Builder::EqualBins { bins: 2, fanout: 2 }, &["1", "2", "3", "4"]).expect("ranges"),
            "1;[1,3);*\n2;[1,3);*\n3;[3,5);*\n4;[3,5);*\n"
        );
    }

    #[test]
    fn frequencies_balance_records_not_values() {
        let values = [("1", 60), ("2", 10), ("3", 10), ("4", 10), ("5", 10)].map(|(v, n)| (v.to_string(), n));
        let tree = Builder::EqualFrequency { bins: 2, fanout: 2 }.build(&values).expect("ranges");
        assert_eq!(tree.to_text().expect("text"), "1;[1,2);*\n2;[2,5];*\n3;[2,5];*\n4;[2,5];*\n5;[2,5];*\n");
    }

    #[test]
    fn breaks_nest_or_are_refused() {
        assert_eq!(
            text(lists(&[&["0", "10", "20", "30"]]), &["-1", "5", "15", "25", "35"]).expect("ranges"),
            "-1;<0;<0;<0;*\n5;[0,10);[0,20);>=0;*\n15;[10,20);[0,20);>=0;*\n25;[20,30);>=20;>=0;*\n35;>=30;>=20;>=0;*\n"
        );
        assert_eq!(
            text(lists(&[&["10", "20"], &["20"]]), &["5", "15", "25"]).expect("ranges"),
            "5;<10;<20;*\n15;[10,20);<20;*\n25;>=20;>=20;*\n"
        );
        for (wrong, value) in
            [(lists(&[&["10", "10"]]), "10"), (lists(&[&["10"], &["15"]]), "15"), (lists(&[&["x"]]), "x")]
        {
            let error = text(wrong, &["5"]).expect_err("not nested");
            assert!(error.message().contains(value) && error.remedy().is_some(), "{error}");
        }
    }

    #[test]
    fn what_is_no_number_is_named() {
        let builder = Builder::EqualWidth { width: "5".into(), fanout: 2 };
        for value in
            ["x", "1e300", "nan", "1234567890123456", "0.1234567890123456", "1,5", "1e-9223372036854775808"]
        {
            let error = text(builder.clone(), &["1", value]).expect_err(value);
            assert!(error.message().contains(value), "{error}");
        }
        assert!(text(Builder::EqualWidth { width: "0".into(), fanout: 2 }, &["1"]).is_err());
        assert!(text(Builder::EqualWidth { width: "-5".into(), fanout: 2 }, &["1"]).is_err());
        assert!(text(Builder::EqualWidth { width: "5".into(), fanout: 1 }, &["1"]).is_err());
        assert!(text(Builder::EqualBins { bins: 0, fanout: 2 }, &["1"]).is_err());
        let wide = ["-999999999999999", "999999999999999", "0.000000000000001"];
        assert!(text(Builder::EqualWidth { width: "1e-15".into(), fanout: 1_000_000 }, &wide).is_ok());
    }
}
