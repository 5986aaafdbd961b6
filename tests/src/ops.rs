//! Small operators whose results depend on every input, so that a wrong order gives wrong values.
//!
//! On a CUDA runtime they are kernels with the same arithmetic ([`cuda`]), so a case runs there as it is.

pub mod cuda;

use streamlease::{Buffer, Node, Pending, Result};

/// Elements of the tests' tensors.
pub const N: usize = 96;

/// The tests' tensor.
pub type T = Buffer<u32>;

/// `out[i] = seed * 1000 + i`
pub fn make(cx: &Node<'_>, seed: u32) -> Result<T> {
    let mut y = cx.empty(N)?;
    if cx.cuda_stream().is_ok() {
        cuda::elementwise(cx, cuda::Op::Make, seed, None, None, Some(&mut y))?;
        return Ok(y);
    }
    cx.launch(cx.view_mut(&mut y)?, move |y: &mut [u32]| {
        y.iter_mut().enumerate().for_each(|(i, y)| *y = seed * 1000 + i as u32);
    })?;
    Ok(y)
}

/// `out[i] = x[i] * 3 + k`
pub fn map(cx: &Node<'_>, x: &T, k: u32) -> Result<T> {
    let mut y = cx.empty(x.len())?;
    if cx.cuda_stream().is_ok() {
        cuda::elementwise(cx, cuda::Op::Map, k, Some(x), None, Some(&mut y))?;
        return Ok(y);
    }
    cx.launch((cx.view(x)?, cx.view_mut(&mut y)?), move |(x, y)| {
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = x.wrapping_mul(3).wrapping_add(k));
    })?;
    Ok(y)
}

/// `out[i] = a[i] * 5 ^ b[i]`
pub fn map2(cx: &Node<'_>, a: &T, b: &T) -> Result<T> {
    let mut y = cx.empty(a.len())?;
    if cx.cuda_stream().is_ok() {
        cuda::elementwise(cx, cuda::Op::Map2, 0, Some(a), Some(b), Some(&mut y))?;
        return Ok(y);
    }
    cx.launch((cx.view(a)?, cx.view(b)?, cx.view_mut(&mut y)?), |(a, b, y)| {
        for (i, y) in y.iter_mut().enumerate() {
            *y = a[i].wrapping_mul(5) ^ b[i];
        }
    })?;
    Ok(y)
}

/// Takes `x` and gives its storage back: `x[i] = x[i] * 7 + 1`
pub fn in_place(cx: &Node<'_>, mut x: T) -> Result<T> {
    add_to(cx, &mut x, 1)?;
    Ok(x)
}

/// `x[i] = x[i] * 7 + k`
pub fn add_to(cx: &Node<'_>, x: &mut T, k: u32) -> Result<()> {
    if cx.cuda_stream().is_ok() {
        return cuda::elementwise(cx, cuda::Op::AddTo, k, None, None, Some(x));
    }
    cx.launch(cx.view_mut(x)?, move |x: &mut [u32]| {
        x.iter_mut().for_each(|x| *x = x.wrapping_mul(7).wrapping_add(k));
    })
}

/// `dst[i] = src[i] + dst[i] * 2`
pub fn fill(cx: &Node<'_>, dst: &mut T, src: &T) -> Result<()> {
    if cx.cuda_stream().is_ok() {
        return cuda::elementwise(cx, cuda::Op::Fill, 0, Some(src), None, Some(dst));
    }
    cx.launch((cx.view(src)?, cx.view_mut(dst)?), |(src, dst)| {
        dst.iter_mut().zip(src).for_each(|(d, &s)| *d = s.wrapping_add(d.wrapping_mul(2)));
    })
}

/// Reads `x` and makes nothing.
pub fn probe(cx: &Node<'_>, x: &T) -> Result<()> {
    if cx.cuda_stream().is_ok() {
        return cuda::elementwise(cx, cuda::Op::Probe, 0, Some(x), None, None);
    }
    cx.launch(cx.view(x)?, |x: &[u32]| {
        std::hint::black_box(x.first());
    })
}

/// Takes `x`, reads it and drops it.
pub fn eat(cx: &Node<'_>, x: T) -> Result<T> {
    map(cx, &x, 13)
}

/// Takes both.
pub fn eat2(cx: &Node<'_>, a: T, b: T) -> Result<T> {
    map2(cx, &a, &b)
}

/// Takes `x` and copies it to the host.
pub fn to_host(cx: &Node<'_>, x: T) -> Result<Pending<u32>> {
    cx.read(&x)
}

/// A number: nothing on the device.
pub fn count(_: &Node<'_>, x: &T) -> Result<usize> {
    Ok(x.len())
}

/// Fails before it enqueues anything.
pub fn fail(_: &Node<'_>, _: &T) -> Result<T> {
    Err(streamlease::Error::invalid("asked to fail"))
}
