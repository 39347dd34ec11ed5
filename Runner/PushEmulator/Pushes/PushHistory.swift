/// The latest requests in the order of arrival, up to a limit.
struct PushHistory: Sendable {
  /// How many are kept unless an option says otherwise.
  static let defaultCapacity = 50_000

  let capacity: Int
  private var records: [PushRecord] = []
  private var next = 0
  private(set) var lastSeq = 0

  /// - Parameter lastSeq: the last number, if it is higher than those of the records.
  init(
    _ records: some Sequence<PushRecord> = EmptyCollection(), capacity: Int = defaultCapacity, lastSeq: Int = 0
  ) {
    self.capacity = capacity
    for record in records { append(record) }
    if self.records.isEmpty { self.lastSeq = lastSeq }
  }

  mutating func append(_ record: PushRecord) {
    lastSeq = record.seq
    guard records.count == capacity else { return records.append(record) }
    records[next] = record
    next = (next + 1) % capacity
  }

  /// Forgets the records, but not the last number.
  mutating func removeAll() {
    (records, next) = ([], 0)
  }

  /// All of them, oldest first.
  var all: [PushRecord] { next == 0 ? records : Array(records[next...] + records[..<next]) }

  /// The push of that number, while it is kept.
  subscript(seq: Int) -> PushRecord? {
    let place = records.count - 1 - (lastSeq - seq)
    guard records.indices.contains(place) else { return nil }
    let record = records[(next + place) % records.count]
    return record.seq == seq ? record : nil
  }

  /// The answer to a query.
  func page(_ query: PushQuery) -> Page {
    var scan = PushScan(query, in: self)
    scan.advance(in: self)
    return scan.page
  }

  /// A part of the history and where the next part begins.
  struct Page: Sendable {
    let records: [PushRecord]
    /// The `since` of the query that goes on from here.
    let next: Int
  }
}

/// The answer to a query while pushes still come.
///
/// It checks each push once.
struct PushScan: Sendable {
  let query: PushQuery
  private var position: Int
  private var matches: [PushRecord] = []

  init(_ query: PushQuery, in history: PushHistory) {
    self.query = query
    // A number from before a restart without records counts as the latest.
    position = min(query.since, history.lastSeq)
  }

  /// Checks the pushes that have come since.
  mutating func advance(in history: PushHistory) {
    // The records' numbers have no gaps. Those that a reset removed are skipped.
    for seq in stride(from: max(position, history.lastSeq - history.capacity) + 1, through: history.lastSeq, by: 1) {
      if isFull { return }
      position = seq
      guard let record = history[seq], query.matches(record) else { continue }
      matches.append(record)
    }
    if !isFull { position = history.lastSeq }
  }

  /// Whether the wanted number of pushes is there.
  var isEnough: Bool { matches.count >= min(query.count, query.limit) }

  var page: PushHistory.Page {
    PushHistory.Page(records: query.last.map { matches.suffix($0) } ?? matches, next: position)
  }

  private var isFull: Bool { query.last == nil && matches.count >= query.limit }
}
