//! The address of a database. It may hold a password, so it stays in the environment: no message, policy or manifest repeats it.

use std::env;

use privet::data::DatabaseTable;
use privet::{Error, Result};

/// The address that the policy's variable holds.
pub fn of(table: &DatabaseTable) -> Result<String> {
    let variable = &table.uri_env;
    env::var(variable).ok().filter(|address| !address.trim().is_empty()).ok_or_else(|| {
        Error::input(format!("the environment variable {variable} does not hold the address of a database"))
            .help(format!("set it before the run, as in: export {variable}=postgresql://user@host/database"))
    })
}

/// A message of a driver, without the address and the parts of it that are secret. Drivers repeat what they were given when they
/// cannot connect.
pub fn concealed(message: &str, address: &str) -> String {
    let mut text = message.replace(address, "(address)");
    for secret in secrets(address) {
        text = text.replace(&secret, "(hidden)");
    }
    // Databases add the statement and its values after the first line.
    text.lines().next().unwrap_or_default().trim().to_string()
}

/// The passwords in an address: between `:` and `@`, or after `password=`.
fn secrets(address: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some((_, rest)) = address.split_once("://")
        && let Some((user, _)) = rest.split('/').next().and_then(|authority| authority.rsplit_once('@'))
        && let Some((_, password)) = user.split_once(':')
    {
        found.push(password.to_string());
    }
    let lower = address.to_ascii_lowercase();
    for (at, key) in lower.match_indices("password=") {
        let value = address[at + key.len()..].split(['&', ' ', ';']).next().unwrap_or_default();
        found.push(value.trim_matches('\'').to_string());
    }
    found.retain(|secret| !secret.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_repeats_a_password() {
        for address in [
            "postgresql://me:s3cret@host/db",
            "postgresql://me:s3cret@host:5432/db?sslmode=require",
            "host=h user=me password=s3cret dbname=db",
            "postgresql://host/db?user=me&password=s3cret&x=1",
            "host=h password='s3cret'",
        ] {
            let message = format!("cannot connect to {address}: wrong s3cret\nDETAIL: s3cret");
            let shown = concealed(&message, address);
            assert!(!shown.contains("s3cret"), "{shown}");
        }
        assert_eq!(concealed("no such table: people", "file:a.db"), "no such table: people");
    }
}
