//! What a stream is given to do, and its form of two words in the stream's queue.

use super::ipc::SharedEvent;
use super::items::Items;
use super::point::Point;
use super::stream::HostStream;
use crate::backend::gate::{Gate, GateUse, Round};
use crate::backend::{Cell, HostFn};
use std::ffi::c_void;
use std::mem::transmute;
use std::sync::Arc;

/// One piece of work.
pub(crate) enum Work {
    /// Call a function of the caller's.
    Call(HostFn),
    /// Call a function of the caller's for each of many items.
    Items(Arc<Items>),
    /// Go on when another stream has got there; where that failed, so does this stream.
    Wait(Point),
    /// Go on when another stream has got there, even if that failed: an order that the default stream makes.
    Follow(Point),
    /// Go on when another process has finished its record.
    WaitShared { shared: Arc<SharedEvent>, ticket: u64 },
    /// Go on when the gate is open; if it was opened with a failure, this stream fails.
    WaitGate(GateUse),
    /// Finish a record that other processes see.
    Finish { shared: Arc<SharedEvent>, ticket: u64 },
    /// Note the time in a cell, for the record of that serial.
    Stamp { cell: &'static Cell, serial: u64 },
}

/// The kinds of work, in the upper three bits of the first word. The rest of it is an address: a function's, which a program has far
/// below those bits, or that of memory of gevt's, whose lowest three bits are 0 and left out. Of memory that the work may be the last to
/// refer to, the address is the second word: leak checkers look for it. What the first word has no room for stands in its lowest bits, which
/// are 0.
const CALL: u64 = 0;
const WAIT: u64 = 1;
const FOLLOW: u64 = 2;
const WAIT_SHARED: u64 = 3;
const FINISH: u64 = 4;
const STAMP: u64 = 5;
const ITEMS: u64 = 6;
const WAIT_GATE: u64 = 7;
const KIND: u32 = 61;
const REST: u64 = !(u64::MAX << KIND);
const LEFT_OUT: u32 = 3;

/// A piece of work as numbers, the first of which is not 0. It owns what the work owns, and has to be unpacked for that to be
/// freed.
#[must_use]
pub(super) struct PackedWork(pub(super) [u64; 2]);

impl Work {
    #[inline(always)]
    pub(super) fn pack(self) -> PackedWork {
        let known = |kind: u64, [address, word]: [u64; 2]| PackedWork([address >> LEFT_OUT | kind << KIND, word]);
        let owned = |kind: u64, [address, number]: [u64; 2]| {
            PackedWork([number & REST | kind << KIND, address | number >> KIND])
        };
        match self {
            Work::Call(call) => PackedWork([call.function as usize as u64, call.user as u64]),
            Work::Items(items) => owned(ITEMS, [Arc::into_raw(items) as u64, 0]),
            Work::Wait(point) => known(WAIT, point.pack()),
            Work::Follow(point) => known(FOLLOW, point.pack()),
            Work::WaitShared { shared, ticket } => owned(WAIT_SHARED, [Arc::into_raw(shared) as u64, ticket]),
            Work::WaitGate(used) => owned(WAIT_GATE, used.into_round().pack()),
            Work::Finish { shared, ticket } => owned(FINISH, [Arc::into_raw(shared) as u64, ticket]),
            Work::Stamp { cell, serial } => known(STAMP, [std::ptr::from_ref(cell) as u64, serial]),
        }
    }
}

// What an address loses is 0.
const _: () = {
    assert!(align_of::<HostStream>() >= 1 << LEFT_OUT && align_of::<Cell>() >= 1 << LEFT_OUT);
    assert!(align_of::<Items>() >= 1 << LEFT_OUT && align_of::<SharedEvent>() >= 1 << LEFT_OUT);
    assert!(align_of::<Gate>() >= 1 << LEFT_OUT);
};

impl PackedWork {
    fn kind(&self) -> u64 {
        self.0[0] >> KIND
    }

    /// Returns the address and what stands beside it, of a kind with the address in the first word; not for a function.
    fn known(&self) -> [u64; 2] {
        [self.0[0] << LEFT_OUT, self.0[1]]
    }

    /// As [`PackedWork::known`], of a kind with the address in the second word.
    fn owned(&self) -> [u64; 2] {
        let high = !(u64::MAX << LEFT_OUT);
        [self.0[1] & !high, self.0[0] & REST | (self.0[1] & high) << KIND]
    }

    /// Returns the work.
    ///
    /// # Safety
    /// The numbers are those of [`Work::pack`], and are unpacked for the first time, or the work that came of them before was
    /// forgotten.
    #[inline]
    pub(super) unsafe fn unpack(self) -> Work {
        let shared = || {
            let [address, ticket] = self.owned();
            // SAFETY: for a kind that owns one, the address is that of `Arc::into_raw`, and is used once, by this function's contract.
            (unsafe { Arc::from_raw(address as *const SharedEvent) }, ticket)
        };
        match self.kind() {
            CALL => {
                let [function, user] = self.0;
                // SAFETY: `pack` made the number from such a function.
                let function = unsafe { transmute::<usize, extern "C" fn(*mut c_void)>(function as usize) };
                Work::Call(HostFn { function, user: user as *mut c_void })
            }
            // SAFETY: `pack` made the words from a point.
            WAIT => Work::Wait(unsafe { Point::unpack(self.known()) }),
            // SAFETY: as above.
            FOLLOW => Work::Follow(unsafe { Point::unpack(self.known()) }),
            // SAFETY: as for `shared`, of items.
            ITEMS => Work::Items(unsafe { Arc::from_raw(self.owned()[0] as *const Items) }),
            WAIT_SHARED => {
                let (shared, ticket) = shared();
                Work::WaitShared { shared, ticket }
            }
            // SAFETY: `pack` made the words from a round, of which the work has a use.
            WAIT_GATE => Work::WaitGate(GateUse::taken_back(unsafe { Round::unpack(self.owned()) })),
            FINISH => {
                let (shared, ticket) = shared();
                Work::Finish { shared, ticket }
            }
            _ => {
                let [cell, serial] = self.known();
                // SAFETY: `pack` made the number from a reference that lives as long as the process.
                Work::Stamp { cell: unsafe { &*(cell as *const Cell) }, serial }
            }
        }
    }

    /// Frees work that no queue has taken.
    pub(super) fn free(self) {
        // SAFETY: `pack` alone makes such a value, and no queue has its numbers.
        drop(unsafe { self.unpack() });
    }
}
