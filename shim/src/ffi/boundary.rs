//! The one way from a C call into the rest and back: no panic across, and no way to skip what every call does.

use crate::driver::types::Code;
use crate::misuse::Misuse;
use crate::process::{self, Mode};
use crate::stats;
use crate::table::Symbol;
use std::panic::{AssertUnwindSafe, catch_unwind};

const INVALID_HANDLE: Code = 400;
const UNKNOWN: Code = 999;

/// A call of the program's.
pub(crate) struct Call<R> {
    pub(crate) symbol: Symbol,
    /// The process as the call found it.
    pub(crate) mode: Mode,
    real: R,
}

impl<R: Fn() -> Code> Call<R> {
    /// Makes the program's call of the driver's function. May block, so no lock is held here.
    #[inline]
    pub(crate) fn driver(&self) -> Code {
        if self.mode.counts() {
            stats::passed(self.symbol);
        }
        let code = (self.real)();
        process::note(code);
        code
    }

    /// Prints what the program did wrong, where it asked for that.
    #[inline]
    pub(crate) fn warn(&self, misuse: Misuse) {
        if self.mode.warns() {
            misuse.tell(self.symbol);
        }
    }
}

/// Runs the body of an exported function. `real` makes the same call of the driver's.
#[inline]
pub(crate) fn call<R: Fn() -> Code>(
    symbol: Symbol,
    real: R,
    body: impl FnOnce(&Call<R>) -> Result<Code, Misuse>,
) -> Code {
    let mode = process::mode();
    if mode.forwards() {
        return real();
    }
    let call = Call { symbol, mode, real };
    let run = || {
        if mode.counts() {
            stats::came(symbol);
        }
        body(&call).unwrap_or_else(|misuse| {
            call.warn(misuse);
            INVALID_HANDLE
        })
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(UNKNOWN)
}

/// Defines exported functions: `fn name(…) |call| { … }`, where `call` is the [`Call`], and the body a
/// `Result<Code, Misuse>`. `at_once { … }` before the body is an answer that needs no call.
macro_rules! exports {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(at_once $fast:block)? |$call:ident| $body:block)*) => { $(
        $(#[$meta])*
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::driver::types::Code {
            $(if let Some(code) = $fast {
                return code;
            })?
            // SAFETY: the caller's own arguments, for the driver's function of the same name and signature.
            let real = move || unsafe { $crate::driver::real!($name($($arg),*)) };
            $crate::ffi::boundary::call($crate::table::Symbol::$name, real, |$call| $body)
        }
    )* };
}
pub(crate) use exports;
