//! The frequent calls, on streams and events that nobody keeps from being destroyed: streams are never freed, and what a call does
//! counts only if their handles have lived till then. Where such a call gives up, nothing has been done.

use super::Host;
use super::cell::HostCell;
use super::queue::Given;
use super::work::Work;
use crate::backend::{Cell, HostFn, NativeStream, RecordMode, Recorded};
use crate::clock;
use crate::table::Life;
use crate::workers;

/// See [`crate::backend::Backend::launch_unkept`].
#[inline]
pub(super) fn launch(host: &Host, stream: NativeStream, function: HostFn, life: Life<'_>) -> bool {
    let Ok(stream) = host.0.resolve(stream) else { return false };
    workers::get().has_workers()
        && matches!(host.0.submit(stream, Work::Call(function), || life.lasts()), Given::Until(_) | Given::Started(_))
}

/// See [`crate::backend::Backend::wait_unkept`].
#[inline]
pub(super) fn wait(host: &Host, stream: NativeStream, life: Life<'_>, cell: &Cell, event: Life<'_>) -> bool {
    let Ok(stream) = host.0.resolve(stream) else { return false };
    let Some(point) = HostCell::of(cell).local_point(event) else { return false };
    // Where the stream has work, one more piece of it costs less than asking how far the other stream has come.
    let is_over = std::ptr::eq(point.stream, stream) || (!stream.is_running() && point.is_reached());
    // A failure was noted before the point was reached.
    if is_over || point.stream.has_ever_failed() {
        return is_over && !point.stream.has_ever_failed();
    }
    workers::get().has_workers()
        && matches!(host.0.submit(stream, Work::Wait(point), || life.lasts()), Given::Until(_) | Given::Started(_))
}

/// See [`crate::backend::Backend::record_unkept`].
#[inline]
pub(super) fn record(
    host: &Host,
    stream: NativeStream,
    life: Life<'_>,
    cell: &'static Cell,
    mode: RecordMode,
) -> Option<Recorded> {
    let stream = host.0.resolve(stream).ok().filter(|_| !mode.interprocess)?;
    // How far the stream has come is not asked: who runs it writes that all the time.
    let end = if mode.is_timed() || !stream.is_running() { None } else { host.0.own_end(stream) };
    if end.is_none() && host.0.is_idle(stream) {
        let time = clock::now();
        return life.lasts().then(|| {
            HostCell::of(cell).set_reached(stream, time);
            Recorded::Complete
        });
    }
    let submit = |serial| match end {
        Some(position) => life.lasts().then_some(position).ok_or(()),
        None if !workers::get().has_workers() => Err(()),
        None => match host.0.submit(stream, Work::Stamp { cell, serial }, || life.lasts()) {
            Given::Until(position) | Given::Started(position) => Ok(position),
            Given::Ended | Given::NoMemory => Err(()),
        },
    };
    HostCell::of(cell).set_pending(stream, submit).ok().map(|()| Recorded::Pending)
}
