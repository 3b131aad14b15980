//! LKC-privacy as reports know it.

use super::account::inequality;
use super::recoded::Recoded;
use super::report::{Attack, Cover, Notion, Protection, Side, Sourced, Tightness};
use privet_core::{Result, counted};
use privet_engine::privacy::{self, Counts, EquivalenceClass};
use privet_methods::recoding::ClassTable;
use privet_policy::requirement::LkcPrivacy;
use privet_policy::{CheckedPolicy, Requirement};

/// What it promises, and its row of the protection matrix.
pub(super) fn notion(asked: &LkcPrivacy, column: Option<String>) -> Notion {
    let LkcPrivacy { known, k, confidence: c, .. } = asked;
    let cells = counted(*known, "quasi-identifier", "quasi-identifiers");
    let protection = |attack, meaning| Protection { attack, cover: Cover::Partly, meaning };
    let mut protections = Vec::new();
    if *k > 1 {
        protections.push(protection(
            Attack::Linking,
            format!(
                "Someone who knows at most {cells} of a person, whichever they are, finds at least {k} records that match. Someone \
                 who knows more may find a single one."
            ),
        ));
    }
    let Some(column) = column else {
        return Notion::Other {
            name: format!("LKC-privacy (L = {known}, K = {k})"),
            promise: format!("records that agree on at most {cells} are at least {k}"),
            column: None,
            protections,
        };
    };
    protections.push(protection(
        Attack::Homogeneity,
        format!("Someone who knows at most {cells} of a person can be sure of their {column} with a confidence of at most {c}."),
    ));
    protections.push(protection(
        Attack::Skew,
        format!(
            "To someone who knows at most {cells}, no {column} is likelier than {c}; a rare value may still be many times likelier \
             than usual."
        ),
    ));
    Notion::Other {
        name: format!("LKC-privacy of {column} (L = {known}, K = {k}, C = {c})"),
        promise: format!(
            "records that agree on at most {cells} are at least {k}, and no value of {column} makes up more than {c} of them"
        ),
        column: Some(column),
        protections,
    }
}

/// A group that comes near a bound.
struct NearestGroup {
    room: f64,
    figure: privacy::Tightness,
    words: String,
    exact: String,
    holds: bool,
}

/// How near the smallest group, and the one with the most frequent value, come to what is allowed.
pub(super) fn tightness(shape: &Recoded, tick: &mut dyn FnMut() -> Result<()>) -> Result<Vec<Tightness>> {
    let Recoded { policy, microdata, .. } = shape;
    let mut all = Vec::new();
    for asked in &policy.requirements {
        let Requirement::LkcPrivacy(own) = asked else { continue };
        let notion = privacy::LkcPrivacy::of(own, &microdata.table)?;
        let nearest = nearest(shape, &notion, tick)?;
        for (nearest, what) in nearest.into_iter().zip(["smallest group", "largest share"]) {
            let Some(nearest) = nearest else { continue };
            let column = own.column.map(|column| name_of(policy, column));
            // Without a column there are no shares.
            if column.is_none() && what == "largest share" {
                continue;
            }
            all.push(Tightness {
                requirement: match &column {
                    Some(column) => format!("lkc-privacy of {column}, {what}"),
                    None => format!("lkc-privacy, {what}"),
                },
                column,
                inequality: inequality(asked),
                exact: nearest.exact.into(),
                worst: nearest.words.into(),
                value: Sourced::Released(nearest.figure.value),
                threshold: nearest.figure.threshold,
                side: if nearest.figure.at_most { Side::AtMost } else { Side::AtLeast },
                counted: !nearest.figure.at_most,
                from_data: false,
                holds: nearest.holds,
            });
        }
    }
    Ok(all)
}

fn name_of(policy: &CheckedPolicy, column: usize) -> String {
    policy.columns.get(column).map_or(String::new(), |column| column.name.clone())
}

/// For each of the two tests, the group that comes nearest to its bound.
fn nearest(
    shape: &Recoded,
    notion: &privacy::LkcPrivacy,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<[Option<NearestGroup>; 2]> {
    let Recoded { microdata, solution, classes, .. } = shape;
    let recoding = &solution.recoding;
    let columns: Vec<usize> = (0..microdata.quasi.len()).collect();
    let mut order: Vec<usize> = (0..recoding.len()).filter(|class| classes.sizes[*class] > 0).collect();
    let mut nearest = [None, None];
    for known in notion.combinations(&columns) {
        tick()?;
        let cells = |class: usize| known.iter().map(move |column| recoding.cells(class)[*column]);
        order.sort_by(|a, b| cells(*a).cmp(cells(*b)));
        for group in order.chunk_by(|a, b| cells(*a).eq(cells(*b))) {
            let (size, counts) = tally(group, classes, microdata.table.slots());
            let class =
                EquivalenceClass { size, counts: Counts::Dense(&counts), standing: Default::default() };
            for (test, nearest) in notion.tests().into_iter().zip(&mut nearest) {
                let figure = test.tightness(&class);
                if nearest.as_ref().is_some_and(|so_far: &NearestGroup| so_far.room <= figure.room()) {
                    continue;
                }
                let cell = |column: &usize| {
                    let cell = recoding.cells(group[0])[*column] as usize;
                    format!(
                        "{} = {}",
                        microdata.quasi[*column].name, recoding.columns[*column].cells[cell].label
                    )
                };
                let words = known.iter().map(cell).collect::<Vec<_>>().join(", ");
                let most = class.counts.most(&notion.slots());
                *nearest = Some(NearestGroup {
                    room: figure.room(),
                    words: format!("{words} ({})", counted(size, "record", "records")),
                    exact: if figure.at_most { format!("{most} of {size}") } else { size.to_string() },
                    holds: test.holds(&class),
                    figure,
                });
            }
        }
    }
    Ok(nearest)
}

/// What is in several classes together: the number of records, and how often each value occurs, by slot.
fn tally(group: &[usize], classes: &ClassTable, slots: u32) -> (u64, Vec<u64>) {
    let (mut size, mut counts) = (0, vec![0; slots as usize]);
    for class in group {
        let class = classes.members(*class).records;
        size += class.size;
        class.counts.for_each(&(0..slots), |slot, count| counts[slot as usize] += count);
    }
    (size, counts)
}
