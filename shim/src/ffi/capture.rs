//! Captures: from the beginning of one to its end the driver judges each query.

use super::boundary::exports;
use crate::captures::{began, ended};
use crate::driver::types::{Graph, Node, Stream};
use crate::streams::check;
use std::ffi::c_void;

exports! {
    fn cuStreamBeginCapture(stream: Stream) |call| {
        check(stream, call.mode).map(|()| began(stream, false, call.driver()))
    }
    fn cuStreamBeginCapture_ptsz(stream: Stream) |call| {
        check(stream, call.mode).map(|()| began(stream, true, call.driver()))
    }
    fn cuStreamBeginCapture_v2(stream: Stream, mode: i32) |call| {
        check(stream, call.mode).map(|()| began(stream, false, call.driver()))
    }
    fn cuStreamBeginCapture_v2_ptsz(stream: Stream, mode: i32) |call| {
        check(stream, call.mode).map(|()| began(stream, true, call.driver()))
    }
    fn cuStreamBeginCaptureToGraph(
        stream: Stream,
        graph: Graph,
        from: *const Node,
        edges: *const c_void,
        count: usize,
        mode: i32,
    ) |call| {
        check(stream, call.mode).map(|()| began(stream, false, call.driver()))
    }
    fn cuStreamBeginCaptureToGraph_ptsz(
        stream: Stream,
        graph: Graph,
        from: *const Node,
        edges: *const c_void,
        count: usize,
        mode: i32,
    ) |call| {
        check(stream, call.mode).map(|()| began(stream, true, call.driver()))
    }
    fn cuStreamBeginRecaptureToGraph(
        stream: Stream,
        mode: i32,
        graph: Graph,
        callback: *const c_void,
        user: *mut c_void,
    ) |call| {
        check(stream, call.mode).map(|()| began(stream, false, call.driver()))
    }
    fn cuStreamBeginRecaptureToGraph_ptsz(
        stream: Stream,
        mode: i32,
        graph: Graph,
        callback: *const c_void,
        user: *mut c_void,
    ) |call| {
        check(stream, call.mode).map(|()| began(stream, true, call.driver()))
    }
    fn cuStreamBeginCaptureToCig(stream: Stream, parameters: *mut c_void) |call| {
        check(stream, call.mode).map(|()| began(stream, false, call.driver()))
    }
    fn cuStreamBeginCaptureToCig_ptsz(stream: Stream, parameters: *mut c_void) |call| {
        check(stream, call.mode).map(|()| began(stream, true, call.driver()))
    }
    fn cuStreamEndCapture(stream: Stream, out: *mut Graph) |call| {
        check(stream, call.mode).map(|()| ended(stream, false, call.driver()))
    }
    fn cuStreamEndCapture_ptsz(stream: Stream, out: *mut Graph) |call| {
        check(stream, call.mode).map(|()| ended(stream, true, call.driver()))
    }
    fn cuStreamEndCaptureToCig(stream: Stream) |call| {
        check(stream, call.mode).map(|()| ended(stream, false, call.driver()))
    }
    fn cuStreamEndCaptureToCig_ptsz(stream: Stream) |call| {
        check(stream, call.mode).map(|()| ended(stream, true, call.driver()))
    }
}
