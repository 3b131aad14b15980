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
        Some(name) => found(&command, name).cloned().ok_or_else(|| {
            let names = names(&command);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            Error::input(format!("there is no command '{name}'")).help(suggestion(name, &names, "commands"))
        })?,
    };
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(command).render(&mut page);
    written.map_err(|error| Error::internal(format!("the manual page cannot be made: {error}")))?;
    print(page, output);
    Ok(0)
}

/// A command by its name; one that is part of another is named as its page is, with a hyphen: `hierarchy-applied`.
fn found<'a>(command: &'a clap::Command, name: &str) -> Option<&'a clap::Command> {
    command.get_subcommands().find_map(|part| match name.strip_prefix(part.get_name())? {
        "" => Some(part),
        rest => found(part, rest.strip_prefix('-')?),
    })
}

/// The names of all commands and their parts.
fn names(command: &clap::Command) -> Vec<String> {
    let of = |part: &clap::Command| {
        let name = part.get_name().to_string();
        let parts = names(part).into_iter().map(|other| format!("{name}-{other}")).collect::<Vec<_>>();
        std::iter::once(name).chain(parts)
    };
    command.get_subcommands().flat_map(of).collect()
}

fn print(text: Vec<u8>, output: &Output) {
    let text = String::from_utf8_lossy(&text);
    output.result(&text, || json!({ "text": text }));
}
