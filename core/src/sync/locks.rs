//! loom's locks and threads in the shape of the real ones.

use std::sync::PoisonError;
use std::time::Duration;

pub(crate) use loom::sync::MutexGuard;

/// loom's mutex.
#[derive(Default)]
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// loom's condition variable. Time does not pass in a model.
pub(crate) struct Condvar(loom::sync::Condvar);

impl Condvar {
    pub(crate) fn new() -> Condvar {
        Condvar(loom::sync::Condvar::new())
    }

    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wait_for<'a, T>(&self, guard: MutexGuard<'a, T>, _: Duration) -> (MutexGuard<'a, T>, bool) {
        (self.wait(guard), false)
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
