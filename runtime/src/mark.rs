//! Marks: where on which stream a storage was last used.

/// A stream's number in its runtime. Never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StreamId(pub(crate) u16);

impl StreamId {
    pub(crate) fn ix(self) -> usize {
        usize::from(self.0)
    }
}

/// A position on a stream, and the run that used it there.
///
/// Packed into 64 bits so that a read can be marked by one atomic maximum: the position (48 bits, enough for nine
/// years at a million nodes a second) above the run's tag (16 bits). A tag only tells whose use it was, for the
/// counts; order depends on positions alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Mark(u64);

impl Mark {
    pub(crate) fn new(position: u64, tag: u16) -> Self {
        Mark(position << 16 | u64::from(tag))
    }

    /// A use at a place on its stream that is not known: later than anything opened so far. Only an event recorded at
    /// the stream's head, once the use is enqueued, comes after it; who records one gives the mark its place.
    pub(crate) const AT_HEAD: Mark = Mark(u64::MAX << 16);

    /// See [`Mark::AT_HEAD`].
    pub(crate) fn is_at_head(self) -> bool {
        self == Self::AT_HEAD
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Mark(bits)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    pub(crate) fn position(self) -> u64 {
        self.0 >> 16
    }

    pub(crate) fn tag(self) -> u16 {
        (self.0 & 0xffff) as u16
    }

    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// A chunk on a lane, or a lane's code outside chunks: what it has taken comes home to it. 0 is nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct HomeId(pub(crate) u32);
