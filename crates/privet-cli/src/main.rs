//! The binary `privet`.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let program: Vec<OsString> = env::current_exe().into_iter().map(OsString::from).collect();
    ExitCode::from(privet_cli::run(&program, env::args_os().skip(1).collect()))
}
