//! Workers of models, which end when the model says so.

use super::{Runnable, get};
use crate::sync::Ordering;
use crate::workers::parker::Parker;
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
        let parker = Parker::new();
        let mut is_active = false;
        while !is_over() {
            let first = get().search(worker, &parker, is_active).expect("a worker ended");
            get().run_in_turn(first);
            is_active = true;
        }
        worker.leave();
        get().held.fetch_sub(1, Ordering::SeqCst);
        get().give_way(last());
    };
    (0..count).map(|_| loom::thread::spawn(life)).collect()
}

/// Makes something runnable for a worker of a model, from a thread that is none.
pub(crate) fn push_modelled(runnable: Runnable) {
    get().give_way(runnable);
}
