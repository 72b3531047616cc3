//! Memory shared between processes.

use crate::boundary::{Out, exports};
use crate::ipc_memory;
use cuda_abi::IpcHandle;

exports! { driver, inside;
    fn cuIpcGetMemHandle = cudaIpcGetMemHandle(to: Out<[u8; 64]>, address: usize) { to.check()?.set(ipc_memory::export(address)?) }
    fn cuIpcOpenMemHandle_v2 = cudaIpcOpenMemHandle(to: Out<usize>, handle: IpcHandle, flags: u32) {
        to.check()?.set(ipc_memory::open(&handle.0, flags)?)
    }
    fn cuIpcCloseMemHandle = cudaIpcCloseMemHandle(start: usize) { ipc_memory::close(start) }
}

exports! { driver;
    fn cuIpcOpenMemHandle(to: Out<usize>, handle: IpcHandle, flags: u32) { to.check()?.set(ipc_memory::open(&handle.0, flags)?) }
}
