//! The command from end to end, on small folders of its own: one binary, so that the library is linked once.
//!
//! Tests that send signals, take rights away or make links need a Unix system.

mod common;

mod apply;
mod arrows;
mod attacks;
mod audits;
#[cfg(unix)]
mod bad_input;
mod book;
mod cluster;
mod codip;
mod commands;
mod compare;
mod console;
mod corpus;
mod data_in_memory;
mod determinism;
mod door;
mod drafts;
#[cfg(unix)]
mod faults;
mod files;
mod freeform;
mod goldens;
mod hard_use_asks;
mod hard_use_attacks;
mod hard_use_bytes;
mod hard_use_door;
mod hard_use_gate;
#[cfg(unix)]
mod hard_use_hangs;
mod hard_use_order;
mod hard_use_person;
mod hierarchies;
mod holdout;
mod hostile;
mod injector;
mod l_plus;
mod ledger;
mod likeness;
mod lkc;
mod memory;
mod numbers;
mod population;
mod presets;
#[cfg(unix)]
mod promises;
mod pseudonyms;
mod public_room;
mod quasi_sensitive;
mod query_logs;
mod schema;
mod sets;
mod skips;
mod stages;
mod supply_chain;
mod transactions;
mod words;
