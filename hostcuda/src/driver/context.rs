//! Contexts, and the calling thread's current context.

use crate::boundary::{Out, exports};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::{capture, context, device, event, primary, release, stream};
use gevt_core::host_streams::wait_for_context;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

fn create(to: Out<Handle>, flags: u32, number: i32) -> Result {
    to.check()?.set(context::create(device::check(number)?, flags)?)
}

fn synchronize(context: &context::Context) -> Result {
    capture::check_context(context)?;
    capture::check_unsafe_call()?;
    Ok(context.core.sync(None)?)
}

/// Records the event after all submitted work of the context's streams, including the non-blocking ones.
fn record(context: &'static context::Context, handle: Handle) -> Result {
    let event = event::get(handle)?;
    capture::check_context(context)?;
    let own = stream::create(context, stream::NON_BLOCKING, 0)?;
    let stream = stream::get(own)?;
    let waits = wait_for_context(stream.core()).map_err(Code::from);
    let recorded = waits.and_then(|()| event.record_now(stream));
    // Its submitted work still runs.
    stream::remove(own).and(recorded)
}

exports! { driver;
    fn cuDevicePrimaryCtxRetain(to: Out<Handle>, number: i32) { to.check()?.set(primary::retain(number)?.handle()) }
    fn cuDevicePrimaryCtxGetState(number: i32, flags: Out<u32>, active: Out<i32>) {
        flags.check()?;
        let (set, is_active) = primary::state(number)?;
        active.set(i32::from(is_active))?;
        flags.set(set)
    }
    fn cuCtxCreate = cuCtxCreate_v2(to: Out<Handle>, flags: u32, number: i32) { create(to, flags, number) }
    fn cuCtxCreate_v4(to: Out<Handle>, parameters: *const c_void, flags: u32, number: i32) {
        if !parameters.is_null() {
            return Err(Code::NOT_SUPPORTED);
        }
        create(to, flags, number)
    }
    fn cuCtxSetCurrent(handle: Handle) {
        let context = if handle == 0 { None } else { Some(context::get(handle)?) };
        context::set_current(context);
        Ok(())
    }
    fn cuCtxGetCurrent(to: Out<Handle>) { to.set(context::peek().map_or(0, context::Context::handle)) }
    fn cuCtxGetDevice(to: Out<i32>) { to.check()?.set(context::current()?.device) }
    fn cuCtxGetDevice_v2(to: Out<i32>, handle: Handle) { to.check()?.set(context::get_or_current(handle)?.device) }
    fn cuCtxGetFlags(to: Out<u32>) { to.check()?.set(context::current()?.flags.load(Ordering::Relaxed)) }
    fn cuCtxSetFlags(flags: u32) {
        context::check_flags(flags)?;
        context::current()?.flags.store(flags, Ordering::Relaxed);
        Ok(())
    }
    fn cuCtxEnablePeerAccess(peer: Handle, flags: u32) {
        let (own, peer) = (context::current()?, context::get(peer)?);
        own.settings.enable_peer(own.device, peer.device, flags)
    }
    fn cuCtxDisablePeerAccess(peer: Handle) { context::current()?.settings.disable_peer(context::get(peer)?.device) }
    fn cuCtxGetId(handle: Handle, to: Out<u64>) { to.check()?.set(context::get_or_current(handle)?.id) }
    fn cuCtxSynchronize_v2(handle: Handle) { synchronize(context::get_or_current(handle)?) }
    fn cuCtxRecordEvent(handle: Handle, event: Handle) { record(context::get(handle)?, event) }
}

exports! { driver, inside;
    fn cuCtxSynchronize = cudaDeviceSynchronize, cudaThreadSynchronize() { synchronize(context::current()?) }
    fn cuCtxGetLimit = cudaDeviceGetLimit, cudaThreadGetLimit(to: Out<usize>, number: u32) {
        to.check()?.set(context::current()?.settings.limit(number)?)
    }
    fn cuCtxSetLimit = cudaDeviceSetLimit, cudaThreadSetLimit(number: u32, value: usize) { context::current()?.settings.set_limit(number, value) }
}

exports! { driver;
    fn cuDevicePrimaryCtxRelease = cuDevicePrimaryCtxRelease_v2(number: i32) { primary::release(number) }
    fn cuDevicePrimaryCtxReset = cuDevicePrimaryCtxReset_v2(number: i32) { primary::reset(number) }
    fn cuDevicePrimaryCtxSetFlags = cuDevicePrimaryCtxSetFlags_v2(number: i32, flags: u32) { primary::set_flags(number, flags) }
    fn cuCtxDestroy = cuCtxDestroy_v2(handle: Handle) { context::destroy(handle, release::end_context) }
    fn cuCtxPushCurrent = cuCtxPushCurrent_v2(handle: Handle) {
        context::push(context::get(handle)?);
        Ok(())
    }
    fn cuCtxPopCurrent = cuCtxPopCurrent_v2(to: Out<Handle>) {
        to.offer(context::pop()?);
        Ok(())
    }
}
