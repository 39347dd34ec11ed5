import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications

extension FCMAnswer {
  /// Reads FCM's answer; a body that is not FCM's JSON is passed over, since Google's front ends answer too.
  init(_ response: HTTP2Response, now: Date) {
    self.init(status: response.status, retryAfter: Self.retryAfter(response.headers["retry-after"], now))
    guard let body = try? RawJSON(validating: response.body[...]), let error = body["error"] else { return }
    rpcStatus = error["status"]?.word
    for detail in error["details"]?.elements ?? [] {
      switch detail["@type"]?.stringValue?.split(separator: "/").last {
      case "google.firebase.fcm.v1.FcmError": errorCode = detail["errorCode"]?.word
      case "google.rpc.BadRequest": blamesMessage = blamesMessage || Self.blamesMessage(detail)
      default: break
      }
    }
  }

  private static func blamesMessage(_ badRequest: RawJSON) -> Bool {
    let fields = (badRequest["fieldViolations"]?.elements ?? []).map { $0["field"]?.stringValue }
    return fields.isEmpty || fields.contains { $0 != "message.token" }
  }

  private static func retryAfter(_ text: String?, _ now: Date) -> Duration? {
    guard let text, let seconds = Int(text) ?? HTTPDate.date(text).map({ Int($0.timeIntervalSince(now).rounded(.up)) })
    else { return nil }
    return seconds > 0 ? .seconds(min(seconds, 86_400)) : nil
  }
}

extension HTTP2Response {
  /// The id that FCM gave the message: the last part of `projects/…/messages/…`, as much as the log has room for.
  var messageID: String? {
    guard let name = (try? RawJSON(validating: body[...]))?["name"]?.stringValue else { return nil }
    return name.split(separator: "/").last.flatMap { $0.isVisibleASCII ? String($0.prefix(100)) : nil }
  }
}
