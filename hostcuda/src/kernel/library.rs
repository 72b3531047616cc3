//! The user's library of host functions, one for each kernel.

use crate::report::{report, uncancelled};
use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// gevt_hostcuda_launch_t.
#[repr(C)]
pub(super) struct HostLaunch {
    pub(super) size: usize,
    pub(super) name: *const c_char,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared: usize,
    pub(super) device: c_int,
}

/// gevt_hostcuda_kernel_t.
pub(super) type Body = unsafe extern "C" fn(*const HostLaunch, *mut *mut c_void);

/// A host function, and the sizes of the kernel's arguments.
pub(crate) struct HostFunction {
    pub(super) body: Body,
    pub(crate) sizes: Vec<usize>,
}

/// A library that stays loaded.
pub(crate) struct Library(*mut c_void);

// SAFETY: the loader's functions take it on any thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// More arguments than any kernel may have.
const MOST_ARGUMENTS: usize = 4096;

impl Library {
    /// Loads a library; says why it cannot be.
    pub(super) fn open(path: &str) -> Result<Library, String> {
        let path = CString::new(path).map_err(|error| error.to_string())?;
        // SAFETY: a C string. The user asked for the library, and for what its constructors do.
        let library = uncancelled(|| unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) });
        if !library.is_null() {
            return Ok(Library(library));
        }
        // SAFETY: the loader's text, which stays valid until the thread's next call of the loader.
        let why = unsafe { libc::dlerror() };
        if why.is_null() {
            return Err("it cannot be loaded".to_owned());
        }
        // SAFETY: as above.
        Err(unsafe { CStr::from_ptr(why) }.to_string_lossy().into_owned())
    }

    /// Returns the address of a symbol.
    pub(super) fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the library is loaded, and the name is a C string.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }

    /// Returns the function of a kernel's name, or of its name without scopes and types. It needs the list of its arguments' sizes.
    pub(super) fn find(&self, name: &CStr) -> Option<HostFunction> {
        let plain = plain_name(name);
        let names = [Some(name), plain.as_deref()];
        let (found, body) = names.into_iter().flatten().find_map(|name| Some((name, self.symbol(name)?)))?;
        let list = CString::new([found.to_bytes(), b"_arguments"].concat()).ok()?;
        let Some(sizes) = self.symbol(&list) else {
            let (found, list) = (found.to_string_lossy(), list.to_string_lossy());
            report(format_args!("the library of GEVT_HOSTCUDA_KERNELS has {found}, and no {list}: it is not used"));
            return None;
        };
        let sizes = sizes.cast::<usize>();
        // SAFETY: the user's list of sizes ends with a 0.
        let sizes =
            (0..MOST_ARGUMENTS).map(|at| unsafe { sizes.add(at).read() }).take_while(|size| *size != 0).collect();
        // SAFETY: the user promises a function of that type under the kernel's name.
        let body = unsafe { std::mem::transmute::<*mut c_void, Body>(body) };
        Some(HostFunction { body, sizes })
    }
}

/// Returns the last plain name in a mangled one: `saxpy` of `_Z5saxpyif` and of `_ZN4math5saxpyEif`.
fn plain_name(mangled: &CStr) -> Option<CString> {
    let rest = mangled.to_str().ok()?.strip_prefix("_Z")?;
    let mut rest = rest.strip_prefix('N').unwrap_or(rest);
    let mut last = None;
    while rest.starts_with(|first: char| first.is_ascii_digit()) {
        let digits = rest.find(|other: char| !other.is_ascii_digit())?;
        let len: usize = rest[..digits].parse().ok()?;
        let end = digits.checked_add(len)?;
        last = Some(rest.get(digits..end)?);
        rest = rest.get(end..)?;
    }
    CString::new(last?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_found_in_mangled_ones() {
        for (mangled, plain) in [
            (c"_Z5saxpyifPKfPf", Some(c"saxpy")),
            (c"_ZN4math5saxpyEif", Some(c"saxpy")),
            (c"_Z5scaleIfEvPT_", Some(c"scale")),
            (c"saxpy", None),
            (c"_Z", None),
            (c"_Z99x", None),
            (c"_Z18446744073709551615x", None),
        ] {
            assert_eq!(plain_name(mangled).as_deref(), plain, "{mangled:?}");
        }
    }
}
