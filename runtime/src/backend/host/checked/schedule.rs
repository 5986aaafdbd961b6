//! The seeded order: which queue's head runs next.
//!
//! A stream is *ready* if its head is not a wait, or a wait that is met. Slow streams are passed over until nothing
//! else is ready and the goal needs one of them.

use super::super::slab::Slab;
use crate::backend::{Origin, Span, Task};
use std::collections::VecDeque;
use std::sync::Arc;

/// What a queue holds.
pub(super) enum Item {
    Kernel(Origin, Task),
    HostFn(Task),
    /// Of that stream, that many tasks.
    Wait(u64, u64),
    Poison(Span),
    Free(Slab),
    /// Holds the place of what must not run.
    Nothing,
}

/// A stream.
pub(super) struct Queue {
    pub(super) label: Arc<str>,
    pub(super) slow: bool,
    pub(super) items: VecDeque<Item>,
    pub(super) given: u64,
    pub(super) done: u64,
}

/// How far to run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal {
    /// That many tasks, of streams that are not slow.
    Some(u64),
    /// Until this ticket of this stream has passed.
    Passed(u64, u64),
    /// Until nothing is left.
    All,
}

/// All queues and the dice.
pub(super) struct Schedule {
    pub(super) queues: Vec<Queue>,
    dice: u64,
    temper: u64,
}

impl Schedule {
    pub(super) fn new(seed: u64) -> Self {
        let mut schedule = Schedule { queues: Vec::new(), dice: seed, temper: 0 };
        schedule.temper = schedule.roll(4);
        schedule
    }

    /// A number below `sides` (splitmix64; the bias does not matter here).
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.dice = self.dice.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.dice;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % sides
    }

    /// How many tasks to run after one was enqueued. A seed is of one of four tempers, from a host that runs far
    /// ahead of the device to a device that keeps up.
    pub(super) fn appetite(&mut self) -> u64 {
        match (self.temper, self.roll(8)) {
            (0, _) => 0,
            (1, 0) | (2, 0..=3) => 1 + self.roll(3),
            (1, 1) | (2, 4) => u64::MAX,
            (1 | 2, _) => 0,
            _ => u64::MAX,
        }
    }

    pub(super) fn has_passed(&self, stream: u64, ticket: u64) -> bool {
        self.queues[stream as usize].done >= ticket
    }

    /// The stream whose head runs next, if the goal needs another. Does not count the goal down.
    pub(super) fn pick(&mut self, goal: Goal) -> Option<u64> {
        match goal {
            Goal::Some(0) => None,
            Goal::Some(_) => self.any_quick(),
            Goal::Passed(stream, ticket) => {
                if self.has_passed(stream, ticket) {
                    return None;
                }
                self.any_quick().or_else(|| self.needed(stream, ticket))
            }
            Goal::All => self.any_quick().or_else(|| {
                let stuck = self.queues.iter().position(|q| !q.items.is_empty())?;
                self.needed(u64::try_from(stuck).ok()?, u64::MAX)
            }),
        }
    }

    fn ready(&self, stream: usize) -> bool {
        match self.queues[stream].items.front() {
            None => false,
            Some(&Item::Wait(other, ticket)) => self.has_passed(other, ticket),
            Some(_) => true,
        }
    }

    /// One of the ready streams that are not slow.
    fn any_quick(&mut self) -> Option<u64> {
        let quick = |s: &usize| !self.queues[*s].slow && self.ready(*s);
        let count = (0..self.queues.len()).filter(quick).count();
        if count == 0 {
            return None;
        }
        let chosen = usize::try_from(self.roll(count as u64)).ok()?;
        let quick = |s: &usize| !self.queues[*s].slow && self.ready(*s);
        let stream = (0..self.queues.len()).filter(quick).nth(chosen)?;
        u64::try_from(stream).ok()
    }

    /// Follows the waits from `stream` to a head that is ready. Waits look back only, so the way ends; it visits no
    /// stream twice.
    fn needed(&self, stream: u64, ticket: u64) -> Option<u64> {
        if self.has_passed(stream, ticket) {
            return None;
        }
        let mut stream = stream;
        for _ in &self.queues {
            if self.ready(stream as usize) {
                return Some(stream);
            }
            match self.queues[stream as usize].items.front() {
                Some(&Item::Wait(other, _)) => stream = other,
                _ => return None,
            }
        }
        None
    }
}
