//! Which file formats there are, and how a file's name tells them apart.

use std::path::Path;
use std::sync::Arc;

use privet_core::{Error, Result};

/// How a table is laid out in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Delimited text (`.csv`).
    Csv,
    /// Tab-separated text (`.tsv`).
    Tsv,
    /// Apache Parquet (`.parquet`).
    Parquet,
    /// Arrow IPC, file or stream (`.arrow`).
    Arrow,
    /// JSON, an object on each line (`.jsonl`).
    JsonLines,
}

/// How the bytes of the file are compressed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (`.gz`).
    Gzip,
    /// Zstandard (`.zst`).
    Zstd,
}

/// A format and its compression, as in `csv.gz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileKind {
    /// The layout.
    pub format: Format,
    /// The compression around it.
    pub compression: Compression,
}

/// What the cells of a column are in a typed file; delimited text is all `Text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellKind {
    /// Characters.
    Text,
    /// Whole numbers.
    Integer,
    /// Whole numbers that are not negative. The largest do not fit an `Integer`.
    Unsigned,
    /// Numbers with a fraction.
    Float,
    /// Decimal numbers with `precision` digits, `scale` of them after the point.
    Decimal {
        /// All digits.
        precision: u8,
        /// Those after the point.
        scale: u8,
    },
    /// `true` or `false`.
    Boolean,
    /// Days, as in `2024-03-17`.
    Date,
    /// Times of day, as in `08:30:00`.
    Time(TimeUnit),
    /// Moments, as in `2024-03-17T08:30:00`.
    Timestamp {
        /// How fine they are.
        unit: TimeUnit,
        /// The zone they are in, `UTC` or another one; local times have none.
        zone: Option<Arc<str>>,
    },
}

/// The unit that times are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Second,
    /// Thousandths of a second.
    Millisecond,
    /// Millionths of a second.
    Microsecond,
    /// Billionths of a second.
    Nanosecond,
}

impl TimeUnit {
    /// How many nanoseconds it has.
    pub(super) fn nanoseconds(self) -> i64 {
        match self {
            TimeUnit::Second => 1_000_000_000,
            TimeUnit::Millisecond => 1_000_000,
            TimeUnit::Microsecond => 1_000,
            TimeUnit::Nanosecond => 1,
        }
    }
}

const ACCEPTED: &str = "accepted are .csv, .tsv, .txt (read as .csv), .parquet, .arrow, .feather, .ipc, .jsonl and .ndjson, \
                        each also with .gz or .zst at its end";

/// What is read and not written.
const READ_ONLY: &str = "; .xlsx, .xlsm, .xlsb, .xls and .ods are read too";

/// Formats that are known and not read: how their files end, whose they are, and the way to one that is read.
const CONVERTED: &[(&[&str], &str, &str)] = &[
    (
        &["json"],
        "JSON that holds all records in one list",
        "write an object per line (.jsonl): jq -c '.[]' people.json > people.jsonl; if it is so already, rename it",
    ),
    (
        &["sav", "zsav", "por"],
        "SPSS",
        "save it as CSV or Parquet with the labels in place of the codes: in SPSS, in R with haven, in Python with pyreadstat",
    ),
    (
        &["sas7bdat", "xpt"],
        "SAS",
        "save it as CSV or Parquet: in SAS with proc export, in R with haven, in Python with pyreadstat",
    ),
    (
        &["dta"],
        "Stata",
        "save it as CSV or Parquet with the labels in place of the codes: in Stata with export delimited, in R with haven, in \
         Python with pyreadstat",
    ),
    (&["rds", "rda", "rdata"], "R", "save it as CSV or Parquet: write.csv, or arrow::write_parquet"),
    (
        &["zip", "7z", "rar", "tar", "tgz", "bz2", "xz"],
        "this compression",
        "unpack it, or compress it with gzip or zstd",
    ),
];

impl FileKind {
    /// Reads the kind off a file's name (`data.csv.gz`).
    ///
    /// ```
    /// use privet_data::{Compression, FileKind, Format};
    /// let kind = FileKind::of_path("data.csv.gz".as_ref()).unwrap();
    /// assert_eq!(kind, FileKind { format: Format::Csv, compression: Compression::Gzip });
    /// ```
    pub fn of_path(path: &Path) -> Result<FileKind> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (stem, compression) = split_compression(&name);
        let extension = stem.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
        if let Some(format) = format_of(extension) {
            return Ok(FileKind { format, compression });
        }
        if let Some((_, format, way)) =
            CONVERTED.iter().find(|(known, ..)| known.contains(&&*extension.to_lowercase()))
        {
            return Err(Error::input(format!("files of {format} are not read")).in_file(path).help(*way));
        }
        Err(Error::input("the name of the file does not tell its format")
            .in_file(path)
            .help(format!("rename the file; {ACCEPTED}{READ_ONLY}")))
    }

    /// Reads a kind as users write it after `--format` (`csv`, `tsv.zst`, `parquet`, `arrow`).
    pub fn parse(text: &str) -> Result<FileKind> {
        let (stem, compression) = split_compression(text.strip_prefix('.').unwrap_or(text));
        format_of(stem)
            .map(|format| FileKind { format, compression })
            .ok_or_else(|| Error::input(format!("'{text}' is not a file format")).help(ACCEPTED))
    }

    /// Whether it is delimited text.
    pub fn is_text(self) -> bool {
        matches!(self.format, Format::Csv | Format::Tsv)
    }

    /// Whether its bytes can be read as they are.
    pub fn is_plain(self) -> bool {
        self.compression == Compression::None && (self.is_text() || self.format == Format::JsonLines)
    }

    /// The file name extension, as in `csv.gz`.
    pub fn extension(self) -> String {
        let format = match self.format {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::JsonLines => "jsonl",
        };
        let compression = match self.compression {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        };
        format!("{format}{compression}")
    }
}

/// Splits `data.csv.gz` into `data.csv` and gzip.
pub(super) fn split_compression(name: &str) -> (&str, Compression) {
    match name.rsplit_once('.') {
        Some((stem, end)) if end.eq_ignore_ascii_case("gz") => (stem, Compression::Gzip),
        Some((stem, end)) if end.eq_ignore_ascii_case("zst") => (stem, Compression::Zstd),
        _ => (name, Compression::None),
    }
}

pub(super) fn format_of(extension: &str) -> Option<Format> {
    match extension.to_ascii_lowercase().as_str() {
        "csv" | "txt" => Some(Format::Csv),
        "tsv" => Some(Format::Tsv),
        "parquet" => Some(Format::Parquet),
        "arrow" | "feather" | "ipc" => Some(Format::Arrow),
        "jsonl" | "ndjson" => Some(Format::JsonLines),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_its_extension() {
        for format in [Format::Csv, Format::Tsv, Format::Parquet, Format::Arrow, Format::JsonLines] {
            for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
                let kind = FileKind { format, compression };
                assert_eq!(FileKind::parse(&kind.extension()).unwrap(), kind);
                let path = format!("folder.d/some.data.{}", kind.extension());
                assert_eq!(FileKind::of_path(path.as_ref()).unwrap(), kind);
            }
        }
    }

    #[test]
    fn aliases_and_capitals_are_understood() {
        let plain = |format| FileKind { format, compression: Compression::None };
        for (name, format) in [
            ("A.CSV", Format::Csv),
            ("a.txt", Format::Csv),
            ("a.feather", Format::Arrow),
            ("a.ipc", Format::Arrow),
        ] {
            assert_eq!(FileKind::of_path(name.as_ref()).unwrap(), plain(format), "{name}");
        }
        assert_eq!(FileKind::parse(".csv").unwrap(), plain(Format::Csv));
    }

    #[test]
    fn formats_that_are_known_and_not_read_name_a_way() {
        for (name, way) in [
            ("a.json", "jq"),
            ("a.SAV", "haven"),
            ("a.sas7bdat", "proc export"),
            ("a.dta", "labels"),
            ("a.rds", "write.csv"),
            ("a.csv.zip", "gzip"),
        ] {
            let error = FileKind::of_path(name.as_ref()).expect_err(name);
            assert!(error.remedy().is_some_and(|remedy| remedy.contains(way)), "{error}");
        }
    }

    #[test]
    fn an_unknown_extension_lists_the_known_ones() {
        for name in ["data.xlsx", "data", "data.gz", "csv", "", "data.abc"] {
            let error = FileKind::of_path(name.as_ref()).unwrap_err().to_string();
            assert!(error.contains(".parquet") && error.contains(".zst"), "{error}");
        }
        for text in ["xlsx", "", "gz", "csv.bz2"] {
            assert!(FileKind::parse(text).unwrap_err().to_string().contains(".parquet"));
        }
    }
}
