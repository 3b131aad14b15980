//! The sensitive attributes of a table after the bitmap transformation.

use privet_core::{Error, Result};
use privet_engine::microdata::Microdata;
use privet_policy::{CheckedPolicy, PolicyColumn, Role};

/// A sensitive attribute: a sensitive column, or one of the 0/1 columns derived from a column whose cells hold several
/// values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensitiveAttribute {
    /// The name in the release: `diagnosis`, or `household=married`.
    pub name: String,
    /// Its position among the tracked columns.
    pub tracked: usize,
    /// The column of the data that it is, or is derived from.
    pub source: usize,
    /// Per code, whether the value needs protection.
    pub sensitive: Vec<bool>,
}

impl SensitiveAttribute {
    /// Whether it is derived from one value of a column whose cells hold several.
    pub fn is_derived(&self, microdata: &Microdata) -> bool {
        microdata.table.tracked[self.tracked].index != self.source
    }
}

/// The sensitive attributes of a table, sorted by name, so that the lexicographic order of sets of attributes is that
/// of their positions.
pub fn attributes(policy: &CheckedPolicy, microdata: &Microdata) -> Result<Vec<SensitiveAttribute>> {
    let tracked = microdata.table.tracked.iter().enumerate();
    let mut attributes: Vec<SensitiveAttribute> = tracked
        .filter(|(_, column)| column.role == Role::Sensitive)
        .map(|(position, column)| {
            let source = microdata.source_column(position);
            let whole = &policy.columns[source];
            let item = column.name.strip_prefix(whole.name.as_str()).and_then(|rest| rest.strip_prefix('='));
            let sensitive = match item.filter(|_| column.index != source) {
                // Both values of a 0/1 column are insensitive if the value it is derived from is.
                Some(item) => {
                    let is_spared = is_listed(policy, whole, item);
                    let is_sensitive = |bit: &String| !is_spared && !whole.insensitive.contains(bit);
                    column.values.iter().map(is_sensitive).collect()
                }
                None => column.values.iter().map(|value| !is_listed(policy, whole, value)).collect(),
            };
            SensitiveAttribute { name: column.name.clone(), tracked: position, source, sensitive }
        })
        .collect();
    attributes.sort_by(|a, b| a.name.cmp(&b.name));
    let error = |message: String| Error::input(message).in_file(policy.written.path());
    if let Some(twice) = attributes.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(error(format!("two sensitive attributes are called '{}'", twice[0].name))
            .help("rename a column of the data"));
    }
    if attributes.len() < 2 {
        let method = policy.method.name();
        let found = match attributes.as_slice() {
            [] => "there is none".to_string(),
            [only, ..] => format!("there is only '{}'", only.name),
        };
        return Err(error(format!(
            "method \"{method}\" needs at least two sensitive attributes, and {found}"
        ))
        .help("set role = \"sensitive\" for more columns, or use method \"full-domain\""));
    }
    Ok(attributes)
}

/// Whether a value of a column is listed as insensitive, in any of its spellings.
fn is_listed(policy: &CheckedPolicy, column: &PolicyColumn, value: &str) -> bool {
    let missing = policy.missing_rule_of(column);
    column.insensitive.iter().any(|listed| listed == value || missing.kept_as(listed) == value)
}

/// Warnings about the attributes for the publisher.
pub(super) fn warnings(
    policy: &CheckedPolicy,
    microdata: &Microdata,
    attributes: &[SensitiveAttribute],
) -> Vec<String> {
    let mut warnings = Vec::new();
    for attribute in attributes {
        if let [only] = microdata.table.tracked[attribute.tracked].values.as_slice() {
            warnings.push(format!(
                "every record has '{}' = '{only}': the column carries no information, and the table reveals it about everybody; leave it out",
                attribute.name
            ));
        }
    }
    for column in policy.with_role(Role::Sensitive) {
        let own = || attributes.iter().filter(|attribute| attribute.source == column.index);
        let missing = policy.missing_rule_of(column);
        let occurs = |value: &&String| {
            let spellings = [value.as_str(), missing.kept_as(value)];
            own().any(|attribute| {
                let values = &microdata.table.tracked[attribute.tracked].values;
                let is_item = |value: &&str| attribute.name == format!("{}={value}", column.name);
                let is_value = |value: &&str| values.iter().any(|known| known == value);
                spellings.iter().any(|value| is_item(value) || is_value(value))
            })
        };
        for value in column.insensitive.iter().filter(|value| !occurs(value)) {
            warnings.push(format!(
                "no record has the insensitive value '{value}' of '{}'; correct or remove it",
                column.name
            ));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_policy::Policy;

    /// A value may be missing in three spellings, of which the first is stored; an empty cell is the empty set.
    #[test]
    fn any_spelling_of_a_missing_value_may_be_listed() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        std::fs::write(folder.join("data.csv"), "q,s,m\n1,x,u\n1,?,NA\n1,-,\n1,NA,u|v\n").expect("written");
        let found = |listed: &str| {
            let text = format!(
                "seed = 1\n[data]\npath = \"data.csv\"\nmissing = [\"NA\", \"?\", \"-\"]\non_missing = \"value\"\n\
                 [columns.q]\nrole = \"quasi-identifier\"\n[columns.s]\nrole = \"sensitive\"\ninsensitive = [\"{listed}\"]\n\
                 [columns.m]\nrole = \"sensitive\"\nseparator = \"|\"\ninsensitive = [\"{listed}\"]\n\
                 [privacy.k-anonymity]\nk = 2\n[privacy.projection]\nalpha = 1\nbeta = 1\n[method]\nname = \"codip\"\n"
            );
            let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
            let policy = policy.check(None).expect("a checked policy");
            let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
            let attributes = attributes(&policy, &microdata).expect("attributes");
            let sensitive =
                |attribute: &SensitiveAttribute| (attribute.name.clone(), attribute.sensitive.clone());
            let warnings = warnings(&policy, &microdata, &attributes);
            (attributes.iter().map(sensitive).collect::<Vec<_>>(), warnings)
        };
        let bits = |name: &str, sensitive: bool| (name.to_string(), vec![sensitive; 2]);
        // Values are in their order: NA, x.
        let spared = vec![
            bits("m=NA", false),
            bits("m=u", true),
            bits("m=v", true),
            ("s".to_string(), vec![false, true]),
        ];
        for listed in ["NA", "?", "-"] {
            assert_eq!(found(listed), (spared.clone(), Vec::new()), "{listed}");
        }
        let (attributes, warnings) = found("nil");
        assert!(attributes.iter().all(|(_, sensitive)| sensitive.iter().all(|is| *is)), "{attributes:?}");
        assert_eq!(warnings.len(), 2, "{warnings:?}");
    }
}
