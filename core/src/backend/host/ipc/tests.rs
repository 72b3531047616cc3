use super::SharedEvent;
use super::block::PAGES;
use super::page::Page;
use super::shared::MAGIC;
use crate::backend::host::{Host, HostDevice, HostStream};
use crate::backend::{Backend, EventRef, HostFn, RecordRef, Recorded, StreamRef};
use crate::error::Error;
use crate::flags::EventFlags;
use crate::os::{FileName, SharedFile};
use crate::shared_memory::SharedName;
use crate::status::Status;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn own() -> Arc<SharedEvent> {
    SharedEvent::make().expect("there is memory")
}

fn name(shared: &SharedEvent) -> SharedName {
    SharedName::from_bytes(&shared.export().expect("it can be exported"), MAGIC).expect("the bytes are good")
}

/// What takes longer hangs.
const HANG_MS: u64 = 300_000;

fn after(ms: u64) -> Option<Instant> {
    Some(Instant::now() + Duration::from_millis(ms))
}

const BYTES: u64 = PAGES as u64 * size_of::<Page>() as u64;

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

/// The process ends its membership when it closes any descriptor of the file.
#[test]
fn a_forged_handle_ends_no_membership() {
    let file = SharedFile::create(BYTES).expect("there is memory");
    assert!(file.join(7).is_ok_and(|joined| joined));
    let good = file.name();
    assert!(SharedFile::open(FileName { inode: good.inode + 1, ..good }, BYTES).is_err());
    // SAFETY: the child makes one system call and ends.
    let child = unsafe { forked(|| libc::_exit(file.has_member(7).into())) };
    assert_eq!(end_of(child), (true, 1));
}

/// Returns the number of a child that makes the call.
///
/// # Safety
/// A call that a child of several threads may make.
unsafe fn forked(call: impl FnOnce()) -> libc::pid_t {
    // SAFETY: as the caller's promise says.
    let child = unsafe { libc::fork() };
    if child == 0 {
        call();
    }
    child
}

/// Waits for the end of a child; returns whether it has exited, and its code.
fn end_of(child: libc::pid_t) -> (bool, i32) {
    let mut status = 0;
    // SAFETY: the pointer is valid.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    (libc::WIFEXITED(status), libc::WEXITSTATUS(status))
}

#[test]
fn a_process_that_leaves_no_number_free_holds_up_no_import() {
    let file = SharedFile::create(BYTES).expect("there is memory");
    let all = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    // SAFETY: the child makes three system calls. The pointer is valid.
    let hostile = unsafe {
        forked(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::fcntl(file.descriptor(), libc::F_SETLK, &raw const all);
            libc::pause();
        })
    };
    while !file.has_member(1) {
        std::thread::yield_now();
    }
    let process = hostile.cast_unsigned();
    let forged = SharedName { file: FileName { process, ..file.name() }, ..name(&own()) };
    let (told, answer) = std::sync::mpsc::channel();
    std::thread::spawn(move || told.send(SharedEvent::import(&forged.to_bytes(MAGIC)).err()));
    let answer = answer.recv_timeout(Duration::from_millis(HANG_MS));
    // SAFETY: the child has not been waited for.
    unsafe { libc::kill(hostile, libc::SIGKILL) };
    assert_eq!((answer, end_of(hostile).0), (Ok(Some(Error::IpcBadHandle)), false));
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
    let refused = |name: SharedName, why: Error| {
        assert_eq!(SharedEvent::import(&name.to_bytes(MAGIC)).err(), Some(why), "{name:?}");
    };
    refused(good, Error::IpcSameProcess);
    refused(SharedName { exporter: good.exporter + 1, ..good }, Error::IpcSameProcess);
    refused(SharedName { about: good.about ^ 1 << 32, ..good }, Error::IpcForeignUser);
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
    assert_eq!(SharedEvent::import(&[0x5a; 64]).err(), Some(Error::IpcBadHandle));
}

#[test]
fn a_record_that_is_refused_leaves_the_last_one() {
    let shared = own();
    let refused = || shared.record_pending(|_, _| Err(Error::OutOfMemory));
    assert_eq!((refused(), shared.reached(shared.last())), (Err(Error::OutOfMemory), Ok(true)));
    shared.arm().expect("there is a place");
    assert_eq!((refused(), shared.reached(shared.last())), (Err(Error::OutOfMemory), Ok(false)));
    assert!(shared.signal(Status::SUCCESS));
    assert_eq!(shared.reached(shared.last()), Ok(true));
}

extern "C" fn pass(user: *mut std::ffi::c_void) {
    // SAFETY: the test keeps the receiver until the stream has ended.
    let _ = unsafe { &*user.cast::<std::sync::mpsc::Receiver<()>>() }.recv();
}

#[test]
fn what_was_given_before_somebody_was_told_fails_also_where_it_is_done_after_that() {
    let host = Host(Box::leak(Box::new(HostDevice::new(0))));
    let event = EventRef::pinned(Box::leak(Box::default()));
    let stream = host.create_stream(true).expect("a stream");
    let to = StreamRef::pinned(stream);
    let (open, mut gate) = std::sync::mpsc::channel();
    let opener = host.gate(stream).expect("there is memory");
    let function = HostFn { function: pass, user: std::ptr::from_mut(&mut gate).cast() };
    host.launch(&to, function).expect("it is taken");
    assert_eq!(host.record(&to, event, EventFlags::from_bits(6), false), Ok(Recorded::Pending));
    opener.open(Status(7));
    let end = after(HANG_MS);
    // SAFETY: `create_stream` has made it.
    while unsafe { HostStream::of(stream) }.take_failure().is_none() {
        assert!(Instant::now() < end.expect("a time"), "nothing fails");
        std::thread::yield_now();
    }
    open.send(()).expect("the function waits");
    assert_eq!(host.block(RecordRef::Last(event), true, after(HANG_MS)), Err(Error::EventFailed(Status(7))));
    assert_eq!(host.sync(Some(stream), None), Ok(true));
}
