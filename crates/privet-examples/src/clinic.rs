//! Made-up outpatients with eight sensitive columns, some of which go together, from a seeded generator: the same seed gives
//! the same bytes everywhere.

use std::io::{self, Write};

use super::census::draw::Draw;
use super::town::{INSURANCES, REGIONS, SEXES};

/// The number of patients in the example that ships.
pub const ROWS: u64 = 5_000;

/// The seed of the example that ships.
pub const SEED: u64 = 1;

/// A diagnosis with how often it is made, and the weights of the family histories and the medications that go with it.
struct Diagnosis {
    name: &'static str,
    weight: u16,
    family: [u16; 5],
    medication: [u16; 6],
}

const FAMILY_HISTORIES: [&str; 5] = ["none", "diabetes", "heart disease", "cancer", "mental illness"];
const MEDICATIONS: [&str; 6] = ["none", "insulin", "beta blocker", "inhaler", "antidepressant", "painkiller"];

const DIAGNOSES: [Diagnosis; 6] = [
    Diagnosis { name: "Diabetes", weight: 18, family: [30, 55, 8, 4, 3], medication: [6, 84, 5, 1, 2, 2] },
    Diagnosis {
        name: "Hypertension",
        weight: 24,
        family: [35, 8, 50, 4, 3],
        medication: [10, 2, 82, 1, 2, 3],
    },
    Diagnosis { name: "Asthma", weight: 16, family: [74, 7, 9, 6, 4], medication: [6, 1, 1, 88, 1, 3] },
    Diagnosis { name: "Depression", weight: 17, family: [46, 5, 6, 3, 40], medication: [16, 1, 2, 1, 76, 4] },
    Diagnosis { name: "Back pain", weight: 20, family: [72, 8, 10, 6, 4], medication: [18, 1, 2, 1, 3, 75] },
    Diagnosis { name: "HIV", weight: 5, family: [74, 7, 8, 7, 4], medication: [60, 4, 6, 4, 14, 12] },
];

/// An occupation with how many have it, and what it pays: the least, and how much more it may be, in thousands.
const OCCUPATIONS: [(&str, u16, u32, u32); 6] = [
    ("clerk", 26, 28, 14),
    ("nurse", 14, 32, 12),
    ("craftsman", 20, 30, 18),
    ("teacher", 12, 40, 14),
    ("manager", 10, 56, 40),
    ("without work", 18, 8, 8),
];

const SMOKING: [&str; 3] = ["never", "former", "daily"];
const ALCOHOL: [&str; 3] = ["rarely", "weekly", "daily"];
/// Who drinks how much, by how they smoke.
const DRINKING: [[u16; 3]; 3] = [[72, 25, 3], [40, 50, 10], [18, 44, 38]];

/// Who lives with somebody, with the chance in a thousand.
const HOUSEHOLD: [(&str, i32); 4] = [("partner", 560), ("children", 380), ("parents", 120), ("carer", 60)];

/// Writes a clinic of `rows` patients as CSV.
///
/// ```
/// let mut csv = Vec::new();
/// privet_examples::clinic::write(3, 1, &mut csv)?;
/// assert!(csv.starts_with(b"patient,sex,age,region,insurance,diagnosis,family_history,medication,"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(rows: u64, seed: u64, mut writer: impl Write) -> io::Result<()> {
    let mut draw = Draw::new(seed);
    writeln!(
        writer,
        "patient,sex,age,region,insurance,diagnosis,family_history,medication,occupation,income,smoking,alcohol,household"
    )?;
    for row in 0..rows {
        let sex = SEXES[draw.below(2) as usize];
        let age = 18 + draw.below(72);
        let region = REGIONS[draw.below(9) as usize];
        let insurance = INSURANCES[draw.pick(&[70, 25, 5]) as usize];
        let diagnosis = &DIAGNOSES[draw.pick(&DIAGNOSES.map(|one| one.weight)) as usize];
        let family = FAMILY_HISTORIES[draw.pick(&diagnosis.family) as usize];
        let medication = MEDICATIONS[draw.pick(&diagnosis.medication) as usize];
        let (occupation, _, least, more) = OCCUPATIONS[draw.pick(&OCCUPATIONS.map(|one| one.1)) as usize];
        // In steps of two thousand: exact pay would tell people apart.
        let income = (least + draw.below(more)) / 2 * 2;
        let smoking = draw.pick(&[55, 25, 20]) as usize;
        let alcohol = ALCOHOL[draw.pick(&DRINKING[smoking]) as usize];
        let household: Vec<&str> =
            HOUSEHOLD.iter().filter(|(_, chance)| draw.chance(*chance)).map(|(who, _)| *who).collect();
        writeln!(
            writer,
            "C{:05},{sex},{age},{region},{insurance},{},{family},{medication},{occupation},{income},{},{alcohol},{}",
            20_000 + row,
            diagnosis.name,
            SMOKING[smoking],
            household.join("|")
        )?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medication_tells_the_diagnosis_and_some_live_alone() {
        let mut csv = Vec::new();
        write(ROWS, SEED, &mut csv).expect("a clinic");
        let text = String::from_utf8(csv).expect("text");
        assert_eq!(text.lines().count() as u64, ROWS + 1);
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        assert!(rows.iter().all(|row| row.len() == 13));
        let insulin = rows.iter().filter(|row| row[7] == "insulin").count();
        let diabetes = rows.iter().filter(|row| row[7] == "insulin" && row[5] == "Diabetes").count();
        assert!(diabetes * 10 > insulin * 8, "{diabetes} of {insulin}");
        assert!(rows.iter().any(|row| row[12].is_empty()) && rows.iter().any(|row| row[12].contains('|')));
    }
}
