use super::*;

fn streams() -> [&'static HostStream; 2] {
    [(); 2].map(|()| &*Box::leak(Box::default()))
}

fn local(cell: HostCell<'_>) -> (*const HostStream, u64, i64) {
    match HostMark::of(cell.mark()) {
        HostMark::Local(point, stamp) => (point.stream, point.position, stamp),
        _ => (std::ptr::null(), 0, 0),
    }
}

#[test]
fn a_late_stamp_does_not_reach_a_later_mark() {
    let cell = Cell::default();
    let (host, [one, other]) = (HostCell::of(&cell), streams());
    host.set_pending::<()>(one, |serial| Ok(serial * 10)).expect("it was submitted");
    let first = cell.serial();
    assert_eq!(local(host), (one as *const _, first * 10, 0));
    host.set_reached(other, 7);
    host.stamp(first, 99);
    assert_eq!(local(host), (other as *const _, 0, 7));
    host.stamp(cell.serial(), 8);
    assert_eq!(local(host).2, 8);
    let last = cell.serial();
    assert_eq!(host.set_pending(one, |_| Err("no memory")), Err("no memory"));
    host.stamp(last, 9);
    assert_eq!(local(host), (other as *const _, 0, 9), "the old mark stays, and its stamp comes");
    host.clear();
    host.stamp(last, 9);
    assert_eq!(host.mark(), Mark::default());
}

#[test]
fn a_reader_never_sees_half_of_a_mark() {
    let cell = Cell::default();
    let (host, streams) = (HostCell::of(&cell), streams());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 1..200_000 {
                let _ = host.set_pending::<()>(streams[n as usize % 2], |serial| Ok(serial * 2));
            }
        });
        while !writer.is_finished() {
            let (stream, position, _) = local(host);
            assert!(stream.is_null() || std::ptr::eq(stream, streams[(position / 2) as usize % 2]));
        }
    });
}
