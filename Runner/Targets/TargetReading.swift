import FoundationEssentials
import FunctionKit
import HTTPClient
import Manifest
import System
import Workers

/// The meaning of an answer, or of its absence, for the event and for the target.
struct TargetReading {
  /// The target's health, as the answer shows it.
  enum Health: Equatable {
    case works
    /// It was not reached, did not answer, failed or had too much to do, and asks for that pause.
    case fails(asking: Duration)
    case unknown
  }

  let ending: WorkerOutcome.Ending
  let health: Health
  /// Whether the event has not arrived for certain.
  var isUnreached = false
  /// The failure as the beginning of a sentence.
  var problem = ""
  /// Whether trying again cannot help.
  var isRefusal: Bool { WorkerOutcome(ending: ending).disposition == .permanent }
  let place: String
  private var received: HTTPAnswer?
  private var retryAfter: Int?

  init(_ result: Result<HTTPAnswer, HTTPClientError>, of settings: TargetSettings, now: Date) {
    switch result {
    case .success(let answer): self.init(answer, settings, now)
    case .failure(let error):
      // A status that says "later" counts, however long its page is.
      if let answer = error.answer, settings.engine.verdict(answer.status) == .again {
        self.init(answer, settings, now)
      } else {
        self.init(error, settings)
      }
    }
  }

  private init(_ answer: HTTPAnswer, _ settings: TargetSettings, _ now: Date) {
    place = settings.place
    let retryAfter = answer["retry-after"].flatMap { RetryAfter.seconds($0, now: now) }
    (received, self.retryAfter) = (answer, retryAfter)
    let problem = "\(settings.place) answered \(answer.status)\(Self.words(of: answer))"
    self.problem = problem
    let fails = answer.status >= 500 || answer.status == 429
    health = fails ? .fails(asking: .seconds(retryAfter ?? 0)) : .works
    switch settings.engine.verdict(answer.status) {
    case .done: ending = .exited(0, output: try? RawJSON(validating: answer.body[...]))
    case .again:
      ending = .elsewhere(
        .init(answer.status == 429 ? .busy : .failed, "\(problem).", .retry(after: retryAfter), retryAfter: retryAfter))
    case .refused: ending = .elsewhere(.init(.refused, "\(problem).", .permanent))
    }
  }

  private init(_ error: HTTPClientError, _ settings: TargetSettings) {
    place = settings.place
    // Of the transport's words only those about certificates help, and none of them shows more than names.
    let problem = error.code == .untrusted ? error.debugDescription : error.description
    self.problem = problem
    func end(_ code: WorkerOutcome.Elsewhere.Code, _ disposition: WorkerOutcome.Disposition) -> WorkerOutcome.Ending {
      .elsewhere(.init(code, "\(problem).", disposition))
    }
    switch error.code {
    case .cancelled: (ending, health) = (.elsewhere(.init(.away, "The runner is stopping.", .pause)), .unknown)
    case .invalidCall: (ending, health) = (end(.refused, .permanent), .unknown)
    case .tooLarge:
      (ending, health) = (.invalidOutput("The answer of \(settings.place) is too large."), .works)
    case .exhausted where error.isSent:
      (ending, health) = (
        .elsewhere(
          .init(.busy, "The answers of targets take all the memory that they may.", .retry(after: 1), retryAfter: 1)),
        .unknown
      )
    case _ where !error.isSent:
      (ending, health, isUnreached) = (end(.away, .pause), .fails(asking: .zero), true)
    case .timedOut: (ending, health) = (end(.timedOut, .retry(after: nil)), .fails(asking: .zero))
    default: (ending, health) = (end(.lost, .retry(after: nil)), .fails(asking: .zero))
    }
  }

  /// The answer to a caller whose call was forwarded, in the Lambda proxy shape; `nil` if the outcome says it all.
  @RunnerLoop
  func answer(to job: Job) -> RawJSON? {
    guard job.trigger == .http, let received, !(300...399).contains(received.status) else { return nil }
    // A document is the result itself, which may have that shape already.
    if case .exited(0, let output) = ending, received.status == 200, output != nil { return nil }
    var headers: [(String, RawJSON)] = []
    if let type = received["content-type"] { headers.append(("Content-Type", RawJSON(type))) }
    if let retryAfter { headers.append(("Retry-After", RawJSON("\(retryAfter)"))) }
    let text = String(validating: received.body, as: UTF8.self)
    return RawJSON(object: [
      ("statusCode", RawJSON(received.status)), ("headers", RawJSON(object: headers)),
      ("body", RawJSON(text ?? Data(received.body).base64EncodedString())), ("isBase64Encoded", RawJSON(text == nil)),
    ])
  }

  /// The sentence in a JSON answer, or where a redirect leads, after a colon; nothing for any other answer, such as a page.
  private static func words(of answer: HTTPAnswer) -> String {
    if (300...399).contains(answer.status), let location = answer["location"] {
      return ": it redirects to \(TargetSettings.place(of: location) ?? "another path"), which is not followed"
    }
    guard !(200...299).contains(answer.status), let document = try? RawJSON(validating: answer.body[...]) else {
      return ""
    }
    guard let text = document["message"]?.stringValue ?? document["error"]?["message"]?.stringValue else { return "" }
    let line = text.split(whereSeparator: \.isNewline).first ?? ""
    return line.isEmpty ? "" : ": \(line.prefix(300))"
  }

  /// The outcomes, by their ids, of the events of a batch that have failed according to the answer.
  ///
  /// `{"batchItemFailures":[{"itemIdentifier":"…"}]}`, as AWS Lambda has it. If that names another event, or nothing
  /// usable, all have failed.
  /// Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
  func failures(among ids: [String]) -> [String: WorkerOutcome.Ending] {
    guard case .exited(0, let output) = ending, let list = output?["batchItemFailures"], list.kind != .null else {
      return [:]
    }
    let named = list.elements?.map { $0["itemIdentifier"]?.stringValue ?? "" }
    let known = named.map { Set(ids).isSuperset(of: $0) } ?? false
    let message = known ? "says that it has failed" : "does not say which events have failed"
    let failed = WorkerOutcome.Ending.elsewhere(.init(.failed, "\(place) \(message).", .retry(after: nil)))
    return Dictionary((known ? named ?? [] : ids).map { ($0, failed) }) { first, _ in first }
  }
}
