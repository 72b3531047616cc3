//! The backend on this machine's Vulkan device, used like a program that has no VkDevice.

use crate::flags::{EventFlags, StreamFlags};
use crate::machine::EventState;
use crate::status::Status;
use crate::table::{Context, Event, Stream};
use crate::{Backend, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Returns a context, or says that Vulkan is missing and returns none.
fn context() -> Option<Context> {
    match Context::open(Backend::VULKAN, 0) {
        Ok(context) => Some(context),
        Err(error) => {
            println!("SKIPPED: {error}");
            None
        }
    }
}

fn stream(context: Context) -> Stream {
    Stream::create(context, StreamFlags::DEFAULT).expect("a stream")
}

fn event(flags: EventFlags) -> Event {
    Event::create(flags).expect("an event")
}

#[test]
fn events_complete_and_are_timed() {
    let Some(context) = context() else { return };
    let (one, other) = (stream(context), stream(context));
    let (start, end) = (event(EventFlags::DEFAULT), event(EventFlags::DEFAULT));
    for _ in 0..3 {
        start.record(one).expect("recorded");
        other.wait(start).expect("waits");
        end.record(other).expect("recorded");
        end.sync().expect("it completes");
        assert_eq!(start.query(), Ok(true));
        let ns = Event::elapsed(start, end).expect("times").expect("both are done");
        assert!((0..60_000_000_000).contains(&ns), "{ns}");
    }
    for event in [start, end] {
        event.destroy().expect("it lives");
    }
    assert_eq!(one.query(), Ok(true));
    one.destroy().expect("it lives");
    other.destroy().expect("it lives");
    context.close().expect("it is open");
}

#[test]
fn a_function_holds_its_own_stream_alone() {
    let Some(context) = context() else { return };
    let (held, free) = (stream(context), stream(context));
    let (behind, beside, after) = (event(EventFlags::DEFAULT), event(EventFlags::DEFAULT), event(EventFlags::DEFAULT));
    let open = Arc::new(AtomicBool::new(false));
    let gate = open.clone();
    held.launch(move || {
        while !gate.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(1));
        }
    })
    .expect("launched");
    behind.record(held).expect("recorded");
    beside.record(free).expect("recorded");
    beside.sync().expect("it is not held");
    assert_eq!(behind.query(), Ok(false));
    // The wait is for a value that no queue was given.
    free.wait(behind).expect("waits");
    after.record(free).expect("recorded");
    let told = Arc::new(AtomicI32::new(-1));
    let answer = told.clone();
    after.on_complete(move |status| answer.store(status.0, Ordering::Release)).expect("a callback");
    let any = Event::sync_any([behind, after].into_iter(), Some(Instant::now() + Duration::from_millis(5)));
    assert_eq!(any.map_err(|failure| (failure.error, failure.place)), Err((Error::TimedOut, None)));
    open.store(true, Ordering::Release);
    after.sync().expect("it completes");
    assert!(Event::elapsed(beside, behind).expect("times").is_some());
    while told.load(Ordering::Acquire) < 0 {
        std::thread::yield_now();
    }
    assert_eq!(told.load(Ordering::Acquire), Status::SUCCESS.0);
    for event in [behind, beside, after] {
        event.destroy().expect("it lives");
    }
    held.destroy().expect("it lives");
    free.destroy().expect("it lives");
    context.close().expect("it is open");
}

#[test]
fn a_function_cannot_wait_for_itself() {
    let Some(context) = context() else { return };
    let stream = stream(context);
    let behind = event(EventFlags::DISABLE_TIMING);
    let open = Arc::new(AtomicBool::new(false));
    let refused = Arc::new(AtomicBool::new(false));
    let (gate, answer) = (open.clone(), refused.clone());
    stream
        .launch(move || {
            while !gate.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            answer.store(behind.sync() == Err(Error::WouldDeadlock), Ordering::Release);
        })
        .expect("launched");
    behind.record(stream).expect("recorded");
    open.store(true, Ordering::Release);
    behind.sync().expect("it completes");
    assert!(refused.load(Ordering::Acquire));
    behind.destroy().expect("it lives");
    stream.destroy().expect("it lives");
    context.close().expect("it is open");
}

#[test]
fn what_vulkan_lacks_is_refused() {
    let Some(context) = context() else { return };
    let shared = EventFlags::from_bits(EventFlags::INTERPROCESS.bits() | EventFlags::DISABLE_TIMING.bits());
    let event = Event::create_in(context, shared).expect("an event");
    let unsupported = |error: Error| assert_eq!(error.status(), Status::NOT_SUPPORTED, "{error}");
    let stream = stream(context);
    unsupported(event.record(stream).expect_err("it is INTERPROCESS"));
    unsupported(event.native().expect_err("there is none"));
    // SAFETY: Vulkan refuses every address.
    unsupported(unsafe { Event::wrap(context, 8, EventFlags::DEFAULT) }.expect_err("there are none"));
    // SAFETY: as above.
    unsupported(unsafe { Context::wrap(Backend::VULKAN, 8) }.expect_err("it takes more than an address"));
    assert_eq!(event.info().expect("it lives").state, EventState::Unrecorded);
    event.destroy().expect("it lives");
    stream.destroy().expect("it lives");
    context.close().expect("it is open");
}
