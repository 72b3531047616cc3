use super::*;

/// An executor may run functions inside each other deeper than gevt_sync_helping does.
#[test]
fn a_function_is_known_again_when_those_inside_it_have_returned() {
    fn nest(depth: u64) {
        let own = Dependency::new(depth, 1);
        let has_run = own.call(|| {
            if depth < 2 * MOST_NESTED as u64 {
                nest(depth + 1);
            }
            assert!(own.is_behind_function(), "{depth}");
        });
        assert!(has_run);
    }
    nest(0);
    assert!(!is_inside_function());
}
