//! First values of variables in PTX: numbers, and lists of them.

/// A type such as `.u32`: its first letter, and its bytes.
#[derive(Clone, Copy)]
pub(super) struct Type {
    letter: char,
    pub(super) size: usize,
}

impl Type {
    pub(super) fn of(word: &str) -> Option<Type> {
        let word = word.strip_prefix('.')?;
        let bits = word.strip_prefix(['b', 'u', 's', 'f'])?;
        let size = match bits {
            "8" => 1,
            "16" => 2,
            "32" | "16x2" => 4,
            "64" => 8,
            "128" => 16,
            _ => return None,
        };
        let letter = if bits == "16x2" { 'b' } else { word.chars().next()? };
        Some(Type { letter, size })
    }

    fn value(self, text: &str) -> Option<u128> {
        match self.letter {
            'f' => real(text, self.size).or_else(|| number(text).filter(|value| *value == 0)),
            'b' => number(text).or_else(|| real(text, self.size)),
            _ => number(text),
        }
    }
}

/// An initialiser: what is left of its text, and the bytes of what was read.
pub(super) struct Initialiser<'a> {
    rest: &'a str,
    form: Type,
    bytes: Vec<u8>,
    /// How many bytes there may still be.
    room: &'a mut usize,
}

impl<'a> Initialiser<'a> {
    /// Reads the values of an array of arrays, or of a single value's; the first extent may be unknown. Returns the number of elements,
    /// and the bytes of the first ones, after which zeros follow. `None` if something is not understood, as an address is; the bytes before
    /// it have taken their room.
    pub(super) fn read(
        text: &'a str,
        form: Type,
        extents: &[Option<usize>],
        room: &'a mut usize,
    ) -> Option<(usize, Vec<u8>)> {
        let mut values = Initialiser { rest: text.trim(), form, bytes: Vec::new(), room };
        let count = match values.rest.strip_prefix('{') {
            Some(rest) => {
                values.rest = rest;
                let count = values.list(extents, 0)?;
                if values.rest.is_empty() { count } else { return None }
            }
            None if values.rest.is_empty() => 0,
            None => {
                values.put(0, values.rest)?;
                1
            }
        };
        let row = product(extents.get(1..)?)?;
        let rows = match extents[0] {
            Some(extent) => extent,
            None => (row != 0 && count != 0).then(|| count.div_ceil(row))?,
        };
        Some((rows.checked_mul(row)?, values.bytes))
    }

    /// Reads a list up to its closing brace; its values go from that element on. Each list inside it stands for one of its rows, whose
    /// other elements are zeros. Returns how many elements it has.
    fn list(&mut self, extents: &[Option<usize>], start: usize) -> Option<usize> {
        let (extent, inner) = extents.split_first()?;
        let row = product(inner)?;
        let most = extent.map_or(Some(usize::MAX), |extent| extent.checked_mul(row))?;
        let mut count = 0_usize;
        loop {
            let (next, rest) = self.rest.split_at_checked(1)?;
            match next {
                "}" => {
                    self.rest = rest.trim_start();
                    return Some(count);
                }
                "," => self.rest = rest.trim_start(),
                "{" => {
                    self.rest = rest.trim_start();
                    if !count.is_multiple_of(row) {
                        return None;
                    }
                    self.list(inner, start.checked_add(count)?)?;
                    count = count.checked_add(row)?;
                }
                _ => {
                    let (item, rest) = self.rest.split_at(self.rest.find(['{', '}', ','])?);
                    self.rest = rest;
                    self.put(start.checked_add(count)?, item.trim_end())?;
                    count += 1;
                }
            }
            if count > most {
                return None;
            }
        }
    }

    /// Writes the value of an element that comes after all those before.
    fn put(&mut self, at: usize, item: &str) -> Option<()> {
        let value = self.form.value(item)?.to_le_bytes();
        let start = at.checked_mul(self.form.size)?;
        let added = start.checked_add(self.form.size)? - self.bytes.len();
        *self.room = self.room.checked_sub(added)?;
        self.bytes.try_reserve(added).ok()?;
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(&value[..self.form.size]);
        Some(())
    }
}

fn product(extents: &[Option<usize>]) -> Option<usize> {
    extents.iter().try_fold(1_usize, |all, extent| all.checked_mul((*extent)?))
}

/// Returns the bits of a whole number.
pub(super) fn number(text: &str) -> Option<u128> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let digits = digits.trim_end_matches('U');
    let value = match digits.get(..2) {
        Some("0x" | "0X") => u128::from_str_radix(&digits[2..], 16).ok()?,
        Some("0b" | "0B") => u128::from_str_radix(&digits[2..], 2).ok()?,
        _ if digits.starts_with('0') && digits.len() > 1 => u128::from_str_radix(digits, 8).ok()?,
        _ => digits.parse().ok()?,
    };
    Some(if is_negative { value.wrapping_neg() } else { value })
}

/// Returns the bits of a floating-point number of four or eight bytes, which PTX writes in decimal, or by the bits of a number of four
/// (`0f3F800000`) or eight (`0d3FF0000000000000`).
fn real(text: &str, size: usize) -> Option<u128> {
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let hex = |len: usize| {
        let digits = digits[2..].strip_prefix('+').map_or(&digits[2..], |_| "");
        if digits.len() == len { u64::from_str_radix(digits, 16).ok() } else { None }
    };
    let is_decimal = || digits.contains(['.', 'e', 'E']) && !digits.starts_with(['i', 'I', 'n', 'N', '+', '-']);
    let bits = match (digits.get(..2), size) {
        (Some("0f" | "0F"), 4) => hex(8)?,
        (Some("0f" | "0F"), 8) => f64::from(f32::from_bits(hex(8)? as u32)).to_bits(),
        (Some("0d" | "0D"), 4) => (f64::from_bits(hex(16)?) as f32).to_bits().into(),
        (Some("0d" | "0D"), 8) => hex(16)?,
        (_, 4) if is_decimal() => (digits.parse::<f64>().ok()? as f32).to_bits().into(),
        (_, 8) if is_decimal() => digits.parse::<f64>().ok()?.to_bits(),
        _ => return None,
    };
    let sign = u128::from(is_negative) << (size * 8 - 1);
    Some(u128::from(bits) ^ sign)
}
