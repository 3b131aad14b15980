//! The columns of a draft as a table that fits a terminal.

use privet::drafts::{Draft, DraftColumn};
use privet::policy::Role;
use privet::{counted, thousands, visible};

/// No line is longer, in characters.
const WIDTH: usize = 100;
/// The widest name of a column.
const NAME: usize = 22;

/// What is published first, by what it singles out; then what is not.
pub(super) fn of(draft: &Draft) -> String {
    let mut text = format!(
        "{}, {}\n",
        counted(draft.rows, "record", "records"),
        counted(draft.columns.len() as u64, "column", "columns")
    );
    let mut columns: Vec<&DraftColumn> = draft.columns.iter().collect();
    columns.sort_by_key(|column| (place(column.role), column.rank));
    let name = columns.iter().map(|column| visible::line(&column.name).chars().count()).max().unwrap_or(0);
    let name = name.clamp(6, NAME);
    text += &line(name, ["column", "role", "values", "unique", "why"]);
    for column in columns {
        let role = column.role.map_or("left out".to_string(), |role| role.to_string());
        let more = if column.more { ">" } else { "" };
        let values = format!("{more}{}", thousands(column.distinct));
        let (shown, reason) = (visible::line(&column.name), visible::line(&column.reason));
        text += &line(name, [&shown, &role, &values, &share(column.alone), &reason]);
    }
    text += "unique: the share of the records that have a value of their own in this column\n";
    text
}

fn place(role: Option<Role>) -> u8 {
    match role {
        Some(Role::QuasiIdentifier) => 0,
        Some(Role::Sensitive) => 1,
        Some(Role::Identifier) => 3,
        Some(_) => 2,
        None => 4,
    }
}

fn line(name: usize, [column, role, values, unique, why]: [&str; 5]) -> String {
    let column = cut(column, name);
    let start = format!("  {column:<name$} {role:<16} {values:>10} {unique:>7}  ");
    let why = cut(why, WIDTH - start.chars().count());
    format!("{start}{why}\n")
}

/// The first characters, with a sign where some are missing.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

fn share(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0 %".to_string(),
        percent if percent < 0.1 => "<0.1 %".to_string(),
        percent if percent > 99.9 => "100 %".to_string(),
        percent => format!("{percent:.1} %"),
    }
}
