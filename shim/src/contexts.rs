//! The ends of contexts.

use crate::call::{Call, Instead};
use crate::driver::types::CUresult;
use crate::events;

/// Answers after which the context is what it was: a bad argument, or no driver.
const REFUSED: [CUresult; 5] = [1, 3, 4, 101, 201];

/// A call that ends a context, or a release of a primary one, which may. Which events were the context's, the driver alone knows: it is asked
/// about all of them again.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
pub(crate) fn end(_call: Call) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(|code| {
        if !REFUSED.contains(&code) {
            events::forget_all();
        }
        code
    })
}
