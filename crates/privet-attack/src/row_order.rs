//! Unsorted matching: if a release keeps the order of its source, a row's position reveals whose it is.
//!
//! The attacker has people in the order of the source (a register, the order of admission). Among people who match
//! the same released rows, they assign the first person to the first row, and so on. The finding also has the rank
//! correlation (Spearman) of released and original positions over all rows that can be paired by their cells alone;
//! for records in groups also of the group numbers, and for transactions of sets. An order that begins at another
//! row, or whose blocks were swapped, has no such correlation: there, runs of rows that recur vote for how far they
//! were moved, forwards or backwards.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use hashbrown::{HashMap, HashSet};
use serde_json::json;

use super::view::{Matcher, TableView};
use super::{Attack, Figure, Finding, PolicyRef, Released, Scene, Threat};
use privet_core::clock::Clock;
use privet_core::random::{keyed, shuffle};
use privet_core::{Error, Result, described};
use privet_data::{Transaction, TransactionSource};
use privet_policy::TransactionPolicy;
use privet_taxonomy::Node;

pub(super) const ATTACK: Attack =
    Attack { name: "row-order", threat: Threat::RowOrder, costly: false, concerns, run };

fn concerns(scene: &Scene<'_>) -> std::result::Result<(), String> {
    match scene.policy {
        PolicyRef::Table(_) => scene.quasi_tables().map(|_| ()),
        PolicyRef::Transactions(_) => scene.transactions().map(|_| ()),
        PolicyRef::Vocabularies(_) => {
            Err("a published bag belongs to several people, and its terms do not show to whom".to_string())
        }
    }
}

/// A correlation below this does not matter, however many rows there are …
const SLIGHT: f64 = 0.05;
/// … nor is one that chance makes: so far from none it must be, by Student's t …
const DEVIATIONS: f64 = 4.0;
/// … and further the fewer pairs there are, by this over the degrees of freedom: of shuffled releases one in ten thousand is
/// beyond it, of those with the fewest pairs one in seven hundred …
const FOR_FEW: f64 = 16.0;
/// … over at least this many pairs.
const FEWEST: usize = 8;

/// How many people are processed between two checks of the clock.
const BETWEEN: usize = 1024;

/// A row is near the position of its person if less than this part of all pairs is between them.
const NEAR: usize = 100;

/// How places in the source and in the release go together.
#[derive(Default)]
struct RowPlaces {
    /// What is paired.
    what: &'static str,
    /// Spearman's rank correlation, and of how many pairs.
    rho: f64,
    pairs: usize,
    /// How many are near each other, and with released places in random order.
    near: u64,
    shuffled: u64,
}

impl RowPlaces {
    /// Compares the places of what belongs together.
    fn of(what: &'static str, pairs: impl Iterator<Item = (f64, f64)>, seed: u64) -> RowPlaces {
        let (source, released): (Vec<f64>, Vec<f64>) = pairs.unzip();
        let (source, mut released) = (ranks(&source), ranks(&released));
        let reach = source.len() as f64 / NEAR as f64;
        let near = |released: &[f64]| {
            source.iter().zip(released).filter(|(one, other)| (*one - **other).abs() <= reach).count() as u64
        };
        let (rho, near_now) = (spearman(&source, &released), near(&released));
        shuffle(&mut released, &mut keyed(seed, "places in random order"));
        RowPlaces { what, rho, pairs: source.len(), near: near_now, shuffled: near(&released) }
    }

    /// Whether the release follows the source more than chance would have it.
    fn is_kept(&self) -> bool {
        let rho = self.rho.abs();
        let freedom = self.pairs as f64 - 2.0;
        let wanted = DEVIATIONS + FOR_FEW / freedom;
        self.pairs >= FEWEST && rho >= SLIGHT && rho * rho * freedom >= wanted * wanted * (1.0 - rho * rho)
    }

    fn figure(&self) -> Figure {
        let what = format!("{} within 1 % of their position in the source", self.what);
        // A handful of pairs is in some order by chance.
        if self.pairs < FEWEST {
            return Figure { what, ..Figure::default() };
        }
        // How many ranks are near a given one on average.
        let (pairs, reach) = (self.pairs as f64, (self.pairs / NEAR) as f64);
        Figure {
            what,
            targets: self.pairs as u64,
            hits: self.near,
            baseline: (2.0 * reach + 1.0 - reach * (reach + 1.0) / pairs).round() as u64,
            instead: "placing them at random".to_string(),
            control: Some(self.shuffled),
            controlled: "the same attack on released rows in random order".to_string(),
        }
    }
}

/// Runs that recur are long enough if they have at most this many partners on average.
const PARTNERS: u64 = 2;

/// Runs are not longer than this.
const LONGEST_RUN: usize = 64;

/// A shift is reported if it gets at least this many votes, and this many times the votes of rows in random order.
const FEWEST_VOTES: u64 = 16;
const TIMES_CHANCE: u64 = 4;

/// How far most of the release was moved as a whole, round the end of the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Shift {
    /// By how many rows.
    by: usize,
    /// Whether its rows are in the reversed order.
    reversed: bool,
    /// How long the runs are that were looked for, how many there are, and how many were moved that far.
    run: usize,
    runs: u64,
    votes: u64,
    /// The most that were moved equally far with released rows in random order.
    shuffled: u64,
}

impl Shift {
    /// Compares what looks alike: the classes of people in the order of the source, `None` for those who are in no row or in rows of
    /// several classes, and those of the released rows.
    fn of(source: &[Option<u32>], released: &[u32], seed: u64, clock: &Clock) -> Result<Shift> {
        let mut rows: Vec<Option<u32>> = released.iter().copied().map(Some).collect();
        let Some((run, runs)) = telling_runs(source, &rows, clock)? else { return Ok(Shift::default()) };
        let (by, votes) = most_votes(&runs, &rows, source.len(), run, clock)?;
        rows.reverse();
        let (by_back, votes_back) = most_votes(&runs, &rows, source.len(), run, clock)?;
        shuffle(&mut rows, &mut keyed(seed, "rows in random order, for shifts"));
        let (_, shuffled) = most_votes(&runs, &rows, source.len(), run, clock)?;
        let reversed = votes_back > votes;
        let (by, votes) = if reversed { (by_back, votes_back) } else { (by, votes) };
        Ok(Shift { by, reversed, run, runs: (rows.len() + 1 - run) as u64, votes, shuffled })
    }

    fn is_told(&self) -> bool {
        let gain = SLIGHT_GAIN * self.runs as f64;
        self.votes >= FEWEST_VOTES.max(TIMES_CHANCE * self.shuffled) && self.votes as f64 >= gain
    }

    fn figure(&self) -> Figure {
        Figure {
            what: "runs of rows that all moved the same distance from their position in the source"
                .to_string(),
            targets: self.runs,
            hits: self.votes,
            baseline: self.shuffled,
            instead: "placing them at random".to_string(),
            control: Some(self.shuffled),
            controlled: "the same attack on released rows in random order".to_string(),
        }
    }

    fn warning(&self) -> String {
        let turned = if self.reversed { ", in reverse" } else { "" };
        format!(
            "the released rows follow the order of the source{turned}, shifted by {} as a whole or in blocks: {} of \
             {} keep that distance, but {} in a random order; shuffle the rows",
            described(self.by as u64, "rows"),
            self.votes,
            match self.run {
                1 => described(self.runs, "rows"),
                run => format!("{} runs of {run} rows", self.runs),
            },
            self.shuffled
        )
    }
}

/// A number for each run of `length` rows; runs with somebody in no class have none.
fn numbered(rows: &[Option<u32>], run: usize) -> impl Iterator<Item = Option<u64>> {
    rows.windows(run).map(|rows| {
        rows.iter().try_fold(0u64, |number, class| {
            // Two runs rarely share a number; one that does is a vote by chance.
            let class = u64::from((*class)?) + 1;
            Some((number.rotate_left(23) ^ class).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        })
    })
}

/// The runs of the source, by their numbers, with where they are.
type Runs = Vec<(u64, u32)>;

/// Where a run is in the source.
fn partners(runs: &Runs, number: u64) -> &[(u64, u32)] {
    let from = runs.partition_point(|(other, _)| *other < number);
    let count = runs[from..].iter().take_while(|(other, _)| *other == number).take(MOST_PARTNERS).count();
    &runs[from..from + count]
}

/// Runs that occur more often in the source are looked up at this many positions.
const MOST_PARTNERS: usize = 64;

/// The length of runs that tell places apart, and the runs of the source, which goes on at its beginning; `None` where rows are
/// too much alike.
fn telling_runs(
    source: &[Option<u32>],
    released: &[Option<u32>],
    clock: &Clock,
) -> Result<Option<(usize, Runs)>> {
    let most = PARTNERS * released.len() as u64;
    let mut run = 1;
    while run <= LONGEST_RUN.min(source.len()).min(released.len()) {
        clock.check()?;
        let round: Vec<Option<u32>> = source.iter().chain(&source[..run - 1]).copied().collect();
        let mut runs: Runs = (numbered(&round, run).zip(0u32..))
            .filter_map(|(number, place)| number.map(|number| (number, place)))
            .collect();
        runs.sort_unstable();
        let mut found = 0;
        for (place, number) in numbered(released, run).enumerate() {
            if place % BETWEEN == 0 {
                clock.check()?;
            }
            found += number.map_or(0, |number| partners(&runs, number).len() as u64);
            if found > most {
                break;
            }
        }
        if found <= most {
            return Ok(Some((run, runs)));
        }
        run *= 2;
    }
    Ok(None)
}

/// By how many rows the most runs were moved, and how many.
fn most_votes(
    runs: &Runs,
    released: &[Option<u32>],
    length: usize,
    run: usize,
    clock: &Clock,
) -> Result<(usize, u64)> {
    let mut votes = vec![0u32; length];
    for (place, number) in numbered(released, run).enumerate() {
        if place % BETWEEN == 0 {
            clock.check()?;
        }
        for (_, other) in number.map_or(&[][..], |number| partners(runs, number)) {
            votes[(place % length + length - *other as usize) % length] += 1;
        }
    }
    let best = (0..votes.len()).max_by_key(|by| (votes[*by], std::cmp::Reverse(*by))).unwrap_or(0);
    Ok((best, votes.get(best).copied().unwrap_or(0).into()))
}

/// What order tells about a table.
#[derive(Default)]
struct RowOrder {
    people: u64,
    /// How many guesses by place agree with the person in all columns: the better of both directions.
    agree: u64,
    /// How many would if rows were taken at random …
    expected: f64,
    /// … and the variance of that, if each guess were made for itself.
    variance: f64,
    /// The same as `agree` with released rows in random order.
    shuffled: u64,
    /// Whether the order is the other way round.
    reversed: bool,
    /// How many people those are a sample of, and what to say about it.
    sampling: String,
    /// Rows, and where there are groups their names.
    places: Vec<RowPlaces>,
    /// How far rows were moved together.
    shift: Shift,
}

/// A gain below this part of the people does not matter, however many there are.
const SLIGHT_GAIN: f64 = 0.01;

/// How many deviations more guesses must be right than by chance, in either direction. Guesses within a class depend on each other a
/// little, so this is more than a normal distribution would ask for.
const GUESS_DEVIATIONS: f64 = 5.0;

impl RowOrder {
    /// Whether guesses by place are right more often than chance would have it, and more often than in the control.
    fn is_told(&self) -> bool {
        let agree = self.agree as f64;
        let by_chance = self.expected.max(self.shuffled as f64);
        let gain = agree - by_chance;
        // The control is a draw by chance itself. One more keeps a handful of guesses from looking certain.
        let deviation = (2.0 * self.variance + 1.0).sqrt();
        self.people >= FEWEST as u64
            && gain >= SLIGHT_GAIN * self.people as f64
            && gain >= GUESS_DEVIATIONS * deviation
    }

    fn warning(&self, who: &str) -> String {
        let turned = if self.reversed { ", in reverse" } else { "" };
        format!(
            "the order of the released rows within classes follows the order of the source{turned}: position alone \
             leads {} of {} {who} to a row that agrees with them in all columns, but {} by chance; shuffle the rows",
            self.agree,
            self.people,
            self.shuffled.max(self.expected.round() as u64)
        )
    }
}

fn run(scene: &Scene<'_>) -> Result<Finding> {
    let orders = match scene.policy {
        PolicyRef::Transactions(policy) => vec![of_transactions(scene, policy)?],
        _ => scene.views()?.iter().map(|table| order(scene, table)).collect::<Result<Vec<_>>>()?,
    };
    let places: Vec<&RowPlaces> = orders.iter().flat_map(|order| &order.places).collect();
    let by_rank = |one: &&RowPlaces, other: &&RowPlaces| {
        let told = |places: &RowPlaces| (places.is_kept(), places.pairs >= FEWEST);
        told(one).cmp(&told(other)).then(one.rho.abs().total_cmp(&other.rho.abs()))
    };
    let worst = places.iter().copied().max_by(by_rank);
    let most = orders.iter().max_by_key(|order| (order.is_told(), order.agree));
    let (Some(order), Some(worst)) = (most, worst) else {
        return Err(Error::internal("a release without a table"));
    };
    // Places are those of records: where somebody has several, they are not people.
    let by_person = matches!(scene.policy, PolicyRef::Table(policy) if policy.person.is_some());
    let who = if by_person { "records" } else { "people" };
    let guessed = Figure {
        what: format!(
            "{who} whose position in the source leads to a row that agrees in all columns, among those whose rows \
             differ"
        ),
        targets: order.people,
        hits: order.agree,
        baseline: order.expected.round() as u64,
        instead: "taking any of the matching rows".to_string(),
        control: Some(order.shuffled),
        controlled: "the same attack on released rows in random order".to_string(),
    };
    // Where rows that a person could be do not differ, order still tells in which order people were.
    let mut figures = match order.people {
        0 => vec![worst.figure()],
        _ => vec![guessed, worst.figure()],
    };
    let shift = orders.iter().map(|order| order.shift).filter(Shift::is_told).max_by_key(|shift| shift.votes);
    let is_moved = shift.is_some_and(|shift| shift.by > 0) && !worst.is_kept() && !order.is_told();
    if let Some(shift) = shift.filter(|_| is_moved) {
        figures.insert(0, shift.figure());
    }
    let warning = match worst.is_kept() {
        false if order.is_told() => order.warning(who),
        false => shift.filter(|_| is_moved).map(|shift| shift.warning()).unwrap_or_default(),
        true => format!(
            "the order of the {} follows the order of the source (rank correlation {:.2}): anyone who knows the order \
             of the source knows which is whose; shuffle them",
            worst.what, worst.rho
        ),
    };
    let correlations =
        places.iter().map(|places| json!({ "what": places.what, "rho": places.rho, "pairs": places.pairs }));
    let correlations: Vec<serde_json::Value> = correlations.collect();
    Ok(Finding {
        knows: "what is known about people, in the order of the source".to_string(),
        does: "assigns the first of the people who match the same rows to the first of these rows, and so on"
            .to_string(),
        assumes: format!(
            "the rank correlation of released and original positions is {:.3} over {} pairs",
            worst.rho, worst.pairs
        ),
        sampled: order.sampling.clone(),
        figures,
        warning,
        more: [("correlations".to_string(), json!(correlations))].into_iter().collect(),
        ..Finding::new(ATTACK.name, "Row order")
    })
}

const ROWS: &str = "released rows";
const NAMES: &str = "group numbers";

/// What order tells about transactions: each is taken for the released set of the lowest nodes that the release shows above its
/// items. That is what it became where items are generalised alike everywhere; elsewhere fewer can be paired.
fn of_transactions(scene: &Scene<'_>, policy: &TransactionPolicy) -> Result<RowOrder> {
    let Released::Transactions(released) = &scene.released else {
        return Err(Error::internal("transactions without a view"));
    };
    let view = scene.transactions().map_err(Error::input)?;
    let tree = &view.tree;
    let shown: HashSet<Node> = view.released.iter().flat_map(|(nodes, ..)| nodes.iter().copied()).collect();
    let sensitive: HashSet<&str> = view.sensitive.iter().map(String::as_str).collect();
    let becomes = |item: &str| {
        let node = tree.find(item)?;
        std::iter::once(node).chain(tree.ancestors(node)).find(|node| shown.contains(node))
    };
    let sets = |source: &TransactionSource, order: &mut Vec<u64>| {
        let (mut sets, mut place) = (BTreeMap::new(), 0.0);
        source.read(&mut |transaction: &Transaction<'_>, _| {
            let (mut nodes, mut others) = (Vec::new(), Vec::new());
            for item in transaction.items {
                match sensitive.contains(*item) {
                    true => others.push(item.to_string()),
                    false => nodes.extend(becomes(item)),
                }
            }
            nodes.sort_unstable();
            nodes.dedup();
            others.sort_unstable();
            // A number for the set: two sets that share one would be a rare accident.
            let mut hasher = DefaultHasher::new();
            (&nodes, &others).hash(&mut hasher);
            order.push(hasher.finish());
            let entry: &mut (f64, u64) = sets.entry((nodes, others)).or_default();
            *entry = (entry.0 + place, entry.1 + 1);
            place += 1.0;
            scene.clock.check()
        })?;
        Ok::<_, Error>(sets)
    };
    let (mut source, mut release) = (Vec::new(), Vec::new());
    let (before, after) = (sets(&policy.source, &mut source)?, sets(released, &mut release)?);
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let mut number = |set: u64| {
        let next = numbers.len() as u32;
        *numbers.entry(set).or_insert(next)
    };
    let source: Vec<Option<u32>> = source.into_iter().map(|set| Some(number(set))).collect();
    let release: Vec<u32> = release.into_iter().map(number).collect();
    let shift = Shift::of(&source, &release, scene.seed, scene.clock)?;
    let pairs = before.iter().filter_map(|(set, (sum, count))| {
        let (other, rows) = after.get(set)?;
        (count >= rows).then_some((sum / *count as f64, other / *rows as f64))
    });
    let places = vec![RowPlaces::of("released transactions", pairs, scene.seed)];
    Ok(RowOrder { places, shift, ..RowOrder::default() })
}

fn order(scene: &Scene<'_>, table: &TableView) -> Result<RowOrder> {
    let (classes, alike) = table.quasi.map_alike(scene.clock, <[u32]>::to_vec)?;
    // People who match the same rows, in the order of the source.
    let mut people: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
    let in_file = table.original.in_file();
    for (place, row) in (0u32..).zip(&in_file) {
        if let Some(target) = table.quasi.target_of(*row as usize) {
            people[alike[target] as usize].push(place);
        }
    }
    let mut crowds: BTreeMap<&[u32], Vec<u32>> = BTreeMap::new();
    for (classes, people) in classes.iter().zip(people).filter(|(classes, _)| !classes.is_empty()) {
        let crowd = crowds.entry(classes).or_default();
        let is_first = crowd.is_empty();
        crowd.extend(people);
        if !is_first {
            crowd.sort_unstable();
        }
    }
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); table.quasi.classes.len()];
    for (row, class) in (0u32..).zip(&table.quasi.classes.of_row) {
        rows_of[*class as usize].push(row);
    }
    let told = table.columns_where(|column| !(table.groups.is_some() && column.is_sensitive()));
    let agrees = |person: u32, row: u32| {
        told.iter().all(|column| {
            let cell = table.released.codes[*column].at(row as usize);
            table.columns[*column].cover.covers(cell, table.original.codes[*column].at(person as usize))
        })
    };
    let whole = Matcher::new(&table.columns, &told, &table.released, &table.original, scene.sample())?;
    // How many rows contain all that is known of a person; and which, where they all look alike.
    let (matched, alike) = whole.map_alike(scene.clock, |classes| match classes {
        [class] => (whole.rows_in(classes), Some(*class)),
        _ => (whole.rows_in(classes), None),
    })?;
    let matched = |person: usize| whole.target_of(person).map(|target| matched[alike[target] as usize]);
    let agreeing = |person: u32| matched(person as usize).map(|(rows, _)| rows);
    let mut random = keyed(scene.seed, "rows in random order");
    // Guesses that agree: from the first row on, and from the last row back; the same in random order.
    let (mut people, mut agree, mut shuffled) = (0, [0, 0], [0, 0]);
    let (mut expected, mut variance) = (0.0, 0.0);
    for (own, crowd) in &crowds {
        scene.clock.check()?;
        let mut rows: Vec<u32> =
            own.iter().flat_map(|class| rows_of[*class as usize].iter().copied()).collect();
        rows.sort_unstable();
        let mut mixed = rows.clone();
        shuffle(&mut mixed, &mut random);
        for (place, person) in crowd.iter().map(|place| in_file[*place as usize]).enumerate() {
            if place % BETWEEN == BETWEEN - 1 {
                scene.clock.check()?;
            }
            let Some(own) = agreeing(person) else { continue };
            // Where all rows that a person could be agree with them, order has nothing to tell.
            if own == rows.len() as u64 {
                continue;
            }
            people += 1;
            let share = own as f64 / rows.len() as f64;
            expected += share;
            variance += share * (1.0 - share);
            let at = (2 * place + 1) * rows.len() / (2 * crowd.len());
            let back = rows.len() - 1 - at;
            agree[0] += u64::from(agrees(person, rows[at]));
            agree[1] += u64::from(agrees(person, rows[back]));
            shuffled[0] += u64::from(agrees(person, mixed[at]));
            shuffled[1] += u64::from(agrees(person, mixed[back]));
        }
    }
    let reversed = agree[1] > agree[0];
    let at = usize::from(reversed);
    let own = |person: usize| matched(person).and_then(|(_, class)| class);
    let mut places = vec![RowPlaces::of(ROWS, paired(table, &in_file, &whole, own), scene.seed)];
    if let Some(groups) = &table.groups {
        places.push(RowPlaces::of(NAMES, group_places(&in_file, &whole, groups, own), scene.seed));
    }
    let sampling = if whole.sampled.is_some() { whole.sampling() } else { table.quasi.sampling() };
    let (agree, shuffled) = (agree[at], shuffled[at]);
    let source: Vec<Option<u32>> = in_file.iter().map(|row| own(*row as usize)).collect();
    let shift = Shift::of(&source, &whole.classes.of_row, scene.seed, scene.clock)?;
    Ok(RowOrder { people, agree, expected, variance, shuffled, reversed, sampling, places, shift })
}

/// The places of people and of rows that belong together: all who look alike in all columns, and all rows that contain just
/// them, by the mean of their places. `in_file` has people in the order of the source, `own` is the class of rows that contains a
/// person.
fn paired(
    table: &TableView,
    in_file: &[u32],
    whole: &Matcher,
    own: impl Fn(usize) -> Option<u32>,
) -> impl Iterator<Item = (f64, f64)> {
    let people = means(in_file.iter().map(|row| own(*row as usize)));
    let rows = means((0..table.released.len).map(|row| Some(whole.classes.of_row[row])));
    // Rows that others could be as well would be paired with the wrong people. Of a sample nobody can tell; wrong pairs hide an
    // order, but do not make one up.
    let sampled = whole.sampled.is_some();
    people.into_iter().filter_map(move |(class, (place, count))| {
        let (other, rows) = rows.get(&class)?;
        (sampled || count >= *rows).then_some((place, *other))
    })
}

/// The mean place of the people of each group, where it is plain in which group they are, with the place of its name.
fn group_places(
    in_file: &[u32],
    whole: &Matcher,
    groups: &[u32],
    own: impl Fn(usize) -> Option<u32>,
) -> impl Iterator<Item = (f64, f64)> {
    let mut group_of: Vec<Option<Option<u32>>> = vec![None; whole.classes.len()];
    for (class, group) in whole.classes.of_row.iter().zip(groups) {
        let known = &mut group_of[*class as usize];
        *known = match *known {
            None => Some(Some(*group)),
            Some(same) if same == Some(*group) => *known,
            // Rows that look alike are in several groups.
            Some(_) => Some(None),
        };
    }
    let group = |row: &u32| own(*row as usize).and_then(|class| group_of[class as usize].flatten());
    let people = means(in_file.iter().map(group));
    people.into_iter().map(|(group, (place, _))| (place, f64::from(group)))
}

/// Per class the mean place of its rows, and how many there are; `classes` has those of all rows, in order.
fn means(classes: impl Iterator<Item = Option<u32>>) -> BTreeMap<u32, (f64, u64)> {
    let mut sums: BTreeMap<u32, (f64, u64)> = BTreeMap::new();
    for (place, class) in classes.enumerate() {
        if let Some(class) = class {
            let entry = sums.entry(class).or_default();
            *entry = (entry.0 + place as f64, entry.1 + 1);
        }
    }
    sums.into_iter().map(|(class, (sum, count))| (class, (sum / count as f64, count))).collect()
}

/// The correlation of ranks; 0 where there is nothing to correlate.
fn spearman(one: &[f64], other: &[f64]) -> f64 {
    let mean = (one.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let spread = (product(one, one) * product(other, other)).sqrt();
    if spread > 0.0 { product(one, other) / spread } else { 0.0 }
}

/// The ranks of values; equal ones have the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut next = 0;
    for same in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let rank = next as f64 + (same.len() as f64 + 1.0) / 2.0;
        same.iter().for_each(|at| ranks[*at] = rank);
        next += same.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Stage;

    #[test]
    fn ranks_correlate_as_in_the_books() {
        let of = |one: &[f64], other: &[f64]| spearman(&ranks(one), &ranks(other));
        assert_eq!(of(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), 1.0);
        assert_eq!(of(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
        assert_eq!(of(&[1.0, 2.0], &[5.0, 5.0]), 0.0);
        assert_eq!(ranks(&[3.0, 1.0, 3.0]), [2.5, 1.0, 2.5]);
    }

    #[test]
    fn kept_order_is_noticed_and_shuffled_order_is_not() {
        let ills = ["flu", "asthma", "ulcer", "gastritis"];
        let row = |place: usize| (format!("{}", 20 + place % 40), ills[place * 7 % 4]);
        let original: String =
            (0..400).map(|place| format!("{},Oslo,{}\n", row(place).0, row(place).1)).collect();
        let stage = Stage::new(&format!("age,city,ill\n{original}"));
        let released = |places: &[usize]| {
            let rows = places.iter().map(|place| {
                let (age, ill) = row(*place);
                format!("{}0-{}9,Norway,{ill}\n", &age[..1], &age[..1])
            });
            format!("age,city,ill\n{}", rows.collect::<String>())
        };
        let mut places: Vec<usize> = (0..400).collect();
        let finding = stage.attack("row-order", &released(&places)).expect("run");
        let headline = finding.headline();
        assert_eq!(headline.hits, 400, "{finding:?}");
        assert!(
            headline.baseline < 150 && headline.control.is_some_and(|control| control < 200),
            "{finding:?}"
        );
        assert!(
            finding.succeeds() && finding.warning.contains("rank correlation 1.00"),
            "{}",
            finding.warning
        );
        shuffle(&mut places, &mut keyed(1, "test"));
        let finding = stage.attack("row-order", &released(&places)).expect("run");
        assert!(!finding.succeeds() && finding.headline().hits < 200, "{finding:?}");
    }

    #[test]
    fn hard_use_3_an_order_that_was_moved_is_noticed() {
        let ills = ["flu", "asthma", "ulcer", "gastritis"];
        let mut random = keyed(5, "people");
        let mut people: Vec<(usize, usize)> = (0..400).map(|at| (20 + at % 40, at % 4)).collect();
        shuffle(&mut people, &mut random);
        let original: String =
            people.iter().map(|(age, ill)| format!("{age},Oslo,{}\n", ills[*ill])).collect();
        let stage = Stage::new(&format!("age,city,ill\n{original}"));
        let found = |places: &[usize]| {
            let row = |place: &usize| {
                let (age, ill) = people[*place];
                format!("{0}0-{0}9,Norway,{1}\n", age / 10, ills[ill])
            };
            let released = format!("age,city,ill\n{}", places.iter().map(row).collect::<String>());
            stage.attack("row-order", &released).expect("run")
        };
        let straight: Vec<usize> = (0..400).collect();
        let shifted: Vec<usize> = (0..400).map(|place| (place + 37) % 400).collect();
        let halves: Vec<usize> = (200..400).chain(0..200).collect();
        let blocks: Vec<usize> =
            [3, 0, 2, 1].into_iter().flat_map(|block| block * 100..block * 100 + 100).collect();
        for moved in [&shifted, &halves, &blocks] {
            for back in [false, true] {
                let mut places = moved.clone();
                if back {
                    places.reverse();
                }
                let finding = found(&places);
                assert!(finding.succeeds() && finding.warning.contains("order of the source"), "{finding:?}");
                let headline = finding.headline();
                assert!(headline.control.is_some_and(|control| control * 2 < headline.hits), "{finding:?}");
            }
        }
        assert!(found(&straight).succeeds());
        for seed in 0..20 {
            let mut places = straight.clone();
            shuffle(&mut places, &mut keyed(seed, "test"));
            let finding = found(&places);
            assert!(finding.warning.is_empty(), "{}", finding.warning);
        }
    }

    #[test]
    fn the_order_of_exact_records_and_of_the_numbers_of_groups_is_noticed() {
        let policy = "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.ill]\n\
            role = \"sensitive\"\n[privacy.matching-l-diversity]\ncolumn = \"ill\"\nl = 2\n";
        let original: String = (0..200).map(|row| format!("{row},{}\n", ["flu", "cold"][row % 2])).collect();
        let stage = Stage::with(policy, &format!("age,ill\n{original}"));
        let found = |places: &[usize], number: &dyn Fn(usize) -> usize| {
            let rows: String = places.iter().map(|row| format!("{row},{}\n", number(row / 2))).collect();
            let values: String = (0..100).map(|group| format!("{group},flu,1\n{group},cold,1\n")).collect();
            stage.write("out/qit.csv", format!("age,bucket\n{rows}"));
            stage.write("out/st.csv", format!("bucket,ill,count\n{values}"));
            stage.on("out", |scene| crate::testing::attacked("row-order", &scene).expect("run"))
        };
        let mut places: Vec<usize> = (0..200).collect();
        // 37 has no factor in common with 100: every number is given once, in no order to speak of.
        let mixed = |group: usize| group * 37 % 100;
        let kept = found(&places, &mixed);
        assert!(kept.succeeds() && kept.warning.contains("order of the released rows"), "{kept:?}");
        assert_eq!((kept.headline().targets, kept.headline().hits), (200, 200), "{kept:?}");
        shuffle(&mut places, &mut keyed(1, "test"));
        let numbered = found(&places, &|group| group);
        assert!(numbered.succeeds() && numbered.warning.contains("group numbers"), "{numbered:?}");
        let safe = found(&places, &mixed);
        assert!(!safe.succeeds() && safe.headline().targets > 0, "{safe:?}");
    }

    #[test]
    fn the_order_of_transactions_is_noticed() {
        let policy =
            "[data]\nkind = \"transactions\"\npath = \"table.csv\"\n[privacy.km-anonymity]\nk = 2\nm = 1\n";
        let rows: Vec<String> = (0..60).map(|row| format!("i{},i{}", row, (row + 1) % 60)).collect();
        let stage = Stage::with(policy, &(rows.join("\n") + "\n"));
        let found = |order: &[usize]| {
            let released: Vec<&str> = order.iter().map(|row| rows[*row].as_str()).collect();
            stage.write("release.txt", released.join("\n") + "\n");
            stage.on("release.txt", |scene| crate::testing::attacked("row-order", &scene).expect("run"))
        };
        let mut order: Vec<usize> = (0..60).collect();
        let kept = found(&order);
        assert!(kept.succeeds() && kept.headline().hits == 60, "{kept:?}");
        shuffle(&mut order, &mut keyed(1, "test"));
        let safe = found(&order);
        assert!(!safe.succeeds() && safe.headline().hits < 20, "{safe:?}");
    }
}
