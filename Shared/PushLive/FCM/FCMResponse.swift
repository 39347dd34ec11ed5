import Formats
import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications

extension FCMAnswer {
  /// Reads FCM's answer.
  ///
  /// A body that is not FCM's JSON is ignored, because Google's front ends also answer.
  init(_ response: HTTP2Response, now: Date) {
    self.init(status: response.status, retryAfter: Self.retryAfter(response.headers["retry-after"], now))
    guard let body = try? RawJSON(validating: response.body[...]), let error = body["error"] else { return }
    rpcStatus = error["status"]?.word
    var fields: [String?] = []
    for detail in error["details"]?.elements ?? [] {
      switch detail["@type"]?.stringValue?.split(separator: "/").last {
      case "google.firebase.fcm.v1.FcmError": errorCode = detail["errorCode"]?.word
      case "google.rpc.BadRequest":
        fields += (detail["fieldViolations"]?.elements ?? []).map { $0["field"]?.stringValue }
      default: break
      }
    }
    blamesToken =
      fields.isEmpty
      ? Self.isAboutToken(error["message"]?.stringValue ?? "") : fields.allSatisfy { $0 == "message.token" }
  }

  /// FCM's sentences: "The registration token is not a valid FCM registration token", "Invalid registration token".
  private static func isAboutToken(_ text: String) -> Bool {
    let text = text.lowercased()
    return text.contains("registration token") && text.contains("valid")
  }

  private static func retryAfter(_ text: String?, _ now: Date) -> Duration? {
    guard let text, let seconds = Int(text) ?? HTTPDate.date(text).map({ Int($0.timeIntervalSince(now).rounded(.up)) })
    else { return nil }
    return seconds > 0 ? .seconds(min(seconds, 86_400)) : nil
  }
}

extension HTTP2Response {
  /// FCM's id of the message: the last part of `projects/…/messages/…`, cut to the length for the log.
  var messageID: String? {
    guard let name = (try? RawJSON(validating: body[...]))?["name"]?.stringValue else { return nil }
    return name.split(separator: "/").last.flatMap { $0.isVisibleASCII ? String($0.prefix(100)) : nil }
  }
}
