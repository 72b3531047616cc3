//! Handles: packed bits that look like a pointer and are never followed.

use super::field::Field;
use crate::kind::Kind;

macro_rules! named {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        #[repr(transparent)]
        pub struct $name(pub(crate) Handle);

        impl $name {
            /// The handle that names nothing.
            pub const NULL: $name = $name(Handle::NULL);

            /// Returns the handle with these bits. Any bits are allowed: calls refuse handles that gevt never issued.
            pub const fn from_bits(bits: u64) -> $name {
                $name(Handle(bits))
            }

            /// Returns the bits of the handle, as C callers hold them.
            pub const fn to_bits(self) -> u64 {
                self.0.0
            }

            /// Returns the handle without its type, for messages and tables.
            pub const fn handle(self) -> Handle {
                self.0
            }
        }
    )*};
}

named! {
    /// A handle to an event: a point in a stream's work.
    ///
    /// Handles are numbers, and copying one copies no event. The event lives until [`Event::destroy`]; after that every copy
    /// is refused as [`Error::StaleHandle`](crate::Error::StaleHandle), for no handle value is used twice.
    ///
    /// ```
    /// use gevt_core::{Backend, Context, Event, EventFlags, Stream, StreamFlags};
    ///
    /// # fn main() -> gevt_core::Result<()> {
    /// let context = Context::open(Backend::HOST, 0)?;
    /// let stream = Stream::create(context, StreamFlags::DEFAULT)?;
    /// let [start, end] = [Event::create(EventFlags::DEFAULT)?, Event::create(EventFlags::DEFAULT)?];
    /// start.record(stream)?;
    /// stream.launch(|| std::thread::sleep(std::time::Duration::from_millis(1)))?;
    /// end.record(stream)?;
    /// end.sync()?;
    /// assert!(end.query()?);
    /// assert!(Event::elapsed(start, end)?.is_some_and(|ns| ns >= 1_000_000));
    /// # start.destroy()?;
    /// # stream.destroy()?;
    /// # context.close()?;
    /// end.destroy()?;
    /// assert!(end.query().is_err());
    /// # Ok(())
    /// # }
    /// ```
    Event;
    /// A handle to a stream: a queue of work that runs in order.
    ///
    /// [`Stream::NULL`] is the default stream of the calling thread's current context.
    Stream;
    /// A handle to a context: one device of one backend.
    ///
    /// [`Context::NULL`] is the calling thread's current context.
    Context;
}

const INDEX: Field = Field::first(28);
const GENERATION: Field = INDEX.then(28);
const KIND: Field = GENERATION.then(8);

/// The greatest number of slots in a table.
pub(crate) const MAX_SLOTS: u64 = INDEX.max() + 1;
/// The greatest generation; the next one is 0.
pub(crate) const LAST_GENERATION: u64 = GENERATION.max();

/// A handle of any kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Handle(pub u64);

impl Handle {
    /// The handle that names nothing.
    pub const NULL: Handle = Handle(0);

    pub(crate) const fn new(kind: Kind, generation: u64, index: u32) -> Handle {
        Handle(KIND.set(GENERATION.set(INDEX.set(0, index as u64), generation), kind as u64))
    }

    pub(crate) const fn index(self) -> u32 {
        INDEX.get(self.0) as u32
    }

    pub(crate) const fn generation(self) -> u64 {
        GENERATION.get(self.0)
    }

    /// Returns whether the bits claim to be of that kind.
    #[inline]
    pub(crate) const fn is_of(self, kind: Kind) -> bool {
        KIND.get(self.0) == kind as u64
    }

    /// Returns the kind of gevt object that the bits claim to name, if any.
    pub fn kind(self) -> Option<Kind> {
        [Kind::Event, Kind::Stream, Kind::Context].into_iter().find(|kind| self.is_of(*kind))
    }
}

const _: () = assert!(KIND.end() == 64);
const _: () = assert!(usize::BITS == 64, "handles are pointer-shaped and need 64 bits");

#[cfg(test)]
#[path = "handle_tests.rs"]
mod tests;
