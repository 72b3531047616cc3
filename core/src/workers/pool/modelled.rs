//! Workers of models, which end when the model says so.

use super::{Runnable, get, with_mine};
use crate::sync::Ordering;
use crate::workers::worker::Worker;

/// Starts workers for a model, which begin as those that search, and take turns until `is_over`; then each wakes another by
/// `last`, which has nothing to do.
pub(crate) fn spawn_modelled(
    count: usize,
    is_over: fn() -> bool,
    last: fn() -> Runnable,
) -> Vec<loom::thread::JoinHandle<()>> {
    get().limit.store(count, Ordering::Relaxed);
    get().held.store(count, Ordering::SeqCst);
    let life = move || {
        let worker = Worker::enter();
        worker.set_permit(true);
        // A single worker has nobody to share a list with: without one, a model of it takes fewer steps.
        if count > 1 {
            with_mine(|mine| mine.open_list(&get().lists));
        }
        let mut is_active = false;
        while !is_over() {
            let first = get().search(worker, is_active).expect("a worker ended");
            get().run_in_turn(worker, first);
            is_active = true;
        }
        worker.leave();
        get().held.fetch_sub(1, Ordering::SeqCst);
        get().push(std::iter::once(last()));
    };
    (0..count).map(|_| loom::thread::spawn(life)).collect()
}

/// Makes something runnable for a worker of a model, from a thread that is none.
pub(crate) fn push_modelled(runnable: Runnable) {
    get().push(std::iter::once(runnable));
}
