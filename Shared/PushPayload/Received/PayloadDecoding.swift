#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PushPayload {
  /// Reads the JSON of a payload; `nil` if it is not a JSON object.
  ///
  /// It leaves out members that are not in Apple's shape, and the app's own keys with neither a string nor a whole
  /// number.
  ///
  /// - Parameter json: UTF-8, as a `Data` or the `utf8` of a string.
  public init?(json: some Collection<UInt8>) {
    guard let members = try? JSONDecoder().decode([String: ReceivedValue].self, from: Data(json)) else { return nil }
    self.init(members)
  }

  /// Reads a payload from iOS, with the same tolerance.
  public init(userInfo: [AnyHashable: Any]) { self.init(ReceivedValue.members(of: userInfo, depth: 0)) }

  private init(_ members: [String: ReceivedValue]) {
    self.init(values: members.filter { $0.key != "aps" }.compactMapValues(\.own))
    let aps = members["aps"]?.members ?? [:]
    alert = aps["alert"].flatMap(Alert.init)
    badge = aps["badge"]?.integer
    sound = aps["sound"]?.text ?? aps["sound"]?.members["name"]?.text
    threadID = aps["thread-id"]?.text
    category = aps["category"]?.text
    interruptionLevel = (aps["interruption-level"]?.text).flatMap(InterruptionLevel.init)
    relevanceScore = aps["relevance-score"]?.number
    isMutable = aps["mutable-content"]?.integer == 1
    isContentAvailable = aps["content-available"]?.integer == 1
  }
}

extension PushPayload.Alert {
  /// Apple allows a dictionary, and a string that is the body.
  fileprivate init?(_ value: ReceivedValue) {
    switch value {
    case .text(let body): self.init(body: body)
    case .object(let texts):
      self.init(title: texts["title"]?.text, subtitle: texts["subtitle"]?.text, body: texts["body"]?.text)
    default: return nil
    }
  }
}
