//! What a test asks of the stub, and what it is told.

use crate::device::Device;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, PoisonError};

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum What {
    /// A kernel, copy or fill was enqueued; its reads and writes follow. `object` is its number.
    Work,
    /// The work before reads `object..object + bytes`.
    Reads,
    /// The work before writes `object..object + bytes`.
    Writes,
    /// Memory was taken, for the use of `stream` first.
    Takes,
    /// Memory was given back, in the order of `stream`.
    Gives,
    /// Page-locked memory was taken.
    TakesHost,
    /// Page-locked memory was given back, at once.
    GivesHost,
    /// The event `object` was recorded on `stream`.
    Records,
    /// `stream` waits for the event `object`.
    Waits,
    /// The host knows that all is done that the event `object` was recorded after.
    KnowsEvent,
    /// The host knows that all is done that `stream` was given.
    KnowsStream,
    /// The host knows that everything is done.
    KnowsAll,
    /// A call that no program should make, such as giving the same memory back twice. `object` is what it was about.
    Misuse,
}

/// One thing that a call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Record {
    /// What it was.
    pub what: What,
    /// The stream's handle, or 0.
    pub stream: u64,
    /// An address, an event's handle, or a number.
    pub object: u64,
    /// Bytes from the address on.
    pub bytes: u64,
}

/// Takes notes of what a kernel accesses: `(to, address, bytes, writes)`.
pub type Note = extern "C" fn(*mut c_void, u64, u64, bool);

/// A kernel of the test's.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Kernel {
    /// Its name, which lives as long as the program.
    pub name: *const c_char,
    /// The sizes of its parameters, in bytes; they live as long as the program.
    pub sizes: *const usize,
    /// How many parameters.
    pub count: usize,
    /// Says what it accesses with these parameters.
    pub accesses: extern "C" fn(*const *const c_void, Note, *mut c_void),
    /// Whether it takes long with these parameters.
    pub slow: extern "C" fn(*const *const c_void) -> bool,
    /// Does it.
    pub run: extern "C" fn(*const *const c_void),
}

// SAFETY: the pointers are to what lives as long as the program and does not change.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

static KERNELS: Mutex<Vec<Kernel>> = Mutex::new(Vec::new());

/// The place of a kernel by its name, from 1.
pub(crate) fn named(name: &CStr) -> Option<usize> {
    let kernels = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |kernel: &Kernel| {
        // SAFETY: whoever defined the kernel says that its name is one, and lives on.
        unsafe { CStr::from_ptr(kernel.name) }
    };
    kernels.iter().position(|kernel| of(kernel) == name).map(|at| at + 1)
}

/// The kernel of this place.
pub(crate) fn kernel(place: usize) -> Option<Kernel> {
    KERNELS.lock().unwrap_or_else(PoisonError::into_inner).get(place.checked_sub(1)?).copied()
}

/// The type of `stub_define`: makes a kernel known.
pub type Define = unsafe extern "C" fn(*const Kernel);
/// The type of `stub_seed`: `(device, seed)`; from now on its order is drawn from this seed.
pub type Seed = extern "C" fn(u32, u64);
/// The type of `stub_fail`: `(device, function, nth, code)`; the `nth` call of a function from now on, counted from 0,
/// returns `code` and does nothing.
pub type Fail = unsafe extern "C" fn(u32, *const c_char, u64, u32);
/// The type of `stub_forget`: `(device)`; empties trace and counts, and takes back failures to come.
pub type Forget = extern "C" fn(u32);
/// Is given a call's name (or null) and a record (or null).
pub type Visit = extern "C" fn(*mut c_void, *const c_char, u64, *const Record);
/// The type of `stub_trace`: `(device, visit, to)`; shows every function with its count, then every record.
pub type Trace = unsafe extern "C" fn(u32, Visit, *mut c_void);

/// See [`Define`].
///
/// # Safety
/// The kernel is one, and lives as long as the program.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn stub_define(kernel: *const Kernel) {
    // SAFETY: the caller's.
    let kernel = unsafe { *kernel };
    KERNELS.lock().unwrap_or_else(PoisonError::into_inner).push(kernel);
}

/// See [`Seed`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn stub_seed(device: u32, seed: u64) {
    Device::of(device).state().seed(seed);
}

/// See [`Fail`].
///
/// # Safety
/// `function` is a string.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn stub_fail(device: u32, function: *const c_char, nth: u64, code: u32) {
    // SAFETY: the caller's.
    let function = unsafe { CStr::from_ptr(function) };
    Device::of(device).state().fail(function.to_string_lossy().into_owned(), nth, code);
}

/// See [`Forget`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn stub_forget(device: u32) {
    Device::of(device).state().forget();
}

/// See [`Trace`].
///
/// # Safety
/// `visit` may be called with `to`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn stub_trace(device: u32, visit: Visit, to: *mut c_void) {
    let (calls, records) = Device::of(device).state().seen();
    for (name, count) in calls {
        let name = std::ffi::CString::new(name).unwrap_or_default();
        visit(to, name.as_ptr(), count, std::ptr::null());
    }
    for record in &records {
        visit(to, std::ptr::null(), 0, record);
    }
}
