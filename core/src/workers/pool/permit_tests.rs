use crate::workers::pool;
use crate::workers::worker::Worker;

/// The monitor sees a worker running that parks, or leaves, before the monitor counts it: such a permit would never be given back.
#[test]
fn only_a_worker_whose_permit_was_withdrawn_is_counted_by_the_monitor() {
    let (pool, worker) = (pool::get(), Worker::enter());
    pool.count_withdrawn(worker, worker.begun());
    assert!(!worker.has_permit());
    pool.count_again(worker);
    pool.withdraw_permit(worker, worker.begun());
    assert!(!worker.has_permit() && worker.is_withdrawn());
    pool.count_withdrawn(worker, worker.begun() + 1);
    assert!(!worker.has_permit());
    pool.count_withdrawn(worker, worker.begun());
    assert!(worker.has_permit());
    pool.withdraw_permit(worker, worker.begun());
    // It parks or leaves.
    pool.give_permit_back(&mut pool.due.0.lock(), worker);
    pool.count_withdrawn(worker, worker.begun());
    assert!(!worker.has_permit());
    worker.leave();
}
