//! The server: it listens to this machine alone, and to nobody who does not have the run's token.
//!
//! `tiny_http` was chosen for its size: five crates, threads, no runtime, which is enough for one person. Should it be given up,
//! what is used of it are a few hundred lines to own.
//!
//! Three things have to hold before a request is looked at. It names this server as its host, so that no other site can reach it
//! by a name of its own; if it says where it comes from, that is here; and, unless it asks for a file of the page, it carries the
//! token, which the browser gets in the part of the address that is never sent. There are no cookies, so no other page can make
//! the browser speak for the user.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use privet::{Error, ErrorKind, Result};
use serde_json::{Value as Json, json};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::api;
use crate::assets::ASSETS;
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
    server: Arc<Server>,
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
    host: String,
    server: Arc<Server>,
}

impl Shared {
    /// What is open. Held for a moment only: whatever takes long is a job.
    pub fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the server.
    pub fn quit(&self) {
        self.jobs.stop_all();
        self.server.unblock();
    }
}

impl Studio {
    /// Listens to this machine.
    pub fn start(settings: &Settings) -> Result<Studio> {
        let workspace = Workspace::open(&settings.folder)?;
        let server = Server::http(("127.0.0.1", settings.port)).map_err(|error| {
            Error::input(format!("cannot listen at port {}: {error}", settings.port))
                .help("leave out --port, or name one that is free")
        })?;
        let server = Arc::new(server);
        let address =
            server.server_addr().to_ip().ok_or_else(|| Error::internal("the server has no address"))?;
        let shared = Arc::new(Shared {
            session: Mutex::new(Session::new(workspace.clone())),
            workspace,
            jobs: Jobs::default(),
            token: token()?,
            most_upload: settings.most_upload,
            host: address.to_string(),
            server: server.clone(),
        });
        Ok(Studio { server, shared, address })
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
        loop {
            match self.server.recv() {
                Ok(request) => {
                    let shared = self.shared.clone();
                    let answering = thread::Builder::new().spawn(move || {
                        // The one who asked may be gone by now.
                        let _ = answer(&shared, request);
                    });
                    if answering.is_err() {
                        return;
                    }
                }
                // Asked to end.
                Err(_) => return,
            }
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
    let path = request.url().split(['?', '#']).next().unwrap_or("").to_string();
    if let Some(asset) = ASSETS.iter().find(|asset| asset.path == path) {
        if !matches!(request.method(), Method::Get | Method::Head) {
            return refuse(request, 405, "a file of the page can only be fetched");
        }
        let response = Response::from_string(asset.content);
        return request.respond(guarded(response, asset.kind));
    }
    let Some(call) = path.strip_prefix("/api/") else {
        return refuse(request, 404, "there is no such page");
    };
    if !is_equal(value(&request, "X-Privet-Token").unwrap_or(""), &shared.token) {
        return refuse(
            request,
            401,
            "the token is missing or not that of this run; open the address that privet-studio printed",
        );
    }
    if *request.method() != Method::Post {
        return refuse(request, 405, "calls are made with POST");
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
    let alone =
        |name: &'static str| request.headers().iter().filter(|header| header.field.equiv(name)).count() <= 1;
    if value(request, "Host") != Some(&shared.host) || !alone("Host") || !alone("Origin") {
        return Some((403, "this server answers to its own address alone"));
    }
    let origin = format!("http://{}", shared.host);
    if value(request, "Origin").is_some_and(|from| from != origin) {
        return Some((403, "other pages may not speak to this server"));
    }
    if value(request, "Sec-Fetch-Site").is_some_and(|site| site == "cross-site" || site == "same-site") {
        return Some((403, "other pages may not speak to this server"));
    }
    None
}

/// Compares in the same time wherever the two differ.
fn is_equal(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (one, other)| differ | (one ^ other));
    one.len() == other.len() && differ == 0
}

fn value<'a>(request: &'a Request, name: &'static str) -> Option<&'a str> {
    request.headers().iter().find(|header| header.field.equiv(name)).map(|header| header.value.as_str())
}

/// What a call says.
fn body(request: &mut Request) -> std::result::Result<Json, (u16, &'static str)> {
    let mut text = Vec::new();
    let read = request.as_reader().take(MOST_JSON + 1).read_to_end(&mut text);
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
    let too_large = || {
        Error::input(format!("the file is larger than {} MB", most >> 20))
            .help("put it into the folder yourself, and choose it there")
    };
    if request.body_length().is_some_and(|length| length as u64 > most) {
        return Err(too_large());
    }
    let name = value(request, "X-Privet-Name").unwrap_or("").to_string();
    let mut limited = request.as_reader().take(most + 1);
    let path = shared.workspace.take_in(&decoded(&name), &mut limited, most)?.ok_or_else(too_large)?;
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

fn guarded<R: Read>(mut response: Response<R>, kind: &str) -> Response<R> {
    for (name, value) in HEADERS.into_iter().chain([("Content-Type", kind)]) {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    response
}

fn refuse(request: Request, status: u16, why: &str) -> io::Result<()> {
    let response = Response::from_string(json!({ "error": { "message": why } }).to_string());
    request.respond(guarded(response.with_status_code(status), "application/json"))
}

fn respond(request: Request, answer: Result<Json>) -> io::Result<()> {
    let (status, json) = match answer {
        Ok(json) => (200, json),
        Err(error) => (if error.kind() == ErrorKind::Busy { 409 } else { 422 }, api::error_json(&error)),
    };
    let response = Response::from_string(json.to_string()).with_status_code(status);
    request.respond(guarded(response, "application/json"))
}

/// Does what takes long, and says meanwhile how it goes: a stream of events, each a line of JSON behind `data:`. Who closes
/// the stream does not want the work any more.
fn stream(shared: &Arc<Shared>, request: Request, work: api::Work) -> io::Result<()> {
    let (events, job) = shared.jobs.start(shared.clone(), work);
    let mut to = request.into_writer();
    let mut head =
        String::from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n");
    for (name, value) in HEADERS {
        head += &format!("{name}: {value}\r\n");
    }
    let mut send = |text: &str| -> io::Result<()> {
        to.write_all(text.as_bytes())?;
        to.flush()
    };
    let chunk = |event: &Json| {
        let text = format!("data: {event}\n\n");
        format!("{:x}\r\n{text}\r\n", text.len())
    };
    let mut spoken = send(&(head + "\r\n"));
    for event in events {
        if spoken.is_err() {
            // Nobody listens: the work is not wanted any more, and its end is waited for.
            job.stop();
            continue;
        }
        spoken = send(&chunk(&event));
    }
    spoken.and_then(|()| send("0\r\n\r\n"))
}
