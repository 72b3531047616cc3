//! The ends of contexts.

use crate::call::{Call, Instead};
use crate::driver::contexts;
use crate::driver::types::{CUdevice, CUresult};
use crate::{captures, events};

/// Answers after which the context is what it was: a bad argument, or no driver.
const REFUSED: [CUresult; 5] = [1, 3, 4, 101, 201];

/// A call that ends a context. Which events were the context's, the driver alone knows: from now on it answers for all.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
pub(crate) fn end(_call: Call) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(|code| {
        if !REFUSED.contains(&code) {
            forget();
        }
        code
    })
}

/// A release of a device's primary context, which ends it only if no other part of the process retains it.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
pub(crate) fn release(_call: Call, device: CUdevice) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        if !REFUSED.contains(&code) && contexts::primary_exists(device) != Some(true) {
            forget();
        }
        code
    })
}

fn forget() {
    events::forget_all();
    captures::forget_ended();
}
