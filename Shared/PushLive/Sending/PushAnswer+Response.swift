import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications

extension PushAnswer {
  /// Reads APNs' answer; a body that is not APNs' JSON is passed over, since proxies answer too.
  init(_ response: HTTP2Response) {
    self.init(status: response.status)
    guard response.status != 200 else { return }
    retryAfter = response.headers["retry-after"].flatMap(Int.init).flatMap { $0 > 0 ? .seconds(min($0, 86_400)) : nil }
    guard !response.body.isEmpty, let body = try? RawJSON(validating: response.body[...]), body.kind == .object else {
      return
    }
    reason = body["reason"]?.stringValue
    timestamp = body["timestamp"]?.intValue.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
  }
}

extension PushSilence {
  /// What a failed request tells of the push.
  init(_ failure: StreamFailure) {
    self = failure.mayHaveBeenProcessed ? .unknown : failure == .refused ? .refused : .unsent
  }
}
