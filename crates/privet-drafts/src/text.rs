//! The draft as TOML with comments.

use toml_edit::{Key, Value};

use super::preset::{self, Preset};
use super::profile::{ColumnProfile, Profile};
use super::safe_harbor::Scan;
use super::survey::{self, Survey};
use super::{DraftColumn, HEALTH_K, USUAL_L, USUAL_T};
use privet_core::{counted, noun, thousands};
use privet_data::{DatabaseTable, Header, Relation};
use privet_policy::Role;

/// More incomplete records than this (in percent) are kept, with "missing" as a value, instead of dropped.
const MOST_DROPPED: u64 = 5;
/// Comments are wrapped at this many characters.
const LINE: usize = 110;

/// All that the text is made from.
pub(super) struct Findings<'a> {
    pub data_path: &'a str,
    /// Further files of the same table.
    pub more_paths: &'a [String],
    /// The table of a database that the data are in place of a file.
    pub database: Option<&'a DatabaseTable>,
    pub delimiter: Option<char>,
    pub header: &'a Header,
    /// Lines about the encoding and the sheet.
    pub place: String,
    /// The column that numbers people who have several records.
    pub person: Option<&'a ColumnProfile>,
    pub profile: &'a Profile,
    pub columns: &'a [DraftColumn],
    pub k: u64,
    pub health: bool,
    pub full_domain: bool,
    /// Whether the levels have more combinations than a search without a limit can try.
    pub takes_long: bool,
    /// The rule that the draft is for.
    pub preset: Option<&'a Preset>,
    /// What was found of the rule's identifiers.
    pub scan: Option<&'a Scan>,
    /// Whether the release is meant for everybody.
    pub public: bool,
}

/// The whole policy.
pub(super) fn policy(findings: &Findings<'_>) -> String {
    let mut text = String::new();
    head(&mut text, findings);
    data(&mut text, findings);
    for column in findings.columns {
        section(&mut text, column, survey::of(column, findings.profile.rows));
    }
    privacy(&mut text, findings);
    offers(&mut text, findings);
    method(&mut text, findings);
    if findings.preset.is_some() || findings.public {
        preset::report(&mut text, findings.preset);
    }
    text
}

fn head(text: &mut String, findings: &Findings<'_>) {
    let profile = findings.profile;
    if let Some(preset) = findings.preset {
        preset.head(text);
    }
    let (records, columns) = (thousands(profile.rows), profile.columns.len());
    comment(
        text,
        &format!(
            "A first policy for {}{}: {records} {}, {}.",
            findings.data_path,
            match findings.more_paths.len() {
                0 => String::new(),
                more => format!(" and {}", counted(more as u64, "other file", "other files")),
            },
            noun(profile.rows, "record", "records"),
            counted(columns as u64, "column", "columns")
        ),
    );
    comment(
        text,
        "The roles are guesses from names and figures; only you know what others may know about these people. \
         Read it, correct it, then run:",
    );
    comment(text, "    privet anonymize policy.toml -o release");
    if profile.sample.len() < profile.rows {
        comment(
            text,
            &format!("Shares of records are measured on a sample of {}.", thousands(profile.sample.len())),
        );
    }
    text.push('\n');
    if let Some(scan) = findings.scan {
        scan.tell(text);
    }
}

/// `[data]` for a table of a database.
fn in_database(table: &DatabaseTable) -> String {
    let (key, relation) = match &table.relation {
        Relation::Table(name) => ("table", name),
        Relation::Query(sql) => ("query", sql),
    };
    format!(
        "[data]\ndriver = {}\nuri_env = {}\n{key} = {}\n",
        quoted(&table.driver),
        quoted(&table.uri_env),
        quoted(relation)
    )
}

fn data(text: &mut String, findings: &Findings<'_>) {
    match findings.database {
        Some(table) => text.push_str(&in_database(table)),
        None if findings.more_paths.is_empty() => {
            text.push_str(&format!("[data]\npath = {}\n", quoted(findings.data_path)));
        }
        None => {
            let more = findings.more_paths.iter().map(String::as_str);
            let paths: Vec<String> = std::iter::once(findings.data_path).chain(more).map(quoted).collect();
            text.push_str(&format!("[data]\npath = [{}]\n", paths.join(", ")));
        }
    }
    if let Some(delimiter) = findings.delimiter {
        text.push_str(&format!("delimiter = {}\n", quoted(&delimiter.to_string())));
    }
    text.push_str(&header(findings.header));
    text.push_str(&findings.place);
    if let Some(person) = findings.person {
        let more = if person.is_saturated() { "more than " } else { "" };
        comment(
            text,
            &format!(
                "{} records of {more}{} people: with this line, requirements count people instead of records.",
                thousands(findings.profile.rows),
                thousands(person.distinct())
            ),
        );
        text.push_str(&format!("person = {}\n", quoted(&person.name)));
    }
    let mut spellings: Vec<(&str, u64)> = Vec::new();
    for (spelling, count) in findings.profile.columns.iter().flat_map(|column| &column.missing) {
        match spellings.iter_mut().find(|(known, _)| known == spelling) {
            Some((_, total)) => *total += count,
            None => spellings.push((spelling, *count)),
        }
    }
    if !spellings.is_empty() {
        let seen: Vec<String> = spellings
            .iter()
            .map(|(spelling, count)| format!("{} ({} ×)", quoted(spelling), thousands(*count)))
            .collect();
        comment(text, &format!("These look like missing values: {}.", seen.join(", ")));
        let list: Vec<String> = spellings.iter().map(|(spelling, _)| quoted(spelling)).collect();
        text.push_str(&format!("missing = [{}]\n", list.join(", ")));
        on_missing(text, findings);
    }
    codes_for_unknown(text, findings);
    text.push('\n');
}

/// Numbers that may stand for a missing value: an offer, for only the data's author knows.
fn codes_for_unknown(text: &mut String, findings: &Findings<'_>) {
    let columns = findings.profile.columns.iter().filter(|column| !column.codes_for_unknown.is_empty());
    let found: Vec<String> = columns
        .map(|column| {
            let codes: Vec<String> = (column.codes_for_unknown.iter())
                .map(|(code, count)| format!("{} ({} ×)", quoted(code), thousands(*count)))
                .collect();
            format!("{} in '{}'", codes.join(", "), column.name)
        })
        .collect();
    if !found.is_empty() {
        let words = format!(
            "These numbers may stand for a missing value: {}. If so, add them to `missing`, which holds for all columns.",
            found.join("; ")
        );
        comment(text, &words);
    }
}

/// What the user said about the first line, as the policy has it.
pub(super) fn header(header: &Header) -> String {
    match header {
        Header::Expected => String::new(),
        Header::First => "header = true\n".to_string(),
        Header::Absent => "header = false\n".to_string(),
        Header::Names(names) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            format!("header = [{}]\n", names.join(", "))
        }
    }
}

/// How many sampled records miss a value that matters.
fn incomplete(findings: &Findings<'_>) -> u64 {
    let matters = |column: &DraftColumn| matches!(column.role, Some(Role::QuasiIdentifier | Role::Sensitive));
    let columns: Vec<usize> =
        (0..findings.columns.len()).filter(|i| matters(&findings.columns[*i])).collect();
    findings.profile.sample.incomplete(&columns)
}

fn on_missing_choice(findings: &Findings<'_>) -> &'static str {
    if incomplete(findings) * 100 > findings.profile.sample.len() * MOST_DROPPED { "value" } else { "drop" }
}

fn on_missing(text: &mut String, findings: &Findings<'_>) {
    comment(
        text,
        &format!(
            "{} of the records miss a quasi-identifier or a sensitive value: \"drop\" leaves them out, \"value\" keeps them \
         with \"missing\" as a value of its own.",
            percent(incomplete(findings), findings.profile.sample.len())
        ),
    );
    text.push_str(&format!("on_missing = \"{}\"\n", on_missing_choice(findings)));
}

/// Every column has a section; that of a column that is left out is a comment, and publishing it is deleting `#`.
fn section(text: &mut String, column: &DraftColumn, survey: Option<Survey>) {
    let more = if column.more { "more than " } else { "" };
    let values = if column.distinct == 1 && !column.more { "value" } else { "values" };
    let kind = if column.categories { "numbers for categories".to_string() } else { column.kind.to_string() };
    let figures: String = column.figures.iter().map(|figure| format!("; {figure}")).collect();
    let reason = &column.reason;
    comment(
        text,
        &format!("{kind}: {more}{} distinct {values}; {reason}{figures}.", thousands(column.distinct)),
    );
    let off = match column.role {
        Some(_) => "",
        None if survey == Some(Survey::Weight) => "# ",
        None => {
            comment(text, "Left out of the release. To publish it, delete the # before these lines:");
            "# "
        }
    };
    let choice = match (survey, column.role) {
        (Some(survey), _) => survey.remark(),
        (None, Some(Role::QuasiIdentifier)) if !column.reason.starts_with('\'') => {
            "Make it \"other\" if nobody outside could know it."
        }
        (None, Some(Role::Sensitive)) if column.reason.starts_with("a label") => {
            "Make it \"class\" to publish it as it is."
        }
        (None, Some(Role::Class)) => "It is published as it is.",
        _ => "",
    };
    if !choice.is_empty() {
        comment(text, choice);
    }
    let key = Key::new(column.name.as_str());
    let role = column.role.unwrap_or(match survey {
        Some(Survey::Weight) => Role::Weight,
        _ => Role::QuasiIdentifier,
    });
    text.push_str(&format!("{off}[columns.{}]\n{off}role = \"{role}\"\n", key.display_repr()));
    if role == Role::Weight {
        text.push_str(&format!("{off}publish = false\n"));
    }
    for line in &column.keys {
        text.push_str(&format!("{off}{line}\n"));
    }
    if let Some(path) = &column.hierarchy {
        text.push_str(&format!("{off}hierarchy = {}\n", quoted(path)));
    }
    text.push('\n');
}

fn privacy(text: &mut String, findings: &Findings<'_>) {
    let k = findings.k;
    let rule = findings.preset.and_then(|preset| preset.k).map(|(_, why)| why);
    let why = match (findings.health, k) {
        _ if rule.is_some() => rule.unwrap_or_default(),
        _ if findings.preset.is_some() && k == HEALTH_K => {
            "the rule names no number; no cell of 1 to 10 people is a common one"
        }
        (true, HEALTH_K) => "health statistics commonly publish no cell of 1 to 10 people (the CMS rule)",
        (false, super::USUAL_K) => "a common start; take more for data that goes to the public",
        _ => "at most half of the records, for there are so few",
    };
    let people = counted(k, "person looks", "people look");
    comment(text, &format!("At least {people} alike, no matter who is looked for: {why}."));
    if k > findings.profile.rows {
        comment(
            text,
            &format!(
                "The table has only {}: no release of it can have as many, and running this says so.",
                counted(findings.profile.rows, "record", "records")
            ),
        );
    }
    text.push_str(&format!("[privacy.k-anonymity]\nk = {k}\n\n"));
    let sensitive: Vec<&DraftColumn> = findings.columns.iter().filter(|column| is_guarded(column)).collect();
    if sensitive.is_empty() {
        comment(
            text,
            "No column looks sensitive. If one is, give it role = \"sensitive\" and ask for different values of it among \
             those who look alike:",
        );
        text.push_str("# [privacy.l-diversity]\n# column = \"…\"\n# kind = \"distinct\"\n# l = 3\n\n");
    }
    let close = |column: &&&DraftColumn| is_close(column, findings);
    let several = |count: usize| if count > 1 { ("[[", "]]") } else { ("[", "]") };
    let (diverse, closed) = {
        let closed = sensitive.iter().filter(close).count();
        (several(sensitive.len() - closed), several(closed))
    };
    for column in sensitive {
        let name = quoted(&column.name);
        if is_close(column, findings) {
            comment(
                text,
                "Amounts: three different ones may be nearly the same, so that those who look alike have to be spread much as \
                 everybody is (t = 0: exactly so; 1: anyhow).",
            );
            let (open, shut) = closed;
            text.push_str(&format!(
                "{open}privacy.t-closeness{shut}\ncolumn = {name}\ndistance = \"ordered\"\nt = {USUAL_T}\n\n"
            ));
        } else {
            let l = USUAL_L.min(column.distinct);
            comment(text, &format!("Among those who look alike, at least {l} values occur."));
            let (open, shut) = diverse;
            text.push_str(&format!(
                "{open}privacy.l-diversity{shut}\ncolumn = {name}\nkind = \"distinct\"\nl = {l}\n\n"
            ));
        }
    }
}

/// What else a preset's rule knows, and what columns of a survey ask for, as comments.
fn offers(text: &mut String, findings: &Findings<'_>) {
    for (words, lines) in findings.preset.map_or(&[][..], |preset| preset.offers) {
        comment(text, words);
        lines.lines().for_each(|line| text.push_str(&format!("# {line}\n")));
        text.push('\n');
    }
    if findings.person.is_none() {
        let close = findings.columns.iter().any(|column| is_guarded(column) && is_close(column, findings));
        survey::requirements(text, findings.columns, findings.profile.rows, findings.k, close);
    }
}

/// Whether a column is sensitive, and has something to hide.
fn is_guarded(column: &DraftColumn) -> bool {
    column.role == Some(Role::Sensitive) && column.distinct >= 2
}

/// Whether a sensitive column is guarded by closeness: it needs numbers, and records that are of different people.
fn is_close(column: &DraftColumn, findings: &Findings<'_>) -> bool {
    let missing_is_a_value = column.missing > 0 && on_missing_choice(findings) == "value";
    column.ordered && column.distinct > USUAL_L && findings.person.is_none() && !missing_is_a_value
}

fn method(text: &mut String, findings: &Findings<'_>) {
    text.push_str("[method]\n");
    let least_levels = findings.scan.map_or(&[][..], |scan| &scan.least_levels);
    if findings.full_domain || !least_levels.is_empty() {
        text.push_str("name = \"full-domain\"        # the best combination of one level per column\n");
        text.push_str(
            "cost = \"LM\"                 # best: the least share of each column's detail is lost\n",
        );
        text.push_str("suppression_limit = 0.05    # up to 5 % of the records may be left out\n");
        if findings.public {
            comment(
                text,
                "For everybody: the best release tells that all finer ones failed, and from that more can be concluded than it \
                 shows. One of the five best is drawn by the seed instead, which costs a little more.",
            );
            text.push_str("break_minimality = 5\n");
        }
        if findings.takes_long {
            text.push_str(
                "time_limit = \"10m\"          # there are many combinations; the best of ten minutes\n",
            );
        }
        if !least_levels.is_empty() {
            let levels: Vec<String> = (least_levels.iter())
                .map(|(name, level)| format!("{} = {level}", Key::new(name.as_str()).display_repr()))
                .collect();
            comment(
                text,
                "No finer than the rule allows: three digits of a ZIP code, years of dates, ages over 89 as one, and so the years \
                 of birth that tell them. Those move on: draft again in later years.",
            );
            text.push_str(&format!("least_levels = {{ {} }}\n", levels.join(", ")));
        }
    } else {
        comment(
            text,
            "So many columns and levels are too many to try them all; Mondrian divides the records instead.",
        );
        if findings.public {
            comment(
                text,
                "For everybody: that it divided no further tells something too; `privet attack` says how much. With fewer columns, \
                 full-domain and break_minimality = 5 publish one of the five best, drawn by the seed.",
            );
        }
        text.push_str("name = \"mondrian\"\n");
    }
}

/// Writes a comment, wrapped. Control characters of odd column names have no place in TOML comments.
pub fn comment(text: &mut String, words: &str) {
    let words: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut line = String::from("#");
    let mut length = 1;
    for word in words.split(' ') {
        let more = word.chars().count() + 1;
        if length + more > LINE && length > 1 {
            text.push_str(&line);
            text.push('\n');
            line = String::from("#");
            length = 1;
        }
        line.push(' ');
        line.push_str(word);
        length += more;
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A share in percent, to as many digits as say something.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".to_string();
    }
    let share = 100.0 * part as f64 / whole as f64;
    match share {
        _ if part == whole => "100 %".to_string(),
        _ if share < 0.01 => "less than 0.01 %".to_string(),
        _ if share < 1.0 => format!("{share:.2} %"),
        _ if share > 99.9 => "more than 99.9 %".to_string(),
        _ => format!("{share:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_numbers_read_well() {
        assert_eq!(percent(0, 10), "0 %");
        assert_eq!(percent(10, 10), "100 %");
        assert_eq!(percent(1, 100_000), "less than 0.01 %");
        assert_eq!(percent(2, 10_000), "0.02 %");
        assert_eq!(percent(429, 1_000), "42.9 %");
        assert_eq!(percent(99_999, 100_000), "more than 99.9 %");
    }

    #[test]
    fn comments_hold_no_control_characters_and_are_wrapped() {
        let mut text = String::new();
        comment(&mut text, &format!("a\nb {}", "word ".repeat(40)));
        assert!(text.lines().all(|line| line.starts_with("# ") && line.len() <= LINE), "{text}");
    }
}
