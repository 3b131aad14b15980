//! A release is made of files: not of links to files elsewhere, of pipes or of folders.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::Value as Json;

use super::target::work_of;

/// The names of the files that were published.
pub(super) fn published(manifest: &Json) -> impl Iterator<Item = &str> {
    manifest["files"].as_array().into_iter().flatten().filter_map(|file| file["path"].as_str())
}

/// Whether a published path is there and cannot be read as a file.
pub(super) fn is_unreadable(folder: &Path, manifest: &Json) -> bool {
    published(manifest).map(|name| folder.join("public").join(name)).any(|path| {
        let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
        !is_file && fs::symlink_metadata(&path).is_ok()
    })
}

/// Why a published path is not a file of the release's own. What lies behind a link may be another file tomorrow, and what has
/// two names can be changed by the other one.
pub(super) fn oddity(folder: &Path, name: &str) -> Option<String> {
    let path = &folder.join("public").join(name);
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return Some("was published and is not there".to_string());
    };
    if metadata.file_type().is_symlink() {
        return Some("is a symbolic link, not a file".to_string());
    }
    if !metadata.is_file() {
        return Some(format!(
            "is {}, not a file",
            if metadata.is_dir() { "a folder" } else { "a pipe or a device" }
        ));
    }
    // A run that rewrites the reports, or that was killed when it did, has a name for it in its hidden folder.
    let own = work_of(folder).and_then(|work| fs::symlink_metadata(work.join("public").join(name)).ok());
    let is_same = |other: &fs::Metadata| (other.dev(), other.ino()) == (metadata.dev(), metadata.ino());
    let names = 1 + u64::from(own.as_ref().is_some_and(is_same));
    (metadata.nlink() > names).then(|| "has another name elsewhere (a hard link); copy it".to_string())
}
