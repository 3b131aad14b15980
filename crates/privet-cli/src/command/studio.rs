//! `privet studio`: starts the program `privet-studio`, which serves the page. This command opens no socket.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use privet::{Error, Result};

use crate::arguments::Studio;

/// What the program is called.
const PROGRAM: &str = "privet-studio";

pub fn run(arguments: &Studio) -> Result<u8> {
    let program = installed().ok_or_else(|| {
        Error::input("the studio is not installed: there is no program 'privet-studio' next to privet or in PATH").help(
            "cargo install --locked --path crates/privet-studio in a clone of Privet installs it; every other command works without",
        )
    })?;
    let mut studio = Command::new(&program);
    studio.args(&arguments.path);
    if arguments.no_browser {
        studio.arg("--no-browser");
    }
    let ended = studio.status().map_err(|error| Error::io("start the studio", &program, &error))?;
    Ok(ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// The program, next to this one or in PATH.
fn installed() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let own = env::current_exe().ok().and_then(|own| Some(own.parent()?.to_path_buf()));
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = own.into_iter().chain(env::split_paths(&path).collect::<Vec<_>>());
    folders.map(|folder| folder.join(&name)).find(|program| program.is_file())
}
