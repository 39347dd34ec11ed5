package import System
package import Workers

/// The counts of this runner since it started.
@RunnerLoop
package final class RunnerFigures {
  private var functions: [String: FunctionFigures] = [:]
  private var answers: [Int: Int] = [:]

  package init() {}

  package func of(_ function: String) -> FunctionFigures {
    if let known = functions[function] { return known }
    let figures = FunctionFigures()
    functions[function] = figures
    return figures
  }

  /// An HTTP request has been answered.
  package func answered(_ status: Int) { answers[status, default: 0] += 1 }

  var families: [MetricFamily] {
    let ordered = functions.sorted { $0.key < $1.key }
    return [
      MetricFamily(
        name: "push_runner_invocations_total", kind: .counter,
        help: "Invocations that have ended, by function, trigger and outcome.",
        samples: ordered.flatMap { name, figures in figures.samples([("function", name)]) }),
      MetricFamily(
        name: "push_runner_invocation_duration_seconds", kind: .histogram,
        help:
          "The time that invocations took in their process, each from its turn: of a batch, from the answer before.",
        samples: ordered.flatMap { name, figures in figures.durations.samples([("function", name)]) }),
      MetricFamily(
        name: "push_runner_batch_events", kind: .histogram,
        help: "The events that a process was handed at once, of functions with batches.",
        samples: ordered.filter { !$0.value.batches.isEmpty }
          .flatMap { name, figures in figures.batches.samples([("function", name)]) }),
      MetricFamily(
        "push_runner_broken_batches_total", .counter,
        "Processes that ended with several unanswered events, which then ran alone.", by: "function",
        ordered.filter { !$0.value.batches.isEmpty }.map { ($0.key, $0.value.brokenBatches) }),
      MetricFamily(
        "push_runner_http_requests_total", .counter, "HTTP requests that have been answered, by status.", by: "status",
        answers.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) }),
    ]
  }
}

@RunnerLoop
package final class FunctionFigures {
  private struct Ending: Hashable {
    let trigger: InvocationTrigger
    let code: String
  }

  private var endings: [Ending: Int] = [:]
  /// How many invocations have ended, and how many of them without success.
  package private(set) var count: (ended: Int, failed: Int) = (0, 0)
  private(set) var durations = Histogram(Histogram.durations)
  private(set) var batches = Histogram(Histogram.batches)
  /// How many processes have ended with several unanswered events.
  private(set) var brokenBatches = 0
  /// Why it was last misconfigured.
  package private(set) var problem: EventReport.Pause?

  package func add(_ trigger: InvocationTrigger, _ outcome: WorkerOutcome) {
    endings[Ending(trigger: trigger, code: outcome.code), default: 0] += 1
    count.ended += 1
    if outcome.disposition != .done { count.failed += 1 }
    durations.add(outcome.duration / .seconds(1))
    if outcome.disposition == .pause { problem = .init(code: outcome.code, message: outcome.message) }
  }

  /// A process was handed that many events at once.
  package func addBatch(of events: Int) { batches.add(Double(events)) }

  package func addBrokenBatch() { brokenBatches += 1 }

  func samples(_ labels: [(name: String, value: String)]) -> [MetricFamily.Sample] {
    endings.sorted { ($0.key.trigger.rawValue, $0.key.code) < ($1.key.trigger.rawValue, $1.key.code) }
      .map { ending, count in
        .init(
          labels: labels + [("trigger", ending.trigger.rawValue), ("code", ending.code)], value: "\(count)")
      }
  }
}

/// Values, counted in buckets.
struct Histogram {
  /// The buckets' upper bounds for durations, in seconds.
  static let durations = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
  ]
  /// The buckets' upper bounds for the events of a batch.
  static let batches: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

  private let bounds: [Double]
  private var counts: [Int]
  private var sum = 0.0

  init(_ bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  var isEmpty: Bool { counts.allSatisfy { $0 == 0 } }

  mutating func add(_ value: Double) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }

  /// The samples of a family of histograms, with the labels of this one.
  func samples(_ labels: [(name: String, value: String)]) -> [MetricFamily.Sample] {
    var total = 0
    let buckets = zip(bounds.map { "\($0)" } + ["+Inf"], counts).map { bound, count in
      total += count
      return MetricFamily.Sample(suffix: "_bucket", labels: labels + [("le", bound)], value: "\(total)")
    }
    return buckets + [
      .init(suffix: "_sum", labels: labels, value: "\(sum)"),
      .init(suffix: "_count", labels: labels, value: "\(total)"),
    ]
  }
}
