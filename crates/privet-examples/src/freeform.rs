//! Made-up people with diseases and incomes of which some can be seen and some cannot, from a seeded generator: the same
//! seed gives the same bytes everywhere.

use std::io::{self, Write};

use super::census::draw::Draw;
use super::town::SEXES;

/// The number of people in the example that ships.
pub const ROWS: u64 = 2_000;

/// The seed of the example that ships.
pub const SEED: u64 = 1;

/// Jobs with the incomes, in thousands, that they begin and end at.
const JOBS: [(&str, u32, u32, u16); 13] = [
    ("Nurse", 24, 60, 12),
    ("Doctor", 60, 152, 6),
    ("Carer", 12, 36, 10),
    ("Teacher", 28, 64, 12),
    ("Lecturer", 36, 92, 5),
    ("Clerk", 16, 48, 14),
    ("Accountant", 32, 96, 8),
    ("Lawyer", 48, 156, 5),
    ("Engineer", 40, 112, 10),
    ("Cook", 12, 40, 9),
    ("Cashier", 12, 28, 10),
    ("Driver", 16, 44, 10),
    ("Mechanic", 20, 56, 9),
];

const CITIES: [(&str, u16); 12] = [
    ("Harbourton", 20),
    ("Sandwick", 8),
    ("Gullhaven", 6),
    ("Pierport", 9),
    ("Stonebridge", 14),
    ("Highfell", 4),
    ("Mossdale", 5),
    ("Crags", 3),
    ("Millbrook", 12),
    ("Fairacre", 7),
    ("Longmeadow", 6),
    ("Eastreach", 6),
];

/// Diseases with how often they are found.
const DISEASES: [(&str, u16); 22] = [
    ("Influenza", 60),
    ("Measles", 8),
    ("HIV", 8),
    ("Hepatitis C", 8),
    ("Strep throat", 36),
    ("Cystitis", 30),
    ("Tuberculosis", 6),
    ("Gonorrhoea", 8),
    ("Eczema", 34),
    ("Acne", 24),
    ("Psoriasis", 16),
    ("Fracture", 40),
    ("Burn", 14),
    ("Sprain", 44),
    ("Insomnia", 26),
    ("Depression", 26),
    ("Addiction", 14),
    ("Schizophrenia", 6),
    ("Asthma", 36),
    ("Diabetes", 34),
    ("Hypertension", 44),
    ("Epilepsy", 10),
];

/// An outbreak in a workshop and a hard year in a care home: of every hundred people, the one at this place is one of many
/// who are all alike, so that being one of a crowd does not help.
const CLUSTERS: [(u64, &str); 2] =
    [(7, "M,Mechanic,Crags,20K,Tuberculosis"), (57, "F,Carer,Sandwick,16K,Depression")];

/// Writes `rows` people as CSV.
///
/// ```
/// let mut csv = Vec::new();
/// privet_examples::freeform::write(3, 1, &mut csv)?;
/// assert!(csv.starts_with(b"person,sex,job,city,income,disease\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(rows: u64, seed: u64, mut writer: impl Write) -> io::Result<()> {
    let mut draw = Draw::new(seed);
    let jobs = JOBS.map(|(.., weight)| weight);
    let cities = CITIES.map(|(_, weight)| weight);
    let diseases = DISEASES.map(|(_, weight)| weight);
    writeln!(writer, "person,sex,job,city,income,disease")?;
    for row in 0..rows {
        if let Some((_, person)) = CLUSTERS.iter().find(|(place, _)| row % 100 == *place) {
            writeln!(writer, "p{row:04},{person}")?;
            continue;
        }
        let sex = SEXES[draw.below(2) as usize];
        let (job, from, to, _) = JOBS[usize::from(draw.pick(&jobs))];
        let (city, _) = CITIES[usize::from(draw.pick(&cities))];
        // Incomes come in steps of four thousand; the lower ones of a job are commoner.
        let steps = (to - from) / 4 + 1;
        let income = from + 4 * draw.below(steps).min(draw.below(steps));
        let (disease, _) = DISEASES[usize::from(draw.pick(&diseases))];
        writeln!(writer, "p{row:04},{sex},{job},{city},{income}K,{disease}")?;
    }
    Ok(())
}
