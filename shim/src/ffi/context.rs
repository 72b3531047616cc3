//! Contexts: their ends, the errors that they report, and the records of all that they hold.

use super::boundary::exports;
use crate::driver::types::{Context, Device, Event, GreenContext};
use crate::events;

exports! {
    fn cuCtxDestroy(context: Context) |call| {
        Ok(events::after_context(call.driver()))
    }
    fn cuCtxDestroy_v2(context: Context) |call| {
        Ok(events::after_context(call.driver()))
    }
    fn cuCtxDetach(context: Context) |call| {
        Ok(events::after_context(call.driver()))
    }
    fn cuDevicePrimaryCtxRelease(device: Device) |call| {
        Ok(events::after_context(call.driver()))
    }
    fn cuDevicePrimaryCtxRelease_v2(device: Device) |call| {
        Ok(events::after_context(call.driver()))
    }
    fn cuDevicePrimaryCtxReset(device: Device) |call| {
        Ok(events::after_context(call.driver()))
    }
    fn cuDevicePrimaryCtxReset_v2(device: Device) |call| {
        Ok(events::after_context(call.driver()))
    }
    fn cuGreenCtxDestroy(context: GreenContext) |call| {
        Ok(events::after_context(call.driver()))
    }
    fn cuCtxSynchronize() |call| {
        Ok(call.driver())
    }
    fn cuCtxSynchronize_v2(context: Context) |call| {
        Ok(call.driver())
    }
    fn cuCtxRecordEvent(context: Context, event: Event) |call| {
        events::record_anywhere(call, event, 0)
    }
    fn cuGreenCtxRecordEvent(context: GreenContext, event: Event) |call| {
        events::record_anywhere(call, event, 0)
    }
    fn cuCtxWaitEvent(context: Context, event: Event) |call| {
        events::read(call, event)
    }
    fn cuGreenCtxWaitEvent(context: GreenContext, event: Event) |call| {
        events::read(call, event)
    }
}
