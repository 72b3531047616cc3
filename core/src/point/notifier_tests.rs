use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A look at this value fails.
const FAILS: u64 = u64::MAX;

/// Timelines in memory. A sleep ends with the signal alone.
#[derive(Default)]
struct Counters {
    looks: AtomicUsize,
}

impl Source for Counters {
    const NAME: &'static str = "gevt-test";
    type Timeline = Arc<AtomicU64>;
    type Round = ();

    fn begin(&self, (): &mut (), _: bool) {}

    fn look(&self, timeline: &mut Arc<AtomicU64>, value: u64, (): &mut ()) -> Result<Option<Status>> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        match timeline.load(Ordering::Acquire) {
            FAILS => Err(Error::OutOfMemory),
            at => Ok((at >= value).then_some(Status::SUCCESS)),
        }
    }

    fn sleep(&self, (): &mut (), call: &Signal) {
        call.sleep(None);
    }
}

fn listed(notifier: &Notifier<Counters>, key: u64, at: u64, value: u64) -> (Arc<AtomicU64>, Arc<Parker>) {
    let (timeline, parker) = (Arc::new(AtomicU64::new(at)), Parker::new());
    notifier.add([key, 0], timeline.clone(), value, Waiter::Thread(parker.clone())).expect("the notifier runs");
    (timeline, parker)
}

fn is_woken(parker: &Arc<Parker>) -> bool {
    parker.park(Some(std::time::Instant::now())) == Ok(true)
}

#[test]
fn each_timeline_is_looked_at_once_and_those_that_are_reached_leave() {
    let notifier = Notifier::new(Counters::default());
    let all: Vec<_> = (0..10 * SLICE as u64).map(|key| listed(&notifier, key, key % 3, 2)).collect();
    assert!(notifier.look(&mut ()));
    assert_eq!(notifier.source.looks.load(Ordering::Relaxed), all.len());
    for (key, (timeline, parker)) in all.iter().enumerate() {
        assert_eq!((is_woken(parker), Arc::strong_count(timeline)), (key % 3 == 2, if key % 3 == 2 { 1 } else { 2 }));
    }
    assert!(!notifier.look(&mut ()));
}

#[test]
fn the_thread_is_called_for_what_it_does_not_wait_for() {
    let notifier = Notifier::new(Counters::default());
    let calls = [5, 7, 5, 3].map(|value| {
        listed(&notifier, 1, 0, value);
        notifier.call.take()
    });
    assert_eq!(calls, [true, false, false, true]);
}

#[test]
fn a_thread_that_is_forgotten_at_one_value_is_woken_at_another() {
    let notifier = Notifier::new(Counters::default());
    let (timeline, parker) = listed(&notifier, 1, 0, 5);
    notifier.add([1, 0], timeline.clone(), 7, Waiter::Thread(parker.clone())).expect("the notifier runs");
    notifier.forget([1, 0], 5, &parker);
    timeline.store(6, Ordering::Release);
    assert!(!notifier.look(&mut ()) && !is_woken(&parker));
    timeline.store(7, Ordering::Release);
    assert!(notifier.look(&mut ()) && is_woken(&parker));
    notifier.forget([1, 0], 7, &parker);
    assert_eq!(Arc::strong_count(&timeline), 1);
}

#[test]
fn a_failed_look_wakes_threads_alone() {
    let notifier = Notifier::new(Counters::default());
    let (timeline, parker) = listed(&notifier, 1, FAILS, 5);
    let calls = Arc::new(AtomicUsize::new(0));
    let call = calls.clone();
    let work = Waiter::Now(Box::new(move |_| _ = call.fetch_add(1, Ordering::Relaxed)));
    notifier.add([1, 0], timeline.clone(), 5, work).expect("the notifier runs");
    assert!(notifier.look(&mut ()) && is_woken(&parker));
    assert!(!notifier.look(&mut ()));
    timeline.store(5, Ordering::Release);
    assert_eq!((calls.load(Ordering::Relaxed), notifier.look(&mut ())), (0, true));
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn the_end_wakes_all_and_takes_no_more() {
    let notifier = Notifier::new(Counters::default());
    let waiting: Vec<_> = (0..3).map(|key| listed(&notifier, key, 0, 1)).collect();
    notifier.end();
    notifier.watch();
    notifier.wake_all(Status::CONTEXT_IS_DESTROYED);
    assert!(waiting.iter().all(|(_, parker)| is_woken(parker)));
    let late = notifier.add([9, 0], Arc::default(), 1, Waiter::Thread(Parker::new()));
    assert_eq!(late, Err(ENDED));
}
