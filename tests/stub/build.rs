//! Names the library as the driver's is named: once it is loaded, whoever asks the loader for the driver gets it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
}
