//! Figures of single records, one line each.

use super::Risk;

/// The lines, with a header.
pub(super) fn lines(risk: &Risk) -> String {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let mut text = "line,class_size,population,weights,individual,household,score\n".to_string();
    for record in &risk.records {
        text += &format!(
            "{},{},{},{},{},{},{}\n",
            record.line,
            record.size,
            record.people.map_or(String::new(), |people| people.to_string()),
            number(record.weights),
            number(record.individual),
            number(record.household),
            record.score
        );
    }
    text
}
