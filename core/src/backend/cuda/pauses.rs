//! The pauses of a thread that polls for a native event.
//!
//! A query costs some microseconds of CPU time, most of it for falling asleep and waking up, and a wait ends half a pause late. Programs
//! wait for like work again and again, so that the last waits for an event say when this one may end: a thread sleeps until shortly
//! before, and queries often then. If they differed, the pauses grow with the wait.

use crate::os::FineTimer;
use std::cell::Cell;
use std::time::{Duration, Instant};

const fn us(microseconds: u64) -> Duration {
    Duration::from_micros(microseconds)
}

/// How long a thread polls without a pause, unless it was asked not to.
const SPIN: Duration = us(20);
/// The pauses of a young wait, and of one that is about to end; and how long a wait is young.
const SHORT: Duration = us(16);
const YOUNG: Duration = us(200);
/// Later pauses are such a part of the wait so far, up to the longest.
const PART: u32 = 6;
const LONGEST: Duration = us(250);
/// A wait is like the one before if it ends so soon after it, or before it by less than this part of it; how many of them make a habit.
const LATER: Duration = LONGEST;
const EARLIER: u32 = 48;
const HABIT: u8 = 2;
/// A wait shorter than this ends soon enough without a habit.
const LONG: Duration = us(500);

/// How long the waits for one event have lasted.
#[derive(Clone, Copy)]
struct Habit {
    event: u64,
    /// Up to the last query that found it pending: it may have ended any time after.
    lasted: Duration,
    /// How many waits in a row were like this one.
    alike: u8,
}

/// Events of which a thread remembers the waits.
const REMEMBERED: usize = 16;

thread_local! {
    static HABITS: [Cell<Habit>; REMEMBERED] =
        const { [const { Cell::new(Habit { event: 0, lasted: Duration::ZERO, alike: 0 }) }; REMEMBERED] };
}

/// Runs `body` with the place of the event among the calling thread's habits. Native events lie 16 bytes apart at least.
fn with_habit<R>(event: u64, body: impl FnOnce(&Cell<Habit>) -> R) -> R {
    let place = (event >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
    HABITS.with(|habits| body(&habits[place as usize % REMEMBERED]))
}

impl Habit {
    /// When a wait like these may end at the earliest.
    fn earliest(self) -> Duration {
        self.lasted - (self.lasted / EARLIER).max(SHORT).min(self.lasted)
    }
}

/// The calling thread's wait for one event, as far as the pauses depend on it.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    event: u64,
    since: Instant,
    /// What the waits before were like, if they were alike.
    habit: Option<Habit>,
    /// Up to the last query.
    lasted: Duration,
}

impl Wait {
    /// A wait that began at `since`.
    pub(super) fn new(event: u64, since: Instant) -> Wait {
        let habit = with_habit(event, Cell::get);
        let is_one = habit.event == event && habit.alike >= HABIT && habit.lasted >= LONG;
        Wait { event, since, habit: is_one.then_some(habit), lasted: Duration::ZERO }
    }

    /// Returns how long to pause after a query at `now` that found the event pending.
    pub(super) fn pause(&mut self, now: Instant) -> Duration {
        let lasted = now.saturating_duration_since(self.since);
        self.lasted = lasted;
        match self.habit {
            // The first query soon, as the work may be done already.
            Some(_) if lasted < SHORT => SHORT,
            Some(habit) if lasted < habit.earliest() => habit.earliest() - lasted,
            Some(habit) if lasted < habit.lasted + LATER => SHORT,
            _ if lasted < YOUNG => SHORT,
            _ => (lasted / PART).clamp(SHORT, LONGEST),
        }
    }

    /// Remembers how long the wait has lasted, which is over.
    pub(super) fn end(self) {
        with_habit(self.event, |place| {
            let before = place.get();
            let alike = before.earliest()..=before.lasted + LATER;
            let is_alike = before.event == self.event && alike.contains(&self.lasted);
            let alike = if is_alike { before.alike.saturating_add(1) } else { 0 };
            place.set(Habit { event: self.event, lasted: self.lasted, alike });
        });
    }
}

/// The pauses of a wait of the calling thread's until a deadline.
pub(super) struct Pauses {
    wait: Wait,
    spins: bool,
    timer: Option<FineTimer>,
}

impl Pauses {
    /// A wait that begins now.
    pub(super) fn new(event: u64, spins: bool) -> Pauses {
        Pauses { wait: Wait::new(event, Instant::now()), spins, timer: None }
    }

    /// Pauses until the next query; returns false, at once, if the deadline has passed.
    pub(super) fn pause(&mut self, deadline: Instant) -> bool {
        let now = Instant::now();
        if now >= deadline {
            return false;
        }
        if self.spins && self.wait.habit.is_none() && now < self.wait.since + SPIN {
            std::hint::spin_loop();
        } else {
            self.timer.get_or_insert_with(FineTimer::new);
            std::thread::sleep(self.wait.pause(now).min(deadline - now));
        }
        true
    }

    /// The event is done.
    pub(super) fn end(self) {
        if self.timer.is_some() {
            self.wait.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goes through a wait of that length; returns how late it ended, and after how many queries.
    fn wait(event: u64, length: Duration) -> (Duration, u32) {
        let start = Instant::now();
        let (mut now, mut looks) = (start, 1);
        let mut wait = Wait::new(event, start);
        while now < start + length {
            now += wait.pause(now);
            looks += 1;
        }
        wait.end();
        (now - start - length, looks)
    }

    #[test]
    fn pauses_grow_with_the_wait_and_are_bounded() {
        for (length, late, looks) in [(us(150), us(20), 11), (us(1500), us(250), 28), (us(20_000), us(250), 110)] {
            let (was, looked) = wait(16, length);
            assert!(was <= late && looked <= looks, "{length:?}: {was:?} late after {looked} looks");
        }
    }

    #[test]
    fn like_waits_end_soon_after_few_looks() {
        for length in [us(1000), us(5000), us(20_000)] {
            for varied in [0, 5, 10, 5] {
                wait(32, length + us(varied));
            }
            let (late, looks) = wait(32, length);
            let about_to_end = (length / EARLIER).as_micros() / SHORT.as_micros();
            assert!(late <= SHORT && u128::from(looks) <= 6 + about_to_end, "{looks} looks, {late:?}");
            // One that ends early ends late, and is the last to do so.
            wait(32, length / 2);
            assert!(wait(32, length / 2).0 <= LONGEST);
        }
    }

    #[test]
    fn a_wait_of_another_event_is_no_habit() {
        (0..4).for_each(|_| assert!(wait(48, us(5000)).1 > 0));
        assert!(Wait::new(48, Instant::now()).habit.is_some());
        assert!(Wait::new(64, Instant::now()).habit.is_none());
    }
}
