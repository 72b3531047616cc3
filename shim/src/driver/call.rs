//! Calling the driver's functions.

use super::types::Code;

const NOT_INITIALIZED: Code = 3;
const NOT_FOUND: Code = 500;

/// Calls the driver's function of that name: `real!(cuEventQuery(event))`. The result is a [`Code`].
///
/// The call is unsafe: the arguments have to be what the driver's function takes, and its row of the table has to state
/// the driver's own signature.
macro_rules! real {
    ($symbol:ident ( $($argument:expr),* $(,)? )) => {
        match $crate::driver::real($crate::table::Symbol::$symbol) {
            Some(function) => {
                std::mem::transmute::<std::ptr::NonNull<std::ffi::c_void>, $crate::table::signature::$symbol>(function)(
                    $($argument),*
                )
            }
            None => $crate::driver::call::absent(),
        }
    };
}
pub(crate) use real;

/// The answer of a function that the driver does not have.
#[cold]
pub(crate) fn absent() -> Code {
    if super::is_there() { NOT_FOUND } else { NOT_INITIALIZED }
}
