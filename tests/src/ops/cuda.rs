//! The operators as one kernel, compiled at first use.

use super::T;
use cudarc::driver::{CudaContext, CudaFunction, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use streamlease::{Error, Node, Result, View, ViewMut};
use streamlease_stub_driver::{Kernel, Note};

/// What the kernel computes; the numbers are those of its `switch`.
#[derive(Debug, Clone, Copy)]
#[repr(u32)]
pub enum Op {
    /// `y[i] = k * 1000 + i`
    Make = 0,
    /// `y[i] = a[i] * 3 + k`
    Map = 1,
    /// `y[i] = a[i] * 5 ^ b[i]`
    Map2 = 2,
    /// `y[i] = y[i] * 7 + k`
    AddTo = 3,
    /// `y[i] = a[i] + y[i] * 2`
    Fill = 4,
    /// Reads `a`.
    Probe = 5,
}

/// The kernel on the stub driver: the same arithmetic on the host.
pub static ON_STUB: Kernel =
    Kernel { name: c"elementwise".as_ptr(), sizes: SIZES.as_ptr(), count: SIZES.len(), accesses, slow, run };
static SIZES: [usize; 7] = [4, 4, 8, 8, 8, 8, 8];

/// The kernel's parameters.
#[derive(Clone, Copy)]
struct Params {
    op: u32,
    k: u32,
    a: u64,
    b: u64,
    y: u64,
    n: u64,
    delay: u64,
}

impl Params {
    fn of(params: *const *const c_void) -> Self {
        let at = |i: usize| {
            // SAFETY: the stub passes a pointer for each of the kernel's parameters.
            let params = unsafe { std::slice::from_raw_parts(params, SIZES.len()) };
            // SAFETY: it points to as many bytes as `SIZES` says.
            let bytes = unsafe { std::slice::from_raw_parts(params[i].cast::<u8>(), SIZES[i]) };
            bytes.iter().rev().fold(0_u64, |value, &byte| value << 8 | u64::from(byte))
        };
        let (op, k) = (at(0) as u32, at(1) as u32);
        Params { op, k, a: at(2), b: at(3), y: at(4), n: at(5), delay: at(6) }
    }

    /// Whether the operation reads what `y` holds, and whether it writes there.
    fn target(self) -> (bool, bool) {
        (matches!(self.op, 3 | 4), self.op < 5)
    }
}

extern "C" fn accesses(params: *const *const c_void, note: Note, to: *mut c_void) {
    let p = Params::of(params);
    let (reads, writes) = p.target();
    let all = [(p.a, p.a != 0, false), (p.b, p.b != 0, false), (p.y, reads, false), (p.y, writes, true)];
    for (address, _, writes) in all.into_iter().filter(|&(_, used, _)| used) {
        note(to, address, p.n * 4, writes);
    }
}

extern "C" fn slow(params: *const *const c_void) -> bool {
    Params::of(params).delay > 0
}

extern "C" fn run(params: *const *const c_void) {
    let p = Params::of(params);
    let element = |base: u64, i: u64| std::ptr::with_exposed_provenance_mut::<u32>((base + i * 4) as usize);
    // SAFETY: what the operation reads has `n` elements, as on a GPU; the stub never gives memory to the system.
    let get = |base: u64, i: u64| unsafe { element(base, i).read() };
    for i in 0..p.n {
        let value = match p.op {
            0 => p.k * 1000 + i as u32,
            1 => get(p.a, i).wrapping_mul(3).wrapping_add(p.k),
            2 => get(p.a, i).wrapping_mul(5) ^ get(p.b, i),
            3 => get(p.y, i).wrapping_mul(7).wrapping_add(p.k),
            4 => get(p.a, i).wrapping_add(get(p.y, i).wrapping_mul(2)),
            _ => continue,
        };
        // SAFETY: as above, of what it writes.
        unsafe { element(p.y, i).write(value) };
    }
}

/// Each thread first waits `delay` nanoseconds, so that work issued late can overtake it where nothing orders them.
const SOURCE: &str = r#"
extern "C" __global__ void elementwise(
    unsigned op, unsigned k, const unsigned* a, const unsigned* b, unsigned* y, unsigned long long n,
    unsigned long long delay)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x, start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do { asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); } while (now - start < delay);
    if (i >= n) return;
    const volatile unsigned *x = a, *z = b;
    switch (op) {
        case 0: y[i] = k * 1000u + (unsigned)i; break;
        case 1: y[i] = x[i] * 3u + k; break;
        case 2: y[i] = (x[i] * 5u) ^ z[i]; break;
        case 3: y[i] = y[i] * 7u + k; break;
        case 4: y[i] = x[i] + y[i] * 2u; break;
        default: (void)x[i];
    }
}
"#;

thread_local! {
    static SLOW: RefCell<Vec<(String, u64)>> = const { RefCell::new(Vec::new()) };
}

/// From now on, the kernels that this thread gives to a stream of this label take `delay` nanoseconds more; the last
/// list counts.
pub fn slow_down(streams: &[(&str, u64)]) {
    SLOW.set(streams.iter().map(|&(label, delay)| (label.to_owned(), delay)).collect());
}

/// The delay of kernels on the stream of this label.
#[must_use]
pub fn delay(label: &str) -> u64 {
    SLOW.with_borrow(|slow| slow.iter().find(|(l, _)| l == label).map_or(0, |&(_, delay)| delay))
}

/// The kernel in this context: `(op, k, a, b, y, n, delay)`. It keeps the context.
///
/// # Panics
/// If the context cannot compile or load it.
pub fn kernel(context: &Arc<CudaContext>) -> CudaFunction {
    static LOADED: OnceLock<Mutex<Vec<CudaFunction>>> = OnceLock::new();
    static OF: Mutex<Vec<Arc<CudaContext>>> = Mutex::new(Vec::new());
    let mut of = OF.lock().unwrap_or_else(PoisonError::into_inner);
    let mut loaded = LOADED.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = of.iter().position(|known| known.cu_ctx() == context.cu_ctx()) {
        return loaded[at].clone();
    }
    let ptx = if crate::stub::real_device().is_some() {
        cudarc::nvrtc::compile_ptx(SOURCE).expect("the kernel compiles")
    } else {
        Ptx::from_src("") // the stub driver knows the kernel by its name
    };
    let module = context.load_module(ptx).expect("the kernel loads");
    let function = module.load_function("elementwise").expect("the kernel is there");
    of.push(context.clone());
    loaded.push(function.clone());
    function
}

/// Threads for `n` elements.
#[must_use]
pub fn threads(n: u64) -> LaunchConfig {
    LaunchConfig { grid_dim: (n.div_ceil(256) as u32, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 }
}

/// Runs the kernel on the node's stream.
///
/// # Errors
/// If a tensor cannot be reached, or the launch fails.
pub fn elementwise(
    cx: &Node<'_>,
    op: Op,
    k: u32,
    a: Option<&T>,
    b: Option<&T>,
    y: Option<&mut T>,
) -> Result<()> {
    let stream = cx.cuda_stream()?;
    let n = y.as_deref().or(a).map_or(0, T::len) as u64;
    let (op, none, delay) = (op as u32, 0_u64, delay(cx.stream()));
    let a: Option<View<'_, u32>> = a.map(|a| cx.view(a)).transpose()?;
    let b: Option<View<'_, u32>> = b.map(|b| cx.view(b)).transpose()?;
    let mut y: Option<ViewMut<'_, u32>> = y.map(|y| cx.view_mut(y)).transpose()?;
    let function = kernel(stream.context());
    let mut launch = stream.launch_builder(&function);
    launch.arg(&op).arg(&k);
    for read in [&a, &b] {
        match read {
            Some(view) => launch.arg(view),
            None => launch.arg(&none),
        };
    }
    match &mut y {
        Some(view) => launch.arg(view),
        None => launch.arg(&none),
    };
    launch.arg(&n).arg(&delay);
    // SAFETY: the arguments are the kernel's, in its order; every pointer that its operation follows is a view of this
    // node of at least `n` elements, since the operators' tensors are of one length.
    unsafe { launch.launch(threads(n)) }
        .map_err(|e| Error::invalid(format!("the test's kernel was refused: {e}")))?;
    Ok(())
}
