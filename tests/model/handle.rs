//! Handles as numbers, outputs that show whether they were written, and calls of the test's own.

use super::state::SUCCESS;
use crate::gevt::context::gevt_context_open;
use crate::gevt::last::gevt_last_detail;
use crate::gevt::out::Out;
use crate::gevt::types::*;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// What outputs hold before a call.
pub const UNTOUCHED: u64 = 0xA5A5_A5A5_A5A5_A5A5;

pub fn ev(bits: u64) -> gevt_event_t {
    gevt_event_t::from_bits(bits)
}
pub fn st(bits: u64) -> gevt_stream_t {
    gevt_stream_t::from_bits(bits)
}
pub fn cx(bits: u64) -> gevt_context_t {
    gevt_context_t::from_bits(bits)
}

/// The place of an output, or NULL.
pub fn out<T>(place: &mut u64, null: bool) -> Out<T> {
    // SAFETY: no output is longer than the place, which outlives the call.
    unsafe { Out::new(if null { null_mut() } else { std::ptr::from_mut(place).cast() }) }
}

pub fn ok(status: gevt_status_t) {
    assert_eq!(status, SUCCESS, "a call of the test's own failed: detail {}", gevt_last_detail());
}

pub fn open(device: i32) -> u64 {
    let mut handle = UNTOUCHED;
    ok(gevt_context_open(out(&mut handle, false), GEVT_BACKEND_HOST, device));
    handle
}

pub fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(300), "gevt never got there: {what}");
        std::thread::yield_now();
    }
}
