//! A run of bits inside a 64-bit word.

/// `len` bits from bit `shift` up.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    shift: u32,
    len: u32,
}

impl Field {
    /// The lowest `len` bits.
    pub(crate) const fn first(len: u32) -> Field {
        Field { shift: 0, len }
    }

    /// The `len` bits above this field.
    pub(crate) const fn then(self, len: u32) -> Field {
        Field { shift: self.end(), len }
    }

    /// The first bit above this field.
    pub(crate) const fn end(self) -> u32 {
        self.shift + self.len
    }

    /// The greatest value that fits.
    pub(crate) const fn max(self) -> u64 {
        u64::MAX >> (64 - self.len)
    }

    /// The bits of the field, in place.
    pub(crate) const fn mask(self) -> u64 {
        self.max() << self.shift
    }

    pub(crate) const fn get(self, word: u64) -> u64 {
        (word >> self.shift) & self.max()
    }

    /// `word` with the field set to `value`, which wraps at the field's length.
    pub(crate) const fn set(self, word: u64, value: u64) -> u64 {
        (word & !self.mask()) | ((value & self.max()) << self.shift)
    }
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
