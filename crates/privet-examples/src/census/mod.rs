//! A made-up survey of any size, from a seeded generator: the same seed gives the same bytes everywhere.

pub mod draw;
mod people;

use std::io::{self, Write};

use draw::Draw;
use hashbrown::HashSet;
use people::{COUNTRIES, EDUCATIONS, EMPLOYMENTS, INCOMES, MARITAL, OCCUPATIONS, Person, SEXES};

/// The number of people in the example that ships.
pub const ROWS: u64 = 20_000;

/// The seed of the example that ships.
pub const SEED: u64 = 1;

/// The columns, in the file's order.
pub const COLUMNS: [&str; 12] = [
    "person",
    "sex",
    "age",
    "birth-country",
    "marital-status",
    "education",
    "postcode",
    "household-size",
    "employment",
    "occupation",
    "income",
    "weight",
];

/// The first person's number; numbers of equal length keep the column tidy.
const FIRST_NUMBER: u64 = 100_000_000;

/// The writer gets blocks of about this many bytes.
const BLOCK: usize = 1 << 16;

/// Writes a survey of `rows` people as CSV.
///
/// The number of distinct people grows ever more slowly with the rows, as in a real survey of one country.
///
/// ```
/// let mut csv = Vec::new();
/// privet_examples::census::write_csv(3, 1, &mut csv)?;
/// assert_eq!(csv.iter().filter(|byte| **byte == b'\n').count(), 4);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_csv(rows: u64, seed: u64, writer: impl Write) -> io::Result<()> {
    let mut draw = Draw::new(seed);
    write_people(rows, writer, |_| Person::draw(&mut draw))
}

/// Writes a survey of `rows` people that has at most `distinct` different records, the person numbers left aside.
///
/// However many rows there are, the table's summary stays as small as that: the way to see whether memory follows
/// the summary or the rows.
pub fn write_csv_capped(rows: u64, distinct: u32, seed: u64, writer: impl Write) -> io::Result<()> {
    let mut draw = Draw::new(seed);
    let pool = different_people(distinct.max(1), &mut draw);
    let size = u32::try_from(pool.len()).unwrap_or(u32::MAX);
    write_people(rows, writer, |row| {
        // Everybody once, so that a table that is long enough has them all; then at random.
        let position = usize::try_from(row).ok().filter(|row| *row < pool.len());
        pool[position.unwrap_or_else(|| draw.below(size) as usize)]
    })
}

/// People who differ in more than their survey weight.
fn different_people(wanted: u32, draw: &mut Draw) -> Vec<Person> {
    // There are only so many different people: asking for more must end as well.
    let most_draws = u64::from(wanted) * 20;
    let mut seen = HashSet::new();
    let mut pool = Vec::new();
    for _ in 0..most_draws {
        if pool.len() >= wanted as usize {
            break;
        }
        let person = Person::draw(draw);
        if seen.insert(Person { weight: 0, ..person }) {
            pool.push(person);
        }
    }
    pool
}

fn write_people(rows: u64, mut writer: impl Write, mut person: impl FnMut(u64) -> Person) -> io::Result<()> {
    let mut block = Vec::with_capacity(BLOCK + 1024);
    block.extend_from_slice(COLUMNS.join(",").as_bytes());
    block.push(b'\n');
    for row in 0..rows {
        append(&mut block, row, &person(row));
        if block.len() >= BLOCK {
            writer.write_all(&block)?;
            block.clear();
        }
    }
    writer.write_all(&block)?;
    writer.flush()
}

/// One line. No value holds a comma or a quote, so nothing needs quoting.
fn append(line: &mut Vec<u8>, row: u64, person: &Person) {
    line.push(b'P');
    append_number(line, FIRST_NUMBER + row);
    append_text(line, SEXES[usize::from(person.sex)]);
    append_cell(line, person.age.into());
    append_text(line, COUNTRIES[usize::from(person.country)]);
    append_text(line, MARITAL[usize::from(person.marital)]);
    append_text(line, EDUCATIONS[usize::from(person.education)]);
    append_cell(line, person.postcode().into());
    append_cell(line, person.household.into());
    append_text(line, EMPLOYMENTS[usize::from(person.employment)]);
    append_text(line, OCCUPATIONS[usize::from(person.occupation)]);
    append_text(line, INCOMES[usize::from(person.income)]);
    append_cell(line, person.weight.into());
    line.push(b'\n');
}

fn append_text(line: &mut Vec<u8>, text: &str) {
    line.push(b',');
    line.extend_from_slice(text.as_bytes());
}

fn append_cell(line: &mut Vec<u8>, number: u64) {
    line.push(b',');
    append_number(line, number);
}

/// Decimal digits without the detour over a formatter, which would take half of the time.
fn append_number(line: &mut Vec<u8>, number: u64) {
    if number >= 10 {
        append_number(line, number / 10);
    }
    line.push(b'0' + (number % 10) as u8);
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::Example;
    use privet_taxonomy::Taxonomy;

    fn csv(rows: u64) -> String {
        let mut bytes = Vec::new();
        write_csv(rows, SEED, &mut bytes).expect("written");
        String::from_utf8(bytes).expect("text")
    }

    /// The records without their person numbers.
    fn records(csv: &str) -> Vec<&str> {
        csv.lines().skip(1).filter_map(|line| line.split_once(',')).map(|(_, record)| record).collect()
    }

    fn distinct(records: &[&str]) -> usize {
        records.iter().collect::<HashSet<_>>().len()
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_for_ever() {
        let digest = Sha256::digest(csv(1000));
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "337e742788b093767c6563ba65073403b79e8059081661828a9812ac7a600f44");
    }

    #[test]
    fn every_value_has_a_leaf_and_every_hierarchy_is_rectangular() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("census");
        Example::find("census").expect("an example").write(&target).expect("written");
        let csv = csv(ROWS);
        for (index, name) in COLUMNS.iter().enumerate().filter(|(index, _)| (1..=9).contains(index)) {
            let path = target.join(format!("hierarchies/{name}.csv"));
            let tree = Taxonomy::read(&path).expect(name);
            let text = std::fs::read_to_string(&path).expect(name);
            assert!(text.lines().all(|line| line.split(';').count() == tree.levels()), "{name}");
            let values: HashSet<&str> =
                csv.lines().skip(1).filter_map(|line| line.split(',').nth(index)).collect();
            for value in values {
                let leaf = tree.find(value).filter(|leaf| tree.is_leaf(*leaf));
                assert!(leaf.is_some(), "{name}: {value}");
            }
        }
    }

    #[test]
    fn people_are_plausible() {
        for record in records(&csv(5000)) {
            let cells: Vec<&str> = record.split(',').collect();
            assert_eq!(cells.len(), COLUMNS.len() - 1);
            let (age, marital, education) = (cells[1].parse::<u8>().expect("an age"), cells[3], cells[4]);
            assert!((17..=90).contains(&age));
            assert!(age >= 18 || marital == "never married", "{record}");
            assert!(age >= 21 || !["bachelor", "master", "doctorate"].contains(&education), "{record}");
            assert!(age >= 50 || cells[7] != "retired", "{record}");
            assert!(cells[6] != "1" || !["married", "living with a partner"].contains(&marital), "{record}");
        }
    }

    #[test]
    fn distinct_people_grow_more_slowly_than_rows() {
        let csv = csv(ROWS);
        let people: Vec<&str> =
            records(&csv).iter().filter_map(|record| record.rsplitn(4, ',').nth(3)).collect();
        let (tenth, all) = (distinct(&people[..2000]), distinct(&people));
        assert!(tenth > 1900 && (15_000..18_000).contains(&all), "{tenth}, {all}");
    }

    #[test]
    fn a_capped_table_has_exactly_so_many_records_if_it_can() {
        for (rows, cap, expected) in [(2000, 50, 50), (30, 50, 30), (100, 0, 1)] {
            let mut bytes = Vec::new();
            write_csv_capped(rows, cap, SEED, &mut bytes).expect("written");
            let csv = String::from_utf8(bytes).expect("text");
            let records = records(&csv);
            assert_eq!((records.len() as u64, distinct(&records)), (rows, expected));
        }
    }
}
