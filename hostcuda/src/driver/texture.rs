//! Texture and surface objects, as the driver API describes them.

use crate::boundary::{Out, exports, list};
use crate::context;
use crate::handle::Handle;
use crate::runtime::texture::{optional, write};
use crate::texture::{self, Texture};

/// Words of CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC and CUDA_RESOURCE_VIEW_DESC.
const RESOURCE: usize = 18;
const DESCRIPTION: usize = 13;
const VIEW: usize = 14;

exports! { driver;
    fn cuTexObjectCreate(to: Out<Handle>, resource: Out<u64>, description: Out<u64>, view: Out<u64>) {
        context::current()?;
        to.check()?;
        let (resource, description) = (list::read(resource, RESOURCE)?, list::read(description, DESCRIPTION)?);
        to.set(texture::create(Texture { resource, description, view: optional(view, VIEW)? })?)
    }
    fn cuTexObjectDestroy(of: Handle) {
        texture::destroy(of)
    }
    fn cuTexObjectGetResourceDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(of)?.resource)
    }
    fn cuTexObjectGetTextureDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(of)?.description)
    }
    fn cuTexObjectGetResourceViewDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(of)?.view.unwrap_or_else(|| vec![0; VIEW]))
    }
    fn cuSurfObjectCreate(to: Out<Handle>, resource: Out<u64>) {
        context::current()?;
        to.check()?;
        to.set(texture::create_surface(list::read(resource, RESOURCE)?)?)
    }
    fn cuSurfObjectDestroy(of: Handle) {
        texture::destroy_surface(of)
    }
    fn cuSurfObjectGetResourceDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::surface(of)?)
    }
}
