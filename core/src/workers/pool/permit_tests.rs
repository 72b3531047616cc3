use crate::workers::pool;
use crate::workers::worker::Worker;

/// The monitor sees a worker running that parks, or leaves, before the monitor counts it: such a permit would never be given back.
#[test]
fn only_a_worker_whose_permit_was_withdrawn_is_counted_by_the_monitor() {
    let (pool, worker) = (pool::get(), Worker::enter());
    pool.set_blocked(worker, worker.begun(), false);
    assert!(!worker.has_permit());
    pool.set_permit(&mut pool.due.0.lock(), worker, true);
    pool.set_blocked(worker, worker.begun(), true);
    assert!(!worker.has_permit() && worker.is_withdrawn());
    pool.set_blocked(worker, worker.begun() + 1, false);
    assert!(!worker.has_permit());
    pool.set_blocked(worker, worker.begun(), false);
    assert!(worker.has_permit());
    pool.set_blocked(worker, worker.begun(), true);
    // It parks or leaves.
    pool.set_permit(&mut pool.due.0.lock(), worker, false);
    pool.set_blocked(worker, worker.begun(), false);
    assert!(!worker.has_permit());
    worker.leave();
}
