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

/// A signal that one thread waits for. Time does not pass in a model.
pub(crate) struct Signal {
    thread: loom::thread::Thread,
    given: super::AtomicU32,
}

impl Signal {
    pub(crate) fn new() -> Signal {
        Signal { thread: loom::thread::current(), given: super::AtomicU32::new(0) }
    }

    pub(crate) fn take(&self) -> bool {
        self.given.swap(0, super::Ordering::Acquire) != 0
    }

    pub(crate) fn is_given(&self) -> bool {
        self.given.load(super::Ordering::Relaxed) != 0
    }

    pub(crate) fn sleep(&self, _: Option<Duration>) {
        loom::thread::park();
    }

    pub(crate) fn give(&self) {
        // Not a store: loom can order another thread's swap after a store although the swap read the older value, and the signal would be lost.
        self.given.swap(1, super::Ordering::Release);
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
