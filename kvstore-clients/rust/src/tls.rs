//! TLS over a socket.

use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use thrift::TransportErrorKind;
use thrift::transport::TTlsClientChannel;

use crate::wire::Stream;
use crate::{Error, Options, Result};

/// Trusts the certificates of the system.
pub(crate) fn system_config() -> Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(Error::invalid(
            "the system has no certificates to trust: set Options::tls_config",
        ));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::invalid(error.to_string()))?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

/// Shakes hands within the socket's timeouts.
pub(crate) fn stream(socket: TcpStream, options: &Options) -> io::Result<Box<dyn Stream>> {
    let config = options
        .tls_config
        .clone()
        .expect("TLS has a configuration since the client was made");
    let name =
        ServerName::try_from(options.host.clone()).map_err(|error| io::Error::new(ErrorKind::InvalidInput, error))?;
    match TTlsClientChannel::with_stream(socket, name, config) {
        Ok(channel) => Ok(Box::new(channel)),
        Err(error) => Err(io_error(error)),
    }
}

impl Stream for TTlsClientChannel {
    fn set_timeouts(&mut self, timeout: Duration) -> io::Result<()> {
        TTlsClientChannel::set_timeouts(self, Some(timeout), Some(timeout)).map_err(io_error)
    }
}

/// The runtime's errors show their kind only; the message tells more.
fn io_error(error: thrift::Error) -> io::Error {
    match error {
        thrift::Error::Transport(error) if error.kind == TransportErrorKind::TimedOut => {
            io::Error::new(ErrorKind::TimedOut, error.message)
        }
        thrift::Error::Transport(error) => io::Error::other(error.message),
        error => io::Error::other(error),
    }
}
