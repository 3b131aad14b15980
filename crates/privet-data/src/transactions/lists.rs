//! Transactions in memory: a list of items each.

use super::{Transaction, is_item};
use crate::origin::{Fingerprint, Hashing};
use privet_core::{Error, Result};

/// Transactions between two ticks.
const TICK: u64 = 1 << 12;

/// Lists of items, one per transaction.
#[derive(Debug, Default)]
pub struct TransactionLists {
    lists: Vec<List>,
    bytes: u64,
}

#[derive(Debug)]
struct List {
    person: Option<String>,
    items: Vec<String>,
    times: u64,
}

impl TransactionLists {
    /// Adds a transaction. Items of blanks alone are left out, as in files.
    pub fn push<I: AsRef<str>>(&mut self, items: impl IntoIterator<Item = I>) -> Result<()> {
        self.add(None, items, 1)
    }

    /// Adds a transaction of a person.
    pub fn push_of<I: AsRef<str>>(&mut self, person: &str, items: impl IntoIterator<Item = I>) -> Result<()> {
        self.add(Some(person.trim().to_string()), items, 1)
    }

    /// Adds transactions that are all the same.
    pub fn push_times<I: AsRef<str>>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        times: u64,
    ) -> Result<()> {
        self.add(None, items, times)
    }

    fn add<I: AsRef<str>>(
        &mut self,
        person: Option<String>,
        items: impl IntoIterator<Item = I>,
        times: u64,
    ) -> Result<()> {
        let items: Vec<String> =
            items.into_iter().map(|item| item.as_ref().to_string()).filter(|item| is_item(item)).collect();
        let texts = || items.iter().chain(&person);
        if texts().any(|text| text.contains('\0')) {
            let line = self.lists.len() as u64 + 1;
            return Err(Error::input(format!("transaction {line} contains a NUL character"))
                .help("clean the items first"));
        }
        self.bytes += texts().map(|text| text.len() as u64 + 1).sum::<u64>();
        self.lists.push(List { person, items, times });
        Ok(())
    }

    /// Refuses transactions that do not all say whose they are.
    pub(super) fn check_people(&self) -> Result<()> {
        let nameless = |list: &List| list.person.as_deref().is_none_or(str::is_empty);
        match (1u64..).zip(&self.lists).find(|(_, list)| nameless(list)) {
            None => Ok(()),
            Some((line, _)) => Err(Error::input("the transaction names no person")
                .at_line(line)
                .help("say of every transaction whose it is, also of one without items")),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What the lists hold: the SHA-256 of them as lines.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        let mut hashing = Hashing::lines();
        for list in &self.lists {
            let cells: Vec<&str> = list.person.iter().chain(&list.items).map(String::as_str).collect();
            (0..list.times).for_each(|_| hashing.row(&cells));
        }
        hashing.finish()
    }

    pub(super) fn read(
        &self,
        names_person: bool,
        each: &mut dyn FnMut(&Transaction<'_>, u64) -> Result<()>,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let mut done = 0;
        for (line, list) in (1u64..).zip(&self.lists) {
            let items: Vec<&str> = list.items.iter().map(String::as_str).collect();
            let person = list.person.as_deref().filter(|_| names_person);
            done += items.iter().map(|item| item.len() as u64 + 1).sum::<u64>();
            each(&Transaction { line, items: &items, person, times: list.times }, done)?;
            if line.is_multiple_of(TICK) {
                tick(done)?;
            }
        }
        tick(done)
    }
}
