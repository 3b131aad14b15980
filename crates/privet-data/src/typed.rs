//! Rows as Arrow batches, and files of them: Parquet and Arrow.

use std::io;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Decimal128Builder, Decimal256Builder, Float64Builder, Int32Builder, Int64Builder,
    StringBuilder, UInt64Builder,
};
use arrow_array::types::{
    Date32Type, Decimal256Type, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, RecordBatch, Time32MillisecondArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{
    ArrowError, DECIMAL128_MAX_PRECISION, DataType, Field, Schema, SchemaRef, TimeUnit as ArrowUnit,
};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::arrays::{UTC, day_of, moment_of, time_of};
use super::cells::{BATCH_BYTES, BATCH_ROWS};
use super::compression::Encoder;
use super::format::{CellKind, Format, TimeUnit};
use super::sink::SinkColumn;

/// Rows of a Parquet row group at most.
const GROUP_ROWS: usize = 1 << 20;

/// Bytes of a Parquet row group at most: it is held in memory until it is complete.
const GROUP_BYTES: usize = 64 << 20;

/// Why a row could not be written.
#[derive(Debug)]
pub(super) enum WriteError {
    /// The bytes could not be written.
    Io(io::Error),
    /// The cell of this column is not of the column's kind.
    Kind(usize),
}

/// Rows that become Arrow batches.
pub(super) struct BatchWriter {
    schema: SchemaRef,
    columns: Vec<ColumnBuilder>,
    rows: usize,
    bytes: usize,
}

impl BatchWriter {
    pub(super) fn new(format: Format, columns: &[SinkColumn]) -> BatchWriter {
        let kinds: Vec<CellKind> = columns.iter().map(|column| stored(&column.kind, format)).collect();
        let field =
            |(column, kind): (&SinkColumn, &CellKind)| Field::new(&column.name, data_type(kind), true);
        let schema = Arc::new(Schema::new(columns.iter().zip(&kinds).map(field).collect::<Vec<_>>()));
        let columns = kinds.into_iter().map(ColumnBuilder::new).collect();
        BatchWriter { schema, columns, rows: 0, bytes: 0 }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Adds a row, which must have one cell per column. Returns a batch when there are rows enough for one.
    pub(super) fn write(&mut self, cells: &[&str]) -> Result<Option<RecordBatch>, WriteError> {
        for (index, (column, cell)) in self.columns.iter_mut().zip(cells).enumerate() {
            column.push(cell).ok_or(WriteError::Kind(index))?;
            self.bytes += cell.len();
        }
        self.rows += 1;
        if self.rows < BATCH_ROWS && self.bytes < BATCH_BYTES {
            return Ok(None);
        }
        self.flush().map_err(WriteError::Io)
    }

    /// The rows that are in no batch yet.
    pub(super) fn flush(&mut self) -> io::Result<Option<RecordBatch>> {
        if self.rows == 0 {
            return Ok(None);
        }
        let arrays = self.columns.iter_mut().map(ColumnBuilder::finish).collect();
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new(Arc::clone(&self.schema), arrays).map(Some).map_err(arrow_error)
    }
}

/// A typed file that is being written.
pub(super) struct TypedWriter {
    rows: BatchWriter,
    target: Target,
}

enum Target {
    Parquet(Box<ArrowWriter<Encoder>>),
    Arrow(Box<FileWriter<Encoder>>),
}

impl TypedWriter {
    pub(super) fn new(encoder: Encoder, format: Format, columns: &[SinkColumn]) -> io::Result<Self> {
        let rows = BatchWriter::new(format, columns);
        let schema = rows.schema();
        let target = if format == Format::Parquet {
            let options =
                ArrowWriterOptions::new().with_properties(properties()).with_skip_arrow_metadata(true);
            let writer = ArrowWriter::try_new_with_options(encoder, Arc::clone(schema), options);
            Target::Parquet(Box::new(writer.map_err(parquet_error)?))
        } else {
            Target::Arrow(Box::new(FileWriter::try_new(encoder, schema).map_err(arrow_error)?))
        };
        Ok(TypedWriter { rows, target })
    }

    /// Adds a row; there must be one cell per column.
    pub(super) fn write(&mut self, cells: &[&str]) -> Result<(), WriteError> {
        match self.rows.write(cells)? {
            Some(batch) => self.store(&batch).map_err(WriteError::Io),
            None => Ok(()),
        }
    }

    fn store(&mut self, batch: &RecordBatch) -> io::Result<()> {
        match &mut self.target {
            Target::Parquet(writer) => writer.write(batch).map_err(parquet_error),
            Target::Arrow(writer) => writer.write(batch).map_err(arrow_error),
        }
    }

    /// Writes what is buffered and the footer, and waits until the file is on disk.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(batch) = self.rows.flush()? {
            self.store(&batch)?;
        }
        match self.target {
            Target::Parquet(writer) => writer.into_inner().map_err(parquet_error)?,
            Target::Arrow(writer) => writer.into_inner().map_err(arrow_error)?,
        }
        .finish()
    }
}

/// No statistics: they repeat values outside the pages, where nobody who inspects a release looks for them.
fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_created_by(concat!("privet ", env!("CARGO_PKG_VERSION")).to_string())
        .build()
}

/// What cells are stored as. Parquet knows moments in UTC and local times; a moment in another zone would be read as one in UTC,
/// on another day, so its text is stored. It has no seconds either, which thousandths hold as well.
fn stored(kind: &CellKind, format: Format) -> CellKind {
    let coarse = |unit: TimeUnit| if unit == TimeUnit::Second { TimeUnit::Millisecond } else { unit };
    match kind {
        CellKind::Timestamp { zone: Some(zone), .. } if format == Format::Parquet && **zone != *UTC => {
            CellKind::Text
        }
        CellKind::Timestamp { unit, zone } => CellKind::Timestamp { unit: coarse(*unit), zone: zone.clone() },
        CellKind::Time(unit) => CellKind::Time(coarse(*unit)),
        kind => kind.clone(),
    }
}

fn data_type(kind: &CellKind) -> DataType {
    match *kind {
        CellKind::Text => DataType::Utf8,
        CellKind::Integer => DataType::Int64,
        CellKind::Unsigned => DataType::UInt64,
        CellKind::Decimal { precision, scale } if precision <= DECIMAL128_MAX_PRECISION => {
            DataType::Decimal128(precision, scale as i8)
        }
        CellKind::Decimal { precision, scale } => DataType::Decimal256(precision, scale as i8),
        CellKind::Float => DataType::Float64,
        CellKind::Boolean => DataType::Boolean,
        CellKind::Date => DataType::Date32,
        CellKind::Time(unit @ (TimeUnit::Second | TimeUnit::Millisecond)) => {
            DataType::Time32(arrow_unit(unit))
        }
        CellKind::Time(unit) => DataType::Time64(arrow_unit(unit)),
        CellKind::Timestamp { unit, ref zone } => DataType::Timestamp(arrow_unit(unit), zone.clone()),
    }
}

/// The unit that times are stored in: seconds as thousandths.
fn arrow_unit(unit: TimeUnit) -> ArrowUnit {
    match unit {
        TimeUnit::Second | TimeUnit::Millisecond => ArrowUnit::Millisecond,
        TimeUnit::Microsecond => ArrowUnit::Microsecond,
        TimeUnit::Nanosecond => ArrowUnit::Nanosecond,
    }
}

/// A decimal number as a whole one: without its point, and with as many digits after it as the column has.
fn unscaled(cell: &str, scale: u8) -> Option<String> {
    let (whole, fraction) = cell.split_once('.').unwrap_or((cell, ""));
    let zeros = usize::from(scale).checked_sub(fraction.len())?;
    Some(format!("{whole}{fraction}{}", "0".repeat(zeros)))
}

/// The cells of one column that are not written yet.
enum ColumnBuilder {
    Text(StringBuilder),
    Integer(Int64Builder),
    Unsigned(UInt64Builder),
    Decimal(Decimal128Builder, u8),
    LongDecimal(Decimal256Builder, u8),
    Float(Float64Builder),
    Boolean(BooleanBuilder),
    Date(Int32Builder),
    Time(Int64Builder, TimeUnit),
    Timestamp(Int64Builder, TimeUnit, Option<Arc<str>>),
}

impl ColumnBuilder {
    fn new(kind: CellKind) -> Self {
        match kind {
            CellKind::Text => ColumnBuilder::Text(StringBuilder::new()),
            CellKind::Integer => ColumnBuilder::Integer(Int64Builder::new()),
            CellKind::Unsigned => ColumnBuilder::Unsigned(UInt64Builder::new()),
            CellKind::Decimal { precision, scale } if precision <= DECIMAL128_MAX_PRECISION => {
                let builder = Decimal128Builder::new().with_data_type(data_type(&kind));
                ColumnBuilder::Decimal(builder, scale)
            }
            CellKind::Decimal { scale, .. } => {
                let builder = Decimal256Builder::new().with_data_type(data_type(&kind));
                ColumnBuilder::LongDecimal(builder, scale)
            }
            CellKind::Float => ColumnBuilder::Float(Float64Builder::new()),
            CellKind::Boolean => ColumnBuilder::Boolean(BooleanBuilder::new()),
            CellKind::Date => ColumnBuilder::Date(Int32Builder::new()),
            CellKind::Time(unit) => ColumnBuilder::Time(Int64Builder::new(), unit),
            CellKind::Timestamp { unit, zone } => ColumnBuilder::Timestamp(Int64Builder::new(), unit, zone),
        }
    }

    /// Adds a cell; the empty text is a null, except among texts. `None` if the cell is of another kind.
    fn push(&mut self, cell: &str) -> Option<()> {
        fn parsed<T: std::str::FromStr>(cell: &str) -> Option<Option<T>> {
            if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) }
        }
        match self {
            ColumnBuilder::Text(builder) => builder.append_value(cell),
            ColumnBuilder::Integer(builder) => builder.append_option(parsed(cell)?),
            ColumnBuilder::Unsigned(builder) => builder.append_option(parsed(cell)?),
            ColumnBuilder::Decimal(builder, scale) => builder.append_option(match cell {
                "" => None,
                cell => Some(unscaled(cell, *scale)?.parse().ok()?),
            }),
            ColumnBuilder::LongDecimal(builder, scale) => builder.append_option(match cell {
                "" => None,
                cell => Some(<Decimal256Type as ArrowPrimitiveType>::Native::from_string(&unscaled(
                    cell, *scale,
                )?)?),
            }),
            ColumnBuilder::Float(builder) => builder.append_option(parsed(cell)?),
            ColumnBuilder::Boolean(builder) => builder.append_option(parsed(cell)?),
            ColumnBuilder::Date(builder) => builder.append_option(match cell {
                "" => None,
                cell => Some(day_of(cell)?),
            }),
            ColumnBuilder::Time(builder, unit) => builder.append_option(match cell {
                "" => None,
                cell => Some(time_of(cell, *unit)?),
            }),
            ColumnBuilder::Timestamp(builder, unit, zone) => builder.append_option(match cell {
                "" => None,
                cell => Some(moment_of(cell, *unit, zone.is_none())?),
            }),
        }
        Some(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            ColumnBuilder::Text(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Integer(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Unsigned(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Decimal(builder, _) => Arc::new(builder.finish()),
            ColumnBuilder::LongDecimal(builder, _) => Arc::new(builder.finish()),
            ColumnBuilder::Float(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Boolean(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Date(builder) => Arc::new(builder.finish().reinterpret_cast::<Date32Type>()),
            ColumnBuilder::Time(builder, unit) => {
                let times = builder.finish();
                match unit {
                    // A day has fewer thousandths of a second than 32 bits can count.
                    TimeUnit::Second | TimeUnit::Millisecond => Arc::new(
                        times
                            .iter()
                            .map(|time| time.map(|time| time as i32))
                            .collect::<Time32MillisecondArray>(),
                    ),
                    TimeUnit::Microsecond => Arc::new(times.reinterpret_cast::<Time64MicrosecondType>()),
                    TimeUnit::Nanosecond => Arc::new(times.reinterpret_cast::<Time64NanosecondType>()),
                }
            }
            ColumnBuilder::Timestamp(builder, unit, zone) => {
                let moments = builder.finish();
                macro_rules! moments {
                    ($type:ty) => {
                        Arc::new(moments.reinterpret_cast::<$type>().with_timezone_opt(zone.clone()))
                    };
                }
                match unit {
                    TimeUnit::Second | TimeUnit::Millisecond => moments!(TimestampMillisecondType),
                    TimeUnit::Microsecond => moments!(TimestampMicrosecondType),
                    TimeUnit::Nanosecond => moments!(TimestampNanosecondType),
                }
            }
        }
    }
}

/// The system's error inside a writer's, so that a full disk is called a full disk.
fn parquet_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(inner) => *inner,
            Err(inner) => io::Error::other(inner),
        },
        error => io::Error::other(error),
    }
}

fn arrow_error(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, inner) => inner,
        error => io::Error::other(error),
    }
}
