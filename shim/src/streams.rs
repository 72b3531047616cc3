//! Streams: which ones live, and what becomes of the calls that make, use or end them.

use crate::call::{Call, Instead};
use crate::captures;
use crate::driver::address::may_be_object;
use crate::driver::types::{CUresult, CUstream, Out};
use crate::map::Map;
use crate::misuse::Misuse;
use crate::process::Mode;
use std::sync::atomic::{AtomicU32, Ordering};

/// The default streams are numbers up to this one.
const LAST_NUMBER: usize = 2;

static STREAMS: Map<StreamLife> = Map::new();

/// The streams that live at one address, one after the other: odd while one does.
struct StreamLife(AtomicU32);

impl StreamLife {
    fn is_live(&self) -> bool {
        self.0.load(Ordering::Acquire) % 2 == 1
    }

    /// The driver has issued the pointer.
    fn revive(&self) {
        let next = |life: u32| Some((life | 1).wrapping_add(life % 2 * 2));
        // The closure declines nothing.
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
    }

    /// The stream is about to be destroyed; gives what [`StreamLife::unkill`] takes, or `None` where it was destroyed before.
    fn kill(&self) -> Option<u32> {
        let life = self.0.load(Ordering::Acquire);
        let dead = life.wrapping_add(1);
        let kill = || self.0.compare_exchange(life, dead, Ordering::AcqRel, Ordering::Acquire).is_ok();
        (life % 2 == 1 && kill()).then_some(dead)
    }

    /// The driver has refused. Another stream may live there by now.
    fn unkill(&self, dead: u32) {
        // Where it fails there is nothing to undo.
        let _ = self.0.compare_exchange(dead, dead.wrapping_add(1), Ordering::AcqRel, Ordering::Acquire);
    }
}

/// The life of the stream at that pointer; none for the default streams and for one that is the driver's to judge.
#[inline]
fn find(stream: CUstream, mode: Mode) -> Result<Option<&'static StreamLife>, Misuse> {
    let address = stream.address();
    if address <= LAST_NUMBER {
        return Ok(None);
    }
    match STREAMS.find(address) {
        Some(life) if life.is_live() => Ok(Some(life)),
        Some(_) => Err(Misuse::DestroyedStream(address)),
        None => refuse(address, mode).map(|()| None),
    }
}

#[cold]
fn refuse(address: usize, mode: Mode) -> Result<(), Misuse> {
    match () {
        () if !may_be_object(address) => Err(Misuse::NotAStream(address)),
        () if mode.is_strict() => Err(Misuse::UnknownStream(address)),
        () => Ok(()),
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
            if let Some(life) = STREAMS.find_or_insert(stream.address(), || StreamLife(AtomicU32::new(0))) {
                life.revive();
            }
        }
        code
    })
}

/// A query of the stream, or a wait for it.
#[inline(always)]
pub(crate) fn ask(call: Call, stream: CUstream) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    check(stream, call.mode)?;
    Ok(|code| code)
}

/// A destroy. The stream counts as destroyed before the driver is called: then its pointer may be issued again at once.
pub(crate) fn destroy(call: Call, stream: CUstream) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let ended = match find(stream, call.mode)? {
        None => None,
        Some(life) => {
            let dead = life.kill().ok_or(Misuse::DestroyedStream(stream.address()))?;
            Some((life, dead, captures::stream_ended(stream)))
        }
    };
    Ok(move |code| {
        if let Some((life, dead, was_captured)) = ended.filter(|_| code != 0) {
            life.unkill(dead);
            if was_captured {
                captures::began(stream, false);
            }
        }
        code
    })
}

/// The beginning of a capture.
pub(crate) fn begin_capture(call: Call, stream: CUstream) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    check(stream, call.mode)?;
    Ok(move |code| {
        if code == 0 {
            captures::began(stream, call.function.is_per_thread());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_lives_from_its_making_to_its_end() {
        let life = StreamLife(AtomicU32::new(0));
        assert!(!life.is_live() && life.kill().is_none() && !life.is_live());
        life.revive();
        assert!(life.is_live());
        let dead = life.kill().expect("it lives");
        assert!(!life.is_live() && life.kill().is_none());
        life.unkill(dead);
        assert!(life.is_live());
        let dead = life.kill().expect("it lives");
        life.revive();
        assert!(life.is_live());
        life.unkill(dead);
        assert!(life.is_live(), "a late refusal ended another stream");
        life.revive();
        assert!(life.is_live(), "issued again, and its end was not seen");
    }
}
