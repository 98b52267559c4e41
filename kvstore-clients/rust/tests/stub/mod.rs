//! A server in the process that answers what a test says.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the stub does with a call.
pub enum Act {
    /// Answers with the bytes of the result's struct.
    Answer(Vec<u8>),
    /// Answers with a TApplicationException of this type.
    Exception(u8),
    /// Answers with a frame's bytes as they are.
    Raw(Vec<u8>),
    /// Ends the connection.
    Close,
    /// Does not answer.
    Hang,
}

/// A result without a value.
pub fn void() -> Act {
    Act::Answer(vec![0])
}

/// A result that is a GetResult.
pub fn value(bytes: &[u8]) -> Act {
    let length = (bytes.len() as u32).to_be_bytes();
    Act::Answer([&[12, 0, 0, 11, 0, 1], &length[..], bytes, &[0, 0]].concat())
}

/// A result that is a SnapshotLease.
pub fn lease() -> Act {
    Act::Answer(
        [
            &[12, 0, 0, 10, 0, 1][..],
            &7i64.to_be_bytes(),
            &[8, 0, 2, 0, 0, 0, 9, 0, 0],
        ]
        .concat(),
    )
}

/// A result that is a TableInfo with these names and no options.
pub fn table_info(database: &str, table: &str) -> Act {
    let text = |id: u8, text: &str| {
        let length = (text.len() as u32).to_be_bytes();
        [&[11, 0, id], &length[..], text.as_bytes()].concat()
    };
    let names = [
        text(1, database),
        text(2, table),
        vec![8, 0, 3, 0, 0, 0, 1],
        text(4, "lsm"),
    ]
    .concat();
    let options = [13, 0, 5, 11, 11, 0, 0, 0, 0];
    Act::Answer([&[12, 0, 0], &names[..], &options, &[0, 0]].concat())
}

/// A ServiceError.
pub fn error(code: u8, retryable: bool, outcome: u8) -> Act {
    let code = [12, 0, 1, 8, 0, 1, 0, 0, 0, code];
    Act::Answer([&code[..], &[2, 0, 3, retryable.into(), 8, 0, 4, 0, 0, 0, outcome, 0, 0]].concat())
}

/// A call: the connection's number and the method's name.
pub type Call = (usize, String);

pub struct Stub {
    pub url: String,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Stub {
    /// Starts a stub. `act` gets the method's name and how often it was called before.
    pub fn start(act: impl Fn(&str, usize) -> Act + Send + Sync + 'static) -> Stub {
        Stub::over(|socket| socket, act)
    }

    /// Starts a stub that speaks through what `wrap` makes of a socket.
    pub fn over<S: Read + Write>(
        wrap: impl Fn(TcpStream) -> S + Send + Sync + 'static,
        act: impl Fn(&str, usize) -> Act + Send + Sync + 'static,
    ) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("kvstore://{}", listener.local_addr().unwrap());
        let calls = Arc::new(Mutex::new(Vec::new()));
        let (act, seen) = (Arc::new((wrap, act)), Arc::clone(&calls));
        thread::spawn(move || {
            for (number, socket) in listener.incoming().enumerate() {
                let (act, seen) = (Arc::clone(&act), Arc::clone(&seen));
                thread::spawn(move || serve(act.0(socket.unwrap()), number, &act.1, &seen));
            }
        });
        Stub { url, calls }
    }

    /// The calls so far, without the ping that a client starts with.
    pub fn calls(&self) -> Vec<Call> {
        let calls = self.calls.lock().unwrap();
        let first = calls.iter().position(|(_, name)| name == "ping");
        let rest = calls.iter().enumerate().filter(|(place, _)| Some(*place) != first);
        rest.map(|(_, call)| call.clone()).collect()
    }

    /// The calls so far in one line, such as `0:get 1:get`.
    pub fn shown(&self) -> String {
        let calls: Vec<String> = self
            .calls()
            .iter()
            .map(|(number, name)| format!("{number}:{name}"))
            .collect();
        calls.join(" ")
    }
}

fn serve(mut socket: impl Read + Write, number: usize, act: &dyn Fn(&str, usize) -> Act, seen: &Mutex<Vec<Call>>) {
    let mut length = [0; 4];
    while socket.read_exact(&mut length).is_ok() {
        let mut frame = vec![0; u32::from_be_bytes(length) as usize];
        socket.read_exact(&mut frame).unwrap();
        assert_eq!(frame[..4], [0x80, 1, 0, 1], "a call in the strict protocol");
        let end = 8 + u32::from_be_bytes(frame[4..8].try_into().unwrap()) as usize;
        let name = String::from_utf8(frame[8..end].to_vec()).unwrap();
        let before = {
            let mut seen = seen.lock().unwrap();
            let before = seen.iter().filter(|(_, other)| *other == name).count();
            seen.push((number, name.clone()));
            before
        };
        let heading = |kind| [&[0x80, 1, 0, kind], &frame[4..end + 4]].concat();
        let answer = match act(&name, before) {
            Act::Answer(result) => [heading(2), result].concat(),
            Act::Exception(kind) => [heading(3), vec![8, 0, 2, 0, 0, 0, kind, 0]].concat(),
            Act::Raw(bytes) => bytes,
            Act::Close => return,
            Act::Hang => return thread::sleep(Duration::from_secs(3)),
        };
        let frame = [&(answer.len() as u32).to_be_bytes()[..], &answer].concat();
        if socket.write_all(&frame).is_err() {
            return;
        }
    }
}
