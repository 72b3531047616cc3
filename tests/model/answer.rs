//! What each call answers, and what it changes.

use super::call::{Call, INFO, Pick, name};
use super::function::{Gate, Told, tell};
use super::handle::*;
use super::state::*;
use crate::gevt::{
    callback::*, context::*, elapsed::*, event::*, info::*, query::*, record::*, signal::*, stream::*, sync::*,
    threads::*, types::*,
};
use gevt_core::{Detail, Status};
use std::ffi::{CStr, c_void};
use std::ptr::null;
use std::sync::Arc;
use std::time::Instant;

const TIMED_OUT: Cause = (Status::TIMEOUT.0, Detail::TIMED_OUT as i32);
const NULL_POINTER: Cause = (Status::INVALID_VALUE.0, Detail::NULL_POINTER as i32);
const BAD_ARGUMENT: Cause = (Status::INVALID_VALUE.0, Detail::BAD_ARGUMENT as i32);
const BAD_FLAGS: Cause = (Status::INVALID_VALUE.0, Detail::BAD_FLAGS as i32);
const MISMATCH: Cause = (Status::INVALID_HANDLE.0, Detail::CONTEXT_MISMATCH as i32);
const TIMING_DISABLED: Cause = (Status::INVALID_HANDLE.0, Detail::TIMING_DISABLED as i32);
const SIGNALED_BY_HOST: Cause = (Status::ILLEGAL_STATE.0, Detail::HOST_SIGNALED as i32);
const NO_TIME: Cause = (Status::INVALID_HANDLE.0, Detail::NOT_RECORDED as i32);
const NOT_CAPTURING: Cause = (Status::ILLEGAL_STATE.0, Detail::NOT_CAPTURING as i32);

/// The cause if the condition holds.
fn when(it_is: bool, cause: Cause) -> Vec<Cause> {
    if it_is { vec![cause] } else { Vec::new() }
}

fn are_event_flags(flags: u32) -> bool {
    flags & !0x30007 == 0 && flags & 6 != 4
}

impl Model {
    /// Makes a call and compares its answer. If it has several errors, gevt may report any of them.
    pub fn make(&mut self, call: &Call) {
        self.step = self.times.len();
        let begun = Instant::now();
        match *call {
            Call::Create(flags, null) => self.create(None, flags, null),
            Call::CreateIn(context, flags, null) => self.create(Some(self.pick(context, CONTEXT)), flags, null),
            Call::Record(event, stream) => self.record(event, stream, None),
            Call::RecordWithFlags(event, stream, flags) => self.record(event, stream, Some(flags)),
            Call::Query(event) => {
                let event = self.pick(event, EVENT);
                let causes = self.refuse_wait(event);
                let done = causes.is_empty() && self.is_done(event);
                self.judge(gevt_query(ev(event)), &causes, if done { SUCCESS } else { Status::NOT_READY.0 });
            }
            Call::Sync(event, timeout, is_helping) => {
                let event = self.pick(event, EVENT);
                let mut causes = self.refuse_wait(event);
                let pending = causes.is_empty() && !self.is_done(event);
                causes.extend(when(pending, TIMED_OUT));
                let got = if is_helping {
                    // A function that waits for the test must not run on the test's own thread: this only queries a pending event.
                    gevt_sync_helping(ev(event), if pending { 0 } else { timeout })
                } else {
                    gevt_sync_timeout(ev(event), finite_if(pending, timeout))
                };
                self.judge(got, &causes, SUCCESS);
            }
            Call::SyncAll(ref events, timeout, null) => self.sync_all(events, timeout, null),
            Call::SyncAny(ref events, timeout, null) => self.sync_any(events, timeout, null),
            Call::Elapsed(start, end, null) => self.elapsed(self.pick(start, EVENT), self.pick(end, EVENT), null),
            Call::Wait(stream, event, flags) => self.wait(stream, event, flags),
            Call::Launch(stream, items, held, null) => self.launch(self.pick(stream, STREAM), items, held, null),
            Call::SetThreads(number) => {
                self.judge(gevt_host_set_threads(number), &when(number > 1024, BAD_ARGUMENT), SUCCESS);
            }
            Call::LetGo(n) => self.let_go(|closed| Some(n % closed.max(1))),
            Call::OnComplete(event, null) => self.on_complete(self.pick(event, EVENT), null),
            Call::SetName(event, number) => {
                let event = self.pick(event, EVENT);
                let (given, kept) = name(number);
                let mut causes = self.refuse(event, EVENT);
                causes.extend(when(kept.is_none(), BAD_ARGUMENT));
                let given = given.as_deref().map_or(null(), CStr::as_ptr);
                // SAFETY: a string that lives until the end of the block, or NULL.
                let got = unsafe { gevt_set_name(ev(event), given) };
                if self.judge(got, &causes, SUCCESS) {
                    self.event(event).name = kept.unwrap_or_default();
                }
            }
            Call::GetInfo(event, size, null) => self.get_info(self.pick(event, EVENT), size, null),
            Call::Signal(event) => {
                let event = self.pick(event, EVENT);
                let mut causes = self.refuse(event, EVENT);
                if causes.is_empty() {
                    let is_armed = self.events[&event].signals.is_some() && !self.is_done(event);
                    causes.extend(when(!is_armed, SIGNALED_BY_HOST));
                }
                if self.judge(gevt_signal(ev(event), SUCCESS), &causes, SUCCESS) {
                    self.signalled(event);
                }
            }
            Call::Reset(event) => {
                let event = self.pick(event, EVENT);
                let mut causes = self.refuse(event, EVENT);
                if causes.is_empty() {
                    causes.extend(when(self.events[&event].signals.is_none(), SIGNALED_BY_HOST));
                }
                if self.judge(gevt_reset(ev(event)), &causes, SUCCESS) {
                    self.event(event).records += 1;
                    if self.is_done(event) {
                        self.arm(event);
                    }
                }
            }
            Call::Destroy(event) => {
                let event = self.pick(event, EVENT);
                let causes = self.refuse(event, EVENT);
                // Waiters would get a failure that the model does not know.
                if self.events.get(&event).is_some_and(|known| known.signals.is_some()) && !self.is_done(event) {
                    ok(gevt_signal(ev(event), SUCCESS));
                    self.signalled(event);
                }
                if self.judge(gevt_destroy(ev(event)), &causes, SUCCESS) {
                    self.events.remove(&event);
                    self.retire(EVENT, event);
                }
            }
            Call::CreateStream(context, flags, null) => self.create_stream(self.pick(context, CONTEXT), flags, null),
            Call::QueryStream(stream) => {
                let stream = self.pick(stream, STREAM);
                let causes = self.refuse_unless_null(stream, STREAM);
                let done = causes.is_empty() && self.has_done_all(self.stream(stream));
                let answer = if done { SUCCESS } else { Status::NOT_READY.0 };
                self.judge(gevt_stream_query(st(stream)), &causes, answer);
            }
            Call::SyncStream(stream, timeout) => {
                let stream = self.pick(stream, STREAM);
                let mut causes = self.refuse_unless_null(stream, STREAM);
                let pending = causes.is_empty() && !self.has_done_all(self.stream(stream));
                causes.extend(when(pending, TIMED_OUT));
                self.judge(gevt_stream_sync_timeout(st(stream), finite_if(pending, timeout)), &causes, SUCCESS);
            }
            Call::DestroyStream(stream) => {
                let stream = self.pick(stream, STREAM);
                let causes = self.refuse(stream, STREAM);
                if self.judge(gevt_stream_destroy(st(stream)), &causes, SUCCESS) {
                    self.retire(STREAM, stream);
                }
            }
            Call::SetCurrent(n) => {
                self.current = self.live[CONTEXT][n % self.live[CONTEXT].len()];
                ok(gevt_context_set_current(cx(self.current)));
            }
        }
        self.settle();
        self.times.push([begun, Instant::now()]);
    }

    fn event(&mut self, bits: u64) -> &mut Event {
        self.events.get_mut(&bits).expect("a live event")
    }

    fn create(&mut self, context: Option<u64>, flags: u32, null: bool) {
        let mut event = UNTOUCHED;
        let mut causes = context.map_or(Vec::new(), |context| self.refuse_unless_null(context, CONTEXT));
        causes.extend(when(null, NULL_POINTER).into_iter().chain(when(!are_event_flags(flags), BAD_FLAGS)));
        let got = match context {
            None => gevt_create(out(&mut event, null), flags),
            Some(context) => gevt_create_in(out(&mut event, null), cx(context), flags),
        };
        if self.judge(got, &causes, SUCCESS) {
            self.issue(EVENT, event);
            let bound = context.map(|context| self.context(context));
            let known = Event { flags, bound, mark: None, records: 0, signals: None, name: String::new() };
            self.events.insert(event, known);
            if flags & HOST_SIGNALED != 0 {
                self.bind_signalled(event);
            }
        } else {
            assert_eq!(event, UNTOUCHED);
        }
    }

    /// Adds a host-signaled event. A model stream holds its signals.
    fn bind_signalled(&mut self, event: u64) {
        let mut words = [UNTOUCHED; INFO / 8];
        words[0] = INFO as u64;
        // SAFETY: a place that is as large as it says.
        ok(unsafe { gevt_get_info(words.as_mut_ptr().cast(), ev(event)) });
        let (signals, through) = (self.streams.len(), words[3]);
        let known = self.event(event);
        known.signals = Some(signals);
        let (device, through) = *known.bound.get_or_insert((0, through));
        self.streams.push(Stream { device, through, role: Role::NonBlocking, items: Vec::new(), done: 0 });
        self.arm(event);
    }

    /// The event waits for its next signal.
    fn arm(&mut self, event: u64) {
        let stream = self.events[&event].signals.expect("it is host-signalled");
        self.streams[stream].items.push(Item { waits: Vec::new(), gate: None, held: true, probe: 0, step: 0 });
        self.event(event).mark = Some(Mark::At((stream, self.streams[stream].items.len())));
    }

    /// The event was signaled.
    fn signalled(&mut self, event: u64) {
        let stream = self.events[&event].signals.expect("it is host-signalled");
        self.streams[stream].items.iter_mut().for_each(|item| item.held = false);
        self.settle();
    }

    fn record(&mut self, event: Pick, stream: Pick, flags: Option<u32>) {
        let (event, handle) = (self.pick(event, EVENT), self.pick(stream, STREAM));
        let mut causes = self.refuse(event, EVENT);
        causes.extend(self.refuse_unless_null(handle, STREAM));
        causes.extend(when(flags.is_some_and(|flags| flags > 1), BAD_FLAGS));
        if causes.is_empty() {
            // From here on it counts as a record, even where it fails.
            let device = self.streams[self.stream(handle)].device;
            causes.extend(when(flags == Some(1), NOT_CAPTURING));
            causes.extend(when(self.events[&event].bound.is_some_and(|(bound, _)| bound != device), MISMATCH));
            self.event(event).records += 1;
            causes.extend(when(self.events[&event].signals.is_some(), SIGNALED_BY_HOST));
        }
        let got = match flags {
            None => gevt_record(ev(event), st(handle)),
            Some(flags) => gevt_record_with_flags(ev(event), st(handle), flags),
        };
        if self.judge(got, &causes, SUCCESS) {
            let stream = self.stream(handle);
            let through = if handle == 0 { self.current } else { self.streams[stream].through };
            let bound = (self.streams[stream].device, through);
            let idle = self.is_idle(stream);
            let mark = if idle { Mark::Done(self.step) } else { Mark::At(self.submit(handle, None, None)) };
            let event = self.event(event);
            event.mark = Some(mark);
            event.bound.get_or_insert(bound);
        }
    }

    /// The first event that fails decides; then the first one that is pending, for `all`, or the first one that is done.
    fn first(&self, events: &[u64], wanted: bool) -> Result<Option<usize>, Vec<Cause>> {
        match events.iter().map(|event| self.refuse_wait(*event)).find(|causes| !causes.is_empty()) {
            Some(causes) => Err(causes),
            None => Ok(events.iter().position(|event| self.is_done(*event) == wanted)),
        }
    }

    fn sync_all(&mut self, events: &[Pick], timeout: u64, null_list: bool) {
        let events: Vec<u64> = events.iter().map(|event| self.pick(*event, EVENT)).collect();
        let causes = match self.first(&events, false) {
            _ if null_list && !events.is_empty() => vec![NULL_POINTER],
            Ok(pending) => when(pending.is_some(), TIMED_OUT),
            Err(causes) => causes,
        };
        let list = if null_list { null() } else { events.as_ptr().cast() };
        // SAFETY: NULL, or a list of that length.
        let got = unsafe { gevt_sync_all(list, events.len(), finite_if(causes == [TIMED_OUT], timeout)) };
        self.judge(got, &causes, SUCCESS);
    }

    fn sync_any(&mut self, events: &[Pick], timeout: u64, null_index: bool) {
        let events: Vec<u64> = events.iter().map(|event| self.pick(*event, EVENT)).collect();
        let first = self.first(&events, true);
        let causes = match first.clone() {
            _ if null_index => vec![NULL_POINTER],
            _ if events.is_empty() => vec![BAD_ARGUMENT],
            Ok(done) => when(done.is_none(), TIMED_OUT),
            Err(causes) => causes,
        };
        let mut index = UNTOUCHED;
        let timeout = finite_if(causes == [TIMED_OUT], timeout);
        // SAFETY: a list of that length, and NULL or a place of an index's size.
        let got = unsafe { gevt_sync_any(out(&mut index, null_index), events.as_ptr().cast(), events.len(), timeout) };
        let expected = if self.judge(got, &causes, SUCCESS) { first.ok().flatten() } else { None };
        assert_eq!(index, expected.map_or(UNTOUCHED, |place| place as u64));
    }

    /// The one call whose checks have an order.
    fn elapsed(&mut self, start: u64, end: u64, null: bool) {
        let mut place = UNTOUCHED;
        let known = [start, end].map(|event| self.events.get(&event).cloned());
        let (mut causes, mut steps) = (when(null, NULL_POINTER), None);
        if let [Some(start), Some(end)] = known {
            let both = start.bound.zip(end.bound);
            let order = [
                (both.is_some_and(|(start, end)| start.0 != end.0), MISMATCH),
                ((start.flags | end.flags) & 2 != 0, TIMING_DISABLED),
                (start.mark.is_none() || end.mark.is_none(), NO_TIME),
            ];
            let first = order.into_iter().find(|(it_is, _)| *it_is).map(|(_, cause)| cause);
            causes.extend(first.filter(|_| !null));
            let step = |event: Event| event.mark.and_then(|mark| self.step_of(mark));
            steps = step(start).zip(step(end));
        } else if !null {
            causes = [self.refuse(start, EVENT), self.refuse(end, EVENT)].concat();
        }
        let got = gevt_elapsed_ns(out(&mut place, null), ev(start), ev(end));
        let answer = if steps.is_some() { SUCCESS } else { Status::NOT_READY.0 };
        if !self.judge(got, &causes, answer) {
            return assert_eq!(place, UNTOUCHED);
        }
        let (first, second) = steps.expect("a time is known where both are done");
        let (ns, [earliest, latest]) = (place.cast_signed(), self.between(first, second));
        assert!(earliest <= ns && ns <= latest, "{ns} ns, which is not in {earliest}..={latest}");
        assert!(start != end || ns == 0, "{ns} ns from an event to itself");
    }

    /// The least and the most nanoseconds that can lie between something of one step and something of another.
    fn between(&self, first: usize, second: usize) -> [i64; 2] {
        let origin = self.times[0][0];
        let [first, second] = [first, second].map(|step| self.times[step].map(|at| (at - origin).as_nanos() as i64));
        [second[0] - first[1], second[1] - first[0]]
    }

    fn wait(&mut self, stream: Pick, event: Pick, flags: u32) {
        let (handle, event) = (self.pick(stream, STREAM), self.pick(event, EVENT));
        let mut causes = self.refuse_wait(event);
        causes.extend(self.refuse_unless_null(handle, STREAM));
        causes.extend(when(flags > 1, BAD_FLAGS));
        causes.extend(when(flags == 1 && causes.iter().all(|cause| *cause == NOT_RECORDED), NOT_CAPTURING));
        if self.judge(gevt_stream_wait(st(handle), ev(event), flags), &causes, SUCCESS) {
            let point = match self.events[&event].mark {
                Some(Mark::At(point)) => Some(point).filter(|point| !self.is_reached(*point)),
                _ => None,
            };
            if let Some(point) = point.filter(|point| point.0 != self.stream(handle)) {
                self.submit(handle, Some(point), None);
            }
        }
    }

    /// Launches one function, or so many items. The first item counts as the function.
    fn launch(&mut self, handle: u64, items: Option<usize>, held: bool, null: bool) {
        let mut causes = self.refuse_unless_null(handle, STREAM);
        causes.extend(when(null, NULL_POINTER));
        let gate = Gate::new(!held);
        let user = Arc::into_raw(gate.clone());
        let item: Option<extern "C" fn(*mut c_void, usize, u32)> = (!null).then_some(Gate::pass_first);
        // SAFETY: the function takes its argument back as the Arc that it was, on any thread, and other items do not use it.
        let got = unsafe {
            match items {
                None => gevt_stream_launch(st(handle), (!null).then_some(Gate::pass), user.cast_mut().cast()),
                Some(count) => gevt_stream_launch_n(st(handle), count, item, user.cast_mut().cast()),
            }
        };
        let is_taken = self.judge(got, &causes, SUCCESS);
        if !is_taken || items == Some(0) {
            // SAFETY: no function has taken it, nor will.
            drop(unsafe { Arc::from_raw(user) });
        }
        if is_taken {
            self.submit(handle, None, Some(gate).filter(|_| items != Some(0)));
        }
    }

    fn on_complete(&mut self, event: u64, null: bool) {
        let mut causes = self.refuse_wait(event);
        causes.extend(when(null, NULL_POINTER));
        let told = Arc::new(Told::default());
        let user = Arc::into_raw(told.clone());
        // SAFETY: as above.
        let got = unsafe { gevt_on_complete(ev(event), (!null).then_some(tell), user.cast_mut().cast()) };
        if self.judge(got, &causes, SUCCESS) {
            self.callbacks.push((told, self.events[&event].mark.unwrap_or(Mark::Done(0))));
        } else {
            // SAFETY: a call that was refused has not taken it.
            drop(unsafe { Arc::from_raw(user) });
        }
    }

    fn get_info(&mut self, event: u64, size: usize, null: bool) {
        let mut causes = self.refuse(event, EVENT);
        causes.extend(when(null, NULL_POINTER).into_iter().chain(when(size < 12, BAD_ARGUMENT)));
        let mut words = [UNTOUCHED; INFO / 8 + 3];
        words[0] = size as u64;
        let before = words;
        let place = if null { std::ptr::null_mut() } else { words.as_mut_ptr().cast() };
        // SAFETY: NULL, or a place that is as large as it says.
        let got = unsafe { gevt_get_info(place, ev(event)) };
        if !self.judge(got, &causes, SUCCESS) {
            return assert_eq!(words, before);
        }
        let known = &self.events[&event];
        let state = match known.mark {
            None => GEVT_STATE_UNRECORDED,
            Some(_) if self.is_done(event) => GEVT_STATE_COMPLETE,
            Some(_) => GEVT_STATE_PENDING,
        };
        let place = known.bound.map_or((GEVT_BACKEND_AUTO, -1), |(device, _)| (GEVT_BACKEND_HOST, device as i32));
        let mut name = [0u8; GEVT_NAME_SIZE];
        name[..known.name.len()].copy_from_slice(known.name.as_bytes());
        let written = size.min(INFO);
        let parts: [&[u8]; 9] = [
            &written.to_ne_bytes(),
            &known.flags.to_ne_bytes(),
            &state.to_ne_bytes(),
            &place.0.to_ne_bytes(),
            &place.1.to_ne_bytes(),
            &known.bound.map_or(0, |(_, through)| through).to_ne_bytes(),
            &[0; 8],
            &known.records.to_ne_bytes(),
            &name,
        ];
        let mut expected = parts.concat();
        expected.truncate(written);
        let got: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(got[..written], expected);
        assert!(got[written..].iter().all(|byte| *byte == UNTOUCHED as u8), "more was written than was asked for");
    }

    fn create_stream(&mut self, context: u64, flags: u32, null: bool) {
        let mut stream = UNTOUCHED;
        let mut causes = self.refuse_unless_null(context, CONTEXT);
        causes.extend(when(null, NULL_POINTER).into_iter().chain(when(flags > 1, BAD_FLAGS)));
        let got = gevt_stream_create(out(&mut stream, null), cx(context), flags);
        if self.judge(got, &causes, SUCCESS) {
            self.issue(STREAM, stream);
            self.handles.insert(stream, self.streams.len());
            let (device, through) = self.context(context);
            let role = if flags == 0 { Role::Blocking } else { Role::NonBlocking };
            self.streams.push(Stream { device, through, role, items: Vec::new(), done: 0 });
        } else {
            assert_eq!(stream, UNTOUCHED);
        }
    }
}

/// For ever only where the call returns in the end.
fn finite_if(pending: bool, timeout: u64) -> u64 {
    if pending && timeout == u64::MAX { 1_000 } else { timeout }
}
