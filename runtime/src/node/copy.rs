//! Bytes in and out, where the host cannot reach the device's memory.
//!
//! The host's side is a piece of [`crate::staging`]; it stays out of reach until the device has passed an event behind
//! the copy. If no such event can be had, the piece is lost to the process rather than written too early.

use super::Node;
use crate::backend::Copies;
use crate::element::Element;
use crate::error::Result;
use crate::staging::Piece;
use crate::view::{View, ViewMut};

pub(super) fn zero<T: Element>(node: &Node<'_>, copies: &dyn Copies, to: &ViewMut<'_, T>) -> Result<()> {
    if to.is_empty() {
        return Ok(());
    }
    // SAFETY: the node has marked the block, so nobody else is given it before the stream is past this node.
    unsafe { copies.zero(node.stream.raw, to.access().span) }.map_err(|e| node.here(e))
}

pub(super) fn upload<T: Element>(
    node: &Node<'_>,
    copies: &dyn Copies,
    data: &[T],
    to: &ViewMut<'_, T>,
) -> Result<()> {
    if data.is_empty() {
        return Ok(());
    }
    let device = &node.shared.device;
    let bytes: &[u8] = bytemuck::cast_slice(data);
    let mut piece = node.shared.staging.take(device, copies, bytes.len()).map_err(|e| node.here(e))?;
    piece.copy_from(bytes);
    // SAFETY: the device's side as for `zero`. The host's side is the piece's, which is not given back to anybody
    // before an event behind the copy has passed.
    unsafe { copies.copy_in(node.stream.raw, piece.addr(), to.access().span) }.map_err(|e| node.here(e))?;
    let event = node.stream.record(device, &mut node.stream.lock(), 0).map_err(|e| node.here(e))?;
    node.shared.staging.give(piece, Some(event));
    Ok(())
}

impl Node<'_> {
    /// Starts copying a view to the host.
    pub(crate) fn download<T: Element>(&self, copies: &dyn Copies, from: &View<'_, T>) -> Result<Piece> {
        let span = from.access().span;
        let device = &self.shared.device;
        let piece = self.shared.staging.take(device, copies, span.len()).map_err(|e| self.here(e))?;
        if !span.is_empty() {
            // SAFETY: as for `upload`; the piece is the caller's, who gives it back with an event behind the copy.
            unsafe { copies.copy_out(self.stream.raw, span, piece.addr()) }.map_err(|e| self.here(e))?;
        }
        Ok(piece)
    }
}
