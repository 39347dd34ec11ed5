import EventLoop
import FunctionKit
import HTTPClient
import System
import Tracing

/// Posts spans to the collector of OpenTelemetry, together and never more than one request at a time.
///
/// Nothing waits for it. Spans that a collector does not take in time are lost and counted.
@RunnerLoop
final class SpanExporter {
  private let settings: TraceSettings
  private let client: LoopHTTPClient
  private let log: Log
  private var queue = SpanQueue()
  private var timer: TimerID?
  private var call: LoopHTTPClient.CallID?
  private var isSending = false
  private var isPausing = false
  private let quiet = WakeUp()

  init(_ settings: TraceSettings, client: LoopHTTPClient, log: Log) {
    (self.settings, self.client, self.log) = (settings, client, log)
  }

  var lost: Int { queue.lost }

  /// Takes a span in OTLP's JSON.
  func add(_ span: some Collection<UInt8>, of name: String, isFunction: Bool) {
    queue.add(span, of: name, isFunction: isFunction)
    reportLoss("there is no room for more")
    if queue.isFull { send() } else { sendLater(after: settings.delay) }
  }

  /// Sends what waits, and breaks off after the limit.
  func close(within limit: Duration) async {
    let deadline = ContinuousClock.now + limit
    isPausing = false
    repeat {
      send()
      while isSending, .now < deadline { await quiet.wait(upTo: deadline - .now) }
    } while !queue.isEmpty && !isPausing && .now < deadline
    if let call { client.cancel(call) }
    if let timer { RunnerLoop.loop.cancel(timer) }
    timer = nil
  }

  private func sendLater(after pause: Duration) {
    guard timer == nil, !isSending else { return }
    timer = RunnerLoop.loop.schedule(after: pause) { [self] in
      (timer, isPausing) = (nil, false)
      send()
    }
  }

  private func send() {
    guard !isSending, !isPausing, let batch = queue.next() else { return }
    if let timer { RunnerLoop.loop.cancel(timer) }
    (timer, isSending) = (nil, true)
    let headers = settings.headers.map { (name: $0.name, value: $0.value) } + [("Content-Type", "application/json")]
    let call = HTTPCall(.post, settings.url, headers: headers, body: SpanQueue.body(of: batch, settings))
    let limits = HTTPLimits(connect: min(.seconds(5), settings.timeout), total: settings.timeout, body: 65_536)
    self.call = client.send(call, limits: limits) { [self] in ended(batch, $0) }
  }

  private func ended(_ batch: SpanQueue.Batch, _ result: Result<HTTPAnswer, HTTPClientError>) {
    (call, isSending) = (nil, false)
    defer { quiet.signal() }
    let sequel: SpanQueue.Sequel
    switch result {
    case .success(let answer):
      let retryAfter = answer["retry-after"].flatMap { Int($0) }
      let rejected = PartialSuccess.rejected(answer.body)
      sequel = queue.ended(batch, status: answer.status, retryAfter: retryAfter, rejected: rejected)
      reportLoss(rejected > 0 ? "the collector has rejected some" : "the collector answers \(answer.status)")
    case .failure(let error):
      sequel = queue.ended(batch, status: nil)
      reportLoss("\(error)")
    }
    switch sequel {
    case .send(.zero): send()
    case .send(let pause):
      isPausing = true
      sendLater(after: pause)
    case .wait: if !queue.isEmpty { sendLater(after: settings.delay) }
    }
  }

  private func reportLoss(_ cause: String) {
    guard let lost = queue.loss() else { return }
    log.warning(
      "Spans are lost; this is said once until the collector takes some again",
      ["spans.lost": "\(lost)", "error.cause": cause])
  }
}

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

  /// The next act after a request.
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

/// The part of a collector's answer that says how many spans it has left out.
enum PartialSuccess {
  /// `{"partialSuccess":{"rejectedSpans":"2"}}`, with a number of 64 bits as a string or a number.
  static func rejected(_ body: [UInt8]) -> Int {
    let name = Array(#""rejectedSpans""#.utf8)
    let starts = body.count < name.count ? 0..<0 : 0..<(body.count - name.count + 1)
    guard let start = starts.first(where: { body[$0..<($0 + name.count)].elementsEqual(name) }) else { return 0 }
    let rest = body[(start + name.count)...].drop { " :\"\n\r\t".utf8.contains($0) }
    return Int(String(decoding: rest.prefix { (0x30...0x39).contains($0) }, as: UTF8.self)) ?? 0
  }
}
