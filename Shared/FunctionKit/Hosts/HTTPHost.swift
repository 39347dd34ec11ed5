import Glibc
package import HTTP1
import Synchronization
import Tracing

/// Serves a function over HTTP.
enum HTTPHost<F: Function> {
  static func run(_ settings: HTTPSettings, _ dryRun: Bool, _ environment: Environment) async -> Never {
    let log = Log(["function": F.name])
    let needs = Needs()
    let invocation = Invocation<F>(dryRun: dryRun, environment: environment.asking(needs))
    let listener: HTTP1Listener
    do {
      try await invocation.prepare()
      listener = try HTTP1Listener(host: settings.host, port: settings.port)
    } catch {
      let failure = (error as? HTTP1Listener.Failure).map { FunctionError(.misconfigured, "\($0)") }
      let error = failure ?? FunctionError(error)
      log.error("The function cannot start", ["error.code": error.code.rawValue, "error.message": error.message])
      _exit(error.code.exitStatus)
    }
    let (calls, feed) = AsyncStream.makeStream(of: ServedCall.self)
    let service = FunctionService<F>(settings, feed, environment, log)
    var limits = HTTP1Limits()
    limits.work = service.timeLimit
    let termination = TerminationSignal.descriptor()
    let isServing = BackgroundThread.start { [limits] in
      let wasInTime = HTTP1Server(listener, service, limits: limits, termination: termination).run()
      // What it could not end in time ends with the process, and so does its transaction.
      guard wasInTime else { _exit(FunctionError.Code.unavailable.exitStatus) }
      feed.finish()
    }
    guard isServing else {
      log.error("The function cannot start", ["error.cause": "The system refuses to start another thread."])
      _exit(FunctionError.Code.unavailable.exitStatus)
    }
    log.info(
      "The function serves HTTP",
      ["address": settings.host, "port": "\(listener.port)", "concurrency": "\(settings.concurrency)"])
    await withDiscardingTaskGroup { group in
      for await call in calls { group.addTask { await call.answer(invocation, needs, service, log) } }
    }
    await invocation.end()
    _exit(0)
  }
}

/// A request that the function's own thread answers.
private struct ServedCall: Sendable {
  enum Matter {
    case event(Envelope, callID: String)
    /// Whether the function is ready.
    case readiness
  }

  let matter: Matter
  let reply: HTTP1Reply

  func answer<F: Function>(
    _ invocation: Invocation<F>, _ needs: Needs, _ service: FunctionService<F>, _ log: Log
  ) async {
    switch matter {
    case .readiness: reply(.readiness(await needs.missing()))
    case .event(let envelope, let callID):
      let started = ContinuousClock.now
      let answer = HTTP1Answer(await invocation.outcome(of: envelope).result).ofCall(callID, after: .now - started)
      if let complaint = answer.complaint {
        log.warning("An answer cannot be sent", ["call.id": callID, "problem": complaint])
      }
      service.hasEnded()
      reply(answer)
    }
  }
}

/// What the server thread does with requests.
private final class FunctionService<F: Function>: HTTP1Service {
  let timeLimit: Duration?
  private let concurrency: Int
  /// Pages of other sites must not call, through a browser, what listens on this machine only; `nil` behind a watchdog,
  /// which passes on the name that its own caller has used.
  private let origins: OriginCheck?
  private let feed: AsyncStream<ServedCall>.Continuation
  private let working = Mutex(0)
  private let log: Log

  init(
    _ settings: HTTPSettings, _ feed: AsyncStream<ServedCall>.Continuation, _ environment: Environment, _ log: Log
  ) {
    (concurrency, self.feed, self.log) = (settings.concurrency, feed, log)
    timeLimit = environment.timeLimit.map { .seconds(min($0, 86_400)) }
    let isAlone = environment[WatchdogRequest.upstream] == nil
    origins = isAlone && settings.isLoopback ? OriginCheck() : nil
  }

  func answer(toHead head: HTTP1Request) -> HTTP1Answer? {
    if let refusal = origins?.refusal(of: head), !isFollowedLink(head) { return refusal }
    switch head.path {
    case "/_/health", "/_/ready":
      guard ["GET", "HEAD"].contains(head.method) else { return .methods("GET, HEAD, OPTIONS", for: head.method) }
      guard head.path == "/_/ready" else { return .text(200, "OK") }
      return TerminationSignal.hasArrived ? .readiness(["draining"]) : nil
    default: return FunctionRequest<F>.refusal(of: head)
    }
  }

  func take(_ request: HTTP1Request, _ reply: HTTP1Reply) -> HTTP1LateAnswer? {
    if request.path == "/_/ready" {
      // The question would wait behind the transaction that runs.
      if working.withLock({ $0 > 0 }) { reply(.readiness([])) } else { pass(.readiness, reply) }
      return nil
    }
    let callID = RandomID.make()
    let envelope: Envelope
    do { envelope = try FunctionRequest<F>.event(of: request, callID: callID) } catch {
      reply(error.answer(callID: callID))
      return nil
    }
    let isFree = working.withLock { working in
      guard working < concurrency else { return false }
      working += 1
      return true
    }
    guard isFree else {
      reply(
        .failure(429, "TOO_MANY_REQUESTS", "\(F.name) is handling as many calls as it may.", callID: callID)
          .with("Retry-After", "1"))
      return nil
    }
    pass(.event(envelope, callID: callID), reply)
    guard let timeLimit else { return nil }
    return { [log, id = envelope.id] in
      log.error("The function reached its time limit", ["event.id": id])
      return .failure(504, "WORKER_TIMEOUT", "The function did not answer in time and was ended.")
        .ofCall(callID, after: timeLimit)
    }
  }

  /// Called before the answer of an event is given, so that its sender may send the next one at once.
  func hasEnded() { working.withLock { $0 -= 1 } }

  private func pass(_ matter: ServedCall.Matter, _ reply: HTTP1Reply) {
    guard case .enqueued = feed.yield(ServedCall(matter: matter, reply: reply)) else {
      return reply(.failure(503, "STOPPING", "The function is stopping.").with("Retry-After", "1"))
    }
  }

  /// A link on another site may lead to a function that checks its callers, because a `GET` changes nothing.
  private func isFollowedLink(_ head: HTTP1Request) -> Bool {
    FunctionRequest<F>.isProxied && origins?.isFollowedLink(head) == true
  }

  func refusal(of malformed: MalformedRequest) -> HTTP1Answer { HTTP1Answer(malformed) }

  func refusal(ofBodyOver limit: Int) -> HTTP1Answer { .tooLarge(limit) }

  var refusalForMemory: HTTP1Answer {
    .failure(503, "BUSY", "Too many bodies are being received.").with("Retry-After", "1")
  }
}

extension HTTP1Answer {
  /// `{"ready","problems"}`, with status 200 or 503.
  package static func readiness(_ problems: [String], degraded: [String] = []) -> HTTP1Answer {
    let held = degraded.isEmpty ? [] : [("degraded", RawJSON(array: degraded.map { RawJSON($0) }))]
    return .json(
      problems.isEmpty ? 200 : 503,
      RawJSON(
        object: [("ready", RawJSON(problems.isEmpty)), ("problems", RawJSON(array: problems.map { RawJSON($0) }))]
          + held))
  }
}
