//! What the tests share: operators, a harness that runs a case every way it must hold, and mutants of plans.

#![allow(missing_docs, clippy::missing_errors_doc, clippy::missing_panics_doc)]

pub mod harness;
pub mod mutants;
pub mod ops;
pub mod order;
pub mod stub;
