//! Quasi-identifiers as directions to split along.

use privet_core::{Error, Result};
use privet_engine::microdata::{Microdata, QuasiIdentifier};
use privet_policy::method::{self, Labels, Numbers};
use privet_policy::{CheckedPolicy, ColumnType};
use privet_taxonomy::Taxonomy;

use super::label;

/// A quasi-identifier as a direction to split along: codes have positions, and parts cover ranges of positions.
pub(super) struct SplitAxis {
    /// Per code, its position: the rank of the number, or the leaf in depth-first order.
    positions: Vec<u32>,
    pub kind: AxisKind,
}

/// What the cells of a column show of a part.
pub(super) enum AxisKind {
    /// A range. Positions are ranks; a missing value that is kept as a value has rank 0 and no number.
    Numbers { numbers: Vec<Option<f64>>, labels: Vec<String>, span: f64 },
    /// The lowest node above all values.
    Nodes,
    /// The values that occur; `free` if they may be cut anywhere.
    Sets { free: bool },
}

/// How the cells of each column are labelled, in the order of the quasi-identifiers.
pub(crate) struct AxisLabels {
    labels: Labels,
    /// Whether the column itself asks for them.
    own: bool,
    free: bool,
    category: bool,
}

impl AxisLabels {
    /// As method `mondrian` labels them.
    pub fn of_mondrian(
        policy: &CheckedPolicy,
        own: &method::Mondrian,
        microdata: &Microdata,
    ) -> Vec<AxisLabels> {
        let of = |quasi: &QuasiIdentifier| {
            let column = &policy.columns[quasi.index];
            AxisLabels {
                labels: own.labels_of(column),
                own: column.labels.is_some(),
                free: own.cuts_freely(column),
                category: column.column_type.is_some_and(ColumnType::is_unordered),
            }
        };
        microdata.quasi.iter().map(of).collect()
    }

    /// As a method labels them that knows ranges and nodes only.
    pub fn of_numbers(policy: &CheckedPolicy, numbers: Numbers, microdata: &Microdata) -> Vec<AxisLabels> {
        let own = method::Mondrian { numbers, ..method::Mondrian::default() };
        AxisLabels::of_mondrian(policy, &own, microdata)
    }

    /// Nodes in every column, of a flat tree where there is no hierarchy.
    pub fn nodes(microdata: &Microdata) -> Vec<AxisLabels> {
        let node = |_| AxisLabels { labels: Labels::Hierarchy, own: true, free: false, category: true };
        microdata.quasi.iter().map(node).collect()
    }
}

impl SplitAxis {
    pub fn of(
        policy: &CheckedPolicy,
        microdata: &Microdata,
        column: usize,
        labels: &AxisLabels,
    ) -> Result<SplitAxis> {
        let quasi = &microdata.quasi[column];
        let dictionary = &microdata.summary.columns()[column].dictionary;
        let numbers = dictionary.numbers().filter(|_| match labels.labels {
            Labels::Ranges | Labels::Sets => !labels.category,
            Labels::Hierarchy => !labels.category && quasi.hierarchy.is_none(),
        });
        match (numbers, labels.labels) {
            (Some(numbers), _) => Ok(SplitAxis::of_numbers(dictionary.values(), numbers)),
            (None, Labels::Ranges) if labels.own => {
                let wrong = format!(
                    "column '{}' has labels = \"ranges\", but values that are not numbers",
                    quasi.name
                );
                Err(Error::input(wrong)
                    .in_file(policy.written.path())
                    .help("choose labels = \"sets\" or \"hierarchy\" for it"))
            }
            (None, Labels::Ranges | Labels::Hierarchy) => {
                Ok(SplitAxis { positions: quasi.leaf_of_code.clone(), kind: AxisKind::Nodes })
            }
            (None, Labels::Sets) => {
                if let Some(value) = dictionary.values().iter().find(|value| label::reads_as_set(value)) {
                    let wrong =
                        format!("column '{}' holds the value '{value}', which reads as a set", quasi.name);
                    return Err(Error::input(wrong)
                        .in_file(policy.source.origin())
                        .help("rename the value, or choose labels = \"hierarchy\" for the column"));
                }
                let kind = AxisKind::Sets { free: labels.free };
                Ok(SplitAxis { positions: quasi.leaf_of_code.clone(), kind })
            }
        }
    }

    fn of_numbers(values: &[String], numbers: &[Option<f64>]) -> SplitAxis {
        let (mut positions, mut ranked, mut labels) =
            (Vec::new(), Vec::<Option<f64>>::new(), Vec::<String>::new());
        for (code, (number, value)) in numbers.iter().zip(values).enumerate() {
            if code > 0 && ranked.last() == Some(number) {
                // Two spellings of one number must not be distinguishable.
                let last = labels.len() - 1;
                labels[last] = format!("[{value},{value}]");
            } else {
                ranked.push(*number);
                labels.push(value.clone());
            }
            positions.push(ranked.len() as u32 - 1);
        }
        let known = || ranked.iter().flatten();
        let span = known().last().unwrap_or(&0.0) - known().next().unwrap_or(&0.0);
        SplitAxis { positions, kind: AxisKind::Numbers { numbers: ranked, labels, span } }
    }

    pub fn position(&self, code: u32) -> u32 {
        self.positions[code as usize]
    }

    /// How many positions there are.
    pub fn len(&self, taxonomy: &Taxonomy) -> usize {
        match &self.kind {
            AxisKind::Numbers { numbers, .. } => numbers.len(),
            AxisKind::Nodes | AxisKind::Sets { .. } => taxonomy.leaves(),
        }
    }

    /// Whether parts are cut anywhere along it, by the least summed loss.
    pub fn is_free(&self) -> bool {
        matches!(self.kind, AxisKind::Sets { free: true })
    }

    /// What a record of a part loses that covers these positions, `distinct` of them with a value: LM, from 0 for one value to
    /// 1 for all.
    pub fn price(&self, quasi: &QuasiIdentifier, (low, high): (u32, u32), distinct: usize) -> f64 {
        let share =
            |covered: u64, all: u64| covered.saturating_sub(1) as f64 / all.saturating_sub(1).max(1) as f64;
        match &self.kind {
            AxisKind::Sets { .. } => share(distinct as u64, quasi.taxonomy.leaves() as u64),
            AxisKind::Nodes => {
                let node = quasi.taxonomy.lowest_above(low as usize, high as usize);
                share(quasi.values_below(node), quasi.values())
            }
            AxisKind::Numbers { .. } => self.width(&quasi.taxonomy, (low, high)),
        }
    }

    /// How wide a range of positions is, as a share of the whole column.
    pub fn width(&self, taxonomy: &Taxonomy, (low, high): (u32, u32)) -> f64 {
        if low == high {
            return 0.0;
        }
        match &self.kind {
            AxisKind::Numbers { numbers, span, .. } => {
                match (numbers[low as usize], numbers[high as usize]) {
                    (Some(low), Some(high)) => (high - low) / span,
                    // A part with both missing values and numbers can only be published as *.
                    _ => 1.0,
                }
            }
            AxisKind::Nodes | AxisKind::Sets { .. } => {
                let node = taxonomy.lowest_above(low as usize, high as usize);
                (taxonomy.leaves_below(node).len() - 1) as f64 / (taxonomy.leaves() - 1) as f64
            }
        }
    }
}
