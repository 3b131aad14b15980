//! `privet ledger`: what was released of which source, and its recipients.

use std::path::{Path, PathBuf};

use privet::ledger::{self, Ledger, Recorded, State};
use privet::policy::Policy;
use privet::release::released_files;
use privet::{Error, Result, counted};
use serde_json::{Value as Json, json};

use crate::arguments::Ledger as Arguments;
use crate::output::Output;

pub fn run(arguments: &Arguments, output: &Output) -> Result<u8> {
    match arguments {
        Arguments::List { ledger } => list(&open(ledger)?, output),
        Arguments::Show { ledger, entry } => show(&open(ledger)?, *entry, output),
        Arguments::Check { ledger, folders } => check(&open(ledger)?, folders, output),
    }
}

/// Opens a ledger, or the one that a policy names.
fn open(path: &Path) -> Result<Ledger> {
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Ledger::read(path);
    }
    let named = Policy::read(path)?.ledger()?.ok_or_else(|| {
        Error::input("the policy names no ledger")
            .in_file(path)
            .help("add [ledger] with path = \"ledger.jsonl\"")
    })?;
    Ledger::read(&named.path)
}

/// Said wherever a ledger that cannot be relied on is shown.
fn warn(ledger: &Ledger, output: &Output) {
    for fault in &ledger.faults {
        output.warn(&format!("{}:{}: {}", ledger.path().display(), fault.line, fault.message));
    }
}

fn list(ledger: &Ledger, output: &Output) -> Result<u8> {
    warn(ledger, output);
    let releases = ledger.releases();
    let line = |recorded: &Recorded<'_>| {
        let release = recorded.release;
        format!(
            "{:>5}  {}  {:<11}  {:>9} people  {}  {} → {}{}\n",
            recorded.entry,
            recorded.date,
            recorded.state.name(),
            release.people,
            release.method,
            release.source.path,
            release.folder,
            release.recipient.as_ref().map(|to| format!("  to {to}")).unwrap_or_default(),
        )
    };
    let text: String = match releases.as_slice() {
        [] => "no releases\n".to_string(),
        releases => releases.iter().map(line).collect(),
    };
    output.result(&text, || json!({ "releases": releases.iter().map(to_json).collect::<Vec<Json>>() }));
    Ok(0)
}

fn to_json(recorded: &Recorded<'_>) -> Json {
    let release = recorded.release;
    json!({
        "entry": recorded.entry,
        "date": recorded.date,
        "state": recorded.state.name(),
        "source": release.source,
        "people": release.people,
        "people_by": release.people_by,
        "method": release.method,
        "policy_sha256": release.policy_sha256,
        "key": release.key,
        "release_sha256": release.release_sha256,
        "files": release.files,
        "folder": release.folder,
        "recipient": release.recipient,
        "privet": release.privet,
    })
}

fn show(ledger: &Ledger, entry: u64, output: &Output) -> Result<u8> {
    warn(ledger, output);
    let releases = ledger.releases();
    let numbers: Vec<String> = releases.iter().map(|recorded| recorded.entry.to_string()).collect();
    let Some(at) = releases.iter().position(|recorded| recorded.entry == entry) else {
        let known = if numbers.is_empty() { "none".to_string() } else { numbers.join(", ") };
        return Err(Error::input(format!("line {entry} of the ledger is not a release"))
            .in_file(ledger.path())
            .help(format!("releases: {known}")));
    };
    let recorded = &releases[at];
    let release = recorded.release;
    // Set against those that came before it, as it was when it was made.
    let before = releases[..at].iter().filter(|earlier| earlier.state != State::Withdrawn);
    let earlier: Vec<_> = before.map(|earlier| &earlier.release.signatures).collect();
    let composed = (!earlier.is_empty()).then(|| ledger::compose(&release.signatures, &earlier));
    let composed = composed.filter(|found| found.people > 0);
    let classes: usize = release.signatures.views.iter().map(|view| view.classes.len()).sum();
    let mut text = format!(
        "release {} of {}, {}\n  source    {} ({})\n            sha256 {}\n  people    {} in {}\n  method    {}\n  \
         policy    sha256 {}\n  key       {}\n  release   sha256 {}\n  folder    {}\n  recipient {}\n",
        recorded.entry,
        recorded.date,
        recorded.state.name(),
        release.source.path,
        release.source.kind,
        release.source.sha256,
        release.people,
        counted(classes as u64, "class", "classes"),
        release.method,
        release.policy_sha256,
        release.key,
        release.release_sha256,
        release.folder,
        release.recipient.as_deref().unwrap_or("not said"),
    );
    if let Some(found) = &composed {
        text += &format!(
            "  with {} earlier: {} again, {} of {} pinned by all together and by none alone, {:.2} values left instead of \
             {:.2}\n",
            found.releases - 1,
            counted(found.people, "person", "people"),
            found.pinned,
            found.targets,
            found.candidates,
            found.candidates_alone
        );
    }
    output.result(&text, || {
        let mut json = to_json(recorded);
        json["classes"] = classes.into();
        if let Some(found) = &composed {
            json["composition"] = json!({
                "releases": found.releases, "people": found.people, "targets": found.targets,
                "pinned_alone": found.pinned_alone, "pinned": found.pinned, "added": found.added,
                "candidates_alone": found.candidates_alone, "candidates": found.candidates,
                "posterior_alone": found.posterior_alone, "posterior": found.posterior,
                "singled": found.singled, "contradicted": found.contradicted,
            });
        }
        json
    });
    Ok(0)
}

/// Checks the chain, that what is announced was published, and that what is published was announced.
fn check(ledger: &Ledger, folders: &[PathBuf], output: &Output) -> Result<u8> {
    let place = |line: u64| format!("line {line}");
    let mut faults: Vec<String> =
        ledger.faults.iter().map(|fault| format!("{}: {}", place(fault.line), fault.message)).collect();
    let mut notes: Vec<String> = (ledger.torn.iter())
        .map(|line| {
            format!(
                "{}: an interrupted run left a part of a line; what it was about was not published",
                place(*line)
            )
        })
        .collect();
    if ledger.shared {
        faults.push(format!("others than you may read it: chmod 600 {}", ledger.path().display()));
    }
    let releases = ledger.releases();
    for recorded in releases.iter().filter(|recorded| recorded.state == State::Unconfirmed) {
        let release = recorded.release;
        let there = released_files(Path::new(&release.folder)).is_ok_and(|files| recorded.has(&files));
        let what = if there { "and is there" } else { "and is not there now" };
        notes.push(format!(
            "line {}: a release to {} was announced, its run ended before it could say whether it was published, {what}; it \
             counts as published",
            recorded.entry, release.folder
        ));
    }
    for folder in folders {
        let files = released_files(folder)?;
        if !releases.iter().any(|recorded| recorded.state != State::Withdrawn && recorded.has(&files)) {
            faults.push(format!("{} is not in the ledger", folder.display()));
        }
    }
    let sound = faults.is_empty();
    let mut text = String::new();
    for (mark, message) in
        (faults.iter().map(|fault| ("FAULT", fault))).chain(notes.iter().map(|note| ("note", note)))
    {
        text += &format!("{mark}: {message}\n");
    }
    let count = releases.len();
    text += &if sound {
        format!(
            "sound: {}, {}; the last has the SHA-256 {}\n",
            counted(count as u64, "release", "releases"),
            counted(ledger.entries().len() as u64, "line", "lines"),
            ledger.head
        )
    } else {
        "the ledger cannot be relied on\n".to_string()
    };
    output.result(&text, || {
        json!({ "sound": sound, "faults": faults, "notes": notes, "releases": count, "head": ledger.head })
    });
    Ok(if sound { 0 } else { 4 })
}
