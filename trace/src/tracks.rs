//! The tracks: one for each thread and each stream. Chrome's format calls a group of tracks a process and a track a thread.

use super::json::Quoted;
use super::os;
use gevt_core::Name;
use gevt_core::probe::{Place, StreamId};
use std::collections::HashMap;
use std::fmt::Write;
use std::hash::Hash;

/// Greater than the number of any process. The group of the threads has the process's own number, as in other profilers' files. Each place has two
/// groups, whose numbers add multiples of this: one for its streams, and the next for the pairs, as viewers give each name of a pair a row.
const PROCESSES: u32 = 1 << 22;
/// The greatest length of a map. One that is full is emptied: what was in it begins anew.
const MOST: usize = 1 << 16;

/// A track's two numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Track {
    pub(super) group: u32,
    pub(super) number: u32,
}

impl Track {
    /// The track of the pairs that end on the stream of this one.
    fn of_pairs(self) -> Track {
        Track { group: self.group + PROCESSES, ..self }
    }
}

/// A stream's track and what is drawn on it.
pub(super) struct StreamTrack {
    pub(super) track: Track,
    is_default: bool,
    name: Name,
    /// It runs something or waits.
    pub(super) is_busy: bool,
    has_pairs: bool,
}

impl StreamTrack {
    /// What slices and marks call the stream.
    pub(super) fn called(&self) -> String {
        match () {
            () if !self.name.is_empty() => self.name.to_string(),
            () if self.is_default => "default stream".into(),
            () => format!("stream {}", self.track.number),
        }
    }
}

pub(super) struct Tracks {
    process: u32,
    places: HashMap<Place, u32>,
    streams: HashMap<(Place, u64), StreamTrack>,
    streams_ever: u32,
    /// For each thread, when the calls began that it is in.
    threads: HashMap<u32, Vec<i64>>,
}

/// Returns the value of a key in a map of limited length, and makes it if it is missing.
pub(super) fn entry<K: Eq + Hash, V>(map: &mut HashMap<K, V>, key: K, make: impl FnOnce() -> V) -> &mut V {
    if map.len() >= MOST && !map.contains_key(&key) {
        map.clear();
    }
    map.entry(key).or_insert_with(make)
}

/// The element that names a group or a track.
fn name(out: &mut String, what: &str, track: Track, name: &str) {
    let Track { group, number } = track;
    let name = Quoted(name);
    let _ = write!(
        out,
        ",\n{{\"name\":\"{what}\",\"ph\":\"M\",\"pid\":{group},\"tid\":{number},\"args\":{{\"name\":{name}}}}}"
    );
}

/// What the file begins with, up to its first element: the clocks as they stand, by which other profilers' times compare.
pub(super) fn head(process: u32) -> String {
    let name = Quoted(format!("threads of {}", os::name_of_process())).to_string();
    let [monotonic, boottime, realtime] = os::read_clocks();
    let domain = os::CLOCK_DOMAIN;
    let version = env!("CARGO_PKG_VERSION");
    // Strings, as JavaScript has no integers of 64 bits.
    format!(
        "{{\"displayTimeUnit\":\"ns\",\"metadata\":{{\"clock-domain\":\"{domain}\"}},\
         \"otherData\":{{\"writer\":\"gevt {version}\",\"process_id\":\"{process}\",\"monotonic_ns\":\"{monotonic}\",\
         \"boottime_ns\":\"{boottime}\",\"realtime_ns\":\"{realtime}\"}},\"traceEvents\":[\n\
         {{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{process},\"tid\":0,\"args\":{{\"name\":{name}}}}}"
    )
}

impl Tracks {
    /// No tracks yet, in a process of that number.
    pub(super) fn new(process: u32) -> Tracks {
        Tracks { process, places: HashMap::new(), streams: HashMap::new(), streams_ever: 0, threads: HashMap::new() }
    }

    /// The track of what concerns the whole process.
    pub(super) fn of_process(&self) -> Track {
        Track { group: self.process, number: 0 }
    }

    /// The track of a thread, and when the calls began that it is in.
    pub(super) fn thread(&mut self, id: u32) -> (Track, &mut Vec<i64>) {
        (Track { group: self.process, number: id }, entry(&mut self.threads, id, Vec::new))
    }

    /// Sets the name of a thread. Its number may have been another thread's before.
    pub(super) fn meet(&mut self, out: &mut String, id: u32, called: Name) {
        let (track, _) = self.thread(id);
        name(out, "thread_name", track, called.as_str());
    }

    /// The group of a place, which is named where it is new.
    pub(super) fn place(&mut self, out: &mut String, place: Place) -> u32 {
        let next = (1 + 2 * self.places.len() as u32) * PROCESSES + self.process;
        *entry(&mut self.places, place, || {
            for (group, what) in [(next, "streams"), (next + PROCESSES, "pairs")] {
                let known = match place {
                    Place::Host { device } => format!("{what} of host device {device}"),
                    Place::Cuda { device, .. } => format!("{what} of CUDA device {device}"),
                    Place::Driver => format!("{what} of the CUDA driver"),
                    Place::Vulkan { device, .. } => format!("{what} of Vulkan device {device}"),
                };
                name(out, "process_name", Track { group, number: 0 }, &known);
            }
            next
        })
    }

    /// The track of a stream, which is named where it is new.
    pub(super) fn stream(&mut self, out: &mut String, stream: StreamId) -> &mut StreamTrack {
        let group = self.place(out, stream.place);
        let next = self.streams_ever + 1;
        let ever = &mut self.streams_ever;
        let known = entry(&mut self.streams, (stream.place, stream.native), || {
            *ever = next;
            let track = Track { group, number: next };
            StreamTrack { track, is_default: false, name: Name::default(), is_busy: false, has_pairs: false }
        });
        if known.track.number == next || stream.is_default != known.is_default {
            known.is_default = stream.is_default;
            name(out, "thread_name", known.track, &known.called());
        }
        known
    }

    /// The track of the pairs that end on a stream.
    pub(super) fn pairs(&mut self, out: &mut String, stream: StreamId) -> Track {
        let known = self.stream(out, stream);
        let track = known.track.of_pairs();
        if !std::mem::replace(&mut known.has_pairs, true) {
            name(out, "thread_name", track, &known.called());
        }
        track
    }

    /// A stream was named: so are its tracks.
    pub(super) fn rename(&mut self, out: &mut String, stream: StreamId, called: Name) {
        let known = self.stream(out, stream);
        known.name = called;
        name(out, "thread_name", known.track, &known.called());
        if known.has_pairs {
            name(out, "thread_name", known.track.of_pairs(), &known.called());
        }
    }

    /// A stream was made: one that had its number before is gone, and its track ends.
    pub(super) fn renew(&mut self, stream: StreamId) {
        self.streams.remove(&(stream.place, stream.native));
    }
}
