//! Handles: packed bits that look like a pointer and are never followed.

use super::field::Field;

/// What a handle names. The value is the handle's top byte, which no address in user space has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// An event.
    Event = 0xE1,
    /// A stream.
    Stream = 0xE2,
    /// A context.
    Context = 0xE3,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Event => "event",
            Kind::Stream => "stream",
            Kind::Context => "context",
        })
    }
}

macro_rules! named {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(transparent)]
        pub struct $name(pub(crate) Handle);

        impl $name {
            /// The handle that names nothing.
            pub const NULL: $name = $name(Handle::NULL);

            /// The handle of these bits, which need not be one.
            pub const fn from_bits(bits: u64) -> $name {
                $name(Handle(bits))
            }

            /// The bits that C callers hold.
            pub const fn to_bits(self) -> u64 {
                self.0.0
            }
        }
    )*};
}

named! {
    /// A point in a stream's work, by a handle that may be copied.
    Event;
    /// A queue of work that is done in order. NULL names the default stream of the calling thread's current context.
    Stream;
    /// One device of one backend. NULL names the calling thread's current context.
    Context;
}

const INDEX: Field = Field::first(28);
const GENERATION: Field = INDEX.then(28);
const KIND: Field = GENERATION.then(8);

/// The greatest number of slots in a table.
pub(crate) const MAX_SLOTS: u64 = INDEX.max() + 1;
/// The last generation: a slot that reached it is not used again.
pub(crate) const LAST_GENERATION: u64 = GENERATION.max();

/// The bits that C callers hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

    /// The kind that the bits claim; `None` for bits that gevt cannot have issued.
    pub const fn kind(self) -> Option<Kind> {
        match KIND.get(self.0) {
            0xE1 => Some(Kind::Event),
            0xE2 => Some(Kind::Stream),
            0xE3 => Some(Kind::Context),
            _ => None,
        }
    }
}

const _: () = assert!(KIND.end() == 64);
const _: () = assert!(usize::BITS == 64, "handles are pointer-shaped and need 64 bits");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back() {
        let handle = Handle::new(Kind::Stream, LAST_GENERATION, INDEX.max() as u32);
        assert_eq!(handle.kind(), Some(Kind::Stream));
        assert_eq!(handle.generation(), LAST_GENERATION);
        assert_eq!(u64::from(handle.index()), INDEX.max());
        assert_eq!(Handle::NULL.kind(), None);
        assert_eq!(Handle(0x7fff_ffff_fff0).kind(), None);
    }
}
