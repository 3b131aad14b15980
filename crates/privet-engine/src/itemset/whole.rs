//! Threats that whole rows point at.
//!
//! Of a row that too few transactions are like, the rarest nodes together are often a threat already. To try them takes a few
//! looks per row, where counting all itemsets level by level takes most of the time of a search. What is found here are
//! threats like others; that nothing is found proves nothing.

use super::field::{Field, is_set};
use super::general::General;
use super::guard::Guard;
use super::mine::{Effort, Miner, Threat};
use super::rows::Heads;
use crate::conflict::{Conflicts, between};
use privet_core::Result;
use privet_core::clock::Clock;
use privet_taxonomy::Node;

/// Rows between two looks at the clock.
const LOOK: u32 = 1024;

impl Miner<'_> {
    /// Tries the rarest nodes of every unsafe row, at most `present` of them, and adds the conflicts of those that are
    /// threats. `mined` is another cut whose rows were tried before, if there is one: only what has a node that is not in it
    /// is tried again. Does nothing where sensitive items are guarded.
    pub fn mine_rows(
        &self,
        present: u64,
        mined: Option<&[Node]>,
        conflicts: &mut Conflicts<Threat>,
        clock: &Clock,
    ) -> Result<Effort> {
        let field = &self.field;
        let mut effort = Effort::default();
        if !field.is_flat || present == 0 {
            return Ok(effort);
        }
        let is_new =
            |node: u32| mined.is_none_or(|mined| mined.binary_search(&field.nodes[node as usize]).is_err());
        let is_new: Vec<bool> = (0..field.nodes.len() as u32).map(is_new).collect();
        let (tree, k, reach) = (self.tree, self.privacy.k, field.reach);
        let general = General { tree, lookup: &field.lookup, k, reach };
        let mut guard = Guard::new(field, conflicts.iter().map(|conflict| &conflict.members[..]));
        let mut attempt = Attempt { field, k, most: present, is_new: &is_new, fits: Vec::new() };
        for row in 0..field.unsafe_rows {
            if row % LOOK == 0 {
                clock.check()?;
                if clock.is_over() {
                    break;
                }
            }
            let Some((set, support)) = attempt.rarest(row, &mut effort) else { continue };
            set.iter().for_each(|node| guard.choose(field, *node));
            let is_known = guard.covers_choice(0);
            set.iter().for_each(|node| guard.release(field, *node));
            if is_known {
                continue;
            }
            effort.threats += 1;
            let present = set.iter().map(|number| field.nodes[*number as usize]).collect();
            let mut threat = Threat { present, absent: Vec::new(), support };
            general.generalise(&mut threat);
            threat.present.sort_unstable();
            let members = between(tree, threat.present.iter().copied());
            let numbers: Option<Vec<u32>> = members
                .iter()
                .map(|member| field.nodes.binary_search(member).ok().map(|at| at as u32))
                .collect();
            let is_possible = !members.is_empty();
            conflicts.insert(tree, members, threat);
            match numbers {
                Some(numbers) if is_possible => guard.add(numbers),
                _ => break,
            }
        }
        Ok(effort)
    }
}

/// The search for a rare set in a row.
struct Attempt<'a> {
    field: &'a Field,
    k: u64,
    most: u64,
    is_new: &'a [bool],
    /// The rows that hold what is chosen so far.
    fits: Vec<u32>,
}

impl Attempt<'_> {
    /// Of a row, its rarest new node and the rarest of the others, as many as it takes until fewer than k transactions hold
    /// them all, with the number of those; nothing if that many may not be known.
    fn rarest(&mut self, row: u32, effort: &mut Effort) -> Option<(Vec<u32>, u64)> {
        let Attempt { field, is_new, .. } = *self;
        let mut nodes = field.rows.get(row).to_vec();
        nodes.sort_by_key(|node| (field.holders.get(*node).len(), *node));
        let first = nodes.iter().position(|node| is_new[*node as usize])?;
        nodes[..=first].rotate_right(1);
        let mut chosen = 0;
        self.fits.clear();
        for node in nodes.iter().take(usize::try_from(self.most).unwrap_or(usize::MAX)) {
            if chosen == 0 {
                self.fits.extend_from_slice(field.holders.get(*node));
            } else {
                match field.bitmap(*node) {
                    Some(bitmap) => self.fits.retain(|row| is_set(bitmap, *row)),
                    None => self.fits.retain(|row| field.rows.get(*row).binary_search(node).is_ok()),
                }
            }
            chosen += 1;
            effort.itemsets += 1;
            effort.cells += self.fits.len() as u64;
            // Heavy rows come last.
            let mut support = Heads::default();
            for row in self.fits.iter().rev() {
                support.add(field.weights[*row as usize], field.owner(*row));
                if support.sum >= self.k {
                    break;
                }
            }
            if support.sum < self.k {
                nodes.truncate(chosen);
                return Some((nodes, support.sum));
            }
        }
        None
    }
}
