/// A transaction that writes into one partition, step by step as PostgreSQL takes it.
///
/// Nobody can see its row before it has ended: so the insert is one step with the draw of its id.
struct ModelWriter: Hashable {
  /// Where it stands, in the order of `CommitTransaction` and `AbortTransaction` in `xact.c`.
  ///
  /// The outcome is recorded (`RecordTransactionCommit`), then the transaction leaves the running set
  /// (`ProcArrayEndTransaction`), which makes it visible, and only then its locks are released
  /// (`ResourceOwnerRelease`). `FinishPreparedTransaction` in `twophase.c` has the same order. The first of the three
  /// is not a step of its own: snapshots go by the running set alone. While a transaction is being prepared, its
  /// stand-in enters the running set before the session leaves it (`MarkAsPrepared` before `ProcArrayClearTransaction`)
  /// and takes its locks over: so nothing else changes by that.
  enum Phase: UInt8 {
    case idle, running, prepared, completed, ended
  }

  var phase = Phase.idle
  var commits = false
  var number: Int64 = 0
  /// The number of its subtransaction, above the transaction's own, see `AssignTransactionId`; 0 where it has none.
  var subnumber: Int64 = 0
  var isInSavepoint = false
  /// Whether it holds the lock on the partition's sequence: the top transaction has it, also for draws of a subtransaction
  /// that was rolled back, see `lock_and_open_sequence` in `sequence.c`.
  var holdsSequence = false
  /// The ids of rows that would be committed.
  var drawn = IDSet()
  /// The ids of rows that may still be rolled back alone.
  var inSavepoint = IDSet()
  var drawsLeft: UInt8
  var savepointsLeft: UInt8

  /// Whether it is in the array of running transactions.
  var isRunning: Bool { phase == .running || phase == .prepared }

  /// Whether its rows can be seen by new snapshots.
  var isVisible: Bool { commits && (phase == .completed || phase == .ended) }

  /// The rows that may still be committed, or were.
  var living: IDSet { phase.rawValue < Phase.completed.rawValue || commits ? drawn.union(inSavepoint) : IDSet() }
}
