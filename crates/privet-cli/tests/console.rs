//! README and book are executable: every command of a `console` block is run, and prints what the page shows.
//!
//! The blocks of a page run in order, in one folder of their own. A line that is just `…` stands for any number of lines, `…`
//! within a line for any text. `<!-- $ command -->` in a page prepares what readers need not see. With `PRIVET_UPDATE_PAGES` set,
//! what a page shows is replaced by what came out; put the `…` back by hand.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Bench, command};

/// Folders with pages whose blocks are run, from the root of the project.
const PAGES: [&str; 2] = [".", "docs/src"];

/// A command of a page, and the lines it is shown with.
#[derive(Debug)]
struct Shown<'t> {
    /// The number of its line, from 1.
    line: usize,
    command: &'t str,
    /// `None` where the page shows nothing of what the command prints.
    output: Option<Vec<&'t str>>,
}

/// The commands of a page's `console` blocks and hidden lines, in order.
fn commands(page: &str) -> Vec<Shown<'_>> {
    let mut found: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (number, text) in page.lines().enumerate() {
        let line = number + 1;
        if let Some(command) = text.strip_prefix("<!-- $ ").and_then(|rest| rest.strip_suffix(" -->")) {
            found.push(Shown { line, command, output: None });
        } else if text.starts_with("```") {
            inside = text == "```console";
        } else if let Some(command) = text.strip_prefix("$ ").filter(|_| inside) {
            found.push(Shown { line, command, output: Some(Vec::new()) });
        } else if let Some(Shown { output: Some(output), .. }) = found.last_mut().filter(|_| inside) {
            output.push(text);
        }
    }
    found
}

/// Whether a text is as a line of a page says, in which `…` stands for any text.
fn alike(line: &str, text: &str) -> bool {
    let mut parts = line.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether what was printed is what the page shows.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        Some((line, rest)) => {
            printed.first().is_some_and(|text| alike(line, text.trim_end())) && matches(rest, &printed[1..])
        }
    }
}

/// Runs a command in a folder; returns the folder it ends in, and what it printed.
fn run(text: &str, folder: &Path, scratch: &Path) -> (PathBuf, String) {
    let binary = PathBuf::from(command().get_program());
    let path =
        format!("{}:{}", binary.parent().expect("a folder").display(), env::var("PATH").unwrap_or_default());
    // `echo $?` shows the status of the command before it, as it does in a terminal.
    let script = format!(
        "exec 2>&1; (exit $(cat {0}/status 2>/dev/null || echo 0))\n{text}\necho $? > {0}/status; pwd > {0}/folder",
        scratch.display()
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .expect("a shell");
    let end = fs::read_to_string(scratch.join("folder")).unwrap_or_else(|error| panic!("{text}: {error}"));
    (PathBuf::from(end.trim_end()), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a page's commands; returns what is not as shown, and the page as it would be right.
fn check(name: &str, page: &str) -> (String, String) {
    let (bench, scratch) = (Bench::new(), Bench::new());
    let mut folder = bench.root().to_path_buf();
    let mut faults = String::new();
    let mut lines: Vec<String> = page.lines().map(str::to_string).collect();
    // From the last to the first when lines are replaced, so that the numbers of the others stay right.
    let mut right = Vec::new();
    for Shown { line, command, output } in commands(page) {
        let (end, printed) = run(command, &folder, scratch.root());
        folder = end;
        let Some(output) = output else { continue };
        let printed: Vec<&str> = printed.lines().collect();
        if !matches(&output, &printed) {
            let _ = writeln!(faults, "{name}:{line}: $ {command}\n{}\n", printed.join("\n"));
            right.push((
                line,
                output.len(),
                printed.iter().map(|line| line.trim_end().to_string()).collect::<Vec<_>>(),
            ));
        }
    }
    for (line, length, printed) in right.into_iter().rev() {
        lines.splice(line..line + length, printed);
    }
    (faults, lines.join("\n") + "\n")
}

#[test]
fn hard_use_3_every_console_block_prints_what_its_page_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut faults, mut seen) = (String::new(), 0);
    for folder in PAGES {
        let mut pages: Vec<PathBuf> = fs::read_dir(root.join(folder))
            .expect("pages")
            .map(|entry| entry.expect("a page").path())
            .collect();
        pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
        pages.sort();
        for path in pages {
            let page = fs::read_to_string(&path).expect("a page");
            seen += commands(&page).len();
            let (wrong, right) = check(&path.display().to_string(), &page);
            if !wrong.is_empty() && env::var_os("PRIVET_UPDATE_PAGES").is_some() {
                fs::write(&path, right).expect("written");
            }
            faults.push_str(&wrong);
        }
    }
    assert!(seen > 20, "only {seen} commands found");
    assert!(faults.is_empty(), "these print something else than their pages show:\n{faults}");
}

#[test]
fn a_page_that_shows_something_else_is_noticed() {
    let page = "```console\n$ echo one; echo two\none\n…\n$ echo $?\n0\n$ false\n$ echo $?\n1\n```\n";
    assert_eq!(check("page", page), (String::new(), page.to_string()));
    let (faults, right) = check("page", "```console\n$ echo 12 apples\n… pears\n```\n");
    assert!(faults.contains("page:2: $ echo 12 apples\n12 apples"), "{faults}");
    assert_eq!(right, "```console\n$ echo 12 apples\n12 apples\n```\n");
}
