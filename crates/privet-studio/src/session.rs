//! What is open: one policy file, and what follows from it.
//!
//! The text of the policy is all there is to know. Whatever was worked out from it (roles, a decision, a release that waits) says
//! from which text, and is old news once that has changed.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use privet::drafts::Study;
use privet::policy::{AnyPolicy, Edit, Policy};
use privet::release::{Decision, Published, Staged};
use privet::{ColumnValues, Error, ErrorKind, Result};
use serde_json::{Value as Json, json};

use crate::api;
use crate::journal::{Change, Journal};
use crate::shown;
use crate::workspace::Workspace;

/// A policy that is open, and what was worked out from it.
pub struct Open {
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub text: String,
    /// The policy as understood, or what is wrong with it.
    pub checked: std::result::Result<Arc<AnyPolicy>, Error>,
    /// What is known of the columns of its table.
    pub study: Option<Arc<Mutex<Study>>>,
    /// The values of columns that were looked at, by column and by how its section says that it is read.
    pub values: HashMap<(String, String), Arc<ColumnValues>>,
    /// What was decided.
    pub decided: Option<Decided>,
    /// The release that waits to be published.
    pub staged: Option<Staged>,
    /// What was published last.
    pub published: Option<Published>,
}

/// A file with its length and when it was written last.
pub type FileState = (PathBuf, u64, Option<SystemTime>);

impl Open {
    /// What was decided, if it still follows from what the files say.
    pub fn current(&self) -> Option<&Decided> {
        let decided = self.decided.as_ref().filter(|decided| decided.text == self.text)?;
        (decided.files == files_of(&self.path, &self.text)).then_some(decided)
    }
}

/// The state of every file that a policy names, but for the ledger, which a release writes itself.
pub(crate) fn files_of(path: &Path, text: &str) -> Vec<FileState> {
    let mut json = Policy::parse(path, text.to_string()).as_ref().map(Policy::to_json).unwrap_or_default();
    if let Some(sections) = json.as_object_mut() {
        sections.remove("ledger");
    }
    let mut files = Vec::new();
    named(&json, path.parent().unwrap_or(Path::new("")), &mut files);
    files
}

/// Gathers the files among the texts of a policy.
fn named(json: &Json, folder: &Path, files: &mut Vec<FileState>) {
    match json {
        Json::String(text) if !text.is_empty() && text.len() < 4096 => {
            for file in privet::data::expanded(&folder.join(text)).unwrap_or_default() {
                if let Ok(found) = fs::metadata(&file)
                    && found.is_file()
                {
                    files.push((file, found.len(), found.modified().ok()));
                }
            }
        }
        Json::Array(items) => items.iter().for_each(|item| named(item, folder, files)),
        Json::Object(fields) => fields.values().for_each(|item| named(item, folder, files)),
        _ => {}
    }
}

/// What a search came to.
pub struct Decided {
    /// The policy that it was decided under.
    pub text: String,
    /// The state of the files that it names: data and hierarchies count as much as the policy does.
    pub files: Vec<FileState>,
    /// The decision.
    pub decision: Arc<Decision>,
    /// What the page shows of it.
    pub shown: Json,
}

/// All that is open.
pub struct Session {
    /// The folder.
    pub workspace: Workspace,
    /// What is open.
    pub open: Option<Open>,
    /// A data file that was named when the studio was started, for the page to open.
    pub wanted: Option<String>,
    journal: Journal,
    /// Grows with every change: a page that speaks of an older state gets the newer one.
    version: u64,
}

impl Session {
    /// Nothing is open yet.
    pub fn new(workspace: Workspace) -> Session {
        Session { workspace, open: None, wanted: None, journal: Journal::default(), version: 0 }
    }

    /// Opens a policy.
    pub fn open_policy(&mut self, path: &Path) -> Result<()> {
        let policy = Policy::read(path);
        let text = match &policy {
            Ok(policy) => policy.text().to_string(),
            // A policy that is no TOML can be put right here.
            Err(error) => fs::read_to_string(path).map_err(|_| error.clone())?,
        };
        let checked = self.check(path, &text);
        self.journal = Journal::default();
        self.version += 1;
        self.open = Some(Open {
            path: path.to_path_buf(),
            text,
            checked,
            study: None,
            values: HashMap::new(),
            decided: None,
            staged: None,
            published: None,
        });
        Ok(())
    }

    /// What is open, or an error.
    pub fn opened(&mut self) -> Result<&mut Open> {
        self.open
            .as_mut()
            .ok_or_else(|| Error::input("nothing is open").help("open a file or an example first"))
    }

    /// Refuses a change that speaks of another state than this one.
    pub fn expect(&mut self, asked: &Json) -> Result<()> {
        self.look_again();
        if asked["version"].as_u64() == Some(self.version) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Busy, "the policy was changed elsewhere; this is how it is now"))
    }

    /// Changes the policy.
    pub fn edit(&mut self, what: &str, edits: &[Edit]) -> Result<()> {
        self.edit_with(what, edits, Vec::new())
    }

    /// Changes the policy, and files that it names.
    pub fn edit_with(
        &mut self,
        what: &str,
        edits: &[Edit],
        files: Vec<(PathBuf, Option<String>)>,
    ) -> Result<()> {
        let open = self.opened()?;
        let text = Policy::parse(&open.path, open.text.clone())?.edited(edits)?.text().to_string();
        self.write(what, text, files)
    }

    /// Gives the policy another text, and files that it names.
    pub fn write(&mut self, what: &str, text: String, files: Vec<(PathBuf, Option<String>)>) -> Result<()> {
        let path = self.opened()?.path.clone();
        let files = files.into_iter().chain([(path, Some(text))]).collect();
        self.journal.make(what, files)?;
        self.reread();
        Ok(())
    }

    /// Takes the last change back, or makes it again.
    pub fn turn_back(&mut self, again: bool) -> Result<()> {
        if again {
            self.journal.redo()?
        } else {
            self.journal.undo()?
        };
        self.reread();
        Ok(())
    }

    /// Reads the policy again if somebody else changed it, as a change that can be undone.
    pub fn look_again(&mut self) {
        let Some(open) = &self.open else { return };
        let Ok(now) = fs::read_to_string(&open.path) else { return };
        if now != open.text {
            let files = vec![(open.path.clone(), Some(open.text.clone()), Some(now))];
            self.journal.note(Change { what: "a change made elsewhere".to_string(), files });
            self.reread();
        }
        self.let_go();
    }

    /// The release that waits is given up once it does not follow any more from what the files say.
    fn let_go(&mut self) {
        if let Some(open) = &mut self.open
            && open.staged.is_some()
            && open.current().is_none()
        {
            open.staged = None;
            self.version += 1;
        }
    }

    /// Reads the policy again.
    fn reread(&mut self) {
        let Some(open) = &self.open else { return };
        let text = fs::read_to_string(&open.path).unwrap_or_default();
        let checked = self.check(&open.path, &text);
        self.version += 1;
        if let Some(open) = &mut self.open {
            (open.text, open.checked) = (text, checked);
        }
        self.let_go();
    }

    /// Understands a policy, if all that it names lies in the folder.
    fn check(&self, path: &Path, text: &str) -> Result<Arc<AnyPolicy>> {
        let policy = Policy::parse(path, text.to_string())?;
        self.workspace.holds_all_of(path, &policy.to_json())?;
        policy.check_any(None).map(Arc::new)
    }

    /// All that the page shows at any time.
    pub fn state(&mut self) -> Json {
        self.look_again();
        let (undo, redo) = self.journal.ends();
        let mut state = json!({ "version": self.version, "undo": undo, "redo": redo, "policy": null });
        let Some(open) = &self.open else { return state };
        let parsed = Policy::parse(&open.path, open.text.clone());
        let shown_path = self.workspace.shown(&open.path);
        state["policy"] = json!({
            "path": shown_path,
            "text": open.text,
            "json": parsed.as_ref().map(Policy::to_json).unwrap_or_default(),
            "kind": parsed.as_ref().ok().and_then(|policy| policy.kind().ok()).map(|kind| kind.name()),
        });
        state["studied"] = open.study.is_some().into();
        match &open.checked {
            Ok(policy) => state["understood"] = shown::understood(policy),
            Err(error) => state["error"] = api::error_json(error)["error"].clone(),
        }
        state["target"] = self.target(open).into();
        if let Some(decided) = &open.decided {
            state["decided"] = decided.shown.clone();
            state["decided"]["current"] = open.current().is_some().into();
        }
        if let Some(staged) = &open.staged {
            state["staged"] = shown::release(staged.release(), &self.workspace);
        }
        if let Some(published) = &open.published {
            state["published"] = shown::release(published, &self.workspace);
        }
        state
    }

    /// Where the release goes if nobody says otherwise: next to the policy's directory, or into it where the policy lies in the
    /// folder itself.
    fn target(&self, open: &Open) -> String {
        let folder = open.path.parent().unwrap_or(self.workspace.root());
        let name = match folder == self.workspace.root() {
            true => "release".to_string(),
            false => {
                let shown = self.workspace.shown(folder);
                format!("{}-release", shown.strip_suffix("-policy").unwrap_or(&shown))
            }
        };
        self.workspace.free(&name)
    }
}
