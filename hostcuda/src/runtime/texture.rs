//! Texture and surface objects, as the runtime API describes them.

use super::needed::is_twelve;
use crate::boundary::{Out, exports, list};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::texture::{self, Texture, Words};

/// Words of cudaTextureDesc.
const DESCRIPTION: usize = 9;

/// Words of cudaResourceDesc, to which CUDA 13 has added some.
fn resource_words() -> usize {
    if is_twelve() { 8 } else { 18 }
}

/// Words of cudaResourceViewDesc, as above.
fn view_words() -> usize {
    if is_twelve() { 6 } else { 14 }
}

/// Writes a description into memory of the caller's.
pub(crate) fn write(to: Out<u64>, words: &[u64]) -> Result {
    to.check()?;
    words.iter().enumerate().try_for_each(|(at, word)| to.at(at).set(*word))
}

/// Reads a description that may be left out.
pub(crate) fn optional(from: Out<u64>, count: usize) -> Result<Option<Words>> {
    if from.is_null() { Ok(None) } else { list::read(from, count).map(Some) }
}

exports! { inside;
    fn cudaCreateTextureObject(to: Out<Handle>, resource: Out<u64>, description: Out<u64>, view: Out<u64>) {
        to.check()?;
        let resource = list::read(resource, resource_words())?;
        if description.is_null() {
            return Err(Code::INVALID_HANDLE);
        }
        let description = list::read(description, DESCRIPTION)?;
        to.set(texture::create(Texture { resource, description, view: optional(view, view_words())? })?)
    }
    fn cudaDestroyTextureObject(of: Handle) {
        if of == 0 { Ok(()) } else { texture::destroy(of) }
    }
    fn cudaGetTextureObjectResourceDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(of)?.resource)
    }
    fn cudaGetTextureObjectTextureDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(of)?.description)
    }
    fn cudaGetTextureObjectResourceViewDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(of)?.view.unwrap_or_else(|| vec![0; view_words()]))
    }
    fn cudaCreateSurfaceObject(to: Out<Handle>, resource: Out<u64>) {
        to.check()?;
        to.set(texture::create_surface(list::read(resource, resource_words())?)?)
    }
    fn cudaDestroySurfaceObject(of: Handle) {
        if of == 0 { Ok(()) } else { texture::destroy_surface(of) }
    }
    fn cudaGetSurfaceObjectResourceDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::surface(of)?)
    }
}
