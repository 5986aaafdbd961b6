//! Vector clocks over what has been *enqueued*: who is ordered after whom in every execution, not in this one.
//!
//! Position `p` of stream `s` is its `p`-th task. A stream's clock says, for every other stream, up to which position
//! the stream's next task is ordered after it; its own entry is its position and not stored. A clock changes only
//! where a wait is enqueued (or the host has waited), so the clock at any earlier ticket is found in a short list.

/// Up to which position of each stream; 0 where nothing is known.
#[derive(Debug, Clone, Default)]
struct Clock(Vec<u64>);

impl Clock {
    fn get(&self, stream: u64) -> u64 {
        self.0.get(stream as usize).copied().unwrap_or(0)
    }

    fn raise(&mut self, stream: u64, position: u64) {
        let stream = stream as usize;
        if self.0.len() <= stream {
            self.0.resize(stream + 1, 0);
        }
        self.0[stream] = self.0[stream].max(position);
    }

    /// Whether that taught anything.
    fn join(&mut self, other: &Clock) -> bool {
        let mut news = false;
        for (stream, &position) in (0..).zip(&other.0) {
            if self.get(stream) < position {
                self.raise(stream, position);
                news = true;
            }
        }
        news
    }
}

#[derive(Debug, Default)]
struct Line {
    now: Clock,
    /// The clock from that position on, by position.
    past: Vec<(u64, Clock)>,
    /// `host_waits` of all when this line last looked.
    host_waits: u64,
}

/// The clocks of all streams and of the host.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    lines: Vec<Line>,
    /// What the device has finished because the host waited for it. Joined by whatever is enqueued after.
    host: Clock,
    /// How often that has grown.
    host_waits: u64,
}

impl Clocks {
    pub(super) fn add_stream(&mut self) {
        self.lines.push(Line::default());
    }

    /// A task is enqueued as `position` of `stream`.
    pub(super) fn tick(&mut self, stream: u64, position: u64) {
        let line = &mut self.lines[stream as usize];
        if line.host_waits != self.host_waits {
            line.host_waits = self.host_waits;
            if line.now.join(&self.host) {
                line.past.push((position, line.now.clone()));
            }
        }
    }

    /// The wait at `position` of `stream` is for `ticket` of `other`.
    pub(super) fn wait(&mut self, stream: u64, position: u64, other: u64, ticket: u64) {
        let known = self.at(other, ticket);
        let line = &mut self.lines[stream as usize];
        if line.now.join(&known) {
            line.past.push((position, line.now.clone()));
        }
    }

    /// The host knows that the device has passed `ticket` of `other`.
    pub(super) fn host_waited(&mut self, other: u64, ticket: u64) {
        let known = self.at(other, ticket);
        self.host_waits += u64::from(self.host.join(&known));
    }

    /// Whether the next or latest task of `stream` is ordered after `position` of `other`.
    pub(super) fn ordered(&self, stream: u64, other: u64, position: u64) -> bool {
        stream == other || self.lines[stream as usize].now.get(other) >= position
    }

    /// The clock of `stream` as it was when it had been given `ticket` tasks, its own entry included.
    fn at(&self, stream: u64, ticket: u64) -> Clock {
        let past = &self.lines[stream as usize].past;
        let upto = past.partition_point(|&(position, _)| position <= ticket);
        let mut clock = upto.checked_sub(1).map_or_else(Clock::default, |i| past[i].1.clone());
        clock.raise(stream, ticket);
        clock
    }
}
