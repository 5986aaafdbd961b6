//! Programs in program order on plain vectors: what the values must be. No streams, no memory that is reused.

use super::script::{Act, Id, Script, Work};

/// Elements that kernels touch: all of a small storage, both ends of a large one.
fn touched(len: usize) -> impl Iterator<Item = usize> {
    let ends = if len > 1024 { 64 } else { len };
    (0..ends).chain(len - if len > 1024 { 64 } else { 0 }..len)
}

/// What is compared of a value.
pub(super) fn shown(x: &[u32]) -> Vec<u32> {
    touched(x.len()).map(|i| x[i]).collect()
}

/// Kernel: `acc` depends on all of `x`.
pub(super) fn mix(acc: &mut [u32], x: &[u32]) {
    for (at, i) in touched(x.len()).enumerate() {
        let a = &mut acc[at % 64];
        *a = a.wrapping_mul(31) ^ x[i];
    }
}

/// Kernel: writes in place.
pub(super) fn stamp(x: &mut [u32], acc: &[u32]) {
    touched(x.len()).for_each(|i| x[i] = x[i].wrapping_mul(7).wrapping_add(acc[i % 64]));
}

/// Kernel: the first write.
pub(super) fn fill(x: &mut [u32], acc: &[u32]) {
    touched(x.len()).for_each(|i| x[i] = acc[i % 64].rotate_left(i as u32 % 32) ^ i as u32);
}

/// Storages and what was read of them.
#[derive(Default)]
pub(super) struct World {
    slots: Vec<Vec<u32>>,
    seen: Vec<(Id, Vec<u32>)>,
}

impl World {
    pub(super) fn work(&mut self, work: &Work) {
        let mut acc = [work.salt; 64];
        work.reads.iter().chain(&work.eats).for_each(|&id| mix(&mut acc, &self.slots[id]));
        if let Some((id, _)) = work.readback {
            self.seen.push((id, shown(&self.slots[id])));
        }
        work.writes.iter().for_each(|&id| stamp(&mut self.slots[id], &acc));
        for &(id, len) in &work.makes {
            self.slots.resize(self.slots.len().max(id + 1), Vec::new());
            self.slots[id] = vec![0; len];
            fill(&mut self.slots[id], &acc);
        }
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Node(_, work, _) | Act::Outside(work) => self.work(work),
            Act::Call(inner) => self.call(inner),
            Act::Release(..) | Act::Drop(_) => {}
        }
    }

    pub(super) fn call(&mut self, script: &Script) {
        script.acts.iter().for_each(|act| self.act(act));
    }

    pub(super) fn collect(&mut self, ids: &[Id]) {
        ids.iter().for_each(|&id| self.seen.push((id, shown(&self.slots[id]))));
    }

    /// All values that were read, by storage.
    pub(super) fn values(mut self) -> Vec<Vec<u32>> {
        self.seen.sort_by_key(|(id, _)| *id);
        self.seen.into_iter().map(|(_, value)| value).collect()
    }
}
