//! `[columns.NAME] numbers`: numbers that are published as numbers, rounded and without their extremes.

use super::check::{PolicyColumn, Role};
use super::file::{Entry, Section};
use super::typed::choices;
use privet_core::{Decimal, Result};

choices! {
    /// What stands for numbers beyond a bound.
    pub enum BoundLabel {
        /// The bound with a sign: `>=200000`.
        Bounds = "bounds",
        /// The bound itself.
        Value = "value",
        /// The mean of the numbers beyond it.
        Mean = "mean",
    }
}

/// Where numbers end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// At this number.
    At(Decimal),
    /// Where at least k records are at the bound or beyond it; k is that of the policy.
    K,
}

/// How the numbers of a column are published: first rounded, then coded where they are at a bound or beyond it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumbersPolicy {
    /// The lower bound.
    pub bottom: Option<Bound>,
    /// The upper bound.
    pub top: Option<Bound>,
    /// Numbers are multiples of it, halves away from zero.
    pub round: Option<Decimal>,
    /// What stands for numbers beyond a bound.
    pub label: BoundLabel,
}

impl NumbersPolicy {
    /// The keys of `numbers`.
    pub(super) const KEYS: [&'static str; 4] = ["bottom", "top", "round", "label"];

    /// Reads what a policy says about the numbers of a column.
    pub(super) fn read(section: &Section<'_>, column: &PolicyColumn) -> Result<Option<NumbersPolicy>> {
        let Some(entry) = section.entry("numbers") else { return Ok(None) };
        refuse(&entry, column)?;
        let table = entry.table("a table, as in { top = 200000, round = 1000 }")?;
        table.only(&Self::KEYS)?;
        let (bottom, top) = (bound(&table, "bottom")?, bound(&table, "top")?);
        if let (Some((Bound::At(bottom), _)), Some((Bound::At(top), entry))) = (&bottom, &top)
            && top <= bottom
        {
            return Err(entry
                .error(format!("'top' is {top}, which is not above 'bottom', {bottom}"))
                .help("numbers between the two are published; choose a larger 'top' or a smaller 'bottom'"));
        }
        let round = match table.entry("round") {
            None => None,
            Some(entry) => Some(decimal(&entry)?.filter(|step| *step > Decimal::ZERO).ok_or_else(|| {
                entry
                    .error(format!("'{}' is '{}', which is not a number above 0", entry.name(), entry.raw()))
                    .help("numbers become multiples of it, as in round = 1000 or round = 0.5")
            })?),
        };
        if bottom.is_none() && top.is_none() && round.is_none() {
            return Err(entry
                .error(format!("'{}' changes nothing", entry.name()))
                .help("give it 'top', 'bottom' or 'round', or remove it"));
        }
        let label = match table.entry("label") {
            None => BoundLabel::Bounds,
            Some(label) if bottom.is_none() && top.is_none() => {
                return Err(label
                    .error("'label' has no meaning without a bound")
                    .help("add 'top' or 'bottom', or remove it"));
            }
            Some(label) => BoundLabel::named(label.one_of(BoundLabel::WORDS)?).unwrap_or(BoundLabel::Bounds),
        };
        let only = |bound: Option<(Bound, Entry<'_>)>| bound.map(|(bound, _)| bound);
        Ok(Some(NumbersPolicy { bottom: only(bottom), top: only(top), round, label }))
    }

    /// Whether a bound follows from the data.
    pub fn asks_for_k(&self) -> bool {
        [self.bottom, self.top].contains(&Some(Bound::K))
    }
}

/// Refuses columns whose numbers are hidden in another way, or are not numbers.
fn refuse(entry: &Entry<'_>, column: &PolicyColumn) -> Result<()> {
    let name = &column.name;
    let wrong = |why: String, help: &str| Err(entry.error(why).help(help));
    match column.role {
        Some(Role::Sensitive | Role::Class | Role::Other) => {}
        Some(role @ (Role::QuasiIdentifier | Role::Mixed)) => {
            return wrong(
                format!("column '{name}' has role '{role}', whose numbers are hidden by a hierarchy"),
                "`privet hierarchy build --kind breaks` makes one with open ends, such as >=90; remove 'numbers'",
            );
        }
        role => {
            let role = role.map_or("", Role::name);
            return wrong(
                format!("column '{name}' has role '{role}', which has no numbers to publish"),
                "'numbers' is for columns of role sensitive, class or other",
            );
        }
    }
    if column.hierarchy.is_some() {
        return wrong(
            format!("column '{name}' has a hierarchy, whose leaves are its numbers as they are"),
            "remove 'numbers' or 'hierarchy'",
        );
    }
    match column.reading {
        Some(privet_data::Reading::Date(_) | privet_data::Reading::PlainDate) => {
            wrong(format!("column '{name}' holds dates, not numbers"), "remove 'numbers'")
        }
        _ => Ok(()),
    }
}

fn decimal(entry: &Entry<'_>) -> Result<Option<Decimal>> {
    // TOML allows 200_000.
    Ok(Decimal::parse(&entry.scalar()?.replace('_', "")))
}

fn bound<'a>(table: &Section<'a>, key: &str) -> Result<Option<(Bound, Entry<'a>)>> {
    let Some(entry) = table.entry(key) else { return Ok(None) };
    let bound = match entry.scalar()? {
        "k" => Bound::K,
        _ => Bound::At(decimal(&entry)?.ok_or_else(|| {
            entry
                .error(format!("'{}' is '{}', which is not a number", entry.name(), entry.raw()))
                .help("a number of at most thirty digits, or \"k\" for the bound with k records beyond it")
        })?),
    };
    Ok(Some((bound, entry)))
}
