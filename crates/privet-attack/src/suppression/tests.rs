//! Fillings by brute force, a planted leak, a safe release.

use proptest::prelude::*;

use super::*;

const CANCER: u32 = 0;
const ASTHMA: u32 = 1;
const FLU: u32 = 2;

fn adversary(rule: SuppressionRule, theta: &[&str]) -> Adversary {
    let theta: Vec<Exact> = theta.iter().map(|theta| Exact::parse(theta).expect("a number")).collect();
    Adversary { rule, values: (0..theta.len() as u32).collect(), theta, k: 1 }
}

/// A class with this many records per value, suppressed by the adversary's rule.
fn class(adversary: &Adversary, counts: &[u64]) -> SuppressedClass {
    let before: BTreeMap<u32, u64> =
        (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
    let size: u64 = counts.iter().sum();
    let shown = match adversary.rule {
        SuppressionRule::Records => adversary.kept(before.clone()),
        SuppressionRule::Cells => {
            let within = |(value, count): &(&u32, &u64)| {
                let theta = adversary.theta[**value as usize];
                **count * theta.denominator() <= theta.numerator() * size
            };
            before.iter().filter(within).map(|(value, count)| (*value, *count)).collect()
        }
    };
    let starred =
        if adversary.rule == SuppressionRule::Cells { size - shown.values().sum::<u64>() } else { 0 };
    SuppressedClass { before, shown, starred }
}

fn score(adversary: &Adversary, counts: &[u64]) -> SuppressionScore {
    let mut score = SuppressionScore::default();
    score.add(adversary, &class(adversary, counts), Some(FLU));
    score
}

#[test]
fn the_class_of_table_3_2_has_two_fillings() {
    let adversary = adversary(SuppressionRule::Cells, &["0.3", "0.4", "0.5"]);
    let class = class(&adversary, &[2, 1, 0]);
    assert_eq!((class.shown(), class.starred), (1, 2), "Asthma, *, *");
    let candidates = adversary.candidates(&class);
    assert_eq!(candidates.iter().map(|one| one.value).collect::<Vec<_>>(), [CANCER, FLU]);
    let expected = adversary.expect(&class, &candidates);
    let two = BigUint::from(2u32);
    // Both cancer or both flu, so of three people one has cancer in expectation: more than 0.3.
    assert_eq!(expected, Expected { sums: vec![two.clone(); 2], fillings: two, exact: true });
    assert!(adversary.is_surer(&class, &candidates, &expected));
    let found = score(&adversary, &[2, 1, 0]);
    assert_eq!((found.hidden, found.recovered, found.people, found.surer), (2, 0, 3, 3));
}

#[test]
fn a_planted_leak_is_found() {
    // With two values, one of them shown, a * can only be the other.
    let cells = adversary(SuppressionRule::Cells, &["1/2", "1/2"]);
    let found = score(&cells, &[3, 1]);
    assert_eq!(found, SuppressionScore { hidden: 3, recovered: 3, usual: 0, people: 4, surer: 4, rough: 0 });
    // Of five records three stay, two of them at the cap of 2/3: what went had the same value.
    let records = adversary(SuppressionRule::Records, &["2/3", "2/3", "2/3"]);
    let found = score(&records, &[0, 1, 4]);
    assert_eq!(found, SuppressionScore { hidden: 2, recovered: 2, usual: 2, people: 5, surer: 5, rough: 0 });
}

#[test]
fn a_safe_release_yields_nothing() {
    let ten = ["1/5"; 10];
    let cells = adversary(SuppressionRule::Cells, &ten);
    // A lone * may be any of ten values, so nobody becomes surer than a tenth.
    let found = score(&cells, &[1]);
    assert_eq!((found.hidden, found.recovered, found.surer), (1, 0, 0));
    let records = adversary(SuppressionRule::Records, &ten);
    let found = score(&records, &[1, 1]);
    assert_eq!((found.hidden, found.recovered, found.surer), (2, 0, 0), "the class vanished whole");
    // Nothing suppressed, nothing to attack.
    assert_eq!(score(&cells, &[1; 10]), SuppressionScore::default());
    assert_eq!(score(&records, &[1; 10]), SuppressionScore::default());
}

#[test]
fn a_value_that_could_have_stayed_was_not_removed() {
    // Flu stands at 8 of 9, its cap of 0.9 · 9 rounded down; a ninth would have been 9 of 10 and allowed.
    let adversary = adversary(SuppressionRule::Records, &["0.12", "0.05", "0.9"]);
    let class = class(&adversary, &[2, 0, 8]);
    assert_eq!(class.shown, BTreeMap::from([(CANCER, 1), (FLU, 8)]));
    let values: Vec<u32> = adversary.candidates(&class).iter().map(|one| one.value).collect();
    assert_eq!(values, [CANCER, ASTHMA]);
}

#[test]
fn too_many_fillings_are_shared_out_and_said_so() {
    let theta: Vec<String> = (0..40).map(|value| format!("1/{}", 100 + value)).collect();
    let theta: Vec<&str> = theta.iter().map(String::as_str).collect();
    let found = score(&adversary(SuppressionRule::Cells, &theta), &[40, 30, 30]);
    assert_eq!((found.hidden, found.rough), (100, 100));
    let finding = found.finding(SuppressionRule::Cells);
    assert!(finding.assumes.contains("100 people"), "{}", finding.assumes);
    assert!(
        finding.warning.contains("recovers 0 of 100 (0.0 %) of the suppressed cells"),
        "{}",
        finding.warning
    );
}

/// All ways to give the suppressed values, by trying each count of each value there is.
fn by_brute_force(adversary: &Adversary, shown: &SuppressedClass) -> (Vec<u64>, u64) {
    let hidden = shown.hidden(adversary.rule);
    let (mut sums, mut fillings) = (vec![0; adversary.values.len()], 0);
    each_composition(hidden, 0, &mut vec![0; adversary.values.len()], &mut |filling| {
        let seen = |value: u32| shown.shown.get(&value).copied().unwrap_or(0);
        let counts: Vec<u64> = (0..).zip(filling).map(|(value, count)| seen(value) + count).collect();
        let again = class(adversary, &counts);
        if again.shown == shown.shown && again.starred == shown.starred {
            fillings += 1;
            sums.iter_mut().zip(filling).for_each(|(sum, count)| *sum += count);
        }
    });
    (sums, fillings)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_expected_is_the_mean_of_all_consistent_fillings(
        counts in prop::collection::vec(0u64..6, 4),
        tenths in prop::collection::vec(0u64..=10, 4),
        cells in any::<bool>(),
        k in 1u64..4,
    ) {
        let theta: Vec<String> = tenths.iter().map(|tenth| format!("{tenth}/10")).collect();
        let theta: Vec<&str> = theta.iter().map(String::as_str).collect();
        let rule = if cells { SuppressionRule::Cells } else { SuppressionRule::Records };
        let adversary = Adversary { k: if cells { 1 } else { k }, ..adversary(rule, &theta) };
        let class = class(&adversary, &counts);
        prop_assume!(class.hidden(rule) > 0);
        let (sums, fillings) = by_brute_force(&adversary, &class);
        let candidates = adversary.candidates(&class);
        let expected = adversary.expect(&class, &candidates);
        prop_assert!(expected.exact);
        for (value, sum) in sums.iter().enumerate() {
            let place = candidates.iter().position(|candidate| candidate.value as usize == value);
            let found = place.map_or(BigUint::ZERO, |place| expected.sums[place].clone());
            prop_assert_eq!(found * fillings, &expected.fillings * *sum, "value {}", value);
        }
        let possible = sums.iter().filter(|sum| **sum > 0).count();
        if adversary.k == 1 {
            prop_assert_eq!(candidates.len(), possible, "every candidate is possible");
        }
    }
}

mod files {
    use crate::testing::Stage;

    fn stage(suppression: &str, theta: &str, original: &str) -> Stage {
        let policy = format!(
            "[data]\npath = \"table.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n[columns.city]\n\
             role = \"quasi-identifier\"\nhierarchy = \"city.csv\"\n[columns.ill]\nrole = \"sensitive\"\n\
             [privacy.l-plus-diversity]\ncolumn = \"ill\"\ndefault = \"{theta}\"\n\
             [method]\nname = \"l-plus-optimize\"\nsuppression = \"{suppression}\"\n"
        );
        Stage::with(&policy, original)
    }

    #[test]
    fn suppressed_cells_are_read_back_from_the_file() {
        let original = "age,city,ill\n30,Oslo,flu\n30,Oslo,flu\n30,Oslo,flu\n30,Oslo,ulcer\n";
        let released = "age,city,ill\n30,Oslo,*\n30,Oslo,*\n30,Oslo,*\n30,Oslo,ulcer\n";
        let found = stage("vio-sa", "1/2", original).attack("suppression", released).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (3, 3), "{found:?}");
        assert_eq!((found.figures[1].targets, found.figures[1].hits), (4, 4), "{found:?}");
        // Where all cells of the class are suppressed, flu and ulcer are both possible.
        let reason = stage("all-sa", "1/2", original).attack("suppression", released);
        assert!(reason.expect_err("another scheme").contains("vio-sa"));
        let even = "age,city,ill\n30,Oslo,flu\n30,Oslo,ulcer\n";
        let found = stage("vio-sa", "1/2", even).attack("suppression", even).expect("a finding");
        assert_eq!(found.headline().targets, 0, "nothing is suppressed: {found:?}");
    }

    #[test]
    fn removed_records_are_told_by_who_is_missing() {
        // Of five, flu may have two thirds: two of four stay. In Rome the whole class is gone.
        let mut original = "age,city,ill\n30,Oslo,ulcer\n".to_string() + &"30,Oslo,flu\n".repeat(4);
        original += "30,Rome,flu\n";
        let released = "age,city,ill\n30,Oslo,ulcer\n30,Oslo,flu\n30,Oslo,flu\n";
        let found = stage("vio-rec", "2/3", &original).attack("suppression", released).expect("a finding");
        assert_eq!((found.headline().targets, found.headline().hits), (3, 2), "{found:?}");
    }
}
