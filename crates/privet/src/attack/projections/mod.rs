//! Attacks on tables that share quasi-identifiers but no sensitive attribute, beside the same attacks on one table with all
//! of them.

pub(super) mod background_join;
pub(super) mod linkability;
#[cfg(test)]
mod tests;

use super::{Inside, Scene};
use crate::engine::microdata::Microdata;
use crate::method::codip::{Attribute, Projected};
use crate::{Error, Result};

/// Sure of a value.
const CERTAIN: (u64, u64) = (1, 1);

/// So sure of a value is as good as certain, for the second figure of each attack: nine in ten.
const NEARLY: (u64, u64) = (9, 10);

/// Several tables about the same people, or one.
#[derive(Clone, Copy)]
pub struct Published<'a> {
    /// The original.
    pub microdata: &'a Microdata,
    /// The sensitive attributes.
    pub attributes: &'a [Attribute],
    /// The tables.
    pub tables: &'a [Projected],
}

impl Published<'_> {
    /// The class of every distinct record in a table.
    fn classes(&self, table: &Projected) -> Vec<u32> {
        let summary = &self.microdata.summary;
        let class = |record: usize| {
            let mut places = table.recoding.destinations(record, summary.count(record));
            places.next().map_or(u32::MAX, |(class, _)| class)
        };
        (0..summary.len()).map(class).collect()
    }

    /// The code of every distinct record in an attribute.
    fn codes(&self, attribute: usize) -> Vec<u32> {
        let coding = self.microdata.coding(self.attributes[attribute].tracked);
        let summary = &self.microdata.summary;
        (0..summary.len()).map(|record| coding.code(summary.record(record)[coding.column])).collect()
    }

    fn count(&self, record: usize) -> u64 {
        self.microdata.summary.count(record)
    }

    fn records(&self) -> u64 {
        self.microdata.summary.total()
    }
}

/// One table with all attributes, and the tables that are published; a reason where there are none.
fn inside<'a>(scene: &Scene<'a>) -> std::result::Result<(Published<'a>, Published<'a>), String> {
    match scene.inside {
        Some(Inside::Projected { before, after }) => Ok((before, after)),
        _ => {
            Err("it is run while attributes are put into several tables, which is not done here".to_string())
        }
    }
}

fn published<'a>(scene: &Scene<'a>) -> Result<(Published<'a>, Published<'a>)> {
    inside(scene).map_err(Error::internal)
}
