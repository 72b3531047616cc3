use super::*;
use crate::StreamFlags;
use crate::backend::BackendKind;
use std::sync::{Mutex, PoisonError, mpsc};

/// The contexts of one device share its streams: a test that asks for all of them has the device to itself.
static DEVICE: Mutex<()> = Mutex::new(());

#[test]
fn a_call_blocks_until_the_streams_of_a_context_are_done() -> Result<()> {
    let _alone = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
    let context = Context::open(BackendKind::HOST, 0)?;
    let stream = Stream::create(context, StreamFlags::NON_BLOCKING)?;
    let (open, gate) = mpsc::channel::<()>();
    stream.launch(move || _ = gate.recv())?;
    assert!(!stream.query()? && !is_idle(stream)?);
    assert!(!is_inside_function());
    let opener = std::thread::spawn(move || drop(open));
    block_until_done(context)?;
    assert!(stream.query()?);
    let (send, inside) = mpsc::channel();
    stream.launch(move || _ = send.send((is_inside_function(), block_until_done(context))))?;
    block_until_done(context)?;
    assert!(stream.query()?);
    assert_eq!(inside.try_recv(), Ok((true, Err(Error::WouldDeadlock))));
    assert!(opener.join().is_ok());
    stream.destroy()?;
    context.close()
}

#[test]
fn the_default_streams_are_asked_like_others() -> Result<()> {
    let _alone = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
    let context = Context::open(BackendKind::HOST, 0)?;
    for number in 0..=2 {
        // SAFETY: the numbers of the default streams, which are valid in all contexts.
        let stream = unsafe { Stream::wrap(context, number) }?;
        assert!(is_idle(stream)?);
        wait_for_context(stream)?;
        stream.destroy()?;
    }
    context.close()
}
