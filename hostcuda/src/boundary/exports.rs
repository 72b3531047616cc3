//! Macros that define exported functions.

/// Defines exported functions that return a code.
///
/// The first line names the function of [`super`] that runs the bodies. `fn cuName = cudaName, …(…)` also defines the runtime functions.
/// The second function of the first line runs those, and they call the driver function that [`super::EntryPoint`] finds. If all names are
/// of one API, they share the body.
///
/// `fn name(…) on stream` also defines `name_ptsz`, which takes stream 0 as the calling thread's default stream. With `at stream`, the
/// functions `name` and `name_ptds` have no stream argument, and the name is bound to the default stream of each form.
macro_rules! exports {
    ($way:ident; $($functions:tt)*) => {
        $crate::boundary::exports! { @ $way same; $($functions)* }
    };
    ($way:ident, $twin_way:ident; $($functions:tt)*) => {
        $crate::boundary::exports! { @ $way $twin_way; $($functions)* }
    };
    (@ $way:ident $twin_way:ident;) => {};
    (@ $way:ident $twin_way:ident; $(#[$doc:meta])*
     fn $name:ident $(= $($twin:ident),+)? ($($args:tt)*) $body:block $($rest:tt)*) => {
        $crate::boundary::all! { $way $twin_way [$name $($($twin)+)?] "" ($($args)*) {} $body }
        $crate::boundary::exports! { @ $way $twin_way; $($rest)* }
    };
    (@ $way:ident $twin_way:ident; $(#[$doc:meta])*
     fn $name:ident $(= $($twin:ident),+)? ($($args:tt)*) on $stream:ident $body:block $($rest:tt)*) => {
        $crate::boundary::all! { $way $twin_way [$name $($($twin)+)?] "" ($($args)*) {} $body }
        $crate::boundary::all! { $way $twin_way [$name $($($twin)+)?] "_ptsz" ($($args)*)
            { let $stream = $stream.per_thread(); } $body }
        $crate::boundary::exports! { @ $way $twin_way; $($rest)* }
    };
    (@ $way:ident $twin_way:ident; $(#[$doc:meta])*
     fn $name:ident $(= $($twin:ident),+)? ($($args:tt)*) at $stream:ident $body:block $($rest:tt)*) => {
        $crate::boundary::all! { $way $twin_way [$name $($($twin)+)?] "" ($($args)*)
            { let $stream = $crate::boundary::StreamArg::DEFAULT; } $body }
        $crate::boundary::all! { $way $twin_way [$name $($($twin)+)?] "_ptds" ($($args)*)
            { let $stream = $crate::boundary::StreamArg::PER_THREAD; } $body }
        $crate::boundary::exports! { @ $way $twin_way; $($rest)* }
    };
}

/// Defines one form of a function and of those that do the same: with the same body in the same API, or in the runtime API through the
/// driver function.
macro_rules! all {
    ($way:ident $twin_way:ident [$name:ident $($twin:ident)*] $suffix:literal $args:tt $first:tt $body:block) => {
        $crate::boundary::export! { $way [$name $suffix] $args $first $body }
        $($crate::boundary::twin! { $way $twin_way [$twin] [$name $suffix] $args $first $body })*
    };
}

macro_rules! twin {
    ($way:ident same [$twin:ident] [$name:ident $suffix:literal] $args:tt $first:tt $body:block) => {
        $crate::boundary::export! { $way [$twin $suffix] $args $first $body }
    };
    ($way:ident $twin_way:ident [$twin:ident] [$name:ident $suffix:literal] ($($arg:ident: $ty:ty),* $(,)?) $first:tt $body:block) => {
        $crate::boundary::export! { $twin_way [$twin $suffix] ($($arg: $ty),*) {} {
            $crate::boundary::through!($name $suffix ($($arg: $ty),*))
        } }
    };
}

/// Defines one function. The statements in braces run first. Runtime functions are exported under private names. The functions in
/// libcudart.so.12 and .13 jump to them.
macro_rules! export {
    ($way:ident [$name:ident $suffix:literal] ($($arg:ident: $ty:ty),* $(,)?) { $($first:tt)* } $body:block) => {
        const _: () = {
            #[unsafe(export_name = concat!($crate::boundary::prefix!($way), stringify!($name), $suffix))]
            unsafe extern "C" fn $name($($arg: $ty),*) -> i32 {
                $($first)*
                $crate::boundary::$way(concat!(stringify!($name), $suffix), || $body)
            }
        };
    };
}

/// How the exported names of a way begin.
#[rustfmt::skip]
macro_rules! prefix {
    (driver) => { "" };
    (always) => { "" };
    (runtime_12) => { "gevt_12_" };
    (inside_12) => { "gevt_12_" };
    (runtime_always_12) => { "gevt_12_" };
    ($of_runtime:ident) => { "gevt_" };
}

/// Calls the driver function that [`super::EntryPoint`] finds.
macro_rules! through {
    ($name:ident $($suffix:literal)? ($($arg:ident: $ty:ty),* $(,)?)) => {{
        static DRIVERS: $crate::boundary::EntryPoint =
            $crate::boundary::EntryPoint::new(concat!(stringify!($name) $(, $suffix)?));
        // SAFETY: the driver function of that name has these parameters. They come from the caller of the runtime function, who makes the
        // same promises as a caller of the driver function.
        let call = unsafe { std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn($($ty),*) -> i32>(DRIVERS.get()?) };
        // SAFETY: as above.
        $crate::code::Code::check(unsafe { call($($arg),*) })
    }};
}

/// Same as [`through`], for a driver function that has no stream argument and uses the default stream of its form.
macro_rules! through_at {
    ($stream:expr, $name:ident $args:tt) => {
        match $stream == $crate::boundary::StreamArg::PER_THREAD {
            true => $crate::boundary::through!($name "_ptds" $args),
            false => $crate::boundary::through!($name $args),
        }
    };
}

pub(crate) use {all, export, exports, prefix, through, through_at, twin};
