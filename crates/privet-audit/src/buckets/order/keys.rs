//! Orders of the original's records: as they are in the file, and by its columns.

use std::cmp::Ordering;

use super::super::super::order::by_number;
use super::super::super::table::Dictionary;
use super::super::book::BucketBook;

/// A number for every record of the original, to order records by.
#[derive(Clone)]
pub(super) struct Keys {
    /// What they are ordered by.
    pub how: String,
    pub records: Vec<f64>,
}

impl Keys {
    /// The order of the file.
    pub fn places(book: &BucketBook) -> Keys {
        let records = (0..book.trail.original.len()).map(|place| place as f64).collect();
        Keys { how: "in the order of the original".to_string(), records }
    }

    /// The orders by columns that are not published.
    pub fn hidden(book: &BucketBook) -> Vec<Keys> {
        let kept = book.trail.columns.iter().filter(|(_, column)| !column.is_lost);
        let keys = kept.flat_map(|(name, column)| {
            let codes: Vec<u32> = column.rows.iter().collect();
            Keys::of_column(name, &column.texts, &codes)
        });
        // Very long files are not kept as a whole.
        keys.filter(|keys| keys.records.len() == book.trail.original.len()).collect()
    }

    /// The orders by quasi-identifiers.
    pub fn shown(book: &BucketBook) -> Vec<Keys> {
        let columns = book.quasi.iter().zip(&book.quasi_names).enumerate();
        let keys = columns.flat_map(|(at, (texts, name))| {
            let code = |(person, _): &(u32, u32)| book.persons[*person as usize][at];
            let codes: Vec<u32> = book.trail.original.iter().map(code).collect();
            Keys::of_column(name, texts, &codes)
        });
        keys.collect()
    }

    /// By text, and by number where that is another order.
    fn of_column(name: &str, texts: &Dictionary, codes: &[u32]) -> Vec<Keys> {
        let ranks = |compare: fn(&str, &str) -> Ordering| {
            let mut sorted: Vec<u32> = (0..texts.len() as u32).collect();
            sorted.sort_by(|one, other| compare(texts.text(*one), texts.text(*other)));
            let mut ranks = vec![0.0; sorted.len()];
            sorted.iter().zip(0u32..).for_each(|(code, rank)| ranks[*code as usize] = f64::from(rank));
            codes.iter().map(|code| ranks[*code as usize]).collect::<Vec<f64>>()
        };
        let (by_text, as_number) = (ranks(Ord::cmp), ranks(by_number));
        let differs = by_text != as_number;
        let mut all = vec![Keys { how: format!("in the order of column '{name}'"), records: by_text }];
        all.extend(differs.then(|| Keys {
            how: format!("in the order of column '{name}' as numbers"),
            records: as_number,
        }));
        all
    }
}
