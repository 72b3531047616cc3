//! The model: plain maps and lists. A stream is a list of its submitted items and the number of completed ones. A record is a position in
//! that list.

use super::call::Pick;
use super::function::{Gate, Told};
use super::handle::*;
use crate::gevt::{context::*, event::*, last::*, query::*, record::*, signal::*, stream::*, sync::*, types::*};
use gevt_core::{Detail, Status};
use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

pub const EVENT: usize = 0;
pub const STREAM: usize = 1;
pub const CONTEXT: usize = 2;

/// Why a call fails: status and detail.
pub type Cause = (gevt_status_t, gevt_detail_t);

pub const HOST_SIGNALED: u32 = 0x20000;
pub const SUCCESS: i32 = Status::SUCCESS.0;
pub const NOT_RECORDED: Cause = (Status::ILLEGAL_STATE.0, Detail::NOT_RECORDED as i32);

/// A position in a stream: the number of items submitted before it.
pub type Point = (usize, usize);

/// A record: done at a step of the test, or at a place in a stream.
#[derive(Clone, Copy)]
pub enum Mark {
    Done(usize),
    At(Point),
}

#[derive(Clone)]
pub struct Event {
    pub flags: u32,
    /// The device, and the handle through which the event was bound to it.
    pub bound: Option<(usize, u64)>,
    pub mark: Option<Mark>,
    pub records: u64,
    /// The model stream that holds the signals of a host-signaled event.
    pub signals: Option<usize>,
    pub name: String,
}

/// An item submitted to a stream, with an event that was recorded right after it.
pub struct Item {
    pub waits: Vec<Point>,
    pub gate: Option<Arc<Gate>>,
    /// The item is a signal that the program has not sent yet.
    pub held: bool,
    pub probe: u64,
    /// The step at which it was done.
    pub step: usize,
}

#[derive(PartialEq, Clone, Copy)]
pub enum Role {
    Default,
    Blocking,
    NonBlocking,
}

pub struct Stream {
    pub device: usize,
    /// The handle of the context that it was made in.
    pub through: u64,
    pub role: Role,
    pub items: Vec<Item>,
    pub done: usize,
}

pub struct Model {
    /// All values that were issued: the kind, and whether what they name lives.
    pub issued: HashMap<u64, (usize, bool)>,
    pub live: [Vec<u64>; 3],
    pub stale: [Vec<u64>; 3],
    pub events: HashMap<u64, Event>,
    pub devices: HashMap<u64, usize>,
    pub handles: HashMap<u64, usize>,
    /// The first two are the default streams of the two devices.
    pub streams: Vec<Stream>,
    pub callbacks: Vec<(Arc<Told>, Mark)>,
    pub current: u64,
    pub detail: gevt_detail_t,
    pub step: usize,
    /// When each step began and ended.
    pub times: Vec<[Instant; 2]>,
}

impl Model {
    pub fn new() -> Model {
        let mut model = Model {
            issued: HashMap::new(),
            live: Default::default(),
            stale: Default::default(),
            events: HashMap::new(),
            devices: HashMap::new(),
            handles: HashMap::new(),
            streams: Vec::new(),
            callbacks: Vec::new(),
            current: 0,
            detail: 0,
            step: 0,
            times: Vec::new(),
        };
        for device in [0, 1, 0, 1] {
            let handle = open(device);
            model.issue(CONTEXT, handle);
            model.devices.insert(handle, device as usize);
        }
        for device in [0, 1] {
            let (through, role) = (model.live[CONTEXT][device], Role::Default);
            model.streams.push(Stream { device, through, role, items: Vec::new(), done: 0 });
        }
        let closed = model.live[CONTEXT][3];
        ok(gevt_context_close(cx(closed)));
        model.retire(CONTEXT, closed);
        model.current = model.live[CONTEXT][0];
        ok(gevt_context_set_current(cx(model.current)));
        let mut default = UNTOUCHED;
        // SAFETY: the place is a handle's size, and 0 is no address.
        ok(unsafe { gevt_stream_wrap(out(&mut default, false), cx(model.current), null_mut()) });
        model.issue(STREAM, default);
        model.handles.insert(default, 0);
        model.detail = gevt_last_detail();
        model
    }

    pub fn issue(&mut self, kind: usize, bits: u64) {
        assert!(self.issued.insert(bits, (kind, true)).is_none() && bits != 0, "{bits:#x} was issued twice");
        self.live[kind].push(bits);
    }

    pub fn retire(&mut self, kind: usize, bits: u64) {
        self.issued.insert(bits, (kind, false));
        self.live[kind].retain(|live| *live != bits);
        self.stale[kind].push(bits);
    }

    pub fn pick(&self, pick: Pick, kind: usize) -> u64 {
        let of = |list: &[u64], n: usize| if list.is_empty() { 0 } else { list[n % list.len()] };
        match pick {
            Pick::Live(n) => of(&self.live[kind], n),
            Pick::Stale(n) => of(&self.stale[kind], n),
            Pick::OtherKind(n) => of(&[&self.live, &self.stale][n / 2 % 2][(kind + 1 + n % 2) % 3], n / 4),
            // A small number, an address, and a live handle with a generation that no slot has reached.
            Pick::Garbage(n) => [1 + n as u64 % 9, 0x7f12_3456_7890, of(&self.live[kind], n) ^ 1 << 54][n % 3],
            Pick::Null => 0,
        }
    }

    /// Why a handle is refused.
    pub fn refuse(&self, bits: u64, kind: usize) -> Vec<Cause> {
        let detail = match self.issued.get(&bits) {
            _ if bits == 0 => Detail::NULL_HANDLE as i32,
            None => Detail::UNKNOWN_HANDLE as i32,
            Some((found, _)) if *found != kind => Detail::WRONG_KIND as i32,
            Some((_, false)) => Detail::STALE_HANDLE as i32,
            Some((_, true)) => return Vec::new(),
        };
        vec![(Status::INVALID_HANDLE.0, detail)]
    }

    /// Same as `refuse`, if NULL names the current context or its default stream.
    pub fn refuse_unless_null(&self, bits: u64, kind: usize) -> Vec<Cause> {
        if bits == 0 { Vec::new() } else { self.refuse(bits, kind) }
    }

    /// Why a wait for the event is refused.
    pub fn refuse_wait(&self, bits: u64) -> Vec<Cause> {
        let strict = self.events.get(&bits).is_some_and(|event| event.mark.is_none() && event.flags & 0x10000 != 0);
        if strict { vec![NOT_RECORDED] } else { self.refuse(bits, EVENT) }
    }

    /// The context of a handle: its device, and the handle that names it.
    pub fn context(&self, bits: u64) -> (usize, u64) {
        let bits = if bits == 0 { self.current } else { bits };
        (self.devices[&bits], bits)
    }

    pub fn stream(&self, bits: u64) -> usize {
        if bits == 0 { self.context(0).0 } else { self.handles[&bits] }
    }

    pub fn is_reached(&self, (stream, position): Point) -> bool {
        self.streams[stream].done >= position
    }

    /// The step at which a record was done.
    pub fn step_of(&self, mark: Mark) -> Option<usize> {
        match mark {
            Mark::Done(step) => Some(step),
            Mark::At(point @ (stream, position)) => {
                self.is_reached(point).then(|| self.streams[stream].items[position - 1].step)
            }
        }
    }

    pub fn is_done(&self, bits: u64) -> bool {
        self.events[&bits].mark.is_none_or(|mark| self.step_of(mark).is_some())
    }

    /// What the order of the default stream puts before the next work of a stream.
    pub fn before(&self, stream: usize) -> Vec<Point> {
        let (device, role) = (self.streams[stream].device, self.streams[stream].role);
        let holds = |other: &Stream| match role {
            Role::Default => other.role == Role::Blocking,
            Role::Blocking => other.role == Role::Default,
            Role::NonBlocking => false,
        };
        let ends = self.streams.iter().enumerate().filter(|(_, other)| other.device == device && holds(other));
        ends.map(|(number, other)| (number, other.items.len())).filter(|end| !self.is_reached(*end)).collect()
    }

    pub fn is_idle(&self, stream: usize) -> bool {
        self.is_reached((stream, self.streams[stream].items.len())) && self.before(stream).is_empty()
    }

    /// The result of gevt_stream_query. The default stream is idle only when the streams that it waits for are.
    pub fn has_done_all(&self, stream: usize) -> bool {
        let own = self.is_reached((stream, self.streams[stream].items.len()));
        own && (self.streams[stream].role != Role::Default || self.before(stream).is_empty())
    }

    /// Submits an item to a stream, through `handle`.
    pub fn submit(&mut self, handle: u64, wait: Option<Point>, gate: Option<Arc<Gate>>) -> Point {
        let mut probe = UNTOUCHED;
        ok(gevt_create(out(&mut probe, false), GEVT_EVENT_DISABLE_TIMING));
        ok(gevt_record(ev(probe), st(handle)));
        let stream = self.stream(handle);
        let waits = self.before(stream).into_iter().chain(wait).collect();
        self.streams[stream].items.push(Item { waits, gate, held: false, probe, step: 0 });
        (stream, self.streams[stream].items.len())
    }

    /// Advances the model until nothing more can complete, and waits until gevt is in the same state, no further.
    pub fn settle(&mut self) {
        let mut moved = true;
        while std::mem::take(&mut moved) {
            for stream in 0..self.streams.len() {
                let Some(item) = self.streams[stream].items.get(self.streams[stream].done) else { continue };
                let is_free = !item.held && item.gate.as_ref().is_none_or(|gate| gate.is_open());
                if is_free && item.waits.iter().all(|point| self.is_reached(*point)) {
                    let Stream { items, done, .. } = &mut self.streams[stream];
                    items[*done].step = self.step;
                    *done += 1;
                    moved = true;
                }
            }
        }
        for stream in 0..self.streams.len() {
            let done = self.streams[stream].done;
            for place in 0..self.streams[stream].items.len() {
                let item = &self.streams[stream].items[place];
                let begun = place <= done && item.waits.iter().all(|point| self.is_reached(*point));
                if let Some(gate) = &item.gate {
                    wait_for("a function", || gate.called.load(SeqCst) >= u32::from(begun));
                    assert_eq!(gate.called.load(SeqCst), u32::from(begun), "a function was called too early, or twice");
                }
                if place >= done && item.probe != 0 {
                    assert_eq!(gevt_query(ev(item.probe)), Status::NOT_READY.0, "stream {stream}, place {place}");
                } else if item.probe != 0 {
                    wait_for("a stream", || gevt_query(ev(item.probe)) == SUCCESS);
                    ok(gevt_destroy(ev(item.probe)));
                    self.streams[stream].items[place].probe = 0;
                }
            }
        }
        for (told, mark) in &self.callbacks {
            let due = u32::from(self.step_of(*mark).is_some());
            wait_for("a callback", || told.count.load(SeqCst) >= due);
            assert_eq!((told.count.load(SeqCst), told.failure.load(SeqCst)), (due, SUCCESS), "a callback");
        }
    }

    /// Compares an answer: one of the causes where there are any, else `otherwise`. True where the call succeeded.
    ///
    /// Calls that do not fail leave the detail as it is.
    pub fn judge(&mut self, got: gevt_status_t, causes: &[Cause], otherwise: gevt_status_t) -> bool {
        let answer = (got, gevt_last_detail());
        match causes {
            [] => assert_eq!(answer, (otherwise, self.detail)),
            _ => assert!(causes.contains(&answer), "{answer:?} is none of {causes:?}"),
        }
        self.detail = answer.1;
        got == SUCCESS
    }

    pub fn let_go(&self, choose: impl Fn(usize) -> Option<usize>) {
        let gates = self.streams.iter().flat_map(|stream| &stream.items).filter_map(|item| item.gate.as_ref());
        let closed: Vec<_> = gates.filter(|gate| !gate.is_open()).collect();
        match choose(closed.len()) {
            None => closed.iter().for_each(|gate| gate.open()),
            Some(chosen) => closed.get(chosen).into_iter().for_each(|gate| gate.open()),
        }
    }

    /// Lets everything run, waits for it, and ends all that there is.
    pub fn finish(mut self) {
        self.let_go(|_| None);
        let armed: Vec<u64> = self.events.keys().copied().filter(|event| !self.is_done(*event)).collect();
        let armed = armed.into_iter().filter(|event| self.events[event].signals.is_some());
        armed.for_each(|event| ok(gevt_signal(ev(event), SUCCESS)));
        self.streams.iter_mut().flat_map(|stream| &mut stream.items).for_each(|item| item.held = false);
        self.settle();
        let recorded: Vec<u64> =
            self.events.keys().copied().filter(|event| self.events[event].mark.is_some()).collect();
        // SAFETY: a list of that length.
        ok(unsafe { gevt_sync_all(recorded.as_ptr().cast(), recorded.len(), GEVT_TIMEOUT_INFINITE) });
        assert!(
            self.streams.iter().flat_map(|stream| &stream.items).all(|item| item.probe == 0),
            "something never ran"
        );
        self.live[EVENT].drain(..).for_each(|event| ok(gevt_destroy(ev(event))));
        self.live[STREAM].drain(..).for_each(|stream| ok(gevt_stream_destroy(st(stream))));
        self.live[CONTEXT].drain(..).for_each(|context| ok(gevt_context_close(cx(context))));
    }
}

/// A case that failed leaves nothing that waits for ever.
impl Drop for Model {
    fn drop(&mut self) {
        self.let_go(|_| None);
        let probes =
            self.streams.iter().flat_map(|stream| &stream.items).map(|item| item.probe).filter(|probe| *probe != 0);
        probes.chain(self.live[EVENT].drain(..)).for_each(|event| _ = gevt_destroy(ev(event)));
        self.live[STREAM].drain(..).for_each(|stream| _ = gevt_stream_destroy(st(stream)));
        self.live[CONTEXT].drain(..).for_each(|context| _ = gevt_context_close(cx(context)));
    }
}
