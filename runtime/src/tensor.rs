//! Tensors: a buffer with a shape, for those who have no tensor type of their own.

use crate::buffer::{Buffer, HasBuffer};
use crate::element::Element;
use crate::error::{Error, Result};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// Extents of a tensor, outermost first. Owned, so that asking for a shape borrows nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Shape(Box<[usize]>);

impl Shape {
    /// How many elements a tensor of this shape has, unless that overflows.
    fn elements(&self) -> Option<usize> {
        self.0.iter().try_fold(1_usize, |n, &extent| n.checked_mul(extent))
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl From<&[usize]> for Shape {
    fn from(extents: &[usize]) -> Self {
        Shape(extents.into())
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(extents: [usize; N]) -> Self {
        Shape(extents.into())
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A [`Buffer`] with a [`Shape`]; contiguous, outermost extent first.
pub struct Tensor<T: Element> {
    buffer: Buffer<T>,
    shape: Shape,
}

impl<T: Element> Tensor<T> {
    /// Gives a buffer a shape.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the shape does not have exactly as many elements.
    pub fn new(buffer: Buffer<T>, shape: impl Into<Shape>) -> Result<Self> {
        let shape = shape.into();
        if shape.elements() == Some(buffer.len()) {
            Ok(Tensor { buffer, shape })
        } else {
            Err(Error::invalid(format!("shape {shape:?} does not have {} elements", buffer.len())))
        }
    }

    /// The extents, outermost first.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape.clone()
    }

    /// How many elements it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether it holds no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Gives up the shape and keeps the memory.
    #[must_use]
    pub fn into_buffer(self) -> Buffer<T> {
        self.buffer
    }

    /// Gives up the memory and keeps shape and type.
    #[must_use]
    pub fn into_meta(self) -> Meta<T> {
        Meta { shape: self.shape, elements: PhantomData }
    }
}

impl<T: Element> HasBuffer for Tensor<T> {
    type Elem = T;
    fn buffer(&self) -> &Buffer<T> {
        &self.buffer
    }
    fn buffer_mut(&mut self) -> &mut Buffer<T> {
        &mut self.buffer
    }
}

impl<T: Element> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor<{}>{:?}", std::any::type_name::<T>(), self.shape)
    }
}

/// What is left of a tensor without its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta<T> {
    shape: Shape,
    elements: PhantomData<fn() -> T>,
}

impl<T> Meta<T> {
    /// The extents, outermost first.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
}
