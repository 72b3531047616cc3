//! Whether all ways to the driver lead past this library.

use super::own::marker;
use super::{elf, library};
use std::ops::ControlFlow;

/// Returns why some programs' calls do not come by here, if an object that is looked through before this library says so.
pub(crate) fn way_round() -> Option<&'static str> {
    let mut reason = None;
    let driver = library::in_library(c"cuEventRecord", false);
    elf::each(|object| {
        if object.holds(marker()) {
            return ControlFlow::Break(());
        }
        if object.symbol(c"dlsym").is_some() || object.symbol(c"dlvsym").is_some() {
            reason = Some("the drop-in was loaded late, or another library's dlsym stands in front of it");
        } else if driver.is_some() && object.symbol(c"cuEventRecord") == driver {
            reason = Some("the driver is linked in front of the drop-in");
        }
        if reason.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    reason
}
