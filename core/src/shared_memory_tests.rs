use super::*;

const MAGIC: u64 = 1234;

#[test]
fn what_is_exported_is_opened_and_changed_bytes_are_refused() {
    let memory = SharedFile::create(8192).expect("there is memory");
    let file = memory.name();
    let name = SharedName { exporter: me(), file, about: 8192, words: [5, 7] };
    let bytes = name.to_bytes(MAGIC);
    assert_eq!(SharedName::from_bytes(&bytes, MAGIC), Some(name));
    assert!(SharedFile::open(file, 8192).is_ok());
    assert_eq!(SharedName::from_bytes(&bytes, MAGIC + 1), None);
    for bit in 0..512 {
        let mut changed = bytes;
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(SharedName::from_bytes(&changed, MAGIC).is_none(), "bit {bit}");
    }
    for length in 0..64 {
        let mut cut = bytes;
        cut[length..].fill(0);
        assert!(cut == bytes || SharedName::from_bytes(&cut, MAGIC).is_none(), "{length} bytes");
    }
    drop(memory);
    assert!(SharedFile::open(file, 8192).is_err());
}

#[test]
fn random_bytes_are_refused() {
    let mut state = 1_u64;
    for _ in 0..1000 {
        let mut random = [0; 64];
        for byte in &mut random {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            *byte = (state >> 56) as u8;
        }
        assert_eq!(SharedName::from_bytes(&random, MAGIC), None);
        random[..8].copy_from_slice(&MAGIC.to_ne_bytes());
        assert_eq!(SharedName::from_bytes(&random, MAGIC), None);
    }
}
