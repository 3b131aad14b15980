//! Tables through files and back, and what broken files are called.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use privet_core::{Error, ErrorKind, Result};

type Rows = Vec<Vec<String>>;

fn text_columns(names: &[&str]) -> Vec<SinkColumn> {
    names.iter().map(|name| SinkColumn { name: (*name).to_string(), kind: CellKind::Text }).collect()
}

fn write(path: &Path, delimiter: char, columns: &[SinkColumn], rows: &[Vec<String>]) -> Result<()> {
    let mut sink = Sink::create(path, FileKind::of_path(path)?, delimiter, columns, Formulas::Mark)?;
    for row in rows {
        sink.write(&row.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    sink.finish()
}

fn rows_of(source: &Source) -> Result<Rows> {
    let mut rows = Vec::new();
    let mut consumed = 0;
    source.read(&mut |batch, bytes| {
        assert!(consumed <= bytes && bytes <= source.bytes());
        consumed = bytes;
        for row in 0..batch.rows() {
            let cells = (0..source.columns().len()).map(|column| batch.cell(row, column).to_string());
            rows.push(cells.collect());
        }
        Ok(())
    })?;
    Ok(rows)
}

fn read(path: &Path) -> Result<Rows> {
    rows_of(&Source::open(path, &ReadOptions::default())?)
}

/// A file with this content, in a folder that vanishes with the first value.
fn file(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    (folder, path)
}

/// The error of reading such a file to its end.
fn error(name: &str, content: &[u8]) -> Error {
    let (_folder, path) = file(name, content);
    let error = read(&path).expect_err(name);
    assert!(error.kind().is_input(), "{error}");
    assert_eq!(error.file(), Some(path.as_path()), "{error}");
    assert!(error.remedy().is_some(), "{error}");
    error
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn all_kinds() -> impl Iterator<Item = FileKind> {
    [Format::Csv, Format::Tsv, Format::Parquet, Format::Arrow].into_iter().flat_map(|format| {
        [Compression::None, Compression::Gzip, Compression::Zstd]
            .into_iter()
            .map(move |compression| FileKind { format, compression })
    })
}

#[test]
fn every_format_and_compression_gives_back_what_it_was_given() {
    let columns = [
        ("name", CellKind::Text),
        ("n", CellKind::Integer),
        ("x", CellKind::Float),
        ("b", CellKind::Boolean),
    ]
    .map(|(name, kind)| SinkColumn { name: name.to_string(), kind });
    // More rows than one batch holds.
    let rows: Rows = (0..9_000)
        .map(|row| {
            let x = if row % 7 == 0 { String::new() } else { format!("{}.5", row) };
            vec![format!("é, \"{row}\""), format!("{}", row - 100), x, (row % 2 == 0).to_string()]
        })
        .collect();
    for kind in all_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("data.{}", kind.extension()));
        write(&path, ',', &columns, &rows).unwrap();
        let source = Source::open(&path, &ReadOptions::default()).unwrap();
        assert_eq!(source.kind(), kind);
        assert_eq!(source.bytes(), fs::metadata(&path).unwrap().len());
        let typed = matches!(kind.format, Format::Parquet | Format::Arrow);
        assert_eq!(source.delimiter().is_none(), typed);
        for (found, written) in source.columns().iter().zip(&columns) {
            assert_eq!(found.name, written.name);
            assert_eq!(found.kind, if typed { written.kind.clone() } else { CellKind::Text });
        }
        // Twice, because a source can be read as often as needed.
        assert!(rows_of(&source).unwrap() == rows, "{kind:?}");
        assert!(rows_of(&source).unwrap() == rows, "{kind:?}");
        let again = folder.path().join(format!("again.{}", kind.extension()));
        write(&again, ',', &columns, &rows).unwrap();
        assert!(fs::read(&path).unwrap() == fs::read(&again).unwrap(), "{kind:?}: the bytes differ");
    }
}

#[test]
fn a_table_without_rows_is_a_table() {
    for kind in all_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("data.{}", kind.extension()));
        write(&path, ',', &text_columns(&["a", "b"]), &[]).unwrap();
        assert_eq!(read(&path).unwrap(), Rows::new(), "{kind:?}");
    }
}

#[test]
fn rows_know_their_lines() {
    let (_folder, path) = file("d.csv", b"a,b\r\n1,\"x\r\ny\"\r\n\r\n2,z");
    let mut lines = Vec::new();
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    source
        .read(&mut |batch, _| {
            lines.extend((0..batch.rows()).map(|row| batch.line(row)));
            Ok(())
        })
        .unwrap();
    assert_eq!(lines, [2, 5]);
}

#[test]
fn text_is_read_however_it_was_saved() {
    for content in [
        "a;b\n1;2\n3;4\n",
        "a;b\n1;2\n3;4",
        "a;b\r\n1;2\r\n3;4\r\n",
        "a;b\r1;2\r3;4\r",
        "\u{feff}a;b\n\n1;2\r\n\"3\";\"4\"\n\n",
    ] {
        let (_folder, path) = file("d.txt", content.as_bytes());
        let source = Source::open(&path, &ReadOptions::default()).unwrap();
        assert_eq!(source.delimiter(), Some(';'));
        assert_eq!(source.columns()[0].name, "a");
        assert_eq!(rows_of(&source).unwrap(), [["1", "2"], ["3", "4"]], "{content:?}");
    }
    let (_folder, path) = file("d.csv", b"a;b,c\n1;2,3\n");
    for (delimiter, columns) in [(';', ["a", "b,c"]), (',', ["a;b", "c"])] {
        let source = Source::open(&path, &ReadOptions::of(Some(delimiter))).unwrap();
        assert_eq!(source.columns().iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), columns);
    }
    let refused = Source::open(&path, &ReadOptions::of(Some('"')));
    assert!(refused.unwrap_err().to_string().contains("cannot be a delimiter"));
}

#[test]
fn compressed_files_in_several_parts_are_read_to_the_end() {
    let (_folder, path) = file("d.csv.gz", &[gzip(b"a,b\n1,2\n"), gzip(b"3,4\n")].concat());
    assert_eq!(read(&path).unwrap().len(), 2);
    let parts =
        [zstd::encode_all(&b"a,b\n1,2\n"[..], 1).unwrap(), zstd::encode_all(&b"3,4\n"[..], 1).unwrap()];
    let (_folder, path) = file("d.csv.zst", &parts.concat());
    assert_eq!(read(&path).unwrap().len(), 2);
}

#[test]
fn broken_text_is_told_by_line() {
    for (content, line, part) in [
        (&b"a,b\n1,2\n3\n"[..], 3, "1 cell, but the header has 2 columns"),
        (b"a,b\n1,2\n\n3,4,5\n", 4, "3 cells, but the header has 2 columns"),
        (b"a,b\n1,2\n3,\"4\n5,6\n", 3, "never closes"),
        (b"a,b\n1,\xc0\xaf\n", 2, "not valid UTF-8"),
        (b"a,b\n1,2\n3,\0\n", 3, "NUL"),
        (b"\na,a\n1,2\n", 2, "same name 'a'"),
        (b"a, a\n1,2\n", 1, "look the same"),
        (b"a,\"b\n", 1, "never closes"),
    ] {
        let error = error("d.csv", content);
        assert_eq!(error.line(), Some(line), "{error}");
        assert!(error.message().contains(part), "{error}");
    }
    let wide = vec![b','; 70_000];
    assert!(error("d.csv", &wide).message().contains("more than 65535 columns"));
}

#[test]
fn a_name_that_does_not_fit_the_content_is_told() {
    let zstd = |content: &[u8]| zstd::encode_all(content, 1).unwrap();
    for (name, content, part) in [
        ("d.csv", &b""[..], "empty"),
        ("d.csv", b"\xef\xbb\xbf", "empty"),
        ("d.csv", b"\n\n", "empty"),
        ("d.csv.gz", &gzip(b""), "empty"),
        ("d.parquet.gz", &gzip(b""), "empty"),
        ("d.csv", &gzip(b"a,b\n"), "holds gzip data"),
        ("d.csv", &zstd(b"a,b\n"), "holds zstd data"),
        ("d.csv", b"PAR1....PAR1", "holds a Parquet file"),
        ("d.csv.gz", &gzip(b"PAR1....PAR1"), "holds a Parquet file"),
        ("d.tsv", b"PK\x03\x04....", "spreadsheet"),
        ("d.csv.gz", b"a,b\n1,2\n", "not compressed with gzip"),
        ("d.csv.zst", &gzip(b"a,b\n"), "it looks like gzip data"),
        ("d.parquet", b"a,b\n1,2\n", "the name says Parquet"),
        ("d.arrow", b"PAR1....PAR1", "holds a Parquet file"),
        ("d.parquet", b"PAR1....PAR1", "not a readable Parquet file"),
        ("d.arrow", b"ARROW1....ARROW1", "not a readable Arrow file"),
    ] {
        let error = error(name, content);
        assert!(error.message().contains(part), "{name}: {error}");
    }
}

#[test]
fn damaged_compression_is_told() {
    let content: Vec<u8> =
        (0..20_000).flat_map(|row| format!("{row},{}\n", row * 7919 % 10_007).into_bytes()).collect();
    let content = [&b"a,b\n"[..], &content].concat();
    for (name, packed) in
        [("d.csv.gz", gzip(&content)), ("d.csv.zst", zstd::encode_all(&content[..], 1).unwrap())]
    {
        let cut = error(name, &packed[..packed.len() - 20]);
        assert!(cut.message().contains("cut off"), "{cut}");
        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 64].fill(0xa5);
        let (_folder, path) = file(name, &damaged);
        assert!(read(&path).is_err());
    }
}

#[test]
fn only_files_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing.csv");
    assert!(read(&path).unwrap_err().message().contains("cannot read the data"));
    let path = folder.path().join("folder.csv");
    fs::create_dir(&path).unwrap();
    assert!(read(&path).unwrap_err().message().contains("this is a folder"));
}

#[cfg(unix)]
#[test]
fn links_are_followed_but_pipes_and_devices_are_refused() {
    let (folder, target) = file("d.csv", b"a,b\n1,2\n");
    let link = folder.path().join("link.csv");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert_eq!(read(&link).unwrap(), [["1", "2"]]);
    let device = folder.path().join("null.csv");
    std::os::unix::fs::symlink("/dev/null", &device).unwrap();
    assert!(read(&device).unwrap_err().message().contains("a pipe or a device"));
}

#[test]
fn a_consumer_can_stop_early() {
    let content = "a,b\n".to_string() + &"1,2\n".repeat(100_000);
    let (_folder, path) = file("d.csv", content.as_bytes());
    let mut batches = 0;
    let stopped = Source::open(&path, &ReadOptions::default()).unwrap().read(&mut |_, _| {
        batches += 1;
        Err(Error::interrupted())
    });
    assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Interrupted);
    assert_eq!(batches, 1);
}

#[test]
fn a_file_that_changes_between_two_readings_is_told() {
    let (_folder, path) = file("d.csv", b"a,b\n1,2\n");
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    fs::write(&path, "b,a\n1,2\n").unwrap();
    assert!(rows_of(&source).unwrap_err().message().contains("changed"));
}

#[test]
fn a_sink_never_overwrites_and_takes_only_cells_of_its_kinds() {
    let (folder, path) = file("d.csv", b"precious");
    let error = write(&path, ',', &text_columns(&["a"]), &[]).unwrap_err();
    assert!(error.message().contains("write the release"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    let path = folder.path().join("d.parquet");
    let columns = [SinkColumn { name: "n".to_string(), kind: CellKind::Integer }];
    let error = write(&path, ',', &columns, &[vec!["secret".to_string()]]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
    assert!(!error.to_string().contains("secret"));
}

#[test]
fn quotes_are_written_where_a_reader_would_go_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.csv");
    let row = ["a;b", "c,d", " e", "f\ng", "h\"i", ""].map(str::to_string).to_vec();
    write(&path, ';', &text_columns(&["1", "2", "3", "4", "5", "6"]), &[row]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, "1;2;3;4;5;6\n\"a;b\";c,d;\" e\";\"f\ng\";\"h\"\"i\";\n");
}

#[test]
fn parquet_releases_hold_no_statistics_and_no_extra_metadata() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.parquet");
    write(&path, ',', &text_columns(&["a"]), &[vec!["zzz".to_string()]]).unwrap();
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    let metadata = reader.metadata();
    assert!(metadata.row_group(0).column(0).statistics().is_none());
    assert!(metadata.file_metadata().key_value_metadata().is_none());
    assert!(metadata.file_metadata().created_by().unwrap().starts_with("privet "));
}

#[test]
fn an_arrow_stream_is_read_like_a_file_and_odd_types_are_named() {
    use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
    let folder = tempfile::tempdir().unwrap();
    let stream = |name: &str, column: ArrayRef| {
        let path = folder.path().join(name);
        let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
        let file = fs::File::create(&path).unwrap();
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        path
    };
    let path = stream("s.arrow", Arc::new(StringArray::from(vec![Some("x"), None])));
    assert_eq!(read(&path).unwrap(), [["x"], [""]]);
    let path = stream("b.arrow", Arc::new(BinaryArray::from(vec![&b"x"[..]])));
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("column 'a' has the type Binary"), "{error}");
}

/// A Parquet file of two rows with a column `a` of texts and these, and with notes in its footer.
fn noted(
    columns: Vec<(&str, arrow_array::ArrayRef)>,
    notes: Vec<(&str, String)>,
) -> (tempfile::TempDir, PathBuf) {
    use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
    use parquet::file::metadata::KeyValue;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.parquet");
    let first: arrow_array::ArrayRef = Arc::new(arrow_array::StringArray::from(vec!["x", "y"]));
    let batch = arrow_array::RecordBatch::try_from_iter([("a", first)].into_iter().chain(columns)).unwrap();
    let notes = notes.into_iter().map(|(key, value)| KeyValue::new(key.to_string(), value)).collect();
    let properties =
        parquet::file::properties::WriterProperties::builder().set_key_value_metadata(Some(notes)).build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let file = fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new_with_options(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    (folder, path)
}

/// The note with which Arrow's writers keep the types of columns; `a` holds texts.
fn arrow_note(columns: Vec<(&str, DataType)>) -> (&'static str, String) {
    let columns = std::iter::once(("a", DataType::Utf8)).chain(columns);
    let fields: Vec<Field> = columns.map(|(name, data_type)| Field::new(name, data_type, false)).collect();
    ("ARROW:schema", parquet::arrow::encode_arrow_schema(&Schema::new(fields)))
}

fn dictionary(values: DataType) -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(values))
}

#[test]
fn hard_use_3_moments_keep_their_zone_whatever_the_unit() {
    use arrow_array::{TimestampMicrosecondArray, TimestampMillisecondArray};
    use arrow_schema::TimeUnit;
    let new_york = || Some("America/New_York".into());
    let second = 1_609_461_660;
    let micros =
        || Arc::new(TimestampMicrosecondArray::from(vec![second * 1_000_000; 2]).with_timezone("UTC"));
    let millis = || Arc::new(TimestampMillisecondArray::from(vec![second * 1_000; 2]).with_timezone("UTC"));
    let columns = || {
        vec![
            ("same", micros() as arrow_array::ArrayRef),
            ("coerced", micros()),
            ("seconds", millis()),
            ("finer", millis()),
            ("dictionary", micros()),
        ]
    };
    let timestamp = |unit| DataType::Timestamp(unit, new_york());
    let note = arrow_note(vec![
        ("same", timestamp(TimeUnit::Microsecond)),
        ("coerced", timestamp(TimeUnit::Nanosecond)),
        ("seconds", timestamp(TimeUnit::Second)),
        ("finer", timestamp(TimeUnit::Nanosecond)),
        ("dictionary", dictionary(timestamp(TimeUnit::Nanosecond))),
    ]);
    let (_folder, path) = noted(columns(), vec![note]);
    let eve = "2020-12-31T19:41:00-05:00";
    assert_eq!(read(&path).unwrap()[0], ["x", eve, eve, eve, eve, eve]);
    // Without Arrow's note, that of pandas says it for the columns that it knows.
    let pandas = r#"{"columns": [
        {"name": "same", "field_name": "same", "metadata": {"timezone": "America/New_York"}},
        {"name": "seconds", "metadata": {"timezone": "America/New_York"}},
        {"name": "finer", "field_name": "finer", "metadata": null}]}"#;
    let (_folder, path) = noted(columns(), vec![("pandas", pandas.to_string())]);
    let utc = "2021-01-01T00:41:00Z";
    assert_eq!(read(&path).unwrap()[0], ["x", eve, utc, eve, utc, utc]);
    // Notes that nobody can read change nothing.
    let (_folder, path) = noted(columns(), vec![("pandas", "{[".to_string())]);
    assert_eq!(read(&path).unwrap()[0], ["x", utc, utc, utc, utc, utc]);
}

#[test]
fn hard_use_3_dictionaries_of_anything_are_read_as_their_values() {
    use arrow_array::{BooleanArray, Decimal128Array, Float64Array};
    let cents = Decimal128Array::from(vec![150, -5]).with_precision_and_scale(9, 2).unwrap();
    let columns = vec![
        ("bool", Arc::new(BooleanArray::from(vec![true, false])) as arrow_array::ArrayRef),
        ("cents", Arc::new(cents)),
        ("float", Arc::new(Float64Array::from(vec![0.5, 2.0]))),
        ("text", Arc::new(arrow_array::StringArray::from(vec!["b", "c"]))),
    ];
    let note = arrow_note(vec![
        ("bool", dictionary(DataType::Boolean)),
        ("cents", dictionary(DataType::Decimal128(9, 2))),
        ("float", dictionary(DataType::Float64)),
        ("text", dictionary(DataType::Utf8)),
    ]);
    let (_folder, path) = noted(columns, vec![note]);
    assert_eq!(read(&path).unwrap(), [["x", "true", "1.50", "0.5", "b"], ["y", "false", "-0.05", "2", "c"]]);
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    assert_eq!(source.columns()[1].kind, CellKind::Boolean);
}

#[test]
fn hard_use_3_an_unsupported_codec_is_called_that() {
    use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
    // A writer for Brotli is not here; a footer that speaks of it is as good, as long as nobody unpacks the pages.
    let (_folder, path) = noted(vec![("b", Arc::new(arrow_array::Int64Array::from(vec![1, 2])))], vec![]);
    let bytes = fs::read(&path).unwrap();
    let read_metadata =
        || ParquetMetaDataReader::new().parse_and_finish(&fs::File::open(&path).unwrap()).unwrap();
    let compressed = |columns: &[usize]| {
        let metadata = read_metadata();
        let groups = metadata.row_groups().iter().cloned().map(|group| {
            let mut builder = group.into_builder();
            let chunks = builder.take_columns().into_iter().enumerate().map(|(at, chunk)| {
                let codec = match columns.contains(&at) {
                    true => parquet::basic::Compression::BROTLI(Default::default()),
                    false => chunk.compression(),
                };
                chunk.into_builder().set_compression(codec).build().unwrap()
            });
            let chunks = chunks.collect();
            builder.set_column_metadata(chunks).build().unwrap()
        });
        let groups = groups.collect();
        let metadata = metadata.into_builder().set_row_groups(groups).build();
        let footer = u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap()) as usize;
        let mut file = bytes[..bytes.len() - 8 - footer].to_vec();
        ParquetMetaDataWriter::new(&mut file, &metadata).finish().unwrap();
        file
    };
    let (all, second) = (compressed(&[0, 1]), compressed(&[1]));
    fs::write(&path, all).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("compressed with Brotli, which is not supported"), "{error}");
    assert!(error.contains("Snappy") && !error.contains("damaged"), "{error}");
    fs::write(&path, second).unwrap();
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    assert_eq!(rows_of(&source).unwrap(), [["x"], ["y"]]);
    assert!(source.remarks()[0].contains("column 'b' is compressed with Brotli"), "{:?}", source.remarks());
    assert!(source.position("b").unwrap_err().message().contains("Brotli"));
}

#[test]
fn hard_use_3_dates_and_times_keep_their_type() {
    let moment = |unit, zone: Option<&str>| CellKind::Timestamp { unit, zone: zone.map(Arc::from) };
    let new_york = moment(TimeUnit::Microsecond, Some("America/New_York"));
    let columns = [
        ("day", CellKind::Date, "2020-02-29"),
        ("second", CellKind::Time(TimeUnit::Second), "08:30:00"),
        ("fine", CellKind::Time(TimeUnit::Nanosecond), "08:30:00.000000001"),
        ("local", moment(TimeUnit::Second, None), "1969-12-31T23:59:59"),
        ("utc", moment(TimeUnit::Nanosecond, Some("UTC")), "2024-01-01T03:30:00.5Z"),
        ("zoned", new_york.clone(), "2020-12-31T19:41:00-05:00"),
    ];
    let sinks = columns.clone().map(|(name, kind, _)| SinkColumn { name: name.to_string(), kind });
    let rows = vec![columns.clone().map(|(.., cell)| cell.to_string()).to_vec(), vec![String::new(); 6]];
    for extension in ["parquet", "arrow", "csv"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("d.{extension}"));
        write(&path, ',', &sinks, &rows).unwrap();
        assert_eq!(read(&path).unwrap(), rows, "{extension}");
        let source = Source::open(&path, &ReadOptions::default()).unwrap();
        let kinds: Vec<CellKind> = source.columns().iter().map(|column| column.kind.clone()).collect();
        let coarse = CellKind::Time(TimeUnit::Millisecond);
        let typed = |zoned| {
            vec![
                CellKind::Date,
                coarse,
                CellKind::Time(TimeUnit::Nanosecond),
                moment(TimeUnit::Millisecond, None),
                moment(TimeUnit::Nanosecond, Some("UTC")),
                zoned,
            ]
        };
        let wanted = match extension {
            // Without notes in its footer, Parquet cannot say in which zone a moment is.
            "parquet" => typed(CellKind::Text),
            "arrow" => typed(new_york.clone()),
            _ => vec![CellKind::Text; 6],
        };
        assert_eq!(kinds, wanted, "{extension}");
    }
}

/// Any text but NUL, with what makes trouble in files more often than chance would have it.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::collection::vec(
            prop::sample::select(&[" ", "\"", ",", ";", "\t", "\r", "\n", "é", "\u{feff}", "x"][..]),
            0..6
        )
        .prop_map(|parts| parts.concat()),
        any::<String>().prop_map(|text| text.replace('\0', "")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_cells_survive_a_file(
        (columns, rows) in (1_usize..4).prop_flat_map(|columns| {
            (Just(columns), proptest::collection::vec(proptest::collection::vec(cell(), columns), 0..8))
        }),
        format in prop::sample::select(&["csv", "tsv", "parquet", "arrow"][..]),
        delimiter in prop::sample::select(vec![',', ';', '|', ':', '\t', '§', '…', '🙂']),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("d.{format}"));
        write(&path, delimiter, &text_columns(&["a", "b", "c"][..columns]), &rows).unwrap();
        let options = ReadOptions::with_names((format == "csv").then_some(delimiter));
        prop_assert_eq!(rows_of(&Source::open(&path, &options).unwrap()).unwrap(), rows);
    }
}

/// A small file of every kind of column, as bytes.
fn small_file(extension: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("d.{extension}"));
    let columns = [
        ("name", CellKind::Text),
        ("n", CellKind::Integer),
        ("x", CellKind::Float),
        ("b", CellKind::Boolean),
    ]
    .map(|(name, kind)| SinkColumn { name: name.to_string(), kind });
    let rows: Rows = (0..40)
        .map(|row| {
            vec![format!("name {}", row % 5), row.to_string(), format!("{row}.5"), (row % 3 == 0).to_string()]
        })
        .collect();
    write(&path, ',', &columns, &rows).unwrap();
    fs::read(&path).unwrap()
}

#[test]
fn typed_files_cut_off_anywhere_are_errors() {
    for extension in ["parquet", "arrow"] {
        let whole = small_file(extension);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("d.{extension}"));
        for length in (0..whole.len()).step_by(whole.len() / 150 + 1) {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(read(&path).unwrap_err().kind(), ErrorKind::Input, "{extension} of {length} bytes");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn typed_files_with_changed_bytes_never_panic(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 100)) {
        for extension in ["parquet", "arrow"] {
            let whole = small_file(extension);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(format!("d.{extension}"));
            for (place, value) in &changes {
                let mut bytes = whole.clone();
                bytes[place.index(whole.len())] = *value;
                fs::write(&path, &bytes).unwrap();
                // Some changes go unnoticed or change a value; those that do not must be reported as bad input.
                if let Err(error) = read(&path) {
                    prop_assert_eq!(error.kind(), ErrorKind::Input, "{}", error);
                }
            }
        }
    }
}
