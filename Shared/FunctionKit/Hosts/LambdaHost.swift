import Glibc
import HTTP1
import Tracing

/// Takes events from AWS Lambda, one after the other, and hands their results back.
///
/// An event that failed is answered as an error, whatever the kind: Lambda then tries it again, or passes it to the
/// destination for failures. There is no answer that says "do not try again", so none is lost by a mistake here.
enum LambdaHost<F: Function> {
  static func run(_ address: RuntimeAddress, _ dryRun: Bool, _ environment: Environment) async -> Never {
    let api = RuntimeAPI(address: address)
    let log = Log(["function": F.name])
    let invocation = Invocation<F>(dryRun: dryRun, environment: environment)
    let termination = TerminationSignal.descriptor()
    if !LambdaProcesses.isWatched(environment) { registerExtension(api, log) }
    do {
      try await invocation.prepare()
    } catch {
      log.error("The function cannot start", ["error.code": error.code.rawValue, "error.message": error.message])
      if let refusal = api.failInitialization(error) { refused(refusal, log) }
      _exit(error.code.exitStatus)
    }
    let deadline = LambdaDeadline(api, log)
    var failures = 0
    while true {
      do {
        let next = try api.next(termination: termination)
        failures = 0
        await handle(next, invocation, deadline, log)
      } catch {
        switch error {
        case .ended: break
        case .away(let reason):
          log.error("Lambda's Runtime API is away", ["error.cause": reason])
          await invocation.end()
          _exit(FunctionError.Code.unavailable.exitStatus)
        case .refused(let reason, let isFinal):
          log.error("Lambda's Runtime API gives no event", ["error.cause": reason])
          failures += 1
          // It may be one answer out of order; after several there is nothing to wait for.
          if !isFinal, failures < 5 { continue }
          await invocation.end()
          _exit(FunctionError.Code.unavailable.exitStatus)
        }
        await invocation.end()
        _exit(0)
      }
    }
  }

  /// Lets several processes take events, where the execution environment may have several at the same time.
  ///
  /// - Returns: if this process is to take them.
  static func divide(_ address: RuntimeAddress, _ environment: Environment) throws(FunctionError) {
    let number = try LambdaProcesses.number(environment)
    guard number > 1 else { return }
    let log = Log(["function": F.name])
    registerExtension(RuntimeAPI(address: address), log)
    LambdaProcesses.watch(number, log)
  }

  private static func registerExtension(_ api: RuntimeAPI, _ log: Log) {
    switch api.registerExtension(F.name) {
    case .success(let identifier): BackgroundThread.start { api.awaitExtensionEvent(identifier) }
    case .failure(let refusal):
      log.warning("The process will end without a signal", ["error.cause": refusal.reason])
    }
  }

  private static func handle(
    _ next: RuntimeAPI.Invocation, _ invocation: Invocation<F>, _ deadline: LambdaDeadline, _ log: Log
  ) async {
    let late = FunctionError(.unavailable, "The function reached its time limit.")
    deadline.begin(next, late: .failure(late))
    do throws(FunctionError) {
      guard !next.isTooLarge else {
        throw FunctionError(.invalidEvent, "The event is larger than \(RuntimeAPI.mostBytes) bytes.")
      }
      switch try LambdaEvent(next.body, function: F.name, requestID: next.id) {
      case .event(let envelope):
        deadline.finish(await invocation.outcome(of: envelope).result.map(\.line))
      case .request(let request, let sender):
        deadline.finish(.success(sender.shape(await answer(request, next.id, invocation, log)).line))
      case .messages(let messages):
        deadline.finish(.success(await outcome(of: messages, invocation, deadline).line))
      }
    } catch {
      log.error(
        "The invocation failed",
        ["event.id": next.id, "error.code": error.code.rawValue, "error.message": error.message])
      deadline.finish(.failure(error))
    }
  }

  private static func answer(
    _ request: HTTP1Request, _ id: String, _ invocation: Invocation<F>, _ log: Log
  ) async -> HTTP1Answer {
    if let refusal = FunctionRequest<F>.refusal(of: request) { return refusal }
    let envelope: Envelope
    do { envelope = try FunctionRequest<F>.event(of: request, callID: id) } catch {
      return error.answer(callID: id)
    }
    let started = ContinuousClock.now
    let answer = HTTP1Answer(await invocation.outcome(of: envelope).result)
    if let complaint = answer.complaint {
      log.warning("An answer cannot be sent", ["call.id": id, "problem": complaint])
    }
    return answer.ofCall(id, after: .now - started)
  }

  /// Handles messages in their order, and reports those that failed.
  ///
  /// After SIGTERM no other message is begun. The queue gives those that are left to another process.
  private static func outcome(
    of messages: [LambdaEvent.Message], _ invocation: Invocation<F>, _ deadline: LambdaDeadline
  ) async -> RawJSON {
    let batch = LambdaBatch(messages)
    deadline.update { .success(batch.report.line) }
    while !TerminationSignal.hasArrived, let message = batch.next() {
      let outcome = await invocation.outcome { () throws(FunctionError) in try message.envelope() }
      let hasFailed = if case .failure = outcome.result { true } else { false }
      batch.end(message, hasFailed: hasFailed)
    }
    return batch.report
  }

  private static func refused(_ refusal: RuntimeAPI.Refusal, _ log: Log) {
    log.error("Lambda's Runtime API refuses what it was told", ["error.cause": refusal.reason])
  }
}
