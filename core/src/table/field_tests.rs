use super::Field;

#[test]
fn fields_do_not_overlap_and_wrap() {
    let low = Field::first(4);
    let high = low.then(60);
    assert_eq!(high.end(), 64);
    assert_eq!(low.mask() & high.mask(), 0);
    let word = high.set(low.set(0, 0x15), u64::MAX);
    assert_eq!(low.get(word), 5);
    assert_eq!(high.get(word), high.max());
    assert_eq!(low.set(word, 0) & low.mask(), 0);
}
