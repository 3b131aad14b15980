//! Planted leaks and safe releases for the three risks.

use crate::Finding;
use crate::testing::{Stage, attacked};
use privet_data::{ReadOptions, Source};

const CITIES: [&str; 4] = ["Oslo", "Bergen", "Rome", "Pisa"];
const ILLS: [&str; 4] = ["flu", "asthma", "ulcer", "gastritis"];

/// Somebody of a village in which age and city tell the illness, or nothing does.
fn person(number: usize) -> [String; 3] {
    let (age, city) = (20 + number % 40, number * number / 3 % 4);
    [age.to_string(), CITIES[city].to_string(), ILLS[(age + city) % 4].to_string()]
}

fn table(people: impl Iterator<Item = [String; 3]>) -> String {
    format!("age,city,ill\n{}", people.map(|row| row.join(",") + "\n").collect::<String>())
}

fn hidden(_: usize) -> [String; 3] {
    ["*", "*", "*"].map(String::from)
}

/// What an attack makes of the village, whose other half was left out.
fn found(name: &str, released: impl Fn(usize) -> [String; 3], holdout: bool) -> Finding {
    let stage = Stage::new(&table((0..120).step_by(2).map(person)));
    let path = stage.write("rest.csv", table((1..120).step_by(2).map(person)));
    stage.write("release.csv", table((0..120).step_by(2).map(released)));
    stage.on("release.csv", |mut scene| {
        scene.holdout = holdout.then(|| Source::open(&path, &ReadOptions::default()).expect("people"));
        attacked(name, &scene).expect("run")
    })
}

#[test]
fn a_copy_of_the_data_is_broken_by_all_three() {
    for name in ["singling-out", "linkability", "inference"] {
        let leak = found(name, person, true);
        let headline = leak.headline();
        assert!(headline.hits > headline.baseline, "{leak:?}");
        assert!(headline.control.is_some_and(|control| control < headline.hits), "{leak:?}");
        assert!(leak.more["risk"].as_f64().is_some_and(|risk| risk > 0.02), "{leak:?}");
    }
}

#[test]
fn nothing_but_stars_tells_nothing() {
    let safe = found("singling-out", hidden, true);
    assert_eq!((safe.headline().hits, safe.headline().targets), (0, 0), "{safe:?}");
    // Both halves come to any of the rows.
    let safe = found("linkability", hidden, true);
    assert!(safe.headline().hits < 60, "{safe:?}");
    let safe = found("inference", hidden, true);
    assert_eq!((safe.headline().hits, safe.headline().control), (0, Some(0)), "{safe:?}");
}

#[test]
fn without_people_who_were_left_out_the_rate_is_called_uncontrolled() {
    let found = found("linkability", person, false);
    assert!(found.headline().control.is_none() && found.headline().controlled.contains("uncontrolled"));
    assert!(found.more["risk"].is_null());
}
