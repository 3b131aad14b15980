//! `privet key`: keys for pseudonyms and shifted dates.

use privet::Result;
use serde_json::json;

use crate::arguments::Key;
use crate::output::Output;

pub fn run(arguments: &Key, output: &Output) -> Result<u8> {
    match arguments {
        Key::New { path } => {
            privet::new_key(path)?;
            let shown = path.display();
            let text = format!(
                "wrote {shown}, which only you can read; name it in a policy: [pseudonyms] key = \"{shown}\"\n"
            );
            output.result(&text, || json!({ "path": path }));
        }
    }
    Ok(0)
}
