//! Functions that gevt calls: on streams, and when events are done.

use crate::gevt::types::gevt_status_t;
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};

/// A function on a stream: how often it was called, and whether it may return.
pub struct Gate {
    pub called: AtomicU32,
    pub open: Mutex<bool>,
    pub opened: Condvar,
}

impl Gate {
    pub fn new(open: bool) -> Arc<Gate> {
        Arc::new(Gate { called: AtomicU32::new(0), open: Mutex::new(open), opened: Condvar::new() })
    }
    pub fn open(&self) {
        *self.open.lock().expect("no panic under the lock") = true;
        self.opened.notify_all();
    }
    pub fn is_open(&self) -> bool {
        *self.open.lock().expect("no panic under the lock")
    }
    /// As [`Gate::pass`], for the first of several items.
    pub extern "C" fn pass_first(user: *mut c_void, item: usize, _: u32) {
        if item == 0 {
            Gate::pass(user);
        }
    }
    pub extern "C" fn pass(user: *mut c_void) {
        // SAFETY: the pointer came from Arc::into_raw for this one call.
        let gate = unsafe { Arc::from_raw(user.cast::<Gate>()) };
        gate.called.fetch_add(1, SeqCst);
        let open = gate.open.lock().expect("no panic under the lock");
        drop(gate.opened.wait_while(open, |open| !*open).expect("no panic under the lock"));
    }
}

/// The results of callbacks: how many ran, and the last failure status.
#[derive(Default)]
pub struct Told {
    pub count: AtomicU32,
    pub failure: AtomicI32,
}

pub extern "C" fn tell(user: *mut c_void, status: gevt_status_t) {
    // SAFETY: the pointer came from Arc::into_raw for this one call.
    let told = unsafe { Arc::from_raw(user.cast::<Told>()) };
    told.failure.fetch_or(status, SeqCst);
    told.count.fetch_add(1, SeqCst);
}
