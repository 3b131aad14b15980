//! What public knowledge tells about records, before and after. For the steward alone: it speaks of the original.

use serde::Serialize;

use super::super::Edition;
use super::super::gate::Original;
use super::super::lens::thousands;
use super::super::model::LinkAccount;
use super::{Figure, figures};

/// The section's figures.
#[derive(Serialize)]
pub(super) struct LinkView {
    column: String,
    labels: String,
    /// Name, before, after.
    rows: Vec<[String; 3]>,
    figures: Vec<Figure>,
}

pub(super) fn links(given: &Original<LinkAccount>, edition: Edition) -> Option<LinkView> {
    let given = given.see(edition.key()?);
    let row =
        |name: &str, (before, after): (u64, u64)| [name.to_string(), thousands(before), thousands(after)];
    let rows = vec![
        row("link to one label alone", given.single),
        row("are in groups whose likeliest label exceeds what the policy allows", given.exposed),
        row("link to nothing", given.unlinked),
    ];
    let distributions = [&given.sizes, &given.likeliest, &given.terms];
    let figures =
        distributions.into_iter().filter_map(|given| figures::distribution(given, edition)).collect();
    Some(LinkView { column: given.column.clone(), labels: thousands(given.labels), rows, figures })
}
