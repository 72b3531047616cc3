use super::block::{ForeignPage, OwnPage, PagePlace};
use super::handle::Origin;
use super::page::{Outcome, Page};
use super::{Look, PEER_GONE, SharedEvent};
use crate::backend::host::cell::HostCell;
use crate::backend::host::{Host, HostDevice, HostStream};
use crate::backend::{Backend, Cell, HostFn, RecordMode, Recorded};
use crate::error::Error;
use crate::os::{FileName, ProcessId};
use crate::status::Status;
use crate::workers::{Parker, Waiter};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn own() -> Arc<SharedEvent> {
    SharedEvent::new(PagePlace::Own(OwnPage::take().expect("there is memory")))
}

fn origin(shared: &SharedEvent) -> Origin {
    Origin::from_bytes(&shared.export().expect("it can be exported")).expect("the bytes are good")
}

/// The same event once more, mapped as another process would.
fn peer_of(shared: &SharedEvent) -> Arc<SharedEvent> {
    let origin = origin(shared);
    let place = ForeignPage::open(origin.exporter, origin.file, origin.page);
    SharedEvent::new(PagePlace::Foreign(place.expect("it can be opened")))
}

/// What takes longer hangs.
const HANG_MS: u64 = 300_000;

fn after(ms: u64) -> Option<Instant> {
    Some(Instant::now() + Duration::from_millis(ms))
}

/// Enters a process that has ended as the one that records next.
fn record_by_a_dead_process(shared: &SharedEvent) -> u64 {
    let mut child = std::process::Command::new("true").spawn().expect("true is there");
    let dead = ProcessId(u64::from(child.id()) | 1 << 32);
    child.wait().expect("it ends");
    record_by(shared, dead)
}

fn record_by(shared: &SharedEvent, peer: ProcessId) -> u64 {
    let number = shared.page().enter(peer.0, |_| false).expect("there is room");
    shared.page().begin(number, 0, |_| false).expect("there is room").0
}

#[test]
fn what_one_side_records_the_other_sees() {
    let shared = own();
    let peer = peer_of(&shared);
    assert_eq!(peer.reached(peer.last()), Ok(true));
    let number = peer.number().expect("there is room");
    let (ticket, _) = peer.page().begin(number, 0, |_| false).expect("there is room");
    assert_eq!((shared.last(), shared.reached(ticket)), (ticket, Ok(false)));
    shared.record_done();
    assert_eq!(peer.reached(peer.last()), Ok(true));
    assert_eq!(shared.reached(ticket), Ok(false));
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| shared.block(ticket, true, after(HANG_MS)));
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(shared.block(ticket, false, after(1)), Ok(false));
        peer.finish(ticket, Status::SUCCESS);
        assert_eq!(waiter.join().expect("it ends"), Ok(true));
    });
}

#[test]
fn an_event_is_exported_under_one_handle() {
    let shared = own();
    assert_eq!(shared.export(), shared.export());
    assert_eq!(peer_of(&shared).export(), Err(Error::NotExportable));
    assert_ne!(own().export(), shared.export());
}

#[test]
fn an_event_begins_anew_in_a_page_that_was_never_exported() {
    for _ in 0..20 {
        let old = own();
        record_by_a_dead_process(&old);
        drop(old);
        // The page that was given back last is the first to be taken, unless another test is quicker.
        let new = own();
        assert_eq!(new.reached(new.last()), Ok(true));
    }
}

#[test]
fn only_memory_that_was_made_for_events_is_opened() {
    let good = origin(&own());
    let open = |origin: Origin| ForeignPage::open(origin.exporter, origin.file, origin.page).is_ok();
    assert!(open(good));
    assert!(!open(Origin { page: 256, ..good }));
    assert!(!open(Origin { page: u32::MAX, ..good }));
    assert!(!open(Origin { file: FileName { inode: good.file.inode + 1, ..good.file }, ..good }));
    assert!(!open(Origin { file: FileName { descriptor: u32::MAX, ..good.file }, ..good }));
    assert!(!open(Origin { exporter: ProcessId(0), ..good }));
    // A file of another kind, and one that its owner can still cut off.
    let kinds = [std::fs::File::open("/dev/null"), std::fs::File::open("/proc/self/exe")];
    for file in kinds.into_iter().chain([unsealed()]).map(|file| file.expect("it opens")) {
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file).cast_unsigned();
        let inode = file.metadata().expect("it is there").ino();
        assert!(!open(Origin { file: FileName { descriptor, inode }, ..good }));
    }
}

/// A mounted file whose file system never answers, and the end that keeps it mounted; `None` where this user may not mount.
fn silent_file() -> Option<(std::fs::File, std::fs::File)> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    let server = std::fs::File::options().read(true).write(true).open("/dev/fuse").ok()?;
    let options = format!("fd={},rootmode=100000,user_id=0,group_id=0\0", server.as_raw_fd());
    let place = std::env::temp_dir().join(format!("silent-{}", std::process::id()));
    std::fs::write(&place, "").ok()?;
    let path = std::ffi::CString::new(place.to_str()?).ok()?;
    let private = libc::MS_REC | libc::MS_PRIVATE;
    let none = std::ptr::null();
    // SAFETY: the strings end with a zero. The thread has the mount to itself.
    let mounted = unsafe {
        libc::unshare(libc::CLONE_NEWNS) == 0
            && libc::mount(none, c"/".as_ptr(), none, private, none.cast()) == 0
            && libc::mount(c"silent".as_ptr(), path.as_ptr(), c"fuse".as_ptr(), 0, options.as_ptr().cast()) == 0
    };
    let file = std::fs::File::options().read(true).custom_flags(libc::O_PATH).open(&place);
    // SAFETY: the string ends with a zero.
    let _ = unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) };
    let _ = std::fs::remove_file(&place);
    file.ok().filter(|_| mounted).map(|file| (file, server))
}

#[test]
fn a_forged_handle_leads_to_no_file_system_that_never_answers() {
    let Some((file, server)) = silent_file() else {
        eprintln!("SKIPPED: this user may not mount");
        return;
    };
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file).cast_unsigned();
    let (told, answer) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let me = ProcessId::me().expect("there is /proc");
            told.send(ForeignPage::open(me, FileName { descriptor, inode: 1 }, 0).is_err())
        });
        let answer = answer.recv_timeout(Duration::from_millis(HANG_MS));
        // Whoever still waits for it gets an error.
        drop(server);
        assert_eq!(answer, Ok(true));
    });
}

/// As long as a block, without seals.
fn unsealed() -> std::io::Result<std::fs::File> {
    // SAFETY: the name is a C string, and the descriptor is new.
    let file = unsafe { std::os::fd::FromRawFd::from_raw_fd(libc::memfd_create(c"gevt".as_ptr(), libc::MFD_CLOEXEC)) };
    std::fs::File::set_len(&file, 256 * size_of::<Page>() as u64)?;
    Ok(file)
}

#[test]
fn forged_handles_are_refused() {
    let shared = own();
    let good = origin(&shared);
    let cell = Cell::default();
    let refused = |origin: Origin, why: Error| assert_eq!(SharedEvent::import(&origin.to_bytes(), &cell), Err(why));
    // Another start time is another process, which would be gone but for its number.
    let other = ProcessId(good.exporter.0 ^ 1 << 40);
    refused(good, Error::IpcSameProcess);
    refused(Origin { user: good.user + 1, ..good }, Error::IpcForeignUser);
    refused(Origin { exporter: other, nonce: [1, 2], ..good }, Error::IpcBadHandle);
    refused(Origin { exporter: other, page: 999, ..good }, Error::PeerGone(Status::MAP_FAILED));
    let nowhere = FileName { descriptor: u32::MAX, ..good.file };
    refused(Origin { exporter: ProcessId(1), file: nowhere, ..good }, Error::PeerGone(Status::MAP_FAILED));
    assert_eq!(SharedEvent::import(&[0x5a; 64], &cell), Err(Error::IpcBadHandle));
    assert!(HostCell::of(&cell).shared().is_none());
}

#[test]
fn a_block_goes_with_its_events() {
    let inode_of = |shared: &SharedEvent| origin(shared).file.inode;
    let first = own();
    let inode = inode_of(&first);
    let is_open = || {
        let entries = std::fs::read_dir("/proc/self/fd").expect("/proc is there").flatten();
        entries.filter_map(|entry| std::fs::metadata(entry.path()).ok()).any(|about| about.ino() == inode)
    };
    drop(first);
    assert!(is_open());
    // Two blocks later nobody needs it; other tests may hold some of its pages for a while.
    let deadline = after(HANG_MS);
    while is_open() {
        assert!((0..600).all(|_| own().export().is_ok()));
        assert!(Instant::now() < deadline.expect("a time"), "the block stays");
    }
}

#[test]
fn a_wait_for_a_dead_process_ends() {
    let shared = own();
    let ticket = record_by_a_dead_process(&shared);
    assert_eq!(shared.block(ticket, true, after(HANG_MS)), Err(PEER_GONE));
    assert_eq!(shared.reached(ticket), Err(PEER_GONE));
    // What it had finished stays finished, and a new record makes the event sound.
    shared.record_done();
    assert_eq!(shared.reached(shared.last()), Ok(true));
    assert_eq!(shared.look(ticket), Look::Gone);
}

/// An event with a record that a living process has to finish, and one that a dead one had to.
fn of_the_living_and_the_dead() -> (Arc<SharedEvent>, u64, u64) {
    let shared = own();
    let living = record_by(&shared, ProcessId::of(std::os::unix::process::parent_id()));
    let dead = record_by_a_dead_process(&shared);
    (shared, living, dead)
}

#[test]
fn looks_after_a_living_process_do_not_keep_a_dead_one_from_being_found() {
    let (shared, living, dead) = of_the_living_and_the_dead();
    // Each of the first looks comes when one is due.
    let looks = (0..4).map(|_| {
        std::thread::sleep(super::wait::INTERVAL + Duration::from_millis(1));
        assert_eq!(shared.reached(living), Ok(false));
        shared.reached(dead)
    });
    assert!(looks.collect::<Vec<_>>().contains(&Err(PEER_GONE)));
    assert_eq!(shared.look_here(dead), Look::Gone);
}

#[test]
fn who_waits_for_a_dead_process_hears_of_it_beside_one_who_waits_for_a_living_one() {
    let (shared, living, _) = of_the_living_and_the_dead();
    let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep is there");
    let mortal = record_by(&shared, ProcessId::of(child.id()));
    let [patient, bereft] = [(); 2].map(|()| Parker::new());
    for (ticket, parker) in [(living, &patient), (mortal, &bereft)] {
        assert!(shared.notify(ticket, Waiter::Thread(parker.clone())).is_ok_and(|back| back.is_none()));
    }
    child.kill().expect("it is ours");
    assert_eq!(bereft.park(after(HANG_MS)), Ok(true), "nobody was woken");
    SharedEvent::forget(&patient);
    child.wait().expect("it ends");
}

#[test]
fn of_many_dead_processes_each_stays_known() {
    let shared = own();
    let lost = [(); 3].map(|()| record_by_a_dead_process(&shared));
    for ticket in lost {
        assert_eq!(shared.block(ticket, false, None), Err(PEER_GONE));
    }
    assert_eq!(lost.map(|ticket| shared.look_here(ticket)), [Look::Gone; 3]);
}

#[test]
fn a_stream_without_what_it_waited_for_says_so_until_it_is_asked() {
    let host = Host(Box::leak(Box::new(HostDevice::new(0))));
    let mode = RecordMode { flags: 6, external: false, interprocess: true, capturable: false };
    let plain = RecordMode { flags: 0, interprocess: false, ..mode };
    let [shared, local, passed_on, later] = [(); 4].map(|()| &*Box::leak(Box::new(Cell::default())));
    let [stream, second] = [(); 2].map(|()| host.create_stream(true).expect("a stream"));
    SharedEvent::of_cell_or_new(shared).expect("there is memory");
    let event = HostCell::of(shared).shared().expect("it is shared");
    let Outcome::Pending(number) = event.page().outcome(record_by_a_dead_process(event)) else { panic!("it is done") };
    event.looked_at.store(event.page().peer(number), Ordering::Relaxed);
    event.next_look.store(i64::MAX, Ordering::Relaxed);
    host.wait(stream, host.mark(shared), false).expect("it is not known yet");
    assert_eq!(host.record(stream, local, plain), Ok(Recorded::Pending));
    host.wait(second, host.mark(local), false).expect("it is pending");
    assert_eq!(host.record(second, passed_on, mode), Ok(Recorded::Pending));
    event.next_look.store(0, Ordering::Relaxed);
    for cell in [local, passed_on] {
        assert_eq!(host.block(host.mark(cell), true, after(HANG_MS)), Err(PEER_GONE));
    }
    assert_eq!(host.query_stream(stream), Err(PEER_GONE));
    assert_eq!(host.wait(second, host.mark(local), false), Err(PEER_GONE));
    assert_eq!(host.record(stream, later, plain), Ok(Recorded::Pending));
    assert_eq!(host.sync_stream(stream, None), Err(PEER_GONE));
    assert_eq!(host.reached(host.mark(later)), Err(PEER_GONE));
    assert_eq!(host.sync_stream(stream, None), Ok(true));
    assert_eq!(host.record(stream, later, plain), Ok(Recorded::Complete));
    assert_eq!(host.reached(host.mark(later)), Ok(true));
    assert_eq!(host.reached(host.mark(local)), Err(PEER_GONE));
    assert_eq!(host.sync(None), Err(PEER_GONE));
    assert_eq!(host.query_stream(second), Ok(true));
}

extern "C" fn pass(user: *mut std::ffi::c_void) {
    // SAFETY: the test keeps the receiver until the stream has ended.
    let _ = unsafe { &*user.cast::<std::sync::mpsc::Receiver<()>>() }.recv();
}

#[test]
fn what_was_given_before_somebody_was_told_fails_also_where_it_is_done_after_that() {
    let host = Host(Box::leak(Box::new(HostDevice::new(0))));
    let mode = RecordMode { flags: 6, external: false, interprocess: true, capturable: false };
    let [lost, passed_on] = [(); 2].map(|()| &*Box::leak(Box::new(Cell::default())));
    let stream = host.create_stream(true).expect("a stream");
    let event = SharedEvent::of_cell_or_new(lost).expect("there is memory");
    let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep is there");
    record_by(event, ProcessId::of(child.id()));
    let (open, mut gate) = std::sync::mpsc::channel();
    host.wait(stream, host.mark(lost), false).expect("it is pending");
    host.launch(stream, HostFn { function: pass, user: std::ptr::from_mut(&mut gate).cast() }).expect("it is taken");
    assert_eq!(host.record(stream, passed_on, mode), Ok(Recorded::Pending));
    child.kill().expect("it is ours");
    let end = after(HANG_MS);
    while HostStream::of(stream).take_failure().is_none() {
        assert!(Instant::now() < end.expect("a time"), "nothing fails");
        std::thread::yield_now();
    }
    open.send(()).expect("the function waits");
    assert_eq!(host.block(host.mark(passed_on), true, after(HANG_MS)), Err(PEER_GONE));
    assert_eq!(host.sync_stream(stream, None), Ok(true));
    child.wait().expect("it ends");
}

#[test]
fn threads_that_enter_at_once_in_places_of_the_dead_have_one_number() {
    for round in 0..200 {
        let shared = own();
        // So that no other test gets this page.
        origin(&shared);
        // Nobody has the number 0.
        shared.page().fill_peers(|place| (place as u64 + 1) << 40);
        let ready = AtomicUsize::new(0);
        let [first, second] = std::thread::scope(|scope| {
            let enter = || {
                ready.fetch_add(1, Ordering::SeqCst);
                while ready.load(Ordering::SeqCst) < 2 {
                    std::hint::spin_loop();
                }
                shared.number()
            };
            [(); 2].map(|()| scope.spawn(enter)).map(|thread| thread.join().expect("it ends"))
        });
        assert!(first.is_ok() && first == second, "round {round}: {first:?}, {second:?}");
    }
}

#[test]
fn a_hostile_peer_harms_its_event_only() {
    let host = Host(Box::leak(Box::new(HostDevice::new(0))));
    let mode = RecordMode { flags: 6, external: false, interprocess: true, capturable: false };
    let [bad, good] = [(); 2].map(|()| &*Box::leak(Box::new(Cell::default())));
    let stream = host.create_stream(true).expect("a stream");
    let [event, neighbour] = [bad, good].map(|cell| SharedEvent::of_cell_or_new(cell).expect("there is memory"));
    let peer = peer_of(event);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut state = 7u64;
            while !over.load(Ordering::Relaxed) {
                peer.page().scribble(|| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    state >> (state % 64)
                });
            }
        });
        let start = Instant::now();
        let mut rounds = 0u64;
        while start.elapsed() < Duration::from_millis(500) {
            let call = Instant::now();
            let _ = host.record(stream, bad, mode);
            let mark = host.mark(bad);
            let _ = host.reached(mark);
            let _ = host.block(mark, rounds.is_multiple_of(2), after(1));
            let _ = host.wait(stream, mark, false);
            let _ = event.export();
            let parker = Parker::new();
            if let Ok(None) = host.notify(mark, Waiter::Thread(parker.clone())) {
                let _ = parker.park(after(1));
                host.forget(mark, &parker);
            }
            assert!(call.elapsed() < Duration::from_millis(HANG_MS));
            let number = neighbour.number().expect("there is room");
            let (ticket, place) = neighbour.page().begin(number, 0, |_| false).expect("there is room");
            assert_eq!((number, place, host.reached(host.mark(good))), (0, 0, Ok(false)));
            neighbour.finish(ticket, Status::SUCCESS);
            assert_eq!((neighbour.last(), host.reached(host.mark(good))), (ticket, Ok(true)));
            rounds += 1;
        }
        over.store(true, Ordering::Relaxed);
    });
    // What the stream waits for is finished, or its process is made up: it gets to its end.
    let end = after(HANG_MS);
    while host.query_stream(stream) == Ok(false) {
        assert!(Instant::now() < end.expect("a time"), "the stream hangs");
        std::thread::sleep(Duration::from_millis(1));
    }
}
