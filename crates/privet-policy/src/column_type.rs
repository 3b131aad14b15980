//! What the values of a column are, where the policy says it.

use crate::typed::choices;

choices! {
    /// What the values of a column are.
    pub enum ColumnType {
        /// Numbers, which have an order and a distance.
        Number = "number",
        /// Categories, even if they are written as numbers: they are never published as ranges.
        Category = "category",
        /// Dates.
        Date = "date",
        /// Codes, such as postcodes.
        Code = "code",
        /// Text.
        Text = "text",
    }
}
