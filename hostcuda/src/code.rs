//! Result codes.

use gevt_core::{Error, Status};

/// Why a call did not succeed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Code(pub(crate) i32);

/// The result of everything below the exported functions.
pub(crate) type Result<T = ()> = std::result::Result<T, Code>;

impl From<Error> for Code {
    fn from(error: Error) -> Code {
        match error {
            // The record of a process that has exited. No context of this process was destroyed.
            Error::PeerGone(Status::CONTEXT_IS_DESTROYED) => Code::UNKNOWN,
            error => Code(error.status().0),
        }
    }
}

impl Code {
    /// Returns the code of a call as a result.
    pub(crate) fn check(code: i32) -> Result {
        if code == 0 { Ok(()) } else { Err(Code(code)) }
    }
}

macro_rules! constants {
    ($($name:ident = $code:literal, $runtime:literal, $text:literal;)*) => {
        #[expect(dead_code, reason = "the list is CUDA's, and not every code has its case here")]
        impl Code {
            $(pub(crate) const $name: Code = Code($code);)*
        }
    };
}

cuda_abi::codes! { constants }
