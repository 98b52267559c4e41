//! Frames over a socket.
//!
//! The runtime's framed transport has a fixed limit of 16,384,000 bytes that nothing can raise, so frames are cut and put
//! together here: four bytes of length, then the message, to the same format.

use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Buffers up to this size are kept between calls.
const KEPT_BYTES: usize = 64 << 10;

/// What bytes go through: a socket, or TLS over one.
pub(crate) trait Stream: Read + Write + Send {
    /// How long a read and a write may take.
    fn set_timeouts(&mut self, timeout: Duration) -> io::Result<()>;
}

impl Stream for TcpStream {
    fn set_timeouts(&mut self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))?;
        self.set_write_timeout(Some(timeout))
    }
}

/// One connection's socket, shared by its reading and its writing side.
#[derive(Clone)]
pub(crate) struct Wire(Arc<Mutex<Line>>);

struct Line {
    stream: Box<dyn Stream>,
    deadline: Instant,
    sent: bool,
    method: Vec<u8>,
    refused: Option<usize>,
    oversized: Option<usize>,
}

impl Wire {
    pub(crate) fn new(stream: Box<dyn Stream>, deadline: Instant) -> Wire {
        Wire(Arc::new(Mutex::new(Line {
            stream,
            deadline,
            sent: false,
            method: Vec::new(),
            refused: None,
            oversized: None,
        })))
    }

    /// Starts a call that has to end before the deadline.
    pub(crate) fn begin(&self, deadline: Instant) {
        let mut line = self.lock();
        line.deadline = deadline;
        line.sent = false;
        line.refused = None;
        line.oversized = None;
    }

    /// Whether anything of the call was sent.
    pub(crate) fn sent(&self) -> bool {
        self.lock().sent
    }

    /// The method that was called last.
    pub(crate) fn method(&self) -> String {
        String::from_utf8_lossy(&self.lock().method).into_owned()
    }

    /// The size of the call's frame, if it was too large and nothing was sent.
    pub(crate) fn refused(&self) -> Option<usize> {
        self.lock().refused
    }

    /// The size of the answer's frame, if it was too large to be read.
    pub(crate) fn oversized(&self) -> Option<usize> {
        self.lock().oversized
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_timeouts(remaining(self.deadline)?)?;
        self.stream.read(bytes).map_err(timed_out)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_timeouts(remaining(self.deadline)?)?;
        let count = self.stream.write(bytes).map_err(timed_out)?;
        self.sent |= count > 0;
        Ok(count)
    }
}

impl Read for Wire {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.lock().read(bytes)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().stream.flush().map_err(timed_out)
    }
}

/// The time up to the deadline; an error when it is over.
pub(crate) fn remaining(deadline: Instant) -> io::Result<Duration> {
    match deadline.checked_duration_since(Instant::now()) {
        Some(time) if !time.is_zero() => Ok(time),
        _ => Err(timed_out(ErrorKind::TimedOut.into())),
    }
}

fn timed_out(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => io::Error::new(ErrorKind::TimedOut, "no answer in time"),
        _ => error,
    }
}

/// Takes messages out of frames.
pub(crate) struct FrameReader {
    input: BufReader<Wire>,
    frame: Vec<u8>,
    at: usize,
    limit: usize,
}

impl FrameReader {
    pub(crate) fn new(wire: Wire, limit: usize) -> FrameReader {
        FrameReader {
            input: BufReader::new(wire),
            frame: Vec::new(),
            at: 0,
            limit,
        }
    }

    fn next_frame(&mut self) -> io::Result<()> {
        let mut length = [0; 4];
        self.input.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length) as usize;
        if length > self.limit {
            self.input.get_ref().lock().oversized = Some(length);
            return Err(ErrorKind::InvalidData.into());
        }
        self.frame.clear();
        self.frame.shrink_to(KEPT_BYTES);
        self.at = 0;
        self.input.by_ref().take(length as u64).read_to_end(&mut self.frame)?;
        match self.frame.len() == length {
            true => Ok(()),
            false => Err(ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Read for FrameReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.at == self.frame.len() {
            self.next_frame()?;
        }
        let count = (&self.frame[self.at..]).read(bytes)?;
        self.at += count;
        Ok(count)
    }
}

/// Puts messages into frames.
pub(crate) struct FrameWriter {
    wire: Wire,
    frame: Vec<u8>,
    limit: usize,
}

const LENGTH: [u8; 4] = [0; 4];

impl FrameWriter {
    pub(crate) fn new(wire: Wire, limit: usize) -> FrameWriter {
        FrameWriter {
            wire,
            frame: LENGTH.to_vec(),
            limit,
        }
    }

    fn send(&mut self) -> io::Result<()> {
        let length = self.frame.len() - LENGTH.len();
        if length > self.limit {
            self.wire.lock().refused = Some(length);
            return Err(ErrorKind::InvalidInput.into());
        }
        self.frame[..LENGTH.len()].copy_from_slice(&(length as u32).to_be_bytes());
        self.keep_method();
        self.wire.write_all(&self.frame)?;
        self.wire.flush()
    }

    /// A message begins with its version and, behind its length, the name of the method.
    fn keep_method(&self) {
        let mut line = self.wire.lock();
        line.method.clear();
        if let Some((length, rest)) = self.frame[LENGTH.len()..]
            .get(4..)
            .and_then(|rest| rest.split_first_chunk())
        {
            let name = rest.get(..u32::from_be_bytes(*length) as usize);
            line.method.extend_from_slice(name.unwrap_or_default());
        }
    }
}

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.frame.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Sends the frame, or refuses it whole: the message is complete by then, so the next one can follow.
    fn flush(&mut self) -> io::Result<()> {
        let sent = self.send();
        self.frame.truncate(LENGTH.len());
        self.frame.shrink_to(KEPT_BYTES);
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn read(bytes: &[u8], size: usize) -> (io::Result<Vec<u8>>, Wire) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        sender.write_all(bytes).unwrap();
        drop(sender);
        let socket = listener.accept().unwrap().0;
        let wire = Wire::new(Box::new(socket), Instant::now() + Duration::from_secs(10));
        let mut message = vec![0; size];
        let read = FrameReader::new(wire.clone(), 2).read_exact(&mut message);
        (read.map(|()| message), wire)
    }

    #[test]
    fn frames_follow_each_other() {
        let bytes = [&[0, 0, 0, 2][..], b"ab", &[0, 0, 0, 1], b"c"].concat();
        assert_eq!(read(&bytes, 3).0.unwrap(), b"abc");
    }

    #[test]
    fn a_frame_over_the_limit_is_not_read() {
        for (first, size) in [(0, 3), (255, 0xff00_0003)] {
            let (read, wire) = read(&[first, 0, 0, 3, 1, 2, 3], 1);
            assert_eq!(read.unwrap_err().kind(), ErrorKind::InvalidData);
            assert_eq!(wire.oversized(), Some(size));
        }
    }

    #[test]
    fn a_frame_that_is_cut_is_an_error() {
        for bytes in [&[0, 0, 0, 2, 1][..], &[0, 0], &[]] {
            assert_eq!(read(bytes, 1).0.unwrap_err().kind(), ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn nothing_is_read_after_the_deadline() {
        let (_, mut wire) = read(&[], 1);
        wire.begin(Instant::now());
        assert_eq!(wire.read(&mut [0]).unwrap_err().kind(), ErrorKind::TimedOut);
        assert!(!wire.sent());
    }
}
