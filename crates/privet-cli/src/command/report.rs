//! `privet report`: writes a release's reports again.

use privet::Result;
use privet::release::rewrite_report;
use serde_json::json;

use crate::arguments::Report;
use crate::output::Output;

pub fn run(arguments: &Report, output: &Output) -> Result<u8> {
    let written = rewrite_report(&arguments.folder)?;
    let text: String = written.iter().map(|path| format!("wrote {}\n", path.display())).collect();
    output.result(&text, || json!({ "written": written }));
    Ok(0)
}
