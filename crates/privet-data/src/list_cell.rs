//! Lists as cells: their items with a sign between them, as `separator` in a policy names it.

use privet_core::Error;

/// What stands between the items of a list.
pub(super) const LIST_SEPARATOR: char = '|';

/// The error for an item that has the sign in it.
pub(super) fn unclear(name: &str) -> Error {
    Error::input(format!("a list in column '{name}' has an item with '{LIST_SEPARATOR}' in it")).help(
        format!(
            "lists are read as their items with '{LIST_SEPARATOR}' between them; replace it in the items"
        ),
    )
}
