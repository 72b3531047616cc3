//! A thread that protects an object against one that destroys it.

use super::*;
use crate::sync::{AtomicU32, Lazy};
use crate::table::loom_tests::explore;
use loom::thread;

struct World {
    hazard: Hazard,
    is_dead: AtomicU32,
    is_freed: AtomicU32,
}

static WORLD: Lazy<World> =
    Lazy::new(|| World { hazard: Hazard::default(), is_dead: AtomicU32::new(0), is_freed: AtomicU32::new(0) });

const NATIVE: u64 = 7;

fn is_set(flag: &AtomicU32) -> bool {
    flag.load(Ordering::Acquire) != 0
}

/// Uses the object if it is found alive.
fn user() {
    let World { hazard, is_dead, is_freed } = Lazy::force(&WORLD);
    hazard.protect([NATIVE, 0]);
    if !is_set(is_dead) {
        assert!(!is_set(is_freed), "it is freed while it is in use");
    }
    hazard.clear();
}

#[test]
fn a_use_against_a_destroy() {
    explore(2, || {
        let World { hazard, is_dead, is_freed } = Lazy::force(&WORLD);
        let user = thread::spawn(|| {
            user();
            user();
        });
        is_dead.store(1, Ordering::Release);
        heavy_fence();
        if !hazard.has(NATIVE) {
            is_freed.store(1, Ordering::Release);
        }
        user.join().expect("the user");
    });
}
