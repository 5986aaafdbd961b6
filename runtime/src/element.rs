//! What buffers hold.

/// A type whose every bit pattern is a value: numbers, and plain structs of them that implement
/// [`bytemuck::Pod`].
pub trait Element: bytemuck::Pod + Send + Sync {}

impl<T: bytemuck::Pod + Send + Sync> Element for T {}
