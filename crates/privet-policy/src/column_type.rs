//! What the values of a column are, where the policy says it.

use crate::typed::choices;

choices! {
    /// What the values of a column are.
    pub enum ColumnType {
        /// Numbers, which have an order and a distance.
        Number = "number",
        /// Categories, even if they are written as numbers.
        Category = "category",
        /// Dates.
        Date = "date",
        /// Codes, such as postcodes.
        Code = "code",
        /// Text.
        Text = "text",
    }
}

impl ColumnType {
    /// Whether the values have no order, even if they are written as numbers: they are never published as ranges.
    pub fn is_unordered(self) -> bool {
        matches!(self, ColumnType::Category | ColumnType::Code | ColumnType::Text)
    }
}
