//! The steps of every call: judge it, call the driver, keep the result.

use crate::driver::function::Function;
use crate::driver::types::code::UNKNOWN;
use crate::driver::types::{CUevent, CUresult, CUstream};
use crate::misuse::Misuse;
use crate::process::{self, Mode};
use crate::settings::{STATS, TRACE, WARN};
use crate::{stats, trace};
use gevt_trace::driver_calls::DriverCall;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A call that the program makes.
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
        if self.mode.has(WARN) {
            misuse.print(self.function);
        }
    }

    /// Lets a trace show the call, if it reaches the driver, what it is about, and whether it is a record.
    #[inline]
    pub(crate) fn about(self, event: Option<CUevent>, stream: Option<CUstream>, records: bool) {
        if self.mode.has(TRACE) {
            trace::note(self.function, event, stream, records);
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

/// Runs an exported function. `before` judges the call and returns the function that keeps the driver's answer; `real` calls the driver.
///
/// The frame that calls the driver catches no panic and has nothing to clean up: a thread that is cancelled there unwinds past it. It
/// holds no lock, as the call may block.
#[inline(always)]
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
    let mut judged = judge(call, before);
    let after = match &mut judged {
        Ok(after) => after,
        Err(code) => return *code,
    };
    let traced = if mode.has(STATS | TRACE) { observe(call) } else { None };
    let code = real();
    if let Some(traced) = traced {
        traced.end();
    }
    settle(code, after)
}

/// Counts a call that is about to reach the driver, and begins its slice of a trace.
#[cold]
#[inline(never)]
fn observe(call: Call) -> Option<DriverCall> {
    if call.mode.has(STATS) {
        stats::passed(call.function);
    }
    if call.mode.has(TRACE) { trace::begin(call.function) } else { None }
}

/// Returns the function that keeps the driver's answer, or the answer of a call that does not reach the driver. No panic leaves it.
///
/// The values that `before` keeps for later are written into `run`'s variable and stay there: a move would take longer than most of the rest.
#[inline(never)]
fn judge<After>(call: Call, before: impl FnOnce(Call) -> Result<After, Instead>) -> Result<Option<After>, CUresult> {
    let mut judged = Err(UNKNOWN);
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if call.mode.has(STATS) {
            stats::came(call.function);
        }
        if call.mode.has(TRACE) {
            trace::forget();
        }
        judged = before(call).map(Some).map_err(|instead| call.answer(instead));
    }));
    judged
}

/// Keeps what came of the call. No panic leaves it.
#[inline(never)]
fn settle(code: CUresult, after: &mut Option<impl FnOnce(CUresult) -> CUresult>) -> CUresult {
    process::note(code);
    let keep = || after.take().map_or(code, |after| after(code));
    catch_unwind(AssertUnwindSafe(keep)).unwrap_or(UNKNOWN)
}
