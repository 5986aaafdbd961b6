//! Work on its way: a queue a stream, run late and in any order that streams and events allow.

use crate::control::Kernel;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::{c_int, c_void};

/// A point of a stream: everything up to its `position`th piece of work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) stream: u64,
    pub(crate) position: u64,
}

/// The driver's callbacks: `(stream, status, data)`.
pub(crate) type Callback = unsafe extern "C" fn(*mut c_void, c_int, *mut c_void);

/// A piece of work.
pub(crate) enum Op {
    /// A kernel with a copy of its parameters.
    Kernel(Kernel, Vec<Box<[u8]>>),
    /// `bytes` from one address to another.
    Copy { from: u64, to: u64, bytes: usize },
    /// `bytes` of one value.
    Fill { at: u64, value: u8, bytes: usize },
    /// Goes on when the point is done.
    Wait(Point),
    /// Called by the device's own thread, as the driver does.
    Callback(Callback, u64),
    /// Marks a point.
    Nothing,
}

/// The streams of a device.
#[derive(Default)]
pub(crate) struct Queues {
    streams: BTreeMap<u64, Queue>,
    random: u64,
}

#[derive(Default)]
struct Queue {
    ops: VecDeque<Op>,
    done: u64,
    /// Its first piece of work is being done by the device's thread.
    busy: bool,
}

impl Queue {
    fn enqueued(&self) -> u64 {
        self.done + self.ops.len() as u64
    }
}

impl Queues {
    pub(crate) fn seed(&mut self, seed: u64) {
        self.random = seed;
    }

    /// The next of a row of numbers (splitmix64, by Steele, Lea and Flood).
    pub(crate) fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn push(&mut self, stream: u64, op: Op) -> Point {
        let queue = self.streams.entry(stream).or_default();
        queue.ops.push_back(op);
        Point { stream, position: queue.enqueued() }
    }

    /// Everything that the stream has been given so far.
    pub(crate) fn now(&self, stream: u64) -> Point {
        Point { stream, position: self.streams.get(&stream).map_or(0, Queue::enqueued) }
    }

    pub(crate) fn all(&self) -> Vec<Point> {
        self.streams.keys().map(|&stream| self.now(stream)).collect()
    }

    pub(crate) fn is_done(&self, point: Point) -> bool {
        self.streams.get(&point.stream).is_none_or(|queue| queue.done >= point.position)
    }

    fn runnable(&self, queue: &Queue) -> bool {
        !queue.busy
            && match queue.ops.front() {
                None | Some(Op::Callback(..)) => false,
                Some(Op::Wait(point)) => self.is_done(*point),
                Some(_) => true,
            }
    }

    /// Does one piece of work of a stream drawn at random; a slow one rarely before others. False if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let ready: Vec<(u64, bool)> = self
            .streams
            .iter()
            .filter(|(_, queue)| self.runnable(queue))
            .map(|(&stream, queue)| (stream, queue.ops.front().is_some_and(Op::is_slow)))
            .collect();
        let random = self.random();
        let patient = !random.is_multiple_of(64) && ready.iter().any(|&(_, slow)| !slow);
        let choice: Vec<u64> =
            ready.iter().filter(|&&(_, slow)| !patient || !slow).map(|&(s, _)| s).collect();
        if choice.is_empty() {
            return false;
        }
        let stream = choice[(random >> 8) as usize % choice.len()];
        let queue = self.streams.entry(stream).or_default();
        if let Some(op) = queue.ops.pop_front() {
            queue.done += 1;
            op.run();
        }
        true
    }

    /// Takes a callback whose turn it is; the stream stands still until `called`.
    pub(crate) fn callback(&mut self) -> Option<(u64, Callback, u64)> {
        let ready = |queue: &Queue| !queue.busy && matches!(queue.ops.front(), Some(Op::Callback(..)));
        let (&stream, queue) = self.streams.iter_mut().find(|(_, queue)| ready(queue))?;
        let Some(Op::Callback(callback, data)) = queue.ops.front() else { return None };
        let found = (stream, *callback, *data);
        queue.busy = true;
        Some(found)
    }

    /// The callback has returned.
    pub(crate) fn called(&mut self, stream: u64) {
        let queue = self.streams.entry(stream).or_default();
        queue.busy = false;
        queue.ops.pop_front();
        queue.done += 1;
    }

    /// Whether any callback has still to come.
    pub(crate) fn awaits_callbacks(&self) -> bool {
        self.streams.values().any(|queue| queue.ops.iter().any(|op| matches!(op, Op::Callback(..))))
    }
}

impl Op {
    fn is_slow(&self) -> bool {
        match self {
            Op::Kernel(kernel, params) => with(params, |params| (kernel.slow)(params)),
            _ => false,
        }
    }

    fn run(&self) {
        match self {
            Op::Kernel(kernel, params) => with(params, |params| (kernel.run)(params)),
            Op::Copy { from, to, bytes } => {
                let from = std::ptr::with_exposed_provenance::<u8>(*from as usize);
                let to = std::ptr::with_exposed_provenance_mut::<u8>(*to as usize);
                // SAFETY: whoever enqueued the copy vouched for both sides until now; that is what is under test, and
                // memory of the stub's own is never given back to the system.
                unsafe { std::ptr::copy(from, to, *bytes) };
            }
            Op::Fill { at, value, bytes } => {
                let at = std::ptr::with_exposed_provenance_mut::<u8>(*at as usize);
                // SAFETY: as for a copy.
                unsafe { at.write_bytes(*value, *bytes) };
            }
            Op::Wait(_) | Op::Nothing | Op::Callback(..) => {}
        }
    }
}

/// The parameters as the driver lays them out: a pointer to each.
pub(crate) fn with<R>(params: &[Box<[u8]>], f: impl FnOnce(*const *const c_void) -> R) -> R {
    let pointers: Vec<*const c_void> = params.iter().map(|param| param.as_ptr().cast()).collect();
    f(pointers.as_ptr())
}
