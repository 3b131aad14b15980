//! Frames, handed over as streams of Arrow batches through the Arrow C interface.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use privet::data::{MemoryRelease, Source};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::{About, data_error, raised};

/// What the interface calls the capsule of a stream.
const STREAM: &CStr = c"arrow_array_stream";

/// A column of items.
const ITEM: &str = "item";

/// A table as Arrow batches. Whatever reads the Arrow C interface reads it without a copy.
#[pyclass(frozen, module = "privet._privet")]
pub struct Table {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
}

#[pymethods]
impl Table {
    /// Takes a stream of batches: anything with `__arrow_c_stream__`.
    #[new]
    fn new(frame: &Bound<'_, PyAny>) -> PyResult<Table> {
        imported(frame)
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The types of the columns, as Arrow calls them.
    #[getter]
    fn types(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.data_type().to_string()).collect()
    }

    /// The cells of all rows, as the engine spells them.
    fn rows(&self) -> PyResult<Vec<Vec<String>>> {
        let read = || -> privet::Result<Vec<Vec<String>>> {
            let mut rows = Vec::new();
            let source = Source::of_batches("data frame", &self.schema, self.batches.iter().cloned())?;
            source.read(&mut |batch, _| {
                rows.extend((0..batch.rows()).map(|row| batch.cells(row).map(String::from).collect()));
                Ok(())
            })?;
            Ok(rows)
        };
        read().map_err(|error| raised(&error, &About::default()))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may ignore what is asked for, and this one has one form only.
        let _ = requested_schema;
        exported(py, &self.schema, self.batches.clone())
    }
}

impl Table {
    /// The lists in a column, with the items as the engine spells them; none where it holds something else. A missing list is an
    /// empty one, and a missing item is left out.
    pub fn list_column(&self, name: &str) -> PyResult<Option<Vec<Vec<String>>>> {
        let mut lists = Vec::new();
        for batch in &self.batches {
            let Some(column) = batch.column_by_name(name) else { return Ok(None) };
            let (items, ends): (&ArrayRef, Vec<usize>) = match column.data_type() {
                DataType::List(_) => {
                    let lists = column.as_list::<i32>();
                    (lists.values(), lists.value_offsets().iter().map(|end| *end as usize).collect())
                }
                DataType::LargeList(_) => {
                    let lists = column.as_list::<i64>();
                    (lists.values(), lists.value_offsets().iter().map(|end| *end as usize).collect())
                }
                _ => return Ok(None),
            };
            let spelled = Table::of_column(items)?.text_column(ITEM)?;
            let nulls = items.logical_nulls();
            let there = |at: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*at));
            lists.extend(ends.windows(2).enumerate().map(|(row, ends)| {
                let held = if column.is_null(row) { 0..0 } else { ends[0]..ends[1] };
                held.filter(there).map(|at| spelled[at].clone()).collect::<Vec<String>>()
            }));
        }
        Ok(Some(lists))
    }

    /// A table of one column.
    fn of_column(array: &ArrayRef) -> PyResult<Table> {
        let batch = RecordBatch::try_from_iter_with_nullable([(ITEM, Arc::clone(array), true)]);
        let batch = batch.map_err(unreadable)?;
        Ok(Table { schema: batch.schema(), batches: vec![batch] })
    }

    /// The columns that have nulls.
    pub fn nulls(&self) -> BTreeSet<String> {
        let has_nulls =
            |place: usize| self.batches.iter().any(|batch| batch.column(place).logical_null_count() > 0);
        let fields = self.schema.fields().iter().enumerate();
        fields.filter(|(place, _)| has_nulls(*place)).map(|(_, field)| field.name().clone()).collect()
    }

    /// The same table as data of frames are given back. As text, nulls and empty texts are alike: an empty text in one of the
    /// columns `nulls` is a null. Sets are texts with `|` between the items: those in one of the columns `lists` are lists again.
    pub fn given_back(&self, nulls: &BTreeSet<String>, lists: &[String]) -> Result<Table, ArrowError> {
        let fields: Vec<FieldRef> =
            self.schema.fields().iter().map(|field| given_back(field, lists)).collect();
        let schema = Arc::new(Schema::new(fields));
        let batches = self.batches.iter().map(|batch| {
            let columns = batch.columns().iter().zip(schema.fields()).map(|(array, field)| -> ArrayRef {
                let may_be_null = nulls.contains(field.name());
                match (array.data_type(), field.data_type()) {
                    (DataType::Utf8, DataType::List(_)) => lists_of(array.as_string(), may_be_null),
                    (DataType::Utf8, _) if may_be_null => {
                        let texts = array.as_string::<i32>().iter();
                        Arc::new(
                            texts.map(|text| text.filter(|text| !text.is_empty())).collect::<StringArray>(),
                        )
                    }
                    _ => Arc::clone(array),
                }
            });
            RecordBatch::try_new(Arc::clone(&schema), columns.collect())
        });
        let batches = batches.collect::<Result<_, _>>()?;
        Ok(Table { schema, batches })
    }

    /// The cells of a column, as the engine spells them.
    pub fn text_column(&self, name: &str) -> PyResult<Vec<String>> {
        let read = || -> privet::Result<Vec<String>> {
            let source = Source::of_batches("data frame", &self.schema, self.batches.iter().cloned())?;
            let (place, mut cells) = (source.position(name)?, Vec::new());
            source.read(&mut |batch, _| {
                cells.extend((0..batch.rows()).map(|row| batch.cell(row, place).to_string()));
                Ok(())
            })?;
            Ok(cells)
        };
        read().map_err(|error| raised(&error, &About::default()))
    }

    /// Released transactions: one column of lists.
    pub fn of_lists(release: &MemoryRelease, name: &str) -> privet::Result<Table> {
        let mut lists = ListBuilder::new(StringBuilder::new());
        release.transaction_source(name)?.read(&mut |transaction, _| {
            for item in transaction.items {
                lists.values().append_value(item);
            }
            lists.append(true);
            Ok(())
        })?;
        let lists: ArrayRef = Arc::new(lists.finish());
        let batch = RecordBatch::try_from_iter([("items", lists)])
            .map_err(|error| privet::Error::internal(format!("a batch cannot be made: {error}")))?;
        Ok(Table { schema: batch.schema(), batches: vec![batch] })
    }
}

fn given_back(field: &FieldRef, lists: &[String]) -> FieldRef {
    if *field.data_type() != DataType::Utf8 || !lists.contains(field.name()) {
        return Arc::clone(field);
    }
    Arc::new(Field::new_list(field.name(), Field::new_list_field(DataType::Utf8, true), true))
}

/// The sets of a column as lists of their items.
fn lists_of(sets: &StringArray, may_be_null: bool) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for set in sets {
        let set = set.unwrap_or_default();
        if !set.is_empty() {
            set.split('|').for_each(|item| lists.values().append_value(item));
        }
        lists.append(!(set.is_empty() && may_be_null));
    }
    Arc::new(lists.finish())
}

/// The batches of a frame.
pub fn imported(frame: &Bound<'_, PyAny>) -> PyResult<Table> {
    let Table { schema, batches } = imported_as_it_is(frame)?;
    let batches = batches.into_iter().map(without_nan).collect::<Result<_, _>>().map_err(unreadable)?;
    Ok(Table { schema, batches })
}

/// The batches of a frame in which what is not a number stays what it is.
#[allow(unsafe_code)]
pub fn imported_as_it_is(frame: &Bound<'_, PyAny>) -> PyResult<Table> {
    let capsule = frame.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream of the Arrow C interface, whose producer promises that it is one. It is moved
    // out of the capsule, which is left with one that is released, and nobody else reads it: the interpreter's lock is held.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    let reader = RecordBatchStreamReader::try_new(stream).map_err(unreadable)?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    Ok(Table { schema, batches })
}

/// Batches as a stream in a capsule, which owns it.
pub fn exported<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: Vec<RecordBatch>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), Arc::clone(schema));
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, STREAM)
}

fn unreadable(error: ArrowError) -> PyErr {
    data_error(&format!("the frame cannot be read: {error}"), "")
}

/// What is not a number is a missing value, as null is: some libraries have both.
fn without_nan(batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let is_float = |array: &ArrayRef| matches!(array.data_type(), DataType::Float32 | DataType::Float64);
    if !batch.columns().iter().any(is_float) {
        return Ok(batch);
    }
    let columns = batch.columns().iter().map(|array| -> ArrayRef {
        match array.data_type() {
            DataType::Float64 if array.as_primitive::<Float64Type>().iter().flatten().any(f64::is_nan) => {
                let numbers = array.as_primitive::<Float64Type>();
                Arc::new(numbers.unary_opt::<_, Float64Type>(|number| (!number.is_nan()).then_some(number)))
            }
            DataType::Float32 if array.as_primitive::<Float32Type>().iter().flatten().any(f32::is_nan) => {
                let numbers = array.as_primitive::<Float32Type>();
                Arc::new(numbers.unary_opt::<_, Float32Type>(|number| (!number.is_nan()).then_some(number)))
            }
            _ => Arc::clone(array),
        }
    });
    RecordBatch::try_new(batch.schema(), columns.collect())
}
