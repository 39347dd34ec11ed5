import Formats
import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import PushPayload

extension HTTP2Request {
  /// The request for one push; `nil` when the payload is too large.
  ///
  /// Source: [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
  init?(_ push: QueuedPush, apnsID: String, topic: String, authority: String, authorization: String) {
    guard let body = push.body else { return nil }
    let type = PushType(rawValue: push.pushType)
    var headers = [
      HTTP2Header("authorization", authorization, indexing: .never),
      HTTP2Header("apns-topic", type?.topic(topic) ?? topic),
      HTTP2Header("apns-push-type", push.pushType),
      HTTP2Header("apns-priority", String(type?.priority(push.priority) ?? push.priority)),
      HTTP2Header("apns-id", apnsID, indexing: .nameOnly),
      HTTP2Header("apns-expiration", Self.seconds(push.expiresAt), indexing: .nameOnly),
      HTTP2Header("content-type", "application/json"),
    ]
    if type?.hasCollapseID ?? true {
      headers.append(HTTP2Header("apns-collapse-id", Self.collapseID(push.collapseID), indexing: .nameOnly))
    }
    self.init(
      path: "/3/device/\(PercentEncoding.encoded(push.device.token))", authority: authority, headers: headers,
      body: body)
  }

  /// Whole seconds since 1970, or 0, which means one attempt without storage and is also sent.
  private static func seconds(_ date: Date) -> String {
    String(UInt32(min(max(date.timeIntervalSince1970, 0), Double(UInt32.max))))
  }

  /// APNs accepts at most 64 bytes.
  ///
  /// The digest of a longer id works as well.
  static func collapseID(_ text: String) -> String {
    text.utf8.count <= 64 ? text : SHA256.hex(text.utf8)
  }
}

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
