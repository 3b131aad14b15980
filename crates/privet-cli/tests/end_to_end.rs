//! The command from end to end, on small folders of its own: one binary, so that the library is linked once.

mod common;

mod arrows;
mod attacks;
mod audits;
mod bad_input;
mod book;
mod codip;
mod commands;
mod compare;
mod console;
mod determinism;
mod faults;
mod freeform;
mod hard_use_asks;
mod hard_use_attacks;
mod hard_use_bytes;
mod hard_use_door;
mod hard_use_gate;
mod hard_use_hangs;
mod hard_use_person;
mod hierarchies;
mod holdout;
mod hostile;
mod injector;
mod l_plus;
mod ledger;
mod memory;
mod presets;
mod promises;
mod public_room;
mod quasi_sensitive;
mod query_logs;
mod stages;
mod supply_chain;
mod transactions;
