//! One policy in many settings: the same file with some of its values replaced.

use toml_edit::{DocumentMut, Item, Key, TableLike, Value};

use super::file::Policy;
use privet_core::{Error, Result};

impl Policy {
    /// The policy with other values for some keys, as in `privacy.k-anonymity.k` and `10`; what stands around them stays.
    ///
    /// Of several tables of one name the number picks one, from 1: `privacy.l-diversity.2.l`. A value that is not TOML is text.
    ///
    /// ```
    /// # use privet_policy::Policy;
    /// let policy = Policy::parse("policy.toml".as_ref(), "[privacy.k-anonymity]\nk = 5 # at least\n".into())?;
    /// let other = policy.varied(&[("privacy.k-anonymity.k", "10")])?;
    /// assert_eq!(other.text(), "[privacy.k-anonymity]\nk = 10 # at least\n");
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn varied(&self, settings: &[(&str, &str)]) -> Result<Policy> {
        let mut document: DocumentMut = (self.text().parse())
            .map_err(|error| Error::input(format!("not valid TOML: {error}")).in_file(self.path()))?;
        for (key, value) in settings {
            let wrong = |why: &str| {
                Error::input(format!("cannot vary '{key}': {why}"))
                    .in_file(self.path())
                    .help("name a key with the tables it stands in, as in privacy.k-anonymity.k")
            };
            let keys = Key::parse(key).map_err(|_| wrong("it is not a key"))?;
            let Some((last, tables)) = keys.split_last() else { return Err(wrong("it is empty")) };
            let mut table: &mut dyn TableLike = document.as_table_mut();
            let mut names = tables.iter();
            while let Some(name) = names.next() {
                let missing = || wrong(&format!("the policy has no '{name}' there"));
                let item = table.get_mut(name.get()).ok_or_else(missing)?;
                table = match item {
                    Item::ArrayOfTables(several) => {
                        let number = names.next().and_then(|number| number.get().parse::<usize>().ok());
                        let picked = number.and_then(|number| several.get_mut(number.checked_sub(1)?));
                        picked.ok_or_else(|| {
                            wrong(&format!("the policy has several '{name}'; say which by its number, as in {name}.1.{last}"))
                        })?
                    }
                    item => item.as_table_like_mut().ok_or_else(missing)?,
                };
            }
            let mut new: Value = value.trim().parse().unwrap_or_else(|_| Value::from(value.trim()));
            match table.get_mut(last.get()) {
                Some(old) if old.is_value() => {
                    if let Some(before) = old.as_value() {
                        *new.decor_mut() = before.decor().clone();
                    }
                    *old = Item::Value(new);
                }
                Some(_) => return Err(wrong("it is a table")),
                None => {
                    table.insert(last.get(), Item::Value(new));
                }
            }
        }
        Policy::parse(self.path(), document.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "seed = 1\n[data]\npath = \"a.csv\"\n[privacy.k-anonymity]\nk = 5   # five\n[method]\nname = \"mondrian\"\n";

    fn policy() -> Policy {
        Policy::parse("policy.toml".as_ref(), TEXT.to_string()).expect("TOML")
    }

    #[test]
    fn values_are_replaced_and_added() {
        let other = policy()
            .varied(&[
                ("privacy.k-anonymity.k", "7"),
                ("method.name", "full-domain"),
                ("method.suppression_limit", "0.1"),
            ])
            .expect("a policy");
        let json = other.to_json();
        assert_eq!(json["privacy"]["k-anonymity"]["k"], 7);
        assert_eq!(
            (&json["method"]["name"], &json["method"]["suppression_limit"]),
            (&"full-domain".into(), &0.1.into())
        );
        assert!(other.text().contains("k = 7   # five"), "{}", other.text());
        assert_eq!(policy().varied(&[]).expect("a policy").text(), TEXT);
    }

    #[test]
    fn what_cannot_be_varied_is_told() {
        for (key, word) in [
            ("privacy.l-diversity.l", "no 'l-diversity'"),
            ("privacy", "a table"),
            ("a..b", "not a key"),
            ("", ""),
        ] {
            let error = policy().varied(&[(key, "1")]).expect_err(key);
            assert!(error.message().contains(word), "{key}: {error}");
        }
        let several = "[[privacy.l-diversity]]\nl = 2\n[[privacy.l-diversity]]\nl = 3\n";
        let several = Policy::parse("policy.toml".as_ref(), several.to_string()).expect("TOML");
        assert!(several.varied(&[("privacy.l-diversity.l", "4")]).is_err());
        let other = several.varied(&[("privacy.l-diversity.2.l", "4")]).expect("a policy").to_json();
        assert_eq!(
            (&other["privacy"]["l-diversity"][0]["l"], &other["privacy"]["l-diversity"][1]["l"]),
            (&2.into(), &4.into())
        );
    }
}
