//! What only a GPU can show. Each test fails where there is none: `tests/gpu/run` runs them.

mod memory;
mod readers;
