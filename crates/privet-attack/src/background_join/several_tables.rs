//! Both attacks on several tables against their stories, person by person.

use proptest::prelude::*;

use crate::testing::{Stage, attacked};
use crate::{Figure, Finding};

const POLICY: &str = "[data]\npath = \"table.csv\"\n[columns.q]\nrole = \"quasi-identifier\"\n[columns.a]\nrole = \"sensitive\"\n\
    [columns.b]\nrole = \"sensitive\"\n[columns.c]\nrole = \"sensitive\"\n[columns.d]\nrole = \"sensitive\"\n\
    insensitive = [\"2\"]\n[privacy.k-anonymity]\nk = 1\n[privacy.projection]\nalpha = 1\nbeta = 1\n[method]\nname = \"codip\"\n";

/// The quasi-identifier, and a to d.
type Person = [u32; 5];

/// The attributes of the two tables.
const TABLES: [&[usize]; 2] = [&[1, 2], &[3, 4]];

const SHARES: [(usize, usize); 2] = [(1, 1), (9, 10)];

fn stage(people: &[Person], exact: [bool; 2]) -> Stage {
    let cells = |person: &Person| person.map(|value| value.to_string()).join(",") + "\n";
    let table = people.iter().map(cells).collect::<String>();
    let stage = Stage::with(POLICY, &format!("q,a,b,c,d\n{table}"));
    for (at, attributes) in TABLES.iter().enumerate() {
        let names: Vec<&str> = attributes.iter().map(|column| ["q", "a", "b", "c", "d"][*column]).collect();
        let mut text = format!("q,{}\n", names.join(","));
        // Rows are in another order than people.
        for person in people.iter().rev() {
            let shown = if exact[at] { person[0].to_string() } else { "*".to_string() };
            let values: Vec<String> = attributes.iter().map(|column| person[*column].to_string()).collect();
            text += &format!("{shown},{}\n", values.join(","));
        }
        stage.write(&format!("out/projection-{}.csv", at + 1), text);
    }
    stage
}

fn attack(stage: &Stage, name: &str) -> Finding {
    stage.on("out", |scene| attacked(name, &scene)).expect("run")
}

fn guarded(column: usize, value: u32) -> bool {
    !(column == 4 && value == 2)
}

fn reaches(part: usize, whole: usize, (most, of): (usize, usize)) -> bool {
    part * of >= whole * most
}

/// People, surprised people, and pairs of columns, where tables have these attributes and show q or not.
fn story(people: &[Person], tables: &[(&[usize], bool)], share: (usize, usize)) -> [u64; 3] {
    let count = |fits: &dyn Fn(&Person) -> bool| people.iter().filter(|other| fits(other)).count();
    let mut told = [0; 3];
    for person in people {
        let (mut hit, mut surprised) = (false, false);
        for (attributes, exact) in tables {
            let alike = |other: &Person| !exact || other[0] == person[0];
            for (known, read) in
                attributes.iter().flat_map(|known| attributes.iter().map(move |read| (*known, *read)))
            {
                let knows = |other: &Person| other[known] == person[known];
                for value in (0..4).filter(|value| known != read && guarded(read, *value)) {
                    let has = |other: &Person| other[read] == value;
                    let follows =
                        reaches(
                            count(&|other| alike(other) && knows(other) && has(other)),
                            count(&|other| alike(other) && knows(other)),
                            share,
                        ) && !reaches(count(&|other| alike(other) && has(other)), count(&alike), share);
                    if follows {
                        told[2] += 1;
                        hit = true;
                        surprised |=
                            !reaches(count(&|other| knows(other) && has(other)), count(&knows), share);
                    }
                }
            }
        }
        told[0] += u64::from(hit);
        told[1] += u64::from(surprised);
    }
    told
}

/// People with a value that has at least nine tenths of a class.
fn nearly(people: &[Person], tables: &[(&[usize], bool)]) -> u64 {
    let is_nearly = |person: &&Person| {
        tables.iter().any(|(attributes, exact)| {
            let class: Vec<&Person> = people.iter().filter(|other| !exact || other[0] == person[0]).collect();
            attributes.iter().any(|column| {
                (0..4).filter(|value| guarded(*column, *value)).any(|value| {
                    reaches(
                        class.iter().filter(|other| other[*column] == value).count(),
                        class.len(),
                        SHARES[1],
                    )
                })
            })
        })
    };
    people.iter().filter(is_nearly).count() as u64
}

#[test]
fn what_stands_in_one_row_follows_and_what_does_not_stays() {
    // a tells b, and neither tells c or d.
    let people: Vec<Person> = vec![[0, 1, 1, 0, 0], [0, 1, 1, 1, 1], [0, 3, 3, 0, 1], [0, 3, 3, 1, 0]];
    let stage = stage(&people, [true, true]);
    let found = attack(&stage, "background-join");
    let hits: Vec<u64> = found.figures.iter().take(3).map(|figure| figure.hits).collect();
    assert_eq!(hits, [4, 0, 8], "{found:?}");
    assert!(found.headline().hits <= found.headline().baseline, "{found:?}");
    let linked = attack(&stage, "xy-linkability");
    assert_eq!((linked.headline().hits, linked.headline().targets), (0, 4), "{linked:?}");
    assert_eq!(linked.more["confidence"]["two_tables"], 0.25, "{linked:?}");
    // A value that everybody has follows for everybody.
    let same: Vec<Person> = people.iter().map(|[q, a, b, c, _]| [*q, *a, *b, *c, 1]).collect();
    let linked = attack(&super::several_tables::stage(&same, [true, true]), "xy-linkability");
    assert_eq!((linked.headline().hits, linked.headline().control), (4, Some(4)), "{linked:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_attacks_find_what_their_stories_tell(
        people in prop::collection::vec([0u32..2, 0..3, 0..3, 0..3, 0..3], 1..14),
        exact in any::<[bool; 2]>(),
    ) {
        let stage = stage(&people, exact);
        let several: Vec<(&[usize], bool)> = TABLES.iter().copied().zip(exact).collect();
        let (all, finest): (&[usize], bool) = (&[1, 2, 3, 4], exact.contains(&true));
        let found = attack(&stage, "background-join");
        for (share, figures) in SHARES.iter().zip(found.figures.chunks(3)) {
            let hits: Vec<u64> = figures.iter().map(|figure: &Figure| figure.hits).collect();
            prop_assert_eq!(&hits[..], &story(&people, &several, *share)[..]);
            let one: Vec<u64> = figures.iter().map(|figure: &Figure| figure.baseline).collect();
            prop_assert_eq!(&one[..], &story(&people, &[(all, finest)], *share)[..]);
        }
        let linked = attack(&stage, "xy-linkability").headline();
        prop_assert_eq!(linked.hits, nearly(&people, &several));
        prop_assert_eq!(linked.baseline, nearly(&people, &[(all, finest)]));
    }
}
