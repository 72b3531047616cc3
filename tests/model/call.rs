//! Random calls.

use crate::gevt::types::gevt_event_info_t;
use proptest::prelude::*;
use proptest::strategy::Union;
use std::ffi::CString;

pub const INFO: usize = size_of::<gevt_event_info_t>();

/// A handle argument of a random call; the number chooses among those there are.
#[derive(Clone, Copy, Debug)]
pub enum Pick {
    Live(usize),
    Stale(usize),
    OtherKind(usize),
    Garbage(usize),
    Null,
}

/// A random call. A true `bool` passes NULL for the output, the array or the function.
#[derive(Clone, Debug)]
pub enum Call {
    Create(u32, bool),
    CreateIn(Pick, u32, bool),
    Record(Pick, Pick),
    RecordWithFlags(Pick, Pick, u32),
    Query(Pick),
    /// A true `bool` lets the thread help.
    Sync(Pick, u64, bool),
    SyncAll(Vec<Pick>, u64, bool),
    SyncAny(Vec<Pick>, u64, bool),
    Elapsed(Pick, Pick, bool),
    Wait(Pick, Pick, u32),
    /// Launches a function, or so many items, which blocks until it is released, or returns at once.
    Launch(Pick, Option<usize>, bool, bool),
    /// Sets how many functions run at once.
    SetThreads(u32),
    LetGo(usize),
    OnComplete(Pick, bool),
    SetName(Pick, usize),
    GetInfo(Pick, usize, bool),
    Destroy(Pick),
    Signal(Pick),
    Reset(Pick),
    CreateStream(Pick, u32, bool),
    QueryStream(Pick),
    SyncStream(Pick, u64),
    DestroyStream(Pick),
    SetCurrent(usize),
}

pub fn picks() -> impl Strategy<Value = Pick> + Clone {
    prop_oneof![
        24 => any::<usize>().prop_map(Pick::Live),
        2 => any::<usize>().prop_map(Pick::Stale),
        1 => any::<usize>().prop_map(Pick::OtherKind),
        1 => any::<usize>().prop_map(Pick::Garbage),
        2 => Just(Pick::Null),
    ]
}

pub fn calls() -> impl Strategy<Value = Vec<Call>> {
    let ev = picks;
    let null = || prop::bool::weighted(0.05);
    let flags = || {
        prop::sample::select(vec![
            0,
            0,
            0,
            1,
            2,
            3,
            6,
            7,
            0x10000,
            0x10000,
            0x10002,
            4,
            8,
            0x2000_0000,
            0x20000,
            0x20000,
            0x30003,
            0x20006,
        ])
    };
    let external = || prop::sample::select(vec![0, 0, 0, 0, 1, 2, 0x8000_0000]);
    let stream_flags = prop::sample::select(vec![0, 0, 1, 1, 1, 2]);
    let timeout = || prop::sample::select(vec![0, 30_000, u64::MAX]);
    let list = || prop::collection::vec(picks(), 0..5);
    let launch = (picks(), prop::option::weighted(0.375, 0..4usize), prop::bool::weighted(0.7), null());
    let sizes = prop::sample::select(vec![INFO, INFO, INFO + 24, 40, 12, 11, 0]);
    let call = Union::new_weighted(vec![
        (4, (flags(), null()).prop_map(|(f, n)| Call::Create(f, n)).boxed()),
        (3, (picks(), flags(), null()).prop_map(|(c, f, n)| Call::CreateIn(c, f, n)).boxed()),
        (12, (ev(), picks()).prop_map(|(e, s)| Call::Record(e, s)).boxed()),
        (2, (ev(), picks(), external()).prop_map(|(e, s, f)| Call::RecordWithFlags(e, s, f)).boxed()),
        (5, ev().prop_map(Call::Query).boxed()),
        (6, (ev(), timeout(), prop::bool::weighted(0.33)).prop_map(|(e, t, h)| Call::Sync(e, t, h)).boxed()),
        (3, (list(), timeout(), null()).prop_map(|(l, t, n)| Call::SyncAll(l, t, n)).boxed()),
        (3, (list(), timeout(), null()).prop_map(|(l, t, n)| Call::SyncAny(l, t, n)).boxed()),
        (6, (ev(), ev(), null()).prop_map(|(a, b, n)| Call::Elapsed(a, b, n)).boxed()),
        (5, (picks(), ev(), external()).prop_map(|(s, e, f)| Call::Wait(s, e, f)).boxed()),
        (8, launch.prop_map(|(s, i, w, n)| Call::Launch(s, i, w, n)).boxed()),
        (1, prop::sample::select(vec![0, 1, 2, 8, 1024, 1025, u32::MAX]).prop_map(Call::SetThreads).boxed()),
        (5, any::<usize>().prop_map(Call::LetGo).boxed()),
        (3, (ev(), null()).prop_map(|(e, n)| Call::OnComplete(e, n)).boxed()),
        (2, (ev(), 0..5usize).prop_map(|(e, n)| Call::SetName(e, n)).boxed()),
        (4, (ev(), sizes, null()).prop_map(|(e, s, n)| Call::GetInfo(e, s, n)).boxed()),
        (6, ev().prop_map(Call::Signal).boxed()),
        (3, ev().prop_map(Call::Reset).boxed()),
        (3, ev().prop_map(Call::Destroy).boxed()),
        (3, (picks(), stream_flags, null()).prop_map(|(c, f, n)| Call::CreateStream(c, f, n)).boxed()),
        (4, picks().prop_map(Call::QueryStream).boxed()),
        (3, (picks(), timeout()).prop_map(|(s, t)| Call::SyncStream(s, t)).boxed()),
        (2, picks().prop_map(Call::DestroyStream).boxed()),
        (1, any::<usize>().prop_map(Call::SetCurrent).boxed()),
    ]);
    // Without these most of the first calls would find nothing to name.
    let first = [
        Call::Create(0, false),
        Call::Create(0, false),
        Call::CreateIn(Pick::Null, 0, false),
        Call::CreateStream(Pick::Null, 0, false),
        Call::CreateStream(Pick::Null, 1, false),
        Call::CreateStream(Pick::Live(1), 0, false),
    ];
    prop::collection::vec(call, 10..90).prop_map(move |rest| first.iter().cloned().chain(rest).collect())
}

/// A name argument and the name that gevt stores. One is truncated inside a character, and one is invalid UTF-8.
pub fn name(number: usize) -> (Option<CString>, Option<String>) {
    let text = |text: &str| CString::new(text).expect("no NUL");
    match number {
        0 => (Some(text("frame")), Some("frame".into())),
        1 => (Some(text(&"ä".repeat(40))), Some("ä".repeat(31))),
        2 => (Some(text("")), Some(String::new())),
        3 => (None, Some(String::new())),
        _ => (Some(c"\xff\xfe".into()), None),
    }
}
