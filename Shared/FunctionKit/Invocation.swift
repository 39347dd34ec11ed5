import FoundationEssentials
import Glibc

/// Runs one function's events, one after the other.
final class Invocation<F: Function> {
  private let dryRun: Bool
  /// Whether an event may say what time it is.
  ///
  /// A caller that may do so moves the clock for the whole database.
  private let believesEvents: Bool
  private let log: Log
  private let name = F.name
  private var function: F?

  init(dryRun: Bool, environment: Environment = .current()) {
    self.dryRun = dryRun
    believesEvents = dryRun || environment.believesEvents
    log = Log(["function": name])
  }

  func outcome(of input: ArraySlice<UInt8>, eventID: String?) async -> Outcome {
    let started = ContinuousClock.now
    var id: String?
    do {
      let envelope = try Self.envelope(input, eventID: eventID)
      id = envelope.id
      let event = Event(envelope: envelope, data: try F.payload(envelope.data))
      let output = try await handler().handle(event, context(of: event))
      return Outcome(id: id, result: .success(try F.result(output)))
    } catch {
      let error = FunctionError(error)
      report(error, id: id, after: .now - started)
      return Outcome(id: id, result: .failure(error))
    }
  }

  /// Lets the function finish its open work.
  func end() async { await function?.end() }

  private func handler() async throws -> F {
    if let function { return function }
    let made = try await F.live(.current())
    function = made
    return made
  }

  private func context(of event: Event<F.Payload>) -> Context {
    let now = believesEvents ? event.now : nil
    return Context(function: name, dryRun: dryRun, now: now ?? .now, log: log.with(["event.id": event.id]))
  }

  private static func envelope(_ input: ArraySlice<UInt8>, eventID: String?) throws(FunctionError) -> Envelope {
    do {
      return try Envelope(RawJSON(validating: input), eventID: eventID)
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
  let result: Result<RawJSON, FunctionError>

  static let tooLong = Outcome(
    id: nil,
    result: .failure(FunctionError(.invalidEvent, "The event is larger than \(Envelope.maximumSize) bytes.")))

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
