import Tracing

/// The spans that wait to be sent, and what becomes of a request to the collector.
///
/// It has room for a limited number of bytes: what does not fit is lost, and counted.
struct SpanQueue {
  /// The most bytes that wait, those of the request that is under way included.
  static let mostBytes = 8 << 20
  /// A request is sent at once when this many bytes wait.
  static let fullBatch = 512 << 10
  /// How often a request is sent at most.
  static let mostTries = 6
  /// The longest pause between two tries.
  static let longestPause = Duration.seconds(32)

  /// Spans that are sent together.
  struct Batch: Sendable {
    fileprivate var sources: [Source: [UInt8]] = [:]
    fileprivate var bytes = 0
    fileprivate var count = 0
    fileprivate var tries = 0
  }

  /// A program whose spans these are.
  fileprivate struct Source: Hashable, Sendable {
    let name: String
    let isFunction: Bool
  }

  /// What to do after a request.
  enum Sequel: Sendable, Equatable {
    /// Nothing waits, or the time for more has not come.
    case wait
    /// The next request is due after this pause; zero for at once.
    case send(after: Duration)
  }

  private var current = Batch()
  private var full: [Batch] = []
  private var bytes = 0
  /// How many spans were lost.
  private(set) var lost = 0
  /// How many were lost when the collector last took everything.
  private var known = 0
  private var isTold = false

  init() {}

  /// Whether a request should be sent at once.
  var isFull: Bool { !full.isEmpty }
  var isEmpty: Bool { full.isEmpty && current.count == 0 }

  /// Adds a span of a program in OTLP's JSON.
  mutating func add(_ span: some Collection<UInt8>, of name: String, isFunction: Bool) {
    guard bytes + span.count <= Self.mostBytes else { return lost += 1 }
    let source = Source(name: name, isFunction: isFunction)
    current.sources[source, default: []] += span
    current.sources[source, default: []].append(UInt8(ascii: ","))
    current.bytes += span.count
    current.count += 1
    bytes += span.count
    if current.bytes >= Self.fullBatch {
      full.append(current)
      current = Batch()
    }
  }

  /// The spans of the next request.
  mutating func next() -> Batch? {
    if !full.isEmpty { return full.removeFirst() }
    defer { current = Batch() }
    return current.count == 0 ? nil : current
  }

  /// The body of a request.
  static func body(of batch: Batch, _ settings: TraceSettings) -> [UInt8] {
    var text = Array(#"{"resourceSpans":["#.utf8)
    text.reserveCapacity(batch.bytes + 1_024)
    for (index, source) in batch.sources.sorted(by: { $0.key.name < $1.key.name }).enumerated() {
      text += (index == 0 ? #"{"resource":{"attributes":"# : #",{"resource":{"attributes":"#).utf8
      text += Span.json(of: settings.resource(of: source.key.name, isFunction: source.key.isFunction))
      text += #"},"scopeSpans":[{"scope":{"name":"push-functions"},"spans":["#.utf8
      text += source.value.dropLast()
      text += "]}]}".utf8
    }
    return text + "]}".utf8
  }

  /// A request has ended.
  ///
  /// Only what may help is repeated: what the collector refuses is lost.
  /// - Parameters:
  ///   - status: of its answer; `nil` without one.
  ///   - retryAfter: the seconds that the collector asks for.
  ///   - rejected: how many spans of a taken request the collector has left out.
  ///   - jitter: from 0.5 to 1.
  mutating func ended(
    _ batch: Batch, status: Int?, retryAfter: Int? = nil, rejected: Int = 0, jitter: Double = .random(in: 0.5...1)
  ) -> Sequel {
    if let status, 200..<300 ~= status {
      bytes -= batch.bytes
      lost += rejected
      if rejected == 0 { (known, isTold) = (lost, false) }
      return isFull ? .send(after: .zero) : .wait
    }
    var batch = batch
    batch.tries += 1
    let mayHelp = status.map { [429, 502, 503, 504].contains($0) } ?? true
    guard mayHelp, batch.tries < Self.mostTries else {
      bytes -= batch.bytes
      lost += batch.count
      return isFull ? .send(after: mayHelp ? Self.longestPause : .zero) : .wait
    }
    full.insert(batch, at: 0)
    let pause = retryAfter.map { .seconds(max(0, $0)) } ?? .seconds(1) * (1 << (batch.tries - 1)) * jitter
    return .send(after: min(pause, Self.longestPause))
  }

  /// How many spans were lost, the first time since the collector has taken some; `nil` if that was said.
  mutating func loss() -> Int? {
    guard lost > known, !isTold else { return nil }
    isTold = true
    return lost
  }
}
