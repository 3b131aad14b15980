//! Real databases: PostgreSQL on this machine, and SQLite. `crates/privet-databases/test` installs and starts what is needed and
//! sets the variables; without them, every test says that it skips.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use privet::clock::Clock;
use privet::data::{DatabaseTable, Relation, Source};
use privet::policy::Policy;
use privet::release::{RunOptions, anonymize_any};
use privet_databases::write_release;

/// The variable with the address of a PostgreSQL database in which the tests may do what they want.
const POSTGRESQL: &str = "PRIVET_TEST_POSTGRESQL";
/// The variable with the address of an SQLite database.
const SQLITE: &str = "PRIVET_TEST_SQLITE";

/// Whether there is a database; says so if there is not.
fn has(variable: &str) -> bool {
    privet_databases::register();
    let there = env::var_os(variable).is_some();
    if !there {
        eprintln!("SKIPPED: {variable} is not set; crates/privet-databases/test runs this");
    }
    there
}

/// Runs SQL in PostgreSQL and returns what it prints.
fn psql(sql: &str) -> String {
    let address = env::var(POSTGRESQL).expect("an address");
    let run =
        Command::new("psql").args([&address, "-v", "ON_ERROR_STOP=1", "-qtAc", sql]).output().expect("psql");
    assert!(run.status.success(), "{sql}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).trim().to_string()
}

/// 600 people as CSV, with numbers, text that needs quotes, and missing values.
fn people() -> String {
    let mut text = "id,age,city,disease\n".to_string();
    for number in 0..600u32 {
        let city = ["Cork", "\"Galway, West\"", "Dublin", ""][(number / 7 % 4) as usize];
        let disease = ["flu", "asthma", "cancer"][(number * 7 % 3) as usize];
        text += &format!("{number},{},{city},{disease}\n", 20 + number * 13 % 60);
    }
    text
}

const REST: &str = r#"
missing = [""]
on_missing = "value"
[columns.id]
role = "identifier"
[columns.age]
role = "quasi-identifier"
[columns.city]
role = "quasi-identifier"
[columns.disease]
role = "sensitive"
[privacy.k-anonymity]
k = 5
[method]
name = "mondrian"
"#;

fn policy(folder: &Path, data: &str, rest: &str) -> Policy {
    let path = folder.join("policy.toml");
    fs::write(&path, format!("seed = 123456789012\n[data]\n{data}{REST}{rest}")).expect("written");
    Policy::read(&path).expect("a policy")
}

/// The bytes that are released under a policy.
fn released(policy: &Policy, target: &Path) -> Vec<u8> {
    let checked = policy.check_any(None).expect("checked");
    let published = anonymize_any(checked, &RunOptions::to(target), &Clock::unlimited()).expect("published");
    assert!(published.audit.passed);
    fs::read(target.join("public/release.csv")).expect("a release")
}

fn in_database(driver: &str, variable: &str, table: &str) -> String {
    format!("driver = \"{driver}\"\nuri_env = \"{variable}\"\ntable = \"{table}\"\n")
}

fn open(sql: &str) -> privet::Result<Source> {
    Source::of_database(&DatabaseTable {
        driver: "postgresql".into(),
        uri_env: POSTGRESQL.into(),
        relation: Relation::Query(sql.into()),
    })
}

fn cells(source: &Source) -> privet::Result<Vec<String>> {
    let mut cells = Vec::new();
    source.read(&mut |batch, _| {
        cells.extend((0..batch.rows()).map(|row| batch.cell(row, 0).to_string()));
        Ok(())
    })?;
    Ok(cells)
}

/// A table of the people, in a schema of the test's own, and a directory with their CSV file.
fn prepared(schema: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    let csv = folder.path().join("people.csv");
    fs::write(&csv, people()).expect("written");
    psql(&format!(
        "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}; CREATE TABLE {schema}.people (id integer, age \
         integer, city text, disease text)"
    ));
    psql(&format!("\\copy {schema}.people FROM '{}' CSV HEADER", csv.display()));
    folder
}

#[test]
fn a_postgresql_table_is_released_like_its_csv_file_and_into_a_table() {
    if !has(POSTGRESQL) {
        return;
    }
    let folder = prepared("as_csv");
    let path = folder.path();
    let from_file = released(&policy(path, "path = \"people.csv\"", ""), &path.join("file"));
    let into = "[release]\ntable = \"as_csv.published\"\n";
    let policy = policy(path, &in_database("postgresql", POSTGRESQL, "as_csv.people"), into);
    assert_eq!(released(&policy, &path.join("database")), from_file);
    let written = write_release(&policy, &path.join("database"), &Clock::unlimited()).expect("written");
    assert_eq!(written.expect("a table").rows, 600);
    assert_eq!(psql("SELECT count(*) FROM as_csv.published"), "600");
    let columns = "SELECT string_agg(column_name, ',' ORDER BY ordinal_position) FROM information_schema.columns \
                   WHERE table_schema = 'as_csv' AND table_name = 'published'";
    assert_eq!(psql(columns), "age,city,disease");
    // Nothing under the steward's directory repeats the address.
    let address = env::var(POSTGRESQL).expect("an address");
    for file in fs::read_dir(path.join("database/steward")).expect("a directory") {
        let bytes = fs::read(file.expect("a file").path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(&address));
    }
    // A year later the same database is audited again.
    let audit =
        privet::audit::audit_release(&path.join("database"), None, &Clock::unlimited()).expect("an audit");
    assert!(audit.passed);
    // A second release does not replace the first.
    let error = write_release(&policy, &path.join("database"), &Clock::unlimited()).expect_err("it exists");
    assert!(error.message().contains("already exists"), "{error}");
    assert_eq!(psql("SELECT count(*) FROM as_csv.published"), "600");
}

#[test]
fn all_passes_see_one_state_of_the_table() {
    if !has(POSTGRESQL) {
        return;
    }
    let _folder = prepared("state");
    let source = open("SELECT id FROM state.people").expect("opened");
    let before = cells(&source).expect("read");
    psql("DELETE FROM state.people WHERE id % 2 = 0; INSERT INTO state.people VALUES (9999, 1, 'x', 'y')");
    assert_eq!(cells(&source).expect("read again"), before);
    let schema = "ALTER TABLE state.people RENAME COLUMN id TO number";
    // The open transaction holds a lock that keeps the columns as they are.
    let address = env::var(POSTGRESQL).expect("an address");
    let refused = Command::new("psql")
        .args([&address, "-v", "ON_ERROR_STOP=1", "-qc", &format!("SET lock_timeout = '200ms'; {schema}")])
        .output()
        .expect("psql");
    assert!(!refused.status.success());
    drop(source);
    assert_eq!(cells(&open("SELECT id FROM state.people").expect("opened")).expect("read").len(), 301);
}

#[test]
fn collations_that_merge_texts_do_not_merge_values() {
    if !has(POSTGRESQL) {
        return;
    }
    psql(
        "DROP SCHEMA IF EXISTS merging CASCADE; CREATE SCHEMA merging; CREATE COLLATION merging.loose (provider = icu, locale \
         = 'und-u-ks-level2', deterministic = false); CREATE TABLE merging.words (word text COLLATE merging.loose); INSERT INTO \
         merging.words VALUES ('flu'), ('FLU'), ('Flu')",
    );
    assert_eq!(psql("SELECT count(DISTINCT word) FROM merging.words"), "1");
    let mut words = cells(&open("SELECT word FROM merging.words").expect("opened")).expect("read");
    words.sort();
    assert_eq!(words, ["FLU", "Flu", "flu"]);
}

#[test]
fn types_are_read_or_named() {
    if !has(POSTGRESQL) {
        return;
    }
    let columns = [
        ("true", "true"),
        ("7::smallint", "7"),
        ("7::integer", "7"),
        ("7::bigint", "7"),
        ("0.5::real", "0.5"),
        ("0.25::double precision", "0.25"),
        ("1.50::numeric(6,2)", "1.50"),
        ("'a'::text", "a"),
        ("'a'::varchar(9)", "a"),
        ("'ab'::char(2)", "ab"),
        ("DATE '1942-01-31'", "1942-01-31"),
        ("NULL::text", ""),
        ("NULL::integer", ""),
    ];
    for (expression, text) in columns {
        let source = open(&format!("SELECT {expression} AS x")).expect(expression);
        assert_eq!(cells(&source).expect(expression), [text], "{expression}");
    }
    // What comes of the others is up to the driver: they are read as text, or named as unread; no run fails because of them.
    let others = [
        "'\\x00ff'::bytea",
        "TIME '12:30'",
        "TIMESTAMP '1942-01-31 12:30'",
        "TIMESTAMPTZ '1942-01-31 12:30+02'",
        "INTERVAL '1 day'",
        "'{1,2}'::integer[]",
        "'{a}'::text[]",
        "'{\"a\": 1}'::json",
        "'{\"a\": 1}'::jsonb",
        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid",
        "'10.0.0.1'::inet",
        "'10.0.0.0/8'::cidr",
        "'08:00:2b:01:02:03'::macaddr",
        "'(1,2)'::point",
        "'[1,3)'::int4range",
        "'1'::bit",
        "'<a/>'::xml",
        "12.5::money",
        "to_tsvector('a b')",
    ];
    for expression in others {
        let source = open(&format!("SELECT 1 AS first, {expression} AS x")).expect(expression);
        let seen = source.columns().iter().any(|column| column.name == "x");
        let error = source.position("x").err().map(|error| error.message().to_string()).unwrap_or_default();
        assert!(seen || error.contains("cannot be read"), "{expression}: {error}");
        assert_eq!(cells(&source).unwrap_or_else(|error| panic!("{expression}: {error}")), ["1"]);
    }
}

#[test]
fn a_connection_that_is_lost_leaves_nothing_behind() {
    if !has(POSTGRESQL) {
        return;
    }
    let folder = prepared("lost");
    let path = folder.path();
    let source = open("SELECT id FROM lost.people").expect("opened");
    psql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND \
         query LIKE '%lost.people%'",
    );
    let error = cells(&source).expect_err("lost");
    assert!(error.kind().is_input(), "{error}");
    // While the release is being written.
    let into = "[release]\ntable = \"lost.published\"\n";
    let policy = policy(path, &in_database("postgresql", POSTGRESQL, "lost.people"), into);
    released(&policy, &path.join("release"));
    psql(
        "CREATE FUNCTION lost.cut() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT FROM \
         pg_event_trigger_ddl_commands() WHERE object_identity = 'lost.published') THEN PERFORM \
         pg_terminate_backend(pg_backend_pid()); END IF; END $$; CREATE EVENT TRIGGER lost_cut ON ddl_command_end EXECUTE \
         FUNCTION lost.cut()",
    );
    let error = write_release(&policy, &path.join("release"), &Clock::unlimited()).expect_err("lost");
    psql("DROP EVENT TRIGGER lost_cut");
    assert!(error.message().contains("cannot write"), "{error}");
    assert_eq!(psql("SELECT to_regclass('lost.published') IS NULL"), "t");
}

#[test]
fn what_cannot_be_reached_is_an_error_without_secrets() {
    if !has(POSTGRESQL) {
        return;
    }
    for (sql, part) in [("SELECT nothing FROM nowhere", "nowhere"), ("", "")] {
        let error = open(sql).expect_err(sql);
        assert!(error.message().contains(part), "{error}");
    }
    let table = |uri_env: &str| DatabaseTable {
        driver: "postgresql".into(),
        uri_env: uri_env.into(),
        relation: Relation::Table("people".into()),
    };
    let error = Source::of_database(&table("PRIVET_NO_SUCH_VARIABLE")).expect_err("unset");
    assert!(error.message().contains("PRIVET_NO_SUCH_VARIABLE"), "{error}");
    // The test script sets this to an address that nobody answers at.
    if env::var_os("PRIVET_TEST_UNREACHABLE").is_some() {
        let error = Source::of_database(&table("PRIVET_TEST_UNREACHABLE")).expect_err("unreachable");
        assert!(
            error.message().contains("cannot connect") && !error.to_string().contains("s3cret"),
            "{error}"
        );
    }
}

#[test]
fn an_sqlite_table_is_released_like_its_csv_file_and_into_a_table() {
    if !has(SQLITE) {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path();
    fs::write(path.join("people.csv"), people()).expect("written");
    let script = "import csv, os, sqlite3, sys\n\
                  db = sqlite3.connect(os.environ['PRIVET_TEST_SQLITE'])\n\
                  db.execute('DROP TABLE IF EXISTS people'); db.execute('DROP TABLE IF EXISTS published')\n\
                  db.execute('CREATE TABLE people (id integer, age integer, city text, disease text)')\n\
                  rows = list(csv.reader(open(sys.argv[1])))[1:]\n\
                  db.executemany('INSERT INTO people VALUES (?, ?, ?, ?)', rows); db.commit()";
    let csv = path.join("people.csv");
    let made =
        Command::new("python3").args(["-c", script, &csv.display().to_string()]).status().expect("python3");
    assert!(made.success());
    let from_file = released(&policy(path, "path = \"people.csv\"", ""), &path.join("file"));
    let policy = policy(path, &in_database("sqlite", SQLITE, "people"), "[release]\ntable = \"published\"\n");
    assert_eq!(released(&policy, &path.join("database")), from_file);
    let written = write_release(&policy, &path.join("database"), &Clock::unlimited()).expect("written");
    assert_eq!(written.expect("a table").rows, 600);
}
