//! Counts of what the runtime did.

/// Why a stream was made to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitKind {
    Planned,
    ByLedger,
    Reuse,
    Unplanned,
}

/// Waits that were handed to the device, by cause. A wait that is met already makes no call and is not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waits {
    /// Stated in a chunk's plan.
    pub planned: u64,
    /// For a use that somebody else made: a caller, a called chunk, an earlier call, outside code. Normal.
    pub by_ledger: u64,
    /// To take memory back from another stream instead of growing.
    pub reuse: u64,
    /// Among all of these: no kept event covered the use, so one was recorded at the stream's head.
    pub late: u64,
    /// For a use of this same run that its plan did not cover. Zero, unless a use was hidden from the macro.
    pub unplanned: u64,
}

impl Waits {
    pub(crate) fn count(&mut self, kind: WaitKind) {
        match kind {
            WaitKind::Planned => self.planned += 1,
            WaitKind::ByLedger => self.by_ledger += 1,
            WaitKind::Reuse => self.reuse += 1,
            WaitKind::Unplanned => self.unplanned += 1,
        }
    }

    fn add(&mut self, other: &Waits) {
        self.planned += other.planned;
        self.by_ledger += other.by_ledger;
        self.reuse += other.reuse;
        self.late += other.late;
        self.unplanned += other.unplanned;
    }
}

/// Counts of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamStats {
    /// The stream's label.
    pub label: String,
    /// Nodes run.
    pub nodes: u64,
    /// Events recorded.
    pub records: u64,
    /// Waits that this stream was given.
    pub waits: Waits,
}

/// Bytes of device memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Held by buffers now.
    pub live: usize,
    /// The most that was ever held by buffers at once, in host order.
    pub peak_live: usize,
    /// Taken from the device.
    pub reserved: usize,
    /// The most that was ever taken from the device at once.
    pub peak_reserved: usize,
    /// Freed, but never to be used again, since their last uses cannot be proven complete.
    pub kept_back: usize,
    /// Conservative release: freed, but not yet seen complete.
    pub pending: usize,
}

/// What a runtime did so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Device memory.
    pub memory: Memory,
    /// Buffers made.
    pub allocations: u64,
    /// Buffers given back, by whatever way.
    pub frees: u64,
    /// Leases that steps of plans have ended.
    pub leases_released: u64,
    /// Events recorded, on all streams.
    pub records: u64,
    /// Waits, on all streams.
    pub waits: Waits,
    /// Each stream's own.
    pub streams: Vec<StreamStats>,
}

impl Stats {
    pub(crate) fn add_stream(&mut self, label: &str, counts: &StreamStats) {
        self.records += counts.records;
        self.waits.add(&counts.waits);
        self.streams.push(StreamStats { label: label.to_owned(), ..counts.clone() });
    }
}
