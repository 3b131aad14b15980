//! What a policy promises before anything is decided: its requirements as sentences, and what each attack is answered with.

use crate::release::requirement;
use privet_policy::{AnyPolicy, Role};
use privet_report::{Notion, Protection, protections};

/// What a policy promises.
#[derive(Debug, Clone, PartialEq)]
pub struct Promise {
    /// Its requirements as a person would say them.
    pub asked: Vec<String>,
    /// What it does about each attack that a table is held against; empty for other data, whose reports say it.
    pub protections: Vec<Protection>,
}

/// What a policy promises.
///
/// ```
/// use privet::policy::Policy;
/// use privet::data::Source;
/// use privet::report::Cover;
///
/// let text = "[data]\n[columns.age]\nrole = 'quasi-identifier'\n[privacy.k-anonymity]\nk = 2\n[method]\nname = 'mondrian'";
/// let people = Source::of_rows("people", &["age"], [["34"], ["36"]])?;
/// let policy = Policy::parse("policy.toml".as_ref(), text.into())?.check_any(people)?;
/// let promise = privet::promise::promise(&policy);
/// assert!(promise.asked[0].contains('2') && promise.protections[0].cover == Cover::Bounded);
/// # Ok::<(), privet::Error>(())
/// ```
pub fn promise(policy: &AnyPolicy) -> Promise {
    let any = policy.as_ref();
    let AnyPolicy::Table(table) = policy else {
        return Promise { asked: any.asked(), protections: Vec::new() };
    };
    let scheme = table.method.suppression();
    let notions: Vec<Notion> =
        table.requirements.iter().map(|asked| requirement(asked, scheme, &table.columns).notion).collect();
    let sentence = |(asked, notion): (String, &Notion)| match notion {
        Notion::Other { protections, .. } if protections.is_empty() => asked,
        notion => format!("{}: {}", notion.name(), notion.promise()),
    };
    let sensitive: Vec<&str> = table.with_role(Role::Sensitive).map(|column| column.name.as_str()).collect();
    Promise {
        asked: any.asked().into_iter().zip(&notions).map(sentence).collect(),
        protections: protections(&notions, &sensitive),
    }
}
