//! The cells of Arrow arrays as text.

use std::fmt::Display;
use std::io::Write;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, TimeUnit as ArrowUnit};
use jiff::civil::{DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use super::format::{CellKind, TimeUnit};
use super::list_cell::{LIST_SEPARATOR, set_cell};

/// The digits that a decimal has at most.
const MOST_DIGITS: u8 = 76;

const SECONDS_PER_DAY: i64 = 86_400;
const MILLISECONDS_PER_DAY: i64 = SECONDS_PER_DAY * 1_000;
const NANOSECONDS_PER_DAY: i64 = SECONDS_PER_DAY * 1_000_000_000;

/// What cells of this type are, or `None` for a type that is not read.
///
/// Moments in a zone that nobody knows cannot be shown as local times.
pub(super) fn kind_of(data_type: &DataType) -> Option<CellKind> {
    use DataType as T;
    match data_type {
        T::Utf8 | T::LargeUtf8 | T::Utf8View | T::Null => Some(CellKind::Text),
        T::Date32 | T::Date64 => Some(CellKind::Date),
        T::Time32(unit @ (ArrowUnit::Second | ArrowUnit::Millisecond))
        | T::Time64(unit @ (ArrowUnit::Microsecond | ArrowUnit::Nanosecond)) => {
            Some(CellKind::Time(unit_of(*unit)))
        }
        T::Timestamp(unit, None) => Some(CellKind::Timestamp { unit: unit_of(*unit), zone: None }),
        T::Timestamp(unit, Some(zone)) => zone_of(zone).map(|known| {
            let zone = if known == TimeZone::UTC { UTC.into() } else { zone.clone() };
            CellKind::Timestamp { unit: unit_of(*unit), zone: Some(zone) }
        }),
        T::Decimal32(precision, scale)
        | T::Decimal64(precision, scale)
        | T::Decimal128(precision, scale)
        | T::Decimal256(precision, scale) => Some(decimal(*precision, *scale)),
        T::Duration(ArrowUnit::Second) => Some(CellKind::Integer),
        T::Duration(unit) => Some(decimal(LONGEST, places_of(unit_of(*unit)) as i8)),
        T::UInt64 => Some(CellKind::Unsigned),
        T::Int8 | T::Int16 | T::Int32 | T::Int64 => Some(CellKind::Integer),
        T::UInt8 | T::UInt16 | T::UInt32 => Some(CellKind::Integer),
        T::Float16 | T::Float32 | T::Float64 => Some(CellKind::Float),
        T::Boolean => Some(CellKind::Boolean),
        T::Dictionary(_, values) if !matches!(**values, T::Dictionary(..)) => kind_of(values),
        // A list is a set of values in one cell.
        T::List(item) | T::LargeList(item) | T::FixedSizeList(item, _) if !is_list(item.data_type()) => {
            kind_of(item.data_type()).map(|_| CellKind::Text)
        }
        _ => None,
    }
}

fn is_list(data_type: &DataType) -> bool {
    matches!(data_type, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..))
}

/// What the zone of moments in UTC is called.
pub(super) const UTC: &str = "UTC";

fn unit_of(unit: ArrowUnit) -> TimeUnit {
    match unit {
        ArrowUnit::Second => TimeUnit::Second,
        ArrowUnit::Millisecond => TimeUnit::Millisecond,
        ArrowUnit::Microsecond => TimeUnit::Microsecond,
        ArrowUnit::Nanosecond => TimeUnit::Nanosecond,
    }
}

/// The digits of the longest duration.
const LONGEST: u8 = 19;

/// How many digits after the point a second has in a unit.
fn places_of(unit: TimeUnit) -> u32 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

/// A duration in seconds, with all digits that its unit has.
fn seconds(units: i64, places: u32) -> String {
    if places == 0 {
        return units.to_string();
    }
    let one = 10u64.pow(places);
    let (sign, units) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    format!("{sign}{}.{:02$}", units / one, units % one, places as usize)
}

/// Decimals as they are shown: zeros before the point are digits like any other.
fn decimal(precision: u8, scale: i8) -> CellKind {
    let zeros = scale.min(0).unsigned_abs();
    let precision = precision.saturating_add(zeros).clamp(1, MOST_DIGITS);
    CellKind::Decimal { precision, scale: scale.max(0) as u8 }
}

/// The zone that a column of moments is in: `UTC`, an offset such as `+02:00`, or a place such as `Europe/Berlin`.
fn zone_of(name: &str) -> Option<TimeZone> {
    if ["UTC", "Z", "utc", "Etc/UTC", "GMT"].contains(&name) {
        return Some(TimeZone::UTC);
    }
    let Some(sign) = name.chars().next().filter(|sign| "+-".contains(*sign)) else {
        return TimeZone::get(name).ok();
    };
    let digits: String = name[1..].chars().filter(|digit| *digit != ':').collect();
    if ![2, 4].contains(&digits.len()) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let hours: i32 = digits[..2].parse().ok()?;
    let minutes: i32 = digits.get(2..).filter(|rest| !rest.is_empty()).unwrap_or("0").parse().ok()?;
    let seconds = (hours * 60 + minutes) * 60;
    Offset::from_seconds(if sign == '-' { -seconds } else { seconds }).ok().map(TimeZone::fixed)
}

/// Why a cell has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoText {
    /// A moment outside the years that can be written, or a time of day outside the day.
    OutOfRange,
    /// A list with an item that holds what stands between items.
    Separator,
}

/// Appends the text of one row's cell.
pub(super) type CellText<'a> = Box<dyn Fn(usize, &mut Vec<u8>) -> Result<(), NoText> + 'a>;

/// How the cells of an array become text; `None` for a type that `kind_of` does not know.
pub(super) fn cell_text(array: &dyn Array) -> Option<CellText<'_>> {
    use DataType as T;
    macro_rules! shown {
        ($type:ty) => {{
            let values = array.as_primitive::<$type>();
            Box::new(move |row, out: &mut Vec<u8>| show(out, values.value(row)))
        }};
    }
    macro_rules! decimal {
        ($type:ty) => {{
            let values = array.as_primitive::<$type>();
            Box::new(move |row, out: &mut Vec<u8>| show(out, values.value_as_string(row)))
        }};
    }
    macro_rules! duration {
        ($type:ty, $unit:expr) => {{
            let values = array.as_primitive::<$type>();
            let places = places_of($unit);
            Box::new(move |row, out: &mut Vec<u8>| show(out, seconds(values.value(row), places)))
        }};
    }
    macro_rules! timestamp {
        ($type:ty, $zone:expr, $moment:expr) => {{
            let values = array.as_primitive::<$type>();
            let zone = match $zone {
                Some(name) => Some(zone_of(name)?),
                None => None,
            };
            Box::new(move |row, out: &mut Vec<u8>| {
                let moment: Result<Timestamp, jiff::Error> = $moment(values.value(row));
                show_moment(out, moment.map_err(|_| NoText::OutOfRange)?, zone.as_ref())
            })
        }};
    }
    macro_rules! time {
        ($type:ty, $unit:expr) => {{
            let values = array.as_primitive::<$type>();
            Box::new(move |row, out: &mut Vec<u8>| show_time(out, i64::from(values.value(row)), $unit))
        }};
    }
    let text: CellText<'_> = match array.data_type() {
        T::Null => Box::new(|_, _| Ok(())),
        T::Utf8 => {
            let values = array.as_string::<i32>();
            Box::new(move |row, out| extend(out, values.value(row)))
        }
        T::LargeUtf8 => {
            let values = array.as_string::<i64>();
            Box::new(move |row, out| extend(out, values.value(row)))
        }
        T::Utf8View => {
            let values = array.as_string_view();
            Box::new(move |row, out| extend(out, values.value(row)))
        }
        T::Boolean => {
            let values = array.as_boolean();
            Box::new(move |row, out| extend(out, if values.value(row) { "true" } else { "false" }))
        }
        T::Int8 => shown!(Int8Type),
        T::Int16 => shown!(Int16Type),
        T::Int32 => shown!(Int32Type),
        T::Int64 => shown!(Int64Type),
        T::UInt8 => shown!(UInt8Type),
        T::UInt16 => shown!(UInt16Type),
        T::UInt32 => shown!(UInt32Type),
        T::UInt64 => shown!(UInt64Type),
        T::Float16 => shown!(Float16Type),
        T::Float32 => shown!(Float32Type),
        T::Float64 => shown!(Float64Type),
        T::Duration(ArrowUnit::Second) => duration!(DurationSecondType, TimeUnit::Second),
        T::Duration(ArrowUnit::Millisecond) => duration!(DurationMillisecondType, TimeUnit::Millisecond),
        T::Duration(ArrowUnit::Microsecond) => duration!(DurationMicrosecondType, TimeUnit::Microsecond),
        T::Duration(ArrowUnit::Nanosecond) => duration!(DurationNanosecondType, TimeUnit::Nanosecond),
        T::Decimal32(..) => decimal!(Decimal32Type),
        T::Decimal64(..) => decimal!(Decimal64Type),
        T::Decimal128(..) => decimal!(Decimal128Type),
        T::Decimal256(..) => decimal!(Decimal256Type),
        T::Date32 => {
            let values = array.as_primitive::<Date32Type>();
            Box::new(move |row, out| show_day(out, i64::from(values.value(row))))
        }
        T::Date64 => {
            let values = array.as_primitive::<Date64Type>();
            Box::new(move |row, out| show_day(out, values.value(row).div_euclid(MILLISECONDS_PER_DAY)))
        }
        T::Time32(ArrowUnit::Second) => time!(Time32SecondType, TimeUnit::Second),
        T::Time32(ArrowUnit::Millisecond) => time!(Time32MillisecondType, TimeUnit::Millisecond),
        T::Time64(ArrowUnit::Microsecond) => time!(Time64MicrosecondType, TimeUnit::Microsecond),
        T::Time64(ArrowUnit::Nanosecond) => time!(Time64NanosecondType, TimeUnit::Nanosecond),
        T::Timestamp(ArrowUnit::Second, zone) => {
            timestamp!(TimestampSecondType, zone, Timestamp::from_second)
        }
        T::Timestamp(ArrowUnit::Millisecond, zone) => {
            timestamp!(TimestampMillisecondType, zone, Timestamp::from_millisecond)
        }
        T::Timestamp(ArrowUnit::Microsecond, zone) => {
            timestamp!(TimestampMicrosecondType, zone, Timestamp::from_microsecond)
        }
        T::Timestamp(ArrowUnit::Nanosecond, zone) => {
            timestamp!(TimestampNanosecondType, zone, |moment: i64| Timestamp::from_nanosecond(moment.into()))
        }
        T::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let keys = dictionary.normalized_keys();
            let values = cell_text(dictionary.values().as_ref())?;
            Box::new(move |row, out| keys.get(row).map_or(Ok(()), |&key| values(key, out)))
        }
        T::List(_) => {
            let lists = array.as_list::<i32>();
            let item = cell_text(lists.values().as_ref())?;
            let offsets = lists.value_offsets();
            Box::new(move |row, out| show_list(out, &item, offsets[row] as usize..offsets[row + 1] as usize))
        }
        T::LargeList(_) => {
            let lists = array.as_list::<i64>();
            let item = cell_text(lists.values().as_ref())?;
            let offsets = lists.value_offsets();
            Box::new(move |row, out| show_list(out, &item, offsets[row] as usize..offsets[row + 1] as usize))
        }
        T::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            let item = cell_text(lists.values().as_ref())?;
            let length = lists.value_length() as usize;
            Box::new(move |row, out| {
                let start = lists.value_offset_at(row);
                show_list(out, &item, start..start + length)
            })
        }
        _ => return None,
    };
    Some(match array.nulls().cloned() {
        None => text,
        Some(nulls) => Box::new(move |row, out| if nulls.is_null(row) { Ok(()) } else { text(row, out) }),
    })
}

fn extend(out: &mut Vec<u8>, text: &str) -> Result<(), NoText> {
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn show(out: &mut Vec<u8>, value: impl Display) -> Result<(), NoText> {
    // Writing to a vector cannot fail.
    write!(out, "{value}").map_err(|_| NoText::OutOfRange)
}

/// The items of a list as a set, with a sign between them.
fn show_list(out: &mut Vec<u8>, item: &CellText<'_>, items: std::ops::Range<usize>) -> Result<(), NoText> {
    let mut cells = Vec::with_capacity(items.len());
    for at in items {
        let mut cell = Vec::new();
        item(at, &mut cell)?;
        if cell.contains(&(LIST_SEPARATOR as u8)) {
            return Err(NoText::Separator);
        }
        cells.push(cell);
    }
    out.extend_from_slice(&set_cell(cells));
    Ok(())
}

fn show_day(out: &mut Vec<u8>, day: i64) -> Result<(), NoText> {
    let seconds = day.checked_mul(SECONDS_PER_DAY).ok_or(NoText::OutOfRange)?;
    let moment = Timestamp::from_second(seconds).map_err(|_| NoText::OutOfRange)?;
    show(out, Offset::UTC.to_datetime(moment).date())
}

/// A moment is shown as the clocks of its zone did, with what they were ahead of UTC; in UTC it ends in Z. A local time, whose
/// zone the file does not tell, has neither.
fn show_moment(out: &mut Vec<u8>, moment: Timestamp, zone: Option<&TimeZone>) -> Result<(), NoText> {
    let Some(zone) = zone else { return show(out, Offset::UTC.to_datetime(moment)) };
    if *zone == TimeZone::UTC {
        return show(out, moment);
    }
    let offset = zone.to_offset(moment);
    let (sign, ahead) = if offset.is_negative() { ('-', -offset.seconds()) } else { ('+', offset.seconds()) };
    let (hours, minutes, seconds) = (ahead / 3600, ahead / 60 % 60, ahead % 60);
    show(out, format_args!("{}{sign}{hours:02}:{minutes:02}", offset.to_datetime(moment)))?;
    // Before there were zones, clocks went by the sun.
    if seconds > 0 { show(out, format_args!(":{seconds:02}")) } else { Ok(()) }
}

fn show_time(out: &mut Vec<u8>, since_midnight: i64, unit: TimeUnit) -> Result<(), NoText> {
    let nanoseconds = since_midnight.checked_mul(unit.nanoseconds()).ok_or(NoText::OutOfRange)?;
    if !(0..NANOSECONDS_PER_DAY).contains(&nanoseconds) {
        return Err(NoText::OutOfRange);
    }
    let time = Time::midnight().checked_add(SignedDuration::from_nanos(nanoseconds));
    show(out, time.map_err(|_| NoText::OutOfRange)?)
}

/// The day of a date that was shown, counted from 1970 on.
pub(super) fn day_of(text: &str) -> Option<i32> {
    let date: jiff::civil::Date = text.parse().ok()?;
    let moment = Offset::UTC.to_timestamp(date.to_datetime(Time::midnight())).ok()?;
    i32::try_from(moment.as_second().div_euclid(SECONDS_PER_DAY)).ok()
}

/// A time of day that was shown, as its unit counts from midnight on.
pub(super) fn time_of(text: &str, unit: TimeUnit) -> Option<i64> {
    let time: Time = text.parse().ok()?;
    let since = time.duration_since(Time::midnight()).as_nanos();
    in_unit(since, unit)
}

/// A moment that was shown, as its unit counts from 1970 on; `is_local` says that it is one without a zone.
pub(super) fn moment_of(text: &str, unit: TimeUnit, is_local: bool) -> Option<i64> {
    let moment = match is_local {
        true => Offset::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok()?,
        false => text.parse::<Timestamp>().ok()?,
    };
    in_unit(moment.as_nanosecond(), unit)
}

/// Nanoseconds in a unit that is fine enough for them.
fn in_unit(nanoseconds: i128, unit: TimeUnit) -> Option<i64> {
    let unit = i128::from(unit.nanoseconds());
    if nanoseconds % unit == 0 { i64::try_from(nanoseconds / unit).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::*;
    use arrow_schema::DataType;

    use super::*;

    fn texts(array: &dyn Array) -> Vec<String> {
        assert!(kind_of(array.data_type()).is_some());
        let text = cell_text(array).unwrap();
        (0..array.len())
            .map(|row| {
                let mut out = Vec::new();
                text(row, &mut out).unwrap();
                String::from_utf8(out).unwrap()
            })
            .collect()
    }

    #[test]
    fn numbers_are_shown_as_short_as_they_can_be_read_back() {
        assert_eq!(texts(&Int64Array::from(vec![Some(i64::MIN), None])), ["-9223372036854775808", ""]);
        assert_eq!(texts(&UInt64Array::from(vec![u64::MAX])), ["18446744073709551615"]);
        assert_eq!(texts(&Float64Array::from(vec![1.0, 0.1, -2.5e-3])), ["1", "0.1", "-0.0025"]);
        assert_eq!(texts(&Float32Array::from(vec![0.1_f32])), ["0.1"]);
        let decimals = Decimal128Array::from(vec![Some(12345), None, Some(-5)]);
        assert_eq!(texts(&decimals.with_precision_and_scale(9, 2).unwrap()), ["123.45", "", "-0.05"]);
        assert_eq!(texts(&BooleanArray::from(vec![true, false])), ["true", "false"]);
    }

    #[test]
    fn times_are_iso() {
        assert_eq!(
            texts(&Date32Array::from(vec![0, -1, 19_000])),
            ["1970-01-01", "1969-12-31", "2022-01-08"]
        );
        assert_eq!(texts(&Date64Array::from(vec![-1, 86_400_000])), ["1969-12-31", "1970-01-02"]);
        let local = TimestampMillisecondArray::from(vec![Some(1_500), None]);
        assert_eq!(texts(&local), ["1970-01-01T00:00:01.5", ""]);
        let moment = TimestampNanosecondArray::from(vec![1]).with_timezone("+02:00");
        assert_eq!(texts(&moment), ["1970-01-01T02:00:00.000000001+02:00"]);
        // New Year's Eve in New York is New Year's Day in UTC; summer and winter differ in Berlin.
        let eve = TimestampSecondArray::from(vec![1_704_079_800]);
        for (zone, shown) in [
            ("America/New_York", "2023-12-31T22:30:00-05:00"),
            ("-0500", "2023-12-31T22:30:00-05:00"),
            ("UTC", "2024-01-01T03:30:00Z"),
            ("Asia/Kolkata", "2024-01-01T09:00:00+05:30"),
        ] {
            assert_eq!(texts(&eve.clone().with_timezone(zone)), [shown]);
        }
        let berlin =
            TimestampSecondArray::from(vec![1_719_788_400, 1_735_686_000]).with_timezone("Europe/Berlin");
        assert_eq!(texts(&berlin), ["2024-07-01T01:00:00+02:00", "2025-01-01T00:00:00+01:00"]);
        let nowhere = TimestampSecondArray::from(vec![0]).with_timezone("Mars/Olympus");
        assert!(kind_of(nowhere.data_type()).is_none() && cell_text(&nowhere).is_none());
        let mut out = Vec::new();
        let far = TimestampSecondArray::from(vec![i64::MAX]);
        assert_eq!(cell_text(&far).unwrap()(0, &mut out), Err(NoText::OutOfRange));
        assert_eq!(
            cell_text(&Date32Array::from(vec![i32::MAX])).unwrap()(0, &mut out),
            Err(NoText::OutOfRange)
        );
    }

    #[test]
    fn durations_are_seconds() {
        assert_eq!(texts(&DurationSecondArray::from(vec![Some(5400), None, Some(-1)])), ["5400", "", "-1"]);
        assert_eq!(texts(&DurationMillisecondArray::from(vec![1500, -500])), ["1.500", "-0.500"]);
        assert_eq!(
            texts(&DurationNanosecondArray::from(vec![1, i64::MIN])),
            ["0.000000001", "-9223372036.854775808"]
        );
        let kind = kind_of(&DataType::Duration(ArrowUnit::Microsecond));
        assert_eq!(kind, Some(CellKind::Decimal { precision: 19, scale: 6 }));
    }

    #[test]
    fn hard_use_3_times_of_day_are_read() {
        assert_eq!(
            texts(&Time32SecondArray::from(vec![Some(0), None, Some(86_399)])),
            ["00:00:00", "", "23:59:59"]
        );
        assert_eq!(
            texts(&Time32MillisecondArray::from(vec![30_600_000, 30_600_250])),
            ["08:30:00", "08:30:00.25"]
        );
        assert_eq!(texts(&Time64MicrosecondArray::from(vec![1])), ["00:00:00.000001"]);
        assert_eq!(texts(&Time64NanosecondArray::from(vec![86_399_999_999_999])), ["23:59:59.999999999"]);
        let mut out = Vec::new();
        for odd in [-1, 86_400] {
            let array = Time32SecondArray::from(vec![odd]);
            assert_eq!(cell_text(&array).unwrap()(0, &mut out), Err(NoText::OutOfRange));
        }
    }

    #[test]
    fn what_was_shown_is_understood() {
        assert_eq!((day_of("1969-12-31"), day_of("2022-01-08"), day_of("x")), (Some(-1), Some(19_000), None));
        assert_eq!(time_of("08:30:00.25", TimeUnit::Millisecond), Some(30_600_250));
        assert_eq!(time_of("08:30:00.25", TimeUnit::Second), None);
        assert_eq!(moment_of("1970-01-01T00:00:01.5", TimeUnit::Millisecond, true), Some(1_500));
        assert_eq!(moment_of("1969-12-31T23:59:59Z", TimeUnit::Second, false), Some(-1));
        assert_eq!(moment_of("1970-01-01T02:00:00.000000001+02:00", TimeUnit::Nanosecond, false), Some(1));
        assert_eq!(moment_of("1883-01-01T00:00:00-04:56:02", TimeUnit::Second, false), Some(-2_745_428_638));
        assert_eq!(moment_of("1970-01-01T00:00:01Z", TimeUnit::Second, true), None);
    }

    #[test]
    fn texts_come_in_many_layouts() {
        assert_eq!(texts(&StringArray::from(vec![Some("é"), None])), ["é", ""]);
        assert_eq!(texts(&LargeStringArray::from(vec!["a"])), ["a"]);
        assert_eq!(texts(&StringViewArray::from(vec!["a text that is too long to be inlined"])).len(), 1);
        assert_eq!(texts(&NullArray::new(2)), ["", ""]);
        let keys = Int8Array::from(vec![Some(1), None, Some(0), Some(2)]);
        let values = StringArray::from(vec![Some("x"), Some("y"), None]);
        let dictionary = DictionaryArray::try_new(keys, Arc::new(values)).unwrap();
        assert_eq!(texts(&dictionary), ["y", "", "x", ""]);
    }

    #[test]
    fn lists_are_sets_in_a_cell() {
        let lists = ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(vec![
            Some(vec![Some(1), Some(2)]),
            None,
            Some(vec![]),
            Some(vec![None, Some(3)]),
        ]);
        assert_eq!(texts(&lists), ["1|2", "", "", "|3"]);
        assert_eq!(texts(&lists.slice(3, 1)), ["|3"]);
        let fixed = FixedSizeListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(
            vec![Some(vec![Some(1), Some(2)]), Some(vec![Some(3), Some(4)])],
            2,
        );
        assert_eq!(texts(&fixed), ["1|2", "3|4"]);
        let words = StringArray::from(vec!["flu|HIV"]);
        let field = Arc::new(arrow_schema::Field::new_list_field(DataType::Utf8, true));
        let one =
            ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(vec![Some(vec![Some(1)])]);
        let unclear = ListArray::new(field, one.offsets().clone(), Arc::new(words), None);
        assert_eq!(cell_text(&unclear).unwrap()(0, &mut Vec::new()), Err(NoText::Separator));
    }

    #[test]
    fn nested_and_binary_types_are_not_read() {
        assert_eq!(kind_of(&DataType::Binary), None);
        assert_eq!(kind_of(&DataType::Struct(Default::default())), None);
        assert!(cell_text(&BinaryArray::from(vec![&b"x"[..]])).is_none());
    }
}
