//! Slabs: zeroed, aligned pieces of host memory.

use super::super::Span;
use crate::error::{Error, ErrorKind, Result};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ptr::NonNull;

/// Alignment of every slab.
pub(super) const ALIGN: usize = 256;

/// One slab. Freed when dropped.
#[derive(Debug)]
pub(super) struct Slab {
    base: NonNull<u8>,
    layout: Layout,
    span: Span,
}

// SAFETY: a slab owns its allocation alone and dereferences nothing; `dealloc` may be called on any thread.
unsafe impl Send for Slab {}

impl Slab {
    /// Allocates. The base has the allocator's own alignment and the span starts at the next multiple of
    /// [`ALIGN`]: over-aligned zeroed memory would be cleared by hand, page by page, where plain zeroed memory comes
    /// from the system untouched.
    fn new(bytes: usize) -> Result<Self> {
        let full = || {
            Error::new(ErrorKind::OutOfMemory, format!("the host has no {bytes} bytes left"))
                .with_bytes(bytes)
        };
        let padded = bytes.max(1).checked_add(ALIGN - 1).ok_or_else(full)?;
        let layout = Layout::from_size_align(padded, align_of::<u128>()).map_err(|_| full())?;
        // SAFETY: the layout's size is at least `ALIGN`, so not zero.
        let base = unsafe { alloc_zeroed(layout) };
        let base = NonNull::new(base).ok_or_else(full)?;
        // Views are made from addresses, so the provenance is exposed here, once for the whole slab.
        let start = base.as_ptr().expose_provenance().next_multiple_of(ALIGN);
        Ok(Slab { base, layout, span: start..start + bytes })
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        // SAFETY: `base` came from `alloc_zeroed` with this very layout, and is freed only here.
        unsafe { dealloc(self.base.as_ptr(), self.layout) }
    }
}

/// The slabs that a backend has handed out, by their start.
#[derive(Debug, Default)]
pub(super) struct Slabs(BTreeMap<usize, Slab>);

impl Slabs {
    /// A fresh slab.
    pub(super) fn take(&mut self, bytes: usize) -> Result<Span> {
        let slab = Slab::new(bytes)?;
        let span = slab.span.clone();
        self.0.insert(span.start, slab);
        Ok(span)
    }

    /// The slab behind `span`, which must be one that was taken, whole.
    pub(super) fn give(&mut self, span: &Span) -> Result<Slab> {
        match self.0.get(&span.start) {
            Some(slab) if slab.span == *span => {}
            _ => {
                return Err(Error::new(
                    ErrorKind::Invalid,
                    "not a slab of this backend, or given back before",
                ));
            }
        }
        self.0.remove(&span.start).ok_or_else(|| Error::new(ErrorKind::Invalid, "not a slab of this backend"))
    }
}
