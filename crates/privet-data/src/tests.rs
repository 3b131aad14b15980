//! Tables through files and back, and what broken files are called.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

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
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
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
            assert_eq!(found.kind, if typed { written.kind } else { CellKind::Text });
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
        (b"a,b\n1,\xe9\n", 2, "not valid UTF-8"),
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
        ("d.csv", b"\xff\xfea\0,\0b\0", "UTF-16"),
        ("d.csv", b"\xfe\xff\0a\0,\0b", "UTF-16"),
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
    use std::sync::Arc;
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
                // Some changes go unnoticed or change a value; those that do not must be told as bad input.
                if let Err(error) = read(&path) {
                    prop_assert_eq!(error.kind(), ErrorKind::Input, "{}", error);
                }
            }
        }
    }
}
