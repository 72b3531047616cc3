//! Several threads make random calls on the same events and streams. The answers that are possible are known for each call,
//! and so are the counts of what was made, destroyed and called.

use super::function::{Gate, Told, tell};
use super::handle::*;
use crate::gevt::codes::*;
use crate::gevt::{
    callback::*, context::*, elapsed::*, event::*, info::*, last::*, query::*, record::*, stream::*, sync::*, types::*,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

const EVENTS: usize = 8;
const STREAMS: usize = 5;

const STALE: i32 = GEVT_DETAIL_STALE_HANDLE;
const MISMATCH: i32 = GEVT_DETAIL_CONTEXT_MISMATCH;

/// What the threads share.
struct Shared {
    contexts: [u64; 2],
    events: [AtomicU64; EVENTS],
    streams: [AtomicU64; STREAMS],
    made: AtomicU64,
    destroyed: AtomicU64,
    launched: AtomicU64,
    gate: Arc<Gate>,
    promised: AtomicU64,
    told: Arc<Told>,
}

/// A small generator: the same calls for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
    fn of(&mut self, handles: &[AtomicU64]) -> u64 {
        handles[self.below(handles.len())].load(SeqCst)
    }
}

/// Compares an answer with the possible ones: `statuses`, or INVALID_HANDLE with one of the details. Returns whether it is success.
fn possible(call: &str, got: gevt_status_t, statuses: &[gevt_status_t], details: &[gevt_detail_t]) -> bool {
    let detail = gevt_last_detail();
    let refused = got == GEVT_ERROR_INVALID_HANDLE && details.contains(&detail);
    assert!(refused || statuses.contains(&got), "{call} answered {got}, detail {detail}");
    assert!(got != GEVT_ERROR_TIMEOUT || detail == GEVT_DETAIL_TIMED_OUT, "{call}: detail {detail}");
    got == GEVT_SUCCESS
}

impl Shared {
    fn new() -> Shared {
        let shared = Shared {
            contexts: [open(0), open(1)],
            events: Default::default(),
            streams: Default::default(),
            made: AtomicU64::new(0),
            destroyed: AtomicU64::new(0),
            launched: AtomicU64::new(0),
            gate: Gate::new(true),
            promised: AtomicU64::new(0),
            told: Arc::default(),
        };
        (0..EVENTS).for_each(|place| shared.renew_event(place));
        (0..STREAMS).for_each(|place| shared.renew_stream(place));
        shared
    }

    /// Puts a new event in the place of another, which others may be using.
    fn renew_event(&self, place: usize) {
        let mut event = UNTOUCHED;
        let flags = [0, 0, GEVT_EVENT_BLOCKING_SYNC, GEVT_EVENT_DISABLE_TIMING][place % 4];
        // SAFETY: the place is a handle's size.
        ok(unsafe { gevt_create(out(&mut event, false), flags) });
        self.made.fetch_add(1, SeqCst);
        self.destroy(self.events[place].swap(event, SeqCst));
    }

    fn destroy(&self, event: u64) {
        if event != 0 && possible("destroy", gevt_destroy(ev(event)), &[GEVT_SUCCESS], &[STALE]) {
            self.destroyed.fetch_add(1, SeqCst);
        }
    }

    fn renew_stream(&self, place: usize) {
        let mut stream = UNTOUCHED;
        let context = self.contexts[usize::from(place == 0)];
        // SAFETY: the place is a handle's size.
        ok(unsafe { gevt_stream_create(out(&mut stream, false), cx(context), (place % 2) as u32) });
        let before = self.streams[place].swap(stream, SeqCst);
        if before != 0 {
            ok(gevt_stream_destroy(st(before)));
        }
    }

    fn call(&self, random: &mut Random) {
        let (event, other) = (random.of(&self.events), random.of(&self.events));
        let stream = if random.below(8) == 0 { 0 } else { random.of(&self.streams) };
        let both = [ev(event), ev(other)];
        let timeout = [0, 20_000, 1_000_000, GEVT_TIMEOUT_INFINITE][random.below(4)];
        let in_time = if timeout == GEVT_TIMEOUT_INFINITE { GEVT_SUCCESS } else { GEVT_ERROR_TIMEOUT };
        let mut place = UNTOUCHED;
        match random.below(64) {
            0..20 => {
                possible("record", gevt_record(ev(event), st(stream)), &[GEVT_SUCCESS], &[STALE, MISMATCH]);
            }
            20..28 => {
                possible("query", gevt_query(ev(event)), &[GEVT_SUCCESS, GEVT_ERROR_NOT_READY], &[STALE]);
            }
            28..34 => {
                possible("sync", gevt_sync_timeout(ev(event), timeout), &[GEVT_SUCCESS, in_time], &[STALE]);
            }
            34..36 => {
                // SAFETY: a list of that length.
                let got = unsafe { gevt_sync_all(both.as_ptr(), 2, timeout) };
                possible("sync_all", got, &[GEVT_SUCCESS, in_time], &[STALE]);
            }
            36..38 => {
                // SAFETY: a list of that length, and the place of an index.
                let got = unsafe { gevt_sync_any(out(&mut place, false), both.as_ptr(), 2, timeout) };
                let done = possible("sync_any", got, &[GEVT_SUCCESS, in_time], &[STALE]);
                assert!(if done { place < 2 } else { place == UNTOUCHED });
            }
            38..42 => {
                // SAFETY: a place of the right size.
                let got = unsafe { gevt_elapsed_ns(out(&mut place, false), ev(event), ev(other)) };
                let details = [STALE, MISMATCH, GEVT_DETAIL_TIMING_DISABLED, GEVT_DETAIL_NOT_RECORDED];
                let done = possible("elapsed", got, &[GEVT_SUCCESS, GEVT_ERROR_NOT_READY], &details);
                assert!(
                    if done { place.cast_signed().abs() < 600_000_000_000 } else { place == UNTOUCHED },
                    "{place:#x}"
                );
            }
            42..46 => {
                possible("wait", gevt_stream_wait(st(stream), ev(event), 0), &[GEVT_SUCCESS], &[STALE]);
            }
            46..49 => {
                let user = Arc::into_raw(self.gate.clone());
                // SAFETY: the function takes its argument back as the Arc that it was, on any thread.
                let got = unsafe { gevt_stream_launch(st(stream), Some(Gate::pass), user.cast_mut().cast()) };
                if possible("launch", got, &[GEVT_SUCCESS], &[STALE]) {
                    self.launched.fetch_add(1, SeqCst);
                } else {
                    // SAFETY: a call that was refused has not taken it.
                    drop(unsafe { Arc::from_raw(user) });
                }
            }
            49..52 => {
                let user = Arc::into_raw(self.told.clone());
                // SAFETY: as above.
                let got = unsafe { gevt_on_complete(ev(event), Some(tell), user.cast_mut().cast()) };
                if possible("on_complete", got, &[GEVT_SUCCESS], &[STALE]) {
                    self.promised.fetch_add(1, SeqCst);
                } else {
                    // SAFETY: a call that was refused has not taken it.
                    drop(unsafe { Arc::from_raw(user) });
                }
            }
            52..54 => {
                // SAFETY: a string that lives long enough.
                possible(
                    "set_name",
                    unsafe { gevt_set_name(ev(event), c"shared".as_ptr()) },
                    &[GEVT_SUCCESS],
                    &[STALE],
                );
            }
            54..56 => {
                let mut words = [UNTOUCHED; size_of::<gevt_event_info_t>() / 8];
                words[0] = size_of_val(&words) as u64;
                // SAFETY: a place that is as large as it says.
                let got = unsafe { gevt_get_info(words.as_mut_ptr().cast(), ev(event)) };
                let written = possible("get_info", got, &[GEVT_SUCCESS], &[STALE]);
                assert_eq!(words[1..].contains(&UNTOUCHED), !written);
            }
            56..58 => {
                possible(
                    "query_stream",
                    gevt_stream_query(st(stream)),
                    &[GEVT_SUCCESS, GEVT_ERROR_NOT_READY],
                    &[STALE],
                );
            }
            58..62 => self.renew_event(random.below(EVENTS)),
            62 => self.destroy(event),
            _ => self.renew_stream(random.below(STREAMS)),
        }
    }
}

/// Runs `threads` threads for a time, and then ends all that they made.
pub fn run(threads: u64, time: Duration) {
    let shared = Shared::new();
    let calls = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for seed in 0..threads {
            let (shared, calls) = (&shared, &calls);
            scope.spawn(move || {
                ok(gevt_context_set_current(cx(shared.contexts[0])));
                let (mut random, begun) = (Random(seed), Instant::now());
                while begun.elapsed() < time {
                    shared.call(&mut random);
                    calls.fetch_add(1, SeqCst);
                }
            });
        }
    });
    println!("{} calls", calls.into_inner());
    shared.contexts.iter().for_each(|context| ok(gevt_context_sync(cx(*context))));
    wait_for("a callback", || u64::from(shared.told.count.load(SeqCst)) >= shared.promised.load(SeqCst));
    assert_eq!(u64::from(shared.told.count.load(SeqCst)), shared.promised.load(SeqCst), "a callback came twice");
    assert_eq!(shared.told.failure.load(SeqCst), GEVT_SUCCESS, "a callback told of a failure");
    assert_eq!(u64::from(shared.gate.called.load(SeqCst)), shared.launched.load(SeqCst), "not each function ran once");
    shared.events.iter().for_each(|event| shared.destroy(event.load(SeqCst)));
    assert_eq!(shared.destroyed.load(SeqCst), shared.made.load(SeqCst), "not each event was destroyed once");
    shared.streams.iter().for_each(|stream| ok(gevt_stream_destroy(st(stream.load(SeqCst)))));
    shared.contexts.iter().for_each(|context| ok(gevt_context_close(cx(*context))));
}
