//! Texture and surface objects, as the runtime API describes them.

use super::needed::is_twelve;
use crate::boundary::{Out, exports, list};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::texture::{self, Api, Texture, Words};

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

/// Writes a description of so many words into memory of the caller's. Words that there are not are 0.
pub(crate) fn write(to: Out<u64>, words: &[u64], count: usize) -> Result {
    to.check()?;
    (0..count).try_for_each(|at| to.at(at).set(words.get(at).copied().unwrap_or(0)))
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
        to.set(texture::create(Api::Runtime, Texture { resource, description, view: optional(view, view_words())? })?)
    }
    fn cudaDestroyTextureObject(of: Handle) {
        if of == 0 { Ok(()) } else { texture::destroy(of) }
    }
    fn cudaGetTextureObjectResourceDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(Api::Runtime, of)?.resource, resource_words())
    }
    fn cudaGetTextureObjectTextureDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(Api::Runtime, of)?.description, DESCRIPTION)
    }
    fn cudaGetTextureObjectResourceViewDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::get(Api::Runtime, of)?.view.unwrap_or_default(), view_words())
    }
    fn cudaCreateSurfaceObject(to: Out<Handle>, resource: Out<u64>) {
        to.check()?;
        to.set(texture::create_surface(Api::Runtime, list::read(resource, resource_words())?)?)
    }
    fn cudaDestroySurfaceObject(of: Handle) {
        if of == 0 { Ok(()) } else { texture::destroy_surface(of) }
    }
    fn cudaGetSurfaceObjectResourceDesc(to: Out<u64>, of: Handle) {
        write(to, &texture::surface(Api::Runtime, of)?, resource_words())
    }
}
