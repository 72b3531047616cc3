//! Waits that hold no thread for records of other processes. One thread sleeps on as many of their words as the kernel can wait for at
//! once, and wakes the waiters.

use super::SharedEvent;
use crate::error::Result;
use crate::os::{self, MOST_WORDS, SleepWord};
use crate::point::{Key, Notifier, Source};
use crate::status::Status;
use crate::sync::{Lazy, Signal};
use crate::workers::{Parker, Waiter};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How often a waiter checks whether the process that has to finish the record lives.
pub(super) const INTERVAL: Duration = Duration::from_millis(40);
// The header promises that waiters learn of a process's end within 100 ms.
const _: () = assert!(2 * INTERVAL.as_millis() < 100);
/// How long the thread sleeps at first if the kernel cannot wait for as many words as there are, and how many times as long at last.
const SHORT: Duration = Duration::from_micros(500);
const LONGER: u32 = 8;
/// After so many sleeps in a row for nothing the thread pauses after each one that ended at once: a process may ring a bell all the time.
const HURRIED: u32 = 64;
const AT_ONCE: Duration = Duration::from_micros(20);

/// A record, by its ticket.
pub(super) struct Record {
    shared: Arc<SharedEvent>,
    ticket: u64,
}

/// What the thread sleeps for.
#[derive(Default)]
pub(super) struct Round {
    words: Vec<SleepWord>,
    /// The events of the words, which are mapped while the thread sleeps.
    listened: Vec<Arc<SharedEvent>>,
    /// When to check again whether processes live.
    check: Option<Instant>,
    /// Whether this round checks that.
    checks: bool,
    /// Sleeps in a row for nothing.
    sleeps: u32,
}

#[derive(Default)]
pub(super) struct Records {
    /// Changes with each interruption.
    call: AtomicU32,
}

static WATCHER: Lazy<Notifier<Records>> = Lazy::new(|| Notifier::new(Records::default()));

impl Source for Records {
    const NAME: &'static str = "gevt-ipc";
    type Timeline = Record;
    type Round = Round;

    fn begin(&self, round: &mut Round, news: bool) {
        let now = Instant::now();
        round.listened.clear();
        round.words.clear();
        round.words.push(SleepWord::new(&self.call, self.call.load(Ordering::SeqCst)));
        round.checks = round.check.is_none_or(|check| check <= now);
        if round.checks {
            round.check = Some(now + INTERVAL);
        }
        if news {
            round.sleeps = 0;
        }
    }

    fn look(&self, record: &mut Record, _: u64, round: &mut Round) -> Result<Option<Status>> {
        let Record { shared, ticket } = record;
        let bell = shared.page().listen();
        let reached =
            if round.checks { shared.reached(*ticket) } else { shared.peek(*ticket).map(|peer| peer.is_none()) };
        match reached {
            Ok(true) => return Ok(Some(Status::SUCCESS)),
            Ok(false) => {}
            Err(failure) => return Ok(Some(failure.status())),
        }
        if round.words.len() < MOST_WORDS {
            round.words.push(SleepWord::new(shared.bell(), bell));
        }
        round.listened.push(shared.clone());
        Ok(None)
    }

    fn sleep(&self, round: &mut Round, _: &Signal) {
        round.sleeps = round.sleeps.saturating_add(1);
        let start = Instant::now();
        let time = round.check.map_or(INTERVAL, |check| check.saturating_duration_since(start));
        let short = SHORT * round.sleeps.min(LONGER);
        let are_all_listed = round.listened.len() < round.words.len();
        let can_sleep = os::sleep_on_any(&round.words, if are_all_listed { time } else { time.min(short) });
        if !can_sleep || (round.sleeps > HURRIED && start.elapsed() < AT_ONCE) {
            std::thread::sleep(short);
        }
    }

    fn interrupt(&self) {
        self.call.fetch_add(1, Ordering::SeqCst);
        os::wake(&self.call);
    }
}

fn key(shared: &SharedEvent, ticket: u64) -> Key {
    [std::ptr::from_ref(shared) as u64, ticket]
}

/// Makes sure, before a stream waits, that a thread can wake it.
pub(crate) fn start() -> Result<()> {
    Lazy::force(&WATCHER).start(())
}

/// Wakes the waiter when the record is finished or lost.
pub(crate) fn add(shared: Arc<SharedEvent>, ticket: u64, waiter: Waiter) -> Result<()> {
    start()?;
    Lazy::force(&WATCHER).add(key(&shared, ticket), Record { shared, ticket }, 0, waiter)
}

/// Removes a parked thread.
pub(super) fn forget(shared: &SharedEvent, ticket: u64, parker: &Parker) {
    Lazy::force(&WATCHER).forget(key(shared, ticket), 0, parker);
}
