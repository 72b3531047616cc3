//! Workers of models, which end when the model says so.

use super::super::worker::Worker;
use super::{Runnable, get, with_mine};
use crate::sync::Ordering;

/// Starts workers for a model, which begin as those that search, and take turns until `is_over`; then each wakes another by
/// `last`, which has nothing to do.
pub(crate) fn spawn_modelled(
    count: usize,
    is_over: fn() -> bool,
    last: fn() -> Runnable,
) -> Vec<loom::thread::JoinHandle<()>> {
    get().limit.store(count, Ordering::Relaxed);
    get().searching.fetch_add(count, Ordering::SeqCst);
    get().due.lock().held = count;
    let life = move || {
        let worker = Worker::enter();
        worker.set_permit(true);
        // A single worker has nobody to share a list with: without one, a model of it takes fewer steps.
        if count > 1 {
            with_mine(|mine| mine.open_list(get()));
        }
        let mut counted = true;
        while !is_over() {
            assert!(get().take_turn(worker, &mut counted), "a worker ended");
        }
        worker.leave();
        get().searching.fetch_sub(1, Ordering::SeqCst);
        get().due.lock().held -= 1;
        get().push(std::iter::once(last()));
    };
    (0..count).map(|_| loom::thread::spawn(life)).collect()
}

/// Makes something runnable for a worker of a model, from a thread that is none.
pub(crate) fn push_modelled(runnable: Runnable) {
    get().push(std::iter::once(runnable));
}
