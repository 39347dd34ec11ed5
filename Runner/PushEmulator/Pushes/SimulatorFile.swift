import FunctionKit

/// A push as a file for Xcode's simulator: drop it on the simulator, or use `xcrun simctl push`.
///
/// A member that the real service does not send names the app for the simulator.
enum SimulatorFile {
  static let bundleMember = "Simulator Target Bundle"

  /// The file's text.
  ///
  /// - Parameter isPlain: whether to leave out the member that names the app.
  /// - Throws: 404 if the push has nothing that a simulator could show.
  static func contents(of push: PushRecord, isPlain: Bool) throws(BadRequest) -> [UInt8] {
    let payload = push.json["payload"]
    let apns = push.service == .fcm ? payload?["apns"]?["payload"] : payload
    guard let apns, apns.kind == .object else {
      throw BadRequest(status: 404, "Push \(push.seq) has no payload for a simulator.")
    }
    var members = apns.members.filter { $0.name != bundleMember }.map { ($0.name, $0.value) }
    if !isPlain, let bundleID = bundleID(of: push) { members.insert((bundleMember, RawJSON(bundleID)), at: 0) }
    return Array(RawJSON(object: members).bytes) + [UInt8(ascii: "\n")]
  }

  /// The app's bundle id: the topic without the push type's suffix.
  static func bundleID(of push: PushRecord) -> String? {
    guard let topic = push.topic else { return nil }
    return String(topic.dropLast(PushType.owner(ofTopic: topic)?.topicSuffix.count ?? 0))
  }
}
