//! `privet init --ask`: goes through the columns in the terminal.

use std::io::{self, BufRead, Write};

use privet::drafts::Study;
use privet::policy::Role;
use privet::{Error, Result, thousands, visible};

use crate::output::Output;

/// The answers, each by its first letter.
const ANSWERS: &str = "enter: keep   q: quasi-identifier, others may know it   s: sensitive, nobody should learn it\n\
                       i: identifier   o: other, published as it is   x: leave out   .: keep all that follow\n";

/// Asks about every column; an empty line keeps what is suggested, the end of the input all that follow.
pub(super) fn columns(study: &mut Study, output: &Output) -> Result<()> {
    let columns = study.columns();
    let mut answers = io::stdin().lock().lines();
    output.remark(ANSWERS);
    for (index, column) in columns.iter().enumerate() {
        let role = column.role.map_or("leave out".to_string(), |role| role.to_string());
        let about = format!(
            "{} of {}  {} ({}, {} values): {}\n",
            index + 1,
            columns.len(),
            visible::line(&column.name),
            column.kind,
            thousands(column.distinct),
            visible::line(&column.reason)
        );
        output.remark(&about);
        loop {
            output.remark(&format!("  {role}? "));
            let _ = io::stdout().flush();
            let answer = match answers.next() {
                Some(Ok(answer)) => answer,
                None => return Ok(()),
                Some(Err(error)) => {
                    return Err(Error::input(format!("the answers cannot be read: {error}"))
                        .help("run `privet init --ask` in a terminal, or leave --ask out"));
                }
            };
            match answer.trim().to_lowercase().chars().next() {
                None => {}
                Some('.') => return Ok(()),
                Some('q') => study.decide(index, Some(Role::QuasiIdentifier)),
                Some('s') => study.decide(index, Some(Role::Sensitive)),
                Some('i') => study.decide(index, Some(Role::Identifier)),
                Some('o') => study.decide(index, Some(Role::Other)),
                Some('x') => study.decide(index, None),
                Some(_) => {
                    output.remark(ANSWERS);
                    continue;
                }
            }
            break;
        }
    }
    Ok(())
}
