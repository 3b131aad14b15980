//! What records stand for beyond the data: people of the population, and survey weights.

use std::collections::HashMap;
use std::ops::AddAssign;

use super::microdata::QuasiIdentifier;
use privet_core::{Decimal, Error, Result, counted};
use privet_data::{Batch, MissingRule, Names, Summary, SummaryColumn};
use privet_policy::{CheckedPolicy, PolicyColumn, PopulationTable};

/// What a class stands for beyond its records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// How many people of the population every cell of the class contains.
    pub people: u64,
    /// The sum of the weights of its records, in units: see [`Weights::unit`].
    pub weight: u64,
}

impl AddAssign for Standing {
    fn add_assign(&mut self, other: Standing) {
        self.people += other.people;
        self.weight += other.weight;
    }
}

/// Survey weights of distinct records, as whole numbers of a unit, so that sums are exact.
#[derive(Debug, Clone)]
pub struct Weights {
    /// The column of the summary.
    position: usize,
    /// By code, the weight in units.
    units: Vec<u64>,
    /// How many units one person is: a power of ten.
    pub unit: u64,
}

impl Weights {
    /// Reads the weights of a column; refuses what is not a number above 0, and sums that are too large to be exact.
    pub fn of(
        policy: &CheckedPolicy,
        column: &PolicyColumn,
        summary: &SummaryColumn,
        (position, counts): (usize, &[u64]),
    ) -> Result<Weights> {
        let mut weights = Vec::with_capacity(counts.len());
        for (value, line) in summary.dictionary.values().iter().zip(&summary.first_line) {
            let weight = Decimal::parse(value).filter(|weight| *weight > Decimal::ZERO).ok_or_else(|| {
                Error::input(format!(
                    "column '{}' has the weight '{value}', which is not a number above 0",
                    column.name
                ))
                .in_file(policy.source.origin())
                .at_line(*line)
                .help("a weight says how many people a record stands for, as in 12.5; list other spellings under 'missing' in [data]")
            })?;
            weights.push(weight);
        }
        let places = weights.iter().map(|weight| weight.places()).max().unwrap_or(0);
        let too_long = || {
            Error::input(format!(
                "the weights of column '{}' have too many digits to be added exactly",
                column.name
            ))
            .in_file(policy.source.origin())
            .help("round them, for example to six digits after the point")
        };
        let unit = 10u64.checked_pow(places).ok_or_else(too_long)?;
        let units: Option<Vec<u64>> = weights.iter().map(|weight| weight.in_units(places)).collect();
        let units = units.ok_or_else(too_long)?;
        let mut products = units.iter().zip(counts).map(|(units, count)| units.checked_mul(*count));
        let sum = products.try_fold(0u64, |sum, own| sum.checked_add(own?));
        sum.filter(|sum| *sum < u64::MAX / 2).ok_or_else(too_long)?;
        Ok(Weights { position, units, unit })
    }

    /// The weight of one record, in units.
    pub fn of_record(&self, record: &[u32]) -> u64 {
        self.units[record[self.position] as usize]
    }
}

/// Everybody who may be in the data: distinct combinations of values with how many people have them.
#[derive(Debug, Clone)]
pub struct Register {
    /// By quasi-identifier, the values.
    pub columns: Vec<RegisterColumn>,
    width: usize,
    codes: Vec<u32>,
    counts: Vec<u64>,
    /// How many people there are.
    pub total: u64,
}

/// A column of the population.
#[derive(Debug, Clone, Default)]
pub struct RegisterColumn {
    /// By code, the text.
    pub values: Vec<String>,
    /// By code, the position of the value's leaf; `None` for a value that only the root of a column without a hierarchy contains.
    pub leaves: Vec<Option<u32>>,
    /// By code, the number that the value is.
    pub numbers: Vec<Option<f64>>,
    /// By code, the code of the same value in the data.
    pub codes: Vec<Option<u32>>,
}

impl Register {
    /// Reads the table of the population, and checks it against the data.
    pub fn read(
        policy: &CheckedPolicy,
        table: &PopulationTable,
        data: &Summary,
        quasi: &[QuasiIdentifier],
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Register> {
        let columns: Vec<(usize, MissingRule)> =
            table.columns.iter().map(|column| (*column, table.missing_rule())).collect();
        let summary = Summary::read_columns(&table.source, &columns, &Names::default(), &mut |_| tick())?;
        let mut register = Register {
            columns: Vec::new(),
            width: quasi.len(),
            codes: Vec::new(),
            counts: Vec::new(),
            total: summary.total(),
        };
        // The register's own values keep their codes; values that only the data have come behind them.
        let mut data_codes: Vec<Vec<Option<u32>>> = Vec::new();
        for (position, (own, quasi)) in summary.columns().iter().zip(quasi).enumerate() {
            let (column, of_data) = RegisterColumn::of(table, own, quasi, &data.columns()[position])?;
            register.columns.push(column);
            data_codes.push(of_data);
        }
        for record in 0..summary.len() {
            register.codes.extend(summary.record(record));
            register.counts.push(summary.count(record));
        }
        register.meet(policy, table, (data, quasi), &mut data_codes)?;
        Ok(register)
    }

    /// How many distinct combinations of values there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The codes of a distinct combination of values.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.codes[row * self.width..(row + 1) * self.width]
    }

    /// How many people have it.
    pub fn count(&self, row: usize) -> u64 {
        self.counts[row]
    }

    /// Checks that everybody of the data is there, or adds them where the policy says that nobody is.
    fn meet(
        &mut self,
        policy: &CheckedPolicy,
        table: &PopulationTable,
        (data, quasi): (&Summary, &[QuasiIdentifier]),
        data_codes: &mut [Vec<Option<u32>>],
    ) -> Result<()> {
        if !table.includes_data {
            for (position, (codes, column)) in data_codes.iter_mut().zip(&mut self.columns).enumerate() {
                for (own, code) in codes.iter_mut().enumerate().filter(|(_, code)| code.is_none()) {
                    let leaf = quasi[position].leaf_of_code[own];
                    *code = Some(column.add((own as u32, leaf), &data.columns()[position]));
                }
            }
        }
        let mut place: HashMap<&[u32], usize> = HashMap::with_capacity(self.counts.len());
        for row in 0..self.counts.len() {
            place.insert(&self.codes[row * self.width..(row + 1) * self.width], row);
        }
        let (mut more, mut new) = (vec![0u64; self.counts.len()], Vec::new());
        let mut record = 0;
        while record < data.len() {
            // Records are sorted and begin with their quasi-identifiers.
            let own = &data.record(record)[..self.width];
            let mut count = 0;
            while record < data.len() && data.record(record)[..self.width] == *own {
                count += data.count(record);
                record += 1;
            }
            let codes: Option<Vec<u32>> =
                own.iter().zip(data_codes.iter()).map(|(code, codes)| codes[*code as usize]).collect();
            let row = codes.as_deref().and_then(|codes| place.get(codes)).copied();
            if !table.includes_data {
                match (row, codes) {
                    (Some(row), _) => more[row] += count,
                    (None, Some(codes)) => new.push((codes, count)),
                    (None, None) => return Err(Error::internal("a value of the data was not added")),
                }
                continue;
            }
            let known = row.map_or(0, |row| self.counts[row]);
            if known < count {
                return Err(absent(policy, table, (data, own), (count, known))?);
            }
        }
        for (count, more) in self.counts.iter_mut().zip(more) {
            *count += more;
        }
        for (codes, count) in new {
            self.codes.extend(codes);
            self.counts.push(count);
        }
        if !table.includes_data {
            self.total += data.total();
        }
        Ok(())
    }
}

impl RegisterColumn {
    /// A column, and by code of the data the code of the same value here.
    fn of(
        table: &PopulationTable,
        own: &SummaryColumn,
        quasi: &QuasiIdentifier,
        data: &SummaryColumn,
    ) -> Result<(RegisterColumn, Vec<Option<u32>>)> {
        let of_data: HashMap<&str, u32> =
            data.dictionary.values().iter().map(String::as_str).zip(0..).collect();
        let mut column = RegisterColumn::default();
        let mut data_codes = vec![None; of_data.len()];
        for (value, line) in own.dictionary.values().iter().zip(&own.first_line) {
            let node = quasi.taxonomy.leaf_of(value)?;
            if node.is_none() && quasi.hierarchy.is_some() {
                return Err(Error::input(format!(
                    "the value '{value}' of column '{}' has no leaf in its hierarchy",
                    quasi.name
                ))
                .in_file(&table.path)
                .at_line(*line)
                .help("add a line for it to the hierarchy, or list it under 'missing' in [population]"));
            }
            let code = of_data.get(value.as_str()).copied();
            if let Some(code) = code {
                data_codes[code as usize] = Some(column.values.len() as u32);
            }
            column.leaves.push(node.map(|node| quasi.taxonomy.leaves_below(node).start as u32));
            column.numbers.push(number(value));
            column.codes.push(code);
            column.values.push(value.clone());
        }
        Ok((column, data_codes))
    }

    /// Adds a value of the data.
    fn add(&mut self, (code, leaf): (u32, u32), data: &SummaryColumn) -> u32 {
        let value = &data.dictionary.values()[code as usize];
        self.values.push(value.clone());
        self.leaves.push(Some(leaf));
        self.numbers.push(number(value));
        self.codes.push(Some(code));
        self.values.len() as u32 - 1
    }
}

/// The number that a text spells.
fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// The error for somebody of the data whom the population lacks.
fn absent(
    policy: &CheckedPolicy,
    table: &PopulationTable,
    (data, own): (&Summary, &[u32]),
    (count, known): (u64, u64),
) -> Result<Error> {
    let columns = || data.columns().iter().zip(own);
    let texts: Vec<&str> =
        columns().map(|(column, code)| column.dictionary.values()[*code as usize].as_str()).collect();
    let missing = policy.missing_rule();
    let mut line = None;
    policy.source.read(&mut |batch: &Batch, _| {
        let is_it = |row: usize| {
            columns()
                .zip(&texts)
                .all(|((column, _), text)| missing.kept_as(batch.cell(row, column.index)) == *text)
        };
        if line.is_none() {
            line = (0..batch.rows()).find(|row| is_it(*row)).map(|row| batch.line(row));
        }
        Ok(())
    })?;
    let names = columns().map(|(column, _)| policy.columns[column.index].name.as_str());
    let who: Vec<String> = names.zip(&texts).map(|(name, text)| format!("{name} = {text}")).collect();
    let file = table.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let error = Error::input(format!(
        "{} occurs {}, in {file} {}",
        who.join(", "),
        counted(count, "time", "times"),
        counted(known, "time", "times")
    ))
    .in_file(policy.source.origin())
    .help("the population must contain everybody of the data; if it has nobody of them, set includes_data = false in [population]");
    Ok(match line {
        Some(line) => error.at_line(line),
        None => error,
    })
}
