//! Tests of this module.

use super::*;
use crate::{context, stream};

/// Two threads may both find a stream outside any capture and wait for an event that an active capture recorded.
#[test]
fn a_stream_is_in_one_capture_and_in_none_that_is_over() -> Result {
    let context = context::get(context::create(0, 0)?)?;
    let stream = || stream::get(stream::create(context, 0, 0)?);
    let (one, other) = (stream()?, stream()?);
    let begin = || start(one, GLOBAL, graph::create()?, true, BTreeSet::new());
    begin()?;
    let capture = of(one).ok_or(Code::UNKNOWN)?;
    assert_eq!(begin(), Err(Code::ILLEGAL_STATE));
    end(one, false)?;
    assert_eq!(check_unsafe_call(), Ok(()));
    assert_eq!(capture.join(other, BTreeSet::new()), Err(Code::CAPTURED_EVENT));
    assert!(of(other).is_none() && check_implicit(stream::default_of(context)?).is_ok());
    begin()?;
    end(one, false).map(drop)
}
