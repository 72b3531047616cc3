//! Streams: which ones live, and what becomes of the calls that make, use or end them.

use crate::call::{Call, Instead};
use crate::captures::Capture;
use crate::driver::contexts;
use crate::driver::types::{CUresult, CUstream, Out};
use crate::map::Map;
use crate::misuse::Misuse;
use crate::process::{self, Mode};
use crate::settings::TRACE;
use crate::tracked::{Tracked, judge};
use cuda_abi::STREAM_PER_THREAD;
use gevt_core::native_events::Seen;

static STREAMS: Map = Map::new();

/// A live stream, and how it stood when the call looked; nothing if it is the driver's to judge.
type Found = Option<(&'static Tracked, Seen)>;

/// Finds a live stream. The default ones, which are numbers, are the driver's.
#[inline(always)]
fn find(stream: CUstream, mode: Mode) -> Result<Found, Misuse> {
    let address = stream.address();
    if address <= STREAM_PER_THREAD {
        return Ok(None);
    }
    let found = STREAMS.find_at_once(address).filter(|(_, seen)| seen.is_live());
    if found.is_some() { Ok(found) } else { find_again(stream, mode) }
}

/// A stream whose making was not seen is remembered as live if the driver knows it.
#[cold]
#[inline(never)]
fn find_again(stream: CUstream, mode: Mode) -> Result<Found, Misuse> {
    let at = stream.address();
    let known = STREAMS.find(at);
    if known.is_some_and(|(_, seen)| seen.is_live()) {
        return Ok(known);
    }
    let which = [Misuse::DestroyedStream(at), Misuse::NotAStream(at), Misuse::UnknownStream(at)];
    judge(at, mode, known.map(|(tracked, _)| tracked), which)?;
    if known.is_none() && contexts::has_stream(stream) {
        process::saw_foreign();
        return Ok(make(stream));
    }
    Ok(None)
}

/// A stream lives there from now on.
fn make(stream: CUstream) -> Found {
    STREAMS.revive(stream.address(), |tracked, seen| tracked.known.revive(seen, false));
    STREAMS.find(stream.address())
}

/// Refuses a stream that was destroyed, and what cannot be one.
#[inline(always)]
pub(crate) fn check(stream: CUstream, mode: Mode) -> Result<(), Misuse> {
    find(stream, mode).map(drop)
}

/// A call that makes a stream.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
pub(crate) fn create(_call: Call, out: Out<CUstream>) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        if let Some(stream) = out.written(code) {
            Capture::of(stream, false).remove();
            make(stream);
        }
        code
    })
}

/// A query of the stream, or a wait for it.
#[inline(always)]
pub(crate) fn ask(call: Call, stream: CUstream) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    check(stream, call.mode)?;
    // A program may poll a stream very often.
    if call.mode.has(TRACE) && call.function.waits() {
        call.about(None, Some(stream), false);
    }
    Ok(|code| code)
}

/// A destroy. The stream counts as destroyed before the driver is called: then its pointer may be issued again at once.
pub(crate) fn destroy(call: Call, stream: CUstream) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let ended = match find(stream, call.mode)? {
        None => None,
        Some((tracked, seen)) => {
            let dead = tracked.known.kill(seen).ok_or(Misuse::DestroyedStream(stream.address()))?;
            Some((tracked, dead, Capture::of(stream, false).remove()))
        }
    };
    Ok(move |code| {
        if let Some((tracked, dead, was_captured)) = ended.filter(|_| code != 0) {
            tracked.known.unkill(dead);
            if was_captured {
                Capture::of(stream, false).began();
            }
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
        Capture::of(stream, call.function.is_per_thread()).ended(code);
        code
    })
}
