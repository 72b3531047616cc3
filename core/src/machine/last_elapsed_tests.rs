use super::*;

#[test]
fn a_time_counts_for_its_pair_alone() {
    let kept = LastElapsed::default();
    let pair = |start, first, second| Pair { start, words: [first, second] };
    kept.set(pair(1, 2, 3), -4);
    assert_eq!(kept.get(pair(1, 2, 3)), Some(-4));
    for other in [pair(0, 2, 3), pair(1, 3, 3), pair(1, 2, 4)] {
        assert_eq!(kept.get(other), None);
    }
}

#[test]
fn a_reader_never_sees_half_of_a_time() {
    let kept = LastElapsed::default();
    let pair = |n: u64| Pair { start: n as u32, words: [n, n] };
    let times = if cfg!(miri) { 200 } else { 100_000 };
    std::thread::scope(|scope| {
        let writers = [1, 2].map(|first| {
            let kept = &kept;
            scope.spawn(move || (first..times).step_by(2).for_each(|n| kept.set(pair(n), n.cast_signed())))
        });
        while writers.iter().any(|writer| !writer.is_finished()) {
            for n in 1..64 {
                assert!(kept.get(pair(n)).is_none_or(|ns| ns == n.cast_signed()));
            }
        }
    });
}
