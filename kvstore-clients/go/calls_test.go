package kvstore

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"kvstore.io/client/kvstorethrift"
)

func TestScanFollowsContinuationsToItsLimit(t *testing.T) {
	s := newStub(t, plain)
	for i := range 10 {
		s.values[fmt.Sprint(i)] = []byte{byte(i)}
	}
	table := s.client(t).Table("d", "t")
	for _, c := range []struct{ limit, page, entries, pages int }{
		{0, 4, 10, 3}, {0, 10, 10, 1}, {8, 4, 8, 2}, {3, 0, 3, 1}, {5, 4, 5, 2}, {20, 5, 10, 2},
	} {
		before, got := s.count("scan"), 0
		for entry, err := range table.Scan(t.Context(), ScanOptions{Limit: c.limit, PageEntries: c.page}) {
			if err != nil || string(entry.Key) != fmt.Sprint(got) || entry.Value[0] != byte(got) {
				t.Fatalf("%+v: %q %v", c, entry.Key, err)
			}
			got++
		}
		expect(t, fmt.Sprintf("entries of %+v", c), got, c.entries)
		expect(t, fmt.Sprintf("pages of %+v", c), s.count("scan")-before, c.pages)
	}
}

func TestScanGoesOnAfterABrokenConnectionAndEndsWithItsError(t *testing.T) {
	s := newStub(t, plain)
	for i := range 10 {
		s.values[fmt.Sprint(i)] = []byte{}
	}
	table := s.client(t).Table("d", "t")
	got, failures := 0, 0
	for entry, err := range table.Scan(t.Context(), ScanOptions{PageEntries: 3}) {
		switch {
		case err != nil:
			failures++
			expectIs(t, err, ErrConnectionFailed)
		case string(entry.Key) != fmt.Sprint(got):
			t.Fatalf("%q", entry.Key)
		default:
			got++
		}
		if got == 2 {
			s.fail("scan", drop)
		}
		if got == 5 {
			s.fail("scan", drop, drop, drop)
		}
	}
	expect(t, "entries", got, 6)
	expect(t, "errors", failures, 1)
}

func TestScanStopsWhenTheLoopDoes(t *testing.T) {
	s := newStub(t, plain)
	for i := range 10 {
		s.values[fmt.Sprint(i)] = []byte{}
	}
	for range s.client(t).Table("d", "t").Scan(t.Context(), ScanOptions{PageEntries: 3}) {
		break
	}
	expect(t, "pages", s.count("scan"), 1)
}

func TestTableIsOrderedUnlessTheServerSaysNo(t *testing.T) {
	s := newStub(t, plain)
	table := s.client(t).Table("d", "t")
	for told, want := range map[*bool]bool{nil: true, thrift.BoolPtr(true): true, thrift.BoolPtr(false): false} {
		s.mu.Lock()
		s.ordered = told
		s.mu.Unlock()
		info, err := table.Describe(t.Context())
		if err != nil || info.Ordered != want {
			t.Errorf("ordered is %v, not %v: %v", info.Ordered, want, err)
		}
	}
}

func TestSnapshotEndsWithItsConnection(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	snapshot, err := client.Snapshot(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	view := snapshot.Table("d", "t")
	if _, _, err := view.Get(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	s.fail("get", drop)
	_, _, err = view.Get(t.Context(), key)
	expectIs(t, err, ErrConnectionFailed)
	expect(t, "gets", s.count("get"), 2)
	_, _, err = view.Get(t.Context(), key)
	expectIs(t, err, ErrSnapshotExpired)
	expect(t, "gets", s.count("get"), 2)
	if err := snapshot.Close(); err != nil {
		t.Error(err)
	}
	expect(t, "connections", s.accepted(), 1)
	expect(t, "open snapshots", len(client.snapshots), 0)
}

func TestSnapshotIsClosedByItsClientAndTwice(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	s.fail("openSnapshot", drop, drop)
	snapshot, err := client.Snapshot(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(client.Close(), snapshot.Close(), snapshot.Close()); err != nil {
		t.Error(err)
	}
	expect(t, "closings", s.count("closeSnapshot"), 1)
	_, err = snapshot.Table("d", "t").Contains(t.Context(), key)
	expectIs(t, err, ErrSnapshotExpired)
}

func TestBatchNamesOtherTablesOnly(t *testing.T) {
	s := newStub(t, plain)
	batch := s.client(t).Batch("d")
	_, err := batch.Write(t.Context())
	expectIs(t, err, ErrInvalidRequest)
	batch.Put("a", key, nil).Remove("b", key).Put("a", key, []byte("v"))
	if first, second, third := batch.mutations[0].Table, batch.mutations[1].Table, batch.mutations[2].Table; batch.table != "a" ||
		first != nil || *second != "b" || third != nil {
		t.Errorf("%+v", batch)
	}
	if !batch.mutations[0].IsSetValue() || batch.mutations[1].IsSetValue() {
		t.Error("an empty value is put, no value is removed")
	}
	if place, err := batch.Write(t.Context()); err != nil || place != 3 {
		t.Errorf("%d %v", place, err)
	}
	_, err = batch.Check("a", key, Absent()).Check("b", key, ValueIs(nil)).Write(t.Context())
	var failure *Error
	if !errors.Is(err, ErrConditionFailed) || !errors.As(err, &failure) || failure.FailedCheck != 1 {
		t.Error(err)
	}
	expect(t, "connections", s.accepted(), 1)
}

func TestCheckpointIsAwaitedAndNamesNoTable(t *testing.T) {
	s := newStub(t, plain)
	s.operation = &kvstorethrift.Operation{
		OperationID: 9, Kind: kvstorethrift.OperationKind_CHECKPOINT, State: kvstorethrift.OperationState_DONE, Seconds: 1.5,
	}
	done, err := s.client(t).Checkpoint(t.Context())
	if err != nil || done.ID != 9 || done.State != StateDone || done.Elapsed.Milliseconds() != 1500 || done.Table != "" {
		t.Errorf("%+v %v", done, err)
	}
	if s.started.Kind != kvstorethrift.OperationKind_CHECKPOINT || s.started.Table != nil {
		t.Errorf("%+v", s.started)
	}
}

func TestFailedOperationIsItsFailure(t *testing.T) {
	s := newStub(t, plain)
	s.operation = &kvstorethrift.Operation{
		OperationID: 9, Kind: kvstorethrift.OperationKind_VERIFY, State: kvstorethrift.OperationState_FAILED,
		Error: &kvstorethrift.ServiceError{Code: kvstorethrift.ErrorCode_CORRUPTION, Message: thrift.StringPtr("page 7")},
	}
	operation, err := s.client(t).Table("d", "t").Verify(t.Context())
	expectIs(t, err, ErrCorruption)
	if operation.ID != 9 || operation.State != StateFailed || s.started.Table.Table != "t" {
		t.Errorf("%+v", operation)
	}
}

func TestRenameGivesTheHandleOfTheNewName(t *testing.T) {
	s := newStub(t, plain)
	table := s.client(t).Table("d", "t")
	renamed, err := table.Rename(t.Context(), "new")
	if err != nil || renamed.Database() != "d" || renamed.Name() != "new" || table.Name() != "t" {
		t.Fatalf("%v %v %v", renamed, table, err)
	}
	info, err := renamed.Alter(t.Context(), map[string]string{"DURABILITY": "sync"})
	if err != nil || info.Table != "new" || info.Options["DURABILITY"] != "sync" || s.altered["DURABILITY"] != "sync" {
		t.Errorf("%+v %v", info, err)
	}
}

func TestBackupsAreListedAndDeleted(t *testing.T) {
	s := newStub(t, plain)
	s.backups = []*kvstorethrift.Backup{
		{BackupID: 1, TimeMillis: 1_700_000_000_123, Lsn: 7, StoreBytes: 1 << 40, WrittenBytes: 3},
		{BackupID: 2, Damage: thrift.StringPtr("no description")},
	}
	client := s.client(t)
	s.fail("backups", drop)
	backups, err := client.Backups(t.Context())
	if err != nil || len(backups) != 2 || backups[1].Damage != "no description" {
		t.Fatalf("%+v %v", backups, err)
	}
	want := Backup{ID: 1, Time: time.UnixMilli(1_700_000_000_123), LSN: 7, StoreBytes: 1 << 40, WrittenBytes: 3}
	if backups[0] != want {
		t.Errorf("%+v", backups[0])
	}
	if err := client.DeleteBackup(t.Context(), 1); err != nil {
		t.Error(err)
	}
	if backups, err := client.Backups(t.Context()); err != nil || len(backups) != 1 || backups[0].ID != 2 {
		t.Errorf("%+v %v", backups, err)
	}
}

func TestJobsOfBackupsNameNoTable(t *testing.T) {
	s := newStub(t, plain)
	client := s.client(t)
	restore := Restore{BackupID: 1 << 40, Database: "d", RestoredAs: "e"}
	for kind, run := range map[kvstorethrift.OperationKind]func() (Operation, error){
		kvstorethrift.OperationKind_BACKUP:         func() (Operation, error) { return client.Backup(t.Context()) },
		kvstorethrift.OperationKind_VERIFY_BACKUPS: func() (Operation, error) { return client.VerifyBackups(t.Context()) },
		kvstorethrift.OperationKind_RESTORE:        func() (Operation, error) { return client.Restore(t.Context(), restore) },
	} {
		s.operation = &kvstorethrift.Operation{
			OperationID: 9, Kind: kind, State: kvstorethrift.OperationState_DONE, Backup: &kvstorethrift.Backup{BackupID: 3},
			Restore: &kvstorethrift.Restore{BackupID: restore.BackupID, Database: "d", RestoredAs: "e"},
		}
		done, err := run()
		if err != nil || done.Kind != OperationKind(kind) || done.Backup.ID != 3 || *done.Restore != restore {
			t.Errorf("%v: %+v %v", kind, done, err)
		}
		sent := s.started
		if sent.Kind != kind || sent.Table != nil || sent.IsSetRestore() != (kind == kvstorethrift.OperationKind_RESTORE) {
			t.Errorf("%v: %+v", kind, sent)
		}
		want := kvstorethrift.Restore{BackupID: 1 << 40, Database: "d", RestoredAs: "e"}
		if sent.IsSetRestore() && *sent.Restore != want {
			t.Errorf("%+v", sent.Restore)
		}
	}
}
