//! Events: what is known of them, and what becomes of the calls around them.

use crate::driver::memory::may_be_object;
use crate::driver::types::{Code, Event, Stream};
use crate::ffi::boundary::Call;
use crate::map::Map;
use crate::misuse::Misuse;
use crate::process::Mode;
use crate::{leaks, streams};
use gevt_core::native_events::{Killed, Known, NativeEvent};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// A flag of an event's making.
const DISABLE_TIMING: u32 = 2;
/// A flag of a record: in a capture it becomes a node, which records the event whenever the graph runs.
const EXTERNAL: u32 = 1;
const INVALID_HANDLE: Code = 400;

/// What is known of the events at one address. Apart from others, as threads write to those that they record.
#[repr(align(64))]
struct Entry {
    known: NativeEvent,
    /// How the present event was made.
    flags: AtomicU32,
    /// How often the present event was opened, and how many destroys it takes: a driver may give one pointer for all
    /// opens of another process's event. 0 for an event that was not opened. Changed under [`OPENS`].
    opens: AtomicU32,
}

/// Held by who opens an event, or destroys one that was opened: the count and the event's life change together.
static OPENS: Mutex<()> = Mutex::new(());

static EVENTS: Map<Entry> = Map::new();

/// The entry of a live event; none for NULL and for one that is the driver's to judge.
#[inline]
fn find(call: &Call<impl Fn() -> Code>, event: Event) -> Result<Option<&'static Entry>, Misuse> {
    let address = event.0 as usize;
    match EVENTS.find(address) {
        Some(entry) if entry.known.is_live() => Ok(Some(entry)),
        Some(_) => Err(Misuse::DestroyedEvent(address)),
        None if address == 0 => {
            call.warn(Misuse::NullEvent);
            Ok(None)
        }
        None => refuse(address, call.mode).map(|()| None),
    }
}

#[cold]
fn refuse(address: usize, mode: Mode) -> Result<(), Misuse> {
    match () {
        () if !may_be_object(address) => Err(Misuse::NotAnEvent(address)),
        () if mode.is_strict() => Err(Misuse::UnknownEvent(address)),
        () => Ok(()),
    }
}

/// The fast path: is it known that the event is done, or was never recorded? False tells nothing.
#[inline]
pub(crate) fn is_settled(event: Event) -> bool {
    EVENTS.find(event.0 as usize).is_some_and(|entry| entry.known.is_settled())
}

/// The driver has made an event.
pub(crate) fn made(call: &Call<impl Fn() -> Code>, event: Event, flags: u32) {
    if let Some(entry) = note_made(call, event, flags) {
        entry.opens.store(0, Ordering::Relaxed);
        entry.known.revive();
    }
}

/// The driver has made an event that others record, too.
pub(crate) fn made_shared(call: &Call<impl Fn() -> Code>, event: Event, flags: u32) {
    if let Some(entry) = note_made(call, event, flags) {
        entry.opens.store(0, Ordering::Relaxed);
        entry.known.revive_shared();
    }
}

/// The driver has opened an event of another process, maybe one that is open here already.
pub(crate) fn opened(call: &Call<impl Fn() -> Code>, event: Event, flags: u32) {
    if let Some(entry) = note_made(call, event, flags) {
        entry.open();
    }
}

fn note_made(call: &Call<impl Fn() -> Code>, event: Event, flags: u32) -> Option<&'static Entry> {
    let entry = EVENTS.find_or_insert(event.0 as usize, Entry::new)?;
    if call.mode.keeps_leaks() {
        leaks::made(event.0 as usize, call.symbol);
    }
    entry.flags.store(flags, Ordering::Relaxed);
    Some(entry)
}

/// Is the event done? For a query, and for a wait of the calling thread.
pub(crate) fn query(call: &Call<impl Fn() -> Code>, event: Event) -> Result<Code, Misuse> {
    let Some(entry) = find(call, event)? else { return Ok(call.driver()) };
    match entry.known.look() {
        Known::Dead => Err(Misuse::DestroyedEvent(event.0 as usize)),
        Known::Done if !call.mode.asks() => Ok(0),
        Known::Done => Ok(call.driver()),
        Known::Ask(seen) => {
            let code = call.driver();
            if code == 0 {
                entry.known.remember(seen);
            }
            Ok(code)
        }
    }
}

/// Records the event on a stream.
pub(crate) fn record(call: &Call<impl Fn() -> Code>, event: Event, stream: Stream, flags: u32) -> Result<Code, Misuse> {
    streams::check(stream, call.mode)?;
    record_anywhere(call, event, flags)
}

/// Records the event, and where is the driver's to know.
pub(crate) fn record_anywhere(call: &Call<impl Fn() -> Code>, event: Event, flags: u32) -> Result<Code, Misuse> {
    let Some(entry) = find(call, event)? else { return Ok(call.driver()) };
    let record = entry.known.begin().ok_or(Misuse::DestroyedEvent(event.0 as usize))?;
    let code = call.driver();
    entry.known.end(record, code == 0 && flags & EXTERNAL != 0);
    Ok(code)
}

/// Destroys the event. It counts as destroyed before the driver is called: then its pointer may be issued again at once.
pub(crate) fn destroy(call: &Call<impl Fn() -> Code>, event: Event) -> Result<Code, Misuse> {
    let address = event.0 as usize;
    let Some(entry) = find(call, event)? else { return Ok(call.driver()) };
    let Some(killed) = entry.end().ok_or(Misuse::DestroyedEvent(address))? else {
        // It stays open for the others who opened it.
        let code = call.driver();
        if code != 0 {
            entry.reopen();
        }
        return Ok(code);
    };
    let origin = if call.mode.keeps_leaks() { leaks::take(address) } else { None };
    let code = call.driver();
    if code != 0 {
        entry.known.unkill(killed);
        origin.inspect(|origin| leaks::put_back(address, *origin));
    }
    Ok(code)
}

/// Calls that read the event, such as the wait of a stream.
pub(crate) fn read(call: &Call<impl Fn() -> Code>, event: Event) -> Result<Code, Misuse> {
    find(call, event).map(|_| call.driver())
}

/// Calls after which others record the event, such as a graph.
pub(crate) fn give(call: &Call<impl Fn() -> Code>, event: Event) -> Result<Code, Misuse> {
    give_all(call, std::iter::once(event))
}

/// As [`give`], of several events. The driver may record them before it returns.
pub(crate) fn give_all(
    call: &Call<impl Fn() -> Code>,
    mut events: impl Iterator<Item = Event>,
) -> Result<Code, Misuse> {
    events.try_for_each(|event| match find(call, event)? {
        Some(entry) if !entry.known.ask_always() => Err(Misuse::DestroyedEvent(event.0 as usize)),
        _ => Ok(()),
    })?;
    Ok(call.driver())
}

/// The time between two events.
pub(crate) fn elapsed(call: &Call<impl Fn() -> Code>, start: Event, end: Event) -> Result<Code, Misuse> {
    let both = [find(call, start)?, find(call, end)?];
    let code = call.driver();
    if code == INVALID_HANDLE && call.mode.warns() {
        let events = [start, end].map(|event| event.0 as usize);
        let misuse = both.into_iter().zip(events).find_map(|(entry, event)| entry?.has_no_time(event));
        misuse.inspect(|misuse| call.warn(*misuse));
    }
    Ok(code)
}

impl Entry {
    fn new() -> Entry {
        Entry { known: NativeEvent::new(), flags: AtomicU32::new(0), opens: AtomicU32::new(0) }
    }

    /// One destroy more to come: of a new event, or of the one that is open already.
    fn open(&self) {
        let _lock = OPENS.lock();
        let before = if self.known.is_live() { self.opens.load(Ordering::Relaxed) } else { 0 };
        self.opens.store(before.saturating_add(1), Ordering::Relaxed);
        if before == 0 {
            self.known.revive_shared();
        }
    }

    /// One destroy less to come; gives what the last one ended, and `None` where the event does not live.
    fn end(&self) -> Option<Option<Killed>> {
        if self.opens.load(Ordering::Relaxed) == 0 {
            return self.known.kill().map(Some);
        }
        let _lock = OPENS.lock();
        let opens = self.opens.load(Ordering::Relaxed);
        if opens > 1 && self.known.is_live() {
            self.opens.store(opens - 1, Ordering::Relaxed);
            return Some(None);
        }
        self.known.kill().map(Some)
    }

    /// The driver has refused a destroy that was not the last one.
    fn reopen(&self) {
        let _lock = OPENS.lock();
        self.opens.store(self.opens.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    }

    fn has_no_time(&self, address: usize) -> Option<Misuse> {
        if self.flags.load(Ordering::Relaxed) & DISABLE_TIMING != 0 {
            return Some(Misuse::NoTiming(address));
        }
        self.known.is_unrecorded().then_some(Misuse::NeverRecorded(address))
    }
}

/// The driver has answered `code` to the end of a context: from now on it answers for its events. Which ones these are, it
/// alone knows.
pub(crate) fn after_context(code: Code) -> Code {
    EVENTS.each(|_, entry| entry.known.forget());
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever has opened an event finds it alive until it destroys it, whatever others open and destroy at the address.
    #[test]
    fn an_event_lives_while_one_of_those_who_opened_it_has_it() {
        let entry = Entry::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        entry.open();
                        assert!(
                            entry.known.is_live() && entry.known.begin().map(|it| entry.known.end(it, false)).is_some()
                        );
                        assert!(entry.end().is_some());
                    }
                });
            }
        });
        assert!(!entry.known.is_live() && entry.end().is_none());
    }

    #[test]
    fn a_destroy_that_is_refused_is_still_to_come() {
        let entry = Entry::new();
        entry.open();
        entry.open();
        assert!(entry.end().is_some_and(|killed| killed.is_none()));
        entry.reopen();
        assert!(entry.end().is_some_and(|killed| killed.is_none()));
        let killed = entry.end().flatten().expect("it is the last one");
        entry.known.unkill(killed);
        assert!(entry.end().flatten().is_some() && entry.end().is_none());
    }
}
