//! How often each distinct record occurs.

/// Stub.
#[derive(Debug)]
pub struct Summary {}
