//! The form of instantiation that only the runtime API has.

use crate::both::graph::make;
use crate::boundary::{Out, exports};
use crate::handle::Handle;

exports! { inside;
    fn cudaGraphInstantiate(to: Out<Handle>, handle: Handle, _flags: u64) {
        make(to, handle)
    }
}
