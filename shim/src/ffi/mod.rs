//! The exported functions, and what lies between C and the rest.

mod look_up;
pub(crate) mod proc_address;
