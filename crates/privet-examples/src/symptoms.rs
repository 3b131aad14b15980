//! Made-up patients with symptoms that a public table of diseases explains, from a seeded generator: the same seed gives
//! the same bytes everywhere.

use std::io::{self, Write};

use super::census::draw::Draw;
use super::town::REGIONS;

/// The number of patients in the example that ships.
pub const ROWS: u64 = 3_000;

/// The seed of the example that ships.
pub const SEED: u64 = 1;

/// The public table: one disease per line, with its symptoms.
const DISEASES: &str = include_str!("../data/symptoms/diseases.csv");

/// Complaints that no disease of the table mentions: people have those too.
const OTHER: [&str; 4] = ["hiccups", "cold hands", "snoring", "freckles"];

/// Diseases that only one sex has, and those of the old.
const WOMEN: [&str; 4] = ["Endometriosis", "Polycystic ovaries", "Menopause", "Anorexia nervosa"];
const MEN: [&str; 3] = ["Enlarged prostate", "Prostate cancer", "Cluster headache"];
const OLD: [&str; 8] = [
    "Alzheimer disease",
    "Parkinson disease",
    "Osteoporosis",
    "Cataract",
    "Glaucoma",
    "Stroke",
    "Enlarged prostate",
    "Prostate cancer",
];

/// Writes `rows` patients as CSV.
///
/// ```
/// let mut csv = Vec::new();
/// privet_examples::symptoms::write(3, 1, &mut csv)?;
/// assert!(csv.starts_with(b"patient,sex,age,region,symptoms\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(rows: u64, seed: u64, mut writer: impl Write) -> io::Result<()> {
    let mut draw = Draw::new(seed);
    let diseases: Vec<(&str, Vec<&str>)> = (DISEASES.lines().skip(1))
        .filter_map(|line| line.split_once(','))
        .map(|(label, terms)| (label, terms.split('|').collect()))
        .collect();
    writeln!(writer, "patient,sex,age,region,symptoms")?;
    for row in 0..rows {
        let sex = ["F", "M"][draw.below(2) as usize];
        let age = match draw.pick(&[12, 10, 28, 50]) {
            0 => draw.below(5),
            1 => 5 + draw.below(15),
            2 => 20 + draw.below(30),
            _ => 50 + draw.below(45),
        };
        let weights: Vec<u16> = (diseases.iter().enumerate())
            .map(|(at, (label, _))| {
                let other = if sex == "M" { WOMEN.contains(label) } else { MEN.contains(label) };
                let early = age < 45 && OLD.contains(label);
                // Some diseases are common, most are not.
                if other || early { 0 } else { [24, 6, 3, 9, 2][at % 5] }
            })
            .collect();
        let mut terms = diseases[usize::from(draw.pick(&weights))].1.clone();
        let count = 1 + usize::from(draw.pick(&[10, 30, 35, 20, 5]));
        let mut shown: Vec<&str> = Vec::new();
        while shown.len() < count && !terms.is_empty() {
            shown.push(terms.swap_remove(draw.below(terms.len() as u32) as usize));
        }
        if draw.chance(40) {
            shown.push(OTHER[draw.below(4) as usize]);
        }
        let region = REGIONS[draw.below(9) as usize];
        writeln!(writer, "P{:05},{sex},{age},{region},{}", 10_000 + row, shown.join("|"))?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn patients_have_symptoms_of_one_disease() {
        let mut csv = Vec::new();
        write(ROWS, SEED, &mut csv).expect("patients");
        let text = String::from_utf8(csv).expect("text");
        let diseases: Vec<BTreeSet<&str>> = (DISEASES.lines().skip(1))
            .filter_map(|line| line.split_once(','))
            .map(|(_, terms)| terms.split('|').collect())
            .collect();
        let symptoms: BTreeSet<&str> = diseases.iter().flatten().copied().collect();
        assert!(diseases.len() >= 60 && symptoms.len() >= 120, "{} {}", diseases.len(), symptoms.len());
        let mut alone = 0;
        for line in text.lines().skip(1) {
            let shown = line.rsplit(',').next().expect("symptoms");
            let shown: Vec<&str> = shown.split('|').filter(|term| symptoms.contains(term)).collect();
            let linking =
                diseases.iter().filter(|disease| shown.iter().all(|term| disease.contains(term))).count();
            assert!(linking > 0, "{line}");
            alone += u64::from(linking == 1);
        }
        assert_eq!(text.lines().count() as u64, ROWS + 1);
        assert!(alone > ROWS / 4, "{alone}");
    }
}
