//! What the matrix says about vocabularies.

use super::super::notion::{Attack, Cover};
use super::*;

fn limit(k: u64) -> VocabularyLimit {
    VocabularyLimit {
        description: String::new(),
        k,
        distinct_users: false,
        users_known: false,
        min_term_users: 1,
        whole_users: false,
    }
}

fn cover(limit: &VocabularyLimit, attack: Attack) -> Cover {
    let found = protections(limit).into_iter().find(|entry| entry.attack == attack);
    found.map(|entry| entry.cover).expect("an entry")
}

#[test]
fn the_matrix_follows_the_guards() {
    let bare = limit(5);
    assert_eq!(cover(&bare, Attack::KnownTerms), Cover::Bounded);
    assert_eq!(cover(&bare, Attack::SeveralSessions), Cover::Uncovered);
    assert_eq!(cover(&bare, Attack::RareTerms), Cover::Uncovered);
    let guarded = VocabularyLimit { distinct_users: true, users_known: true, min_term_users: 5, ..limit(5) };
    assert_eq!(cover(&guarded, Attack::SeveralSessions), Cover::Partly);
    assert_eq!(cover(&guarded, Attack::RareTerms), Cover::Bounded);
    let whole = VocabularyLimit { whole_users: true, ..guarded };
    assert_eq!(cover(&whole, Attack::SeveralSessions), Cover::Bounded);
    // Sharing every printed term is what the notion is, so it protects from that in no setting.
    assert_eq!(cover(&whole, Attack::SharedTerms), Cover::Uncovered);
    assert_eq!(cover(&limit(1), Attack::KnownTerms), Cover::Uncovered);
}

#[test]
fn the_promise_names_what_is_guarded() {
    assert_eq!(promise(&limit(2)), "every vocabulary is identical to at least one other");
    let guarded = VocabularyLimit { distinct_users: true, min_term_users: 3, ..limit(4) };
    assert_eq!(
        promise(&guarded),
        "every vocabulary is identical to at least 3 others, each of another user, and no term is printed that fewer than \
         3 people used"
    );
    assert!(promise(&limit(1)).contains("nothing is promised"));
}
