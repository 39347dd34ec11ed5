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
