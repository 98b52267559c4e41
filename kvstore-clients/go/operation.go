package kvstore

import (
	"context"
	"time"

	"kvstore.io/client/kvstorethrift"
)

// OperationKind is what a job on the server does.
type OperationKind int32

// The kinds of operations.
const (
	// KindFlush brings a table's memory to its files.
	KindFlush = OperationKind(kvstorethrift.OperationKind_FLUSH)
	// KindCheckpoint makes a checkpoint of the store.
	KindCheckpoint = OperationKind(kvstorethrift.OperationKind_CHECKPOINT)
	// KindOptimize compacts a table, or puts its values in order.
	KindOptimize = OperationKind(kvstorethrift.OperationKind_OPTIMIZE)
	// KindVerify reads all of a table and checks it.
	KindVerify = OperationKind(kvstorethrift.OperationKind_VERIFY)
	// KindBackup makes a backup of the store.
	KindBackup = OperationKind(kvstorethrift.OperationKind_BACKUP)
	// KindVerifyBackups reads every byte of all backups and checks it.
	KindVerifyBackups = OperationKind(kvstorethrift.OperationKind_VERIFY_BACKUPS)
	// KindRestore puts a database of a backup into a new one.
	KindRestore = OperationKind(kvstorethrift.OperationKind_RESTORE)
)

// String gives the kind's name in the API, such as VERIFY.
func (k OperationKind) String() string { return kvstorethrift.OperationKind(k).String() }

// OperationState is how far a job is.
type OperationState int32

// The states of operations.
const (
	StateRunning   = OperationState(kvstorethrift.OperationState_RUNNING)
	StateDone      = OperationState(kvstorethrift.OperationState_DONE)
	StateFailed    = OperationState(kvstorethrift.OperationState_FAILED)
	StateCancelled = OperationState(kvstorethrift.OperationState_CANCELLED)
)

// String gives the state's name in the API, such as DONE.
func (s OperationState) String() string { return kvstorethrift.OperationState(s).String() }

// Finding is a damaged place that a verification found.
type Finding struct {
	Place   string
	Message string
}

// Operation is a job that runs on the server. It goes on when the connection ends; the last 100 ended ones are remembered.
type Operation struct {
	ID   int64
	Kind OperationKind
	// Database and Table are those of a flush, an optimization and a verification, and else empty.
	Database string
	Table    string
	State    OperationState
	Elapsed  time.Duration
	// DoneBytes and TotalBytes tell how far a job is that can be cancelled; 0 for others. See [Client.CancelOperation].
	DoneBytes  int64
	TotalBytes int64
	// FindingsTotal is how many findings a verification has, of a table or of backups; Findings are the first of them.
	FindingsTotal int64
	Findings      []Finding
	// Failure is why a failed operation failed, and else nil.
	Failure *Error
	// Backup is what a backup that is done has made, and else nil.
	Backup *Backup
	// Restore is what a restore was asked for, and nil for other jobs.
	Restore *Restore
}

// Flush brings the table's memory to its files and waits for that.
func (t *Table) Flush(ctx context.Context) (Operation, error) { return t.runToEnd(ctx, KindFlush) }

// Optimize compacts the table, or puts its values in order, and waits for that. A cancellation is not an error: see State.
func (t *Table) Optimize(ctx context.Context) (Operation, error) {
	return t.runToEnd(ctx, KindOptimize)
}

// Verify reads all of the table, checks it and waits for that. Findings are not an error: see FindingsTotal.
func (t *Table) Verify(ctx context.Context) (Operation, error) { return t.runToEnd(ctx, KindVerify) }

// Start starts a job on the table and does not wait: KindFlush, KindOptimize or KindVerify. See [Client.Await].
func (t *Table) Start(ctx context.Context, kind OperationKind) (Operation, error) {
	return t.client.start(ctx, t.request(kind))
}

func (t *Table) runToEnd(ctx context.Context, kind OperationKind) (Operation, error) {
	return t.client.runToEnd(ctx, t.request(kind))
}

func (t *Table) request(kind OperationKind) *kvstorethrift.OperationRequest {
	return &kvstorethrift.OperationRequest{Kind: kvstorethrift.OperationKind(kind), Table: t.name}
}

// Checkpoint makes a checkpoint of the store and waits for that.
func (c *Client) Checkpoint(ctx context.Context) (Operation, error) {
	return c.runToEnd(ctx, &kvstorethrift.OperationRequest{Kind: kvstorethrift.OperationKind_CHECKPOINT})
}

// StartCheckpoint starts a checkpoint of the store and does not wait. See [Client.Await].
func (c *Client) StartCheckpoint(ctx context.Context) (Operation, error) {
	return c.start(ctx, &kvstorethrift.OperationRequest{Kind: kvstorethrift.OperationKind_CHECKPOINT})
}

func (c *Client) runToEnd(ctx context.Context, request *kvstorethrift.OperationRequest) (Operation, error) {
	started, err := c.start(ctx, request)
	if err != nil {
		return Operation{}, err
	}
	return c.Await(ctx, started.ID)
}

func (c *Client) start(ctx context.Context, request *kvstorethrift.OperationRequest) (Operation, error) {
	return toOperation(fetch(ctx, c, writing, func(ctx context.Context, calls *api) (*kvstorethrift.Operation, error) {
		return calls.StartOperation(ctx, request)
	}))
}

// Await asks until an operation has ended, as long as the context allows: the timeout of a call does not limit it. A failed
// operation is returned with its failure as error.
func (c *Client) Await(ctx context.Context, operationID int64) (Operation, error) {
	for interval := 5 * time.Millisecond; ; interval = min(2*interval, 500*time.Millisecond) {
		operation, err := c.Operation(ctx, operationID)
		switch {
		case err != nil:
			return Operation{}, err
		case operation.State == StateFailed:
			return operation, operation.failure()
		case operation.State != StateRunning:
			return operation, nil
		}
		if !wait(ctx, interval) {
			return operation, &Error{Message: "the operation goes on, but is not awaited any more", cause: ctx.Err()}
		}
	}
}

// Operation tells how far a job is. A failed one is not an error here: see Failure.
func (c *Client) Operation(ctx context.Context, operationID int64) (Operation, error) {
	return toOperation(fetch(ctx, c, reading, func(ctx context.Context, calls *api) (*kvstorethrift.Operation, error) {
		return calls.Operation(ctx, operationID)
	}))
}

// Operations gives the jobs that run and those that ended lately, oldest first.
func (c *Client) Operations(ctx context.Context) ([]Operation, error) {
	answer, err := fetch(ctx, c, reading, func(ctx context.Context, calls *api) ([]*kvstorethrift.Operation, error) {
		return calls.Operations(ctx)
	})
	operations := make([]Operation, len(answer))
	for i, operation := range answer {
		operations[i], _ = toOperation(operation, nil)
	}
	return operations, err
}

// CancelOperation asks an optimization, a backup, a verification of backups or a restore to stop at its next safe point. A
// backup or restore that stopped leaves nothing. Other jobs run to their end.
func (c *Client) CancelOperation(ctx context.Context, operationID int64) (Operation, error) {
	return toOperation(fetch(ctx, c, writing, func(ctx context.Context, calls *api) (*kvstorethrift.Operation, error) {
		return calls.CancelOperation(ctx, operationID)
	}))
}

// failure gives the error of a failed operation.
func (o Operation) failure() *Error {
	if o.Failure == nil {
		return &Error{Code: CodeInternalError, Message: "the operation failed and does not say why"}
	}
	return o.Failure
}

func toOperation(answer *kvstorethrift.Operation, err error) (Operation, error) {
	if err != nil {
		return Operation{}, err
	}
	operation := Operation{
		ID:            answer.OperationID,
		Kind:          OperationKind(answer.Kind),
		State:         OperationState(answer.State),
		Elapsed:       time.Duration(answer.Seconds * float64(time.Second)),
		DoneBytes:     answer.GetDoneBytes(),
		TotalBytes:    answer.GetTotalBytes(),
		FindingsTotal: answer.GetFindingsTotal(),
	}
	if answer.Table != nil {
		operation.Database, operation.Table = answer.Table.Database, answer.Table.Table
	}
	for _, finding := range answer.Findings {
		operation.Findings = append(operation.Findings, Finding{Place: finding.Place, Message: finding.Message})
	}
	if answer.Error != nil {
		operation.Failure = fromService(answer.Error)
	}
	if answer.Backup != nil {
		backup := toBackup(answer.Backup)
		operation.Backup = &backup
	}
	if answer.Restore != nil {
		operation.Restore = &Restore{
			BackupID: answer.Restore.BackupID, Database: answer.Restore.Database, RestoredAs: answer.Restore.RestoredAs,
		}
	}
	return operation, nil
}
