//! Lists as cells: their items with a sign between them, as `separator` in a policy names it.

use privet_core::Error;

/// What stands between the items of a list.
pub(super) const LIST_SEPARATOR: char = '|';

/// The cell of a list: a set of items, so that an order that nobody asked for tells nothing and makes no values.
pub(super) fn set_cell<T: Ord + AsRef<[u8]>>(mut items: Vec<T>) -> Vec<u8> {
    items.sort_unstable();
    items.dedup();
    let items: Vec<&[u8]> = items.iter().map(AsRef::as_ref).collect();
    items.join(&(LIST_SEPARATOR as u8))
}

/// The error for an item that has the sign in it.
pub(super) fn unclear(name: &str) -> Error {
    Error::input(format!("a list in column '{name}' has an item with '{LIST_SEPARATOR}' in it")).help(
        format!(
            "lists are read as their items with '{LIST_SEPARATOR}' between them; replace it in the items"
        ),
    )
}
