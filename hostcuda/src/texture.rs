//! Texture and surface objects: what they were made of. Only kernels read through them.

use crate::array;
use crate::block;
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::numbered::Numbered;

/// The words of a description, as the program passed them.
pub(crate) type Words = Vec<u64>;

/// Which of CUDA's two APIs described an object, each in words of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Driver,
    Runtime,
}

/// A texture object.
#[derive(Clone)]
pub(crate) struct Texture {
    pub(crate) resource: Words,
    pub(crate) description: Words,
    pub(crate) view: Option<Words>,
}

static TEXTURES: Numbered<(Api, Texture)> = Numbered::new();
static SURFACES: Numbered<(Api, Words)> = Numbered::new();

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

/// Returns the description in an object, which only the API that made it can read.
fn described_by<T>(api: Api, found: Option<(Api, T)>) -> Result<T> {
    let (maker, object) = found.ok_or(Code::INVALID_VALUE)?;
    if maker == api { Ok(object) } else { Err(Code::NOT_SUPPORTED) }
}

pub(crate) fn create(api: Api, texture: Texture) -> Result<Handle> {
    check(&texture.resource)?;
    Ok(TEXTURES.insert((api, texture)))
}

pub(crate) fn get(api: Api, handle: Handle) -> Result<Texture> {
    described_by(api, TEXTURES.get(handle))
}

pub(crate) fn destroy(handle: Handle) -> Result {
    TEXTURES.remove(handle).map(drop).ok_or(Code::INVALID_VALUE)
}

/// Makes a surface object, of an array.
pub(crate) fn create_surface(api: Api, resource: Words) -> Result<Handle> {
    if resource[0] as u32 != ARRAY {
        return Err(Code::INVALID_VALUE);
    }
    check(&resource)?;
    Ok(SURFACES.insert((api, resource)))
}

pub(crate) fn surface(api: Api, handle: Handle) -> Result<Words> {
    described_by(api, SURFACES.get(handle))
}

pub(crate) fn destroy_surface(handle: Handle) -> Result {
    SURFACES.remove(handle).map(drop).ok_or(Code::INVALID_VALUE)
}
