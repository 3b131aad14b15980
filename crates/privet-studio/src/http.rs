//! As much of HTTP/1.1 as the page needs: one request per connection, a thread for each.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// A head may have this many bytes.
const MOST_HEAD: u64 = 32 << 10;
/// How long a caller may be silent.
const SILENCE: Duration = Duration::from_secs(60);
/// What a refused caller still sends is read away up to this many bytes, so that the refusal is heard.
const MOST_UNWANTED: u64 = 64 << 20;

/// A request whose head was read.
pub(crate) struct Request {
    stream: BufReader<TcpStream>,
    pub method: String,
    pub path: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// Reads the head of a request; `None` where there is none, or it makes no sense.
    pub fn read(stream: TcpStream) -> Option<Request> {
        stream.set_read_timeout(Some(SILENCE)).ok()?;
        stream.set_nodelay(true).ok()?;
        let mut stream = BufReader::new(stream);
        let mut head = (&mut stream).take(MOST_HEAD);
        let mut line = || {
            let mut line = String::new();
            head.read_line(&mut line).ok()?;
            line.strip_suffix('\n').map(|line| line.trim_end_matches('\r').to_string())
        };
        let first = line()?;
        let mut words = first.split(' ');
        let (method, path) = (words.next()?.to_string(), words.next()?.to_string());
        words.next().filter(|version| version.starts_with("HTTP/1."))?;
        let mut headers = Vec::new();
        loop {
            let line = line()?;
            if line.is_empty() {
                return Some(Request { stream, method, path, headers });
            }
            let (name, value) = line.split_once(':')?;
            headers.push((name.to_lowercase(), value.trim().to_string()));
        }
    }

    /// The value of a header, by its name in small letters; `None` where it is missing, or there more than once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found =
            self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        found.next().filter(|_| found.next().is_none())
    }

    /// Whether there is such a header, however often.
    pub fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known == name)
    }

    /// How long the body is; `None` where that is not said in advance.
    pub fn length(&self) -> Option<u64> {
        if self.has("transfer-encoding") {
            return None;
        }
        if self.has("content-length") { self.header("content-length")?.parse().ok() } else { Some(0) }
    }

    /// The body.
    pub fn body(&mut self) -> impl Read + '_ {
        let length = self.length().unwrap_or(0);
        (&mut self.stream).take(length)
    }

    /// Answers, and ends the connection.
    pub fn respond(mut self, status: u16, headers: &[(&str, &str)], body: &[u8]) -> io::Result<()> {
        let mut head =
            format!("HTTP/1.1 {status} \r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        let answer = [head.as_bytes(), b"\r\n", if self.method == "HEAD" { b"" } else { body }].concat();
        let stream = self.stream.get_mut();
        stream.write_all(&answer)?;
        stream.shutdown(Shutdown::Write)?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        io::copy(&mut (&mut self.stream).take(MOST_UNWANTED), &mut io::sink()).map(drop)
    }

    /// Begins an answer whose length is not known; what is written ends with the connection.
    pub fn stream(mut self, headers: &[(&str, &str)]) -> io::Result<TcpStream> {
        let mut head = String::from("HTTP/1.1 200 \r\nConnection: close\r\n");
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        self.stream.get_mut().write_all((head + "\r\n").as_bytes())?;
        Ok(self.stream.into_inner())
    }
}
