//! Deliberate faults of the runtime: what a mutant does wrong.
//!
//! A judge that has never seen a fault may be blind, so tests switch one on and watch it being caught. Without the
//! feature `__testing` each question below is the constant `false`.

#[cfg(feature = "__testing")]
use crate::plan::Plan;
#[cfg(feature = "__testing")]
use std::sync::Arc;

/// Replaces a chunk's plan by a mutant of it.
#[cfg(feature = "__testing")]
pub type Mutator = Arc<dyn Fn(&'static Plan<'static>) -> &'static Plan<'static> + Send + Sync>;

/// Which faults are switched on.
#[derive(Default, Clone)]
#[cfg_attr(not(feature = "__testing"), allow(unreachable_pub))]
pub struct Faults {
    /// The ledger notices a use that no wait covers, but does not wait.
    #[cfg(feature = "__testing")]
    pub no_rescue: bool,
    /// Reads leave no mark.
    #[cfg(feature = "__testing")]
    pub forget_reads: bool,
    /// A wait takes over the other stream's row of today instead of the event's.
    #[cfg(feature = "__testing")]
    pub todays_row: bool,
    /// An event pretends to cover a node that was open when it was recorded.
    #[cfg(feature = "__testing")]
    pub open_covered: bool,
    /// Taking memory leaves no mark, and leaves the old ones.
    #[cfg(feature = "__testing")]
    pub unmarked_alloc: bool,
    /// The pool hands out blocks whatever their marks.
    #[cfg(feature = "__testing")]
    pub blind_pool: bool,
    /// Replaces plans.
    #[cfg(feature = "__testing")]
    pub mutate: Option<Mutator>,
}

macro_rules! question {
    ($($name:ident = $field:ident),* $(,)?) => {$(
        #[cfg(feature = "__testing")]
        pub(crate) fn $name(&self) -> bool {
            self.$field
        }
        #[cfg(not(feature = "__testing"))]
        #[allow(clippy::unused_self)]
        pub(crate) const fn $name(&self) -> bool {
            false
        }
    )*};
}

impl Faults {
    question! {
        rescue_off = no_rescue,
        forgets_reads = forget_reads,
        imports_todays_row = todays_row,
        open_counts_as_covered = open_covered,
        allocates_unmarked = unmarked_alloc,
        pool_is_blind = blind_pool,
    }
}
