import FunctionKit
import HTTP1
import System

/// CloudEvents that come in one request: they are called one after the other, so that their order counts.
@RunnerLoop
struct CallBatch {
  /// The most events of a request.
  nonisolated static let most = 512
  /// The most bytes of results in an answer: as many as those of one function.
  private static let mostBytes = 6 << 20

  private let requests: [HTTP1Request]

  /// Returns `nil` for a request of another mode than the batched one.
  init?(_ request: HTTP1Request) throws(InvalidCall) {
    guard let requests = try request.cloudEvents(atMost: Self.most) else { return nil }
    self.requests = requests
  }

  /// The answer to the request.
  ///
  /// Its body lists `{"id","status","body"}` in the order of the events: the answer that each would have got alone. If an
  /// event was not handled, the answer has the highest status of all, the caller sends the whole batch again, and no event
  /// is lost.
  ///
  /// - Parameter call: answers the request of one event, whose position it gets.
  func answer(by call: (Int, HTTP1Request) async -> HTTP1Answer) async -> HTTP1Answer {
    var results: [RawJSON] = []
    var (status, wait, size) = (200, 0, 0)
    for (index, request) in requests.enumerated() {
      let answer = await call(index, request)
      if answer.status >= 400 || answer.status == 202 { status = max(status, answer.status) }
      wait = max(wait, answer.headers.first { $0.0 == "Retry-After" }.flatMap { Int($0.1) } ?? 0)
      size += answer.body.count
      results.append(Self.result(answer, of: request, withBody: size <= Self.mostBytes))
    }
    let answer = HTTP1Answer.json(status, RawJSON(array: results))
    return status >= 400 && wait > 0 ? answer.with("Retry-After", "\(wait)") : answer
  }

  private static func result(_ answer: HTTP1Answer, of request: HTTP1Request, withBody: Bool) -> RawJSON {
    let id = RawJSON(trusting: request.body)["id"]
    var members = [("id", id?.kind == .string ? id ?? .null : .null), ("status", RawJSON(answer.status))]
    if withBody, !answer.body.isEmpty {
      let document = try? RawJSON(validating: answer.body[...])
      members.append(("body", document ?? RawJSON(String(decoding: answer.body, as: UTF8.self))))
    }
    return RawJSON(object: members)
  }
}
