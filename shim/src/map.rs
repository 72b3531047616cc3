//! What is known of each pointer that the driver issued.
//!
//! A pointer is put in once and stays, and so does its entry: the driver issues pointers again, and a destroyed one has to be
//! known as such until then. So a look-up takes no lock and writes nothing. A table that is full is copied into one of twice
//! the size, and kept for those who still read it: all old ones together are smaller than the newest.

use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The first table has two to this power of places.
const FIRST: u32 = 10;
/// How many entries are made at a time.
const CHUNK: usize = 64;
/// How often a table can be outgrown: more places than an address space has room for.
const TABLES: usize = 40;

/// A map from pointers to entries.
pub(crate) struct Map<T: 'static> {
    tables: [OnceLock<Table<T>>; TABLES],
    /// Which table has all pointers.
    newest: AtomicU32,
    store: Mutex<Store<T>>,
}

/// Held by whoever puts a pointer in.
struct Store<T: 'static> {
    /// How many pointers there are.
    count: usize,
    /// Entries that serve none yet.
    spare: &'static [T],
}

/// A place: empty while the key is zero. The key is written last.
struct Place<T: 'static> {
    key: AtomicUsize,
    entry: OnceLock<&'static T>,
}

struct Table<T: 'static> {
    places: Box<[Place<T>]>,
    /// How far a hash is shifted to give a place.
    shift: u32,
}

impl<T: Sync> Map<T> {
    pub(crate) const fn new() -> Map<T> {
        Map {
            tables: [const { OnceLock::new() }; TABLES],
            newest: AtomicU32::new(0),
            store: Mutex::new(Store { count: 0, spare: &[] }),
        }
    }

    /// The entry of that pointer; none for NULL.
    #[inline]
    pub(crate) fn find(&self, key: usize) -> Option<&'static T> {
        self.newest()?.find(key)
    }

    /// The entry of that pointer, a new one where it has none. NULL has none and gets none.
    pub(crate) fn find_or_insert(&self, key: usize, make: impl Fn() -> T) -> Option<&'static T> {
        if key == 0 {
            return None;
        }
        self.find(key).or_else(|| self.insert(key, make))
    }

    /// All entries.
    pub(crate) fn each(&self, mut visit: impl FnMut(usize, &'static T)) {
        let places = self.newest().map_or(&[][..], |table| &table.places);
        for place in places {
            let key = place.key.load(Ordering::Acquire);
            if let Some(entry) = place.entry.get().filter(|_| key != 0) {
                visit(key, entry);
            }
        }
    }

    #[inline]
    fn newest(&self) -> Option<&Table<T>> {
        self.tables.get(self.newest.load(Ordering::Acquire) as usize)?.get()
    }

    #[cold]
    fn insert(&self, key: usize, make: impl Fn() -> T) -> Option<&'static T> {
        let mut store = self.store.lock();
        if let Some(entry) = self.find(key) {
            return Some(entry);
        }
        let table = self.with_room(store.count)?;
        if store.spare.is_empty() {
            store.spare = Box::leak((0..CHUNK).map(|_| make()).collect());
        }
        let (entry, spare) = store.spare.split_first()?;
        store.spare = spare;
        table.insert(key, entry);
        store.count += 1;
        Some(entry)
    }

    /// The table that has all pointers, with room for one more: half of it stays empty, so that a search soon ends.
    fn with_room(&self, count: usize) -> Option<&Table<T>> {
        let newest = self.newest.load(Ordering::Relaxed);
        let table = self.tables.get(newest as usize)?.get_or_init(|| Table::new(FIRST + newest));
        if count < table.places.len() / 2 {
            return Some(table);
        }
        let next = newest + 1;
        let larger = self.tables.get(next as usize)?.get_or_init(|| {
            let larger = Table::new(FIRST + next);
            self.each(|key, entry| larger.insert(key, entry));
            larger
        });
        self.newest.store(next, Ordering::Release);
        Some(larger)
    }
}

impl<T: Sync> Table<T> {
    fn new(bits: u32) -> Table<T> {
        let place = |_| Place { key: AtomicUsize::new(0), entry: OnceLock::new() };
        Table { places: (0..1_usize << bits).map(place).collect(), shift: 64 - bits }
    }

    /// The places at which a pointer may be, up to the first that is empty.
    #[inline]
    fn places(&self, key: usize) -> impl Iterator<Item = &Place<T>> {
        // Pointers differ in the bits above those of their alignment; the product carries these to the top.
        let start = ((key as u64 >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        let (before, after) = self.places.split_at_checked(start).unwrap_or_default();
        after.iter().chain(before)
    }

    #[inline]
    fn find(&self, key: usize) -> Option<&'static T> {
        for place in self.places(key) {
            let found = place.key.load(Ordering::Acquire);
            if found == key {
                return place.entry.get().copied();
            }
            if found == 0 {
                break;
            }
        }
        None
    }

    /// For the one who holds the store, and for a table with room.
    fn insert(&self, key: usize, entry: &'static T) {
        let empty = self.places(key).find(|place| place.key.load(Ordering::Relaxed) == 0);
        if let Some(place) = empty {
            // Nobody else writes to an empty place.
            let _ = place.entry.set(entry);
            place.key.store(key, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// Puts in a pointer that is not there, with an entry that is nobody else's and holds it.
    fn put_in(map: &Map<AtomicUsize>, key: usize) {
        assert!(map.find(key).is_none());
        let entry = map.find_or_insert(key, AtomicUsize::default).expect("it is not NULL");
        assert_eq!(entry.swap(key, Ordering::Relaxed), 0, "{key} got an entry that is in use");
        assert_eq!(map.find_or_insert(key, AtomicUsize::default).map(std::ptr::from_ref), Some(&raw const *entry));
    }

    fn held(map: &Map<AtomicUsize>, key: usize) -> Option<usize> {
        map.find(key).map(|entry| entry.load(Ordering::Relaxed))
    }

    #[test]
    fn what_was_put_in_is_found_and_nothing_else() {
        let map = Map::<AtomicUsize>::new();
        assert!(
            map.find(16).is_none() && map.find_or_insert(0, AtomicUsize::default).is_none() && map.find(0).is_none()
        );
        for key in (8..80_000).step_by(8) {
            put_in(&map, key);
        }
        for key in 0..90_000 {
            let is_there = (8..80_000).contains(&key) && key % 8 == 0;
            assert_eq!(held(&map, key), is_there.then_some(key), "{key}");
        }
        let mut keys = Vec::new();
        map.each(|key, entry| keys.push((key, entry.load(Ordering::Relaxed))));
        keys.sort_unstable();
        assert!(keys.into_iter().eq((8..80_000).step_by(8).map(|key| (key, key))));
    }

    /// Keys that meet at one place, the last of the table among them, from which the search goes on at the first.
    #[test]
    fn pointers_that_meet_are_told_apart() {
        let map = Map::new();
        let place = |key: usize| (key as u64 >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - FIRST);
        let last = (1 << FIRST) - 1;
        let meeting: Vec<usize> =
            (1..4_000_000_usize).map(|n| n * 8).filter(|&key| place(key) == last).take(100).collect();
        assert_eq!(meeting.len(), 100);
        meeting.iter().for_each(|key| put_in(&map, *key));
        assert!(meeting.iter().all(|key| held(&map, *key) == Some(*key)));
    }

    /// Who was told of a pointer finds it, however the table grows meanwhile; and all get the same entry.
    #[test]
    fn readers_find_what_other_threads_put_in_while_it_grows() {
        const KEYS: usize = 40_000;
        static MAP: Map<AtomicUsize> = Map::new();
        static TOLD: AtomicUsize = AtomicUsize::new(0);
        static FAILED: AtomicBool = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for writer in 0..2 {
                scope.spawn(move || {
                    for key in 1..=KEYS {
                        let entry = MAP.find_or_insert(key * 16, AtomicUsize::default).expect("it is not NULL");
                        entry.fetch_add(1, Ordering::Relaxed);
                        if writer == 0 {
                            TOLD.store(key, Ordering::Release);
                        }
                    }
                });
            }
            for step in [1, 7] {
                scope.spawn(move || {
                    let mut key = 1;
                    while TOLD.load(Ordering::Acquire) < KEYS {
                        let told = TOLD.load(Ordering::Acquire);
                        key = if key + step > told { 1 } else { key + step };
                        if key <= told && MAP.find(key * 16).is_none() {
                            FAILED.store(true, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert!(!FAILED.load(Ordering::Relaxed), "a pointer was lost");
        let counts = (1..=KEYS).map(|key| MAP.find(key * 16).map(|count| count.load(Ordering::Relaxed)));
        assert!(counts.into_iter().all(|count| count == Some(2)), "a pointer had two entries");
    }
}
