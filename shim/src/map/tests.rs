use super::*;
use crate::tracked::NO_DEVICE;
use std::sync::atomic::AtomicBool;

/// The flags are the pointer.
fn make(map: &Map, key: usize) {
    map.revive(key, |tracked, seen| tracked.revive(seen, key as u32, NO_DEVICE, false));
}

fn end(map: &Map, key: usize) {
    let (tracked, seen) = map.find(key).expect("it was put in");
    assert!(tracked.known.kill(seen).is_some(), "{key}");
}

fn is_live(map: &Map, key: usize) -> bool {
    map.find(key).is_some_and(|(tracked, seen)| seen.is_live() && tracked.flags() == key as u32)
}

fn size(map: &Map) -> usize {
    map.0.iter().map(|shard| shard.store.lock().all.len()).sum()
}

#[test]
fn what_was_put_in_is_found_and_nothing_else() {
    static MAP: Map = Map::new();
    assert!(MAP.find(16).is_none() && MAP.find(0).is_none());
    assert!(MAP.revive(0, |_, _| true).is_none() && MAP.find(0).is_none());
    for key in (8..200_000).step_by(8) {
        make(&MAP, key);
    }
    for key in 0..210_000 {
        assert_eq!(is_live(&MAP, key), (8..200_000).contains(&key) && key % 8 == 0, "{key}");
    }
    let count = AtomicUsize::new(0);
    MAP.each(|tracked| {
        count.fetch_add(usize::from(tracked.known.seen().is_live()), Ordering::Relaxed);
    });
    assert_eq!(count.into_inner(), 200_000 / 8 - 1);
}

/// Pointers that are never issued again take no more room than the pointers that live at once. The pointers that were destroyed last
/// are known as destroyed.
#[test]
fn entries_of_destroyed_objects_are_reused() {
    static MAP: Map = Map::new();
    let keys = 1_000_000;
    for number in 0..keys {
        make(&MAP, (number + 1) * 64);
        if number >= 100 {
            end(&MAP, (number - 99) * 64);
        }
    }
    assert!((keys - 99..=keys).all(|number| is_live(&MAP, number * 64)));
    assert!(size(&MAP) <= SHARDS * FIRST * 8, "{} entries for 100 objects", size(&MAP));
    for number in keys - 1000..keys - 99 {
        assert!(MAP.find(number * 64).is_some(), "an object that was destroyed lately is not known");
    }
    assert!(MAP.find(64).is_none());
}

/// A pointer that was put in is found, however others are put in and destroyed meanwhile.
#[test]
fn readers_find_what_other_threads_put_in() {
    const KEYS: usize = 60_000;
    static MAP: Map = Map::new();
    static ISSUED: AtomicUsize = AtomicUsize::new(0);
    static FAILED: AtomicBool = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for writer in 0..3_usize {
            scope.spawn(move || {
                for number in 1..=KEYS {
                    let key = (number * 4 + writer) * 16;
                    make(&MAP, key);
                    if writer != 0 {
                        end(&MAP, key);
                    } else {
                        ISSUED.store(number, Ordering::Release);
                    }
                }
            });
        }
        for step in [1, 7] {
            scope.spawn(move || {
                let mut number = 1;
                loop {
                    let issued = ISSUED.load(Ordering::Acquire);
                    if issued == KEYS {
                        break;
                    }
                    number = if number + step > issued { 1 } else { number + step };
                    if number <= issued && !is_live(&MAP, number * 64) {
                        FAILED.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(!FAILED.load(Ordering::Relaxed), "a pointer was lost");
    assert!((1..=KEYS).all(|number| is_live(&MAP, number * 64)));
}
