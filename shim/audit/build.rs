//! How the audit library is linked: with nothing. The loader would load each library that it needs a second time, into the auditor's
//! namespace, in every process.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-nostdlib");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,defs");
}
