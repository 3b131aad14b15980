//! What the made-up people of several examples have in common: the town that they live in.

/// The sexes that tables know.
pub(super) const SEXES: [&str; 2] = ["F", "M"];

/// The parts of the town.
pub(super) const REGIONS: [&str; 9] =
    ["Harbour", "Hillside", "Lakeview", "Meadows", "Orchard", "Riverside", "Castle", "Market", "Station"];

/// Who pays for a treatment.
pub(super) const INSURANCES: [&str; 3] = ["public", "private", "none"];
