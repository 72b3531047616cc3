use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const FEW: usize = 8;

fn thread(parker: &Arc<Parker>) -> Waiter {
    Waiter::Thread(parker.clone())
}

#[test]
fn waiters_are_taken_by_value_and_then_by_arrival() {
    let mut list = WaiterList::default();
    let next = Arc::new(AtomicUsize::new(0));
    for (value, place) in [(7, 5), (9, 7), (1, 0), (7, 6), (1, 1), (3, 2), (3, 3), (3, 4)] {
        let next = next.clone();
        list.add(value, Waiter::Now(Box::new(move |_| assert_eq!(next.fetch_add(1, Ordering::Relaxed), place))));
    }
    assert_eq!(list.nearest(), Some(1));
    while let Some((_, Waiter::Now(call))) = list.take_due(3) {
        call(crate::status::Status::SUCCESS);
    }
    assert_eq!((next.load(Ordering::Relaxed), list.nearest()), (5, Some(7)));
    assert_eq!(list.take_all().count(), 3);
    assert_eq!(list.nearest(), None);
}

#[test]
fn a_thread_is_forgotten_at_one_value_and_nobody_else_is() {
    let mut list = WaiterList::default();
    let (one, other) = (Parker::new(), Parker::new());
    for value in [5, 6] {
        for _ in 0..FEW {
            list.add(value, thread(&one));
            list.add(value, thread(&other));
        }
    }
    list.forget(5, &one);
    list.forget(4, &other);
    let left: Vec<_> = std::iter::from_fn(|| list.take_due(u64::MAX)).collect();
    let count = |value, parker: &Arc<Parker>| {
        let is_it = |found: &&(u64, Waiter)| {
            found.0 == value && matches!(&found.1, Waiter::Thread(known) if Arc::ptr_eq(known, parker))
        };
        left.iter().filter(is_it).count()
    };
    let counts = [count(5, &one), count(5, &other), count(6, &one), count(6, &other)];
    assert_eq!(counts, [0, FEW, FEW, FEW]);
}
