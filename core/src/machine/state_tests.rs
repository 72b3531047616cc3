//! Compares every cell of the tables in `docs/STATES.md` with the functions of `state.rs`.

use super::state::*;
use crate::backend::Recorded;
use crate::error::Error;
use crate::status::Status;
use crate::table::Word;
use std::collections::BTreeSet;

/// The rows of the table under a heading, below the head that is expected.
fn rows(heading: &str, head: &[&str]) -> Vec<Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/STATES.md");
    let text = std::fs::read_to_string(path).expect("docs/STATES.md exists");
    let section = text.split("\n## ").find(|section| section.starts_with(heading)).expect("the heading exists");
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let mut lines = section.lines().filter(|line| line.starts_with('|')).map(cells);
    assert_eq!(lines.next().expect("the table exists"), head, "{heading}");
    let rows: Vec<Vec<String>> = lines.skip(1).collect();
    assert!(rows.iter().all(|row| row.len() == head.len()), "{heading}: a row is too long or too short");
    rows
}

fn state(name: &str) -> State {
    *State::ALL.iter().find(|state| format!("{state:?}") == name).expect("a state of that name")
}

/// The states of a cell, which names one or several.
fn states(cell: &str) -> Vec<State> {
    cell.split(", ").map(state).collect()
}

/// Whether a cell of "yes", "no" or "any" covers a case.
fn covers(cell: &str, case: bool) -> bool {
    cell == "any" || yes(cell) == case
}

fn yes(cell: &str) -> bool {
    match cell {
        "yes" => true,
        "no" => false,
        other => panic!("neither yes nor no: {other}"),
    }
}

/// The word of an event in that state, recorded five times, with no record in progress.
fn at_rest(state: State) -> Word {
    (0..5).fold(Word(0), |word, _| word.begin_record().end_record()).with_state(state as u64)
}

/// All words in that state, in the first table's order: with a record in progress, as in the drop-in, and with a shared native event.
fn words(state: State) -> [Word; 4] {
    let rest = at_rest(state);
    [rest, rest.begin_record(), rest.with_ask(), rest.begin_record().with_ask()]
}

#[test]
fn the_word_is_known_when_the_document_says() {
    let head = ["state", "at rest", "a record in progress", "others may record", "both"];
    let rows = rows("When the word is known", &head);
    for state in State::ALL {
        let fitting: Vec<_> = rows.iter().filter(|row| states(&row[0]).contains(&state)).collect();
        let [row] = fitting[..] else { panic!("not one row for {state:?}: {fitting:?}") };
        let known = words(state).map(is_known);
        assert_eq!(known.as_slice(), row[1..].iter().map(|cell| yes(cell)).collect::<Vec<_>>(), "{state:?}, {row:?}");
    }
}

#[test]
fn answers_are_those_of_the_document() {
    let ops = [Op::Query, Op::Wait, Op::Elapsed];
    let mut seen = BTreeSet::new();
    for row in rows("What the state answers", &["state", "known", "query", "wait", "elapsed"]) {
        let covered = states(&row[0]).into_iter().flat_map(|state| [(state, true), (state, false)]);
        for (state, known) in covered.filter(|(_, known)| covers(&row[1], *known)) {
            assert!(seen.insert((state as u8, known)), "two rows for {state:?}, known {known}");
            for (op, cell) in ops.into_iter().zip(&row[2..]) {
                let said = match cell.as_str() {
                    "success" => Ok(true),
                    "ask" => Ok(false),
                    "400" => Err(Error::NotRecorded(Status::INVALID_HANDLE)),
                    "401" => Err(Error::NotRecorded(Status::ILLEGAL_STATE)),
                    "907" => Err(Error::Captured),
                    other => panic!("no answer: {other}"),
                };
                for word in words(state).into_iter().filter(|word| is_known(*word) == known) {
                    assert_eq!(answer(word, op), said, "{state:?}, known {known}, {op:?}");
                }
            }
        }
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
    let rows = rows("What a record leaves behind", &["outcome", "alone", "next state", "known"]);
    let mut used = BTreeSet::new();
    for first in State::ALL {
        for (name, outcome) in outcomes {
            for alone in [true, false] {
                let row = rows.iter().find(|row| row[0] == name && covers(&row[1], alone)).expect("the row is there");
                used.insert(row);
                let before = at_rest(first);
                let met = if alone { before } else { record(before, before, Some(Recorded::Pending)) };
                let after = record(met.with_state(first as u64), before, outcome);
                let next = if row[2] == "unchanged" { first } else { state(&row[2]) };
                assert_eq!(State::of(after), next, "{first:?}, {row:?}");
                assert_eq!(!after.asks(), yes(&row[3]), "{first:?}, {row:?}");
                assert_eq!(after.recording(), 0);
            }
        }
    }
    assert_eq!(used.len(), rows.len(), "a row stands for nothing");
}

/// Each kind of word is in exactly one row.
#[test]
fn what_is_remembered_is_what_the_document_says() {
    let rows = rows("What is remembered", &["state", "known", "word since then", "next state"]);
    let mut used = BTreeSet::new();
    for seen in State::ALL.into_iter().flat_map(words) {
        let later = [seen.begin_record(), seen.count_record(), seen.with_state(7)];
        for now in later.into_iter().chain([seen]) {
            let fits = |cell: &str, is: bool, yes: &str, no: &str| match cell {
                "any" => true,
                cell => is == (cell == yes) && [yes, no].contains(&cell),
            };
            let fits = |row: &&Vec<String>| {
                states(&row[0]).contains(&State::of(seen))
                    && fits(&row[1], is_known(seen), "yes", "no")
                    && fits(&row[2], now == seen, "the same", "changed")
            };
            let fitting: Vec<_> = rows.iter().filter(fits).collect();
            let [row] = fitting[..] else { panic!("not one row for {seen:?}, then {now:?}: {fitting:?}") };
            used.insert(row.clone());
            let expected = (row[3] != "unchanged").then(|| now.with_state(state(&row[3]) as u64));
            assert_eq!(remember(now, seen), expected, "{row:?}");
        }
    }
    assert_eq!(used.len(), rows.len(), "a row stands for nothing");
}

#[test]
fn what_is_forgotten_is_what_the_document_says() {
    let rows = rows("What is forgotten", &["what happens", "a record in progress", "next state", "known"]);
    assert_eq!(rows.len(), 4);
    for (what, happens) in [("the address is issued", revive as fn(Word) -> Word), ("a context ends", forget)] {
        for seen in State::ALL.into_iter().flat_map(words) {
            let is_row = |row: &&Vec<String>| row[0] == what && yes(&row[1]) == (seen.recording() != 0);
            let row = rows.iter().find(is_row).expect("the row is there");
            let next = happens(seen);
            assert_eq!(State::of(next), state(&row[2]), "{what}, {seen:?}");
            // A shared event stays shared until its address is reused.
            let is_shared = seen.asks() && what != "the address is issued";
            assert_eq!(is_known(next), yes(&row[3]) && !is_shared, "{what}, {seen:?}");
            assert_eq!(remember(next, seen), None, "an answer from before is remembered: {what}, {seen:?}");
        }
    }
}
