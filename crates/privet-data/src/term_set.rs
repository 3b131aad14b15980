//! Cells that hold a set of terms, such as `cough|fever`.

/// The terms of a cell, each once, in the order of their bytes. Blanks around a term and empty terms mean nothing, so an
/// empty cell is the empty set.
///
/// ```
/// assert_eq!(privet_data::terms_of("fever| cough||fever", '|'), ["cough", "fever"]);
/// assert!(privet_data::terms_of("", '|').is_empty());
/// ```
pub fn terms_of(cell: &str, separator: char) -> Vec<&str> {
    let mut terms: Vec<&str> = cell.split(separator).map(str::trim).filter(|term| !term.is_empty()).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// A set of terms as a cell.
pub fn set_cell<'a>(terms: impl IntoIterator<Item = &'a str>, separator: char) -> String {
    let mut cell = String::new();
    for term in terms {
        if !cell.is_empty() {
            cell.push(separator);
        }
        cell.push_str(term);
    }
    cell
}
