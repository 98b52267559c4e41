package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	kvstore "kvstore.io/client"
)

// check ends a scenario at the first thing that does not hold.
type check struct{}

// that ends the scenario unless something holds.
func (c *check) that(holds bool, format string, arguments ...any) {
	if !holds {
		c.fail(fmt.Sprintf(format, arguments...))
	}
}

// must ends the scenario with an error.
func (c *check) must(err error) {
	if err != nil {
		c.fail(err.Error())
	}
}

// is wants an error of a kind and gives it.
func (c *check) is(err, kind error) *kvstore.Error {
	var failure *kvstore.Error
	if !errors.Is(err, kind) || !errors.As(err, &failure) {
		c.fail(fmt.Sprintf("wanted %q, got %v", kind, err))
	}
	return failure
}

// equal wants two numbers or texts to be the same.
func (c *check) equal(what string, got, want any) {
	if got != want {
		c.fail(fmt.Sprintf("%s: %v, not %v", what, got, want))
	}
}

// holds wants a key to have a value; nil: none.
func (c *check) holds(ctx context.Context, view *kvstore.View, key, want []byte) {
	value, found, err := view.Get(ctx, key)
	c.must(err)
	if found != (want != nil) || found != (value != nil) || !bytes.Equal(value, want) {
		c.fail(fmt.Sprintf("%.20q has %v %.20q of %d bytes, not %.20q", key, found, value, len(value), want))
	}
}

// fail ends the scenario and names the line that asked.
func (c *check) fail(message string) {
	_, file, line, _ := runtime.Caller(2) // fail and the check that called it are not of interest
	panic(fmt.Sprintf("%s (%s:%d)", message, filepath.Base(file), line))
}

func contains(names []string, name string) bool {
	return slices.Contains(names, name)
}
