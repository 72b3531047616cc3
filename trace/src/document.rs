//! Entries as elements of Chrome's trace format.

use super::buffer::TraceEntry;
use super::json::{micros, quoted};
use super::tracks::{Track, Tracks, entry};
use gevt_core::Name;
use gevt_core::probe::{Call, EventId, Obstacle, StreamId, What};
use std::collections::HashMap;
use std::fmt::Write;

/// What has to be known of the entries before to write the next one.
pub(super) struct Document {
    /// When the trace began; what was earlier is not drawn.
    start: i64,
    tracks: Tracks,
    /// Events by their cells.
    events: HashMap<usize, DrawnEvent>,
    pairs: u64,
}

/// The event that a cell serves.
struct DrawnEvent {
    handle: u64,
    /// The cell's records after this one are the event's.
    since: u64,
    name: Name,
    /// The stream of its last record.
    stream: Option<StreamId>,
    /// The last pair drawn that ends here.
    pair: Option<DrawnPair>,
}

/// The parts of a pair that stay the same when it is asked for again. The times change, as the device's clock is compared anew.
#[derive(Clone, Copy, PartialEq)]
struct DrawnPair {
    start: u64,
    records: [u64; 2],
    ns: i64,
}

/// The name of an event in the file.
fn called(event: Option<&DrawnEvent>) -> String {
    match event {
        None => "event".into(),
        Some(event) if event.name.is_empty() => format!("event {:#x}", event.handle),
        Some(event) => event.name.to_string(),
    }
}

/// The beginning of an element; the caller ends it with a brace.
fn begin(out: &mut String, ph: &str, track: Track, time: i64, name: impl std::fmt::Display) {
    let (name, time) = (quoted(name), micros(time));
    let _ = write!(out, ",\n{{\"name\":{name},\"ph\":\"{ph}\",\"ts\":{time},{track}");
}

/// The end of what was begun last on the track.
fn end(out: &mut String, track: Track, time: i64) {
    let _ = write!(out, ",\n{{\"ph\":\"E\",\"ts\":{},{track}}}", micros(time));
}

/// Ends the calls that began after another one of the same thread which is the innermost now: their own ends were lost.
fn end_after(out: &mut String, track: Track, begun: &mut Vec<i64>, innermost: i64, time: i64) {
    let kept = begun.partition_point(|begin| *begin <= innermost);
    begun.drain(kept..).for_each(|_| end(out, track, time));
}

impl Document {
    pub(super) fn new(process: u32, start: i64) -> Document {
        Document { start, tracks: Tracks::new(process), events: HashMap::new(), pairs: 0 }
    }

    /// Adds what happened to `out`.
    pub(super) fn add(&mut self, out: &mut String, entry: &TraceEntry) {
        let time = entry.time;
        if time < self.start {
            return;
        }
        match &entry.what {
            What::Begin { call, inside } => {
                let (track, begun) = self.tracks.thread(entry.thread);
                end_after(out, track, begun, *inside, time);
                begun.push(entry.time);
                self.call(out, entry, "B", call);
            }
            What::Instant(call) => self.call(out, entry, "i", call),
            What::End { since } => {
                let (track, begun) = self.tracks.thread(entry.thread);
                end_after(out, track, begun, *since, time);
                // The end of a call that began before the trace is left out.
                if begun.pop_if(|begin| begin == since).is_some() {
                    end(out, track, time);
                }
            }
            What::StreamRuns(stream, what) => {
                let called = self.stream_begins(out, *stream, time, what);
                let _ = write!(out, ",\"args\":{{\"stream\":{},\"thread\":{}}}}}", quoted(called), entry.thread);
            }
            What::StreamWaits(stream, other) => {
                let name = match other {
                    Obstacle::Stream(other) => format!("wait for {}", self.tracks.stream(out, *other).called()),
                    Obstacle::AnyStream => "wait for another stream".into(),
                    Obstacle::Process => "wait for another process".into(),
                    Obstacle::Backend => "wait for another backend".into(),
                    Obstacle::Signal => "wait for a signal".into(),
                };
                let called = self.stream_begins(out, *stream, time, &name);
                let _ = write!(out, ",\"args\":{{\"stream\":{}}}}}", quoted(called));
            }
            What::StreamGoesOn(stream) => {
                let known = self.tracks.stream(out, *stream);
                if std::mem::take(&mut known.is_busy) {
                    end(out, known.track, time);
                }
            }
            What::Reached { cell, serial, stream, time } => {
                let known = self.events.get(cell).filter(|event| *serial > event.since);
                if *time >= self.start {
                    completed(&mut self.tracks, out, *stream, (*time, "host"), known);
                }
            }
            What::Completed { event, time: device } => {
                self.label(event);
                let known = self.events.get(&event.cell);
                if let Some(stream) = known.and_then(|known| known.stream) {
                    let at = device.map_or((time, "call"), |device| (device, "device"));
                    if at.0 >= self.start {
                        completed(&mut self.tracks, out, stream, at, known);
                    }
                }
            }
            What::Label(event) => drop(self.label(event)),
            What::Pair { start, end, records, times } => {
                let ns = times[1] - times[0];
                let first = self.events.get(start).map_or(0, |event| event.handle);
                let drawn = Some(DrawnPair { start: first, records: *records, ns });
                let event = self.events.get_mut(end);
                if event.is_none_or(|event| std::mem::replace(&mut event.pair, drawn) != drawn) {
                    self.pair(out, *start, *end, *times);
                }
            }
            What::NewStream(stream) => {
                self.tracks.renew(*stream);
                self.call(out, entry, "i", &Call::new("create").on(Some(*stream)));
            }
            What::Thread(name) => self.tracks.meet(out, entry.thread, *name),
            What::StreamName(stream, name) => self.tracks.rename(out, *stream, *name),
            What::Compared { place, uncertain } => {
                let group = self.tracks.place(out, *place);
                begin(out, "i", Track { group, number: 0 }, time, "clocks compared");
                let _ = write!(out, ",\"s\":\"p\",\"args\":{{\"uncertain_us\":{}}}}}", micros(*uncertain));
            }
        }
    }

    /// So many entries found no room.
    pub(super) fn lost(&mut self, out: &mut String, time: i64, count: u64) {
        begin(out, "i", self.tracks.of_process(), time, format_args!("{count} entries lost"));
        out.push_str(",\"s\":\"g\"}");
    }

    fn label(&mut self, event: &EventId) -> &mut DrawnEvent {
        let EventId { handle, serial, name, .. } = *event;
        let new = || DrawnEvent { handle, since: serial, name, stream: None, pair: None };
        let known = entry(&mut self.events, event.cell, new);
        if known.handle != handle {
            *known = new();
        }
        known.name = name;
        known
    }

    /// A call on its thread's track.
    fn call(&mut self, out: &mut String, entry: &TraceEntry, ph: &str, call: &Call) {
        let stream = call.stream.map(|stream| self.tracks.stream(out, stream).called());
        if let Some(event) = &call.event {
            let known = self.label(event);
            known.stream = if call.records { call.stream } else { known.stream };
        }
        let (track, _) = self.tracks.thread(entry.thread);
        let event = call.event.and_then(|event| self.events.get(&event.cell));
        let subject = event.map(|_| called(event)).or_else(|| stream.clone());
        let name = subject.map_or(call.name.into(), |subject| format!("{} {subject}", call.name));
        begin(out, ph, track, entry.time, name);
        if ph == "i" {
            out.push_str(",\"s\":\"t\"");
        }
        let event = event.filter(|event| event.handle != 0).map(|event| format!("\"event\":\"{:#x}\"", event.handle));
        let stream = stream.map(|stream| format!("\"stream\":{}", quoted(stream)));
        let about: Vec<String> = event.into_iter().chain(stream).collect();
        if !about.is_empty() {
            let _ = write!(out, ",\"args\":{{{}}}", about.join(","));
        }
        out.push('}');
    }

    /// The beginning of what a stream does, which the caller ends with a brace; returns what the stream is called.
    fn stream_begins(&mut self, out: &mut String, stream: StreamId, time: i64, name: &str) -> String {
        let known = self.tracks.stream(out, stream);
        let track = known.track;
        // Its end was lost.
        if std::mem::replace(&mut known.is_busy, true) {
            end(out, track, time);
        }
        let called = known.called();
        begin(out, "B", track, time, name);
        called
    }

    /// Pairs overlap as they like, which a track's own slices may not.
    fn pair(&mut self, out: &mut String, start: usize, end: usize, times: [i64; 2]) {
        let stream = self.events.get(&end).and_then(|event| event.stream);
        let Some(stream) = stream.filter(|_| times[0] >= self.start && times[1] >= times[0]) else { return };
        self.pairs += 1;
        let id = self.pairs;
        let track = self.tracks.stream(out, stream).track.of_pairs();
        let (from, to) = (called(self.events.get(&start)), called(self.events.get(&end)));
        let ns = times[1] - times[0];
        for (ph, time) in [("b", times[0]), ("e", times[1])] {
            begin(out, ph, track, time, format_args!("{from} to {to}"));
            let _ = write!(out, ",\"cat\":\"pair\",\"id\":{id},\"args\":{{\"ns\":{ns}}}}}");
        }
    }
}

/// An event's completion on its stream's track, at a time that is the host's, the device's, or that of the call which found it.
fn completed(tracks: &mut Tracks, out: &mut String, on: StreamId, at: (i64, &str), event: Option<&DrawnEvent>) {
    let (time, clock) = at;
    let stream = tracks.stream(out, on);
    let (track, on) = (stream.track, quoted(stream.called()));
    begin(out, "i", track, time, called(event));
    let _ = write!(out, ",\"s\":\"t\",\"cat\":\"event\",\"args\":{{\"clock\":\"{clock}\",\"stream\":{on}");
    let _ = match event {
        Some(event) => write!(out, ",\"event\":\"{:#x}\"}}}}", event.handle),
        None => write!(out, "}}}}"),
    };
}
