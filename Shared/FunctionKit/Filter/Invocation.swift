import FoundationEssentials
import Glibc
import Synchronization
import Tracing

/// Runs one function's events: one after the other, or in batches.
final class Invocation<F: Function>: Sendable {
  /// Handles a batch; it throws if the batch failed as a whole.
  typealias Batches = @Sendable (F, [Call]) async throws -> [Result<F.Output, any Error>]
  /// An event with its surroundings.
  typealias Call = (event: Event<F.Payload>, context: Context)

  private let dryRun: Bool
  /// Whether an event may say what time it is.
  ///
  /// A caller that may do so moves the clock for the whole database.
  private let believesEvents: Bool
  private let log: Log
  private let name = F.name
  private let environment: Environment
  private let function = Mutex<F?>(nil)
  /// `nil` unless traces are wanted.
  private let tracer: Tracer?

  init(dryRun: Bool, environment: Environment = .current()) {
    (self.dryRun, self.environment) = (dryRun, environment.rehearsing(dryRun))
    believesEvents = dryRun || environment.believesEvents
    log = Log(["function": name])
    tracer = Tracer.ofFunction({ environment[$0] }, write: Log.toStandardError)
  }

  /// Handles the text of one event.
  func run(_ text: ArraySlice<UInt8>, eventID: String?) async -> Outcome {
    await run(read(text, eventID: eventID, at: .now))
  }

  private func run(_ call: Result<Call, Unread>) async -> Outcome {
    switch call {
    case .success(let call): await handle(call)
    case .failure(let unread): unread.outcome
    }
  }

  /// Answers lines in their order: those of a batch together, and others each as soon as it has ended.
  ///
  /// A batch that fails as a whole is handled event by event, so that one bad event harms no other. Its events have the
  /// same time, so that what they ask about the same people is one question.
  /// - Parameter write: takes answers; `false` if nobody reads them.
  /// - Returns: whether all answers were taken.
  func answer(_ lines: [LineReader.Line], _ batches: Batches?, _ write: ([Outcome]) -> Bool) async -> Bool {
    let now = Date.now
    let calls = lines.map { line in
      line.tooLong
        ? .failure(Unread(outcome: .tooLong(environment.largestEvent)))
        : read(line.bytes, eventID: nil, at: now)
    }
    let readable = calls.compactMap { try? $0.get() }
    if let batches, readable.count > 1, let outcomes = await handle(readable, batches) {
      var rest = outcomes[...]
      return write(
        calls.map { call in
          if case .failure(let unread) = call { unread.outcome } else { rest.removeFirst() }
        })
    }
    for call in calls {
      guard write([await run(call)]) else { return false }
    }
    return true
  }

  /// The outcomes of a batch; `nil` if its events have to be handled one by one.
  private func handle(_ calls: [Call], _ batches: Batches) async -> [Outcome]? {
    let started = ContinuousClock.now
    do {
      let results = try await batches(try await handler(), calls)
      guard results.count == calls.count else { return nil }
      let outcomes = zip(calls, results).map { call, result in
        outcome(of: call.event.id, since: started) { try result.get() }
      }
      record(calls, outcomes)
      return outcomes
    } catch let error as FunctionError where error.code == .databaseAway {
      // Each event alone would wait for the database too.
      let outcomes = calls.map { call in outcome(of: call.event.id, since: started) { throw error } }
      record(calls, outcomes)
      return outcomes
    } catch {
      let error = FunctionError(error)
      log.warning(
        "A batch failed, and its events are handled one by one",
        ["events": "\(calls.count)", "error.cause": error.cause.map { String(reflecting: $0) } ?? error.message])
      return nil
    }
  }

  private func handle(_ call: Call) async -> Outcome {
    let started = ContinuousClock.now
    let result: Result<F.Output, any Error>
    do {
      result = .success(try await handler().handle(call.event, call.context))
    } catch {
      result = .failure(error)
    }
    let outcome = outcome(of: call.event.id, since: started) { try result.get() }
    if tracer != nil { record([call], [outcome]) }
    return outcome
  }

  /// Records the spans of invocations that have ended.
  private func record(_ calls: [Call], _ outcomes: [Outcome]) {
    tracer?.record(
      zip(calls, outcomes).compactMap { call, outcome in
        guard let trace = call.context.trace, trace.context.isSampled else { return nil }
        return trace.span(of: call.event, by: name, outcome)
      })
  }

  /// The outcome of an event whose output is there, or has failed.
  private func outcome(
    of id: String?, since start: ContinuousClock.Instant, _ output: () throws -> F.Output
  ) -> Outcome {
    do {
      let result = try F.result(try output())
      if log.says(.debug) {
        log.debug(
          "The invocation is done", ["event.id": id ?? "", "duration.ms": "\((.now - start) / .milliseconds(1))"])
      }
      return Outcome(id: id, result: .success(result))
    } catch {
      let error = FunctionError(error)
      report(error, id: id, after: .now - start)
      return Outcome(id: id, result: .failure(error))
    }
  }

  /// A line that is no event of this function.
  private struct Unread: Error {
    let outcome: Outcome
  }

  private func read(_ text: ArraySlice<UInt8>, eventID: String?, at now: Date) -> Result<Call, Unread> {
    let started = ContinuousClock.now
    var id: String?
    do {
      let envelope = try Self.envelope(text, eventID: eventID)
      id = envelope.id
      let event = Event(envelope: envelope, data: try F.payload(envelope.data))
      return .success((event, context(of: event, at: now)))
    } catch {
      return .failure(Unread(outcome: outcome(of: id, since: started) { throw error }))
    }
  }

  /// The thread of the function, once its first event has made it.
  var thread: (any TaskExecutor)? { function.withLock { $0 }?.thread }

  /// Lets the function finish its open work.
  func end() async { await function.withLock { $0 }?.end() }

  private func handler() async throws -> F {
    if let function = function.withLock({ $0 }) { return function }
    let made = try await F.live(environment)
    function.withLock { $0 = made }
    return made
  }

  private func context(of event: Event<F.Payload>, at now: Date) -> Context {
    let now = believesEvents ? event.now ?? now : now
    return Context(
      function: name, dryRun: dryRun, now: now, log: log.with(["event.id": event.id]),
      trace: tracer.map { InvocationTrace(event.envelope, $0) })
  }

  private static func envelope(_ input: ArraySlice<UInt8>, eventID: String?) throws(FunctionError) -> Envelope {
    do {
      return try Envelope(RawJSON(validating: input, isFromOutside: true), eventID: eventID)
    } catch let error as RawJSON.Malformed {
      throw FunctionError(.invalidEvent, "The event is \(error).")
    } catch {
      throw FunctionError(error)
    }
  }

  private func report(_ error: FunctionError, id: String?, after duration: Duration) {
    log.error(
      "The invocation failed",
      [
        "event.id": id ?? "", "error.code": error.code.rawValue, "error.message": error.message,
        "error.cause": error.cause.map { String(reflecting: $0) } ?? "",
        "duration.ms": "\(duration / .milliseconds(1))",
      ])
  }
}

/// The outcome of one event, as a line of a stream says it.
struct Outcome {
  let id: String?
  let result: Verdict

  /// The result of the function, or the reason why there is none.
  ///
  /// No `Result`: its first use has Swift look through all conformances of the program for that of the error.
  enum Verdict {
    case success(RawJSON)
    case failure(FunctionError)

    /// The output.
    ///
    /// - Throws: the error in its place.
    func get() throws(FunctionError) -> RawJSON {
      switch self {
      case .success(let output): return output
      case .failure(let error): throw error
      }
    }
  }

  static func tooLong(_ limit: Int) -> Outcome {
    Outcome(id: nil, result: .failure(FunctionError(.invalidEvent, "The event is larger than \(limit) bytes.")))
  }

  /// `{"id","exit","result" or "error"}` and a line end.
  var line: [UInt8] {
    let identity = ("id", id.map { RawJSON($0) } ?? .null)
    let document =
      switch result {
      case .success(let output): RawJSON(object: [identity, ("exit", RawJSON(0)), ("result", output)])
      case .failure(let error):
        RawJSON(object: [identity, ("exit", RawJSON(Int(error.code.exitStatus))), ("error", error.json)])
      }
    return document.line
  }
}

extension InvocationTrace {
  /// Begins the span of a run.
  init(_ envelope: Envelope, _ tracer: Tracer) {
    self.init(
      traceparent: envelope["traceparent"]?.stringValue, state: envelope["tracestate"]?.stringValue,
      source: envelope.source, id: envelope.id, tracer)
  }

  /// The span of the run at its end.
  func span<Payload>(of event: Event<Payload>, by function: String, _ outcome: Outcome) -> Span {
    let trigger =
      switch event.type {
      case EventType.row: "datasource"
      case EventType.schedule: "timer"
      case EventType.call: "http"
      case EventType.notify: "pubsub"
      default: "other"
      }
    let error: String? = if case .failure(let error) = outcome.result { error.code.rawValue } else { nil }
    return span(
      of: function, trigger: trigger, event: (event.id, event.source, event.type), attempt: event.attempt, error: error)
  }
}
