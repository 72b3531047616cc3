//! What every call does: it is judged, it reaches the driver, and what came of it is kept.

use crate::driver::function::Function;
use crate::driver::types::{CUevent, CUresult, CUstream};
use crate::misuse::Misuse;
use crate::process::{self, Mode};
use crate::{stats, trace};
use std::panic::{AssertUnwindSafe, catch_unwind};

const UNKNOWN: CUresult = 999;

/// A call of the program's.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    pub(crate) function: &'static Function,
    /// The process as the call found it.
    pub(crate) mode: Mode,
}

/// Why the driver is not called.
pub(crate) enum Instead {
    /// The answer is known.
    Answer(CUresult),
    /// The driver could crash.
    Refuse(Misuse),
}

impl From<Misuse> for Instead {
    fn from(misuse: Misuse) -> Instead {
        Instead::Refuse(misuse)
    }
}

impl Call {
    /// Prints what the program did wrong, if it asked for that.
    #[inline]
    pub(crate) fn warn(self, misuse: Misuse) {
        if self.mode.warns() {
            misuse.print(self.function);
        }
    }

    /// Lets a trace show the call, if it reaches the driver, and what it is about.
    #[inline]
    pub(crate) fn about(self, event: Option<CUevent>, stream: Option<CUstream>) {
        if self.mode.traces() {
            trace::note(self.function, event, stream, false);
        }
    }

    /// As [`Call::about`], for a record.
    #[inline]
    pub(crate) fn records(self, event: CUevent, stream: Option<CUstream>) {
        if self.mode.traces() {
            trace::note(self.function, Some(event), stream, true);
        }
    }

    fn answer(self, instead: Instead) -> CUresult {
        match instead {
            Instead::Answer(code) => code,
            Instead::Refuse(misuse) => {
                self.warn(misuse);
                misuse.code()
            }
        }
    }
}

/// Runs an exported function. `before` judges the call and returns what is to be done with the driver's answer, which `real`
/// gets.
///
/// No panic leaves `before` and what follows. The driver is called outside of both, with nothing to clean up: a thread that
/// is cancelled there unwinds past this function. No lock is held there either, as the call may block.
#[inline]
pub(crate) fn run<After: FnOnce(CUresult) -> CUresult>(
    function: &'static Function,
    real: impl Fn() -> CUresult,
    before: impl FnOnce(Call) -> Result<After, Instead>,
) -> CUresult {
    let mode = process::mode();
    if mode.forwards() {
        return real();
    }
    let call = Call { function, mode };
    let judge = || {
        if mode.counts() {
            stats::came(function);
        }
        if mode.traces() {
            trace::forget();
        }
        before(call).map_err(|instead| call.answer(instead))
    };
    let after = match catch_unwind(AssertUnwindSafe(judge)) {
        Ok(Ok(after)) => after,
        Ok(Err(code)) => return code,
        Err(_) => return UNKNOWN,
    };
    if mode.counts() {
        stats::passed(function);
    }
    let traced = if mode.traces() { trace::begin(function) } else { None };
    let code = real();
    if let Some(traced) = traced {
        traced.end();
    }
    process::note(code);
    catch_unwind(AssertUnwindSafe(|| after(code))).unwrap_or(UNKNOWN)
}

/// A call that reaches the driver as it is.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
pub(crate) fn forward(call: Call) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    call.about(None, None);
    Ok(|code| code)
}
