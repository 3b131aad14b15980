//! How values are compared with the rows of a stratum.

/// The same shift in all strata.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommonWay {
    backwards: bool,
    shift: Shift,
}

#[derive(Debug, Clone, Copy)]
enum Shift {
    On(usize),
    Back(usize),
    Half,
}

pub(super) const STRAIGHT: CommonWay = CommonWay { backwards: false, shift: Shift::On(0) };
pub(super) const BACKWARDS: CommonWay = CommonWay { backwards: true, shift: Shift::On(0) };

/// Values are tried against the rows of all strata with a common shift of up to this many places, and of half a stratum.
const MOST_SHIFT: usize = 64;

/// Strata that are not larger have no other shifts.
pub(super) const SMALL: usize = 2 * MOST_SHIFT + 1;

impl CommonWay {
    /// The place of the value for a row, in a stratum of `rows` rows.
    pub fn place(self, row: usize, rows: usize) -> usize {
        let row = if self.backwards { rows - 1 - row } else { row };
        let shift = match self.shift {
            Shift::On(by) => by % rows,
            Shift::Back(by) => rows - by % rows,
            Shift::Half => rows / 2,
        };
        (row + shift) % rows
    }

    /// The ways that are neither straight nor backwards, for strata whose longest has `longest` rows.
    pub fn others(longest: usize) -> Vec<CommonWay> {
        let most = MOST_SHIFT.min(longest.saturating_sub(1));
        let shifts = (1..=most).flat_map(|by| [Shift::On(by), Shift::Back(by)]).chain([Shift::Half]);
        shifts.flat_map(|shift| [false, true].map(|backwards| CommonWay { backwards, shift })).collect()
    }

    /// In words, behind what it is about.
    pub fn describe(self) -> String {
        let shifted = match self.shift {
            Shift::On(0) => String::new(),
            Shift::On(by) => format!(", shifted by {by}"),
            Shift::Back(by) => format!(", shifted back by {by}"),
            Shift::Half => ", with halves swapped".to_string(),
        };
        if self.backwards { format!(", backwards{shifted}") } else { shifted }
    }
}
