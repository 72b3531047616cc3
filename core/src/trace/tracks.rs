//! Who is drawn on which track: one for each thread and each stream. Chrome's format calls a group of tracks a process and a
//! track a thread.

use super::entry::{Place, StreamId};
use super::json::Quoted;
use crate::os;
use std::collections::HashMap;
use std::fmt::Write;
use std::hash::Hash;

/// The number of the group of this process's own threads; those of the places come behind it, two for each: one for its
/// streams, and the next one for the pairs, which are many and of which each name gets a row in viewers.
const THREADS: u32 = 1;
/// The greatest length of a map. One that is full is emptied: what was in it begins anew.
const MOST: usize = 1 << 16;

/// A track's two numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Track {
    pub(super) group: u32,
    pub(super) number: u32,
}

/// A stream's track and what is drawn on it.
pub(super) struct StreamTrack {
    pub(super) track: Track,
    is_default: bool,
    /// It runs something or waits.
    pub(super) is_busy: bool,
    has_pairs: bool,
}

impl StreamTrack {
    fn called(&self) -> String {
        if self.is_default { "default stream".into() } else { format!("stream {}", self.track.number) }
    }
}

#[derive(Default)]
pub(super) struct Tracks {
    places: HashMap<Place, u32>,
    streams: HashMap<(Place, u64), StreamTrack>,
    streams_ever: u32,
    /// For each thread, when the calls began that it is in.
    threads: HashMap<u32, Vec<i64>>,
}

/// The value of a key in a map that never becomes too long, made where there is none.
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

/// The elements with which the file begins.
pub(super) fn head() -> String {
    let process = Quoted(format!("threads of {}", os::name_of_process())).to_string();
    format!("{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{THREADS},\"tid\":0,\"args\":{{\"name\":{process}}}}}")
}

impl Tracks {
    /// The track of a thread, which is named where it is new.
    pub(super) fn thread(&mut self, out: &mut String, id: u32) -> (Track, &mut Vec<i64>) {
        let track = Track { group: THREADS, number: id };
        let begun = entry(&mut self.threads, id, || {
            let known = os::name_of_thread(id);
            name(out, "thread_name", track, if known.is_empty() { "ended" } else { &known });
            Vec::new()
        });
        (track, begun)
    }

    /// The group of a place, which is named where it is new.
    pub(super) fn place(&mut self, out: &mut String, place: Place) -> u32 {
        let next = THREADS + 1 + 2 * self.places.len() as u32;
        *entry(&mut self.places, place, || {
            for (group, what) in [(next, "streams"), (next + 1, "pairs")] {
                let known = match place {
                    Place::Host { device } => format!("{what} of host device {device}"),
                    Place::Cuda { device, .. } => format!("{what} of CUDA device {device}"),
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
            StreamTrack { track: Track { group, number: next }, is_default: false, is_busy: false, has_pairs: false }
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
        let track = Track { group: known.track.group + 1, number: known.track.number };
        if !std::mem::replace(&mut known.has_pairs, true) {
            name(out, "thread_name", track, &known.called());
        }
        track
    }

    /// A stream was made: one that had its number before is gone, and its track ends.
    pub(super) fn renew(&mut self, stream: StreamId) {
        self.streams.remove(&(stream.place, stream.native));
    }
}
