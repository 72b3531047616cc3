//! How the drop-in is linked.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgevt_cuda.so");
    // Programs keep the addresses of its functions, which a dlclose would take away.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // This library's own uses of its exported names mean its own functions, even if other libraries have the same names.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
    // It is loaded into programs of all kinds, and brings no other library into them: the part of libgcc_s that it needs
    // is linked in. Otherwise a program with its own, newer libgcc_s would get the system's. No frame that the process's unwinder
    // passes on its way out of the driver has a landing pad: ci/shim.sh checks it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,--as-needed");
    if let Some(folder) = unwinder() {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static:+whole-archive=gcc_eh");
    }
}

/// Returns the folder of the compiler's libgcc_eh.a, if it has one.
fn unwinder() -> Option<PathBuf> {
    let compiler = env::var_os("RUSTC_LINKER").or_else(|| env::var_os("CC")).unwrap_or_else(|| "cc".into());
    let output = Command::new(compiler).arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then(|| path.parent().map(PathBuf::from))?
}
