//! Texture and surface objects, as the driver API describes them.

use crate::boundary::{Out, exports, list};
use crate::context;
use crate::handle::Handle;
use crate::runtime::texture::{optional, write};
use crate::texture::{self, Api, Texture};

/// Words of CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC and CUDA_RESOURCE_VIEW_DESC.
const RESOURCE: usize = 18;
const DESCRIPTION: usize = 13;
const VIEW: usize = 14;

exports! { driver;
    fn cuTexObjectCreate(to: Out<Handle>, resource: Out<u64>, description: Out<u64>, view: Out<u64>) {
        context::current()?;
        to.check()?;
        let (resource, description) = (list::read(resource, RESOURCE)?, list::read(description, DESCRIPTION)?);
        to.set(texture::create(Api::Driver, Texture { resource, description, view: optional(view, VIEW)? })?)
    }
    fn cuTexObjectDestroy(of: Handle) {
        texture::destroy(of)
    }
    fn cuTexObjectGetResourceDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(Api::Driver, of)?.resource, RESOURCE)
    }
    fn cuTexObjectGetTextureDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(Api::Driver, of)?.description, DESCRIPTION)
    }
    fn cuTexObjectGetResourceViewDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(Api::Driver, of)?.view.unwrap_or_default(), VIEW)
    }
    fn cuSurfObjectCreate(to: Out<Handle>, resource: Out<u64>) {
        context::current()?;
        to.check()?;
        to.set(texture::create_surface(Api::Driver, list::read(resource, RESOURCE)?)?)
    }
    fn cuSurfObjectDestroy(of: Handle) {
        texture::destroy_surface(of)
    }
    fn cuSurfObjectGetResourceDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::surface(Api::Driver, of)?, RESOURCE)
    }
}
