//! l+-diversity on whole files: thresholds, suppressed cells and missing records under every scheme.

use std::collections::BTreeMap;

use num_rational::Ratio;
use proptest::prelude::*;

use super::naive::*;
use super::*;

const HALF: &str = "[privacy.l-plus-diversity]\ncolumn = \"disease\"\nl = 2\n";

fn with_scheme(requirements: &str, scheme: &str) -> Case {
    Case::new(&format!("{requirements}[method]\nname = \"l-plus-optimize\"\nsuppression = \"{scheme}\"\n"))
}

/// The good release with the first class's sensitive cells suppressed, and with one of them only.
fn starred() -> (String, String) {
    let one = RELEASE.replace("20-29,Norway,flu", "20-29,Norway,*");
    (one.replace("Norway,cancer", "Norway,*").replace("Norway,cold", "Norway,*"), one)
}

#[test]
fn every_value_is_held_against_its_own_threshold() {
    let theta = |theta: &str| {
        let case = Case::new(&format!(
            "[privacy.l-plus-diversity]\ncolumn = \"disease\"\ndefault = \"1/3\"\ntheta = {{ {theta} }}\n"
        ));
        case.audit(RELEASE)
    };
    assert!(theta("").passed, "{}", crate::render(&theta("")));
    assert!(theta("plague = 0").passed, "what does not occur needs nothing");
    let audit = theta("cold = 0.3333");
    assert_eq!(check(&audit, "l-plus").classes_failing, 2);
    let worst = check(&audit, "l-plus").worst.as_deref();
    assert_eq!(worst, Some("age = [30,40], city = France: size 3, 'cold' has 1/3 > θ = 3333/10000"));
    assert!(audit.checks.last().is_some_and(|check| check.name.contains("theta = { cold = 3333/10000 }")));
}

#[test]
fn the_frequency_rule_looks_at_the_original() {
    let rule = |base: &str| {
        format!(
            "[privacy.l-plus-diversity]\ncolumn = \"disease\"\ndefault = {base}\ntheta_rule = \"frequency\"\n"
        )
    };
    // Flu 4, cold 1, cancer 1, mean 2: flu may have twice the base.
    let original = "name,age,city,disease,note\n1,20,Oslo,flu,\n2,20,Oslo,flu,\n3,20,Oslo,flu,\n\
                    4,20,Oslo,flu,\n5,20,Oslo,cold,\n6,20,Oslo,cancer,\n";
    let release = original.lines().map(|line| line.split_once(',').expect("a name").1.to_string() + "\n");
    let release: String = release.collect();
    for (base, holds) in [("\"1/3\"", true), ("0.333", false)] {
        let case = Case::new(&rule(base));
        case.write("original.csv", original);
        assert_eq!(case.audit(&release).passed, holds, "{base}");
    }
}

#[test]
fn suppressed_cells_are_a_fault_where_nobody_suppresses_cells() {
    let (all, _) = starred();
    for case in [Case::new(HALF), with_scheme(HALF, "none"), with_scheme(HALF, "vio-rec")] {
        assert_eq!(failing(&case.audit(&all)), ["records", "l-plus-diversity (column = disease, l = 2)"]);
    }
    // Only the requirement's column is suppressed.
    let about_note = RELEASE.replace("flu,a", "flu,*");
    assert!(
        with_scheme(HALF, "all-sa").audit(&about_note).passed,
        "columns of role 'other' are not compared"
    );
    let other = with_scheme("[privacy.k-anonymity]\nk = 2\n", "all-sa");
    assert_eq!(failing(&other.audit(&all)), ["records"]);
}

#[test]
fn suppressed_cells_count_in_the_size_and_are_no_value() {
    let (all, one) = starred();
    let audit = with_scheme(HALF, "vio-sa").audit(&one);
    assert!(audit.passed, "{}", crate::render(&audit));
    assert_eq!(check(&audit, "suppressed cells").detail, "1 sensitive cell is suppressed");
    // Two colds of three are above 1/2; of four with two suppressed they are not.
    let case = with_scheme(HALF, "vio-sa");
    case.write(
        "original.csv",
        "name,age,city,disease,note\n1,20,Oslo,cold,\n2,20,Oslo,cold,\n3,20,Oslo,flu,\n4,20,Oslo,flu,\n",
    );
    let cells = |diseases: [&str; 4]| {
        let rows = diseases.map(|disease| format!("20,Oslo,{disease},\n"));
        format!("age,city,disease,note\n{}", rows.concat())
    };
    assert!(case.audit(&cells(["cold", "cold", "*", "*"])).passed);
    assert_eq!(
        failing(&case.audit(&cells(["cold", "cold", "cold", "*"]))).len(),
        2,
        "and it stands for no record"
    );
    let foreign = Case::new(HALF).audit_with(&all, &AuditOptions::foreign()).expect("an audit");
    assert!(foreign.passed, "{}", crate::render(&foreign));
}

#[test]
fn a_suppressed_cell_stands_for_one_record() {
    let (_, one) = starred();
    let audit = with_scheme(HALF, "vio-sa").audit(&format!("{one}20-29,Norway,*,x\n"));
    assert_eq!(failing(&audit), ["records"]);
    assert_eq!(check(&audit, "records").concerned, 1);
    // The starred record could be the flu; a second flu then has nobody left.
    let audit = with_scheme(HALF, "vio-sa").audit(&one.replace("Norway,cold", "Norway,cancer"));
    assert_eq!(check(&audit, "records").concerned, 1);
}

#[test]
fn all_sa_suppresses_classes_as_a_whole() {
    let (all, one) = starred();
    let audit = with_scheme(HALF, "all-sa").audit(&all);
    assert!(audit.passed, "{}", crate::render(&audit));
    let audit = with_scheme(HALF, "all-sa").audit(&one);
    assert_eq!(failing(&audit), ["suppressed cells"]);
    let check = check(&audit, "suppressed cells");
    assert_eq!((check.classes_failing, check.concerned), (1, 2));
    assert_eq!(
        check.worst.as_deref(),
        Some("age = 20-29, city = Norway: 1 of 3 cells are suppressed, not all")
    );
}

#[test]
fn other_notions_judge_the_cells_that_are_shown() {
    let (all, one) = starred();
    let both = |l: u32| format!("{HALF}[privacy.l-diversity]\ncolumn = \"disease\"\nl = {l}\n");
    assert!(with_scheme(&both(3), "all-sa").audit(&all).passed, "a class that shows nothing tells nothing");
    assert!(with_scheme(&both(2), "vio-sa").audit(&one).passed);
    let audit = with_scheme(&both(3), "vio-sa").audit(&one);
    assert_eq!(failing(&audit), ["l-diversity (column = disease, l = 3, kind = distinct)"]);
}

#[test]
fn schemes_say_whether_records_may_be_missing() {
    let release = RELEASE.replace("20-29,Norway,flu,a\n", "");
    for (scheme, alone, with_k) in [
        ("none", false, false),
        ("all-rec", true, true),
        ("vio-rec", true, true),
        ("all-sa", false, true),
        ("vio-sa", false, true),
    ] {
        let k = |k: u32| format!("{HALF}[privacy.k-anonymity]\nk = {k}\n");
        for (requirements, holds) in [(HALF.to_string(), alone), (k(1), alone), (k(2), with_k)] {
            let case = with_scheme(&requirements, scheme);
            assert_eq!(check(&case.audit(&release), "suppression").holds, holds, "{scheme}: {requirements}");
        }
    }
}

#[test]
fn a_star_in_the_original_is_refused_where_cells_are_suppressed() {
    let spoil = |case: &Case| case.write("original.csv", &ORIGINAL.replace("Bergen,flu", "Bergen,*"));
    let (_, one) = starred();
    let case = with_scheme(HALF, "all-sa");
    spoil(&case);
    let error = case.audit_with(&one, &AuditOptions::default()).expect_err("an error");
    assert_eq!((error.kind(), error.line()), (ErrorKind::Input, Some(2)));
    assert!(error.to_string().contains("'disease' contains the value '*'"), "{error}");
    for case in [Case::new(HALF), with_scheme(HALF, "none")] {
        spoil(&case);
        assert!(case.audit(&one).passed, "elsewhere it is a value");
    }
}

#[test]
fn a_policy_without_thresholds_is_told_where() {
    let case = Case::new("[privacy.l-plus-diversity]\ncolumn = \"disease\"\ntheta = { flu = 1, cold = 1 }\n");
    let error = case.audit_with(RELEASE, &AuditOptions::default()).expect_err("an error");
    assert!(error.to_string().contains("gives 'cancer' no threshold"), "{error}");
    assert!(error.line().is_some());
}

/// What the random policies ask for: a base, whether frequency counts, and thresholds of single values.
type Asked = (u64, bool, [Option<u64>; 3]);

fn asked() -> impl Strategy<Value = Asked> {
    let own = || proptest::option::weighted(0.3, 0u64..=12);
    (0u64..=12, any::<bool>(), [own(), own(), own()])
}

/// The threshold of each value, by the definition.
fn naive_thresholds(asked: &Asked, table: &[usize]) -> Vec<Ratio<i128>> {
    let (base, by_frequency, own) = asked;
    let count = |value: usize| table.iter().filter(|disease| **disease == value).count();
    let present = (0..3).filter(|value| count(*value) > 0).count();
    let mean = ratio(table.len(), present);
    let base = ratio(*base as usize, 12);
    let theta = |value: usize| match own[value] {
        Some(own) => ratio(own as usize, 12),
        None if *by_frequency && ratio(count(value), 1) >= mean => {
            (base * ratio(count(value), 1) / mean).min(ratio(1, 1))
        }
        None => base,
    };
    (0..3).map(theta).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_naive_recount_agrees(
        records in records(),
        recipes in recipes(),
        stars in proptest::collection::vec(proptest::bool::weighted(0.3), 9),
        asked in asked(),
        scheme in prop::sample::select(vec!["vio-sa", "all-sa"]),
    ) {
        let own = (0..3).filter_map(|value| Some(format!("{} = \"{}/12\"", DISEASE[value], asked.2[value]?)));
        let own = own.collect::<Vec<_>>().join(", ");
        let rule = if asked.1 { "theta_rule = \"frequency\"\n" } else { "" };
        let requirement = format!(
            "[privacy.l-plus-diversity]\ncolumn = \"disease\"\ndefault = \"{}/12\"\n{rule}theta = {{ {own} }}\n",
            asked.0
        );
        let case = with_scheme(&requirement, scheme);
        let rows = records.iter().map(|(age, city, disease)| format!("x,{age},{},{},\n", CITY[*city], DISEASE[*disease]));
        case.write("original.csv", &format!("name,age,city,disease,note\n{}", rows.collect::<String>()));
        let mut released = released(&records, &recipes);
        prop_assume!(!released.is_empty());
        for (record, star) in released.iter_mut().zip(stars) {
            record.2 = if star { SUPPRESSED } else { record.2 };
        }
        let rows = released.iter().map(|(age, city, disease)| format!("\"{age}\",{city},{},\n", DISEASE[*disease]));
        let audit = case.audit(&format!("age,city,disease,note\n{}", rows.collect::<String>()));

        let matched = naive_matches(&released, &records, 0);
        prop_assert_eq!(check(&audit, "records").concerned, (released.len() - matched) as u64);

        let table: Vec<usize> = records.iter().map(|(_, _, disease)| *disease).collect();
        let theta = naive_thresholds(&asked, &table);
        let mut classes: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (age, city, disease) in &released {
            classes.entry((age, city)).or_default().push(*disease);
        }
        let count = |class: &[usize], value: usize| class.iter().filter(|disease| **disease == value).count();
        let violating = classes.values().filter(|class| {
            (0..3).any(|value| ratio(count(class, value), class.len()) > theta[value])
        });
        let concerned: usize = violating.map(Vec::len).sum();
        prop_assert_eq!(check(&audit, "l-plus").concerned, concerned as u64);
        let torn = classes.values().filter(|class| {
            scheme == "all-sa" && (1..class.len()).contains(&count(class, SUPPRESSED))
        });
        prop_assert_eq!(check(&audit, "suppressed cells").classes_failing, torn.count() as u64);
    }
}
