//! How many people of the population a part stands for: those whom every published cell of it contains.

use super::axis::AxisKind;
use super::{MondrianSplitter, RecordPart};
use privet_engine::standing::Standing;

impl MondrianSplitter<'_> {
    /// What a part stands for beyond its records.
    pub(super) fn standing(&self, part: &RecordPart) -> Standing {
        let weight = match &self.microdata.weights {
            Some(_) => {
                part.iter().map(|(record, count)| self.microdata.weight(*record as usize) * count).sum()
            }
            None => 0,
        };
        let register = self.microdata.register.as_ref();
        let people = register.map_or(0, |register| {
            let covered = self.covered(part);
            covered.into_iter().map(|row| register.count(row)).sum()
        });
        Standing { people, weight }
    }

    /// Whether everybody whom the part stands for is in one of the parts that it is split into.
    pub(super) fn keeps_everybody(&self, whole: &RecordPart, parts: &[RecordPart]) -> bool {
        let mut kept: Vec<usize> = parts.iter().flat_map(|part| self.covered(part)).collect();
        kept.sort_unstable();
        kept.dedup();
        kept.len() == self.covered(whole).len()
    }

    /// How many combinations of values of the population no cell of a part contains.
    pub(super) fn outside(&self, part: &RecordPart) -> usize {
        self.microdata.register.as_ref().map_or(0, |register| register.len() - self.covered(part).len())
    }

    /// The population's combinations of values that every cell of a part contains.
    fn covered(&self, part: &RecordPart) -> Vec<usize> {
        let Some(register) = &self.microdata.register else { return Vec::new() };
        let columns: Vec<Vec<bool>> =
            (0..self.axes.len()).map(|column| self.contained(part, column)).collect();
        // Columns that contain few values rule out most people at once.
        let mut order: Vec<usize> = (0..columns.len()).collect();
        let share = |column: &usize| {
            let own = &columns[*column];
            own.iter().filter(|contained| **contained).count() * 1000 / own.len().max(1)
        };
        order.sort_by_key(share);
        let is_covered = |row: &usize| {
            let codes = register.row(*row);
            order.iter().all(|column| columns[*column][codes[*column] as usize])
        };
        (0..register.len()).filter(is_covered).collect()
    }

    /// By code of the population, whether the part's cell of a column contains it.
    fn contained(&self, part: &RecordPart, column: usize) -> Vec<bool> {
        let Some(register) = &self.microdata.register else { return Vec::new() };
        let (own, quasi) = (&register.columns[column], &self.microdata.quasi[column]);
        let (low, high) = self.extent(part, column);
        match &self.axes[column].kind {
            AxisKind::Nodes => {
                let node = quasi.taxonomy.lowest_above(low as usize, high as usize);
                if node == quasi.taxonomy.root() {
                    return vec![true; own.values.len()];
                }
                let leaves = quasi.taxonomy.leaves_below(node);
                own.leaves
                    .iter()
                    .map(|leaf| leaf.is_some_and(|leaf| leaves.contains(&(leaf as usize))))
                    .collect()
            }
            AxisKind::Sets { .. } => {
                let codes = self.codes(part, column);
                let is_member =
                    |code: &Option<u32>| code.is_some_and(|code| codes.binary_search(&code).is_ok());
                own.codes.iter().map(is_member).collect()
            }
            AxisKind::Numbers { numbers, .. } => match (numbers[low as usize], numbers[high as usize]) {
                (Some(low), Some(high)) => {
                    let is_between =
                        |number: &Option<f64>| number.is_some_and(|number| low <= number && number <= high);
                    own.numbers.iter().map(is_between).collect()
                }
                // Missing values alone, or with numbers: then the cell is *.
                (None, None) => own
                    .codes
                    .iter()
                    .map(|code| code.is_some_and(|code| self.axes[column].position(code) == low))
                    .collect(),
                _ => vec![true; own.values.len()],
            },
        }
    }
}
