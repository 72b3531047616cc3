//! Streams: which ones live.

use crate::captures;
use crate::driver::memory::may_be_object;
use crate::driver::types::{Code, Stream};
use crate::ffi::boundary::Call;
use crate::map::Map;
use crate::misuse::Misuse;
use crate::process::Mode;
use std::sync::atomic::{AtomicU32, Ordering};

/// The default streams are numbers up to this one.
const LAST_NUMBER: usize = 2;

static STREAMS: Map<Life> = Map::new();

/// The streams that live at one address, one after the other: odd while one does.
struct Life(AtomicU32);

impl Life {
    fn is_live(&self) -> bool {
        self.0.load(Ordering::Acquire) % 2 == 1
    }

    /// The driver has issued the pointer.
    fn revive(&self) {
        let next = |life: u32| Some((life | 1).wrapping_add(life % 2 * 2));
        // The closure declines nothing.
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
    }

    /// The stream is about to be destroyed; gives what [`Life::unkill`] takes, or `None` where it was destroyed before.
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
fn find(stream: Stream, mode: Mode) -> Result<Option<&'static Life>, Misuse> {
    let address = stream.0 as usize;
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
pub(crate) fn check(stream: Stream, mode: Mode) -> Result<(), Misuse> {
    find(stream, mode).map(drop)
}

/// The driver has made a stream.
pub(crate) fn made(stream: Stream) {
    captures::stream_ended(stream);
    if let Some(life) = STREAMS.find_or_insert(stream.0 as usize, || Life(AtomicU32::new(0))) {
        life.revive();
    }
}

/// Destroys a stream. It counts as destroyed before the driver is called: then its pointer may be issued again at once.
pub(crate) fn destroy(call: &Call<impl Fn() -> Code>, stream: Stream) -> Result<Code, Misuse> {
    let Some(life) = find(stream, call.mode)? else { return Ok(call.driver()) };
    let dead = life.kill().ok_or(Misuse::DestroyedStream(stream.0 as usize))?;
    let was_captured = captures::stream_ended(stream);
    let code = call.driver();
    if code != 0 {
        life.unkill(dead);
        if was_captured {
            captures::began(stream, false, 0);
        }
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_lives_from_its_making_to_its_end() {
        let life = Life(AtomicU32::new(0));
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
