//! What tests and benches of this project need of the runtime's inside: deliberate faults, a device that does
//! nothing, one that fails, a backend's bare calls. Behind the feature `__testing`.

mod faults;
#[cfg(feature = "__testing")]
mod frail;
#[cfg(feature = "__testing")]
mod null;

#[cfg_attr(not(feature = "__testing"), allow(unreachable_pub))]
pub use faults::Faults;
#[cfg(feature = "__testing")]
pub use faults::Mutator;
#[cfg(feature = "__testing")]
pub(crate) use frail::Frail;
#[cfg(feature = "__testing")]
pub use frail::{Call, Frailty};
#[cfg(feature = "__testing")]
pub(crate) use null::Null;
#[cfg(feature = "__testing")]
pub use null::{Bare, Durations};
