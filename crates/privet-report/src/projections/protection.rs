//! What projected tables promise, and what they do not: the honest matrix for several tables about the same people.

use super::super::Edition;
use super::super::notion::{self, Attack, Cover, Protection};
use super::ProjectionReport;

/// Sets what is asked of the tables against every attack, and what is gained by parting sensitive attributes.
pub fn protections(model: &ProjectionReport, edition: Edition) -> Vec<Protection> {
    let columns: Vec<&str> = model.notions.iter().filter_map(|notion| notion.column()).collect();
    // A column whose cells hold several values is in the tables by its values.
    let is_guarded = |name: &&String| !columns.iter().any(|column| name.starts_with(&format!("{column}=")));
    let sensitive: Vec<&str> = model.attributes.iter().filter(is_guarded).map(String::as_str).collect();
    let mut all = notion::protections(&model.notions, &sensitive);
    for protection in &mut all {
        match protection.attack {
            Attack::OutsideKnowledge if model.tables.len() > 1 => {
                protection.cover = Cover::Partly;
                let left = model.gamma_beta.shown(edition, model.common.records.released);
                let left = left.map_or_else(String::new, |left| {
                    format!(": {} of what such a join could expose is left", left.text.text())
                });
                protection.meaning = format!(
                    "Anyone who finds a person’s class and knows one sensitive attribute reads the others of the same table, \
                     not those of other tables{left}."
                );
            }
            Attack::FilesAndOrder => {
                protection.cover = Cover::Mitigated;
                protection.meaning =
                    "The rows of every table are shuffled on their own: nothing says which rows of two \
                                      tables are of one person."
                        .to_string();
            }
            _ => {}
        }
    }
    all
}
