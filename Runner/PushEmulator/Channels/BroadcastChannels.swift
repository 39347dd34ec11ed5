import FoundationEssentials
import FunctionKit

/// The channels of all apps.
struct BroadcastChannels: Sendable {
  private var channels: [String: BroadcastChannel] = [:]
  /// The ids of each app's channels, the oldest first.
  private var ids: [BroadcastChannel.Owner: [String]] = [:]
  private var isSaved = true

  /// The most channels of an app in one environment.
  static let limit = 10_000
  /// The longest id; Apple says that there is a limit, and not which.
  static let longestID = 256

  init() {}

  /// Reads the form of ``json``.
  init(_ json: RawJSON) throws(BadRequest) {
    for element in json.elements ?? [] { add(try BroadcastChannel(element)) }
    isSaved = false
  }

  /// The channels of a file that an earlier process has left; none if there is no file.
  static func load(_ path: String) throws(FunctionError) -> BroadcastChannels {
    guard let bytes = try Files.contentsIfThere(of: path) else { return BroadcastChannels() }
    guard let json = try? RawJSON(validating: bytes[...]), json.kind == .array,
      let channels = try? BroadcastChannels(json)
    else { throw FunctionError(.misconfigured, "\(path) has no list of channels; delete it to begin without any.") }
    return channels
  }

  /// Makes a channel with a new random id.
  mutating func create(
    for owner: BroadcastChannel.Owner, _ policy: BroadcastChannel.StoragePolicy
  ) -> BroadcastChannel {
    let id = withUnsafeBytes(of: UUID().uuid) { Data($0).base64EncodedString() }
    let channel = BroadcastChannel(id: id, owner: owner, policy: policy)
    add(channel)
    return channel
  }

  private mutating func add(_ channel: BroadcastChannel) {
    guard channels.updateValue(channel, forKey: channel.id) == nil else { return }
    ids[channel.owner, default: []].append(channel.id)
    isSaved = false
  }

  mutating func remove(_ channel: BroadcastChannel) {
    guard channels.removeValue(forKey: channel.id) != nil else { return }
    ids[channel.owner]?.removeAll { $0 == channel.id }
    isSaved = false
  }

  /// Whether the app may have one more.
  func checkRoom(for owner: BroadcastChannel.Owner) throws(Reason) {
    guard ids[owner, default: []].count < Self.limit else { throw .cannotCreateChannelConfig }
  }

  /// The channel that a header field names.
  func channel(_ id: String?, of owner: BroadcastChannel.Owner) throws(Reason) -> BroadcastChannel {
    guard let id, !id.isEmpty else { throw .missingChannelID }
    guard id.utf8.count <= Self.longestID, Data(base64Encoded: id) != nil else { throw .badChannelID }
    guard let channel = channels[id], channel.owner == owner else { throw .channelNotRegistered }
    return channel
  }

  /// The ids of an app's channels, the oldest first.
  func all(of owner: BroadcastChannel.Owner) -> [String] { ids[owner, default: []] }

  /// The contents of the file, if they have changed since the last call.
  mutating func changes() -> String? {
    if isSaved { return nil }
    isSaved = true
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// All of them, for the file and `GET /snapshot`.
  var json: RawJSON { RawJSON(array: sorted.map { RawJSON(object: $0.members) }) }

  /// The answer to `GET /channels`, with the number of activities that listen to each.
  func json(_ activities: Activities, at now: Date) -> RawJSON {
    let list = sorted.map { channel in
      let listeners = activities.listeners(to: channel.id, of: channel.owner.app, at: now).count
      return RawJSON(object: channel.members + [("activities", RawJSON(listeners))])
    }
    return RawJSON(object: [("channels", RawJSON(array: list))])
  }

  private var sorted: [BroadcastChannel] {
    ids.sorted { ($0.key.app, $0.key.environment.rawValue) < ($1.key.app, $1.key.environment.rawValue) }
      .flatMap(\.value).compactMap { channels[$0] }
  }
}
