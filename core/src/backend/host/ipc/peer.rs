//! What is known of other processes: asking the system takes time, and many events may depend on one process.

use crate::clock;
use crate::os::ProcessId;
use parking_lot::Mutex;
use std::collections::HashMap;

/// For how long an answer of the system's counts, in nanoseconds.
const FRESH: i64 = 5_000_000;
/// The most processes that are remembered; a page may name any number of made-up ones.
const KNOWN: usize = 4096;

/// The processes that were asked for, and until when that counts: those that are gone stay so.
static ASKED: Mutex<Option<HashMap<ProcessId, i64>>> = Mutex::new(None);
const FOR_EVER: i64 = i64::MAX;

/// As [`ProcessId::is_gone`], but an answer may be some milliseconds old.
pub(super) fn is_gone_lately(process: ProcessId) -> bool {
    let now = clock::now();
    if let Some(until) = ASKED.lock().get_or_insert_default().get(&process)
        && now < *until
    {
        return *until == FOR_EVER;
    }
    let gone = process.is_gone();
    let mut asked = ASKED.lock();
    let asked = asked.get_or_insert_default();
    if asked.len() >= KNOWN {
        asked.clear();
    }
    asked.insert(process, if gone { FOR_EVER } else { now + FRESH });
    gone
}

/// Returns whether the process was found gone, for this event or another.
#[cold]
pub(super) fn is_remembered_gone(process: ProcessId) -> bool {
    ASKED.lock().as_ref().and_then(|asked| asked.get(&process)) == Some(&FOR_EVER)
}
