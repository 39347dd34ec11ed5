/// The latest requests in the order of arrival, a bounded number of them.
struct PushHistory: Sendable {
  /// How many are kept.
  static let capacity = 10_000

  private var records: [PushRecord] = []
  private var next = 0
  private(set) var lastSeq = 0

  init(_ records: some Sequence<PushRecord> = EmptyCollection()) {
    for record in records { append(record) }
  }

  mutating func append(_ record: PushRecord) {
    lastSeq = record.seq
    guard records.count == Self.capacity else { return records.append(record) }
    records[next] = record
    next = (next + 1) % Self.capacity
  }

  /// Forgets the records, but not how far the numbers got.
  mutating func removeAll() {
    (records, next) = ([], 0)
  }

  /// All of them, oldest first.
  var all: [PushRecord] { Array(records[next...] + records[..<next]) }

  /// What a query asks for.
  func page(_ query: PushQuery) -> Page {
    // A number from before a restart that forgot everything counts as the latest.
    let since = min(query.since, lastSeq)
    // The records' numbers have no gaps, so those after `since` are that many at the end.
    let matching = all.suffix(lastSeq - since).filter(query.matches)
    if let last = query.last {
      return Page(records: Array(matching.suffix(last)), next: lastSeq)
    }
    let records = Array(matching.prefix(query.limit))
    return Page(records: records, next: records.count < matching.count ? records.last?.seq ?? since : lastSeq)
  }

  /// A part of the history and where the next part begins.
  struct Page: Sendable {
    let records: [PushRecord]
    /// The `since` of the query that goes on from here.
    let next: Int
  }
}
