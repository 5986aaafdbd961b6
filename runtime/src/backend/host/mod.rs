//! The host backend: worker threads as streams.
use super::Backend;
use std::sync::Arc;
/// Stub.
#[derive(Clone)]
pub struct Checked;
pub(crate) fn threads() -> Arc<dyn Backend> {
    unimplemented!()
}
pub(crate) fn checked(_: Checked) -> Arc<dyn Backend> {
    unimplemented!()
}
