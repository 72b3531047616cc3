//! Graph nodes that run kernels. A handle or a stub function in the host code names the kernel.

use crate::boundary::Out;
use crate::code::{Code, Result};
use crate::driver::exec;
use crate::driver::launch::{Dim3, prepare};
use crate::driver::node::{self, NodeParams, Place, node_functions};
use crate::graph::Step;
use crate::handle::Handle;
use crate::kernel::{Shape, of_symbol};
use crate::work::Work;
use crate::{context, graph};
use std::ffi::c_void;

/// CUDA_KERNEL_NODE_PARAMS and cudaKernelNodeParams.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct KernelParams {
    kernel: usize,
    grid: Dim3,
    block: Dim3,
    shared: u32,
    arguments: *const *const c_void,
    extra: *const usize,
}

/// Same as [`KernelParams`], with a kernel and a context, as newer forms of the driver API have them.
#[repr(C)]
#[derive(Clone, Copy)]
struct KernelParams2 {
    params: KernelParams,
    other: usize,
    context: Handle,
}

impl NodeParams for KernelParams {
    fn step(self) -> Result<Step> {
        let shape = Shape { grid: self.grid.0, block: self.block.0, shared: self.shared as usize };
        let kernel = of_symbol(self.kernel)?;
        prepare(kernel, shape, (self.arguments, self.extra), context::current()?.device).map(Step::Work)
    }

    fn of(step: &Step) -> Result<KernelParams> {
        let Step::Work(Work::Kernel(launch)) = step else { return Err(Code::INVALID_VALUE) };
        Ok(KernelParams {
            kernel: launch.kernel.handle()?,
            grid: Dim3(launch.shape.grid),
            block: Dim3(launch.shape.block),
            shared: launch.shape.shared as u32,
            arguments: launch.arguments().cast(),
            extra: std::ptr::null(),
        })
    }
}

impl NodeParams for KernelParams2 {
    fn step(self) -> Result<Step> {
        let kernel = if self.params.kernel == 0 { self.other } else { self.params.kernel };
        KernelParams { kernel, ..self.params }.step()
    }

    fn of(step: &Step) -> Result<KernelParams2> {
        Ok(KernelParams2 { params: KernelParams::of(step)?, other: 0, context: 0 })
    }
}

node_functions! { driver, inside; KernelParams:
    cuGraphAddKernelNode = cudaGraphAddKernelNode, cuGraphKernelNodeGetParams = cudaGraphKernelNodeGetParams,
    cuGraphKernelNodeSetParams = cudaGraphKernelNodeSetParams, cuGraphExecKernelNodeSetParams = cudaGraphExecKernelNodeSetParams
}

node_functions! { driver; KernelParams2:
    cuGraphAddKernelNode_v2, cuGraphKernelNodeGetParams_v2, cuGraphKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams_v2
}
