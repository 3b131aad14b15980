//! The Python package `privet`: data frames in, releases out.
//!
//! This crate hands frames over, runs the library without the interpreter's lock, and turns errors into exceptions. What people
//! call is written in Python, in `python/privet`.

mod arrow;
mod cluster;
mod data;
mod decision;
mod errors;
mod judgement;
mod policy;
mod survey;
mod taxonomy;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command `privet` and returns its exit status. `program` starts the process once more, where that is needed.
#[pyfunction]
fn command(py: Python<'_>, program: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| privet_cli::run(&program, arguments))
}

/// What the Python files of the package stand on.
#[pymodule]
fn _privet(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // A panic is a defect of ours: it becomes an exception, and its message, which may quote data, is not printed.
    std::panic::set_hook(Box::new(|_| {}));
    #[cfg(feature = "databases")]
    privet_databases::register();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<arrow::Table>()?;
    module.add_class::<data::Data>()?;
    module.add_class::<policy::Policy>()?;
    module.add_class::<taxonomy::Taxonomy>()?;
    module.add_function(wrap_pyfunction!(judgement::audit, module)?)?;
    module.add_function(wrap_pyfunction!(judgement::attack, module)?)?;
    module.add_function(wrap_pyfunction!(judgement::class_sizes, module)?)?;
    module.add_function(wrap_pyfunction!(judgement::measure_risk, module)?)?;
    module.add_function(wrap_pyfunction!(survey::draft, module)?)?;
    module.add_function(wrap_pyfunction!(survey::compare, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(policy::catalogue, module)?)?;
    module.add_class::<decision::Decision>()?;
    module.add_class::<decision::Rows>()?;
    module.add_class::<cluster::Tally>()?;
    module.add_class::<cluster::ClusterDecision>()?;
    module.add_class::<cluster::RowPlan>()?;
    module.add("SERVICE_COLUMNS", cluster::SERVICE_COLUMNS)?;
    module.add_function(wrap_pyfunction!(cluster::readable, module)?)?;
    module.add_function(wrap_pyfunction!(cluster::wanted, module)?)?;
    module.add_function(wrap_pyfunction!(cluster::way, module)?)?;
    module.add_function(wrap_pyfunction!(cluster::named_items, module)?)?;
    Ok(())
}
