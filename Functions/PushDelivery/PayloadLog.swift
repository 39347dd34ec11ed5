import FunctionKit
import Notifications

/// What `push_notification_logs.payload` keeps of a push.
///
/// It is the payload with the badge that it was sent with; for a push through FCM, the payload that its message was
/// made of.
struct PayloadLog {
  /// Members, at any depth, whose values are left out.
  var redacted: Set<String> = []

  /// Reads `PUSH_LOG_PAYLOADS` (`true` unless set) and `PUSH_LOG_REDACT`; `nil` where nothing is kept.
  ///
  /// The latter holds names, separated by commas.
  static func configured(by environment: Environment) throws(FunctionError) -> PayloadLog? {
    let text = environment["PUSH_LOG_PAYLOADS"] ?? "true"
    guard let isKept = Bool(text) else {
      throw FunctionError(.misconfigured, "PUSH_LOG_PAYLOADS must be true or false.")
    }
    let names = (environment["PUSH_LOG_REDACT"] ?? "").split { $0 == "," || $0 == " " }.map(String.init)
    return isKept ? PayloadLog(redacted: Set(names)) : nil
  }

  /// The JSON text; `nil` where it is none that a column can hold.
  func text(of push: QueuedPush) -> String? {
    guard let body = push.body else { return nil }
    guard !redacted.isEmpty else { return String(decoding: body, as: UTF8.self) }
    guard let json = try? RawJSON(validating: body[...]) else { return nil }
    return String(decoding: withoutNames(json).bytes, as: UTF8.self)
  }

  private func withoutNames(_ json: RawJSON) -> RawJSON {
    if let elements = json.elements { return RawJSON(array: elements.map(withoutNames)) }
    guard json.kind == .object else { return json }
    return RawJSON(
      object: json.members.map { ($0.name, redacted.contains($0.name) ? .null : withoutNames($0.value)) })
  }
}
