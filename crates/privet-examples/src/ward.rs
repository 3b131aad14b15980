//! Made-up patients with diagnoses that are out of the question for some of them, from a seeded generator: the same seed
//! gives the same bytes everywhere.

use std::io::{self, Write};

use super::census::draw::Draw;
use super::town::{INSURANCES, REGIONS, SEXES};

/// The number of patients in the example that ships.
pub const ROWS: u64 = 4_000;

/// The seed of the example that ships.
pub const SEED: u64 = 1;

/// A diagnosis: who can have it (sex, if it matters, and ages), and how often it is made.
struct Diagnosis {
    name: &'static str,
    sex: Option<&'static str>,
    ages: std::ops::RangeInclusive<u32>,
    weight: u16,
}

const fn diagnosis(
    name: &'static str,
    sex: Option<&'static str>,
    from: u32,
    to: u32,
    weight: u16,
) -> Diagnosis {
    Diagnosis { name, sex, ages: from..=to, weight }
}

const DIAGNOSES: [Diagnosis; 16] = [
    diagnosis("Influenza", None, 0, 99, 14),
    diagnosis("Pneumonia", None, 0, 99, 9),
    diagnosis("Fracture", None, 0, 99, 11),
    diagnosis("Gastritis", None, 0, 99, 10),
    diagnosis("Asthma", None, 0, 99, 8),
    diagnosis("Diabetes", None, 0, 99, 8),
    diagnosis("Depression", None, 15, 99, 9),
    diagnosis("Hypertension", None, 30, 99, 13),
    diagnosis("Gout", None, 30, 99, 5),
    diagnosis("COPD", None, 45, 99, 9),
    diagnosis("Dementia", None, 60, 99, 10),
    diagnosis("Croup", None, 0, 4, 16),
    diagnosis("Ovarian cancer", Some("F"), 20, 99, 6),
    diagnosis("Endometriosis", Some("F"), 15, 54, 6),
    diagnosis("Pregnancy complication", Some("F"), 15, 49, 9),
    diagnosis("Prostate cancer", Some("M"), 45, 99, 10),
];

/// Writes a ward of `rows` patients as CSV.
///
/// ```
/// let mut csv = Vec::new();
/// privet_examples::ward::write(3, 1, &mut csv)?;
/// assert!(csv.starts_with(b"patient,sex,age,region,insurance,diagnosis\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(rows: u64, seed: u64, mut writer: impl Write) -> io::Result<()> {
    let mut draw = Draw::new(seed);
    writeln!(writer, "patient,sex,age,region,insurance,diagnosis")?;
    for row in 0..rows {
        let sex = SEXES[draw.below(2) as usize];
        // The old are ill more often than the young, and small children more often than large ones.
        let age = match draw.pick(&[12, 10, 28, 50]) {
            0 => draw.below(5),
            1 => 5 + draw.below(15),
            2 => 20 + draw.below(30),
            _ => 50 + draw.below(45),
        };
        let weights: Vec<u16> = (DIAGNOSES.iter())
            .map(|one| {
                let possible = one.ages.contains(&age) && one.sex.is_none_or(|only| only == sex);
                if possible { one.weight } else { 0 }
            })
            .collect();
        let diagnosis = DIAGNOSES[draw.pick(&weights) as usize].name;
        let region = REGIONS[draw.below(9) as usize];
        let insurance = INSURANCES[draw.pick(&[70, 25, 5]) as usize];
        writeln!(writer, "P{:05},{sex},{age},{region},{insurance},{diagnosis}", 10_000 + row)?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_what_is_out_of_the_question() {
        let mut csv = Vec::new();
        write(ROWS, SEED, &mut csv).expect("a ward");
        let text = String::from_utf8(csv).expect("text");
        let mut found = std::collections::BTreeSet::new();
        for line in text.lines().skip(1) {
            let [_, sex, age, _, _, name] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let one = DIAGNOSES.iter().find(|one| one.name == name).expect("a diagnosis");
            assert!(one.ages.contains(&age.parse().expect("an age")), "{line}");
            assert!(one.sex.is_none_or(|only| only == sex), "{line}");
            found.insert(name.to_string());
        }
        assert_eq!(found.len(), DIAGNOSES.len());
    }
}
