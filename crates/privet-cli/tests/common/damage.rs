//! Parquet and Arrow files that are damaged in known ways. Each is made from a good file, so that nothing but the damage is wrong.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Repetition, Type as Physical};
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataReader,
    ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

/// The good table: two row groups, no compression, so that what is inside can be reached.
pub fn good() -> Vec<u8> {
    with(None)
}

fn with(metadata: Option<Vec<KeyValue>>) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_max_row_group_row_count(Some(4))
        .set_key_value_metadata(metadata)
        .build();
    let column = |values: [&'static str; 8]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
    let age: ArrayRef = Arc::new(Int64Array::from(vec![34, 36, 34, 36, 35, 37, 35, 37]));
    let columns = [
        ("age", age),
        ("city", column(["Bonn", "Bonn", "Ulm", "Ulm", "Bonn", "Ulm", "Bonn", "Ulm"])),
        ("disease", column(["flu", "asthma", "flu", "asthma", "gout", "flu", "gout", "flu"])),
    ];
    // All columns are nullable, so that there are levels to damage.
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, values)| (name, values, true)));
    let batch = batch.expect("a batch");
    let mut bytes = Vec::new();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let mut writer =
        ArrowWriter::try_new_with_options(&mut bytes, batch.schema(), options).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
    bytes
}

fn metadata(bytes: &[u8]) -> ParquetMetaData {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("written");
    ParquetMetaDataReader::new().parse_and_finish(&file).expect("metadata")
}

/// The file with another footer behind the same pages.
fn refooted(bytes: &[u8], metadata: &ParquetMetaData) -> Vec<u8> {
    let mut made = bytes[..footer_start(bytes)].to_vec();
    ParquetMetaDataWriter::new(&mut made, metadata).finish().expect("a footer");
    made
}

fn footer_start(bytes: &[u8]) -> usize {
    let length = bytes.len();
    let footer = u32::from_le_bytes(bytes[length - 8..length - 4].try_into().expect("four bytes"));
    length - 8 - footer as usize
}

/// Another footer, in which the columns of the first row group are changed.
fn with_columns(change: impl Fn(usize, ColumnChunkMetaData) -> ColumnChunkMetaData) -> Vec<u8> {
    with_groups(|groups| {
        let first = groups.remove(0);
        let columns =
            first.columns().iter().cloned().enumerate().map(|(at, column)| change(at, column)).collect();
        groups.insert(0, first.into_builder().set_column_metadata(columns).build().expect("a row group"));
    })
}

fn with_groups(change: impl Fn(&mut Vec<RowGroupMetaData>)) -> Vec<u8> {
    let bytes = good();
    let old = metadata(&bytes);
    let mut groups = old.row_groups().to_vec();
    change(&mut groups);
    refooted(&bytes, &old.into_builder().set_row_groups(groups).build())
}

pub fn negative_dictionary() -> Vec<u8> {
    let mut bytes = good();
    let at = metadata(&bytes).row_group(0).column(1).dictionary_page_offset().expect("a dictionary") as usize;
    // A page header in Thrift's compact protocol: type, two sizes, then (field 7) the dictionary's header with its count.
    assert_eq!(bytes[at..at + 2], [0x15, 4], "a dictionary page");
    let count = (at..at + 20).find(|at| bytes[*at..].starts_with(&[0x4c, 0x15])).expect("a header") + 2;
    assert_eq!(bytes[count], 4, "two values, as a zigzag number");
    bytes[count] = 3;
    bytes
}

pub fn too_few_levels() -> Vec<u8> {
    with_groups(|groups| {
        let first = groups.remove(0);
        let more = |column: &ColumnChunkMetaData| {
            column.clone().into_builder().set_num_values(1 << 40).build().expect("a column")
        };
        let columns = first.columns().iter().map(more).collect();
        let first = first.into_builder().set_num_rows(1 << 40).set_column_metadata(columns);
        groups.insert(0, first.build().expect("a row group"));
    })
}

pub fn unequal_columns() -> Vec<u8> {
    with_columns(|at, column| match at {
        1 => column.into_builder().set_num_values(2).build().expect("a column"),
        _ => column,
    })
}

pub fn mismatched_row_groups() -> Vec<u8> {
    with_groups(|groups| {
        let other = groups[1].columns().to_vec();
        let columns = groups[0].columns().iter().zip(other).enumerate();
        // Columns of the two groups change places, and one is a column of another kind.
        let columns = columns.map(|(at, (own, other))| if at == 2 { other } else { own.clone() }).collect();
        let first = groups.remove(0).into_builder().set_num_rows(3).set_column_metadata(columns);
        groups.insert(0, first.build().expect("a row group"));
    })
}

pub fn negative_rows() -> Vec<u8> {
    with_groups(|groups| {
        let first = groups.remove(0).into_builder().set_num_rows(-4);
        groups.insert(0, first.build().expect("a row group"));
    })
}

pub fn column_outside_the_file() -> Vec<u8> {
    with_columns(|_, column| {
        column.into_builder().set_total_compressed_size(1 << 50).build().expect("a column")
    })
}

/// The pages have levels, and the schema says that there are none because nothing is ever missing.
pub fn nulls_in_a_required_column() -> Vec<u8> {
    let bytes = good();
    let old = metadata(&bytes);
    let leaf = |name: &str, physical| -> TypePtr {
        let leaf = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
        Arc::new(leaf.build().expect("a type"))
    };
    let fields = vec![
        leaf("age", Physical::INT64),
        leaf("city", Physical::BYTE_ARRAY),
        leaf("disease", Physical::BYTE_ARRAY),
    ];
    let root = Type::group_type_builder("schema").with_fields(fields).build().expect("a schema");
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(root)));
    let file = FileMetaData::new(1, 8, None, None, schema, None);
    refooted(&bytes, &ParquetMetaData::new(file, old.row_groups().to_vec()))
}

/// A text column whose logical type is the fifteenth of a union that has fewer.
pub fn unknown_logical_type() -> Vec<u8> {
    let mut bytes = good();
    let start = footer_start(&bytes);
    let place =
        (start..bytes.len() - 8).find(|at| bytes[*at..].starts_with(b"\x1c\0\0")).expect("a logical type");
    bytes[place] = 0xfc;
    bytes
}

/// The indices of a dictionary column in this many bits each.
pub fn dictionary_bits(bits: u8) -> Vec<u8> {
    let mut bytes = good();
    let at = metadata(&bytes).row_group(0).column(1).data_page_offset() as usize;
    // The levels are a length of four bytes and a run; the width of the indices comes after them.
    let levels = (at..at + 60)
        .find(|at| bytes[*at..].starts_with(&[2, 0, 0, 0, 8, 1, 1]))
        .expect("levels of four rows");
    bytes[levels + 6] = bits;
    bytes
}

/// Groups in groups, and a column at the bottom.
pub fn nested(depth: usize) -> Vec<u8> {
    let mut node: TypePtr = Arc::new(
        Type::primitive_type_builder("age", Physical::INT64)
            .with_repetition(Repetition::OPTIONAL)
            .build()
            .expect("a type"),
    );
    for _ in 0..depth {
        let group =
            Type::group_type_builder("g").with_repetition(Repetition::OPTIONAL).with_fields(vec![node]);
        node = Arc::new(group.build().expect("a group"));
    }
    let root = Type::group_type_builder("schema").with_fields(vec![node]).build().expect("a schema");
    let mut bytes = Vec::new();
    SerializedFileWriter::new(&mut bytes, Arc::new(root), Default::default())
        .expect("a writer")
        .close()
        .expect("closed");
    bytes
}

pub fn arrow_schema(text: &str) -> Vec<u8> {
    with(Some(vec![KeyValue::new("ARROW:schema".to_string(), text.to_string())]))
}
