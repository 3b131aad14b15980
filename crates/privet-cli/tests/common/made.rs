//! Bad input that is large, binary or not a file at all, and so is made where it is needed.

use super::*;

/// A case that is made, not kept: how to spoil the good files, and what the message must have. Without any parts, the file is a
/// table all the same.
pub struct Made {
    /// What it is.
    pub name: &'static str,
    /// Which of the 65 kinds it is of.
    pub kinds: &'static [u8],
    /// Spoils the good files.
    pub spoil: fn(&Bench),
    /// What the message must have.
    pub parts: &'static [&'static str],
}

fn data_is(bench: &Bench, name: &str) {
    bench.edit("policy.toml", "\"data.csv\"", &format!("\"{name}\""));
}

/// The good table in a typed format.
fn typed(bench: &Bench, format: &str) -> Vec<u8> {
    bench.privet(&["anonymize", "policy.toml", "-o", "typed", "--format", format]).succeeds();
    let bytes = bench.read(&format!("typed/public/release.{format}"));
    fs::remove_dir_all(bench.path("typed")).expect("removed");
    bytes
}

fn parquet_is(bench: &Bench, bytes: Vec<u8>) {
    bench.write("bad.parquet", bytes);
    data_is(bench, "bad.parquet");
}

fn cut_off(bench: &Bench, format: &str) {
    let bytes = typed(bench, format);
    bench.write(&format!("cut.{format}"), &bytes[..bytes.len() * 2 / 3]);
    data_is(bench, &format!("cut.{format}"));
}

fn parquet_with(bench: &Bench, column: &str, values: ArrayRef) {
    let age: ArrayRef = Arc::new(Int64Array::from(vec![34, 36]));
    let city: ArrayRef = Arc::new(StringArray::from(vec!["Bonn", "Ulm"]));
    let mut columns = vec![("age", age), ("city", city), ("disease", values.clone())];
    columns[2].0 = column;
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
    bench.write("odd.parquet", bytes);
    data_is(bench, "odd.parquet");
}

/// The cases.
pub const MADE: &[Made] = &[
    Made {
        name: "the data is a folder with a good name",
        kinds: &[30],
        spoil: |bench| {
            fs::create_dir(bench.path("folder.csv")).expect("made");
            data_is(bench, "folder.csv");
        },
        parts: &["folder.csv", "this is a folder", "help: name a file inside"],
    },
    Made {
        name: "the data is a symbolic link to nowhere",
        kinds: &[30],
        spoil: |bench| {
            symlink("nowhere.csv", bench.path("link.csv")).expect("linked");
            data_is(bench, "link.csv");
        },
        parts: &["link.csv", "No such file", "help: check the path"],
    },
    Made {
        name: "the data is a symbolic link to itself",
        kinds: &[30],
        spoil: |bench| {
            symlink("loop.csv", bench.path("loop.csv")).expect("linked");
            data_is(bench, "loop.csv");
        },
        parts: &["loop.csv", "cannot read the data"],
    },
    Made {
        name: "the data is a link to the null device",
        kinds: &[30],
        spoil: |bench| {
            symlink("/dev/null", bench.path("null.csv")).expect("linked");
            data_is(bench, "null.csv");
        },
        parts: &["null.csv", "device", "help:"],
    },
    Made {
        name: "the data is one huge line",
        kinds: &[18],
        spoil: |bench| {
            bench.write("data.csv", "x".repeat(20 << 20));
        },
        parts: &["data.csv:1:", "the name of column 1 is longer than", "help:"],
    },
    Made {
        name: "one cell of the data is huge",
        kinds: &[18],
        spoil: |bench| {
            let cell = "Bonn".repeat(4 << 20);
            bench.write("data.csv", format!("age,city,disease\n34,{cell},flu\n36,Ulm,asthma\n"));
        },
        parts: &["error:", "help:"],
    },
    Made {
        name: "the data holds the mark of suppressed cells, and cells are to be suppressed",
        kinds: &[25],
        spoil: |bench| {
            bench.write("data.csv", "age,city,disease\n34,Bonn,flu\n36,Ulm,*\n");
            bench.edit("policy.toml", "[privacy.l-diversity]", "[privacy.l-plus-diversity]");
            bench.edit("policy.toml", "\"mondrian\"", "\"l-plus-optimize\"\nsuppression = \"all-sa\"");
        },
        parts: &["policy.toml:", "the value '*'", "help: list \"*\" under 'missing'"],
    },
    Made {
        name: "the header has 100,000 columns",
        kinds: &[19],
        spoil: |bench| {
            let names: Vec<String> = (0..100_000).map(|number| format!("c{number}")).collect();
            let cells = vec!["1"; 100_000].join(",");
            bench.write("data.csv", format!("age,city,disease,{}\n34,Bonn,flu,{cells}\n", names.join(",")));
        },
        parts: &["data.csv:", "more than 65535 columns"],
    },
    Made {
        name: "the Parquet file is cut off",
        kinds: &[31],
        spoil: |bench| cut_off(bench, "parquet"),
        parts: &["cut.parquet", "help: the file may be damaged"],
    },
    Made {
        name: "the Arrow file is cut off",
        kinds: &[31],
        spoil: |bench| cut_off(bench, "arrow"),
        parts: &["cut.arrow", "help: the file may be damaged"],
    },
    Made {
        name: "the Parquet file is named CSV",
        kinds: &[32],
        spoil: |bench| {
            let bytes = typed(bench, "parquet");
            bench.write("data.csv", bytes);
        },
        parts: &["data.csv", "the name says text", "Parquet", "help: rename"],
    },
    Made {
        name: "the Arrow file is named Parquet",
        kinds: &[32],
        spoil: |bench| {
            let bytes = typed(bench, "arrow");
            bench.write("data.parquet", bytes);
            data_is(bench, "data.parquet");
        },
        parts: &["data.parquet", "the name says Parquet", "help: rename"],
    },
    Made {
        name: "the compressed CSV is cut off",
        kinds: &[29],
        spoil: |bench| {
            let bytes = typed(bench, "csv.zst");
            bench.write("cut.csv.zst", &bytes[..bytes.len() / 2]);
            data_is(bench, "cut.csv.zst");
        },
        parts: &["cut.csv.zst", "cut off", "help:"],
    },
    Made {
        name: "a column of the Parquet file holds structures",
        kinds: &[],
        spoil: |bench| {
            let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
            let structures = StructArray::try_from(vec![("number", numbers)]).expect("one field");
            parquet_with(bench, "disease", Arc::new(structures));
        },
        parts: &["odd.parquet", "'disease'", "help:"],
    },
    Made {
        name: "a column of the Parquet file holds bytes",
        kinds: &[],
        spoil: |bench| {
            let bytes: Vec<&[u8]> = vec![b"\xff\xfe", b"\0"];
            parquet_with(bench, "disease", Arc::new(BinaryArray::from(bytes)));
        },
        parts: &["odd.parquet", "'disease'", "help:"],
    },
    Made {
        name: "two columns of the Parquet file have the same name",
        kinds: &[4],
        spoil: |bench| parquet_with(bench, "city", Arc::new(StringArray::from(vec!["flu", "asthma"]))),
        parts: &["odd.parquet", "'city'", "help:"],
    },
    Made {
        name: "the policy is a folder",
        kinds: &[],
        spoil: |bench| {
            fs::remove_file(bench.path("policy.toml")).expect("removed");
            fs::create_dir(bench.path("policy.toml")).expect("made");
        },
        parts: &["policy.toml", "cannot read the policy", "help:"],
    },
    Made {
        name: "the policy is not there",
        kinds: &[],
        spoil: |bench| fs::remove_file(bench.path("policy.toml")).expect("removed"),
        parts: &["policy.toml", "No such file", "help:"],
    },
    Made {
        name: "the hierarchy is a folder with a good name",
        kinds: &[],
        spoil: |bench| {
            fs::remove_file(bench.path("city.csv")).expect("removed");
            fs::create_dir(bench.path("city.csv")).expect("made");
        },
        parts: &["city.csv", "not a file", "help:"],
    },
    Made {
        name: "the hierarchy is a table with a header",
        kinds: &[45],
        spoil: |bench| {
            bench.write("city.csv", "value;region;all\nBonn;west;*\nUlm;south;*\n");
        },
        parts: &["city.csv:2:", "two roots", "no header line"],
    },
    Made {
        name: "every record has a missing value",
        kinds: &[25],
        spoil: |bench| {
            bench.write("data.csv", "age,city,disease\n,Bonn,flu\n36,,asthma\n");
        },
        parts: &["data.csv", "all 2 records", "help: set on_missing"],
    },
    Made {
        name: "a value looks like a suppressed cell",
        kinds: &[25],
        spoil: |bench| {
            bench.write("data.csv", "age,city,disease\n34,Bonn,flu\n*,Ulm,asthma\n");
        },
        parts: &["data.csv:3:", "'*'", "help:"],
    },
    Made {
        name: "the data is one line of a gigabyte",
        kinds: &[18],
        spoil: |bench| {
            let mut file = File::create(bench.path("data.csv")).expect("a file");
            file.write_all(b"age,city,disease\n34,Bonn,").expect("written");
            // Only the length takes room on disk.
            file.set_len(1 << 30).expect("long");
        },
        parts: &["data.csv:2:", "longer than 64 MB", "help:"],
    },
    Made {
        name: "the data is a gzip bomb",
        kinds: &[29],
        spoil: |bench| {
            let zip = "printf 'age,city,disease\\n34,Bonn,' > bomb.csv; head -c 300000000 /dev/zero | tr '\\0' x >> bomb.csv; \
                       gzip -1 bomb.csv";
            let status = Command::new("sh").args(["-c", zip]).current_dir(bench.root()).status();
            assert!(status.is_ok_and(|status| status.success()), "gzip is there");
            data_is(bench, "bomb.csv.gz");
        },
        parts: &["bomb.csv.gz:2:", "longer than 64 MB", "help:"],
    },
    Made {
        name: "the data is a pipe that nobody writes to",
        kinds: &[30],
        spoil: |bench| {
            let status = Command::new("mkfifo").arg(bench.path("pipe.csv")).status();
            assert!(status.is_ok_and(|status| status.success()), "a pipe");
            data_is(bench, "pipe.csv");
        },
        parts: &["pipe.csv", "a pipe or a device", "help:"],
    },
    Made {
        name: "the footer of the Parquet file is cut off",
        kinds: &[31],
        spoil: |bench| {
            let bytes = damage::good();
            parquet_is(bench, bytes[..bytes.len() - 20].to_vec());
        },
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the footer of the Parquet file is noise",
        kinds: &[33],
        spoil: |bench| {
            let mut bytes = damage::good();
            let end = bytes.len() - 8;
            bytes[end - 200..end].iter_mut().for_each(|byte| *byte = byte.wrapping_mul(31) ^ 0xf9);
            parquet_is(bench, bytes);
        },
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "a dictionary of the Parquet file has a negative size",
        kinds: &[34],
        spoil: |bench| parquet_is(bench, damage::negative_dictionary()),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the Parquet file has fewer levels than values",
        kinds: &[35],
        spoil: |bench| parquet_is(bench, damage::too_few_levels()),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "a column of the Parquet file says that it is shorter than the others",
        kinds: &[36],
        spoil: |bench| parquet_is(bench, damage::unequal_columns()),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the Parquet file has missing values in a column that cannot have any",
        kinds: &[37],
        spoil: |bench| parquet_is(bench, damage::nulls_in_a_required_column()),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the Parquet file has a type that nobody knows",
        kinds: &[38],
        spoil: |bench| parquet_is(bench, damage::unknown_logical_type()),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the indices of the Parquet file take no bits",
        kinds: &[39],
        // Every index is then the first one: a table, though not the one that was meant, and nothing tells.
        spoil: |bench| parquet_is(bench, damage::dictionary_bits(0)),
        parts: &[],
    },
    Made {
        name: "the indices of the Parquet file take two hundred bits",
        kinds: &[39],
        spoil: |bench| parquet_is(bench, damage::dictionary_bits(200)),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the Parquet file is nested six hundred deep",
        kinds: &[40],
        spoil: |bench| parquet_is(bench, damage::nested(600)),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the row groups of the Parquet file do not match",
        kinds: &[41],
        spoil: |bench| parquet_is(bench, damage::mismatched_row_groups()),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "a row group of the Parquet file has a negative number of rows",
        kinds: &[41],
        spoil: |bench| parquet_is(bench, damage::negative_rows()),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "a column of the Parquet file lies outside of it",
        kinds: &[36],
        spoil: |bench| parquet_is(bench, damage::column_outside_the_file()),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the Arrow schema inside the Parquet file is no text",
        kinds: &[42],
        spoil: |bench| parquet_is(bench, damage::arrow_schema("!!!")),
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the Arrow schema inside the Parquet file is noise",
        kinds: &[42],
        spoil: |bench| {
            parquet_is(bench, damage::arrow_schema("/////3gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBA=="))
        },
        parts: &["bad.parquet", "help:"],
    },
    Made {
        name: "the hierarchy is ten thousand levels deep",
        kinds: &[50],
        spoil: |bench| {
            let path = |leaf: &str| {
                let above: Vec<String> = (0..10_000).map(|level| format!("{leaf}{level}")).collect();
                format!("{leaf};{};*\n", above.join(";"))
            };
            bench.write("city.csv", path("Bonn") + &path("Ulm"));
        },
        parts: &[],
    },
    Made {
        name: "two records have the same identifier",
        kinds: &[60],
        spoil: |bench| {
            bench.write(
                "data.csv",
                "id,age,city,disease\n1,34,Bonn,flu\n1,36,Bonn,asthma\n1,34,Ulm,flu\n1,36,Ulm,asthma\n",
            );
            bench.edit("policy.toml", "[columns.age]", "[columns.id]\nrole = \"identifier\"\n[columns.age]");
        },
        parts: &[],
    },
];
