//! A process, told apart from all others that ever had its number.

use crate::backend::host::clock;
use crate::error::{Error, Result};
use crate::status::Status;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

/// For how long an answer of the kernel's counts, in nanoseconds.
const FRESH: i64 = 5_000_000;
/// The most processes that are remembered; a page may name any number of made-up ones.
const KNOWN: usize = 4096;

/// The processes that were asked for, and until when that counts: those that are gone stay so.
static ASKED: Mutex<Option<HashMap<u64, i64>>> = Mutex::new(None);
const FOR_EVER: i64 = i64::MAX;

const PID_BITS: u32 = 22;
const STACK_BITS: u32 = 18;

/// A process in one number: its pid, a trace of where its stack begins, and when it was started. A number is used again for
/// another process, which started later; and a process that runs another program gets another stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Peer(pub(super) u64);

/// What the kernel says of a process.
struct Stat {
    peer: Peer,
    /// All its threads have ended.
    ended: bool,
}

impl Peer {
    /// This process.
    pub(super) fn me() -> Result<Peer> {
        static ME: OnceCell<Peer> = OnceCell::new();
        // By its number in /proc, which is another than its own number where /proc was mounted outside of its namespace.
        ME.get_or_try_init(|| match Stat::read("self") {
            Ok(Some(stat)) => Ok(stat.peer),
            Err(error) if is_shortage(&error) => Err(Error::OutOfMemory),
            // Without /proc no process could be told from another.
            _ => Err(Error::Backend(Status::NOT_SUPPORTED)),
        })
        .copied()
    }

    /// A process that is there.
    #[cfg(test)]
    pub(super) fn of(pid: u32) -> Peer {
        Stat::read(&pid.to_string()).expect("it can be read").expect("it is there").peer
    }

    pub(super) fn pid(self) -> u32 {
        self.0 as u32 & ((1 << PID_BITS) - 1)
    }

    fn new(pid: u32, stack: u64, start: u64) -> Peer {
        // 0 where the stack may not be seen.
        let trace =
            if stack == 0 { 0 } else { (stack >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - STACK_BITS) | 1 };
        Peer(u64::from(pid) | trace << PID_BITS | start << (PID_BITS + STACK_BITS))
    }

    fn trace(self) -> u64 {
        self.0 >> PID_BITS & ((1 << STACK_BITS) - 1)
    }

    /// As [`Peer::is_gone`], but an answer may be some milliseconds old: many events may depend on one process.
    pub(super) fn is_gone_lately(self) -> bool {
        let now = clock::now();
        if let Some(until) = ASKED.lock().get_or_insert_default().get(&self.0)
            && now < *until
        {
            return *until == FOR_EVER;
        }
        let gone = self.is_gone();
        let mut asked = ASKED.lock();
        let asked = asked.get_or_insert_default();
        if asked.len() >= KNOWN {
            asked.clear();
        }
        asked.insert(self.0, if gone { FOR_EVER } else { now + FRESH });
        gone
    }

    /// Was it found gone, for this event or another?
    #[cold]
    pub(super) fn is_remembered_gone(self) -> bool {
        ASKED.lock().as_ref().and_then(|asked| asked.get(&self.0)) == Some(&FOR_EVER)
    }

    /// Has the process ended, or gone over to another program? Where that cannot be learnt, it counts as alive.
    pub(super) fn is_gone(self) -> bool {
        match Stat::read(&self.pid().to_string()) {
            Ok(Some(Stat { peer, ended })) => ended || !self.is_same(peer),
            Ok(None) => !self.is_hidden(),
            Err(error) => is_shortage(&error) && self.has_no_program(),
        }
    }

    /// Is there such a process, and only /proc does not show it? It may show some to nobody, or be gone itself.
    fn is_hidden(self) -> bool {
        let same_numbers = Peer::me().is_ok_and(|me| me.pid() == std::process::id());
        let pid = self.pid().cast_signed();
        // SAFETY: takes no pointer, and sends no signal.
        same_numbers && pid > 0 && unsafe { libc::kill(pid, 0) } == 0
    }

    /// Has it ended, as far as can be seen without a descriptor? Its number may be that of a later process.
    fn has_no_program(self) -> bool {
        let is_missing = |error: std::io::Error| error.kind() == ErrorKind::NotFound;
        let folder = format!("/proc/{}", self.pid());
        match std::fs::metadata(format!("{folder}/task")) {
            // One link for each thread. A process lives on while only its first thread has ended, and shows no program then.
            Ok(about) => about.nlink() <= 3 && std::fs::read_link(format!("{folder}/exe")).is_err_and(is_missing),
            Err(error) => is_missing(error) && !self.is_hidden(),
        }
    }

    fn is_same(self, other: Peer) -> bool {
        let mut differ = self.0 ^ other.0;
        if self.trace() == 0 || other.trace() == 0 {
            differ &= !(((1 << STACK_BITS) - 1) << PID_BITS);
        }
        differ == 0
    }
}

/// Is there no memory or no descriptor?
pub(super) fn is_shortage(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM))
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
        Some(Stat { peer: Peer::new(pid, number(28).unwrap_or(0), number(22)?), ended })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn this_process_lives_and_one_that_has_its_number_but_not_its_start_does_not() {
        let me = Peer::me().expect("there is /proc");
        assert_eq!(me.pid(), std::process::id());
        assert!(!me.is_gone());
        assert!(Peer(me.0 ^ 1 << (PID_BITS + STACK_BITS)).is_gone());
        // Another program has another stack, which may not be told.
        assert!(Peer(me.0 ^ 2 << PID_BITS).is_gone());
        assert!(!Peer(me.0 & !(((1 << STACK_BITS) - 1) << PID_BITS)).is_gone());
        assert!(Peer(0).is_gone());
        // Two programs of one process hardly ever look the same.
        let traces = (0..2000u64).map(|n| Peer::new(7, 0x7fff_0000_0000 + n * 16 * 4099, 1).trace());
        assert!(traces.collect::<std::collections::HashSet<_>>().len() > 1950);
    }

    #[test]
    fn a_process_that_ended_is_gone_before_its_parent_has_waited_for_it() {
        let mut child = Command::new("sleep").arg("60").spawn().expect("sleep is there");
        let peer = Peer::of(child.id());
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
        assert_eq!(stat.peer, Peer::new(7, 140_000, 5000));
        assert!(Stat::parse("7 (a").is_none());
    }
}
