//! The command `privet-studio`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use clap::Parser;
use privet::{ErrorKind, Result, place, visible};
use privet_studio::{Settings, Studio};

/// See the risk, choose with your eyes, publish with proof.
///
/// Opens a page in the browser that is served to this machine alone. It edits the policy file and runs the same library as the
/// command `privet`; it reads and writes nothing outside of the folder it was started in.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The folder to work in, or a data file or policy to open; the current folder if left out
    path: Option<PathBuf>,
    /// The port to listen at [default: one that is free]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address, and leave opening it to you
    #[arg(long)]
    no_browser: bool,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(wrong) if wrong.use_stderr() => {
            // What somebody typed does not reach the terminal as it is.
            eprint!("{}", visible::lines(&wrong.render().to_string()));
            return ExitCode::from(ErrorKind::Input.exit_status());
        }
        Err(asked) => asked.exit(),
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", visible::lines(&error.to_string()));
            ExitCode::from(error.kind().exit_status())
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let path = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let (folder, file) = match path.is_file() {
        true => (folder_of(&path), Some(path.as_path())),
        false => (path.clone(), None),
    };
    let studio = Studio::start(&Settings { port: arguments.port, ..Settings::of(folder) })?;
    let shared = studio.shared();
    shared.workspace.clear_up();
    let mut address = studio.address();
    if let Some(file) = file {
        let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
        let shown = shared.workspace.shown(&file);
        if shown.ends_with(".toml") {
            shared.session().open_policy(&file)?;
        } else {
            shared.session().wanted = Some(shown);
        }
    }
    let ending = studio.shared();
    let listening = ctrlc::set_handler(move || {
        // The work that runs stops at its next check; what is hidden is removed, whatever it does.
        ending.quit();
        place::stop();
        place::abandon();
        std::process::exit(0);
    });
    if let Err(error) = listening {
        eprintln!("warning: cannot listen for Ctrl-C: {error}");
    }
    // A panic is a bug of ours: it must not show data to readers of the log.
    std::panic::set_hook(Box::new(|_| {}));
    // Who started it may have stopped reading: it serves all the same.
    let _ = writeln!(
        io::stdout(),
        "the studio is at {address}\nit is served to this machine alone; end it with Ctrl-C"
    );
    if !arguments.no_browser {
        browse(std::mem::take(&mut address));
    }
    studio.serve();
    // What waits to be published is removed with the session.
    shared.session().open = None;
    Ok(())
}

/// The folder to work in for a file: the current one if the file lies below it, or else the file's own; for a policy whose data
/// lie next to its directory, the one above.
fn folder_of(file: &Path) -> PathBuf {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let (here, file) = (real(Path::new(".")), real(file));
    let own = file.parent().map_or(here.clone(), Path::to_path_buf);
    match file.starts_with(&here) {
        true => here,
        false if file.extension().is_some_and(|ending| ending == "toml") => {
            own.parent().map_or(own.clone(), Path::to_path_buf)
        }
        false => own,
    }
}

/// Opens the page in the user's browser, in the way of the system.
fn browse(address: String) {
    let (program, arguments): (&str, Vec<&str>) = if cfg!(target_os = "macos") {
        ("open", vec![&address])
    } else if cfg!(windows) {
        ("explorer", vec![&address])
    } else {
        ("xdg-open", vec![&address])
    };
    let quiet = |command: &mut Command| {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    if let Ok(mut child) = quiet(Command::new(program).args(arguments)) {
        // Its end is waited for, so that it does not stay as a process that nobody waits for.
        let _ = thread::Builder::new().spawn(move || child.wait());
    }
}
