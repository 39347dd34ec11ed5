@testable import Queue

/// How a reader remembers where it is; ``PartitionCursor`` in life.
protocol CursorRule {
  init()
  var last: Int64 { get }
  var holes: [PartitionCursor.Hole] { get }
  var needsNumber: Bool { get }
  func end(ofReading late: [Int64], most: Int) -> Int64?
  /// - Parameter xmax: the reading's snapshot.
  mutating func saw(
    _ ids: [Int64], left: [ClosedRange<Int64>], readsHoles: Bool, xmax: Int64, _ horizon: PartitionCursor.Horizon)
}

extension PartitionCursor: CursorRule {
  mutating func saw(
    _ ids: [Int64], left: [ClosedRange<Int64>], readsHoles: Bool, xmax: Int64, _ horizon: Horizon
  ) {
    saw(ids, left: left, readsHoles: readsHoles, horizon)
  }
}

/// Writers of one key and the runner that reads its partition, poll by poll.
///
/// A poll's rows are in order when nothing is older that its reading could see and that has not been taken. So a
/// transaction that began after another's end is never taken before it: who sees the second sees the first, and every
/// id of the first is lower. Of those that overlap, the one that can be seen first is taken first, as the README says.
/// Transaction numbers grow without end, but only their order counts: see ``key``.
struct CursorModel<Cursor: CursorRule>: SmallModel {
  /// The limits of what writers and the reader may do.
  struct Scope {
    var writers: WriterScope
    /// How many rows a reading brings.
    var batch = 300
    /// Whether a poll may have a number without need, because it settles.
    var settles = false
    /// Whether there may be no room: then what is late stays where it is, and what is new becomes the backlog.
    var leaves = false
    /// Whether what is new is taken while holes are not looked into, as it once was: wrong.
    var passesHoles = false
    /// Whether what stands above a hole that was not read to its end is taken, as it once was: wrong.
    var passesEnds = false
    /// Whether it looks at the locks only after it has read: wrong.
    var looksLate = false
  }

  /// A poll that has begun, as `Reading.request` orders it.
  struct Poll {
    var own: Int64?
    var readsHoles = false
    var asksForAllocators = false
    var oldestAllocator: Int64?
    /// The rows that were read, where the look at the locks comes later.
    var seen: ModelDatabase.Snapshot?
  }

  let scope: Scope
  var database: ModelDatabase
  var cursor = Cursor()
  var poll: Poll?
  /// The rows that were read: those that were taken, and those of the backlog.
  var read = IDSet()
  var backlog = IDSet()
  private(set) var fault: String?

  init(_ scope: Scope) {
    self.scope = scope
    database = ModelDatabase(scope.writers)
  }

  var steps: [(name: StepName, next: Self)] {
    var steps: [(StepName, Self)] = database.steps.map { name, database in
      var next = self
      next.database = database
      return (name, next)
    }
    guard let poll else { return steps + beginnings }
    if poll.asksForAllocators, poll.oldestAllocator == nil, !scope.looksLate {
      var next = self
      next.poll?.oldestAllocator = database.oldestAllocator
      return steps + [(StepName("looks at the sequence's locks"), next)]
    }
    if poll.asksForAllocators, poll.seen == nil, scope.looksLate {
      var next = self
      next.poll?.seen = database.snapshot
      return steps + [(StepName("reads, and does not look at the locks yet"), next)]
    }
    for leaves in scope.leaves ? [false, true] : [false] {
      var next = self
      next.readAndMove(leaves: leaves)
      steps.append((StepName(leaves ? "reads, without room" : "reads"), next))
    }
    return steps
  }

  private var beginnings: [(StepName, Self)] {
    var steps: [(StepName, Self)] = []
    for hasNumber in cursor.needsNumber ? [true] : scope.settles ? [false, true] : [false] {
      func begin(_ name: StaticString, readsHoles: Bool, asks: Bool) {
        var next = self
        next.begin(hasNumber: hasNumber, readsHoles: readsHoles, asks: asks)
        steps.append((StepName(name), next))
      }
      begin("begins a poll", readsHoles: false, asks: false)
      guard !cursor.holes.isEmpty else { continue }
      begin("begins a poll with its holes", readsHoles: true, asks: false)
      begin("begins a poll with its holes and asks who can fill them", readsHoles: true, asks: true)
    }
    return steps
  }

  private mutating func begin(hasNumber: Bool, readsHoles: Bool, asks: Bool) {
    poll = Poll(own: hasNumber ? database.assignNumber() : nil, readsHoles: readsHoles, asksForAllocators: asks)
    database.readers = poll?.own.map { [$0] } ?? []
  }

  /// `EventStore.newEvents(_:_:)`, and `QueueMachine.take(_:now:)` with the rows that it brought.
  ///
  /// The end of the poll's transaction is part of it: only the runner could see that.
  private mutating func readAndMove(leaves: Bool) {
    guard let poll else { return }
    let snapshot = poll.seen ?? database.snapshot
    let brings = poll.readsHoles || cursor.holes.isEmpty || scope.passesHoles
    var new = brings ? Array(snapshot.rows.ids.filter { $0 > cursor.last }.prefix(scope.batch)) : []
    var (late, left) = ([Int64](), [ClosedRange<Int64>]())
    for hole in poll.readsHoles ? cursor.holes : [] {
      let found = snapshot.rows.ids.filter { hole.ids.contains($0) }.prefix(scope.batch)
      if leaves {
        left += hole.exceeds(scope.batch) ? [hole.ids] : found.map { $0...$0 }
      } else {
        late += found
      }
      if scope.passesEnds, found.count == scope.batch, let last = found.last, last < hole.ids.upperBound {
        left.append(last + 1...hole.ids.upperBound)
      }
    }
    let end = scope.passesEnds ? nil : cursor.end(ofReading: late, most: scope.batch)
    if let end {
      (new, late) = ([], late.filter { $0 <= end })
      left.append(end + 1...Int64.max)
    }
    take(late.sorted(), new, readsBacklog: brings && end == nil, leaves: leaves, of: snapshot.rows)
    cursor.saw(
      new + late, left: left, readsHoles: poll.readsHoles, xmax: snapshot.xmax,
      PartitionCursor.Horizon(
        own: poll.own, xmin: snapshot.xmin,
        oldestAllocator: poll.asksForAllocators ? poll.oldestAllocator ?? database.oldestAllocator : nil))
    if let own = poll.own { database.complete(own) }
    (database.readers, self.poll) = ([], nil)
  }

  /// The way that the rows go, as `FunctionQueue` has it.
  ///
  /// Rows above the beginning of a backlog join it. That is read to its end, if at all; in life some may be left.
  private mutating func take(_ late: [Int64], _ new: [Int64], readsBacklog: Bool, leaves: Bool, of visible: IDSet) {
    var taken = read.subtracting(backlog)
    for id in late + new {
      if read.contains(id) { fault = "The id \(id) is read twice." }
      read.insert(id)
    }
    let first = backlog.ids.first ?? .max
    var line = late.filter { $0 < first }
    if leaves || !backlog.isEmpty {
      for id in new + late where leaves || id > first { backlog.insert(id) }
      if readsBacklog, !leaves { (line, backlog) = (line + backlog.ids, IDSet()) }
    } else {
      line += new
    }
    for id in line {
      let older = visible.ids.filter { $0 < id && !taken.contains($0) }
      if !older.isEmpty { fault = "The id \(id) is taken before \(older)." }
      taken.insert(id)
    }
  }

  var violation: String? {
    if let fault { return fault }
    var known = read
    for hole in cursor.holes { known = known.union(IDSet(hole.ids)) }
    let passed = cursor.last > 0 ? IDSet(1...cursor.last).subtracting(known) : IDSet()
    for writer in database.writers {
      let lost = writer.living.intersection(passed)
      if !lost.isEmpty { return "The ids \(lost.ids) are passed over." }
    }
    return database.isOver && poll == nil ? unfinished : nil
  }

  /// When all writers have ended, a few polls read everything and close every hole.
  private var unfinished: String? {
    let committed = database.snapshot.rows
    for asks in [false, true] {
      var model = self
      for _ in 0..<2 + 2 * committed.ids.count / scope.batch {
        let hasHoles = !model.cursor.holes.isEmpty
        model.begin(hasNumber: model.cursor.needsNumber, readsHoles: hasHoles, asks: asks && hasHoles)
        model.readAndMove(leaves: false)
        if let fault = model.fault { return fault }
      }
      let taken = model.read.subtracting(model.backlog)
      if taken != committed { return "The ids \(committed.subtracting(taken).ids) are never taken." }
      if !model.cursor.holes.isEmpty { return "The holes \(model.cursor.holes) stay for ever." }
    }
    return nil
  }
}
