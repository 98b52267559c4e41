//! Where a server is and how to talk to it.

use std::fmt;
use std::str::FromStr;
#[cfg(feature = "tls")]
use std::sync::Arc;
use std::time::Duration;

use crate::{Error, Result};

const PORT: u16 = 9090;
const LONGEST: Duration = Duration::from_millis(i32::MAX as u64);

/// Where a server is and how to talk to it. Made from a URL: `kvstore://[TOKEN@]HOST[:PORT][?PARAMETER=NUMBER&...]`.
///
/// The parameters are `connect_timeout_ms`, `timeout_ms`, `pool` and `max_frame_bytes`. `kvstores://` is TLS, for which
/// the crate needs its feature `tls`. A token may have `%` and two digits for a byte.
#[derive(Clone)]
pub struct Options {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: bool,
    pub(crate) token: Option<String>,
    pub(crate) connect_timeout: Duration,
    pub(crate) timeout: Duration,
    pub(crate) pool: usize,
    pub(crate) max_frame_bytes: usize,
    #[cfg(feature = "tls")]
    pub(crate) tls_config: Option<Arc<rustls::ClientConfig>>,
}

impl Options {
    /// Reads a URL.
    pub fn new(url: &str) -> Result<Options> {
        url.parse()
    }

    /// How long a connection may take to be made; 5 s if not told.
    pub fn connect_timeout(mut self, timeout: Duration) -> Options {
        self.connect_timeout = timeout.min(LONGEST);
        self
    }

    /// How long a call may take, and how long it may wait for a connection of the pool; 30 s if not told.
    pub fn timeout(mut self, timeout: Duration) -> Options {
        self.timeout = timeout.min(LONGEST);
        self
    }

    /// How many connections there may be, besides those of snapshots; 8 if not told.
    pub fn pool(mut self, connections: usize) -> Options {
        self.pool = connections;
        self
    }

    /// The largest frame, which should be what the server has; 17 MiB if not told.
    pub fn max_frame_bytes(mut self, bytes: usize) -> Options {
        self.max_frame_bytes = bytes;
        self
    }

    /// The token that each connection begins with.
    pub fn token(mut self, token: impl Into<String>) -> Options {
        self.token = Some(token.into());
        self
    }

    /// What TLS trusts and shows; the system's certificates if not told.
    #[cfg(feature = "tls")]
    pub fn tls_config(mut self, config: Arc<rustls::ClientConfig>) -> Options {
        self.tls_config = Some(config);
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.connect_timeout.is_zero() || self.timeout.is_zero() {
            return Err(Error::invalid("a timeout has to be longer than nothing"));
        }
        if self.pool == 0 {
            return Err(Error::invalid("a pool has one connection at least"));
        }
        match i32::try_from(self.max_frame_bytes) {
            Ok(1..) => Ok(()),
            _ => Err(Error::invalid("max_frame_bytes is from 1 to 2147483647")),
        }
    }

    pub(crate) fn address(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }

    fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let number = match text.parse::<u32>() {
            Ok(number) if (1..=i32::MAX as u32).contains(&number) => number,
            _ => {
                return Err(Error::invalid(format!(
                    "{name} of a URL is a number from 1 to 2147483647"
                )));
            }
        };
        match name {
            "connect_timeout_ms" => self.connect_timeout = Duration::from_millis(number.into()),
            "timeout_ms" => self.timeout = Duration::from_millis(number.into()),
            "pool" => self.pool = number as usize,
            "max_frame_bytes" => self.max_frame_bytes = number as usize,
            _ => unreachable!("parameter {name}"),
        }
        Ok(())
    }
}

impl FromStr for Options {
    type Err = Error;

    fn from_str(url: &str) -> Result<Options> {
        let (scheme, rest) = url
            .split_once("://")
            .ok_or_else(|| Error::invalid("a URL starts with kvstore://"))?;
        let tls = match scheme {
            "kvstore" => false,
            "kvstores" if cfg!(feature = "tls") => true,
            "kvstores" => {
                return Err(Error::invalid(
                    "kvstores:// needs the feature `tls` of the crate kvstore-client",
                ));
            }
            _ => return Err(Error::invalid("the scheme of a URL is kvstore:// or kvstores://")),
        };
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (token, address) = match place.rsplit_once('@') {
            Some((token, address)) => (Some(decode(token)?), address),
            None => (None, place),
        };
        let (host, port) = host_and_port(address.strip_suffix('/').unwrap_or(address))?;
        let mut options = Options {
            host,
            port,
            tls,
            token,
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(30),
            pool: 8,
            max_frame_bytes: 17 << 20,
            #[cfg(feature = "tls")]
            tls_config: None,
        };
        let mut seen = Vec::new();
        for parameter in query.split('&').filter(|_| rest.contains('?')) {
            let (name, text) = parameter.split_once('=').unwrap_or((parameter, ""));
            if !["connect_timeout_ms", "timeout_ms", "pool", "max_frame_bytes"].contains(&name) {
                return Err(Error::invalid(format!("a URL has no parameter {name:?}")));
            }
            if seen.contains(&name) {
                return Err(Error::invalid(format!("the URL has {name} twice")));
            }
            seen.push(name);
            options.set(name, text)?;
        }
        Ok(options)
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("address", &self.address())
            .field("tls", &self.tls)
            .field("token", &self.token.as_ref().map(|_| "..."))
            .field("connect_timeout", &self.connect_timeout)
            .field("timeout", &self.timeout)
            .field("pool", &self.pool)
            .field("max_frame_bytes", &self.max_frame_bytes)
            .finish_non_exhaustive()
    }
}

fn host_and_port(address: &str) -> Result<(String, u16)> {
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => rest
            .split_once(']')
            .ok_or_else(|| Error::invalid("the URL's host has no ]"))?,
        None => address.split_at(address.find(':').unwrap_or(address.len())),
    };
    let wanted =
        |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c) || (address.starts_with('[') && ":%".contains(c));
    if host.is_empty() || !host.chars().all(wanted) {
        return Err(Error::invalid("the URL has no host, or one that is none"));
    }
    if port.is_empty() {
        return Ok((host.to_string(), PORT));
    }
    match port.strip_prefix(':').map(str::parse::<u16>) {
        Some(Ok(port @ 1..)) => Ok((host.to_string(), port)),
        _ => Err(Error::invalid("the URL's port is a number from 1 to 65535")),
    }
}

fn decode(text: &str) -> Result<String> {
    let bad = || Error::invalid("the URL's token is empty or not UTF-8 with %XX");
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|c| char::from(c).to_digit(16)).ok_or_else(bad);
        bytes.push((digit()? * 16 + digit()?) as u8);
    }
    match String::from_utf8(bytes) {
        Ok(token) if !token.is_empty() => Ok(token),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_with_nothing_but_a_host_has_defaults() {
        let options = Options::new("kvstore://localhost").unwrap();
        assert_eq!(options.address(), "localhost:9090");
        assert_eq!(options.token, None);
        assert_eq!(options.connect_timeout, Duration::from_secs(5));
        assert_eq!(options.timeout, Duration::from_secs(30));
        assert_eq!(options.pool, 8);
        assert_eq!(options.max_frame_bytes, 17 * 1024 * 1024);
        assert!(!options.tls);
    }

    #[test]
    fn a_url_can_have_all() {
        let url = "kvstore://a%40b@[::1]:7/?connect_timeout_ms=1&timeout_ms=2&pool=3&max_frame_bytes=4";
        let options = Options::new(url).unwrap();
        assert_eq!(options.address(), "[::1]:7");
        assert_eq!(options.token.as_deref(), Some("a@b"));
        assert_eq!(options.connect_timeout, Duration::from_millis(1));
        assert_eq!(options.timeout, Duration::from_millis(2));
        assert_eq!(options.pool, 3);
        assert_eq!(options.max_frame_bytes, 4);
    }

    #[test]
    fn bad_urls_are_errors() {
        let urls = [
            "",
            "localhost:9090",
            "http://localhost",
            "KVSTORE://localhost",
            "kvstore://",
            "kvstore://:9090",
            "kvstore://@localhost",
            "kvstore://%4@localhost",
            "kvstore://%ff@localhost",
            "kvstore://local host",
            "kvstore://localhost/path",
            "kvstore://localhost#part",
            "kvstore://localhost:",
            "kvstore://localhost:0",
            "kvstore://localhost:65536",
            "kvstore://::1",
            "kvstore://[::1",
            "kvstore://[::1]9090",
            "kvstore://localhost?",
            "kvstore://localhost?pool",
            "kvstore://localhost?pool=0",
            "kvstore://localhost?pool=-1",
            "kvstore://localhost?pool=2147483648",
            "kvstore://localhost?pool=1&pool=1",
            "kvstore://localhost?Pool=1",
            "kvstore://localhost?size=1",
        ];
        for url in urls {
            assert!(matches!(Options::new(url), Err(Error::InvalidRequest(_))), "{url}");
        }
    }

    #[test]
    fn tls_is_a_feature() {
        match Options::new("kvstores://localhost") {
            Ok(options) => assert!(cfg!(feature = "tls") && options.tls),
            Err(error) => assert!(!cfg!(feature = "tls") && error.to_string().contains("feature `tls`")),
        }
    }

    #[test]
    fn setters_are_checked_and_the_token_is_not_shown() {
        let options = Options::new("kvstore://localhost").unwrap();
        assert!(options.check().is_ok());
        assert!(options.clone().pool(0).check().is_err());
        assert!(options.clone().timeout(Duration::ZERO).check().is_err());
        assert!(options.clone().max_frame_bytes(usize::MAX).check().is_err());
        assert!(options.clone().timeout(Duration::MAX).check().is_ok());
        assert!(!format!("{:?}", options.token("secret")).contains("secret"));
    }
}
