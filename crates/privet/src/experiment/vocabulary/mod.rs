//! Vocabularies: chapter 5 of the thesis.

pub mod synthetic;
