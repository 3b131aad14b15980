//! `privet policy`: help to write policies.

use privet::policy::schema;
use privet::{Error, Result};

use crate::arguments::Policy;
use crate::output::Output;

pub fn run(arguments: &Policy, output: &Output) -> Result<u8> {
    match arguments {
        Policy::Schema => {
            let schema = schema::schema();
            let text = serde_json::to_string_pretty(&schema)
                .map_err(|error| Error::internal(format!("the schema cannot be written: {error}")))?;
            output.result(&format!("{text}\n"), || schema);
        }
    }
    Ok(0)
}
