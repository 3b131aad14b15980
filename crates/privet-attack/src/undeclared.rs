//! The wrong list of quasi-identifiers: any released column may be known to somebody.
//!
//! All released columns are treated as quasi-identifiers. Level by level, combinations of up to four of them are
//! searched for rows that cannot be confused with any other; for each row the smallest such combination counts. If
//! cells overlap (`20-29` and `*`), a row is unique only if no other row's cells have a value in common with it in
//! all of these columns.

use std::sync::Arc;

use hashbrown::HashMap;
use rayon::prelude::*;
use serde_json::json;

use super::finding::NO_GUESS;
use super::view::{CodedRows, Codes, Distinct, TableView, ViewColumn};
use super::{Attack, Figure, Finding, Scene, Threat};
use privet_core::clock::Clock;
use privet_core::counted;
use privet_core::random::{keyed, shuffle};
use privet_core::{Error, Result};
use privet_policy::Role;

pub(super) const ATTACK: Attack = Attack {
    name: "undeclared",
    threat: Threat::UndeclaredQuasiIdentifiers,
    costly: false,
    concerns: |scene| scene.tables().map(|_| ()),
    run,
};

/// The most columns that an attacker knows.
const MOST_KNOWN: usize = 4;

/// How many cells may be examined: about a few seconds.
const MOST_STEPS: usize = 400_000_000;

/// Where the budget is limited, this many times what an attack may plan for.
const IN_BUDGET: usize = 2;

/// Where the budget is limited, this many rows are compared with all others one by one.
const ROWS_IN_BUDGET: usize = 10_000;

/// A combination of columns takes at least as long as this many rows.
const LEAST_ROWS: usize = 100;

/// All that a released table shows: the columns of the original first, then those that only the release has.
struct ComparedColumns<'a> {
    names: Vec<&'a str>,
    roles: Vec<Option<Role>>,
    /// Per column, how many cells there are.
    sizes: Vec<usize>,
    /// Per column, which cells overlap.
    overlaps: Vec<Overlap>,
    rows: CodedRows,
}

impl<'a> ComparedColumns<'a> {
    fn of(scene: &Scene<'_>, table: &'a TableView) -> Result<ComparedColumns<'a>> {
        let (known, further) = (&table.columns, &table.further);
        let mut rows = table.released.clone();
        rows.codes.extend(further.iter().map(|column| column.codes.clone()));
        let names = known.iter().map(|column| &column.name).chain(further.iter().map(|column| &column.name));
        let roles = known.iter().map(|column| column.policy.role).chain(further.iter().map(|_| None));
        let sizes =
            known.iter().map(|column| column.cells.len()).chain(further.iter().map(|column| column.cells));
        // Nothing says which values the cells of further columns cover, so each is a value of its own.
        let overlaps = known.iter().map(|column| Overlap::of(scene, column));
        let overlaps = overlaps.chain(further.iter().map(|_| Ok(Overlap::Nowhere)));
        Ok(ComparedColumns {
            names: names.map(String::as_str).collect(),
            roles: roles.collect(),
            sizes: sizes.collect(),
            overlaps: overlaps.collect::<Result<_>>()?,
            rows,
        })
    }

    /// Which rows are looked at: some, by chance, where cells overlap and rows have to be held against others one by one.
    fn looked_at(&self, scene: &Scene<'_>) -> Option<Vec<bool>> {
        let most = match scene.limits.steps {
            Some(_) => scene.limits.people.min(ROWS_IN_BUDGET),
            None => return None,
        };
        if self.rows.len <= most || self.overlaps.iter().all(Overlap::is_nowhere) {
            return None;
        }
        let mut looked_at: Vec<bool> = (0..self.rows.len).map(|row| row < most).collect();
        shuffle(&mut looked_at, &mut keyed(scene.seed, "rows that may stand alone"));
        Some(looked_at)
    }

    fn len(&self) -> usize {
        self.names.len()
    }
}

/// A combination of columns, and the rows that it singles out and no smaller one.
struct Combination {
    columns: Vec<usize>,
    rows: Vec<u32>,
}

/// What was found in a table.
struct UniqueRows {
    /// By columns of any role.
    any: Vec<Combination>,
    /// How many columns these have at most.
    levels: usize,
    /// How many columns there was time for.
    limit: usize,
    /// How many rows are unique in at most as many columns, none of them sensitive.
    open: u64,
    /// And by declared quasi-identifiers alone.
    declared: u64,
    /// How many rows were looked at.
    rows: u64,
}

impl UniqueRows {
    fn in_table(scene: &Scene<'_>, table: &TableView) -> Result<UniqueRows> {
        let table = ComparedColumns::of(scene, table)?;
        let looked_at = table.looked_at(scene);
        let rows = looked_at.iter().flatten().filter(|looked_at| **looked_at).count();
        let rows = if looked_at.is_some() { rows } else { table.rows.len } as u64;
        let looks = (Looks::of(scene, &table)?, Overlaps::of(scene, &table)?, looked_at);
        // Nobody knows the pseudonym of somebody: what its records say together is another attack's.
        let is_known = |column: &usize| table.roles[*column] != Some(Role::Pseudonym);
        let all: Vec<usize> = (0..table.len()).filter(is_known).collect();
        let steps = scene.limits.steps.and_then(|steps| usize::try_from(steps).ok());
        let steps = steps.map_or(MOST_STEPS, |steps| MOST_STEPS.min(steps.saturating_mul(IN_BUDGET)));
        let limit = limit(all.len(), table.rows.len, steps);
        let (any, levels) = search(scene, &looks, &all, limit)?;
        // A row that is unique in a mixture may also be unique in other columns: each question is a search of its own.
        let alone = |is: fn(Option<Role>) -> bool| {
            let columns: Vec<usize> = (0..table.len()).filter(|column| is(table.roles[*column])).collect();
            let found = search(scene, &looks, &columns, limit)?.0;
            Ok::<u64, Error>(rows_of(&found))
        };
        // What others may know of a set is limited by a requirement of its own.
        let open = alone(|role| {
            !matches!(
                role,
                Some(Role::Sensitive | Role::Mixed | Role::QuasiSensitive | Role::Pseudonym | Role::Set)
            )
        })?;
        let declared = alone(|role| role == Some(Role::QuasiIdentifier))?;
        Ok(UniqueRows { any, levels, limit, open, declared, rows })
    }
}

/// How many rows are unique; each is in one combination.
fn rows_of(combinations: &[Combination]) -> u64 {
    combinations.iter().map(|one| one.rows.len() as u64).sum()
}

/// `1 column`, `2 columns`.
fn columns_of(number: usize) -> String {
    counted(number as u64, "column", "columns")
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let tables = scene.views()?;
    let found = tables.iter().map(|table| UniqueRows::in_table(scene, table)).collect::<Result<Vec<_>>>()?;
    // Of several tables the one that tells most.
    let at = (0..found.len()).max_by_key(|at| (rows_of(&found[*at].any), found.len() - at));
    let (Some(found), Some(table)) = (at.map(|at| &found[at]), at.map(|at| &tables[at])) else {
        return Err(Error::internal("a release without a table"));
    };
    let UniqueRows { any, levels, limit, open, declared, rows } = found;
    let known = table.columns.iter().map(|column| &column.name);
    let names: Vec<&String> = known.chain(table.further.iter().map(|column| &column.name)).collect();
    let rows = *rows;
    let figure = |what: String, hits: u64| Figure {
        what,
        targets: rows,
        hits,
        controlled: NO_GUESS.to_string(),
        ..Figure::default()
    };
    let instead = format!("knowing at most {} that are declared as quasi-identifiers", columns_of(*limit));
    let headline = Figure {
        baseline: *declared,
        instead: instead.clone(),
        ..figure(
            format!("released rows that are unique in at most {} of any role", columns_of(*levels)),
            rows_of(any),
        )
    };
    let without = Figure {
        baseline: *declared,
        instead,
        ..figure(
            format!(
                "released rows that are unique in at most {}, none of them sensitive",
                columns_of(*limit)
            ),
            *open,
        )
    };
    let mut figures = vec![headline, without];
    for level in 1..=*levels {
        let here = any.iter().filter(|one| one.columns.len() == level);
        figures.push(figure(
            format!("rows that are unique in {}, and not in fewer", columns_of(level)),
            here.map(|one| one.rows.len() as u64).sum(),
        ));
    }
    let mut order: Vec<&Combination> = any.iter().collect();
    order.sort_by(|one, other| {
        let size = |one: &Combination| (one.columns.len(), usize::MAX - one.rows.len());
        size(one).cmp(&size(other)).then_with(|| one.columns.cmp(&other.columns))
    });
    let named =
        |one: &Combination| one.columns.iter().map(|column| names[*column].as_str()).collect::<Vec<_>>();
    let lines: Vec<String> = order
        .iter()
        .take(scene.limits.most)
        .map(|one| {
            let rows = counted(one.rows.len() as u64, "row is", "rows are");
            format!("{}: {rows} unique", named(one).join(", "))
        })
        .collect();
    let listed: Vec<_> = order
        .iter()
        .take(scene.limits.most)
        .map(|one| json!({ "columns": named(one), "rows": one.rows.len() }))
        .collect();
    let warning = match open.saturating_sub(*declared) {
        0 => String::new(),
        more => format!(
            "{more} of {} {} unique in at most {}, none of them sensitive, some of them not declared as \
             quasi-identifiers (see `privet attack --only undeclared`): declare these columns, or leave them out",
            counted(rows, "released row", "released rows"),
            if more == 1 { "is" } else { "are" },
            columns_of(*limit)
        ),
    };
    let mut cut = if *limit < MOST_KNOWN.min(names.len()) {
        format!(
            "; combinations of more than {} were not searched, because there are too many",
            columns_of(*limit)
        )
    } else {
        String::new()
    };
    if rows < table.released.len as u64 {
        cut += &format!("; based on a random sample of {rows} of {} rows", table.released.len);
    }
    Ok(Finding {
        knows: "a person's values in a few columns, whatever the policy calls them".to_string(),
        does: "looks for combinations of columns in which a released row is unique".to_string(),
        assumes: format!(
            "each row counts once, for the smallest combination that singles it out; the attacker knows a person's \
             values as the release shows them{cut}"
        ),
        figures,
        worst: lines.first().cloned().unwrap_or_default(),
        lines,
        warning,
        more: [("combinations".to_string(), json!(listed))].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Undeclared quasi-identifiers")
    })
}

/// How many columns there is time for in one combination.
fn limit(columns: usize, rows: usize, most_steps: usize) -> usize {
    let mut steps = 0usize;
    let fits = |level: &usize| {
        let combinations = count(columns, *level);
        steps = steps.saturating_add(combinations.saturating_mul(level * rows.max(LEAST_ROWS)));
        steps <= most_steps
    };
    // A column at a time is always looked at: nothing of nothing would read like safety.
    (1..=MOST_KNOWN.min(columns)).take_while(fits).count().max(1)
}

/// Searches level by level; returns what was found and how many columns that took. Each row is in one combination: among
/// those of its level the one with the most rows, so that few combinations say it all.
fn search(
    scene: &Scene<'_>,
    (looks, overlaps, looked_at): &(Looks<'_>, Overlaps<'_>, Option<Vec<bool>>),
    columns: &[usize],
    limit: usize,
) -> Result<(Vec<Combination>, usize)> {
    let mut alone = vec![false; overlaps.columns.rows.len];
    let is_looked_at = |row: u32| looked_at.as_ref().is_none_or(|looked_at| looked_at[row as usize]);
    let (mut found, mut levels) = (Vec::new(), 0);
    for level in 1..=limit.min(columns.len()) {
        levels = level;
        let sets = subsets(columns, level);
        let singles = sets.par_iter().map(|set| {
            scene.clock.check()?;
            let mut left = looks.unique(set);
            left.retain(|row| !alone[*row as usize] && is_looked_at(*row));
            let mut single = Vec::new();
            for row in left {
                if overlaps.stands_alone(row, set, scene.clock)? {
                    single.push(row);
                }
            }
            Ok(single)
        });
        let singles: Vec<Vec<u32>> = singles.collect::<Result<_>>()?;
        let mut order: Vec<usize> = (0..sets.len()).filter(|at| !singles[*at].is_empty()).collect();
        order.sort_by_key(|at| (usize::MAX - singles[*at].len(), *at));
        for at in order {
            let rows: Vec<u32> = singles[at].iter().copied().filter(|row| !alone[*row as usize]).collect();
            if !rows.is_empty() {
                rows.iter().for_each(|row| alone[*row as usize] = true);
                found.push(Combination { columns: sets[at].clone(), rows });
            }
        }
        if (0u32..).zip(&alone).all(|(row, alone)| *alone || !is_looked_at(row)) {
            break;
        }
    }
    Ok((found, levels))
}

/// How many subsets of this many columns there are.
fn count(columns: usize, size: usize) -> usize {
    (0..size).fold(1, |count: usize, at| count.saturating_mul(columns - at) / (at + 1))
}

/// All subsets of this many columns, in order.
fn subsets(columns: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        for mut rest in subsets(&columns[at + 1..], size - 1) {
            rest.insert(0, *column);
            all.push(rest);
        }
    }
    all
}

/// Up to this many pairs of cells are numbered in a list; beyond, they are looked up.
const MOST_NUMBERED: usize = 1 << 20;

/// The distinct rows of a table.
struct Looks<'a> {
    rows: Arc<Distinct>,
    /// Per column, the cell of each row.
    codes: &'a [Arc<Codes>],
    /// Per column, how many cells there are.
    sizes: Vec<usize>,
}

impl<'a> Looks<'a> {
    fn of(scene: &Scene<'_>, table: &'a ComparedColumns<'_>) -> Result<Looks<'a>> {
        let columns: Vec<usize> = (0..table.len()).collect();
        let rows = table.rows.distinct(&columns, scene.clock)?;
        Ok(Looks { rows, codes: &table.rows.codes, sizes: table.sizes.clone() })
    }

    /// The rows whose cells in some columns no other row has.
    fn unique(&self, columns: &[usize]) -> Vec<u32> {
        let mut ids: Vec<u32> = vec![0; self.rows.len()];
        let mut number = 1;
        for column in columns {
            number = self.number(&mut ids, number, *column);
        }
        let mut counts = vec![0u64; number];
        ids.iter().zip(&self.rows.counts).for_each(|(id, rows)| counts[*id as usize] += rows);
        let alone = ids.iter().zip(&self.rows.first).filter(|(id, _)| counts[**id as usize] == 1);
        // They are numbered as they are first seen, so rows come in their order.
        alone.map(|(_, row)| *row).collect()
    }

    /// Numbers rows by their number so far and their cell in a column; returns how many numbers there are.
    fn number(&self, ids: &mut [u32], numbers: usize, column: usize) -> usize {
        let (codes, size) = (&self.codes[column], self.sizes[column]);
        let mut next = 0;
        let mut given = |known: &mut u32| {
            if *known == u32::MAX {
                *known = next;
                next += 1;
            }
            *known
        };
        let rows = ids.iter_mut().zip(self.rows.first.iter().map(|row| codes.at(*row as usize)));
        if numbers.saturating_mul(size) <= MOST_NUMBERED {
            let mut known = vec![u32::MAX; numbers * size];
            rows.for_each(|(id, cell)| *id = given(&mut known[*id as usize * size + cell as usize]));
        } else {
            let mut known: HashMap<(u32, u32), u32> = HashMap::new();
            rows.for_each(|(id, cell)| *id = given(known.entry((*id, cell)).or_insert(u32::MAX)));
        }
        next as usize
    }
}

/// How many rows are processed between two checks of the clock.
const BETWEEN: usize = 4096;

/// More pairs of cells than this are not listed.
const MOST_PAIRS: usize = 4_000_000;

/// Which cells of a column have a value in common.
enum Overlap {
    /// None.
    Nowhere,
    /// These, per cell and ascending.
    Listed(Vec<Vec<u32>>),
    /// Too many to list, so all are taken to overlap: then no row is unique in this column.
    Everywhere,
}

impl Overlap {
    fn of(scene: &Scene<'_>, column: &ViewColumn) -> Result<Overlap> {
        let most = scene.limits.memory.map_or(MOST_PAIRS, |_| MOST_PAIRS / 4);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for value in 0..column.values.len() as u32 {
            scene.clock.check()?;
            let cells = column.cover.cells_of(value);
            if cells.len() * cells.len() > most {
                return Ok(Overlap::Everywhere);
            }
            for one in &cells {
                pairs.extend(cells.iter().filter(|other| *other != one).map(|other| (*one, *other)));
            }
            if pairs.len() > most {
                pairs.sort_unstable();
                pairs.dedup();
                if pairs.len() > most / 2 {
                    return Ok(Overlap::Everywhere);
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        if pairs.is_empty() {
            return Ok(Overlap::Nowhere);
        }
        let mut others = vec![Vec::new(); column.cells.len()];
        pairs.iter().for_each(|(one, other)| others[*one as usize].push(*other));
        Ok(Overlap::Listed(others))
    }

    fn is_nowhere(&self) -> bool {
        matches!(self, Overlap::Nowhere)
    }
}

/// Which cells of each column have a value in common with which others.
struct Overlaps<'a> {
    columns: &'a ComparedColumns<'a>,
    /// Per column and cell, the rows that have it; empty for columns without enough memory.
    rows: Vec<Vec<Vec<u32>>>,
}

impl<'a> Overlaps<'a> {
    fn of(scene: &Scene<'_>, columns: &'a ComparedColumns<'a>) -> Result<Overlaps<'a>> {
        // Where no cells overlap nobody asks; where few columns' do, theirs are enough.
        let bytes = 8 * columns.rows.len as u64;
        let overlapping = columns.overlaps.iter().filter(|overlap| !overlap.is_nowhere()).count() as u64;
        let has_all = overlapping > 0 && scene.limits.afford(bytes * columns.len() as u64).is_ok();
        let has_some = scene.limits.afford(bytes * overlapping).is_ok();
        let wanted = |overlap: &Overlap| has_all || has_some && matches!(overlap, Overlap::Listed(_));
        let every = columns.sizes.iter().zip(&columns.rows.codes).zip(&columns.overlaps);
        let rows = every.map(|((cells, codes), overlap)| {
            scene.clock.check()?;
            if !wanted(overlap) {
                return Ok(Vec::new());
            }
            let mut rows = vec![Vec::new(); *cells];
            (0u32..).zip(codes.iter()).for_each(|(row, cell)| rows[cell as usize].push(row));
            Ok(rows)
        });
        Ok(Overlaps { columns, rows: rows.collect::<Result<_>>()? })
    }

    /// Whether no other row could be taken for this one, by columns in which no other row has the same cells.
    fn stands_alone(&self, row: u32, columns: &[usize], clock: &Clock) -> Result<bool> {
        let (others, released) = (&self.columns.overlaps, &self.columns.rows);
        if columns.iter().all(|column| others[*column].is_nowhere()) {
            return Ok(true);
        }
        if columns.iter().all(|column| matches!(others[*column], Overlap::Everywhere)) {
            return Ok(released.len == 1);
        }
        let cell = |column: usize, row: u32| released.codes[column].at(row as usize);
        // All cells that overlap with the row's own, itself included; there are too many to list where all do.
        let near = |column: usize| {
            let own = cell(column, row);
            let others = match &others[column] {
                Overlap::Listed(others) => &others[own as usize][..],
                Overlap::Nowhere | Overlap::Everywhere => &[],
            };
            std::iter::once(own).chain(others.iter().copied())
        };
        let number = |column: &usize| match &others[*column] {
            Overlap::Everywhere => usize::MAX,
            _ if self.rows[*column].is_empty() => usize::MAX - 1,
            _ => near(*column).map(|cell| self.rows[*column][cell as usize].len()).sum::<usize>(),
        };
        let Some(first) = columns.iter().min_by_key(|column| (number(column), **column)) else {
            return Ok(false);
        };
        let overlaps = |other: u32| {
            columns.iter().all(|column| {
                let (own, its) = (cell(*column, row), cell(*column, other));
                own == its
                    || match &others[*column] {
                        Overlap::Nowhere => false,
                        Overlap::Listed(others) => others[own as usize].binary_search(&its).is_ok(),
                        Overlap::Everywhere => true,
                    }
            })
        };
        let listed = &self.rows[*first];
        let everything = if listed.is_empty() { 0..released.len as u32 } else { 0..0 };
        let near = near(*first).flat_map(|cell| listed.get(cell as usize).into_iter().flatten().copied());
        for (looks, other) in near.chain(everything).enumerate() {
            if looks % BETWEEN == 0 {
                clock.check()?;
            }
            if other != row && overlaps(other) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{POLICY, Stage};

    const ORIGINAL: &str =
        "age,city,ill,shoe\n20,Oslo,flu,41\n21,Bergen,flu,42\n30,Rome,flu,43\n31,Pisa,flu,43\n";

    fn stage() -> Stage {
        Stage::with(&format!("{POLICY}[columns.shoe]\nrole = \"other\"\n"), ORIGINAL)
    }

    #[test]
    fn subsets_are_counted_before_they_are_made() {
        for columns in 0..7usize {
            let all: Vec<usize> = (0..columns).collect();
            assert!((0..=columns).all(|size| count(columns, size) == subsets(&all, size).len()));
        }
        assert_eq!(count(usize::MAX, 2), usize::MAX / 2);
    }

    #[test]
    fn a_column_that_nobody_thought_of_singles_out() {
        let leak = "age,city,ill,shoe\n20-39,*,flu,41\n20-39,*,flu,42\n20-39,*,flu,43\n20-39,*,flu,43\n";
        let finding = stage().attack("undeclared", leak).expect("run");
        assert_eq!((finding.headline().hits, finding.headline().baseline), (2, 0), "{finding:?}");
        assert_eq!(finding.worst, "shoe: 2 rows are unique");
        assert!(finding.succeeds());
    }

    #[test]
    fn a_column_that_the_original_does_not_have_singles_out_too() {
        let leak =
            "age,city,ill,shoe,x\n20-39,*,flu,43,a\n20-39,*,flu,43,b\n20-39,*,flu,43,c\n20-39,*,flu,43,c\n";
        let finding = stage().attack("undeclared", leak).expect("run");
        assert_eq!((finding.headline().hits, finding.headline().baseline), (2, 0), "{finding:?}");
        assert!(finding.worst.starts_with("x: 2 rows") && finding.succeeds(), "{finding:?}");
    }

    #[test]
    fn what_declared_columns_do_alone_is_counted_however_early_the_search_ends() {
        let policy = POLICY.replace("[columns.ill]", "[columns.number]\nrole = \"other\"\n[columns.ill]");
        let original = "age,city,ill,number\n20,Oslo,flu,1\n20,Rome,flu,2\n30,Oslo,flu,3\n30,Rome,flu,4\n";
        let finding = Stage::with(&policy, original).attack("undeclared", original).expect("run");
        // A number singles everybody out at once; age and city do so together.
        assert_eq!((finding.headline().hits, finding.headline().baseline), (4, 4), "{finding:?}");
        assert!(finding.headline().what.ends_with("at most 1 column of any role"), "{finding:?}");
        assert!(!finding.succeeds(), "nobody stands alone by it who does not without it: {finding:?}");
        // Where a mixture comes first, declared columns alone may need more of them.
        let mixed = "age,city,ill,number\n20,Oslo,flu,1\n20,Rome,flu,1\n30,Oslo,flu,1\n30,Rome,flu,2\n";
        let finding = Stage::with(&policy, mixed).attack("undeclared", mixed).expect("run");
        assert_eq!((finding.headline().hits, finding.headline().baseline), (4, 4), "{finding:?}");
    }

    #[test]
    fn declared_columns_and_overlapping_cells_do_not() {
        let safe = "age,city,ill,shoe\n20-39,*,flu,43\n20-39,*,flu,43\n20-39,*,flu,43\n20-39,*,flu,43\n";
        let finding = stage().attack("undeclared", safe).expect("run");
        assert_eq!((finding.headline().hits, finding.succeeds()), (0, false), "{finding:?}");
        // A row of its own, but everybody in it could also be in the other.
        let overlapping = "age,city,ill,shoe\n20-29,*,flu,43\n*,*,flu,43\n";
        assert_eq!(stage().attack("undeclared", overlapping).expect("run").headline().hits, 0);
    }

    #[test]
    fn subsets_are_all_subsets() {
        assert_eq!(subsets(&[1, 2, 3], 2), [vec![1, 2], vec![1, 3], vec![2, 3]]);
        assert_eq!(subsets(&[1, 2, 3, 4, 5, 6], 4).len(), 15);
    }
}
