//! Errors of the driver.

use crate::error::{Error, ErrorKind};
use cudarc::driver::{DriverError, sys::CUresult};
use std::fmt;
use std::sync::OnceLock;

/// The first error that made the context useless: it is given out again for all further work.
#[derive(Default)]
pub(super) struct Failure(OnceLock<(String, DriverError)>);

impl Failure {
    /// An error of ours for one of the driver's.
    pub(super) fn note(&self, what: &str, error: DriverError) -> Error {
        if is_sticky(error.0) {
            return made(self.0.get_or_init(|| (what.to_owned(), error)));
        }
        let kind = match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => ErrorKind::OutOfMemory,
            CUresult::CUDA_ERROR_NOT_SUPPORTED | CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => {
                ErrorKind::Unsupported
            }
            _ => ErrorKind::Device,
        };
        explained(kind, what, error)
    }

    pub(super) fn get(&self) -> Option<Error> {
        self.0.get().map(made)
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.get().is_some()
    }
}

fn made((what, error): &(String, DriverError)) -> Error {
    explained(ErrorKind::Device, what, *error)
}

/// For errors before there is a device.
pub(super) fn explained(kind: ErrorKind, what: &str, error: DriverError) -> Error {
    let cause = Cause::of(error);
    Error::new(kind, format!("{what} failed: {cause}")).caused_by(cause)
}

/// The driver's words for an error.
#[derive(Debug)]
struct Cause {
    name: String,
    text: String,
}

impl Cause {
    fn of(error: DriverError) -> Self {
        let words = |found: Result<&std::ffi::CStr, DriverError>| {
            found.map_or_else(|_| format!("error {}", error.0 as u32), |s| s.to_string_lossy().into_owned())
        };
        Cause { name: words(error.error_name()), text: words(error.error_string()) }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.name)
    }
}

impl std::error::Error for Cause {}

/// Whether every later call in the context will fail, too. The list is the driver's documentation of its error codes:
/// those that leave the process in an inconsistent state.
fn is_sticky(error: CUresult) -> bool {
    matches!(
        error,
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
            | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUresult::CUDA_ERROR_ASSERT
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_DEINITIALIZED
            | CUresult::CUDA_ERROR_SYSTEM_NOT_READY
            | CUresult::CUDA_ERROR_UNKNOWN
    )
}
