//! What the files of a release hold beside their cells because they are compressed: names, comments and other fields that
//! anybody can read.

use std::path::Path;

use super::{Audit, Check};
use privet_core::Result;
use privet_data::{Wrapping, wrappings};

impl Audit {
    /// Adds what the files themselves tell, whatever their cells are.
    pub fn with_containers<'a>(mut self, files: impl Iterator<Item = &'a Path>) -> Result<Audit> {
        if let Some(check) = check(files)? {
            self.passed &= check.holds;
            self.checks.push(check);
        }
        Ok(self)
    }
}

/// Looks at the fields of compressed files; `None` where no file is compressed.
///
/// A comment, fields for any use and skipped frames are for nothing that a release needs, and the name of the file before it
/// was compressed may be no other than the one that everybody sees. When it was compressed is stated, not judged.
fn check<'a>(files: impl Iterator<Item = &'a Path>) -> Result<Option<Check>> {
    let (mut compressed, mut faults, mut times) = (false, Vec::new(), 0);
    for file in files {
        let shown = file.file_name().unwrap_or_default().to_string_lossy();
        let Some((stem, "gz" | "zst")) = shown.rsplit_once('.') else { continue };
        compressed = true;
        for wrapping in wrappings(file)? {
            let what = match &wrapping {
                Wrapping::Name(name) if name == stem.as_bytes() => continue,
                Wrapping::Time(_) => {
                    times += 1;
                    continue;
                }
                // What they say stays out of the message: it may be about somebody.
                Wrapping::Name(_) => "the name of another file",
                Wrapping::Comment(_) => "a comment",
                Wrapping::Extra(_) => "extra fields",
                Wrapping::Skipped(_) => "a frame that readers skip",
            };
            faults.push(format!("{shown} holds {what} ({} bytes) beside its data", wrapping.bytes().len()));
        }
    }
    let timed = if times > 0 { "; when it was compressed can be read in it" } else { "" };
    let detail = match faults.is_empty() {
        true => format!("the compressed files hold their data and nothing beside them{timed}"),
        false => format!("{}{timed}; compress the file again with `gzip -n` or `zstd`", faults.join("; ")),
    };
    Ok(compressed.then(|| Check::new("container", faults.is_empty(), detail)))
}
