use super::*;
use crate::point::Awaitable;

fn timelines() -> [&'static Timeline; 2] {
    [(); 2].map(|()| &*Box::leak(Box::default()))
}

fn local(cell: HostCell<'_>) -> (*const Timeline, u64, i64) {
    match HostMark::of(cell.mark()) {
        HostMark::Local(point, stamp) => (point.timeline, point.position, stamp),
        _ => (std::ptr::null(), 0, 0),
    }
}

#[test]
fn a_late_stamp_does_not_reach_a_later_mark() {
    let cell = Cell::default();
    let (host, [one, other]) = (HostCell::of(&cell), timelines());
    host.set::<()>(one, |serial| Ok((serial * 10, 0))).expect("it was submitted");
    let first = cell.serial();
    assert_eq!(local(host), (one as *const _, first * 10, 0));
    host.set::<()>(other, |_| Ok((0, 7))).expect("it was submitted");
    host.stamp(first, 99);
    assert_eq!(local(host), (other as *const _, 0, 7));
    host.stamp(cell.serial(), 8);
    assert_eq!(local(host).2, 8);
    let last = cell.serial();
    assert_eq!(host.set(one, |_| Err("no memory")), Err("no memory"));
    host.stamp(last, 9);
    assert_eq!(local(host), (other as *const _, 0, 9), "the old mark stays, and its stamp comes");
    host.clear();
    host.stamp(last, 9);
    assert_eq!(host.mark(), Mark::default());
}

#[test]
fn a_reader_never_sees_half_of_a_mark() {
    let cell = Cell::default();
    let (host, timelines) = (HostCell::of(&cell), timelines());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 1..200_000 {
                let _ = host.set::<()>(timelines[n as usize % 2], |serial| Ok((serial * 2, 0)));
            }
        });
        while !writer.is_finished() {
            let (timeline, position, _) = local(host);
            assert!(timeline.is_null() || std::ptr::eq(timeline, timelines[(position / 2) as usize % 2]));
        }
    });
}

#[test]
fn a_gate_is_opened_once_and_comes_again() {
    let cell = Cell::default();
    let host = HostCell::of(&cell);
    let reached = |mark| HostMark::of(mark).reached();
    assert!(!host.open(Status::SUCCESS, 1), "there is none");
    let marks = [Status(-719), Status::SUCCESS, Status(7)].map(|status| {
        assert_eq!(host.arm(), Ok(()));
        let mark = host.mark();
        assert_eq!((host.arm(), host.mark()), (Ok(()), mark), "it stays as long as it is closed");
        assert_eq!(reached(mark), Ok(false));
        assert!(host.open(status, 5) && !host.open(Status::SUCCESS, 6));
        host.mark()
    });
    let failed = |status| Err(Error::EventFailed(Status(status)));
    assert_eq!(marks.map(reached), [failed(-719), Ok(true), failed(7)]);
    assert_eq!(marks.map(|mark| HostMark::of(mark).time()), [0, 5, 0]);
    host.clear();
    assert_eq!(marks.map(reached), [failed(-719), Ok(true), failed(7)]);
    let [stream, _] = timelines();
    host.set::<()>(stream, |_| Ok((0, 0))).expect("it was submitted");
    assert_eq!(host.arm(), Err(Error::Internal), "it has another mark");
}
