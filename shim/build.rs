//! How the drop-in is linked.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgevt_cuda.so");
    // Programs keep the addresses of its functions, which a dlclose would take away.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Its own uses of the names that it exports mean its own functions, whoever else in the process has those names.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
}
