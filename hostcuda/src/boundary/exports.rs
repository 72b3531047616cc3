//! How exported functions are written down.

/// Defines exported functions that return a code.
///
/// The first line names the function of [`super`] that runs the bodies. With `fn cuName = cudaName(…)`, the runtime has the same function: it
/// is run by the second function of the first line, and calls the driver's as [`super::EntryPoint`] finds it. Both names may be the
/// driver's; then the body is that of both.
///
/// `fn name | name_ptsz(…) on stream` defines two functions: the second takes stream 0 as the calling thread's own. In
/// `at stream`, the function has no stream argument, and the name stands for the default stream of each of the two.
macro_rules! exports {
    ($way:ident; $($functions:tt)*) => {
        $crate::boundary::exports! { @ $way $way; $($functions)* }
    };
    ($way:ident, $twin_way:ident; $($functions:tt)*) => {
        $crate::boundary::exports! { @ $way $twin_way; $($functions)* }
    };
    (@ $way:ident $twin_way:ident;) => {};
    (@ $way:ident $twin_way:ident; $(#[$doc:meta])*
     fn $name:ident $(= $twin:ident)? ($($args:tt)*) $body:block $($rest:tt)*) => {
        $crate::boundary::export! { $way [$name] ($($args)*) {} $body }
        $crate::boundary::twin! { $twin_way [$($twin)?] $name ($($args)*) $body }
        $crate::boundary::exports! { @ $way $twin_way; $($rest)* }
    };
    (@ $way:ident $twin_way:ident; $(#[$doc:meta])*
     fn $name:ident | $own:ident $(= $twin:ident | $twin_own:ident)? ($($args:tt)*) on $stream:ident $body:block
     $($rest:tt)*) => {
        $crate::boundary::export! { $way [$name] ($($args)*) {} $body }
        $crate::boundary::export! { $way [$own] ($($args)*) { let $stream = $stream.per_thread(); } $body }
        $crate::boundary::twin! { $twin_way [$($twin)?] $name ($($args)*) $body }
        $crate::boundary::twin! { $twin_way [$($twin_own)?] $own ($($args)*) $body }
        $crate::boundary::exports! { @ $way $twin_way; $($rest)* }
    };
    (@ $way:ident $twin_way:ident; $(#[$doc:meta])*
     fn $name:ident | $own:ident $(= $twin:ident | $twin_own:ident)? ($($args:tt)*) at $stream:ident $body:block
     $($rest:tt)*) => {
        $crate::boundary::export! { $way [$name] ($($args)*)
            { let $stream = $crate::boundary::StreamArg::DEFAULT; } $body }
        $crate::boundary::export! { $way [$own] ($($args)*)
            { let $stream = $crate::boundary::StreamArg::PER_THREAD; } $body }
        $crate::boundary::twin! { $twin_way [$($twin)?] $name ($($args)*) $body }
        $crate::boundary::twin! { $twin_way [$($twin_own)?] $own ($($args)*) $body }
        $crate::boundary::exports! { @ $way $twin_way; $($rest)* }
    };
}

/// Defines one function. The statements in braces come first. The runtime's functions are exported under names of this library's, to which
/// those of libcudart.so.12 and .13 jump.
macro_rules! export {
    (runtime $($function:tt)*) => {
        $crate::boundary::export! { @ "gevt_" runtime $($function)* }
    };
    (inside $($function:tt)*) => {
        $crate::boundary::export! { @ "gevt_" inside $($function)* }
    };
    (runtime_12 $($function:tt)*) => {
        $crate::boundary::export! { @ "gevt_12_" runtime $($function)* }
    };
    (inside_12 $($function:tt)*) => {
        $crate::boundary::export! { @ "gevt_12_" inside $($function)* }
    };
    ($way:ident $($function:tt)*) => {
        $crate::boundary::export! { @ "" $way $($function)* }
    };
    (@ $prefix:literal $way:ident [$name:ident] ($($arg:ident: $ty:ty),* $(,)?) { $($first:tt)* } $body:block) => {
        #[unsafe(export_name = concat!($prefix, stringify!($name)))]
        unsafe extern "C" fn $name($($arg: $ty),*) -> i32 {
            $($first)*
            $crate::boundary::$way(stringify!($name), || $body)
        }
    };
}

/// Defines the function that is the same as a driver function, if there is one.
macro_rules! twin {
    ($way:ident [] $name:ident $args:tt $body:block) => {};
    (driver [$twin:ident] $name:ident $args:tt $body:block) => {
        $crate::boundary::export! { driver [$twin] $args {} $body }
    };
    ($way:ident [$twin:ident] $name:ident ($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        $crate::boundary::export! { $way [$twin] ($($arg: $ty),*) {} {
            $crate::boundary::through!($name($($arg: $ty),*))
        } }
    };
}

/// Calls a driver function as [`super::EntryPoint`] finds it.
macro_rules! through {
    ($name:ident($($arg:ident: $ty:ty),*)) => {{
        static DRIVERS: $crate::boundary::EntryPoint = $crate::boundary::EntryPoint::new(stringify!($name));
        // SAFETY: the driver's function of that name has these parameters, and all are the runtime's caller's, who promises what the
        // driver's would.
        let call = unsafe { std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn($($ty),*) -> i32>(DRIVERS.get()?) };
        // SAFETY: as above.
        $crate::code::Code::check(unsafe { call($($arg),*) })
    }};
}

pub(crate) use {export, exports, through, twin};
