//! Hierarchies to start from.

use privet::Result;
use privet::clock::Clock;
use privet::taxonomy::{READY, Ready};
use serde_json::json;

use super::{OTHER, may_write, read, reading, values_of, write};
use crate::arguments::Add;
use crate::output::Output;

pub(super) fn list(output: &Output) -> Result<u8> {
    let mut text = String::new();
    for ready in &READY {
        text += &format!(
            "{:<10} {}\n{:<10} source: {}\n{:<10} licence: {}\n",
            ready.name, ready.title, "", ready.source, "", ready.licence
        );
    }
    text += "privet hierarchy add NAME DATA COLUMN -o FILE makes one for a column\n";
    output.result(&text, || {
        let all: Vec<_> = (READY.iter())
            .map(|ready| {
                let Ready { name, title, source, licence, .. } = ready;
                json!({ "name": name, "title": title, "source": source, "licence": licence })
            })
            .collect();
        json!({ "hierarchies": all })
    });
    Ok(0)
}

pub(super) fn add(arguments: &Add, output: &Output, clock: &Clock) -> Result<u8> {
    let ready = Ready::find(&arguments.name)?;
    may_write(&arguments.output, arguments.force)?;
    let Add { data, column, delimiter, header, missing, written, .. } = arguments;
    let values = values_of(data, column, &read(*delimiter, header), missing, reading(written)?, clock)?;
    clock.progress().stage("building", None);
    let other = arguments.other.then_some(OTHER);
    let taxonomy = ready.build(&values.values, other).map_err(|error| values.blame(error))?;
    clock.check()?;
    write(&taxonomy, &arguments.output, output)
}
