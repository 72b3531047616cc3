//! The user's library of host functions for kernels.

use crate::report::{report, report_once, uncancelled};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::MaybeUninit;

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

/// A host function and the sizes of the kernel's arguments.
pub(crate) struct HostFunction {
    pub(super) body: Body,
    pub(crate) sizes: Vec<usize>,
}

/// A library that is never unloaded.
pub(crate) struct Library(*mut c_void);

// SAFETY: the dynamic linker accepts the handle on any thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// No kernel has more arguments.
const MOST_ARGUMENTS: usize = 4096;

impl Library {
    /// Loads a library, or returns the reason for the failure.
    pub(super) fn open(path: &str) -> Result<Library, String> {
        let path = CString::new(path).map_err(|error| error.to_string())?;
        // SAFETY: a C string. The user requested the library, including its constructors.
        let library = uncancelled(|| unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) });
        if !library.is_null() {
            return Ok(Library(library));
        }
        // SAFETY: a string that stays valid until the thread's next dynamic linker call.
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

    /// Returns the address of the library's own variable of that name, and its size. Ignores functions and symbols from the library's
    /// dependencies.
    fn own_variable(&self, name: &CStr) -> Option<(usize, usize)> {
        let address = self.symbol(name)?;
        let mut own: *mut c_void = std::ptr::null_mut();
        // SAFETY: the library is loaded, and `own` is a variable for the answer.
        let found = unsafe { libc::dlinfo(self.0, libc::RTLD_DI_LINKMAP, (&raw mut own).cast()) };
        if found != 0 || about(address, LINK_MAP)? != own {
            return None;
        }
        let symbol: *const libc::Elf64_Sym = about(address, SYMBOL)?.cast_const().cast();
        // SAFETY: dladdr1 returns an entry of the symbol table of the library, which stays loaded.
        let (kind, len) = unsafe { ((*symbol).st_info & 15, (*symbol).st_size) };
        (kind == VARIABLE).then_some((address as usize, len as usize))
    }

    /// Returns the address of the variable with that name, or with that name without scopes. A variable that is shorter than the program's
    /// is ignored.
    pub(super) fn variable(&self, name: &CStr, len: usize) -> Option<usize> {
        let plain = plain_name(name);
        let names = [Some(name), plain.as_deref()];
        let (address, own) = names.into_iter().flatten().find_map(|name| self.own_variable(name))?;
        if own >= len {
            return Some(address);
        }
        let name = name.to_string_lossy();
        let place = "the library of GEVT_HOSTCUDA_KERNELS";
        report_once(&format!("variable {name}"), || {
            report(format_args!("{name} has {own} bytes in {place}, and {len} in the program: it is not used"));
        });
        None
    }

    /// Returns the function of a kernel's name, or of its name without scopes and types. Requires the list of argument sizes.
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
        // SAFETY: the user's list of sizes ends with 0.
        let sizes =
            (0..MOST_ARGUMENTS).map(|at| unsafe { sizes.add(at).read() }).take_while(|size| *size != 0).collect();
        // SAFETY: the user promises a function of that type under the kernel's name.
        let body = unsafe { std::mem::transmute::<*mut c_void, Body>(body) };
        Some(HostFunction { body, sizes })
    }
}

/// The dladdr1 queries for an address: its symbol, and the library that contains it.
const SYMBOL: c_int = 1;
const LINK_MAP: c_int = 2;
/// The symbol type of variables.
const VARIABLE: u8 = 1;

/// Returns what the dynamic linker knows about an address.
fn about(address: *mut c_void, question: c_int) -> Option<*mut c_void> {
    let mut names = MaybeUninit::<libc::Dl_info>::zeroed();
    let mut answer: *mut c_void = std::ptr::null_mut();
    // SAFETY: `names` and `answer` are variables for the two answers.
    let found = unsafe { libc::dladdr1(address, names.as_mut_ptr(), &raw mut answer, question) };
    (found != 0 && !answer.is_null()).then_some(answer)
}

/// Returns the last plain name in a mangled one: `saxpy` in `_Z5saxpyif`, `_ZL5saxpyif` and `_ZN4math5saxpyEif`.
fn plain_name(mangled: &CStr) -> Option<CString> {
    let rest = mangled.to_str().ok()?.strip_prefix("_Z")?;
    let mut rest = rest.strip_prefix(['N', 'L']).unwrap_or(rest);
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
#[path = "library_tests.rs"]
mod tests;
