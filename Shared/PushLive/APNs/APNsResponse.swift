import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications

extension PushAnswer {
  /// Reads APNs' answer.
  ///
  /// A body that is not APNs' JSON is ignored, because proxies also answer.
  init(_ response: HTTP2Response) {
    self.init(status: response.status)
    guard response.status != 200 else { return }
    retryAfter = response.headers["retry-after"].flatMap(Int.init).flatMap { $0 > 0 ? .seconds(min($0, 86_400)) : nil }
    guard !response.body.isEmpty, let body = try? RawJSON(validating: response.body[...]), body.kind == .object else {
      return
    }
    reason = body["reason"]?.word
    timestamp = body["timestamp"]?.intValue.flatMap(Self.time)
  }

  /// The time of a number of milliseconds; `nil` if no calendar has it.
  private static func time(_ milliseconds: Int) -> Date? {
    (1..<253_402_300_800_000).contains(milliseconds) ? Date(timeIntervalSince1970: Double(milliseconds) / 1_000) : nil
  }
}
