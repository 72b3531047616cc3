use super::block::{PAGES, SharedPage};
use super::page::{Outcome, Page};
use super::shared::MAGIC;
use super::{PEER_GONE, SharedEvent};
use crate::backend::host::cell::HostCell;
use crate::backend::host::{Host, HostDevice, HostStream};
use crate::backend::{Backend, Cell, HostFn, RecordMode, Recorded, StreamRef};
use crate::error::Error;
use crate::lock::Mutex;
use crate::os::{FileName, SharedFile};
use crate::point::Awaitable;
use crate::shared_memory::SharedName;
use crate::status::Status;
use crate::workers::{Parker, Waiter};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn own() -> Arc<SharedEvent> {
    SharedEvent::new(SharedPage::take().expect("there is memory"))
}

fn name(shared: &SharedEvent) -> SharedName {
    SharedName::from_bytes(&shared.export().expect("it can be exported"), MAGIC).expect("the bytes are good")
}

/// The same event once more, as another process would see it.
fn peer_of(shared: &SharedEvent) -> Arc<SharedEvent> {
    name(shared);
    SharedEvent::new(shared.place.again())
}

/// What takes longer hangs.
const HANG_MS: u64 = 300_000;

fn after(ms: u64) -> Option<Instant> {
    Some(Instant::now() + Duration::from_millis(ms))
}

/// A number that no process has.
const DEAD: u32 = 77;

/// Makes a pending record by a process that has ended.
fn record_by_a_dead_process(shared: &SharedEvent) -> u64 {
    record_by(shared, DEAD)
}

fn record_by(shared: &SharedEvent, peer: u32) -> u64 {
    shared.page().begin(peer, 0, |_| false).expect("there is room").0
}

/// What the others see of another process that shares an event.
struct Member {
    file: SharedFile,
    number: u32,
}

impl Member {
    fn join(shared: &SharedEvent, number: u32) -> Member {
        let file =
            SharedFile::open(shared.place.address().expect("there is /proc").0, BYTES).expect("it can be opened");
        let member = Member { file, number };
        member.lock(libc::F_WRLCK);
        assert!(!shared.place.is_gone(number));
        member
    }

    /// A lock of the open file, which others of this process do not have.
    fn lock(&self, kind: libc::c_int) {
        let start = self.number.into();
        let lock = libc::flock { l_type: kind as libc::c_short, l_whence: 0, l_start: start, l_len: 1, l_pid: 0 };
        // SAFETY: the pointer is valid.
        assert_eq!(unsafe { libc::fcntl(self.file.descriptor(), libc::F_OFD_SETLK, &raw const lock) }, 0);
    }

    fn end(&self) {
        self.lock(libc::F_UNLCK);
    }
}

const BYTES: u64 = PAGES as u64 * size_of::<Page>() as u64;

#[test]
fn what_one_side_records_the_other_sees() {
    let shared = own();
    let peer = peer_of(&shared);
    assert_eq!(peer.reached(peer.last()), Ok(true));
    let (ticket, _) = peer.page().begin(peer.place.me(), 0, |_| false).expect("there is room");
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
    let shared = own();
    let good = name(&shared).file;
    let open = |name: FileName| SharedFile::open(name, BYTES).is_ok();
    assert!(open(good));
    assert!(SharedFile::open(good, BYTES - 1).is_err());
    assert!(!open(FileName { inode: good.inode + 1, ..good }));
    assert!(!open(FileName { descriptor: u32::MAX, ..good }));
    assert!(!open(FileName { process: 0, ..good }));
    // A file of another kind, and one that its owner can still cut off.
    let kinds = [std::fs::File::open("/dev/null"), std::fs::File::open("/proc/self/exe")];
    for file in kinds.into_iter().chain([unsealed()]).map(|file| file.expect("it opens")) {
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file).cast_unsigned();
        let inode = file.metadata().expect("it is there").ino();
        assert!(!open(FileName { descriptor, inode, ..good }));
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
            let forged = FileName { process: std::process::id(), descriptor, inode: 1 };
            told.send(SharedFile::open(forged, BYTES).is_err())
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
    std::fs::File::set_len(&file, BYTES)?;
    Ok(file)
}

#[test]
fn forged_handles_are_refused() {
    let shared = own();
    let good = name(&shared);
    let cell = Cell::default();
    let refused = |name: SharedName, why: Error| {
        assert_eq!(SharedEvent::import(&name.to_bytes(MAGIC), &cell), Err(why), "{name:?}");
    };
    refused(good, Error::IpcSameProcess);
    refused(SharedName { exporter: good.exporter + 1, words: [1, 2], ..good }, Error::IpcSameProcess);
    refused(SharedName { about: good.about ^ 1 << 32, ..good }, Error::IpcForeignUser);
    refused(SharedName { about: good.about | 256, ..good }, Error::IpcBadHandle);
    let nowhere = FileName { descriptor: u32::MAX, inode: u64::MAX, ..good.file };
    refused(SharedName { file: nowhere, ..good }, Error::IpcSameProcess);
    let parent = FileName { process: std::os::unix::process::parent_id(), ..nowhere };
    refused(SharedName { file: parent, ..good }, Error::IpcBadHandle);
    // By way of another process that has the file.
    refused(SharedName { file: FileName { process: parent.process, ..good.file }, ..good }, Error::IpcSameProcess);
    let mut child = std::process::Command::new("true").spawn().expect("true is there");
    let ended = FileName { process: child.id(), ..nowhere };
    // Before its parent has waited for it, and afterwards.
    while !crate::os::has_ended(child.id()) {
        std::thread::yield_now();
    }
    refused(SharedName { file: ended, ..good }, Error::PeerGone(Status::MAP_FAILED));
    child.wait().expect("it ends");
    refused(SharedName { file: ended, ..good }, Error::PeerGone(Status::MAP_FAILED));
    assert_eq!(SharedEvent::import(&[0x5a; 64], &cell), Err(Error::IpcBadHandle));
    assert!(HostCell::of(&cell).shared().is_none());
}

/// Whether this process has the shared memory of that number open. All shared memory is of one file system.
fn is_open(inode: u64) -> bool {
    let is_it = |place: std::path::PathBuf| {
        std::fs::read_link(&place).is_ok_and(|link| link.as_os_str() == "/memfd:gevt (deleted)")
            && std::fs::metadata(&place).is_ok_and(|about| about.ino() == inode)
    };
    std::fs::read_dir("/proc/self/fd").expect("/proc is there").flatten().any(|entry| is_it(entry.path()))
}

#[test]
fn a_block_goes_with_its_events() {
    // Other tests have no page of these blocks.
    let own = Mutex::default();
    let take = || SharedEvent::new(SharedPage::take_from(&own).expect("there is memory"));
    let export = |count| (0..count).for_each(|_| assert!(take().export().is_ok()));
    let inode = name(&take()).file.inode;
    // The rest of its pages, and all of the next block.
    export(2 * PAGES - 1);
    assert!(is_open(inode));
    export(1);
    assert!(!is_open(inode));
    let kept = take();
    let inode = name(&kept).file.inode;
    export(3 * PAGES);
    assert!(is_open(inode));
    drop(kept);
    assert!(!is_open(inode));
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
    assert_eq!(shared.look(ticket), Outcome::Lost);
}

#[test]
fn who_waits_for_a_dead_process_hears_of_it_beside_one_who_waits_for_a_living_one() {
    let shared = own();
    let [alive, mortal] = [21, 22].map(|number| Member::join(&shared, number));
    let tickets = [&alive, &mortal].map(|member| record_by(&shared, member.number));
    let parkers = [(); 2].map(|()| Parker::new());
    for (ticket, parker) in tickets.into_iter().zip(&parkers) {
        assert!(shared.notify(ticket, Waiter::Thread(parker.clone())).is_ok_and(|back| back.is_none()));
    }
    assert_eq!(tickets.map(|ticket| shared.look(ticket)), [Outcome::Pending(21), Outcome::Pending(22)]);
    mortal.end();
    assert_eq!(parkers[1].park(after(HANG_MS)), Ok(true), "nobody was woken");
    assert_eq!(tickets.map(|ticket| shared.look(ticket)), [Outcome::Pending(21), Outcome::Lost]);
    (&*shared, tickets[0]).forget(&parkers[0]);
}

#[test]
fn a_thread_hears_of_the_end_while_it_sleeps_and_after_a_watcher_took_over() {
    let shared = own();
    for (number, delay) in [(31, Duration::ZERO), (32, 3 * super::watcher::INTERVAL)] {
        let mortal = Member::join(&shared, number);
        let ticket = record_by(&shared, number);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| shared.block(ticket, false, after(HANG_MS)));
            std::thread::sleep(delay);
            mortal.end();
            assert_eq!(waiter.join().expect("it ends"), Err(PEER_GONE));
        });
    }
}

#[test]
fn of_many_dead_processes_each_stays_known() {
    let shared = own();
    let lost = [(); 3].map(|()| record_by_a_dead_process(&shared));
    for ticket in lost {
        assert_eq!(shared.block(ticket, false, None), Err(PEER_GONE));
    }
    assert_eq!(lost.map(|ticket| shared.look(ticket)), [Outcome::Lost; 3]);
}

#[test]
fn a_stream_without_what_it_waited_for_says_so_until_it_is_asked() {
    let host = Host(Box::leak(Box::new(HostDevice::new(0))));
    let mode = RecordMode { flags: 6, external: false, interprocess: true };
    let plain = RecordMode { flags: 0, interprocess: false, ..mode };
    let [shared, local, passed_on, later] = [(); 4].map(|()| &*Box::leak(Box::new(Cell::default())));
    let [stream, second] = [(); 2].map(|()| host.create_stream(true).expect("a stream"));
    SharedEvent::of_cell_or_new(shared).expect("there is memory");
    let event = HostCell::of(shared).shared().expect("it is shared");
    let mortal = Member::join(event, 41);
    record_by(event, mortal.number);
    host.wait(StreamRef::pinned(stream), host.mark(shared), false).expect("it is not known yet");
    assert_eq!(host.record(StreamRef::pinned(stream), local, plain), Ok(Recorded::Pending));
    host.wait(StreamRef::pinned(second), host.mark(local), false).expect("it is pending");
    assert_eq!(host.record(StreamRef::pinned(second), passed_on, mode), Ok(Recorded::Pending));
    mortal.end();
    for cell in [local, passed_on] {
        assert_eq!(host.block(host.mark(cell), true, after(HANG_MS)), Err(PEER_GONE));
    }
    assert_eq!(host.query_stream(stream), Err(PEER_GONE));
    assert_eq!(host.wait(StreamRef::pinned(second), host.mark(local), false), Err(PEER_GONE));
    assert_eq!(host.record(StreamRef::pinned(stream), later, plain), Ok(Recorded::Pending));
    assert_eq!(host.sync_stream(stream, None), Err(PEER_GONE));
    assert_eq!(host.reached(host.mark(later)), Err(PEER_GONE));
    assert_eq!(host.sync_stream(stream, None), Ok(true));
    assert_eq!(host.record(StreamRef::pinned(stream), later, plain), Ok(Recorded::Complete));
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
    let mode = RecordMode { flags: 6, external: false, interprocess: true };
    let [lost, passed_on] = [(); 2].map(|()| &*Box::leak(Box::new(Cell::default())));
    let stream = host.create_stream(true).expect("a stream");
    let event = SharedEvent::of_cell_or_new(lost).expect("there is memory");
    let mortal = Member::join(event, 51);
    record_by(event, mortal.number);
    let (open, mut gate) = std::sync::mpsc::channel();
    host.wait(StreamRef::pinned(stream), host.mark(lost), false).expect("it is pending");
    host.launch(StreamRef::pinned(stream), HostFn { function: pass, user: std::ptr::from_mut(&mut gate).cast() })
        .expect("it is taken");
    assert_eq!(host.record(StreamRef::pinned(stream), passed_on, mode), Ok(Recorded::Pending));
    mortal.end();
    let end = after(HANG_MS);
    while HostStream::of(stream).take_failure().is_none() {
        assert!(Instant::now() < end.expect("a time"), "nothing fails");
        std::thread::yield_now();
    }
    open.send(()).expect("the function waits");
    assert_eq!(host.block(host.mark(passed_on), true, after(HANG_MS)), Err(PEER_GONE));
    assert_eq!(host.sync_stream(stream, None), Ok(true));
}

#[test]
fn a_hostile_peer_harms_its_event_only() {
    let host = Host(Box::leak(Box::new(HostDevice::new(0))));
    let mode = RecordMode { flags: 6, external: false, interprocess: true };
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
            let _ = host.record(StreamRef::pinned(stream), bad, mode);
            let mark = host.mark(bad);
            let _ = host.reached(mark);
            let _ = host.block(mark, rounds.is_multiple_of(2), after(1));
            let _ = host.wait(StreamRef::pinned(stream), mark, false);
            let _ = event.export();
            let parker = Parker::new();
            if let Ok(None) = host.notify(mark, Waiter::Thread(parker.clone())) {
                let _ = parker.park(after(1));
                host.forget(mark, &parker);
            }
            assert!(call.elapsed() < Duration::from_millis(HANG_MS));
            let (ticket, place) = neighbour.page().begin(neighbour.place.me(), 0, |_| false).expect("there is room");
            assert_eq!((place, host.reached(host.mark(good))), (0, Ok(false)));
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
