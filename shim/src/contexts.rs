//! The ends of contexts.

use crate::call::{Call, Instead};
use crate::driver::types::CUresult;
use crate::events;

/// A call that ends a context. Which events were the context's, the driver alone knows: from now on it answers for all.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
pub(crate) fn end(_call: Call) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(|code| {
        events::forget_all();
        code
    })
}
