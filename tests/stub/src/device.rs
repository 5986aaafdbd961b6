//! A device: its queues, its memory, what was called, and what is to fail.

use crate::control::{Record, What};
use crate::memory::Memory;
use crate::queue::{Point, Queues};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// A result of the driver's, as its number.
pub(crate) type Code = u32;
pub(crate) const SUCCESS: Code = 0;
pub(crate) const INVALID_VALUE: Code = 1;
pub(crate) const OUT_OF_MEMORY: Code = 2;
pub(crate) const INVALID_CONTEXT: Code = 201;
pub(crate) const INVALID_HANDLE: Code = 400;
pub(crate) const NOT_FOUND: Code = 500;
pub(crate) const NOT_READY: Code = 600;
/// Errors after which every call fails: illegal address, launch failed.
const STICKY: [Code; 2] = [700, 719];

/// A device.
#[derive(Default)]
pub(crate) struct Device {
    state: Mutex<State>,
    changed: Condvar,
    thread: OnceLock<()>,
}

/// What changes.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) queues: Queues,
    pub(crate) memory: Memory,
    /// Page-locked blocks that are out.
    pub(crate) host: BTreeMap<u64, usize>,
    /// Events by handle, with the point that they were last recorded at.
    pub(crate) events: HashMap<u64, Option<Point>>,
    last: u64,
    work: u64,
    records: Vec<Record>,
    calls: BTreeMap<String, u64>,
    failures: Vec<(String, u64, Code)>,
    sticky: Option<Code>,
}

impl Device {
    /// The device of this number.
    pub(crate) fn of(number: u32) -> Arc<Device> {
        static DEVICES: Mutex<BTreeMap<u32, Arc<Device>>> = Mutex::new(BTreeMap::new());
        let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
        devices.entry(number).or_default().clone()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until the point is done.
    pub(crate) fn wait(&self, point: Point) {
        let mut state = self.state();
        while !state.queues.is_done(point) {
            if state.queues.step() {
                continue;
            }
            assert!(state.queues.awaits_callbacks(), "nothing can go on");
            let short = Duration::from_millis(1);
            state = self.changed.wait_timeout(state, short).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// From now on a thread of the device's calls callbacks, and works towards them.
    pub(crate) fn calls_back(self: &Arc<Self>) {
        self.changed.notify_all();
        self.thread.get_or_init(|| {
            let device = self.clone();
            std::thread::spawn(move || device.work_towards_callbacks());
        });
    }

    fn work_towards_callbacks(&self) {
        let mut state = self.state();
        loop {
            if let Some((stream, callback, data)) = state.queues.callback() {
                drop(state);
                let data = std::ptr::with_exposed_provenance_mut(data as usize);
                let handle = std::ptr::without_provenance_mut(stream as usize);
                // SAFETY: whoever added the callback says that it may be called once with its data.
                unsafe { callback(handle, 0, data) };
                state = self.state();
                state.queues.called(stream);
                self.changed.notify_all();
            } else if !(state.queues.awaits_callbacks() && state.queues.step()) {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl State {
    /// Every call comes here first: it is counted, fails if it is to, and the device goes on a little.
    pub(crate) fn enter(&mut self, function: &str) -> Result<(), Code> {
        *self.calls.entry(function.to_owned()).or_default() += 1;
        if let Some(code) = self.sticky {
            return Err(code);
        }
        let mut code = None;
        self.failures.retain_mut(|(name, left, failure)| {
            let now = name == function && *left == 0;
            if name == function && !now {
                *left -= 1;
            }
            code = code.or(now.then_some(*failure));
            !now
        });
        if let Some(code) = code {
            self.sticky = STICKY.contains(&code).then_some(code);
            return Err(code);
        }
        for _ in 0..self.queues.random() % 3 {
            self.queues.step();
        }
        Ok(())
    }

    /// A number that no handle has had.
    pub(crate) fn fresh(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Notes that work is enqueued.
    pub(crate) fn works(&mut self, stream: u64) {
        self.work += 1;
        self.note(What::Work, stream, self.work, 0);
    }

    pub(crate) fn note(&mut self, what: What, stream: u64, object: u64, bytes: u64) {
        self.records.push(Record { what, stream, object, bytes });
    }

    pub(crate) fn seed(&mut self, seed: u64) {
        self.queues.seed(seed);
    }

    pub(crate) fn fail(&mut self, function: String, nth: u64, code: Code) {
        self.failures.push((function, nth, code));
    }

    pub(crate) fn forget(&mut self) {
        self.records.clear();
        self.calls.clear();
        self.failures.clear();
    }

    pub(crate) fn seen(&self) -> (Vec<(String, u64)>, Vec<Record>) {
        (self.calls.iter().map(|(name, count)| (name.clone(), *count)).collect(), self.records.clone())
    }
}
