//! Errors of the library as exceptions of the package.

use privet::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for an error. `policy` is where the policy is, `data` what messages call the data.
pub fn raised(error: &Error, about: &About) -> PyErr {
    let file = error.file().map(|file| file.display().to_string());
    let class = match error.kind() {
        ErrorKind::Input if file.is_some() && file == about.policy => "PolicyError",
        ErrorKind::Input | ErrorKind::UnevenRows if file.is_some() && file == about.data => "DataError",
        ErrorKind::Input | ErrorKind::UnevenRows => "InputError",
        ErrorKind::Infeasible => "Infeasible",
        ErrorKind::Violation => "AuditFailed",
        ErrorKind::Busy => "Busy",
        ErrorKind::Interrupted => return pyo3::exceptions::PyKeyboardInterrupt::new_err(error.to_string()),
        ErrorKind::Internal if error.message().contains("failed its audit") => "AuditFailed",
        ErrorKind::Internal => "InternalError",
    };
    exception(class, error.message(), file, error.line(), error.remedy())
}

/// What an error may be about.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// Where the policy is.
    pub policy: Option<String>,
    /// What messages call the data.
    pub data: Option<String>,
}

/// An error about data that cannot be taken.
pub fn data_error(message: &str, help: &str) -> PyErr {
    exception("DataError", message, None, None, Some(help).filter(|help| !help.is_empty()))
}

/// The error for what should never happen.
pub fn defect() -> Error {
    Error::internal("internal error: this is a defect of Privet, nothing was written")
        .help("please report it with the policy and the call, without the data")
}

fn exception(
    class: &str,
    message: &str,
    file: Option<String>,
    line: Option<u64>,
    help: Option<&str>,
) -> PyErr {
    Python::attach(|py| {
        let made = || -> PyResult<PyErr> {
            let kwargs = PyDict::new(py);
            kwargs.set_item("file", file)?;
            kwargs.set_item("line", line)?;
            kwargs.set_item("help", help)?;
            let class = py.import("privet.errors")?.getattr(class)?;
            Ok(PyErr::from_value(class.call((message,), Some(&kwargs))?))
        };
        made().unwrap_or_else(|error| error)
    })
}
