//! Programs on the runtime, called as emitted code calls it.

use std::cell::RefCell;

use streamlease::__private::{Mode, Run, straight};
use streamlease::{Buffer, Cx, Node, Pending, Result, Step, Stepped};

use super::host::{fill, mix, shown, stamp};
use super::script::{Act, Id, Script, Work};

/// A value that was read to the host, or is on its way.
enum Seen {
    Here(Vec<u32>),
    Coming(Pending<u32>),
}

/// The storages of a program.
#[derive(Default)]
pub(super) struct World {
    slots: RefCell<Vec<Option<Buffer<u32>>>>,
    seen: RefCell<Vec<(Id, Seen)>>,
}

impl World {
    fn put(&self, id: Id, buffer: Buffer<u32>) {
        let mut slots = self.slots.borrow_mut();
        if slots.len() <= id {
            slots.resize_with(id + 1, || None);
        }
        slots[id] = Some(buffer);
    }

    fn take(&self, ids: &[Id]) -> Vec<Buffer<u32>> {
        let mut slots = self.slots.borrow_mut();
        ids.iter().map(|&id| slots[id].take().expect("a storage that is there")).collect()
    }

    fn look<R>(&self, id: Id, f: impl FnOnce(&mut Buffer<u32>) -> R) -> R {
        f(self.slots.borrow_mut()[id].as_mut().expect("a storage that is there"))
    }

    fn see(&self, id: Id, pending: Pending<u32>, now: bool) -> Result<()> {
        let seen = if now { Seen::Here(pending.wait()?) } else { Seen::Coming(pending) };
        self.seen.borrow_mut().push((id, seen));
        Ok(())
    }

    fn work(&self, cx: &Node<'_>, work: &Work) -> Result<()> {
        if let Some(len) = work.waste {
            drop(cx.empty::<u32>(len)?);
        }
        let salt = work.salt;
        let mut acc = cx.empty::<u32>(64)?;
        cx.launch(cx.view_mut(&mut acc)?, move |acc: &mut [u32]| acc.fill(salt))?;
        for &id in work.reads.iter().chain(&work.eats) {
            self.look(id, |x| cx.launch((cx.view(x)?, cx.view_mut(&mut acc)?), |(x, acc)| mix(acc, x)))?;
        }
        if let Some((id, now)) = work.readback {
            let pending = self.look(id, |x| cx.read(x))?;
            self.see(id, pending, now)?;
        }
        // What is taken is written too, so that taking needs every order that it may need.
        for &id in work.writes.iter().chain(&work.eats) {
            self.look(id, |x| cx.launch((cx.view(&acc)?, cx.view_mut(x)?), |(acc, x)| stamp(x, acc)))?;
        }
        drop(self.take(&work.eats));
        for &(id, len) in &work.makes {
            let mut made = cx.empty(len)?;
            cx.launch((cx.view(&acc)?, cx.view_mut(&mut made)?), |(acc, x)| fill(x, acc))?;
            self.put(id, made);
        }
        Ok(())
    }

    pub(super) fn outside(&self, cx: &Cx<'_>, work: &Work) -> Result<()> {
        self.work(&cx.node(work.stream)?, work)
    }

    /// Starts reading what is left, and drops it.
    pub(super) fn collect(&self, cx: &Cx<'_>, ids: &[Id]) -> Result<()> {
        for (&id, buffer) in ids.iter().zip(self.take(ids)) {
            self.see(id, cx.read(&buffer)?, false)?;
        }
        Ok(())
    }

    /// All values that were read, by storage.
    pub(super) fn values(&self) -> Result<Vec<Vec<u32>>> {
        let mut seen = self.seen.take();
        seen.sort_by_key(|(id, _)| *id);
        let values = seen.into_iter().map(|(_, s)| match s {
            Seen::Here(value) => Ok(value),
            Seen::Coming(pending) => pending.wait(),
        });
        values.map(|v| v.map(|v| shown(&v))).collect()
    }
}

async fn body(mode: Mode, cx: &Cx<'_>, script: &Script, world: &World) -> Result<()> {
    let run = Run::begin(cx, script.chunk, mode)?;
    for act in &script.acts {
        match act {
            Act::Node(ix, work, plain) => {
                run.step(*ix).await;
                {
                    let node = run.enter(*ix)?;
                    let out = world.work(&node, work);
                    run.exit(node, out)?;
                }
                plain.iter().for_each(|&lease| run.made(lease, &0_u32));
            }
            Act::Call(inner) => call(cx, inner, world)?,
            Act::Outside(work) => world.outside(cx, work)?,
            Act::Release(lease, ids) => run.release(*lease, world.take(ids)),
            Act::Drop(ids) => drop(world.take(ids)),
        }
    }
    Ok(())
}

/// Runs a program's chunk from start to end.
pub(super) fn call(cx: &Cx<'_>, script: &Script, world: &World) -> Result<()> {
    straight(body(Mode::straight(), cx, script, world))
}

/// Runs two in turn: bit n of `turns` says whose step the n-th is.
pub(super) fn in_turn(cx: &Cx<'_>, two: [&Script; 2], turns: u64, world: &World) -> Result<()> {
    let mut runs = two.map(|script| Some(Stepped::new(script.plan, |mode| body(mode, cx, script, world))));
    for turn in 0.. {
        let first = (turns >> (turn % 64) & 1) as usize;
        let at = if runs[first].is_some() { first } else { 1 - first };
        let Some(run) = &mut runs[at] else { return Ok(()) };
        match run.step() {
            Some(Step::Ran(_)) => {}
            Some(Step::Done(out)) => {
                runs[at] = None;
                out?;
            }
            None => runs[at] = None,
        }
    }
    Ok(())
}
