import EventLoop
import FoundationEssentials
import FunctionKit
import Gateway
import HTTP1
import System
import Workers

/// Takes events from AWS Lambda, one after the other, and hands their results back.
///
/// An event that failed is answered as an error, whatever the kind: Lambda then tries it again, or passes it to the
/// destination for failures. There is no answer that says "do not try again", so none is lost by a mistake here.
@RunnerLoop
final class LambdaLoop {
  private typealias Answer = Result<[UInt8], LambdaFailure>

  /// How long before Lambda's time limit the answer is sent.
  private static let margin: Int64 = 300
  /// How often in a row the API may answer with something else than an event.
  private static let mostRefusals = 5

  private let host: FunctionHost
  private let gateway: Gateway
  private let function: String
  private let api: RuntimeAPI

  init(_ host: FunctionHost, _ gateway: Gateway, of function: String, _ api: RuntimeAPI) {
    (self.host, self.gateway, self.function, self.api) = (host, gateway, function, api)
  }

  /// Asks for no event any more, and lets the present one end.
  func stop() { api.stop() }

  /// Takes events until the host is to end, or there are none any more.
  func run() async {
    var refusals = 0
    while !host.isEnding {
      do throws(RuntimeAPI.Failure) {
        let next = try await api.next()
        refusals = 0
        await handle(next)
      } catch {
        switch error {
        case .ended: return
        case .away(let reason):
          host.log.error("Lambda's Runtime API is away", ["error.cause": reason])
          return host.end(FunctionError.Code.unavailable.exitStatus)
        case .refused(let reason, let isFinal):
          host.log.error("Lambda's Runtime API gives no event", ["error.cause": reason])
          refusals += 1
          // It may be one answer out of order; after several there is nothing to wait for.
          if isFinal || refusals >= Self.mostRefusals { return host.end(FunctionError.Code.unavailable.exitStatus) }
        }
      }
    }
  }

  private func handle(_ next: RuntimeAPI.Invocation) async {
    let event: LambdaEvent
    do throws(FunctionError) {
      guard !next.isTooLarge else {
        throw FunctionError(.invalidEvent, "The event is larger than \(RuntimeAPI.mostBytes) bytes.")
      }
      event = try LambdaEvent(next.body, function: function, requestID: next.id)
    } catch {
      report(error, of: next.id)
      return await send(.failure(LambdaFailure(error)), for: next.id)
    }
    switch event {
    case .event(let envelope):
      await handle(next, late: { Self.late }) { [self] in await answer(envelope) }
    case .request(let request, let sender):
      await handle(next, late: { Self.late }) { [self] in
        .success(sender.shape(await gateway.call(function, with: request, id: next.id)).line)
      }
    case .messages(let messages):
      let batch = LambdaBatch(messages)
      await handle(next, late: { .success(batch.report.line) }) { [self] in
        await handle(batch)
        return .success(batch.report.line)
      }
    }
  }

  private static let late = Answer.failure(
    LambdaFailure(FunctionError(.unavailable, "The function reached its time limit.")))

  /// Answers with what the work leads to, or, shortly before Lambda ends the process, with what is true then.
  ///
  /// The host ends before such an answer is made, and its processes after it was sent: their transactions end, too.
  private func handle(
    _ next: RuntimeAPI.Invocation, late: @escaping @RunnerLoop () -> Answer,
    _ work: @escaping @RunnerLoop () async -> Answer
  ) async {
    let first = await withCheckedContinuation { done in
      let race = Race(done)
      let timer = next.deadline.map { deadline in
        RunnerLoop.loop.schedule(after: Self.time(until: deadline - Self.margin)) { [self] in
          host.log.error("The function reached its time limit", ["event.id": next.id])
          // Before the answer is made, so that no message is begun that it reports.
          host.end(FunctionError.Code.unavailable.exitStatus)
          race.end(late())
        }
      }
      BackgroundTask.start("handling an event of Lambda") {
        let answer = await work()
        if let timer { RunnerLoop.loop.cancel(timer) }
        race.end(answer)
      }
    }
    await send(first, for: next.id)
  }

  /// The first end of two counts.
  @RunnerLoop
  private final class Race {
    private var done: CheckedContinuation<Answer, Never>?

    init(_ done: CheckedContinuation<Answer, Never>) { self.done = done }

    func end(_ answer: Answer) {
      done?.resume(returning: answer)
      done = nil
    }
  }

  private static func time(until end: Int64) -> Duration {
    .milliseconds(max(0, end - Int64(Date.now.timeIntervalSince1970 * 1_000)))
  }

  private func answer(_ envelope: Envelope) async -> Answer {
    let outcome = await host.outcome(of: envelope, by: function)
    if let failure = LambdaFailure(outcome) { return .failure(failure) }
    guard case .exited(_, let output?) = outcome.ending else { return .success(RawJSON.null.line) }
    return .success(output.line)
  }

  /// Handles messages in their order.
  ///
  /// After SIGTERM no other message is begun. The queue gives those that are left to another process.
  private func handle(_ batch: LambdaBatch) async {
    while !host.isEnding, let message = batch.next() {
      do throws(FunctionError) {
        let outcome = await host.outcome(of: try message.envelope(), by: function)
        batch.end(message, hasFailed: outcome.disposition != .done)
      } catch {
        report(error, of: message.id)
        batch.end(message, hasFailed: true)
      }
    }
  }

  private func report(_ error: FunctionError, of id: String) {
    host.log.error(
      "The invocation failed",
      ["event.id": id, "error.code": error.code.rawValue, "error.message": error.message])
  }

  private func send(_ answer: Answer, for id: String) async {
    let refusal: RuntimeAPI.Refusal?
    switch answer {
    case .success(let result) where result.count > RuntimeAPI.mostBytes:
      refusal = await api.fail(id, Self.tooLarge("larger than \(RuntimeAPI.mostBytes) bytes"))
    case .success(let result): refusal = await api.respond(to: id, result)
    case .failure(let failure): refusal = await api.fail(id, failure)
    }
    guard let refusal else { return }
    host.log.error("Lambda's Runtime API refuses an answer", ["event.id": id, "error.cause": refusal.reason])
    if refusal.status == 413 { _ = await api.fail(id, Self.tooLarge("too large")) }
  }

  private static func tooLarge(_ words: String) -> LambdaFailure {
    LambdaFailure(FunctionError(.failed, "The result is \(words)."))
  }
}
