use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use privet_methods::recoding::RecodedColumn;
use privet_policy::Policy;

/// A table of people with an identifier, a city, a disease that only the method looks at, and a weight that is carried through.
struct Table {
    _folder: TempDir,
    policy: CheckedPolicy,
    microdata: Microdata,
}

type Person = (u8, u8, u8);

fn write(folder: &Path, people: &[Person]) {
    let line = |(id, ill, weight): &Person| format!("{id},Oslo,{ill},{weight}\n");
    let lines: String = people.iter().map(line).collect();
    fs::write(folder.join("data.csv"), format!("id,city,ill,weight\n{lines}")).expect("written");
}

impl Table {
    fn of(people: &[Person]) -> Table {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), people);
        let text = "[data]\npath = \"data.csv\"\n[columns.id]\nrole = \"identifier\"\n\
                    [columns.city]\nrole = \"quasi-identifier\"\n[columns.ill]\nrole = \"sensitive\"\n\
                    [columns.weight]\nrole = \"other\"\n[privacy.k-anonymity]\nk = 2\n\
                    [method]\nname = \"full-domain\"\n";
        let policy = Policy::parse(&folder.path().join("policy.toml"), text.to_string()).expect("a policy");
        let policy = policy.check(None).expect("a checked policy");
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        Table { _folder: folder, policy, microdata }
    }

    /// Of every ten records that are the same, how many go to one class and how many to another; the rest go nowhere.
    fn parted(&self, shares: [u64; 2]) -> Recoding {
        let mut recoding = Recoding::new(vec![RecodedColumn::default()], self.microdata.summary.len());
        let classes = [recoding.add_class([0]), recoding.add_class([0])];
        for record in 0..self.microdata.summary.len() {
            let total = self.microdata.summary.count(record);
            for (class, share) in classes.into_iter().zip(shares) {
                let count = total * share / 10;
                if count > 0 {
                    recoding.assign(record, class, count, total);
                }
            }
        }
        recoding
    }

    /// Everybody's identifier, disease and weight with what becomes of them, in order.
    fn fates(&self, recoding: &Recoding, seed: u64) -> Vec<(String, Option<Option<u32>>)> {
        let clock = Clock::unlimited();
        let mut ways =
            Ways::in_turn(&self.policy, &self.microdata, recoding, None, seed.into(), &clock).expect("ways");
        let mut fates = Vec::new();
        let read = self.policy.source.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let Located::Record(record) = self.microdata.summary.locate(batch, row) else {
                    panic!("an unknown record")
                };
                let cells: Vec<&str> = batch.cells(row).collect();
                fates.push((cells.join(","), ways.next(batch, row, record).map(|way| way.class)));
            }
            Ok(())
        });
        read.expect("read");
        fates.sort();
        fates
    }
}

fn shown(fates: &[(String, Option<Option<u32>>)]) -> Vec<(String, Option<Option<u32>>)> {
    let without_id = |text: &str| text.split_once(',').expect("cells").1.to_string();
    let mut shown: Vec<_> = fates.iter().map(|(text, fate)| (without_id(text), *fate)).collect();
    shown.sort();
    shown
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Many are the same in everything, many but for the identifier.
    #[test]
    fn the_order_of_records_does_not_decide_who_goes_where(
        people in prop::collection::vec((0u8..4, 0u8..2, 0u8..3), 1..40),
        shares in prop::sample::select(vec![[3u64, 4], [5, 0], [9, 1], [10, 0]]),
        turn in 0usize..40,
        seed in any::<u64>(),
    ) {
        let table = Table::of(&people);
        let recoding = table.parted(shares);
        let fates = table.fates(&recoding, seed);
        let mut other: Vec<Person> = people.iter().rev().copied().collect();
        other.rotate_left(turn % people.len());
        let turned = Table::of(&other);
        prop_assert_eq!(&fates, &turned.fates(&turned.parted(shares), seed));
        // As many as decided go to each class.
        let sizes = recoding.count(&table.microdata).sizes;
        for (class, size) in (0u32..).zip(sizes) {
            let gone = fates.iter().filter(|(_, fate)| *fate == Some(Some(class))).count();
            prop_assert_eq!(gone as u64, size);
        }
        // What is not published has no part in what is.
        let renamed: Vec<Person> = people.iter().map(|(id, ill, weight)| (9 - id, *ill, *weight)).collect();
        let renamed = Table::of(&renamed);
        prop_assert_eq!(shown(&fates), shown(&renamed.fates(&renamed.parted(shares), seed)));
    }
}

#[test]
fn the_seed_decides_who_goes_where() {
    let people: Vec<Person> = (0..40).map(|id| (id, 0, id)).collect();
    let table = Table::of(&people);
    let recoding = table.parted([5, 0]);
    assert_eq!(table.fates(&recoding, 1), table.fates(&recoding, 1));
    assert_ne!(table.fates(&recoding, 1), table.fates(&recoding, 2));
}

#[test]
fn a_row_that_has_no_number_goes_nowhere() {
    let table = Table::of(&[(1, 0, 1), (2, 0, 2), (2, 0, 2), (3, 0, 3)]);
    let recoding = table.parted([5, 0]);
    let clock = Clock::unlimited();
    let part = |record: usize| recoding.parted().any(|parted| parted == record);
    let turns = Turns::of(&table.policy, &table.microdata, 7.into(), &part, &clock).expect("turns");
    let mut seen = Seen::new();
    let mut next = |people: &[Person]| {
        let other = Table::of(people);
        let mut found = Vec::new();
        let read = other.policy.source.read(&mut |batch: &Batch, _| {
            found.extend((0..batch.rows()).map(|row| turns.next(&mut seen, batch, row, 0)));
            Ok(())
        });
        read.expect("read");
        found
    };
    // Each turn once, however the same rows come; one row too many, and a strange one.
    let mut found = next(&[(2, 0, 2), (3, 0, 3), (2, 0, 2), (1, 0, 1)]);
    found.sort_unstable();
    assert_eq!(found, [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(next(&[(2, 0, 2), (4, 0, 4), (1, 0, 2)]), [None, None, None]);
}
