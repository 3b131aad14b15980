//! Natural supersets of classes at levels of generalisation: the classes that they become part of at higher levels.

use super::levels::Levelling;
use crate::engine::rollup::{Grouping, Levels};
use crate::privacy::NtCloseness;

impl Levelling<'_> {
    /// Per class, whether it has (n, t)-closeness: it is close to one of its natural supersets.
    ///
    /// Every vector of higher levels may be looked at, as long as some class is not close yet; the highest first, where
    /// most are.
    pub fn naturally_close(&self, grouping: &Grouping, notion: &NtCloseness) -> Vec<bool> {
        let mut close: Vec<bool> =
            (0..grouping.len()).map(|class| notion.holds_alone(&grouping.outline(class))).collect();
        let mut open: Vec<usize> = (0..close.len()).filter(|class| !close[*class]).collect();
        // Some class at the lowest levels that is part of each.
        let mut part_of = vec![0; grouping.len()];
        (0..).zip(grouping.parts()).for_each(|(part, class): (usize, u32)| part_of[class as usize] = part);
        let mut levels: Option<Levels> = Some(self.tops.as_slice().into());
        while let Some(at) = levels.filter(|_| !open.is_empty()) {
            let wider = self.groupings.at(&at);
            let parts = wider.parts();
            open.retain(|class| {
                let superset = wider.class(parts[part_of[*class]] as usize);
                close[*class] = notion.holds_beside(&grouping.class(*class), &superset);
                !close[*class]
            });
            levels = self.below(&at, &grouping.levels);
        }
        close
    }

    /// The vector before `at` among those from `lowest` up to the highest, in the order of an odometer.
    fn below(&self, at: &[u8], lowest: &[u8]) -> Option<Levels> {
        let column = (0..at.len()).find(|column| at[*column] > lowest[*column])?;
        let mut below: Levels = at.into();
        below[..column].copy_from_slice(&self.tops[..column]);
        below[column] -= 1;
        Some(below)
    }
}
