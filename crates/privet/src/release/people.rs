//! Who is in which class of a release, for the ledger: one function for each kind of release.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::book::Book;
use super::buckets::Places;
use super::run::changed;
use super::turns::Ways;
use privet_core::clock::Clock;
use privet_core::{Result, RunKey};
use privet_data::{Bags, Batch, Located, Transaction};
use privet_engine::baskets::{Baskets, Lexicon};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::TrackedColumn;
use privet_ledger::{Candidates, NOTHING, RecordKeys, SignatureClass, Signatures, View};
use privet_methods::codip;
use privet_methods::injector;
use privet_methods::kl::recoding::{Dispatch, ItemRecoding};
use privet_methods::recoding::Recoding;
use privet_methods::vocabulary::BagSolution;
use privet_policy::{CheckedPolicy, Role, TransactionPolicy};
use privet_taxonomy::Node;

/// What the sensitive part of a transaction is called.
const SENSITIVE_ITEMS: &str = "sensitive items";

/// The classes of a release that is one table.
pub(super) fn of_recoding(
    book: &Book,
    policy: &CheckedPolicy,
    microdata: &Microdata,
    recoding: &Recoding,
    key: RunKey,
    clock: &Clock,
) -> Result<Signatures> {
    let sensitive: Vec<&TrackedColumn> =
        microdata.table.tracked.iter().filter(|column| column.role == Role::Sensitive).collect();
    let mut ways = Ways::in_turn(policy, microdata, recoding, None, key, clock)?;
    let mut people = Vec::new();
    let keys = each_record(book, policy, microdata, clock, &mut |person| {
        let way = ways.next(person.batch, person.row, person.record);
        let way = way.ok_or_else(|| changed(policy.source.origin()))?;
        people.extend(way.class.map(|class| (person.number, class)));
        Ok(())
    })?;
    let people = keyed(&keys, people);
    Ok(Signatures { views: vec![view(book, microdata, recoding, &sensitive, people)] })
}

/// The classes of a release of several tables.
pub(super) fn of_projections(
    book: &Book,
    policy: &CheckedPolicy,
    microdata: &Microdata,
    decision: &codip::ProjectionDecision,
    key: RunKey,
    clock: &Clock,
) -> Result<Signatures> {
    let tables = &decision.projections;
    let count = |record: usize| microdata.summary.count(record);
    // Their records never part ways.
    let mut dispatchers: Vec<_> = tables.iter().map(|table| table.recoding.dispatcher(key, count)).collect();
    let mut people: Vec<Vec<(u32, u32)>> = vec![Vec::new(); tables.len()];
    let keys = each_record(book, policy, microdata, clock, &mut |person| {
        for (dispatcher, people) in dispatchers.iter_mut().zip(&mut people) {
            people.extend(dispatcher.next(person.record).map(|class| (person.number, class)));
        }
        Ok(())
    })?;
    let views = tables.iter().zip(people).map(|(table, people)| {
        let attributes = table.attributes.iter().filter_map(|at| decision.attributes.get(*at));
        let columns = attributes.filter_map(|attribute| microdata.table.tracked.get(attribute.tracked));
        view(book, microdata, &table.recoding, &columns.collect::<Vec<_>>(), keyed(&keys, people))
    });
    Ok(Signatures { views: views.collect() })
}

/// The groups of a release of records in groups.
pub(super) fn of_groups(
    book: &Book,
    policy: &CheckedPolicy,
    microdata: &Microdata,
    decision: &injector::GroupingDecision,
    places: &Places,
    clock: &Clock,
) -> Result<Signatures> {
    let name = policy.columns.get(decision.asked.demand.column).map_or("", |column| column.name.as_str());
    let observations = &decision.observations;
    let values: Vec<u64> = observations.values.iter().map(|value| book.salt().value(name, value)).collect();
    let value = |record: &u32| {
        let code = observations.value(*record as usize) as usize;
        (values.get(code).copied().unwrap_or(NOTHING), 1)
    };
    let groups = &decision.grouping.groups;
    let classes = groups
        .iter()
        .map(|group| SignatureClass { values: vec![Candidates::of(group.iter().map(value), 0)] });
    let classes: Vec<SignatureClass> = classes.collect();
    let mut round = places.round(policy, &decision.grouping);
    let mut people = Vec::new();
    let keys = each_record(book, policy, microdata, clock, &mut |person| {
        let group = round.next(person.batch, person.row, person.record)?;
        people.extend(group.map(|group| (person.number, group)));
        Ok(())
    })?;
    let people = keyed(&keys, people);
    Ok(Signatures { views: vec![View::new(vec![name.to_string()], classes, people)] })
}

/// The published sets of a release of transactions: who shares one can be told apart by sensitive items only.
pub(super) fn of_transactions(
    book: &Book,
    policy: &TransactionPolicy,
    baskets: &Baskets,
    recoding: &ItemRecoding,
    key: RunKey,
    clock: &Clock,
) -> Result<Signatures> {
    let source = &policy.source;
    let mut keys = RecordKeys::new(book.salt());
    let mut dispatcher = recoding.dispatcher(key, baskets);
    let lexicon = Lexicon::new(baskets);
    let (mut items, mut marks, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers: HashMap<Vec<Node>, u32> = HashMap::new();
    let mut counts: Vec<BTreeMap<u64, u64>> = Vec::new();
    let mut people = Vec::new();
    let mut each = |transaction: &Transaction<'_>, _| {
        let unknown = lexicon.sort(transaction, &mut items, &mut marks);
        let basket = baskets.locate(&items, &marks).filter(|_| unknown.is_none());
        let basket = basket.ok_or_else(|| changed(source.origin()))?;
        match dispatcher.next(baskets, basket, &mut nodes) {
            Dispatch::Published => {}
            Dispatch::Removed => return Ok(()),
            Dispatch::Undecided => return Err(changed(source.origin())),
        }
        let next = counts.len() as u32;
        let class = match numbers.get(nodes.as_slice()) {
            Some(class) => *class,
            None => {
                numbers.insert(nodes.clone(), next);
                counts.push(BTreeMap::new());
                next
            }
        };
        let sensitive: Vec<&str> = marks
            .iter()
            .filter_map(|mark| baskets.sensitive.get(*mark as usize))
            .map(String::as_str)
            .collect();
        let value = match sensitive.as_slice() {
            [] => NOTHING,
            sensitive => book.salt().hash("value", sensitive.iter().copied()).max(1),
        };
        if let Some(counts) = counts.get_mut(class as usize) {
            *counts.entry(value).or_default() += 1;
        }
        let mut texts: Vec<&str> = transaction.items.to_vec();
        texts.sort_unstable();
        texts.dedup();
        people.push((keys.next(texts), class));
        Ok(())
    };
    source.read_watched(&mut each, &mut |_| clock.check())?;
    let shows = !baskets.sensitive.is_empty();
    let attributes = if shows { vec![SENSITIVE_ITEMS.to_string()] } else { Vec::new() };
    let class = |counts: BTreeMap<u64, u64>| SignatureClass {
        values: if shows { vec![Candidates::of(counts, 0)] } else { Vec::new() },
    };
    Ok(Signatures { views: vec![View::new(attributes, counts.into_iter().map(class).collect(), people)] })
}

/// The clusters of a release of vocabularies.
pub(super) fn of_vocabularies(book: &Book, bags: &Bags, solution: &BagSolution) -> Signatures {
    let mut keys = RecordKeys::new(book.salt());
    let mut bag_keys = vec![0; bags.len()];
    for bag in bags.by_name() {
        let terms = bags.bag(bag as usize).iter().filter_map(|term| bags.terms().get(*term as usize));
        bag_keys[bag as usize] = keys.next(terms.map(String::as_str));
    }
    let members = (0u32..).zip(&solution.clusters).flat_map(|(number, cluster)| {
        let keys = cluster.members.iter().filter_map(|bag| bag_keys.get(*bag as usize));
        keys.map(move |key| (*key, number))
    });
    let classes = vec![SignatureClass::default(); solution.clusters.len()];
    Signatures { views: vec![View::new(Vec::new(), classes, members.collect())] }
}

/// A record of the data.
struct PersonRow<'b> {
    /// Its number in the data, by which it has a key.
    number: u32,
    batch: &'b Batch,
    row: usize,
    /// Its number in the summary.
    record: usize,
}

/// Keys in the place of numbers.
fn keyed(keys: &[u64], people: Vec<(u32, u32)>) -> Vec<(u64, u32)> {
    people.into_iter().map(|(number, class)| (keys[number as usize], class)).collect()
}

/// Hands every record of the data that is not dropped to `each`. Returns the keys of all, by number.
fn each_record(
    book: &Book,
    policy: &CheckedPolicy,
    microdata: &Microdata,
    clock: &Clock,
    each: &mut dyn FnMut(&PersonRow<'_>) -> Result<()>,
) -> Result<Vec<u64>> {
    let named = book.person().and_then(|name| policy.columns.iter().find(|column| column.name == name));
    let columns: Vec<usize> = match named {
        Some(column) => vec![column.index],
        None => (0..policy.columns.len()).collect(),
    };
    let mut keys = book.person_keys();
    clock.progress().stage("composing", Some(policy.source.bytes()));
    policy.source.read(&mut |batch: &Batch, bytes| {
        clock.check()?;
        clock.progress().at(bytes);
        for row in 0..batch.rows() {
            let name = columns.iter().map(|column| batch.cell(row, *column).trim());
            let number = keys.add(name, batch.cells(row));
            match microdata.summary.locate(batch, row) {
                Located::Record(record) => each(&PersonRow { number, batch, row, record })?,
                Located::Dropped => {}
                Located::Unknown => return Err(changed(policy.source.origin())),
            }
        }
        Ok(())
    })?;
    let (keys, people) = keys.finish();
    book.check_person(&policy.written, people, keys.len() as u64)?;
    Ok(keys)
}

/// One table with the counts of its classes.
fn view(
    book: &Book,
    microdata: &Microdata,
    recoding: &Recoding,
    columns: &[&TrackedColumn],
    people: Vec<(u64, u32)>,
) -> View {
    let table = recoding.count(microdata);
    let hashes: Vec<Vec<u64>> = (columns.iter())
        .map(|column| column.values.iter().map(|value| book.salt().value(&column.name, value)).collect())
        .collect();
    let classes = (0..recoding.len()).map(|number| {
        let class = table.class(number);
        let values = columns.iter().zip(&hashes).map(|(column, hashes)| {
            let mut counts = Vec::new();
            class.counts.for_each(&column.slots, |value, count| {
                counts.extend(hashes.get(value as usize).map(|hash| (*hash, count)));
            });
            let shown: u64 = counts.iter().map(|(_, count)| count).sum();
            Candidates::of(counts, class.size.saturating_sub(shown))
        });
        SignatureClass { values: values.collect() }
    });
    View::new(columns.iter().map(|column| column.name.clone()).collect(), classes.collect(), people)
}
