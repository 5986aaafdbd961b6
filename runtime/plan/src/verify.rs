//! The judge of a plan.
use crate::Plan;
/// What is wrong with a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault { /// What.
 pub what: &'static str }
/// Judges a plan.
pub const fn check<const NODES: usize, const LEASES: usize>(_plan: &Plan<'_>) -> Result<(), Fault> { Ok(()) }
/// Judges a plan; panics.
pub const fn verify<const NODES: usize, const LEASES: usize>(plan: &Plan<'_>) {
    if let Err(f) = check::<NODES, LEASES>(plan) { panic!("{}", f.what) }
}
