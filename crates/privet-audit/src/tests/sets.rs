//! Cells that spell sets of values.

use super::{Case, K3, RELEASE, check, failing};

/// The usual release with sets of cities in the place of countries.
fn with_cities(norway: &str, france: &str) -> String {
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    RELEASE.replace("Norway", &quoted(norway)).replace("France", &quoted(france))
}

#[test]
fn a_set_stands_for_its_members() {
    let audit = Case::new(K3).audit(&with_cities("{Bergen, Oslo}", "{Lyon, Nice}"));
    assert!(audit.passed, "{audit:#?}");
    assert_eq!(audit.classes, 2);
}

#[test]
fn a_set_stands_for_nothing_else() {
    let audit = Case::new(K3).audit(&with_cities("{Bergen, Lyon}", "{Lyon, Nice}"));
    assert_eq!(failing(&audit), ["records"]);
    assert_eq!(check(&audit, "records").concerned, 1);
}

#[test]
fn every_member_occurs_in_the_original() {
    for wrong in ["{Bergen, Oslo, Paris}", "{Norway, Oslo}", "{Bergen, Oslo", "{}"] {
        let audit = Case::new(K3).audit(&with_cities(wrong, "{Lyon, Nice}"));
        assert!(failing(&audit).contains(&"values"), "{wrong}: {audit:#?}");
    }
}

#[test]
fn a_set_is_spelt_in_one_way() {
    for wrong in
        ["{Oslo, Bergen}", "{Bergen,Oslo}", "{Bergen, Oslo, Oslo}", "{Bergen, \"Oslo\"}", "{ Bergen, Oslo}"]
    {
        let audit = Case::new(K3).audit(&with_cities(wrong, "{Lyon, Nice}"));
        assert_eq!(failing(&audit), ["form"], "{wrong}: {audit:#?}");
    }
}

/// One record that says the country, where the others list its cities, could be told apart by that.
#[test]
fn a_set_and_a_node_of_the_same_values_are_two_spellings() {
    let release = with_cities("{Bergen, Oslo}", "{Lyon, Nice}").replacen("\"{Lyon, Nice}\"", "France", 1);
    let audit = Case::new("[privacy.k-anonymity]\nk = 1\n").audit(&release);
    assert_eq!(failing(&audit), ["form"]);
}
