//! Arrays in the driver API.

use crate::array::{self, Array, Shape};
use crate::boundary::{Out, exports};
use crate::code::Result;
use crate::context;
use crate::format::Format;
use crate::handle::Handle;

/// CUDA_ARRAY_DESCRIPTOR.
#[repr(C)]
#[derive(Clone, Copy)]
struct Plane {
    width: usize,
    height: usize,
    format: u32,
    channels: u32,
}

/// CUDA_ARRAY3D_DESCRIPTOR.
#[repr(C)]
#[derive(Clone, Copy)]
struct Volume {
    width: usize,
    height: usize,
    depth: usize,
    format: u32,
    channels: u32,
    flags: u32,
}

impl Volume {
    fn shape(self) -> Result<Shape> {
        let Volume { width, height, depth, format, channels, flags } = self;
        Ok(Shape { format: Format::new(format, channels)?, width, height, depth, flags })
    }

    fn of(array: &Array) -> Volume {
        let Shape { format, width, height, depth, flags } = array.shape;
        Volume { width, height, depth, format: format.kind, channels: format.channels, flags }
    }
}

exports! { driver;
    fn cuArrayCreate_v2(to: Out<Handle>, shape: Out<Plane>) {
        let context = context::current()?;
        to.check()?;
        let Plane { width, height, format, channels } = shape.get()?;
        let volume = Volume { width, height, depth: 0, format, channels, flags: 0 };
        to.set(array::create(context, volume.shape()?)?)
    }
    fn cuArray3DCreate_v2(to: Out<Handle>, shape: Out<Volume>) {
        let context = context::current()?;
        to.check()?;
        to.set(array::create(context, shape.get()?.shape()?)?)
    }
    fn cuArrayGetDescriptor_v2(to: Out<Plane>, of: Handle) {
        let Volume { width, height, format, channels, .. } = Volume::of(&array::get(of)?);
        to.check()?.set(Plane { width, height, format, channels })
    }
    fn cuArray3DGetDescriptor_v2(to: Out<Volume>, of: Handle) {
        to.check()?.set(Volume::of(&array::get(of)?))
    }
    fn cuArrayDestroy(of: Handle) {
        array::destroy(of)
    }
}
