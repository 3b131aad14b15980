//! Full-domain generalisation by brute force: every vector of levels, every class, every definition. It shares no code
//! with the search.

use std::collections::{BTreeMap, HashMap};

use num_bigint::BigUint;

use super::table::{Domain, MISSING, MissingChoice, RandomTable, distinct};
use privet_engine::privacy::naive::{Column, Ratio, ratio};

/// A quasi-identifier: per level, each value's label.
pub struct OracleLadder {
    /// Per level: value → label.
    pub labels: Vec<HashMap<String, String>>,
    /// Per level and label, the number of leaves in the file that it covers.
    covered: Vec<HashMap<String, u64>>,
    leaves: u64,
}

impl OracleLadder {
    pub fn of(table: &RandomTable, column: usize) -> OracleLadder {
        let mut present: Vec<String> = table.kept().iter().map(|row| row[column].clone()).collect();
        present.sort();
        present.dedup();
        let mut lines: Vec<Vec<String>> = match &table.quasi[column] {
            Domain::Tree(lines) => levelled(lines),
            _ => present.iter().map(|value| vec![value.clone(), "*".to_string()]).collect(),
        };
        let added =
            matches!(table.quasi[column], Domain::Tree(_)) && present.iter().any(|value| value == MISSING);
        if added {
            assert_eq!(table.on_missing, MissingChoice::Keep);
            let mut line = vec![MISSING.to_string(); lines[0].len()];
            let last = line.len() - 1;
            line[last] = lines[0][last].clone();
            lines.push(line);
        }
        let levels = lines[0].len();
        let labels = (0..levels)
            .map(|level| lines.iter().map(|line| (line[0].clone(), line[level].clone())).collect());
        let covered = (0..levels).map(|level| {
            let mut covered = HashMap::new();
            lines.iter().for_each(|line| *covered.entry(line[level].clone()).or_insert(0) += 1);
            covered
        });
        OracleLadder { labels: labels.collect(), covered: covered.collect(), leaves: lines.len() as u64 }
    }

    pub fn levels(&self) -> usize {
        self.labels.len()
    }
}

/// Pads lines to the number of levels: files whose lines have equal lengths define their levels, others are aligned at
/// the root.
fn levelled(lines: &[Vec<String>]) -> Vec<Vec<String>> {
    if lines.iter().all(|line| line.len() == lines[0].len()) {
        return lines.to_vec();
    }
    let paths: Vec<Vec<String>> = lines.iter().map(|line| distinct(line)).collect();
    let longest = paths.iter().map(Vec::len).max().unwrap_or(0);
    let aligned = |path: &Vec<String>| {
        let mut line = vec![path[0].clone(); longest - path.len()];
        line.extend_from_slice(path);
        line
    };
    paths.iter().map(aligned).collect()
}

/// A vector of levels with every figure of its release.
pub struct OracleVector {
    pub levels: Vec<u8>,
    pub suppressed: u64,
    /// Per cost, in the order of `loss::NAMES`.
    pub costs: Vec<ExactLoss>,
}

/// An exact loss; entropy is a logarithm, of which only the argument can be exact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExactLoss {
    Sum(Ratio),
    Bits(BigUint),
}

/// The records of a class, by their row numbers.
type ClassRows = Vec<usize>;

pub struct Oracle<'a> {
    rows: Vec<&'a Vec<String>>,
    pub ladders: Vec<OracleLadder>,
    /// Per requirement, each row's value number and the column.
    sensitive: Vec<(Vec<usize>, Column)>,
    table: &'a RandomTable,
}

impl<'a> Oracle<'a> {
    pub fn new(table: &'a RandomTable) -> Oracle<'a> {
        let rows = table.kept();
        let ladders = (0..table.quasi.len()).map(|column| OracleLadder::of(table, column)).collect();
        let of = |column: &usize| {
            let (values, facts) = table.sensitive_column(*column);
            let place = table.quasi.len() + column;
            let number =
                |row: &&Vec<String>| values.iter().position(|value| *value == row[place]).expect("a value");
            (rows.iter().map(number).collect(), facts)
        };
        let sensitive = table.asked.iter().map(|(_, column)| of(column)).collect();
        Oracle { rows, ladders, sensitive, table }
    }

    pub fn records(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Whether a set of records meets every requirement.
    pub fn holds(&self, class: &[usize]) -> bool {
        self.table.asked.iter().zip(&self.sensitive).all(|((notion, _), (numbers, column))| {
            let mut counts = vec![0; column.totals.len()];
            class.iter().for_each(|record| counts[numbers[*record]] += 1);
            notion.holds(&counts, column)
        })
    }

    /// Every vector of levels, in lexicographic order.
    pub fn lattice(&self) -> Vec<OracleVector> {
        let mut known: HashMap<ClassRows, bool> = HashMap::new();
        let mut levels = vec![0u8; self.ladders.len()];
        let mut judged = Vec::new();
        loop {
            judged.push(self.judge(&levels, &mut known));
            let up = (0..levels.len())
                .rev()
                .find(|column| usize::from(levels[*column]) + 1 < self.ladders[*column].levels());
            let Some(up) = up else { return judged };
            levels[up] += 1;
            levels[up + 1..].fill(0);
        }
    }

    fn judge(&self, levels: &[u8], known: &mut HashMap<ClassRows, bool>) -> OracleVector {
        let mut classes: BTreeMap<Vec<&String>, ClassRows> = BTreeMap::new();
        for (record, row) in self.rows.iter().enumerate() {
            let shown = levels
                .iter()
                .enumerate()
                .map(|(column, level)| &self.ladders[column].labels[usize::from(*level)][&row[column]]);
            classes.entry(shown.collect()).or_default().push(record);
        }
        let (mut kept, mut suppressed) = (Vec::new(), 0);
        for (cells, class) in classes {
            if *known.entry(class.clone()).or_insert_with(|| self.holds(&class)) {
                kept.push((cells, class));
            } else {
                suppressed += class.len() as u64;
            }
        }
        OracleVector { levels: levels.to_vec(), suppressed, costs: self.costs(levels, &kept, suppressed) }
    }

    /// LM, NCP, DM, CM, average class size, height, precision (as what is lost) and entropy.
    fn costs(&self, levels: &[u8], kept: &[(Vec<&String>, ClassRows)], suppressed: u64) -> Vec<ExactLoss> {
        let (records, columns) = (self.records(), self.ladders.len() as u64);
        let (mut lm, mut ncp) = (ratio(suppressed * columns, 1), ratio(suppressed * columns, 1));
        let (mut dm, mut cm) = (suppressed * records, suppressed);
        let tops = || self.ladders.iter().map(|ladder| ladder.levels() as u64 - 1);
        let (mut height, mut lost) = (suppressed * tops().sum::<u64>(), ratio(suppressed * columns, 1));
        let mut bits = num_traits::pow(BigUint::from(records), (suppressed * columns) as usize);
        for (cells, class) in kept {
            let size = class.len() as u64;
            for ((ladder, level), cell) in self.ladders.iter().zip(levels).zip(cells) {
                let covered = ladder.covered[usize::from(*level)][*cell];
                if ladder.leaves > 1 {
                    lm += ratio((covered - 1) * size, ladder.leaves - 1);
                }
                if covered > 1 {
                    ncp += ratio(covered * size, ladder.leaves);
                }
                height += u64::from(*level) * size;
                lost += ratio(u64::from(*level) * size, (ladder.levels() as u64 - 1).max(1));
            }
            for (column, cell) in cells.iter().enumerate() {
                let labels = &self.ladders[column].labels[usize::from(levels[column])];
                let alike = self.rows.iter().filter(|row| labels[&row[column]] == **cell).count();
                bits *= num_traits::pow(BigUint::from(alike), class.len());
            }
            dm += size * size;
            let mut labels: HashMap<&String, u64> = HashMap::new();
            class.iter().for_each(|record| {
                *labels.entry(&self.rows[*record][self.table.quasi.len() + 2]).or_default() += 1
            });
            cm += size - labels.values().max().copied().unwrap_or(0);
        }
        let classes = kept.len() as u64 + u64::from(suppressed > 0);
        vec![
            ExactLoss::Sum(lm),
            ExactLoss::Sum(ncp),
            ExactLoss::Sum(ratio(dm, 1)),
            ExactLoss::Sum(ratio(cm, 1)),
            ExactLoss::Sum(ratio(records, classes)),
            ExactLoss::Sum(ratio(height, records)),
            ExactLoss::Sum(lost / ratio(records * columns, 1)),
            ExactLoss::Bits(bits),
        ]
    }

    /// A loss as the measure shows it.
    pub fn shown(&self, name: &str, loss: &ExactLoss) -> f64 {
        match loss {
            ExactLoss::Sum(sum) => {
                let sum = *sum.numer() as f64 / *sum.denom() as f64;
                if name == "precision" { 1.0 - sum } else { sum }
            }
            ExactLoss::Bits(bits) => {
                let shift = bits.bits().saturating_sub(60);
                let head = num_traits::ToPrimitive::to_f64(&(bits >> shift)).unwrap_or(f64::NAN);
                let mut value = head.log2() + shift as f64;
                for column in 0..self.ladders.len() {
                    let mut counts: BTreeMap<&String, u64> = BTreeMap::new();
                    self.rows.iter().for_each(|row| *counts.entry(&row[column]).or_default() += 1);
                    value -= counts.values().map(|count| *count as f64 * (*count as f64).log2()).sum::<f64>();
                }
                value
            }
        }
    }
}
