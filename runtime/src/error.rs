//! The one error of the crate: opaque, with what is known about where it happened.

use std::error::Error as StdError;
use std::fmt;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, coarsely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The pool and the device have no memory left for the request.
    OutOfMemory,
    /// A stream name that the lane does not have.
    UnknownStream,
    /// A buffer and a stream of different runtimes or devices.
    WrongDevice,
    /// Strict mode: a use that the chunk's plan did not cover.
    Unplanned,
    /// The backend cannot do what was asked.
    Unsupported,
    /// The device or its driver failed; the runtime refuses further work.
    Device,
    /// The caller asked for something impossible (a shape that does not fit, a length that overflows).
    Invalid,
}

/// Any failure of the runtime.
///
/// `Send + Sync + 'static`; keeps no device memory alive. [`Error::chunk`], [`Error::node`] and [`Error::stream`]
/// say where it happened, as far as that is known.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    chunk: Option<&'static str>,
    node: Option<&'static str>,
    stream: Option<String>,
    bytes: Option<usize>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            chunk: None,
            node: None,
            stream: None,
            bytes: None,
            source: None,
        }))
    }

    /// An error of the caller's own operators: a shape check that failed, say.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Attaches what caused this error.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn with_bytes(mut self, bytes: usize) -> Self {
        self.0.bytes.get_or_insert(bytes);
        self
    }

    /// Says where it happened, unless that is known already (an inner chunk knows better).
    pub(crate) fn at(mut self, chunk: &'static str, node: &'static str, stream: &str) -> Self {
        if self.0.node.is_none() && !node.is_empty() {
            self.0.chunk = Some(chunk);
            self.0.node = Some(node);
        }
        if self.0.stream.is_none() {
            self.0.stream = Some(stream.to_owned());
        }
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The chunk in which it happened.
    #[must_use]
    pub fn chunk(&self) -> Option<&str> {
        self.0.chunk
    }

    /// The node in which it happened.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        self.0.node
    }

    /// The stream on which it happened.
    #[must_use]
    pub fn stream(&self) -> Option<&str> {
        self.0.stream.as_deref()
    }

    /// The size in bytes of the memory concerned.
    #[must_use]
    pub fn bytes(&self) -> Option<usize> {
        self.0.bytes
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match (self.0.chunk, self.0.node, &self.0.stream) {
            (Some(c), Some(n), Some(s)) => write!(f, " (in node `{n}` of `{c}` on stream `{s}`)"),
            (_, _, Some(s)) => write!(f, " (on stream `{s}`)"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("chunk", &self.0.chunk)
            .field("node", &self.0.node)
            .field("stream", &self.0.stream)
            .field("bytes", &self.0.bytes)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|s| &**s as &(dyn StdError + 'static))
    }
}
