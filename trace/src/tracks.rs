//! The tracks: one for each thread and each stream. Chrome's format calls a group of tracks a process and a track a thread.

use super::json::quoted;
use super::os;
use gevt_core::Name;
use gevt_core::probe::{Place, StreamId, now};
use std::collections::HashMap;
use std::fmt::{Display, Formatter, Write};
use std::hash::Hash;
use std::time::UNIX_EPOCH;

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

impl Display for Track {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"pid\":{},\"tid\":{}", self.group, self.number)
    }
}

impl Track {
    /// The track of the pairs that end on the stream of this one.
    pub(super) fn of_pairs(self) -> Track {
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

    /// Names the stream's tracks.
    fn name(&self, out: &mut String) {
        for track in [self.track, self.track.of_pairs()] {
            name(out, "thread_name", track, &self.called());
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
    let name = quoted(name);
    let _ = write!(out, ",\n{{\"name\":\"{what}\",\"ph\":\"M\",{track},\"args\":{{\"name\":{name}}}}}");
}

/// What the file begins with, up to its first element: the clocks as they stand, by which other profilers' times compare.
pub(super) fn head(process: u32) -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let name = quoted(format!("threads of {}", program.file_name().unwrap_or_default().display()));
    let (monotonic, boottime) = (now(), os::boot_time());
    let realtime = UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
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

    /// The track of a stream, which is named where it is new, with that of its pairs.
    pub(super) fn stream(&mut self, out: &mut String, stream: StreamId) -> &mut StreamTrack {
        let group = self.place(out, stream.place);
        let next = self.streams_ever + 1;
        let ever = &mut self.streams_ever;
        let known = entry(&mut self.streams, (stream.place, stream.native), || {
            *ever = next;
            let track = Track { group, number: next };
            StreamTrack { track, is_default: false, name: Name::EMPTY, is_busy: false }
        });
        if known.track.number == next || stream.is_default != known.is_default {
            known.is_default = stream.is_default;
            known.name(out);
        }
        known
    }

    /// A stream was named: so are its tracks.
    pub(super) fn rename(&mut self, out: &mut String, stream: StreamId, called: Name) {
        let known = self.stream(out, stream);
        known.name = called;
        known.name(out);
    }

    /// A stream was made: one that had its number before is gone, and its track ends.
    pub(super) fn renew(&mut self, stream: StreamId) {
        self.streams.remove(&(stream.place, stream.native));
    }
}
