//! What a program does wrong with events and streams, and the line that GEVT_LOG=warn prints of it.

use crate::driver::call_site::CallSite;
use crate::driver::function::Function;
use crate::driver::types::CUresult;
use crate::driver::types::code::{INVALID_HANDLE, NOT_SUPPORTED};
use crate::stderr::say;
use gevt_core::lock::Mutex;
use std::fmt;
use std::mem::{Discriminant, discriminant};

/// A mistake, with the pointer that it was made with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misuse {
    DestroyedEvent(usize),
    DestroyedStream(usize),
    /// Small, not aligned, or nothing is mapped there.
    NotAnEvent(usize),
    NotAStream(usize),
    /// Its making was not seen.
    UnknownEvent(usize),
    UnknownStream(usize),
    /// A stream is to wait for an interprocess event of another device, where the driver crashes.
    OtherDevice(usize),
    /// The rest is the driver's to refuse.
    NullEvent,
    NeverRecorded(usize),
    NoTiming(usize),
}

impl Misuse {
    /// Prints it, once for each place of the program that does it.
    #[cold]
    pub(crate) fn print(self, function: &'static Function) {
        static PRINTED: Mutex<Vec<(Discriminant<Misuse>, CallSite)>> = Mutex::new(Vec::new());
        let site = CallSite::here();
        let place = (discriminant(&self), site);
        let mut printed = PRINTED.lock();
        if !printed.contains(&place) {
            printed.push(place);
            drop(printed);
            say(&format!("warning: {}: {self}, at {site}", function.name.to_string_lossy()));
        }
    }

    /// Returns what a call that is refused for it answers.
    pub(crate) const fn code(self) -> CUresult {
        if let Misuse::OtherDevice(_) = self { NOT_SUPPORTED } else { INVALID_HANDLE }
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misuse::DestroyedEvent(at) => write!(f, "the event {at:#x} was destroyed before"),
            Misuse::DestroyedStream(at) => write!(f, "the stream {at:#x} was destroyed before"),
            Misuse::NotAnEvent(at) => write!(f, "{at:#x} is no event: the driver never issues such a pointer"),
            Misuse::NotAStream(at) => write!(f, "{at:#x} is no stream: the driver never issues such a pointer"),
            Misuse::UnknownEvent(at) => write!(f, "no event was made at {at:#x}"),
            Misuse::UnknownStream(at) => write!(f, "no stream was made at {at:#x}"),
            Misuse::OtherDevice(at) => {
                write!(f, "the event {at:#x} is shared between processes, and of another device than the stream")
            }
            Misuse::NullEvent => write!(f, "the event is NULL"),
            Misuse::NeverRecorded(at) => write!(f, "the event {at:#x} was never recorded, so that it has no time"),
            Misuse::NoTiming(at) => write!(f, "the event {at:#x} was made with CU_EVENT_DISABLE_TIMING"),
        }
    }
}
