//! Gives `libgevt.so` its SONAME and keeps it mapped: its threads and exit handlers outlive a `dlclose`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let major = std::env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    // Cargo hands these arguments on to libraries that link the core, which leave the C API out and have names of their own.
    if std::env::var_os("CARGO_FEATURE_CAPI").is_some() {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgevt.so.{major}");
    }
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
