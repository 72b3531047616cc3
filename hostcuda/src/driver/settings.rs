//! Context settings, and peer access between devices.

use crate::boundary::{Out, StreamArg, exports};
use crate::code::{Code, Result};
use crate::settings::{BANK, CACHE};
use crate::{context, device};

/// Stream attributes, by CUDA's number: access policy, synchronization, priority, memory ordering.
const KNOWN: [i32; 5] = [1, 3, 8, 9, 10];
const SYNCHRONIZATION: i32 = 3;
const PRIORITY: i32 = 8;
/// The synchronization policy of a stream without one.
const NO_POLICY: u32 = u32::MAX;

/// A peer attribute of two devices, by CUDA's number.
fn peer_attribute(number: u32, from: i32, to: i32) -> Result<i32> {
    if device::check(from)? == device::check(to)? {
        return Err(Code::INVALID_DEVICE);
    }
    match number {
        1 => Ok(0),
        2 | 3 => Ok(1),
        4 | 5 => Ok(0),
        _ => Err(Code::INVALID_VALUE),
    }
}

fn check_attribute(number: i32) -> Result {
    if KNOWN.contains(&number) { Ok(()) } else { Err(Code::INVALID_VALUE) }
}

exports! { driver, inside;
    fn cuCtxGetLimit = cudaDeviceGetLimit, cudaThreadGetLimit(to: Out<usize>, number: u32) {
        to.check()?.set(context::current()?.settings.limit(number)?)
    }
    fn cuCtxSetLimit = cudaDeviceSetLimit, cudaThreadSetLimit(number: u32, value: usize) { context::current()?.settings.set_limit(number, value) }
    fn cuCtxGetCacheConfig = cudaDeviceGetCacheConfig, cudaThreadGetCacheConfig(to: Out<i32>) {
        to.check()?.set(context::current()?.settings.get(CACHE) as i32)
    }
    fn cuCtxSetCacheConfig = cudaDeviceSetCacheConfig, cudaThreadSetCacheConfig(way: i32) { context::current()?.settings.choose(CACHE, way, 3) }
    fn cuCtxGetSharedMemConfig = cudaDeviceGetSharedMemConfig(to: Out<i32>) { to.check()?.set(context::current()?.settings.get(BANK) as i32) }
    fn cuCtxSetSharedMemConfig = cudaDeviceSetSharedMemConfig(width: i32) { context::current()?.settings.choose(BANK, width, 2) }
    fn cuCtxResetPersistingL2Cache = cudaCtxResetPersistingL2Cache() { context::current().map(drop) }
    fn cuDeviceGetP2PAttribute = cudaDeviceGetP2PAttribute(to: Out<i32>, number: u32, from: i32, other: i32) {
        to.check()?.set(peer_attribute(number, from, other)?)
    }
    /// Stream attributes concern kernels and memory windows. They are accepted and have no effect.
    fn cuStreamSetAttribute = cudaStreamSetAttribute(stream: StreamArg, number: i32, value: Out<u32>) on stream {
        stream.get()?;
        value.check()?;
        check_attribute(number)
    }
    fn cuStreamGetAttribute = cudaStreamGetAttribute(stream: StreamArg, number: i32, to: Out<[u32; 16]>) on stream {
        let stream = stream.get()?;
        check_attribute(number)?;
        let mut value = [0; 16];
        value[0] = match number {
            SYNCHRONIZATION => NO_POLICY,
            PRIORITY => stream.priority.load(std::sync::atomic::Ordering::Relaxed).cast_unsigned(),
            _ => 0,
        };
        to.set(value)
    }
}
