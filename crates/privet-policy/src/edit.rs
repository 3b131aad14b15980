//! A policy changed by hand of another program: keys and tables are set or removed, what stands around them stays.

use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

use super::file::Policy;
use privet_core::{Error, Result};

/// A change to a policy. Its place is a key with the tables that it stands in, from the outermost, each as it is called: dots in
/// a name mean nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The key gets this value, written as TOML; tables that are missing are made.
    Set(Vec<String>, String),
    /// There is to be a table of this name.
    Open(Vec<String>),
    /// The key or table goes, with what is in it.
    Remove(Vec<String>),
}

impl Policy {
    /// The policy after changes. Its text is valid TOML; whether it makes sense is for [`Policy::check_any`] to say.
    ///
    /// Of several tables of one name a number picks one, from 1: `["privacy", "l-diversity", "2", "l"]`.
    ///
    /// ```
    /// # use privet_policy::{Edit, Policy};
    /// let text = "[columns.age]  # in years\nrole = \"other\"\n";
    /// let policy = Policy::parse("policy.toml".as_ref(), text.into())?;
    /// let place = |keys: &[&str]| keys.iter().map(|key| key.to_string()).collect::<Vec<_>>();
    /// let edits = [
    ///     Edit::Set(place(&["columns", "age", "role"]), "\"sensitive\"".into()),
    ///     Edit::Set(place(&["privacy", "k-anonymity", "k"]), "5".into()),
    /// ];
    /// let other = policy.edited(&edits)?;
    /// assert!(other.text().starts_with("[columns.age]  # in years\nrole = \"sensitive\"\n"));
    /// assert!(other.text().ends_with("[privacy.k-anonymity]\nk = 5\n"));
    /// assert_eq!(other.edited(&[Edit::Remove(place(&["privacy"]))])?.to_json()["privacy"], serde_json::Value::Null);
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn edited(&self, edits: &[Edit]) -> Result<Policy> {
        let mut document: DocumentMut = (self.text().parse())
            .map_err(|error| Error::input(format!("not valid TOML: {error}")).in_file(self.path()))?;
        for edit in edits {
            let (Edit::Set(place, _) | Edit::Open(place) | Edit::Remove(place)) = edit;
            let wrong = |why: &str| {
                Error::input(format!("cannot change '{}': {why}", place.join("."))).in_file(self.path())
            };
            let (last, tables) = place.split_last().ok_or_else(|| wrong("it is no place"))?;
            let makes = !matches!(edit, Edit::Remove(_));
            let root: &mut dyn TableLike = document.as_table_mut();
            let found = table_at(root, tables, makes).map_err(|why| wrong(&why))?;
            let Some(table) = found else { continue };
            match edit {
                Edit::Set(_, text) => {
                    let mut new: Value =
                        text.trim().parse().map_err(|_| wrong(&format!("{text} is not a value of TOML")))?;
                    if let Some(before) = table.get(last).and_then(Item::as_value) {
                        *new.decor_mut() = before.decor().clone();
                    }
                    match table.get_mut(last) {
                        Some(old) => *old = Item::Value(new),
                        None => drop(table.insert(last, Item::Value(new))),
                    }
                }
                Edit::Open(_) => {
                    if table.get(last).is_none() {
                        table.insert(last, Item::Table(Table::new()));
                    }
                }
                Edit::Remove(_) => drop(table.remove(last)),
            }
        }
        Ok(Policy::parse(self.path(), document.to_string())?.with_formulas(self.formulas()))
    }
}

/// The table at a place, made where it is missing if that is wanted; `None` where it is missing and need not be there.
fn table_at<'a>(
    mut table: &'a mut dyn TableLike,
    names: &[String],
    makes: bool,
) -> std::result::Result<Option<&'a mut dyn TableLike>, String> {
    let mut names = names.iter();
    while let Some(name) = names.next() {
        if table.get(name).is_none() {
            if !makes {
                return Ok(None);
            }
            let mut new = Table::new();
            new.set_implicit(true);
            table.insert(name, Item::Table(new));
        }
        let Some(item) = table.get_mut(name) else { return Ok(None) };
        table = match item {
            Item::ArrayOfTables(several) => {
                let picked = names.next().and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
                let picked = picked.and_then(|at| several.get_mut(at));
                picked.ok_or_else(|| format!("there are several '{name}'; say which by its number"))?
            }
            item => item.as_table_like_mut().ok_or_else(|| format!("'{name}' is not a table"))?,
        };
    }
    Ok(Some(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Vec<String> {
        text.split('/').map(String::from).collect()
    }

    fn edited(text: &str, edits: &[Edit]) -> Result<String> {
        Policy::parse("policy.toml".as_ref(), text.to_string())?.edited(edits).map(|it| it.text().to_string())
    }

    #[test]
    fn what_stands_around_a_change_stays() {
        let text = "# why\n[columns.a]  # first\nrole = \"other\"  # so\n\n# next\n[columns.\"b.c\"]\nrole = \"class\"\n";
        let other =
            edited(text, &[Edit::Set(place("columns/b.c/role"), "\"sensitive\"".into())]).expect("TOML");
        assert_eq!(other, text.replace("class", "sensitive"));
        let other = edited(text, &[Edit::Set(place("columns/a/role"), "\"class\"".into())]).expect("TOML");
        assert!(other.contains("role = \"class\"  # so"), "{other}");
        let back = edited(text, &[Edit::Remove(place("columns/none/role"))]).expect("TOML");
        assert_eq!(back, text);
    }

    #[test]
    fn tables_are_made_and_numbered() {
        let text = "[[privacy.l-diversity]]\nl = 2\n[[privacy.l-diversity]]\nl = 3\n";
        let other = edited(text, &[Edit::Set(place("privacy/l-diversity/2/l"), "4".into())]).expect("TOML");
        assert_eq!(other, text.replace('3', "4"));
        assert!(edited(text, &[Edit::Set(place("privacy/l-diversity/l"), "4".into())]).is_err());
        assert!(edited("a = 1\n", &[Edit::Set(place("a/b"), "4".into())]).is_err());
        assert!(edited("a = 1\n", &[Edit::Set(place("a"), "] =".into())]).is_err());
        let other = edited("a = 1\n", &[Edit::Open(place("columns/x y"))]).expect("TOML");
        assert_eq!(other, "a = 1\n\n[columns.\"x y\"]\n");
    }
}
