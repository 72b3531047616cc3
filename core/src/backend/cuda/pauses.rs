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
/// The pauses of a young wait, and of one that is about to end; and how long a wait is young, which ends soon enough without a habit.
const SHORT: Duration = us(16);
const YOUNG: Duration = us(200);
/// Later pauses are such a part of the wait so far, within these bounds.
const PART: u32 = 60;
const LATER: Duration = us(100);
const LONGEST: Duration = us(250);
/// The pause after a round of queries of several events is at least so many times as long as the round.
pub(super) const IDLE: u32 = 8;
/// A wait is like the ones before if it ends no further from where they ended than this, or than such a part of it.
const ALIKE: Duration = LONGEST;
const ALIKE_PART: u32 = 8;
/// So many waits in a row make a habit, and so many at the most are remembered.
const HABIT: u8 = 3;
const SURE: u8 = 5;
/// Before the end that is expected, a thread queries often for at least such a part of the wait. Once it queries so long before that: a
/// long sleep ends late, by 30 to 90 us on an idle machine.
const EARLIER: u32 = 64;
const BEFORE: Duration = us(64);
/// Between two queries then, the pause is such a part of the average error.
const OFTEN: u32 = 4;
/// In a wait longer than this, a thread also queries after each quarter, and this often at least: it may end early for once.
const LONG: Duration = us(2000);
const EACH: Duration = us(5000);

/// How long the waits for one event last.
#[derive(Clone, Copy)]
struct Habit {
    event: u64,
    /// On average, the last ones above all.
    length: Duration,
    /// How far off that was, on average.
    error: Duration,
    /// How many waits in a row were like this one, less those since that were not.
    alike: u8,
}

/// Events whose waits are remembered.
const REMEMBERED: usize = 16;

/// How long waits have lasted: each thread's own, and those of the threads that poll for others.
pub(super) struct Habits([Cell<Habit>; REMEMBERED]);

thread_local! {
    static HABITS: Habits = const { Habits::new() };
}

impl Habits {
    const fn new() -> Habits {
        const NONE: Habit = Habit { event: 0, length: Duration::ZERO, error: Duration::ZERO, alike: 0 };
        Habits([const { Cell::new(NONE) }; REMEMBERED])
    }

    /// The event's place. Native events lie 16 bytes apart at least.
    fn of(&self, event: u64) -> &Cell<Habit> {
        let place = (event >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
        &self.0[place as usize % REMEMBERED]
    }
}

impl Default for Habits {
    fn default() -> Habits {
        Habits::new()
    }
}

impl Habit {
    /// From when on the thread queries often.
    fn earliest(self) -> Duration {
        self.length.saturating_sub((self.error * 2).max(self.length / EARLIER) + SHORT)
    }

    /// How far from the others a wait like them may end.
    fn alike(self) -> Duration {
        ALIKE.max(self.length / ALIKE_PART)
    }

    /// The end of the part of the wait that has begun; that of the wait if it is not long.
    fn next_part(self, lasted: Duration) -> Duration {
        let part = (self.length / 4).min(EACH);
        if self.length < LONG { self.length } else { part * (lasted.div_duration_f64(part) as u32 + 1) }
    }

    /// Returns when to query next, in a wait that has lasted so long; `None` once it is no longer like the ones before.
    fn next(self, lasted: Duration) -> Option<Duration> {
        let earliest = self.earliest();
        let before = earliest.saturating_sub(BEFORE);
        let stops = [self.next_part(lasted).min(before), before, earliest];
        let often = lasted + (self.error / OFTEN).clamp(SHORT, LATER);
        stops.into_iter().find(|stop| *stop > lasted).or((lasted < self.length + self.alike()).then_some(often))
    }

    /// Adds a wait that ended after the first of the two times, and not after the second.
    fn add(&mut self, event: u64, after: Duration, until: Duration) {
        let (length, unsure) = ((after + until) / 2, (until - after) / 2);
        let error = length.abs_diff(self.length).max(unsure);
        if event == self.event && self.alike > 0 && error <= self.alike() {
            self.length = (self.length + length) / 2;
            self.error = if self.alike == 1 { error } else { (self.error + error) / 2 };
            self.alike = (self.alike + 1).min(SURE);
        } else if event == self.event && self.alike > HABIT && length > self.length {
            // One that takes longer now and then changes no habit.
            self.alike -= 1;
        } else {
            *self = Habit { event, length, error: unsure, alike: 1 };
        }
    }
}

/// A wait for one event, as far as the pauses depend on it.
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
    pub(super) fn new(habits: &Habits, event: u64, since: Instant) -> Wait {
        let habit = habits.of(event).get();
        let is_one = habit.event == event && habit.alike >= HABIT && habit.length >= YOUNG;
        Wait { event, since, habit: is_one.then_some(habit), lasted: Duration::ZERO }
    }

    /// Returns how long to pause after a query at `now` that found the event pending.
    pub(super) fn pause(&mut self, now: Instant) -> Duration {
        let lasted = now.saturating_duration_since(self.since);
        self.lasted = lasted;
        match self.habit.and_then(|habit| habit.next(lasted)) {
            Some(next) => next - lasted,
            None if lasted < YOUNG => SHORT,
            None => (lasted / PART).clamp(LATER, LONGEST),
        }
    }

    /// Remembers how long the wait has lasted, which was over at `now`.
    pub(super) fn end(self, habits: &Habits, now: Instant) {
        let until = now.saturating_duration_since(self.since).max(self.lasted);
        let place = habits.of(self.event);
        let mut habit = place.get();
        habit.add(self.event, self.lasted, until);
        place.set(habit);
    }
}

/// The pauses of a wait of the calling thread's.
pub(super) struct Pauses {
    wait: Wait,
    spins: bool,
    timer: Option<FineTimer>,
}

impl Pauses {
    /// A wait that begins now.
    pub(super) fn new(event: u64, spins: bool) -> Pauses {
        let wait = HABITS.with(|habits| Wait::new(habits, event, Instant::now()));
        Pauses { wait, spins, timer: None }
    }

    /// Pauses until the next query, for no less than `least`; returns false, at once, if the deadline has passed.
    pub(super) fn pause(&mut self, least: Duration, deadline: Option<Instant>) -> bool {
        let now = Instant::now();
        let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(now));
        if left.is_zero() {
            return false;
        }
        if self.spins && self.wait.habit.is_none() && now < self.wait.since + SPIN {
            std::hint::spin_loop();
        } else {
            self.timer.get_or_insert_with(FineTimer::new);
            std::thread::sleep(self.wait.pause(now).max(least).min(left));
        }
        true
    }

    /// The event is done.
    pub(super) fn end(self) {
        if self.timer.is_some() {
            HABITS.with(|habits| self.wait.end(habits, Instant::now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goes through a wait of that length; returns how late it ended, and after how many queries.
    fn wait(habits: &Habits, event: u64, length: Duration) -> (Duration, u32) {
        let start = Instant::now();
        let (mut now, mut queries) = (start, 1);
        let mut wait = Wait::new(habits, event, start);
        while now < start + length {
            // A sleep ends some microseconds late.
            now += wait.pause(now) + us(5);
            queries += 1;
        }
        wait.end(habits, now);
        (now - start - length, queries)
    }

    fn wait_often(habits: &Habits, event: u64, length: Duration) {
        for _ in 0..4 {
            wait(habits, event, length);
        }
    }

    #[test]
    fn pauses_grow_with_the_wait_and_are_bounded() {
        for (length, late, queries) in [(us(150), us(21), 9), (us(1500), us(105), 24), (us(20_000), us(255), 150)] {
            let (was, queried) = wait(&Habits::new(), 16, length);
            assert!(was <= late && queried <= queries, "{length:?}: {was:?} late after {queried} queries");
        }
    }

    #[test]
    fn like_waits_end_soon_after_few_queries() {
        for length in [us(300), us(1000), us(1500), us(5000), us(20_000)] {
            let habits = Habits::new();
            let jitter = || [0, 20, 7, 13, 3, 18].into_iter().map(us);
            for more in jitter() {
                wait(&habits, 32, length + more);
            }
            let about_to_end = (length / EARLIER).as_micros() / SHORT.as_micros();
            for more in jitter() {
                let (late, queries) = wait(&habits, 32, length + more);
                let few = if length < LONG { 7 } else { 8 } + about_to_end;
                assert!(u128::from(queries) <= few, "{length:?}: {queries} queries");
                assert!(late <= SHORT + us(5), "{length:?}: {late:?} late after {queries} queries");
            }
        }
    }

    #[test]
    fn waits_that_vary_by_a_twentieth_are_alike() {
        let habits = Habits::new();
        let vary = || [12, 3, 18, 7, 20, 0, 15, 9, 1, 17].into_iter().map(|part| us(16_000 + 80 * part));
        for length in vary() {
            wait(&habits, 32, length);
        }
        let (mut late, queries): (Vec<_>, Vec<_>) = vary().map(|length| wait(&habits, 32, length)).unzip();
        late.sort_unstable();
        assert!(late[5] <= us(100), "{late:?}");
        assert!(queries.iter().sum::<u32>() <= 300, "{queries:?} queries");
    }

    #[test]
    fn a_wait_that_takes_longer_now_and_then_changes_no_habit() {
        let habits = Habits::new();
        wait_often(&habits, 32, us(5000));
        wait(&habits, 32, us(9000));
        assert!(wait(&habits, 32, us(5000)).0 <= SHORT + us(5));
        // One that goes on taking longer does.
        wait_often(&habits, 32, us(9000));
        assert!(wait(&habits, 32, us(9000)).0 <= SHORT + us(5));
    }

    #[test]
    fn one_that_ends_early_ends_the_habit() {
        let habits = Habits::new();
        wait_often(&habits, 32, us(5000));
        assert!(wait(&habits, 32, us(1500)).0 <= us(1010), "found after the second quarter");
        assert!(wait(&habits, 32, us(1500)).0 <= LATER + us(5));
    }

    #[test]
    fn a_wait_of_another_event_is_no_habit() {
        let habits = Habits::new();
        wait_often(&habits, 48, us(5000));
        assert!(Wait::new(&habits, 48, Instant::now()).habit.is_some());
        assert!(Wait::new(&habits, 64, Instant::now()).habit.is_none());
    }
}
