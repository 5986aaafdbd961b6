//! The driver's functions, as a program's loader finds them. Their contracts are the driver's own.
//!
//! A context's handle is its device's number and one more; the handle of a stream or an event has that in its upper half,
//! so that calls which need no current context find their device.

#![allow(non_snake_case, clippy::missing_safety_doc, reason = "names and contracts are the driver's")]

use crate::control::{self, Kernel, What};
use crate::device::{
    Code, Device, INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_FOUND, NOT_READY, OUT_OF_MEMORY,
    SUCCESS, State,
};
use crate::memory;
use crate::queue::{Callback, Op, Point, with};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Arc, MutexGuard};

/// Any handle.
type Handle = *mut c_void;

/// What freed memory is filled with.
const RUBBISH: u8 = 0xA5;
/// `CU_EVENT_...`, `CU_STREAM_...` and so on make no difference here.
type Flags = c_uint;

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

fn handle(number: u64) -> Handle {
    std::ptr::without_provenance_mut(number as usize)
}

fn number(handle: Handle) -> u64 {
    handle.addr() as u64
}

/// The device of a handle that is made of its number.
fn device(handle: Handle) -> Result<Arc<Device>, Code> {
    let context = number(handle) >> 32;
    let device = context.checked_sub(1).ok_or(INVALID_HANDLE)?;
    Ok(Device::of(u32::try_from(device).map_err(|_| INVALID_HANDLE)?))
}

/// A stream's own handle: 0 and 1 mean the default stream of the current context.
fn stream(handle: Handle) -> Result<u64, Code> {
    match number(handle) {
        0 | 1 => Ok((current()? as u64) << 32),
        own => Ok(own),
    }
}

fn current() -> Result<usize, Code> {
    Some(CURRENT.get()).filter(|&current| current > 0).ok_or(INVALID_CONTEXT)
}

fn current_device() -> Result<Arc<Device>, Code> {
    Ok(Device::of(current()? as u32 - 1))
}

fn code(done: Result<(), Code>) -> Code {
    done.err().unwrap_or(SUCCESS)
}

/// A call on a stream that enqueues something.
fn on(at: Handle, name: &str, call: impl FnOnce(&mut State, u64) -> Result<(), Code>) -> Code {
    let enqueued = || {
        let at = stream(at)?;
        let device = device(handle(at))?;
        let mut state = device.state();
        state.enter(name)?;
        call(&mut state, at)
    };
    code(enqueued())
}

/// A call in the current context.
fn here(name: &str, call: impl FnOnce(&mut State, u64) -> Result<(), Code>) -> Code {
    let called = || {
        let context = current()? as u64;
        let device = current_device()?;
        let mut state: MutexGuard<'_, State> = device.state();
        state.enter(name)?;
        call(&mut state, context << 32)
    };
    code(called())
}

/// Writes a result where the caller wants it.
///
/// # Safety
/// `to` may be written.
unsafe fn give<T>(to: *mut T, value: T) {
    // SAFETY: the caller's.
    unsafe { to.write(value) };
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuInit(_: Flags) -> Code {
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDeviceGet(to: *mut c_int, ordinal: c_int) -> Code {
    // SAFETY: the caller's.
    unsafe { give(to, ordinal) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDeviceGetAttribute(to: *mut c_int, _: c_int, _: c_int) -> Code {
    // SAFETY: the caller's.
    unsafe { give(to, 1) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuDevicePrimaryCtxRetain(to: *mut Handle, device: c_int) -> Code {
    let retain = || Device::of(device as u32).state().enter("cuDevicePrimaryCtxRetain");
    if let Err(failure) = retain() {
        return failure;
    }
    // SAFETY: the caller's.
    unsafe { give(to, handle(device as u64 + 1)) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuDevicePrimaryCtxRelease_v2(_: c_int) -> Code {
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuCtxSetCurrent(context: Handle) -> Code {
    CURRENT.set(context.addr());
    here("cuCtxSetCurrent", |_, _| Ok(()))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuCtxGetCurrent(to: *mut Handle) -> Code {
    // SAFETY: the caller's.
    unsafe { give(to, handle(CURRENT.get() as u64)) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> Code {
    // SAFETY: the caller's.
    unsafe { give(least, 0) };
    // SAFETY: the caller's.
    unsafe { give(greatest, -5) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuCtxSynchronize() -> Code {
    let mut all = Vec::new();
    let entered = here("cuCtxSynchronize", |state, _| {
        all = state.queues.all();
        Ok(())
    });
    let Ok(device) = current_device() else { return INVALID_CONTEXT };
    if entered == SUCCESS {
        all.into_iter().for_each(|point| device.wait(point));
        device.state().note(What::KnowsAll, 0, 0, 0);
    }
    entered
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuStreamCreate(to: *mut Handle, _: Flags) -> Code {
    here("cuStreamCreate", |state, context| {
        let made = context | state.fresh();
        // SAFETY: the caller's.
        unsafe { give(to, handle(made)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuStreamCreateWithPriority(to: *mut Handle, flags: Flags, _: c_int) -> Code {
    // SAFETY: the caller's.
    unsafe { cuStreamCreate(to, flags) }
}

/// What the stream was given is still done, as with the driver.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuStreamDestroy_v2(at: Handle) -> Code {
    on(at, "cuStreamDestroy_v2", |_, _| Ok(()))
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuStreamSynchronize(at: Handle) -> Code {
    let mut point = None;
    let entered = on(at, "cuStreamSynchronize", |state, at| {
        point = Some(state.queues.now(at));
        Ok(())
    });
    if let Some(point) = point
        && let Ok(device) = device(handle(point.stream))
    {
        device.wait(point);
        device.state().note(What::KnowsStream, point.stream, 0, 0);
    }
    entered
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuStreamIsCapturing(_: Handle, to: *mut c_int) -> Code {
    // SAFETY: the caller's.
    unsafe { give(to, 0) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuStreamWaitEvent(at: Handle, event: Handle, _: Flags) -> Code {
    on(at, "cuStreamWaitEvent", |state, at| {
        let recorded = *state.events.get(&number(event)).ok_or(INVALID_HANDLE)?;
        if let Some(point) = recorded {
            state.queues.push(at, Op::Wait(point));
            state.note(What::Waits, at, number(event), 0);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuStreamAddCallback(
    at: Handle,
    callback: Callback,
    data: Handle,
    _: Flags,
) -> Code {
    let added = on(at, "cuStreamAddCallback", |state, at| {
        state.queues.push(at, Op::Callback(callback, data.expose_provenance() as u64));
        Ok(())
    });
    if let (SUCCESS, Ok(Ok(device))) = (added, stream(at).map(|at| device(handle(at)))) {
        device.calls_back();
    }
    added
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuEventCreate(to: *mut Handle, _: Flags) -> Code {
    here("cuEventCreate", |state, context| {
        let made = context | state.fresh();
        state.events.insert(made, None);
        // SAFETY: the caller's.
        unsafe { give(to, handle(made)) };
        Ok(())
    })
}

/// A call about an event, which need not be enqueued anywhere.
fn event(
    event: Handle,
    name: &str,
    call: impl FnOnce(&mut State, Option<Point>) -> Result<(), Code>,
) -> Code {
    let called = || {
        let device = device(event)?;
        let mut state = device.state();
        state.enter(name)?;
        let Some(&recorded) = state.events.get(&number(event)) else {
            state.note(What::Misuse, 0, number(event), 0);
            return Err(INVALID_HANDLE);
        };
        call(&mut state, recorded)
    };
    code(called())
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuEventDestroy_v2(at: Handle) -> Code {
    event(at, "cuEventDestroy_v2", |state, _| {
        state.events.remove(&number(at));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuEventRecord(at: Handle, on: Handle) -> Code {
    event(at, "cuEventRecord", |state, _| {
        let on = stream(on)?;
        let point = state.queues.push(on, Op::Nothing);
        state.events.insert(number(at), Some(point));
        state.note(What::Records, on, number(at), 0);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuEventQuery(at: Handle) -> Code {
    event(at, "cuEventQuery", |state, recorded| {
        if recorded.is_some_and(|point| !state.queues.is_done(point)) {
            return Err(NOT_READY);
        }
        state.note(What::KnowsEvent, 0, number(at), 0);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuEventSynchronize(at: Handle) -> Code {
    let mut until = None;
    let entered = event(at, "cuEventSynchronize", |_, recorded| {
        until = recorded;
        Ok(())
    });
    if let Ok(device) = device(at)
        && entered == SUCCESS
    {
        until.into_iter().for_each(|point| device.wait(point));
        device.state().note(What::KnowsEvent, 0, number(at), 0);
    }
    entered
}

/// Takes device memory; without a stream, for any.
unsafe fn take(to: *mut u64, bytes: usize, at: Handle, name: &str) -> Code {
    on(at, name, |state, at| {
        let State { memory, queues, .. } = state;
        let address = memory.take(bytes, at, queues).ok_or(OUT_OF_MEMORY)?;
        state.note(What::Takes, at, address, bytes as u64);
        // SAFETY: the caller's.
        unsafe { give(to, address) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuMemAllocAsync(to: *mut u64, bytes: usize, at: Handle) -> Code {
    // SAFETY: the caller's.
    unsafe { take(to, bytes, at, "cuMemAllocAsync") }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuMemAllocFromPoolAsync(
    to: *mut u64,
    bytes: usize,
    _: Handle,
    at: Handle,
) -> Code {
    // SAFETY: the caller's.
    unsafe { take(to, bytes, at, "cuMemAllocFromPoolAsync") }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuMemFreeAsync(address: u64, at: Handle) -> Code {
    on(at, "cuMemFreeAsync", |state, at| {
        let Some(bytes) = state.memory.give(address) else {
            state.note(What::Misuse, at, address, 0);
            return Err(INVALID_VALUE);
        };
        let point = state.queues.push(at, Op::Fill { at: address, value: RUBBISH, bytes });
        state.memory.is_free(address, bytes, point);
        state.note(What::Gives, at, address, bytes as u64);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuMemPoolCreate(to: *mut Handle, _: *const c_void) -> Code {
    here("cuMemPoolCreate", |state, context| {
        let made = context | state.fresh();
        // SAFETY: the caller's.
        unsafe { give(to, handle(made)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuMemPoolDestroy(_: Handle) -> Code {
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuMemPoolTrimTo(pool: Handle, _: usize) -> Code {
    let trim = || device(pool)?.state().enter("cuMemPoolTrimTo");
    code(trim())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuMemHostAlloc(to: *mut Handle, bytes: usize, _: Flags) -> Code {
    here("cuMemHostAlloc", |state, _| {
        let address = memory::fresh(bytes).ok_or(OUT_OF_MEMORY)?;
        state.host.insert(address, bytes);
        state.note(What::TakesHost, 0, address, bytes as u64);
        // SAFETY: the caller's.
        unsafe { give(to, std::ptr::with_exposed_provenance_mut(address as usize)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuMemFreeHost(at: Handle) -> Code {
    here("cuMemFreeHost", |state, _| {
        let address = number(at);
        let known = state.host.remove(&address);
        let what = if known.is_some() { What::GivesHost } else { What::Misuse };
        state.note(what, 0, address, known.unwrap_or_default() as u64);
        known.map(|_| ()).ok_or(INVALID_VALUE)
    })
}

fn copy(from: u64, to: u64, bytes: usize, at: Handle, name: &str) -> Code {
    on(at, name, |state, at| {
        state.works(at);
        state.note(What::Reads, at, from, bytes as u64);
        state.note(What::Writes, at, to, bytes as u64);
        state.queues.push(at, Op::Copy { from, to, bytes });
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const c_void,
    bytes: usize,
    at: Handle,
) -> Code {
    copy(from.expose_provenance() as u64, to, bytes, at, "cuMemcpyHtoDAsync_v2")
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuMemcpyDtoHAsync_v2(to: Handle, from: u64, bytes: usize, at: Handle) -> Code {
    copy(from, to.expose_provenance() as u64, bytes, at, "cuMemcpyDtoHAsync_v2")
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, at: Handle) -> Code {
    copy(from, to, bytes, at, "cuMemcpyDtoDAsync_v2")
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuMemsetD8Async(to: u64, value: u8, bytes: usize, at: Handle) -> Code {
    on(at, "cuMemsetD8Async", |state, at| {
        state.works(at);
        state.note(What::Writes, at, to, bytes as u64);
        state.queues.push(at, Op::Fill { at: to, value, bytes });
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuModuleLoadData(to: *mut Handle, _: *const c_void) -> Code {
    // SAFETY: the caller's.
    unsafe { give(to, handle(1)) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn cuModuleUnload(_: Handle) -> Code {
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuModuleGetFunction(to: *mut Handle, _: Handle, name: *const c_char) -> Code {
    // SAFETY: the caller's.
    let name = unsafe { CStr::from_ptr(name) };
    let Some(place) = control::named(name) else { return NOT_FOUND };
    // SAFETY: the caller's.
    unsafe { give(to, handle(place as u64)) };
    SUCCESS
}

/// Notes an access of the kernel that is being enqueued, in the list that `to` is.
extern "C" fn note(to: *mut c_void, address: u64, bytes: u64, writes: bool) {
    // SAFETY: `cuLaunchKernel` passes its own list, for the time of the call.
    let list = unsafe { &mut *to.cast::<Vec<(u64, u64, bool)>>() };
    list.push((address, bytes, writes));
}

/// Copies the parameters, as the driver does: the caller's may change after the call.
///
/// # Safety
/// `params` are pointers to parameters of the kernel's sizes.
unsafe fn copied(kernel: &Kernel, params: *mut *mut c_void) -> Vec<Box<[u8]>> {
    // SAFETY: the kernel has that many sizes.
    let sizes = unsafe { std::slice::from_raw_parts(kernel.sizes, kernel.count) };
    // SAFETY: the caller's.
    let params = unsafe { std::slice::from_raw_parts(params, kernel.count) };
    let copy = |(param, &size): (&*mut c_void, &usize)| {
        // SAFETY: the caller's: the parameter has that size.
        unsafe { std::slice::from_raw_parts(param.cast::<u8>(), size) }.into()
    };
    params.iter().zip(sizes).map(copy).collect()
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuLaunchKernel(
    function: Handle,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    _: c_uint,
    at: Handle,
    params: *mut *mut c_void,
    _: *mut *mut c_void,
) -> Code {
    on(at, "cuLaunchKernel", |state, at| {
        let kernel = control::kernel(function.addr()).ok_or(INVALID_HANDLE)?;
        // SAFETY: the caller's.
        let params = unsafe { copied(&kernel, params) };
        let mut accesses: Vec<(u64, u64, bool)> = Vec::new();
        with(&params, |params| (kernel.accesses)(params, note, (&raw mut accesses).cast()));
        state.works(at);
        for (address, bytes, writes) in accesses {
            state.note(if writes { What::Writes } else { What::Reads }, at, address, bytes);
        }
        state.queues.push(at, Op::Kernel(kernel, params));
        Ok(())
    })
}

fn words(code: Code) -> (&'static CStr, &'static CStr) {
    match code {
        SUCCESS => (c"CUDA_SUCCESS", c"no error"),
        INVALID_VALUE => (c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
        OUT_OF_MEMORY => (c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
        INVALID_CONTEXT => (c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
        INVALID_HANDLE => (c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
        NOT_FOUND => (c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
        NOT_READY => (c"CUDA_ERROR_NOT_READY", c"device not ready"),
        700 => (c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
        719 => (c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
        _ => (c"CUDA_ERROR_UNKNOWN", c"unknown error"),
    }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuGetErrorName(code: Code, to: *mut *const c_char) -> Code {
    // SAFETY: the caller's.
    unsafe { give(to, words(code).0.as_ptr()) };
    SUCCESS
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cuGetErrorString(code: Code, to: *mut *const c_char) -> Code {
    // SAFETY: the caller's.
    unsafe { give(to, words(code).1.as_ptr()) };
    SUCCESS
}
