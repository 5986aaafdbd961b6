//! The stub driver, loaded in place of CUDA's; see its own documentation for what it does.
//!
//! Once it is loaded, `Runtime::builder().cuda(n)` runs on it, and so does cudarc. Where `STREAMLEASE_TEST_DEVICE` names a
//! real device, it stays out of the way.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use streamlease_stub_driver::{Define, Fail, Forget, Record, Seed, Trace};

/// Errors of the driver's, as it numbers them.
pub mod code {
    /// Out of memory.
    pub const OUT_OF_MEMORY: u32 = 2;
    /// An illegal address: everything fails from then on.
    pub const ILLEGAL_ADDRESS: u32 = 700;
    /// What a driver says when it does not know what is wrong; not lasting.
    pub const NOT_PERMITTED: u32 = 800;
}

/// The library's functions.
struct Library {
    define: Define,
    seed: Seed,
    fail: Fail,
    forget: Forget,
    trace: Trace,
}

/// The number of a real device that the tests are to run on.
#[must_use]
pub fn real_device() -> Option<usize> {
    std::env::var("STREAMLEASE_TEST_DEVICE").ok().map(|n| n.parse().expect("a device's number"))
}

/// Where cargo puts the library: beside the tests' own programs.
fn path() -> PathBuf {
    let program = std::env::current_exe().expect("a program");
    let folder = program.parent().expect("a folder").to_owned();
    folder.join(format!(
        "{}streamlease_stub_driver{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // SAFETY: loading the stub runs no code.
        let loaded = unsafe { libloading::Library::new(path()) };
        // It stays: cudarc keeps pointers to its functions.
        let loaded: &'static libloading::Library = Box::leak(Box::new(loaded.expect("the stub driver")));
        /// # Safety
        /// `F` is the type of the function of this name.
        unsafe fn find<F: Copy>(library: &'static libloading::Library, name: &CStr) -> F {
            // SAFETY: the caller's.
            *unsafe { library.get::<F>(name) }.expect("a function of the stub's")
        }
        // SAFETY: the stub's own name for the type.
        let define = unsafe { find(loaded, c"stub_define") };
        // SAFETY: as above.
        let seed = unsafe { find(loaded, c"stub_seed") };
        // SAFETY: as above.
        let fail = unsafe { find(loaded, c"stub_fail") };
        // SAFETY: as above.
        let forget = unsafe { find(loaded, c"stub_forget") };
        // SAFETY: as above.
        let trace = unsafe { find(loaded, c"stub_trace") };
        let library = Library { define, seed, fail, forget, trace };
        // SAFETY: the kernel is one, and a `static`.
        unsafe { (library.define)(&raw const crate::ops::cuda::ON_STUB) };
        library
    })
}

/// A device of the stub's.
#[derive(Debug)]
pub struct Device(u32);

/// What a device saw.
#[derive(Debug)]
pub struct Seen {
    /// How often each function was called.
    pub calls: Vec<(String, u64)>,
    /// What the calls did, in their order.
    pub records: Vec<Record>,
}

impl Seen {
    /// How often this function was called.
    #[must_use]
    pub fn count(&self, function: &str) -> u64 {
        self.calls.iter().find(|(name, _)| name == function).map_or(0, |&(_, count)| count)
    }
}

impl Device {
    /// A device that nobody has used, whose order is drawn from the seed.
    ///
    /// # Panics
    /// If the stub was not built.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let device = Device(NEXT.fetch_add(1, Ordering::Relaxed));
        (library().seed)(device.0, seed);
        device
    }

    /// Its number, for `Builder::cuda`.
    #[must_use]
    pub fn ordinal(&self) -> usize {
        self.0 as usize
    }

    /// Makes the `nth` call of a function from now on, counted from 0, return `code` and do nothing.
    ///
    /// # Panics
    /// If the name holds a zero.
    pub fn fail(&self, function: &str, nth: u64, code: u32) {
        let function = CString::new(function).expect("a name");
        // SAFETY: it is a string.
        unsafe { (library().fail)(self.0, function.as_ptr(), nth, code) };
    }

    /// Forgets what it saw, and what was to fail.
    pub fn forget(&self) {
        (library().forget)(self.0);
    }

    /// What it has seen since the last `forget`.
    #[must_use]
    pub fn seen(&self) -> Seen {
        extern "C" fn visit(to: *mut c_void, name: *const c_char, count: u64, record: *const Record) {
            // SAFETY: `seen` below passes its own, for the time of the call.
            let seen = unsafe { &mut *to.cast::<Seen>() };
            if !name.is_null() {
                // SAFETY: the stub passes a string or nothing.
                let name = unsafe { CStr::from_ptr(name) };
                seen.calls.push((name.to_string_lossy().into_owned(), count));
            }
            // SAFETY: the stub passes a record or nothing.
            seen.records.extend(unsafe { record.as_ref() });
        }
        let mut seen = Seen { calls: Vec::new(), records: Vec::new() };
        // SAFETY: `visit` takes a `Seen`.
        unsafe { (library().trace)(self.0, visit, (&raw mut seen).cast()) };
        seen
    }
}
