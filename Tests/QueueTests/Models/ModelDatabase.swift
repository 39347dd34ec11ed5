/// The limits of what writers of one partition may do in a model.
struct WriterScope: Hashable {
  /// How many ids each writer may draw, one entry a writer.
  var draws: [UInt8]
  /// Whether writers may use a savepoint.
  var savepoints = false
  var prepares = false
  var rollsBack = true
}

/// PostgreSQL as far as its writers and its snapshots go: one partition of the queue.
struct ModelDatabase: Hashable {
  /// A snapshot as `GetSnapshotData` in `procarray.c` takes it.
  struct Snapshot {
    /// One past the highest transaction that has *ended*; running ones may be above.
    var xmax: Int64
    /// The lowest running one below xmax, or xmax.
    var xmin: Int64
    /// The ids of rows that are visible.
    var rows: IDSet
  }

  let scope: WriterScope
  var writers: [ModelWriter]
  /// `latestCompletedXid`.
  var latestCompleted: Int64 = 0
  var nextNumber: Int64 = 1
  var nextID: Int64 = 1
  /// The readers' own transactions, while they run.
  var readers: [Int64] = []

  init(_ scope: WriterScope) {
    self.scope = scope
    writers = scope.draws.map { ModelWriter(drawsLeft: $0, savepointsLeft: scope.savepoints ? 1 : 0) }
  }

  mutating func assignNumber() -> Int64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// The end of a transaction or of a subtransaction that is rolled back (`XidCacheRemoveRunningXids`).
  mutating func complete(_ number: Int64) { latestCompleted = max(latestCompleted, number) }

  var snapshot: Snapshot {
    let xmax = latestCompleted + 1
    var (xmin, rows) = (min(xmax, readers.min() ?? xmax), IDSet())
    for writer in writers {
      if writer.isRunning, writer.number < xmin { xmin = writer.number }
      if writer.isVisible { rows = rows.union(writer.drawn) }
    }
    return Snapshot(xmax: xmax, xmin: xmin, rows: rows)
  }

  /// The oldest transaction that holds the lock on the partition's sequence, `.max` where there is none.
  ///
  /// `pg_locks` is not read in one instant. But such a lock is held without a break from the draw to the end, and moves
  /// to a prepared transaction's stand-in from where it is looked for first to where it is looked for later.
  var oldestAllocator: Int64 {
    writers.filter { $0.holdsSequence && $0.phase != .ended }.map(\.number).min() ?? .max
  }

  var isOver: Bool { writers.allSatisfy { $0.phase == .ended } }

  /// The next steps that writers may take.
  var steps: [(name: StepName, next: ModelDatabase)] {
    var steps: [(StepName, ModelDatabase)] = []
    for index in writers.indices {
      for step in Step.allCases where allows(step, of: writers[index]) {
        var next = self
        next.take(step, of: index)
        steps.append((StepName(index, step.name), next))
      }
    }
    return steps
  }

  enum Step: CaseIterable {
    case begin, savepoint, subnumber, draw, rollBackTo, release, prepare, commit, rollBack, unlock

    var name: StaticString {
      switch self {
      case .begin: "takes a transaction number"
      case .savepoint: "sets a savepoint"
      case .subnumber: "takes the savepoint's transaction number"
      case .draw: "draws an id and inserts"
      case .rollBackTo: "rolls back to the savepoint"
      case .release: "releases the savepoint"
      case .prepare: "is prepared"
      case .commit: "commits: it leaves the running set"
      case .rollBack: "rolls back: it leaves the running set"
      case .unlock: "releases its locks"
      }
    }
  }

  private func allows(_ step: Step, of writer: ModelWriter) -> Bool {
    let isOpen = writer.phase == .running && !writer.isInSavepoint
    return switch step {
    case .begin: writer.phase == .idle
    case .savepoint: isOpen && writer.savepointsLeft > 0 && writer.drawsLeft > 0
    case .subnumber: writer.isInSavepoint && writer.subnumber == 0
    case .draw: writer.phase == .running && writer.drawsLeft > 0
    case .rollBackTo: writer.isInSavepoint && !writer.inSavepoint.isEmpty
    case .release: writer.isInSavepoint && !writer.inSavepoint.isEmpty && writer.subnumber != 0
    case .prepare: isOpen && scope.prepares && writer.holdsSequence
    case .commit: isOpen || writer.phase == .prepared
    case .rollBack: (isOpen || writer.phase == .prepared) && scope.rollsBack && !writer.drawn.isEmpty
    case .unlock: writer.phase == .completed
    }
  }

  mutating func take(_ step: Step, of index: Int) {
    switch step {
    case .begin:
      writers[index].number = assignNumber()
      writers[index].phase = .running
    case .savepoint:
      writers[index].isInSavepoint = true
      writers[index].savepointsLeft -= 1
    case .subnumber:
      writers[index].subnumber = assignNumber()
    case .draw:
      if writers[index].isInSavepoint {
        writers[index].inSavepoint.insert(nextID)
      } else {
        writers[index].drawn.insert(nextID)
      }
      writers[index].holdsSequence = true
      writers[index].drawsLeft -= 1
      nextID += 1
    case .rollBackTo:
      complete(writers[index].subnumber)
      (writers[index].isInSavepoint, writers[index].inSavepoint, writers[index].subnumber) = (false, IDSet(), 0)
    case .release:
      writers[index].drawn = writers[index].living
      (writers[index].isInSavepoint, writers[index].inSavepoint) = (false, IDSet())
    case .prepare:
      writers[index].phase = .prepared
    case .commit, .rollBack:
      writers[index].commits = step == .commit
      complete(max(writers[index].number, writers[index].subnumber))
      writers[index].phase = writers[index].holdsSequence ? .completed : .ended
    case .unlock:
      writers[index].phase = .ended
    }
  }
}
