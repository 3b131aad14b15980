//! Buckets must be numbered, and their values listed in one order that follows from what is shown.

use std::cmp::Ordering;

use super::super::Check;
use super::super::order::by_number as number_order;
use super::book::BucketBook;
use super::order::Listed;

/// Buckets must be numbered and everything listed in a way that follows from what is shown.
pub(super) fn check_form(book: &BucketBook, mut faults: Vec<String>) -> Check {
    let trail = &book.trail;
    faults.extend(trail.spelling.iter().cloned());
    let numbers: Option<Vec<u64>> = trail.buckets.iter().map(|name| number(name)).collect();
    let in_a_row = numbers.as_ref().is_some_and(|numbers| {
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let first = sorted.first().copied().unwrap_or(1);
        first <= 1 && sorted.iter().zip(first..).all(|(number, expected)| *number == expected)
    });
    if !in_a_row {
        faults.push("buckets are not numbered 1, 2, 3 and so on: a name can give more away".to_string());
    }
    let place = |bucket: u32| numbers.as_ref().map_or(u64::from(bucket), |numbers| numbers[bucket as usize]);
    if !trail.listed.is_sorted_by_key(|listed| place(listed.bucket)) {
        faults.push("the values are not listed bucket by bucket, in the order of their numbers".to_string());
    }
    let text = |listed: &Listed| book.values.text(listed.value);
    let within = |compare: &dyn Fn(&Listed, &Listed) -> Ordering| {
        let same = trail.listed.chunk_by(|one, other| one.bucket == other.bucket);
        same.into_iter().all(|bucket| bucket.is_sorted_by(|one, other| compare(one, other).is_lt()))
    };
    let by_text = |one: &Listed, other: &Listed| text(one).cmp(text(other));
    let by_number = |one: &Listed, other: &Listed| number_order(text(one), text(other));
    let most_first = |one: &Listed, other: &Listed| other.count.cmp(&one.count);
    let sorted = within(&by_text)
        || within(&by_number)
        || within(&|one, other| by_text(other, one))
        || within(&|one, other| by_number(other, one))
        || within(&|one, other| most_first(one, other).then_with(|| by_text(one, other)))
        || within(&|one, other| most_first(one, other).then_with(|| by_number(one, other)));
    if !sorted {
        faults.push(
            "the values of a bucket are not sorted, by themselves or by their counts: their order can show whose they are"
                .to_string(),
        );
    }
    let detail = match faults.as_slice() {
        [] => "buckets are numbered, and their values listed in an order that follows from what is shown"
            .to_string(),
        faults => faults.join("; "),
    };
    Check::new("form", faults.is_empty(), detail)
}

/// A number that is spelt as numbers are.
pub(super) fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}
