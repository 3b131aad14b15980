//! What the audit of projected tables finds.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use privet_core::random::{below, keyed, shuffle};
use privet_data::ReadOptions;
use privet_policy::Policy;

/// 400 people in 40 classes of ten, with two attributes and a set.
fn original(folder: &Path) -> CheckedPolicy {
    let mut data = "q,a,b,m\n".to_string();
    for row in 0..400 {
        data += &format!("z{},{},{},{}\n", row % 40, row / 40 % 2, row / 80 % 2, ["", "u"][row / 40 % 2]);
    }
    fs::write(folder.join("data.csv"), data).expect("written");
    let text = "seed = 1\n[data]\npath = \"data.csv\"\n[columns.q]\nrole = \"quasi-identifier\"\n\
                [columns.a]\nrole = \"sensitive\"\n[columns.b]\nrole = \"sensitive\"\n\
                [columns.m]\nrole = \"sensitive\"\nseparator = \"|\"\n\
                [privacy.k-anonymity]\nk = 10\n[privacy.t-closeness]\nt = 0.2\n\
                [privacy.projection]\nalpha = 1\nbeta = 0.9\nmax_discernibility = 4000\n\
                [method]\nname = \"codip-star\"\n";
    let policy = Policy::parse(&folder.join("policy.toml"), text.into()).expect("a policy");
    policy.check(None).expect("a checked policy")
}

/// Rows of the original in a random order, or in its own for 1, with some of its columns; the set as zeros and ones.
fn table(columns: &[usize], key: u64) -> Vec<Vec<String>> {
    let row = |row: usize| {
        let all = [
            format!("z{}", row % 40),
            (row / 40 % 2).to_string(),
            (row / 80 % 2).to_string(),
            (row / 40 % 2).to_string(),
        ];
        columns.iter().map(|column| all[*column].clone()).collect()
    };
    let mut order: Vec<usize> = (0..400).collect();
    if key > 1 {
        shuffle(&mut order, &mut keyed(key, "rows"));
    }
    order.into_iter().map(row).collect()
}

fn write(folder: &Path, name: &str, header: &str, rows: &[Vec<String>]) -> PathBuf {
    let lines = rows.iter().map(|row| row.join(",") + "\n");
    let path = folder.join(name);
    fs::write(&path, std::iter::once(format!("{header}\n")).chain(lines).collect::<String>())
        .expect("written");
    path
}

/// What is found in tables.
fn audited(policy: &CheckedPolicy, tables: &[PathBuf], stated: Option<StatedPlan>) -> Audit {
    let open = |path: &PathBuf| Source::open(path, &ReadOptions::with_names(Some(','))).expect("a table");
    let tables: Vec<(usize, Source)> = (1..).zip(tables.iter().map(open)).collect();
    let audit = audit_projections(policy, &tables, stated, None, false, &|| Ok(())).expect("an audit");
    assert_eq!(audit.passed, audit.checks.iter().all(|check| check.holds));
    audit
}

/// The names of the checks that fail.
fn failing(policy: &CheckedPolicy, tables: &[PathBuf], stated: Option<StatedPlan>) -> Vec<String> {
    let checks = audited(policy, tables, stated).checks;
    checks.into_iter().filter(|check| !check.holds).map(|check| check.name).collect()
}

/// A policy about rows of one quasi-identifier, q, and two attributes, with what more is said.
fn policy_about(folder: &Path, header: &str, rows: &[Vec<String>], more: &str) -> CheckedPolicy {
    write(folder, "data.csv", header, rows);
    let mut text = "seed = 1\n[data]\npath = \"data.csv\"\n".to_string();
    for name in header.split(',') {
        let role = if name == "q" { "quasi-identifier" } else { "sensitive" };
        text += &format!("[columns.{name}]\nrole = \"{role}\"\n");
    }
    text += &format!("{more}[privacy.k-anonymity]\nk = 2\n[method]\nname = \"codip-star\"\n");
    let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
    policy.check(None).expect("a checked policy")
}

/// Some columns of rows.
fn columns(rows: &[Vec<String>], columns: &[usize]) -> Vec<Vec<String>> {
    rows.iter().map(|row| columns.iter().map(|column| row[*column].clone()).collect()).collect()
}

#[test]
fn what_is_right_passes_and_what_is_wrong_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let policy = original(folder);
    let one = write(folder, "1.csv", "q,a,m=u", &table(&[0, 1, 3], 7));
    let two = write(folder, "2.csv", "q,b", &table(&[0, 2], 13));
    assert_eq!(failing(&policy, &[one.clone(), two.clone()], None), [""; 0]);

    // An attribute is missing, or there twice.
    assert!(failing(&policy, std::slice::from_ref(&one), None).contains(&"partition".to_string()));
    let again = write(folder, "3.csv", "q,a,b", &table(&[0, 1, 2], 13));
    assert!(failing(&policy, &[one.clone(), again], None).contains(&"partition".to_string()));
    let strange = write(folder, "3.csv", "q,b,name", &table(&[0, 2, 0], 13));
    assert_eq!(failing(&policy, &[one.clone(), strange], None), ["projection-2: columns"]);

    // Rows in the order of the other table, or of the original.
    let aligned = write(folder, "3.csv", "q,b", &table(&[0, 2], 7));
    assert_eq!(failing(&policy, &[one.clone(), aligned], None), ["order"]);
    let unshuffled = write(folder, "3.csv", "q,b", &table(&[0, 2], 1));
    assert_eq!(failing(&policy, &[one.clone(), unshuffled], None), ["order"]);

    // A value that the person does not have, and a row that is missing.
    let mut changed = table(&[0, 2], 13);
    changed[5][1] = if changed[5][1] == "1" { "0" } else { "1" }.to_string();
    let changed = write(folder, "3.csv", "q,b", &changed);
    assert!(failing(&policy, &[one.clone(), changed], None).contains(&"projection-2: records".to_string()));
    let short = write(folder, "3.csv", "q,b", &table(&[0, 2], 13)[1..]);
    let found = failing(&policy, &[one.clone(), short], None);
    assert!(found.contains(&"projection-2: complete".to_string()), "{found:?}");
    assert!(found.contains(&"projection-2: k-anonymity (k = 10)".to_string()), "{found:?}");

    // Coarser than allowed.
    let mut coarse = table(&[0, 2], 13);
    coarse.iter_mut().for_each(|row| row[0] = "*".to_string());
    let coarse = write(folder, "3.csv", "q,b", &coarse);
    assert_eq!(failing(&policy, &[one.clone(), coarse], None), ["projection-2: discernibility"]);

    // Other ratios than the manifest states. a and m=u are the same, b is independent of both.
    let stated = |gamma_alpha, gamma_beta| Some(StatedPlan { gamma_alpha, gamma_beta });
    let tables = [one.clone(), two];
    assert_eq!(failing(&policy, &tables, stated(0.0, 0.0)), [""; 0]);
    assert_eq!(failing(&policy, &tables, stated(0.1, 0.0)), ["association loss"]);
    assert_eq!(failing(&policy, &tables, stated(0.0, 0.1)), ["information exposure"]);
}

#[test]
fn exposure_and_closeness_beyond_the_limits_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let policy = original(folder);
    let all = write(folder, "1.csv", "q,a,b,m=u", &table(&[0, 1, 2, 3], 7));
    assert_eq!(failing(&policy, &[all], None), ["information exposure"]);
    // Everybody of one class has a = 0 and of another a = 1.
    let mut data = "q,a,b,m\n".to_string();
    for row in 0..40 {
        data += &format!("z{},{},{},u\n", row / 20, row / 20, row % 2);
    }
    fs::write(folder.join("data.csv"), data).expect("written");
    let text = policy.written.text().to_string();
    let policy = Policy::parse(policy.written.path(), text).expect("a policy").check(None).expect("checked");
    let rows = |columns: &[usize], key: u64| -> Vec<Vec<String>> {
        let row = |row: usize| {
            let all =
                [format!("z{}", row / 20), (row / 20).to_string(), (row % 2).to_string(), "1".to_string()];
            columns.iter().map(|column| all[*column].clone()).collect()
        };
        let mut order: Vec<usize> = (0..40).collect();
        shuffle(&mut order, &mut keyed(key, "rows"));
        order.into_iter().map(row).collect()
    };
    let tables = [
        write(folder, "1.csv", "q,a,m=u", &rows(&[0, 1, 3], 7)),
        write(folder, "2.csv", "q,b", &rows(&[0, 2], 13)),
    ];
    assert_eq!(
        failing(&policy, &tables, None),
        ["projection-1: t-closeness (column = a, t = 1/5, distance = equal)"]
    );
}

#[test]
fn exactly_independent_attributes_have_no_association_to_lose() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let cell = |at: usize| vec!["z".to_string(), format!("a{}", at / 50), format!("b{}", at % 50)];
    let mut rows: Vec<Vec<String>> = (0..5_000).map(cell).collect();
    let limits = "[privacy.projection]\nalpha = 0.5\nbeta = 0\n";
    let policy = policy_about(folder, "q,a,b", &rows, limits);
    let mut random = keyed(1, "rows");
    shuffle(&mut rows, &mut random);
    let one = write(folder, "1.csv", "q,a", &columns(&rows, &[0, 1]));
    shuffle(&mut rows, &mut random);
    let two = write(folder, "2.csv", "q,b", &columns(&rows, &[0, 2]));
    let stated = StatedPlan { gamma_alpha: 0.0, gamma_beta: 0.0 };
    let audit = audited(&policy, &[one, two], Some(stated));
    assert!(audit.passed, "{:?}", audit.checks);
    // Nothing is nothing, not less.
    for name in ["association loss", "information exposure"] {
        let check = audit.checks.iter().find(|check| check.name == name).expect("a check");
        assert!(check.detail.starts_with("0.000000000; "), "{}", check.detail);
    }
}

/// An illness of forty, and a drug that follows from it 19 times of 20, under a quasi-identifier that is published as `*`.
#[test]
fn attributes_show_a_common_order_where_cells_are_too_coarse_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut random = keyed(3, "people");
    let mut person = || {
        let (ill, other) = (below(&mut random, 40), below(&mut random, 40));
        let drug = if below(&mut random, 20) < 19 { ill } else { other };
        let q = format!("q{}", below(&mut random, 4));
        vec![q, format!("ill{ill}"), format!("drug{drug}"), "*".to_string()]
    };
    let mut people: Vec<Vec<String>> = (0..2_000).map(|_| person()).collect();
    let limits = "[privacy.projection]\nalpha = 1\nbeta = 0\n";
    let policy = policy_about(folder, "q,ill,drug", &columns(&people, &[0, 1, 2]), limits);
    let table = |name: &str, people: &[Vec<String>], column: usize| {
        write(folder, &format!("{name}.csv"), &format!("q,{name}"), &columns(people, &[3, column]))
    };
    for seed in 0..5 {
        let mut random = keyed(seed, "rows");
        shuffle(&mut people, &mut random);
        let (ill, drug) = (table("ill", &people, 1), table("drug", &people, 2));
        assert_eq!(failing(&policy, &[drug, ill.clone()], None), ["order"]);
        shuffle(&mut people, &mut random);
        assert_eq!(failing(&policy, &[table("drug", &people, 2), ill], None), [""; 0]);
    }
}
