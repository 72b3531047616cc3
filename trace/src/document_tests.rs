//! What becomes of entries, as a viewer reads them.

use super::buffer::TraceEntry;
use super::document::Document;
use gevt_core::Name;
use gevt_core::probe::{Call, EventId, Place, StreamId, What};

const STREAM: StreamId = StreamId { place: Place::Host { device: 0 }, native: 64, is_default: false };

fn event(handle: u64, serial: u64, name: &str) -> EventId {
    EventId { handle, cell: 4096, serial, name: Name::of(name) }
}

/// The elements that are made of what happened at these times after the beginning, without the names of tracks.
fn elements(happened: Vec<(i64, What)>) -> Vec<String> {
    let mut document = Document::new(7, 1000);
    let mut text = String::new();
    for (time, what) in happened {
        document.add(&mut text, &TraceEntry { time: 1000 + time, thread: 0, what });
    }
    assert!(text.is_empty() || text.starts_with(",\n{"));
    text.split(",\n").filter(|line| !line.is_empty() && !line.contains("\"ph\":\"M\"")).map(str::to_owned).collect()
}

fn count(elements: &[String], what: &str) -> usize {
    elements.iter().filter(|element| element.contains(what)).count()
}

#[test]
fn ends_match_what_began() {
    let begin = |name, inside| What::Begin { call: Call::new(name), inside };
    let drawn = elements(vec![
        (5, What::End { since: 1 }), // began before the trace
        (10, begin("outer", 0)),
        (20, begin("inner", 1010)), // its end was lost
        (40, What::End { since: 1010 }),
        (50, What::End { since: 1010 }),
    ]);
    assert_eq!((count(&drawn, "\"B\""), count(&drawn, "\"E\"")), (2, 2), "{drawn:?}");
    assert_eq!(count(&drawn, "\"ts\":1.040"), 2, "{drawn:?}");
}

#[test]
fn a_lost_end_does_not_swallow_what_follows() {
    let begin = |name, inside| What::Begin { call: Call::new(name), inside };
    let drawn = elements(vec![
        (10, begin("outer", 0)),
        (20, begin("first", 1010)), // its end was lost
        (30, begin("second", 1010)),
        (40, What::End { since: 1035 }), // its beginning was lost
        (50, begin("after", 0)),         // the end of "outer" was lost
        (60, What::End { since: 1050 }),
    ]);
    let form = |line: &String| {
        let ph = if line.contains("\"B\"") { "B" } else { "E" };
        format!("{ph}{}", line.split("\"ts\":1.0").nth(1).map_or("", |rest| &rest[..2]))
    };
    let forms: Vec<String> = drawn.iter().map(form).collect();
    assert_eq!(forms, ["B10", "B20", "E30", "B30", "E50", "E50", "B50", "E60"], "{drawn:?}");
}

#[test]
fn a_stream_does_one_thing_at_a_time() {
    let drawn = elements(vec![
        (1, What::StreamGoesOn(STREAM)),
        (2, What::StreamRuns(STREAM, "function")), // its end was lost
        (3, What::StreamRuns(STREAM, "function")),
        (4, What::StreamGoesOn(STREAM)),
        (5, What::StreamGoesOn(STREAM)),
    ]);
    assert_eq!((count(&drawn, "\"B\""), count(&drawn, "\"E\"")), (2, 2), "{drawn:?}");
}

#[test]
fn a_completion_has_the_name_of_the_event_that_was_recorded() {
    let record = |event| What::Begin { call: Call::record(Some(event), Some(STREAM)), inside: 0 };
    let reached = |serial, time: i64| What::Reached { cell: 4096, serial, stream: STREAM, time: 1000 + time };
    let drawn = elements(vec![
        (1, record(event(7, 3, "first"))),
        (2, record(event(7, 4, "renamed"))),
        (3, reached(4, 30)),
        (4, reached(5, 40)),
        (5, record(event(8, 6, "second"))), // in the same cell
        (6, reached(6, 60)),                // of the first one, which was destroyed meanwhile
        (7, reached(7, 70)),
        (8, reached(8, -1)), // before the trace
    ]);
    let at =
        |ts: &str| drawn.iter().find(|line| line.contains(&format!("\"ts\":1.0{ts},"))).cloned().unwrap_or_default();
    assert!(at("30").contains("\"renamed\"") && at("40").contains("\"renamed\""), "{drawn:?}");
    assert!(at("60").contains("\"name\":\"event\"") && !at("60").contains("0x"), "{drawn:?}");
    assert!(at("70").contains("\"second\"") && at("70").contains("\"0x8\""), "{drawn:?}");
    assert_eq!(count(&drawn, "\"cat\":\"event\""), 4);
}

#[test]
fn a_pair_is_drawn_once() {
    let label = |handle, cell| What::Label(EventId { cell, ..event(handle, 0, "e") });
    let pair = |record: u64, from: i64, to: i64| {
        let times = [1000 + from, 1000 + to];
        What::Pair { start: 1, end: 2, records: [1, record], times }
    };
    let drawn = elements(vec![
        (1, label(5, 1)),
        (2, What::Begin { call: Call::record(Some(EventId { cell: 2, ..event(6, 0, "e") }), Some(STREAM)), inside: 0 }),
        (3, pair(1, -5, 1)),
        (4, pair(1, 2, 1)),
        (5, pair(1, 1, 2)),
        (6, pair(1, 1, 2)),
        (7, pair(1, 3, 4)), // the clocks were compared anew
        (8, pair(2, 7, 8)), // recorded anew
    ]);
    assert_eq!((count(&drawn, "\"b\""), count(&drawn, "\"e\",\"ts\"")), (2, 2), "{drawn:?}");
}

#[test]
fn a_new_stream_has_a_new_track() {
    let drawn = elements(vec![
        (1, What::StreamRuns(STREAM, "function")),
        (2, What::NewStream(STREAM)),
        (3, What::StreamRuns(STREAM, "function")),
    ]);
    assert_eq!(count(&drawn, "\"pid\":4194311,\"tid\":1,"), 1, "{drawn:?}");
    assert_eq!(count(&drawn, "\"pid\":4194311,\"tid\":2,"), 1, "{drawn:?}");
}
