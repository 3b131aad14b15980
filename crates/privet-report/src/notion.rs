//! What a privacy notion promises, and what it does not: the honest matrix in plain words.
//!
//! A report that only lists what holds invites its reader to believe the rest. So the notions asked for are set against
//! every attack that is known, and where several notions stand together the strongest answer counts.

use serde::{Deserialize, Serialize};

/// A privacy notion with its parameters, as far as a report has to know them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "notion", rename_all = "kebab-case")]
pub enum Notion {
    /// Every record shares its quasi-identifiers with at least k − 1 others.
    KAnonymity {
        /// The least size of a class.
        k: u64,
    },
    /// Every class has diverse sensitive values.
    LDiversity {
        /// The sensitive column.
        column: String,
        /// The parameter l, as the policy writes it.
        l: String,
        /// Which of the definitions.
        kind: Diversity,
    },
    /// In every class the sensitive column is distributed nearly as in the whole table.
    TCloseness {
        /// The sensitive column.
        column: String,
        /// The parameter t, as the policy writes it.
        t: String,
        /// The ground distance in words: `equal`, `ordered` or `hierarchical`.
        distance: String,
    },
    /// Any other notion, which brings its own words.
    Other {
        /// The notion's name.
        name: String,
        /// What it promises, as a clause: "no value of disease has a share above 3/10 in any class".
        promise: String,
        /// The column it protects, where there is one.
        column: Option<String>,
        /// Its row in the honest matrix; attacks that are left out are not covered.
        protections: Vec<Protection>,
    },
}

/// The definitions of l-diversity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Diversity {
    /// At least l distinct values.
    Distinct,
    /// No value above 1/l.
    Frequency,
    /// Entropy of at least log l.
    Entropy,
    /// The most frequent value below c times the tail from the l-th value on.
    Recursive {
        /// The parameter c, as the policy writes it.
        c: String,
    },
}

/// How far a release protects against an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cover {
    /// Not covered at all.
    Uncovered,
    /// Made harder by the way the release is written, without a proof.
    Mitigated,
    /// Bounded by a proof, but only in part.
    Partly,
    /// Bounded by a proof under the stated attacker.
    Bounded,
}

/// An attack against which releases are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attack {
    /// Finding a known person’s record by the quasi-identifiers.
    Linking,
    /// Everybody in a class has the same sensitive value.
    Homogeneity,
    /// A value is far more frequent in a class than overall.
    Skew,
    /// The values of a class differ but mean nearly the same.
    Similarity,
    /// A column that nobody declared tells people apart.
    UndeclaredColumns,
    /// Knowledge about what a person cannot have, or has besides.
    OutsideKnowledge,
    /// Inference from the fact that the method changed or withheld something.
    Minimality,
    /// Inference from the fact that the release is as detailed as it may be.
    Downcoding,
    /// Learning from the release how columns go together.
    StatisticalInference,
    /// Several releases about the same people.
    Composition,
    /// Record order and hidden parts of files.
    FilesAndOrder,
    /// Predicates that isolate somebody, and presence in the data.
    SinglingOut,
    /// Finding a known person’s transaction by items that it holds or lacks.
    KnownItems,
    /// Learning a sensitive item of a known person.
    SensitiveItems,
    /// Knowing more items than the requirement assumes.
    MoreKnowledge,
    /// Knowing that one of several things is true, without knowing which.
    Alternatives,
    /// Several records of one person.
    SeveralRecords,
    /// Several transactions of one person.
    SeveralTransactions,
    /// Knowing a sensitive item beforehand.
    KnownSensitiveItem,
    /// An item that is delicate, but was not declared so.
    UndeclaredItems,
    /// Finding a known person’s vocabulary by terms that they used.
    KnownTerms,
    /// Several sessions of one person.
    SeveralSessions,
    /// A term that hardly anybody else used.
    RareTerms,
    /// Everybody in a class has the terms that are printed for it.
    SharedTerms,
    /// A term that is delicate by itself.
    DelicateTerms,
    /// That somebody in a class has a value which its label names.
    PresenceOfValue,
}

/// How far a release protects against one attack, in plain words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    /// The attack.
    pub attack: Attack,
    /// How far the release protects.
    pub cover: Cover,
    /// What that means here. Printed in both editions.
    pub meaning: String,
}

impl Attack {
    /// What a table is held against.
    const ON_TABLES: [Attack; 13] = [
        Attack::Linking,
        Attack::Homogeneity,
        Attack::Skew,
        Attack::Similarity,
        Attack::UndeclaredColumns,
        Attack::OutsideKnowledge,
        Attack::Minimality,
        Attack::Downcoding,
        Attack::StatisticalInference,
        Attack::Composition,
        Attack::SeveralRecords,
        Attack::FilesAndOrder,
        Attack::SinglingOut,
    ];

    /// A short name for the attack.
    pub fn name(self) -> &'static str {
        match self {
            Attack::Linking => "Linking by quasi-identifiers",
            Attack::Homogeneity => "Everybody alike has the same value",
            Attack::Skew => "A value is much likelier than usual",
            Attack::Similarity => "Different values, same meaning",
            Attack::UndeclaredColumns => "Columns nobody thought of",
            Attack::OutsideKnowledge => "Outside knowledge",
            Attack::Minimality => "Reasoning about the method",
            Attack::Downcoding => "Undoing the generalisation",
            Attack::StatisticalInference => "Statistical inference",
            Attack::Composition => "Several releases about the same people",
            Attack::FilesAndOrder => "Record order and file internals",
            Attack::SinglingOut => "Singling out, and presence in the data",
            Attack::KnownItems => "Finding somebody by known items",
            Attack::SensitiveItems => "Learning a sensitive item",
            Attack::MoreKnowledge => "Knowing more than was assumed",
            Attack::Alternatives => "Knowing “this or that”",
            Attack::SeveralRecords => "Several records of one person",
            Attack::SeveralTransactions => "Several transactions of one person",
            Attack::KnownSensitiveItem => "Knowing a sensitive item already",
            Attack::UndeclaredItems => "Delicate items nobody declared",
            Attack::KnownTerms => "Finding somebody by terms they used",
            Attack::SeveralSessions => "Several sessions of one person",
            Attack::RareTerms => "A term that hardly anybody used",
            Attack::SharedTerms => "Everybody alike used the same terms",
            Attack::DelicateTerms => "Delicate terms",
            Attack::PresenceOfValue => "Presence of a value",
        }
    }

    /// What it means that no notion asked for covers the attack.
    pub(super) fn uncovered(self) -> &'static str {
        match self {
            Attack::Linking => {
                "No k-anonymity was asked for: a person may be alone with their quasi-identifiers and can then be found."
            }
            Attack::Homogeneity => {
                "People who look alike may all share one sensitive value; it is then known without finding the record."
            }
            Attack::Skew => {
                "A sensitive value may be far more frequent among people who look alike than in the whole table."
            }
            Attack::Similarity => {
                "Values that differ in name but not in meaning, such as three kinds of cancer, count as diverse."
            }
            Attack::UndeclaredColumns => {
                "Only the columns declared as quasi-identifiers are protected. Any other column that an outsider knows can \
                 still tell people apart."
            }
            Attack::OutsideKnowledge => {
                "Someone who knows what a person cannot have, or knows another of their sensitive values, can rule out \
                 records and become surer than promised."
            }
            Attack::Minimality => {
                "The method looked at sensitive values when it decided what to change or withhold; knowing the method, one \
                 may infer some of them back."
            }
            Attack::Downcoding => {
                "A release as detailed as the rules allow shows which finer values were refused; some can be inferred back."
            }
            Attack::StatisticalInference => {
                "Patterns learned from the release itself, such as who usually has what, let an outsider guess better than \
                 the promised odds."
            }
            Attack::Composition => {
                "A second release about the same people can be intersected with this one. Do not publish another without \
                 checking both together."
            }
            Attack::FilesAndOrder => "Record order and file internals were not checked.",
            Attack::SinglingOut => {
                "It can be seen that certain people are in the data, and a clever question may still isolate somebody."
            }
            Attack::KnownItems => {
                "k is 1: anyone who knows a few items of somebody’s transaction may find it, and all the rest of it."
            }
            Attack::SensitiveItems => {
                "No limit was asked for: all transactions that fit what is known may hold the same sensitive item."
            }
            Attack::MoreKnowledge => {
                "Anyone who knows more about somebody’s transaction may find that a single one fits. Nothing is promised then."
            }
            Attack::Alternatives => {
                "Someone who knows that one of several things is true, but not which, can become surer than promised."
            }
            Attack::SeveralRecords => {
                "Each record is taken for another person. Anyone who has several may make up a class alone, or most of one."
            }
            Attack::SeveralTransactions => {
                "Each transaction is taken for another person. Anyone who has several can be found by what they have in \
                 common."
            }
            Attack::KnownSensitiveItem => {
                "Sensitive items are published as they are. Who knows that somebody’s transaction holds one can find it \
                 by it; only knowledge of the other items is limited."
            }
            Attack::UndeclaredItems => {
                "Only the declared items count as sensitive. How sure one becomes of any other item that is published as \
                 itself has no limit."
            }
            Attack::KnownTerms => {
                "k is 1: anyone who knows a few terms that somebody used may find all the others."
            }
            Attack::SeveralSessions => {
                "Vocabularies that look alike may all be of one person, whose name is then as good as known. Ask for \
                 distinct_users, which needs a column that says whose is whose."
            }
            Attack::RareTerms => {
                "A printed term may come from one person: a name, a street, an illness. Ask for min_term_users."
            }
            Attack::SharedTerms => {
                "Vocabularies that look alike share every printed term. Who knows which ones somebody’s is among knows that \
                 the person used these terms, or terms near them."
            }
            Attack::PresenceOfValue => {
                "A label may say that somebody among those who look alike has one of its values."
            }
            Attack::DelicateTerms => {
                "No term counts as sensitive by itself: an illness is treated like a pair of shoes."
            }
        }
    }
}

impl Notion {
    /// The notion with its parameters, in short.
    ///
    /// ```
    /// use privet_report::Notion;
    /// assert_eq!(Notion::KAnonymity { k: 5 }.name(), "5-anonymity");
    /// ```
    pub fn name(&self) -> String {
        match self {
            Notion::KAnonymity { k } => format!("{k}-anonymity"),
            Notion::LDiversity { column, l, kind } => match kind {
                Diversity::Distinct => format!("distinct {l}-diversity of {column}"),
                Diversity::Frequency => format!("frequency {l}-diversity of {column}"),
                Diversity::Entropy => format!("entropy {l}-diversity of {column}"),
                Diversity::Recursive { c } => format!("recursive ({c}, {l})-diversity of {column}"),
            },
            Notion::TCloseness { column, t, .. } => format!("{t}-closeness of {column}"),
            Notion::Other { name, .. } => name.clone(),
        }
    }

    /// What the notion promises, as a clause that can follow "In this release".
    pub fn promise(&self) -> String {
        match self {
            Notion::KAnonymity { k: 0 | 1 } => "records may stand alone, for k = 1 asks nothing".to_string(),
            Notion::KAnonymity { k } => {
                let others = if *k == 2 { "one other".to_string() } else { format!("{} others", k - 1) };
                format!("every record looks the same as at least {others} on its quasi-identifiers")
            }
            Notion::LDiversity { column, l, kind } => match kind {
                Diversity::Distinct => {
                    format!(
                        "everyone who looks alike has at least {l} different values of {column} among them"
                    )
                }
                Diversity::Frequency => {
                    format!("no value of {column} is shared by more than 1 in {l} of those who look alike")
                }
                Diversity::Entropy => format!(
                    "the values of {column} among those who look alike are at least as mixed as {l} equally frequent ones"
                ),
                Diversity::Recursive { c } => format!(
                    "the commonest value of {column} among those who look alike stays below {c} times the sum of the \
                     values from rank {l} on"
                ),
            },
            Notion::TCloseness { column, t, .. } => format!(
                "{column} is distributed among those who look alike within a distance of {t} from the whole table"
            ),
            Notion::Other { promise, .. } => promise.clone(),
        }
    }

    /// The sensitive column that the notion protects, where it protects one.
    pub fn column(&self) -> Option<&str> {
        match self {
            Notion::KAnonymity { .. } => None,
            Notion::LDiversity { column, .. } | Notion::TCloseness { column, .. } => Some(column),
            Notion::Other { column, .. } => column.as_deref(),
        }
    }

    /// Whether a method that serves this notion decides by quasi-identifiers alone.
    fn ignores_sensitive_values(&self) -> bool {
        matches!(self, Notion::KAnonymity { .. })
    }

    fn against(&self, attack: Attack) -> Option<Protection> {
        let answer = |cover, meaning: String| Some(Protection { attack, cover, meaning });
        match (self, attack) {
            (Notion::KAnonymity { k }, Attack::Linking) if *k > 1 => answer(
                Cover::Bounded,
                format!(
                    "Someone who knows a person’s quasi-identifiers finds their record with a chance of at most 1 in {k}."
                ),
            ),
            (Notion::LDiversity { column, l, kind }, Attack::Homogeneity) => match kind {
                Diversity::Distinct => answer(
                    Cover::Partly,
                    format!(
                        "Among those who look alike there are at least {l} values of {column}, but one of them may be \
                         nearly certain."
                    ),
                ),
                Diversity::Frequency => answer(
                    Cover::Bounded,
                    format!("A person’s {column} is known with a confidence of at most 1 in {l}."),
                ),
                Diversity::Entropy => answer(
                    Cover::Bounded,
                    format!(
                        "The entropy of {column} among those who look alike keeps any value from being certain."
                    ),
                ),
                Diversity::Recursive { c } => answer(
                    Cover::Bounded,
                    format!(
                        "The share of the commonest {column} among those who look alike is limited by c = {c}."
                    ),
                ),
            },
            (Notion::LDiversity { column, l, kind: Diversity::Frequency }, Attack::Skew) => answer(
                Cover::Partly,
                format!(
                    "No {column} is ever likelier than 1 in {l}; a rare value may still be many times likelier than usual."
                ),
            ),
            (Notion::TCloseness { column, t, distance }, Attack::Skew) => answer(
                Cover::Bounded,
                format!(
                    "Looking alike changes what can be believed about {column} by at most {t}, in the {distance} distance."
                ),
            ),
            (Notion::TCloseness { column, .. }, Attack::Homogeneity) => answer(
                Cover::Partly,
                format!(
                    "{column} can be shared by all who look alike only where it is nearly so in the whole table."
                ),
            ),
            (Notion::Other { protections, .. }, _) => {
                protections.iter().find(|protection| protection.attack == attack).cloned()
            }
            _ => None,
        }
    }
}

/// Sets the notions asked for against every attack; sensitive columns that no notion names are called out.
///
/// The result keeps the matrix's order, and says of each attack the strongest thing that any notion proves.
pub fn protections(notions: &[Notion], sensitive: &[&str]) -> Vec<Protection> {
    let unguarded = sensitive
        .iter()
        .filter(|column| !notions.iter().any(|notion| notion.column() == Some(column)))
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    Attack::ON_TABLES
        .into_iter()
        .map(|attack| {
            let strongest = notions
                .iter()
                .filter_map(|notion| notion.against(attack))
                .reduce(|best, next| if next.cover > best.cover { next } else { best });
            let mut protection = strongest.unwrap_or_else(|| match attack {
                Attack::Minimality if notions.iter().all(Notion::ignores_sensitive_values) => Protection {
                    attack,
                    cover: Cover::Bounded,
                    meaning:
                        "The requirement concerns quasi-identifiers alone, so what was changed says nothing \
                              about sensitive values."
                            .to_string(),
                },
                Attack::FilesAndOrder => Protection {
                    attack,
                    cover: Cover::Mitigated,
                    meaning:
                        "Records are shuffled and files are written anew, without leftovers of the original."
                            .to_string(),
                },
                _ => Protection { attack, cover: Cover::Uncovered, meaning: attack.uncovered().to_string() },
            });
            if attack == Attack::Homogeneity && !unguarded.is_empty() && protection.cover > Cover::Uncovered {
                protection.cover = Cover::Partly;
                protection.meaning.push_str(&format!(" No requirement protects {unguarded}."));
            }
            protection
        })
        .collect()
}

/// What labels that follow the data take away from the matrix of a table: sets of values that occur, and rests of refined
/// classes. They were not known before the data were.
pub(crate) fn limited_by_labels(protections: &mut Vec<Protection>, labels: DataLabels) {
    if labels.sets {
        protections.push(Protection {
            attack: Attack::PresenceOfValue,
            cover: Cover::Partly,
            meaning: "A set says that each of its values occurs among those who look alike. It does not say who has it.".to_string(),
        });
    }
    let rows = protections.iter_mut().filter(|entry| entry.attack == Attack::Minimality);
    for entry in rows.filter(|entry| !labels.are_known_before() && entry.cover > Cover::Partly) {
        entry.cover = Cover::Partly;
        let added = match labels.refined {
            true => {
                "Labels follow the data: that some keep a more general label says that they have none of the values which \
                 others show below it."
            }
            false => "Labels follow the data: where the classes were divided depends on who is in it.",
        };
        entry.meaning = format!("{} {added}", entry.meaning);
    }
}

/// Labels that follow the data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataLabels {
    /// Some columns show the set of the values that occur.
    pub sets: bool,
    /// Classes were refined, with rests that keep a more general label.
    pub refined: bool,
}

impl DataLabels {
    /// Whether there are none.
    pub fn are_known_before(&self) -> bool {
        !self.sets && !self.refined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_follow_the_data_are_partly_covered() {
        let labels = DataLabels { sets: true, refined: false };
        let mut rows = protections(&[Notion::KAnonymity { k: 5 }], &[]);
        limited_by_labels(&mut rows, labels);
        let cover = |attack| rows.iter().find(|entry| entry.attack == attack).map(|entry| entry.cover);
        assert_eq!(cover(Attack::Minimality), Some(Cover::Partly));
        assert_eq!(cover(Attack::PresenceOfValue), Some(Cover::Partly));
        // What is not covered at all stays so.
        let mut rows = protections(&[frequency("disease")], &["disease"]);
        limited_by_labels(&mut rows, DataLabels { sets: false, refined: true });
        assert!(
            rows.iter().any(|entry| entry.attack == Attack::Minimality && entry.cover == Cover::Uncovered)
        );
        assert!(rows.iter().all(|entry| entry.attack != Attack::PresenceOfValue));
    }

    fn cover(notions: &[Notion], sensitive: &[&str], attack: Attack) -> Cover {
        let found = protections(notions, sensitive).into_iter().find(|entry| entry.attack == attack);
        found.map(|entry| entry.cover).unwrap_or(Cover::Uncovered)
    }

    fn frequency(column: &str) -> Notion {
        Notion::LDiversity { column: column.into(), l: "3".into(), kind: Diversity::Frequency }
    }

    #[test]
    fn k_anonymity_covers_linking_and_little_else() {
        let k = [Notion::KAnonymity { k: 5 }];
        assert_eq!(cover(&k, &["disease"], Attack::Linking), Cover::Bounded);
        assert_eq!(cover(&k, &["disease"], Attack::Minimality), Cover::Bounded);
        for attack in [Attack::Homogeneity, Attack::Skew, Attack::Composition, Attack::SinglingOut] {
            assert_eq!(cover(&k, &["disease"], attack), Cover::Uncovered, "{attack:?}");
        }
    }

    #[test]
    fn diversity_alone_lets_a_person_be_found_and_the_method_be_reasoned_about() {
        let l = [frequency("disease")];
        assert_eq!(cover(&l, &["disease"], Attack::Linking), Cover::Uncovered);
        assert_eq!(cover(&l, &["disease"], Attack::Homogeneity), Cover::Bounded);
        assert_eq!(cover(&l, &["disease"], Attack::Minimality), Cover::Uncovered);
    }

    #[test]
    fn closeness_bounds_skew_but_not_similarity() {
        let t = [Notion::TCloseness { column: "pay".into(), t: "1/5".into(), distance: "ordered".into() }];
        assert_eq!(cover(&t, &["pay"], Attack::Skew), Cover::Bounded);
        assert_eq!(cover(&t, &["pay"], Attack::Similarity), Cover::Uncovered);
    }

    #[test]
    fn a_sensitive_column_that_no_notion_names_is_called_out() {
        let notions = [Notion::KAnonymity { k: 2 }, frequency("disease")];
        assert_eq!(cover(&notions, &["disease", "income"], Attack::Homogeneity), Cover::Partly);
        let all = protections(&notions, &["disease", "income"]);
        assert!(all.iter().any(|entry| entry.meaning.contains("No requirement protects income")));
    }

    #[test]
    fn k_of_one_promises_nothing() {
        assert_eq!(cover(&[Notion::KAnonymity { k: 1 }], &[], Attack::Linking), Cover::Uncovered);
    }
}
