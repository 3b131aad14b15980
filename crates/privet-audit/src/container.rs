//! What the files of a release hold in addition to their cells because of how they are packed: names, comments, notes,
//! and bytes that nothing points at. Anybody can read them.

use std::path::Path;

use super::{Audit, Check};
use privet_core::{Result, counted};
use privet_data::{Wrapping, is_packed, wrappings};

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

/// Looks at what packs the data of files; `None` where all of them are plain text.
///
/// A compressed file is one member or frame, as compressors write it: the name of the file before it was compressed may be the
/// one that everybody sees, and no other; there is no time, no comment and no field for any use. Every byte of a Parquet or Arrow
/// file belongs to a column or to the footer, and no notes are kept with it.
fn check<'a>(files: impl Iterator<Item = &'a Path>) -> Result<Option<Check>> {
    let (mut packed, mut faults) = (false, Vec::new());
    for file in files {
        let shown = file.file_name().unwrap_or_default().to_string_lossy();
        // The reader decides what is compressed, however its ending is spelt.
        if !is_packed(file) {
            continue;
        }
        packed = true;
        let stem = shown.rsplit_once('.').map_or("", |(stem, _)| stem);
        let mut kinds: Vec<(&str, u64, u64)> = Vec::new();
        for wrapping in wrappings(file)? {
            // What they say stays out of the message: it may be about somebody.
            let what = match &wrapping {
                Wrapping::Name(name) if name == stem.as_bytes() => continue,
                Wrapping::Name(_) => "the name of another file",
                Wrapping::Time(_) => "the time when it was compressed",
                Wrapping::Comment(_) => "a comment",
                Wrapping::Extra(_) => "extra fields",
                Wrapping::Skipped(_) => "a frame that readers skip",
                Wrapping::Header(_) => "a header with flags or numbers that compressors do not write",
                Wrapping::Gap(_) => "bytes that belong to none of its parts",
                Wrapping::Note(_) => "notes (key-value metadata)",
                Wrapping::Parts(parts) => {
                    faults.push(format!(
                        "{shown} is made up of {parts} compressed parts, which could mark rows"
                    ));
                    continue;
                }
            };
            let bytes = wrapping.bytes().len() as u64;
            match kinds.iter_mut().find(|(kind, ..)| *kind == what) {
                Some((_, times, all)) => (*times, *all) = (*times + 1, *all + bytes),
                None => kinds.push((what, 1, bytes)),
            }
        }
        for (what, times, bytes) in kinds {
            let size =
                if bytes > 0 { format!(" ({})", counted(bytes, "byte", "bytes")) } else { String::new() };
            let often = if times > 1 { format!(", {times} times") } else { String::new() };
            faults.push(format!("{shown} holds {what}{size}{often} in addition to its data"));
        }
    }
    let detail = match faults.is_empty() {
        true => "the packed files hold their data and nothing else".to_string(),
        false => format!(
            "{}; compress the file again, as a whole, with `gzip -n` or `zstd`, or write Parquet and Arrow files without metadata",
            faults.join("; ")
        ),
    };
    Ok(packed.then(|| Check::new("container", faults.is_empty(), detail)))
}
