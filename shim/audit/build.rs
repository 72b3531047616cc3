//! How the audit library is linked: with nothing. The loader would load each library that it needs a second time, into the auditor's
//! namespace, in every process. On arm64 it needs the C library: the compiler's atomics ask it what the processor can do.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-nostdlib");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "aarch64") {
        println!("cargo:rustc-cdylib-link-arg=-lc");
    }
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,defs");
}
