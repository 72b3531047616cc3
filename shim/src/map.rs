//! What is known of each pointer that the driver issued.
//!
//! The map is in shards, each a hash table of chains. A lookup takes no lock unless it finds nothing. Pointers are put in
//! under the shard's lock.
//!
//! The entry of a destroyed object stays, since the driver issues pointers again and a destroyed one has to be known as such
//! until then. When a shard has no room, it reuses the entries that were already dead the last time, and grows only if these
//! are few. So the map has no more than a few times the entries that lived at once, and no thread waits for more than one
//! shard's growth. Entries are never freed, but serve one pointer after the other. So a lookup returns a value as it was
//! while it served that pointer, and who changes it says what it saw.

use gevt_core::atomic_ref::AtomicRef;
use gevt_core::lock::Mutex;
use gevt_core::native_events::{NativeEvent, Seen};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many shards there are.
const SHARDS: usize = 256;
/// How many entries a shard makes at first. Then it doubles.
const FIRST: usize = 8;

/// What a map keeps of a pointer.
pub(crate) trait Value: Sync + 'static {
    /// What serves no pointer yet.
    fn new() -> Self;

    /// The life of the object. No life is the same again once it has changed.
    fn life(&self) -> &NativeEvent;
}

impl Value for NativeEvent {
    fn new() -> NativeEvent {
        NativeEvent::new()
    }

    #[inline]
    fn life(&self) -> &NativeEvent {
        self
    }
}

/// An entry, in its own cache lines, as threads write to the entries that they use.
#[repr(align(64))]
struct Node<T: 'static> {
    value: T,
    key: AtomicUsize,
    next: AtomicRef<Node<T>>,
    /// The object was dead when the shard last looked for room. Changed under the shard's lock.
    was_dead: AtomicBool,
}

/// A map from pointers to entries.
pub(crate) struct Map<T: 'static>([Shard<T>; SHARDS]);

struct Shard<T: 'static> {
    chains: AtomicRef<Chains<T>>,
    store: Mutex<Store<T>>,
}

/// The first entry of each chain.
struct Chains<T: 'static>(Box<[AtomicRef<Node<T>>]>);

/// All entries of a shard.
struct Store<T: 'static> {
    all: Vec<&'static Node<T>>,
    /// Entries that serve no pointer.
    free: Vec<&'static Node<T>>,
}

impl<T: Value> Node<T> {
    fn new() -> Node<T> {
        Node { value: T::new(), key: AtomicUsize::new(0), next: AtomicRef::none(), was_dead: AtomicBool::new(false) }
    }

    #[inline]
    fn is_of(&self, key: usize) -> bool {
        self.key.load(Ordering::Acquire) == key
    }

    /// Returns the value as it is, if it serves that pointer. The pointer changes only while the value is free, so one that is
    /// the same before and after was that pointer's in between.
    #[inline]
    fn seen_of(&self, key: usize) -> Option<Seen> {
        let seen = self.value.life().seen();
        (self.is_of(key) && self.value.life().seen() == seen).then_some(seen)
    }
}

impl<T: Value> Map<T> {
    pub(crate) const fn new() -> Map<T> {
        const {
            assert!(SHARDS.is_power_of_two());
        }
        Map(
            [const { Shard { chains: AtomicRef::none(), store: Mutex::new(Store { all: Vec::new(), free: Vec::new() }) } };
                SHARDS],
        )
    }

    /// Returns the value of that pointer, and how it stood; none for NULL.
    #[inline]
    pub(crate) fn find(&self, key: usize) -> Option<(&'static T, Seen)> {
        let hash = hash(key);
        loop {
            let shard = &self.0[hash % SHARDS];
            let node = shard
                .chains
                .load()
                .and_then(|chains| chains.find(key, hash))
                .or_else(|| shard.find_again(key, hash))?;
            if let Some(seen) = node.seen_of(key) {
                return Some((&node.value, seen));
            }
        }
    }

    /// As [`Map::find`], and finds nothing if that needs more than a look. For the fast path.
    #[inline]
    pub(crate) fn find_at_once(&self, key: usize) -> Option<Seen> {
        let hash = hash(key);
        self.0[hash % SHARDS].chains.load()?.find(key, hash)?.seen_of(key)
    }

    /// Begins the life of an object at that pointer with `revive`, which returns false if the value is not as it was seen, and
    /// is then called again. NULL has no value and gets none.
    pub(crate) fn revive(&self, key: usize, revive: impl Fn(&T, Seen) -> bool) -> Option<&'static T> {
        if key == 0 {
            return None;
        }
        let hash = hash(key);
        let shard = &self.0[hash % SHARDS];
        let known = shard.chains.load().and_then(|chains| chains.find(key, hash));
        if let Some(node) = known
            && let Some(seen) = node.seen_of(key)
            && !seen.is_free()
            && revive(&node.value, seen)
        {
            return Some(&node.value);
        }
        let mut store = shard.store.lock();
        let node = shard.search(key, hash).or_else(|| shard.insert(&mut store, key, hash))?;
        // Under the lock no value is freed, and what others do to this one ends soon.
        while !revive(&node.value, node.value.life().seen()) {
            std::hint::spin_loop();
        }
        Some(&node.value)
    }

    /// Visits all values.
    pub(crate) fn each(&self, visit: impl Fn(&'static T)) {
        for shard in &self.0 {
            shard.store.lock().all.iter().for_each(|node| visit(&node.value));
        }
    }
}

/// Pointers differ in the bits above those of their alignment; the product carries these to the top.
#[inline]
fn hash(key: usize) -> usize {
    ((key as u64 >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24) as usize
}

impl<T: Value> Chains<T> {
    fn of(count: usize) -> Chains<T> {
        Chains((0..count).map(|_| AtomicRef::none()).collect())
    }

    #[inline]
    fn chain(&self, hash: usize) -> &AtomicRef<Node<T>> {
        // The count is a power of two.
        &self.0[(hash / SHARDS) & (self.0.len() - 1)]
    }

    /// Entries that change their places meanwhile may be missed.
    #[inline]
    fn find(&self, key: usize, hash: usize) -> Option<&'static Node<T>> {
        let mut next = self.chain(hash).load();
        // A chain that others change could lead on and on.
        for _ in 0..64 {
            let node = next?;
            if node.is_of(key) {
                return Some(node);
            }
            next = node.next.load();
        }
        None
    }

    /// For the one who holds the store.
    fn put(&self, node: &'static Node<T>, hash: usize) {
        let chain = self.chain(hash);
        node.next.store(chain.load());
        chain.store(Some(node));
    }

    /// For the one who holds the store: takes out the entries that `is_due` names.
    fn take(&self, is_due: impl Fn(&Node<T>) -> bool, taken: &mut Vec<&'static Node<T>>) {
        for chain in &self.0 {
            let mut link = chain;
            while let Some(node) = link.load() {
                if is_due(node) {
                    link.store(node.next.load());
                    taken.push(node);
                } else {
                    link = &node.next;
                }
            }
        }
    }
}

impl<T: Value> Shard<T> {
    /// Looks for an entry while none changes its place.
    #[cold]
    fn find_again(&self, key: usize, hash: usize) -> Option<&'static Node<T>> {
        let _store = self.store.lock();
        self.search(key, hash)
    }

    /// For the one who holds the store.
    fn search(&self, key: usize, hash: usize) -> Option<&'static Node<T>> {
        let mut next = self.chains.load()?.chain(hash).load();
        while let Some(node) = next {
            if node.is_of(key) {
                return Some(node);
            }
            next = node.next.load();
        }
        None
    }

    /// Gives a pointer that has none an entry.
    fn insert(&self, store: &mut Store<T>, key: usize, hash: usize) -> Option<&'static Node<T>> {
        if store.free.is_empty() {
            self.make_room(store);
        }
        let node = store.free.pop()?;
        node.key.store(key, Ordering::Release);
        node.was_dead.store(false, Ordering::Relaxed);
        self.chains.load()?.put(node, hash);
        Some(node)
    }

    #[cold]
    fn make_room(&self, store: &mut Store<T>) {
        let Store { all, free } = store;
        if let Some(chains) = self.chains.load() {
            // Dead at the last sweep and now.
            let is_due = |node: &Node<T>| node.was_dead.load(Ordering::Relaxed) && node.value.life().free();
            chains.take(is_due, free);
            if free.len() >= all.len() / 4 {
                mark_dead(all);
                return;
            }
        }
        let more = all.len().max(FIRST);
        let nodes: &'static [Node<T>] = Box::leak((0..more).map(|_| Node::new()).collect());
        all.extend(nodes);
        let chains: &'static Chains<T> = Box::leak(Box::new(Chains::of(all.len().next_power_of_two())));
        if let Some(old) = self.chains.load() {
            let mut moved = Vec::with_capacity(all.len());
            old.take(|_| true, &mut moved);
            moved.into_iter().for_each(|node| chains.put(node, hash(node.key.load(Ordering::Relaxed))));
        }
        self.chains.store(Some(chains));
        free.extend(nodes);
        mark_dead(all);
    }
}

fn mark_dead<T: Value>(all: &[&'static Node<T>]) {
    for node in all {
        node.was_dead.store(!node.value.life().seen().is_live(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
