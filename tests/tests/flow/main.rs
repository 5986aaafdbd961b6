//! Branches, loops, exits, assignments and derived names: each program holds its plan and runs in checked mode.

mod branches;
mod derived;
mod loops;
