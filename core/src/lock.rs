//! std's locks without poisoning, and a wait with a deadline for one.
//!
//! None of them has thread-local storage, so a thread may contend a lock while it ends.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{self, PoisonError};
use std::time::{Duration, Instant};

pub use sync::MutexGuard;

/// How often [`Mutex::try_lock_until`] tries.
const INTERVAL: Duration = Duration::from_micros(500);

/// A mutex. A panic under the lock releases it.
#[derive(Default)]
pub struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// Makes an unlocked mutex.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// Locks it; blocks while another thread holds the lock.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks it, if no thread holds the lock.
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(sync::TryLockError::WouldBlock) => None,
        }
    }

    /// Locks it; `None` if other threads hold the lock until the deadline.
    pub fn try_lock_until(&self, deadline: Instant) -> Option<MutexGuard<'_, T>> {
        loop {
            let guard = self.try_lock();
            if guard.is_some() || Instant::now() >= deadline {
                return guard;
            }
            sleep(INTERVAL);
        }
    }
}

/// A condition variable. Waits may end for no reason.
#[derive(Default)]
pub struct Condvar {
    inner: sync::Condvar,
    /// Changes under the waiters' mutex. std notifies by a system call even without waiters.
    waiters: AtomicU32,
}

impl Condvar {
    /// Makes one without a waiter.
    pub const fn new() -> Condvar {
        Condvar { inner: sync::Condvar::new(), waiters: AtomicU32::new(0) }
    }

    /// Releases the lock, waits for a notification, and locks again.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.waiters.fetch_add(1, Ordering::Relaxed);
        let guard = self.inner.wait(guard).unwrap_or_else(PoisonError::into_inner);
        self.waiters.fetch_sub(1, Ordering::Relaxed);
        guard
    }

    /// Like [`Condvar::wait`], for at most that long; returns whether the time ran out.
    pub fn wait_for<'a, T>(&self, guard: MutexGuard<'a, T>, time: Duration) -> (MutexGuard<'a, T>, bool) {
        self.waiters.fetch_add(1, Ordering::Relaxed);
        let (guard, end) = self.inner.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner);
        self.waiters.fetch_sub(1, Ordering::Relaxed);
        (guard, end.timed_out())
    }

    /// Wakes a waiter, if there is one. The caller holds the waiters' mutex, or has held it since what they wait for has changed.
    pub fn notify_one(&self) {
        if self.waiters.load(Ordering::Relaxed) > 0 {
            self.inner.notify_one();
        }
    }

    /// Like [`Condvar::notify_one`], for all waiters.
    pub fn notify_all(&self) {
        if self.waiters.load(Ordering::Relaxed) > 0 {
            self.inner.notify_all();
        }
    }
}

/// Sleeps for about that long. Unlike std's sleep it is not a cancellation point.
pub(crate) fn sleep(time: Duration) {
    static NOBODY: Mutex<()> = Mutex::new(());
    drop(Condvar::new().wait_for(NOBODY.lock(), time));
}
