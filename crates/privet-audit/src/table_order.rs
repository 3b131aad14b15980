//! Does the order of a released table follow that of the original?

use hashbrown::HashMap;

use super::Check;
use super::cover::Coverage;
use super::notion::Facts;
use super::order::{
    Arrangement, Components, Evidence, FALSE_ALARM, Fits, HiddenKey, OrderView, ShownColumn, UNKNOWN,
};
use super::table::{Dictionary, Table, UncomparedColumn};
use super::truth::ClassIndex;
use privet_core::Result;
use privet_policy::{PolicyColumn, Role};

const NAME: &str = "order";

/// Compares the order of the release with that of the original.
pub(super) fn check(facts: &Facts<'_>, coverage: &[Coverage]) -> Result<Check> {
    let release = &facts.tables.release;
    let rows: Vec<u32> = release.order.iter().collect();
    let arrangement = arrangement(release, &facts.tables.plain, &rows);
    if arrangement.is_complete() {
        return Ok(Check::new(NAME, true, "the rows are sorted by what they show"));
    }
    let symbols = Symbols::of(facts, coverage)?;
    let original: Vec<u32> = facts.tables.original.order.iter().collect();
    let mut evidence = Evidence::default();
    for overlap in symbols.overlaps() {
        let (view, conditions) = symbols.view(overlap, &original, &rows);
        evidence.join(arrangement.evidence(&view, &conditions, "the original"), arrangement.handicap);
        if overlap == Overlap::Joined {
            let keys = hidden_keys(facts, &original, &conditions[0]);
            let (mut found, mut watched) = (Evidence::default(), Ok(()));
            let keys = keys.take_while(|_| {
                watched = (facts.watch)();
                watched.is_ok()
            });
            arrangement.hidden(&view, keys, &mut found);
            watched?;
            evidence.join(found, arrangement.handicap);
        }
    }
    if symbols.overlaps().len() > 1 {
        let (released, fits) = symbols.fitting(&rows);
        let strata = arrangement.runs();
        let mut found = Evidence::default();
        Fits { released: &released, strata: &strata, original: &original, fits: &fits }
            .evidence("the original", &mut found);
        evidence.join(found, arrangement.handicap);
    }
    if let Some(found) = evidence.verdict(FALSE_ALARM) {
        let detail = format!(
            "the rows are not in random order: {found}. Shuffle the rows, or sort them by what they show"
        );
        return Ok(Check::new(NAME, false, detail));
    }
    Ok(Check::new(NAME, true, "the order of the rows agrees with the original no more than by chance"))
}

/// What the original could be sorted by that the release does not show: columns that are not published, and the exact values of
/// generalised ones. `classes` are those of the released rows.
fn hidden_keys<'a>(
    facts: &'a Facts<'_>,
    original: &'a [u32],
    classes: &'a [u32],
) -> impl Iterator<Item = HiddenKey> + 'a {
    let (table, release) = (&facts.tables.original, &facts.tables.release);
    let quasi = table.quasi.iter().zip(&release.quasi).zip(&facts.layout.quasi).enumerate();
    let exact = quasi.flat_map(move |(at, ((values, cells), place))| {
        exact_keys(facts.column_name(place.original), values, cells, classes, || {
            original.iter().map(|id| table.records.get(*id)[at]).collect()
        })
    });
    unpublished_keys(&facts.policy.columns, &table.others, original.len(), classes).chain(exact)
}

/// The orders of columns that are not published, for `rows` rows of the original. They are made one by one: all of them would
/// take more memory than the tables.
pub(super) fn unpublished_keys<'a>(
    columns: &'a [PolicyColumn],
    hidden: &'a [UncomparedColumn],
    rows: usize,
    classes: &'a [u32],
) -> impl Iterator<Item = HiddenKey> + 'a {
    hidden.iter().filter(|hidden| !hidden.is_lost).flat_map(move |hidden| {
        let codes: Vec<u32> = hidden.rows.iter().collect();
        let column = columns.get(hidden.column).filter(|_| codes.len() == rows);
        let keys = column.into_iter().flat_map(move |column| {
            let key = |ranks| HiddenKey {
                what: format!("column '{}' of the original", column.name),
                ranks,
                // An identifier says nothing about what is shown, but other columns may.
                is_foreign: column.role == Some(Role::Identifier),
                condition: classes.to_vec(),
            };
            HiddenKey::ranks(hidden.texts.texts(), &codes).into_iter().map(key).collect::<Vec<_>>()
        });
        keys.collect::<Vec<HiddenKey>>()
    })
}

/// The orders of a column's exact values, unless the release shows them.
pub(super) fn exact_keys(
    name: &str,
    values: &Dictionary,
    cells: &Dictionary,
    classes: &[u32],
    codes: impl FnOnce() -> Vec<u32>,
) -> Vec<HiddenKey> {
    if cells.texts().all(|cell| values.find(cell).is_some()) {
        return Vec::new();
    }
    let key = |ranks| HiddenKey {
        what: format!("the exact values of column '{name}'"),
        ranks,
        is_foreign: false,
        condition: classes.to_vec(),
    };
    HiddenKey::ranks(values.texts(), &codes()).into_iter().map(key).collect()
}

/// What of a table's order follows from what it shows; `rows` are the numbers of its records, in the order of the file.
pub(super) fn arrangement(table: &Table, plain: &[Dictionary], rows: &[u32]) -> Arrangement {
    let records = &table.records;
    let compared = table.quasi.iter().chain(plain).enumerate().map(|(column, texts)| ShownColumn {
        code: Box::new(move |row| records.get(rows[row])[column]),
        text: Box::new(move |code| texts.text(code)),
    });
    let others = table.others.iter().filter(|other| !other.is_lost).map(|other| {
        let codes: Vec<u32> = other.rows.iter().collect();
        ShownColumn {
            code: Box::new(move |row| codes[row]),
            text: Box::new(move |code| other.texts.text(code)),
        }
    });
    let columns: Vec<ShownColumn<'_>> = compared.chain(others).collect();
    let quasi = table.quasi.len();
    let classes: Vec<usize> = (0..quasi).collect();
    let values: Vec<usize> = (quasi..quasi + plain.len()).collect();
    Arrangement::of(rows.len(), &columns, &[classes, values, (0..columns.len()).collect()])
}

/// What becomes of originals that fit several classes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overlap {
    /// Classes that share somebody are one.
    Joined,
    /// Such originals are passed over.
    PassedOver,
}

/// What rows of both tables could be about the same person, as far as columns tell that are published unchanged.
struct Symbols {
    /// By distinct record of the original: the classes that cover it, and the values of unchanged columns as a number.
    original: Vec<(Vec<u32>, u32)>,
    /// By distinct record of the release: its class, and the values.
    release: Vec<(u32, u32)>,
    /// By class the first of those that are joined with it.
    joined: Vec<u32>,
}

impl Symbols {
    fn of(facts: &Facts<'_>, coverage: &[Coverage]) -> Result<Symbols> {
        let (original, release) = (&facts.tables.original, &facts.tables.release);
        let quasi = coverage.len();
        let classes = &facts.classes.cells;
        let (people, person_of) = original.records.beginnings(quasi)?;
        let index = ClassIndex::of(classes, coverage);
        let mut components = Components::new(classes.ids().len());
        let covering: Vec<Vec<u32>> = people.ids().map(|person| index.covering(people.get(person))).collect();
        for covering in &covering {
            if let [first, others @ ..] = covering.as_slice() {
                others.iter().for_each(|other| components.join(*first, *other));
            }
        }
        // Columns that may have changed tell nothing: sets that lost terms, and columns with suppressed cells.
        let patterns = facts.suppressed.patterns(&release.records, quasi);
        let starred = |place: usize| patterns.iter().flatten().any(|(starred, _)| *starred == place);
        let unchanged: Vec<usize> = (0..facts.layout.plain.len())
            .filter(|place| facts.layout.sets != Some(*place) && !starred(*place))
            .map(|place| quasi + place)
            .collect();
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut values = |record: &[u32]| {
            let next = known.len() as u32;
            *known.entry(unchanged.iter().map(|at| record[*at]).collect()).or_insert(next)
        };
        let of_original = (original.records.ids())
            .map(|id| {
                let classes = covering[person_of[id as usize] as usize].clone();
                (classes, values(original.records.get(id)))
            })
            .collect();
        let of_release = (release.records.ids())
            .map(|id| {
                let record = release.records.get(id);
                (classes.find(&record[..quasi]).unwrap_or(UNKNOWN), values(record))
            })
            .collect();
        let joined = classes.ids().map(|class| components.of(class)).collect();
        Ok(Symbols { original: of_original, release: of_release, joined })
    }

    /// The ways in which originals are treated that fit several classes: only one where none does.
    fn overlaps(&self) -> Vec<Overlap> {
        let overlapping = self.original.iter().any(|(classes, _)| classes.len() > 1);
        if overlapping { vec![Overlap::Joined, Overlap::PassedOver] } else { vec![Overlap::Joined] }
    }

    /// Both tables as sequences of symbols, and the conditions on which rows are compared: of one class, or of the same values.
    fn view(&self, overlap: Overlap, original: &[u32], release: &[u32]) -> (OrderView, Vec<Vec<u32>>) {
        let class = |class: u32| match overlap {
            Overlap::Joined => self.joined.get(class as usize).copied().unwrap_or(UNKNOWN),
            Overlap::PassedOver => class,
        };
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let mut symbol = |class: u32, values: u32| {
            let next = known.len() as u32;
            if class == UNKNOWN { UNKNOWN } else { *known.entry((class, values)).or_insert(next) }
        };
        let of_original: Vec<u32> = (self.original.iter())
            .map(|(classes, values)| match (classes.as_slice(), overlap) {
                ([only], _) => symbol(class(*only), *values),
                ([first, ..], Overlap::Joined) => symbol(class(*first), *values),
                _ => UNKNOWN,
            })
            .collect();
        let of_release: Vec<u32> =
            self.release.iter().map(|(own, values)| symbol(class(*own), *values)).collect();
        let sequence = |rows: &[u32], of: &[u32]| rows.iter().map(|id| of[*id as usize]).collect();
        let view = OrderView {
            reference: sequence(original, &of_original),
            released: sequence(release, &of_release),
        };
        let classes = release.iter().map(|id| class(self.release[*id as usize].0)).collect();
        let values = release.iter().map(|id| self.release[*id as usize].1).collect();
        (view, vec![classes, values])
    }

    /// The kinds of released rows by class and values, and by distinct record of the original those that it could be.
    fn fitting(&self, release: &[u32]) -> (Vec<u32>, Vec<Vec<u32>>) {
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let kinds: Vec<u32> = (self.release.iter())
            .map(|own| {
                let next = known.len() as u32;
                *known.entry(*own).or_insert(next)
            })
            .collect();
        let fits = |(classes, values): &(Vec<u32>, u32)| {
            let mut fits: Vec<u32> =
                classes.iter().filter_map(|class| known.get(&(*class, *values)).copied()).collect();
            fits.sort_unstable();
            fits
        };
        (release.iter().map(|id| kinds[*id as usize]).collect(), self.original.iter().map(fits).collect())
    }
}
