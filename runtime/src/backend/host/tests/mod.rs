//! Tests of the host backend.
