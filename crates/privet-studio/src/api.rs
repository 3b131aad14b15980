//! The calls of the page, one function each, by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use privet::clock::Clock;
use privet::compare::{Candidate, compare};
use privet::drafts::{DraftOptions, Study, data_path};
use privet::example::Example;
use privet::first::{Asked, FirstLook, look, policy_folder};
use privet::policy::layout::PUBLIC;
use privet::policy::{AnyPolicy, DataKind, Edit, Policy, Role};
use privet::release::{RunOptions, stage};
use privet::report::Edition;
use privet::risk::{RiskOptions, measure};
use privet::taxonomy::{Builder, ItemTree, READY, Ready, Taxonomy, check};
use privet::{ColumnValues, Error, Result, what_if};
use serde_json::{Value as Json, json};

use crate::server::Shared;
use crate::session::{Decided, Session, files_of};
use crate::shown;

/// Work that takes long.
pub type Work = Box<dyn FnOnce(&Shared, &Clock) -> Result<Json> + Send>;

/// The rows of a table that are shown first, and the lines of other data.
const FIRST_ROWS: usize = 50;
/// The records that are shown before and after.
const SIDE_BY_SIDE: usize = 12;
/// What rare values are called together.
const OTHER: &str = "other";

/// An error as the page shows it.
pub fn error_json(error: &Error) -> Json {
    json!({ "error": {
        "message": error.message(),
        "help": error.remedy(),
        "line": error.line(),
        "file": error.file().and_then(Path::file_name).map(|name| name.to_string_lossy()),
    } })
}

fn text<'a>(asked: &'a Json, key: &str) -> Result<&'a str> {
    asked[key].as_str().ok_or_else(|| Error::input(format!("the call lacks '{key}'")))
}

fn place(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_string()).collect()
}

/// Answers a call.
pub fn call(shared: &Arc<Shared>, name: &str, asked: &Json) -> Result<Json> {
    if name == "rows" {
        // Looking through many records holds up nobody else.
        return rows(shared, asked);
    }
    let mut session = shared.session();
    let session = &mut *session;
    match name {
        "start" => {
            let files = shared.workspace.list("")?;
            let folder = shared.workspace.root().file_name().map(|name| name.to_string_lossy().into_owned());
            let wanted = session.wanted.take();
            let privet = env!("CARGO_PKG_VERSION");
            Ok(json!({
                "catalogue": shown::catalogue(), "files": files, "folder": folder, "privet": privet,
                "wanted": wanted, "state": session.state(),
            }))
        }
        "files" => shared.workspace.list(text(asked, "folder")?),
        "state" => Ok(session.state()),
        "example" => {
            let example = Example::find(text(asked, "name")?)?;
            let name = shared.workspace.free(example.name);
            let folder = shared.workspace.place(&name)?;
            example.write(&folder)?;
            session.open_policy(&folder.join("policy.toml"))?;
            Ok(session.state())
        }
        "open" => {
            session.open_policy(&shared.workspace.existing(text(asked, "path")?)?)?;
            Ok(session.state())
        }
        "edit" => {
            session.expect(asked)?;
            let edits = shown::edits(&asked["edits"]).ok_or_else(|| Error::input("these are no edits"))?;
            session.edit(text(asked, "what")?, &edits)?;
            Ok(session.state())
        }
        "role" => role(session, asked),
        "text" => {
            session.expect(asked)?;
            session.write("typing", text(asked, "text")?.to_string(), Vec::new())?;
            Ok(session.state())
        }
        "undo" | "redo" => {
            session.expect(asked)?;
            session.turn_back(name == "redo")?;
            Ok(session.state())
        }
        "roles" => roles(session),
        "preview" => preview(session),
        "tree" => match text(asked, "column")? {
            "" => tree(session, ""),
            // Where the values were not read yet there is nothing to show.
            column => Ok(tree(session, column).unwrap_or_default()),
        },
        "change-tree" => change_tree(session, asked),
        "report" => {
            let edition = match asked["edition"].as_str() {
                Some("public") => Edition::Public,
                _ => Edition::Steward,
            };
            let staged = session.opened()?.staged.as_ref();
            let staged =
                staged.ok_or_else(|| Error::input("there is no release yet").help("search first"))?;
            Ok(json!({ "html": staged.report(edition)? }))
        }
        "rooms" => rooms(session),
        "publish" => publish(session),
        "stop" | "enough" => {
            shared.jobs.end(asked["job"].as_u64().unwrap_or(0), name == "enough");
            Ok(Json::Null)
        }
        "quit" => {
            shared.quit();
            Ok(Json::Null)
        }
        _ => Err(Error::input(format!("there is no call '{name}'"))),
    }
}

/// Begins work that takes long.
pub fn job(shared: &Arc<Shared>, name: &str, asked: &Json) -> Result<Work> {
    let asked = asked.clone();
    match name {
        "draft" => {
            let data = shared.workspace.existing(text(&asked, "path")?)?;
            Ok(Box::new(move |shared, clock| draft(shared, &data, &asked, clock)))
        }
        "study" => Ok(Box::new(study)),
        "values" => {
            let column = text(&asked, "column")?.to_string();
            Ok(Box::new(move |shared, clock| values(shared, &column, clock)))
        }
        "search" => Ok(Box::new(search)),
        "stage" => {
            let (name, force) = (text(&asked, "target")?.to_string(), asked["force"] == true);
            let target = shared.workspace.place(&name)?;
            Ok(Box::new(move |shared, clock| staged(shared, target, force, clock)))
        }
        "risk" => Ok(Box::new(move |shared, clock| risk(shared, asked["release"] == true, clock))),
        "compare" => Ok(Box::new(move |shared, clock| compared(shared, &asked, clock))),
        "finer" => Ok(Box::new(move |shared, clock| finer(shared, &asked, clock))),
        _ => Err(Error::input(format!("there is no work '{name}'"))),
    }
}

/// Looks at a file and drafts a policy for it, as `privet init` does.
fn draft(shared: &Shared, data: &Path, asked: &Json, clock: &Clock) -> Result<Json> {
    let wanted = policy_folder(data);
    let shown = shared.workspace.shown(&wanted);
    let folder = shared.workspace.place(&shared.workspace.free(&shown))?;
    let options = DraftOptions { data_path: Some(data_path(&folder, data)), ..DraftOptions::default() };
    let is_table = match asked["kind"].as_str() {
        Some("table") => Some(true),
        Some("transactions") => Some(false),
        _ => None,
    };
    let found = look(data, &Asked { is_table, ..Asked::default() }, &options, clock)?;
    let (draft, study) = match found {
        FirstLook::Table { study, .. } => (study.draft(&options)?, Some(*study)),
        FirstLook::Transactions(draft) | FirstLook::QueryLog(draft, _) => (draft, None),
    };
    clock.check()?;
    draft.write(&folder)?;
    let mut session = shared.session();
    session.open_policy(&folder.join("policy.toml"))?;
    session.opened()?.study = study.map(|study| Arc::new(Mutex::new(study)));
    Ok(session.state())
}

/// Looks at the columns of the table that the open policy names.
fn study(shared: &Shared, clock: &Clock) -> Result<Json> {
    let (path, policy) = {
        let mut session = shared.session();
        let open = session.opened()?;
        (open.path.clone(), Policy::parse(&open.path, open.text.clone())?)
    };
    shared.workspace.holds_all_of(&path, &policy.to_json())?;
    let (source, _) = policy.table_as_read()?;
    let study = Study::watched(&source, clock)?;
    let mut session = shared.session();
    if let Some(open) = session.open.as_mut().filter(|open| open.path == path) {
        open.study = Some(Arc::new(Mutex::new(study)));
    }
    Ok(session.state())
}

/// Every column with what is suggested, and what it singles out in the role that the policy gives it.
fn roles(session: &mut Session) -> Result<Json> {
    let open = session.opened()?;
    let study = open.study.clone().ok_or_else(|| Error::input("the columns were not looked at yet"))?;
    let json = Policy::parse(&open.path, open.text.clone())?.to_json();
    let mut study = study.lock().unwrap_or_else(PoisonError::into_inner);
    let suggested = study.suggested();
    for (index, (name, ..)) in suggested.iter().enumerate() {
        let word = json["columns"][name]["role"].as_str();
        study.decide(index, Role::ALL.into_iter().find(|role| Some(role.name()) == word));
    }
    let columns = study.columns();
    let all = columns.iter().find_map(|column| column.together).map(|(all, _)| all);
    let shown: Json = (columns.iter().zip(&suggested))
        .map(|(column, (_, role, reason))| shown::column(column, *role, reason))
        .collect();
    Ok(json!({ "columns": shown, "records": study.rows(), "together": all }))
}

/// Gives a column a role, or leaves it out; its hierarchy goes and comes with it.
fn role(session: &mut Session, asked: &Json) -> Result<Json> {
    session.expect(asked)?;
    let column = text(asked, "column")?;
    let open = session.opened()?;
    let json = Policy::parse(&open.path, open.text.clone())?.to_json();
    let section = &json["columns"][column];
    let edits = match asked["role"].as_str() {
        None => vec![Edit::Remove(place(&["columns", column]))],
        Some(role) => {
            let mut edits = vec![Edit::Set(place(&["columns", column, "role"]), shown::quoted(role))];
            let takes = ["quasi-identifier", "sensitive", "mixed"].contains(&role);
            let drafted = usual_place(column);
            let folder = open.path.parent().unwrap_or(Path::new(""));
            if !takes && section["hierarchy"].is_string() {
                edits.push(Edit::Remove(place(&["columns", column, "hierarchy"])));
            } else if role == "quasi-identifier"
                && section["hierarchy"].is_null()
                && folder.join(&drafted).is_file()
            {
                edits.push(Edit::Set(place(&["columns", column, "hierarchy"]), shown::quoted(&drafted)));
            }
            edits
        }
    };
    session.edit(&format!("the role of {column}"), &edits)?;
    Ok(session.state())
}

/// The first rows of a table, or the first lines of other data.
fn preview(session: &mut Session) -> Result<Json> {
    let workspace = session.workspace.clone();
    let open = session.opened()?;
    let policy = Policy::parse(&open.path, open.text.clone())?;
    let json = policy.to_json();
    workspace.holds_all_of(&open.path, &json)?;
    if json["data"]["kind"].as_str().is_none_or(|kind| kind == "table") {
        return shown::rows(&policy.table_as_read()?.0, FIRST_ROWS);
    }
    let path = json["data"]["path"].as_str().unwrap_or_default();
    let folder = open.path.parent().unwrap_or(Path::new(""));
    let source = privet::data::Source::open(
        &folder.join(path),
        &privet::data::ReadOptions { header: privet::data::Header::parse("none"), ..Default::default() },
    );
    match source.and_then(|source| source.head(FIRST_ROWS)) {
        Ok(rows) => Ok(json!({ "rows": rows })),
        Err(_) => Ok(json!({ "lines": first_lines(&folder.join(path))? })),
    }
}

/// The first lines of a text.
fn first_lines(path: &Path) -> Result<Vec<String>> {
    use std::io::{BufRead, BufReader, Read};
    let failed = |error: std::io::Error| Error::io("read the data", path, &error);
    let file = fs::File::open(path).map_err(failed)?;
    let lines = BufReader::new(file.take(1 << 20)).lines().take(FIRST_ROWS);
    lines.collect::<std::io::Result<Vec<String>>>().map_err(failed)
}

/// How a column's section says that it is read: the values that are kept are those.
fn reading_of(policy: &Json, column: &str) -> String {
    let section = &policy["columns"][column];
    let keys = ["date", "first_year", "decimal", "unit"].map(|key| section[key].to_string());
    format!("{} {} {}", keys.join(" "), policy["data"]["path"], policy["data"]["missing"])
}

/// Reads the values of a column, once.
fn values(shared: &Shared, column: &str, clock: &Clock) -> Result<Json> {
    let (path, policy) = {
        let mut session = shared.session();
        let open = session.opened()?;
        (open.path.clone(), Policy::parse(&open.path, open.text.clone())?)
    };
    let json = policy.to_json();
    shared.workspace.holds_all_of(&path, &json)?;
    let key = (column.to_string(), reading_of(&json, column));
    let known = shared.session().opened()?.values.contains_key(&key);
    if !known {
        let (source, missing) = policy.table_as_read()?;
        let found = Arc::new(ColumnValues::read(&source, column, &missing, clock)?);
        shared.session().opened()?.values.insert(key, found);
    }
    let mut session = shared.session();
    tree(&mut session, column)
}

/// The values of a column that were read before, the policy's JSON, and where its hierarchy is or would be.
fn known(session: &mut Session, column: &str) -> Result<(Arc<ColumnValues>, Json, PathBuf, String)> {
    let workspace = session.workspace.clone();
    let open = session.opened()?;
    let json = Policy::parse(&open.path, open.text.clone())?.to_json();
    workspace.holds_all_of(&open.path, &json)?;
    let values = open.values.get(&(column.to_string(), reading_of(&json, column))).cloned();
    let values = values.ok_or_else(|| Error::input("the values were not read yet"))?;
    let folder = open.path.parent().unwrap_or(Path::new("")).to_path_buf();
    let named = json["columns"][column]["hierarchy"].as_str().map(String::from);
    let name = named.unwrap_or_else(|| usual_place(column));
    Ok((values, json, folder, name))
}

/// Where the hierarchy of a column is if nothing else is said, seen from the policy; drafts put it there.
fn usual_place(column: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    format!("hierarchies/{}.csv", column.chars().map(safe).collect::<String>())
}

/// The hierarchy of a column with the counts of its values.
fn tree(session: &mut Session, column: &str) -> Result<Json> {
    if column.is_empty() {
        return items(session);
    }
    let (values, json, folder, name) = known(session, column)?;
    let mut shown = json!({ "column": column, "file": name, "values": values.values.len() });
    let names = |value: &(String, u64)| json!([value.0, value.1]);
    let mut common: Vec<&(String, u64)> = values.values.iter().collect();
    common.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    shown["common"] = common.iter().take(200).map(|value| names(value)).collect();
    let each = || values.values.iter().map(|(value, _)| value.as_str());
    shown["ready"] = (READY.iter())
        .map(|ready| (ready, ready.knows(each())))
        .filter(|(_, knows)| *knows > 0)
        .map(|(ready, knows)| json!({ "name": ready.name, "title": ready.title, "knows": knows }))
        .collect();
    if json["columns"][column]["hierarchy"].is_string() {
        match Taxonomy::read(&folder.join(&name)) {
            Ok(tree) => shown["tree"] = shown::tree(&tree, &check(&tree, values.occurrences())),
            Err(error) => shown["wrong"] = error_json(&error)["error"].clone(),
        }
    }
    Ok(shown)
}

/// The tree of items, or of words, of data that are no table.
fn items(session: &mut Session) -> Result<Json> {
    let workspace = session.workspace.clone();
    let open = session.opened()?;
    let json = Policy::parse(&open.path, open.text.clone())?.to_json();
    workspace.holds_all_of(&open.path, &json)?;
    let name =
        [&json["items"]["hierarchy"], &json["semantics"]["hierarchy"]].into_iter().find_map(Json::as_str);
    let Some(name) = name else { return Ok(json!({ "file": null })) };
    let folder = open.path.parent().unwrap_or(Path::new(""));
    let tree = ItemTree::read(&folder.join(name))?;
    let nodes: Json = (tree.nodes().take(3000))
        .map(|node| json!([tree.label(node), tree.depth(node), null, tree.is_leaf(node)]))
        .collect();
    let leaves = tree.nodes().filter(|node| tree.is_leaf(*node)).count();
    Ok(json!({ "file": name, "tree": {
        "nodes": nodes, "more": tree.len().saturating_sub(3000), "leaves": leaves, "misfits": [], "uncovered": 0,
    } }))
}

/// Builds the hierarchy of a column, or changes it.
fn change_tree(session: &mut Session, asked: &Json) -> Result<Json> {
    session.expect(asked)?;
    let column = text(asked, "column")?.to_string();
    let workspace = session.workspace.clone();
    if column.is_empty() {
        return import_items(session, &workspace.existing(text(asked, "path")?)?);
    }
    let (values, json, folder, name) = known(session, &column)?;
    let path = workspace.place_from(&folder, &name)?;
    let now = || Taxonomy::read(&path);
    let labels = || -> Vec<&str> {
        asked["nodes"].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
    };
    let (what, tree) = match text(asked, "change")? {
        "build" => (
            "building",
            builder(&asked["builder"])?.build(&values.values).map_err(|error| values.blame(error))?,
        ),
        "ready" => {
            let ready = Ready::find(text(asked, "name")?)?;
            ("building", ready.build(&values.values, Some(OTHER)).map_err(|error| values.blame(error))?)
        }
        "import" => ("importing", Taxonomy::read(&workspace.existing(text(asked, "path")?)?)?),
        "group" => ("grouping", now()?.grouped(&labels(), text(asked, "name")?)?),
        "dissolve" => ("dissolving a group of", now()?.dissolved(text(asked, "name")?)?),
        "rename" => ("renaming a group of", now()?.renamed(text(asked, "name")?, text(asked, "to")?)?),
        other => return Err(Error::input(format!("there is no change '{other}'"))),
    };
    let mut edits = vec![Edit::Set(place(&["columns", &column, "hierarchy"]), shown::quoted(&name))];
    if json["columns"][&column]["role"].is_null() {
        edits.push(Edit::Set(place(&["columns", &column, "role"]), shown::quoted("quasi-identifier")));
    }
    session.edit_with(
        &format!("{what} the hierarchy of {column}"),
        &edits,
        vec![(path, Some(tree.to_text()?))],
    )?;
    let shown = self::tree(session, &column)?;
    Ok(json!({ "state": session.state(), "tree": shown }))
}

/// Takes a file as the tree of items, or of words.
fn import_items(session: &mut Session, file: &Path) -> Result<Json> {
    ItemTree::read(file)?;
    let open = session.opened()?;
    let folder = open.path.parent().unwrap_or(Path::new("")).to_path_buf();
    let kind = Policy::parse(&open.path, open.text.clone())?.kind()?;
    let section = if kind == DataKind::Transactions { "items" } else { "semantics" };
    let path = shown::quoted(&data_path(&folder, file));
    session.edit("importing the tree", &[Edit::Set(place(&[section, "hierarchy"]), path)])?;
    let shown = items(session)?;
    Ok(json!({ "state": session.state(), "tree": shown }))
}

/// A builder, as the page describes it.
fn builder(asked: &Json) -> Result<Builder> {
    let count =
        |key: &str, usual: u32| asked[key].as_u64().and_then(|it| u32::try_from(it).ok()).unwrap_or(usual);
    let words = |key: &str| asked[key].as_str().unwrap_or_default().trim().to_string();
    let fanout = count("fanout", 2);
    Ok(match text(asked, "kind")? {
        "width" => Builder::EqualWidth { width: words("width"), fanout },
        "bins" => Builder::EqualBins { bins: count("bins", 10), fanout },
        "frequency" => Builder::EqualFrequency { bins: count("bins", 10), fanout },
        "doubling" => Builder::Doubling { width: words("width") },
        "breaks" => {
            let list = |level: &str| level.split(',').map(|number| number.trim().to_string()).collect();
            Builder::Breaks(words("breaks").split(';').map(list).collect())
        }
        "dates" => Builder::Dates,
        "prefixes" => {
            let steps = words("steps");
            let steps = steps.split(',').filter_map(|step| step.trim().parse().ok()).collect();
            Builder::Prefixes { steps }
        }
        "order" => {
            let order = words("order")
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(String::from)
                .collect();
            Builder::Ordered { order, fanout }
        }
        "flat" => Builder::Flat,
        "rare" => {
            let least = u64::from(count("least", 10));
            Builder::Joined { groups: Default::default(), least, other: OTHER.to_string() }
        }
        other => return Err(Error::input(format!("there is no builder '{other}'"))),
    })
}

/// Searches for the best plan, and keeps what it decides.
fn search(shared: &Shared, clock: &Clock) -> Result<Json> {
    let (path, policy_text, checked) = {
        let mut session = shared.session();
        session.look_again();
        let open = session.opened()?;
        (open.path.clone(), open.text.clone(), open.checked.clone())
    };
    checked?;
    let policy = Policy::parse(&path, policy_text.clone())?;
    let files = files_of(&path, &policy_text);
    let decision = privet::decide(&policy, None, None, clock)?;
    let shown = shown::decided(&decision, clock.is_over());
    let mut session = shared.session();
    if let Some(open) = session.open.as_mut().filter(|open| open.path == path) {
        open.decided = Some(Decided { text: policy_text, files, decision: Arc::new(decision), shown });
        (open.staged, open.published) = (None, None);
    }
    Ok(session.state())
}

/// Makes the release that was decided, hidden next to its place.
fn staged(shared: &Shared, target: PathBuf, force: bool, clock: &Clock) -> Result<Json> {
    let (path, decision) = {
        let mut session = shared.session();
        let open = session.opened()?;
        // The release that waited gives its place away.
        open.staged = None;
        let decided = open.current().ok_or_else(|| {
            Error::input("the policy, or a file that it names, was changed after the search")
                .help("search again: what is published follows from what the policy says now")
        })?;
        (open.path.clone(), decided.decision.clone())
    };
    let options = RunOptions { force, ..RunOptions::to(target) };
    let staged = stage(&decision, &options, clock)?;
    let mut session = shared.session();
    if let Some(open) = session.open.as_mut().filter(|open| open.path == path) {
        open.staged = Some(staged);
    }
    Ok(session.state())
}

/// What the release that waits consists of: what leaves, and what stays.
fn rooms(session: &mut Session) -> Result<Json> {
    let open = session.opened()?;
    let folder = match (&open.staged, &open.published) {
        (Some(staged), _) => staged.folder().to_path_buf(),
        (None, Some(published)) => published.path.clone(),
        (None, None) => return Err(Error::input("there is no release yet")),
    };
    let room = |name: &str| -> Json {
        let entries = fs::read_dir(folder.join(name)).into_iter().flatten().flatten();
        let mut files: Vec<(String, u64)> = entries
            .filter_map(|entry| {
                Some((entry.file_name().to_string_lossy().into_owned(), entry.metadata().ok()?.len()))
            })
            .collect();
        files.sort();
        files.iter().map(|(name, bytes)| json!({ "name": name, "bytes": bytes })).collect()
    };
    Ok(json!({ "public": room("public"), "steward": room("steward") }))
}

/// Publishes the release that waits.
fn publish(session: &mut Session) -> Result<Json> {
    session.look_again();
    let open = session.opened()?;
    let staged = open.staged.take();
    let staged = staged.ok_or_else(|| Error::input("there is no release that waits").help("search first"))?;
    open.published = Some(staged.publish()?);
    Ok(session.state())
}

/// Records before and after.
fn rows(shared: &Shared, asked: &Json) -> Result<Json> {
    let decided = shared.session().opened()?.decided.as_ref().map(|decided| decided.decision.clone());
    let decision = decided.ok_or_else(|| Error::input("nothing was decided yet"))?;
    let skip = asked["skip"].as_u64().and_then(|skip| usize::try_from(skip).ok()).unwrap_or(0);
    let found = decision.before_after(asked["text"].as_str().unwrap_or(""), skip, SIDE_BY_SIDE);
    Ok(
        json!({ "columns": found.columns, "matching": found.matching, "rows": found.rows, "most": SIDE_BY_SIDE }),
    )
}

/// The policy as it is now, and what it is about.
fn policy_now(shared: &Shared) -> Result<(Policy, Arc<AnyPolicy>)> {
    let mut session = shared.session();
    session.look_again();
    let open = session.opened()?;
    Ok((Policy::parse(&open.path, open.text.clone())?, open.checked.clone()?))
}

/// Decides the policy in many settings. Each is a list of edits with a name; those that make no policy are reported as such.
fn compared(shared: &Shared, asked: &Json, clock: &Clock) -> Result<Json> {
    let (written, _) = policy_now(shared)?;
    let mut candidates =
        vec![Candidate { label: "as written".to_string(), policy: written.clone(), chosen: true }];
    let (mut edits, mut refused) = (vec![json!([])], Vec::new());
    for setting in asked["settings"].as_array().into_iter().flatten() {
        let label = text(setting, "label")?.to_string();
        let own = shown::edits(&setting["edits"]).ok_or_else(|| Error::input("these are no edits"))?;
        let policy = written.edited(&own);
        match policy.and_then(|policy| policy.check_any(None).map(|_| policy)) {
            // The policy may be one of the settings itself; once is enough.
            Ok(policy) if policy.text() == written.text() => {
                candidates[0].label = format!("{label}, as written");
            }
            Ok(policy) => {
                candidates.push(Candidate { label, policy, chosen: false });
                edits.push(setting["edits"].clone());
            }
            Err(error) => refused.push(json!({ "label": label, "error": error_json(&error)["error"] })),
        }
    }
    let labels: Vec<String> = candidates.iter().map(|candidate| candidate.label.clone()).collect();
    let comparison = compare(candidates, clock)?;
    let page = comparison.page();
    let settings: Json = (labels.iter().zip(edits))
        .map(|(label, edits)| {
            let place = page.points.iter().position(|point| point.label == *label);
            let point = place.map(|at| &page.points[at]);
            json!({
                "label": label, "edits": edits, "point": place,
                "loss": point.map(|point| point.loss), "risk": point.map(|point| point.risk),
            })
        })
        .collect();
    Ok(json!({
        "html": page.render()?, "settings": settings, "refused": refused, "measured": comparison.to_json(),
        "frontier": page.frontier(), "doubts": comparison.doubts,
    }))
}

/// What the data are worth to an attacker, and if wanted, what the release that waits is.
fn risk(shared: &Shared, released: bool, clock: &Clock) -> Result<Json> {
    let (path, policy, folder) = {
        let mut session = shared.session();
        session.look_again();
        let open = session.opened()?;
        let folder = open.staged.as_ref().map(|staged| staged.folder().join(PUBLIC));
        (open.path.clone(), Policy::parse(&open.path, open.text.clone())?, folder)
    };
    shared.workspace.holds_all_of(&path, &policy.to_json())?;
    let measured = |release: Option<&Path>| {
        let options = RiskOptions { release, largest: None };
        measure(&policy, None, &options, clock).map(|risk| shown::risk(&risk))
    };
    // Only releases of one table are classes of records that look alike.
    let table = folder.filter(|_| released).and_then(|folder| {
        let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        entries.into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == "release"))
    });
    let after = table.map(|table| measured(Some(&table))).transpose()?;
    Ok(json!({ "before": measured(None)?, "after": after }))
}

/// What it would take to publish a column in more detail.
fn finer(shared: &Shared, asked: &Json, clock: &Clock) -> Result<Json> {
    let (written, _) = policy_now(shared)?;
    let level = asked["level"].as_u64().and_then(|level| u8::try_from(level).ok()).unwrap_or(0);
    let attempts = what_if::finer(&written, text(asked, "column")?, level, clock)?;
    let shown: Json = (attempts.iter())
        .map(|attempt| {
            let mut json = json!({ "gives_up": attempt.gives_up, "edits": shown::as_edits(&attempt.edits) });
            match &attempt.outcome {
                Ok(outcome) => {
                    json["reached"] = outcome.reached.into();
                    json["levels"] =
                        outcome.levels.iter().map(|(name, level)| json!([name, level])).collect();
                    json["loss"] = outcome.loss.1.into();
                    json["measure"] = outcome.loss.0.into();
                    json["released"] = outcome.records.0.into();
                    json["read"] = outcome.records.1.into();
                }
                Err(reason) => json["impossible"] = reason.clone().into(),
            }
            json
        })
        .collect();
    Ok(json!({ "attempts": shown }))
}
