//! The audit on whole files: what it accepts, what it catches, and that a naive reading of the definitions agrees.

mod l_plus;
mod naive;
mod sets;

use std::fs;

use tempfile::TempDir;

use super::{Audit, AuditOptions, Check, ExpectedCounts, audit_table};
use privet_core::{ErrorKind, Result};
use privet_data::{ReadOptions, Source};
use privet_policy::{AnyPolicy, Policy, Purpose};

const ORIGINAL: &str = "\
name,age,city,disease,note
Ann,21,Bergen,flu,a
Bob,24,Oslo,cold,b
Cid,27,Bergen,cancer,c
Dan,35,Lyon,flu,d
Eve,38,Nice,cold,e
Fay,39,Lyon,cancer,f
";

const RELEASE: &str = "\
age,city,disease,note
\"[30,40]\",France,cold,e
20-29,Norway,flu,a
20-29,Norway,cancer,c
\"[30,40]\",France,flu,d
20-29,Norway,cold,b
\"[30,40]\",France,cancer,f
";

const CITIES: &str = "Bergen;Norway;*\nOslo;Norway;*\nLyon;France;*\nNice;France;*\n";
const DISEASES: &str = "flu;airways;any\ncold;airways;any\ncancer;other;any\n";
const K3: &str = "[privacy.k-anonymity]\nk = 3\n";

/// A folder with an original, hierarchies and a policy.
struct Case {
    folder: TempDir,
    data: String,
    tail: String,
}

impl Case {
    fn new(tail: &str) -> Case {
        let case = Case {
            folder: TempDir::new().expect("a folder"),
            data: "missing = [\"\", \"?\"]".into(),
            tail: tail.into(),
        };
        case.write("original.csv", ORIGINAL);
        case.write("city.csv", CITIES);
        case.write("disease.csv", DISEASES);
        case
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("written");
    }

    fn audit_with(&self, release: &str, options: &AuditOptions) -> Result<Audit> {
        self.write("release.csv", release);
        let text = format!(
            "[data]\npath = \"original.csv\"\n{}\n\
             [columns.name]\nrole = \"identifier\"\n\
             [columns.age]\nrole = \"quasi-identifier\"\n\
             [columns.city]\nrole = \"quasi-identifier\"\nhierarchy = \"city.csv\"\n\
             [columns.disease]\nrole = \"sensitive\"\nhierarchy = \"disease.csv\"\n\
             [columns.note]\nrole = \"other\"\n{}",
            self.data, self.tail
        );
        let policy = Policy::parse(&self.folder.path().join("policy.toml"), text)?;
        let AnyPolicy::Table(policy) = policy.check_any_for(None, Purpose::Audit)? else {
            unreachable!("the policy is about a table")
        };
        let release = Source::open(&self.folder.path().join("release.csv"), &ReadOptions::with_names(None))?;
        audit_table(&policy, &release, options)
    }

    fn audit(&self, release: &str) -> Audit {
        self.audit_with(release, &AuditOptions::default()).expect("an audit")
    }
}

fn failing(audit: &Audit) -> Vec<&str> {
    assert_eq!(audit.passed, audit.checks.iter().all(|check| check.holds));
    audit.checks.iter().filter(|check| !check.holds).map(|check| check.name.as_str()).collect()
}

fn check<'a>(audit: &'a Audit, name: &str) -> &'a Check {
    audit.checks.iter().find(|check| check.name.starts_with(name)).expect("a check of this name")
}

const EVERY_NOTION: &str = "\
[privacy.k-anonymity]
k = 3
[[privacy.l-diversity]]
column = \"disease\"
l = 3
[[privacy.l-diversity]]
column = \"disease\"
l = 3
kind = \"frequency\"
[[privacy.l-diversity]]
column = \"disease\"
l = 3
kind = \"entropy\"
[[privacy.l-diversity]]
column = \"disease\"
l = 3
kind = \"recursive\"
c = 1.5
[[privacy.t-closeness]]
column = \"disease\"
t = 0
[[privacy.t-closeness]]
column = \"disease\"
t = 0
distance = \"ordered\"
[[privacy.t-closeness]]
column = \"disease\"
t = 0
distance = \"hierarchical\"
";

#[test]
fn a_good_release_passes_every_notion_on_exact_ties() {
    let audit = Case::new(EVERY_NOTION).audit(RELEASE);
    assert_eq!(failing(&audit), Vec::<&str>::new(), "{}", super::render(&audit));
    assert_eq!(audit.classes, 2);
    assert_eq!((audit.records.original, audit.records.released, audit.records.suppressed), (6, 6, 0));
    let worst = check(&audit, "k-anonymity (k = 3)").worst.as_deref();
    assert_eq!(worst, Some("age = [30,40], city = France: size 3 ≥ k = 3"));
    assert!(serde_json::to_string(&audit).expect("JSON").contains("\"holds\":true"));
}

#[test]
fn a_class_that_is_too_small_is_named_with_its_records() {
    let audit = Case::new("[privacy.k-anonymity]\nk = 4\n").audit(RELEASE);
    assert_eq!(failing(&audit), ["k-anonymity (k = 4)"]);
    let check = check(&audit, "k-anonymity");
    assert_eq!((check.concerned, check.classes_failing), (6, 2));
    assert_eq!(check.worst.as_deref(), Some("age = [30,40], city = France: size 3 < k = 4"));
}

/// Anyone who opens the file sees spellings that a reader of ranges does not.
#[test]
fn hard_use_1_4_a_range_is_spelt_in_one_way() {
    for other in ["020-29", "20.0-29", "20 -29", "2e1-29", "\"[20,30)\"", "10-29", "20–29"] {
        let release = RELEASE.replacen("20-29", other, 1);
        let audit = Case::new("[privacy.k-anonymity]\nk = 1\n").audit(&release);
        assert_eq!(failing(&audit), ["form"], "{other}");
    }
    let release = RELEASE.replace("20-29", "\"[20,30)\"");
    assert_eq!(failing(&Case::new(K3).audit(&release)), Vec::<&str>::new(), "one spelling throughout");
}

/// All ages are hidden, and names are not published, but the order of the rows would show them.
#[test]
fn hard_use_1_4_a_release_that_is_sorted_by_what_it_hides_is_caught() {
    let disease = |row: usize| ["flu", "cold", "cancer"][row * row % 7 * 5 % 11 % 3];
    let people: Vec<(usize, usize, &str)> =
        (0..200).map(|row| (row * 77 % 200, row * 37 % 200 / 5, disease(row))).collect();
    let case = Case::new(K3);
    let original =
        people.iter().map(|(name, age, disease)| format!("n{name:03},{},Oslo,{disease},\n", 20 + age));
    case.write("original.csv", &format!("name,age,city,disease,note\n{}", original.collect::<String>()));
    let audit = |key: &dyn Fn(&(usize, usize, &str)) -> usize| {
        let mut rows = people.clone();
        rows.sort_by_key(|(name, ..)| name * 7919 % 1009 * 31 % 503);
        rows.sort_by_key(key);
        let rows: String = rows.iter().map(|(.., disease)| format!("*,Norway,{disease},\n")).collect();
        case.audit(&format!("age,city,disease,note\n{rows}"))
    };
    assert_eq!(failing(&audit(&|_| 0)), Vec::<&str>::new(), "in no order");
    assert_eq!(failing(&audit(&|(_, age, _)| *age)), ["order"], "by age");
    assert_eq!(failing(&audit(&|(_, age, _)| 100 - age)), ["order"], "by age, falling");
    assert_eq!(failing(&audit(&|(name, ..)| *name)), ["order"], "by name");
}

#[test]
fn a_deleted_record_is_caught() {
    let release = RELEASE.replace("20-29,Norway,flu,a\n", "");
    let audit = Case::new("[privacy.k-anonymity]\nk = 2\n").audit(&release);
    assert_eq!(failing(&audit), ["suppression"]);
    assert_eq!(audit.records.suppressed, 1);
    let audit = Case::new(K3).audit(&release);
    assert_eq!(failing(&audit), ["suppression", "k-anonymity (k = 3)"]);
}

#[test]
fn suppression_up_to_the_limit_is_fine() {
    let release = RELEASE.replace("20-29,Norway,flu,a\n", "");
    // ⌊1/6 × 6⌋ = 1, and a hair less allows none.
    for (limit, holds) in [("\"1/6\"", true), ("0.166666", false)] {
        let case =
            Case::new(&format!("[privacy.k-anonymity]\nk = 2\n[method]\nsuppression_limit = {limit}\n"));
        assert_eq!(case.audit(&release).passed, holds, "{limit}");
    }
    let case = Case::new("[privacy.k-anonymity]\nk = 2\n");
    assert!(case.audit_with(&release, &AuditOptions::foreign()).expect("an audit").passed);
}

#[test]
fn a_cell_finer_than_the_least_level_is_caught() {
    let levels = |levels: &str| Case::new(&format!("{K3}[method]\nleast_levels = {{ {levels} }}\n"));
    assert_eq!(failing(&levels("city = 1").audit(RELEASE)), Vec::<&str>::new());
    assert_eq!(check(&levels("city = 1").audit(RELEASE), "least levels").detail, "levels: city ≥ 1");
    // Countries are level 1, so that both of them are too fine for level 2; so is a single city for level 1.
    let audit = levels("city = 2").audit(RELEASE);
    assert_eq!(failing(&audit), ["least levels"]);
    let found = check(&audit, "least levels");
    assert_eq!((found.classes_failing, found.concerned), (2, 6));
    let fine = RELEASE.replace("France", "Lyon").replace("Lyon,cold,e", "Nice,cold,e");
    let audit =
        Case::new("[privacy.k-anonymity]\nk = 1\n[method]\nleast_levels = { city = 1 }\n").audit(&fine);
    assert_eq!(failing(&audit), ["least levels"]);
    let found = check(&audit, "least levels");
    assert_eq!((found.classes_failing, found.concerned), (2, 3));
    assert!(
        found.detail.contains("column 'city': 'Nice' in line 2 and 1 more is finer than level 1"),
        "{}",
        found.detail
    );
    // Without a hierarchy everything but * is finer than level 1, ranges too; tables of other tools are held to it as well.
    assert_eq!(failing(&levels("age = 1").audit(RELEASE)), ["least levels"]);
    let foreign = levels("city = 2").audit_with(RELEASE, &AuditOptions::foreign()).expect("an audit");
    assert_eq!(failing(&foreign), ["least levels"]);
    let hidden = RELEASE.replace("\"[30,40]\"", "*").replace("20-29", "*");
    assert_eq!(failing(&levels("age = 1").audit(&hidden)), Vec::<&str>::new());
}

#[test]
fn a_value_made_more_specific_is_caught() {
    for (from, to) in [("20-29,Norway,flu", "21,Norway,flu"), ("20-29,Norway,flu", "20-29,Bergen,flu")] {
        let audit = Case::new(K3).audit(&RELEASE.replace(from, to));
        assert_eq!(failing(&audit), ["k-anonymity (k = 3)"]);
        assert_eq!(check(&audit, "k-anonymity").classes_failing, 2);
    }
    // More specific and wrong.
    let audit = Case::new(K3).audit(&RELEASE.replace("20-29,Norway,flu", "20-29,Oslo,flu"));
    assert_eq!(failing(&audit), ["records", "k-anonymity (k = 3)"]);
}

#[test]
fn a_record_moved_to_another_class_is_caught() {
    let audit = Case::new("[privacy.k-anonymity]\nk = 2\n")
        .audit(&RELEASE.replace("20-29,Norway,flu,a", "\"[30,40]\",France,flu,a"));
    assert_eq!(failing(&audit), ["records"]);
    let check = check(&audit, "records");
    assert_eq!((check.concerned, check.classes_failing), (1, 1));
    let worst = check.worst.as_deref().expect("a class");
    assert_eq!(worst, "age = [30,40], city = France: 1 of 4 records match no original record");
}

#[test]
fn a_swapped_sensitive_value_is_caught() {
    let audit = Case::new(K3).audit(&RELEASE.replace("20-29,Norway,flu", "20-29,Norway,cold"));
    assert_eq!(failing(&audit), ["records"]);
    let audit = Case::new(EVERY_NOTION).audit(&RELEASE.replace("20-29,Norway,flu", "20-29,Norway,plague"));
    assert_eq!(audit.checks.iter().filter(|check| !check.holds).count(), 4, "records and three distances");
}

#[test]
fn an_added_record_is_caught() {
    let audit = Case::new(K3).audit(&format!("{RELEASE}20-29,Norway,flu,a\n"));
    assert_eq!(failing(&audit), ["records"]);
    assert_eq!(audit.records.suppressed, 0);
    assert!(check(&audit, "records").detail.contains("line 3"), "{}", check(&audit, "records").detail);
}

#[test]
fn wrong_columns_are_caught() {
    let case = Case::new(K3);
    let renamed = case.audit_with(&RELEASE.replace("age,city", "years,city"), &AuditOptions::foreign());
    let error = renamed.expect_err("nothing can be checked without a quasi-identifier");
    assert_eq!(error.kind(), ErrorKind::Input);
    assert!(error.message().contains("'age'"), "{error}");

    let renamed = case.audit(&RELEASE.replace("disease,note", "disease,remark"));
    assert_eq!(failing(&renamed), ["columns"]);

    let with_names =
        RELEASE.replace("age,city", "name,age,city").replace("20-29", "Ann,20-29").replace("\"[", "Dan,\"[");
    assert_eq!(failing(&case.audit(&with_names)), ["columns"]);
    let foreign = case.audit_with(&with_names, &AuditOptions::foreign()).expect("an audit");
    assert_eq!(check(&foreign, "columns").detail, "column 'name' is an identifier");
}

#[test]
fn a_foreign_table_may_order_its_columns_and_leave_out_what_nobody_needs() {
    let release = "city,disease,age\nNorway,flu,20-29\nNorway,cold,20-29\nNorway,cancer,20-29\n";
    let case = Case::new(K3);
    assert_eq!(
        failing(&case.audit_with(release, &AuditOptions::foreign()).expect("an audit")),
        Vec::<&str>::new()
    );
    assert_eq!(failing(&case.audit(release)), ["columns", "suppression"]);
    let without = "city,age\nNorway,20-29\nNorway,20-29\nNorway,20-29\n";
    assert!(case.audit_with(without, &AuditOptions::foreign()).expect("an audit").passed);
    let needed = Case::new("[privacy.l-diversity]\ncolumn = \"disease\"\nl = 2\n");
    assert!(needed.audit_with(without, &AuditOptions::foreign()).is_err());
}

#[test]
fn a_cell_without_meaning_is_named_with_its_place() {
    let audit = Case::new("[privacy.k-anonymity]\nk = 1\n")
        .audit(&RELEASE.replace("20-29,Norway,cold", "twenties,Norway,cold"));
    assert_eq!(failing(&audit), ["values", "records"]);
    assert!(check(&audit, "values").detail.ends_with("column 'age': 'twenties' in line 6"));
    // Only columns of numbers have ranges.
    let audit =
        Case::new("[privacy.k-anonymity]\nk = 1\n").audit(&RELEASE.replace("Norway,cold", "1-2,cold"));
    assert_eq!(failing(&audit), ["values", "records"]);
}

#[test]
fn hard_use_1_2_an_audit_fails_by_a_requirement_that_no_check_judges() {
    // It is about groups, which the audit of a table does not know.
    const MATCHING: &str = "[privacy.matching-l-diversity]\ncolumn = \"disease\"\nl = 2\n";
    const NAME: &str = "matching-l-diversity (column = disease, l = 2)";
    let audit = Case::new(MATCHING).audit(RELEASE);
    assert_eq!(failing(&audit), [NAME]);
    assert!(check(&audit, NAME).detail.starts_with("no check of this audit judges it"));
    let both = Case::new(&format!("{K3}{MATCHING}")).audit(RELEASE);
    assert_eq!(failing(&both), [NAME]);
    assert!(!both.passed);
    let known = Case::new(K3).audit(RELEASE);
    assert!(known.passed && known.checks.iter().filter(|check| check.judges == [0]).count() == 1);
}

#[test]
fn the_manifests_counts_must_be_right() {
    let with = |released, suppressed, dropped| {
        let expected = Some(ExpectedCounts { released, suppressed, dropped });
        let options = AuditOptions { expected, ..AuditOptions::default() };
        Case::new(K3).audit_with(RELEASE, &options).expect("an audit")
    };
    assert!(with(6, 0, 0).passed);
    assert_eq!(failing(&with(5, 1, 0)), ["counts"]);
    assert_eq!(failing(&with(6, 0, 1)), ["counts"]);
}

#[test]
fn stars_are_an_ordinary_class() {
    let release =
        "age,city,disease,note\n*,*,flu,\n*,*,flu,\n*,*,cold,\n*,*,cold,\n*,*,cancer,\n*,*,cancer,\n";
    assert!(Case::new("[privacy.k-anonymity]\nk = 6\n").audit(release).passed);
    assert_eq!(failing(&Case::new(K3).audit(&release.replace("*,*,flu,\n*", "*,*,cold,\n*"))), ["records"]);
}

#[test]
fn originals_that_fit_several_classes_are_given_where_they_are_needed() {
    let case = Case::new("[privacy.k-anonymity]\nk = 1\n");
    case.write(
        "original.csv",
        "name,age,city,disease,note\na,20,Oslo,flu,\nb,25,Oslo,flu,\nc,30,Oslo,flu,\n",
    );
    let good = "age,city,disease,note\n20-25,Oslo,flu,\n25-30,Oslo,flu,\n*,Oslo,flu,\n";
    assert!(case.audit(good).passed);
    let bad = "age,city,disease,note\n21-25,Oslo,flu,\n25-29,Oslo,flu,\n*,Oslo,flu,\n";
    assert_eq!(check(&case.audit(bad), "records").concerned, 1);
}

#[test]
fn missing_values_are_dropped_or_one_value() {
    let original = format!("{ORIGINAL}Gus,,Oslo,flu,\nHal,22,Oslo,?,\nIda,?,Oslo,cold,\n");
    let mut case = Case::new(K3);
    case.write("original.csv", &original);
    let audit = case.audit(RELEASE);
    assert!(audit.passed, "{}", super::render(&audit));
    assert_eq!((audit.records.original, audit.records.dropped), (9, 3));

    case.data += "\non_missing = \"value\"";
    case.tail = "[privacy.k-anonymity]\nk = 1\n".into();
    let kept = |spelling: &str| format!("{RELEASE}{spelling},Norway,flu,\n{spelling},Oslo,cold,\n*,Oslo,,\n");
    assert_eq!(failing(&case.audit(&kept(""))), Vec::<&str>::new());
    assert_eq!(
        failing(&case.audit(&kept("?"))),
        ["values", "records"],
        "only the first spelling is published"
    );
    assert_eq!(failing(&case.audit(&kept("0-100"))), ["records"], "a range does not hold what is missing");
}

#[test]
fn a_missing_value_is_a_leaf_of_its_own_below_the_root() {
    let mut case =
        Case::new("[privacy.t-closeness]\ncolumn = \"disease\"\nt = 1\ndistance = \"hierarchical\"\n");
    case.data += "\non_missing = \"value\"";
    case.write("city.csv", &CITIES.replace('*', "World"));
    case.write("original.csv", "name,age,city,disease,note\na,20,?,flu,\nb,20,Oslo,,\n");
    let release = |city: &str| format!("age,city,disease,note\n20,{city},flu,\n20,Norway,,\n");
    for (city, holds) in [("", true), ("World", true), ("*", true), ("Norway", false)] {
        assert_eq!(check(&case.audit(&release(city)), "records").holds, holds, "{city}");
    }
}

#[test]
fn an_empty_release_has_no_class_that_fails() {
    let case = Case::new(K3);
    let audit = case.audit_with("age,city,disease,note\n", &AuditOptions::foreign()).expect("an audit");
    assert!(audit.passed);
    assert_eq!((audit.classes, audit.records.suppressed), (0, 6));
    assert_eq!(failing(&case.audit("age,city,disease,note\n")), ["suppression"]);
}

#[test]
fn a_cell_that_is_a_label_and_a_range_stands_for_both() {
    let mut case = Case::new("[privacy.k-anonymity]\nk = 1\n");
    case.write("city.csv", "1;0-5;*\n3;0-5;*\n8;6-9;*\n");
    case.data += "\non_missing = \"value\"";
    case.write("original.csv", "name,age,city,disease,note\na,1,1,flu,\nb,1,3,flu,\nc,1,8,flu,\n");
    let release = |last: &str| {
        let last = if last.contains(',') { format!("\"{last}\"") } else { last.to_string() };
        format!("age,city,disease,note\n1,0-5,flu,\n1,0-5,flu,\n1,{last},flu,\n")
    };
    for (last, holds) in [("6-9", true), ("[2,8]", true), ("8", true), ("0-5", false), ("[4,8)", false)] {
        assert_eq!(case.audit(&release(last)).passed, holds, "{last}");
    }
}
