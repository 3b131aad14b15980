//! Made-up people: each trait is drawn from a table that depends on the traits before it.
//!
//! The figures are invented. They imitate the shape of a national survey (who is old is more often widowed, who has a
//! degree more often manages, cities hold most migrants), because a search over independent columns is not an honest test.
//! Zeros cut off rare combinations, so that the number of distinct people levels off as a table grows.

use super::draw::Draw;

pub(super) const SEXES: [&str; 2] = ["female", "male"];
pub(super) const COUNTRIES: [&str; 16] = [
    "United States",
    "Canada",
    "Mexico",
    "Guatemala",
    "Cuba",
    "Brazil",
    "Germany",
    "United Kingdom",
    "Poland",
    "Ukraine",
    "China",
    "Vietnam",
    "Philippines",
    "India",
    "Pakistan",
    "Nigeria",
];
pub(super) const MARITAL: [&str; 6] =
    ["never married", "married", "living with a partner", "separated", "divorced", "widowed"];
pub(super) const EDUCATIONS: [&str; 9] = [
    "primary school",
    "some high school",
    "high school diploma",
    "trade certificate",
    "some college",
    "associate degree",
    "bachelor",
    "master",
    "doctorate",
];
pub(super) const EMPLOYMENTS: [&str; 9] = [
    "private company",
    "non-profit",
    "local government",
    "state government",
    "federal government",
    "self-employed",
    "family business",
    "looking for work",
    "retired",
];
pub(super) const OCCUPATIONS: [&str; 14] = [
    "management",
    "science and engineering",
    "health",
    "teaching",
    "business and finance",
    "office work",
    "sales",
    "hospitality",
    "personal care",
    "protection",
    "construction",
    "manufacturing",
    "transport",
    "farming",
];
pub(super) const INCOMES: [&str; 2] = ["up to 50k", "over 50k"];

/// One made-up person; texts are positions in the lists above, postcodes are numbered from 0 to 99.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Person {
    pub sex: u8,
    pub age: u8,
    pub country: u8,
    pub marital: u8,
    pub education: u8,
    pub postcode: u8,
    pub household: u8,
    pub employment: u8,
    pub occupation: u8,
    pub income: u8,
    pub weight: u8,
}

/// The first year and the weight of each band of ages; the last band ends before `AGE_END`.
const AGE_BANDS: [(u8, u16); 13] = [
    (17, 50),
    (20, 88),
    (25, 92),
    (30, 94),
    (35, 91),
    (40, 88),
    (45, 86),
    (50, 84),
    (55, 82),
    (60, 74),
    (65, 62),
    (70, 80),
    (80, 29),
];
const AGE_END: u8 = 91;

/// The stages of life that the tables below distinguish: the first year of each stage but the first.
const STAGES: [u8; 5] = [25, 35, 50, 65, 80];

const EDUCATION: [[u16; 9]; 6] = [
    [0, 130, 560, 20, 230, 20, 40, 0, 0],
    [10, 40, 330, 50, 150, 60, 290, 70, 0],
    [20, 50, 380, 60, 130, 60, 230, 65, 5],
    [25, 60, 450, 60, 120, 45, 180, 55, 5],
    [50, 100, 480, 50, 100, 30, 140, 50, 0],
    [110, 140, 520, 30, 80, 0, 100, 20, 0],
];

/// The youngest holders of each degree.
const EDUCATION_FROM: [u8; 9] = [17, 17, 18, 19, 18, 20, 21, 23, 26];

const MARITAL_OF_WOMEN: [[u16; 6]; 6] = [
    [920, 40, 40, 0, 0, 0],
    [400, 500, 80, 0, 20, 0],
    [150, 690, 40, 10, 110, 0],
    [80, 700, 0, 10, 170, 40],
    [40, 600, 0, 0, 130, 230],
    [30, 290, 0, 0, 50, 630],
];
const MARITAL_OF_MEN: [[u16; 6]; 6] = [
    [950, 25, 25, 0, 0, 0],
    [490, 420, 80, 0, 10, 0],
    [190, 690, 40, 10, 70, 0],
    [100, 740, 0, 10, 140, 10],
    [50, 780, 0, 0, 110, 60],
    [30, 660, 0, 0, 40, 270],
];

/// Household sizes from 1 to 7, for people in a couple and for the others.
const HOUSEHOLD_OF_COUPLES: [[u16; 7]; 6] = [
    [0, 660, 280, 60, 0, 0, 0],
    [0, 380, 280, 260, 70, 10, 0],
    [0, 160, 220, 440, 150, 25, 5],
    [0, 640, 230, 110, 20, 0, 0],
    [0, 940, 50, 10, 0, 0, 0],
    [0, 980, 20, 0, 0, 0, 0],
];
const HOUSEHOLD_OF_OTHERS: [[u16; 7]; 6] = [
    [60, 90, 280, 390, 150, 25, 5],
    [480, 280, 120, 100, 20, 0, 0],
    [540, 250, 150, 50, 10, 0, 0],
    [720, 210, 60, 10, 0, 0, 0],
    [860, 130, 10, 0, 0, 0, 0],
    [930, 70, 0, 0, 0, 0, 0],
];

/// Where people outside the United States were born, by region of residence.
const MIGRANTS: [[u16; 16]; 5] = [
    [0, 0, 0, 0, 0, 100, 0, 120, 250, 0, 300, 0, 0, 230, 0, 0],
    [0, 60, 250, 0, 0, 0, 80, 0, 310, 0, 150, 0, 0, 150, 0, 0],
    [0, 0, 480, 160, 280, 0, 0, 0, 0, 0, 0, 80, 0, 0, 0, 0],
    [0, 0, 600, 140, 0, 0, 80, 0, 0, 0, 0, 80, 0, 0, 50, 50],
    [0, 80, 380, 0, 0, 0, 0, 0, 0, 60, 240, 0, 240, 0, 0, 0],
];

const EMPLOYMENT_WITHOUT_DEGREE: [[u16; 9]; 6] = [
    [890, 10, 20, 0, 0, 20, 10, 50, 0],
    [860, 10, 30, 10, 0, 60, 0, 30, 0],
    [820, 10, 40, 20, 0, 90, 0, 20, 0],
    [700, 10, 50, 20, 10, 110, 0, 20, 80],
    [50, 0, 0, 0, 0, 40, 0, 0, 910],
    [0, 0, 0, 0, 0, 5, 0, 0, 995],
];
const EMPLOYMENT_WITH_DEGREE: [[u16; 9]; 6] = [
    [860, 30, 40, 30, 0, 10, 0, 30, 0],
    [790, 60, 70, 40, 10, 30, 0, 0, 0],
    [720, 60, 90, 40, 20, 70, 0, 0, 0],
    [630, 50, 90, 40, 20, 110, 0, 0, 60],
    [60, 0, 0, 0, 0, 70, 0, 0, 870],
    [0, 0, 0, 0, 0, 10, 0, 0, 990],
];

/// Occupations (the last one, for people out of work) by tier of education.
const OCCUPATION_OF_WOMEN: [[u16; 14]; 4] = [
    [45, 10, 40, 20, 20, 120, 150, 220, 180, 15, 25, 115, 25, 15],
    [90, 25, 75, 50, 45, 215, 150, 125, 110, 20, 15, 55, 20, 5],
    [130, 70, 140, 130, 110, 150, 115, 50, 65, 15, 5, 15, 4, 1],
    [150, 100, 170, 230, 130, 85, 60, 20, 40, 8, 2, 3, 1, 1],
];
const OCCUPATION_OF_MEN: [[u16; 14]; 4] = [
    [50, 15, 10, 10, 20, 55, 90, 125, 40, 40, 220, 185, 115, 25],
    [100, 45, 20, 20, 40, 90, 125, 85, 30, 65, 155, 135, 80, 10],
    [170, 155, 50, 55, 115, 90, 130, 45, 20, 50, 50, 45, 23, 2],
    [210, 190, 110, 120, 150, 60, 70, 15, 15, 20, 15, 15, 8, 2],
];

/// How many in a thousand work in a field that has nothing to do with their schooling.
const CHANGED_FIELD: i32 = 450;

/// How many times as many people farm outside the cities.
const FARMING_IN_THE_COUNTRY: u16 = 5;

/// Chances of the higher income in permille: a base by tier of education, and what other traits add.
const INCOME_BY_TIER: [i32; 4] = [60, 140, 330, 500];
const INCOME_BY_OCCUPATION: [i32; 14] = [180, 150, 80, 0, 120, -40, 0, -80, -80, 40, 20, 0, 0, -60];
const INCOME_BY_STAGE: [i32; 6] = [-150, 0, 80, 100, -20, -60];
const INCOME_BY_EMPLOYMENT: [i32; 9] = [0, -30, 0, 10, 60, 20, -60, -200, -120];

impl Person {
    /// Draws one person.
    pub fn draw(draw: &mut Draw) -> Person {
        let age = draw_age(draw);
        let stage = STAGES.iter().filter(|first| age >= **first).count();
        let sex = u8::from(!draw.chance([490, 500, 503, 508, 535, 610][stage]));
        let postcode = draw_postcode(draw);
        let country = draw_country(draw, postcode, stage);
        let education = draw_education(draw, age, stage);
        let marital = match (age, sex) {
            (17, _) => 0,
            (_, 0) => draw.pick(&MARITAL_OF_WOMEN[stage]),
            _ => draw.pick(&MARITAL_OF_MEN[stage]),
        };
        let couple = matches!(marital, 1 | 2);
        let household =
            draw.pick(if couple { &HOUSEHOLD_OF_COUPLES[stage] } else { &HOUSEHOLD_OF_OTHERS[stage] }) + 1;
        let tier = tier(education);
        let employment = draw.pick(if tier >= 2 {
            &EMPLOYMENT_WITH_DEGREE[stage]
        } else {
            &EMPLOYMENT_WITHOUT_DEGREE[stage]
        });
        let occupation = draw_occupation(draw, sex, tier, postcode);
        let income = INCOME_BY_TIER[tier]
            + INCOME_BY_OCCUPATION[usize::from(occupation)]
            + INCOME_BY_STAGE[stage]
            + INCOME_BY_EMPLOYMENT[usize::from(employment)]
            + 50 * i32::from(sex);
        let income = u8::from(draw.chance(income.clamp(5, 950)));
        let weight = 80 + draw.below(41) as u8;
        Person {
            sex,
            age,
            country,
            marital,
            education,
            postcode,
            household,
            employment,
            occupation,
            income,
            weight,
        }
    }

    /// The postcode as written. Its first digit is the region, the second tells city (1) from country (6), the third
    /// is the district: each prefix is a place of its own.
    pub fn postcode(&self) -> u32 {
        let (region, place) = (u32::from(self.postcode / 20), u32::from(self.postcode % 20));
        let (district, office) = (place / 4, place % 4);
        let area = if in_city(self.postcode) { 1 } else { 6 };
        (region + 1) * 10_000 + area * 1_000 + (district * 2 + 1) * 100 + 3 + office * 14
    }
}

/// The first three of a region's five districts lie in its city.
fn in_city(postcode: u8) -> bool {
    postcode % 20 < 12
}

/// Four tiers of education: below a diploma, a diploma, a first degree, a higher degree.
fn tier(education: u8) -> usize {
    match education {
        0 | 1 => 0,
        2..=4 => 1,
        5 | 6 => 2,
        _ => 3,
    }
}

fn draw_age(draw: &mut Draw) -> u8 {
    let band = usize::from(draw.pick(&AGE_BANDS.map(|(_, weight)| weight)));
    let first = AGE_BANDS[band].0;
    let end = AGE_BANDS.get(band + 1).map_or(AGE_END, |(next, _)| *next);
    first + draw.below(u32::from(end - first)) as u8
}

fn draw_postcode(draw: &mut Draw) -> u8 {
    let region = draw.pick(&[44, 25, 16, 10, 5]);
    let district = draw.pick(&[56, 20, 10, 10, 4]);
    let office = draw.pick(&[82, 12, 5, 1]);
    region * 20 + district * 4 + office
}

fn draw_country(draw: &mut Draw, postcode: u8, stage: usize) -> u8 {
    let migrants = [60, 90, 95, 70, 45, 30][stage];
    if draw.chance(if in_city(postcode) { migrants } else { migrants / 3 }) {
        draw.pick(&MIGRANTS[usize::from(postcode / 20)])
    } else {
        0
    }
}

fn draw_education(draw: &mut Draw, age: u8, stage: usize) -> u8 {
    let education = draw.pick(&EDUCATION[stage]);
    match EDUCATION_FROM[usize::from(education)] {
        from if age >= from => education,
        _ if age >= 18 => 4,
        _ => 1,
    }
}

fn draw_occupation(draw: &mut Draw, sex: u8, tier: usize, postcode: u8) -> u8 {
    let tier = if draw.chance(CHANGED_FIELD) { 1 } else { tier };
    let mut weights = if sex == 0 { OCCUPATION_OF_WOMEN[tier] } else { OCCUPATION_OF_MEN[tier] };
    if !in_city(postcode) {
        weights[13] *= FARMING_IN_THE_COUNTRY;
    }
    draw.pick(&weights)
}
