//! How the columns of a Parquet file are to be read, where the types it stores do not say everything.

use std::sync::Arc;

use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hashbrown::HashMap;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::basic::Compression;
use parquet::file::metadata::{KeyValue, ParquetMetaData};

/// Where pandas keeps what it knows about the columns.
const PANDAS_KEY: &str = "pandas";

/// The columns as they are to be read: moments in the zone they were written in, and values instead of dictionaries of
/// them, except for texts.
///
/// Parquet stores moments in UTC. Their zone is in the Arrow schema that most writers add, or in the notes of pandas. The
/// reader drops it where the stored unit is not the one of that schema. It also cannot read all dictionaries that it
/// promises, such as those of booleans.
pub(super) fn wanted(schema: &SchemaRef, metadata: &ParquetMetaData) -> SchemaRef {
    let zones = zones(metadata.file_metadata().key_value_metadata().map_or(&[], Vec::as_slice));
    let field = |field: &Arc<Field>| {
        let stored = match field.data_type() {
            DataType::Dictionary(_, values) if !is_text(values) => values,
            stored => stored,
        };
        let data_type = match (stored, zones.get(field.name())) {
            (DataType::Timestamp(unit, None), Some(zone)) => DataType::Timestamp(*unit, Some(zone.clone())),
            (DataType::Timestamp(unit, Some(stored)), Some(zone)) if **stored == *"UTC" => {
                DataType::Timestamp(*unit, Some(zone.clone()))
            }
            _ => stored.clone(),
        };
        field.as_ref().clone().with_data_type(data_type)
    };
    let fields: Vec<Field> = schema.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The zones of columns of moments, by the names of the columns.
fn zones(notes: &[KeyValue]) -> HashMap<String, Arc<str>> {
    let note = |key: &str| notes.iter().find(|note| note.key == key).and_then(|note| note.value.as_deref());
    let mut zones = note(PANDAS_KEY).map(of_pandas).unwrap_or_default();
    // Arrow's own word comes last: it is the one that counts.
    zones.extend(note(ARROW_SCHEMA_META_KEY).map(of_arrow).unwrap_or_default());
    zones
}

fn of_arrow(encoded: &str) -> HashMap<String, Arc<str>> {
    let bytes = BASE64_STANDARD.decode(encoded).unwrap_or_default();
    let Ok(schema) = try_schema_from_ipc_buffer(&bytes) else { return HashMap::new() };
    let zone = |field: &Arc<Field>| {
        let data_type = match field.data_type() {
            DataType::Dictionary(_, values) => values,
            data_type => data_type,
        };
        match data_type {
            DataType::Timestamp(_, Some(zone)) => Some((field.name().clone(), zone.clone())),
            _ => None,
        }
    };
    schema.fields().iter().filter_map(zone).collect()
}

fn of_pandas(notes: &str) -> HashMap<String, Arc<str>> {
    let notes: serde_json::Value = serde_json::from_str(notes).unwrap_or_default();
    let zone = |column: &serde_json::Value| {
        let name = column["field_name"].as_str().or(column["name"].as_str())?;
        let zone = column["metadata"]["timezone"].as_str()?;
        Some((name.to_string(), Arc::from(zone)))
    };
    notes["columns"].as_array().into_iter().flatten().filter_map(zone).collect()
}

/// The codecs of columns that cannot be unpacked, by the columns' places.
pub(super) fn unknown_codecs(metadata: &ParquetMetaData) -> HashMap<usize, &'static str> {
    let schema = metadata.file_metadata().schema_descr();
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns().iter().enumerate());
    let codec = |(leaf, compression)| {
        let name = match compression {
            Compression::BROTLI(_) => "Brotli",
            Compression::LZO => "LZO",
            _ => return None,
        };
        (leaf < schema.num_columns()).then(|| (schema.get_column_root_idx(leaf), name))
    };
    chunks.map(|(leaf, chunk)| (leaf, chunk.compression())).filter_map(codec).collect()
}
