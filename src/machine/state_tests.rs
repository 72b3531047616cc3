//! Compares every cell of the tables in `docs/STATES.md` with the functions of `state.rs`.

use super::state::*;
use crate::backend::Recorded;
use crate::status::Status;
use crate::table::Word;
use std::collections::BTreeSet;

/// The rows of the table under a heading, without its head.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/STATES.md");
    let text = std::fs::read_to_string(path).expect("docs/STATES.md exists");
    let section = text.split("\n## ").find(|section| section.starts_with(heading)).expect("the heading exists");
    let lines = section.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

fn state(name: &str) -> State {
    *State::ALL.iter().find(|state| format!("{state:?}") == name).expect("a state of that name")
}

fn yes(cell: &str) -> bool {
    match cell {
        "yes" => true,
        "no" => false,
        other => panic!("neither yes nor no: {other}"),
    }
}

/// The word of an event in that state, recorded five times; one that is not known has to be asked for.
fn word(state: State, known: bool) -> Word {
    let recorded = (0..5).fold(Word(0), |word, _| word.begin_record().end_record());
    let word = recorded.with_state(state as u64);
    if known { word } else { word.with_ask() }
}

#[test]
fn answers_are_those_of_the_document() {
    let ops = [Op::Query, Op::Sync, Op::Wait, Op::Elapsed];
    let mut seen = BTreeSet::new();
    for row in rows("What the state answers") {
        let (state, known) = (state(&row[0]), yes(&row[1]));
        assert!(seen.insert((state as u8, known)), "a row stands twice: {row:?}");
        assert_eq!(row.len(), 2 + ops.len());
        for (op, cell) in ops.into_iter().zip(&row[2..]) {
            let said = match cell.as_str() {
                "success" => Answer::Success,
                "ask" => Answer::Ask,
                "400" => Answer::NotRecorded(Status::INVALID_HANDLE),
                "401" => Answer::NotRecorded(Status::ILLEGAL_STATE),
                "907" => Answer::Captured,
                other => panic!("no answer: {other}"),
            };
            assert_eq!(answer(state, known, op), said, "{state:?}, known {known}, {op:?}");
        }
        assert_eq!(is_known(word(state, known)), known, "{state:?}");
    }
    assert_eq!(seen.len(), 2 * State::ALL.len(), "a row is missing");
}

#[test]
fn records_leave_what_the_document_says() {
    let outcomes = [
        ("Complete", Some(Recorded::Complete)),
        ("Pending", Some(Recorded::Pending)),
        ("Captured", Some(Recorded::Captured)),
        ("External", Some(Recorded::External)),
        ("failed", None),
    ];
    let rows = rows("What a record leaves behind");
    assert_eq!(rows.len(), 2 * outcomes.len());
    for first in State::ALL {
        for (name, outcome) in outcomes {
            for alone in [true, false] {
                let row = rows.iter().find(|row| row[0] == name && yes(&row[1]) == alone).expect("the row is there");
                let before = word(first, true);
                let begun = begin_record(before).expect("there is room for one");
                // Another record begins and ends in between: it counts, though it is over.
                let met = if alone { begun } else { begin_record(begun).expect("and for another").end_record() };
                let after = end_record(met, before, outcome);
                let next = if row[2] == "unchanged" { first } else { state(&row[2]) };
                assert_eq!(State::of(after), next, "{first:?}, {row:?}");
                assert_eq!(!after.asks(), yes(&row[3]), "{first:?}, {row:?}");
                assert_eq!(after.recording(), 0);
            }
        }
    }
}

#[test]
fn a_record_that_begins_first_and_ends_last_does_not_know_either() {
    let before = word(State::Unrecorded, true);
    let first = begin_record(before).expect("there is room");
    let second = begin_record(first).expect("there is room");
    let both = end_record(second, first, Some(Recorded::Pending));
    assert_eq!(State::of(end_record(both, before, Some(Recorded::Complete))), State::Pending);
    // The second one, ending last, met the first.
    let both = end_record(second, before, Some(Recorded::Pending));
    assert_eq!(State::of(end_record(both, first, Some(Recorded::Complete))), State::Pending);
}

#[test]
fn records_in_progress_are_bounded() {
    let full = (0..Word::MAX_RECORDING).fold(word(State::Pending, true), |word, _| begin_record(word).expect("room"));
    assert_eq!(begin_record(full), None);
}

#[test]
fn what_is_remembered_is_what_the_document_says() {
    let rows = rows("What is remembered");
    for row in &rows {
        let seen = word(state(&row[0]), yes(&row[1]));
        let now = match row[2].as_str() {
            "the same" => seen,
            "changed" => begin_record(seen).expect("there is room").end_record(),
            other => panic!("no such change: {other}"),
        };
        let expected = (row[3] != "unchanged").then(|| now.with_state(state(&row[3]) as u64));
        assert_eq!(remember(now, seen), expected, "{row:?}");
    }
    assert!(State::ALL.iter().all(|state| rows.iter().any(|row| row[0] == format!("{state:?}"))));
}
