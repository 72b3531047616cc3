use super::*;
use std::thread;

/// Each write stores one number in all words.
fn store(cell: &Cell, number: u64) {
    cell.words.iter().for_each(|word| word.store(number, Ordering::Relaxed));
}

#[test]
fn writes_take_turns_and_readers_see_whole_ones() {
    let cell = Cell::default();
    let (threads, times) = (3, if cfg!(miri) { 50 } else { 20_000 });
    let write_all = || {
        for _ in 0..times {
            let mut locked = cell.lock();
            let next = cell.words().0[0] + 1;
            locked.write(|| store(&cell, next));
            locked.next_serial();
        }
    };
    thread::scope(|scope| {
        let writers: Vec<_> = (0..threads).map(|_| scope.spawn(write_all)).collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            let Mark([first, second, third]) = cell.read(|| cell.words());
            assert!(first == second && second == third);
        }
    });
    assert_eq!((cell.words().0[0], cell.serial()), (threads * times, threads * times));
}

#[test]
fn a_panic_under_the_lock_releases_it() {
    let cell = Cell::default();
    thread::scope(|scope| {
        let panics = || {
            let _locked = cell.lock();
            panic!("as the test wants it");
        };
        assert!(scope.spawn(panics).join().is_err());
    });
    cell.lock().write(|| store(&cell, 1));
    assert_eq!(cell.read(|| cell.words()), Mark([1; WORDS]));
}
