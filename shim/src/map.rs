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

use crate::tracked::Tracked;
use gevt_core::atomic_ref::AtomicRef;
use gevt_core::lock::Mutex;
use gevt_core::native_events::Seen;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many shards there are: few enough that what a lookup reads of them stays in the first cache.
const SHARDS: usize = 16;
/// How many entries a shard makes at first. Then it doubles.
const FIRST: usize = 64;
/// How many entries of a chain a lookup without the lock looks at: a chain that others change could lead on and on.
const MOST: usize = 64;

/// An entry, in its own cache line, as threads write to the entries that they use.
#[repr(align(64))]
struct Node {
    value: Tracked,
    key: AtomicUsize,
    next: AtomicRef<Node>,
    /// The object was dead when the shard last looked for room. Changed under the shard's lock.
    was_dead: AtomicBool,
}
const _: () = assert!(size_of::<Node>() == 64);

/// A map from pointers to entries.
pub(crate) struct Map([Shard; SHARDS]);

struct Shard {
    chains: AtomicRef<Chains>,
    store: Mutex<Store>,
}

/// The first entry of each chain. There are at least twice as many chains as entries.
struct Chains(Box<[AtomicRef<Node>]>);

/// All entries of a shard.
struct Store {
    all: Vec<&'static Node>,
    /// Entries that serve no pointer.
    free: Vec<&'static Node>,
}

impl Node {
    fn new() -> Node {
        Node {
            value: Tracked::new(),
            key: AtomicUsize::new(0),
            next: AtomicRef::none(),
            was_dead: AtomicBool::new(false),
        }
    }

    #[inline]
    fn is_of(&self, key: usize) -> bool {
        self.key.load(Ordering::Acquire) == key
    }

    /// Returns the value as it is, if it serves that pointer. The pointer changes only while the value is free, so one that is
    /// the same before and after was that pointer's in between.
    #[inline]
    fn seen_of(&self, key: usize) -> Option<Seen> {
        let seen = self.value.known.seen();
        (self.is_of(key) && self.value.known.seen() == seen).then_some(seen)
    }
}

impl Map {
    pub(crate) const fn new() -> Map {
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
    pub(crate) fn find(&self, key: usize) -> Option<(&'static Tracked, Seen)> {
        self.find_at_once(key).or_else(|| self.find_again(key))
    }

    /// Looks for an entry while none changes its place or its pointer.
    #[cold]
    fn find_again(&self, key: usize) -> Option<(&'static Tracked, Seen)> {
        let hash = hash(key);
        let shard = &self.0[hash % SHARDS];
        let _store = shard.store.lock();
        shard.search(key, hash).map(|node| (&node.value, node.value.known.seen()))
    }

    /// As [`Map::find`], and finds nothing if that needs more than a look. For the fast paths.
    #[inline(always)]
    pub(crate) fn find_at_once(&self, key: usize) -> Option<(&'static Tracked, Seen)> {
        let hash = hash(key);
        let node = self.0[hash % SHARDS].chains.load()?.find(key, hash, MOST)?;
        Some((&node.value, node.seen_of(key)?))
    }

    /// Begins the life of an object at that pointer with `revive`, which returns false if the value is not as it was seen, and
    /// is then called again. NULL has no value and gets none.
    pub(crate) fn revive(&self, key: usize, revive: impl Fn(&Tracked, Seen) -> bool) -> Option<&'static Tracked> {
        if key == 0 {
            return None;
        }
        let hash = hash(key);
        let shard = &self.0[hash % SHARDS];
        let known = shard.chains.load().and_then(|chains| chains.find(key, hash, MOST));
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
        while !revive(&node.value, node.value.known.seen()) {
            std::hint::spin_loop();
        }
        Some(&node.value)
    }

    /// Visits all values.
    pub(crate) fn each(&self, visit: impl Fn(&'static Tracked)) {
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

impl Chains {
    fn of(count: usize) -> Chains {
        Chains((0..count).map(|_| AtomicRef::none()).collect())
    }

    #[inline]
    fn chain(&self, hash: usize) -> &AtomicRef<Node> {
        // The count is a power of two.
        &self.0[(hash / SHARDS) & (self.0.len() - 1)]
    }

    /// Looks at up to `most` entries. Those that change their places meanwhile may be missed.
    #[inline(always)]
    fn find(&self, key: usize, hash: usize, most: usize) -> Option<&'static Node> {
        let mut next = self.chain(hash).load();
        for _ in 0..most {
            let node = next?;
            if node.is_of(key) {
                return Some(node);
            }
            next = node.next.load();
        }
        None
    }

    /// For the one who holds the store.
    fn put(&self, node: &'static Node, hash: usize) {
        let chain = self.chain(hash);
        node.next.store(chain.load());
        chain.store(Some(node));
    }

    /// For the one who holds the store: takes out the entries that `is_due` names.
    fn take(&self, is_due: impl Fn(&Node) -> bool, taken: &mut Vec<&'static Node>) {
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

impl Shard {
    /// For the one who holds the store.
    fn search(&self, key: usize, hash: usize) -> Option<&'static Node> {
        self.chains.load()?.find(key, hash, usize::MAX)
    }

    /// Gives a pointer that has none an entry.
    fn insert(&self, store: &mut Store, key: usize, hash: usize) -> Option<&'static Node> {
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
    fn make_room(&self, store: &mut Store) {
        let Store { all, free } = store;
        if let Some(chains) = self.chains.load() {
            // Dead at the last sweep and now.
            let is_due = |node: &Node| node.was_dead.load(Ordering::Relaxed) && node.value.known.free();
            chains.take(is_due, free);
            if free.len() >= all.len() / 4 {
                mark_dead(all);
                return;
            }
        }
        let more = all.len().max(FIRST);
        let nodes: &'static [Node] = Box::leak((0..more).map(|_| Node::new()).collect());
        all.extend(nodes);
        let chains: &'static Chains = Box::leak(Box::new(Chains::of(2 * all.len().next_power_of_two())));
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

fn mark_dead(all: &[&'static Node]) {
    for node in all {
        node.was_dead.store(!node.value.known.seen().is_live(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
