//! Requirements and methods as types: what a policy says, read once at the door.
//!
//! A declaration says which keys there are, and [`check_settings`](super::settings::check_settings) reads them. The types of
//! [`requirement`](crate::requirement) and [`method`](crate::method) are made from that, defaults included, so that nobody
//! behind the door looks up a key by its name or repeats a default.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::check::PolicyColumn;
use super::declare::{Declaration, KeyKind};
use super::settings::{Clause, Setting, Settings, show_thresholds};
use privet_core::{Error, Exact, Result};

/// What a key can be read as, and written back from.
pub(crate) trait Value: Sized {
    /// From what the policy says; `None` where that says nothing of this type.
    fn read(setting: Option<&Setting>) -> Option<Self>;
    /// As a setting again; `None` for a key that was left out and has no default.
    fn written(&self) -> Option<Setting>;
}

macro_rules! plain_value {
    ($($type:ty => $variant:ident),* $(,)?) => {$(
        impl Value for $type {
            fn read(setting: Option<&Setting>) -> Option<$type> {
                match setting {
                    Some(Setting::$variant(value)) => Some(value.clone()),
                    _ => None,
                }
            }

            fn written(&self) -> Option<Setting> {
                Some(Setting::$variant(self.clone()))
            }
        }
    )*};
}

plain_value! {
    u64 => Count,
    Exact => Exact,
    usize => Column,
    bool => Flag,
    Duration => Duration,
}

impl<V: Value> Value for Option<V> {
    fn read(setting: Option<&Setting>) -> Option<Option<V>> {
        match setting {
            None => Some(None),
            some => V::read(some).map(Some),
        }
    }

    fn written(&self) -> Option<Setting> {
        self.as_ref().and_then(V::written)
    }
}

/// Thresholds of single values; none where the key is left out.
impl Value for BTreeMap<String, Exact> {
    fn read(setting: Option<&Setting>) -> Option<Self> {
        match setting {
            None => Some(BTreeMap::new()),
            Some(Setting::Thresholds(thresholds)) => Some(thresholds.clone()),
            _ => None,
        }
    }

    fn written(&self) -> Option<Setting> {
        (!self.is_empty()).then(|| Setting::Thresholds(self.clone()))
    }
}

/// Whole numbers of single columns; none where the key is left out.
impl Value for BTreeMap<usize, u64> {
    fn read(setting: Option<&Setting>) -> Option<Self> {
        match setting {
            None => Some(BTreeMap::new()),
            Some(Setting::Counts(counts)) => Some(counts.clone()),
            _ => None,
        }
    }

    fn written(&self) -> Option<Setting> {
        (!self.is_empty()).then(|| Setting::Counts(self.clone()))
    }
}

/// One key of a clause, as a type.
pub(crate) fn read<V: Value>(clause: &Clause, key: &str) -> Result<V> {
    V::read(clause.settings.get(key)).ok_or_else(|| {
        // The door has checked every key, so only a declaration that disagrees with its type comes here.
        Error::input(format!("'{}' lacks '{key}'", clause.name()))
    })
}

/// A requirement or a method, as the policy states it.
pub trait Stated: fmt::Debug {
    /// What it declares.
    fn declaration(&self) -> &'static Declaration;

    /// Its keys with their values, for people.
    fn settings(&self) -> Settings;

    /// The name in the policy.
    fn name(&self) -> &'static str {
        self.declaration().name
    }

    /// As a person would say it: `l-diversity (column = disease, kind = distinct, l = 3)`.
    fn describe(&self, columns: &[PolicyColumn]) -> String {
        let settings = self.settings();
        let mut parts = Vec::new();
        for key in self.declaration().keys {
            let Some(setting) = settings.get(key.name) else { continue };
            parts.push(format!("{} = {}", key.name, setting.show(columns)));
        }
        format!("{} ({})", self.name(), parts.join(", "))
    }

    /// Where it keeps how long a search may take; `None` for a method without a limit.
    fn time_limit(&mut self) -> Option<&mut Option<Duration>> {
        None
    }

    /// The thresholds of single values.
    fn own_thresholds(&self) -> Vec<(&'static str, BTreeMap<String, Exact>)> {
        self.numbers_of_values(|kind| matches!(kind, KeyKind::Thresholds(..)))
    }

    /// The numbers that keys of some kind give single values.
    fn numbers_of_values(
        &self,
        wanted: fn(&KeyKind) -> bool,
    ) -> Vec<(&'static str, BTreeMap<String, Exact>)> {
        let settings = self.settings();
        let keys = self.declaration().keys.iter().filter(|key| wanted(&key.kind));
        keys.filter_map(|key| match settings.get(key.name) {
            Some(Setting::Thresholds(numbers)) => Some((key.name, numbers.clone())),
            _ => None,
        })
        .collect()
    }

    /// Where [`Stated::describe`] writes thresholds of single values, and `shows` is false for some of these: what it writes,
    /// and what it would write of the others.
    fn thresholds_shown(&self, shows: &dyn Fn(&str) -> bool) -> Vec<(String, String)> {
        let mut texts = Vec::new();
        for (key, all) in self.own_thresholds() {
            let shown: BTreeMap<String, Exact> = all
                .iter()
                .filter(|(value, _)| shows(value))
                .map(|(value, own)| (value.clone(), *own))
                .collect();
            if shown.len() == all.len() {
                continue;
            }
            let text = |own: &BTreeMap<String, Exact>| format!(", {key} = {}", show_thresholds(own));
            let rest = if shown.is_empty() { String::new() } else { text(&shown) };
            texts.push((text(&all), rest));
        }
        // Weights say what a promise is worth, so the public reads that there are some, but not of which values.
        for (key, all) in self.numbers_of_values(|kind| matches!(kind, KeyKind::WordOrWeights(_))) {
            let written = format!(", {key} = {}", show_thresholds(&all));
            texts.push((written, format!(", {key} = weights of single values")));
        }
        texts
    }
}

/// A type for the words of a key: `choices! { /// … pub enum Distance { /// … Equal = "equal" } }`.
macro_rules! choices {
    ($(#[$outer:meta])* pub enum $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$inner])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
            /// The words of a policy for them, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word of a policy for it.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// The one that a policy means by a word.
            pub fn named(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|choice| choice.name() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl $crate::typed::Value for $name {
            fn read(setting: Option<&$crate::settings::Setting>) -> Option<$name> {
                match setting {
                    Some($crate::settings::Setting::Choice(word)) => $name::named(word),
                    _ => None,
                }
            }

            fn written(&self) -> Option<$crate::settings::Setting> {
                Some($crate::settings::Setting::Choice(self.name()))
            }
        }
    };
}

/// A type for the keys of a declaration, each field under the name of its key.
macro_rules! clause {
    ($(#[$outer:meta])* pub struct $name:ident { $($(#[$inner:meta])* pub $key:ident: $type:ty,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $($(#[$inner])* pub $key: $type,)* }

        impl $name {
            pub(crate) fn read(clause: &$crate::settings::Clause) -> privet_core::Result<$name> {
                let _ = clause;
                Ok($name { $($key: $crate::typed::read(clause, stringify!($key))?,)* })
            }

            pub(crate) fn settings(&self) -> $crate::settings::Settings {
                let written: &[(&'static str, Option<$crate::settings::Setting>)] =
                    &[$((stringify!($key), $crate::typed::Value::written(&self.$key)),)*];
                written.iter().cloned().filter_map(|(key, setting)| Some((key, setting?))).collect()
            }
        }
    };
}

/// The same for a method, whose keys can all be left out: `method! { pub struct … of DECLARATION }`.
macro_rules! method {
    ($(#[$outer:meta])* pub struct $name:ident { $($body:tt)* } of $declaration:ident) => {
        $crate::typed::clause! { $(#[$outer])* pub struct $name { $($body)* } }

        /// What a policy gets that says nothing but the method's name.
        impl Default for $name {
            fn default() -> $name {
                let clause = $crate::settings::Clause::with_defaults(&$declaration);
                $name::read(&clause).unwrap_or_else(|wrong| unreachable!("a default of its own kind: {wrong}"))
            }
        }
    };
}

/// A closed enum over such types; each is made from the clause of its own declaration. The list of their declarations follows
/// from it, so that no variant can be left out there. Methods say which of them have a time limit and which have none.
macro_rules! stated {
    (
        $(#[$outer:meta])*
        pub enum $name:ident { $($(#[$inner:meta])* $variant:ident($type:ty) = $declaration:path,)* }
        $(limited { $($limited:ident),* } unlimited { $($unlimited:ident),* })?
        declared in $(#[$list_doc:meta])* $list:ident
    ) => {
        $(#[$outer])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name { $($(#[$inner])* $variant($type),)* }

        $(#[$list_doc])*
        pub static $list: &[&$crate::declare::Declaration] = &[$(&$declaration),*];

        impl $name {
            /// Reads what a checked clause says.
            pub(crate) fn of(clause: &$crate::settings::Clause) -> privet_core::Result<$name> {
                $(if std::ptr::eq(clause.declaration, &$declaration) {
                    return <$type>::read(clause).map($name::$variant);
                })*
                Err(privet_core::Error::internal(format!("nothing is known of '{}'", clause.name())))
            }

            /// What a declaration means of which a policy says nothing but the name.
            pub fn with_defaults(
                declaration: &'static $crate::declare::Declaration,
            ) -> privet_core::Result<$name> {
                $name::of(&$crate::settings::Clause::with_defaults(declaration))
            }

            /// What it declares.
            pub fn declaration(&self) -> &'static $crate::declare::Declaration {
                match self { $($name::$variant(_) => &$declaration,)* }
            }

            /// The name in the policy.
            pub fn name(&self) -> &'static str {
                self.declaration().name
            }

            /// As a person would say it: `l-diversity (column = disease, kind = distinct, l = 3)`.
            pub fn describe(&self, columns: &[$crate::check::PolicyColumn]) -> String {
                $crate::typed::Stated::describe(self, columns)
            }
        }

        impl $crate::typed::Stated for $name {
            fn declaration(&self) -> &'static $crate::declare::Declaration {
                $name::declaration(self)
            }

            fn settings(&self) -> $crate::settings::Settings {
                match self { $($name::$variant(own) => own.settings(),)* }
            }

            $(fn time_limit(&mut self) -> Option<&mut Option<std::time::Duration>> {
                match self {
                    $($name::$limited(own) => Some(&mut own.time_limit),)*
                    $($name::$unlimited(_) => None,)*
                }
            })?
        }
    };
}

pub(crate) use {choices, clause, method, stated};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tempfile::TempDir;

    use super::*;
    use crate::declare::{Key, KeyKind};
    use crate::method::CATALOGUES;
    use crate::{
        ItemMethod, ItemRequirement, Method, Policy, Requirement, VocabularyKAnonymity, VocabularyMethod,
    };

    /// Some value of a kind.
    fn some(key: &Key) -> Setting {
        match key.kind {
            KeyKind::Count(least) => Setting::Count(least.max(2)),
            KeyKind::Exact(..) | KeyKind::Above(_) => Setting::Exact(Exact::ONE),
            KeyKind::Column(_) => Setting::Column(3),
            KeyKind::Choice(words) => Setting::Choice(words[words.len() - 1]),
            KeyKind::Flag => Setting::Flag(true),
            KeyKind::FlagOrCount(least) => Setting::Count(least),
            KeyKind::Duration => Setting::Duration(Duration::from_secs(30)),
            KeyKind::Thresholds(..) => Setting::Thresholds([("flu".to_string(), Exact::ONE)].into()),
            KeyKind::WordOrWeights(words) => Setting::Choice(words[0]),
            KeyKind::Choices(_, words) => Setting::Choices([(3, words[0])].into()),
            KeyKind::Counts(_) => Setting::Counts([(3, 1)].into()),
        }
    }

    fn stated(clause: &Clause) -> Result<Box<dyn Stated>> {
        fn boxed<S: Stated + 'static>(stated: S) -> Box<dyn Stated> {
            Box::new(stated)
        }
        let one_of = [
            Requirement::of(clause).map(boxed),
            ItemRequirement::of(clause).map(boxed),
            Method::of(clause).map(boxed),
            ItemMethod::of(clause).map(boxed),
            VocabularyMethod::of(clause).map(boxed),
        ];
        if std::ptr::eq(clause.declaration, &crate::requirement::vocabulary::DECLARATION) {
            return VocabularyKAnonymity::read(clause).map(boxed);
        }
        let mut found: Vec<Result<Box<dyn Stated>>> = Vec::new();
        for read in one_of {
            match read {
                Err(error) if error.message().starts_with("nothing is known of") => {}
                read => found.push(read),
            }
        }
        assert_eq!(found.len(), 1, "'{}' is one variant of one enum", clause.name());
        found.remove(0)
    }

    #[test]
    fn every_declaration_has_a_type_that_says_every_key_again() {
        let all = CATALOGUES.into_iter().flat_map(|one| one.requirements.iter().chain(one.methods));
        for declaration in all.copied() {
            // Keys that exclude each other, or become a requirement per column before there is a type.
            let aside: BTreeSet<&str> = match declaration.name {
                "l-plus-diversity" => ["default"].into(),
                "t-closeness" | "n-t-closeness" => ["columns"].into(),
                _ => BTreeSet::new(),
            };
            let keys = || declaration.keys.iter().filter(|key| !aside.contains(key.name));
            let mut clause = Clause::with_defaults(declaration);
            keys().for_each(|key| clause.set(key.name, some(key)));
            let stated = stated(&clause).unwrap_or_else(|error| panic!("{}: {error}", declaration.name));
            assert!(std::ptr::eq(stated.declaration(), declaration));
            assert_eq!(stated.settings(), clause.settings, "{}", declaration.name);
            assert!(stated.describe(&[]).starts_with(&format!("{} (", declaration.name)));
        }
    }

    #[test]
    fn every_requirement_is_taken_by_some_method() {
        for catalogue in CATALOGUES {
            for requirement in catalogue.requirements {
                let mut methods = catalogue.methods.iter();
                assert!(
                    methods.any(|method| method.takes_requirement(requirement.name)),
                    "{}",
                    requirement.name
                );
            }
        }
    }

    #[test]
    fn a_method_without_keys_has_its_declared_defaults() {
        let methods = CATALOGUES.into_iter().flat_map(|one| one.methods);
        for declaration in methods.copied() {
            let clause = Clause::with_defaults(declaration);
            let defaults = stated(&clause).expect("a method").settings();
            assert_eq!(defaults, clause.settings, "{}", declaration.name);
            let declared = declaration.keys.iter().filter(|key| key.default.is_some()).count();
            assert_eq!(defaults.iter().count(), declared, "{}: a default of another kind", declaration.name);
        }
    }

    fn check(folder: &TempDir, columns: &str, tail: &str) -> Result<crate::CheckedPolicy> {
        std::fs::write(folder.path().join("data.csv"), "q,s,d,x\n1,a,b,c\n").expect("written");
        let text = format!(
            "[data]\npath = \"data.csv\"\n[columns.q]\nrole = \"quasi-identifier\"\n[columns.s]\nrole = \"sensitive\"\n\
             {columns}{tail}"
        );
        Policy::parse(&folder.path().join("policy.toml"), text)?.check(None)
    }

    #[test]
    fn what_contradicts_itself_is_refused_at_the_door_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let l_plus = |rest: &str| format!("[privacy.l-plus-diversity]\ncolumn = \"s\"\n{rest}");
        let method = |rest: &str| l_plus(&format!("l = 2\n[method]\nname = \"l-plus-optimize\"\n{rest}"));
        let diversity = |rest: &str| format!("[privacy.l-diversity]\nl = 2\n{rest}");
        let mondrian =
            |rest: &str| format!("[privacy.k-anonymity]\nk = 2\n[method]\nname = \"mondrian\"\n{rest}");
        let cases = [
            (String::new(), l_plus("l = 4\ndefault = \"1/4\"\n"), 7, "both 'l' and 'default'"),
            (String::new(), l_plus("theta_rule = \"frequency\"\n"), 7, "lacks a threshold to start from"),
            (String::new(), diversity("c = 4\n"), 7, "takes no 'c'"),
            (String::new(), diversity("kind = \"recursive\"\n"), 7, "needs 'c'"),
            (String::new(), "[privacy.l-diversity]\nl = \"5/2\"\n".to_string(), 7, "needs a whole number l"),
            (String::new(), method("order = \"ascending\"\n"), 12, "'order' means nothing"),
            (String::new(), method("search = \"enumeration\"\ntop = 2\n"), 13, "'top' needs several"),
            (String::new(), method("break_minimality = true\n"), 12, "but top is 1"),
            (String::new(), method("suppression = \"all-sa\"\ncost = \"DM\"\n"), 13, "has no cost DM"),
            (String::new(), method("cost_value = 2\n"), 12, "cost_value has no effect"),
            (
                String::new(),
                "[privacy.k-anonymity]\nk = 2\n[method]\ncost = \"CM\"\n".to_string(),
                10,
                "needs a class column",
            ),
            (
                "[columns.d]\nrole = \"sensitive\"\n".to_string(),
                "[privacy.matching-l-diversity]\ncolumn = \"s\"\nl = 2\n[method]\nname = \"injector\"\n"
                    .to_string(),
                13,
                "'d' is a second sensitive column",
            ),
            (
                "[columns.d]\nrole = \"quasi-identifier\"\nlabels = \"hierarchy\"\n".to_string(),
                mondrian(""),
                9,
                "but no hierarchy",
            ),
            (
                "[columns.d]\nrole = \"quasi-identifier\"\ntype = \"category\"\nlabels = \"ranges\"\n"
                    .to_string(),
                mondrian(""),
                10,
                "never published as ranges",
            ),
            (
                "[columns.d]\nrole = \"other\"\nlabels = \"sets\"\n".to_string(),
                mondrian(""),
                9,
                "is not a quasi-identifier",
            ),
            (
                "[columns.d]\nrole = \"quasi-identifier\"\nlabels = \"sets\"\n".to_string(),
                "[privacy.k-anonymity]\nk = 2\n[method]\nname = \"full-domain\"\n".to_string(),
                13,
                "method \"full-domain\" does not use",
            ),
            (String::new(), mondrian("splits = \"free\"\n"), 11, "there is none"),
            (
                String::new(),
                mondrian("labels = \"sets\"\nsplits = \"free\"\npartitioning = \"relaxed\"\n"),
                12,
                "parts no records at a median",
            ),
            (String::new(), mondrian("refine = true\npartitioning = \"relaxed\"\n"), 11, "keeps records"),
            (
                String::new(),
                "[privacy.n-t-closeness]\nn = 2\nt = 0.5\n[method]\nrefine = true\n".to_string(),
                11,
                "needs one level per column",
            ),
            (
                String::new(),
                "[privacy.k-anonymity]\nk = 2\n[method]\nrefine = true\nbreak_minimality = 2\n".to_string(),
                10,
                "the draw hides nothing",
            ),
        ];
        for (columns, tail, line, words) in cases {
            let error = check(&folder, &columns, &tail).expect_err(words);
            assert!(error.message().contains(words) && error.remedy().is_some(), "{error}");
            assert_eq!((error.kind(), error.line()), (privet_core::ErrorKind::Input, Some(line)), "{error}");
        }
        // A fraction of values is rounded up where groups are formed.
        let anatomy = "[privacy.l-diversity]\nl = \"3/2\"\n[method]\nname = \"anatomy\"\n";
        check(&folder, "", anatomy).expect("a policy");
    }
}
