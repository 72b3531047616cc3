//! Changes to executable graphs.

use crate::boundary::{Out, exports};
use crate::code::{Code, Result};
use crate::graph::{self, Exec, Step, UpdateInfo};
use crate::handle::Handle;

/// Updates an executable graph. Returns the report and the code.
pub(crate) fn update(executable: Handle, handle: Handle) -> Result<(UpdateInfo, Result)> {
    Ok(match graph::update(executable, handle)? {
        None => (UpdateInfo { result: 0, node: 0, from: 0 }, Ok(())),
        Some(found) => (found, Err(Code::GRAPH_EXEC_UPDATE_FAILURE)),
    })
}

/// Replaces the step of a node's copy by one of the same type.
pub(crate) fn set_step(executable: Handle, node: Handle, step: Step) -> Result {
    Exec::node(executable, node, |node| {
        if !node.step.may_become(&step) {
            return Err(Code::INVALID_VALUE);
        }
        node.step = step;
        Ok(())
    })
}

exports! { driver, inside;
    fn cuGraphExecUpdate_v2 = cudaGraphExecUpdate(executable: Handle, handle: Handle, info: Out<UpdateInfo>) {
        let (found, code) = update(executable, handle)?;
        info.offer(found);
        code
    }
    fn cuGraphNodeSetEnabled = cudaGraphNodeSetEnabled(executable: Handle, node: Handle, enabled: u32) {
        Exec::node(executable, node, |node| {
            node.enabled = node.step.check_disabling().map(|()| enabled != 0)?;
            Ok(())
        })
    }
    fn cuGraphNodeGetEnabled = cudaGraphNodeGetEnabled(executable: Handle, node: Handle, to: Out<u32>) {
        to.check()?.set(Exec::node(executable, node, |node| node.step.check_disabling().map(|()| node.enabled.into()))?)
    }
}
