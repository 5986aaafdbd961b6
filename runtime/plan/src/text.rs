//! The printed form of a plan.
use crate::Plan;
impl core::fmt::Display for Plan<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.chunk)
    }
}
