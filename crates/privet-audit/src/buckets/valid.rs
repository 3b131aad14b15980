//! Matching l-diversity: how many values an adversary who knows the rules cannot rule out for a record.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::{Check, counted};
use super::book::{Bucket, BucketBook, Person};
use super::matching::{self, RecordKind};
use super::transport::{CountBounds, Transport};
use super::with_faults;
use privet_core::{Exact, Result};
use privet_policy::requirement::MatchingLDiversity;

/// A bucket as far as valid values go: kinds of records with their numbers, and values with theirs.
type Look = (Vec<RecordKind>, Vec<(u32, u64)>);

/// What is known about who has which value, for the sake of exceptions to rules.
pub(super) enum AssignmentKnowledge<'a> {
    /// Everything: there is a list.
    List,
    /// Rules have no exceptions, so it does not matter.
    Rules,
    /// What all assignments agree on.
    Bounds(Transport<'a>),
    /// The tables are not of these records.
    Nothing,
}

/// Which exceptions to rules a bucket is judged with.
#[derive(Clone, Copy)]
enum Exceptions {
    /// Those that every assignment has.
    Certain,
    /// Those that some assignment has.
    Possible,
}

/// The values that are out of the question for people.
pub(super) type Excluded = HashMap<Person, BTreeSet<u32>>;

pub(super) fn check_matching(
    asked: &MatchingLDiversity,
    name: String,
    book: &BucketBook,
    excluded: &Excluded,
    sight: &AssignmentKnowledge<'_>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Check> {
    let (l, bound) = (asked.l, asked.max_posterior);
    if matches!(sight, AssignmentKnowledge::Nothing) {
        let detail = "some records have a value that a rule excludes for them, and tables that do not match these records \
                      do not show which ones";
        return Ok(Check::undetermined(name, detail));
    }
    let mut known: HashMap<(Look, Option<Exact>), Option<String>> = HashMap::new();
    let mut judged = |look: Look, bound: Option<Exact>| -> Result<Option<String>> {
        let key = (look, bound);
        if let Some(fault) = known.get(&key) {
            return Ok(fault.clone());
        }
        tick()?;
        let fault = judge(&key.0, l, bound);
        known.insert(key, fault.clone());
        Ok(fault)
    };
    let (mut faults, mut open, mut open_records) = (Vec::new(), 0u64, 0u64);
    for (bucket_name, bucket) in &book.buckets {
        let fault = match sight {
            AssignmentKnowledge::Bounds(transport) => {
                let look = |which| look_within(transport, bucket_name, bucket, excluded, which);
                let (certain, possible) = (look(Exceptions::Certain), look(Exceptions::Possible));
                let settled = certain == possible;
                let fault = judged(certain, bound)?;
                // More exceptions make more values valid, so both ends decide; how likely values are they do not.
                if settled || (fault.is_none() && bound.is_none()) {
                    fault
                } else {
                    let fault = judged(possible, None)?;
                    if fault.is_none() {
                        (open, open_records) = (open + 1, open_records + bucket.records());
                    }
                    fault
                }
            }
            _ => judged(look_of(book, bucket_name, bucket, excluded), bound)?,
        };
        faults.extend(fault.map(|fault| (format!("bucket {bucket_name}: {fault}"), bucket.records())));
    }
    if faults.is_empty() && open > 0 {
        let detail = format!(
            "some records have a value that a rule excludes for them; in {} with {} it depends on which ones these are, \
             which only the steward's list shows; the other buckets meet it",
            counted(open, "bucket", "buckets"),
            counted(open_records, "record", "records")
        );
        return Ok(Check::undetermined(name, detail));
    }
    Ok(with_faults(&name, "every record of every bucket has at least l valid values", faults))
}

/// The values of a bucket that are not out of the question for somebody, and those named besides.
fn allowed(bucket: &Bucket, excluded: &Excluded, person: &Person, besides: &[u32]) -> Vec<u32> {
    let barred = |value: &u32| excluded.get(person).is_some_and(|set| set.contains(value));
    bucket.values.keys().copied().filter(|value| besides.contains(value) || !barred(value)).collect()
}

fn look(bucket: &Bucket, kinds: BTreeMap<Vec<u32>, u64>) -> Look {
    let kinds = kinds.into_iter().filter(|(_, count)| *count > 0);
    let values = bucket.values.iter().map(|(value, count)| (*value, *count)).collect();
    (kinds.map(|(allowed, count)| RecordKind { allowed, count }).collect(), values)
}

fn look_of(book: &BucketBook, name: &str, bucket: &Bucket, excluded: &Excluded) -> Look {
    let mut kinds: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    match book.assigned.get(name) {
        Some(assigned) => {
            for ((person, value), count) in assigned {
                *kinds.entry(allowed(bucket, excluded, person, &[*value])).or_default() += count;
            }
        }
        None => {
            for (person, count) in &bucket.people {
                *kinds.entry(allowed(bucket, excluded, person, &[])).or_default() += count;
            }
        }
    }
    look(bucket, kinds)
}

/// A bucket with the exceptions that it certainly has, or with all that it can have.
fn look_within<'a>(
    transport: &Transport<'a>,
    name: &'a str,
    bucket: &'a Bucket,
    excluded: &Excluded,
    which: Exceptions,
) -> Look {
    let mut kinds: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for (person, count) in &bucket.people {
        let exceptions = transport.bounds(name, person);
        let settled = exceptions.iter().all(|(_, CountBounds { low, high })| low == high);
        let mut plain = *count;
        if matches!(which, Exceptions::Certain) || settled {
            for (value, CountBounds { low, .. }) in exceptions {
                let low = (*low).min(plain);
                plain -= low;
                *kinds.entry(allowed(bucket, excluded, person, &[*value])).or_default() += low;
            }
            *kinds.entry(allowed(bucket, excluded, person, &[])).or_default() += plain;
        } else {
            let besides: Vec<u32> = exceptions.iter().map(|(value, _)| *value).collect();
            *kinds.entry(allowed(bucket, excluded, person, &besides)).or_default() += plain;
        }
    }
    look(bucket, kinds)
}

/// What is wrong with a bucket, if anything is.
fn judge((kinds, values): &Look, l: u64, bound: Option<Exact>) -> Option<String> {
    let Some(valid) = matching::valid_values(kinds, values) else {
        return Some("its values cannot be assigned to its records without breaking a rule".to_string());
    };
    if let Some(fewest) = valid.iter().copied().min().filter(|fewest| (*fewest as u64) < l) {
        let only = counted(fewest as u64, "valid value", "valid values");
        return Some(format!("a record has only {only} (l = {l})"));
    }
    let bound = bound?;
    match matching::likeliest(kinds, values) {
        None => Some("how sure of a value an attacker can be takes too long to compute".to_string()),
        Some((ways, all)) if &ways * bound.denominator() > &all * bound.numerator() => {
            Some(format!("an attacker can be sure of a value with {ways} in {all}, more than {bound}"))
        }
        Some(_) => None,
    }
}
