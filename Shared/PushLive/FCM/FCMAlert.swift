import FunctionKit
import PushPayload

/// The text of a push, from `aps.alert`.
struct FCMAlert {
  var title: String?
  var body: String?
  private let subtitle: String?
  /// Apple's other members of it, such as keys for translation.
  private let others: [RawJSON.Member]

  init?(_ json: RawJSON) {
    guard json.kind == .string || json.kind == .object else { return nil }
    title = json["title"]?.stringValue
    subtitle = json["subtitle"]?.stringValue
    body = json.stringValue ?? json["body"]?.stringValue
    others = json.members.filter { !["title", "body"].contains($0.name) }
  }

  /// FCM's `notification`; `nil` without any text.
  ///
  /// It has no subtitle, so the subtitle comes before the body. - Parameter image: the URL of a picture.
  func texts(with image: String?) -> RawJSON? {
    var texts: [(String, RawJSON)] = []
    if let title { texts.append(("title", RawJSON(title))) }
    let lines = [subtitle, body].compactMap { $0 }
    if !lines.isEmpty { texts.append(("body", RawJSON(lines.joined(separator: "\n")))) }
    guard !texts.isEmpty else { return nil }
    if let image { texts.append(("image", RawJSON(image))) }
    return RawJSON(object: texts)
  }

  /// Apple's `alert` if it has more than ``texts(with:)``; iOS then uses it instead.
  var forApple: RawJSON? {
    guard !others.isEmpty else { return nil }
    var alert = others.map { ($0.name, $0.value) }
    if let title { alert.append(("title", RawJSON(title))) }
    if let body { alert.append(("body", RawJSON(body))) }
    return RawJSON(object: alert)
  }

  /// Cuts the end of a text off and adds `…`, so that the message becomes `excess` bytes shorter.
  mutating func shorten(_ part: WritableKeyPath<FCMAlert, String?>, byEncoded excess: Int) {
    let copies = others.isEmpty ? 1 : 2
    let size = Self.encodedSize(of: self[keyPath: part] ?? "")
    self[keyPath: part]?.shorten(to: size - (excess + copies - 1) / copies) { Self.encodedSize(of: String($0)) }
  }

  private static func encodedSize(of text: String) -> Int { RawJSON(text).bytes.count - 2 }
}
