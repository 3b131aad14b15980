//! How a policy names its data.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// How a policy in the directory `policy_dir` names a data file: relative to the policy where the two have a directory in common,
/// so that they can be moved together.
///
/// ```
/// use std::path::Path;
/// use privet_drafts::data_path;
/// assert_eq!(data_path(Path::new("study/people-policy"), Path::new("study/people.csv")), "../people.csv");
/// assert_eq!(data_path(Path::new("study"), Path::new("study/people.csv")), "people.csv");
/// // Standard input is not a file next to the policy.
/// assert_eq!(data_path(Path::new("study"), Path::new("-")), "-");
/// ```
pub fn data_path(policy_dir: &Path, data: &Path) -> String {
    if data == Path::new("-") {
        return "-".to_string();
    }
    let (from, to) = (real(policy_dir), real(data));
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(one, two)| one == two).count();
    let shares = from[..common].iter().any(|part| matches!(part, Component::Normal(_)));
    if !shares {
        return to.iter().collect::<PathBuf>().to_string_lossy().into_owned();
    }
    let up = std::iter::repeat_n("..".to_string(), from.len() - common);
    let down = to[common..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// The path without links as far as it exists, and as it is written from there on.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for there in path.ancestors() {
        if let (Ok(found), Ok(rest)) = (fs::canonicalize(there), path.strip_prefix(there)) {
            return if rest.as_os_str().is_empty() { found } else { found.join(rest) };
        }
    }
    path
}
