import FunctionKit
import Notifications

/// The parts of a push that `push_notification_logs.payload` keeps.
///
/// It is the payload with its badge as sent; for FCM, it is the payload that the message was made from.
struct PayloadLog {
  /// The names of members, at any depth, whose values are left out.
  var redacted: Set<String> = []

  /// Reads `PUSH_LOG_PAYLOADS` (`true` unless set) and `PUSH_LOG_REDACT`; `nil` if nothing is kept.
  ///
  /// `PUSH_LOG_REDACT` has names, separated by commas.
  static func configured(by environment: Environment) throws(FunctionError) -> PayloadLog? {
    let text = environment["PUSH_LOG_PAYLOADS"] ?? "true"
    guard let isKept = Bool(text) else {
      throw FunctionError(.misconfigured, "PUSH_LOG_PAYLOADS must be true or false.")
    }
    let names = (environment["PUSH_LOG_REDACT"] ?? "").split { $0 == "," || $0 == " " }.map(String.init)
    return isKept ? PayloadLog(redacted: Set(names)) : nil
  }

  /// The JSON text; `nil` if a column cannot store it.
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
