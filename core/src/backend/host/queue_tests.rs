//! The queue of a stream under threads.

use super::chunk::PLACES;
use super::queue::{Given, WorkQueue};
use super::work::Work;
use crate::backend::HostFn;
use std::ffi::c_void;
use std::sync::Mutex;

extern "C" fn never_called(_: *mut c_void) {}

fn numbered(number: u64) -> Work {
    Work::Call(HostFn { function: never_called, user: number as *mut c_void })
}

/// Gives work; returns whether the queue was idle.
fn give(queue: &WorkQueue, work: Work) -> bool {
    let work = work.pack();
    loop {
        let tail = queue.tail();
        match queue.give(tail, &work) {
            Given::Until(_) => return tail.is_idle(),
            Given::Not => {}
            Given::NoMemory => panic!("there is memory"),
        }
    }
}

/// Runs the queue until it is idle; the caller has found it so.
fn run(queue: &WorkQueue, mut take: impl FnMut(u64)) {
    let mut position = queue.done();
    loop {
        let tail = queue.tail();
        if tail.position() == position && queue.stop(tail) {
            return;
        }
        while position < tail.position() {
            // SAFETY: one thread runs the queue, and comes to each position once.
            if let Work::Call(call) = unsafe { queue.next(position) }.expect("it was given") {
                take(call.user as u64);
            }
            position += 1;
            queue.advance(position);
        }
    }
}

#[test]
fn what_each_thread_gave_is_taken_once_and_in_its_order() {
    const GIVERS: u64 = 3;
    const EACH: u64 = 50_000;
    let queue = WorkQueue::default();
    // Who runs the queue hands the lock on with it.
    let last = Mutex::new([0; GIVERS as usize]);
    std::thread::scope(|scope| {
        for giver in 0..GIVERS {
            let (queue, last) = (&queue, &last);
            scope.spawn(move || {
                for number in 1..=EACH {
                    if give(queue, numbered(number * GIVERS + giver)) {
                        let mut last = last.lock().expect("nobody else runs it");
                        run(queue, |seen| {
                            let last = &mut last[(seen % GIVERS) as usize];
                            assert_eq!(seen / GIVERS, *last + 1, "lost, or out of order");
                            *last += 1;
                        });
                    }
                }
            });
        }
    });
    assert_eq!(last.into_inner().expect("no thread panicked"), [EACH; GIVERS as usize]);
    assert_eq!(queue.done(), GIVERS * EACH);
}

#[test]
fn an_ended_queue_begins_anew_at_a_later_position() {
    let queue = WorkQueue::default();
    for life in 0..3 * PLACES {
        let mut seen = Vec::new();
        for number in 0..=life {
            assert_eq!(give(&queue, numbered(number)), number == 0);
        }
        let before = queue.tail();
        assert!(queue.end().is_none() && matches!(queue.give(before, &numbered(0).pack()), Given::Not));
        let mut position = queue.done();
        while position < before.position() {
            assert_eq!(queue.end_done(queue.tail()), None, "there is work left");
            // SAFETY: this thread alone runs the queue, and comes to each position once.
            let Some(Work::Call(call)) = (unsafe { queue.next(position) }) else { panic!("it was given") };
            seen.push(call.user as u64);
            position += 1;
            queue.advance(position);
        }
        assert_eq!(queue.end_done(queue.tail()), Some(position + 1));
        queue.advance(position + 1);
        assert!(seen.into_iter().eq(0..=life) && queue.tail().is_idle());
        // An idle one ends at once.
        assert_eq!(queue.end(), Some(position + 2));
        queue.advance(position + 2);
    }
}
