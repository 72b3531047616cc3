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
