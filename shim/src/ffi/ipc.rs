//! Events of other processes, and those that others may open: they may be recorded there.

use super::boundary::exports;
use crate::driver::types::{Event, IpcEvent};
use crate::events;

/// The flags of an event that was opened: it has no time.
const OPENED: u32 = 6;

exports! {
    fn cuIpcGetEventHandle(out: *mut IpcEvent, event: Event) |call| {
        events::give(call, event)
    }
    fn cuIpcOpenEventHandle(out: *mut Event, handle: IpcEvent) |call| {
        let code = call.driver();
        if code == 0 {
            // SAFETY: the driver has written the event there.
            events::opened(call, unsafe { out.read_unaligned() }, OPENED);
        }
        Ok(code)
    }
}
