//! The exported functions, and what lies between C and the rest.

mod look_up;
mod proc_address;
pub(crate) mod table;
