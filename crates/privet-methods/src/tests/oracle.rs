//! Full-domain generalisation by brute force: every vector of levels, every class, every definition, nothing shared with
//! the search.

use std::collections::{BTreeMap, HashMap};

use num_bigint::BigUint;

use super::table::{Domain, MISSING, OnMissing, Table, distinct};
use privet_engine::privacy::naive::{Column, Ratio, ratio};

/// A quasi-identifier: per level, each value's label.
pub struct Ladder {
    /// Per level: value → label.
    pub labels: Vec<HashMap<String, String>>,
    /// Per level and label, how many leaves of the file it covers.
    covered: Vec<HashMap<String, u64>>,
    leaves: u64,
}

impl Ladder {
    pub fn of(table: &Table, column: usize) -> Ladder {
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
            assert_eq!(table.on_missing, OnMissing::Keep);
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
        Ladder { labels: labels.collect(), covered: covered.collect(), leaves: lines.len() as u64 }
    }

    pub fn levels(&self) -> usize {
        self.labels.len()
    }
}

/// Lines as long as there are levels: files whose lines have one length say so themselves, others are aligned at the root.
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

/// A vector of levels with all that can be said about its release.
pub struct Judged {
    pub levels: Vec<u8>,
    pub suppressed: u64,
    /// Per cost, in the order of `loss::NAMES`.
    pub costs: Vec<Loss>,
}

/// An exact loss; entropy is a power of two, and only the number that it is a power of can be exact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    Sum(Ratio),
    Bits(BigUint),
}

/// The records of a class, by their numbers.
type Class = Vec<usize>;

pub struct Oracle<'a> {
    rows: Vec<&'a Vec<String>>,
    pub ladders: Vec<Ladder>,
    /// Per requirement, each row's value number and the column.
    sensitive: Vec<(Vec<usize>, Column)>,
    table: &'a Table,
}

impl<'a> Oracle<'a> {
    pub fn new(table: &'a Table) -> Oracle<'a> {
        let rows = table.kept();
        let ladders = (0..table.quasi.len()).map(|column| Ladder::of(table, column)).collect();
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

    /// Whether a set of records meets everything that is asked for.
    pub fn holds(&self, class: &[usize]) -> bool {
        self.table.asked.iter().zip(&self.sensitive).all(|((notion, _), (numbers, column))| {
            let mut counts = vec![0; column.totals.len()];
            class.iter().for_each(|record| counts[numbers[*record]] += 1);
            notion.holds(&counts, column)
        })
    }

    /// Every vector of levels, in lexicographic order.
    pub fn lattice(&self) -> Vec<Judged> {
        let mut known: HashMap<Class, bool> = HashMap::new();
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

    fn judge(&self, levels: &[u8], known: &mut HashMap<Class, bool>) -> Judged {
        let mut classes: BTreeMap<Vec<&String>, Class> = BTreeMap::new();
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
        Judged { levels: levels.to_vec(), suppressed, costs: self.costs(levels, &kept, suppressed) }
    }

    /// LM, NCP, DM, CM, average class size, height, precision (as what is lost) and entropy.
    fn costs(&self, levels: &[u8], kept: &[(Vec<&String>, Class)], suppressed: u64) -> Vec<Loss> {
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
            Loss::Sum(lm),
            Loss::Sum(ncp),
            Loss::Sum(ratio(dm, 1)),
            Loss::Sum(ratio(cm, 1)),
            Loss::Sum(ratio(records, classes)),
            Loss::Sum(ratio(height, records)),
            Loss::Sum(lost / ratio(records * columns, 1)),
            Loss::Bits(bits),
        ]
    }

    /// A loss as the measure shows it.
    pub fn shown(&self, name: &str, loss: &Loss) -> f64 {
        match loss {
            Loss::Sum(sum) => {
                let sum = *sum.numer() as f64 / *sum.denom() as f64;
                if name == "precision" { 1.0 - sum } else { sum }
            }
            Loss::Bits(bits) => {
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
