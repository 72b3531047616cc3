//! The functions of the driver and the runtime, and the lookup of a form by name, version and flags.

/// One form of a driver function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DriverFunction {
    /// The exported symbol: `cuStreamBeginCapture_v2_ptsz`.
    pub symbol: &'static str,
    /// The name that cuGetProcAddress takes, which several forms share: `cuStreamBeginCapture`.
    pub name: &'static str,
    /// The first CUDA version whose callers get this form.
    pub since: i32,
    /// Whether stream 0 means the calling thread's own stream.
    pub per_thread: bool,
    /// The C types of the parameters, if they are public.
    pub parameters: Option<&'static [&'static str]>,
}

/// A runtime function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuntimeFunction {
    /// The exported symbol.
    pub symbol: &'static str,
    /// Whether libcudart.so.12 exports it.
    pub in_12: bool,
    /// Whether libcudart.so.13 exports it.
    pub in_13: bool,
    /// The C types of the parameters in CUDA 12, if they are public.
    pub parameters_12: Option<&'static [&'static str]>,
    /// The C types of the parameters in CUDA 13, if they are public.
    pub parameters_13: Option<&'static [&'static str]>,
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));

/// The last CUDA version whose functions are listed.
pub const LISTED: i32 = 13050;

/// Returns the driver function of a symbol.
pub fn driver(symbol: &str) -> Option<&'static DriverFunction> {
    DRIVER.binary_search_by(|function| function.symbol.cmp(symbol)).ok().and_then(|at| DRIVER.get(at))
}

/// Returns all forms of the driver function of that name.
pub fn forms(name: &str) -> impl Iterator<Item = &'static DriverFunction> {
    // A form's symbol begins with its name, so that a name's forms stand close together.
    let first = DRIVER.partition_point(|function| function.symbol < name);
    let near = DRIVER.iter().skip(first).take_while(move |function| function.symbol.starts_with(name));
    near.filter(move |function| function.name == name)
}

/// Returns the form that cuGetProcAddress gives to a caller built for `version`: the newest of those that `has` accepts. With
/// `per_thread`, a form for the calling thread's own stream is preferred.
pub fn newest(
    name: &str,
    version: i32,
    per_thread: bool,
    has: impl Fn(&DriverFunction) -> bool,
) -> Option<&'static DriverFunction> {
    let newest = |per_thread: bool| {
        let fit = forms(name).filter(|form| form.per_thread == per_thread && form.since <= version && has(form));
        fit.max_by_key(|form| form.since)
    };
    let own = if per_thread { newest(true) } else { None };
    own.or_else(|| newest(false))
}

#[cfg(test)]
#[path = "functions_tests.rs"]
mod tests;
