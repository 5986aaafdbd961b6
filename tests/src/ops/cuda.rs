//! The operators as one kernel, compiled at first use.

use super::T;
use cudarc::driver::{CudaContext, CudaFunction, LaunchConfig, PushKernelArg};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use streamlease::{Error, Node, Result, View, ViewMut};

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
    let ptx = cudarc::nvrtc::compile_ptx(SOURCE).expect("the kernel compiles");
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
