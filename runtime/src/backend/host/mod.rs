//! The host backend: worker threads as streams.
