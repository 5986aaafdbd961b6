//! What a host kernel is given: views now, slices when its turn on the stream has come.

use crate::backend::Access;
use crate::element::Element;
use crate::view::{NodeId, View, ViewMut};

mod sealed {
    pub trait Sealed {}
}

/// One argument of a kernel, as it waits in the stream's queue.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Raw {
    addr: usize,
    len: usize,
}

/// A [`View`], a [`ViewMut`], or a tuple of up to twelve of them. Sealed.
pub trait KernelArgs: sealed::Sealed {
    /// What the kernel gets: `&[T]`, `&mut [T]`, or a tuple of these.
    type Slices<'k>;
    /// What waits in the queue.
    #[doc(hidden)]
    type Queued: Send + 'static;
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn visit(&self, f: &mut dyn FnMut(NodeId, Access));
    #[doc(hidden)]
    fn queue(self) -> Self::Queued;
    /// Turns the arguments into slices.
    ///
    /// # Safety
    /// Every span must be allocated and initialised, and for `'k` nobody else may write what is read here, or touch
    /// what is written here.
    #[doc(hidden)]
    unsafe fn slices<'k>(queued: Self::Queued) -> Self::Slices<'k>;
}

impl<T: Element> sealed::Sealed for View<'_, T> {}
impl<T: Element> KernelArgs for View<'_, T> {
    type Slices<'k> = &'k [T];
    type Queued = Raw;
    #[allow(private_interfaces)]
    fn visit(&self, f: &mut dyn FnMut(NodeId, Access)) {
        f(self.node, self.access());
    }
    fn queue(self) -> Raw {
        Raw { addr: self.addr, len: self.len }
    }
    unsafe fn slices<'k>(raw: Raw) -> &'k [T] {
        // SAFETY: a view spans `len` elements of a slab that is initialised, and aligned for `T`: blocks begin at
        // multiples of `pool::ALIGN`, `Buffer::bytes_of` refuses elements that need more, and parts begin at multiples
        // of the element's size. Every bit pattern is a `T`. The caller vouches for `'k` and for writers.
        unsafe { std::slice::from_raw_parts(raw.addr as *const T, raw.len) }
    }
}

impl<T: Element> sealed::Sealed for ViewMut<'_, T> {}
impl<T: Element> KernelArgs for ViewMut<'_, T> {
    type Slices<'k> = &'k mut [T];
    type Queued = Raw;
    #[allow(private_interfaces)]
    fn visit(&self, f: &mut dyn FnMut(NodeId, Access)) {
        f(self.node, self.access());
    }
    fn queue(self) -> Raw {
        Raw { addr: self.addr, len: self.len }
    }
    unsafe fn slices<'k>(raw: Raw) -> &'k mut [T] {
        // SAFETY: as for `View`; and the caller vouches that nobody else touches the span for `'k`.
        unsafe { std::slice::from_raw_parts_mut(raw.addr as *mut T, raw.len) }
    }
}

macro_rules! tuples {
    ($(($($arg:ident)+))*) => {$(
        impl<$($arg: KernelArgs),+> sealed::Sealed for ($($arg,)+) {}
        impl<$($arg: KernelArgs),+> KernelArgs for ($($arg,)+) {
            type Slices<'k> = ($($arg::Slices<'k>,)+);
            type Queued = ($($arg::Queued,)+);
            #[allow(private_interfaces, non_snake_case)]
            fn visit(&self, f: &mut dyn FnMut(NodeId, Access)) {
                let ($($arg,)+) = self;
                $($arg.visit(f);)+
            }
            #[allow(non_snake_case)]
            fn queue(self) -> Self::Queued {
                let ($($arg,)+) = self;
                ($($arg.queue(),)+)
            }
            #[allow(non_snake_case)]
            unsafe fn slices<'k>(queued: Self::Queued) -> Self::Slices<'k> {
                let ($($arg,)+) = queued;
                // SAFETY: the caller vouches for every argument; the borrows behind the views kept writers apart.
                ($(unsafe { <$arg as KernelArgs>::slices($arg) },)+)
            }
        }
    )*};
}

tuples! {
    (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) (A B C D E F G H I)
    (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L)
}
