//! A process, told apart from all others that ever had its number.

use super::thread::Uncancelled;
use crate::error::{Error, Result};
use crate::status::Status;
use crate::table::Field;
use once_cell::sync::OnceCell;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

const PID: Field = Field::first(22);
const STACK: Field = PID.then(18);
const START: Field = STACK.then(24);
const _: () = assert!(START.end() == 64);

/// A process in one number: its pid, a trace of where its stack begins, and when it was started. A number is used again for
/// another process, which started later; and a process that runs another program gets another stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ProcessId(pub(crate) u64);

/// What the kernel says of a process.
struct Stat {
    peer: ProcessId,
    /// All its threads have ended.
    ended: bool,
}

impl ProcessId {
    /// This process.
    pub(crate) fn me() -> Result<ProcessId> {
        static ME: OnceCell<ProcessId> = OnceCell::new();
        // By its number in /proc, which is another than its own number where /proc was mounted outside of its namespace.
        let read = || {
            let _uncancelled = Uncancelled::new();
            Stat::read("self")
        };
        ME.get_or_try_init(|| match read() {
            Ok(Some(stat)) => Ok(stat.peer),
            Err(error) if is_shortage(&error) => Err(Error::OutOfMemory),
            // Without /proc no process could be told from another.
            _ => Err(Error::Backend(Status::NOT_SUPPORTED)),
        })
        .copied()
    }

    /// A process that is there, and sleeps.
    #[cfg(test)]
    pub(crate) fn of(pid: u32) -> ProcessId {
        // A child's stack moves until its new program runs: it sleeps then.
        while !std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") S ")) {
            std::thread::yield_now();
        }
        Stat::read(&pid.to_string()).expect("it can be read").expect("it is there").peer
    }

    pub(crate) fn pid(self) -> u32 {
        PID.get(self.0) as u32
    }

    /// Runs `open` on the path of a descriptor of the process's.
    pub(super) fn with_descriptor<T>(
        self,
        descriptor: u32,
        open: impl Fn(&str) -> std::io::Result<T>,
    ) -> std::io::Result<T> {
        let folder = format!("/proc/{}", self.pid());
        let error = match open(&format!("{folder}/fd/{descriptor}")) {
            Err(error) if !is_shortage(&error) => error,
            opened => return opened,
        };
        // A first thread that has ended shows no descriptors; the others show them still.
        let tasks = std::fs::read_dir(format!("{folder}/task")).into_iter().flatten().flatten();
        let paths = tasks.map(|task| task.path().join(format!("fd/{descriptor}")));
        paths.filter_map(|path| open(path.to_str()?).ok()).next().ok_or(error)
    }

    fn new(pid: u32, stack: u64, start: u64) -> ProcessId {
        // 0 where the stack may not be seen.
        let trace = if stack == 0 { 0 } else { (stack >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - 18) | 1 };
        ProcessId(START.set(STACK.set(PID.set(0, u64::from(pid)), trace), start))
    }

    fn trace(self) -> u64 {
        STACK.get(self.0)
    }

    /// Returns whether the process has ended, or runs another program by now. If that cannot be learnt, it counts as alive.
    pub(crate) fn is_gone(self) -> bool {
        // Files are read, which are cancellation points.
        let _uncancelled = Uncancelled::new();
        match Stat::read(&self.pid().to_string()) {
            Ok(Some(Stat { peer, ended })) => ended || !self.is_same(peer),
            Ok(None) => !self.is_hidden(),
            Err(error) => is_shortage(&error) && self.has_no_program(),
        }
    }

    /// Returns whether there is such a process, and only /proc does not show it: it may hide some, or be gone itself.
    fn is_hidden(self) -> bool {
        let same_numbers = ProcessId::me().is_ok_and(|me| me.pid() == std::process::id());
        let pid = self.pid().cast_signed();
        // SAFETY: takes no pointer, and sends no signal.
        same_numbers && pid > 0 && unsafe { libc::kill(pid, 0) } == 0
    }

    /// Returns whether it has ended, as far as can be seen without a descriptor. Its number may be that of a later process.
    fn has_no_program(self) -> bool {
        let is_missing = |error: std::io::Error| error.kind() == ErrorKind::NotFound;
        let folder = format!("/proc/{}", self.pid());
        match std::fs::metadata(format!("{folder}/task")) {
            // One link for each thread. A process lives on while only its first thread has ended, and shows no program then.
            Ok(about) => about.nlink() <= 3 && std::fs::read_link(format!("{folder}/exe")).is_err_and(is_missing),
            Err(error) => is_missing(error) && !self.is_hidden(),
        }
    }

    fn is_same(self, other: ProcessId) -> bool {
        let mut differ = self.0 ^ other.0;
        if self.trace() == 0 || other.trace() == 0 {
            differ = STACK.set(differ, 0);
        }
        differ == 0
    }
}

/// Returns the user that the process acts for.
pub(crate) fn user() -> u32 {
    // SAFETY: takes no pointer.
    unsafe { libc::geteuid() }
}

/// Returns whether the error says that the system cannot do this at all.
pub(crate) fn is_unsupported(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENOSYS)
}

/// Returns whether the error says that there is no memory or no descriptor.
pub(crate) fn is_shortage(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM))
}

/// How many ticks later than they were all processes seem to have started: in a time namespace of its own a process sees the
/// others' times shifted.
fn shift_of_start_times() -> u64 {
    static SHIFT: OnceCell<u64> = OnceCell::new();
    *SHIFT.get_or_init(|| {
        let link = |name| std::fs::read_link(format!("/proc/self/ns/{name}")).ok();
        // The file has the shift of the children's namespace, which is this process's, too, as a rule.
        let is_own = link("time") == link("time_for_children");
        let text = std::fs::read_to_string("/proc/self/timens_offsets").ok().filter(|_| is_own);
        text.as_deref().and_then(parse_shift).unwrap_or(0).cast_unsigned()
    })
}

/// The ticks of the line "boottime SECONDS NANOSECONDS".
fn parse_shift(text: &str) -> Option<i64> {
    let mut words = text.lines().find_map(|line| line.strip_prefix("boottime"))?.split_ascii_whitespace();
    let (seconds, ns) = (words.next()?.parse::<i64>().ok()?, words.next()?.parse::<i64>().ok()?);
    seconds.checked_mul(100)?.checked_add(ns / 10_000_000)
}

impl Stat {
    /// Of the process of that name in /proc. `None`: there is no such process.
    fn read(name: &str) -> std::io::Result<Option<Stat>> {
        match std::fs::read(format!("/proc/{name}/stat")) {
            Ok(text) => Ok(Stat::parse(&String::from_utf8_lossy(&text))),
            Err(error) if error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Fields 1, 3, 20, 22 and 28 of proc(5): the pid, the state, how many threads there are, the start time, and the stack's
    /// address.
    fn parse(text: &str) -> Option<Stat> {
        let pid = text.split_once(' ')?.0.parse().ok()?;
        // "pid (name) S ...": the name may hold anything, so that the fields are sought from the end of it.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field - 3).and_then(|text| text.parse::<u64>().ok());
        // A process lives on while only its first thread has ended.
        let ended = matches!(*fields.first()?, "Z" | "X") && number(20)? <= 1;
        Some(Stat {
            peer: ProcessId::new(pid, number(28).unwrap_or(0), number(22)?.wrapping_sub(shift_of_start_times())),
            ended,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn this_process_lives_and_one_that_has_its_number_but_not_its_start_does_not() {
        let me = ProcessId::me().expect("there is /proc");
        assert_eq!(me.pid(), std::process::id());
        assert!(!me.is_gone());
        assert!(ProcessId(START.set(me.0, START.get(me.0) + 1)).is_gone());
        // Another program has another stack, which may not be told.
        assert!(ProcessId(STACK.set(me.0, STACK.get(me.0) ^ 2)).is_gone());
        assert!(!ProcessId(STACK.set(me.0, 0)).is_gone());
        assert!(ProcessId(0).is_gone());
        // Two programs of one process hardly ever look the same.
        let traces = (0..2000u64).map(|n| ProcessId::new(7, 0x7fff_0000_0000 + n * 16 * 4099, 1).trace());
        assert!(traces.collect::<std::collections::HashSet<_>>().len() > 1950);
    }

    #[test]
    fn a_process_that_ended_is_gone_before_its_parent_has_waited_for_it() {
        let mut child = Command::new("sleep").arg("60").spawn().expect("sleep is there");
        let peer = ProcessId::of(child.id());
        assert!(!peer.is_gone() && !peer.has_no_program());
        child.kill().expect("it is ours");
        while !peer.is_gone() {
            std::thread::yield_now();
        }
        assert!(std::path::Path::new(&format!("/proc/{}", child.id())).exists());
        assert!(peer.has_no_program());
        child.wait().expect("it has ended");
        assert!(peer.is_gone() && peer.has_no_program());
    }

    #[test]
    fn names_do_not_confuse_and_first_threads_may_end_first() {
        let line = |state: &str, threads: u32| {
            format!(
                "7 (a) R 1 2) {state} 1 7 7 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 {threads} 0 5000 9 1 2 3 4 140000 0 0"
            )
        };
        let ended = |state, threads| Stat::parse(&line(state, threads)).expect("a line").ended;
        assert!(!ended("S", 1));
        assert!(ended("Z", 1));
        assert!(!ended("Z", 2));
        let stat = Stat::parse(&line("S", 1)).expect("a line");
        assert_eq!(stat.peer, ProcessId::new(7, 140_000, 5000));
        assert!(Stat::parse("7 (a").is_none());
    }

    #[test]
    fn start_times_are_shifted_by_whole_ticks() {
        assert_eq!(parse_shift("monotonic 5 0\nboottime         -1000 20000000\n"), Some(-100_000 + 2));
        assert_eq!(parse_shift("monotonic 5 0"), None);
    }
}
