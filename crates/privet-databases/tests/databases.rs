//! Real databases: PostgreSQL on this machine, and SQLite. `crates/privet-databases/test` installs and starts what is needed and
//! sets the variables; without them, every test says that it skips.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use privet::clock::Clock;
use privet::data::{
    CellKind, DatabaseTable, FileKind, Formulas, ReadOptions, Relation, Sink, SinkColumn, Source,
};
use privet::policy::{OriginalData, Policy};
use privet::release::{RunOptions, anonymize_any};
use privet_databases::{check_release, write_release};

/// The variable with the address of a PostgreSQL database in which the tests may do what they want.
const POSTGRESQL: &str = "PRIVET_TEST_POSTGRESQL";
/// The variable with the address of an SQLite database.
const SQLITE: &str = "PRIVET_TEST_SQLITE";

/// The variable with the address of a DuckDB database.
const DUCKDB: &str = "PRIVET_TEST_DUCKDB";
/// The variable with the number of rows for the test of a large table.
const ROWS: &str = "PRIVET_TEST_ROWS";

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
    let written = write_release(&policy, &path.join("database"), None, &Clock::unlimited()).expect("written");
    assert_eq!(written.expect("a table").rows, 600);
    assert_eq!(psql("SELECT count(*) FROM as_csv.published"), "600");
    let columns = "SELECT string_agg(column_name, ',' ORDER BY ordinal_position) FROM information_schema.columns \
                   WHERE table_schema = 'as_csv' AND table_name = 'published'";
    assert_eq!(psql(columns), "age,city,disease");
    // Nothing in the directory repeats the password.
    let mut folders = vec![path.join("database")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => assert!(
                    !String::from_utf8_lossy(&fs::read(&path).expect("bytes")).contains("s3cret"),
                    "{path:?}"
                ),
            }
        }
    }
    // A year later the same database is audited again.
    let audit =
        privet::audit::audit_release(&path.join("database"), None, &Clock::unlimited()).expect("an audit");
    assert!(audit.passed);
    // A second release does not replace the first.
    let error =
        write_release(&policy, &path.join("database"), None, &Clock::unlimited()).expect_err("it exists");
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
fn every_type_is_read_or_named() {
    if !has(POSTGRESQL) {
        return;
    }
    psql(
        "DROP SCHEMA IF EXISTS kinds CASCADE; CREATE SCHEMA kinds; CREATE TYPE kinds.mood AS ENUM ('sad', 'well'); CREATE DOMAIN \
         kinds.share AS numeric CHECK (value BETWEEN 0 AND 1); CREATE TYPE kinds.pair AS (a integer, b text)",
    );
    let columns = [
        ("true", "true"),
        ("7::smallint", "7"),
        ("7::integer", "7"),
        ("7::bigint", "7"),
        ("4000000000::oid", "4000000000"),
        ("0.5::real", "0.5"),
        ("0.25::double precision", "0.25"),
        ("1.50::numeric(6,2)", "1.50"),
        ("0.25::kinds.share", "0.25"),
        ("12.5::money", "12.50"),
        ("'a'::text", "a"),
        ("'a'::varchar(9)", "a"),
        ("'ab'::char(2)", "ab"),
        ("'a'::\"char\"", "a"),
        ("'a'::name", "a"),
        ("'well'::kinds.mood", "well"),
        ("ROW(1, 'x')::kinds.pair", "(1,x)"),
        ("DATE '1942-01-31'", "1942-01-31"),
        ("TIME '12:30'", "12:30:00"),
        ("TIMETZ '12:30+02'", "12:30:00+02"),
        ("TIMESTAMP '1942-01-31 12:30'", "1942-01-31T12:30:00"),
        ("TIMESTAMPTZ '1942-01-31 12:30+02'", "1942-01-31T10:30:00Z"),
        ("INTERVAL '1 day 2 hours'", "1 day 02:00:00"),
        ("'{1,2}'::integer[]", "1|2"),
        ("'{a}'::text[]", "a"),
        ("'{well}'::kinds.mood[]", "well"),
        ("'{\"a\": 1}'::json", "{\"a\": 1}"),
        ("'{\"a\": 1}'::jsonb", "{\"a\": 1}"),
        ("'$.a'::jsonpath", "$.\"a\""),
        ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("'10.0.0.1'::inet", "10.0.0.1/32"),
        ("'10.0.0.0/8'::cidr", "10.0.0.0/8"),
        ("'08:00:2b:01:02:03'::macaddr", "08:00:2b:01:02:03"),
        ("'08:00:2b:01:02:03:04:05'::macaddr8", "08:00:2b:01:02:03:04:05"),
        ("'(1,2)'::point", "(1,2)"),
        ("'{1,2,3}'::line", "{1,2,3}"),
        ("'((0,0),(1,1))'::lseg", "[(0,0),(1,1)]"),
        ("'((0,0),(1,1))'::box", "(1,1),(0,0)"),
        ("'((0,0),(1,1))'::path", "((0,0),(1,1))"),
        ("'((0,0),(1,1),(1,0))'::polygon", "((0,0),(1,1),(1,0))"),
        ("'<(0,0),1>'::circle", "<(0,0),1>"),
        ("'[1,3)'::int4range", "[1,3)"),
        ("'{[1,3)}'::int4multirange", "{[1,3)}"),
        ("'[2024-01-02,2024-01-03)'::daterange", "[2024-01-02,2024-01-03)"),
        ("'1'::bit", "1"),
        ("'101'::varbit", "101"),
        ("'<a/>'::xml", "<a/>"),
        ("to_tsvector('simple', 'a b')", "'a':1 'b':2"),
        ("'a & b'::tsquery", "'a' & 'b'"),
        ("'16/B374D848'::pg_lsn", "16/B374D848"),
        ("'10:20:10,14'::pg_snapshot", "10:20:10,14"),
        ("'pg_class'::regclass", "pg_class"),
        ("'1'::xid", "1"),
        ("'(0,1)'::tid", "(0,1)"),
        ("NULL::text", ""),
        ("NULL::integer", ""),
        ("NULL::kinds.mood", ""),
    ];
    let mut wrong = Vec::new();
    for (expression, text) in columns {
        // A comment at the end of a query must not hide what is added to it.
        let read = open(&format!("SELECT {expression} AS \"x\"\"y\" -- as it is;"))
            .and_then(|source| cells(&source));
        match read {
            Ok(read) if read == [text] => {}
            other => wrong.push(format!("{expression}: {other:?}, not {text}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Bytes are not text: the column is left out, and named where it is asked for.
    let source = open("SELECT 1 AS first, '\\x00ff'::bytea AS x").expect("opened");
    let error = source.position("x").expect_err("bytes");
    assert!(error.message().contains("cannot be read") && error.message().contains("'x'"), "{error}");
    assert_eq!(cells(&source).expect("the others"), ["1"]);
    // Neither is infinity a day.
    let error =
        open("SELECT 'infinity'::date AS until").and_then(|source| cells(&source)).expect_err("infinity");
    assert!(error.message().contains("'until'"), "{error}");
}

/// Ends all other connections of a test, which there must be.
fn cut(part: &str) {
    let ended = psql(&format!(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%{part}%'"
    ));
    assert_ne!(ended, "0", "no connection asks about {part}");
}

#[test]
fn a_connection_that_is_lost_leaves_nothing_behind() {
    if !has(POSTGRESQL) {
        return;
    }
    let folder = prepared("lost");
    let path = folder.path();
    let source = open("SELECT id FROM lost.people").expect("opened");
    cut("lost.people");
    let error = cells(&source).expect_err("lost");
    assert!(error.kind().is_input(), "{error}");
    // In the middle of the rows: the first ones have come, and more than the network holds are to follow.
    let source =
        open("SELECT n, repeat('x', 100) AS lost_in_the_middle FROM generate_series(1, 1000000) AS n")
            .expect("opened");
    let mut rows = 0;
    let error = source.read(&mut |batch, _| {
        if rows == 0 {
            cut("lost_in_the_middle");
        }
        rows += batch.rows();
        Ok(())
    });
    let error = error.expect_err("lost");
    assert!(rows < 1_000_000 && error.message().contains("cannot read all rows"), "{rows}: {error}");
    // A run that loses its connection makes no release.
    let in_database = in_database("postgresql", POSTGRESQL, "lost.people");
    let checked = policy(path, &in_database, "").check_any(None).expect("checked");
    // Names of policies go to the server in quotes.
    cut("\"lost\".\"people\"");
    let error =
        anonymize_any(checked, &RunOptions::to(path.join("none")), &Clock::unlimited()).expect_err("lost");
    assert!(error.kind().is_input() && !path.join("none").exists(), "{error}");
    // While the release is being written.
    let policy = policy(path, &in_database, "[release]\ntable = \"lost.published\"\n");
    released(&policy, &path.join("release"));
    for (schema, does, part) in [
        ("lost", "PERFORM pg_terminate_backend(pg_backend_pid())", "cannot write"),
        ("lost", "RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'", "cannot write"),
    ] {
        // The new table gets a trigger that lets 300 rows pass.
        psql(&format!(
            "DROP EVENT TRIGGER IF EXISTS lost_cut; DROP SEQUENCE IF EXISTS {schema}.passed; CREATE SEQUENCE {schema}.passed; CREATE OR \
             REPLACE FUNCTION {schema}.stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('{schema}.passed') > 300 THEN \
             {does}; END IF; RETURN NEW; END $$; CREATE OR REPLACE FUNCTION {schema}.cut() RETURNS event_trigger LANGUAGE plpgsql AS $$ \
             BEGIN IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE command_tag = 'CREATE TABLE' AND \
             object_identity = '{schema}.published') THEN CREATE TRIGGER stop BEFORE INSERT ON {schema}.published FOR EACH ROW EXECUTE \
             FUNCTION {schema}.stop(); END IF; END $$; CREATE EVENT TRIGGER lost_cut ON ddl_command_end EXECUTE FUNCTION {schema}.cut()"
        ));
        let error =
            write_release(&policy, &path.join("release"), None, &Clock::unlimited()).expect_err("lost");
        psql("DROP EVENT TRIGGER lost_cut");
        assert!(error.message().contains(part), "{error}");
        if does.contains("40001") {
            assert!(error.remedy().is_some_and(|help| help.contains("run it again")), "{error}");
        }
        assert_eq!(psql("SELECT to_regclass('lost.published') IS NULL"), "t");
    }
    // Reading may be in somebody's way as well, on a server that follows another.
    psql(
        "CREATE FUNCTION lost.conflict(n integer) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN IF n > 900 THEN RAISE EXCEPTION \
          'canceled' USING ERRCODE = '40001'; END IF; RETURN n; END $$",
    );
    let source = open("SELECT lost.conflict(n) AS n FROM generate_series(1, 1000) AS n").expect("opened");
    let error = cells(&source).expect_err("a conflict");
    assert!(error.message().contains("cannot"), "{error}");
}

#[test]
fn a_table_that_changes_during_the_run_is_released_as_it_was() {
    if !has(POSTGRESQL) {
        return;
    }
    let folder = prepared("moving");
    let path = folder.path();
    let from_file = released(&policy(path, "path = \"people.csv\"", ""), &path.join("file"));
    let policy = policy(path, &in_database("postgresql", POSTGRESQL, "moving.people"), "");
    let checked = policy.check_any(None).expect("checked");
    let done = std::sync::atomic::AtomicBool::new(false);
    let mut changes = 0;
    let published = std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let published =
                anonymize_any(checked, &RunOptions::to(path.join("database")), &Clock::unlimited());
            done.store(true, std::sync::atomic::Ordering::SeqCst);
            published
        });
        while !done.load(std::sync::atomic::Ordering::SeqCst) || changes == 0 {
            psql(
                "DELETE FROM moving.people WHERE id % 7 = 3; UPDATE moving.people SET age = age + 1; INSERT INTO moving.people \
                  SELECT 1000, 1, 'x', 'y'",
            );
            changes += 1;
        }
        run.join().expect("the run ends")
    });
    assert!(published.expect("published").audit.passed && changes > 0);
    assert_eq!(fs::read(path.join("database/public/release.csv")).expect("a release"), from_file);
}

#[test]
fn a_query_whose_values_are_drawn_anew_each_time_is_not_released() {
    if !has(POSTGRESQL) {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path();
    let query = "SELECT n AS id, (random() * 1000000)::integer AS age, 'x' AS city, 'y' AS disease FROM generate_series(1, 100) AS n";
    let data = format!("driver = \"postgresql\"\nuri_env = \"{POSTGRESQL}\"\nquery = \"{query}\"\n");
    let checked = policy(path, &data, "").check_any(None).expect("checked");
    let error = anonymize_any(checked, &RunOptions::to(path.join("release")), &Clock::unlimited())
        .expect_err("drawn anew");
    assert!(!path.join("release").exists(), "{error}");
}

#[test]
fn names_are_quoted_wherever_they_go() {
    if !has(POSTGRESQL) {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path();
    psql(
        "DROP SCHEMA IF EXISTS \"Odd.\"\"one\" CASCADE; CREATE SCHEMA \"Odd.\"\"one\"; CREATE TABLE \"Odd.\"\"one\".\"a; DROP\" AS \
          SELECT 20 + n / 10 AS \"Age \"\"now\"\"\", 'flu' AS \"x'; --\" FROM generate_series(1, 100) AS n",
    );
    let text = format!(
        "seed = 5\n[data]\ndriver = \"postgresql\"\nuri_env = \"{POSTGRESQL}\"\ntable = '\"Odd.\"\"one\".a; DROP'\n[columns.'Age \
         \"now\"']\nrole = \"quasi-identifier\"\n[columns.\"x'; --\"]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = 5\n[method]\nname = \
         \"mondrian\"\n[release]\ntable = '\"Odd.\"\"one\".\"rel\"\"ease\"'\n"
    );
    fs::write(path.join("policy.toml"), text).expect("written");
    let policy = Policy::read(&path.join("policy.toml")).expect("a policy");
    check_release(&policy, &policy.check_any(None).expect("checked")).expect("it can be made");
    assert_eq!(released(&policy, &path.join("release")).iter().filter(|byte| **byte == b'\n').count(), 101);
    write_release(&policy, &path.join("release"), None, &Clock::unlimited()).expect("written");
    assert_eq!(psql("SELECT count(*) FROM \"Odd.\"\"one\".\"rel\"\"ease\""), "100");
    let error = check_release(&policy, &policy.check_any(None).expect("checked")).expect_err("it is there");
    assert!(error.message().contains("already exists"), "{error}");
}

/// The processor's seconds that this process has had so far.
fn spent() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

#[test]
fn a_large_table_is_released_like_its_csv_file() {
    let rows = env::var(ROWS).ok().and_then(|rows| rows.parse::<u64>().ok()).unwrap_or(0);
    if !has(POSTGRESQL) {
        return;
    }
    if rows == 0 {
        eprintln!("SKIPPED: {ROWS} is not set");
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path();
    psql(&format!(
        "DROP SCHEMA IF EXISTS large CASCADE; CREATE SCHEMA large; CREATE TABLE large.people AS SELECT n AS id, (18 + \
         hashint8(n) & 63)::integer AS age, 'city ' || (hashint8(n + 7) & 255) AS city, 'disease ' || (hashint8(n * 3) & 15) AS \
         disease FROM generate_series(1::bigint, {rows}) AS n"
    ));
    psql(&format!("\\copy large.people TO '{}' CSV HEADER", path.join("people.csv").display()));
    // The same as Parquet.
    let csv = Source::open(&path.join("people.csv"), &ReadOptions::default()).expect("opened");
    let kinds = [CellKind::Integer, CellKind::Integer, CellKind::Text, CellKind::Text];
    let columns =
        csv.columns().iter().zip(kinds).map(|(column, kind)| SinkColumn { name: column.name.clone(), kind });
    let kind = FileKind::of_path(Path::new("people.parquet")).expect("a kind");
    let mut parquet =
        Sink::create(&path.join("people.parquet"), kind, ',', &columns.collect::<Vec<_>>(), Formulas::Mark)
            .expect("created");
    csv.read(&mut |batch, _| {
        (0..batch.rows()).try_for_each(|row| parquet.write(&batch.cells(row).collect::<Vec<_>>()))
    })
    .expect("read");
    parquet.finish().expect("written");
    let run = |data: &str, name: &str| {
        let policy = policy(path, data, "");
        let before = spent();
        let options = RunOptions { format: Some(kind_of_csv()), ..RunOptions::to(path.join(name)) };
        let checked = policy.check_any(None).expect("checked");
        assert!(anonymize_any(checked, &options, &Clock::unlimited()).expect("published").audit.passed);
        (spent() - before, fs::read(path.join(name).join("public/release.csv")).expect("a release"))
    };
    let (csv, from_csv) = run("path = \"people.csv\"", "csv");
    let (parquet, from_parquet) = run("path = \"people.parquet\"", "parquet");
    let (database, from_database) = run(&in_database("postgresql", POSTGRESQL, "large.people"), "database");
    assert!(from_csv == from_database && from_parquet == from_database, "the releases differ");
    println!(
        "{rows} rows: {csv:.1} s of the processor from CSV, {parquet:.1} s from Parquet, {database:.1} s from PostgreSQL ({:.2} of Parquet)",
        database / parquet
    );
}

fn kind_of_csv() -> FileKind {
    FileKind::of_path(Path::new("release.csv")).expect("a kind")
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

/// Runs a script of Python with a file's name.
fn python(script: &str, file: &Path) {
    let made =
        Command::new("python3").args(["-c", script, &file.display().to_string()]).status().expect("python3");
    assert!(made.success());
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
    python(script, &path.join("people.csv"));
    like_its_file(path, "sqlite", SQLITE);
}

/// Releases the table of people from a database and from a file; the two are the same, and the release goes into a table.
fn like_its_file(path: &Path, driver: &str, variable: &str) {
    let from_file = released(&policy(path, "path = \"people.csv\"", ""), &path.join("file"));
    let policy = policy(path, &in_database(driver, variable, "people"), "[release]\ntable = \"published\"\n");
    check_release(&policy, &policy.check_any(None).expect("checked")).expect("it can be made");
    // The run's own view of the data is what the table is audited against.
    let data = policy.check(OriginalData::Named).expect("checked").source;
    let checked = policy.check_any(data.clone()).expect("checked");
    let options = RunOptions::to(path.join("database"));
    assert!(anonymize_any(checked, &options, &Clock::unlimited()).expect("published").audit.passed);
    assert_eq!(fs::read(path.join("database/public/release.csv")).expect("a release"), from_file);
    let written = write_release(&policy, &path.join("database"), data, &Clock::unlimited()).expect("written");
    assert_eq!(written.expect("a table").rows, 600);
    let back = DatabaseTable {
        driver: driver.into(),
        uri_env: variable.into(),
        relation: Relation::Query("SELECT age FROM published".into()),
    };
    assert_eq!(cells(&Source::of_database(&back).expect("opened")).expect("read").len(), 600);
    let error = check_release(&policy, &policy.check_any(None).expect("checked")).expect_err("it is there");
    assert!(error.message().contains("exists"), "{error}");
}

#[test]
fn cells_of_sqlite_may_have_any_type() {
    if !has(SQLITE) {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("mixed.db");
    let script = "import sqlite3, sys\n\
                  db = sqlite3.connect(sys.argv[1])\n\
                  db.execute('CREATE TABLE mixed (late_text, late_real, both, number integer, bytes, none)')\n\
                  db.executemany('INSERT INTO mixed VALUES (?, ?, ?, ?, ?, ?)', [(None, None, i, i, b'x', None) for i in range(3000)])\n\
                  db.execute('INSERT INTO mixed VALUES (?, ?, ?, ?, ?, ?)', ('t', 0.1, 'word', None, 7, None)); db.commit()";
    python(script, &path);
    // Nothing may change the environment of a program that has several threads, so the test starts itself once more.
    let variable = "PRIVET_TEST_SQLITE_MIXED";
    if env::var_os(variable).is_none() {
        let own = env::current_exe().expect("this program");
        let mut again = Command::new(own);
        again.args(["--exact", "cells_of_sqlite_may_have_any_type", "--nocapture"]).env(variable, &path);
        let run = again.output().expect("a run");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
        return;
    }
    let table = |sql: &str| DatabaseTable {
        driver: "sqlite".into(),
        uri_env: variable.into(),
        relation: Relation::Query(sql.into()),
    };
    for (column, text) in
        [("late_text", "t"), ("late_real", "0.1"), ("both", "word"), ("number", ""), ("none", "")]
    {
        let source =
            Source::of_database(&table(&format!("SELECT {column} FROM mixed -- all"))).expect(column);
        let cells = cells(&source).expect(column);
        assert_eq!((cells.len(), cells[3000].as_str()), (3001, text), "{column}");
    }
    let error = Source::of_database(&table("SELECT bytes FROM mixed")).expect_err("bytes");
    assert!(error.message().contains("cannot be read"), "{error}");
    let error = Source::of_database(&table("DELETE FROM mixed")).expect_err("not a query");
    assert!(error.kind().is_input(), "{error}");
    assert_eq!(
        cells(&Source::of_database(&table("SELECT number FROM mixed")).expect("opened")).expect("read").len(),
        3001
    );
}

#[test]
fn a_duckdb_table_is_released_like_its_csv_file_and_into_a_table() {
    if !has(DUCKDB) {
        return;
    }
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path();
    fs::write(path.join("people.csv"), people()).expect("written");
    let script = "import duckdb, os, sys\n\
                  db = duckdb.connect(os.environ['PRIVET_TEST_DUCKDB'])\n\
                  db.execute('DROP TABLE IF EXISTS people'); db.execute('DROP TABLE IF EXISTS published')\n\
                  db.execute(\"CREATE TABLE people AS SELECT * FROM read_csv('\" + sys.argv[1] + \"', header = true)\"); db.close()";
    python(script, &path.join("people.csv"));
    like_its_file(path, "duckdb", DUCKDB);
}
