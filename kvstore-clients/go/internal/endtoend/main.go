// Command endtoend tests the client against a running server: endtoend HOST:PORT [TOKEN]. It prints a line for each scenario
// and ends with 0 when all hold.
//
// The environment variable KVSTORE_E2E_RESTART may have a shell command that restarts the server with its data on the same
// port.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"time"

	kvstore "kvstore.io/client"
)

var engines = []string{"bplus", "lsm"}

// run is one test of a server.
type run struct {
	address  string
	token    string
	database string
	client   *kvstore.Client
	info     kvstore.ServerInfo
	failed   bool
}

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: endtoend HOST:PORT [TOKEN]")
		os.Exit(1)
	}
	r := &run{address: os.Args[1], database: "e2e_go_" + rand.Text()[:10]}
	if len(os.Args) == 3 {
		r.token = os.Args[2]
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	r.all(ctx)
	if r.failed {
		os.Exit(1)
	}
}

// all does all scenarios and drops the database at the end.
func (r *run) all(ctx context.Context) {
	client, err := kvstore.Open(r.url(r.token))
	if err != nil {
		r.report("open", err)
		return
	}
	r.client = client
	defer client.Close()
	if !r.scenario(ctx, "database and tables", r.definitions) {
		r.scenario(ctx, "clean up", r.cleanUp)
		return
	}
	for _, engine := range engines {
		table := client.Table(r.database, engine)
		for _, one := range []struct {
			name string
			body func(context.Context, *check, *kvstore.Table)
		}{
			{"values", r.values},
			{"large values", r.largeValues},
			{"get all", r.getAll},
			{"conditions", r.conditions},
			{"merges", r.merges},
			{"batch", r.batch},
			{"scan", r.scan},
			{"count", r.count},
			{"snapshot", r.snapshot},
			{"rename", r.rename},
			{"alter", r.alter},
		} {
			r.scenario(ctx, one.name+" ("+engine+")", func(ctx context.Context, c *check) { one.body(ctx, c, table) })
		}
	}
	r.scenario(ctx, "own order (hash)", r.ownOrder)
	r.scenario(ctx, "stats and operations", r.operations)
	if r.backsUp(ctx) {
		r.scenario(ctx, "backups", r.backups)
	} else {
		fmt.Println("skipped backups: the server has no directory for them")
	}
	r.scenario(ctx, "errors", r.errors)
	r.scenario(ctx, "contexts", r.contexts)
	r.scenario(ctx, "goroutines", r.goroutines)
	if os.Getenv("KVSTORE_E2E_RESTART") == "" {
		fmt.Println("skipped restart: KVSTORE_E2E_RESTART is not set")
	} else {
		r.scenario(ctx, "restart", r.restart)
	}
	r.scenario(ctx, "no connection", r.noConnection)
	if r.token == "" {
		fmt.Println("skipped token: no TOKEN is given")
	} else {
		r.scenario(ctx, "token", r.tokens)
	}
	r.scenario(ctx, "clean up", r.cleanUp)
}

// url gives the server's URL with a token, or none.
func (r *run) url(token string) string {
	address := url.URL{Scheme: "kvstore", Host: r.address}
	if token != "" {
		address.User = url.User(token)
	}
	return address.String()
}

// scenario does one scenario and prints how it ended. It tells whether it held.
func (r *run) scenario(ctx context.Context, name string, body func(context.Context, *check)) (held bool) {
	defer func() {
		failure := recover()
		r.report(name, failure)
		held = failure == nil
	}()
	body(ctx, &check{})
	return
}

func (r *run) report(name string, failure any) {
	if failure != nil {
		r.failed = true
		fmt.Printf("not ok %s: %v\n", name, failure)
		return
	}
	fmt.Println("ok " + name)
}

// cleanUp drops the database with its tables, also when the time of the scenarios is over.
func (r *run) cleanUp(ctx context.Context, c *check) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	tables, err := r.client.Tables(ctx, r.database)
	c.must(err)
	for _, table := range tables {
		c.must(r.client.Table(r.database, table).Drop(ctx))
	}
	c.must(r.client.DropDatabase(ctx, r.database))
	names, err := r.client.Databases(ctx)
	c.must(err)
	c.that(!contains(names, r.database), "the database is there after it was dropped")
}
