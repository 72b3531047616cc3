//! Texture and surface objects: what they were made of. Only kernels read through them.

use crate::array;
use crate::block;
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::numbered::Numbered;

/// The words of a description, as the program passed them.
pub(crate) type Words = Vec<u64>;

/// A texture object.
#[derive(Clone)]
pub(crate) struct Texture {
    pub(crate) resource: Words,
    pub(crate) description: Words,
    pub(crate) view: Option<Words>,
}

static TEXTURES: Numbered<Texture> = Numbered::new();
static SURFACES: Numbered<Words> = Numbered::new();

/// CUresourcetype: an array, an array with levels, memory in a row, memory in rows.
const ARRAY: u32 = 0;
const LEVELS: u32 = 1;
const LINE: u32 = 2;
const ROWS: u32 = 3;

/// Refuses a resource that is not there: a type, and an array, levels, or memory.
fn check(resource: &[u64]) -> Result {
    let (kind, named) = (resource[0] as u32, resource[1] as usize);
    match kind {
        ARRAY => array::get(named).map(drop),
        LEVELS => array::level(named, 0).map(drop),
        LINE | ROWS => block::find(named).map(drop).ok_or(Code::INVALID_VALUE),
        _ => Err(Code::INVALID_VALUE),
    }
}

pub(crate) fn create(texture: Texture) -> Result<Handle> {
    check(&texture.resource)?;
    Ok(TEXTURES.insert(texture))
}

pub(crate) fn get(handle: Handle) -> Result<Texture> {
    TEXTURES.get(handle).ok_or(Code::INVALID_VALUE)
}

pub(crate) fn destroy(handle: Handle) -> Result {
    TEXTURES.remove(handle).map(drop).ok_or(Code::INVALID_VALUE)
}

/// Makes a surface object, of an array.
pub(crate) fn create_surface(resource: Words) -> Result<Handle> {
    if resource[0] as u32 != ARRAY {
        return Err(Code::INVALID_VALUE);
    }
    check(&resource)?;
    Ok(SURFACES.insert(resource))
}

pub(crate) fn surface(handle: Handle) -> Result<Words> {
    SURFACES.get(handle).ok_or(Code::INVALID_VALUE)
}

pub(crate) fn destroy_surface(handle: Handle) -> Result {
    SURFACES.remove(handle).map(drop).ok_or(Code::INVALID_VALUE)
}
