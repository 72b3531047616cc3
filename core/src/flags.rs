//! The flags of calls, with CUDA's own numbers.

use crate::error::{Error, Result};

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident { $($(#[$flag_doc:meta])* $flag:ident = $bits:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub struct $name(u32);

        impl $name {
            $($(#[$flag_doc])* pub const $flag: $name = $name($bits);)*

            /// Returns the flags with these bits. Calls reject unknown bits as
            /// [`Error::BadFlags`](crate::Error::BadFlags).
            pub const fn from_bits(bits: u32) -> $name {
                $name(bits)
            }

            /// Returns the bits.
            pub const fn bits(self) -> u32 {
                self.0
            }

            /// Returns whether all of the other's flags are set here too.
            pub const fn contains(self, other: $name) -> bool {
                self.0 & other.0 == other.0
            }

            /// Rejects undefined bits.
            pub(crate) fn check(self) -> Result<$name> {
                let known = 0 $(| $bits)*;
                if self.0 & !known == 0 { Ok(self) } else { Err(Error::BadFlags(self.0)) }
            }
        }

        impl std::ops::BitOr for $name {
            type Output = $name;
            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }
    )*};
}

flags! {
    /// How an event is made.
    EventFlags {
        /// An event with timing, for this process alone.
        DEFAULT = 0,
        /// Threads that wait for the event sleep at once instead of spinning first.
        BLOCKING_SYNC = 1,
        /// The event has no timing.
        DISABLE_TIMING = 2,
        /// Other processes can open the event. Needs `DISABLE_TIMING`.
        INTERPROCESS = 4,
        /// Queries, syncs and waits of streams are refused until the event is recorded.
        STRICT = 0x10000,
        /// The event is pending until the program signals it, and cannot be recorded.
        HOST_SIGNALED = 0x20000,
    }

    /// How a stream is made.
    StreamFlags {
        /// A stream that is ordered against the default stream.
        DEFAULT = 0,
        /// A stream that is not ordered against the default stream.
        NON_BLOCKING = 1,
    }

    /// How an event is recorded.
    RecordFlags {
        /// An ordinary record.
        DEFAULT = 0,
        /// In a stream capture: the record becomes a node of the graph.
        EXTERNAL = 1,
    }

    /// How a stream waits for an event.
    WaitFlags {
        /// An ordinary wait.
        DEFAULT = 0,
        /// In a stream capture: the wait becomes a node of the graph.
        EXTERNAL = 1,
    }
}

impl EventFlags {
    /// Rejects unknown bits, and INTERPROCESS with timing.
    pub(crate) fn check_event(self) -> Result<EventFlags> {
        if self.contains(Self::INTERPROCESS) && !self.contains(Self::DISABLE_TIMING) {
            return Err(Error::BadFlags(self.bits()));
        }
        self.check()
    }

    /// Returns whether the event stores the time at which its stream reached the record.
    #[inline]
    pub(crate) fn is_timed(self) -> bool {
        !self.contains(Self::DISABLE_TIMING)
    }

    /// The flags that CUDA has as well.
    pub(crate) fn native(self) -> u32 {
        self.bits() & (Self::BLOCKING_SYNC | Self::DISABLE_TIMING | Self::INTERPROCESS).bits()
    }
}
