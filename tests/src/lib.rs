//! See the test targets.
