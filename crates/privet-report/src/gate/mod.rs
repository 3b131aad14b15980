//! The gate: which figures the public may have, and how precisely.
//!
//! A figure is made either from the released files alone or with the help of the original. What the files tell is printed as
//! it is: everybody can work it out again. What depends on the original is an [`Original`]. It can be mapped and combined, and
//! stays one; there are two ways out. The steward's edition has a [`Key`] to it. The public gets a share of the records in
//! steps of 5 %, rounded up, and only where a step stands for more than ten records; any other figure stays behind the gate.
//! An error relative to a true count is not such a share: next to a released count, each of its steps may stand for one
//! record. So the public reads errors of counts as shares of all records.
//!
//! So two originals with the same released files have the same public report and manifest, apart from shares that fall into
//! different steps. A page cannot print more by accident: it takes a [`Datum`] and nothing else, which cannot be made of an
//! [`Original`] without the key; and templates and JSON refuse an [`Original`] unless it is wrapped [`ForSteward`].
//!
//! Counts of the released files pass here too: see `counts`. So do texts of the policy that name what the release hides: see
//! [`Veil`].

mod counts;
mod datum;
mod names;
mod veil;

pub use counts::public_count;
pub(crate) use counts::{CountShown, WITHHELD, is_small};
pub use datum::Datum;
pub use names::{PublicNames, SuppressedItem};
pub use veil::Veil;

use std::cell::Cell;

use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

use super::Edition;
use super::numbers::percent;

/// The step of shares that depend on the original.
pub(crate) const STEP: f64 = 0.05;
/// With fewer released records a step would stand for ten of them or fewer: a share would tell a small count.
pub(crate) const LEAST_RECORDS: u64 = 220;

/// A figure, a list or a text that depends on the original and not on the released files alone.
///
/// It can be serialised [`ForSteward`] alone.
#[cfg_attr(any(test, feature = "testing"), derive(Debug))]
#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(transparent)]
pub struct Original<T>(T);

thread_local! {
    /// Whether something is being serialised for the steward.
    static FOR_STEWARD: Cell<bool> = const { Cell::new(false) };
}

/// Something with figures of the original in it, to be serialised for the steward.
#[derive(Debug, Clone, Copy)]
pub struct ForSteward<'a, T>(pub &'a T);

/// What opens figures of the original: only the steward's edition has one.
#[derive(Debug, Clone, Copy)]
pub struct Key(());

/// A figure with what it was made from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sourced {
    /// From the released files alone: anyone who has them can work it out.
    Released(f64),
    /// With the help of the original.
    Original(Original<f64>),
}

/// A share as an edition shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShareShown {
    /// In words.
    pub text: Datum,
    /// The same to be drawn.
    pub share: f64,
}

impl Edition {
    /// The key to figures of the original, which the steward has.
    pub(crate) fn key(self) -> Option<Key> {
        self.is_steward().then_some(Key(()))
    }
}

impl<T: Serialize> Serialize for Original<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !FOR_STEWARD.get() {
            return Err(S::Error::custom("a figure of the original is for the steward alone"));
        }
        self.0.serialize(serializer)
    }
}

impl<T: Serialize> Serialize for ForSteward<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Closes the gate again, also if something panics.
        struct Open(bool);
        impl Drop for Open {
            fn drop(&mut self) {
                FOR_STEWARD.set(self.0);
            }
        }
        let _open = Open(FOR_STEWARD.replace(true));
        self.0.serialize(serializer)
    }
}

#[cfg(not(any(test, feature = "testing")))]
impl<T> std::fmt::Debug for Original<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Original(…)")
    }
}

impl<T> From<T> for Original<T> {
    fn from(value: T) -> Original<T> {
        Original(value)
    }
}

impl<T> Original<T> {
    /// The figure itself, for the steward.
    pub fn see(&self, _: Key) -> &T {
        &self.0
    }

    /// What follows from the figure follows from the original as well.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Original<U> {
        Original(change(self.0))
    }

    /// What follows from two figures of the original.
    pub fn with<U, V>(self, other: Original<U>, join: impl FnOnce(T, U) -> V) -> Original<V> {
        Original(join(self.0, other.0))
    }

    /// The figure by reference.
    pub fn as_ref(&self) -> Original<&T> {
        Original(&self.0)
    }
}

impl Original<u64> {
    /// How large a part this is of itself and what is released.
    pub fn next_to(self, released: u64) -> Original<f64> {
        self.map(|part| part as f64 / part.saturating_add(released).max(1) as f64)
    }
}

impl Original<f64> {
    /// A share as an edition may show it, next to this many released records, or occurrences: to the steward exactly, to
    /// the public in steps, rounded up. Nothing where a step would stand for a small count.
    pub(crate) fn shown(self, edition: Edition, released: u64) -> Option<ShareShown> {
        if let Some(key) = edition.key() {
            return Some(ShareShown { text: key.percent(self.0), share: self.0 });
        }
        let share = self.stepped(released)?;
        // More than everything is not a share: how much more is not for the public.
        let (sign, rounded) = if self.is_beyond() { (">", 1.0) } else { ("≤", share) };
        let text = Datum::setting(format_args!("{sign} {}", percent(rounded)));
        Some(ShareShown { text, share })
    }

    /// Whether this is more than everything.
    fn is_beyond(self) -> bool {
        self.0 > 1.0 + 1e-9
    }

    /// The share rounded up to whole steps. None and almost none are the same: the first step begins at 0. The last one ends
    /// at everything, and all that is more is there as well.
    pub fn stepped(self, released: u64) -> Option<f64> {
        let steps = (self.0 / STEP - 1e-9).ceil().clamp(1.0, (1.0 / STEP).round());
        // Steps are twentieths: a division keeps 0.15 from becoming 0.15000000000000002.
        (released >= LEAST_RECORDS && steps.is_finite()).then(|| steps / (1.0 / STEP).round())
    }
}

/// Figures of the original that can be rounded to steps together.
pub trait InSteps: Sized {
    /// What is left of them.
    type Coarse;

    /// Every share of the records rounded by `step`, without whatever is not such a share.
    fn in_steps(self, step: &dyn Fn(f64) -> Option<f64>) -> Option<Self::Coarse>;
}

impl<T: InSteps> Original<T> {
    /// The figures in steps, as the public may have them next to this many released records.
    pub(crate) fn in_steps(self, released: u64) -> Option<T::Coarse> {
        self.0.in_steps(&|share| Original(share).stepped(released))
    }
}

impl Sourced {
    /// The figure, where the edition may have it to the digit.
    pub(crate) fn shown(self, edition: Edition) -> Option<f64> {
        match (self, edition.key()) {
            (Sourced::Released(value), _) => Some(value),
            (Sourced::Original(value), Some(key)) => Some(*value.see(key)),
            (Sourced::Original(_), None) => None,
        }
    }

    /// Whether the public could count few people by it, taken for a count.
    pub(crate) fn is_small(self) -> bool {
        matches!(self, Sourced::Released(value) if value <= 0.0 || is_small(value as u64))
    }
}

/// Tests hold the key.
#[cfg(any(test, feature = "testing"))]
impl<T> Original<T> {
    /// The figure itself.
    pub fn open(&self) -> &T {
        &self.0
    }

    /// The figure itself, to be changed.
    pub fn open_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_gets_steps_and_nothing_between() {
        let shown = |share: f64, edition| {
            Original::from(share).shown(edition, 1000).map(|shown| shown.text.text().to_string())
        };
        for share in [0.0, 1e-9, 0.003, 0.049_999, 0.05] {
            assert_eq!(shown(share, Edition::Public).as_deref(), Some("≤ 5 %"), "{share}");
        }
        assert_eq!(shown(0.0501, Edition::Public).as_deref(), Some("≤ 10 %"));
        assert_eq!(shown(0.1234, Edition::Public).as_deref(), Some("≤ 15 %"));
        assert_eq!(shown(1.0, Edition::Public).as_deref(), Some("≤ 100 %"));
        // How much more than everything an error is would tell a small count.
        for beyond in [1.01, 82.35, 99.0, f64::INFINITY] {
            assert_eq!(shown(beyond, Edition::Public).as_deref(), Some("> 100 %"), "{beyond}");
            assert_eq!(Original::from(beyond).stepped(1000), Some(1.0), "{beyond}");
        }
        assert_eq!(shown(f64::NAN, Edition::Public), None);
        assert_eq!(shown(0.1234, Edition::Steward).as_deref(), Some("12.3 %"));
        assert_eq!(Original::from(0.15).stepped(1000), Some(0.15));
    }

    #[test]
    fn a_step_stands_for_more_than_ten_records() {
        // However many are left out, each step holds eleven numbers of them or more.
        for released in [LEAST_RECORDS, LEAST_RECORDS + 1, 500] {
            let mut in_step = std::collections::BTreeMap::<u64, u64>::new();
            for suppressed in 0..released {
                let share = Original::from(suppressed).next_to(released);
                let step = share.stepped(released).map_or(0, |share| (share * 100.0).round() as u64);
                *in_step.entry(step).or_default() += 1;
            }
            let last = in_step.keys().last().copied();
            let least =
                in_step.iter().filter(|(step, _)| Some(**step) != last).map(|(_, count)| *count).min();
            assert!(least > Some(10), "{released}: {in_step:?}");
        }
        assert_eq!(Original::from(0.5).shown(Edition::Public, LEAST_RECORDS - 1), None);
        assert!(Original::from(0.5).shown(Edition::Steward, 3).is_some());
    }

    #[test]
    fn hard_use_1_6_json_and_templates_refuse_what_is_the_stewards() {
        let figure = Original::from(4711u64);
        assert!(serde_json::to_string(&figure).is_err());
        assert!(serde_json::to_value(vec![Sourced::Original(Original::from(0.5))]).is_err());
        assert_eq!(serde_json::to_string(&ForSteward(&figure)).ok().as_deref(), Some("4711"));
        assert!(serde_json::to_string(&figure).is_err(), "the gate closes again");
        let mut page = minijinja::Environment::new();
        page.add_template("page", "{{ figure }}").expect("a template");
        let write = |value| {
            page.get_template("page").and_then(|page| page.render(minijinja::context! { figure => value }))
        };
        let printed = write(minijinja::Value::from(minijinja::value::Serde(figure)));
        assert!(!printed.is_ok_and(|text| text.contains("4711")));
    }

    #[test]
    fn what_follows_from_the_original_stays_behind_the_gate() {
        let (one, other) = (Original::from(3u64), Original::from(4u64));
        let sum = one.with(other, |a, b| a + b).map(|sum| sum as f64);
        assert_eq!(Sourced::Original(sum).shown(Edition::Public), None);
        assert_eq!(Sourced::Original(sum).shown(Edition::Steward), Some(7.0));
        assert_eq!(Sourced::Released(7.0).shown(Edition::Public), Some(7.0));
    }
}
