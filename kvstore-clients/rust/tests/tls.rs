//! TLS against a stub. Its certificate is made by the program `openssl`.
#![cfg(feature = "tls")]

#[allow(dead_code)]
mod stub;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kvstore_client::rustls::crypto::ring;
use kvstore_client::rustls::pki_types::pem::PemObject;
use kvstore_client::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use kvstore_client::rustls::{ClientConfig, RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use kvstore_client::{Client, Error, Options};
use stub::{Act, Stub, value, void};

/// A certificate of localhost that signs itself, and its key.
fn certificate() -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args([
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-keyout",
            "key.pem",
            "-out",
            "certificate.pem",
        ])
        .current_dir(&folder)
        .stderr(Stdio::null())
        .status();
    assert!(made.expect("openssl").success());
    let certificate = CertificateDer::from_pem_file(folder.join("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    (certificate, key)
}

fn trusting(roots: RootCertStore) -> Arc<ClientConfig> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    Arc::new(config.with_root_certificates(roots).with_no_client_auth())
}

#[test]
fn calls_go_through_tls() {
    let (certificate, key) = certificate();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let tls = move |socket| StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), socket);
    let large = vec![7; 3_000_000];
    let answer = large.clone();
    let stub = Stub::over(tls, move |name, before| match (name, before) {
        ("get", 0) => value(&answer),
        ("get", _) => Act::Hang,
        _ => void(),
    });
    let url = stub.url.replace("kvstore://127.0.0.1", "kvstores://token@localhost");
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let options = Options::new(&url)
        .unwrap()
        .tls_config(trusting(roots))
        .timeout(Duration::from_secs(3));
    let table = Client::with_options(options).unwrap().table("d", "t");
    table.put("k", &large).unwrap();
    assert!(table.get("k").unwrap().unwrap() == large);
    assert_eq!(stub.shown(), "0:authenticate 0:put 0:get");

    let options = Options::new(&url).unwrap().tls_config(trusting(RootCertStore::empty()));
    let failed = Client::with_options(options).unwrap_err();
    assert!(matches!(failed, Error::ConnectionFailed(_)), "{failed:?}");
    assert!(failed.to_string().contains("certificate"), "{failed}");
}

#[test]
fn a_server_without_tls_is_noticed_in_time() {
    let stub = Stub::over(
        |socket| {
            std::thread::sleep(Duration::from_secs(2));
            socket
        },
        |_, _| void(),
    );
    let url = stub.url.replace("kvstore://", "kvstores://");
    let options = Options::new(&url).unwrap().tls_config(trusting(RootCertStore::empty()));
    let start = Instant::now();
    let failed = Client::with_options(options.connect_timeout(Duration::from_millis(300))).unwrap_err();
    assert!(matches!(failed, Error::ConnectionFailed(_)), "{failed:?}");
    assert!(start.elapsed() < Duration::from_millis(800), "{:?}", start.elapsed());
}
