//! Streams: which ones live, and what becomes of the calls that make, use or end them.

use crate::call::{Call, Instead};
use crate::captures::{self, Capture};
use crate::driver::address::may_be_object;
use crate::driver::contexts;
use crate::driver::types::{CUresult, CUstream, Out};
use crate::map::Map;
use crate::misuse::Misuse;
use crate::process::{self, Mode};
use cuda_abi::STREAM_PER_THREAD;
use gevt_core::native_events::{NativeEvent, Seen};

/// A stream has the life of an event that is never recorded.
static STREAMS: Map<NativeEvent> = Map::new();

/// Returns the life of the stream at that pointer; none for the default streams and for one that is the driver's to judge.
#[inline]
fn find(stream: CUstream, mode: Mode) -> Result<Option<(&'static NativeEvent, Seen)>, Misuse> {
    let address = stream.address();
    // The default streams are numbers.
    if address <= STREAM_PER_THREAD {
        return Ok(None);
    }
    match STREAMS.find(address) {
        Some((life, seen)) if seen.is_live() => Ok(Some((life, seen))),
        known => find_foreign(stream, mode, known.is_some()),
    }
}

/// Judges a stream that was destroyed, or whose making was not seen. One that the driver knows is remembered as live. The driver is asked
/// about a destroyed one only if streams are made out of sight, since the question itself may crash it.
#[cold]
fn find_foreign(
    stream: CUstream,
    mode: Mode,
    was_destroyed: bool,
) -> Result<Option<(&'static NativeEvent, Seen)>, Misuse> {
    let address = stream.address();
    let may_live_again = !mode.is_strict() && (mode.trusts_no_memory() || process::has_foreign());
    match () {
        () if was_destroyed && !may_live_again => return Err(Misuse::DestroyedStream(address)),
        () if !was_destroyed && !may_be_object(address) => return Err(Misuse::NotAStream(address)),
        () if mode.is_strict() => return Err(Misuse::UnknownStream(address)),
        () => {}
    }
    match contexts::has_stream(stream) {
        Some(true) => {
            process::saw_foreign();
            STREAMS.revive(address, NativeEvent::revive);
            Ok(STREAMS.find(address))
        }
        Some(false) if was_destroyed => Err(Misuse::DestroyedStream(address)),
        _ => Ok(None),
    }
}

/// Refuses a stream that was destroyed, and what cannot be one.
#[inline]
pub(crate) fn check(stream: CUstream, mode: Mode) -> Result<(), Misuse> {
    find(stream, mode).map(drop)
}

/// A call that makes a stream.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
pub(crate) fn create(_call: Call, out: Out<CUstream>) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        if let Some(stream) = out.written(code) {
            captures::stream_ended(stream);
            STREAMS.revive(stream.address(), NativeEvent::revive);
        }
        code
    })
}

/// A query of the stream, or a wait for it.
#[inline(always)]
pub(crate) fn ask(call: Call, stream: CUstream) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    check(stream, call.mode)?;
    // A program may poll a stream very often.
    if call.mode.traces() && call.function.waits() {
        call.about(None, Some(stream));
    }
    Ok(|code| code)
}

/// A destroy. The stream counts as destroyed before the driver is called: then its pointer may be issued again at once.
pub(crate) fn destroy(call: Call, stream: CUstream) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let ended = match find(stream, call.mode)? {
        None => None,
        Some((life, seen)) => {
            let dead = life.kill(seen).ok_or(Misuse::DestroyedStream(stream.address()))?;
            Some((life, dead, captures::stream_ended(stream)))
        }
    };
    Ok(move |code| {
        if let Some((life, dead, capture)) = ended.filter(|_| code != 0) {
            life.unkill(dead);
            capture.inspect(|capture| capture.began());
        }
        code
    })
}

/// The beginning of a capture.
pub(crate) fn begin_capture(call: Call, stream: CUstream) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    check(stream, call.mode)?;
    let capture = Capture::of(stream, call.function.is_per_thread());
    Ok(move |code| {
        if code == 0 {
            capture.began();
        }
        code
    })
}

/// The end of a capture.
pub(crate) fn end_capture(call: Call, stream: CUstream) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    check(stream, call.mode)?;
    Ok(move |code| {
        captures::ended(stream, call.function.is_per_thread(), code);
        code
    })
}
