use super::background_join::succeeds;
use super::linkability::linkability;
use super::*;
use crate::engine::clock::Clock;
use crate::method::codip::decide;
use crate::method::codip::tests::generated::policy_of;

/// Four people who look alike: a tells b, and neither tells c.
const ROWS: [&str; 4] = ["x,1,1,1", "x,1,1,2", "x,2,2,1", "x,2,2,2"];

#[test]
fn what_stands_in_one_row_follows_and_what_does_not_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let decided = |limits: &str| {
        let policy = policy_of(folder.path(), "q,a,b,c", &ROWS.map(str::to_string), &[], limits);
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        let decision = decide(&policy, &microdata, &Clock::unlimited()).expect("a plan");
        (microdata, decision)
    };
    let (microdata, one) = decided("alpha = 1\nbeta = 1");
    let published =
        Published { microdata: &microdata, attributes: &one.attributes, tables: &one.projections };
    // a and b tell each other; c leaves two values of both.
    let [surely, nearly] = succeeds(published);
    assert_eq!((surely.pairs, surely.people, surely.surprised), (8, 4, 0));
    assert_eq!(nearly, surely);
    assert_eq!(linkability(published).value, 0.5);
    let (microdata, several) = decided("alpha = 1\nbeta = 0");
    let published =
        Published { microdata: &microdata, attributes: &several.attributes, tables: &several.projections };
    // a with b exposes nothing new (each tells the other in the whole table already), so they may stay together.
    let people: u64 = succeeds(published)[0].people;
    assert!(people == 0 || several.projections.iter().any(|table| table.attributes == [0, 1]));
    assert_eq!(linkability(published).across, 0.25);
}
