//! Tables in workbooks of spreadsheets: Excel and OpenDocument.
//!
//! A sheet is copied as delimited text once, so that everything that holds for text holds for it: its first row may be a title, a
//! header or somebody's record, and lines are the numbers of its rows.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

use calamine::{Cell, Data, DataRef, ExcelDateTime, Range, Reader, Sheets, open_workbook_auto};

use super::guard;
use super::sink::push_row;
use super::source::ReadOptions;
use super::spool::Spool;
use privet_core::{Error, Result, counted, suggestion};

/// Rows and columns of a sheet at most, as Excel has them.
const MOST_ROWS: u32 = 1_048_576;
const MOST_COLUMNS: u32 = 16_384;

/// The parts of a workbook may be this large whatever the file is, in bytes;
const ALWAYS_FINE: u64 = 64 << 20;
/// larger ones at most this many times as large as the file. Spreadsheets shrink to a tenth or a thirtieth; what was made to fill a
/// disk shrinks to a thousandth.
const MOST_TIMES: u64 = 200;
/// A sheet may have this many places for cells whatever it holds;
const FEW_PLACES: u64 = 1 << 24;
/// larger ones at most this many for each filled cell.
const MOST_PLACES: u64 = 64;

/// Other sheets that are named at most.
const SHEETS_NAMED: usize = 5;

/// A sheet as delimited text.
pub(super) struct Sheet {
    pub(super) spool: Spool,
    /// Which sheet it is, where the workbook has several and nobody said which is meant.
    pub(super) note: Option<String>,
}

/// Whether a file's name says that it is a workbook.
pub(super) fn is_workbook(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    ["xlsx", "xlsm", "xlsb", "xls", "ods"].contains(&extension.as_str())
}

/// Copies a sheet.
pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<Sheet> {
    // The reader trusts what a file declares, and may panic where that is wrong.
    let read = guard::catch(|| read(path, options));
    let (range, note) =
        read.unwrap_or_else(|guard::Panicked| Err(unreadable(path, "its parts contradict each other")))?;
    let start = range.start().unwrap_or_default().0;
    let spool = Spool::filled(".csv", |file| {
        let mut lines = b"\n".repeat(start as usize);
        for row in range.rows() {
            let cells: Vec<String> = row.iter().map(text).collect();
            match cells.iter().all(String::is_empty) {
                true => lines.push(b'\n'),
                false => push_row(&mut lines, &cells.iter().map(String::as_str).collect::<Vec<_>>(), ','),
            }
            let written = file.write_all(&lines);
            written.map_err(|error| Error::io("keep the data in a temporary file", path, &error))?;
            lines.clear();
        }
        Ok(())
    })?;
    Ok(Sheet { spool, note })
}

/// The cells of the sheet that is meant, and what to say about the choice.
fn read(path: &Path, options: &ReadOptions) -> Result<(Range<Data>, Option<String>)> {
    std::fs::metadata(path).map_err(|error| Error::io("read the data", path, &error))?;
    refuse_bombs(path)?;
    let mut book = open_workbook_auto(path).map_err(|error| unreadable(path, &error.to_string()))?;
    let names = book.sheet_names();
    let Some(first) = names.first() else { return Err(unreadable(path, "it has no sheet")) };
    let (name, note) = match &options.sheet {
        Some(name) if names.contains(name) => (name, None),
        Some(name) => {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            return Err(Error::input(format!("the workbook has no sheet '{name}'"))
                .in_file(path)
                .help(suggestion(name, &known, "its sheets")));
        }
        None if names.len() == 1 => (first, None),
        None => {
            let title = path.file_name().unwrap_or_default().to_string_lossy();
            let others: Vec<String> =
                names.iter().skip(1).take(SHEETS_NAMED).map(|name| format!("'{name}'")).collect();
            let more = if names.len() > SHEETS_NAMED + 1 { ", …" } else { "" };
            let note = format!(
                "'{title}' has {} sheets; the first one, '{first}', is read, and not {}{more}",
                names.len(),
                others.join(", ")
            );
            (first, Some(note))
        }
    };
    let name = name.clone();
    let range = cells_of(&mut book, path, &name, options)?;
    let range = match &options.range {
        None => range,
        Some(cells) => {
            let (from, to) = corners(cells).ok_or_else(|| {
                Error::input(format!("'{cells}' is not a range of cells"))
                    .in_file(path)
                    .help("name two corners, as in \"B3:F200\"")
            })?;
            // Nothing is made of cells that the sheet does not have.
            let end = range.end().unwrap_or_default();
            range.range(from, (to.0.min(end.0.max(from.0)), to.1))
        }
    };
    if range.is_empty() {
        let others: Vec<&str> = names.iter().map(String::as_str).filter(|other| *other != name).collect();
        let help = match others.is_empty() {
            true => "it is the only one; is it the right file?".to_string(),
            false => {
                format!("name another one with --sheet, or sheet = \"…\" in [data]: {}", others.join(", "))
            }
        };
        return Err(Error::input(format!("the sheet '{name}' is empty")).in_file(path).help(help));
    }
    Ok((range, note))
}

/// Refuses an archive whose parts are many times as large as it is: somebody made it to fill memory. What the archive declares is
/// not relied on.
fn refuse_bombs(path: &Path) -> Result<()> {
    let failed = |error: std::io::Error| Error::io("read the data", path, &error);
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    // Older workbooks are not archives, and nothing in them is compressed.
    let Ok(mut archive) = zip::ZipArchive::new(BufReader::new(file)) else { return Ok(()) };
    let most = ALWAYS_FINE.max(size.saturating_mul(MOST_TIMES));
    let mut total = 0;
    for part in 0..archive.len() {
        let Ok(part) = archive.by_index(part) else { continue };
        // What is damaged is reported when it is read as a workbook.
        let copied = io::copy(&mut part.take(most + 1 - total), &mut io::sink());
        total += copied.unwrap_or(0);
        if total > most {
            return Err(Error::input(format!(
                "the workbook's parts take more than {} MiB, {MOST_TIMES} times as much as the file: it may be made to fill memory",
                most >> 20
            ))
            .in_file(path)
            .help("if you trust it, open it in a spreadsheet and save the sheet as CSV"));
        }
    }
    Ok(())
}

/// The cells of a sheet. Those that are far apart would take memory for all that are between them.
fn cells_of<R: Read + Seek>(
    book: &mut Sheets<R>,
    path: &Path,
    name: &str,
    options: &ReadOptions,
) -> Result<Range<Data>> {
    let wanted = options.range.as_deref().and_then(corners);
    let is_wanted = |(row, column): (u32, u32)| {
        wanted.is_none_or(|(from, to)| (from.0..=to.0).contains(&row) && (from.1..=to.1).contains(&column))
    };
    let mut cells: Vec<Cell<Data>> = Vec::new();
    let mut keep = |cell: Cell<DataRef<'_>>| {
        if is_wanted(cell.get_position()) && !matches!(cell.get_value(), DataRef::Empty) {
            cells.push(Cell::new(cell.get_position(), Data::from(cell.get_value().clone())));
        }
    };
    let bad = |error: &dyn std::fmt::Display| unreadable(path, &error.to_string());
    match book {
        Sheets::Xlsx(book) => {
            let mut reader = book.worksheet_cells_reader(name).map_err(|error| bad(&error))?;
            while let Some(cell) = reader.next_cell().map_err(|error| bad(&error))? {
                keep(cell);
            }
        }
        Sheets::Xlsb(book) => {
            let mut reader = book.worksheet_cells_reader(name).map_err(|error| bad(&error))?;
            while let Some(cell) = reader.next_cell().map_err(|error| bad(&error))? {
                keep(cell);
            }
        }
        // Sheets of these have bounds of their own.
        Sheets::Xls(_) | Sheets::Ods(_) => return book.worksheet_range(name).map_err(|error| bad(&error)),
    }
    let bounds = |place: fn(&Cell<Data>) -> u32| {
        let all = || cells.iter().map(place);
        all().max().zip(all().min()).map_or(0, |(most, least)| u64::from(most - least) + 1)
    };
    let (rows, columns) = (bounds(|cell| cell.get_position().0), bounds(|cell| cell.get_position().1));
    if rows * columns > FEW_PLACES.max(cells.len() as u64 * MOST_PLACES) {
        return Err(Error::input(format!(
            "the sheet '{name}' has {} in {rows} rows and {columns} columns: they are too far apart to be a table",
            counted(cells.len() as u64, "filled cell", "filled cells")
        ))
        .in_file(path)
        .help("say where the table is: range = \"A1:F200\" in [data]"));
    }
    cells.sort_by_key(|cell| cell.get_position());
    Ok(Range::from_sparse(cells))
}

fn unreadable(path: &Path, trouble: &str) -> Error {
    Error::input(format!("the workbook cannot be read: {trouble}"))
        .in_file(path)
        .help("open it in a spreadsheet and save it again, or save the sheet as CSV")
}

/// The corners of a range such as `B3:F200`, from 0 on.
fn corners(cells: &str) -> Option<((u32, u32), (u32, u32))> {
    let (from, to) = cells.split_once(':')?;
    let (from, to) = (corner(from)?, corner(to)?);
    (from.0 <= to.0 && from.1 <= to.1).then_some((from, to))
}

fn corner(cell: &str) -> Option<(u32, u32)> {
    let cell = cell.trim().replace('$', "").to_ascii_uppercase();
    let letters = cell.find(|sign: char| !sign.is_ascii_uppercase())?;
    let column = cell[..letters]
        .bytes()
        .try_fold(0u32, |column, letter| column.checked_mul(26)?.checked_add(u32::from(letter - b'A') + 1))?;
    let row: u32 = cell[letters..].parse().ok()?;
    let is_there = (1..=MOST_ROWS).contains(&row) && (1..=MOST_COLUMNS).contains(&column);
    is_there.then(|| (row - 1, column - 1))
}

/// A cell as text: numbers as short as they can be read back, dates as ISO dates.
fn text(cell: &Data) -> String {
    match cell {
        Data::Empty => String::new(),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number.to_string(),
        Data::Bool(flag) => flag.to_string(),
        Data::DateTime(moment) => moment_text(moment),
        Data::Error(error) => error.to_string(),
    }
}

/// A day, a moment or a time of day. Spreadsheets count days; what is less than one is a time.
fn moment_text(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let fraction = if milli > 0 { format!(".{milli:03}") } else { String::new() };
    let time = format!("{hour:02}:{minute:02}:{second:02}{fraction}");
    let days = moment.as_f64();
    if !moment.is_datetime() {
        // A length of time may be longer than a day.
        return days.to_string();
    }
    match (days < 1.0, days.fract() == 0.0) {
        (true, _) => time,
        (false, true) => format!("{year:04}-{month:02}-{day:02}"),
        (false, false) => format!("{year:04}-{month:02}-{day:02}T{time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    /// A zip archive whose files are not compressed.
    fn archive(files: &[(&str, String)]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in files {
            let mut crc = flate2::Crc::new();
            crc.update(content.as_bytes());
            let offset = bytes.len() as u32;
            let mut common = Vec::new();
            for number in [20u16, 0, 0, 0, 0x21] {
                common.extend(number.to_le_bytes());
            }
            for number in [crc.sum(), content.len() as u32, content.len() as u32] {
                common.extend(number.to_le_bytes());
            }
            common.extend((name.len() as u16).to_le_bytes());
            common.extend(0u16.to_le_bytes());
            bytes.extend(b"PK\x03\x04");
            bytes.extend(&common);
            bytes.extend(name.as_bytes());
            bytes.extend(content.as_bytes());
            directory.extend(b"PK\x01\x02");
            directory.extend(20u16.to_le_bytes());
            directory.extend(&common);
            directory.extend([0; 10]);
            directory.extend(offset.to_le_bytes());
            directory.extend(name.as_bytes());
        }
        let (start, length) = (bytes.len() as u32, directory.len() as u32);
        bytes.extend(directory);
        bytes.extend(b"PK\x05\x06");
        bytes.extend([0; 4]);
        bytes.extend((files.len() as u16).to_le_bytes().repeat(2));
        bytes.extend(length.to_le_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend([0; 2]);
        bytes
    }

    /// A workbook with two sheets. Style 1 is a date.
    fn workbook(rows: &str) -> Vec<u8> {
        let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
        let documents = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let packages = "http://schemas.openxmlformats.org/package/2006";
        let sheet =
            |rows: &str| format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>");
        archive(&[
            (
                "[Content_Types].xml",
                format!(
                    "<Types xmlns=\"{packages}/content-types\"><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"
                ),
            ),
            (
                "_rels/.rels",
                format!(
                    "<Relationships xmlns=\"{packages}/relationships\"><Relationship Id=\"r1\" Type=\"{documents}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
                ),
            ),
            (
                "xl/workbook.xml",
                format!(
                    "<workbook xmlns=\"{main}\" xmlns:r=\"{documents}\"><sheets><sheet name=\"People\" sheetId=\"1\" r:id=\"r1\"/><sheet name=\"Notes\" sheetId=\"2\" r:id=\"r2\"/></sheets></workbook>"
                ),
            ),
            (
                "xl/_rels/workbook.xml.rels",
                format!(
                    "<Relationships xmlns=\"{packages}/relationships\"><Relationship Id=\"r1\" Type=\"{documents}/worksheet\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"r2\" Type=\"{documents}/worksheet\" Target=\"worksheets/sheet2.xml\"/><Relationship Id=\"r3\" Type=\"{documents}/styles\" Target=\"styles.xml\"/></Relationships>"
                ),
            ),
            (
                "xl/styles.xml",
                format!(
                    "<styleSheet xmlns=\"{main}\"><cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
                ),
            ),
            ("xl/worksheets/sheet1.xml", sheet(rows)),
            ("xl/worksheets/sheet2.xml", sheet("<row r=\"1\"><c r=\"A1\" t=\"str\"><v>note</v></c></row>")),
        ])
    }

    const PEOPLE: &str = "<row r=\"2\"><c r=\"B2\" t=\"str\"><v>age</v></c><c r=\"C2\" t=\"str\"><v>born</v></c></row>\
                          <row r=\"3\"><c r=\"B3\"><v>34</v></c><c r=\"C3\" s=\"1\"><v>15372</v></c></row>\
                          <row r=\"5\"><c r=\"B5\"><v>61.5</v></c><c r=\"C5\" s=\"1\"><v>15373.5</v></c></row>";

    fn rows(bytes: &[u8], options: &ReadOptions) -> Result<(Vec<String>, Vec<u64>, Vec<String>)> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("people.xlsx");
        std::fs::write(&path, bytes).expect("written");
        let source = Source::open(&path, options)?;
        let (mut cells, mut lines) = (Vec::new(), Vec::new());
        source.read(&mut |batch, _| {
            cells.extend((0..batch.rows()).map(|row| batch.cells(row).collect::<Vec<_>>().join(";")));
            lines.extend((0..batch.rows()).map(|row| batch.line(row)));
            Ok(())
        })?;
        cells.insert(
            0,
            source.columns().iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(";"),
        );
        Ok((cells, lines, source.notes()))
    }

    #[test]
    fn a_sheet_is_a_table() {
        let (cells, lines, notes) = rows(&workbook(PEOPLE), &ReadOptions::default()).expect("a sheet");
        assert_eq!(cells, ["age;born", "34;1942-01-31", "61.5;1942-02-01T12:00:00"]);
        assert_eq!(lines, [3, 5]);
        assert_eq!(notes, ["'people.xlsx' has 2 sheets; the first one, 'People', is read, and not 'Notes'"]);
        let chosen = ReadOptions {
            sheet: Some("People".into()),
            range: Some("B2:B3".into()),
            ..ReadOptions::default()
        };
        let (cells, _, notes) = rows(&workbook(PEOPLE), &chosen).expect("a range");
        assert_eq!((cells, notes), (vec!["age".to_string(), "34".to_string()], vec![]));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let with = |sheet: Option<&str>, range: Option<&str>| ReadOptions {
            sheet: sheet.map(String::from),
            range: range.map(String::from),
            ..ReadOptions::default()
        };
        for (bytes, options, part) in [
            (workbook(PEOPLE), with(Some("Peple"), None), "no sheet 'Peple'"),
            (workbook(PEOPLE), with(None, Some("B2")), "not a range"),
            (workbook(""), with(None, None), "is empty"),
            (b"PK\x03\x04 and nothing else".to_vec(), with(None, None), "cannot be read"),
            (b"age,sex\n".to_vec(), with(None, None), "cannot be read"),
        ] {
            let error = rows(&bytes, &options).expect_err(part);
            assert!(error.message().contains(part) && error.remedy().is_some(), "{error}");
            assert!(error.to_string().contains("people.xlsx"), "{error}");
        }
    }

    #[test]
    fn what_would_fill_memory_is_refused() {
        // Two cells in opposite corners of the sheet.
        let far = "<row r=\"1\"><c r=\"A1\" t=\"str\"><v>age</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>2</v></c></row>";
        let error = rows(&workbook(far), &ReadOptions::default()).expect_err("far apart");
        assert!(error.message().contains("2 filled cells in 1048576 rows and 16384 columns"), "{error}");
        let near = ReadOptions { range: Some("A1:B2".into()), ..ReadOptions::default() };
        let (cells, ..) = rows(&workbook(far), &near).expect("a range");
        assert_eq!(cells.len(), 1);

        // A hundred million blanks, which are nothing in an archive.
        let mut bytes = std::io::Cursor::new(Vec::new());
        let mut archive = zip::ZipWriter::new(&mut bytes);
        archive
            .start_file("xl/worksheets/sheet1.xml", zip::write::SimpleFileOptions::default())
            .expect("a part");
        for _ in 0..100 {
            archive.write_all(&vec![b' '; 1_000_000]).expect("written");
        }
        archive.finish().expect("an archive");
        let error = rows(&bytes.into_inner(), &ReadOptions::default()).expect_err("a bomb");
        assert!(error.message().contains("fill memory") && error.remedy().is_some(), "{error}");
    }

    #[test]
    fn corners_are_read() {
        assert_eq!(corners("B3:F200"), Some(((2, 1), (199, 5))));
        assert_eq!(corners("$a$1 : AA10"), Some(((0, 0), (9, 26))));
        for wrong in ["", "B3", "B3:A1", "3:4", "B0:C1", "B3:", "ZZZZZZZZ1:B2", "é1:B2"] {
            assert_eq!(corners(wrong), None, "{wrong}");
        }
    }
}
