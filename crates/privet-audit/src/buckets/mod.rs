//! The audit of records in groups: exact quasi-identifiers with a bucket each, and the values of every bucket.
//!
//! 1. *columns*: the published ones and no others;
//! 2. *form*: buckets are numbered, and values listed in an order that follows from what is shown;
//! 3. *buckets*: as many values as records in each, every value once and with a positive count;
//! 4. *records*: the published quasi-identifiers are those of original records, each used once;
//! 5. *values*: no value occurs more often than in the original;
//! 6. *order*: neither the order of rows and buckets nor what is written side by side tells who has which value;
//! 7. *assignment*: the steward's list of who is in which bucket gives just these tables; without a list, some assignment of
//!    the original records does;
//! 8. *suppression* and *counts*, as for other tables;
//! 9. every requirement, in every bucket, with rules that are mined here once more.
//!
//! Without the steward's list, whether *some* assignment of the original records to buckets gives the tables is a
//! transport problem in three dimensions (`transport`), which may stay undecided. Where rules have exceptions, who may have
//! what depends on who is an exception; it is reported as far as all assignments agree on it.

mod book;
mod knowledge;
mod listing;
mod matching;
mod order;
#[cfg(test)]
mod tests;
mod transport;
mod valid;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use self::book::{Bucket, BucketBook, Person};
use self::transport::{Transport, TransportVerdict};
use self::valid::{AssignmentKnowledge, check_matching};
use super::form::Written;
use super::notion::{ColumnCloseness, OriginalColumn};
use super::{Audit, AuditRecords, Check, ExpectedCounts, asked, check_counts, counted};
use privet_core::{Error, Result};
use privet_data::Source;
use privet_policy::requirement::{Diversity, KAnonymity, LDiversity, TCloseness};
use privet_policy::{CheckedPolicy, DataKind, Requirement, Role};

/// The column that says which bucket a record is in.
const BUCKET: &str = "bucket";

/// The column that says how often a value occurs in a bucket.
const COUNT: &str = "count";

/// The published tables.
#[derive(Debug, Clone)]
pub enum BucketTables {
    /// Quasi-identifiers with buckets, and buckets with values and counts.
    Two {
        /// Quasi-identifiers with buckets.
        qit: Source,
        /// Buckets with values and counts.
        st: Source,
    },
    /// One table, with values that are shuffled within buckets.
    Permuted(Source),
}

/// Audits published buckets against their policy; the policy's data is the original. `assignment` is the steward's list:
/// the bucket of every record of the original, in its order, none for one that is left out.
pub fn audit_buckets(
    policy: &CheckedPolicy,
    release: &BucketTables,
    assignment: Option<&[Option<String>]>,
    expected: Option<ExpectedCounts>,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Audit> {
    let about = hidden_column(policy)?;
    let (book, columns) = BucketBook::read(policy, release, about, assignment, tick)?;
    let records = AuditRecords {
        original: book.rows + book.dropped,
        dropped: book.dropped,
        released: book.released(),
        suppressed: book.rows.saturating_sub(book.released()),
    };
    let written = form_of(release)?;
    let mut checks = vec![
        columns,
        listing::check_form(&book, written.faults.clone()),
        check_buckets(&book),
        check_records(&book),
        check_values(&book),
        order::check_order(&book, tick)?,
    ];
    checks.extend(written.unknown());
    let matching =
        policy.requirements.iter().any(|asked| matches!(asked, Requirement::MatchingLDiversity(_)));
    let excluded = if matching { knowledge::excluded(policy, &book, tick)? } else { HashMap::new() };
    let is_exception =
        |person: &Person, value: u32| excluded.get(person).is_some_and(|set| set.contains(&value));
    let transport = match assignment {
        Some(_) => {
            checks.push(check_assignment(&book));
            None
        }
        None if checks.iter().all(|check| check.holds) => {
            let transport = Transport::of(&book, &is_exception, tick)?;
            checks.push(check_transport(transport.verdict));
            Some(transport)
        }
        None => None,
    };
    checks.push(check_suppression(policy, &records));
    checks.extend(expected.as_ref().map(|expected| check_counts(expected, &records, "records")));
    let exceptions = book.original.keys().any(|(person, value)| is_exception(person, *value));
    let sight = match (assignment, transport) {
        (Some(_), _) => AssignmentKnowledge::List,
        (None, _) if !exceptions => AssignmentKnowledge::Rules,
        (None, Some(transport)) if transport.verdict != TransportVerdict::Impossible => {
            AssignmentKnowledge::Bounds(transport)
        }
        (None, _) => AssignmentKnowledge::Nothing,
    };
    for (position, requirement) in policy.requirements.iter().enumerate() {
        let name = requirement.describe(&policy.columns);
        let check = match requirement {
            Requirement::MatchingLDiversity(asked) => {
                check_matching(asked, name, &book, &excluded, &sight, tick)?
            }
            Requirement::LDiversity(asked) => check_diversity(asked, name, &book)?,
            Requirement::KAnonymity(asked) => check_size(asked, &name, &book),
            Requirement::TCloseness(asked) => check_closeness(asked, &name, policy, &book)?,
            // No method that publishes groups takes these; what nobody judges fails the audit.
            Requirement::LPlusDiversity(_)
            | Requirement::LkcPrivacy(_)
            | Requirement::BetaLikeness(_)
            | Requirement::DeltaDisclosure(_)
            | Requirement::KMap(_)
            | Requirement::DeltaPresence(_)
            | Requirement::AverageRisk(_)
            | Requirement::SampleUniqueness(_)
            | Requirement::PopulationUniqueness(_)
            | Requirement::IndividualRisk(_)
            | Requirement::HouseholdRisk(_)
            | Requirement::NtCloseness(_)
            | Requirement::KlOfSets(_)
            | Requirement::Projection(_)
            | Requirement::FfAnonymity(_)
            | Requirement::QsDiversity(_)
            | Requirement::QsCloseness(_) => continue,
        };
        checks.push(check.judging(position));
    }
    Ok(Audit::of(DataKind::Table, records, book.buckets.len() as u64, checks, &asked(policy)))
}

/// What could mark rows of the published files.
fn form_of(release: &BucketTables) -> Result<Written> {
    let tables = match release {
        BucketTables::Two { qit, st } => vec![qit, st],
        BucketTables::Permuted(table) => vec![table],
    };
    let mut found = Written::default();
    for table in tables {
        let name = table.origin().name();
        let written = super::form::written(table)?;
        found.faults.extend(written.faults.into_iter().map(|fault| format!("{name}: {fault}")));
        found.forgot |= written.forgot;
    }
    Ok(found)
}

/// The column whose values are published by bucket: the one that requirements are about, or the only sensitive one.
fn hidden_column(policy: &CheckedPolicy) -> Result<usize> {
    let named = policy.requirements.iter().filter_map(Requirement::column);
    let sensitive = policy.with_role(Role::Sensitive).map(|column| column.index);
    let columns: BTreeSet<usize> = named.chain(sensitive).collect();
    match columns.iter().copied().collect::<Vec<usize>>().as_slice() {
        [column] => Ok(*column),
        columns => {
            let found = if columns.is_empty() { "none is sensitive" } else { "several are sensitive" };
            Err(Error::input(format!("buckets publish the values of one column, and {found}"))
                .in_file(policy.written.path())
                .help("set role = \"sensitive\" for the column whose values are published by bucket"))
        }
    }
}

/// A check of every bucket: the first few faults are reported.
fn with_faults(name: &str, fine: &str, faults: Vec<(String, u64)>) -> Check {
    const MOST: usize = 5;
    if faults.is_empty() {
        return Check::new(name, true, fine);
    }
    let shown: Vec<&str> = faults.iter().take(MOST).map(|(fault, _)| fault.as_str()).collect();
    let more =
        if faults.len() > MOST { format!("; and {} more", faults.len() - MOST) } else { String::new() };
    let mut check = Check::new(name, false, format!("{}{more}", shown.join("; ")));
    check.worst = faults.first().map(|(fault, _)| fault.clone());
    check.concerned = faults.iter().map(|(_, records)| records).sum();
    check.classes_failing = faults.len() as u64;
    check
}

fn check_buckets(book: &BucketBook) -> Check {
    let mut faults = Vec::new();
    for (name, bucket) in &book.buckets {
        let (records, values) = (bucket.records(), bucket.occurrences());
        faults.extend(bucket.faults.iter().map(|fault| (format!("bucket {name}: {fault}"), records)));
        if records != values {
            let there = counted(records, "record", "records");
            let told = counted(values, "value", "values");
            faults.push((format!("bucket {name} has {there}, but {told}"), records));
        }
    }
    with_faults("buckets", "every bucket has as many values as records", faults)
}

fn check_records(book: &BucketBook) -> Check {
    let mut left = book.people.clone();
    let mut strange = 0;
    for (person, count) in book.buckets.values().flat_map(|bucket| &bucket.people) {
        let stock = left.get_mut(person);
        let found = stock.as_deref().copied().unwrap_or(0).min(*count);
        strange += count - found;
        if let Some(stock) = stock {
            *stock -= found;
        }
    }
    let faults = if strange == 0 {
        Vec::new()
    } else {
        vec![(format!("{} no original record", counted(strange, "record matches", "records match")), strange)]
    };
    with_faults("records", "the quasi-identifiers match distinct original records", faults)
}

fn check_values(book: &BucketBook) -> Check {
    let mut published: BTreeMap<u32, u64> = BTreeMap::new();
    for (value, count) in book.buckets.values().flat_map(|bucket| &bucket.values) {
        *published.entry(*value).or_default() += count;
    }
    let mut faults = Vec::new();
    for (value, count) in published {
        let original = book.value_counts.get(&value).copied().unwrap_or(0);
        if count > original {
            let name = book.values.text(value);
            faults.push((
                format!("'{name}' occurs {}, in the original {original}", counted(count, "time", "times")),
                count - original,
            ));
        }
    }
    with_faults("values", "no value occurs more often than in the original", faults)
}

fn check_assignment(book: &BucketBook) -> Check {
    let mut faults = Vec::new();
    for name in
        book.buckets.keys().chain(book.assigned.keys().filter(|name| !book.buckets.contains_key(*name)))
    {
        let (mut people, mut values) = (BTreeMap::new(), BTreeMap::new());
        for ((person, value), count) in book.assigned.get(name).into_iter().flatten() {
            *people.entry(person.clone()).or_insert(0) += count;
            *values.entry(*value).or_insert(0) += count;
        }
        let same =
            book.buckets.get(name).is_some_and(|bucket| bucket.people == people && bucket.values == values);
        if !same {
            let records = book.buckets.get(name).map_or(0, Bucket::records);
            faults.push((format!("bucket {name} is not what the records assigned to it give"), records));
        }
    }
    if book.strays > 0 {
        let more = counted(book.strays as u64, "line", "lines");
        faults.push((format!("the steward's list has {more} more than there are records"), 0));
    }
    with_faults("assignment", "the records assigned to each bucket give the published tables", faults)
}

fn check_suppression(policy: &CheckedPolicy, records: &AuditRecords) -> Check {
    let (kept, suppressed) = (records.original - records.dropped, records.suppressed);
    if policy.method.withholds() {
        let detail = format!("{suppressed} of {} suppressed (no limit)", counted(kept, "record", "records"));
        return Check::new("suppression", true, detail);
    }
    let detail =
        format!("{suppressed} of {} suppressed (at most 0 allowed)", counted(kept, "record", "records"));
    Check::new("suppression", suppressed == 0, detail)
}

/// Plain l-diversity: different values, or shares of values.
fn check_diversity(asked: &LDiversity, name: String, book: &BucketBook) -> Result<Check> {
    let mut faults = Vec::new();
    for (bucket_name, bucket) in &book.buckets {
        let (size, most) = (bucket.occurrences(), bucket.values.values().max().copied().unwrap_or(0));
        let distinct = bucket.values.len() as u64;
        let fault = match asked.diversity {
            Diversity::Distinct(l) => (u128::from(distinct) * u128::from(l.denominator())
                < u128::from(l.numerator()))
            .then(|| format!("bucket {bucket_name} has {}", counted(distinct, "value", "different values"))),
            Diversity::Frequency(l) => (u128::from(most) * u128::from(l.numerator())
                > u128::from(size) * u128::from(l.denominator()))
            .then(|| {
                format!("bucket {bucket_name} has a value {} among {size}", counted(most, "time", "times"))
            }),
            Diversity::Entropy(_) | Diversity::Recursive { .. } => {
                let kind = asked.diversity.kind();
                return Err(Error::input(format!("buckets are not audited for kind = \"{kind}\"")));
            }
        };
        faults.extend(fault.map(|fault| (fault, size)));
    }
    Ok(with_faults(&name, "every bucket meets it", faults))
}

/// k-anonymity of buckets: each has at least k records.
fn check_size(&KAnonymity { k, .. }: &KAnonymity, name: &str, book: &BucketBook) -> Check {
    let sizes = || book.buckets.iter().map(|(name, bucket)| (name, bucket.records()));
    let small = sizes().filter(|(_, records)| *records < k);
    let faults = small.map(|(name, records)| {
        (format!("bucket {name} has {}, k = {k}", counted(records, "record", "records")), records)
    });
    let mut check = with_faults(name, "every bucket has at least k records", faults.collect());
    if check.holds {
        let smallest = sizes().min_by_key(|(_, records)| *records);
        check.worst = smallest.map(|(name, records)| {
            format!("bucket {name}: {} ≥ k = {k}", counted(records, "record", "records"))
        });
    }
    check
}

/// t-closeness of buckets: the values of each are distributed much as in the original.
fn check_closeness(
    asked: &TCloseness,
    name: &str,
    policy: &CheckedPolicy,
    book: &BucketBook,
) -> Result<Check> {
    let texts: Vec<&str> = book.values.texts().collect();
    let counts = (0..texts.len() as u32).map(|value| book.value_counts.get(&value).copied().unwrap_or(0));
    let column = OriginalColumn::new(policy, asked.column, texts.clone(), counts.collect())?;
    let closeness = ColumnCloseness::of(asked, &column)?;
    let (mut faults, mut farthest) = (Vec::new(), None);
    for (name, bucket) in book.buckets.iter().filter(|(_, bucket)| !bucket.values.is_empty()) {
        let (holds, distance, figures) =
            closeness.judge(bucket.values.iter().map(|(value, count)| (*value, *count)));
        let described = format!("bucket {name}: {figures}");
        if !holds {
            faults.push((described.clone(), bucket.occurrences()));
        }
        if farthest.as_ref().is_none_or(|(most, _)| distance > *most) {
            farthest = Some((distance, described));
        }
    }
    let mut check = with_faults(name, "every bucket is close to the original", faults);
    if check.holds {
        check.worst = farthest.map(|(_, described)| described);
    }
    Ok(check)
}

fn check_transport(verdict: TransportVerdict) -> Check {
    let name = "assignment";
    match verdict {
        TransportVerdict::Found => Check::new(
            name,
            true,
            "some assignment of the original records to buckets gives the published tables; only the steward's list \
             shows whether it is the true one",
        ),
        TransportVerdict::Impossible => Check::new(
            name,
            false,
            "no assignment of the original records to buckets gives the published tables",
        ),
        TransportVerdict::Undetermined => Check::undetermined(
            name,
            "whether some assignment of the original records to buckets gives the published tables takes too long to find \
             out; the steward's list would show it",
        ),
    }
}
