//! Tests of this module.

use super::*;

#[test]
fn a_list_chooses_and_orders_the_devices() {
    assert_eq!(parse("2,0", 3), (vec![2, 0], None));
    assert_eq!(parse(" 1 , 2", 3), (vec![1, 2], None));
}

#[test]
fn a_list_ends_where_it_names_no_device() {
    assert_eq!(parse("1,3,0", 3), (vec![1], Some("3")));
    for none in ["", "-1", "x", "GPU-ff", "NoDevFiles", "0,1,0"] {
        let (devices, refused) = parse(none, 3);
        assert!(devices.is_empty() && refused.is_some(), "{none}");
    }
}
