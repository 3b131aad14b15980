//! Whose records they are: what the publisher should know, and what is refused, where one person may have several.

use super::report::Whose;
use privet_core::quoted;
use privet_core::{Error, Result};
use privet_data::People;
use privet_engine::heads::Heads;
use privet_engine::microdata::Microdata;
use privet_methods::recoding::ClassTable;
use privet_policy::CheckedPolicy;

/// Warns of identifiers that name somebody several times, where nothing says whose records they are.
pub(super) fn cautions(policy: &CheckedPolicy, microdata: &Microdata) -> Vec<String> {
    let caution = |found: &privet_data::RepeatedIdentifier| {
        let column = policy.columns.get(found.column);
        let name = quoted(column.map_or("", |column| column.name.as_str()));
        let (what, otherwise) = match column.and_then(|column| column.role) {
            Some(_) => ("identifier", "if different people may share it, leave it out of [columns]"),
            None => ("column", "if different people share it, nothing has to be done"),
        };
        let values = found.values.map_or_else(String::new, |values| format!(" {values} values in"));
        format!(
            "the {what} {name} recurs:{values} {} records. Records are counted, not people, so one person with several \
             records may make up a class alone. If {name} tells people apart, set person = {name} in [data]; {otherwise}",
            found.rows
        )
    };
    microdata.summary.repeated.iter().map(caution).collect()
}

/// Whose records they are, for reports; `classes` are those of the release, where it has any.
pub(super) fn whose(microdata: &Microdata, classes: Option<&ClassTable>) -> Whose {
    let Some(people) = &microdata.summary.people else {
        return Whose::Unknown { recurring: (!microdata.summary.repeated.is_empty()).into() };
    };
    let released = match classes {
        Some(ClassTable { heads: Some(heads), .. }) => heads.total(),
        Some(ClassTable { sizes, .. }) => sizes.iter().sum(),
        None => people.total(),
    };
    Whose::Counted { read: people.total().into(), released: released.into() }
}

/// How many people have each combination of quasi-identifiers, of those that somebody has.
pub(super) fn sizes_before(microdata: &Microdata) -> Option<Vec<u64>> {
    Some(alike(microdata, microdata.crowd()?).1.sizes().to_vec())
}

/// The records and the people of every combination of quasi-identifiers.
fn alike(microdata: &Microdata, people: &People) -> (Vec<u64>, Heads) {
    // Distinct records are sorted with the quasi-identifiers in front, so equal ones are neighbours.
    let mut sizes: Vec<u64> = Vec::new();
    let mut placed = Vec::with_capacity(microdata.summary.len());
    for record in 0..microdata.summary.len() {
        if record == 0 || microdata.quasi_codes(record) != microdata.quasi_codes(record - 1) {
            sizes.push(0);
        }
        let class = sizes.len() - 1;
        sizes[class] += microdata.summary.count(record);
        placed.push((record, class as u32));
    }
    let heads = Heads::count(microdata, people, sizes.len(), placed.into_iter());
    (sizes, heads)
}

/// Refuses requirements that count records before a search, where somebody has several that will share a class because
/// they are alike in their quasi-identifiers.
pub(super) fn refuse_alike(policy: &CheckedPolicy, microdata: &Microdata) -> Result<()> {
    let Some(people) = microdata.crowd().filter(|_| policy.counts_records().next().is_some()) else {
        return Ok(());
    };
    let (sizes, heads) = alike(microdata, people);
    refuse(policy, &sizes, heads.sizes())
}

/// Refuses requirements that count records, where somebody has several of them in one class of the release.
pub(super) fn refuse_shared(policy: &CheckedPolicy, classes: &ClassTable) -> Result<()> {
    refuse(policy, &classes.sizes, classes.people())
}

fn refuse(policy: &CheckedPolicy, records: &[u64], people: &[u64]) -> Result<()> {
    let Some((position, clause)) = policy.counts_records().next() else { return Ok(()) };
    let shared = records.iter().zip(people).filter(|(records, people)| people < records).count();
    if shared == 0 {
        return Ok(());
    }
    let classes = if shared == 1 { "1 class".to_string() } else { format!("{shared} classes") };
    let wrong = format!(
        "{} counts records, but in {classes} somebody has several of them, so that it would not hold for people",
        clause.describe(&policy.columns)
    );
    Err(policy.at_requirement(position, Error::input(wrong)).help(
        "k-anonymity, l-plus-diversity and l-diversity of kind \"distinct\" and \"frequency\" count people; or bring one \
         record per person",
    ))
}
