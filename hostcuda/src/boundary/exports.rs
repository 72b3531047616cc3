//! How exported functions are written down.

/// Defines exported functions that return a code.
///
/// The first line names the function of [`super`] that runs the bodies. A function of the driver API that the runtime API has
/// with the same arguments and answers is defined once, as `fn cuName = cudaName(…)`; the first line then names a second
/// function, which runs the runtime's. So is one that the driver API has under two names.
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
        $crate::boundary::export! { $way [$name] [$($twin_way $twin)?] ($($args)*) {} $body }
        $crate::boundary::exports! { @ $way $twin_way; $($rest)* }
    };
    (@ $way:ident $twin_way:ident; $(#[$doc:meta])*
     fn $name:ident | $own:ident $(= $twin:ident | $twin_own:ident)? ($($args:tt)*) on $stream:ident $body:block
     $($rest:tt)*) => {
        $crate::boundary::export! { $way [$name] [$($twin_way $twin)?] ($($args)*) {} $body }
        $crate::boundary::export! { $way [$own] [$($twin_way $twin_own)?] ($($args)*)
            { let $stream = $stream.per_thread(); } $body }
        $crate::boundary::exports! { @ $way $twin_way; $($rest)* }
    };
    (@ $way:ident $twin_way:ident; $(#[$doc:meta])*
     fn $name:ident | $own:ident $(= $twin:ident | $twin_own:ident)? ($($args:tt)*) at $stream:ident $body:block
     $($rest:tt)*) => {
        $crate::boundary::export! { $way [$name] [$($twin_way $twin)?] ($($args)*)
            { let $stream = $crate::boundary::StreamArg::DEFAULT; } $body }
        $crate::boundary::export! { $way [$own] [$($twin_way $twin_own)?] ($($args)*)
            { let $stream = $crate::boundary::StreamArg::PER_THREAD; } $body }
        $crate::boundary::exports! { @ $way $twin_way; $($rest)* }
    };
}

/// Defines one function, and the other one that is the same. The statements in braces come first in both.
macro_rules! export {
    ($way:ident [$name:ident] [] ($($arg:ident: $ty:ty),* $(,)?) { $($first:tt)* } $body:block) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> i32 {
            $($first)*
            $crate::boundary::$way(stringify!($name), || $body)
        }
    };
    ($way:ident [$name:ident] [$twin_way:ident $twin:ident] $args:tt $first:tt $body:block) => {
        $crate::boundary::export! { $way [$name] [] $args $first $body }
        $crate::boundary::export! { $twin_way [$twin] [] $args $first $body }
    };
}

pub(crate) use {export, exports};
