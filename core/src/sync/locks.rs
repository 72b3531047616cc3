//! loom's locks and threads in the shape of parking_lot's and std's.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// loom's mutex. It is never poisoned, as a model ends with its first panic.
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

pub(crate) struct MutexGuard<'a, T>(Option<loom::sync::MutexGuard<'a, T>>);

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex(loom::sync::Mutex::new(T::default()))
    }
}

impl<T> Mutex<T> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(self.0.lock().ok())
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is locked")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is locked")
    }
}

/// loom's condition variable. Time does not pass in a model.
pub(crate) struct Condvar(loom::sync::Condvar);

pub(crate) struct Waited;

impl Waited {
    pub(crate) fn timed_out(&self) -> bool {
        false
    }
}

impl Condvar {
    pub(crate) fn new() -> Condvar {
        Condvar(loom::sync::Condvar::new())
    }

    pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        guard.0 = guard.0.take().and_then(|held| self.0.wait(held).ok());
    }

    pub(crate) fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, _: Duration) -> Waited {
        self.wait(guard);
        Waited
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// A static that each run of a model makes anew.
pub(crate) struct Lazy<T>(loom::lazy_static::Lazy<T>);

impl<T> Lazy<T> {
    pub(crate) const fn new(init: fn() -> T) -> Lazy<T> {
        Lazy(loom::lazy_static::Lazy { init, _p: std::marker::PhantomData })
    }
}

impl<T: 'static> Lazy<T> {
    pub(crate) fn force(this: &'static Lazy<T>) -> &'static T {
        this.0.get()
    }
}

pub(crate) const fn looks(_: u32) -> u32 {
    1
}

pub(crate) fn spawn(_: &str, _: usize, _: impl FnOnce() + Send + 'static) -> bool {
    false
}

/// A signal that one thread waits for. Time does not pass in a model.
pub(crate) struct Signal {
    thread: loom::thread::Thread,
    given: super::AtomicBool,
}

impl Signal {
    pub(crate) fn new() -> Signal {
        Signal { thread: loom::thread::current(), given: super::AtomicBool::new(false) }
    }

    pub(crate) fn take(&self) -> bool {
        self.given.swap(false, super::Ordering::Acquire)
    }

    pub(crate) fn is_given(&self) -> bool {
        self.given.load(super::Ordering::Relaxed)
    }

    pub(crate) fn sleep(&self, _: Option<Duration>) {
        loom::thread::park();
    }

    pub(crate) fn give(&self) {
        self.given.store(true, super::Ordering::Release);
        self.thread.unpark();
    }
}

/// loom's `thread_local!`, which knows no `const` blocks.
macro_rules! modelled_thread_local {
    ($($(#[$about:meta])* static $name:ident: $kind:ty = const { $value:expr };)*) => {
        loom::thread_local! { $($(#[$about])* static $name: $kind = $value;)* }
    };
}
pub(crate) use modelled_thread_local as thread_local;
