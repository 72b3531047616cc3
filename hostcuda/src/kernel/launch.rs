//! Kernel launches.

use super::library::HostLaunch;
use super::{Kernel, MOST_SHARED, setting};
use crate::code::{Code, Result};
use std::ffi::c_void;

/// The launch configuration without the stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: usize,
}

/// A launch: a kernel, its shape, and copies of its arguments.
pub(crate) struct Launch {
    pub(crate) kernel: &'static Kernel,
    pub(crate) shape: Shape,
    /// The arguments in order, each aligned to 16 bytes.
    values: Vec<u128>,
    /// The addresses of the arguments. Empty if their number is unknown.
    places: Vec<usize>,
    device: i32,
}

const MOST_THREADS: u64 = 1024;
const MOST_BLOCK: [u32; 3] = [1024, 1024, 64];
const MOST_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

impl Shape {
    /// Returns whether a device supports the shape, for any kernel.
    pub(crate) fn is_possible(&self) -> bool {
        let fits =
            |given: [u32; 3], most: [u32; 3]| given.iter().zip(most).all(|(given, most)| (1..=most).contains(given));
        let threads: u64 = self.block.iter().map(|count| u64::from(*count)).product();
        fits(self.grid, MOST_GRID) && fits(self.block, MOST_BLOCK) && threads <= MOST_THREADS
    }
}

impl Launch {
    /// Creates a launch. The arguments are an array of pointers. A buffer of them, which `extra` names, is not supported. A kernel without
    /// a host function is refused or skipped, as the user's setting says.
    pub(crate) fn new(
        kernel: &'static Kernel,
        shape: Shape,
        (arguments, extra): (*const *const c_void, *const usize),
        device: i32,
    ) -> Result<Launch> {
        if shape.shared > MOST_SHARED as usize {
            return Err(Code::INVALID_VALUE);
        }
        let mut launch = Launch { kernel, shape, values: Vec::new(), places: Vec::new(), device };
        let Some(host) = kernel.host() else {
            return if setting().skip { Ok(launch) } else { Err(Code::NOT_SUPPORTED) };
        };
        let sources = sources(&host.sizes, arguments, extra)?;
        let mut total = 0_usize;
        for size in &host.sizes {
            launch.places.push(total);
            total = total.checked_add(size.div_ceil(16)).ok_or(Code::INVALID_VALUE)?;
        }
        launch.values.try_reserve_exact(total).map_err(|_| Code::OUT_OF_MEMORY)?;
        launch.values.resize(total, 0);
        let start = launch.values.as_mut_ptr();
        for ((source, size), place) in sources.into_iter().zip(&host.sizes).zip(&mut launch.places) {
            // SAFETY: `values` has room for all arguments, and `place` is the sum of the sizes before this one. The caller's argument has
            // the size that the user's library declares.
            let to = unsafe { start.add(*place) };
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(source.cast::<u8>(), to.cast::<u8>(), *size) };
            *place = to as usize;
        }
        Ok(launch)
    }

    /// Calls the host function if there is one.
    pub(crate) fn run(&self) {
        let Some(host) = self.kernel.host() else { return };
        let Shape { grid, block, shared } = self.shape;
        let (size, name) = (size_of::<HostLaunch>(), self.kernel.name.as_ptr());
        let launch = HostLaunch { size, name, grid, block, shared, device: self.device };
        let mut places: Vec<*mut c_void> = self.places.iter().map(|place| *place as *mut c_void).collect();
        // SAFETY: the user promises a function that takes a launch and the kernel's arguments, and `places` has a copy of each.
        unsafe { (host.body)(&raw const launch, places.as_mut_ptr()) };
    }

    /// Returns an array of pointers to the arguments, valid as long as the launch. Returns NULL if the arguments are unknown.
    pub(crate) fn arguments(&self) -> *const usize {
        if self.places.is_empty() { std::ptr::null() } else { self.places.as_ptr() }
    }
}

/// Returns the addresses of the arguments.
fn sources(sizes: &[usize], arguments: *const *const c_void, extra: *const usize) -> Result<Vec<*const c_void>> {
    if sizes.is_empty() {
        return Ok(Vec::new());
    }
    if arguments.is_null() {
        return Err(if extra.is_null() { Code::INVALID_VALUE } else { Code::NOT_SUPPORTED });
    }
    // SAFETY: the caller passes a pointer for each of the kernel's arguments, and the user's library declares their number.
    let sources: Vec<*const c_void> = (0..sizes.len()).map(|at| unsafe { arguments.add(at).read() }).collect();
    if sources.iter().any(|source| source.is_null()) { Err(Code::INVALID_VALUE) } else { Ok(sources) }
}
