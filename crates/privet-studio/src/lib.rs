//! The studio: a web page on this machine that edits a policy file and runs the library.
//!
//! It can do nothing that the command cannot. [`Session`](session::Session) holds the policy as text; every change on screen is a
//! change of that text, and everything shown is computed by `privet` from it. What is here is the way between the two: a
//! [server] that listens to this machine alone, [calls](api) from the page, and [jobs](job) that take long.
//!
//! The page is a handful of ES modules and a stylesheet in `web/`, built into the binary.

pub mod api;
mod assets;
mod http;
pub mod job;
mod journal;
pub mod server;
pub mod session;
mod shown;
pub mod workspace;

pub use server::{Settings, Studio};
