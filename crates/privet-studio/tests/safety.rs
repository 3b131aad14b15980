//! What must not get through: other hosts and pages, callers without the token, paths that lead out, files that are too large; and
//! nothing is left behind when a page or the server itself is killed.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use privet_studio::{Settings, Studio};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A studio in a folder of its own, with somebody's secret next to that.
struct Running {
    folder: TempDir,
    address: SocketAddr,
    token: String,
}

impl Running {
    fn start() -> Running {
        Running::with(1 << 20)
    }

    fn with(most_upload: u64) -> Running {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("in")).expect("a folder");
        fs::write(folder.path().join("secret.csv"), "name\nAda\n").expect("a file");
        let settings = Settings { most_upload, ..Settings::of(folder.path().join("in")) };
        let studio = Studio::start(&settings).expect("a studio");
        let (address, token) = parts(&studio.address());
        thread::spawn(move || studio.serve());
        Running { folder, address, token }
    }

    fn inside(&self) -> std::path::PathBuf {
        self.folder.path().join("in")
    }

    /// Sends a request as it is written, and returns the status and the whole answer.
    fn send(&self, request: &str) -> (u16, String) {
        send(self.address, request.as_bytes())
    }

    /// Makes a call as the page does.
    fn call(&self, name: &str, asked: &Json) -> (u16, Json) {
        call(self.address, &self.token, name, asked)
    }
}

/// Host, port and token of an address.
fn parts(address: &str) -> (SocketAddr, String) {
    let rest = address.strip_prefix("http://").expect("a page");
    let (host, token) = rest.split_once("/#").expect("a token behind the #");
    (host.parse().expect("an address"), token.to_string())
}

fn send(address: SocketAddr, request: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    // The server may answer before it has read everything.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, text)
}

fn call(address: SocketAddr, token: &str, name: &str, asked: &Json) -> (u16, Json) {
    let body = asked.to_string();
    let request = format!(
        "POST /api/{name} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nX-Privet-Token: {token}\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let (status, text) = send(address, request.as_bytes());
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, serde_json::from_str(body).unwrap_or(Json::Null))
}

#[test]
fn it_listens_to_this_machine_alone() {
    let running = Running::start();
    assert!(running.address.ip().is_loopback() && running.address.port() != 0);
    assert_eq!(running.token.len(), 32);
    assert_ne!(Running::start().token, running.token, "every run has its own");
}

#[test]
fn foreign_hosts_and_pages_are_refused() {
    let running = Running::start();
    let (address, token) = (running.address, &running.token);
    let get =
        |headers: &str| running.send(&format!("GET / HTTP/1.1\r\n{headers}Connection: close\r\n\r\n")).0;
    assert_eq!(get(&format!("Host: {address}\r\n")), 200);
    let port = address.port();
    for host in [
        "evil.example",
        "evil.example:80",
        "127.0.0.1",
        &format!("localhost:{port}"),
        &format!("evil.example:{port}"),
    ] {
        assert_eq!(get(&format!("Host: {host}\r\n")), 403, "{host}");
    }
    assert_ne!(get(""), 200, "no host at all");
    assert_ne!(get(&format!("Host: {address}\r\nHost: evil.example\r\n")), 200, "two hosts");
    for origin in
        ["http://evil.example", "null", &format!("https://{address}"), &format!("http://localhost:{port}")]
    {
        let status = get(&format!("Host: {address}\r\nOrigin: {origin}\r\n"));
        assert_eq!(status, 403, "{origin}");
        let call = format!(
            "POST /api/state HTTP/1.1\r\nHost: {address}\r\nOrigin: {origin}\r\nX-Privet-Token: {token}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(running.send(&call).0, 403, "{origin}, with the token");
    }
    assert_eq!(get(&format!("Host: {address}\r\nSec-Fetch-Site: cross-site\r\n")), 403);
}

#[test]
fn nobody_gets_far_without_the_token() {
    let running = Running::start();
    let address = running.address;
    for token in ["", "0", &"0".repeat(32), &running.token[..31], &format!("{}0", running.token)] {
        for name in ["start", "state", "files", "upload", "quit", "job/search", "no-such-call"] {
            let (status, answer) = call(address, token, name, &json!({ "folder": "" }));
            assert_eq!(status, 401, "{name} with '{token}': {answer}");
        }
    }
    // In the address it is worth nothing.
    let request = format!(
        "POST /api/state?token={0} HTTP/1.1\r\nHost: {address}\r\nCookie: token={0}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        running.token
    );
    assert_eq!(running.send(&request).0, 401);
    assert_eq!(running.call("state", &json!({})).0, 200);
    let get = format!(
        "GET /api/state HTTP/1.1\r\nHost: {address}\r\nX-Privet-Token: {}\r\nConnection: close\r\n\r\n",
        running.token
    );
    assert_eq!(running.send(&get).0, 405, "calls are not addresses that can be opened");
}

#[test]
fn answers_forbid_what_the_page_does_not_need() {
    let running = Running::start();
    for path in [
        "/",
        "/studio.js",
        "/studio.css",
        "/report.css",
        "/icon.svg",
        "/nothing",
        "/../Cargo.toml",
        "/%2e%2e/secret.csv",
        "/screens/../../secret.csv",
    ] {
        let (status, text) = running
            .send(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", running.address));
        let known = ["/", "/studio.js", "/studio.css", "/report.css", "/icon.svg"].contains(&path);
        assert_eq!(status, if known { 200 } else { 404 }, "{path}");
        let head = text.split_once("\r\n\r\n").expect("a head").0;
        for wanted in [
            "Content-Security-Policy: default-src 'none'; script-src 'self'",
            "Cache-Control: no-store",
            "Referrer-Policy: no-referrer",
            "X-Content-Type-Options: nosniff",
        ] {
            assert!(head.contains(wanted), "{path}: {wanted} in {head}");
        }
        assert!(!head.contains("Set-Cookie") && !text.contains("Ada"), "{path}");
    }
}

#[test]
fn the_page_asks_nobody_else_for_anything() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    let screens = fs::read_dir(web.join("screens")).expect("screens");
    let files = fs::read_dir(&web).expect("the page").chain(screens).flatten().map(|entry| entry.path());
    let mut looked_at = 0;
    for file in files.filter(|path| path.is_file()) {
        let text = fs::read_to_string(&file).expect("text");
        let remote = text.replace("http://www.w3.org/2000/svg", "");
        for word in [
            "http://",
            "https://",
            "localStorage",
            "sessionStorage",
            "indexedDB",
            "document.cookie",
            "eval(",
            "new Function",
            "innerHTML",
        ] {
            assert!(!remote.contains(word), "{}: {word}", file.display());
        }
        looked_at += 1;
    }
    assert!(looked_at >= 15, "{looked_at} files");
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let running = Running::start();
    let inside = running.inside();
    fs::write(inside.join("own.csv"), "age\n34\n36\n").expect("a file");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.csv", inside.join("link.csv")).expect("a link");
        std::os::unix::fs::symlink("..", inside.join("up")).expect("a link");
    }
    let secret = running.folder.path().join("secret.csv").display().to_string();
    for path in [
        "../secret.csv",
        "..",
        "/etc/passwd",
        &secret,
        "link.csv",
        "up/secret.csv",
        "a/../../secret.csv",
        "own.csv/../../secret.csv",
        "..\\secret.csv",
        "a\u{0}b",
    ] {
        for (name, asked) in [
            ("files", json!({ "folder": path })),
            ("open", json!({ "path": path })),
            ("job/draft", json!({ "path": path })),
            ("job/stage", json!({ "target": path })),
        ] {
            let (status, answer) = running.call(name, &asked);
            assert_eq!(status, 422, "{name} {path}: {answer}");
            assert!(!answer.to_string().contains("Ada"), "{name} {path}: {answer}");
        }
    }
    // A policy cannot lead out either.
    for data in ["../secret.csv", "link.csv", "li*.csv", "?ink.csv", "up/secret.csv", &secret] {
        let policy = format!(
            "[data]\npath = {}\n[columns.name]\nrole = \"other\"\n[privacy.k-anonymity]\nk = 2\n",
            json!(data)
        );
        fs::write(inside.join("policy.toml"), policy).expect("a policy");
        let (status, state) = running.call("open", &json!({ "path": "policy.toml" }));
        assert_eq!(status, 200, "{state}");
        assert!(
            state["error"]["message"].as_str().is_some_and(|why| why.contains("outside")),
            "{data}: {state}"
        );
        for name in ["preview", "job/study", "job/search", "job/values"] {
            let (_, answer) = send_job(&running, name, &json!({ "column": "name" }));
            assert!(!answer.contains("Ada"), "{name}: {answer}");
        }
    }
    // Nor can what is written.
    let policy = "[data]\npath = \"own.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\nhierarchy = \"../new.csv\"\n[privacy.k-anonymity]\nk = 2\n[ledger]\npath = \"../new.ledger\"\n";
    fs::write(inside.join("policy.toml"), policy).expect("a policy");
    let (_, state) = running.call("open", &json!({ "path": "policy.toml" }));
    assert!(state["error"]["message"].as_str().is_some_and(|why| why.contains("outside")), "{state}");
    send_job(&running, "job/values", &json!({ "column": "age" }));
    let builder = json!({ "kind": "width", "width": "5" });
    let (status, answer) = running.call(
        "change-tree",
        &json!({ "version": state["version"], "column": "age", "change": "build", "builder": builder }),
    );
    assert_eq!(status, 422, "{answer}");
    assert!(
        fs::read_dir(running.folder.path()).expect("a folder").count() == 2,
        "nothing was written outside"
    );
}

fn send_job(running: &Running, name: &str, asked: &Json) -> (u16, String) {
    let body = asked.to_string();
    running.send(&format!(
        "POST /api/{name} HTTP/1.1\r\nHost: {}\r\nX-Privet-Token: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        running.address, running.token, body.len()
    ))
}

#[test]
fn files_are_taken_in_whole_or_not_at_all() {
    let running = Running::with(1000);
    let upload = |name: &str, length: usize, body: &str| {
        running.send(&format!(
            "POST /api/upload HTTP/1.1\r\nHost: {}\r\nX-Privet-Token: {}\r\nX-Privet-Name: {name}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}",
            running.address, running.token
        ))
    };
    let names = || {
        let mut names: Vec<String> = fs::read_dir(running.inside())
            .expect("a folder")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(upload("people.csv", 7, "a\n1\n22\n").0, 200);
    assert_eq!(upload("people.csv", 4, "a\n1\n").0, 200);
    assert_eq!(names(), ["people-2.csv", "people.csv"], "nothing is replaced");
    // It says how large it is, and it does not.
    assert_eq!(upload("huge.csv", 3 << 30, "a\n").0, 422);
    let chunked = format!(
        "POST /api/upload HTTP/1.1\r\nHost: {}\r\nX-Privet-Token: {}\r\nX-Privet-Name: huge.csv\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n7d0\r\n{}\r\n0\r\n\r\n",
        running.address,
        running.token,
        "x".repeat(2000)
    );
    assert_eq!(running.send(&chunked).0, 411);
    for name in ["..%2F..%2Fout.csv", "%2Fetc%2Fx.csv", "..%5Cout.csv"] {
        assert_eq!(upload(name, 2, "a\n").0, 200, "only the last part of a name counts: {name}");
    }
    for name in ["", "run.sh", ".csv", "a.html"] {
        assert_eq!(upload(name, 2, "a\n").0, 422, "{name}");
    }
    assert_eq!(names(), ["out-2.csv", "out.csv", "people-2.csv", "people.csv", "x.csv"]);
    // Somebody goes away in the middle.
    let mut stream = TcpStream::connect(running.address).expect("a connection");
    let half = format!(
        "POST /api/upload HTTP/1.1\r\nHost: {}\r\nX-Privet-Token: {}\r\nX-Privet-Name: half.csv\r\nContent-Length: 900\r\n\r\na\n1",
        running.address, running.token
    );
    stream.write_all(half.as_bytes()).expect("sent");
    stream.shutdown(std::net::Shutdown::Write).expect("nothing more is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 422") && answer.contains("did not arrive whole"), "{answer}");
    // So does somebody who hears no answer.
    let mut stream = TcpStream::connect(running.address).expect("a connection");
    stream.write_all(half.as_bytes()).expect("sent");
    drop(stream);
    let until = Instant::now() + Duration::from_secs(10);
    while names().iter().any(|name| name.contains("half")) && Instant::now() < until {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(!names().contains(&"half.csv".to_string()), "{:?}", names());
    assert_eq!(running.call("state", &json!({})).0, 200, "it still answers");
    let call = format!(
        "POST /api/text HTTP/1.1\r\nHost: {}\r\nX-Privet-Token: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n\"{}",
        running.address,
        running.token,
        20 << 20,
        "x".repeat(17 << 20)
    );
    assert!(matches!(running.send(&call).0, 413 | 0), "a call does not get around it");
}

#[test]
fn a_second_window_does_not_overwrite_the_first() {
    let running = Running::start();
    let (status, state) = running.call("example", &json!({ "name": "patients" }));
    assert_eq!(status, 200, "{state}");
    let version = state["version"].clone();
    let edit = |version: &Json, k: u64| {
        let edits = json!([{ "set": ["privacy", "k-anonymity", "k"], "to": { "toml": k.to_string() } }]);
        running.call("edit", &json!({ "version": version, "what": "k", "edits": edits }))
    };
    assert_eq!(edit(&version, 3).0, 200);
    let (status, refused) = edit(&version, 4);
    assert_eq!(status, 409, "{refused}");
    let (_, now) = running.call("state", &json!({}));
    assert_eq!(now["policy"]["json"]["privacy"]["k-anonymity"]["k"], 3);
    // An editor next to the studio is a second window too, and what it did can be undone.
    let path = running.inside().join("patients/policy.toml");
    let text = fs::read_to_string(&path).expect("a policy").replace("k = 3 ", "k = 2 ");
    fs::write(&path, text).expect("written");
    assert_eq!(edit(&now["version"], 5).0, 409);
    let (_, now) = running.call("state", &json!({}));
    assert_eq!(now["policy"]["json"]["privacy"]["k-anonymity"]["k"], 2);
    let (_, back) = running.call("undo", &json!({ "version": now["version"] }));
    assert_eq!(back["policy"]["json"]["privacy"]["k-anonymity"]["k"], 3);
    // A text that is no TOML is kept as it is typed, with the line that is wrong.
    let (status, wrong) =
        running.call("text", &json!({ "version": back["version"], "text": "seed = 1\n[data\n" }));
    assert_eq!((status, &wrong["error"]["line"]), (200, &json!(2)), "{wrong}");
    assert_eq!(fs::read_to_string(&path).expect("a policy"), "seed = 1\n[data\n");
}

#[test]
fn what_is_published_follows_from_the_files_as_they_are() {
    let running = Running::start();
    let (_, state) = running.call("example", &json!({ "name": "patients" }));
    let column = state["policy"]["json"]["columns"]
        .as_object()
        .expect("columns")
        .iter()
        .find_map(|(name, section)| Some((name.clone(), section["hierarchy"].as_str()?.to_string())));
    let (column, hierarchy) = column.expect("a column with a hierarchy");
    let file = running.inside().join("patients").join(hierarchy);
    let made = || {
        send_job(&running, "job/search", &json!({}));
        send_job(&running, "job/stage", &json!({ "target": "release" }));
        let (_, state) = running.call("state", &json!({}));
        assert!(state["staged"].is_object() && state["decided"]["current"] == true, "{state}");
        state
    };
    let is_given_up = || {
        let (_, state) = running.call("state", &json!({}));
        assert!(state["staged"].is_null() && state["decided"]["current"] == false, "{state}");
        assert_eq!(running.call("publish", &json!({})).0, 422);
        assert!(!running.inside().join("release").exists());
    };
    let state = made();
    // The policy stays as it is: only the hierarchy that it names changes.
    send_job(&running, "job/values", &json!({ "column": column }));
    let asked = json!({ "version": state["version"], "column": column, "change": "build", "builder": { "kind": "flat" } });
    let (status, answer) = running.call("change-tree", &asked);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["state"]["policy"]["text"], state["policy"]["text"]);
    is_given_up();
    // So it is when somebody else changes the file.
    made();
    let text = fs::read_to_string(&file).expect("a hierarchy");
    fs::write(&file, text).expect("written");
    is_given_up();
    made();
    assert_eq!(running.call("publish", &json!({})).0, 200);
}

/// The command, in a folder.
fn command(folder: &Path) -> (Child, SocketAddr, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_privet-studio"))
        .arg(folder)
        .arg("--no-browser")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut out = child.stdout.take().expect("its words");
    let (mut text, mut byte) = (String::new(), [0]);
    while !text.ends_with('\n') && out.read(&mut byte).is_ok_and(|read| read > 0) {
        text.push(char::from(byte[0]));
    }
    let address = text.trim().rsplit(' ').next().expect("an address");
    let (address, token) = parts(address);
    (child, address, token)
}

/// Reads events of a job until one has what is wanted.
fn until(address: SocketAddr, token: &str, job: &str, asked: &Json, wanted: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    let body = asked.to_string();
    let request = format!(
        "POST /api/job/{job} HTTP/1.1\r\nHost: {address}\r\nX-Privet-Token: {token}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let (mut text, mut some) = (String::new(), [0; 4096]);
    while !text.contains(wanted) {
        let read = stream.read(&mut some).expect("events");
        assert!(read > 0, "the job ended before '{wanted}': {text}");
        text += &String::from_utf8_lossy(&some[..read]);
    }
    stream
}

#[test]
fn a_server_that_is_killed_while_it_publishes_leaves_no_half_release() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, address, token) = command(folder.path());
    let (status, state) = call(address, &token, "example", &json!({ "name": "census" }));
    assert_eq!(status, 200, "{state}");
    drop(until(address, &token, "search", &json!({}), "\"done\""));
    let _stream = until(address, &token, "stage", &json!({ "target": "census-release" }), "writing");
    child.kill().expect("killed");
    child.wait().expect("it ended");
    assert!(!folder.path().join("census-release").exists());
    // The next one clears up, and publishes.
    let (mut child, address, token) = command(folder.path());
    let hidden = |path: &Path| {
        fs::read_dir(path)
            .expect("a folder")
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().contains("privet-"))
            .count()
    };
    assert_eq!(hidden(folder.path()), 0, "what the killed one left is gone");
    assert_eq!(call(address, &token, "open", &json!({ "path": "census/policy.toml" })).0, 200);
    drop(until(address, &token, "search", &json!({}), "\"done\""));
    drop(until(address, &token, "stage", &json!({ "target": "census-release" }), "\"done\""));
    assert!(!folder.path().join("census-release").exists(), "it waits for the user's word");
    let (status, state) = call(address, &token, "publish", &json!({}));
    assert_eq!(status, 200, "{state}");
    assert!(folder.path().join("census-release/public/release.csv").is_file());
    call(address, &token, "quit", &json!({}));
    assert!(child.wait().expect("it ended").success());
    assert_eq!(hidden(folder.path()), 0, "closing it leaves nothing behind");
}

#[test]
fn a_page_that_is_killed_ends_its_work() {
    let running = Running::start();
    assert_eq!(running.call("example", &json!({ "name": "census" })).0, 200);
    drop(until(running.address, &running.token, "search", &json!({}), "\"done\""));
    // Gone before anything was said.
    drop(until(running.address, &running.token, "stage", &json!({ "target": "release" }), "writing"));
    let hidden = || {
        fs::read_dir(running.inside())
            .expect("a folder")
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(".release"))
            .count()
    };
    let until = Instant::now() + Duration::from_secs(60);
    while hidden() > 0 && Instant::now() < until {
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(hidden(), 0, "the release in the making is gone");
    let (_, state) = running.call("state", &json!({}));
    assert!(state["staged"].is_null() && !running.inside().join("release").exists(), "{state}");
}
