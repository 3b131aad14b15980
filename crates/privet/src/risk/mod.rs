//! What data, or a release, are worth to an attacker: figures that need no requirement and no method.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value as Json, json};

use privet_audit::people_behind;
use privet_audit::released::open_table;
use privet_core::clock::Clock;
use privet_core::{Error, Result};
use privet_data::{Batch, Located, MissingRule, Names, Source, Summary};
use privet_engine::privacy::household_risk::risk_of;
use privet_engine::risk::column_sets::{feasible, sets_up_to};
use privet_engine::risk::individual::household_risk;
use privet_engine::risk::uniqueness::Uniqueness;
use privet_engine::risk::{ClassSizes, ColumnSet, ColumnSets, Estimate, SpecialUniques};
use privet_engine::standing::{Standing, Weights};
use privet_policy::{AnyPolicy, CheckedPolicy, OriginalData, Policy, Population, Purpose, Role};

mod csv;
mod words;

/// Special uniques of all sizes are searched where there are at most this many quasi-identifiers.
const FEW_COLUMNS: usize = 12;

/// Sets of columns are listed up to this many of them.
const LISTED: usize = 3;

/// What is measured.
#[derive(Debug, Clone, Default)]
pub struct RiskOptions<'a> {
    /// A release to measure, in place of the data.
    pub release: Option<&'a Path>,
    /// The largest sets of columns that are looked at. Without it sets of up to three columns are listed, and special uniques of
    /// all sizes are searched where there are at most twelve quasi-identifiers.
    pub largest: Option<usize>,
}

/// The figures of a table.
#[derive(Debug, Clone)]
pub struct Risk {
    /// The names of the quasi-identifiers.
    pub quasi: Vec<String>,
    /// The sizes of the classes: records with equal quasi-identifiers.
    pub sizes: ClassSizes,
    /// How many people the population has, where that is known.
    pub population: Option<u64>,
    /// Which share of the population is unique, estimated; `None` where its size is not known.
    pub uniqueness: Option<Uniqueness>,
    /// The chance that a unique match is right (DIS).
    pub dis: Option<f64>,
    /// Individual risk by survey weights, where there are any.
    pub individual: Option<IndividualFigures>,
    /// The risk of households, where there are any.
    pub household: Option<HouseholdFigures>,
    /// Special uniques; their scores are by distinct record.
    pub uniques: SpecialUniques,
    /// What sets of columns tell, small sets first.
    pub columns: Vec<ColumnSet>,
    /// Record by record, in the order of the table.
    pub records: Vec<RecordRisk>,
}

/// Individual risk, summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IndividualFigures {
    /// How many records are expected to be found.
    pub expected: f64,
    /// The highest risk of a record.
    pub highest: f64,
    /// How many people the weights stand for.
    pub population: f64,
}

/// The risk of households, summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HouseholdFigures {
    /// The highest risk of a household.
    pub highest: f64,
    /// How many records are in households that are found, as expected.
    pub expected: f64,
}

/// The figures of one record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordRisk {
    /// Its line in the table.
    pub line: u64,
    /// How many records look like it, itself included.
    pub size: u64,
    /// How many people of the population do, where they are counted.
    pub people: Option<u64>,
    /// How many people its class stands for by survey weights.
    pub weights: Option<f64>,
    /// Its individual risk.
    pub individual: Option<f64>,
    /// The risk of its household.
    pub household: Option<f64>,
    /// Its score of special uniques.
    pub score: u128,
}

/// Measures the risk of a policy's data, or of a release of them. The policy needs neither requirements nor a method.
///
/// ```
/// use privet::clock::Clock;
/// use privet::data::Source;
/// use privet::policy::Policy;
/// use privet::risk::{RiskOptions, measure};
///
/// let policy = Policy::parse("policy.toml".as_ref(), r#"
///     [data]
///     [columns.zip]
///     role = "quasi-identifier"
///     [columns.age]
///     role = "quasi-identifier"
/// "#.into())?;
/// let rows = [["A", "30"], ["A", "30"], ["A", "40"], ["B", "40"], ["B", "40"], ["B", "50"]];
/// let people = Source::of_rows("people", &["zip", "age"], rows)?;
/// let risk = measure(&policy, people, &RiskOptions::default(), &Clock::unlimited())?;
/// assert_eq!((risk.sizes.records(), risk.sizes.classes()), (6, 4));
/// assert_eq!(risk.average(), 4.0 / 6.0);
/// assert_eq!(risk.uniques.by_size, [1, 1]);
/// # Ok::<(), privet::Error>(())
/// ```
pub fn measure(
    policy: &Policy,
    original: impl Into<OriginalData>,
    options: &RiskOptions<'_>,
    clock: &Clock,
) -> Result<Risk> {
    let AnyPolicy::Table(policy) = policy.check_any_for(original, Purpose::Risk)? else {
        return Err(Error::input("the risk of classes is measured for tables")
            .in_file(policy.path())
            .help("`privet attack` measures what can be learnt from releases of other kinds"));
    };
    if policy.generalised().next().is_none() {
        return Err(Error::input(
            "no column has role 'quasi-identifier', so nothing could identify a person",
        )
        .in_file(policy.written.path())
        .help("say which columns could: [columns.age] role = \"quasi-identifier\""));
    }
    let table = match options.release {
        Some(release) => open_table(&policy, release)?,
        None => policy.source.clone(),
    };
    Measured::read(&policy, table, clock)?.risk(&policy, options, clock)
}

/// A table as it is measured.
struct Measured {
    table: Source,
    summary: Summary,
    /// How many of the summary's columns are quasi-identifiers.
    quasi: usize,
    weights: Option<Weights>,
    /// The position of the household in the summary.
    household: Option<usize>,
}

impl Measured {
    fn read(policy: &CheckedPolicy, table: Source, clock: &Clock) -> Result<Measured> {
        let is_data = table.origin().path() == policy.source.origin().path();
        let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
        let mut columns: Vec<(usize, MissingRule)> = Vec::new();
        for column in policy.generalised() {
            let place = names.iter().position(|name| *name == column.name).ok_or_else(|| {
                Error::input(format!("the release lacks the column '{}'", column.name))
                    .in_file(table.origin())
            })?;
            columns.push((place, policy.missing_rule_of(column)));
        }
        let quasi = columns.len();
        let mut also = |role: Role| {
            let column = policy.with_role(role).next()?;
            let place = names.iter().position(|name| *name == column.name)?;
            columns.push((place, policy.missing_rule_of(column)));
            Some((column, columns.len() - 1))
        };
        let (weight, household) = (also(Role::Weight), also(Role::Household).map(|(_, position)| position));
        // Records that lack what a release is about would be dropped from it, so they do not count here.
        if is_data {
            for role in [Role::Sensitive, Role::Class] {
                columns.extend(
                    policy.with_role(role).map(|column| (column.index, policy.missing_rule_of(column))),
                );
            }
        }
        clock.progress().stage("reading", Some(table.bytes()));
        let summary = Summary::read_columns(&table, &columns, &Names::default(), &mut |bytes| {
            clock.progress().at(bytes);
            clock.check()
        })?;
        let weights = weight.map(|(column, position)| {
            let counts = summary.value_counts();
            Weights::of(policy, column, &summary.columns()[position], (position, &counts[position]))
        });
        Ok(Measured { table, weights: weights.transpose()?, summary, quasi, household })
    }

    fn risk(self, policy: &CheckedPolicy, options: &RiskOptions<'_>, clock: &Clock) -> Result<Risk> {
        let Measured { table, summary, quasi, weights, household } = &self;
        // Records are sorted and begin with their quasi-identifiers: those that look alike stand together.
        let (mut class_of, mut sizes, mut standings) =
            (Vec::with_capacity(summary.len()), Vec::new(), Vec::new());
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); *quasi];
        let mut before: Option<&[u32]> = None;
        for record in 0..summary.len() {
            let own = &summary.record(record)[..*quasi];
            if before != Some(own) {
                sizes.push(0u64);
                standings.push(Standing::default());
                own.iter().zip(&mut codes).for_each(|(code, codes)| codes.push(*code));
                before = Some(own);
            }
            let class = sizes.len() - 1;
            let count = summary.count(record);
            sizes[class] += count;
            let weight = weights.as_ref().map_or(0, |weights| weights.of_record(summary.record(record)));
            standings[class] += Standing { people: 0, weight: weight * count };
            class_of.push(class as u32);
        }
        let unit = weights.as_ref().map(|weights| weights.unit);
        let risks: Vec<Estimate> =
            sizes.iter().zip(&standings).map(|(size, standing)| risk_of(*size, *standing, unit)).collect();
        let people = |class: usize, unit: u64| standings[class].weight as f64 / unit as f64;
        let individual = unit.map(|unit| IndividualFigures {
            expected: risks.iter().zip(&sizes).map(|(risk, size)| risk.value * *size as f64).sum(),
            highest: risks.iter().map(|risk| risk.value).fold(0.0, f64::max),
            population: (0..sizes.len()).map(|class| people(class, unit)).sum(),
        });
        let households = household.map(|position| {
            let mut members = vec![Vec::new(); summary.columns()[position].dictionary.len()];
            for (record, class) in class_of.iter().enumerate() {
                let own = &mut members[summary.record(record)[position] as usize];
                own.extend((0..summary.count(record)).map(|_| risks[*class as usize]));
            }
            members
                .into_iter()
                .map(|own| (own.len(), household_risk(own).value))
                .collect::<Vec<(usize, f64)>>()
        });
        let household_figures = households.as_ref().map(|households| HouseholdFigures {
            highest: households.iter().map(|(_, risk)| *risk).fold(0.0, f64::max),
            expected: households.iter().map(|(members, risk)| *members as f64 * risk).sum(),
        });
        clock.progress().stage("looking at sets of columns", None);
        let largest = match options.largest {
            Some(largest) => feasible(*quasi, largest.max(1)),
            None if *quasi <= FEW_COLUMNS => *quasi,
            None => feasible(*quasi, LISTED),
        };
        let listed = feasible(*quasi, options.largest.unwrap_or(LISTED).max(1));
        debug_assert!(sets_up_to(*quasi, listed) > 0);
        let limits: Vec<u32> =
            summary.columns()[..*quasi].iter().map(|column| column.dictionary.len() as u32).collect();
        let sets = ColumnSets { codes: &codes, limits: &limits, counts: &sizes };
        let (columns, uniques) = sets.walk(listed, largest, &mut || clock.check())?;
        let population = population(policy, summary, options.release.is_some(), clock)?;
        let class_sizes = ClassSizes::of(sizes.iter().copied());
        let behind = match &policy.population {
            Some(Population::Table(_)) => Some(people_behind(policy, table, &|| clock.check())?),
            _ => None,
        };
        let behind = behind.map(|behind| {
            let text = |class: usize| -> Vec<String> {
                let own = codes.iter().zip(summary.columns());
                own.map(|(codes, column)| column.dictionary.values()[codes[class] as usize].clone()).collect()
            };
            (0..sizes.len()).map(|class| behind.get(&text(class)).copied().unwrap_or(0)).collect::<Vec<u64>>()
        });
        let mut records = Vec::new();
        table.read(&mut |batch: &Batch, _| {
            clock.check()?;
            for row in 0..batch.rows() {
                let record = match summary.locate(batch, row) {
                    Located::Record(record) => record,
                    Located::Dropped => continue,
                    Located::Unknown => {
                        return Err(
                            Error::input("the data changed while they were read").in_file(table.origin())
                        );
                    }
                };
                let class = class_of[record] as usize;
                records.push(RecordRisk {
                    line: batch.line(row),
                    size: sizes[class],
                    people: behind.as_ref().map(|behind| behind[class]),
                    weights: unit.map(|unit| people(class, unit)),
                    individual: unit.map(|_| risks[class].value),
                    household: households.as_ref().zip(*household).map(|(households, position)| {
                        households[summary.record(record)[position] as usize].1
                    }),
                    score: uniques.scores[class],
                });
            }
            Ok(())
        })?;
        Ok(Risk {
            quasi: policy.generalised().map(|column| column.name.clone()).collect(),
            dis: population.and_then(|all| class_sizes.dis(class_sizes.records() as f64 / all as f64)),
            uniqueness: population.map(|all| Uniqueness::of(&class_sizes, all)),
            sizes: class_sizes,
            population,
            individual,
            household: household_figures,
            uniques,
            columns,
            records,
        })
    }
}

/// How many people the population has.
fn population(policy: &CheckedPolicy, data: &Summary, released: bool, clock: &Clock) -> Result<Option<u64>> {
    let size = match &policy.population {
        None => return Ok(None),
        Some(Population::Size(size)) => *size,
        Some(Population::Table(table)) => {
            let columns: Vec<_> =
                table.columns.iter().map(|column| (*column, table.missing_rule())).collect();
            let read = |source: &Source, columns: &[(usize, MissingRule)]| {
                Ok::<u64, Error>(
                    Summary::read_columns(source, columns, &Names::default(), &mut |_| clock.check())?
                        .total(),
                )
            };
            let everybody = read(&table.source, &columns)?;
            match (table.includes_data, released) {
                (true, _) => everybody,
                (false, false) => everybody + data.total(),
                (false, true) => {
                    let own: Vec<_> =
                        policy.generalised().map(|column| (column.index, policy.missing_rule())).collect();
                    everybody + read(&policy.source, &own)?
                }
            }
        }
    };
    if size < data.total() {
        return Err(Error::input(format!(
            "the population has {size} people, fewer than the data, which have {} records",
            data.total()
        ))
        .in_file(policy.written.path())
        .help("give the size of the whole population that the data were taken from in [population]"));
    }
    Ok(Some(size))
}

impl Risk {
    /// The mean chance that a record is found: classes over records.
    pub fn average(&self) -> f64 {
        share(self.sizes.classes(), self.sizes.records())
    }

    /// The highest chance: one over the size of the smallest class.
    pub fn highest(&self) -> f64 {
        self.sizes.smallest().map_or(0.0, |smallest| 1.0 / smallest as f64)
    }

    /// The share of records that are alone in their class.
    pub fn sample_uniques(&self) -> f64 {
        share(self.sizes.of_size(1), self.sizes.records())
    }

    /// The names of a set of columns.
    pub fn names(&self, set: &ColumnSet) -> Vec<&str> {
        set.columns.iter().map(|column| self.quasi[*column].as_str()).collect()
    }

    /// The figures as one JSON object.
    pub fn to_json(&self) -> Json {
        let records = self.sizes.records();
        let mut figures = json!({
            "records": records,
            "classes": self.sizes.classes(),
            "highest": self.highest(),
            "average": self.average(),
            "sample_uniques": self.sample_uniques(),
        });
        if let (Some(all), Some(population)) = (&self.uniqueness, self.population) {
            let value = |found: Option<Estimate>| found.map(|found| found.value);
            figures["population"] = population.into();
            figures["population_uniques"] = json!({
                "zayatz": value(all.zayatz),
                "pitman": value(all.pitman),
                "snb": value(all.snb),
                "dankar": value(all.dankar),
            });
            figures["dis"] = json!(self.dis);
        }
        if let Some(own) = self.individual {
            figures["individual"] = json!({
                "expected": own.expected,
                "highest": own.highest,
                "mean": if records == 0 { 0.0 } else { own.expected / records as f64 },
                "population": own.population,
            });
        }
        if let Some(own) = self.household {
            figures["household"] = json!({ "highest": own.highest, "expected": own.expected });
        }
        let by_size: Map<String, Json> = (1..)
            .zip(&self.uniques.by_size)
            .map(|(size, count): (usize, &u64)| (size.to_string(), (*count).into()))
            .collect();
        let number = |score: u128| u64::try_from(score).map_or_else(|_| json!(score as f64), Json::from);
        let total = self.uniques.total.max(1) as f64;
        let by_column: Map<String, Json> = self
            .quasi
            .iter()
            .zip(&self.uniques.by_column)
            .map(|(name, own)| (name.clone(), json!(*own as f64 / total)))
            .collect();
        figures["special_uniques"] = json!({
            "scores": self.records.iter().map(|record| number(record.score)).collect::<Vec<_>>(),
            "by_size": by_size,
            "by_column": by_column,
            "records": self.uniques.records,
            "largest": self.uniques.largest,
        });
        let set = |set: &ColumnSet| {
            json!({
                "columns": self.names(set),
                "distinction": set.distinction(records),
                "separation": set.separation(records),
            })
        };
        figures["columns"] = self.columns.iter().map(set).collect();
        figures
    }

    /// Sets of columns by size, and by what they tell within a size: those that identify most come first.
    pub fn ranked(&self) -> Vec<&ColumnSet> {
        let records = self.sizes.records();
        let mut sets: Vec<&ColumnSet> = self.columns.iter().collect();
        sets.sort_by(|a, b| {
            let rank = |set: &ColumnSet| (set.distinction(records), set.separation(records));
            let ((one, apart), (two, further)) = (rank(a), rank(b));
            a.columns.len().cmp(&b.columns.len()).then(two.total_cmp(&one)).then(further.total_cmp(&apart))
        });
        sets
    }

    /// Every figure with its name, as people read them; small names belong to the one before.
    pub fn in_words(&self) -> Vec<(String, String)> {
        words::rows(self)
    }

    /// One line per record, as comma-separated text.
    pub fn to_csv(&self) -> String {
        csv::lines(self)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Records by the size of their class, in the bands that pictures show.
pub fn bands(sizes: &ClassSizes) -> Vec<(&'static str, u64)> {
    const BANDS: [(&str, u64); 6] =
        [("1", 1), ("2", 2), ("3-4", 4), ("5-9", 9), ("10-19", 19), ("20 or more", u64::MAX)];
    let mut records: HashMap<&str, u64> = HashMap::new();
    for (size, classes) in sizes.counts() {
        let band = BANDS.iter().find(|(_, last)| size <= *last);
        if let Some((name, _)) = band {
            *records.entry(name).or_default() += size * classes;
        }
    }
    BANDS.iter().map(|(name, _)| (*name, records.get(name).copied().unwrap_or(0))).collect()
}
