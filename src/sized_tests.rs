use super::*;

/// What a later version has made of a structure of two fields.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Grown {
    size: usize,
    old: u64,
    new: u64,
}

// SAFETY: it begins with its size, and zeros are numbers.
unsafe impl SizedStructure for Grown {
    const FIRST: usize = std::mem::offset_of!(Grown, new);
    const NAME: &'static str = "grown";
    const SIZE_NAME: &'static str = "grown->size";
}

fn read_with(size: usize) -> Result<Grown> {
    let given = Grown { size, old: 5, new: 6 };
    // SAFETY: the structure has three words, and `size` says no more where it is accepted.
    unsafe { read(&given) }
}

#[test]
fn every_size_from_the_first_version_on_is_accepted() {
    let all = size_of::<Grown>();
    assert_eq!(read_with(Grown::FIRST), Ok(Grown { size: Grown::FIRST, old: 5, new: 0 }));
    assert_eq!(read_with(all), Ok(Grown { size: all, old: 5, new: 6 }));
    for too_small in [0, 1, Grown::FIRST - 1] {
        assert_eq!(read_with(too_small), Err(Error::BadArgument("grown->size")));
    }
    // SAFETY: NULL is allowed.
    assert_eq!(unsafe { read::<Grown>(std::ptr::null()) }, Err(Error::NullPointer("grown")));
}

#[test]
fn nothing_is_written_behind_the_callers_version() {
    for (size, new) in [(Grown::FIRST, 9), (size_of::<Grown>(), 6), (1000, 6)] {
        let mut out = Grown { size, old: 9, new: 9 };
        // SAFETY: the structure has at most the size that is written.
        unsafe { SizedOut::new(&mut out) }.expect("a known size").write(|_| Grown { size, old: 5, new: 6 });
        assert_eq!(out, Grown { size, old: 5, new });
    }
}
