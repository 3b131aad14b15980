//! What name and values of a column tell, before roles are weighed against each other.

use super::content::{Content, content};
use super::kind::ValueKind;
use super::lexicon::{self, Standing, Topic};
use super::profile::ColumnProfile;

/// Most values of numbers without gaps that stand for categories.
pub(super) const MOST_CATEGORIES: u64 = 20;

/// Characters of a grade at most, as in `sehr gut (1,3)`; what is longer is a remark.
const LONGEST_GRADE: usize = 16;

/// What is known about a column before roles are weighed against each other.
pub(super) struct Understood {
    pub words: Vec<String>,
    pub topic: Option<(Topic, String)>,
    pub content: Option<Content>,
}

impl Understood {
    pub fn of(column: &ColumnProfile) -> Understood {
        let words = lexicon::plain_words(&column.name);
        let topic = lexicon::topic(&words).filter(|(topic, _)| fits(*topic, column));
        Understood { content: content(column), words, topic }
    }

    pub fn is(&self, topic: Topic) -> bool {
        self.topic.as_ref().is_some_and(|(found, _)| *found == topic)
    }

    pub fn standing(&self) -> Option<Standing> {
        self.topic.as_ref().map(|(topic, _)| topic.standing())
    }

    /// Whether the name says what it is about, so that values that differ need not be numbers of records.
    pub fn is_known(&self) -> bool {
        matches!(self.standing(), Some(Standing::Known | Standing::Secret | Standing::Livelihood))
    }

    /// Whether it holds postcodes.
    pub fn is_postal(&self) -> bool {
        self.is(Topic::Postcode) || self.content == Some(Content::Postcodes)
    }
}

/// Whether the values can be what the name says: some words mean other things too.
fn fits(topic: Topic, column: &ColumnProfile) -> bool {
    let (least, greatest) = column.shape.bounds;
    let number = matches!(column.kind(), ValueKind::Whole | ValueKind::Number);
    match topic {
        Topic::Age => {
            !number || (0.0..=130.0).contains(&least) && greatest <= 130.0 || (-99.0..0.0).contains(&least)
        }
        Topic::Sex | Topic::Marital => column.distinct() <= 20,
        Topic::Postcode => column.shape.lengths.1 <= 10,
        Topic::Birth => column.kind() != ValueKind::Number,
        Topic::Weight => number,
        // In some languages a note is a grade.
        Topic::Remark => column.kind() == ValueKind::Text && column.shape.lengths.1 > LONGEST_GRADE,
        _ => true,
    }
}

/// Whether the data is about people's health.
pub(super) fn is_health_data(understood: &[Understood]) -> bool {
    let words = [
        "patient",
        "patients",
        "hospital",
        "bmi",
        "blood",
        "krankenhaus",
        "hopital",
        "ospedale",
        "ziekenhuis",
    ];
    understood.iter().any(|about| {
        about.is(Topic::Health)
            || about.content == Some(Content::Diagnoses)
            || about.words.iter().any(|word| words.contains(&word.as_str()))
            || about.is(Topic::Event)
                && about.words.iter().any(|word| word.starts_with("admi") || word.starts_with("disch"))
    })
}

/// Whether whole numbers stand for categories: few values without gaps, from 0 or 1 on, and the name speaks of no amount.
pub(super) fn are_categories(column: &ColumnProfile, about: &Understood) -> bool {
    let (least, greatest) = column.shape.bounds;
    let counts_things = matches!(
        &about.topic,
        Some((Topic::Age | Topic::Birth | Topic::Family | Topic::Body | Topic::Money | Topic::Education, _))
    ) || about.is(Topic::Occupation) && column.distinct() > MOST_CATEGORIES
        || lexicon::speaks_of_amounts(&about.words);
    column.kind() == ValueKind::Whole
        && (3..=MOST_CATEGORIES).contains(&column.distinct())
        && (0.0..=1.0).contains(&least)
        && greatest - least + 1.0 == column.distinct() as f64
        && !counts_things
}

/// Whether a column holds postcodes, going by its name.
pub(super) fn is_postal(name: &str) -> bool {
    lexicon::topic(&lexicon::plain_words(name)).is_some_and(|(topic, _)| topic == Topic::Postcode)
}
