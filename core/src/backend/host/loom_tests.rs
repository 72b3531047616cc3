//! The hand-over of work: each test is one meeting of threads that give work, do it and wait for it. A wake-up that is lost
//! leaves a thread parked for ever, which loom reports as a deadlock.
//!
//! The steps are many, so that there are fewer preemptions than in the models of one word: four with one worker, two with more.

use super::point::Point;
use super::stream::HostStream;
use super::work::Work;
use crate::backend::HostFn;
use crate::point::{Until, wait};
use crate::sync::{Lazy, Ordering};
use crate::table::loom_tests::explore;
use crate::workers::{Runnable, push_modelled, spawn_modelled};
use loom::thread::{self, JoinHandle};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64 as Count};

/// Streams without a device, as those that are ordered against no other.
#[derive(Default)]
struct World {
    streams: [HostStream; 2],
    /// Which function was the last to run on each stream: they are numbered from 1.
    last: [Count; 2],
    out_of_order: Count,
    idle: HostStream,
    over: AtomicBool,
}

static WORLD: Lazy<World> = Lazy::new(World::default);

fn world() -> &'static World {
    Lazy::force(&WORLD)
}

/// `user` is the function's number, and its stream in the lowest bit.
extern "C" fn run(user: *mut c_void) {
    let (number, stream) = (user as u64 >> 1, user as usize & 1);
    if world().last[stream].swap(number, Ordering::SeqCst) + 1 != number {
        world().out_of_order.fetch_add(1, Ordering::SeqCst);
    }
}

fn submit(stream: usize, number: u64, behind: Option<Point>) {
    let user = (number << 1 | stream as u64) as *mut c_void;
    let work = Work::Call(HostFn { function: run, user });
    assert!(world().streams[stream].submit(behind.into_iter(), work, || true, || {}).is_ok());
}

/// Workers, which take turns until [`finish`].
fn spawn_workers(count: usize) -> Vec<JoinHandle<()>> {
    spawn_modelled(count, || world().over.load(Ordering::SeqCst), nothing)
}

/// A stream without work, for which a worker wakes up all the same.
fn nothing() -> Runnable {
    Runnable::Task(&world().idle)
}

/// Waits for all that was submitted, and ends the workers: each of them wakes another.
fn finish(workers: Vec<JoinHandle<()>>) {
    for stream in &world().streams {
        assert_eq!(wait(&[stream.end()], Until::All, true, None), Ok(true));
    }
    world().over.store(true, Ordering::SeqCst);
    push_modelled(nothing());
    workers.into_iter().for_each(|worker| worker.join().expect("worker"));
}

fn has_run(stream: usize, number: u64) -> bool {
    world().last[stream].load(Ordering::SeqCst) == number
}

/// All that was submitted is done, in order.
fn check(numbers: [u64; 2]) {
    for (stream, number) in numbers.into_iter().enumerate() {
        assert!(has_run(stream, number), "work was lost");
        assert!(world().streams[stream].end().is_reached());
    }
    assert_eq!(world().out_of_order.load(Ordering::SeqCst), 0);
}

/// The stream may still be run, or just be given up, when more comes; and the worker may be about to park.
#[test]
fn submit_against_a_worker_that_goes_idle() {
    explore(4, || {
        let workers = spawn_workers(1);
        submit(0, 1, None);
        submit(0, 2, None);
        finish(workers);
        check([2, 0]);
    });
}

/// A stream that is run, or about to be, is not handed to a second worker.
#[test]
fn one_stream_and_two_workers() {
    explore(2, || {
        let workers = spawn_workers(2);
        submit(0, 1, None);
        submit(0, 2, None);
        finish(workers);
        check([2, 0]);
    });
}

/// Only one of those who submit at once hands the stream over.
#[test]
fn submit_against_submit() {
    explore(2, || {
        let workers = spawn_workers(1);
        let submitters = [0, 1].map(|_| {
            || {
                assert!(world().streams[0].submit(std::iter::empty(), Work::Wait(start()), || true, || {}).is_ok());
            }
        });
        let other = thread::spawn(submitters[0]);
        submitters[1]();
        other.join().expect("submitter");
        assert_eq!(world().streams[0].end().position, 2);
        finish(workers);
        check([0, 0]);
    });
}

/// A point that was always reached.
fn start() -> Point {
    Point { timeline: &world().streams[1].timeline, position: 0 }
}

/// Whoever calls for help is not content with a worker that is taken.
#[test]
fn two_streams_for_two_workers() {
    explore(2, || {
        let workers = spawn_workers(2);
        submit(0, 1, None);
        submit(1, 1, None);
        finish(workers);
        check([1, 1]);
    });
}

/// A thread that is about to park is woken, or sees the progress itself.
#[test]
fn park_against_reach() {
    explore(4, || {
        let workers = spawn_workers(1);
        submit(0, 1, None);
        assert_eq!(wait(&[world().streams[0].end()], Until::All, true, None), Ok(true));
        assert!(has_run(0, 1), "woken before the work was done");
        finish(workers);
        check([1, 0]);
    });
}

/// A stream that comes to a wait is handed on by the stream that it waits for, or continues at once.
#[test]
fn wait_against_reach() {
    explore(2, || {
        let workers = spawn_workers(2);
        submit(0, 1, None);
        submit(1, 1, Some(world().streams[0].end()));
        finish(workers);
        check([1, 1]);
    });
}

/// Two streams that wait for each other in turn: whoever is about to run both lets one follow the other, and another worker may take
/// either meanwhile.
#[test]
fn two_streams_that_wait_for_each_other() {
    explore(2, || {
        submit(0, 1, None);
        submit(1, 1, Some(world().streams[0].end()));
        submit(0, 2, Some(world().streams[1].end()));
        let workers = spawn_workers(2);
        finish(workers);
        check([2, 1]);
    });
}
