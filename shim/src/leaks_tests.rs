//! Tests of this module.

use super::{ALIVE, made, put_back, take};
use crate::driver::function::Function;

static MADE: Function = Function::new(c"made", std::ptr::null_mut);
static OPENED: Function = Function::new(c"opened", std::ptr::null_mut);

#[test]
fn an_event_that_could_not_be_destroyed_is_still_there() {
    let function = |address| ALIVE.lock().get(&address).map(|origin| origin.function.name);
    made(16, &MADE);
    let origin = take(16).expect("it was made");
    assert_eq!(function(16), None);
    put_back(16, origin);
    assert_eq!(function(16), Some(c"made"));
    let origin = take(16).expect("it was put back");
    made(16, &OPENED);
    put_back(16, origin);
    assert_eq!(function(16), Some(c"opened"), "the address was issued again");
}
