//! The end-to-end test: `e2e HOST:PORT [TOKEN]` against a running server.

mod changes;
mod harness;
mod many;
mod names;
mod reads;
mod scans;
mod writes;

use std::process::ExitCode;

use harness::Run;
use kvstore_client::{Client, Options};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (address, token) = match &arguments[..] {
        [address] => (address, None),
        [address, token] => (address, Some(token)),
        _ => {
            eprintln!("usage: e2e HOST:PORT [TOKEN]");
            return ExitCode::FAILURE;
        }
    };
    let url = format!("kvstore://{address}");
    let mut options = Options::new(&url).expect("an address").pool(4);
    if let Some(token) = token {
        options = options.token(token);
    }
    let mut run = match Client::with_options(options.clone()) {
        Ok(client) => Run::new(client, options, url),
        Err(error) => {
            println!("not ok connect: {error}");
            return ExitCode::FAILURE;
        }
    };
    scenarios(&mut run, token.is_some());
    run.check("clean up", |test| test.clean_up());
    run.end()
}

fn scenarios(run: &mut Run, token: bool) {
    run.check("server and names", names::server_and_names);
    for engine in ["bplus", "lsm"] {
        let mut check = |name: &str, scenario: fn(&harness::Test, &str)| {
            run.check(&format!("{name} ({engine})"), |test| scenario(test, engine));
        };
        check("put, get, contains, remove", writes::values);
        check("large values", writes::large_values);
        check("get_all", reads::get_all);
        check("conditions", writes::conditions);
        check("merges", writes::merges);
        check("batch", writes::batch);
        check("scans", scans::scans);
        check("values too large for a page", scans::large_entries);
        check("count", reads::count);
        check("snapshot", reads::snapshot);
        check("rename", changes::rename);
        check("alter", changes::alter);
    }
    run.check("own order (hash)", scans::own_order);
    run.check("a snapshot's lease", reads::lease);
    run.check("stats and operations", names::stats_and_operations);
    match changes::backs_up(run.test()) {
        true => run.check("backups", changes::backups),
        false => println!("skipped backups: the server has no directory for them"),
    }
    run.check("errors", names::errors);
    run.check("dropped in the middle of a scan", scans::dropped);
    run.check("threads", many::threads);
    match std::env::var("KVSTORE_E2E_RESTART") {
        Ok(command) => run.check("restart", |test| many::restart(test, &command)),
        Err(_) => println!("skipped restart: KVSTORE_E2E_RESTART is not set"),
    }
    run.check("addresses", names::addresses);
    match token {
        true => run.check("tokens", names::tokens),
        false => println!("skipped tokens: no token is given"),
    }
}
