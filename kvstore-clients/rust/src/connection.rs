//! One connection and what its failures mean.

use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use thrift::protocol::{TBinaryInputProtocol, TBinaryOutputProtocol};
use thrift::{ApplicationErrorKind, TConfiguration, TransportErrorKind};

use crate::kvstore::{ConditionFailed, KVStoreServiceSyncClient, ServiceError, TKVStoreServiceSyncClient};
use crate::wire::{FrameReader, FrameWriter, Stream, Wire, remaining};
use crate::{Error, ErrorCode, Options, Outcome, Result};

/// No answer has a list with more items; it keeps a broken answer from taking the memory.
const MAX_LIST: usize = 1_000_000;

/// The generated client over this crate's frames.
pub(crate) type Service =
    KVStoreServiceSyncClient<TBinaryInputProtocol<FrameReader>, TBinaryOutputProtocol<FrameWriter>>;

/// Whether a call changes anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
}

/// A call that failed.
pub(crate) struct Fault {
    pub(crate) error: Error,
    /// Whether the connection can be used on.
    pub(crate) usable: bool,
    /// Whether the call can be repeated.
    pub(crate) repeat: bool,
}

pub(crate) struct Connection {
    service: Service,
    wire: Wire,
    last_used: Instant,
}

impl Connection {
    /// Connects and authenticates.
    pub(crate) fn open(options: &Options, deadline: Instant) -> std::result::Result<Connection, Fault> {
        let soon = deadline.min(Instant::now() + options.connect_timeout);
        let wire = connect(options, soon).map_err(|error| Fault {
            error: Error::connection(format!("cannot connect to {}: {error}", options.address()), true),
            usable: false,
            repeat: Instant::now() < soon,
        })?;
        let limit = options.max_frame_bytes;
        let configuration = TConfiguration::builder()
            .max_message_size(Some(limit))
            .max_frame_size(Some(limit))
            .max_string_size(Some(limit))
            .max_container_size(Some(MAX_LIST))
            .build()
            .expect("a frame is no larger than a message");
        let reader = FrameReader::new(wire.clone(), limit);
        let writer = FrameWriter::new(wire.clone(), limit);
        let mut connection = Connection {
            service: KVStoreServiceSyncClient::new(
                TBinaryInputProtocol::with_config(reader, true, configuration),
                TBinaryOutputProtocol::new(writer, true),
            ),
            wire,
            last_used: Instant::now(),
        };
        if let Some(token) = &options.token {
            connection.call(Kind::Read, deadline, |service| service.authenticate(token.clone()))?;
        }
        Ok(connection)
    }

    pub(crate) fn idle(&self) -> Duration {
        self.last_used.elapsed()
    }

    pub(crate) fn call<T>(
        &mut self,
        kind: Kind,
        deadline: Instant,
        call: impl FnOnce(&mut Service) -> thrift::Result<T>,
    ) -> std::result::Result<T, Fault> {
        self.wire.begin(deadline);
        let result = call(&mut self.service);
        self.last_used = Instant::now();
        result.map_err(|error| self.fault(kind, error))
    }

    fn fault(&self, kind: Kind, error: thrift::Error) -> Fault {
        if let Some(bytes) = self.wire.refused() {
            let message = format!("the call's frame has {bytes} bytes, which is over max_frame_bytes");
            return Fault {
                error: Error::too_large(message),
                usable: true,
                repeat: false,
            };
        }
        if let Some(bytes) = self.wire.oversized() {
            let message = format!("an answer of {bytes} bytes, over max_frame_bytes, or another protocol such as TLS");
            return Fault {
                error: match kind {
                    Kind::Read => Error::answer_too_large(message),
                    Kind::Write => Error::unknown(message),
                },
                usable: false,
                repeat: false,
            };
        }
        match error {
            thrift::Error::User(error) => match user(error) {
                Ok(error) => {
                    let failure = error.failure();
                    let rejected = kind == Kind::Read || failure.outcome == Some(Outcome::REJECTED);
                    let repeat = failure.retryable && rejected;
                    // a server that is stopping ends the connection behind its answer
                    let usable = failure.code != Some(ErrorCode::STOPPING);
                    Fault { error, usable, repeat }
                }
                Err(error) => self.broken(kind, error.to_string(), false),
            },
            thrift::Error::Application(error) => match error.kind {
                ApplicationErrorKind::BadSequenceId
                | ApplicationErrorKind::WrongMethodName
                | ApplicationErrorKind::InvalidMessageType => self.broken(kind, error.message, false),
                other => Fault {
                    error: match other {
                        ApplicationErrorKind::UnknownMethod => Error::unknown_method(&self.wire.method()),
                        _ => Error::other(error.message),
                    },
                    usable: false,
                    repeat: false,
                },
            },
            thrift::Error::Transport(error) => {
                let repeat = error.kind != TransportErrorKind::TimedOut;
                self.broken(kind, error.message, repeat)
            }
            thrift::Error::Protocol(error) => self.broken(kind, error.message, false),
        }
    }

    fn broken(&self, kind: Kind, message: String, repeat: bool) -> Fault {
        let unknown = kind == Kind::Write && self.wire.sent();
        Fault {
            error: match unknown {
                true => Error::unknown(message),
                false => Error::connection(message, true),
            },
            usable: false,
            repeat: repeat && !unknown,
        }
    }
}

type Boxed = Box<dyn std::error::Error + Send + Sync>;

/// The server's error in a box of the runtime.
fn user(error: Boxed) -> std::result::Result<Error, Boxed> {
    let error = match error.downcast::<ServiceError>() {
        Ok(error) => return Ok((*error).into()),
        Err(error) => error,
    };
    error.downcast::<ConditionFailed>().map(|error| (*error).into())
}

fn connect(options: &Options, deadline: Instant) -> io::Result<Wire> {
    let mut failure = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for address in (options.host.as_str(), options.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, remaining(deadline)?) {
            Ok(mut socket) => {
                socket.set_nodelay(true)?;
                socket.set_timeouts(remaining(deadline)?)?;
                return Ok(Wire::new(stream(socket, options)?, deadline));
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn stream(socket: TcpStream, options: &Options) -> io::Result<Box<dyn Stream>> {
    #[cfg(feature = "tls")]
    if options.tls {
        return crate::tls::stream(socket, options);
    }
    debug_assert!(!options.tls);
    Ok(Box::new(socket))
}

/// Attempts a call, and again after a short pause where the fault allows that and there is time.
pub(crate) fn retry<T>(deadline: Instant, mut attempt: impl FnMut() -> std::result::Result<T, Fault>) -> Result<T> {
    let mut pauses = PAUSES.iter();
    loop {
        let fault = match attempt() {
            Ok(value) => return Ok(value),
            Err(fault) => fault,
        };
        match pauses.next() {
            Some(&pause) if fault.repeat && Instant::now() + pause < deadline => std::thread::sleep(pause),
            _ => return Err(fault.error),
        }
    }
}

/// The pauses before a call is tried again.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];
