//! `privet completions` and `privet man`: what shells and manuals need, from the declarations of the arguments.

use clap::CommandFactory;
use privet::{Error, Result, suggestion};
use serde_json::json;

use crate::arguments::{Arguments, Completions, Man};
use crate::output::Output;

pub fn completions(arguments: &Completions, output: &Output) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "privet", &mut script);
    print(script, output);
    Ok(0)
}

pub fn page(arguments: &Man, output: &Output) -> Result<u8> {
    let mut command = Arguments::command();
    // Global options and full names are passed down to the parts only here.
    command.build();
    let command = match &arguments.command {
        None => command,
        Some(name) => command.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            Error::input(format!("there is no command '{name}'")).help(suggestion(name, &names, "commands"))
        })?,
    };
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(command).render(&mut page);
    written.map_err(|error| Error::internal(format!("the manual page cannot be made: {error}")))?;
    print(page, output);
    Ok(0)
}

fn print(text: Vec<u8>, output: &Output) {
    let text = String::from_utf8_lossy(&text);
    output.result(&text, || json!({ "text": text }));
}
