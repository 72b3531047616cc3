//! Tests of this module.

use super::*;

fn find(name: &CStr) -> Option<NonNull<c_void>> {
    let mut found = None;
    each(|object| {
        found = object.symbol(name);
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

#[test]
fn symbols_are_found_where_the_loader_finds_them() {
    // Of the last ones, libc may have older forms, which only old programs get.
    let known = [
        (c"qsort", libc::qsort as *mut c_void),
        (c"getenv", libc::getenv as *mut c_void),
        (c"pthread_kill", libc::pthread_kill as *mut c_void),
        (c"sched_getaffinity", libc::sched_getaffinity as *mut c_void),
    ];
    for (name, address) in known {
        assert_eq!(find(name).map_or(std::ptr::null_mut(), NonNull::as_ptr), address, "{name:?}");
    }
    assert_eq!(find(c"there_is_no_such_function"), None);
}

#[test]
fn an_address_lies_in_one_object() {
    let mut holders = 0;
    each(|object| {
        holders += u32::from(object.holds(libc::qsort as *const c_void));
        ControlFlow::Continue(())
    });
    assert_eq!(holders, 1);
}
