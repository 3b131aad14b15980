//! The server: it listens to this machine alone, and to nobody who does not have the run's token.
//!
//! The server is the standard library's listener and the few pages of `http`: one person needs no more, and no dependency
//! has to be trusted. (`tiny_http` was tried; it leaves connections waiting that come at the same time, as browsers open them.)
//!
//! Three things have to hold before a request is looked at. It names this server as its host, so that no other site can reach it
//! by a name of its own; if it says where it comes from, that is here; and, unless it asks for a file of the page, it carries the
//! token, which the browser gets in the part of the address that is never sent. There are no cookies, so no other page can make
//! the browser speak for the user.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use privet::{Error, ErrorKind, Result};
use serde_json::{Value as Json, json};

use crate::api;
use crate::assets::ASSETS;
use crate::http::Request;
use crate::job::Jobs;
use crate::session::Session;
use crate::workspace::Workspace;

/// What the page may do: load its own scripts and styles, and speak to this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types privet";

/// Calls are small; only files are large, and they come in a way of their own.
const MOST_JSON: u64 = 16 << 20;

/// What the user says about a run of the studio.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder that it may read and write.
    pub folder: PathBuf,
    /// The port to listen at; 0 for any that is free.
    pub port: u16,
    /// Files larger than this are not taken in, in bytes.
    pub most_upload: u64,
}

impl Settings {
    /// A folder, at any port, with files of up to 4 GiB.
    pub fn of(folder: impl Into<PathBuf>) -> Settings {
        Settings { folder: folder.into(), port: 0, most_upload: 4 << 30 }
    }
}

/// A studio that listens.
pub struct Studio {
    listener: TcpListener,
    shared: Arc<Shared>,
    address: SocketAddr,
}

/// What all requests share.
pub struct Shared {
    /// The folder.
    pub workspace: Workspace,
    /// What runs.
    pub jobs: Jobs,
    session: Mutex<Session>,
    token: String,
    most_upload: u64,
    address: SocketAddr,
    host: String,
    ending: AtomicBool,
}

impl Shared {
    /// What is open. Held for a moment only: whatever takes long is a job.
    pub fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the server.
    pub fn quit(&self) {
        self.jobs.stop_all();
        self.ending.store(true, Ordering::SeqCst);
        // The listener waits for somebody to come.
        let _ = TcpStream::connect(self.address);
    }
}

impl Studio {
    /// Listens to this machine.
    pub fn start(settings: &Settings) -> Result<Studio> {
        let workspace = Workspace::open(&settings.folder)?;
        let listener = TcpListener::bind(("127.0.0.1", settings.port)).map_err(|error| {
            Error::input(format!("cannot listen at port {}: {error}", settings.port))
                .help("leave out --port, or name one that is free")
        })?;
        let address = listener
            .local_addr()
            .map_err(|error| Error::internal(format!("the server has no address: {error}")))?;
        let shared = Arc::new(Shared {
            session: Mutex::new(Session::new(workspace.clone())),
            workspace,
            jobs: Jobs::default(),
            token: token()?,
            most_upload: settings.most_upload,
            address,
            host: address.to_string(),
            ending: AtomicBool::new(false),
        });
        Ok(Studio { listener, shared, address })
    }

    /// The address to open. The token is behind the `#`: browsers do not send that part to anybody.
    pub fn address(&self) -> String {
        format!("http://{}/#{}", self.address, self.shared.token)
    }

    /// What all requests share.
    pub fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }

    /// Answers requests until it is asked to end, each in a thread of its own.
    pub fn serve(&self) {
        for stream in self.listener.incoming() {
            if self.shared.ending.load(Ordering::SeqCst) {
                return;
            }
            let Ok(stream) = stream else { continue };
            let shared = self.shared.clone();
            // Where the system starts no thread, the connection ends unanswered.
            let _ = thread::Builder::new().spawn(move || {
                if let Some(request) = Request::read(stream) {
                    // The one who asked may be gone by now.
                    let _ = answer(&shared, request);
                }
            });
        }
    }
}

/// 128 random bits.
fn token() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::internal(format!("the system gives no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn answer(shared: &Arc<Shared>, mut request: Request) -> io::Result<()> {
    if let Some(refused) = refusal(shared, &request) {
        return refuse(request, refused.0, refused.1);
    }
    let path = request.path.split(['?', '#']).next().unwrap_or("").to_string();
    if let Some(asset) = ASSETS.iter().find(|asset| asset.path == path) {
        if !["GET", "HEAD"].contains(&request.method.as_str()) {
            return refuse(request, 405, "a file of the page can only be fetched");
        }
        return request.respond(200, &with_type(asset.kind), asset.content.as_bytes());
    }
    let Some(call) = path.strip_prefix("/api/") else {
        return refuse(request, 404, "there is no such page");
    };
    if !is_equal(request.header("x-privet-token").unwrap_or(""), &shared.token) {
        return refuse(
            request,
            401,
            "the token is missing or not that of this run; open the address that privet-studio printed",
        );
    }
    if request.method != "POST" {
        return refuse(request, 405, "calls are made with POST");
    }
    if request.length().is_none() {
        return refuse(request, 411, "the length of the call is missing");
    }
    if call == "upload" {
        let answer = upload(shared, &mut request);
        return respond(request, answer);
    }
    let asked = match body(&mut request) {
        Ok(asked) => asked,
        Err((status, wrong)) => return refuse(request, status, wrong),
    };
    match call.strip_prefix("job/") {
        Some(job) => match api::job(shared, job, &asked) {
            Ok(work) => stream(shared, request, work),
            Err(error) => respond(request, Err(error)),
        },
        None => {
            let answer = api::call(shared, call, &asked);
            respond(request, answer)
        }
    }
}

/// Why a request is not looked at.
fn refusal(shared: &Shared, request: &Request) -> Option<(u16, &'static str)> {
    if request.header("host") != Some(&shared.host) {
        return Some((403, "this server answers to its own address alone"));
    }
    let origin = format!("http://{}", shared.host);
    let foreign = request.has("origin") && request.header("origin") != Some(&origin);
    let site = request.header("sec-fetch-site").unwrap_or("none");
    if foreign || !["none", "same-origin"].contains(&site) {
        return Some((403, "other pages may not speak to this server"));
    }
    None
}

/// Compares in the same time wherever the two differ.
fn is_equal(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (one, other)| differ | (one ^ other));
    one.len() == other.len() && differ == 0
}

/// What a call says.
fn body(request: &mut Request) -> std::result::Result<Json, (u16, &'static str)> {
    let mut text = Vec::new();
    let read = request.body().take(MOST_JSON + 1).read_to_end(&mut text);
    if read.is_err() || text.len() as u64 > MOST_JSON {
        return Err((413, "the call is too large"));
    }
    if text.is_empty() {
        return Ok(Json::Null);
    }
    serde_json::from_slice(&text).map_err(|_| (400, "the call is not JSON"))
}

/// Takes a file into the folder, whole or not at all.
fn upload(shared: &Shared, request: &mut Request) -> Result<Json> {
    let most = shared.most_upload;
    let length = request.length().unwrap_or(0);
    if length > most {
        return Err(Error::input(format!("the file is larger than {} MB", most >> 20))
            .help("put it into the folder yourself, and choose it there"));
    }
    let name = request.header("x-privet-name").unwrap_or("").to_string();
    let path = shared.workspace.take_in(&decoded(&name), &mut request.body(), length)?;
    let path = path.ok_or_else(|| {
        Error::input("the file did not arrive whole, so it was not taken").help("choose it again")
    })?;
    Ok(json!({ "path": path }))
}

/// A name as browsers encode it in a header.
fn decoded(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut plain = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let pair = (bytes[at] == b'%').then(|| name.get(at + 1..at + 3)).flatten();
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Headers that every answer has.
const HEADERS: [(&str, &str); 7] = [
    ("Content-Security-Policy", POLICY),
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
];

/// The headers of an answer of this type.
fn with_type(kind: &'static str) -> Vec<(&'static str, &'static str)> {
    HEADERS.into_iter().chain([("Content-Type", kind)]).collect()
}

fn refuse(request: Request, status: u16, why: &str) -> io::Result<()> {
    let text = json!({ "error": { "message": why } }).to_string();
    request.respond(status, &with_type("application/json"), text.as_bytes())
}

fn respond(request: Request, answer: Result<Json>) -> io::Result<()> {
    let (status, json) = match answer {
        Ok(json) => (200, json),
        Err(error) => (if error.kind() == ErrorKind::Busy { 409 } else { 422 }, api::error_json(&error)),
    };
    request.respond(status, &with_type("application/json"), json.to_string().as_bytes())
}

/// Does what takes long, and says meanwhile how it goes: a stream of events, each a line of JSON behind `data:`. Who closes
/// the stream does not want the work any more.
fn stream(shared: &Arc<Shared>, request: Request, work: api::Work) -> io::Result<()> {
    let (events, job) = shared.jobs.start(shared.clone(), work);
    let mut to = request.stream(&with_type("text/event-stream")).ok();
    for event in events {
        let Some(listener) = &mut to else {
            // Nobody listens: the work is not wanted any more, and its end is waited for.
            job.stop();
            continue;
        };
        if listener.write_all(format!("data: {event}\n\n").as_bytes()).is_err() {
            to = None;
        }
    }
    Ok(())
}
