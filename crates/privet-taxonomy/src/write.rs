//! Writing a tree as a hierarchy file that reads back as the same tree with the same levels.

use std::borrow::Cow;
use std::path::Path;

use super::Taxonomy;
use privet_core::{Error, Result, place};
use privet_data::kept_apart;

impl Taxonomy {
    /// Writes the tree as a hierarchy file: one line per leaf and one column per level, divided by `;`.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = self.to_text().map_err(|error| error.in_file(path))?;
        place::write_file(path, text.as_bytes())
            .map_err(|error| Error::writing("write the hierarchy", path, &error))
    }

    /// The text of the hierarchy file; an error if a label is empty, which a file cannot say.
    ///
    /// ```
    /// use privet_taxonomy::Taxonomy;
    /// let path = |text: &str| text.split(';').map(String::from).collect::<Vec<_>>();
    /// let tree = Taxonomy::from_paths(&[path("Oslo;Norway;*"), path("Rome;*")])?;
    /// assert_eq!(tree.to_text()?, "Oslo;Norway;*\nRome;Rome;*\n");
    /// # Ok::<(), privet_core::Error>(())
    /// ```
    pub fn to_text(&self) -> Result<String> {
        if self.nodes().any(|node| self.label(node).trim().is_empty()) {
            return Err(Error::input("a label of the hierarchy is empty").help("give the value a name"));
        }
        let mut text = String::new();
        for leaf in &self.leaf_nodes {
            let mut node = *leaf;
            for level in 0..self.levels() {
                while (self.tops[node.index()] as usize) < level {
                    node = self.parents[node.index()];
                }
                if level > 0 {
                    text.push(';');
                }
                text.push_str(&self.field(self.label(node)));
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// A label as a field, quoted where it would otherwise be read differently.
    fn field<'a>(&self, label: &'a str) -> Cow<'a, str> {
        // In a file of one column nothing tells the reader that `;` is the delimiter.
        let only_column = self.levels() == 1;
        let label = kept_apart(label);
        let special = |c| matches!(c, ';' | '"' | '\r' | '\n') || (only_column && matches!(c, ',' | '\t'));
        if label.contains(special) || label.starts_with('\u{feff}') {
            return Cow::Owned(format!("\"{}\"", label.replace('"', "\"\"")));
        }
        label
    }
}
