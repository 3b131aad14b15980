//! The address of a database. It may hold a password, so it stays in the environment: no message, policy or manifest repeats it.
//!
//! Drivers repeat parts of what they were given when they cannot connect. What they say is shown only where the address is spelled so
//! plainly that its secret parts are known; these are taken out. A slash or an `@` in a password, for example, makes a driver
//! take part of it for a port or a host and print that, so nothing is shown of what it says about such an address.

use std::env;
use std::fmt;

use privet::data::DatabaseTable;
use privet::{Error, Result};

/// Words shorter than this may stand in a message by chance, and replacing them would show where.
const SHORT: usize = 4;

/// An address, with what messages must not repeat.
pub(crate) struct Address {
    variable: String,
    text: String,
    /// The secret parts, as written and as the database gets them; `None` where the address is not understood.
    secrets: Option<Vec<String>>,
}

/// Without the address.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("variable", &self.variable).finish_non_exhaustive()
    }
}

impl Address {
    /// The address that the policy's variable holds.
    pub(crate) fn of(table: &DatabaseTable) -> Result<Address> {
        let variable = &table.uri_env;
        let unset = || {
            Error::input(format!(
                "the environment variable {variable} does not hold the address of a database"
            ))
            .help(format!("set it before the run, as in: export {variable}=postgresql://user@host/database"))
        };
        let text = env::var(variable).ok().filter(|address| !address.trim().is_empty()).ok_or_else(unset)?;
        Ok(Address::new(variable, text))
    }

    fn new(variable: &str, text: String) -> Address {
        let secrets = secrets(&text);
        Address { variable: variable.to_string(), text, secrets }
    }

    /// The address itself, for drivers alone.
    pub(crate) fn exposed(&self) -> &str {
        &self.text
    }

    /// The environment variable that holds it.
    pub(crate) fn variable(&self) -> &str {
        &self.variable
    }

    /// What a driver says, on one line and without secrets.
    pub(crate) fn concealed(&self, message: &str) -> String {
        let withheld = || {
            format!("(what the driver says is not shown: it may repeat secret parts of {})", self.variable)
        };
        let Some(secrets) = &self.secrets else { return withheld() };
        // Databases add the statement and its values after the first line.
        let message = message.trim_start().lines().next().unwrap_or_default().trim();
        let mut shown = message.replace(&self.text, "(address)");
        for secret in secrets {
            if secret.len() < SHORT && shown.contains(secret.as_str()) {
                return withheld();
            }
            shown = shown.replace(secret.as_str(), "(hidden)");
        }
        // What is left of a secret after another one was taken out of it.
        if secrets.iter().any(|secret| shown.contains(secret.as_str())) { withheld() } else { shown }
    }
}

/// Parts of an address that messages may repeat; all others are taken for secrets.
const HARMLESS: [&str; 24] = [
    "application_name",
    "channel_binding",
    "client_encoding",
    "connect_timeout",
    "database",
    "dbname",
    "driver",
    "dsn",
    "encrypt",
    "gssencmode",
    "host",
    "hostaddr",
    "keepalives",
    "mode",
    "port",
    "server",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "timeout",
    "trusted_connection",
    "uid",
    "user",
    "username",
];

/// The secret parts of an address, or `None` where it is not certain which they are.
fn secrets(address: &str) -> Option<Vec<String>> {
    let address = address.trim();
    let mut found = match address.split_once("://") {
        Some((scheme, rest)) if is_word(scheme, "+.-") => in_url(rest)?,
        Some(_) => return None,
        None if address.contains('=') && !address.starts_with("file:") => in_pairs(address)?,
        None => in_path(address)?,
    };
    found.extend(found.iter().filter_map(|secret| decoded(secret)).collect::<Vec<_>>());
    found.retain(|secret| !secret.is_empty());
    // The longest first: a shorter one may be part of it.
    found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    found.dedup();
    Some(found)
}

/// `user:password@host:port,host/database?key=value`.
fn in_url(rest: &str) -> Option<Vec<String>> {
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (login, hosts) = authority.split_once('@').map_or(("", authority), |(login, hosts)| (login, hosts));
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let is_host = |host: &str| {
        let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, port)) => (name.replace(':', "."), port.strip_prefix(':').unwrap_or(port)),
            None => {
                let (name, port) = host.split_once(':').unwrap_or((host, ""));
                (name.to_string(), port)
            }
        };
        // A socket's directory is percent-encoded.
        is_word(&name, ".-_%") && port.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_plain = is_word(user, ".-_~%+")
        && is_word(password, ".-_~%!$&'()*+,;=")
        && is_word(path, ".-_~%/")
        && hosts.split(',').all(is_host);
    if !is_plain {
        return None;
    }
    let mut found = vec![password.to_string()];
    for pair in query.into_iter().flat_map(|query| query.split('&')) {
        found.extend(secret_pair(pair)?);
    }
    Some(found)
}

/// The value of a pair, unless it is harmless.
fn secret_pair(pair: &str) -> Option<Option<String>> {
    let (key, value) = pair.split_once('=')?;
    if !is_word(key, "_.-") || !is_word(value, ".-_~%!$'()*+,;:/@") {
        return None;
    }
    let is_harmless = HARMLESS.contains(&key.to_ascii_lowercase().as_str()) && is_word(value, ".-_%/");
    Some((!is_harmless).then(|| value.to_string()))
}

/// `host=h user=me password='s 3'`, as libpq has it, or `Driver={…};UID=me;PWD=…`, as ODBC has it.
fn in_pairs(address: &str) -> Option<Vec<String>> {
    let is_odbc = address.contains(';');
    let mut found = Vec::new();
    let mut rest = address.trim_start_matches([' ', ';']);
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let key = key.trim();
        if !is_word(key, "_ ") || key.is_empty() {
            return None;
        }
        let after = after.trim_start();
        let (value, next) = if is_odbc { odbc_value(after)? } else { libpq_value(after)? };
        let is_harmless = HARMLESS.contains(&key.to_ascii_lowercase().as_str());
        if !is_harmless {
            found.push(value.clone());
            // As written, with its backslashes.
            found
                .push(after[..after.len() - next.len()].trim_matches([';', ' ', '\'', '{', '}']).to_string());
        }
        rest = next.trim_start_matches([' ', ';']);
    }
    Some(found)
}

/// A value up to the next `;`, or in braces; and what comes after it.
fn odbc_value(text: &str) -> Option<(String, &str)> {
    match text.strip_prefix('{') {
        None => {
            let end = text.find(';').unwrap_or(text.len());
            Some((text[..end].trim().to_string(), &text[end..]))
        }
        Some(inner) => {
            let end = inner.find('}')?;
            let next = &inner[end + 1..];
            // `}}` stands for a brace.
            (next.is_empty() || next.trim_start().starts_with(';')).then(|| (inner[..end].to_string(), next))
        }
    }
}

/// A value up to the next blank, or in single quotes, with backslashes before quotes and backslashes; and what comes after it.
fn libpq_value(text: &str) -> Option<(String, &str)> {
    let (inner, quoted) = text.strip_prefix('\'').map_or((text, false), |inner| (inner, true));
    let mut value = String::new();
    let mut signs = inner.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' => value.push(signs.next()?.1),
            '\'' if quoted => return Some((value, &inner[at + 1..])),
            sign if sign.is_whitespace() && !quoted => return Some((value, &inner[at..])),
            sign => value.push(sign),
        }
    }
    (!quoted).then_some((value, ""))
}

/// A file, `:memory:`, or `file:…?mode=ro`.
fn in_path(address: &str) -> Option<Vec<String>> {
    let (path, query) = address.split_once('?').map_or((address, None), |(path, query)| (path, Some(query)));
    let name = path.strip_prefix("file:").unwrap_or(path);
    let is_drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes()[0].is_ascii_alphabetic();
    let name = if is_drive { &name[2..] } else { name };
    if name.contains(['@', ';', '=']) || (name.contains(':') && name != ":memory:") {
        return None;
    }
    let mut found = Vec::new();
    for pair in query.into_iter().flat_map(|query| query.split('&')) {
        found.extend(secret_pair(pair)?);
    }
    Some(found)
}

/// Whether a text has letters, digits and these signs alone, and every `%` begins a byte in hexadecimal.
fn is_word(text: &str, signs: &str) -> bool {
    text.chars().all(|sign| sign.is_alphanumeric() || signs.contains(sign))
        && (!text.contains('%') || decoded(text).is_some())
}

/// A text with percent-encoded bytes, decoded.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(others.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?);
            rest = &others[2..];
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(message: &str, address: &str) -> String {
        Address::new("CLINIC", address.to_string()).concealed(message)
    }

    #[test]
    fn secrets_of_plain_addresses_are_taken_out_of_messages() {
        for address in [
            "postgresql://me:s3cret@host/db",
            "postgresql://me:s3cret@host:5432/db?sslmode=require",
            "postgresql://me:s3c%72et@a,b:1/db",
            "postgresql://me:s3cret@[::1]:5432/db",
            "host=h user=me password=s3cret dbname=db",
            "host = h password = s3cret",
            "PASSWORD='s3cret' host=h",
            "password='s3\\cret'",
            "postgresql://host/db?user=me&password=s3cret&x=1",
            "postgresql://host/db?sslpassword=s3cret",
            "Driver={ODBC Driver 18 for SQL Server};Server=db;UID=me;PWD={s3cret}",
            "DSN=clinic;UID=me;Pwd=s3cret;",
            "file:people.db?key=s3cret",
            "md://host?motherduck_token=s3cret",
        ] {
            let message = format!("cannot connect to {address}: wrong s3cret here\nDETAIL: s3cret");
            let shown = shown(&message, address);
            assert!(!shown.contains("s3cret") && shown.contains("cannot connect"), "{address}: {shown}");
        }
    }

    #[test]
    fn nothing_is_shown_about_addresses_that_are_not_plain() {
        for address in [
            "postgresql://me:p/s3cret@host/db",
            "postgresql://me:p@s3cret@host/db",
            "postgresql://me:p?s3cret@host/db",
            "postgresql://me:p#s3cret@host/db",
            "postgresql://host:s3cret/db",
            "postgresql://me:100%s3cret@host/db",
            "me:s3cret@host/db",
            "host=h password='s3cret",
            "host=h s3cret",
            "DSN=clinic;s3cret",
            "PWD={a}}s3cret};UID=me",
            "http:s3cret",
        ] {
            let shown = shown("invalid port 's3cret'", address);
            assert!(!shown.contains("s3cret") && shown.contains("CLINIC"), "{address}: {shown}");
        }
    }

    #[test]
    fn a_short_password_hides_the_message_that_holds_it() {
        assert!(!shown("near 'xy': syntax error", "postgresql://me:xy@host/db").contains("near"));
        assert_eq!(shown("connection refused", "postgresql://me:xy@host/db"), "connection refused");
    }

    #[test]
    fn messages_without_secrets_are_shown() {
        assert_eq!(shown("no such table: people", "file:a.db"), "no such table: people");
        assert_eq!(shown("\n no such file", "/data/a b.duckdb"), "no such file");
        let refused = "connection to \"127.0.0.1\", port 1 failed";
        assert_eq!(shown(refused, "postgresql://me@127.0.0.1:1/db"), refused);
    }

    #[test]
    fn the_address_is_not_printed() {
        let address = Address::new("CLINIC", "postgresql://me:s3cret@host/db".into());
        assert!(!format!("{address:?}").contains("s3cret"));
    }
}
